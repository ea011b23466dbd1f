"""xlwings Lite: what it is given, what the functions need there, and Python as it has it.

Lite runs in a browser's engine within Excel, so it cannot run here. Two things can:

- The functions with every package taken away that Lite would not have.
- Pyodide itself, under Node, from the npm package ``pyodide`` (``npm install --prefix
  tests/pyodide``). That package has Python and its library, but no NumPy, nor has PyPI a wheel of
  it for Pyodide (of pydantic and xlwings it has: ``.ci/run`` gets them). Pyodide fetches it
  from a server, which a test must not. So what needs NumPy, the functions themselves, runs only
  where someone laid the wheels into tests/pyodide/wheels (or XL_TCO_PYODIDE_WHEELS).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import tco_udfs
from test_imports import CALLS
from xl_tco import InputError, __version__, catalogue
from xl_tco.fields import FIELDS
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.lite import NEEDED, lite_main, lite_requirements

ROOT = Path(__file__).parents[1]
HERE = ROOT / "tests" / "pyodide"
PYODIDE = HERE / "node_modules" / "pyodide"
WHEELS = Path(os.environ.get("XL_TCO_PYODIDE_WHEELS", HERE / "wheels"))
REQUIRED = "XL_TCO_REQUIRE_PYODIDE"

# With what the four of NEEDED bring along.
THERE = {*NEEDED, "annotated_types", "pydantic_core", "typing_extensions", "typing_inspection"}

AS_IN_LITE = f"""
import json, sys

THERE = {sorted(THERE)!r} + ["xl_tco", "tco_udfs"]


class OnlyThese:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        ours = top in THERE or top in sys.stdlib_module_names
        if not ours and not top.startswith("_sysconfigdata"):
            raise ModuleNotFoundError(f"{{name}} is not in Lite", name=name)


sys.meta_path.insert(0, OnlyThese())
import numpy
import xlwings

names, asked, real = {{}}, json.load(sys.stdin), sys.platform
sys.platform = "emscripten"  # which is what the functions go by when they are loaded
exec(asked["main"], names)
sys.platform = real
loaded = {{name.partition(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names)
answers = {{name: eval(f"{{name}}{{call}}", names) for name, call in asked["calls"].items()}}
try:
    names["TCO_FLOPS"]("x", 1.0)
except Exception as error:
    refused = [type(error).__module__, type(error).__name__, str(error)]
there = [name for name in names if name.startswith("TCO_")]
print(json.dumps([sorted(loaded), there, answers, refused]))
"""


@pytest.fixture(scope="module")
def lite() -> list[Any]:
    """Modules, functions, answers and a refusal, with only those packages that Lite has."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", AS_IN_LITE],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        input=json.dumps({"main": lite_main(), "calls": CALLS}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: list[Any] = json.loads(run.stdout)
    return found


def called(name: str) -> Any:
    """What the function gives here, as JSON has it."""
    return json.loads(json.dumps(eval(f"{name}{CALLS[name]}", vars(tco_udfs))))


def test_to_import_the_functions_takes_numpy_and_xlwings(lite: list[Any]) -> None:
    assert {name for name in lite[0] if not name.startswith("_")} == {
        "numpy",
        "xlwings",
        "xl_tco",
        "tco_udfs",
    }


def test_main_py_has_every_function_and_nothing_else(lite: list[Any]) -> None:
    assert sorted(lite[1]) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_there_what_it_gives_here(lite: list[Any], name: str) -> None:
    assert lite[2][name] == called(name)


def test_a_fault_is_the_error_whose_text_xlwings_passes_on(lite: list[Any]) -> None:
    module, kind, text = lite[3]
    assert (module, kind) == ("xlwings", "XlwingsError")
    assert text.startswith('TCO_FLOPS: parameters: "x" is text')


def test_requirements_pin_ours_alone() -> None:
    asked = [Requirement(line) for line in lite_requirements().splitlines()]
    assert {wanted.name: str(wanted.specifier) for wanted in asked} == {
        **dict.fromkeys(NEEDED, ""),
        "xl-tco": f"=={__version__}",
    }


def test_requirements_take_a_wheel_from_an_address() -> None:
    address = f"https://example.org/xl_tco-{__version__}-py3-none-any.whl"
    assert lite_requirements(address).splitlines() == [*NEEDED, address]


@pytest.mark.parametrize(
    "address",
    ["xl_tco-0.1.0-py3-none-any.whl", "http://a.b/x-1-py3-none-any.whl", "https://a.b/x.tar.gz"],
)
def test_an_address_that_lite_cannot_install_from_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="wheel: it is no address"):
        lite_requirements(address)


def test_the_page_shows_both_files_as_they_are() -> None:
    page = (ROOT / "docs" / "lite.md").read_text(encoding="utf-8")
    assert f"```python\n{lite_main()}```\n" in page
    assert f"```text\n{lite_requirements()}```\n" in page


def dependencies() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in project["dependencies"]]


def test_the_wheel_asks_for_nothing_there_that_the_functions_do_not_need() -> None:
    there = {"sys_platform": "emscripten", "platform_system": "Emscripten"}
    asked = {
        wanted.name
        for wanted in dependencies()
        if wanted.marker is None or wanted.marker.evaluate(there)
    }
    assert asked == set(NEEDED)


def in_pyodide(*code: str, wheels: tuple[Path, ...] = ()) -> list[Any]:
    """Run expressions and statements under Pyodide: their values."""
    node = shutil.which("node")
    if node is None or not (PYODIDE / "pyodide.mjs").is_file():
        reason = "Pyodide is not there: npm install --prefix tests/pyodide"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{reason} ({REQUIRED}=1)", pytrace=False)
        pytest.skip(reason)
    asked = {
        "pyodide": str(PYODIDE),
        "folders": {"root": str(ROOT), "udfs": str(ROOT / "udfs")},
        "wheels": [str(wheel) for wheel in wheels],
        "code": code,
    }
    run = subprocess.run(
        [node, str(HERE / "run.mjs")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    answers: list[Any] = json.loads(run.stdout)
    return answers


def values(answers: list[Any]) -> list[Any]:
    """Values of answers, none of which may be an error."""
    assert not [answer for answer in answers if "error" in answer]
    return [answer["value"] for answer in answers]


def wheels(*names: str) -> tuple[Path, ...]:
    """Wheels of those packages and of all others that are there; skips where one is missing."""
    there = tuple(sorted(WHEELS.glob("*.whl")))
    found = {wheel.name.partition("-")[0] for wheel in there}
    if missing := sorted({*names} - found):
        pytest.skip(f"no wheel for Pyodide of {', '.join(missing)} in {WHEELS.name}")
    return there


WITHOUT_NUMPY = {
    "libraries": "import pathlib, sys",
    "platform": "sys.platform",
    "version": "list(sys.version_info[:2])",
    "files": "files = [file for folder in ('root/xl_tco', 'udfs')"
    " for file in pathlib.Path('/given', folder).rglob('*.py')]",
    "compiled": "len([compile(file.read_text('utf-8'), str(file), 'exec') for file in files])",
    "ours": "from xl_tco import catalogue, fields, outputs",
    "fields": "[[f.name, f.unit, str(f.domain)] for f in fields.FIELDS.values()]",
    "watts": "catalogue.find('h100-sxm', 'tdp_watts').value",
    "entries": "len(list(catalogue.entries()))",
    "functions": "import tco_udfs",
}


@pytest.fixture(scope="module")
def without_numpy() -> dict[str, Any]:
    """What Pyodide answers from the npm package alone."""
    return dict(zip(WITHOUT_NUMPY, in_pyodide(*WITHOUT_NUMPY.values()), strict=True))


def test_pyodide_is_a_python_that_xl_tco_takes(without_numpy: dict[str, Any]) -> None:
    assert without_numpy["platform"] == {"value": "emscripten"}
    assert without_numpy["version"]["value"] >= [3, 11]


def test_every_module_compiles_under_pyodide(without_numpy: dict[str, Any]) -> None:
    sources = [*(ROOT / "xl_tco").rglob("*.py"), *(ROOT / "udfs").rglob("*.py")]
    assert len(sources) > 50
    assert without_numpy["compiled"] == {"value": len(sources)}


def test_what_needs_no_numpy_gives_there_what_it_gives_here(without_numpy: dict[str, Any]) -> None:
    fields = [[f.name, f.unit, str(f.domain)] for f in FIELDS.values()]
    assert without_numpy["fields"] == {"value": fields}
    assert without_numpy["watts"] == {"value": catalogue.find("h100-sxm", "tdp_watts").value}
    assert without_numpy["entries"] == {"value": len(list(catalogue.entries()))}


def test_the_functions_miss_nothing_there_but_numpy(without_numpy: dict[str, Any]) -> None:
    assert without_numpy["functions"] == {
        "error": "ModuleNotFoundError",
        "message": "No module named 'numpy'",
    }


def test_pydantic_and_xlwings_work_there_with_their_wheels_from_pypi() -> None:
    answers = in_pyodide(
        "import pydantic, xlwings",
        "xlwings.XlwingsError.__name__",
        "pydantic.create_model('M', a=(int, ...))(a='3').a",
        wheels=wheels("pydantic", "pydantic_core", "xlwings"),
    )
    assert values(answers)[1:] == ["XlwingsError", 3]


def test_the_functions_give_under_pyodide_what_they_give_here() -> None:
    calls = [f"tco_udfs.{name}{call}" for name, call in CALLS.items()]
    answers = in_pyodide("import tco_udfs", *calls, wheels=wheels(*NEEDED))
    assert dict(zip(CALLS, values(answers)[1:], strict=True)) == {
        name: called(name) for name in CALLS
    }


def test_pyodide_brings_what_the_functions_need_in_a_version_that_will_do() -> None:
    lock = PYODIDE / "pyodide-lock.json"
    if not lock.is_file():
        pytest.skip("Pyodide is not there: npm install --prefix tests/pyodide")
    brought = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    for wanted in dependencies():
        if wanted.name in NEEDED and wanted.name != "xlwings":  # which comes from PyPI
            assert wanted.specifier.contains(brought[wanted.name]["version"]), wanted

"""The functions behind xlwings on Windows, with a simulated COM.

Excel cannot run here. What runs is xlwings' own `udfs.py`: its decorators, its conversions, its
`call_udf` and its writer of VBA. Only the pywin32 modules that it imports, and the workbook that
it talks to, are stand-ins, all in an interpreter of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from xl_tco.functions import FUNCTIONS
from xl_tco.functions.shell import CATEGORY

ROOT = Path(__file__).parents[1]

SIMULATED_COM = '''
import io, json, sys
from types import ModuleType, SimpleNamespace


class Missing(ModuleType):
    """A pywin32 module: whatever is asked of it is a class that does nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Exception,), {})


for name in ("pythoncom", "pywintypes", "win32com", "win32com.client"):
    sys.modules[name] = Missing(name)
sys.modules["pythoncom"].CoInitialize = lambda: None

import xlwings

# What xlwings takes from Excel's objects: no range arrives as one, VBA hands over its values.
xlwings._xlwindows = SimpleNamespace(
    is_range_instance=lambda value: False,
    Range=lambda xl: SimpleNamespace(api=xl, address="$A$1"),
)
com_server = ModuleType("xlwings.com_server")
com_server.loop = None
sys.modules["xlwings.com_server"] = com_server

from xlwings import udfs

class Engine:
    """Values as Excel's engine hands them on: here they are clean already."""

    name, type = "excel", "desktop"
    clean_value_data = staticmethod(lambda data, *args: data)
    prepare_xl_data_element = staticmethod(lambda value, *args: value)


xlwings.engines.add(xlwings.main.Engine(impl=Engine()))

# On Windows these are what `from xlwings import func, arg` gives.
xlwings.func, xlwings.arg, xlwings.ret = udfs.xlfunc, udfs.xlarg, udfs.xlret
import tco_udfs

MISSING = -2147352572  # how COM hands over an argument that was left out
asked = json.load(sys.stdin)


def answer(name, cells):
    args = tuple(MISSING if cell == "(left out)" else cell for cell in cells)
    try:
        return udfs.call_udf("tco_udfs", name, args)
    except Exception as error:
        return [type(error).__name__, str(error)]


text = io.StringIO()
udfs.generate_vba_wrapper("tco_udfs", tco_udfs, text, SimpleNamespace(Name="model.xlsm"))
registered = {
    name: getattr(tco_udfs, name).__xlfunc__
    for name in dir(tco_udfs)
    if hasattr(getattr(tco_udfs, name), "__xlfunc__")
}
json.dump(
    {
        "registered": registered,
        "vba": text.getvalue(),
        "answers": [answer(name, cells) for name, cells in asked],
    },
    sys.stdout,
    default=repr,
)
'''

INPUTS = [
    ["field", "value", "unit"],
    ["parameters", 70e9, ""],
    ["tokens", 1.4e12, ""],
    [None, None, None],
    ["accelerator", "h100-sxm", ""],
    ["accelerators", 1024.0, ""],
    ["mfu", 0.4, ""],
    ["pue", None, "empty: the default"],
    ["procurement", "own", ""],
    ["staff_fte", 10.0, ""],
]
OUT = "(left out)"

# A name, the cells, and what the function of the table gives for them as Python hands them over.
CALLS: list[tuple[str, list[Any], list[Any]]] = [
    ("TCO_FLOPS", [70e9, 1.4e12, OUT, OUT, OUT, OUT], [70e9, 1.4e12]),
    ("TCO_FLOPS", [70e9, 1.4e12, None, None, None, None], [70e9, 1.4e12]),
    ("TCO_FLOPS", [[[1e9], [2e9]], [[1e12, 2e12]]], [[[1e9], [2e9]], [[1e12, 2e12]]]),
    ("TCO_FLOPS", [[[1e9, 2e9]], 1e12, [[0.0, None]]], [[[1e9, 2e9]], 1e12, [[0, 0]]]),
    ("TCO_WALLTIME", [1e24, 1024.0, "h100-sxm", 0.4, OUT, 0.1], [1e24, 1024, 989.4, 0.4, 0, 0.1]),
    ("TCO_POWER_COST", [8.0, 10.0, 1000.0, 1.5, 0.1, OUT], [8, 10, 1000, 1.5, 0.1]),
    ("TCO_RENTAL_COST", [8.0, 10.0, 2.0, OUT], [8, 10, 2]),
    ("TCO_AMORTIZATION", [1e6, 100.0, 4.0, OUT, OUT], [1e6, 100, 4]),
    ("TCO_SPEC", ["h100-sxm", "tdp_watts"], ["h100-sxm", "tdp_watts"]),
    ("TCO_TOTAL", [INPUTS, OUT, OUT], [INPUTS]),
    ("TCO_TOTAL", [INPUTS, [["pue", 1.5]], "cooling"], [INPUTS, [["pue", 1.5]], "cooling"]),
    ("TCO_BREAKDOWN", [INPUTS, OUT], [INPUTS]),
    ("TCO_METRIC", [INPUTS, "wall_hours", OUT], [INPUTS, "wall_hours"]),
    ("TCO_VERSION", [], []),
]
REFUSED: list[tuple[str, list[Any], str]] = [
    ("TCO_FLOPS", [None, 1e12, OUT, OUT, OUT, OUT], "TCO_FLOPS: parameters: nothing is given"),
    ("TCO_FLOPS", ["x", 1e12, OUT, OUT, OUT, OUT], 'TCO_FLOPS: parameters: "x" is text'),
    ("TCO_WALLTIME", [1e24, 8.0, 989.4, 1.4, OUT, OUT], "TCO_WALLTIME: mfu: 1.4 is out of range"),
    ("TCO_TOTAL", [INPUTS, OUT, "powr"], 'TCO_TOTAL: component: "powr" is no component'),
    ("TCO_SPEC", ["h100", "tdp_watts"], 'TCO_SPEC: accelerator: "h100" is no accelerator'),
]


@pytest.fixture(scope="module")
def excel() -> dict[str, Any]:
    """What xlwings registered, wrote and answered, with a simulated COM."""
    asked = [(name, cells) for name, cells, _ in [*CALLS, *REFUSED]]
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", SIMULATED_COM],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers: dict[str, Any] = json.loads(run.stdout)
    return answers


def test_every_function_is_registered(excel: dict[str, Any]) -> None:
    assert set(excel["registered"]) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_registration_is_the_table(excel: dict[str, Any], name: str) -> None:
    function, registered = FUNCTIONS[name], excel["registered"][name]
    assert registered["name"] == name
    assert registered["ret"]["doc"] == function.help
    assert registered["category"] == CATEGORY
    assert not registered["volatile"]
    assert not registered["sub"]
    assert [arg["name"] for arg in registered["args"]] == [a.name for a in function.arguments]
    for argument, arg in zip(function.arguments, registered["args"], strict=True):
        assert ("optional" in arg) == argument.is_optional
        assert arg.get("optional") is None
        assert arg["options"] == {"ndim": 2}
        assert arg["doc"].startswith(argument.help)
        assert argument.unit in arg["doc"]
        assert len(arg["doc"]) <= 255


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_vba_has_the_function(excel: dict[str, Any], name: str) -> None:
    arguments = ", ".join(
        f"Optional {a.name}" if a.is_optional else a.name for a in FUNCTIONS[name].arguments
    )
    assert f"Function {name}({arguments})" in excel["vba"]
    assert f'XLPy.CallUDF("tco_udfs", "{name}", ' in excel["vba"]


@pytest.mark.parametrize("at", range(len(CALLS)), ids=[name for name, _, _ in CALLS])
def test_a_call_gives_what_python_gives(excel: dict[str, Any], at: int) -> None:
    name, _, cells = CALLS[at]
    wanted = FUNCTIONS[name](*cells)
    answer = excel["answers"][at]
    assert answer == (wanted if isinstance(wanted, list) else [[wanted]])


def test_every_function_is_called() -> None:
    assert {name for name, _, _ in CALLS} == set(FUNCTIONS)


@pytest.mark.parametrize("at", range(len(REFUSED)), ids=[text for _, _, text in REFUSED])
def test_a_fault_is_a_text_that_names_function_and_argument(excel: dict[str, Any], at: int) -> None:
    kind, text = excel["answers"][len(CALLS) + at]
    assert kind == "XlwingsError"
    assert text.startswith(REFUSED[at][2])

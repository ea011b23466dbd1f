"""The functions in LibreOffice Calc: the extension, and what a real office makes of it."""

import ast
import contextlib
import functools
import io
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from function_cases import GOOD
from libreoffice import OFFICES, REQUIRED, close
from office import Office, saved, unusable, working_office
from xl_tco.errors import InputError
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.libreoffice import (
    extension_bytes,
    plain_names,
    programmatic_name,
    programmatic_names,
)
from xl_tco.hosts.libreoffice.calling import block
from xl_tco.hosts.libreoffice.interface import (
    ADD_IN,
    IDL,
    RDB,
    UnoidlWriteError,
    compiled,
    interface_idl,
    unoidl_write,
)
from xl_tco.hosts.libreoffice.naming import REASON, TEXTS, identifier
from xl_tco.hosts.libreoffice.registration import calc_add_ins
from xl_tco.outputs import METRICS
from xl_tco.scenario import Scenario
from xl_tco.workbook.build import template_bytes, workbook_bytes
from xl_tco.workbook.package.archive import read_entries, write_entries
from xl_tco.workbook.sheets.page import ALL_HOLD

ROOT = Path(__file__).parents[1]
OOR = "{http://openoffice.org/2001/registry}"


def entries() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(extension_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# What is in the file.


def test_the_same_bytes_every_time() -> None:
    assert extension_bytes() == extension_bytes()


def test_the_manifest_names_what_is_there() -> None:
    files = entries()
    root = ElementTree.fromstring(files["META-INF/manifest.xml"])
    listed = {value for entry in root for key, value in entry.items() if key.endswith("full-path")}
    assert listed == {RDB, "component.py", "CalcAddIns.xcu"}
    assert listed <= set(files)
    version = ElementTree.fromstring(files["description.xml"])[1].get("value")
    assert version == FUNCTIONS["TCO_VERSION"]()


def test_it_carries_what_the_functions_need_and_no_more(tmp_path: Path) -> None:
    """Nothing but NumPy and pydantic can be imported, and every function calculates."""
    with zipfile.ZipFile(io.BytesIO(extension_bytes())) as archive:
        archive.extractall(tmp_path)
    program = f"""
import sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {{"formualizer", "lxml", "openpyxl", "pandas", "rich", "scipy",
                                      "typer", "xlwings"}}:
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
sys.path[:0] = [{str(tmp_path / "pythonpath")!r}]
from xl_tco.hosts.libreoffice.calling import block
import xl_tco
assert xl_tco.__file__.startswith({str(tmp_path)!r}), xl_tco.__file__
for name, cells in {GOOD!r}.items():
    assert block(name, [[[0.0]] if cell == 0.0 else cell for cell in cells]), name
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    carried = {name for name in entries() if name.startswith("pythonpath/")}
    assert all(name.startswith("pythonpath/xl_tco/") for name in carried)
    parts = {name.split("/")[2] for name in carried}
    assert not parts & {"cli", "display", "workbook", "templates", "__main__.py"}
    assert {Path(name).suffix for name in carried} <= {".py", ".csv", ".toml"}


def test_it_asks_for_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    component = (ADD_IN / "component.py").read_text(encoding="utf-8")
    needed = dict(re.findall(r'"(numpy|pydantic)": "([\d.]+)"', component))
    bounds = dict(re.findall(r"(numpy|pydantic)>=([\d.]+)", "\n".join(project["dependencies"])))
    assert needed == bounds
    python = ", ".join(re.findall(r"\d+", project["requires-python"]))
    assert f"PYTHON = ({python})" in component


def test_the_component_is_written_for_old_pythons() -> None:
    """So that an office with too old a Python says so, and does not fail to load."""
    ast.parse((ADD_IN / "component.py").read_text(encoding="utf-8"), feature_version=(3, 8))


# The interface and its compiled form.


def test_the_interface_is_that_of_the_table() -> None:
    again = "python -m xl_tco.hosts.libreoffice"
    assert (ADD_IN / IDL).read_text(encoding="ascii") == interface_idl(), f"run {again}"


def require_compiler() -> Path:
    compiler = unoidl_write()
    if compiler is None:
        reason = "unoidl-write is not installed: apt-get install libreoffice-dev"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return compiler


def test_the_compiled_interface_is_that_of_the_text(tmp_path: Path) -> None:
    """Compared as the SDK reads them: another release of its compiler packs them otherwise."""
    compiler = require_compiler()
    (tmp_path / "now.rdb").write_bytes(compiled(interface_idl(), compiler))
    read = [compiler.with_name("unoidl-read"), compiler.parents[2] / "program" / "types.rdb"]
    now, shipped = (
        subprocess.run([*read, path], capture_output=True, text=True, check=True).stdout
        for path in (tmp_path / "now.rdb", ADD_IN / RDB)
    )
    assert all(identifier(name) in now for name in FUNCTIONS)
    assert shipped == now, "run python -m xl_tco.hosts.libreoffice"


def test_functions_that_may_give_a_text_give_it_bare() -> None:
    """Calc 7 finds no text in a block equal to another; more cells stay a block for a number."""
    figures = {
        "TCO_REGION": [("us", "label"), ("us", "pue")],
        "TCO_RUN": [("llama-3.1-405b", "accelerator"), ("llama-3.1-405b", "tokens")],
        "TCO_SPEC": [("h100-sxm", "label"), ("h100-sxm", "tdp_watts")],
        "TCO_METRIC": [(GOOD["TCO_METRIC"][0], name) for name in METRICS],
    }
    found = set()
    for function in FUNCTIONS.values():
        calls = [GOOD[function.name], *figures.get(function.name, [])]
        for at, argument in enumerate(function.arguments):
            start = GOOD[function.name][:at]
            calls += [(*start, word) for word in argument.words if len(start) == at]
        for cells in calls:
            with contextlib.suppress(InputError):  # of a word that does not go with the others
                if not function.spills and isinstance(function(*cells), str):
                    found.add(function.name)
    assert found == TEXTS
    declared = set(re.findall(r"    any (\w+)\(", interface_idl()))
    assert declared == {identifier(name) for name in TEXTS}


def test_the_compiled_interface_has_every_function() -> None:
    shipped = (ADD_IN / RDB).read_bytes()
    assert [name for name in (*FUNCTIONS, REASON) if identifier(name).encode() not in shipped] == []


def test_what_the_compiler_refuses_is_said() -> None:
    compiler = require_compiler()
    with pytest.raises(UnoidlWriteError, match="illegal identifier two_words"):
        compiled("module xltco { interface X { any f([in] any two_words); }; };", compiler)


# What Calc's function wizard shows.


def described() -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(calc_add_ins())
    functions = root.find(f".//node[@{OOR}name='AddInFunctions']")
    assert functions is not None
    return {node.get(f"{OOR}name", ""): node for node in functions}


def shown(node: ElementTree.Element, name: str) -> str | None:
    return node.findtext(f"prop[@{OOR}name='{name}']/value")


def test_every_function_and_argument_is_described() -> None:
    nodes = described()
    assert set(nodes) == {identifier(name) for name in (*FUNCTIONS, REASON)}
    for function in FUNCTIONS.values():
        node = nodes[identifier(function.name)]
        assert shown(node, "DisplayName") == shown(node, "CompatibilityName") == function.name
        assert shown(node, "Description") == f"{function.help} ({function.unit})"
        arguments = node.findall(f"node[@{OOR}name='Parameters']/node")
        assert [shown(a, "DisplayName") for a in arguments] == [a.name for a in function.arguments]
        for argument, entry in zip(function.arguments, arguments, strict=True):
            assert entry.get(f"{OOR}name") == identifier(argument.name)
            text = shown(entry, "Description") or ""
            assert f"{argument.help} ({argument.unit})" in text
            assert text.startswith("May be left out. ") == argument.is_optional


# Names.


@pytest.mark.parametrize("name", [*FUNCTIONS, REASON])
def test_the_component_finds_the_function_of_a_method(name: str) -> None:
    """As it does: an underscore before each capital."""
    assert re.sub("(?=[A-Z])", "_", identifier(name)).upper() == name


def test_programmatic_names_differ() -> None:
    assert programmatic_name("TCO_FLOPS") == "XLTCO.FUNCTIONS.TCOFLOPS"
    assert len({programmatic_name(name) for name in FUNCTIONS}) == len(FUNCTIONS)


@pytest.mark.parametrize(
    ("formula", "renamed"),
    [
        ("=TCO_MFU(A1)", "=XLTCO.FUNCTIONS.TCOMFU(A1)"),
        ("=tco_mfu (A1)+1", "=XLTCO.FUNCTIONS.TCOMFU (A1)+1"),
        ("=IF(A1,TCO_MFU(TCO_FLOPS(1,2)))", None),
        ('="TCO_MFU("&TCO_VERSION()', '="TCO_MFU("&XLTCO.FUNCTIONS.TCOVERSION()'),
        ('="a""TCO_MFU("', '="a""TCO_MFU("'),
        ("='TCO_MFU('!A1", "='TCO_MFU('!A1"),
        ("=MY_TCO_MFU(A1)", "=MY_TCO_MFU(A1)"),
        ("=TCO_MFU2(A1)+TCO_OTHER(A1)", "=TCO_MFU2(A1)+TCO_OTHER(A1)"),
        ("=TCO_MFU+1", "=TCO_MFU+1"),
    ],
)
def test_only_calls_are_renamed(formula: str, renamed: str | None) -> None:
    if renamed is None:
        renamed = "=IF(A1,XLTCO.FUNCTIONS.TCOMFU(XLTCO.FUNCTIONS.TCOFLOPS(1,2)))"
    book = Workbook()
    book.worksheets[0]["A1"] = formula
    book.worksheets[0]["A2"] = "a text: TCO_MFU(A1)"
    sheet = openpyxl.load_workbook(io.BytesIO(programmatic_names(saved(book)))).worksheets[0]
    assert sheet["A1"].value == renamed
    assert sheet["A2"].value == "a text: TCO_MFU(A1)"


def test_renaming_changes_the_formulas_alone_and_can_be_undone() -> None:
    package = template_bytes()
    renamed = programmatic_names(package)
    assert plain_names(renamed) == package
    assert renamed == programmatic_names(package) == programmatic_names(renamed)
    before, after = read_entries(package), read_entries(renamed)
    assert before.keys() == after.keys()
    assert {n for n in before if before[n] != after[n]} <= {
        name for name in before if name.startswith("xl/worksheets/")
    }
    assert not re.search(rb"<f[^>]*>[^<]*TCO_", b"".join(after.values()))


# What the component does with the arguments.


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("TCO_FLOPS", (70e9, 1.4e12, None, None, None, None), ((6 * 70e9 * 1.4e12,),)),
        ("TCO_FLOPS", (((1.0,), (2.0,)), 10.0), ((60.0,), (120.0,))),
        ("TCO_FLOPS", (((1.0, 2.0),), 10.0), ((60.0, 120.0),)),
        ("TCO_FLOPS", (1.0, 10.0, 0.0), ((60.0,),)),
        ("TCO_SPEC", ("h100-sxm", "tdp_watts"), ((700.0,),)),
        ("TCO_BUBBLE", (8.0, 32.0, 0.0), block("TCO_BUBBLE", (8.0, 32.0))),
        ("TCO_POWER_COST", (1.0, 1000.0, 1.0, 1.0, 0.1, None), ((0.1,),)),
        ("TCO_POWER_COST", (1.0, 1000.0, 1.0, 1.0, 0.1, ((0.0,),)), ((0.0,),)),
        ("TCO_POWER_COST", (1.0, 1000.0, 1.0, 1.0, 0.1, (("",),)), ((0.1,),)),
        ("TCO_POWER_COST", (1.0, 1000.0, 1.0, 1.0, ((0.0,),)), ((0.0,),)),
        ("TCO_RENTAL_COST", (1.0, ((0.0,),), 2.0, 0.0), ((0.0,),)),
    ],
)
def test_arguments_as_calc_hands_them_over(
    name: str, cells: tuple[Any, ...], expected: tuple[tuple[Any, ...], ...]
) -> None:
    assert block(name, cells) == expected


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("TCO_FLOPS", (((1.0,), ("",)), 10.0), r"parameters \(row 2.*empty"),
        ("TCO_FLOPS", (None, 10.0), "parameters: nothing is given"),
        ("TCO_POWER_COST", (1.0, 1.0, 1.0, 1.0, (("",),)), "usd_per_kwh: nothing is given"),
        ("TCO_POWER_COST", (1.0, 1.0, 1.0, 1.0, 1.0, 0.0), "power_draw_share: .*0 or an empty"),
        (
            "TCO_POWER_COST",
            (1.0, 1.0, 1.0, 1.0, 0.0),
            r"usd_per_kwh: .*0 or an empty.*\{0\}.*A1:A1",
        ),
        ("TCO_WALLTIME", (0.0, 1.0, 1.0, 0.4), "flops: .*0 or an empty"),
        ("TCO_STORAGE_COST", (1e12, 1e9, 0.0), "storage_usd_per_tb: .*0 or an empty"),
        ("TCO_RENTAL_COST", (1.0, 1.0, 0.0), "usd_per_accelerator_hour: .*0 or an empty"),
        ("TCO_AMORTIZATION", (0.0, 1.0, 1.0), "capex_usd: .*0 or an empty"),
        ("TCO_FLOPS", (0.0, 10.0), "parameters: 0 is out of range"),
        ("TCO_SPEC", (0.0, "label"), "accelerator: nothing is given"),
    ],
)
def test_an_empty_cell_is_not_taken_for_zero(name: str, cells: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}: {said}"):
        block(name, cells)


def test_the_page_names_the_arguments_of_which_a_zero_is_refused() -> None:
    page = (ROOT / "docs" / "libreoffice.md").read_text(encoding="utf-8")
    _, _, below = page.partition("A 0 is asked about in:")
    listed = {
        (argument, name)
        for functions, arguments in re.findall(r"^\| (TCO_.*?) \| (.*) \|$", below, re.MULTILINE)
        for name in functions.split(", ")
        for argument in re.findall(r"\*(\w+)\*", arguments)
    }
    refused = set()
    for function in FUNCTIONS.values():
        for at, argument in enumerate(function.arguments):
            try:
                block(function.name, [None] * at + [0.0])
            except InputError as error:
                if "0 or an empty cell" in str(error):
                    refused.add((argument.name, function.name))
    assert listed == refused


# A real office.


def asked(formulas: list[str]) -> bytes:
    """A workbook of formulas from A1 down, and the cells that they refer to in columns D and F."""
    book = Workbook()
    sheet = book.worksheets[0]
    for row, formula in enumerate(formulas, start=1):
        sheet.cell(row, 1, formula)
    cells = (70e9, 1.4e12, None, "text", "=1/0", "=NA()", True, 0.0, None)
    for row, value in enumerate((*cells, "NVIDIA H100 SXM 80 GB", "h100-sxm"), start=1):
        sheet.cell(row, 4, value)
    table = [("field", "value"), ("parameters", 70e9), ("tokens", 1.4e12), (None, None)]
    table += [("accelerator", "h100-sxm"), ("accelerators", 1024), ("mfu", 0.4), ("pue", None)]
    table += [("procurement", "own"), ("staff_fte", 10)]
    for row, (field, value) in enumerate(table, start=1):
        sheet.cell(row, 6, field)
        sheet.cell(row, 7, value)
    return saved(book)


INPUTS = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10.0,
}


def written(cell: Any) -> str:
    """An argument as it stands in a formula; a 0 as an array, which no empty cell can be."""
    if isinstance(cell, list):
        return (
            "{"
            + ";".join(",".join(written(item).strip("{}") for item in row) for row in cell)
            + "}"
        )
    if isinstance(cell, str):
        return f'"{cell}"'
    return "{0}" if cell == 0.0 else "" if cell is None else repr(cell)


def written_all(arguments: Iterable[Any]) -> str:
    return ",".join(map(written, arguments))


def call(name: str, *arguments: Any) -> str:
    return f"={programmatic_name(name)}({written_all(arguments)})"


def own(formula: str) -> str:
    """A formula with TCO_ names, in the names that every release knows in a file."""
    return re.sub(r"TCO_[A-Z_]+", lambda match: programmatic_name(match[0]), formula)


def reason(formula: str) -> str:
    return own(f"=IFERROR({formula},TCO_REASON())")


ERROR = "#VALUE!"

# Formulas, and what must be in the cell.
CELLS: list[tuple[str, Any]] = [
    ("=TCO_FLOPS(D1,D2)", 6 * 70e9 * 1.4e12),
    ("=TCO_FLOPS(D1,D2,,,,)", 6 * 70e9 * 1.4e12),
    ("=TCO_FLOPS(D1,D2,D3,D3,D3,D3)", 6 * 70e9 * 1.4e12),
    ("=SUM(TCO_FLOPS(D1:D2,{1;2}))", 6 * (70e9 + 2 * 1.4e12)),
    ("=INDEX(TCO_FLOPS(D1:D2,{1,2}),2,2)", 12 * 1.4e12),
    ("=TCO_FLOPS(D1,D2)/6/D1-D2", 0),
    ('=TCO_SPEC("h100-sxm","tdp_watts")', 700),
    ('=TCO_SPEC("h100-sxm","label")&"!"', FUNCTIONS["TCO_SPEC"]("h100-sxm", "label") + "!"),
    ("=ISNUMBER(TCO_FLOPS(D1,D2))", True),
    ("=TCO_TOTAL(F1:G10)", FUNCTIONS["TCO_TOTAL"](INPUTS)),
    ('=TCO_TOTAL(F1:G10,,"power")', FUNCTIONS["TCO_TOTAL"](INPUTS, None, "power")),
    ('=TCO_TOTAL(F1:G10,D3,"power")', FUNCTIONS["TCO_TOTAL"](INPUTS, None, "power")),
    ("=SUM(TCO_BREAKDOWN(F1:G10))", FUNCTIONS["TCO_TOTAL"](INPUTS)),
    # What is wrong shows an error, of the sort that spreadsheets give for a wrong argument …
    ("=TCO_FLOPS(D4,D2)", ERROR),
    ("=TCO_FLOPS(-1,D2)", ERROR),
    ("=TCO_FLOPS(D3,D2)", ERROR),
    ("=TCO_FLOPS(,D2)", ERROR),
    ("=TCO_FLOPS(D2)", ERROR),
    ("=TCO_FLOPS(1,2,3,4,5,6,7)", ERROR),
    ("=TCO_FLOPS(D1:D3,D2)", ERROR),
    ("=TCO_FLOPS(D1:D2,{1;2;3})", ERROR),
    ('=TCO_SPEC("h100-smx","tdp_watts")', ERROR),
    ("=TCO_TOTAL(D3)", ERROR),
    ("=ERROR.TYPE(TCO_FLOPS(-1,D2))", 3),
    ("=ISNUMBER(TCO_FLOPS(-1,D2))", False),
    # … and that of a cell passes through; one within a range becomes #VALUE!.
    ("=TCO_FLOPS(D5,D2)", "#DIV/0!"),
    ("=TCO_FLOPS(D6,D2)", "#N/A"),
    ("=TCO_FLOPS(D1:D6,D2)", ERROR),
    # An empty cell within a range, or as one, is missing.
    ("=TCO_POWER_COST(1,1000,1,1,D3:D3)", ERROR),
    ("=TCO_POWER_COST(1,1000,1,1,0.1,D3:D3)", 0.1),
    ("=TCO_POWER_COST(1,1000,1,1,0.1,D8:D8)", 0),
    ("=TCO_POWER_COST(1,1000,1,1,0.1,{0})", 0),
    # Calc itself hands over a single one as 0: refused where that would change the result.
    ("=TCO_POWER_COST(1,1000,1,1,0.1,D3)", ERROR),
    ("=TCO_POWER_COST(1,1000,1,1,0.1)", 0.1),
    ("=TCO_HOT_SPARES(2048,6334,24,D3)", ERROR),
    ("=TCO_POWER_COST(1,1000,1,1,D3)", ERROR),
    ("=TCO_POWER_COST(1,1000,1,1,D8)", ERROR),
    ("=TCO_POWER_COST(1,1000,1,1,D8:D8)", 0),
    ("=TCO_WALLTIME(D3,1024,989.4,0.4)", ERROR),
    # What Calc does not tell apart: TRUE and 1.
    ("=TCO_FLOPS(D7,1)", 6),
    # A text is equal to the same text.
    ('=IF(TCO_BREAKEVEN(F1:G10,,"answer")="own","OWN","RENT")', "OWN"),
    ('=TCO_SPEC("h100-sxm","label")="NVIDIA H100 SXM 80 GB"', True),
    ('=EXACT(TCO_SPEC("h100-sxm","label"),"NVIDIA H100 SXM 80 GB")', True),
    ('=TCO_SPEC(D11,"label")=D10', True),
    ('=MATCH(TCO_SPEC("h100-sxm","label"),D9:D10,0)', 2),
    ('=MATCH(D10,TCO_SPEC({"a100-sxm-80gb","h100-sxm"},"label")&"",0)', 2),
    ('=SUMIF(D10,TCO_SPEC("h100-sxm","label"),D1)', 70e9),
    ('=TCO_RUN("llama-3.1-405b","accelerator")=D11', True),
    ('=TCO_REGION("us","label")="United States"', True),
    (f'=TCO_VERSION()="{FUNCTIONS["TCO_VERSION"]()}"', True),
    ('=INDEX(TCO_BREAKDOWN(F1:G10),6,1)="power"', True),
    # Functions that may give a text give numbers, and rows of both, like the others.
    ("=TCO_BREAKEVEN(F1:G10)+0", FUNCTIONS["TCO_BREAKEVEN"](INPUTS)),
    ('=SUM(TCO_SPEC({"h100-sxm","a100-sxm-80gb"},"tdp_watts"))', 1100),
    ('=INDEX(TCO_SPEC("h100-sxm",{"label","tdp_watts"}),1,2)', 700),
    ('=TCO_SPEC({"h100-sxm","b"},"label")', ERROR),
]
REASONS = [
    ("TCO_FLOPS(-1,D2)", "TCO_FLOPS: parameters: -1 is out of range"),
    ("TCO_FLOPS(D4,D2)", 'TCO_FLOPS: parameters: "text" is text'),
    ('TCO_SPEC("h100-smx","tdp_watts")', 'did you mean "h100-sxm"'),
    ("TCO_POWER_COST(1,1,1,1,D3:D3)", "TCO_POWER_COST: usd_per_kwh: nothing is given"),
    ("TCO_POWER_COST(1,1,1,1,1,D3)", "0 or an empty cell"),
    ("TCO_RENTAL_COST(1,1,D3)", "TCO_RENTAL_COST: usd_per_accelerator_hour: it is 0 or an empty"),
    ('TCO_SPEC(D3,"label")', "TCO_SPEC: accelerator: nothing is given"),
]
NOTHING_REFUSED = "xl-tco has refused nothing"
FORGOTTEN = [
    # Told once,
    "=IF(LEN(IFERROR(TCO_FLOPS(-1,D2),TCO_REASON()))>20,TCO_REASON())",
    # and not after a function that has not failed: by itself, or with a block.
    "=IFERROR(TCO_FLOPS(-1,D2),IF(TCO_FLOPS(1,D2)>0,TCO_REASON()))",
    '=IFERROR(TCO_FLOPS(-1,D2),IF(TCO_VERSION()<>"",TCO_REASON()))',
]


@functools.cache
def examples() -> dict[str, bytes]:
    """Workbooks that we make, in the names for every release."""
    rented = Scenario(**{**INPUTS, "procurement": "rent", "storage_usd_per_hour": 50.0})
    toml = (ROOT / "examples" / "llama-3.1-405b.toml").read_text(encoding="utf-8")
    made = {
        "example": workbook_bytes(Scenario.from_table(tomllib.loads(toml))),
        "rented": workbook_bytes(rented),
        "free": workbook_bytes(Scenario(**INPUTS, electricity_usd_per_kwh=0.0)),
        "template": template_bytes(),
    }
    return {name: programmatic_names(package) for name, package in made.items()}


def spoilt(package: bytes) -> bytes:
    """The same workbook, but with a wrong value beside each formula that calls a function."""
    ours = re.compile(rb"(<f[^>]*>[^<]*XLTCO[^<]*</f><v>)[^<]*")
    files = {name: ours.sub(rb"\g<1>12345", part) for name, part in read_entries(package).items()}
    assert any(b"XLTCO" in part and b"<v>12345</v>" in part for part in files.values())
    return write_entries(files)


def loaded(package: bytes) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(package), data_only=True)


def differences(seen: Workbook, expected: Workbook) -> list[str]:
    """Cells of which the office says otherwise."""
    assert seen.sheetnames == expected.sheetnames
    return [
        f"{sheet.title}!{cell.coordinate}: {seen[sheet.title][cell.coordinate].value!r}"
        f" and not {cell.value!r}"
        for sheet in expected
        for row in sheet.iter_rows()
        for cell in row
        if not close(seen[sheet.title][cell.coordinate].value, cell.value, absolute=1e-12)
    ]


@pytest.fixture(scope="module", params=OFFICES)
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Office:
    """An office in which the functions calculate: the installed one, and a newer one."""
    return working_office(tmp_path_factory.mktemp("office"), OFFICES[request.param])


@pytest.fixture(scope="module")
def seen(office: Office) -> dict[str, Workbook]:
    """All that the office is asked to calculate, at once: a start of it takes seconds."""
    packages = {
        "every": asked([call(name, *GOOD[name]) for name in FUNCTIONS]),
        "cells": asked([own(formula) for formula, _ in CELLS]),
        "reasons": asked([reason(formula) for formula, _ in REASONS]),
        "forgotten": asked([own(formula) for formula in FORGOTTEN]),
        "spilled": spilled(),
        "plain every": asked([f"={name}({written_all(GOOD[name])})" for name in FUNCTIONS]),
        "plain example": plain_names(spoilt(examples()["example"])),
        **{name: spoilt(package) for name, package in examples().items()},
    }
    return dict(zip(packages, office.recalculated(*packages.values()), strict=True))


def spilled() -> bytes:
    book = loaded(asked([]))
    sheet = book.worksheets[0]
    sheet["A1"] = ArrayFormula("A1:A2", own("=TCO_FLOPS(D1:D2,2)"))
    sheet["A4"] = ArrayFormula("A4:B15", own("=TCO_BREAKDOWN(F1:G10)"))
    # What the page says for names that are to be looked up.
    sheet["J1"] = ArrayFormula("J1:J12", own('=INDEX(TCO_BREAKDOWN(F1:G10),0,1)&""'))
    sheet["K1"] = ArrayFormula("K1:K12", own("=INDEX(TCO_BREAKDOWN(F1:G10),0,2)"))
    sheet["M1"] = '=MATCH("power",J1:J12,0)'
    sheet["M2"] = '=SUMIF(J1:J12,"power",K1:K12)'
    sheet["M3"] = '=VLOOKUP("power",J1:K12,2,FALSE)'
    sheet["M4"] = '=J6="power"'
    sheet["M5"] = '=A9&""="power"'
    sheet["N1"] = ArrayFormula("N1:N2", own('=TCO_SPEC({"h100-sxm";"a100-sxm-80gb"},"tdp_watts")'))
    sheet["O1"] = ArrayFormula("O1:O2", own('=TCO_SPEC({"h100-sxm";"a100-sxm-80gb"},"label")'))
    return saved(book)


def version(soffice: str | None) -> tuple[int, ...]:
    """Year and month of a release, or its older number."""
    assert soffice is not None
    run = subprocess.run([soffice, "--version"], capture_output=True, text=True, check=True)
    found = re.match(r"LibreOffice (\d+)\.(\d+)", run.stdout)
    assert found, run.stdout
    return tuple(map(int, found.groups()))


def test_the_newer_office_is_another_release() -> None:
    if "newer" not in OFFICES:
        pytest.skip("there is no newer LibreOffice (.ci/newer-libreoffice)")
    assert version(OFFICES["newer"]) > version(OFFICES["installed"])


def as_in_python(book: Workbook) -> list[str]:
    """Functions that give in the first column of a workbook what they give in Python."""
    found = []
    for row, name in enumerate(FUNCTIONS, start=1):
        expected = FUNCTIONS[name](*GOOD[name])
        while isinstance(expected, list):
            expected = expected[0]
        if close(book.worksheets[0].cell(row, 1).value, expected):
            found.append(name)
    return found


def test_every_function_gives_what_it_gives_in_python(seen: dict[str, Workbook]) -> None:
    assert as_in_python(seen["every"]) == [*FUNCTIONS]


def test_plain_names_in_a_file_as_the_page_says(office: Office, seen: dict[str, Workbook]) -> None:
    """The .xlsx of Excel, with nothing renamed."""
    release = version(office.soffice)
    if release >= (25, 2):
        assert as_in_python(seen["plain every"]) == [*FUNCTIONS]
        assert differences(seen["plain example"], loaded(examples()["example"])) == []
    elif release <= (7, 4):
        shown = {row[0] for row in seen["plain every"].worksheets[0].values}
        assert "#NAME?" in shown
        assert as_in_python(seen["plain every"]) == []
    else:
        pytest.skip("the page says nothing of this release")


@pytest.mark.parametrize("row", range(len(CELLS)), ids=[formula for formula, _ in CELLS])
def test_cells(seen: dict[str, Workbook], row: int) -> None:
    formula, expected = CELLS[row]
    value = seen["cells"].worksheets[0].cell(row + 1, 1).value
    assert close(value, expected, absolute=1e-12), f"{formula} is {value!r}"


@pytest.mark.parametrize("row", range(len(REASONS)), ids=[formula for formula, _ in REASONS])
def test_the_reason_of_an_error_can_be_shown(seen: dict[str, Workbook], row: int) -> None:
    assert REASONS[row][1] in seen["reasons"].worksheets[0].cell(row + 1, 1).value


@pytest.mark.parametrize("row", range(len(FORGOTTEN)), ids=FORGOTTEN)
def test_a_reason_is_not_told_of_another_function(seen: dict[str, Workbook], row: int) -> None:
    told = seen["forgotten"].worksheets[0].cell(row + 1, 1).value
    assert str(told).startswith(NOTHING_REFUSED)


def test_texts_that_fill_cells_can_be_looked_up(seen: dict[str, Workbook]) -> None:
    sheet = seen["spilled"].worksheets[0]
    power = FUNCTIONS["TCO_TOTAL"](INPUTS, None, "power")
    for address, expected in {"M1": 6, "M2": power, "M3": power, "M4": True, "M5": True}.items():
        assert close(sheet[address].value, expected), address
    assert [sheet["N1"].value, sheet["N2"].value] == [700, 400]
    assert [sheet["O1"].value, sheet["O2"].value] == [
        FUNCTIONS["TCO_SPEC"](key, "label") for key in ("h100-sxm", "a100-sxm-80gb")
    ]


def test_arrays_fill_their_cells(seen: dict[str, Workbook]) -> None:
    sheet = seen["spilled"].worksheets[0]
    assert [sheet["A1"].value, sheet["A2"].value] == [12 * 70e9, 12 * 1.4e12]
    rows = [[cell.value for cell in row] for row in sheet["A4:B15"]]
    expected = FUNCTIONS["TCO_BREAKDOWN"](INPUTS)
    assert len(rows) == len(expected)
    for (name, usd), (expected_name, expected_usd) in zip(rows, expected, strict=True):
        assert name == expected_name
        assert close(usd, expected_usd)


@pytest.mark.parametrize("name", ["example", "rented", "free", "template"])
def test_our_workbooks_recalculate_to_the_values_that_they_carry(
    seen: dict[str, Workbook], name: str
) -> None:
    """What they came with was wrong, so every value is the office's own."""
    assert differences(seen[name], loaded(examples()[name])) == []


def texts(book: Workbook) -> set[str]:
    return {str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row}


def test_a_cell_says_what_to_install_and_the_checks_turn(office: Office, tmp_path: Path) -> None:
    bare = Office(tmp_path, packages=False, soffice=office.soffice)
    package = examples()["template"]
    shown, book = bare.recalculated(asked([call("TCO_FLOPS", 1.0, 2.0)]), package)
    said = shown.worksheets[0]["A1"].value
    if close(said, 12.0):
        pytest.skip("LibreOffice's own Python has NumPy and pydantic")
    assert re.match("xl-tco needs (numpy|pydantic) .* or newer in LibreOffice's Python", said)
    assert said.endswith("numpy pydantic")
    assert said in texts(book)
    assert ALL_HOLD in texts(loaded(package))
    assert ALL_HOLD not in texts(book)
    assert "Look at the sheet Checks" in texts(book)


def test_the_copy_that_the_extension_carries_calculates(office: Office, tmp_path: Path) -> None:
    other = Office(tmp_path)
    version = other.bundled / "xl-tco" / "pythonpath" / "xl_tco" / "_version.py"
    text = version.read_text(encoding="utf-8")
    version.write_text(re.sub('__version__ = ".*"', '__version__ = "9.8.7"', text))
    (book,) = other.recalculated(asked([call("TCO_VERSION")]))
    assert book.worksheets[0]["A1"].value == "9.8.7"


def of_the_home() -> dict[str, str]:
    """The environment, but for what says that settings are elsewhere than in the home."""
    return {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}


def nobody() -> dict[str, Any]:
    """A user to run a process as."""
    return {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}


def test_it_installs_as_a_user_does(office: Office) -> None:
    """With unopkg, which is what the Extension Manager calls, and which refuses root."""
    unopkg = Path(office.soffice).resolve().with_name("unopkg")
    if not unopkg.exists():
        unusable("unopkg is not installed", installable=True)
    # Below /tmp itself: pytest's directories are closed to the user who takes the place of root.
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        home.chmod(0o777)
        (home / "xl-tco.oxt").write_bytes(extension_bytes())
        (home / "asked.xlsx").write_bytes(spoilt(asked([own("=TCO_FLOPS(D1,D2)")])))
        run = functools.partial(
            subprocess.run,
            capture_output=True,
            text=True,
            timeout=120,
            env=of_the_home() | {"HOME": made, "LC_ALL": "C.UTF-8", "SAL_USE_VCLPLUGIN": "svp"},
            cwd=made,
            **(nobody() if os.geteuid() == 0 else {}),
        )
        added = run([unopkg, "add", str(home / "xl-tco.oxt")])
        assert added.returncode == 0, added.stderr
        listed = run([unopkg, "list"]).stdout
        assert "Identifier: xltco.functions" in listed
        assert "is registered: no" not in listed
        convert = [office.soffice, "--headless", "--convert-to", "csv", "--outdir", made]
        run([*convert, str(home / "asked.xlsx")])
        stale = (home / "asked.csv").read_text(encoding="utf-8").partition(",")[0]
        # As the page says for a machine without a screen.
        page = (ROOT / "docs" / "libreoffice.md").read_text(encoding="utf-8")
        [always] = re.findall(r"sed -i 's#</oor:items>.*", page)
        assert run(["sh", "-c", always]).returncode == 0
        run([*convert, str(home / "asked.xlsx")])
        shown = (home / "asked.csv").read_text(encoding="utf-8").partition(",")[0]
    assert stale == "12345"
    assert "xl-tco needs" in shown or float(shown) == 6 * 70e9 * 1.4e12


TYPING = """
import json, os, sys, time
import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

pipe, file, formulas = sys.argv[1:]
here = uno.getComponentContext()
resolver = here.ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
until = time.monotonic() + 60
while True:
    try:
        there = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        break
    except NoConnectException:
        if time.monotonic() > until:
            raise
        time.sleep(0.1)
create = lambda name: there.ServiceManager.createInstanceWithContext(name, there)
desktop = create("com.sun.star.frame.Desktop")
try:
    known = create("com.sun.star.sheet.FunctionDescriptions")
    flops = {entry.Name: entry.Value for entry in known.getByName("TCO_FLOPS")}
    hidden = PropertyValue(Name="Hidden", Value=True)
    book = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, (hidden,))
    cell = book.Sheets.getByIndex(0).getCellByPosition(0, 0)
    cell.FormulaLocal = "=TCO_FLOPS(7;10)"
    typed, stands = cell.Value, cell.FormulaLocal
    scratch = book.Sheets.getByIndex(0).getCellRangeByName("J1:M9")
    at = scratch.getCellByPosition
    at(0, 0).Formula = "=1/0"
    errors = {}
    for formula in json.loads(formulas):
        at(1, 0).Formula = formula
        errors[formula] = at(1, 0).String
    at(1, 0).Formula = ""
    at(0, 0).String = "h100-sxm"
    at(0, 1).String = "a100-sxm-80gb"
    scratch.getCellRangeByName("K1:K2").setArrayFormula('=TCO_SPEC(J1:J2;"tdp_watts")')
    at(2, 0).Formula = "=SUM(K1:K2)"
    edited = [at(2, 0).Value]
    for key in ("h200-sxm", "none", "a100-sxm-80gb"):
        at(0, 1).String = key
        edited.append(at(2, 0).String)
    scratch.getCellRangeByName("K1:K2").setArrayFormula("")
    scratch.clearContents(1023)
    book.storeToURL(file, ())
    book.close(True)
    book = desktop.loadComponentFromURL(file, "_blank", 0, (hidden,))
    book.calculateAll()
    cell = book.Sheets.getByIndex(0).getCellByPosition(0, 0)
    reopened = cell.Value, cell.FormulaLocal
    book.close(True)
    print(json.dumps({
        "known": [name for name in known.ElementNames if name.startswith("TCO_")],
        "help": flops["Description"],
        "arguments": [[entry.Name, entry.Description] for entry in flops["Arguments"]],
        "typed": [typed, stands],
        "reopened": reopened,
        "errors": errors,
        "edited": edited,
    }))
finally:
    desktop.terminate()
"""


# What a cell shows, which an .xlsx does not tell: it has no Err:504.
SHOWN = {
    "=TCO_FLOPS(-1;2)": ERROR,
    "=TCO_FLOPS(1)": ERROR,
    "=TCO_FLOPS(J1;2)": "#DIV/0!",
    "=TCO_FLOPS(J1:J2;2)": "Err:504",
    "=TCO_FLOPS(1;2;3;4;5;6;7)": "Err:504",
    "=TCO_FLOP(1;2)": "#NAME?",
}


def uno_python(environment: dict[str, str]) -> str:
    """A Python that can talk to the office."""
    for name in ("/usr/bin/python3", "python3"):
        found = shutil.which(name)
        if (
            found
            and not subprocess.run(
                [found, "-c", "import uno"], capture_output=True, env=environment
            ).returncode
        ):
            return found
    unusable("no Python has uno: apt-get install python3-uno", installable=True)
    raise AssertionError


def test_typed_into_a_cell_and_saved_as_ods(office: Office, tmp_path: Path) -> None:
    """Plain names work where they are typed, in every release; the wizard shows our help."""
    # Its own bridge, if it lies beside it: that of another release does not know all of its types.
    bridge = os.environ | {"PYTHONPATH": str(Path(office.soffice).resolve().parent)}
    python = uno_python(bridge)
    pipe = f"xl-tco-{os.getpid()}"
    command = [
        office.soffice,
        # Not a new profile, in which newer releases start twice and drop the first connection.
        f"-env:UserInstallation={office.profile.as_uri()}",
        "--headless",
        "--norestore",
        "--nolockcheck",
        f"--accept=pipe,name={pipe};urp;",
    ]
    with (
        office.environment(),
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process,
    ):
        try:
            file = (tmp_path / "typed.ods").as_uri()
            asked = [python, "-c", TYPING, pipe, file, json.dumps([*SHOWN])]
            run = subprocess.run(asked, capture_output=True, text=True, timeout=120, env=bridge)
            assert run.stdout, run.stderr
            process.wait(30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    told = json.loads(run.stdout)
    assert set(told["known"]) == {*FUNCTIONS, REASON}
    function = FUNCTIONS["TCO_FLOPS"]
    assert told["help"] == f"{function.help} ({function.unit})"
    assert [name for name, _ in told["arguments"]] == [a.name for a in function.arguments]
    assert function.arguments[2].help in told["arguments"][2][1]
    assert told["errors"] == SHOWN
    assert told["edited"] == [1100, "1400", ERROR, "1100"]
    assert told["typed"] == told["reopened"] == [420, "=TCO_FLOPS(7,10)"]
    with zipfile.ZipFile(tmp_path / "typed.ods") as archive:
        assert programmatic_name("TCO_FLOPS").encode() in archive.read("content.xml")

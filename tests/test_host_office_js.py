"""Office.js hosts: the stored names of functions in workbooks, and what xlwings Server loads.

xlwings Server needs a licence key, even to import. So its decorators are stand-ins here; what runs
with the real ones runs only where someone has set XLWINGS_LICENSE_KEY for a licence of their own.
"""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from lxml import etree
from openpyxl.formatting.rule import FormulaRule
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.office_js import _FORMULA, _calls, office_js_names, plain_names
from xl_tco.workbook import recalculated
from xl_tco.workbook.package.archive import PackageError, read_entries, write_entries

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "templates" / "training_tco.xlsx"

FORMULAS = {
    # typed: stored by an Office.js host
    "=TCO_FLOPS(1E9,1E12)": "=_xldudf_TCO_FLOPS(1E9,1E12)",
    "=1+TCO_FLOPS (1E9,TCO_LOSS(1,2))": "=1+_xldudf_TCO_FLOPS (1E9,_xldudf_TCO_LOSS(1,2))",
    '="TCO_FLOPS("&TCO_VERSION()&"a ""TCO_MFU(b)"" "': (
        '="TCO_FLOPS("&_xldudf_TCO_VERSION()&"a ""TCO_MFU(b)"" "'
    ),
    "='TCO_FLOPS(x)'!A1+tco_flops(1,2)": "='TCO_FLOPS(x)'!A1+_xldudf_tco_flops(1,2)",
    "='it''s TCO_MFU(x)'!A1": "='it''s TCO_MFU(x)'!A1",
    "=SUM(Costs[TCO_TOTAL (USD)])": "=SUM(Costs[TCO_TOTAL (USD)])",
    "=TCO_FLOPS+1": "=TCO_FLOPS+1",
    "=MY_TCO_FLOPS(1)+TCO_FLOPSY(1)+A.TCO_FLOPS(1)": (
        "=MY_TCO_FLOPS(1)+TCO_FLOPSY(1)+A.TCO_FLOPS(1)"
    ),
    "=book.xlam!TCO_FLOPS(1,2)": "=book.xlam!TCO_FLOPS(1,2)",
    "=TCO_OPTIMAL_PARAMETERS(1E24)-TCO_PARAMETERS(1,2,3,4,5)": (
        "=_xldudf_TCO_OPTIMAL_PARAMETERS(1E24)-_xldudf_TCO_PARAMETERS(1,2,3,4,5)"
    ),
    "=IF(A1<2,TCO_MTBF(1,2)&\"'\",'a&b'!A1)": "=IF(A1<2,_xldudf_TCO_MTBF(1,2)&\"'\",'a&b'!A1)",
}


def book_bytes(book: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return write_entries(read_entries(buffer.getvalue()))


@pytest.fixture(scope="module")
def package() -> bytes:
    """A workbook that has formulas wherever a workbook has any."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row, formula in enumerate(FORMULAS, start=1):
        sheet.cell(row, 1, formula)
        sheet.cell(row, 2, f"text of TCO_FLOPS(1,2) {row}")
    book.defined_names["Flops"] = DefinedName("Flops", attr_text="TCO_FLOPS(1E9,1E12)")
    sheet.conditional_formatting.add("A1:A9", FormulaRule(formula=["TCO_FLOPS(1E9,2)>A1"]))
    rule = DataValidation("custom", formula1="TCO_MFU(A1,1,1,1)<1", showErrorMessage=True)
    rule.add("C1")
    sheet.add_data_validation(rule)
    return book_bytes(book)


def formulas(package: bytes) -> list[str]:
    sheet = openpyxl.load_workbook(io.BytesIO(package)).active
    return [sheet.cell(row, 1).value for row in range(1, len(FORMULAS) + 1)]


def test_calls_are_renamed_and_nothing_that_looks_like_one(package: bytes) -> None:
    assert formulas(package) == list(FORMULAS)
    assert formulas(office_js_names(package)) == list(FORMULAS.values())


def test_names_rules_and_validation_are_renamed_and_texts_are_not(package: bytes) -> None:
    book = openpyxl.load_workbook(io.BytesIO(office_js_names(package)))
    sheet = book.active
    assert book.defined_names["Flops"].attr_text == "_xldudf_TCO_FLOPS(1E9,1E12)"
    (formatted,) = sheet.conditional_formatting
    assert formatted.rules[0].formula == ["_xldudf_TCO_FLOPS(1E9,2)>A1"]
    assert sheet.data_validations.dataValidation[0].formula1 == "_xldudf_TCO_MFU(A1,1,1,1)<1"
    assert sheet["B1"].value == "text of TCO_FLOPS(1,2) 1"


@pytest.mark.parametrize("namespace", ["", "XLWINGS", "XLWINGS.DEV"])
def test_stripping_gives_the_original_to_the_byte(package: bytes, namespace: str) -> None:
    template = write_entries(read_entries(TEMPLATE.read_bytes()))
    for original in (package, template):
        renamed = office_js_names(original, namespace)
        assert renamed != original
        assert plain_names(renamed, namespace) == original


def test_a_namespace_stands_in_the_name(package: bytes) -> None:
    assert formulas(office_js_names(package, "XLWINGS"))[0] == (
        "=_xldudf_XLWINGS_TCO_FLOPS(1E9,1E12)"
    )


def test_it_is_deterministic_and_twice_is_once(package: bytes) -> None:
    once = office_js_names(package)
    assert office_js_names(package) == once
    assert office_js_names(once) == once


def test_the_template_keeps_its_values_and_every_other_part() -> None:
    before, after = (
        read_entries(package)
        for package in (TEMPLATE.read_bytes(), office_js_names(TEMPLATE.read_bytes()))
    )
    assert list(before) == list(after)
    changed = {name for name in before if before[name] != after[name]}
    assert changed
    assert all(name.startswith(("xl/worksheets/", "xl/workbook.xml")) for name in changed)
    for name in changed:
        old, new = (etree.fromstring(entries[name]) for entries in (before, after))
        pairs = list(zip(old.iter(), new.iter(), strict=True))
        for a, b in pairs:
            assert (a.tag, dict(a.attrib)) == (b.tag, dict(b.attrib))
            assert (b.text or "").replace("_xldudf_", "") == (a.text or "")
    joined = b"".join(after[name] for name in changed)
    assert not any(f">{name}(".encode() in joined for name in FUNCTIONS)


def test_it_is_calculated_without_excel_as_before() -> None:
    def values(package: bytes) -> dict[tuple[str, str], Any]:
        book = openpyxl.load_workbook(io.BytesIO(recalculated(package)[0]), data_only=True)
        return {
            (sheet.title, cell.coordinate): cell.value
            for sheet in book
            for row in sheet.iter_rows()
            for cell in row
        }

    template = TEMPLATE.read_bytes()
    assert values(office_js_names(template)) == values(template)


def test_calls_in_sheet_xml_are_found_however_it_is_written() -> None:
    xml = (
        '<x:f t="shared" ref="A1:A2" si="0">&quot;TCO_MFU(&quot;&amp;TCO_MFU(1)</x:f >'
        '<f t="shared" si="0"/><t>TCO_MFU(1)</t><f>TCO_MFU(2)</f>'
        "<f xml:space='preserve' a='>'> &apos;TCO_MFU(1)&apos;!A1+TCO_MFU(3)</f>"
        "<xm:f>TCO_MFU(4)</xm:f><formula1>TCO_MFU(5)</formula1><fo>TCO_MFU(6)</fo>"
    )
    calls = _calls("")
    found = [
        call.end()
        for element in _FORMULA.finditer(xml)
        for call in calls.finditer(element[3])
        if call["call"]
    ]
    assert len(found) == 5


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 broken"])
def test_what_is_no_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(PackageError):
        office_js_names(content)


def test_a_part_in_another_encoding_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>".encode("utf-16"))
    with pytest.raises(PackageError, match=r"xl/workbook\.xml is not UTF-8"):
        office_js_names(buffer.getvalue())


STAND_IN = """
import json, sys
from types import ModuleType

server = ModuleType("xlwings.server")


def arg(name, **options):
    def inner(f):
        f.__dict__.setdefault("given", {})[name] = options
        return f
    return inner


def func(**options):
    def inner(f):
        f.__xlfunc__ = {"name": f.__name__, "args": f.__dict__.get("given", {}), **options}
        return f
    return inner


server.arg, server.func, server.ret, server.script = arg, func, None, None
sys.modules["xlwings.server"] = server
import custom_functions

offered = {
    name: [member.__xlfunc__["name"], list(member.__xlfunc__["args"])]
    for name, member in vars(custom_functions).items()
    if hasattr(member, "__xlfunc__")
}
print(json.dumps([offered, custom_functions.TCO_FLOPS([[1e9]], [[1e12, 2e12]])]))
"""

REAL = """
import asyncio, json
import xlwings.server
import custom_functions

meta = xlwings.server.custom_functions_meta(custom_functions)
data = {
    "func_name": "TCO_FLOPS",
    "args": [[[1e9]], [[1e12, 2e12]], None, None, None, None],
    "version": xlwings.__version__,
    "client": "Office.js",
    "runtime": "1.4",
}
answer = asyncio.run(xlwings.server.custom_functions_call(data, custom_functions))
print(json.dumps([[function["name"] for function in meta["functions"]], answer]))
"""


def on_the_server(code: str) -> Any:
    """What code prints where xlwings is told that it is on the server."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), "XLWINGS_ON_SERVER": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_module_for_the_server_offers_every_function_to_its_decorators() -> None:
    offered, answer = on_the_server(STAND_IN)
    assert offered == {
        name: [name, [argument.name for argument in function.arguments]]
        for name, function in FUNCTIONS.items()
    }
    assert answer == [[6e21, 12e21]]


@pytest.mark.skipif("XLWINGS_LICENSE_KEY" not in os.environ, reason="needs a licence of your own")
def test_the_server_itself_offers_and_calls_them() -> None:
    names, answer = on_the_server(REAL)
    assert sorted(names) == sorted(FUNCTIONS)
    assert answer == [[6e21, 12e21]]


def test_no_licence_key_is_in_the_project() -> None:
    for path in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("udfs/*.py"), *ROOT.glob(".ci/*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert "LICENSE_KEY=" not in line.replace(" ", ""), path

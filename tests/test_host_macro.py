"""The macro-enabled workbook: what is added, and that nothing else is changed.

What is known of Excel comes from xlwings' own files: its quickstart.xlsm, which Excel wrote, and
the VBA of its add-in, which reads the settings. Whether Excel opens ours only Excel can say.
"""

import importlib.util
import re
import zipfile
from importlib.machinery import ModuleSpec
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl import Workbook

from libreoffice import LibreOffice, close
from xl_tco.errors import WorkbookError
from xl_tco.hosts.macro import CONFIGURATION, macro_workbook
from xl_tco.hosts.vba import UDF_MODULE
from xl_tco.workbook import check_workbook, recalculated, template_bytes

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CHANGED = {
    "[Content_Types].xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/worksheets/sheet1.xml",
}
PROJECT = "xl/vbaProject.bin"
SHEET = "xl/worksheets/xlwings-conf.xml"


def _xlwings() -> Path:
    spec = importlib.util.find_spec("xlwings")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _entries(package: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(package)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def _saved(workbook: Workbook) -> bytes:
    buffer = BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def plain() -> bytes:
    return template_bytes()


@pytest.fixture(scope="module")
def macro(plain: bytes) -> bytes:
    return macro_workbook(plain)


@pytest.fixture(scope="module")
def entries(macro: bytes) -> dict[str, bytes]:
    return _entries(macro)


@pytest.fixture(scope="module")
def quickstart() -> dict[str, bytes]:
    return _entries((_xlwings() / "quickstart.xlsm").read_bytes())


def _settings(sheet: Any) -> dict[str, Any]:
    """Read a sheet as the VBA of xlwings does: from A1 down to the first empty cell."""
    read = {}
    for key, value, *_ in sheet.iter_rows(values_only=True):
        if key is None:
            break
        assert str(key).upper() not in read  # the VBA fails on a key that is there twice
        read[str(key).upper()] = value
    return read


def test_all_other_parts_are_the_same_bytes(plain: bytes, entries: dict[str, bytes]) -> None:
    before = _entries(plain)
    assert set(entries) - set(before) == {PROJECT, SHEET}
    assert {name for name in before if before[name] != entries[name]} == CHANGED


def test_a_changed_sheet_has_got_a_code_name_and_nothing_else(
    plain: bytes, entries: dict[str, bytes]
) -> None:
    name = "xl/worksheets/sheet1.xml"
    before, after = (ElementTree.fromstring(part[name]) for part in (_entries(plain), entries))
    assert after.find(f"{MAIN}sheetPr").attrib.pop("codeName") == "Sheet1"  # type: ignore[union-attr]
    assert ElementTree.tostring(before) == ElementTree.tostring(after)


def test_the_types_are_those_of_a_file_that_excel_wrote(
    entries: dict[str, bytes], quickstart: dict[str, bytes]
) -> None:
    def type_of(part: str, package: dict[str, bytes]) -> str | None:
        types = {
            element.get("PartName", "." + element.get("Extension", "")): element.get("ContentType")
            for element in ElementTree.fromstring(package["[Content_Types].xml"])
        }
        return types.get(f"/{part}") or types.get("." + part.rpartition(".")[2])

    for part in ("xl/workbook.xml", PROJECT):
        assert type_of(part, entries) == type_of(part, quickstart)
    assert type_of(SHEET, entries) == type_of("xl/worksheets/sheet1.xml", quickstart)


def test_the_relations_lead_to_parts_that_are_there(
    entries: dict[str, bytes], quickstart: dict[str, bytes]
) -> None:
    def relations(package: dict[str, bytes]) -> list[dict[str, str]]:
        part = ElementTree.fromstring(package["xl/_rels/workbook.xml.rels"])
        return [element.attrib for element in part]

    ours = relations(entries)
    assert len({relation["Id"] for relation in ours}) == len(ours)
    for relation in ours:
        target = relation["Target"]
        assert (target.lstrip("/") if target.startswith("/") else f"xl/{target}") in entries
    kind = {"vbaProject.bin": {r["Type"] for r in ours if r["Target"] == "vbaProject.bin"}}
    theirs = {r["Type"] for r in relations(quickstart) if r["Target"] == "vbaProject.bin"}
    assert kind["vbaProject.bin"] == theirs != set()
    sheets = ElementTree.fromstring(entries["xl/workbook.xml"]).find(f"{MAIN}sheets")
    assert sheets is not None
    for sheet in sheets:
        (id_,) = (value for key, value in sheet.attrib.items() if key.endswith("}id"))
        assert id_ in {relation["Id"] for relation in ours}
    assert len({sheet.get("sheetId") for sheet in sheets}) == len(sheets)


def test_the_project_is_xlwings_own(
    entries: dict[str, bytes], quickstart: dict[str, bytes]
) -> None:
    assert entries[PROJECT] == quickstart[PROJECT]
    assert b"RunPython" in entries[PROJECT]


def test_each_module_of_the_project_belongs_to_one_object(entries: dict[str, bytes]) -> None:
    modules = re.findall(rb"Document=(\w+)/", entries[PROJECT])
    parts = [name for name in entries if name.startswith(("xl/worksheets/s", "xl/worksheets/x"))]
    roots = [ElementTree.fromstring(entries[name]) for name in ("xl/workbook.xml", *parts)]
    named = [
        element.get("codeName")
        for root in roots
        for element in root
        if element.tag in (f"{MAIN}workbookPr", f"{MAIN}sheetPr")
    ]
    assert sorted(filter(None, named)) == sorted(module.decode() for module in modules)


def test_xlwings_finds_its_settings(macro: bytes) -> None:
    workbook = openpyxl.load_workbook(BytesIO(macro), keep_vba=True)
    assert workbook.sheetnames[-1] == CONFIGURATION
    assert workbook[CONFIGURATION].sheet_state == "visible"
    read = _settings(workbook[CONFIGURATION])
    assert read["UDF MODULES"] == UDF_MODULE
    assert read["DEBUG UDFS"] is False
    # An empty setting would go before that of the add-in, which knows where Python is.
    assert None not in read.values()
    assert "INTERPRETER_WIN" not in read
    code = "".join(path.read_text() for path in (_xlwings() / "addin").glob("*.bas"))
    assert all(f'GetConfig("{key}"' in code for key in read)


def test_a_user_can_add_a_setting(macro: bytes) -> None:
    sheet = openpyxl.load_workbook(BytesIO(macro))[CONFIGURATION]
    settings = len(_settings(sheet))
    row = settings + 1
    assert not any(sheet.cell(row, column).protection.locked for column in (1, 2))
    assert sheet.cell(1, 2).protection.locked
    sheet.cell(row, 1).value, sheet.cell(row, 2).value = "Interpreter_Win", r"C:\venv\python.exe"
    assert _settings(sheet)["INTERPRETER_WIN"] == r"C:\venv\python.exe"
    # All that is to be read by people alone stands where xlwings does not look.
    for column in (1, 2):
        below = [sheet.cell(row, column).value for row in range(settings + 3, sheet.max_row + 1)]
        assert not any(below)


def test_values_formulas_and_spills_are_kept(plain: bytes, macro: bytes) -> None:
    for data_only in (False, True):
        before = openpyxl.load_workbook(BytesIO(plain), data_only=data_only)
        after = openpyxl.load_workbook(BytesIO(macro), data_only=data_only, keep_vba=True)
        assert after.sheetnames == [*before.sheetnames, CONFIGURATION]
        assert set(before.defined_names) == set(after.defined_names)
        assert after["Calc"].protection.sheet
    assert b' cm="1"' in _entries(macro)["xl/worksheets/sheet4.xml"]


def test_only_the_added_sheet_breaks_a_rule(macro: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.xlsm"
    path.write_bytes(macro)
    assert all(CONFIGURATION in str(finding) for finding in check_workbook(path))


def test_it_can_be_recalculated(macro: bytes) -> None:
    again, recalculation = recalculated(macro)
    assert not recalculation.errors
    before, after = _entries(macro), _entries(again)
    assert set(before) == set(after)
    assert all(before[name] == after[name] for name in (PROJECT, SHEET, "[Content_Types].xml"))


def test_openpyxl_keeps_the_project_and_the_code_names(macro: bytes) -> None:
    saved = _entries(_saved(openpyxl.load_workbook(BytesIO(macro), keep_vba=True)))
    assert saved[PROJECT] == _entries(macro)[PROJECT]
    assert b"sheet.macroEnabled.main+xml" in saved["[Content_Types].xml"]
    assert b'codeName="ThisWorkbook"' in saved["xl/workbook.xml"]
    assert b'codeName="Sheet1"' in saved["xl/worksheets/sheet1.xml"]


def test_libreoffice_opens_it(
    macro: bytes, plain: bytes, libreoffice: LibreOffice, tmp_path: Path
) -> None:
    path = tmp_path / "model.xlsm"
    path.write_bytes(macro)
    (book,) = libreoffice.recalculated([path])
    assert _settings(book[CONFIGURATION])["UDF MODULES"] == UDF_MODULE
    carried = openpyxl.load_workbook(BytesIO(plain), data_only=True)
    for row in carried["Inputs"].iter_rows(min_col=3, max_col=4):
        for cell in row:
            assert close(cell.value, book["Inputs"][cell.coordinate].value), cell.coordinate


def test_the_same_workbook_gives_the_same_bytes(plain: bytes, macro: bytes) -> None:
    assert macro_workbook(plain) == macro


def test_any_workbook_can_get_it() -> None:
    workbook = Workbook()
    workbook.active["A1"] = "=TCO_VERSION()"  # type: ignore[index]
    workbook.create_sheet("Second")
    made = openpyxl.load_workbook(BytesIO(macro_workbook(_saved(workbook))), keep_vba=True)
    assert made.sheetnames == ["Sheet", "Second", CONFIGURATION]
    assert made["Sheet"]["A1"].value == "=TCO_VERSION()"
    assert _settings(made[CONFIGURATION])["UDF MODULES"] == UDF_MODULE


def test_what_has_macros_or_settings_is_refused(macro: bytes) -> None:
    with pytest.raises(WorkbookError, match="has macros already"):
        macro_workbook(macro)
    workbook = Workbook()
    workbook.create_sheet(CONFIGURATION)
    with pytest.raises(WorkbookError, match=r"has a sheet xlwings\.conf already"):
        macro_workbook(_saved(workbook))
    with pytest.raises(WorkbookError, match=r"not an \.xlsx workbook"):
        macro_workbook(b"nothing")


@pytest.mark.parametrize(
    ("broken", "message"), [(False, "is missing"), (True, "of a form not known")]
)
def test_another_xlwings_is_said_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plain: bytes, broken: bool, message: str
) -> None:
    spec = ModuleSpec("xlwings", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    if broken:
        (tmp_path / "quickstart.xlsm").write_bytes(plain)
    monkeypatch.setattr("xl_tco.hosts.macro.find_spec", lambda _: spec)
    with pytest.raises(WorkbookError, match=message):
        macro_workbook(plain)

"""A workbook made macro-enabled (.xlsm) for xlwings on Windows, without Excel.

The VBA project is the one that xlwings itself gives to new workbooks (``quickstart.xlsm`` of the
installed package): it refers to the xlwings add-in. A sheet ``xlwings.conf`` says which functions
are to be imported; see https://docs.xlwings.org/en/stable/addin.html. The package is edited, not
written anew, so values, spilled arrays, names, charts and protection stay as they are.

What ties a VBA project to a workbook is the ``codeName`` of the workbook and of sheets: the names
of the project's own modules. Where a module has no sheet of its ``codeName``, Excel leaves it over
as a class and adds a module "ThisWorkbook1" or the like; a sheet without one gets a new module.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from lxml import etree

from xl_tco.errors import WorkbookError
from xl_tco.hosts.vba import UDF_MODULE
from xl_tco.workbook.package.archive import CONTENT_TYPES, read_entries
from xl_tco.workbook.package.cells import MAIN
from xl_tco.workbook.package.parts import Parts

__all__ = ["CONFIGURATION", "macro_workbook"]

CONFIGURATION = "xlwings.conf"
"""Name of the sheet that xlwings reads its settings from."""

_INACTIVE = f"_{CONFIGURATION}"  # as xlwings' own workbook names it
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORKSHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_PLAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_MACRO_ENABLED = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
_PROJECT_TYPE = "application/vnd.ms-office.vbaProject"
_PROJECT_RELATION = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"


class _Setting(NamedTuple):
    """A line of the sheet: what xlwings reads of it, and what it is for."""

    key: str
    value: str | bool | None
    note: str


_SETTINGS = (
    _Setting("UDF Modules", UDF_MODULE, "The Python module whose functions are imported."),
    _Setting("Debug UDFs", False, "TRUE only for developers: Python is then started by hand."),
    _Setting("Show Console", False, "TRUE shows what Python says: to find out what is wrong."),
    _Setting(
        "ADD_WORKBOOK_TO_PYTHONPATH",
        False,
        "FALSE: Python files that lie beside this workbook are not run.",
    ),
    _Setting(
        "",
        None,
        "Free. For another Python: Interpreter_Win, and the path of its python.exe.",
    ),
    _Setting("", None, "Free, for one more setting of xlwings, such as PYTHONPATH."),
)
# xlwings reads from A1 down to the first empty cell, so no title stands above the settings.
_ADVICE = (
    "These settings go before those of the xlwings add-in. A setting that is not here is the "
    "add-in's.",
    "After a change: tab xlwings, Restart UDF Server, then Import Functions.",
)
_LAST = len(_SETTINGS) + 1 + len(_ADVICE)  # an empty row stands between them


class _Project(NamedTuple):
    """A VBA project and the code names it expects."""

    content: bytes
    workbook: str
    configuration: str
    sheets: tuple[str, ...]


def macro_workbook(package: bytes) -> bytes:
    """Return the workbook as a macro-enabled one that knows where its functions are.

    Parameters
    ----------
    package
        Content of an .xlsx file.

    Raises
    ------
    WorkbookError
        If it has macros or a sheet xlwings.conf already, is no .xlsx workbook, or the installed
        xlwings lacks the workbook that the VBA project is taken from.
    """
    parts = Parts(package)
    workbook = parts.related("", "officeDocument") or ""
    if workbook not in parts.of_type(_PLAIN):
        raise WorkbookError("it is no .xlsx workbook, or has macros already")
    if CONFIGURATION in _names(parts, workbook):
        raise WorkbookError(f"it has a sheet {CONFIGURATION} already")
    project = _project()
    _set_type(parts, workbook)
    part = posixpath.join(posixpath.dirname(workbook), "vbaProject.bin")
    parts.add(part, project.content, _PROJECT_TYPE, workbook, _PROJECT_RELATION)
    _name_code(parts, workbook, project)
    _add_configuration(parts, workbook, project.configuration)
    return parts.to_bytes(level=6)


def _project() -> _Project:
    """Take the VBA project out of xlwings' own workbook, which need not be imported for it."""
    spec = find_spec("xlwings")
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders or ("",))), "quickstart.xlsm")
    if not path.is_file():
        raise WorkbookError("xlwings is not installed whole: its quickstart.xlsm is missing")
    data = path.read_bytes()
    parts = Parts(data)
    workbook = parts.related("", "officeDocument") or ""
    project = parts.related(workbook, "vbaProject")
    code = _code_names(parts, workbook)
    own = parts.root(workbook).find(f"{{{MAIN}}}workbookPr").get("codeName", "")
    if project is None or not own or _INACTIVE not in code:
        raise WorkbookError("the quickstart.xlsm of this xlwings is of a form not known here")
    configuration = code.pop(_INACTIVE)
    return _Project(read_entries(data)[project], own, configuration, tuple(code.values()))


def _sheets(parts: Parts, workbook: str) -> Iterator[tuple[str, str]]:
    """Yield name and part of each sheet."""
    targets = {id_: part for id_, _, part in parts.relations(workbook)}
    for sheet in parts.root(workbook).iter(f"{{{MAIN}}}sheet"):
        yield sheet.get("name"), targets[sheet.get(f"{{{_OFFICE}}}id")]


def _names(parts: Parts, workbook: str) -> list[str]:
    return [name for name, _ in _sheets(parts, workbook)]


def _code_names(parts: Parts, workbook: str) -> dict[str, str]:
    """Return the code name of each sheet that has one."""
    found = {}
    for name, part in _sheets(parts, workbook):
        properties = parts.root(part).find(f"{{{MAIN}}}sheetPr")
        if properties is not None and properties.get("codeName"):
            found[name] = properties.get("codeName")
    return found


def _set_type(parts: Parts, workbook: str) -> None:
    """Say that the workbook may hold macros."""
    for override in parts.root(CONTENT_TYPES):
        if override.get("PartName") == f"/{workbook}":
            override.set("ContentType", _MACRO_ENABLED)
    parts.touch(CONTENT_TYPES)


def _name_code(parts: Parts, workbook: str, project: _Project) -> None:
    """Tie the project's modules to the workbook and to its first sheets."""
    root = parts.root(workbook)
    _first_child(root, "workbookPr", after=("fileVersion", "fileSharing")).set(
        "codeName", project.workbook
    )
    parts.touch(workbook)
    for code, (_, part) in zip(project.sheets, _sheets(parts, workbook), strict=False):
        _first_child(parts.root(part), "sheetPr").set("codeName", code)
        parts.touch(part)


def _first_child(root: Any, tag: str, after: tuple[str, ...] = ()) -> Any:
    """Return a child, made where its schema wants it if it is not there."""
    child = root.find(f"{{{MAIN}}}{tag}")
    if child is None:
        child = etree.Element(f"{{{MAIN}}}{tag}")
        before = sum(root.find(f"{{{MAIN}}}{other}") is not None for other in after)
        root.insert(before, child)
    return child


def _add_configuration(parts: Parts, workbook: str, code: str) -> None:
    """Add the sheet with xlwings' settings, last, visible and looking like the others."""
    root = parts.root(workbook)
    sheets = root.find(f"{{{MAIN}}}sheets")
    number = max(int(sheet.get("sheetId")) for sheet in sheets) + 1
    folder, name = posixpath.split(workbook)
    part = posixpath.join(folder, "worksheets", f"{CONFIGURATION.replace('.', '-')}.xml")
    content = _sheet(code, _Styles(parts, workbook)).encode()
    parts.add(part, content, _WORKSHEET_TYPE, workbook, f"{_OFFICE}/worksheet")
    relation = parts.root(posixpath.join(folder, "_rels", f"{name}.rels"))[-1]
    relation.set("Target", f"/{part}")  # it is not beside the workbook
    sheet = etree.SubElement(sheets, f"{{{MAIN}}}sheet")
    sheet.set("name", CONFIGURATION)
    sheet.set("sheetId", str(number))
    sheet.set(f"{{{_OFFICE}}}id", relation.get("Id"))
    names = root.find(f"{{{MAIN}}}definedNames")
    if names is None:
        names = etree.Element(f"{{{MAIN}}}definedNames")
        sheets.addnext(names)
    for name, cells in (("Print_Area", f"$A$1:$C${_LAST}"), ("Print_Titles", "$1:$1")):
        defined = etree.SubElement(names, f"{{{MAIN}}}definedName")
        defined.set("name", f"_xlnm.{name}")
        defined.set("localSheetId", str(len(sheets) - 1))
        defined.text = f"'{CONFIGURATION}'!{cells}"
    parts.touch(workbook)


class _Styles:
    """The cell styles of a workbook, by the names that its users see."""

    def __init__(self, parts: Parts, workbook: str) -> None:
        part = parts.related(workbook, "styles")
        root = parts.root(part) if part else etree.Element("none")
        cells = [_look(cell) for cell in root.iterfind(f"{{{MAIN}}}cellXfs/{{{MAIN}}}xf")]
        looks = [_look(style) for style in root.iterfind(f"{{{MAIN}}}cellStyleXfs/{{{MAIN}}}xf")]
        self._cells: dict[str, int] = {}
        for style in root.iter(f"{{{MAIN}}}cellStyle"):
            number = int(style.get("xfId", 0))
            wanted = looks[number]._replace(style=str(number))
            if wanted in cells:
                self._cells[style.get("name", "")] = cells.index(wanted)

    def __getitem__(self, name: str) -> int:
        """Return the number of a plain cell in that style; 0, the usual one, if there is none."""
        return self._cells.get(f"TCO {name}", 0)


class _Look(NamedTuple):
    """How a cell looks, and whether it is open; a cell may differ from the style it is of."""

    style: str
    number: str
    alignment: tuple[tuple[str, str], ...]
    protection: tuple[tuple[str, str], ...]


def _look(element: Any) -> _Look:
    """Read a format of the part with the styles."""
    alignment, protection = (
        tuple(sorted(child.attrib.items())) if child is not None else ()
        for child in (element.find(f"{{{MAIN}}}{tag}") for tag in ("alignment", "protection"))
    )
    return _Look(element.get("xfId", ""), element.get("numFmtId", "0"), alignment, protection)


def _sheet(code: str, styles: _Styles) -> str:
    """Write the sheet: keys in A, values in B, what they are for in C."""
    rows = []
    for number, setting in enumerate(_SETTINGS, start=1):
        label = "input" if setting.value is None else "label"
        cells = (
            _cell(f"A{number}", setting.key or None, styles[label]),
            _cell(f"B{number}", setting.value, styles["text" if number == 1 else "input"]),
            _cell(f"C{number}", setting.note, styles["text"]),
        )
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
    for number, advice in enumerate(_ADVICE, start=len(_SETTINGS) + 2):
        rows.append(f'<row r="{number}">{_cell(f"C{number}", advice, styles["text"])}</row>')
    flags = [n for n, setting in enumerate(_SETTINGS, start=1) if setting.value is False]
    free = [n for n, setting in enumerate(_SETTINGS, start=1) if setting.value is None]
    return _SHEET.format(
        main=MAIN,
        code=escape(code, {'"': "&quot;"}),
        last=_LAST,
        rows="".join(rows),
        flags=f"B{flags[0]}:B{flags[-1]}",
        free=f"A{free[0]}:B{free[-1]}",
    )


def _cell(place: str, value: str | bool | None, style: int) -> str:
    if value is None:
        return f'<c r="{place}" s="{style}"/>'
    if isinstance(value, bool):
        return f'<c r="{place}" s="{style}" t="b"><v>{value:d}</v></c>'
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


_SHEET = """\
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="{main}"><sheetPr codeName="{code}"><pageSetUpPr fitToPage="1"/></sheetPr>\
<dimension ref="A1:C{last}"/><sheetViews><sheetView showGridLines="0" zoomScale="90" \
workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="16" customHeight="1"/><cols>\
<col min="1" max="1" width="34" customWidth="1"/><col min="2" max="2" width="34" customWidth="1"/>\
<col min="3" max="3" width="90" customWidth="1"/></cols><sheetData>{rows}</sheetData>\
<sheetProtection sheet="1" formatColumns="0" formatRows="0"/><dataValidations count="2">\
<dataValidation type="list" allowBlank="1" showErrorMessage="1" error="TRUE or FALSE." \
sqref="{flags}"><formula1>"TRUE,FALSE"</formula1></dataValidation>\
<dataValidation type="textLength" operator="lessThanOrEqual" allowBlank="1" showErrorMessage="1" \
error="At most 255 characters." sqref="{free}"><formula1>255</formula1></dataValidation>\
</dataValidations><printOptions horizontalCentered="1"/><pageMargins left="0.5" right="0.5" \
top="0.6" bottom="0.7" header="0.3" footer="0.3"/><pageSetup orientation="landscape" paperSize="9" \
fitToWidth="1" fitToHeight="0"/><headerFooter><oddFooter>&amp;L&amp;F&amp;C&amp;A&amp;R&amp;P / \
&amp;N</oddFooter></headerFooter></worksheet>"""

"""Small workbooks, the functions they call, and a raw reading of a package: for the tests.

What is read here goes past every library, so that two errors cannot cancel out.
"""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import openpyxl
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True)
class Function:
    name: str
    minimum: int
    maximum: int
    formula: Callable[..., Any]

    def __call__(self, *cells: Any) -> Any:
        return self.formula(*cells)


def table(rows: float) -> list[list[Any]]:
    return [[f"part {n}", n * 1.5] for n in range(1, int(rows) + 1)]


def refuse(value: Any) -> float:
    raise ValueError(f"{value} is out of range")


FUNCTIONS = [
    Function("TCO_TIMES", 2, 3, lambda a, b, c=None: a * b * (c or 1)),
    Function("TCO_TABLE", 1, 1, table),
    Function("TCO_REFUSE", 1, 1, refuse),
]


def is_spill(formula: str) -> bool:
    return "TCO_TABLE(" in formula


def package(fill: Callable[[Workbook, Worksheet], None]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Model"
    fill(book, sheet)
    return saved(book)


def saved(book: Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def opened(data: bytes, *, values: bool = False) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(data), data_only=values)


def entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_entries(data: bytes, **changed: bytes) -> bytes:
    """The package with parts replaced or added, ``sheet1`` and so on by their short names."""
    names = {"sheet1": "xl/worksheets/sheet1.xml", "workbook": "xl/workbook.xml"}
    content = entries(data) | {names.get(name, name): part for name, part in changed.items()}
    return zipped(content)


def zipped(content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def raw(data: bytes, sheet: int = 1) -> dict[str, ElementTree.Element]:
    """Each `<c>` of a sheet by its address."""
    root = ElementTree.fromstring(entries(data)[f"xl/worksheets/sheet{sheet}.xml"])
    return {cell.attrib["r"]: cell for cell in root.iter(f"{MAIN}c")}


def stored(data: bytes, address: str, sheet: int = 1) -> tuple[str | None, str | None]:
    """Type and text of the value that a cell carries; (None, None) if it carries none."""
    cell = raw(data, sheet).get(address)
    value = None if cell is None else cell.find(f"{MAIN}v")
    return (None, None) if cell is None or value is None else (cell.get("t"), value.text or "")


def formula(data: bytes, address: str) -> dict[str, str]:
    """Attributes of a cell's `<f>`, with ``cm`` of the cell."""
    cell = raw(data)[address]
    element = cell.find(f"{MAIN}f")
    assert element is not None
    return {**element.attrib, **{key: cell.attrib[key] for key in ("cm",) if key in cell.attrib}}

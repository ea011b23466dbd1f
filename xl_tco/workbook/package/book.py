"""The bytes of an .xlsx package: its formulas, the values beside them, its dynamic arrays.

A library that writes formulas leaves them without values, so viewers and pandas show blanks, and
it loses the mark by which an array spills. This module puts both in, and gives a package the same
bytes whenever it holds the same things. A part that is not changed keeps its bytes exactly.

`Package` opens the zip once and is written once; the functions below it are the same passes from
bytes to bytes. Nothing here knows of costs, of a calculation engine or of who wrote the file.
"""

from __future__ import annotations

import datetime as dt
import os
import posixpath
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple, cast

from lxml import etree

from xl_tco.workbook.package.archive import PackageError
from xl_tco.workbook.package.cells import (
    MAIN,
    SHEET_DATA,
    VALUE,
    Area,
    Array,
    C,
    ErrorValue,
    F,
    Grid,
    Value,
    address,
    clear_value,
    position,
    set_value,
)
from xl_tco.workbook.package.chart_values import renew
from xl_tco.workbook.package.metadata import EMPTY, dynamic_array_index
from xl_tco.workbook.package.parts import Parts

__all__ = [
    "Array",
    "CellKey",
    "ErrorValue",
    "FormulaCell",
    "IsSpill",
    "Package",
    "PackageError",
    "Value",
    "build_moment",
    "clear_spills",
    "formula_cells",
    "normalise",
    "write_constants",
    "write_values",
]

CellKey = tuple[str, str]
"""Name of the sheet and address in it: ``("Inputs", "B2")``."""

IsSpill = Callable[[str], bool]
"""Whether a formula, given as the file stores it (no ``=``), may spill over other cells."""

SPILL, NOT_AVAILABLE = ErrorValue("#SPILL!"), ErrorValue("#N/A")

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DCTERMS = "http://purl.org/dc/terms/"
_METADATA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml"
_LARGEST_ARRAY = 2**20  # cells; a file that claims more is broken or hostile


class FormulaCell(NamedTuple):
    """One cell that holds a formula.

    Attributes
    ----------
    sheet, address
        Where it is.
    formula
        The text as stored, without ``=``. Empty for the followers of a shared formula, which
        only say whose formula they repeat, and for what-if tables.
    kind
        "array" for a dynamic array as well as for one entered with Ctrl+Shift+Enter.
    ref
        The cells that an array, a shared formula or a what-if table covers: ``D1:E3``.
    dynamic
        Whether the file marks it as a dynamic array.
    """

    sheet: str
    address: str
    formula: str
    kind: Literal["normal", "shared", "array", "dataTable"]
    ref: str | None
    dynamic: bool

    @property
    def key(self) -> CellKey:
        """Sheet and address."""
        return self.sheet, self.address


class Package:
    """An open workbook package.

    Parameters
    ----------
    data
        Content of an .xlsx or .xlsm file.

    Raises
    ------
    PackageError
        The bytes are no workbook, or none that is safe to read.
    """

    def __init__(self, data: bytes) -> None:
        self._parts = Parts(data)
        self._workbook = self._parts.related("", "officeDocument") or "xl/workbook.xml"
        if self._workbook not in self._parts or not self._workbook.endswith(".xml"):
            raise PackageError("the package holds no Excel workbook (no xl/workbook.xml)")
        if self._parts.root(self._workbook).tag != f"{{{MAIN}}}workbook":
            raise PackageError("no Excel workbook, or one in Strict Open XML: save it as .xlsx")
        self._sheets = dict(self._worksheets())
        self._found: dict[str, list[tuple[Any, Any]]] = {}

    def _formulas(self, part: str) -> list[tuple[Any, Any]]:
        """Each cell of a sheet with a formula, and the formula; no pass adds or removes one."""
        if part not in self._found:
            formulas = self._parts.root(part).find(SHEET_DATA).iter(F)
            self._found[part] = [(formula.getparent(), formula) for formula in formulas]
        return self._found[part]

    def _worksheets(self) -> Iterator[tuple[str, str]]:
        """Name and part of each sheet that has cells; chart sheets have none."""
        relations = self._parts.relations(self._workbook)
        parts = {id_: part for id_, kind, part in relations if kind.endswith("/worksheet")}
        for sheet in self._parts.root(self._workbook).iter(f"{{{MAIN}}}sheet"):
            part = parts.get(sheet.get(f"{{{_OFFICE}}}id", ""))
            if part is not None:
                _number(self._parts.root(part), part)
                yield sheet.get("name", ""), part

    @property
    def date1904(self) -> bool:
        """Whether days are counted from 1904 and not from 1900."""
        properties = self._parts.root(self._workbook).find(f"{{{MAIN}}}workbookPr")
        return properties is not None and properties.get("date1904") in ("1", "true")

    def formula_cells(self) -> list[FormulaCell]:
        """Every formula cell, sheet by sheet and row by row."""
        return [
            FormulaCell(
                sheet=name,
                address=cell.get("r"),
                formula=formula.text or "",
                kind=formula.get("t", "normal"),
                ref=formula.get("ref"),
                dynamic="cm" in cell.attrib,
            )
            for name, part in self._sheets.items()
            for cell, formula in self._formulas(part)
        ]

    def clear_spills(self) -> None:
        """Take out the values that array formulas have put into the cells beside their own.

        Once a library has loaded and saved the workbook they look like constants, and an engine
        takes them for an obstacle. Excel lets no one type into these cells, so nothing is lost.
        """
        for part in self._sheets.values():
            areas = [_area(*found) for found in self._formulas(part) if _is_array(found[1])]
            if areas:
                grid = Grid(self._parts.root(part))
                if any([grid.clear_beside(area) for area in areas]):
                    self._parts.touch(part)

    def write_values(
        self, values: Mapping[CellKey, Value | Array], is_spill: IsSpill
    ) -> list[CellKey]:
        """Put the value beside every formula; spill arrays, and mark them as dynamic.

        Charts get the new values of the cells that they draw.

        Parameters
        ----------
        values
            Values by sheet and address, an array at the address of its formula. A formula that
            is not among them loses its old value rather than keep a stale one, except for
            what-if tables, which only Excel can fill.
        is_spill
            Which formulas are dynamic arrays though the file does not mark them so.

        Returns
        -------
        The spills that met something in their way, and are #SPILL! now.

        Raises
        ------
        ValueError
            An array that is empty, or whose rows differ in length.
        """
        blocked = []
        date1904 = self.date1904
        for name, part in self._sheets.items():
            root = self._parts.root(part)
            arrays = []
            for cell, formula in self._formulas(part):
                if formula.get("t") == "dataTable":
                    continue
                self._parts.touch(part)
                value = values.get((name, cell.get("r")), _NOTHING)
                if _is_array(formula) or _is_rows(value) or _is_spill_error(value):
                    clear_value(cell)
                    arrays.append((cell, formula, value))
                elif value is _NOTHING:
                    clear_value(cell)
                else:
                    set_value(cell, cast(Value, value), date1904)
            if arrays:
                blocked += [(name, at) for at in self._write_arrays(Grid(root), arrays, is_spill)]
        renew(self._parts, self._sheets, self._workbook)
        return blocked

    def _write_arrays(
        self, grid: Grid, arrays: list[tuple[Any, Any, Any]], is_spill: IsSpill
    ) -> Iterator[str]:
        """Write the arrays of one sheet; the addresses of those that had no room."""
        # All first: one array may grow into what another one leaves.
        for cell, formula, _ in arrays:
            grid.clear_beside(_area(cell, formula))
        for cell, formula, value in arrays:
            if value is _NOTHING:
                continue
            rows, area = _rows(value), _area(cell, formula)
            if "cm" in cell.attrib or is_spill(formula.text or ""):
                area = area.resized(len(rows), len(rows[0]))
                if not grid.has_room(area):
                    yield cell.get("r")
                    area, rows = area.resized(1, 1), [[SPILL]]
                formula.set("t", "array")
                formula.set("ref", str(area))
                if "cm" not in cell.attrib:
                    cell.set("cm", self._dynamic_array())
            elif _is_array(formula):
                rows = _fitted(rows, area)
            else:
                rows = [[VALUE]]  # one cell cannot show an array
            for place, item in zip(area.positions(), chain.from_iterable(rows), strict=True):
                grid.put(place, item, self.date1904)

    def _dynamic_array(self) -> str:
        """The ``cm`` of dynamic arrays; the metadata part is made when first needed."""
        part = self._parts.related(self._workbook, "sheetMetadata")
        if part is None:
            part = posixpath.join(posixpath.dirname(self._workbook), "metadata.xml")
            relation = f"{_OFFICE}/sheetMetadata"
            self._parts.add(part, EMPTY, _METADATA_TYPE, self._workbook, relation)
        index, added = dynamic_array_index(self._parts.root(part))
        if added:
            self._parts.touch(part)
        return str(index)

    def write_constants(self, values: Mapping[CellKey, Value]) -> None:
        """Put values into cells that hold no formula; their styles stay."""
        for (sheet, place), value in values.items():
            part = self._sheets[sheet]
            self._parts.touch(part)
            Grid(self._parts.root(part)).put(position(place), value, self.date1904)

    def set_moment(self, moment: dt.datetime | None) -> None:
        """Set when the workbook says it was created and modified; None changes nothing."""
        part = self._parts.related("", "core-properties")
        if moment is None or part is None or part not in self._parts:
            return
        if moment.tzinfo is not None:
            moment = moment.astimezone(dt.UTC)
        text = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        for tag in ("created", "modified"):
            for element in self._parts.root(part).iterchildren(f"{{{_DCTERMS}}}{tag}"):
                if element.text != text:
                    element.text = text
                    self._parts.touch(part)

    def to_bytes(self, *, level: int = 6) -> bytes:
        """The package as a file: the same bytes for the same content.

        Parameters
        ----------
        level
            Effort of compression, 0 to 9.
        """
        return self._parts.to_bytes(level=level)


_NOTHING: Any = object()  # "no value", where None is one


_is_unnumbered = etree.XPath("boolean(m:row[not(@r)] | m:row/m:c[not(@r)])", namespaces={"m": MAIN})


def _number(root: Any, part: str) -> None:
    """Write out the places of rows and cells, which a file may leave to be counted."""
    data = root.find(SHEET_DATA)
    if data is None:
        raise PackageError(f"{part} is no worksheet")
    if not _is_unnumbered(data):
        return
    number = 0
    for row in data.iterchildren(f"{{{MAIN}}}row"):
        ref = row.get("r", str(number + 1))
        number = position(f"A{ref}")[0]
        row.set("r", ref)
        column = 0
        for cell in row.iterchildren(C):
            ref = cell.get("r")
            if ref is None:
                column += 1
                cell.set("r", address(number, column))
            else:
                column = position(ref)[1]


def _is_array(formula: Any) -> bool:
    return bool(formula.get("t") == "array")


def _is_rows(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_spill_error(value: Any) -> bool:
    return isinstance(value, ErrorValue) and value == SPILL


def _area(cell: Any, formula: Any) -> Area:
    """The cells that the formula covers by what the file says: its own, for a plain one."""
    area = Area.parse((formula.get("ref") if _is_array(formula) else None) or cell.get("r"))
    if area.size > _LARGEST_ARRAY or (area.top, area.left) != position(cell.get("r")):
        raise PackageError(f"the array formula in {cell.get('r')} cannot cover {area}")
    return area


def _rows(value: Value | Array) -> Array:
    """The value as an array."""
    rows = cast(Array, value) if _is_rows(value) else [[cast(Value, value)]]
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ValueError("an array needs rows of one length, at least 1")
    return rows


def _fitted(rows: Array, area: Area) -> Array:
    """The array in the area of an old array formula, as Excel fits it.

    One row or one column repeats; what lies beyond the array is #N/A.
    """
    height, width = len(rows), len(rows[0])

    def at(row: int, column: int) -> Value:
        row = 0 if height == 1 else row
        column = 0 if width == 1 else column
        return rows[row][column] if row < height and column < width else NOT_AVAILABLE

    return [[at(row, column) for column in range(area.width)] for row in range(area.height)]


def build_moment() -> dt.datetime | None:
    """The moment that a reproducible build sets by SOURCE_DATE_EPOCH, seconds since 1970."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    return dt.datetime.fromtimestamp(int(seconds), dt.UTC) if seconds.isdigit() else None


def formula_cells(package: bytes) -> list[FormulaCell]:
    """Every formula cell of a package, sheet by sheet and row by row."""
    return Package(package).formula_cells()


def clear_spills(package: bytes) -> bytes:
    """The package without the values that array formulas carry beside their own cell."""
    book = Package(package)
    book.clear_spills()
    return book.to_bytes()


def write_values(
    package: bytes, values: Mapping[CellKey, Value | Array], is_spill: IsSpill
) -> bytes:
    """The package with the value beside every formula; see `Package.write_values`."""
    book = Package(package)
    book.write_values(values, is_spill)
    return book.to_bytes()


def write_constants(package: bytes, values: Mapping[CellKey, Value]) -> bytes:
    """The package with values put into cells that hold no formula."""
    book = Package(package)
    book.write_constants(values)
    return book.to_bytes(level=0)


def normalise(package: bytes, moment: dt.datetime | None = None) -> bytes:
    """The package in bytes that depend on its content alone.

    Parameters
    ----------
    package
        Content of the file.
    moment
        When it shall say it was created and modified (UTC where it names no zone); by default
        what SOURCE_DATE_EPOCH says, or else what the file says already.
    """
    book = Package(package)
    book.set_moment(moment or build_moment())
    return book.to_bytes()

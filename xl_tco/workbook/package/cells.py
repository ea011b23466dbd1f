"""One worksheet's XML as a grid of cells: addresses, values, areas.

Knows how a value is stored in a `<c>` element and in what order rows and cells stand; nothing of
packages, of other sheets, or of where values come from.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from lxml import etree

from xl_tco.workbook.package.archive import PackageError

__all__ = ["Area", "Array", "ErrorValue", "Grid", "Value", "address", "position"]

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
C, F, V, IS, EXT_LST, ROW = (f"{{{MAIN}}}{tag}" for tag in ["c", "f", "v", "is", "extLst", "row"])
SHEET_DATA, DIMENSION, MERGE_CELL = (
    f"{{{MAIN}}}{tag}" for tag in ("sheetData", "dimension", "mergeCell")
)
SPACE = "{http://www.w3.org/XML/1998/namespace}space"

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
LONGEST_TEXT = 32_767


class ErrorValue(str):
    """An error as a cell shows it, such as ``#DIV/0!``; unlike text that merely reads so."""

    __slots__ = ()


Value = float | str | bool | None | dt.date | dt.time | dt.timedelta
"""What a cell can hold. `ErrorValue` is a str, a datetime is a date."""

Array = Sequence[Sequence[Value]]
"""Rows of values, all of one length."""

NUM, VALUE = ErrorValue("#NUM!"), ErrorValue("#VALUE!")

# The only errors that the file format knows. Excel itself stores the newer ones (#SPILL!, #CALC!)
# as #VALUE!, and may offer to repair a file that spells them out.
STORED_ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA")
)


class Area(NamedTuple):
    """A rectangle of cells, counted from 1, its ends included."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def parse(cls, ref: str) -> Area:
        """The area of ``B2:C5``, or of one cell."""
        first, _, last = ref.replace("$", "").partition(":")
        return cls(*position(first), *position(last or first))

    def __str__(self) -> str:
        first, last = address(self.top, self.left), address(self.bottom, self.right)
        return first if first == last else f"{first}:{last}"

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.right - self.left + 1

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.height * self.width

    def resized(self, rows: int, columns: int) -> Area:
        """The area of that size with the same first cell."""
        return Area(self.top, self.left, self.top + rows - 1, self.left + columns - 1)

    def overlaps(self, other: Area) -> bool:
        """Whether the two share a cell."""
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    def holds(self, place: tuple[int, int]) -> bool:
        """Whether a row and column lie within."""
        row, column = place
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def positions(self) -> Iterator[tuple[int, int]]:
        """Row and column of each cell, row by row."""
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column


@cache
def _column_letters(column: int) -> str:
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def address(row: int, column: int) -> str:
    """``C5`` for row 5, column 3."""
    return f"{_column_letters(column)}{row}"


_ADDRESS = re.compile("([A-Z]{1,3})([0-9]{1,7})")


def position(cell: str) -> tuple[int, int]:
    """Row 5, column 3 for ``C5``.

    Raises
    ------
    PackageError
        Not a cell's address.
    """
    match = _ADDRESS.fullmatch(cell)
    if match is None:
        raise PackageError(f"{cell!r} is no cell address")
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]), column


# What XML 1.0 cannot hold is stored as _xHHHH_, and so is text that would read as such a code.
_UNSTORABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def _stored_text(text: str) -> str:
    return _UNSTORABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def _serial(moment: dt.date | dt.time | dt.timedelta, date1904: bool) -> float:
    """Days since the workbook's epoch."""
    if isinstance(moment, dt.timedelta):
        return moment / dt.timedelta(days=1)
    if isinstance(moment, dt.time):
        moment = dt.datetime.combine(dt.date.min, moment)
        return _serial(moment.replace(tzinfo=None) - dt.datetime.min, date1904)
    if isinstance(moment, dt.datetime):
        moment = moment.replace(tzinfo=None)
    else:
        moment = dt.datetime.combine(moment, dt.time())
    if date1904:
        return (moment - dt.datetime(1904, 1, 1)) / dt.timedelta(days=1)
    days = (moment - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)
    return days if days >= 61 else days - 1  # Excel has a 29 February 1900, which is day 60


def _stored(value: Value, date1904: bool) -> tuple[str | None, str]:
    """The ``t`` attribute and the text of ``<v>``."""
    if value is None:
        return None, "0"  # as Excel shows a formula that refers to an empty cell
    if isinstance(value, ErrorValue):
        return "e", str(value) if value in STORED_ERRORS else VALUE
    if isinstance(value, str):
        return ("str", _stored_text(value)) if len(value) <= LONGEST_TEXT else ("e", VALUE)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        value = _serial(value, date1904)
    if isinstance(value, bool):
        return "b", str(int(value))
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf
    if not math.isfinite(number):
        return "e", NUM
    return None, repr(number).removesuffix(".0")  # the shortest text that reads back the same


def set_value(cell: Any, value: Value, date1904: bool) -> None:
    """Put the value into ``<c>``, in place of any other; formula and style stay."""
    clear_value(cell)
    kind, text = _stored(value, date1904)
    if kind is not None:
        cell.set("t", kind)
    element = etree.SubElement(cell, V)
    element.text = text or None  # <v/>, as it is written again once it has been read
    if text != text.strip():
        element.set(SPACE, "preserve")
    for later in cell.iterchildren(EXT_LST):
        cell.append(later)


def clear_value(cell: Any) -> None:
    """Take the value out of ``<c>``; formula and style stay."""
    for child in cell[:]:
        if child.tag in (V, IS):
            cell.remove(child)
    for attribute in ("t", "vm"):  # vm tells more of the old value
        cell.attrib.pop(attribute, None)


class Grid:
    """The cells of one worksheet, found by row and column.

    Parameters
    ----------
    root
        The ``<worksheet>`` element, which is changed in place.
    """

    def __init__(self, root: Any) -> None:
        self._data = root.find(SHEET_DATA)
        self._dimension = root.find(DIMENSION)
        self._rows: dict[int, Any] = {}
        self._cells: dict[tuple[int, int], Any] = {}
        self._merged = [Area.parse(merge.get("ref")) for merge in root.iter(MERGE_CELL)]
        for row in self._data.iterchildren(ROW):
            self._rows[int(row.get("r"))] = row
            for cell in row.iterchildren(C):
                self._cells[position(cell.get("r"))] = cell
        self._order = sorted(self._rows)

    def has_room(self, area: Area) -> bool:
        """Whether an array in the area's first cell may spill over all the others."""
        if area.bottom > LAST_ROW or area.right > LAST_COLUMN:
            return False
        if area.size > 1 and any(area.overlaps(merged) for merged in self._merged):
            return False
        return all(self._is_free(place) for place in self._beside(area))

    def _is_free(self, place: tuple[int, int]) -> bool:
        cell = self._cells.get(place)
        return cell is None or all(cell.find(tag) is None for tag in (F, V, IS))

    def put(self, place: tuple[int, int], value: Value, date1904: bool) -> None:
        """Give the cell its value; make row and cell where there are none."""
        cell = self._cells.get(place)
        set_value(self._insert(place) if cell is None else cell, value, date1904)

    def clear_beside(self, area: Area) -> bool:
        """Take the values out of the area but for its first cell; whether there were any.

        Cells with a formula of their own are left as they are.
        """
        return any([self._clear(place) for place in self._beside(area)])

    def _beside(self, area: Area) -> list[tuple[int, int]]:
        """The cells that there are in the area, but for its first place."""
        few = area.size <= len(self._cells)  # whichever is less to go through
        places = area.positions() if few else iter(self._cells)
        first = (area.top, area.left)
        return [p for p in places if p in self._cells and area.holds(p) and p != first]

    def _clear(self, place: tuple[int, int]) -> bool:
        cell = self._cells.get(place)
        if cell is None or cell.find(F) is not None:
            return False
        held = not self._is_free(place)
        clear_value(cell)
        if cell.attrib.keys() == ["r"] and not len(cell):
            cell.getparent().remove(cell)
            del self._cells[place]
        return held

    def _row(self, number: int) -> Any:
        if number not in self._rows:
            row = etree.Element(ROW, r=str(number))
            before = bisect(self._order, number)
            self._order.insert(before, number)
            self._data.insert(before, row)
            self._rows[number] = row
        return self._rows[number]

    def _insert(self, place: tuple[int, int]) -> Any:
        number, column = place
        row = self._row(number)
        row.attrib.pop("spans", None)  # a hint for readers, and now perhaps a wrong one
        before = sum(position(cell.get("r"))[1] < column for cell in row.iterchildren(C))
        cell = etree.Element(C, r=address(number, column))
        row.insert(before, cell)
        self._cells[place] = cell
        self._stretch(place)
        return cell

    def _stretch(self, place: tuple[int, int]) -> None:
        """Have the sheet's declared size take in one more cell."""
        if self._dimension is None:
            return
        row, column = place
        size = Area.parse(self._dimension.get("ref"))
        size = Area(
            min(size.top, row),
            min(size.left, column),
            max(size.bottom, row),
            max(size.right, column),
        )
        self._dimension.set("ref", str(size))

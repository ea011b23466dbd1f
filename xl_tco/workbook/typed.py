"""What is typed into the cells of a workbook, found by the names that it has for them.

Knows openpyxl, and nothing of scenarios. A formula counts with the value that it carries.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import range_boundaries

from xl_tco.errors import WorkbookError
from xl_tco.workbook.package.archive import read_entries

__all__ = ["Typed", "TypedCells"]

MOST_ROWS = 10_000
"""How many rows a name may have: a whole column has a million."""

_ALLOWED = "type a value, or have the workbook calculated: xl-tco recalc"


@dataclass(frozen=True, slots=True, eq=False)
class Typed:
    """One cell.

    Attributes
    ----------
    place
        Its sheet and address.
    value
        What it holds; None where it is empty.
    problem, allowed
        What is wrong with it, if it holds no value at all, and what would help.
    """

    place: str
    value: Any = None
    problem: str = ""
    allowed: str = ""


class TypedCells:
    """The cells of a workbook.

    Parameters
    ----------
    package
        The file.
    source
        What it is called in errors.

    Raises
    ------
    WorkbookError
        If it is no workbook.
    """

    def __init__(self, package: bytes, source: str) -> None:
        self._package, self._source = package, source
        try:
            read_entries(package)
        except WorkbookError as error:
            raise self._error(str(error)) from None
        self._formulas = self._opened(values=False)
        self._values: Any = None

    def has(self, name: str) -> bool:
        """Whether cells have this name."""
        return name in self._formulas.defined_names

    def rows(self, name: str, columns: int) -> Iterator[list[Typed]]:
        """Yield the rows of the cells of a name, from its first column on so many columns.

        Raises
        ------
        WorkbookError
            If the name is of no cells.
        """
        sheet, left, top, bottom = self._area(name)
        yield from self._cells(sheet, left, columns, top, bottom)

    def above(self, name: str, columns: int) -> Iterator[list[Typed]]:
        """Yield the rows above the cells of a name, from the sheet's first, in the same columns."""
        sheet, left, top, _ = self._area(name)
        if top > 1:
            yield from self._cells(sheet, left, columns, 1, top - 1)

    def _area(self, name: str) -> tuple[str, int, int, int]:
        """Return sheet, first column, first and last row of the cells of a name."""
        try:
            [(sheet, cells)] = self._formulas.defined_names[name].destinations
            left, top, _, bottom = range_boundaries(cells)
            area = (str(sheet), int(left or 0), int(top or 0), int(bottom or 0))
        except Exception:  # a name can be of anything
            problem = f'no workbook of this xl-tco: none of its cells is named "{name}"'
            raise self._error(problem) from None
        if area[1] < 1 or area[2] < 1 or area[3] - area[2] >= MOST_ROWS:
            raise self._error(f'the name "{name}" is of more cells than can be read')
        return area

    def _cells(
        self, sheet: str, left: int, columns: int, top: int, bottom: int
    ) -> Iterator[list[Typed]]:
        area = (sheet, left, columns, top, bottom)
        rows = self._block(self._formulas, *area)
        if any(cell.data_type == "f" for row in rows for cell in row):
            self._values = self._values or self._opened(values=True)
            carried = self._block(self._values, *area)
        else:
            carried = rows
        for at, cells in enumerate(zip(rows, carried, strict=True), start=top):
            pairs = enumerate(zip(*cells, strict=True), start=left)
            yield [
                _typed(cell, value, f"{sheet}!{get_column_letter(column)}{at}")
                for column, (cell, value) in pairs
            ]

    def _block(
        self, book: Any, sheet: str, left: int, columns: int, top: int, bottom: int
    ) -> list[tuple[Any, ...]]:
        """Return cells of a sheet, row by row."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what it does not read, and nobody asked for
                right = left + columns - 1
                return [*book[sheet].iter_rows(top, bottom, left, right)]
        except Exception as error:  # it raises whatever a strange part makes it stumble over
            raise self._error(f"the sheet {sheet} cannot be read ({error})") from None

    def _opened(self, *, values: bool) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = BytesIO(self._package)
                return openpyxl.load_workbook(data, read_only=True, data_only=values)
        except Exception as error:
            raise self._error(f"openpyxl cannot read it ({error})") from None

    def _error(self, problem: str) -> WorkbookError:
        return WorkbookError(f"{self._source}: {problem}" if self._source else problem)


def _typed(cell: Any, carried: Any, place: str) -> Typed:
    """Return a cell; of a formula, with the value that it carries."""
    if cell.data_type == "f" and carried.value is None:
        return Typed(place, None, "it is a formula that carries no value", _ALLOWED)
    if carried.data_type == "e":
        return Typed(place, None, f"{carried.value} is an error")
    return Typed(place, carried.value)

"""Time axes: rows of months or years, as columns of a sheet, found in any workbook."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["Axis", "frozen", "time_axes"]

SHORTEST = 6
"""Columns that make a time axis: a few consecutive numbers side by side need not be one."""

_DAYS = (range(1, 2), range(7, 8), range(28, 32), range(90, 93), range(365, 367))
"""Steps of a day, a week, a month, a quarter and a year, in days."""


class Axis(NamedTuple):
    """Consecutive numbers or dates in a row: where, from which column to which."""

    row: int
    first: int
    last: int

    def __str__(self) -> str:
        first, last = map(get_column_letter, (self.first, self.last))
        return f"{first}{self.row}:{last}{self.row}"


def time_axes(sheet: Worksheet) -> list[Axis]:
    """Return the time axes of a sheet, from the top."""
    return [axis for row in sheet.iter_rows() for axis in _axes(row)]


def frozen(sheet: Worksheet) -> tuple[int, int]:
    """Return how many rows and columns are frozen."""
    pane = sheet.sheet_view.pane
    if pane is None or pane.state not in ("frozen", "frozenSplit"):
        return 0, 0
    return int(pane.ySplit or 0), int(pane.xSplit or 0)


def _axes(row: tuple[Any, ...]) -> Iterator[Axis]:
    """Yield the stretches of a row in which each cell is a step after the one before."""
    start, step = 0, None
    for number, (before, cell) in enumerate(pairwise(row), start=1):
        taken = _step(before, cell)
        if taken is None or (step is not None and taken != step):
            yield from _long_enough(row, start, number - 1)
            start, step = (number, None) if taken is None else (number - 1, taken)
        else:
            step = taken
    yield from _long_enough(row, start, len(row) - 1)


def _long_enough(row: tuple[Any, ...], start: int, end: int) -> Iterator[Axis]:
    if end - start + 1 >= SHORTEST:
        first = row[start].column
        yield Axis(row[start].row, first, first + end - start)


def _step(before: Any, cell: Any) -> object:
    """Return by what a cell follows the one before it: 1, a kind of day, or nothing (None)."""
    old, new = before.value, cell.value
    if isinstance(new, str):
        follows = rf"=\$?{get_column_letter(before.column)}\$?{before.row}\+1"
        return 1 if re.fullmatch(follows, new) else None
    if isinstance(old, dt.date) and isinstance(new, dt.date):
        days = (new - old).days
        return next((span for span in _DAYS if days in span), None)
    if isinstance(old, bool) or isinstance(new, bool):
        return None
    if isinstance(old, int | float) and isinstance(new, int | float):
        return 1 if new - old == 1 else None
    return None

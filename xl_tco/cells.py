"""What spreadsheets hand over, and what they take back.

A host gives a number, a text, None for an empty cell, or a range: a list of rows. An empty cell is
never zero. This module imports nothing heavier than NumPy: a spreadsheet waits for it.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Hashable, Mapping
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xl_tco.errors import Fault, FaultKind, InputError
from xl_tco.plain import is_empty, shown, sort_of, to_float

__all__ = [
    "CASE_COLUMNS",
    "Cell",
    "Range",
    "as_cells",
    "is_range",
    "is_zero",
    "place",
    "read_cases",
    "read_correlations",
    "read_numbers",
    "read_ranges",
    "read_table",
    "read_words",
    "sort_of",
    "unwrapped",
]

Cell: TypeAlias = Any
"""A value of a cell, or rows of them."""

Range: TypeAlias = tuple[float | None, float | None, float | None, str]
"""Low, mode and high of an uncertain figure, and the name of its distribution, "" if none is said.
"""

CASE_COLUMNS = ("base", "low", "high", "own")
"""Cases of a scenario, in the order of their columns."""

UNKNOWN = "unknown"
"""What our workbooks show for a figure that nobody has published; it counts as not given."""

_RANGES = (list, tuple, np.ndarray)
_RECTANGLE = "give a rectangular range"
_MANY = 500


def is_range(cell: Cell) -> bool:
    """Whether a host handed over a range, not a single cell."""
    return isinstance(cell, _RANGES)


def unwrapped(cell: Cell) -> Cell:
    """Return the cell of a range of one: some hosts hand over every cell as such."""
    if isinstance(cell, np.ndarray):
        return cell.reshape(-1)[0] if cell.size == 1 else cell
    inner = cell
    while isinstance(inner, (list, tuple)) and len(inner) == 1:
        inner = inner[0]
    return cell if is_range(inner) else inner


def is_zero(cell: Cell) -> bool:
    """Whether a single cell is the number 0."""
    return cell == 0.0 if type(cell) is float else not is_range(cell) and to_float(cell) == 0.0


def read_numbers(
    cell: Cell, name: str, allowed: str, word: Callable[[str], float] | None = None
) -> float | NDArray[np.float64]:
    """Return the numbers of a cell or a range, an empty cell as NaN.

    Parameters
    ----------
    cell
        What the host handed over; a range of one cell is that cell.
    name, allowed
        The argument and what it takes, for the message of a fault.
    word
        Turns a text into the number it stands for, where the argument takes such texts.

    Raises
    ------
    InputError
        If a cell holds anything but a number, with its place in the range.
    """
    if type(cell) is not float:
        cell = unwrapped(cell)
    if type(cell) is float and cell == cell:
        return cell
    if not is_range(cell):
        return _number(cell, name, allowed, (), word)
    cells, shape = _listed(cell, name)
    if set(map(type, cells)) == {float} and not np.isnan(values := np.array(cells)).any():
        return values.reshape(shape)  # the common case, and ten times as fast
    values = np.empty(shape)
    for at, value in zip(np.ndindex(shape), cells, strict=True):
        values[at] = _number(value, name, allowed, at, word)
    return values


def read_words(cell: Cell, name: str, allowed: str) -> str | NDArray[np.object_] | None:
    """Return the texts of a cell or a range, an empty cell as None.

    Raises
    ------
    InputError
        If a cell holds anything but text.
    """
    cell = unwrapped(cell)
    if not is_range(cell):
        return _word(cell, name, allowed, ())
    cells = _grid(cell, name)
    words = np.empty(cells.shape, dtype=object)
    for at, value in np.ndenumerate(cells):
        words[at] = _word(value, name, allowed, at)
    return words


def read_table(cell: Cell, name: str) -> dict[str, object]:
    """Return a table of fields and values from a range: its first two columns.

    Rows without a field are passed over, and so is a heading "field"; further columns are for
    people. An empty value, or the word "unknown", is not given. None, and the 0 that some hosts
    hand over for an omitted range, is an empty table. Python callers may pass a mapping.

    Raises
    ------
    InputError
        If it is no range of two columns, a field is not text, or it stands there twice.
    """
    allowed = "give a range of two columns, field and value"
    cell = unwrapped(cell)
    if isinstance(cell, Mapping) and cell.get("type") != "Error":
        return dict(cell)
    if is_empty(cell) or is_zero(cell):
        return {}
    table: dict[str, object] = {}
    for number, (field, value) in enumerate(_rows(cell, name, 2, allowed), start=1):
        if type(field) is str and type(value) is float and (key := field.strip()) not in table:
            table[key] = value  # the common case, and several times as fast
            continue
        if is_empty(field):
            continue
        row = f"row {number}"
        field = _field_name(field, name, allowed, row)
        if (number == 1 and field.lower() == "field") or is_empty(value):
            continue
        if isinstance(value, str) and value.strip() in ("", UNKNOWN):
            continue
        if not isinstance(value, Hashable):
            raise _error("type", field, _what(value), "give one value", row)
        if field in table and table[field] != value:
            raise _error("conflict", field, "the field is there twice", "give it once", row)
        table[field] = value
    return table


def read_ranges(cell: Cell, name: str, optional: bool = False) -> dict[str, Range]:
    """Return uncertain fields from a range: its first four columns, or five.

    The columns are field, low (or P10), mode (or mean), high (or P90, or standard deviation), and
    the name of the distribution. Rows without a field are passed over, and so are a heading "field"
    and rows without any number. Python callers may pass a mapping of fields to the other columns.
    Where a range is ``optional``, one that names no field is none at all.

    Raises
    ------
    InputError
        If it is no range of four columns, a field is not text or stands there twice, or what
        should be a number or a name is none.
    """
    allowed = "give a range of four or five columns: field, low, mode, high, distribution"
    cell = unwrapped(cell)
    if isinstance(cell, Mapping) and cell.get("type") != "Error":
        cell = [[field, *_columns(given)] for field, given in cell.items()]
    if optional and (is_empty(cell) or is_zero(cell)):
        return {}
    if is_empty(cell):
        raise _error("missing", name, "nothing is given", allowed)
    table: dict[str, Range] = {}
    named = False
    for at, (field, *given) in enumerate(_rows(cell, name, 4, allowed, most=5), start=1):
        if is_empty(field):
            continue
        row = f"row {at}"
        field = _field_name(field, name, allowed, row)
        is_heading = at == 1 and field.lower() == "field"
        named = named or not is_heading
        values, kind = given[:3], (*given[3:], None)[0]
        if is_heading or all(map(is_empty, values)):
            continue
        numbers = [_number(value, field, "give a number", (at - 1,), None) for value in values]
        if field in table:
            raise _error("conflict", field, "the field is there twice", "give it once", row)
        word = _word(kind, field, "give the name of a distribution", (at - 1,))
        low, middle, high = (None if math.isnan(number) else number for number in numbers)
        table[field] = (low, middle, high, word or "")
    if not table and (named or not optional):
        raise _error("missing", name, "no row has a range", allowed)
    return table


def read_correlations(cell: Cell, name: str) -> tuple[tuple[str, str, float], ...]:
    """Return pairs of fields and their rank correlation from a range: its first three columns.

    Rows without a correlation are passed over, and so is a heading "field". None, and the 0 that
    some hosts hand over for an omitted range, is none at all.

    Raises
    ------
    InputError
        If it is no range of three columns, a field is not text, or a correlation is no number.
    """
    allowed = "give a range of three columns: field, field, rank correlation"
    cell = unwrapped(cell)
    if is_empty(cell) or is_zero(cell):
        return ()
    pairs: list[tuple[str, str, float]] = []
    for at, (*fields, rank) in enumerate(_rows(cell, name, 3, allowed), start=1):
        row = f"row {at}"
        if is_empty(rank) or (at == 1 and str(fields[0]).strip().lower() == "field"):
            continue
        if any(map(is_empty, fields)):
            raise _error("missing", name, "a field is not given", "name two fields", row)
        first, second = (_field_name(field, name, allowed, row) for field in fields)
        pairs.append((first, second, _number(rank, name, "give a number", (at - 1,), None)))
    return tuple(pairs)


def read_cases(cell: Cell, name: str) -> dict[str, dict[str, object]]:
    """Return the figures of base, low, high and own from a range: its first six columns.

    The columns are field, value, base, low, high and own; the value is passed over, and so are rows
    without a field and a heading "field". What is empty, or "unknown", is not given.

    Raises
    ------
    InputError
        If it is no range of six columns, or a field is not text or stands there twice.
    """
    allowed = "give a range of six columns: field, value, base, low, high, own"
    cell = unwrapped(cell)
    if is_empty(cell):
        raise _error("missing", name, "nothing is given", allowed)
    table: dict[str, dict[str, object]] = {case: {} for case in CASE_COLUMNS}
    seen: set[str] = set()
    for at, (field, _, *given) in enumerate(_rows(cell, name, 6, allowed), start=1):
        if is_empty(field):
            continue
        field = _field_name(field, name, allowed, f"row {at}")
        if at == 1 and field.lower() == "field":
            continue
        if field in seen:
            problem = "the field is there twice"
            raise _error("conflict", field, problem, "give it once", f"row {at}")
        seen.add(field)
        for case, value in zip(CASE_COLUMNS, given, strict=True):
            if is_empty(value) or (isinstance(value, str) and value.strip() in ("", UNKNOWN)):
                continue
            if not isinstance(value, Hashable):
                where = f"case {case}, row {at}"
                raise _error("type", field, _what(value), "give one value", where)
            table[case][field] = value
    return table


def _columns(given: object) -> list[Cell]:
    """Return low, mode, high and the name of the distribution, each None where it is left out."""
    columns = list(given) if isinstance(given, _RANGES) else [given]
    return [*columns, None][: max(len(columns), 4)]


def _rows(
    cell: Cell, name: str, least: Literal[2, 3, 4, 6], allowed: str, most: int = 0
) -> list[list[Cell]]:
    """Return the first columns of a range, row by row: ``least`` of them, or up to ``most``."""
    if not is_range(cell):
        raise _error("type" if isinstance(cell, Mapping) else "shape", name, _what(cell), allowed)
    grid = _grid(cell, name)
    grid = grid.reshape(1, -1) if grid.ndim == 1 else grid
    if grid.ndim != 2 or grid.shape[1] < least:
        count, what = (grid.shape[1], "column") if grid.ndim == 2 else (grid.ndim, "dimension")
        problem = f"it has {count} {what}{'' if count == 1 else 's'}"
        raise _error("shape", name, problem, allowed)
    rows: list[list[Cell]] = grid[:, : most or least].tolist()
    return rows


def _field_name(field: Cell, name: str, allowed: str, row: str) -> str:
    if not isinstance(field, str):
        problem = f"{_what(field)}, where a field's name should be"
        raise _error("type", name, problem, allowed, row)
    return field.strip()


def as_cells(value: Any) -> Cell:
    """Return a result as hosts take it: a plain number or text, or a list of rows."""
    if isinstance(value, np.ndarray) and value.size > _MANY and gc.isenabled():
        # Thousands of new lists have Python look for garbage in all that the host has loaded.
        gc.disable()
        try:
            return value.tolist()
        finally:
            gc.enable()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def place(at: tuple[int, ...]) -> str:
    """Name a cell of a range by its position in it."""
    return ", ".join(
        f"{axis} {index + 1}" for axis, index in zip(("row", "column"), at, strict=False)
    )


def _number(
    value: Cell,
    name: str,
    allowed: str,
    at: tuple[int, ...],
    word: Callable[[str], float] | None,
) -> float:
    """Return one cell as a number, NaN if it is empty; ``at`` is its position in a range."""
    if is_empty(value):
        return math.nan
    number = to_float(value)
    if number is None:
        if isinstance(value, str) and word is not None:
            return _meant(value.strip(), name, place(at), word)
        raise _error("type", name, _what(value), allowed, place(at))
    if math.isnan(number):
        raise _error("range", name, "it is not a number (NaN)", allowed, place(at))
    return number


def _meant(text: str, name: str, place: str, word: Callable[[str], float]) -> float:
    """Return the number that a text stands for; a fault is the argument's, at its place."""
    try:
        return word(text)
    except InputError as error:
        fault = error.faults[0]
        raise _error(fault.kind, name, fault.problem, fault.allowed, place) from None


def _word(value: Cell, name: str, allowed: str, at: tuple[int, ...]) -> str | None:
    if is_empty(value):
        return None
    if isinstance(value, str):
        return value.strip()
    raise _error("type", name, _what(value), allowed, place(at))


def _what(value: object) -> str:
    return f"{'it' if isinstance(value, Mapping) else shown(value)} is {sort_of(value)}"


def _listed(cell: Cell, name: str) -> tuple[list[Cell], tuple[int, ...]]:
    """Return the cells of a range, row by row, and its shape."""
    if isinstance(cell, np.ndarray):
        cells, shape = cell.reshape(-1).astype(object).tolist(), cell.shape
    else:
        nested = {issubclass(sort, _RANGES) for sort in set(map(type, cell))}
        widths = set(map(len, cell)) if nested == {True} else set()
        if len(nested) > 1 or len(widths) > 1:
            raise _error("shape", name, "its rows are not of one length", _RECTANGLE)
        cells = list(chain.from_iterable(cell) if widths else cell)
        shape = (len(cell), *widths)
    if not cells:
        raise _error("shape", name, "it has no cell", _RECTANGLE)
    return cells, shape


def _grid(cell: Cell, name: str) -> NDArray[np.object_]:
    """Return a range as an array of cells, in its own shape."""
    cells, shape = _listed(cell, name)
    grid = np.empty(len(cells), dtype=object)
    grid[:] = cells
    return grid.reshape(shape)


def _error(kind: FaultKind, name: str, problem: str, allowed: str, place: str = "") -> InputError:
    return InputError([Fault(kind, name, problem, allowed, place)])

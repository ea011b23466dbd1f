"""What spreadsheets hand over, and what they take back.

A host gives a number, a text, None for an empty cell, or a range: a list of rows. Nothing is
coerced: text that looks like a number is text, TRUE is not 1, and an empty cell is never zero.
This module imports nothing heavier than NumPy: a spreadsheet waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xl_tco.errors import Fault, FaultKind, InputError

__all__ = [
    "Cell",
    "as_cells",
    "is_range",
    "place",
    "read_numbers",
    "read_table",
    "read_words",
    "sort_of",
]

Cell: TypeAlias = Any
"""A value of a cell, or rows of them."""

UNKNOWN = "unknown"
"""What our workbooks show for a figure that nobody has published; it counts as not given."""

_NUMBERS = {float, int}


def is_range(cell: Cell) -> bool:
    """Whether a host handed over a range, not a single cell."""
    return isinstance(cell, list | tuple | np.ndarray)


def read_numbers(
    cell: Cell, name: str, allowed: str, word: Callable[[str], float] | None = None
) -> float | NDArray[np.float64]:
    """Return the numbers of a cell or a range, an empty cell as NaN.

    Parameters
    ----------
    cell
        What the host handed over.
    name, allowed
        The argument and what it takes, for the message of a fault.
    word
        Turns a text into the number it stands for, where the argument takes such texts.

    Raises
    ------
    InputError
        If a cell holds anything but a number, with its place in the range.
    """
    if type(cell) in _NUMBERS:
        return float(cell) if cell == cell else _number(cell, name, allowed, "", word)
    if not is_range(cell):
        return _number(cell, name, allowed, "", word)
    if isinstance(cell, np.ndarray) and cell.dtype.kind in "iuf":
        values = cell.astype(np.float64)
    else:
        cells = _grid(cell, name)
        types = set(map(type, cells.flat))
        if types <= _NUMBERS:
            values = cells.astype(np.float64)
        else:
            values = np.empty(cells.shape)
            for at, value in np.ndenumerate(cells):
                values[at] = _number(value, name, allowed, place(at), word)
            return _scalar(values)
    if np.isnan(values).any():
        at = tuple(np.argwhere(np.isnan(values))[0])
        _number(float("nan"), name, allowed, place(at), word)
    return _scalar(values)


def read_words(cell: Cell, name: str, allowed: str) -> str | NDArray[np.object_] | None:
    """Return the texts of a cell or a range, an empty cell as None.

    Raises
    ------
    InputError
        If a cell holds anything but text.
    """
    if not is_range(cell):
        return _word(cell, name, allowed, "")
    cells = _grid(cell, name)
    words = np.empty(cells.shape, dtype=object)
    for at, value in np.ndenumerate(cells):
        words[at] = _word(value, name, allowed, place(at))
    return words.flat[0] if words.size == 1 else words


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
    if isinstance(cell, Mapping):
        return dict(cell)
    if cell is None or cell == "" or (type(cell) in _NUMBERS and cell == 0):
        return {}
    allowed = "give a range of two columns, field and value"
    grid = _grid(cell, name) if is_range(cell) else np.empty((1, 1))
    grid = grid.reshape(1, -1) if grid.ndim == 1 else grid
    if grid.ndim != 2 or grid.shape[1] < 2:
        raise _error("shape", name, "it has no two columns", allowed)
    table: dict[str, object] = {}
    for number, (field, value) in enumerate(grid[:, :2].tolist(), start=1):
        if field in (None, ""):
            continue
        if not isinstance(field, str):
            problem = f"{field!r} is {sort_of(field)}, where a field's name should be"
            raise _error("type", name, problem, allowed, f"row {number}")
        field = field.strip()
        if number == 1 and field.lower() == "field":
            continue
        if isinstance(value, Mapping):
            raise _error("type", field, f"it is {sort_of(value)}", "mend that cell")
        if value in (None, "", UNKNOWN):
            continue
        if field in table and table[field] != value:
            raise _error(
                "conflict", field, "the field is there twice", "give it once", f"row {number}"
            )
        table[field] = value
    return table


def as_cells(value: Any) -> Cell:
    """Return a result as hosts take it: a plain number or text, or a list of rows."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def sort_of(value: object) -> str:
    """Say what sort of thing a value is, in everyday words."""
    match value:
        case None | "":
            return "an empty cell"
        case bool():
            return "a yes or no"
        case str():
            return "text"
        case int() | float() | Decimal():
            return "a number"
        case {"type": "Error", **rest}:
            return f"an error ({rest.get('kind', 'unknown')})"
        case Mapping():
            return "a table"
        case list() | tuple() | np.ndarray():
            return "a list"
        case _:
            return f"a {type(value).__name__}"


def place(at: tuple[int, ...]) -> str:
    """Name a cell of a range by its position in it."""
    return ", ".join(
        f"{axis} {index + 1}" for axis, index in zip(("row", "column"), at, strict=False)
    )


def _number(
    value: Cell, name: str, allowed: str, place: str, word: Callable[[str], float] | None
) -> float:
    """Return one cell as a number, NaN if it is empty."""
    if value is None or value == "":
        return float("nan")
    if isinstance(value, str) and word is not None:
        return word(value)
    if isinstance(value, int | float | Decimal | np.number) and not isinstance(value, bool):
        number = float(value)
        if number == number:
            return number
        raise _error("range", name, "it is not a number (NaN)", allowed, place)
    raise _error("type", name, _what(value), allowed, place)


def _word(value: Cell, name: str, allowed: str, place: str) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value.strip()
    raise _error("type", name, _what(value), allowed, place)


def _what(value: object) -> str:
    shown = "it" if isinstance(value, Mapping) else repr(value)
    return f"{shown} is {sort_of(value)}"


def _grid(cell: Cell, name: str) -> NDArray[np.object_]:
    """Return a range as an array of cells, in its own shape."""
    if isinstance(cell, np.ndarray):
        return cell.astype(object)
    rows = list(cell)
    nested = [is_range(row) for row in rows]
    if not rows or any(nested) != all(nested) or (all(nested) and len({len(r) for r in rows}) != 1):
        raise _error("shape", name, "its rows are not of one length", "give a rectangular range")
    grid = np.empty((len(rows), len(rows[0])) if nested[0] else len(rows), dtype=object)
    flat = list(chain.from_iterable(rows)) if nested[0] else rows
    grid.reshape(-1)[:] = flat
    return grid


def _scalar(values: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a range of one cell as that cell."""
    return values.item() if values.size == 1 else values


def _error(kind: FaultKind, name: str, problem: str, allowed: str, place: str = "") -> InputError:
    return InputError([Fault(kind, name, problem, allowed, place)])

"""Many scenarios at once, as columns: the cost of each row, block by block.

A number is one for all rows or an array with one a row; a word is one for all or a `Words`. Rows
that agree in their words are costed together, by the very functions that cost a single one.
A table's rows and a simulation's samples both come here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xl_tco.catalogue import Figure
from xl_tco.core._arrays import Real
from xl_tco.errors import Fault
from xl_tco.fields import ALTERNATIVES, FIELDS
from xl_tco.model import cost, refusals
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.resolve import name_rows, resolve
from xl_tco.result import estimated, too_large

__all__ = [
    "BLOCK",
    "GROUPING",
    "OUTPUTS",
    "Batch",
    "Block",
    "Columns",
    "Words",
    "cost_blocks",
    "cost_columns",
    "spans",
]

OUTPUTS = (*(f"{name}_usd" for name in COMPONENTS), TOTAL.name, *METRICS)
"""Everything a scenario's cost says, in the order of the table's columns."""

GROUPING = frozenset(field.name for field in FIELDS.values() if not field.is_number) - {"name"}
"""Words that a scenario depends on: rows that agree in all of them are costed together."""

_WAYS = {name for group in ALTERNATIVES for name in group}

BLOCK = 16_384
"""Rows costed at a time: a block's columns stay in the processor's cache."""

LARGEST_CODE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Words:
    """A column of words.

    Attributes
    ----------
    words
        Those that occur.
    codes
        For each row which of them; -1 for an empty cell.
    """

    words: tuple[str, ...]
    codes: NDArray[np.integer[Any]]


Columns = Mapping[str, Real | str | Words | None]
"""Values by field: one for all rows, or one a row."""

Rows = slice | NDArray[np.intp]
Block = tuple[Rows, Mapping[str, Real | str | None]]
"""Which rows, and their values by field: words are single."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What the rows cost.

    Attributes
    ----------
    table
        An output a line, a row a column. Of no meaning if there are faults.
    estimates
        Inputs that any row rests on and that are only estimates.
    faults
        What is wrong, each with the first rows that have it; empty if all is well.
    """

    table: NDArray[np.float64]
    estimates: tuple[str, ...]
    faults: tuple[Fault, ...]


def cost_columns(
    given: Columns,
    size: int,
    refused: Collection[str] = (),
    rows: Any = None,
    outputs: Collection[str] = OUTPUTS,
    sources: Mapping[str, Figure] | None = None,
) -> Batch:
    """Cost every row of columns that are each checked.

    Parameters
    ----------
    given
        Values by field.
    size
        How many rows there are.
    refused
        Fields whose values were refused before: what else is wrong is found, and nothing costed.
    rows
        Names of the rows, for faults; their numbers from 0 on if not given.
    outputs
        Which of `OUTPUTS` are wanted.
    """
    return cost_blocks(_blocks(given, size), size, refused, rows, outputs, sources)


def cost_blocks(
    blocks: Iterable[Block],
    size: int,
    refused: Collection[str] = (),
    rows: Any = None,
    outputs: Collection[str] = OUTPUTS,
    sources: Mapping[str, Figure] | None = None,
) -> Batch:
    """Cost rows that come in blocks, each with its part of every column.

    Parameters are those of `cost_columns`; a block's words are single.
    """
    rows = np.arange(size) if rows is None else rows
    table = np.empty((len(outputs), size))
    beyond = np.zeros(size, dtype=bool)
    faults: list[Fault] = []
    estimates: set[str] = set()
    for at, values in blocks:
        resolved = resolve(values, refused, rows[at], sources or {})
        faults.extend(resolved.faults)
        if refused or faults:
            continue
        results = cost(resolved.values)
        faults.extend(refusals(resolved.values, results, partial(name_rows, rows=rows[at])))
        estimates.update(estimated(resolved.figures, resolved.values))
        beyond[at] = np.logical_not(np.isfinite(results[TOTAL.name]))
        for line, name in zip(table, outputs, strict=True):
            line[at] = results[name]
    if beyond.any() and not faults:
        faults.append(too_large(name_rows(beyond, rows)))
    return Batch(
        table, tuple(name for name in FIELDS if name in estimates), tuple(dict.fromkeys(faults))
    )


def spans(size: int) -> Iterator[slice]:
    """Yield the rows of each block of a table."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


def _blocks(given: Columns, size: int) -> Iterator[Block]:
    """Yield blocks of rows that are costed alike, with their part of each column.

    They agree in every grouping word, and in which of several ways to say the same they use.
    """
    factors = {name: value for name, value in given.items() if name in GROUPING}
    for name in _WAYS:
        column = given.get(name)
        if isinstance(column, np.ndarray) and (gaps := np.isnan(column)).any():
            factors[name] = Words(("given",), -gaps.astype(np.int8))
    columns = {name: value for name, value in given.items() if not isinstance(value, Words)}
    for rows, words in _groups(factors, size):
        absent = {name: None for name in _WAYS & words.keys() if words[name] is None}
        fixed = {**{name: word for name, word in words.items() if name in GROUPING}, **absent}
        rest = {name: value for name, value in columns.items() if name not in fixed}
        for span in spans(size if isinstance(rows, slice) else len(rows)):
            block: Rows = span if isinstance(rows, slice) else rows[span]
            values = {
                name: value[block] if isinstance(value, np.ndarray) else value
                for name, value in rest.items()
            }
            yield block, {**values, **fixed}


def _groups(factors: Columns, size: int) -> Iterator[tuple[Rows, dict[str, str | None]]]:
    """Yield the rows of each combination of words that occurs, and the words."""
    columns = {name: value for name, value in factors.items() if isinstance(value, Words)}
    if not columns:
        yield slice(0, size), {}
        return
    code, codes = np.zeros(size, dtype=np.int64), 1
    for column in columns.values():
        width = len(column.words) + 1
        if codes > LARGEST_CODE // width:
            code, codes = np.unique(code, return_inverse=True)[1], size
        code, codes = code * width + column.codes, codes * width
    present = np.unique(code)
    for number in present:
        rows = slice(0, size) if present.size == 1 else np.flatnonzero(code == number)
        first = 0 if isinstance(rows, slice) else rows[0]
        yield rows, {name: _word(column, first) for name, column in columns.items()}


def _word(column: Words, row: int | np.intp) -> str | None:
    code = column.codes[row]
    return None if code < 0 else column.words[code]

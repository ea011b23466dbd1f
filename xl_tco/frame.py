"""Many scenarios at once: a DataFrame of inputs in, a DataFrame of costs out.

A row is a scenario; columns are the fields of `xl_tco.fields`; NaN or None is an empty cell, which
takes the default. Rows are costed together, group by group of equal accelerator, precision and
procurement, by the very functions that cost a single one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from xl_tco.core._arrays import Real
from xl_tco.errors import Fault, InputError, spelling, unknown_word
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.model import cost
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.plain import is_empty, shown, sort_of, to_float
from xl_tco.resolve import merge, name_rows, resolve
from xl_tco.result import estimated, too_large
from xl_tco.scenario import Scenario, words

__all__ = ["evaluate_frame"]

OUTPUTS = (*(f"{name}_usd" for name in COMPONENTS), TOTAL.name, *METRICS)
GROUPING = ("accelerator", "precision", "procurement")
BLOCK = 16_384  # rows costed at a time: a block's columns stay in the processor's cache

Rows = slice | NDArray[np.intp]
Column = NDArray[np.float64] | pd.Categorical


def evaluate_frame(df: pd.DataFrame, base: Scenario | None = None) -> pd.DataFrame:
    """Cost every row of a table.

    Parameters
    ----------
    df
        One scenario a row; columns are field names.
    base
        Scenario that every row varies: its figures stand in for columns that ``df`` has not.

    Returns
    -------
    The index of ``df``; a column ``<component>_usd`` for every component (0 where a row does not
    pay it), ``total_usd``, and every metric (NaN where it rests on a figure nobody has given).
    ``attrs["estimates"]`` names the inputs that are only estimates, for any of the rows.

    Raises
    ------
    InputError
        With every fault of the table, each with the first rows that have it.
    """
    columns, faults = _read(df)
    refused = {fault.field for fault in faults}
    estimates: set[str] = set()
    table_values = cast(dict[str, Real | str | None], columns)
    given = merge(base.given if base else {}, table_values)
    table = np.empty((len(OUTPUTS), len(df)))
    for rows, block in _blocks(given, len(df)):
        resolved = resolve(block, refused, df.index[rows])
        faults.extend(resolved.faults)
        if not faults:
            outputs = cost(resolved.values)
            estimates |= set(estimated(resolved.figures, resolved.values["procurement"]))
            for line, name in zip(table, OUTPUTS, strict=True):
                line[rows] = outputs[name]
    beyond = ~np.isfinite(table[OUTPUTS.index(TOTAL.name)])
    if beyond.any() and not faults:
        faults.append(too_large(name_rows(beyond, df.index)))
    if faults:
        raise InputError(list(dict.fromkeys(faults)), "table")
    costs = pd.DataFrame(table.T, index=df.index, columns=list(OUTPUTS), copy=False)
    costs.attrs["estimates"] = tuple(name for name in FIELDS if name in estimates)
    return costs


def _blocks(
    given: dict[str, Real | str | None], size: int
) -> Iterator[tuple[Rows, dict[str, Real | str | None]]]:
    """Yield blocks of rows that agree in every grouping word, with their part of each column."""
    for rows, group_words in _groups(given, size):
        count = size if isinstance(rows, slice) else len(rows)
        for start in range(0, count, BLOCK):
            end = min(start + BLOCK, count)
            block: Rows = slice(start, end) if isinstance(rows, slice) else rows[start:end]
            values = {
                name: value[block] if isinstance(value, np.ndarray) else value
                for name, value in given.items()
                if name not in group_words
            }
            yield block, {**values, **group_words}


def _groups(
    given: dict[str, Real | str | None], size: int
) -> Iterator[tuple[Rows, dict[str, str | None]]]:
    """Yield the rows of each combination of grouping words that occurs."""
    factors = {
        name: cast(pd.Categorical, value)
        for name, value in given.items()
        if isinstance(value, pd.Categorical)
    }
    grouping = {name: factor for name, factor in factors.items() if name in GROUPING}
    ignored: dict[str, str | None] = dict.fromkeys(set(factors) - set(grouping))
    code = np.zeros(size, dtype=np.intp)
    for factor in grouping.values():
        code = code * (len(factor.categories) + 1) + factor.codes
    present = np.unique(code)
    for number in present:
        rows = slice(0, size) if present.size == 1 else np.flatnonzero(code == number)
        first = 0 if isinstance(rows, slice) else rows[0]
        picked = {name: _word(factor, first) for name, factor in grouping.items()}
        yield rows, {**ignored, **picked}


def _word(factor: pd.Categorical, row: int | np.intp) -> str | None:
    code = factor.codes[row]
    return None if code < 0 else str(factor.categories[code])


def _read(df: pd.DataFrame) -> tuple[dict[str, Column], list[Fault]]:
    """Check the columns one by one: the good ones, and the faults of the others."""
    columns: dict[str, Column] = {}
    faults: list[Fault] = []
    for name in df.columns:
        field = FIELDS.get(str(name))
        if field is None:
            problem = f"no such field{spelling(str(name), list(FIELDS))}"
            allowed = "the fields are listed by: xl-tco schema"
            faults.append(Fault("unknown key", str(name), problem, allowed))
        elif list(df.columns).count(name) > 1:
            faults.append(
                Fault("conflict", field.name, "the column is there twice", "give it once")
            )
        elif field.is_number:
            columns[field.name] = _numbers(df[name], field, faults)
        else:
            columns[field.name] = _words(df[name], field, faults)
    return columns, faults


def _numbers(series: pd.Series, field: Field, faults: list[Fault]) -> NDArray[np.float64]:
    """Return a column of numbers, an empty cell as NaN; add what is wrong with it to ``faults``."""
    if series.dtype.kind in "iuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = _cell_numbers(series, field, faults)
    outside = cast(Number, field.domain).excludes(values)
    if outside.any():
        problem = f"{values[outside][0]:g} is out of range"
        place = name_rows(outside, series.index)
        faults.append(Fault("range", field.name, problem, field.allowed, place))
    return values


def _cell_numbers(series: pd.Series, field: Field, faults: list[Fault]) -> NDArray[np.float64]:
    """Return a column of cells of any sort as numbers, one by one."""
    cells = series.astype(object).to_list()
    numbers = [to_float(cell) for cell in cells]
    wrong = [n is None and not _is_blank(c) for n, c in zip(numbers, cells, strict=True)]
    if any(wrong):
        cell = cells[wrong.index(True)]
        problem = f"{shown(cell)} is {sort_of(cell)}"
        place = name_rows(wrong, series.index)
        faults.append(Fault("type", field.name, problem, field.allowed, place))
    return np.array([np.nan if number is None else number for number in numbers], dtype=float)


def _is_blank(cell: object) -> bool:
    return is_empty(cell) or cell is pd.NaT


def _words(series: pd.Series, field: Field, faults: list[Fault]) -> pd.Categorical:
    """Return a column of words; add what is wrong with it to ``faults``."""
    try:
        column = pd.Categorical(series)
    except (TypeError, ValueError):  # lists and the like, which are no words
        wrong = series.map(lambda cell: not isinstance(cell, str) and not is_empty(cell)).to_numpy()
        cell = series[wrong].iloc[0]
        problem, place = f"{shown(cell)} is {sort_of(cell)}", name_rows(wrong, series.index)
        faults.append(Fault("type", field.name, problem, field.allowed, place))
        return pd.Categorical([None] * len(series))
    if "" in column.categories:
        column = column.remove_categories("")
    known = words(field)
    for category in column.categories:
        if not isinstance(category, str):
            problem = f"{shown(category)} is {sort_of(category)}"
            fault = Fault("type", field.name, problem, field.allowed)
        elif known and category not in known:
            fault = unknown_word(category, known, field.name, field.label.lower())
        else:
            continue
        rows = column == category
        if rows.any():  # a categorical column may know words that no row uses
            faults.append(replace(fault, place=name_rows(rows, series.index)))
    return column

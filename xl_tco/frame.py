"""Many scenarios at once: a DataFrame of inputs in, a DataFrame of costs out.

A row is a scenario; columns are the fields of `xl_tco.fields`; NaN or None is an empty cell, which
takes the default. This module checks the columns; `xl_tco.batch` costs them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from xl_tco.batch import OUTPUTS, Words, cost_columns
from xl_tco.errors import Fault, InputError, spelling, unknown_word
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.plain import is_empty, shown, sort_of, to_float
from xl_tco.resolve import merge, name_rows
from xl_tco.scenario import Scenario, words

__all__ = ["evaluate_frame"]

Column = NDArray[np.float64] | Words


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
    given = merge(base.given if base else {}, cast(dict[str, Any], columns))
    published = base.published if base else {}
    sources = {name: figure for name, figure in published.items() if name not in columns}
    batch = cost_columns(given, len(df), refused, df.index, sources=sources)
    faults.extend(batch.faults)
    if faults:
        raise InputError(list(dict.fromkeys(faults)), "table")
    costs = pd.DataFrame(batch.table.T, index=df.index, columns=list(OUTPUTS), copy=False)
    costs.attrs["estimates"] = batch.estimates
    return costs


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
            column = _words(df[name], field, faults)
            if (column.codes >= 0).any():  # a column of empty cells is as if it were not there
                columns[field.name] = Words(tuple(column.categories), column.codes)
    return columns, faults


def _numbers(series: pd.Series, field: Field, faults: list[Fault]) -> NDArray[np.float64]:
    """Return a column of numbers, an empty cell as NaN; add what is wrong with it to ``faults``."""
    if series.dtype.kind in "iuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = _cell_numbers(series, field, faults)
    with np.errstate(invalid="ignore"):  # the fraction of an infinite number
        outside = cast(Number, field.domain).excludes(values)
    if outside.any():
        problem = f"{values[outside][0]:g} is out of range"
        place = name_rows(outside, series.index)
        faults.append(Fault("range", field.name, problem, field.allowed, place))
        values = np.where(outside, np.nan, values)
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
    known = words(field)
    refused: list[object] = []
    for category in column.categories:
        if not isinstance(category, str):
            problem = f"{shown(category)} is {sort_of(category)}"
            fault = Fault("type", field.name, problem, field.allowed)
        elif known and category and category not in known:
            fault = unknown_word(category, known, field.name, field.label.lower())
        else:
            continue
        refused.append(category)
        rows = column == category
        if rows.any():  # a categorical column may know words that no row uses
            faults.append(replace(fault, place=name_rows(rows, series.index)))
    return column.remove_categories([*refused, *({""} & {*column.categories})])

"""The spreadsheet functions: one table, read by every host.

A row says what the function is called, what it takes and gives, and which formula it stands for.
Excel through xlwings, the calculation without Excel, and the documentation all read it here; to add
a function, add a row to `xl_tco.functions.rows`, and a line in ``udfs/tco_udfs.py``.

Arguments come in one order: what is trained (FLOPs, parameters, tokens, sizes), the cluster
(accelerators, peak, memory), rates and shares, then options. Functions of a whole scenario take
its inputs, what is asked, overrides, then options. The argument of a field has the field's name,
unit and range.

Some hosts hand over 0 for an argument left out before others: so the default of an optional number
is 0, or 0 is not in its range and counts as left out.

This module imports nothing heavier than NumPy: a spreadsheet waits for it.
"""

from __future__ import annotations

from xl_tco.functions.function import Function
from xl_tco.functions.rows import cluster, failures, figures, models, money, run, scenarios

__all__ = ["FUNCTIONS", "TOPICS"]

_ROWS = (
    *run.ROWS,
    *models.ROWS,
    *cluster.ROWS,
    *failures.ROWS,
    *money.ROWS,
    *scenarios.ROWS,
    *figures.ROWS,
)

FUNCTIONS: dict[str, Function] = {function.name: function for function in _ROWS}
"""Every spreadsheet function, by name."""

TOPICS: tuple[tuple[str, tuple[Function, ...]], ...] = (
    ("A whole training run", scenarios.ROWS),
    ("FLOPs, hours and utilization", run.ROWS),
    ("Size of a model", models.ROWS),
    ("Size of a cluster", cluster.ROWS),
    ("Failures and checkpoints", failures.ROWS),
    ("Electricity, rent and depreciation", money.ROWS),
    ("Figures of the catalogue", figures.ROWS),
)
"""Every function once, by what it is about."""

"""The simulation of a scenario whose figures are uncertain, given as ranges of a spreadsheet.

Cells ask for one percentile after another, and for the bars of a chart one by one: the samples are
drawn once, and kept. As in `xl_tco.functions.costing`, what this needs is loaded when it is first
called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xl_tco.cells import Range
from xl_tco.errors import Fault, InputError
from xl_tco.fields import FIELDS
from xl_tco.functions.costing import laid_over, once
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

if TYPE_CHECKING:
    from xl_tco.analysis.uncertainty import Sample

__all__ = [
    "BINS",
    "MOST_BINS",
    "OUTPUTS",
    "given_ranges",
    "histogram",
    "percentile",
    "without_scipy_refused",
]

Table = Mapping[str, object]
Ranges = Mapping[str, Range]
Pairs = tuple[tuple[str, str, float], ...]

OUTPUTS = (TOTAL.name, *(f"{name}_usd" for name in COMPONENTS), *METRICS)
"""What may be simulated; the first is the default."""

BINS, MOST_BINS = 30, 1000
"""Bars of a histogram: those that `xl_tco.analysis.uncertainty` draws, and at most."""

_KEPT = 16
"""Sets of samples: each takes 8 bytes a sample, 80 kB by default."""

_COLUMNS = {
    "uniform": ("low", "mode", "high"),
    "normal": ("low", "mean", "sd"),
    "lognormal": ("p10", "mode", "p90"),
}
"""What the columns of numbers are for a distribution; of one that is not here, the last one."""

_ORDINARY = ("low", "mode", "high")


def percentile(
    inputs: Table,
    ranges: Ranges,
    percentile: Any,
    correlations: Pairs,
    overrides: Table,
    output: str,
    samples: float,
    seed: float,
) -> Any:
    """Percentile of an output over the ranges, or each of several, of one simulation."""
    wanted = np.round(np.ravel(percentile), 12).tolist()
    each = list(dict.fromkeys(wanted))
    drawn = _samples(inputs, overrides, ranges, correlations, output, samples, seed)
    try:
        summary = drawn.summary(each)
    except InputError as error:
        raise InputError([_renamed(fault) for fault in error.faults]) from None
    found = dict(zip(each, summary.percentiles.values(), strict=True))
    values = np.array([found[share].value for share in wanted])
    return values.reshape(np.shape(percentile)) if np.ndim(percentile) else float(values[0])


def histogram(
    inputs: Table,
    ranges: Ranges,
    correlations: Pairs,
    overrides: Table,
    output: str,
    bins: float,
    samples: float,
    seed: float,
) -> list[list[float]]:
    """Share of the samples of an output between each two edges."""
    drawn = _samples(inputs, overrides, ranges, correlations, output, samples, seed)
    bars = drawn.summary(bars=int(bins)).histogram
    shares = (count / samples for count in bars.counts)
    return [list(row) for row in zip(bars.edges, bars.edges[1:], shares, strict=False)]


def _drawn(
    inputs: Table,
    overrides: Table,
    ranges: Ranges,
    correlations: Pairs,
    output: str,
    samples: float,
    seed: float,
) -> Sample:
    from xl_tco.analysis.uncertainty import draw
    from xl_tco.scenario import Scenario

    table = laid_over(laid_over(inputs, overrides), given_ranges(ranges))
    if correlations:
        table["correlations"] = correlations
    with without_scipy_refused():
        drawn = draw(Scenario.from_table(table), int(samples), int(seed), output)
    drawn.values.setflags(write=False)  # they are shared
    return drawn


_samples = once(_drawn, _KEPT)


@contextmanager
def without_scipy_refused() -> Iterator[None]:
    """Say that SciPy is missing where it is asked for: LibreOffice's own Python has none."""
    try:
        yield
    except ImportError:
        problem = "this Python lacks SciPy, which all but triangular and uniform ranges need"
        allowed = "install the package scipy, or leave correlations and other distributions out"
        raise InputError([Fault("conflict", "ranges", problem, allowed)]) from None


def given_ranges(ranges: Ranges) -> dict[str, Any]:
    """Return ranges as a scenario has them."""
    for name in ranges:
        if name in FIELDS and not FIELDS[name].is_number:
            problem = "it holds a word, which has no range"
            raise InputError([Fault("type", name, problem, "give ranges of fields of a number")])
    return {name: _distribution(given) for name, given in ranges.items()}


def _distribution(given: Range) -> dict[str, float | str]:
    """Return a range as a scenario has it: what is empty is left out."""
    *numbers, kind = given
    names = _COLUMNS.get(str(kind), _ORDINARY)
    table: dict[str, Any] = {
        name: number for name, number in zip(names, numbers, strict=True) if number is not None
    }
    return table | ({"distribution": kind} if kind else {})


def _renamed(fault: Fault) -> Fault:
    return replace(fault, field="percentile") if fault.field == "percentiles" else fault

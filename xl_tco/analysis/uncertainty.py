"""What a run may cost when its figures are uncertain: a simulation of the scenario's ranges.

Samples are independent draws of all fields that are given as ranges, costed as the rows of a table
are.

Percentiles, histogram and shares of the variance are those of `xl_tco.analysis._statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from xl_tco.analysis._draws import Draws
from xl_tco.analysis._statistics import (
    Histogram,
    Percentile,
    histogram,
    moments,
    percentile,
    shares,
)
from xl_tco.analysis.variants import output_of, status_of
from xl_tco.batch import OUTPUTS, cost_blocks
from xl_tco.correlations import correlated_fields
from xl_tco.distributions import Distribution
from xl_tco.errors import Fault, FaultKind, InputError, unknown_word
from xl_tco.outputs import COMPONENTS, TOTAL
from xl_tco.plain import shown, sort_of, to_float
from xl_tco.resolve import name_rows
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BARS",
    "MOST_BARS",
    "SCHEMA",
    "Histogram",
    "Percentile",
    "Sample",
    "Simulation",
    "draw",
    "simulate",
]

SCHEMA = "xl-tco/simulation/1"

Array = NDArray[np.float64]

LEAST, MOST = 100, 10_000_000
TAIL = 5  # samples beyond a percentile, at least: with fewer, its standard error is none
BARS, MOST_BARS = 30, 1000


@dataclass(frozen=True, slots=True)
class Simulation:
    """The distribution of one output of a scenario.

    Attributes
    ----------
    output
        Its name.
    point
        The output with every range at the one value that stands for it.
    percentiles
        By name: P10, P50, P90 …
    mean, standard_error, sd
        Mean of the samples and its standard error, and their standard deviation.
    histogram
        Counts of the samples.
    ranges
        What was uncertain: the distribution of each field.
    variance_shares
        Share of the variance by field, largest first. Without correlations they add up to at most
        1, but for chance.
    interactions
        Share of the variance that no field explains alone; None where fields are correlated.
    overlapping
        The correlated fields, whose shares overlap.
    samples, seed
        What the same numbers can be had with again.
    estimates
        Inputs that the output rests on and that are only estimates.
    """

    output: str
    point: float
    percentiles: Mapping[str, Percentile]
    mean: float
    standard_error: float
    sd: float
    histogram: Histogram
    ranges: Mapping[str, Distribution]
    variance_shares: Mapping[str, float]
    interactions: float | None
    overlapping: tuple[str, ...]
    samples: int
    seed: int
    estimates: tuple[str, ...]

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain data."""
        return {
            "schema": SCHEMA,
            "output": self.output,
            "point": self.point,
            "percentiles": {
                name: {"value": at.value, "standard_error": at.standard_error}
                for name, at in self.percentiles.items()
            },
            "mean": self.mean,
            "standard_error": self.standard_error,
            "sd": self.sd,
            "histogram": {
                "edges": list(self.histogram.edges),
                "counts": list(self.histogram.counts),
            },
            "ranges": {name: values.to_dict() for name, values in self.ranges.items()},
            "variance_shares": dict(self.variance_shares),
            "interactions": self.interactions,
            "overlapping": list(self.overlapping),
            "samples": self.samples,
            "seed": self.seed,
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the percentiles as a table: value and standard error."""
        import pandas as pd

        rows = [(at.value, at.standard_error) for at in self.percentiles.values()]
        index = pd.Index(self.percentiles, name="percentile")
        return pd.DataFrame(rows, index=index, columns=["value", "standard_error"])


@dataclass(frozen=True, slots=True)
class Sample:
    """The samples of one output: what any number of percentiles and bars can be had of.

    Attributes
    ----------
    scenario
        The run that was drawn from.
    output
        Name of the output.
    point
        The output with every range at the one value that stands for it.
    values
        The samples by size.
    mean, sd
        Their mean and standard deviation.
    variance_shares
        Share of the variance by field, largest first.
    seed
        What they were drawn with.
    estimates
        Inputs that the output rests on and that are only estimates.
    """

    scenario: Scenario
    output: str
    point: float
    values: Array
    mean: float
    sd: float
    variance_shares: Mapping[str, float]
    seed: int
    estimates: tuple[str, ...]

    def summary(self, percentiles: Sequence[float] = (10, 50, 90), bars: int = BARS) -> Simulation:
        """Return what `simulate` says of these samples."""
        samples = self.values.size
        wanted = _percentages(percentiles, samples)
        bars = _whole(bars, "bars", 1, MOST_BARS)
        overlapping = correlated_fields(self.scenario.correlations)
        left = 1.0 - sum(self.variance_shares.values()) if self.sd > 0.0 else 0.0
        return Simulation(
            self.output,
            self.point,
            {f"P{at:.15g}": percentile(self.values, at / 100.0) for at in wanted},
            self.mean,
            self.sd / math.sqrt(samples),
            self.sd,
            histogram(self.values, bars),
            dict(self.scenario.ranges),
            dict(self.variance_shares),
            None if overlapping else left,
            overlapping,
            samples,
            self.seed,
            self.estimates,
        )


def simulate(
    scenario: Scenario,
    samples: int = 100_000,
    seed: int = 0,
    output: str = TOTAL.name,
    percentiles: Sequence[float] = (10, 50, 90),
    bars: int = BARS,
) -> Simulation:
    """Draw the ranges of a scenario many times, and see how an output is distributed.

    Parameters
    ----------
    scenario
        The run, with at least one range.
    samples
        How many draws: standard errors fall with its square root.
    seed
        The same seed gives the same numbers.
    output
        The total, a component such as ``power_usd``, or a metric.
    percentiles
        Which to estimate, in %.
    bars
        How many bars the histogram has.

    Raises
    ------
    InputError
        If an argument is not allowed, if nothing is uncertain, or with what is wrong with samples.
    """
    samples = _whole(samples, "samples", LEAST, MOST)
    seed = _whole(seed, "seed", 0, 2**63 - 1)
    wanted = _percentages(percentiles, samples)
    bars = _whole(bars, "bars", 1, MOST_BARS)
    return draw(scenario, samples, seed, output).summary(wanted, bars)


def draw(
    scenario: Scenario, samples: int = 100_000, seed: int = 0, output: str = TOTAL.name
) -> Sample:
    """Draw the ranges of a scenario many times, as `simulate` does, and keep the samples.

    Raises
    ------
    InputError
        As `simulate` does.
    """
    samples = _whole(samples, "samples", LEAST, MOST)
    seed = _whole(seed, "seed", 0, 2**63 - 1)
    if output not in OUTPUTS:
        raise InputError([unknown_word(str(output), OUTPUTS, "output", "output")])
    if not scenario.ranges:
        allowed = "give at least one, like mfu = {low = 0.35, mode = 0.40, high = 0.45}"
        fault = Fault("missing", "ranges", "no field of the scenario is a range", allowed)
        raise InputError([fault], scenario.name)
    result = evaluate(scenario)
    point = _output_of(result, output)
    draws = Draws(scenario, samples, seed)
    names = range(1, samples + 1)
    batch = cost_blocks(draws.blocks(), samples, rows=names, outputs=(output,))
    _refuse(batch.faults, scenario)
    values = batch.table[0]
    _refuse(_gaps(values, output), scenario)
    mean, sd = moments(values)
    explained = shares(values, draws) if sd > 0.0 else dict.fromkeys(scenario.ranges, 0.0)
    explained = dict(sorted(explained.items(), key=lambda item: -item[1]))
    values.sort()
    return Sample(scenario, output, point, values, mean, sd, explained, seed, result.estimates)


# Arguments, and samples that are no scenario


def _whole(value: object, argument: str, low: int, high: int) -> int:
    number = to_float(value)
    if number is None:
        problem, kind = f"{shown(value)} is {sort_of(value)}", "type"
    elif low <= number <= high and number.is_integer():
        return int(cast(int, value))
    else:
        problem, kind = f"{shown(value)} is out of range", "range"
    allowed = f"give a whole number from {low:,} to {high:,}"
    raise InputError([Fault(cast(FaultKind, kind), argument, problem, allowed)])


def _percentages(values: object, samples: int) -> list[float]:
    """Check which percentiles are wanted."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        problem, allowed = f"{shown(values)} is {sort_of(values)}", "give a list like [10, 50, 90]"
        raise InputError([Fault("type", "percentiles", problem, allowed)])
    found: list[float] = []
    least = 100.0 * TAIL / samples
    for value in values:
        number = to_float(value)
        if number is None:
            problem = f"{shown(value)} is {sort_of(value)}"
            raise InputError([Fault("type", "percentiles", problem, "give numbers")])
        if not least <= number <= 100.0 - least:
            problem = f"{shown(value)} is out of range"
            allowed = (
                f"give percentiles from {least:g} to {100.0 - least:g}, or more samples than "
                f"{samples:,}: {TAIL} must lie beyond one for it to have a standard error"
            )
            raise InputError([Fault("range", "percentiles", problem, allowed)])
        found.append(number)
    return found


def _output_of(result: Result, name: str) -> float:
    component = name.removesuffix("_usd")
    if component in COMPONENTS:
        return result.components.get(component, 0.0)
    return output_of(result, name)


def _refuse(faults: Sequence[Fault], scenario: Scenario) -> None:
    """Raise the faults of samples: each once, with the first samples that have it."""
    first: dict[tuple[str, str, str], Fault] = {}
    for fault in faults:
        numbers = fault.place.removeprefix("row ").partition(" and ")[0]
        place = f"as in sample {numbers} of the ranges"
        first.setdefault((fault.kind, fault.field, fault.allowed), replace(fault, place=place))
    if first:
        raise InputError(list(first.values()), scenario.name)


def _gaps(values: Array, output: str) -> list[Fault]:
    gaps = np.logical_not(np.isfinite(values))
    if not gaps.any():
        return []
    place = name_rows(gaps, range(1, values.size + 1))
    problem = "it has no value: there is nothing to divide by"
    return [Fault("range", output, problem, "give ranges that end above 0", place)]

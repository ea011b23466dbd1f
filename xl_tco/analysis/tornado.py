"""What moves the cost: every input at a low and at a high value, the others as they are.

The ends of an input are, in this order: those asked for; those of the scenario's own range (its
10th and 90th percentile); those of the catalogue, where its figure stands in; else a swing to
either side. They stay in the field's domain. Changes one at a time leave out what inputs do
together: the case of all of them at their better and their worse end stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, nextafter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from xl_tco import catalogue
from xl_tco.analysis.variants import (
    number_field,
    output,
    output_of,
    output_word,
    status_of,
    unit_of,
)
from xl_tco.errors import Fault, InputError
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.outputs import TOTAL
from xl_tco.resolve import default_entry
from xl_tco.result import evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["QUANTILES", "SCHEMA", "Bar", "Tornado", "bar_of", "catalogued", "known_ends", "tornado"]

SCHEMA = "xl-tco/tornado/1"

QUANTILES = (0.1, 0.9)
"""Percentiles of a range at which its bar ends."""

Span = tuple[float, float, str]
"""The ends of an input, and where they come from."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One input, and what the output is at its ends.

    Attributes
    ----------
    field, label, unit
        The input.
    value
        What it is in the scenario.
    low, high
        Its ends. An end that makes no scenario (an HFU above 1) is left at the value.
    output_low, output_high
        The output there: not always the lower and the higher.
    source
        Where the ends come from.
    """

    field: str
    label: str
    unit: str
    value: float
    low: float
    high: float
    output_low: float
    output_high: float
    source: str

    @property
    def width(self) -> float:
        """How far apart the outputs are."""
        return abs(self.output_high - self.output_low)

    def to_dict(self) -> dict[str, Any]:
        """Return the bar as plain data."""
        names = ("field", "label", "unit", "value", "low", "high", "output_low", "output_high")
        return {name: getattr(self, name) for name in names} | {
            "width": self.width,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Tornado:
    """The bars, widest first.

    Attributes
    ----------
    output
        Name of the total or of the metric.
    value
        The output of the scenario itself.
    bars
        One an input.
    best, worst
        The output with every input at the end where it makes the output lowest, and highest; None
        where these ends together make no scenario.
    estimates
        Inputs that the output rests on and that are only estimates.
    """

    output: str
    value: float
    bars: tuple[Bar, ...]
    best: float | None
    worst: float | None
    estimates: tuple[str, ...]

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the tornado as plain data."""
        return {
            "schema": SCHEMA,
            "output": self.output,
            "value": self.value,
            "bars": [bar.to_dict() for bar in self.bars],
            "best": self.best,
            "worst": self.worst,
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the bars as a table by field, widest first."""
        import pandas as pd

        columns = ["field", "label", "unit", "value", "low", "high", "output_low", "output_high"]
        rows = [bar.to_dict() for bar in self.bars]
        return pd.DataFrame(rows, columns=[*columns, "width", "source"]).set_index("field")


def tornado(
    scenario: Scenario,
    fields: Sequence[str] | None = None,
    swing: float = 0.1,
    output: str = TOTAL.name,
    spans: Mapping[str, tuple[float, float]] | None = None,
) -> Tornado:
    """Move one input at a time, and see what the output does.

    Parameters
    ----------
    scenario
        The run.
    fields
        Inputs to move. If None: all that have a value, but for those that make no difference.
    swing
        How far to move an input of which no range is known, as a share of it.
    output
        ``total_usd`` or a metric.
    spans
        Ends of an input, by field: they are moved as well, and first of all.

    Raises
    ------
    InputError
        If a field or the output does not exist, or an input that was asked for has no value.
    """
    output_word(output, "output")
    if not (isfinite(swing) and swing > 0.0):
        fault = Fault("range", "swing", f"{swing} is out of range", "give a share above 0")
        raise InputError([fault])
    spans = spans or {}
    asked = None if fields is None else tuple(dict.fromkeys((*fields, *spans)))
    for name in (*(asked or ()), *spans):
        number_field(name, "fields")
    result = evaluate(scenario)
    value = output_of(result, output)
    bars = []
    for name in asked if asked is not None else [n for n, f in FIELDS.items() if f.is_number]:
        now = scenario.values[name]
        if now is not None:
            bar = bar_of(
                scenario, FIELDS[name], _span(scenario, FIELDS[name], swing, spans), output
            )
            if asked is not None or name in spans or bar.width > 0.0:
                bars.append(bar)
        elif asked is not None or name in spans:
            problem = "it has no value in this scenario"
            raise InputError([Fault("missing", name, problem, "give it in the scenario")])
    bars.sort(key=lambda bar: -bar.width)
    best, worst = (_together(scenario, bars, output, pick) for pick in (min, max))
    return Tornado(output, value, tuple(bars), best, worst, result.estimates)


def _span(
    scenario: Scenario, field: Field, swing: float, spans: Mapping[str, tuple[float, float]]
) -> Span:
    """Return the ends of a field and where they come from."""
    if field.name in spans:
        low, high = spans[field.name]
        for end in (low, high):
            if cast(Number, field.domain).excludes(end):
                fault = Fault("range", field.name, f"{end:g} is out of range", field.allowed)
                raise InputError([fault], "spans")
        return float(low), float(high), "as asked for"
    return known_ends(scenario, field) or swung(scenario, field, swing)


def known_ends(scenario: Scenario, field: Field) -> Span | None:
    """Return the ends that are known of a field: of the scenario's range, or of the catalogue's."""
    if field.name in scenario.ranges:
        low, high = scenario.ranges[field.name].quantile(np.array(QUANTILES))
        return float(low), float(high), "range of the scenario, 10% to 90%"
    return catalogued(scenario, field)


def catalogued(scenario: Scenario, field: Field) -> Span | None:
    """Return the ends that the catalogue gives to the figure that stands in."""
    entry = default_entry(field, scenario.values)
    if entry is None or entry.value != scenario.values[field.name]:
        return None  # given: what is known of the catalogue's figure says nothing of it
    key = str(scenario.values["accelerator"])
    ends = [catalogue.find(key, f"{field.name}_{end}") for end in ("low", "high")]
    low, high = (None if end is None or end.value is None else float(end.value) for end in ends)
    return None if low is None or high is None else (low, high, f"catalogue, {key}")


def swung(scenario: Scenario, field: Field, swing: float) -> Span:
    """Return the ends of a swing to either side, within the domain."""
    value = float(scenario.values[field.name])
    domain = cast(Number, field.domain)
    low, high = value * (1.0 - swing), value * (1.0 + swing)
    asked = (low, high)
    if unit := unit_of(scenario, field):
        low, high = floor(low / unit) * unit, ceil(high / unit) * unit
    least = nextafter(domain.low, domain.high) if domain.low_open else domain.low
    most = nextafter(domain.high, domain.low) if domain.high_open else domain.high
    low, high = float(max(low, least)), float(min(high, most))
    source = f"± {swing:.0%}"
    return low, high, source if (low, high) == asked else f"{source}, as far as it may"


def bar_of(scenario: Scenario, field: Field, span: Span, name: str) -> Bar:
    """Return the output at both ends of a field that has a value."""
    low, high, source = span
    value = float(scenario.values[field.name])
    ends = []
    for end in (low, high):
        try:
            ends.append((end, output(scenario.replace(**{field.name: end}), name)))
        except InputError:
            ends.append((value, output(scenario, name)))
    (low, output_low), (high, output_high) = ends
    return Bar(
        field.name, field.label, field.unit, value, low, high, output_low, output_high, source
    )


def _together(
    scenario: Scenario, bars: Sequence[Bar], name: str, pick: Callable[..., Any]
) -> float | None:
    """Return the output with every field at the end that ``pick`` prefers."""
    changes = {}
    for bar in bars:
        _, end = pick((bar.output_low, bar.low), (bar.output_high, bar.high))
        changes[bar.field] = end
    try:
        return output(scenario.replace(**changes), name)
    except InputError:
        return None

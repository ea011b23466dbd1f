"""What an input would have to be: the inverse of the cost, for any field and any output.

Where the structure of the cost gives the inverse in closed form (`xl_tco.core.decisions`), that is
the answer if the run, costed with it, hits the target; it does not where waste or MFU are worked
out from the bottom up, or where depreciation goes by age. Then, and for every other pair, the field
is searched over its domain, outwards from what it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from xl_tco.analysis.search import Bracket, Sample, look, root, whole_root
from xl_tco.analysis.variants import (
    amount,
    number_field,
    output,
    output_of,
    output_word,
    status_of,
    unit_of,
)
from xl_tco.core import decisions
from xl_tco.errors import Fault, InputError
from xl_tco.fields import Field, Number
from xl_tco.outputs import TOTAL
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CLOSED_FORM", "SCHEMA", "SEARCH", "Solution", "solve"]

SCHEMA = "xl-tco/solution/1"
CLOSED_FORM, SEARCH = "closed form", "search"
HOURS_PER_DAY = 24.0
TIMES = ("productive_hours", "wall_hours", "wall_days")

TOLERANCE = 1e-9
"""Relative distance from the target at which an inverse counts as exact."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a field that brings an output to its target.

    Attributes
    ----------
    field, value
        The field, and what it would have to be.
    before
        What it is now; None if it is not given.
    target, wanted
        The output and what it was to be.
    method
        ``closed form`` or ``search``.
    whole
        Whether the field counts things: then the output does not exceed what was wanted, and the
        next number would (or would fall further below).
    result
        The run with that value; its output is what was wanted.
    """

    field: str
    value: float
    before: float | None
    target: str
    wanted: float
    method: str
    whole: bool
    result: Result

    @property
    def scenario(self) -> Scenario:
        """The run with that value."""
        return self.result.scenario

    @property
    def reached(self) -> float:
        """The output of the run with that value."""
        return output_of(self.result, self.target)

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that the answer rests on and that are only estimates."""
        return self.result.estimates

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as plain data."""
        return {
            "schema": SCHEMA,
            "field": self.field,
            "value": self.value,
            "before": self.before,
            "target": self.target,
            "wanted": self.wanted,
            "reached": self.reached,
            "method": self.method,
            "whole": self.whole,
            "total_usd": self.result.total_usd,
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the solution as a table of one row."""
        import pandas as pd

        row = {k: v for k, v in self.to_dict().items() if k not in ("schema", "estimates")}
        return pd.DataFrame([row]).set_index("field")


def solve(scenario: Scenario, field: str, **target: float) -> Solution:
    """Find the value of a field that brings an output to a target.

    Parameters
    ----------
    scenario
        The run; all but the field stays as it is.
    field
        A field of a number. One that stands in place of another (`xl_tco.fields.ALTERNATIVES`)
        replaces it: ``mfu``, where ``hfu`` is given. What counts things is a whole number:
        ``accelerators`` (in multiples of tensor times pipeline parallel degree, where the MFU
        follows from those), ``hot_spares`` and every field that holds whole numbers.
    **target
        The output and what it is to be, one of them: ``total_usd=1e6``, ``wall_days=30``, or any
        metric (`xl_tco.outputs.METRICS`).

    Raises
    ------
    InputError
        If no value of the field does it, with what the output is at best; if the field makes no
        difference; if the field or the output does not exist.

    Examples
    --------
    >>> run = Scenario(
    ...     parameters=70e9, tokens=1.4e12, accelerator="h100-sxm", accelerators=1024, mfu=0.4,
    ...     procurement="rent", staff_fte=10, storage_usd_per_hour=50,
    ... )
    >>> solve(run, "accelerators", wall_days=30).value
    637.0
    """
    name, wanted = _target(target)
    known = number_field(field)
    result = evaluate(scenario)
    output_of(result, name)
    unit = unit_of(scenario, known)
    candidate = _closed_form(result, field, name, wanted)
    if candidate is not None and (found := _hit(scenario, known, candidate, name, wanted, unit)):
        value, method = candidate, CLOSED_FORM
    else:
        value, method = _searched(result, known, name, wanted, unit), SEARCH
        found = evaluate(scenario.replace(**{field: value}))
    before = scenario.values[field]
    return Solution(field, value, before, name, wanted, method, unit is not None, found)


def _target(target: Mapping[str, float]) -> tuple[str, float]:
    if len(target) != 1:
        problem = f"{len(target)} outputs are to be reached" if target else "no output is given"
        allowed = "give one output and what it is to be, like total_usd=1e6 or wall_days=30"
        raise InputError([Fault("conflict", "target", problem, allowed)])
    [(name, wanted)] = target.items()
    output_word(name, "target")
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not isfinite(wanted):
        raise InputError([Fault("type", name, f"{wanted!r} is no number", "give a number")])
    return name, float(wanted)


# Closed forms, as candidates: what holds is seen when the run is costed with them.

_Inverse = Callable[[Result, float], Any]


def _fixed(result: Result) -> float:
    return float(result.scenario.values["software_fixed_usd"] or 0.0)


def _rent(result: Result, target: float) -> Any:
    price = result.scenario.values["rental_usd_per_accelerator_hour"]
    rental = result.components.get("rental", 0.0) / cast(float, result.metrics["goodput"])
    if not rental or not price:
        return None
    return decisions.rental_price_for_total(target, price, rental, result.total_usd)


def _fewest(result: Result, hours: float) -> Any:
    values, metrics = result.scenario.values, result.metrics
    return decisions.accelerators_for_deadline(
        cast(float, metrics["project_flops"]),
        hours,
        values["peak_tflops"],
        cast(float, metrics["achieved_mfu"]),
        1.0 - cast(float, metrics["goodput"]),
        values["communication_share"],
    )


def _efficiency(result: Result, hours: float) -> Any:
    values, metrics = result.scenario.values, result.metrics
    return decisions.mfu_for_deadline(
        cast(float, metrics["project_flops"]),
        hours,
        values["accelerators"],
        values["peak_tflops"],
        1.0 - cast(float, metrics["goodput"]),
        values["communication_share"],
    )


def _in_proportion(inverse: Callable[..., Any], figure: str) -> _Inverse:
    """Make an inverse of the total from one that takes the figure now, the total and what is fixed.

    The figure is a field, or the metric of that name.
    """

    def of_total(result: Result, target: float) -> Any:
        now = result.metrics.get(figure) or result.scenario.values.get(figure)
        return inverse(target, now, result.total_usd, _fixed(result)) if now else None

    return of_total


_CLOSED: Mapping[tuple[str, str], _Inverse] = {
    ("tokens", "total_usd"): _in_proportion(decisions.tokens_for_budget, "tokens"),
    ("parameters", "total_usd"): _in_proportion(decisions.parameters_for_budget, "parameters"),
    ("mfu", "total_usd"): _in_proportion(decisions.mfu_for_total, "achieved_mfu"),
    ("hfu", "total_usd"): _in_proportion(decisions.mfu_for_total, "achieved_hfu"),
    ("rental_usd_per_accelerator_hour", "total_usd"): _rent,
    ("accelerators", "wall_hours"): _fewest,
    ("mfu", "wall_hours"): _efficiency,
}


def _closed_form(result: Result, field: str, name: str, wanted: float) -> float | None:
    """Return what the closed form says, if there is one and it is a value that the field has."""
    if name == "wall_days":
        name, wanted = "wall_hours", wanted * HOURS_PER_DAY
    inverse = _CLOSED.get((field, name))
    found = inverse(result, wanted) if inverse and wanted > 0.0 else None
    domain = cast(Number, number_field(field).domain)
    if found is None or not isfinite(found) or domain.excludes(found):
        return None
    return float(found)


def _hit(
    scenario: Scenario, field: Field, value: float, name: str, wanted: float, unit: float | None
) -> Result | None:
    """Return the run with a value if it hits the target; a whole number, if the one below fails."""
    try:
        result = evaluate(scenario.replace(**{field.name: value}))
    except InputError:
        return None
    reached, margin = output_of(result, name), abs(wanted) * TOLERANCE
    if unit is None:
        return result if abs(reached - wanted) <= margin else None
    if reached > wanted + margin or value % unit:
        return None
    fewer = value - unit
    if cast(Number, field.domain).excludes(fewer):
        return result
    try:
        below = output(scenario.replace(**{field.name: fewer}), name)
    except InputError:
        return None
    return result if below > wanted - margin else None


# Search


def _searched(result: Result, field: Field, name: str, wanted: float, unit: float | None) -> float:
    scenario, domain = result.scenario, cast(Number, field.domain)

    def at(value: float) -> float:
        if unit is not None:
            value = max(round(value / unit), 1) * unit if domain.low > 0 else round(value) * 1.0
        return output(scenario.replace(**{field.name: value}), name)

    start = _start(result, field)
    found: Bracket | list[Sample] = []
    if field.name == "accelerators" and name in TIMES:
        # More of them fail more often, so that a time comes twice: the fewest are wanted.
        found = look(at, wanted, start, domain, (False,))
    if not isinstance(found, Bracket):
        found = look(at, wanted, start, domain)
    if not isinstance(found, Bracket):
        raise InputError([_out_of_reach(found, field, name, wanted)], scenario.name)
    if unit is not None:
        return float(whole_root(at, wanted, found, unit))
    value = root(at, wanted, found)
    if abs(at(value) - wanted) > abs(wanted) * 1e-6 + 1e-300:
        problem = f"{field.name} passes it by in a leap at {amount(value)}"
        raise InputError([Fault("range", name, problem, "ask for another value")], scenario.name)
    return value


def _start(result: Result, field: Field) -> float:
    """Return where to begin: the field as it is, or something in its domain."""
    now = result.scenario.values[field.name]
    if now is None:
        now = result.metrics.get(f"achieved_{field.name}")
    if now is not None:
        return float(now)
    domain = cast(Number, field.domain)
    return min(max(domain.low * 2.0, 1e-3), domain.high / 2.0)


def _out_of_reach(tried: list[Any], field: Field, name: str, wanted: float) -> Fault:
    """Say how near the output comes."""
    outputs = [sample.output for sample in tried]
    low, high = (min(outputs), max(outputs)) if outputs else (wanted, wanted)
    if high - low <= abs(high) * TOLERANCE:
        problem = f"{field.name} makes no difference to {name}, which is {amount(high)}"
        return Fault("conflict", "field", problem, "ask for a field that the cost rests on")
    nearest = min(tried, key=lambda sample: abs(sample.output - wanted))
    what = "the total" if name == TOTAL.name else name
    problem = (
        f"{amount(wanted)} is out of reach: even at {field.name} = {amount(nearest.at)} "
        f"{what} is {amount(nearest.output)}"
    )
    allowed = f"ask for a value between {amount(low)} and {amount(high)}, or change another field"
    return Fault("range", name, problem, allowed)

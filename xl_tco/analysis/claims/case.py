"""What every claim of `xl_tco.analysis.claims` is put to: a scenario with its cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xl_tco import catalogue
from xl_tco.analysis.variants import estimates_of
from xl_tco.result import Result
from xl_tco.scenario import Scenario

__all__ = ["H100", "TEN_THOUSAND", "Case", "DoesNotApplyError", "Measures", "Value", "quotient"]

H100 = "h100-sxm"
TEN_THOUSAND = 10_000.0


class DoesNotApplyError(Exception):
    """A claim says nothing of this scenario: a sentence why."""


@dataclass(frozen=True, slots=True)
class Value:
    """What the model gives.

    Attributes
    ----------
    value
        The value, finite.
    names
        Inputs that it rests on and that are only estimates.
    remark
        What is to be said of it for this scenario, a sentence.
    ends
        The range, where it depends on the scenario.
    """

    value: float
    names: tuple[str, ...] = ()
    remark: str = ""
    ends: tuple[float | None, float | None] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario with its cost, and questions that the claims have in common."""

    scenario: Scenario
    result: Result

    def number(self, name: str) -> float:
        """Return the number of a field."""
        value = self.scenario.values[name]
        if value is None:
            raise DoesNotApplyError(f"Nobody has given {name}, on which it rests.")
        return float(value)

    def number_or_default(self, name: str) -> float:
        """Return the number of a field, or what stands in for it where its part is in use."""
        entry = catalogue.find("default", name)
        if self.scenario.values[name] is None and entry is not None and entry.value is not None:
            return float(entry.value)
        return self.number(name)

    def metric(self, name: str) -> float:
        """Return a metric."""
        value = self.result.metrics[name]
        if value is None:
            raise DoesNotApplyError(f"Nobody has given what {name} rests on.")
        return value

    def is_given(self, name: str) -> bool:
        """Whether a field has a value of its own, not a default."""
        return name in self.scenario.given

    def part(self, name: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the fields of a part of the model, if it is in use: its first field is given."""
        return names if self.is_given(name) else ()

    def own(self, why: str = "it is in the hourly price") -> None:
        """Go on only if the cluster is owned."""
        if self.scenario.values["procurement"] != "own":
            raise DoesNotApplyError(f"The cluster is rented: {why}.")

    def is_h100(self) -> None:
        """Go on only if the accelerator is the one that the text speaks of."""
        accelerator = self.scenario.values["accelerator"]
        if accelerator != H100:
            raise DoesNotApplyError(f"It is of the H100 SXM, and the accelerator is {accelerator}.")

    def of_ten_thousand(self, amount: float) -> float:
        """Scale an amount from the cluster's accelerators to ten thousand."""
        return amount / self.number("accelerators") * TEN_THOUSAND

    def value(self, value: float, *names: str, **rest: Any) -> Value:
        """Make the value of a claim that rests on these fields."""
        figures = self.scenario.figures
        rests_on = (n for n in names if n in figures and figures[n].status == "estimate")
        return Value(_finite(value), tuple(rests_on), **rest)

    def value_of_total(self, value: float, *others: Result, **rest: Any) -> Value:
        """Make the value of a claim that rests on all that the total does, and that of others."""
        return Value(_finite(value), estimates_of((self.result, *others)), **rest)


Measure = Callable[[Case], Value]


class Measures(dict[str, Measure]):
    """The function of each claim, by its id."""

    def of(self, claim: str) -> Callable[[Measure], Measure]:
        """Enter a function as that of a claim."""

        def enter(measure: Measure) -> Measure:
            self[claim] = measure
            return measure

        return enter


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise DoesNotApplyError("It is beyond any number.")
    return value


def quotient(value: float, divisor: float, nothing: str) -> float:
    """Divide, unless there is nothing to divide by: then that is the reason."""
    if divisor <= 0.0:
        raise DoesNotApplyError(nothing)
    return value / divisor

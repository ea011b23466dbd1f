"""The bridge from one scenario to another: steps that add up to the change of the total.

The change of the total is shared out among the changed inputs by their Shapley values, which favour
no order of the changes and add up to the whole; so are those of the components. Between the two
ends lie scenarios that have some of the changes: each is costed in full. What can only change
together is one step (`xl_tco.analysis.bridge.differing`).

What only reports (name, currency, its rate, the start date) moves nothing.

References
----------
Owen (2014), Sobol' indices and Shapley value, SIAM/ASA Journal on Uncertainty Quantification 2(1),
and Song, Nelson, Staum (2016), Shapley effects for global sensitivity analysis, in the same 4(1):
the Shapley value as the one attribution to inputs that adds up however they interact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xl_tco.analysis.bridge.attribution import Attribution, attribute
from xl_tco.analysis.bridge.differing import Change, Differing, alike, differing, ordered, together
from xl_tco.analysis.variants import amount, estimates_of, status_of
from xl_tco.errors import Fault
from xl_tco.fields import FIELDS
from xl_tco.model import cost, refusals
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL, Output
from xl_tco.resolve import resolve
from xl_tco.result import Result, evaluate, too_large
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Bridge", "Difference", "Step", "bridge"]

SCHEMA = "xl-tco/bridge/1"

Figures: TypeAlias = NDArray[np.float64]

_FIGURES = (TOTAL.name, *(f"{name}_usd" for name in COMPONENTS))
_NOTHING = MappingProxyType(dict.fromkeys(COMPONENTS, 0.0))
_PLACE = {name: number for number, name in enumerate(FIELDS)}


@dataclass(frozen=True, slots=True)
class Step:
    """Inputs that change together, and what that does.

    Attributes
    ----------
    changes
        What changes, the leading input first; what follows, last.
    usd
        Share of the change of the total, USD.
    components
        The same by component, USD; they add up to ``usd``.
    error_usd
        Standard error of ``usd`` where orders are sampled; 0 where all are counted.
    """

    changes: tuple[Change, ...]
    usd: float
    components: Mapping[str, float]
    error_usd: float = 0.0

    @property
    def given(self) -> tuple[Change, ...]:
        """Changes that follow no other."""
        return tuple(change for change in self.changes if not change.follows)

    @property
    def fields(self) -> tuple[str, ...]:
        """Inputs of the step, without those that follow."""
        return tuple(change.field for change in self.given)

    @property
    def label(self) -> str:
        """What people call the step."""
        first, *rest = (change.label for change in self.given)
        if len(rest) > 1:
            return f"{first} and {len(rest)} inputs with it"
        return f"{first}, {rest[0]}" if rest else first

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        return {
            "label": self.label,
            "fields": list(self.fields),
            "usd": self.usd,
            "error_usd": self.error_usd,
            "components": dict(self.components),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """A result that differs.

    Attributes
    ----------
    name
        Its name: of a component it ends in ``_usd``.
    output
        Its label, unit and help.
    old, new
        Its values at both ends; None for one that rests on a figure nobody has given.
    """

    name: str
    output: Output
    old: float | None
    new: float | None

    @property
    def change(self) -> float | None:
        """New less old; None where one of them is not known."""
        return None if self.old is None or self.new is None else self.new - self.old

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "name": self.name,
            "label": self.output.label,
            "unit": self.output.unit,
            "old": self.old,
            "new": self.new,
            "change": self.change,
        }


@dataclass(frozen=True, slots=True)
class Bridge:
    """The way from one scenario to another.

    Attributes
    ----------
    before, after
        Both ends.
    changes
        Inputs that differ, in the order of the fields.
    steps
        What changes together, the step that moves most first; they add up to ``change_usd``.
    results
        Components, total and metrics that differ.
    ranges
        Inputs whose range differs: that moves the spread of the total, not the total.
    method
        How the change was shared out.
    """

    before: Result
    after: Result
    changes: tuple[Change, ...]
    steps: tuple[Step, ...]
    results: tuple[Difference, ...]
    ranges: tuple[str, ...]
    method: str

    @property
    def change_usd(self) -> float:
        """Total after less total before."""
        return self.after.total_usd - self.before.total_usd

    @property
    def change_share(self) -> float:
        """That over the total before."""
        return self.change_usd / self.before.total_usd if self.before.total_usd else 0.0

    @property
    def moving(self) -> tuple[Step, ...]:
        """Steps that move the total."""
        return tuple(step for step in self.steps if step.usd)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        total = f"{amount(self.after.total_usd)} USD"
        if not self.moving:
            return f"Nothing that moves the cost differs: it is {total} both times."
        largest, change = self.moving[0], self.change_usd
        share = f" ({self.change_share:+.1%})" if self.before.total_usd else ""
        way = f"{amount(abs(change))} USD {'less' if change < 0.0 else 'more'}{share}"
        step = f"{'+' if largest.usd > 0.0 else ''}{amount(largest.usd)} USD"
        return f"{total}, {way}; the largest step is {largest.label}, {step}."

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that either total rests on and that are only estimates."""
        return estimates_of((self.before, self.after))

    @property
    def status(self) -> str:
        """``estimate`` if any input of either is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data: the JSON of ``xl-tco diff --json``."""
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            "before": {"name": self.before.scenario.name, "total_usd": self.before.total_usd},
            "after": {"name": self.after.scenario.name, "total_usd": self.after.total_usd},
            "change_usd": self.change_usd,
            "change_share": self.change_share,
            "method": self.method,
            "inputs": [change.to_dict() for change in self.changes],
            "steps": [step.to_dict() for step in self.steps],
            "results": [difference.to_dict() for difference in self.results],
            "ranges": list(self.ranges),
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the steps as a table: label, USD, USD by component; by their leading input."""
        import pandas as pd

        columns: dict[str, Any] = {
            "label": [step.label for step in self.steps],
            "usd": [step.usd for step in self.steps],
            "error_usd": [step.error_usd for step in self.steps],
        }
        columns |= {f"{n}_usd": [step.components[n] for step in self.steps] for n in COMPONENTS}
        leading = pd.Index([step.fields[0] for step in self.steps], name="step", dtype=object)
        return pd.DataFrame(columns, index=leading)


def bridge(a: Scenario, b: Scenario) -> Bridge:
    """Say what differs between two scenarios, and what each change does to the total.

    Parameters
    ----------
    a, b
        From where, and to where.

    Raises
    ------
    InputError
        If one of the two cannot be costed.

    Examples
    --------
    >>> run = Scenario(
    ...     parameters=70e9, tokens=1.4e12, accelerator="h100-sxm", accelerators=1024, mfu=0.4,
    ...     procurement="rent", staff_fte=10, storage_usd_per_hour=50,
    ... )
    >>> found = bridge(run, run.replace(mfu=0.5, name="Better kernels"))
    >>> [(step.label, round(step.usd / found.change_usd, 3)) for step in found.moving]
    [('Model FLOPs utilization (MFU)', 1.0)]
    """
    before, after = evaluate(a), evaluate(b)
    found = differing(a, b)
    shares = _attribution(found, a, b)
    named = {n for n in {**a.ranges, **b.ranges} if a.ranges.get(n) != b.ranges.get(n)}
    return Bridge(
        before,
        after,
        found.changes,
        tuple(sorted(_steps(found, shares), key=lambda s: (-abs(s.usd), _PLACE[s.fields[0]]))),
        tuple(_differences(before, after)),
        tuple(name for name in FIELDS if name in named),
        shares.method,
    )


def _attribution(found: Differing, a: Scenario, b: Scenario) -> Attribution:
    """Share out the change of the total and of each component.

    What is merged and sampled must not depend on which end comes first: the way is gone from the
    end that sorts first, and turned round if that is the other.
    """
    turned = _key(b) < _key(a)
    names = frozenset(change.field for change in found.given)

    def outcome(changed: frozenset[str]) -> Figures | tuple[Fault, ...]:
        return _costed(found.table(names - changed if turned else changed))

    shares = attribute(together(found, a, b), outcome)
    return replace(shares, shares=0.0 - shares.shares) if turned else shares


def _key(scenario: Scenario) -> list[tuple[str, str]]:
    return sorted((name, repr(value)) for name, value in scenario.given.items())


def _costed(given: Mapping[str, float | str | None]) -> Figures | tuple[Fault, ...]:
    """Cost values that are each checked, or say why they are no scenario together."""
    resolved = resolve(given)
    if resolved.faults:
        return resolved.faults
    outputs = cost(resolved.values)
    faults = refusals(resolved.values, outputs)
    if not isfinite(float(outputs[TOTAL.name])):
        faults.append(too_large())
    return tuple(faults) or np.array([float(outputs[name]) for name in _FIGURES])


def _steps(found: Differing, attribution: Attribution) -> Iterator[Step]:
    """Yield each step with what follows it: that goes with the first of those it follows."""
    place = {change.field: change for change in found.changes}

    def changes(fields: tuple[str, ...]) -> tuple[Change, ...]:
        follow = [change for change in found.changes if {*change.follows[:1]} & {*fields}]
        return (*(place[name] for name in fields), *follow)

    rows = zip(attribution.steps, attribution.shares, attribution.errors, strict=True)
    for fields, (usd, *parts), errors in rows:
        components = dict(zip(COMPONENTS, map(float, parts), strict=True))
        shared = MappingProxyType(components)
        yield Step(changes(ordered(fields)), float(usd), shared, float(errors[0]))
    for change in found.given:
        if change.reports:
            yield Step(changes((change.field,)), 0.0, _NOTHING)


def _differences(before: Result, after: Result) -> Iterator[Difference]:
    """Yield the results that differ; a component that one end does not pay is 0 there."""
    for name, output in COMPONENTS.items():
        yield from _difference(
            f"{name}_usd", output, before.components.get(name, 0.0), after.components.get(name, 0.0)
        )
    yield from _difference(TOTAL.name, TOTAL, before.total_usd, after.total_usd)
    for name, output in METRICS.items():
        yield from _difference(name, output, before.metrics[name], after.metrics[name])


def _difference(
    name: str, output: Output, old: float | None, new: float | None
) -> Iterator[Difference]:
    if not alike(old, new):
        yield Difference(name, output, old, new)

"""The inputs in which two scenarios differ, and which of them can only change together.

An input that neither scenario gives *follows* others that do differ: a word by which the catalogue
finds its default, another way to say the same, or the part of the model that needs it. A figure
given that is just the catalogue's counts as not given where its word differs (see
`xl_tco.resolve.given_alone`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, TypeAlias

from xl_tco.fields import ALTERNATIVES, FIELDS, MODES, Field
from xl_tco.resolve import given_alone
from xl_tco.scenario import Scenario

__all__ = ["Change", "Differing", "alike", "differing", "ordered", "together"]

Value: TypeAlias = float | str | None

ROUNDING = 1e-14

DESCRIBED = ("procurement", "accelerator", "precision", "recomputation")
"""Words whose figures describe the thing they name. A region's are prices and can change alone."""

BOUGHT = frozenset({"own", "topology", "capacity", "energy", "rent"})
"""Groups of fields that only one way of procurement has a use for."""

_LEADING = {*DESCRIBED, *(name for name, _ in MODES.values())}
_PLACE = {name: number for number, name in enumerate(FIELDS)}


@dataclass(frozen=True, slots=True)
class Change:
    """An input that differs.

    Attributes
    ----------
    field
        Its name.
    old, new
        Its value at both ends; None where the scenario has no need of it.
    given_old, given_new
        Whether the value was given, and does not just stand in.
    follows
        Inputs whose change brings this one; empty for one that was given.
    """

    field: str
    old: Value
    new: Value
    given_old: bool
    given_new: bool
    follows: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What people call it."""
        return FIELDS[self.field].label

    @property
    def unit(self) -> str:
        """Its unit."""
        return FIELDS[self.field].unit

    @property
    def reports(self) -> bool:
        """Whether it only says how to report, and so moves no cost."""
        return self.field == "name" or FIELDS[self.field].group == "report"

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        return {
            "field": self.field,
            "label": self.label,
            "unit": self.unit,
            "old": self.old,
            "new": self.new,
            "given_old": self.given_old,
            "given_new": self.given_new,
            "follows": list(self.follows),
        }


@dataclass(frozen=True, slots=True)
class Differing:
    """How the inputs of two scenarios differ.

    Attributes
    ----------
    changes
        Those that do, in the order of the fields.
    shared
        Values that are given at either end and the same at both.
    """

    changes: tuple[Change, ...]
    shared: Mapping[str, Value]

    @property
    def given(self) -> tuple[Change, ...]:
        """Changes that follow no other."""
        return tuple(change for change in self.changes if not change.follows)

    def table(self, new: Iterable[str]) -> dict[str, Value]:
        """Return what is given of the scenario between the two that has these changes."""
        changed = frozenset(new)
        table = dict(self.shared)
        for change in self.given:
            if change.reports:
                continue
            taken = change.field in changed
            if change.given_new if taken else change.given_old:
                table[change.field] = change.new if taken else change.old
        return table


def differing(a: Scenario, b: Scenario) -> Differing:
    """Compare the inputs of two scenarios."""
    names = [name for name in FIELDS if not alike(a.values[name], b.values[name])]
    given_a, given_b = _given(a, b, names), _given(b, a, names)
    own = [name for name in names if name in given_a or name in given_b]
    changes = tuple(
        Change(
            name,
            a.values[name],
            b.values[name],
            name in given_a,
            name in given_b,
            () if name in own else tuple(_leaders(FIELDS[name], own)),
        )
        for name in names
    )
    shared = {
        name: a.values[name]
        for name, field in FIELDS.items()
        if name not in names and (name in given_a or name in given_b)
        if name != "name" and field.group != "report"
    }
    return Differing(changes, shared)


def alike(old: Value, new: Value) -> bool:
    """Whether two values are one, but for the rounding of a program that keeps 15 digits."""
    if isinstance(old, float) and isinstance(new, float):
        return isclose(old, new, rel_tol=ROUNDING)
    return old == new


def _given(scenario: Scenario, other: Scenario, names: list[str]) -> dict[str, Any]:
    """Return what a scenario gives for itself, knowing which words of the other's differ."""
    words = {
        name: other.values[name]
        for name in names
        if not FIELDS[name].is_number and other.values[name] is not None
    }
    return given_alone(scenario.given, words)


def _leaders(field: Field, changed: Iterable[str]) -> Iterable[str]:
    """Yield the changed inputs that a value follows which nobody gave."""
    ways = {name for group in ALTERNATIVES if field.name in group for name in group}
    parts = {MODES[mode][0] for mode in field.needs & MODES.keys()}
    return (
        name for name in changed if f"{{{name}}}" in field.default or name in ways or name in parts
    )


def together(found: Differing, a: Scenario, b: Scenario) -> list[tuple[str, ...]]:
    """Return the inputs given that move the cost, those that only change together as one."""
    names = [change.field for change in found.given if not change.reports]
    turned = {mode for mode in MODES if _is_on(mode, a) != _is_on(mode, b)}
    steps = {name: [name] for name in names}
    for name in names:
        for leader in _partners(name, names, turned, a, b):
            one, other = steps[leader], steps[name]
            if one is not other:
                one.extend(other)
                steps.update(dict.fromkeys(other, one))
    joined = {id(step): step for step in steps.values()}.values()
    return sorted(
        (ordered(step) for step in joined), key=lambda step: min(_PLACE[name] for name in step)
    )


def ordered(fields: Iterable[str]) -> tuple[str, ...]:
    """Order the inputs of a step: what others go with first, then as the fields stand."""
    return tuple(sorted(fields, key=lambda name: (name not in _LEADING, _PLACE[name])))


def _partners(
    name: str, changed: list[str], turned: set[str], a: Scenario, b: Scenario
) -> Iterable[str]:
    """Yield the changed inputs that an input cannot change without."""
    field = FIELDS[name]
    for group in ALTERNATIVES:
        if name in group:
            yield from (other for other in group if other in changed)
    for word in DESCRIBED:
        if word in changed and f"{{{word}}}" in field.default:
            yield word
    if "procurement" in changed and field.group in BOUGHT:
        yield "procurement"
    modes = {field.group} if "optional" in field.needs else field.needs
    used = {mode for mode in modes & MODES.keys() if _is_on(mode, a) or _is_on(mode, b)}
    if used and used <= turned:
        yield from (MODES[mode][0] for mode in sorted(used) if MODES[mode][0] in changed)


def _is_on(mode: str, scenario: Scenario) -> bool:
    """Whether a part of the model is in use."""
    name, word = MODES[mode]
    value = scenario.values[name]
    return bool(value == word) if word else value is not None

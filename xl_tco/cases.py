"""The cases of a scenario: figures that are laid over its own, the base, for a low or a high cost.

A scenario file has them as tables, ``[cases.low]`` with ``mfu = 0.45``, and says by
``case = "low"`` which one is in force. A case holds numbers and words, no ranges: a figure that a
case gives is certain in that case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from xl_tco.checking import check
from xl_tco.correlations import CORRELATIONS, Correlation
from xl_tco.distributions import Distribution
from xl_tco.errors import Fault, unknown_word
from xl_tco.plain import is_empty, shown, sort_of
from xl_tco.resolve import merge

__all__ = [
    "BASE",
    "CASE",
    "CASES",
    "KNOWN",
    "LAID",
    "Cases",
    "Given",
    "in_force",
    "json_schema",
    "place",
    "read",
]

CASE, CASES = "case", "cases"
"""Keys of a scenario's table: which case is in force, and what the cases are."""

BASE = "base"
LAID = ("low", "high", "own")
"""The cases that are laid over the base: of low cost, of high cost, and the user's own."""
KNOWN = (BASE, *LAID)

Cases: TypeAlias = Mapping[str, Mapping[str, float | str]]

_ALLOWED = "give tables low, high or own of fields and values"


def read(value: object) -> tuple[dict[str, dict[str, float | str]], list[Fault]]:
    """Return the cases that a table lists, each value checked alone; and the faults.

    A case without figures is one: it is as the base.
    """
    if is_empty(value):
        return {}, []
    if not isinstance(value, Mapping):
        return {}, [Fault("type", CASES, f"{shown(value)} is {sort_of(value)}", _ALLOWED)]
    cases: dict[str, dict[str, float | str]] = {}
    faults: list[Fault] = []
    for name, figures in value.items():
        if not isinstance(name, str) or name not in LAID:
            faults.append(unknown_word(str(name), LAID, CASES, "case"))
        elif isinstance(figures, Mapping):
            cases[name], found = check(figures)
            faults += [replace(fault, place=place(name)) for fault in found]
        elif not is_empty(figures):
            problem = f"{shown(figures)} is {sort_of(figures)}"
            faults.append(Fault("type", CASES, problem, "give a table of fields", place(name)))
    return {name: cases[name] for name in LAID if name in cases}, faults


def in_force(value: object, cases: object) -> tuple[str, list[Fault]]:
    """Return which case is in force, and what is wrong with it; ``cases`` are as they were given.

    The user's own may be missing, and is as the base; low and high must be given.
    """
    if is_empty(value):
        return BASE, []
    if not isinstance(value, str):
        problem = f"{shown(value)} is {sort_of(value)}"
        return BASE, [Fault("type", CASE, problem, f"give one of: {', '.join(KNOWN)}")]
    if value not in KNOWN:
        return BASE, [unknown_word(value, KNOWN, CASE, "case")]
    given = cases.get(value) if isinstance(cases, Mapping) else None
    if value in ("low", "high") and is_empty(given):
        problem = f"nothing is given for the case {value}"
        return BASE, [Fault("missing", CASE, problem, f"give a table cases.{value}")]
    return value, []


def place(name: str) -> str:
    """Name a case as the place of a fault."""
    return f"case {name}"


@dataclass(frozen=True, slots=True)
class Given:
    """What is given of a run, checked value by value.

    Attributes
    ----------
    figures
        By field; of a range, the one value that stands for it.
    ranges
        Distributions of those that are ranges.
    correlations
        Pairs of ranges that go along with each other.
    """

    figures: Mapping[str, float | str]
    ranges: Mapping[str, Distribution]
    correlations: tuple[Correlation, ...]

    def with_changes(self, changes: Mapping[str, float | str]) -> Given:
        """Lay other figures over these (see `xl_tco.resolve.merge`).

        A range stays until its field changes; so do correlations, while both fields have ranges.
        """
        figures = cast(dict[str, float | str], merge(self.figures, changes))
        ranges = {k: r for k, r in self.ranges.items() if k in figures and k not in changes}
        pairs = tuple(pair for pair in self.correlations if ranges.keys() >= {*pair[:2]})
        return Given(figures, ranges, pairs)

    @property
    def table(self) -> dict[str, Any]:
        """All of it as plain data."""
        ranges = {name: values.to_dict() for name, values in self.ranges.items()}
        correlations = {CORRELATIONS: [list(pair) for pair in self.correlations]}
        return {**self.figures, **ranges, **(correlations if self.correlations else {})}


def json_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON schema of the cases; ``properties`` are those of the figures."""
    figures = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    title = "Cases: figures laid over the scenario's own"
    cases = {name: figures for name in LAID}
    return {"type": "object", "title": title, "properties": cases, "additionalProperties": False}

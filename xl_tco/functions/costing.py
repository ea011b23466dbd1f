"""The functions that cost a whole scenario, given as ranges of fields and values.

What they need (pydantic, the model) is loaded when the first of them is called, so that a workbook
opens at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

if TYPE_CHECKING:
    from xl_tco.result import Result

__all__ = ["PARTS", "breakdown", "evaluated", "metric", "remembered", "step_seconds", "total"]

PARTS = ("total", "compute", "communication", "bubble", "storage")
"""Parts of a step; the first is all of it."""


def total(inputs: Mapping[str, object], overrides: Mapping[str, object], component: Any) -> Any:
    """Total in USD, or the part of it that a component (or each of several) makes up."""
    result = evaluated(inputs, overrides)
    parts = {name: result.components.get(name, 0.0) for name in COMPONENTS}
    amounts = {
        "total": result.total_usd,
        TOTAL.name: result.total_usd,
        **parts,
        **{f"{name}_usd": usd for name, usd in parts.items()},
    }
    return _each(component, lambda word: _pick(amounts, word, "component", "component of the cost"))


def breakdown(inputs: Mapping[str, object], overrides: Mapping[str, object]) -> list[list[Any]]:
    """Every component and its USD, a row each; they add up to the total."""
    components = evaluated(inputs, overrides).components
    return [[name, components.get(name, 0.0)] for name in COMPONENTS]


def metric(inputs: Mapping[str, object], name: Any, overrides: Mapping[str, object]) -> Any:
    """Metric of that name, or each of several."""
    result = evaluated(inputs, overrides)
    return _each(name, lambda word: _metric(result, word, "metric"))


def step_seconds(inputs: Mapping[str, object], overrides: Mapping[str, object], part: str) -> float:
    """Seconds of a training step, or of the part of it of that name."""
    result = evaluated(inputs, overrides)
    seconds = _metric(result, "step_seconds", "part")
    return seconds if part == PARTS[0] else seconds * _metric(result, f"{part}_step_share", "part")


def _metric(result: Result, word: str, argument: str) -> float:
    """Return a metric; what it lacks is a fault of the argument that asks for it."""
    value = _pick({TOTAL.name: result.total_usd, **result.metrics}, word, argument, "metric")
    if value is None:
        missing = [name for name in METRICS[word].needs if result.scenario.values[name] is None]
        problem = f"{word} rests on a figure that is not given"
        allowed = f"give {' and '.join(missing) or 'the prices it is over'} in the inputs"
        raise InputError([Fault("unknown figure", argument, problem, allowed)])
    return float(value)


def evaluated(inputs: Mapping[str, object], overrides: Mapping[str, object]) -> Result:
    """Cost the inputs with the overrides laid over them; equal tables are costed once."""
    values = (*inputs.values(), *overrides.values())
    cached = (
        _cached if all(isinstance(value, Hashable) for value in values) else _cached.__wrapped__
    )
    return cached(_frozen(inputs), _frozen(overrides))


def remembered(
    question: Callable[..., list[list[Any]]],
) -> Callable[..., list[list[Any]]]:
    """Answer a question about equal tables, in equal words, once: cells show one row of it each."""

    @lru_cache(maxsize=64)
    def answer(inputs: _Frozen, overrides: _Frozen, *words: str) -> list[list[Any]]:
        return question(_thawed(inputs), _thawed(overrides), *words)

    def ask(inputs: Mapping[str, object], overrides: Mapping[str, object], *words: str) -> Any:
        if not all(
            isinstance(value, Hashable) for value in (*inputs.values(), *overrides.values())
        ):
            return question(inputs, overrides, *words)
        return [list(row) for row in answer(_frozen(inputs), _frozen(overrides), *words)]

    return ask


_Frozen = tuple[tuple[str, type, object], ...]


def _frozen(table: Mapping[str, object]) -> _Frozen:
    # The type is part of the key: TRUE equals 1 in Python, and only one of them is a number.
    return tuple((name, type(value), value) for name, value in table.items())


def _thawed(table: _Frozen) -> dict[str, Any]:
    return {name: value for name, _, value in table}


@lru_cache(maxsize=256)
def _cached(inputs: _Frozen, overrides: _Frozen) -> Result:
    from xl_tco.resolve import given_alone, merge
    from xl_tco.result import evaluate
    from xl_tco.scenario import Scenario

    base, changes = _thawed(inputs), _thawed(overrides)
    table: dict[str, Any] = merge(given_alone(base, changes), changes)
    return evaluate(Scenario.from_table(table))


def _each(words: Any, pick: Callable[[str], float]) -> Any:
    """Pick a figure by a word, or by each of a range of words."""
    if isinstance(words, np.ndarray):
        return np.array([pick(word) for word in words.flat]).reshape(words.shape)
    return pick(words)


def _pick(figures: Mapping[str, Any], word: str, argument: str, what: str) -> Any:
    if word not in figures:
        raise InputError([unknown_word(word, list(figures), argument, what)])
    return figures[word]

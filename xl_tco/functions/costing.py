"""The functions that cost a whole scenario, given as ranges of fields and values.

What they need (pydantic, the model) is loaded when the first of them is called, so that a workbook
opens at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

if TYPE_CHECKING:
    from xl_tco.result import Result

__all__ = [
    "PARTS",
    "breakdown",
    "evaluated",
    "laid_over",
    "metric",
    "once",
    "remembered",
    "step_seconds",
    "total",
]

_Answer = TypeVar("_Answer")

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
    tables = _Frozen.of(inputs), _Frozen.of(overrides)
    return (_cached if _is_kept(tables) else _cached.__wrapped__)(*tables)


def once(question: Callable[..., _Answer], size: int = 64) -> Callable[..., _Answer]:
    """Answer a question about equal tables, asked the same way, once; keep so many answers.

    What is asked beside tables is hashable. An answer is shared: nobody may change it. A refusal is
    not kept, and neither is the answer about a table with lists in it.
    """

    @lru_cache(maxsize=size)
    def answer(*asked: Any) -> _Answer:
        return question(*(part.thawed() if isinstance(part, _Frozen) else part for part in asked))

    def ask(*asked: Any) -> _Answer:
        frozen = tuple(_Frozen.of(part) if isinstance(part, Mapping) else part for part in asked)
        return answer(*frozen) if _is_kept(frozen) else question(*asked)

    return ask


def remembered(question: Callable[..., list[list[Any]]]) -> Callable[..., list[list[Any]]]:
    """Answer a question in rows `once`: cells show one row of it each.

    Each time the rows are new lists: whoever is given them may change them.
    """
    rows = once(question)

    def ask(*asked: Any) -> list[list[Any]]:
        return [list(row) for row in rows(*asked)]

    return ask


class _Frozen(tuple[tuple[str, type, object], ...]):
    """A table as the key of what is kept: names, types and values.

    The type is part of it: TRUE equals 1 in Python, and only one of them is a number.
    """

    __slots__ = ()

    @classmethod
    def of(cls, table: Mapping[str, object]) -> _Frozen:
        return cls((name, type(value), value) for name, value in table.items())

    def thawed(self) -> dict[str, Any]:
        return {name: value for name, _, value in self}


def _is_kept(key: tuple[object, ...]) -> bool:
    """Whether it can be a key: a tuple says that it is hashable, whatever it holds."""
    try:
        hash(key)
    except TypeError:
        return False
    return True


@lru_cache(maxsize=256)
def _cached(inputs: _Frozen, overrides: _Frozen) -> Result:
    from xl_tco.result import evaluate
    from xl_tco.scenario import Scenario

    return evaluate(Scenario.from_table(laid_over(inputs.thawed(), overrides.thawed())))


def laid_over(inputs: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs with the overrides in place of what they replace."""
    from xl_tco.resolve import given_alone, merge

    return dict(merge(given_alone(inputs, overrides), overrides))


def _each(words: Any, pick: Callable[[str], float]) -> Any:
    """Pick a figure by a word, or by each of a range of words."""
    if isinstance(words, np.ndarray):
        return np.array([pick(word) for word in words.flat]).reshape(words.shape)
    return pick(words)


def _pick(figures: Mapping[str, Any], word: str, argument: str, what: str) -> Any:
    if word not in figures:
        raise InputError([unknown_word(word, list(figures), argument, what)])
    return figures[word]

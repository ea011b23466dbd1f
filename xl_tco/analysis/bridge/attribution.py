"""Steps that share out a change: players that may have to come in together.

Some coalitions of inputs make no scenario. What stands in the way is a fault that none of the two
ends has: so there is an input that brings it, and another that cures it. Their steps become one,
and the game starts again; at the worst one step is left, which has both ends alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import factorial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from xl_tco.analysis.bridge import shapley
from xl_tco.errors import Fault

__all__ = ["MOST_EXACT", "Attribution", "Outcome", "attribute"]

Figures: TypeAlias = NDArray[np.float64]
Outcome: TypeAlias = Callable[[frozenset[str]], Figures | tuple[Fault, ...]]
"""What a run comes to with some of the inputs changed: its figures, or why it is none."""

MOST_EXACT = 10
"""Up to how many steps all their orders are counted: 2¹⁰ scenarios are costed at most."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """A change shared out.

    Attributes
    ----------
    steps
        The inputs of each step.
    shares, errors
        A row a step, a column a figure: its share, and the share's standard error.
    method
        How that was done, in words.
    """

    steps: tuple[tuple[str, ...], ...]
    shares: Figures
    errors: Figures
    method: str


class _NoScenario(Exception):  # noqa: N818  # no error: the game goes on
    """A coalition that makes no scenario."""

    def __init__(self, members: int) -> None:
        self.members = members


def attribute(steps: Sequence[Sequence[str]], outcome: Outcome) -> Attribution:
    """Share out the change from no input changed to all of them.

    Parameters
    ----------
    steps
        Inputs that change together.
    outcome
        Of a set of changed inputs. None and all of them must come to figures.
    """
    game = _Game(steps, outcome)
    while True:
        try:
            return game.play()
        except _NoScenario as found:
            game.merge(*game.pair(found.members))


class _Game:
    """The steps as players."""

    def __init__(self, steps: Sequence[Sequence[str]], outcome: Outcome) -> None:
        self.steps = [tuple(step) for step in steps]
        self._outcome = outcome
        self._known: dict[frozenset[str], Figures | tuple[Fault, ...]] = {}

    def play(self) -> Attribution:
        players = len(self.steps)
        if players > MOST_EXACT:
            shares, errors = shapley.sampled(players, self._worth)
            method = (
                f"Shapley values, the mean over {shapley.ORDERS} of {factorial(players):.1e} "
                "orders: half of them drawn with a fixed seed, the others their reverses"
            ).replace("e+", "e")
        else:
            shares = shapley.exact(players, self._worth)
            errors = np.zeros_like(shares)
            orders = factorial(players)
            method = f"Shapley values, the mean over all {orders:,} orders of the steps"
            if players < 2:
                method = "One step has the whole change" if players else "No input moves the cost"
        whole = self._worth((1 << players) - 1) - self._worth(0)
        if players:  # what rounding leaves
            for column, left in zip(shares.T, whole - shares.sum(axis=0), strict=True):
                column[np.argmax(np.abs(column))] += left
        return Attribution(tuple(self.steps), shares, errors, method)

    def merge(self, one: int, other: int) -> None:
        """Make one step of two, in the place of the first."""
        first, second = sorted((one, other))
        self.steps[first] += self.steps.pop(second)

    def pair(self, members: int) -> tuple[int, int]:
        """Find a step that brings the first fault of a coalition, and one that cures it.

        Fewer steps that have it still, then more of them: the step taken out last cannot be missed,
        and the one that could not be added is the cure.
        """
        fault = self._faults(members)[0]
        for player in self._players(members):
            without = members & ~(1 << player)
            if fault in self._faults(without):
                members = without
        brings = next(self._players(members))
        everyone = (1 << len(self.steps)) - 1
        for player in self._players(everyone & ~members):
            if fault in self._faults(members | 1 << player):
                members |= 1 << player
        return brings, next(self._players(everyone & ~members))

    def _players(self, members: int) -> Iterator[int]:
        return (player for player in range(len(self.steps)) if members >> player & 1)

    def _find(self, members: int) -> Figures | tuple[Fault, ...]:
        changed = frozenset(
            name for player in self._players(members) for name in self.steps[player]
        )
        if changed not in self._known:
            self._known[changed] = self._outcome(changed)
        return self._known[changed]

    def _worth(self, members: int) -> Figures:
        found = self._find(members)
        if isinstance(found, tuple):
            raise _NoScenario(members)
        return found

    def _faults(self, members: int) -> list[tuple[str, str]]:
        """Return what is wrong with a coalition: kind and field, without the figures."""
        found = self._find(members)
        return [(fault.kind, fault.field) for fault in found] if isinstance(found, tuple) else []

"""Who moved a figure by how much: Shapley values of the players of a game.

The share of a player is the mean, over all orders in which the players can come in, of what it
adds to those that came before it. The shares add up to the whole change; a player that never adds
anything has none; two that always add the same have the same; and the way back is the way there
with the sign turned.

A coalition is a number whose bit i is set where player i has come in. The worth of one may be
several figures: each is shared out on its own.

References
----------
Shapley, L. S. (1953), A value for n-person games, Contributions to the Theory of Games II.
Castro, Gómez, Tejada (2009), Polynomial calculation of the Shapley value based on sampling,
Computers & Operations Research 36(5): the mean over sampled orders.
Mitchell, Cooper, Frank, Holmes (2022), Sampling permutations for Shapley value estimation, Journal
of Machine Learning Research 23(43): each order together with its reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import factorial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORDERS", "Worth", "exact", "orders", "sampled"]

Figures: TypeAlias = NDArray[np.float64]
Worth: TypeAlias = Callable[[int], Figures]
"""The figures of a coalition."""

ORDERS = 64
"""Orders that are sampled: half of them are drawn, the others are their reverses."""

SEED = 1953
ROUNDING = 1e-12


def exact(players: int, worth: Worth) -> Figures:
    """Shares of all players, over all orders: a row a player, a column a figure.

    The worth of each of the 2ⁿ coalitions is asked for once.
    """
    table = np.array([worth(members) for members in range(1 << players)])
    members = np.arange(1 << players)
    before = np.array([_weight(players, int(m).bit_count()) for m in members])
    shares = np.empty((players, table.shape[1]))
    for player in range(players):
        without = members[members & (1 << player) == 0]
        added = table[without | (1 << player)] - table[without]
        shares[player] = before[without] @ added
    return shares


def _weight(players: int, before: int) -> float:
    """Share of the orders in which just these, so many, come in before a player."""
    if before == players:
        return 0.0
    return factorial(before) * factorial(players - before - 1) / factorial(players)


def sampled(players: int, worth: Worth) -> tuple[Figures, Figures]:
    """Shares over a sample of orders, the same at every call, and their standard errors.

    Within each order what the players add is the whole change, and so are the means. An order and
    its reverse are one draw: their errors cancel in part.
    """
    draws = []
    for order in orders(players):
        draws.append((_added(order, worth) + _added(order[::-1], worth)) / 2.0)
    pairs = np.array(draws)
    shares = pairs.mean(axis=0)
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs))
    return shares, np.where(errors > ROUNDING * np.abs(shares), errors, 0.0)


def orders(players: int) -> Iterator[list[int]]:
    """Yield the orders that are drawn, without their reverses."""
    random = np.random.Generator(np.random.PCG64(SEED))
    for _ in range(ORDERS // 2):
        yield [int(player) for player in random.permutation(players)]


def _added(order: list[int], worth: Worth) -> Figures:
    """What each player adds to those before it in an order."""
    members, before = 0, worth(0)
    added = np.empty((len(order), before.size))
    for player in order:
        members |= 1 << player
        after = worth(members)
        added[player] = after - before
        before = after
    return added

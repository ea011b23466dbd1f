"""Where a function of one input takes a value: look outwards from here, then close in.

The function may refuse an input (`InputError`), as a scenario does; the search then stays on the
near side of it. Nothing is assumed of its shape: the root nearest to the start is found if the
output passes through the target between two points of the walk, of which each is at most twice (or
half) as far from zero as the one before.

References
----------
.. [1] Brent 1973, "Algorithms for Minimization without Derivatives", chapter 4 (SciPy's brentq).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from xl_tco.errors import InputError
from xl_tco.fields import Number

__all__ = ["Bracket", "Function", "Sample", "look", "root", "whole_root"]

Function = Callable[[float], float]

STEPS = 120  # outwards each way: from 1 to the largest number of any field and close to 0
BISECTIONS = 60
NEAR = 1e-9  # relative distance from an end at which the end itself is next
LARGEST_SCAN = 4096
ROUNDING = 1e-12
"""What an output may be above its target, relatively, and still count as reaching it."""


class Sample(NamedTuple):
    """A point that the search has been at."""

    at: float
    output: float


class Bracket(NamedTuple):
    """Two neighbours between which the target lies."""

    low: Sample
    high: Sample


def look(
    function: Function,
    target: float,
    start: float,
    domain: Number,
    ways: tuple[bool, ...] = (True, False),
) -> Bracket | list[Sample]:
    """Look outwards from ``start`` for two points that have the target between them.

    ``ways`` are up and down, taken by turns.

    Returns
    -------
    The nearest such pair; or, where there is none, the points that were tried.
    """
    tried = _sampled(function, [start])
    last = dict.fromkeys(ways, tried[0] if tried else None)
    walks = {up: _walk(function, start, domain, up) for up in last}
    while walks:
        for up, way in list(walks.items()):
            sample, before = next(way, None), last[up]
            if sample is None:
                del walks[up]
                continue
            if before is not None and (before.output - target) * (sample.output - target) <= 0.0:
                return Bracket(*sorted((before, sample)))
            last[up] = sample
            tried.append(sample)
    return tried


def root(function: Function, target: float, bracket: Bracket) -> float:
    """Close in on the target within a bracket by Brent's method [1]_; in logarithms above 0."""
    from scipy.optimize import brentq

    for end in bracket:
        if end.output == target:
            return end.at
    low, high = bracket.low.at, bracket.high.at
    if low > 0.0:
        found = brentq(
            lambda power: function(math.exp(power)) - target,
            math.log(low),
            math.log(high),
            xtol=1e-15,
            rtol=1e-15,
        )
        return min(max(math.exp(found), low), high)
    return float(brentq(lambda at: function(at) - target, low, high, xtol=1e-300, rtol=1e-15))


def whole_root(function: Function, target: float, bracket: Bracket, unit: float = 1.0) -> float:
    """Return the multiple of ``unit`` next to the target at which it is not exceeded.

    Where the function refuses some of the multiples, those between are tried one after the other.
    """
    low, high = (round(end.at / unit) for end in bracket)
    lower, upper = bracket.low.output, bracket.high.output
    limit = target + abs(target) * ROUNDING
    falling = lower > upper
    while high - low > 1:
        middle = (low + high) // 2
        samples = _sampled(function, [middle * unit])
        if not samples:
            return _scanned(function, limit, range(low, high + 1), unit, falling)
        if (samples[0].output <= limit) == falling:
            high = middle
        else:
            low = middle
    return (high if falling else low) * unit


def _scanned(function: Function, limit: float, numbers: range, unit: float, falling: bool) -> float:
    if len(numbers) > LARGEST_SCAN:  # every so many of them, the ends included
        numbers = range(numbers.start, numbers.stop, len(numbers) // LARGEST_SCAN + 1)
    samples = _sampled(function, [number * unit for number in numbers])
    reached = [sample.at for sample in samples if sample.output <= limit]
    return min(reached) if falling else max(reached)


def _walk(function: Function, start: float, domain: Number, up: bool) -> Iterator[Sample]:
    """Yield points outwards to the end of the domain, or to where the function refuses."""
    last = start
    for at in _outwards(start, domain, up):
        samples = _sampled(function, [at])
        if not samples:
            yield from _edge(function, last, at)
            return
        yield samples[0]
        last = at


def _outwards(start: float, domain: Number, up: bool) -> Iterator[float]:
    end = domain.high if up else domain.low
    is_open = domain.high_open if up else domain.low_open
    at = start
    for _ in range(STEPS):
        if abs(end - at) <= NEAR * max(abs(end), abs(start), 1e-300) or at == end:
            break
        if up:
            doubled = 2.0 * at if at > 0.0 else min(1.0, end) * 1e-6
            at = min(doubled, (at + end) / 2.0)
        else:
            at = max(at / 2.0, (at + end) / 2.0)
        yield at
    if not is_open and at != end:
        yield end


def _edge(function: Function, good: float, bad: float) -> Iterator[Sample]:
    """Yield the last point before ``bad`` that the function takes."""
    found: list[Sample] = []
    for _ in range(BISECTIONS):
        middle = (good + bad) / 2.0
        samples = _sampled(function, [middle])
        if samples:
            good, found = middle, samples
        else:
            bad = middle
    yield from found


def _sampled(function: Function, places: list[float]) -> list[Sample]:
    """Return the samples of those places that the function takes."""
    samples: list[Sample] = []
    for at in places:
        try:
            samples.append(Sample(at, function(at)))
        except InputError:
            continue
    return samples

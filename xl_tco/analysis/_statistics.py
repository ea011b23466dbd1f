"""What is said of the samples of one output: moments, percentiles, histogram, shares of variance.

- The standard error of a percentile p is half the distance between the percentiles at
  p ± sqrt(p·(1−p)/n): that of the binomial number of samples below it [1]_.
- A field's share of the variance is that of the mean of the output given the field: its first-order
  Sobol index [2]_, from the means in up to 64 bins of equal probability, less what chance alone
  puts between them [3]_. What is left over is what fields do together; where fields are correlated
  their shares overlap, and there is no such remainder.

References
----------
.. [1] David and Nagaraja 2003, "Order Statistics", 3rd ed., section 7.1.
.. [2] Saltelli et al. 2008, "Global Sensitivity Analysis: The Primer", section 1.2.
.. [3] Kelley 1935, "An Unbiased Correlation Ratio Measure", Proceedings of the National Academy of
   Sciences 21(9), pp. 554-559.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xl_tco.analysis._draws import Draws

__all__ = ["Histogram", "Percentile", "histogram", "moments", "percentile", "shares"]

Array = NDArray[np.float64]

CONSTANT = 1e-12  # a relative spread that is nothing but rounding


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile of the output: the value, and the standard error of the estimate."""

    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many samples lie between each two edges.

    The edges go from the 0.1th to the 99.9th percentile; the outermost bars also hold the samples
    beyond, so that the counts add up to all of them.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]


def moments(values: Array) -> tuple[float, float]:
    """Mean and standard deviation, which is 0 if all that varies is rounding."""
    low, high = float(values.min()), float(values.max())
    largest = max(abs(low), abs(high))
    if high - low <= CONSTANT * largest:
        return float(values.mean()), 0.0
    scaled = values / largest  # squares stay in the range of numbers
    return float(scaled.mean()) * largest, float(scaled.std(ddof=1)) * largest


def shares(values: Array, draws: Draws) -> dict[str, float]:
    """Share of the variance that each field explains alone: Kelley's correlation ratio ε² [3]_."""
    largest = np.abs(values).max()
    centred = values / largest
    centred -= centred.mean()
    total = float(centred @ centred)
    shares = {}
    for name, codes in draws.codes.items():
        sums = np.bincount(codes, centred, draws.bins)
        counts = np.bincount(codes, minlength=draws.bins)
        used = counts > 0
        between = float(np.sum(sums[used] ** 2 / counts[used]))
        bins = int(used.sum())
        chance = (total - between) * (bins - 1) / (values.size - bins)
        shares[name] = min(max((between - chance) / total, 0.0), 1.0)
    return shares


def percentile(ordered: Array, share: float) -> Percentile:
    away = math.sqrt(share * (1.0 - share) / ordered.size)
    span = _quantile(ordered, share + away) - _quantile(ordered, share - away)
    return Percentile(_quantile(ordered, share), 0.5 * span)


def _quantile(ordered: Array, share: float) -> float:
    """Interpolate between the two samples next to a quantile, as NumPy does."""
    at = min(max(share, 0.0), 1.0) * (ordered.size - 1)
    low = min(int(at), ordered.size - 2)
    below, above = ordered[low : low + 2].tolist()
    return float(below + (at - low) * (above - below))


def histogram(ordered: Array, bars: int) -> Histogram:
    low, high = _quantile(ordered, 0.001), _quantile(ordered, 0.999)
    if low == high:
        return Histogram((low, high), (ordered.size,))
    edges = np.linspace(low, high, bars + 1)
    cuts = np.searchsorted(ordered, edges[1:-1])
    counts = np.diff([0, *cuts.tolist(), ordered.size])
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))

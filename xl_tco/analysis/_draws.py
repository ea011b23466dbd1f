"""The samples of a simulation: values of all ranges of a scenario, block by block.

Each field has a stream of random numbers of its own, by the seed and the field's name: scenarios
that share a range share its draws, and their difference is theirs, not one of luck. Blocks only
cut the streams: their size changes no number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from xl_tco.batch import Block, spans
from xl_tco.core._arrays import Real
from xl_tco.correlations import correlated_fields, factor
from xl_tco.scenario import Scenario

__all__ = ["Draws"]

Array = NDArray[np.float64]

BELOW_1 = np.nextafter(1.0, 0.0)
MOST_BINS = 64
IN_A_BIN = 16


class Draws:
    """Draws of every range.

    Attributes
    ----------
    bins
        How many bins of equal probability a field's values are told apart by.
    codes
        For each field the bin of every sample, once `blocks` has drawn it.
    """

    def __init__(self, scenario: Scenario, samples: int, seed: int) -> None:
        self.bins = min(MOST_BINS, samples // IN_A_BIN)
        self.codes = {name: np.empty(samples, dtype=np.uint8) for name in scenario.ranges}
        self._scenario, self._samples = scenario, samples
        self._streams = {name: _stream(seed, name) for name in scenario.ranges}
        self._joined = correlated_fields(scenario.correlations)
        self._factor = factor(scenario.correlations)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of samples, each with the values of all fields that are given."""
        ranges = self._scenario.ranges
        for span in spans(self._samples):
            values: dict[str, Real | str | None] = {**self._scenario.given}
            for name, share in self._shares(span.stop - span.start):
                np.multiply(share, self.bins, out=self.codes[name][span], casting="unsafe")
                values[name] = ranges[name].quantile(share)
            yield span, values

    def _shares(self, size: int) -> Iterator[tuple[str, Array]]:
        """Draw for each range what share of its values lies below the sample's: below 1."""
        share = np.empty(size)
        for name, stream in self._streams.items():
            if name not in self._joined:
                yield name, stream.random(out=share)
        if self._joined:
            from scipy.special import ndtr

            normals = [self._streams[name].standard_normal(size) for name in self._joined]
            for name, row in zip(self._joined, self._factor, strict=True):
                # Not a product of matrices: how that adds up depends on the size of the block.
                mixed = np.zeros(size)
                for weight, normal in zip(row, normals, strict=True):
                    if weight:
                        mixed += weight * normal
                yield name, np.minimum(ndtr(mixed), BELOW_1, out=share)


def _stream(seed: int, name: str) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=tuple(name.encode()))
    return np.random.Generator(np.random.PCG64(sequence))

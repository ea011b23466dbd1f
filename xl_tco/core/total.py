"""How the parts add up, and the total per unit of what it bought."""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.time import FLOP_PER_TFLOP, SECONDS_PER_HOUR

__all__ = [
    "FLOP_PER_PFLOP_DAY",
    "FLOP_PER_TFLOP_HOUR",
    "TOKENS_PER_MILLION",
    "usd_per_effective_tflop_hour",
    "usd_per_million_tokens",
    "usd_per_pflop_day",
    "waste_usd",
]

FLOP_PER_TFLOP_HOUR = FLOP_PER_TFLOP * SECONDS_PER_HOUR
FLOP_PER_PFLOP_DAY = 1000.0 * FLOP_PER_TFLOP_HOUR * 24.0
TOKENS_PER_MILLION = 1e6


@elementwise
def waste_usd(productive_usd: Real, waste_share: Real) -> Real:
    """Cost of the time that made no progress: ``productive · w/(1−w)``, USD.

    Every component is counted on the productive hours. The wall time is those over 1−w, so the
    waste is w/(1−w) of them, and the parts add up to the cost of the wall time with nothing
    counted twice.
    """
    return productive_usd * (waste_share / (1.0 - waste_share))


@elementwise
def usd_per_effective_tflop_hour(total_usd: Real, flops: Real) -> Real:
    """Cost of one TFLOP/s of model FLOPs sustained for an hour: the price that compares chips."""
    return total_usd / (flops / FLOP_PER_TFLOP_HOUR)


@elementwise
def usd_per_pflop_day(total_usd: Real, flops: Real) -> Real:
    """Cost of one PFLOP/s of model FLOPs sustained for a day."""
    return total_usd / (flops / FLOP_PER_PFLOP_DAY)


@elementwise
def usd_per_million_tokens(total_usd: Real, tokens: Real) -> Real:
    """Cost of a million training tokens."""
    return total_usd / (tokens / TOKENS_PER_MILLION)

"""How long a training run takes.

The efficiency that goes with *model* FLOPs is the MFU. Model FLOPs over an HFU, or hardware FLOPs
over an MFU, is a mixture that misstates the time by 1 + recompute_share.

References
----------
.. [1] Chowdhery et al. 2022, "PaLM", arXiv:2204.02311, appendix B.
.. [2] Grattafiori et al. 2024, "The Llama 3 Herd of Models", arXiv:2407.21783, section 3.3.4
   (effective training time over elapsed time).
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "FLOP_PER_TFLOP",
    "SECONDS_PER_HOUR",
    "accelerator_hours",
    "productive_hours",
    "wall_hours",
]

FLOP_PER_TFLOP = 1e12
SECONDS_PER_HOUR = 3600.0


@elementwise
def productive_hours(
    flops: Real,
    accelerators: Real,
    peak_tflops: Real,
    mfu: Real,
    communication_share: Real = 0.0,
) -> Real:
    """Hours in which the cluster makes progress [1]_.

    Parameters
    ----------
    flops
        Model FLOPs to compute, experiments included.
    accelerators
        Number of accelerators.
    peak_tflops
        *Dense* peak of one accelerator at the training precision, TFLOP/s.
    mfu
        Model FLOPs utilization, a share of the peak.
    communication_share
        Share of a step spent in exposed communication, only for an efficiency that was measured
        on compute alone: a published MFU already contains it.

    Returns
    -------
    Hours, failures not counted.
    """
    flops_per_hour = accelerators * peak_tflops * FLOP_PER_TFLOP * SECONDS_PER_HOUR
    return flops / (flops_per_hour * mfu * (1.0 - communication_share))


@elementwise
def wall_hours(productive_hours: Real, waste_share: Real = 0.0) -> Real:
    """Hours on the clock: productive hours over goodput, ``T_p/(1−w)`` [2]_.

    Parameters
    ----------
    productive_hours
        Hours in which the cluster makes progress.
    waste_share
        Share of the cluster's time lost to failures, restarts, rollbacks and stragglers, below 1.
    """
    return productive_hours / (1.0 - waste_share)


@elementwise
def accelerator_hours(accelerators: Real, hours: Real) -> Real:
    """Accelerator-hours: what a cloud bills and what papers report."""
    return accelerators * hours

"""How often a cluster fails, how often to write a checkpoint, and how much time is lost.

Failures are independent and come at a constant rate, so that a cluster of n accelerators fails n
times as often as one: optimistic for small clusters, whose fixed parts (storage, fabric, software)
fail as well. MTBF is the mean time between failures that stop the job.

References
----------
.. [1] Grattafiori et al. 2024, "The Llama 3 Herd of Models", arXiv:2407.21783, section 3.3.4
   (419 unexpected interruptions in 54 days on 16,384 accelerators).
.. [2] Young 1974, "A first order approximation to the optimum checkpoint interval",
   Communications of the ACM 17(9).
.. [3] Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps",
   Future Generation Computer Systems 22(3).
.. [4] Rajbhandari et al. 2020, "ZeRO", arXiv:1910.02054, section 3.1 (bytes of a model state).
.. [5] Palm 1938 and Feeney and Sherbrooke 1966: units under repair are Poisson distributed,
   whatever the distribution of the repair time.
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.time import SECONDS_PER_HOUR

__all__ = [
    "BYTES_PER_GIGABYTE",
    "CHECKPOINT_BYTES_PER_PARAMETER",
    "accelerator_mtbf_hours",
    "checkpoint_gigabytes",
    "checkpoint_write_hours",
    "cluster_mtbf_hours",
    "daly_interval_hours",
    "exponential_waste_share",
    "failures",
    "goodput",
    "hot_spares",
    "spares_availability",
    "units_in_repair",
    "waste_share",
    "young_interval_hours",
]

BYTES_PER_GIGABYTE = 1e9

CHECKPOINT_BYTES_PER_PARAMETER = 14.0
"""16-bit weights 2, and Adam's 32-bit weights, momentum and variance 12; no gradients [4]_."""


@elementwise
def cluster_mtbf_hours(accelerator_mtbf_hours: Real, accelerators: Real) -> Real:
    """Hours between failures of a cluster: an accelerator's MTBF over their number [1]_."""
    return accelerator_mtbf_hours / accelerators


@elementwise
def accelerator_mtbf_hours(accelerators: Real, hours: Real, interruptions: Real) -> Real:
    """Hours between failures of one accelerator, from what a run on many of them recorded [1]_.

    Its share of the host and the network is counted with it.
    """
    return accelerators * hours / interruptions


@elementwise
def failures(hours: Real, mtbf_hours: Real) -> Real:
    """Failures to expect in ``hours`` of a cluster's MTBF."""
    return hours / mtbf_hours


@elementwise
def checkpoint_gigabytes(
    parameters: Real, bytes_per_parameter: Real = CHECKPOINT_BYTES_PER_PARAMETER
) -> Real:
    """Size of a checkpoint that training can resume from, GB of 1e9 bytes.

    Parameters
    ----------
    parameters
        *All* parameters: those of a mixture of experts that a token does not pass through as well.
    bytes_per_parameter
        Weights and optimizer states [4]_.
    """
    return parameters * bytes_per_parameter / BYTES_PER_GIGABYTE


@elementwise
def checkpoint_write_hours(checkpoint_gigabytes: Real, write_gigabytes_per_second: Real) -> Real:
    """Hours that training stands still to write a checkpoint, or to read one back.

    Parameters
    ----------
    checkpoint_gigabytes
        Its size, GB.
    write_gigabytes_per_second
        Bandwidth of the whole cluster to where the state is safe enough to go on, GB/s: storage,
        or the hosts' memory when a copy is written in the background.
    """
    return checkpoint_gigabytes / write_gigabytes_per_second / SECONDS_PER_HOUR


@elementwise
def young_interval_hours(write_hours: Real, mtbf_hours: Real) -> Real:
    """Work between checkpoints that wastes least, first order: ``sqrt(2·δ·M)`` [2]_.

    It minimises `waste_share` exactly.

    Parameters
    ----------
    write_hours
        Hours to write a checkpoint, δ.
    mtbf_hours
        MTBF of the *cluster*, M.

    Returns
    -------
    Hours of work between the end of a checkpoint and the start of the next.
    """
    return np.sqrt(2.0 * write_hours * mtbf_hours)


@elementwise
def daly_interval_hours(write_hours: Real, mtbf_hours: Real) -> Real:
    """Work between checkpoints that wastes least, higher order [3]_.

    ``sqrt(2·δ·M)·(1 + sqrt(δ/2M)/3 + (δ/2M)/9) − δ`` for ``δ < 2M``, else M. It minimises
    `exponential_waste_share` closely; `young_interval_hours` takes the same arguments.

    Examples
    --------
    >>> f"{60 * daly_interval_hours(5 / 60, 24.0):.0f} minutes"
    '117 minutes'
    """
    ratio = write_hours / (2.0 * mtbf_hours)
    root = np.sqrt(ratio)
    series = 2.0 * mtbf_hours * root * (1.0 + root / 3.0 + ratio / 9.0) - write_hours
    return np.where(ratio < 1.0, series, mtbf_hours)


@elementwise
def waste_share(
    interval_hours: Real,
    write_hours: Real,
    mtbf_hours: Real,
    restart_hours: Real = 0.0,
    straggler_share: Real = 0.0,
) -> Real:
    """Share of the cluster's time that is lost, first order: ``δ/τ + τ/(2M) + R/M``.

    Checkpoints, work that is done again (half an interval a failure), restarts, stragglers. Good
    while each part is small: it passes 1 where `exponential_waste_share` only comes near it.

    Parameters
    ----------
    interval_hours
        Work between checkpoints, τ.
    write_hours
        Hours to write a checkpoint, δ.
    mtbf_hours
        MTBF of the *cluster*, M.
    restart_hours
        Hours from a failure until training goes on from the checkpoint, R.
    straggler_share
        Share lost to waiting for the slowest, added as it is.
    """
    checkpoints = write_hours / interval_hours
    lost = interval_hours / (2.0 * mtbf_hours) + restart_hours / mtbf_hours
    return checkpoints + lost + straggler_share


@elementwise
def exponential_waste_share(
    interval_hours: Real,
    write_hours: Real,
    mtbf_hours: Real,
    restart_hours: Real = 0.0,
    straggler_share: Real = 0.0,
) -> Real:
    """Share of the cluster's time that is lost, exact for exponential failures [3]_.

    A segment of work τ takes ``M·e^(R/M)·(e^((τ+δ)/M) − 1)`` hours, since a failure can also hit a
    checkpoint or a restart. Arguments as in `waste_share`, to which this comes down when the MTBF
    is long; always below 1. Stragglers take their share of the time that is left.
    """
    attempts = np.expm1((interval_hours + write_hours) / mtbf_hours)
    elapsed = mtbf_hours * np.exp(restart_hours / mtbf_hours) * attempts
    return 1.0 - interval_hours / elapsed * (1.0 - straggler_share)


@elementwise
def goodput(waste_share: Real) -> Real:
    """Share of the cluster's time that makes progress: ``1 − w``."""
    return 1.0 - waste_share


@elementwise
def units_in_repair(units: Real, repair_hours: Real, unit_mtbf_hours: Real) -> Real:
    """Units to expect under repair at any time: ``n·R/M`` [5]_.

    Parameters
    ----------
    units
        Units in service, of whatever is swapped as a whole: servers, rather than accelerators.
    repair_hours
        Hours from a failure until the unit is back among the spares.
    unit_mtbf_hours
        MTBF of one unit; of a server of g accelerators a g-th of an accelerator's.
    """
    return units * repair_hours / unit_mtbf_hours


@elementwise
def spares_availability(spares: Real, units_in_repair: Real) -> Real:
    """Probability that ``spares`` cover all units under repair: the Poisson distribution [5]_.

    Parameters
    ----------
    spares
        Spares beyond the units that the job needs, a whole number (else rounded down).
    units_in_repair
        Units to expect under repair.
    """
    spares, mean = np.broadcast_arrays(spares, units_in_repair)
    logarithm = np.log(mean, where=mean > 0, out=np.full(mean.shape, -np.inf))
    covered = np.exp(-mean)
    log_term = -mean
    for number in range(1, int(np.max(spares, initial=0.0)) + 1):
        log_term = log_term + logarithm - np.log(number)
        covered = covered + np.where(number <= spares, np.exp(log_term), 0.0)
    at_most_one: Real = np.minimum(covered, 1.0)
    return at_most_one


@elementwise
def hot_spares(units_in_repair: Real, availability: Real) -> Real:
    """Fewest spares that cover all units under repair with a given probability [5]_.

    Parameters
    ----------
    units_in_repair
        Units to expect under repair.
    availability
        Share of the time in which no unit may be missing, below 1: 0.99.

    Returns
    -------
    A whole number; inf where no number of spares is enough, as for an availability of 1.

    Examples
    --------
    >>> hot_spares(units_in_repair(2048, 24, 50_677 / 8), 0.99)
    15.0
    """
    mean, wanted = np.broadcast_arrays(units_in_repair, availability)
    logarithm = np.log(mean, where=mean > 0, out=np.full(mean.shape, -np.inf))
    log_term = -mean
    covered = np.exp(log_term)
    needed = np.where(covered >= wanted, 0.0, np.inf)
    # Beyond this many the terms of the sum are below what float64 resolves.
    most = np.max(mean, initial=0.0)
    for number in range(1, int(most + 12.0 * np.sqrt(most) + 40.0)):
        if not np.any(np.isinf(needed)):
            break
        log_term = log_term + logarithm - np.log(number)
        covered = covered + np.exp(log_term)
        needed = np.where(np.isinf(needed) & (covered >= wanted), float(number), needed)
    return np.where(wanted < 1.0, needed, np.inf)

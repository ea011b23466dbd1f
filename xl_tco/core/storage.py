"""How much storage a run needs, how fast it has to be, and what buying it costs.

TB and GB are 1e12 and 1e9 bytes; bandwidth is that of the whole cluster, GB/s.

References
----------
.. [1] Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
   Megatron-LM", arXiv:2104.04473, section 5.10 (checkpoint of a model of a trillion parameters).
.. [2] Rajbhandari et al. 2020, "ZeRO", arXiv:1910.02054, section 3.1 (bytes of a model state).
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.reliability import (
    BYTES_PER_GIGABYTE,
    CHECKPOINT_BYTES_PER_PARAMETER,
    checkpoint_gigabytes,
)
from xl_tco.core.time import SECONDS_PER_HOUR

__all__ = [
    "BYTES_PER_TERABYTE",
    "TOKEN_BYTES",
    "checkpoint_terabytes",
    "dataset_terabytes",
    "read_seconds",
    "storage_capex_usd",
    "write_gb_per_second_for",
]

BYTES_PER_TERABYTE = 1e12
GIGABYTES_PER_TERABYTE = 1e3

TOKEN_BYTES = 4.0
"""A token's number in 32 bits, for vocabularies beyond 65,536; 2 is enough below."""


@elementwise
def dataset_terabytes(tokens: Real, epochs: Real = 1.0, token_bytes: Real = TOKEN_BYTES) -> Real:
    """Size of a dataset of tokens, TB.

    Parameters
    ----------
    tokens
        Tokens processed, all epochs counted.
    epochs
        How often each token is seen: storage holds it once.
    token_bytes
        Bytes that storage holds of a token.

    Examples
    --------
    >>> f"{dataset_terabytes(15.6e12):.1f}"
    '62.4'
    """
    return tokens / epochs * token_bytes / BYTES_PER_TERABYTE


@elementwise
def checkpoint_terabytes(
    parameters_total: Real,
    bytes_per_parameter: Real = CHECKPOINT_BYTES_PER_PARAMETER,
    checkpoints_kept: Real = 1.0,
) -> Real:
    """Size of the checkpoints that are kept at the same time, TB [1]_.

    Parameters
    ----------
    parameters_total
        *All* parameters: those of a mixture of experts that a token does not pass through as well.
    bytes_per_parameter
        Weights and optimizer states [2]_; 2 for weights in 16 bits alone.
    checkpoints_kept
        How many of them.
    """
    gigabytes = checkpoint_gigabytes(parameters_total, bytes_per_parameter)
    return gigabytes * checkpoints_kept / GIGABYTES_PER_TERABYTE


@elementwise
def storage_capex_usd(
    terabytes: Real,
    usd_per_tb: Real,
    gb_per_second: Real = 0.0,
    usd_per_gb_per_second: Real = 0.0,
) -> Real:
    """Purchase price of storage: capacity, and bandwidth where it is priced apart, USD.

    Parameters
    ----------
    terabytes
        Usable capacity, TB.
    usd_per_tb
        Price of a usable TB.
    gb_per_second
        Bandwidth of the whole system, GB/s.
    usd_per_gb_per_second
        Price of a GB/s on top of the capacity's; 0, the default, where that contains it.
    """
    return terabytes * usd_per_tb + gb_per_second * usd_per_gb_per_second


@elementwise
def write_gb_per_second_for(checkpoint_gigabytes: Real, hours: Real) -> Real:
    """Bandwidth that writes a checkpoint in a given time, GB/s.

    The inverse of `xl_tco.core.reliability.checkpoint_write_hours`.

    Parameters
    ----------
    checkpoint_gigabytes
        Its size, GB.
    hours
        Hours that training may stand still for it, above 0.
    """
    return checkpoint_gigabytes / (hours * SECONDS_PER_HOUR)


@elementwise
def read_seconds(read_bytes: Real, gb_per_second: Real) -> Real:
    """Seconds to read so many bytes, latency not counted.

    Parameters
    ----------
    read_bytes
        What one step, or one restart, reads.
    gb_per_second
        Bandwidth of whoever reads it, GB/s.
    """
    return read_bytes / (gb_per_second * BYTES_PER_GIGABYTE)

"""How much arithmetic a training run needs, and which share of the hardware's it uses.

References
----------
.. [1] Kaplan et al. 2020, "Scaling Laws for Neural Language Models", arXiv:2001.08361, section 2.1.
.. [2] Chowdhery et al. 2022, "PaLM", arXiv:2204.02311, appendix B (MFU, HFU, attention term).
.. [3] Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models",
   arXiv:2205.05198.
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "ATTENTION_FLOPS_FACTOR",
    "FLOPS_PER_PARAMETER_TOKEN",
    "hardware_flops",
    "hfu_from_mfu",
    "mfu_from_hfu",
    "model_flops",
]

FLOPS_PER_PARAMETER_TOKEN = 6.0
"""Forward 2 and backward 4 FLOP for each parameter that each token passes through [1]_."""

ATTENTION_FLOPS_FACTOR = 12.0
"""FLOP of attention a token: 12 · layers · hidden size · sequence length [2]_."""


@elementwise
def model_flops(
    parameters: Real,
    tokens: Real,
    layers: Real = 0.0,
    hidden_size: Real = 0.0,
    sequence_length: Real = 0.0,
    causal: Real = 0.0,
) -> Real:
    """Model FLOPs of a run, ``(6·N + 12·L·h·s)·D`` [2]_.

    Parameters
    ----------
    parameters
        Parameters that a token passes through: the active ones of a mixture of experts.
    tokens
        Tokens processed, all epochs counted.
    layers, hidden_size, sequence_length
        The attention term; 0 leaves it out and gives 6·N·D [1]_.
    causal
        1 counts the half of the attention matrix that a causal mask leaves; 0, the default, the
        whole, as published MFU figures do.

    Returns
    -------
    FLOP, without recomputation.

    Examples
    --------
    >>> f"{model_flops(175e9, 300e9):.3g}"
    '3.15e+23'
    """
    attention = ATTENTION_FLOPS_FACTOR * layers * hidden_size * sequence_length * (1 - causal / 2)
    return (FLOPS_PER_PARAMETER_TOKEN * parameters + attention) * tokens


@elementwise
def hardware_flops(flops: Real, recompute_share: Real = 0.0) -> Real:
    """FLOPs that the hardware executes: model FLOPs and the recomputed activations [3]_.

    Parameters
    ----------
    flops
        Model FLOPs.
    recompute_share
        Extra FLOPs by recomputation over model FLOPs: 0 none, about 0.03 selective, 1/3 full.

    Returns
    -------
    FLOP.
    """
    return flops * (1.0 + recompute_share)


@elementwise
def hfu_from_mfu(mfu: Real, recompute_share: Real = 0.0) -> Real:
    """Hardware FLOPs utilization of a model FLOPs utilization: ``MFU·(1+r)`` [2]_."""
    return mfu * (1.0 + recompute_share)


@elementwise
def mfu_from_hfu(hfu: Real, recompute_share: Real = 0.0) -> Real:
    """Model FLOPs utilization of a hardware FLOPs utilization: ``HFU/(1+r)`` [2]_."""
    return hfu / (1.0 + recompute_share)

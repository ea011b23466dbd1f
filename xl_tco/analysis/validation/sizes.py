"""Exact counts of the published models whose sizes are in the catalogue: parameters and FLOPs.

The counts are those of `xl_tco.core.transformer`; the sizes are rows of a run (layers, hidden_size
and so on), and what has no row is not there: no mixture of experts, no bias, an embedding that is
not tied to the logits.
"""

from __future__ import annotations

from xl_tco.core import transformer
from xl_tco.core._arrays import Real
from xl_tco.presets import known, number

__all__ = ["active_parameters", "flops_per_token", "has_sizes", "total_parameters"]


def has_sizes(run: str) -> bool:
    """Whether the sizes of a run's model are in the catalogue."""
    return known(run, "layers") is not None


def total_parameters(run: str) -> float:
    """Parameters of the model, all experts, norms and biases counted."""
    bias = _size(run, "bias")
    total = transformer.total_parameters(
        _size(run, "layers"),
        _size(run, "hidden_size"),
        _size(run, "vocabulary"),
        _attention(run, counted=1.0),
        transformer.feed_forward_parameters(
            _size(run, "hidden_size"), _size(run, "feed_forward_size"), _size(run, "gated"), bias
        ),
        _size(run, "mixture_layers"),
        _mixture(run, 0.0, _size(run, "router_bias")),
        _size(run, "tied"),
        _size(run, "positions"),
        _size(run, "norms_per_layer") or 2.0,
        bias,
    )
    return float(total) + _size(run, "other_parameters")


def active_parameters(run: str) -> float:
    """Parameters that a token passes through, without the table in which tokens are looked up."""
    active = transformer.active_parameters(
        total_parameters(run),
        _size(run, "mixture_layers"),
        _expert(run),
        _size(run, "experts"),
        _size(run, "active_experts"),
    )
    return float(active) - _size(run, "hidden_size") * _size(run, "vocabulary")


def flops_per_token(run: str, sequence_length: float, causal: float) -> float:
    """Training FLOPs of a token; a sequence of 0 leaves the attention term out."""
    hidden, heads = _size(run, "hidden_size"), _size(run, "heads")
    idle = _size(run, "experts") - _size(run, "active_experts")
    weights = transformer.multiplied_parameters(
        _size(run, "layers"),
        hidden,
        _size(run, "vocabulary"),
        _attention(run, counted=0.0),
        transformer.feed_forward_parameters(
            hidden, _size(run, "feed_forward_size"), _size(run, "gated")
        ),
        _size(run, "mixture_layers"),
        _mixture(run, idle, 0.0),
    )
    width = transformer.attention_width(
        heads,
        _size(run, "head_size") or hidden / heads,
        _size(run, "rope_size"),
        _size(run, "value_size"),
    )
    layers = _size(run, "layers")
    return float(
        transformer.training_flops_per_token(weights, layers, width, sequence_length, causal)
    )


def _attention(run: str, counted: float) -> Real:
    """Parameters of a layer's attention, with norms and biases (``counted`` 1) or without."""
    hidden, heads = _size(run, "hidden_size"), _size(run, "heads")
    if _size(run, "kv_rank"):
        return transformer.latent_attention_parameters(
            hidden,
            heads,
            _size(run, "query_rank"),
            _size(run, "kv_rank"),
            _size(run, "head_size"),
            _size(run, "rope_size"),
            _size(run, "value_size"),
            counted,
        )
    return transformer.attention_parameters(
        hidden,
        heads,
        _size(run, "kv_heads"),
        _size(run, "head_size"),
        _size(run, "bias") * counted,
    )


def _mixture(run: str, idle: float, router_bias: float) -> Real:
    return transformer.mixture_parameters(
        _size(run, "hidden_size"),
        _expert(run),
        _size(run, "experts"),
        _size(run, "shared_experts"),
        idle,
        router_bias,
    )


def _expert(run: str) -> Real:
    return transformer.feed_forward_parameters(
        _size(run, "hidden_size"), _size(run, "expert_size"), _size(run, "gated")
    )


def _size(run: str, field: str) -> float:
    return number(run, field) or 0.0

"""How many parameters a transformer has, and how many of them a budget of FLOPs should have."""

from __future__ import annotations

from typing import Any

import numpy as np

from xl_tco.core import scaling, transformer
from xl_tco.fields import Number
from xl_tco.functions.arguments import FLAG, FLOP, WHOLE, field, refuse
from xl_tco.functions.function import Argument, Function

__all__ = ["ROWS"]

FITS = {"besiroglu-2024": scaling.BESIROGLU_2024, "hoffmann-2022": scaling.HOFFMANN_2022}
"""Fits of the loss that can be asked for; the first is the default."""

COUNTS = ("total", "active", "multiplied")
"""What of a transformer's parameters is counted; the first is the default."""

_WIDTH = Number(0, 1e7, whole=True)


def _parameters(
    layers: Any,
    hidden_size: Any,
    heads: Any,
    feed_forward_size: Any,
    vocabulary: Any,
    kv_heads: Any,
    head_size: Any,
    tied: Any,
    experts: Any,
    active_experts: Any,
    shared_experts: Any,
    expert_size: Any,
    dense_layers: Any,
    positions: Any,
    bias: Any,
    figure: str,
    gated: Any,
) -> Any:
    mixed = np.greater(experts, 0.0)
    active = np.where(active_experts > 0.0, active_experts, experts)
    _check_parts(layers, heads, kv_heads, experts, active, shared_experts, dense_layers)
    _check_heads(hidden_size, heads, kv_heads, head_size)
    size = np.where(expert_size > 0.0, expert_size, feed_forward_size)
    expert = transformer.feed_forward_parameters(hidden_size, size, gated)
    mixture_layers = np.where(mixed, layers - dense_layers, 0.0)

    def attention(biased: Any) -> Any:
        return transformer.attention_parameters(hidden_size, heads, kv_heads, head_size, biased)

    def dense(biased: Any) -> Any:
        return transformer.feed_forward_parameters(hidden_size, feed_forward_size, gated, biased)

    def mixture(idle: Any) -> Any:
        return transformer.mixture_parameters(hidden_size, expert, experts, shared_experts, idle)

    sizes = (layers, hidden_size, vocabulary)
    if figure == "multiplied":
        met = mixture(experts - active)
        return transformer.multiplied_parameters(
            *sizes, attention(0.0), dense(0.0), mixture_layers, met
        )
    total = transformer.total_parameters(
        *sizes,
        attention(bias),
        dense(bias),
        mixture_layers,
        mixture(0.0),
        tied,
        positions,
        bias=bias,
    )
    if figure == "total":
        return total
    return transformer.active_parameters(total, mixture_layers, expert, experts, active)


def _check_heads(hidden_size: Any, heads: Any, kv_heads: Any, head_size: Any) -> None:
    """Refuse heads that are not all of one size, or do not share their keys and values evenly."""
    refuse(
        np.equal(head_size, 0.0) & (np.mod(hidden_size, heads) > 0.0),
        "heads",
        lambda heads, hidden: f"{heads:g} heads do not divide the hidden size of {hidden:g}",
        "give a number of heads that does, or head_size",
        heads,
        hidden_size,
    )
    shared = np.where(np.greater(kv_heads, 0.0), kv_heads, 1.0)
    refuse(
        np.mod(heads, shared) > 0.0,
        "kv_heads",
        lambda kv_heads, heads: f"{kv_heads:g} do not divide the {heads:g} query heads",
        "give a divisor of the heads",
        kv_heads,
        heads,
    )


def _check_parts(
    layers: Any, heads: Any, kv_heads: Any, experts: Any, active: Any, shared: Any, dense: Any
) -> None:
    """Refuse parts that are more than their whole."""
    for part, whole, name, what in (
        (kv_heads, heads, "kv_heads", "heads"),
        (active, experts, "active_experts", "experts"),
        (dense, layers, "dense_layers", "layers"),
    ):
        refuse(
            part > whole,
            name,
            lambda part, whole, what=what: f"{part:g} are more than the {whole:g} {what} there are",
            f"give at most the {what}",
            part,
            whole,
        )
    refuse(
        (shared > 0.0) & np.equal(experts, 0.0),
        "shared_experts",
        lambda shared: f"{shared:g} are given, and no experts",
        "give experts as well",
        shared,
    )


_FIT = Argument(
    "fit",
    "name",
    "Fit of the loss: besiroglu-2024, the default, or hoffmann-2022.",
    "word",
    default=next(iter(FITS)),
    words=tuple(FITS),
)
_BUDGET = Argument(
    "flops",
    "FLOP",
    "Model FLOPs to spend on one run, attention left out.",
    "number",
    Number(0, FLOP.high, low_open=True),
)

ROWS = (
    Function(
        "TCO_PARAMETERS",
        "Parameters of a decoder transformer, counted exactly from its architecture.",
        "parameters",
        (
            field("layers", domain=Number(1, 1e6, whole=True), help="Transformer layers."),
            field(
                "hidden_size",
                domain=Number(1, 1e7, whole=True),
                help="Width of the residual stream.",
            ),
            field("heads", help="Query heads."),
            Argument(
                "feed_forward_size",
                "elements",
                "Width of the feed-forward inside; of an expert, if expert_size is left out.",
                "number",
                _WIDTH,
            ),
            Argument(
                "vocabulary",
                "tokens",
                "Rows of the embedding, padding included.",
                "number",
                _WIDTH,
            ),
            Argument(
                "kv_heads",
                "heads",
                "Key and value heads of grouped-query attention; 0 or omitted: as many as heads.",
                "number",
                Number(0, 1e5, whole=True),
                0.0,
            ),
            Argument(
                "head_size",
                "elements",
                "Width of a head; 0 or omitted: hidden_size over heads.",
                "number",
                _WIDTH,
                0.0,
            ),
            Argument(
                "tied",
                "0 or 1",
                "1 where the logit layer is the embedding itself.",
                "number",
                FLAG,
                0.0,
            ),
            field("experts", 0.0, domain=WHOLE, help="Routed experts of a layer; 0: dense."),
            field(
                "active_experts",
                0.0,
                domain=WHOLE,
                help="Routed experts that a token is sent to; 0 or omitted: all.",
            ),
            Argument(
                "shared_experts",
                "experts",
                "Experts of a layer that every token passes through.",
                "number",
                WHOLE,
                0.0,
            ),
            Argument(
                "expert_size",
                "elements",
                "Width of an expert inside; 0 or omitted: feed_forward_size.",
                "number",
                _WIDTH,
                0.0,
            ),
            Argument(
                "dense_layers",
                "layers",
                "How many of the layers have no experts.",
                "number",
                WHOLE,
                0.0,
            ),
            Argument(
                "positions",
                "tokens",
                "Learned position embeddings: the longest sequence; 0: none, as with RoPE.",
                "number",
                Number(0, 1e9, whole=True),
                0.0,
            ),
            Argument(
                "bias",
                "0 or 1",
                "1 where matrices and norms have biases, as in GPT-2 and GPT-3.",
                "number",
                FLAG,
                0.0,
            ),
            Argument(
                "figure",
                "name",
                "total; active, those a token passes through; multiplied, of those the weights "
                "that FLOPs come from.",
                "word",
                default=COUNTS[0],
                words=COUNTS,
            ),
            Argument(
                "gated",
                "0 or 1",
                "1, the default, for a feed-forward of three matrices (SwiGLU); 0 for two.",
                "number",
                FLAG,
                1.0,
            ),
        ),
        _parameters,
        example=(32.0, 4096.0, 32.0, 14_336.0, 128_256.0, 8.0),
    ),
    Function(
        "TCO_OPTIMAL_PARAMETERS",
        "Parameters that give the lowest loss for a budget of 6·N·D FLOPs (Chinchilla).",
        "parameters",
        (_BUDGET, _FIT),
        lambda flops, fit: scaling.optimal_parameters(flops, *FITS[fit]),
        example=(1e24,),
    ),
    Function(
        "TCO_OPTIMAL_TOKENS",
        "Tokens that go with TCO_OPTIMAL_PARAMETERS.",
        "tokens",
        (_BUDGET, _FIT),
        lambda flops, fit: scaling.optimal_tokens(flops, *FITS[fit]),
        example=(1e24,),
    ),
    Function(
        "TCO_LOSS",
        "Loss that a fitted scaling law gives a dense model after one pass over its tokens. "
        "Losses of two fits are not comparable.",
        "nats/token",
        (field("parameters"), field("tokens"), _FIT),
        lambda parameters, tokens, fit: scaling.loss(parameters, tokens, *FITS[fit]),
        example=(70e9, 1.4e12),
    ),
)
"""Functions of a model's size."""

"""How many parameters a decoder transformer has, and how many FLOPs a token costs it.

A model is put together from its parts: the attention of a layer (`attention_parameters` or
`latent_attention_parameters`), the feed-forward of a dense layer (`feed_forward_parameters`), the
feed-forward of a layer of experts (`mixture_parameters`), and the whole (`total_parameters`,
`active_parameters`, `multiplied_parameters`), of which `forward_flops_per_token` and
`training_flops_per_token` follow.

A weight matrix costs each token that meets it a multiplication and an addition, 2 FLOP. Norms,
biases, softmax and activation functions are not counted, nor is looking up an embedding; the logit
layer is [2]_. Parameters are counts.

References
----------
.. [1] Kaplan et al. 2020, "Scaling Laws for Neural Language Models", arXiv:2001.08361, section 2.1.
.. [2] Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
   Megatron-LM", arXiv:2104.04473, appendix (FLOPs of a GPT, logit layer included).
.. [3] Chowdhery et al. 2022, "PaLM", arXiv:2204.02311, section 2 and appendix B.
.. [4] Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models",
   arXiv:2305.13245.
.. [5] Shazeer 2020, "GLU Variants Improve Transformer", arXiv:2002.05202.
.. [6] Jiang et al. 2024, "Mixtral of Experts", arXiv:2401.04088.
.. [7] DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", arXiv:2412.19437, section 2.1.
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.compute import model_flops

__all__ = [
    "active_parameters",
    "attention_parameters",
    "attention_width",
    "feed_forward_parameters",
    "forward_flops_per_token",
    "latent_attention_parameters",
    "mixture_parameters",
    "multiplied_parameters",
    "total_parameters",
    "training_flops_per_token",
]

PASSES = 3.0
"""A training step is a forward pass and a backward pass of twice its FLOPs [1]_."""


@elementwise
def attention_parameters(
    hidden_size: Real,
    heads: Real,
    kv_heads: Real = 0.0,
    head_size: Real = 0.0,
    bias: Real = 0.0,
) -> Real:
    """Parameters of the attention of one layer: query, key, value and output matrices [4]_.

    Parameters
    ----------
    hidden_size, heads
        Width of the residual stream; query heads.
    kv_heads
        Key and value heads: 0, the default, as many as query heads (multi-head); fewer are
        grouped-query attention; 1 is multi-query.
    head_size
        Width of a head; 0, the default, is ``hidden_size / heads``.
    bias
        1 adds a bias to each of the four matrices. Leave it 0 where FLOPs are counted.
    """
    size = np.where(head_size > 0, head_size, hidden_size / heads)
    outputs = (heads + 2.0 * np.where(kv_heads > 0, kv_heads, heads)) * size
    return hidden_size * (outputs + heads * size) + bias * (outputs + hidden_size)


@elementwise
def latent_attention_parameters(
    hidden_size: Real,
    heads: Real,
    query_rank: Real,
    kv_rank: Real,
    head_size: Real,
    rope_size: Real,
    value_size: Real,
    norms: Real = 1.0,
) -> Real:
    """Parameters of multi-head latent attention in one layer [7]_.

    Queries, and keys with values, go through a narrow latent vector each; a part of the key that
    carries the position bypasses it and is shared by all heads.

    Parameters
    ----------
    hidden_size, heads
        Width of the residual stream; attention heads.
    query_rank, kv_rank
        Width of the latent query (0 where queries are not compressed) and of the latent key and
        value.
    head_size, rope_size, value_size
        Width of a head's query and key without the part that carries the position, of that part,
        and of a head's value.
    norms
        1, the default, counts the norm of each latent vector. Make it 0 where FLOPs are counted.
    """
    queries = heads * (head_size + rope_size)
    latent_query = query_rank * (hidden_size + queries + norms)
    query = np.where(query_rank > 0, latent_query, hidden_size * queries)
    keys_values = hidden_size * (kv_rank + rope_size) + kv_rank * (
        heads * (head_size + value_size) + norms
    )
    return query + keys_values + heads * value_size * hidden_size


@elementwise
def attention_width(
    heads: Real, head_size: Real, rope_size: Real = 0.0, value_size: Real = 0.0
) -> Real:
    """Width over which attention multiplies: the mean of all queries' and all values' width.

    It is heads times head size, mostly the hidden size; under latent attention, whose keys carry
    ``rope_size`` more and whose values are ``value_size`` wide (0 is as wide as ``head_size``),
    ``heads · (head_size + rope_size + value_size) / 2``.
    """
    values = np.where(value_size > 0, value_size, head_size)
    return heads * (head_size + rope_size + values) / 2.0


@elementwise
def feed_forward_parameters(
    hidden_size: Real, feed_forward_size: Real, gated: Real = 1.0, bias: Real = 0.0
) -> Real:
    """Parameters of one feed-forward block, or of one expert.

    Parameters
    ----------
    hidden_size, feed_forward_size
        Width of the residual stream, and of the block inside.
    gated
        1, the default, for three matrices (SwiGLU and its kin [5]_); 0 for two.
    bias
        1 adds a bias to each matrix. Leave it 0 where FLOPs are counted.
    """
    inner = feed_forward_size * (1.0 + gated)
    return hidden_size * (inner + feed_forward_size) + bias * (inner + hidden_size)


@elementwise
def mixture_parameters(
    hidden_size: Real,
    expert: Real,
    experts: Real,
    shared_experts: Real = 0.0,
    idle_experts: Real = 0.0,
    router_bias: Real = 0.0,
) -> Real:
    """Parameters of the experts of one layer and of the router that chooses among them [6]_ [7]_.

    Parameters
    ----------
    hidden_size, expert
        Width of the residual stream; parameters of one expert, of `feed_forward_parameters`.
    experts, shared_experts
        Routed experts, active or not, and experts of the same size that every token passes through.
    idle_experts
        Routed experts to leave out, not their rows of the router: those that a token is not sent to
        where FLOPs are counted; 0, the default, counts all.
    router_bias
        1 adds one number an expert to balance the load without an auxiliary loss [7]_.
    """
    met = experts + shared_experts - idle_experts
    return met * expert + (hidden_size + router_bias) * experts


@elementwise
def total_parameters(
    layers: Real,
    hidden_size: Real,
    vocabulary: Real,
    attention: Real,
    feed_forward: Real,
    mixture_layers: Real = 0.0,
    mixture: Real = 0.0,
    tied: Real = 0.0,
    positions: Real = 0.0,
    norms: Real = 2.0,
    bias: Real = 0.0,
) -> Real:
    """Parameters of a decoder transformer, all experts counted.

    Parameters
    ----------
    layers, hidden_size
        Layers, dense and of experts; width of the residual stream.
    vocabulary
        Rows of the embedding, padding included.
    attention, feed_forward
        Parameters of one layer's attention, and of one dense layer's feed-forward.
    mixture_layers, mixture
        How many of the layers hold experts, and the parameters of those of one such layer.
    tied
        1 where the logit layer is the embedding itself; 0, the default, where it has its own.
    positions
        Learned position embeddings: the longest sequence; 0, the default, where there are none.
    norms
        Norms in a layer: 2, or 1 where attention and feed-forward are parallel [3]_. One more
        stands before the logits.
    bias
        1 where a norm has a bias beside its scale.
    """
    dense = (layers - mixture_layers) * feed_forward
    tables = (2.0 - tied) * vocabulary + positions
    scales = (norms * layers + 1.0) * (1.0 + bias)
    return layers * attention + dense + mixture_layers * mixture + hidden_size * (tables + scales)


@elementwise
def active_parameters(
    parameters: Real, mixture_layers: Real, expert: Real, experts: Real, active_experts: Real
) -> Real:
    """Parameters that a token passes through: all but the experts that it is not sent to [6]_.

    Parameters
    ----------
    parameters, mixture_layers, expert
        Parameters of the whole model; layers that hold experts; parameters of one expert.
    experts, active_experts
        Routed experts of a layer, and how many of them a token is sent to.

    Returns
    -------
    A count, as Mixtral's; DeepSeek's leaves out the table in which tokens are looked up.
    """
    return parameters - mixture_layers * (experts - active_experts) * expert


@elementwise
def multiplied_parameters(
    layers: Real,
    hidden_size: Real,
    vocabulary: Real,
    attention: Real,
    feed_forward: Real,
    mixture_layers: Real = 0.0,
    mixture: Real = 0.0,
) -> Real:
    """Weights that a token is multiplied by, the logit layer's among them [2]_.

    The arguments are those of `total_parameters`, without biases and norms, and with a ``mixture``
    that leaves out the idle experts.
    """
    dense = (layers - mixture_layers) * feed_forward
    return layers * attention + dense + mixture_layers * mixture + hidden_size * vocabulary


@elementwise
def forward_flops_per_token(
    weights: Real,
    layers: Real = 0.0,
    width: Real = 0.0,
    sequence_length: Real = 0.0,
    causal: Real = 0.0,
) -> Real:
    """FLOPs of the forward pass a token: ``2·weights + 4·layers·width·sequence_length`` [3]_.

    Parameters
    ----------
    weights
        Weights that a token is multiplied by, of `multiplied_parameters`.
    layers, width, sequence_length
        The attention term: layers, `attention_width` and tokens of a sequence; 0 leaves it out.
    causal
        1 counts the half of the attention matrix that a causal mask leaves; 0, the default, the
        whole, as published MFU figures do.

    Returns
    -------
    FLOP a token.
    """
    return training_flops_per_token(weights, layers, width, sequence_length, causal) / PASSES


@elementwise
def training_flops_per_token(
    weights: Real,
    layers: Real = 0.0,
    width: Real = 0.0,
    sequence_length: Real = 0.0,
    causal: Real = 0.0,
) -> Real:
    """Model FLOPs of training a token, three times `forward_flops_per_token`: same arguments [1]_.

    This is `xl_tco.core.compute.model_flops` a token, with the weights in place of all parameters.
    """
    return model_flops(weights, 1.0, layers, width, sequence_length, causal)

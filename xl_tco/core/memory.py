"""What training holds in an accelerator's memory, and how many accelerators it takes to fit.

Bytes are those of the fullest accelerator; GB are 1e9 bytes. Parallel degrees are those of
`xl_tco.core.parallel`; parameters split evenly over ``tensor`` and ``pipeline``. Experts are
counted apart: 1/expert of their parameters with ``data`` replicas, the rest with ``data · expert``.

Activations are those of a GPT in 16 bits: as many key and value heads as queries, a plain
feed-forward four times as wide, dropout [1]_. Attention that never stores its scores (flash
attention) holds what selective recomputation does.

References
----------
.. [1] Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models",
   arXiv:2205.05198, sections 4 and 5, table 2.
.. [2] Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter
   Models", arXiv:1910.02054, sections 3.1 and 5, table 1.
.. [3] Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
   Megatron-LM", arXiv:2104.04473, section 2.2 (stages hold at most p micro-batches).
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.parallel import BYTES_PER_GB

__all__ = [
    "FULL",
    "NONE",
    "SELECTIVE",
    "activation_bytes",
    "gradient_memory_bytes",
    "layer_activation_bytes",
    "least_accelerators",
    "least_data_parallel",
    "least_layout",
    "memory_gb",
    "optimizer_memory_bytes",
    "outer_activation_bytes",
    "shortfall_gb",
    "weight_memory_bytes",
]

NONE, SELECTIVE, FULL = 0.0, 1.0, 2.0
"""Recomputation of activations: of nothing, of attention's scores, of all but a layer's input."""

WEIGHT_BYTES, GRADIENT_BYTES, OPTIMIZER_BYTES = 2.0, 2.0, 12.0
"""Bytes a parameter in mixed-precision Adam: 16 bits, 16 bits, 32-bit weight and moments [2]_."""


@elementwise
def weight_memory_bytes(
    parameters: Real,
    data: Real = 1.0,
    tensor: Real = 1.0,
    pipeline: Real = 1.0,
    zero_stage: Real = 0.0,
    weight_bytes: Real = WEIGHT_BYTES,
) -> Real:
    """Bytes of weights on an accelerator; ZeRO stage 3 shards them over the replicas [2]_.

    Parameters
    ----------
    parameters
        Parameters of the whole model, idle experts included.
    data
        Replicas over which ZeRO shards.
    tensor, pipeline
        Parallel degrees, which split the parameters evenly.
    zero_stage
        0 shards nothing, 1 optimizer states, 2 gradients as well, 3 weights as well.
    weight_bytes
        Bytes a parameter.
    """
    shards = np.where(zero_stage >= 3, data, 1.0)
    return parameters * weight_bytes / (tensor * pipeline * shards)


@elementwise
def gradient_memory_bytes(
    parameters: Real,
    data: Real = 1.0,
    tensor: Real = 1.0,
    pipeline: Real = 1.0,
    zero_stage: Real = 0.0,
    gradient_bytes: Real = GRADIENT_BYTES,
) -> Real:
    """Bytes of gradients, which ZeRO shards from stage 2; else as `weight_memory_bytes` [2]_."""
    shards = np.where(zero_stage >= 2, data, 1.0)
    return parameters * gradient_bytes / (tensor * pipeline * shards)


@elementwise
def optimizer_memory_bytes(
    parameters: Real,
    data: Real = 1.0,
    tensor: Real = 1.0,
    pipeline: Real = 1.0,
    zero_stage: Real = 0.0,
    optimizer_bytes: Real = OPTIMIZER_BYTES,
) -> Real:
    """Bytes of optimizer states, which ZeRO shards from stage 1; else as the weights [2]_."""
    shards = np.where(zero_stage >= 1, data, 1.0)
    return parameters * optimizer_bytes / (tensor * pipeline * shards)


@elementwise
def layer_activation_bytes(
    micro_batch: Real,
    sequence_length: Real,
    hidden_size: Real,
    heads: Real,
    tensor: Real = 1.0,
    sequence_parallel: Real = 1.0,
    recompute: Real = NONE,
) -> Real:
    """Bytes of activations that one layer keeps of one micro-batch for the backward pass [1]_.

    ``s·b·h·(34 + 5·a·s/h)/t``, without sequence parallelism ``s·b·h·(10 + 24/t + 5·a·s/(h·t))``;
    selective recomputation drops the term in a, full leaves ``2·s·b·h``, whatever t.

    Parameters
    ----------
    micro_batch, sequence_length, hidden_size, heads
        Sequences b, their tokens s, width of the residual stream h, attention heads a.
    tensor
        Tensor parallel degree t.
    sequence_parallel
        1, the default, splits norms and dropout over the tensor group as well; 0 does not.
    recompute
        `NONE` (0), `SELECTIVE` (1) or `FULL` (2).
    """
    values = sequence_length * micro_batch * hidden_size
    linear = np.where(sequence_parallel > 0, 34.0 / tensor, 10.0 + 24.0 / tensor)
    scores = np.where(recompute >= SELECTIVE, 0.0, 5.0 * heads * sequence_length / hidden_size)
    return values * np.where(recompute >= FULL, 2.0, linear + scores / tensor)


@elementwise
def activation_bytes(
    layer_bytes: Real,
    layers: Real,
    pipeline: Real = 1.0,
    micro_batches: Real = np.inf,
    chunks: Real = 1.0,
) -> Real:
    """Bytes of activations on the first stage of a pipeline, the fullest [1]_.

    It keeps p micro-batches of its L/p layers, so L layers whatever p; an interleaved schedule of v
    ``chunks``, ``1 + (p−1)/(p·v)`` times as much; none more than all micro-batches of a step [3]_.

    Parameters
    ----------
    layer_bytes
        Of one layer and one micro-batch, from `layer_activation_bytes`.
    layers, pipeline
        Layers L of the model, and stages p.
    micro_batches
        Micro-batches of a step; inf, the default, keeps the pipeline full.
    chunks
        Virtual stages of a rank; 1 is the plain one-forward-one-backward schedule.
    """
    interleaved = 1.0 + (pipeline - 1.0) / (pipeline * chunks)
    full = np.where(chunks > 1, interleaved, 1.0)
    return layer_bytes * layers * np.minimum(full, micro_batches / pipeline)


@elementwise
def outer_activation_bytes(
    micro_batch: Real,
    sequence_length: Real,
    hidden_size: Real,
    vocabulary: Real,
    tensor: Real = 1.0,
    pipeline: Real = 1.0,
) -> Real:
    """Bytes of activations outside the layers, with sequence parallelism [1]_.

    The embedding's dropout, ``s·b·h·p/t``; without a pipeline also the last norm, the input of the
    logit layer and the logits in 32 bits, ``4·s·b·h·(1 + v/h)/t``.
    """
    last = np.where(pipeline > 1, 0.0, 4.0 * (hidden_size + vocabulary))
    return sequence_length * micro_batch * (hidden_size * pipeline + last) / tensor


@elementwise
def memory_gb(
    weights: Real, gradients: Real, optimizer: Real, activations: Real, other: Real = 0.0
) -> Real:
    """GB that training takes of an accelerator's memory, of bytes; ``other``: buffers and waste."""
    return (weights + gradients + optimizer + activations + other) / BYTES_PER_GB


@elementwise
def shortfall_gb(needed_gb: Real, capacity_gb: Real) -> Real:
    """GB that an accelerator's memory lacks; 0 where training fits."""
    return np.maximum(needed_gb - capacity_gb, 0.0)


@elementwise
def least_data_parallel(fixed_bytes: Real, sharded_bytes: Real, capacity_gb: Real) -> Real:
    """Fewest replicas over which ZeRO's shards fit: ``⌈sharded/(capacity − fixed)⌉``.

    Parameters
    ----------
    fixed_bytes
        What each accelerator holds whatever the replicas.
    sharded_bytes
        What its replicas share, before it is shared.
    capacity_gb
        Memory of an accelerator, GB.

    Returns
    -------
    At least 1; inf where no number fits.
    """
    room = capacity_gb * BYTES_PER_GB - fixed_bytes
    safe = np.where(room > 0, room, 1.0)
    replicas = np.maximum(np.ceil(sharded_bytes / safe), 1.0)
    fits = (room > 0) | ((room == 0) & (sharded_bytes == 0))
    return np.where(fits, replicas, np.inf)


@elementwise
def least_layout(
    capacity_gb: Real,
    parameters: Real,
    layers: Real,
    hidden_size: Real,
    heads: Real,
    sequence_length: Real,
    micro_batch: Real = 1.0,
    zero_stage: Real = 0.0,
    sequence_parallel: Real = 1.0,
    recompute: Real = NONE,
    largest_tensor: Real = 8.0,
    largest_data: Real = np.inf,
    other_gb: Real = 0.0,
    weight_bytes: Real = WEIGHT_BYTES,
    gradient_bytes: Real = GRADIENT_BYTES,
    optimizer_bytes: Real = OPTIMIZER_BYTES,
) -> Real:
    """Fewest accelerators on which a dense model fits, and how it is laid out on them.

    Tried are tensor degrees that are powers of two and divide the heads, and pipelines of one stage
    up to one a layer, the fullest stage of ``⌈L/p⌉`` layers; `least_data_parallel` gives the rest.
    What `outer_activation_bytes` counts is left to ``other_gb``.

    Parameters
    ----------
    capacity_gb, other_gb
        Memory of an accelerator, and what of it something else takes, GB.
    largest_tensor, largest_data
        Bounds of the degrees: the accelerators of a server; the micro-batches of a step.
    others
        As in the functions above.

    Returns
    -------
    Accelerators, data, tensor and pipeline degree along a new first axis: inf where none fits. Of
    layouts as large, the one with the least tensor, then the least pipeline degree.
    """
    states = [(weight_bytes, 3), (gradient_bytes, 2), (optimizer_bytes, 1)]
    fixed = sum(np.where(zero_stage >= stage, 0.0, size) for size, stage in states) * parameters
    sharded = sum(np.where(zero_stage >= stage, size, 0.0) for size, stage in states) * parameters
    best: list[Real] = [np.float64(np.inf)] * 4
    for tensor in (2.0**k for k in range(int(np.log2(np.max(largest_tensor))) + 1)):
        layer = layer_activation_bytes(
            micro_batch, sequence_length, hidden_size, heads, tensor, sequence_parallel, recompute
        )
        allowed = (tensor <= largest_tensor) & (heads % tensor == 0)
        for pipeline in np.arange(1.0, np.max(layers) + 1.0):
            stage_layers = np.ceil(layers / pipeline)
            share = stage_layers / layers / tensor
            kept = activation_bytes(layer, stage_layers * pipeline, pipeline)
            held = fixed * share + kept + other_gb * BYTES_PER_GB
            data = least_data_parallel(held, sharded * share, capacity_gb)
            layout = [data * tensor * pipeline, data, tensor, pipeline]
            better = allowed & (pipeline <= layers) & (data <= largest_data) & (layout[0] < best[0])
            best = [np.where(better, new, old) for new, old in zip(layout, best, strict=True)]
    return np.stack(np.broadcast_arrays(*best))


def least_accelerators(*arguments: Real, **named: Real) -> Real:
    """Fewest accelerators on which a dense model fits: the first of `least_layout`."""
    accelerators = np.asarray(least_layout(*arguments, **named))[0]
    return accelerators if np.ndim(accelerators) else float(accelerators)

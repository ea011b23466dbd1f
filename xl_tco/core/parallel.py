"""How a step is spread over accelerators: what they tell each other, and how long a step takes.

Bytes are what one rank sends (it receives as many); ``gb_per_second`` is a rank's bandwidth in one
direction, 1e9 bytes/s; times are seconds. A group of one rank sends nothing.

Parallel degrees: ``tensor`` splits a layer, ``pipeline`` the stack of layers into stages,
``expert`` spreads the experts of a layer, ``data`` copies all of that. Their product is the number
of accelerators. What is no expert is the same on an expert group, whose ranks work on tokens of
their own: it has ``data · expert`` replicas, an expert has ``data``.

A micro-batch is ``micro_batch`` sequences of ``sequence_length`` tokens, a token
``hidden_size`` values, a value ``bytes_per_value`` bytes (2 in 16 bits).

References
----------
.. [1] Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of
   workstations", Journal of Parallel and Distributed Computing 69(2).
.. [2] Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
   Megatron-LM", arXiv:2104.04473, sections 2.2, 3 and 4.1.
.. [3] Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models",
   arXiv:2205.05198, sections 4.2.2 and 6.3.
.. [4] Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter
   Models", arXiv:1910.02054, section 7.
.. [5] Lepikhin et al. 2020, "GShard", arXiv:2006.16668, section 3 (tokens to experts and back).
.. [6] Chowdhery et al. 2022, "PaLM", arXiv:2204.02311, appendix B (MFU, HFU).
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.compute import hfu_from_mfu
from xl_tco.core.time import FLOP_PER_TFLOP

__all__ = [
    "BYTES_PER_GB",
    "allgather_bytes",
    "allgather_seconds",
    "allreduce_bytes",
    "allreduce_seconds",
    "compute_seconds",
    "expert_bytes",
    "exposed_seconds",
    "gradient_bytes",
    "hfu_from_step",
    "hierarchical_allreduce_seconds",
    "mfu_from_step",
    "micro_batches",
    "parallel_accelerators",
    "pipeline_bubble_seconds",
    "pipeline_bubble_share",
    "pipeline_bytes",
    "step_seconds",
    "step_share",
    "tensor_parallel_bytes",
    "transfer_seconds",
]

BYTES_PER_GB = 1e9


@elementwise
def parallel_accelerators(
    data: Real, tensor: Real = 1.0, pipeline: Real = 1.0, expert: Real = 1.0
) -> Real:
    """Accelerators that the parallel degrees ask for: their product [2]_."""
    return data * tensor * pipeline * expert


@elementwise
def micro_batches(
    batch_sequences: Real, micro_batch: Real, data: Real = 1.0, expert: Real = 1.0
) -> Real:
    """Micro-batches of a rank in a step of ``batch_sequences`` in all: ``B/(d·e·b)`` [2]_."""
    return batch_sequences / (data * expert * micro_batch)


@elementwise
def transfer_seconds(
    sent_bytes: Real, gb_per_second: Real, messages: Real = 0.0, latency_seconds: Real = 0.0
) -> Real:
    """Seconds to send bytes one message after another: bytes/bandwidth + messages · latency."""
    return sent_bytes / (gb_per_second * BYTES_PER_GB) + messages * latency_seconds


@elementwise
def allgather_bytes(ranks: Real, message_bytes: Real) -> Real:
    """Bytes that a rank sends in a ring all-gather or reduce-scatter: ``(R−1)/R·M`` [1]_.

    ``message_bytes`` M is the whole, which each rank holds after the one and before the other.
    """
    return (ranks - 1.0) / ranks * message_bytes


@elementwise
def allgather_seconds(
    ranks: Real, message_bytes: Real, gb_per_second: Real, latency_seconds: Real = 0.0
) -> Real:
    """Seconds of a ring all-gather or reduce-scatter, in R−1 messages [1]_."""
    sent = allgather_bytes(ranks, message_bytes)
    return transfer_seconds(sent, gb_per_second, ranks - 1.0, latency_seconds)


@elementwise
def allreduce_bytes(ranks: Real, message_bytes: Real) -> Real:
    """Bytes that a rank sends in a ring all-reduce of M bytes a rank: ``2(R−1)/R·M`` [1]_."""
    return 2.0 * allgather_bytes(ranks, message_bytes)


@elementwise
def allreduce_seconds(
    ranks: Real, message_bytes: Real, gb_per_second: Real, latency_seconds: Real = 0.0
) -> Real:
    """Seconds of a ring all-reduce of M bytes a rank, in 2(R−1) messages [1]_.

    The bandwidth is that of the slowest link of the ring, what oversubscription leaves of it; the
    latency, from one rank to the next.
    """
    return 2.0 * allgather_seconds(ranks, message_bytes, gb_per_second, latency_seconds)


@elementwise
def hierarchical_allreduce_seconds(
    nodes: Real,
    ranks_per_node: Real,
    message_bytes: Real,
    node_gb_per_second: Real,
    network_gb_per_second: Real,
    node_latency_seconds: Real = 0.0,
    network_latency_seconds: Real = 0.0,
) -> Real:
    """Seconds of reduce-scatter in nodes, all-reduce of parts across nodes, all-gather in nodes.

    The steps do not overlap. A rank's bandwidths: inside its node, and its share of the network.
    """
    inside = 2.0 * allgather_seconds(
        ranks_per_node, message_bytes, node_gb_per_second, node_latency_seconds
    )
    part = message_bytes / ranks_per_node
    return inside + allreduce_seconds(nodes, part, network_gb_per_second, network_latency_seconds)


@elementwise
def gradient_bytes(
    replicas: Real,
    parameters: Real,
    tensor: Real = 1.0,
    pipeline: Real = 1.0,
    zero_stage: Real = 0.0,
    bytes_per_value: Real = 2.0,
) -> Real:
    """Bytes that a rank sends to its replicas in a step, gradients having been summed locally [4]_.

    All-reduced gradients, or reduce-scattered gradients and all-gathered weights, are both
    ``2(R−1)/R`` of what the rank holds; ZeRO stage 3 gathers weights forward and backward: 3.

    Parameters
    ----------
    replicas
        R: ``data · expert``, of experts ``data``.
    parameters
        Of the whole model, split evenly by tensor and pipeline degree; of experts, 1/expert of all.
    zero_stage
        0 to 3.
    """
    held = parameters * bytes_per_value / (tensor * pipeline)
    return np.where(zero_stage >= 3, 3.0, 2.0) * allgather_bytes(replicas, held)


@elementwise
def tensor_parallel_bytes(
    tensor: Real,
    micro_batch: Real,
    sequence_length: Real,
    hidden_size: Real,
    allreduces: Real = 4.0,
    bytes_per_value: Real = 2.0,
) -> Real:
    """Bytes that a rank sends for one layer of one micro-batch: ``8·b·s·h·(t−1)/t`` values [2]_.

    ``allreduces`` are 2 forward and 2 backward, or 6 with full recomputation, which repeats the
    forward ones. Sequence parallelism sends the same as all-gathers and reduce-scatters [3]_.
    """
    activations = micro_batch * sequence_length * hidden_size * bytes_per_value
    return allreduces * allreduce_bytes(tensor, activations)


@elementwise
def pipeline_bytes(
    pipeline: Real,
    micro_batch: Real,
    sequence_length: Real,
    hidden_size: Real,
    chunks: Real = 1.0,
    tensor: Real = 1.0,
    bytes_per_value: Real = 2.0,
) -> Real:
    """Bytes that an inner stage sends for one micro-batch: ``2·v·b·s·h/t`` values [2]_.

    Activations to the next stage and gradients to the one before, for each of the ``chunks`` v that
    an interleaved schedule gives a rank. ``tensor`` is the degree t where the ranks of a tensor
    group each send a part (scatter/gather, sequence parallelism), 1 where each sends the whole.
    """
    activations = micro_batch * sequence_length * hidden_size * bytes_per_value
    return np.where(pipeline > 1, 2.0 * chunks, 0.0) * activations / tensor


@elementwise
def expert_bytes(
    expert: Real,
    tokens: Real,
    hidden_size: Real,
    active_experts: Real,
    exchanges: Real = 4.0,
    bytes_per_value: Real = 2.0,
) -> Real:
    """Bytes that a rank sends for one layer of evenly loaded experts: all-to-all [5]_.

    Each of ``tokens`` on this rank goes to ``active_experts``, of which 1/expert are at home, in
    ``exchanges``: there and back, forward and backward.
    """
    copies = tokens * active_experts * hidden_size * bytes_per_value
    return exchanges * allgather_bytes(expert, copies)


@elementwise
def pipeline_bubble_share(pipeline: Real, micro_batches: Real, chunks: Real = 1.0) -> Real:
    """Share of the pipeline's time that a stage waits: ``(p−1)/(v·m + p−1)`` [2]_.

    ``pipeline`` stages p, ``micro_batches`` m of a step, and ``chunks`` v, the virtual stages of a
    rank in an interleaved schedule; 1 is the plain one.
    """
    return (pipeline - 1.0) / (chunks * micro_batches + pipeline - 1.0)


@elementwise
def pipeline_bubble_seconds(
    busy_seconds: Real, pipeline: Real, micro_batches: Real, chunks: Real = 1.0
) -> Real:
    """Seconds that a stage waits in a step: ``(p−1)/(v·m)`` of those that it is busy [2]_.

    Busy with compute and with what it sends between layers (tensor, expert), of all micro-batches.
    """
    return busy_seconds * (pipeline - 1.0) / (chunks * micro_batches)


@elementwise
def compute_seconds(
    flops: Real, accelerators: Real, peak_tflops: Real, kernel_efficiency: Real
) -> Real:
    """Seconds of arithmetic in a step, evenly spread, of FLOPs with recomputation included.

    ``kernel_efficiency`` is the share of the dense peak that kernels reach by themselves.
    """
    return flops / (accelerators * peak_tflops * FLOP_PER_TFLOP * kernel_efficiency)


@elementwise
def exposed_seconds(communication_seconds: Real, overlap_share: Real = 0.0) -> Real:
    """Seconds of communication that no computation hides."""
    return communication_seconds * (1.0 - overlap_share)


@elementwise
def step_seconds(
    compute: Real, communication: Real = 0.0, storage: Real = 0.0, bubble: Real = 0.0
) -> Real:
    """Seconds of a step: compute, exposed communication, storage I/O and the pipeline's bubble."""
    return compute + communication + storage + bubble


@elementwise
def step_share(part_seconds: Real, step_seconds: Real) -> Real:
    """Share of a step that one of its parts takes."""
    return part_seconds / step_seconds


@elementwise
def mfu_from_step(
    model_flops: Real, accelerators: Real, peak_tflops: Real, step_seconds: Real
) -> Real:
    """Model FLOPs utilization that a step time amounts to, a share of the dense peak [6]_."""
    return model_flops / (accelerators * peak_tflops * FLOP_PER_TFLOP * step_seconds)


@elementwise
def hfu_from_step(
    model_flops: Real,
    accelerators: Real,
    peak_tflops: Real,
    step_seconds: Real,
    recompute_share: Real = 0.0,
) -> Real:
    """Hardware FLOPs utilization that a step time amounts to: `mfu_from_step` times 1+r [6]_."""
    mfu = mfu_from_step(model_flops, accelerators, peak_tflops, step_seconds)
    return hfu_from_mfu(mfu, recompute_share)

"""The MFU from the bottom up: what a step computes, sends and waits for, and what must fit.

A rank exchanges within its domain over the fast link, beyond it over the network. The tensor group
stands within a domain where it can; the experts' group beside it; the replicas take what is left.
What a rank sends between layers is exposed; of the exchange of gradients, what is not overlapped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xl_tco.core import compute, memory, network, parallel, storage
from xl_tco.core._arrays import Real
from xl_tco.model.values import Numbers, Outputs, either

__all__ = ["RECOMPUTATION", "memory_parts", "step"]

RECOMPUTATION = {"none": memory.NONE, "selective": memory.SELECTIVE, "full": memory.FULL}

EXCHANGES, WITH_FULL_RECOMPUTATION = 4.0, 6.0
"""Exchanges of a layer, forward and backward; full recomputation repeats those forward."""


def step(value: Numbers, recomputation: str, causal: Real) -> Outputs:
    """Take a training step apart.

    Returns
    -------
    ``mfu`` as predicted, the metrics of a step, and the GB that an accelerator must hold.
    """
    tensor, pipeline, expert = (
        value[f"{name}_parallel"] for name in ("tensor", "pipeline", "expert")
    )
    micro, chunks, width = value["micro_batch"], value["pipeline_chunks"], value["hidden_size"]
    data = value["accelerators"] / parallel.parallel_accelerators(1.0, tensor, pipeline, expert)
    micro_batches = _micro_batches(value, data)
    exchanges = WITH_FULL_RECOMPUTATION if recomputation == "full" else EXCHANGES
    fast = (value["link_gb_per_s"], value["link_latency_seconds"])
    slow = (
        network.oversubscribed_bandwidth(value["network_gb_per_s"], value["oversubscription"]),
        value["network_latency_seconds"],
    )

    def reach(ranks: Real) -> tuple[Real, Real]:
        """Bandwidth and latency of a group of ranks that stand next to each other."""
        near = np.less_equal(ranks, value["domain_accelerators"])
        bandwidth, latency = (np.where(near, *pair) for pair in zip(fast, slow, strict=True))
        return bandwidth, latency

    def seconds(sent: Real, messages: Real, ranks: Real) -> Real:
        bandwidth, latency = reach(ranks)
        return parallel.transfer_seconds(sent, bandwidth, messages, latency)

    flops = compute.model_flops(
        value["parameters"],
        value["batch_tokens"],
        value["layers"],
        width,
        value["sequence_length"],
        causal,
    )
    computing = parallel.compute_seconds(
        compute.hardware_flops(flops, value["recompute_share"]),
        value["accelerators"],
        value["peak_tflops"],
        value["kernel_efficiency"],
    )

    # Between layers, for each layer of the stage and each micro-batch.
    of_layer = seconds(
        parallel.tensor_parallel_bytes(tensor, micro, value["sequence_length"], width, exchanges),
        2.0 * exchanges * (tensor - 1.0),
        tensor,
    ) + seconds(
        parallel.expert_bytes(
            expert,
            micro * value["sequence_length"] / tensor,
            width,
            either(value["active_experts"], 0.0),
            exchanges,
        ),
        exchanges * (expert - 1.0),
        tensor * expert,
    )
    in_layers = of_layer * value["layers"] / pipeline * micro_batches

    # Between stages, and between replicas.
    between_stages = micro_batches * seconds(
        parallel.pipeline_bytes(pipeline, micro, value["sequence_length"], width, chunks, tensor),
        np.where(np.greater(pipeline, 1.0), 2.0 * chunks, 0.0),
        value["accelerators"],
    )
    parts = _shared(value, data)
    split = (tensor, pipeline, value["zero_stage"])
    gradients: Real = sum(
        seconds(
            parallel.gradient_bytes(replicas, held, *split, value["gradient_bytes"]),
            np.where(np.greater(held, 0.0), 2.0 * (replicas - 1.0), 0.0),
            value["accelerators"] / pipeline,
        )
        for replicas, held in parts
    )
    communicating = (
        in_layers + between_stages + parallel.exposed_seconds(gradients, value["overlap_share"])
    )
    waiting = parallel.pipeline_bubble_seconds(
        computing + in_layers, pipeline, micro_batches, chunks
    )
    reading = storage.read_seconds(
        value["batch_tokens"] * value["token_bytes"],
        value["accelerators"] * value["storage_gb_per_s"],
    )
    total = parallel.step_seconds(computing, communicating, reading, waiting)
    times = zip(
        ("compute", "communication", "bubble", "storage"),
        (computing, communicating, waiting, reading),
        strict=True,
    )
    return {
        "mfu": parallel.mfu_from_step(flops, value["accelerators"], value["peak_tflops"], total),
        "data_parallel": data,
        "step_seconds": total,
        **{f"{part}_step_share": parallel.step_share(time, total) for part, time in times},
        "memory_needed_gb": sum(_memory(value, parts, RECOMPUTATION[recomputation]).values()),
    }


def expert_parameters(value: Numbers) -> Real:
    """Parameters of all routed experts, from those that a token is not sent to; 0 if dense."""
    idle = value["parameters_total"] - value["parameters"]
    share = value["experts"] / np.maximum(value["experts"] - value["active_experts"], 1.0)
    return either(idle * share, 0.0)


def memory_parts(value: Numbers, recomputation: str) -> dict[str, Real]:
    """GB that the fullest accelerator holds, by what it holds them for."""
    degrees = (value[f"{name}_parallel"] for name in ("tensor", "pipeline", "expert"))
    data = value["accelerators"] / parallel.parallel_accelerators(1.0, *degrees)
    return _memory(value, _shared(value, data), RECOMPUTATION[recomputation])


def _shared(value: Numbers, data: Real) -> tuple[tuple[Real, Real], ...]:
    """Replicas and parameters of each group of ranks that hold the same: dense part, experts."""
    of_experts = expert_parameters(value)
    dense = either(value["parameters_total"], value["parameters"]) - of_experts
    expert = value["expert_parallel"]
    return (data * expert, dense), (data, of_experts / expert)


def _micro_batches(value: Numbers, data: Real) -> Real:
    sequences = value["batch_tokens"] / value["sequence_length"]
    return parallel.micro_batches(sequences, value["micro_batch"], data, value["expert_parallel"])


def _memory(
    value: Numbers, parts: tuple[tuple[Real, Real], ...], recompute: float
) -> dict[str, Real]:
    split = (value["tensor_parallel"], value["pipeline_parallel"], value["zero_stage"])
    stages = value["pipeline_parallel"]
    fullest = np.ceil(value["layers"] / stages) * stages / value["layers"]  # over the mean

    def held(name: str, of_parameters: Callable[..., Real]) -> Real:
        size = value[f"{name}_bytes"]
        mean = sum(of_parameters(held, replicas, *split, size) for replicas, held in parts)
        return mean * fullest

    layer = memory.layer_activation_bytes(
        value["micro_batch"],
        value["sequence_length"],
        value["hidden_size"],
        value["heads"],
        value["tensor_parallel"],
        1.0,
        recompute,
    )
    data = parts[1][0]
    states: dict[str, Real] = {
        "weights": held("weight", memory.weight_memory_bytes),
        "gradients": held("gradient", memory.gradient_memory_bytes),
        "optimizer": held("optimizer", memory.optimizer_memory_bytes),
        "activations": memory.activation_bytes(
            layer * fullest,
            value["layers"],
            value["pipeline_parallel"],
            _micro_batches(value, data),
            value["pipeline_chunks"],
        ),
    }
    gigabytes = {name: size / parallel.BYTES_PER_GB for name, size in states.items()}
    return {**gigabytes, "other": value["memory_other_gb"]}

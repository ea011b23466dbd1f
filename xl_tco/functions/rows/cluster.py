"""What fits on a cluster, what its accelerators tell each other, and what joins them."""

from __future__ import annotations

from typing import Any

import numpy as np

from xl_tco.core import memory, network, parallel, storage
from xl_tco.fields import FIELDS, Number
from xl_tco.functions import lookups
from xl_tco.functions.arguments import catalogued, field, refuse
from xl_tco.functions.function import Argument, Function
from xl_tco.plain import as_written

__all__ = ["ROWS"]

RECOMPUTATION = {"none": memory.NONE, "selective": memory.SELECTIVE, "full": memory.FULL}
PRICES = ("switch_usd", "transceiver_usd", "cable_usd", "adapter_usd")

# The search for a layout tries every number of stages up to one a layer.
_LAYERS = Number(1, 1000, whole=True)
_TENSOR = Number(1, 1e4, whole=True)


def _memory(
    parameters: Any,
    layers: Any,
    hidden_size: Any,
    heads: Any,
    sequence_length: Any,
    micro_batch: Any,
    tensor: Any,
    pipeline: Any,
    data: Any,
    zero_stage: Any,
    recomputation: str,
) -> Any:
    refuse(
        np.mod(heads, tensor) > 0,
        "tensor_parallel",
        lambda degree, count: f"{degree:g} does not divide {count:g} attention heads",
        "give a degree that divides them",
        tensor,
        heads,
    )
    refuse(
        np.greater(pipeline, layers),
        "pipeline_parallel",
        lambda stages, count: f"{stages:g} stages are more than {count:g} layers",
        "give at most one stage a layer",
        pipeline,
        layers,
    )
    # The fullest stage, whose share of the parameters is that of its layers.
    fullest = np.ceil(layers / pipeline) * pipeline / layers
    split = (parameters * fullest, data, tensor, pipeline, zero_stage)
    layer = memory.layer_activation_bytes(
        micro_batch,
        sequence_length,
        hidden_size,
        heads,
        tensor,
        recompute=RECOMPUTATION[recomputation],
    )
    return memory.memory_gb(
        memory.weight_memory_bytes(*split),
        memory.gradient_memory_bytes(*split),
        memory.optimizer_memory_bytes(*split),
        memory.activation_bytes(layer, layers * fullest),
    )


def _least_accelerators(
    parameters: Any,
    layers: Any,
    hidden_size: Any,
    heads: Any,
    sequence_length: Any,
    memory_gb: Any,
    micro_batch: Any,
    zero_stage: Any,
    recomputation: str,
    largest_tensor: Any,
) -> Any:
    recompute = RECOMPUTATION[recomputation]
    least = memory.least_accelerators(
        memory_gb,
        parameters,
        layers,
        hidden_size,
        heads,
        sequence_length,
        micro_batch,
        zero_stage,
        recompute=recompute,
        largest_tensor=largest_tensor,
    )
    nothing_fits = np.isinf(least)
    if np.any(nothing_fits):
        # The most that splitting can do: all tensor ranks, a stage a layer, endless replicas.
        tensor = _most_tensor_ranks(heads, largest_tensor)
        split = (parameters, np.inf, tensor, layers, zero_stage)
        layer = memory.layer_activation_bytes(
            micro_batch, sequence_length, hidden_size, heads, tensor, recompute=recompute
        )
        held = memory.memory_gb(
            memory.weight_memory_bytes(*split),
            memory.gradient_memory_bytes(*split),
            memory.optimizer_memory_bytes(*split),
            memory.activation_bytes(layer, layers),
        )
        refuse(
            nothing_fits,
            "memory_gb",
            lambda held, there: (
                f"{there:g} GB are {as_written(float(memory.shortfall_gb(held, there)), 4)} GB too "
                "few on any number of accelerators"
            ),
            "give more memory, a higher zero_stage, recomputation or largest_tensor, or a smaller "
            "micro_batch",
            held,
            memory_gb,
        )
    return least


def _most_tensor_ranks(heads: Any, largest: Any) -> Any:
    """Largest power of two that divides the heads and is allowed."""
    most: Any = 1.0
    for degree in (2.0**k for k in range(1, int(np.log2(np.max(largest))) + 1)):
        most = np.where((heads % degree == 0.0) & (degree <= largest), degree, most)
    return most


def _allreduce_seconds(
    ranks: Any, message_bytes: Any, gb_per_second: Any, latency: Any, oversubscription: Any
) -> Any:
    left = network.oversubscribed_bandwidth(gb_per_second, oversubscription)
    return parallel.allreduce_seconds(ranks, message_bytes, left, latency)


def _fabric(
    accelerators: Any,
    topology: str,
    radix: Any,
    rails: Any,
    oversubscription: Any,
    ports: Any,
    prices: tuple[Any, ...] = (0.0,) * len(PRICES),
) -> dict[str, Any]:
    """Count the network as a scenario does; no room in it is a fault."""
    from xl_tco.model.purchase import fabric

    counted = fabric(
        {
            "accelerators": accelerators,
            "hot_spares": 0.0,
            "network_ports": ports,
            "switch_radix": radix,
            "network_rails": rails,
            "oversubscription": oversubscription,
            "switch_watts": 0.0,
            "transceiver_watts": 0.0,
            **dict(zip(PRICES, prices, strict=True)),
        },
        topology,
    )
    tree = topology == "fat-tree"
    refuse(
        np.isinf(counted["network_switches"]),
        "switch_radix",
        lambda ends, radix, rails: (
            f"a {topology} of switches with {radix:g} ports"
            f"{f' in {rails:g} rails' if rails > 1.0 else ''} has no room for {ends:,.0f} endpoints"
        ),
        f"give switches of more ports{', fewer rails' if tree else ''}, or another topology",
        accelerators * ports,
        radix,
        rails if tree else 1.0,
    )
    return counted


_SEQUENCE = field(
    "sequence_length", domain=Number(1, 1e9, whole=True), help="Tokens in a training sequence."
)
_HIDDEN = field("hidden_size", domain=Number(1, 1e7, whole=True), help="Width of the model.")
_ALL_PARAMETERS = field("parameters", help="All parameters of the model, idle experts included.")
_RECOMPUTATION = field("recomputation", "none")
_RANKS = Argument(
    "ranks",
    "accelerators",
    "Accelerators of the ring.",
    "number",
    Number(1, 1e9, whole=True),
)
_MESSAGE = Argument(
    "message_bytes",
    "bytes",
    "What each rank holds and all add up: gradients of so many bytes.",
    "number",
    Number(0, 1e18),
)
_TOPOLOGY = (
    field(
        "network_topology",
        "fat-tree",
        help="fat-tree, the default, or dragonfly; rails and oversubscription are a fat tree's.",
    ),
    field("switch_radix", catalogued("switch_radix")),
    field("network_rails", 1.0),
    field("oversubscription", 1.0),
)


def _price(name: str) -> Argument:
    """Make an argument of a price; 0 counts as left out, as hosts hand it over."""
    return field(
        name,
        catalogued(name),
        domain=Number(0, 1e9, low_open=True),
        help=f"{FIELDS[name].help} The catalogue's if omitted.",
    )


ROWS = (
    Function(
        "TCO_MEMORY",
        "Memory that training a dense model takes of an accelerator: weights, gradients, Adam's "
        "states in mixed precision (16 bytes a parameter), and activations.",
        "GB/accelerator",
        (
            _ALL_PARAMETERS,
            field("layers", domain=Number(1, 1e6, whole=True), help="Transformer layers."),
            _HIDDEN,
            field("heads"),
            _SEQUENCE,
            field("micro_batch", 1.0),
            field("tensor_parallel", 1.0),
            field("pipeline_parallel", 1.0),
            Argument(
                "data_parallel",
                "replicas",
                "Copies of the model, over which ZeRO shards.",
                "number",
                Number(1, 1e9, whole=True),
                1.0,
            ),
            field("zero_stage", 0.0),
            _RECOMPUTATION,
        ),
        _memory,
        example=(7e9, 32.0, 4096.0, 32.0, 4096.0, 1.0, 8.0, 1.0, 1.0, 1.0, "selective"),
    ),
    Function(
        "TCO_MIN_ACCELERATORS",
        "Fewest accelerators whose memory a dense model fits in for training, however it is "
        "split; where none do, an error that says how many GB are missing.",
        "accelerators",
        (
            _ALL_PARAMETERS,
            field("layers", domain=_LAYERS, help="Transformer layers."),
            _HIDDEN,
            field("heads"),
            _SEQUENCE,
            field(
                "memory_gb",
                word=lookups.memory,
                help="Memory of one accelerator, or a catalogue key like h100-sxm.",
            ),
            field("micro_batch", 1.0),
            field("zero_stage", 0.0),
            _RECOMPUTATION,
            Argument(
                "largest_tensor",
                "accelerators",
                "Largest tensor parallel degree to try: the accelerators of a server, 8.",
                "number",
                _TENSOR,
                8.0,
            ),
        ),
        _least_accelerators,
        example=(70e9, 80.0, 8192.0, 64.0, 4096.0, "h100-sxm"),
    ),
    Function(
        "TCO_ALLREDUCE_BYTES",
        "Bytes that each rank sends in a ring all-reduce: 2·(R−1)/R of the message.",
        "bytes",
        (_RANKS, _MESSAGE),
        parallel.allreduce_bytes,
        example=(8.0, 16e9),
    ),
    Function(
        "TCO_ALLREDUCE_TIME",
        "Seconds of a ring all-reduce, at worst what oversubscription leaves of the bandwidth.",
        "s",
        (
            _RANKS,
            _MESSAGE,
            Argument(
                "gb_per_second",
                "GB/s",
                "Bandwidth of one rank in one direction, of the ring's slowest link.",
                "number",
                Number(0, 1e6, low_open=True),
            ),
            Argument(
                "latency_seconds",
                "s",
                "From one rank to the next.",
                "number",
                Number(0, 1),
                0.0,
            ),
            field("oversubscription", 1.0),
        ),
        _allreduce_seconds,
        example=(8.0, 16e9, 450.0),
    ),
    Function(
        "TCO_BUBBLE",
        "Share of the time that a stage of a pipeline waits: (p−1)/(v·m + p−1).",
        "share of step",
        (
            field("pipeline_parallel"),
            Argument(
                "micro_batches",
                "micro-batches",
                "Micro-batches of a step in one pipeline.",
                "number",
                Number(1, 1e9, whole=True),
            ),
            field("pipeline_chunks", 1.0),
        ),
        parallel.pipeline_bubble_share,
        example=(16.0, 64.0, 2.0),
    ),
    Function(
        "TCO_NETWORK_SWITCHES",
        "Switches of the network between accelerators, of all tiers; too many accelerators for "
        "the topology are an error.",
        "switches",
        (field("accelerators"), *_TOPOLOGY, field("network_ports", 1.0)),
        lambda *args: _fabric(*args)["network_switches"],
        example=(16_384.0,),
    ),
    Function(
        "TCO_NETWORK_COST",
        "Purchase price of the network between accelerators: switches, transceivers, cables, "
        "adapters.",
        "USD",
        (
            field("accelerators"),
            *_TOPOLOGY,
            *(_price(name) for name in PRICES[:-1]),
            field("network_ports", 1.0),
            field("adapter_usd", 0.0),
        ),
        lambda accelerators, topology, radix, rails, oversubscription, *rest: _fabric(
            accelerators,
            topology,
            radix,
            rails,
            oversubscription,
            rest[3],
            (*rest[:3], rest[4]),
        )["network_price_usd"],
        example=(16_384.0,),
    ),
    Function(
        "TCO_STORAGE_COST",
        "Purchase price of storage for the dataset and for checkpoints of 14 bytes a parameter.",
        "USD",
        (
            field("tokens"),
            field("parameters_total", help="All parameters, idle experts included."),
            field("storage_usd_per_tb", help="Price per TB that is usable."),
            field("epochs", 1.0),
            field(
                "token_bytes",
                storage.TOKEN_BYTES,
                domain=Number(0, 1e6, low_open=True),
                help="Bytes that storage holds of a token; 4 if omitted.",
            ),
            field("checkpoints_kept", catalogued("checkpoints_kept")),
        ),
        lambda tokens, parameters, price, epochs, token_bytes, kept: storage.storage_capex_usd(
            storage.dataset_terabytes(tokens, epochs, token_bytes)
            + storage.checkpoint_terabytes(parameters, checkpoints_kept=kept),
            price,
        ),
        example=(15.6e12, 405e9, 200.0),
    ),
)
"""Functions of a cluster: memory, communication, network, storage."""

"""Lines of a training step, from the bottom up: layout, communication, waiting, memory."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Lines, Sections, metric, when

__all__ = ["STEP"]


def _group(name: str, label: str, ranks: str) -> Lines:
    """Say over what a group of ranks exchanges: the fast link within a domain, or the network."""
    return (
        Line(f"{name}_ranks", f"{label}: accelerators apart", "accelerators", ranks),
        Line(
            f"{name}_near",
            f"{label}: within a domain",
            "1 yes, 0 no",
            f"({{{name}_ranks}}<=domain_accelerators)*1",
        ),
        Line(
            f"{name}_bytes_per_s",
            f"{label}: bandwidth",
            "bytes/s",
            f"{{{name}_near}}*{{link_bytes_per_s}}+(1-{{{name}_near}})*{{network_bytes_per_s}}",
        ),
        Line(
            f"{name}_latency",
            f"{label}: latency",
            "s",
            f"{{{name}_near}}*{{link_latency}}+(1-{{{name}_near}})*{{network_latency}}",
        ),
    )


def _sent(name: str, label: str, sent: str, messages: str, group: str = "") -> Lines:
    """Say what a rank sends, in how many messages, and how long that takes."""
    group = group or name
    return (
        Line(f"{name}_sent", f"{label}: sent", "bytes", sent),
        Line(f"{name}_messages", f"{label}: messages", "messages", messages),
        Line(
            f"{name}_seconds",
            f"{label}: time",
            "s",
            f"{{{name}_sent}}/{{{group}_bytes_per_s}}+{{{name}_messages}}*{{{group}_latency}}",
        ),
    )


_LAYOUT = when(
    "use_step=1",
    Line(
        "model_split",
        "Accelerators that share a layer and its stages",
        "accelerators",
        "tensor_parallel*pipeline_parallel",
    ),
    metric("data_parallel", "accelerators/({model_split}*expert_parallel)"),
    Line(
        "shared_replicas",
        "Replicas of what is no expert",
        "replicas",
        "{data_parallel}*expert_parallel",
    ),
    Line(
        "micro_batches",
        "Micro-batches of a replica in a step",
        "micro-batches",
        "batch_tokens/(sequence_length*micro_batch*{shared_replicas})",
    ),
    Line("stage_layers", "Layers of a stage", "layers", "layers/pipeline_parallel"),
    Line(
        "idle_parameters",
        "Parameters that a token does not pass through",
        "parameters",
        "{all_parameters}-parameters",
    ),
    Line(
        "expert_parameters",
        "Parameters of all routed experts",
        "parameters",
        "{idle_parameters}*N(experts)/MAX(N(experts)-N(active_experts),1)",
    ),
    Line(
        "shared_held",
        "Parameters of no expert, a rank, before ZeRO",
        "parameters",
        "({all_parameters}-{expert_parameters})/{model_split}",
    ),
    Line(
        "expert_held",
        "Parameters of experts, a rank, before ZeRO",
        "parameters",
        "{expert_parameters}/(expert_parallel*{model_split})",
    ),
    Line(
        "shards_weights",
        "ZeRO shards weights",
        "1 yes, 0 no",
        "(zero_stage>=zero_shards_weights)*1",
    ),
    Line(
        "shards_gradients",
        "ZeRO shards gradients",
        "1 yes, 0 no",
        "(zero_stage>=zero_shards_gradients)*1",
    ),
    Line(
        "shards_optimizer",
        "ZeRO shards optimizer states",
        "1 yes, 0 no",
        "(zero_stage>=zero_shards_optimizer)*1",
    ),
    Line(
        "micro_batch_values",
        "Values of a micro-batch between layers",
        "values",
        "micro_batch*sequence_length*hidden_size",
    ),
    Line(
        "micro_batch_bytes",
        "Bytes of a micro-batch between layers",
        "bytes",
        "{micro_batch_values}*bytes_per_value",
    ),
)

_COMPUTING = when(
    "use_step=1",
    Line("step_flops", "Model FLOPs of a step", "FLOP", "{token_flops}*batch_tokens"),
    Line(
        "compute_seconds",
        "Computing, recomputation included",
        "s",
        "{step_flops}*(1+recompute_share)/({peak_flop_per_second}*kernel_efficiency)",
    ),
)

_LAYERS = when(
    "use_step=1",
    Line("link_bytes_per_s", "Within a domain: bandwidth", "bytes/s", "link_gb_per_s*bytes_per_gb"),
    Line("link_latency", "Within a domain: latency", "s", "link_latency_seconds"),
    Line(
        "network_bytes_per_s",
        "Beyond it: bandwidth, oversubscribed",
        "bytes/s",
        "network_gb_per_s*bytes_per_gb/MAX(oversubscription,1)",
    ),
    Line("network_latency", "Beyond it: latency", "s", "network_latency_seconds"),
    Line(
        "exchanges",
        "Exchanges of a layer, forward and backward",
        "exchanges",
        "layer_exchanges+{keeps_input}*layer_exchanges_again",
    ),
    *_group("tensor", "Tensor group", "tensor_parallel"),
    *_sent(
        "tensor",
        "Tensor group, a layer",
        "{exchanges}*ring_passes*(1-1/tensor_parallel)*{micro_batch_bytes}",
        "{exchanges}*ring_passes*(tensor_parallel-1)",
    ),
    Line(
        "routed_bytes",
        "Bytes of a micro-batch to experts, a rank",
        "bytes",
        "{micro_batch_bytes}*N(active_experts)/tensor_parallel",
    ),
    *_group("expert", "Expert group", "tensor_parallel*expert_parallel"),
    *_sent(
        "expert",
        "Expert group, a layer",
        "{exchanges}*(1-1/expert_parallel)*{routed_bytes}",
        "{exchanges}*(expert_parallel-1)",
    ),
    Line(
        "in_layers_seconds",
        "Communication in layers, a step",
        "s",
        "({tensor_seconds}+{expert_seconds})*{stage_layers}*{micro_batches}",
    ),
)

_BETWEEN = when(
    "use_step=1",
    *_group("stage", "Between stages", "accelerators"),
    *_sent(
        "stage",
        "Between stages, a micro-batch",
        "{stage_messages}*{micro_batch_bytes}/tensor_parallel",
        "(pipeline_parallel>1)*both_ways*pipeline_chunks",
    ),
    Line(
        "stages_seconds",
        "Communication between stages, a step",
        "s",
        "{stage_seconds}*{micro_batches}",
    ),
    *_group("replica", "Between replicas", "accelerators/pipeline_parallel"),
    Line(
        "gradients_sent_times",
        "Gradients and weights: passes",
        "passes",
        "gradient_passes+{shards_weights}",
    ),
    *_sent(
        "shared_gradients",
        "Gradients of no expert",
        "{gradients_sent_times}*gradient_bytes*{shared_held}*(1-1/{shared_replicas})",
        "({shared_held}>0)*ring_passes*({shared_replicas}-1)",
        "replica",
    ),
    *_sent(
        "expert_gradients",
        "Gradients of experts",
        "{gradients_sent_times}*gradient_bytes*{expert_held}*(1-1/{data_parallel})",
        "({expert_held}>0)*ring_passes*({data_parallel}-1)",
        "replica",
    ),
    Line(
        "gradients_seconds",
        "Communication of gradients that nothing hides",
        "s",
        "({shared_gradients_seconds}+{expert_gradients_seconds})*(1-overlap_share)",
    ),
)

_WHOLE = when(
    "use_step=1",
    Line(
        "communication_seconds",
        "Communication that nothing hides",
        "s",
        "{in_layers_seconds}+{stages_seconds}+{gradients_seconds}",
    ),
    Line(
        "bubble_of_work",
        "Pipeline bubble, over a stage's work",
        "share of work",
        "(pipeline_parallel-1)/(pipeline_chunks*{micro_batches})",
    ),
    Line(
        "bubble_seconds",
        "Pipeline bubble",
        "s",
        "({compute_seconds}+{in_layers_seconds})*{bubble_of_work}",
    ),
    Line(
        "cluster_storage_bytes_per_s",
        "Storage bandwidth of the cluster",
        "bytes/s",
        "accelerators*storage_gb_per_s*bytes_per_gb",
    ),
    Line(
        "reading_seconds",
        "Reading the dataset",
        "s",
        "batch_tokens*token_bytes/{cluster_storage_bytes_per_s}",
    ),
    metric(
        "step_seconds",
        "{compute_seconds}+{communication_seconds}+{bubble_seconds}+{reading_seconds}",
    ),
    metric("compute_step_share", "{compute_seconds}/{step_seconds}"),
    metric("communication_step_share", "{communication_seconds}/{step_seconds}"),
    metric("bubble_step_share", "{bubble_seconds}/{step_seconds}"),
    metric("storage_step_share", "{reading_seconds}/{step_seconds}"),
    Line(
        "mfu_from_step",
        "MFU of a step",
        "share of peak",
        "{step_flops}/({peak_flop_per_second}*{step_seconds})",
    ),
)


def _state(name: str, label: str, size: str) -> Lines:
    """Say how much of a state of the parameters a rank holds, and in how many bytes."""
    shards = f"{{shards_{name}}}"
    return (
        Line(
            f"{name}_held",
            f"{label}: parameters that a rank holds",
            "parameters",
            f"{{shared_held}}/MAX(1,{shards}*{{shared_replicas}})"
            f"+{{expert_held}}/MAX(1,{shards}*{{data_parallel}})",
        ),
        Line(
            f"{name}_memory",
            f"{label}: memory",
            "bytes",
            f"{size}*{{{name}_held}}*{{fullest_stage}}",
        ),
    )


_MEMORY = when(
    "use_step=1",
    Line(
        "fullest_layers", "Layers of the fullest stage", "layers", "-INT(-layers/pipeline_parallel)"
    ),
    Line(
        "fullest_stage",
        "Layers of the fullest stage, over the mean",
        "multiple",
        "{fullest_layers}*pipeline_parallel/layers",
    ),
    *_state("weights", "Weights", "weight_bytes"),
    *_state("gradients", "Gradients", "gradient_bytes"),
    *_state("optimizer", "Optimizer states", "optimizer_bytes"),
    Line(
        "kept_scores",
        "Attention scores that are kept, a value",
        "bytes",
        "{keeps_scores}*score_bytes*heads*sequence_length/hidden_size",
    ),
    Line(
        "kept_parts",
        "Activations that are kept, a value, if not recomputed",
        "bytes",
        "(layer_bytes+{kept_scores})/tensor_parallel",
    ),
    Line(
        "kept_bytes",
        "Activations that are kept, a value",
        "bytes",
        "{keeps_input}*layer_input_bytes+(1-{keeps_input})*{kept_parts}",
    ),
    Line(
        "interleaved",
        "Activations that chunks add",
        "share",
        "(1-1/pipeline_parallel)/pipeline_chunks",
    ),
    Line(
        "stages_filled",
        "Micro-batches held, over the stages",
        "multiple",
        "MIN(1+(pipeline_chunks>1)*{interleaved},{micro_batches}/pipeline_parallel)",
    ),
    Line(
        "activations_memory",
        "Activations: memory",
        "bytes",
        "{micro_batch_values}*{kept_bytes}*layers*{stages_filled}*{fullest_stage}",
    ),
    metric(
        "memory_needed_gb",
        "({weights_memory}+{gradients_memory}+{optimizer_memory}+{activations_memory})"
        "/bytes_per_gb+memory_other_gb",
    ),
)

STEP: Sections = {
    "Step: how it is laid out": _LAYOUT,
    "Step: computing": _COMPUTING,
    "Step: communication in layers": _LAYERS,
    "Step: communication between stages and replicas": _BETWEEN,
    "Step: waiting, reading, and all of it": _WHOLE,
    "Step: memory": _MEMORY,
}

"""Lines of how much is computed, at which share of the peak, and how long that takes."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Sections, flag, metric, when

__all__ = ["COMPUTE", "MFU", "TIME"]

COMPUTE: Sections = {
    "Compute": (
        Line(
            "attended_tokens",
            "Tokens that a token attends to, 0 if not counted",
            "tokens",
            'N(sequence_length)*IF(attention="causal",causal_share,1)',
        ),
        Line(
            "attention_flops",
            "Attention, a token",
            "FLOP",
            "attention_flops_factor*N(layers)*N(hidden_size)*{attended_tokens}",
        ),
        Line(
            "token_flops",
            "Model FLOPs, a token",
            "FLOP",
            "flops_per_parameter_token*parameters+{attention_flops}",
        ),
        metric(
            "flops",
            "{token_flops}*tokens",
            "TCO_FLOPS(parameters,tokens,0,layers,hidden_size,{attended_tokens})",
        ),
        metric("project_flops", "{flops}*experiment_multiplier"),
        metric("hardware_flops", "{project_flops}*(1+recompute_share)"),
        Line(
            "peak_flop_per_second",
            "Cluster at its peak, a second",
            "FLOP",
            "accelerators*peak_tflops*flop_per_tflop",
        ),
        Line(
            "all_parameters",
            "All parameters, those of idle experts too",
            "parameters",
            "IF(ISNUMBER(parameters_total),parameters_total,parameters)",
        ),
        flag("keeps_scores", "No activation is recomputed", 'recomputation="none"'),
        flag("keeps_input", "All activations are recomputed", 'recomputation="full"'),
    ),
}

MFU: Sections = {
    "MFU: given, from HFU, or from a step": (
        *when(
            "COUNT(hfu)",
            Line("mfu_from_hfu", "MFU from HFU", "share of peak", "hfu/(1+recompute_share)"),
        ),
        metric("achieved_mfu", "SUM(mfu,{mfu_from_hfu},{mfu_from_step})"),
        metric("achieved_hfu", "{achieved_mfu}*(1+recompute_share)"),
    ),
}

_CLUSTER = "accelerators,peak_tflops,{achieved_mfu},communication_share"

TIME: Sections = {
    "Time": (
        Line(
            "lost_share",
            "Time that is lost: given, or from failures",
            "share of wall time",
            "SUM(waste_share,{waste_from_failures})",
        ),
        Line(
            "cluster_flop_per_hour",
            "Cluster at its peak, an hour",
            "FLOP",
            "{peak_flop_per_second}*seconds_per_hour",
        ),
        metric(
            "productive_hours",
            "{project_flops}/({cluster_flop_per_hour}*{achieved_mfu}*(1-communication_share))",
            f"TCO_WALLTIME({{project_flops}},{_CLUSTER},0)",
        ),
        metric(
            "wall_hours",
            "{productive_hours}/(1-{lost_share})",
            f"TCO_WALLTIME({{project_flops}},{_CLUSTER},{{lost_share}})",
        ),
        metric("wall_days", "{wall_hours}/hours_per_day"),
        metric("goodput", "1-{lost_share}"),
        metric("accelerator_hours", "accelerators*{wall_hours}"),
        *when("use_failures=1", metric("failures", "{wall_hours}/{cluster_mtbf_hours}")),
    ),
}

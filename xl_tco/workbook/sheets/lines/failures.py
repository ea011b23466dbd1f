"""Lines of the time that failures take, from the bottom up: checkpoints, repeats, restarts."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Sections, metric, when

__all__ = ["FAILURES"]

FAILURES: Sections = {
    "Failures and checkpoints": (
        *when(
            "use_failures=1",
            metric("cluster_mtbf_hours", "accelerator_mtbf_hours/accelerators"),
            metric(
                "checkpoint_gb",
                "{all_parameters}*(weight_bytes+optimizer_bytes)/bytes_per_gb",
            ),
            Line(
                "cluster_storage_gb_per_hour",
                "Storage bandwidth of the cluster, an hour",
                "GB/hour",
                "accelerators*storage_gb_per_s*seconds_per_hour",
            ),
            metric("checkpoint_write_hours", "{checkpoint_gb}/{cluster_storage_gb_per_hour}"),
            Line(
                "young_hours",
                "Best interval to first order: Young",
                "hours",
                "SQRT(failures_hit_at*{checkpoint_write_hours}*{cluster_mtbf_hours})",
            ),
            Line(
                "write_of_mtbf",
                "Time to write, over twice the MTBF",
                "ratio",
                "{checkpoint_write_hours}/(failures_hit_at*{cluster_mtbf_hours})",
            ),
            Line(
                "daly_second_term",
                "Daly's second term",
                "ratio",
                "SQRT({write_of_mtbf})/daly_second_order",
            ),
            Line(
                "daly_third_term",
                "Daly's third term",
                "ratio",
                "{write_of_mtbf}/daly_third_order",
            ),
            Line(
                "daly_series",
                "Best interval to a higher order, a short write",
                "hours",
                "{young_hours}*(1+{daly_second_term}+{daly_third_term})-{checkpoint_write_hours}",
            ),
            Line(
                "daly_hours",
                "Best interval to a higher order: Daly",
                "hours",
                "({write_of_mtbf}<1)*{daly_series}+({write_of_mtbf}>=1)*{cluster_mtbf_hours}",
            ),
        ),
        Line(
            "best_hours",
            "Best interval by the method chosen",
            "hours",
            'IF(checkpoint_method="daly",{daly_hours},{young_hours})',
        ),
        Line(
            "given_hours",
            "Interval as it is given, 0 if it is not",
            "hours",
            "N(checkpoint_interval_hours)",
        ),
        *when(
            "use_failures=1",
            metric("interval_hours", "{given_hours}+({given_hours}=0)*{best_hours}"),
            Line(
                "checkpoints_share",
                "Lost to writing checkpoints",
                "share of wall time",
                "{checkpoint_write_hours}/{interval_hours}",
            ),
            Line(
                "again_share",
                "Lost to work that is done again",
                "share of wall time",
                "{interval_hours}/(failures_hit_at*{cluster_mtbf_hours})",
            ),
            Line(
                "restarts_share",
                "Lost to restarts",
                "share of wall time",
                "restart_hours/{cluster_mtbf_hours}",
            ),
            Line(
                "waste_from_failures",
                "Waste from failures",
                "share of wall time",
                "{checkpoints_share}+{again_share}+{restarts_share}+straggler_share",
            ),
        ),
    ),
}

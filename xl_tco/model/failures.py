"""The waste from the bottom up: how often the cluster fails, and what checkpoints cost."""

from __future__ import annotations

from xl_tco.core import reliability
from xl_tco.model.values import Numbers, Outputs, either

__all__ = ["INTERVALS", "failures"]

INTERVALS = {
    "young": reliability.young_interval_hours,
    "daly": reliability.daly_interval_hours,
}


def failures(value: Numbers, method: str) -> Outputs:
    """Work out what failures cost a cluster.

    Returns
    -------
    ``waste_share`` as predicted (1 or more where failures leave no time), and the metrics of it.
    """
    mtbf = reliability.cluster_mtbf_hours(value["accelerator_mtbf_hours"], value["accelerators"])
    size = reliability.checkpoint_gigabytes(
        either(value["parameters_total"], value["parameters"]),
        value["weight_bytes"] + value["optimizer_bytes"],
    )
    write = reliability.checkpoint_write_hours(
        size, value["accelerators"] * value["storage_gb_per_s"]
    )
    interval = either(value["checkpoint_interval_hours"], INTERVALS[method](write, mtbf))
    waste = reliability.waste_share(
        interval, write, mtbf, value["restart_hours"], value["straggler_share"]
    )
    return {
        "waste_share": waste,
        "checkpoint_gb": size,
        "checkpoint_write_hours": write,
        "interval_hours": interval,
        "cluster_mtbf_hours": mtbf,
    }

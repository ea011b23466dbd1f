"""How often a cluster fails, and what that takes of its time."""

from __future__ import annotations

from typing import Any

import numpy as np

from xl_tco.core import reliability
from xl_tco.fields import Number
from xl_tco.fields.field import SHARE_BELOW_1
from xl_tco.functions.arguments import HOURS, field, refuse
from xl_tco.functions.function import Argument, Function
from xl_tco.plain import as_written

__all__ = ["ROWS"]

INTERVALS = {
    "young": reliability.young_interval_hours,
    "daly": reliability.daly_interval_hours,
}

MOST_IN_REPAIR = 1e4  # Units: far above any cluster's, and the sum over them stays short.

_ABOVE_0 = Number(0, HOURS.high, low_open=True)
_WRITE = Argument(
    "write_hours",
    "hours",
    "Hours that training stands still for a checkpoint.",
    "number",
    _ABOVE_0,
)
_MTBF = Argument(
    "mtbf_hours",
    "hours",
    "Hours between failures of the cluster, as TCO_MTBF gives them.",
    "number",
    _ABOVE_0,
)


def _waste(write: Any, mtbf: Any, restart: Any, straggler_share: Any, interval: Any) -> Any:
    best = reliability.young_interval_hours(write, mtbf)
    taken = np.where(np.greater(interval, 0.0), interval, best)
    waste = reliability.waste_share(taken, write, mtbf, restart, straggler_share)
    refuse(
        waste >= 1.0,
        "result",
        lambda waste, mtbf: (
            f"failures take {waste:.0%} of the time: a cluster that fails every {mtbf:.3g} hours "
            "makes no progress"
        ),
        "give a longer mtbf_hours, or shorter write_hours and restart_hours",
        waste,
        mtbf,
    )
    return waste


def _hot_spares(units: Any, unit_mtbf_hours: Any, repair_hours: Any, availability: Any) -> Any:
    broken = reliability.units_in_repair(units, repair_hours, unit_mtbf_hours)
    refuse(
        broken > MOST_IN_REPAIR,
        "result",
        lambda broken: f"{as_written(broken, 4)} units would be under repair at any time",
        f"check unit_mtbf_hours and repair_hours: at most {MOST_IN_REPAIR:,.0f} can be covered",
        broken,
    )
    spares = reliability.hot_spares(broken, availability)
    refuse(
        np.isinf(spares),
        "availability",
        lambda wanted: f"{wanted:.17g} is too near to 1 for any number of spares to be sure",
        "give one a little lower, like 0.999",
        availability,
    )
    return spares


ROWS = (
    Function(
        "TCO_MTBF",
        "Hours between failures of a cluster: those of one accelerator over their number.",
        "hours",
        (
            field("accelerators"),
            field(
                "accelerator_mtbf_hours",
                help="Hours between failures of one accelerator, with its share of host and "
                "network: 50,677 in the training of Llama 3 405B.",
            ),
        ),
        lambda accelerators, mtbf: reliability.cluster_mtbf_hours(mtbf, accelerators),
        example=(16_384.0, 50_677.0),
    ),
    Function(
        "TCO_CHECKPOINT_INTERVAL",
        "Hours of work between checkpoints that waste least.",
        "hours",
        (_WRITE, _MTBF, field("checkpoint_method", "young")),
        lambda write, mtbf, method: INTERVALS[method](write, mtbf),
        example=(0.02, 3.1),
    ),
    Function(
        "TCO_WASTE",
        "Share of a cluster's time that checkpoints, failures, restarts and stragglers take.",
        "share of wall time",
        (
            _WRITE,
            _MTBF,
            field("restart_hours", 0.0),
            field("straggler_share", 0.0),
            Argument(
                "interval_hours",
                "hours",
                "Hours of work between checkpoints; 0 or omitted: those that waste least.",
                "number",
                Number(0, 1e6),
                0.0,
            ),
        ),
        _waste,
        example=(0.02, 3.1, 0.2),
    ),
    Function(
        "TCO_HOT_SPARES",
        "Fewest spares that cover all units under repair for a share of the time.",
        "units",
        (
            Argument(
                "units",
                "units",
                "Units in service, of what is swapped as a whole: servers.",
                "number",
                Number(1, 1e9),
            ),
            Argument(
                "unit_mtbf_hours",
                "hours",
                "Hours between failures of one unit: of a server of 8, an 8th of an accelerator's.",
                "number",
                _ABOVE_0,
            ),
            Argument(
                "repair_hours",
                "hours",
                "From a failure until the unit is back among the spares.",
                "number",
                Number(0, 1e5),
            ),
            Argument(
                "availability",
                "share of time",
                "Share of the time in which no unit may be missing; 0.99 if omitted.",
                "number",
                SHARE_BELOW_1,
                0.99,
            ),
        ),
        _hot_spares,
        example=(2048.0, 6334.0, 24.0),
    ),
)
"""Functions of failures and checkpoints."""

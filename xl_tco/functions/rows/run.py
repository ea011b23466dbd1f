"""How much a run computes, how long that takes, and which share of the hardware's it uses."""

from __future__ import annotations

from typing import Any

from xl_tco.core import compute, decisions, parallel, time
from xl_tco.fields import Number
from xl_tco.functions.arguments import FLOP, HOURS, field, refuse
from xl_tco.functions.function import Argument, Function
from xl_tco.functions.lookups import dense_peak

__all__ = ["ROWS"]

ROUNDING = 1e-9

_FLOPS = Argument("flops", "FLOP", "Model FLOPs, as TCO_FLOPS gives them.", "number", FLOP)
_PEAK = field(
    "peak_tflops",
    word=dense_peak,
    help="Dense peak of one accelerator at the training precision, or a catalogue key like "
    "h100-sxm, read at bf16.",
)
_MFU = field("mfu", help="Model FLOPs over what the peak would do in the same time.")
_MEASURED = Argument(
    "hours",
    "hours",
    "Hours that the FLOPs took, as measured: of a step, or of the whole run.",
    "number",
    Number(0, HOURS.high, low_open=True),
)


def _hfu(flops: Any, accelerators: Any, peak: Any, hours: Any, recompute_share: Any = 0.0) -> Any:
    seconds = hours * time.SECONDS_PER_HOUR
    share = parallel.hfu_from_step(flops, accelerators, peak, seconds, recompute_share)
    refuse(
        share > 1.0 + ROUNDING,
        "result",
        lambda share: f"a utilization of {share:.6g} is more than the hardware can do",
        "check the hours, the FLOPs, and that the peak is the dense one of the precision",
        share,
    )
    return share


ROWS = (
    Function(
        "TCO_FLOPS",
        "Floating-point operations of a training run: 6·N·D, with the attention term if layers, "
        "hidden size and sequence length are given, all three.",
        "FLOP",
        (
            field("parameters"),
            field("tokens"),
            field(
                "recompute_share",
                0.0,
                help="Leave it out for the model FLOPs that go with MFU; hardware FLOPs go with "
                "HFU. 0.03 selective, 1/3 full recomputation.",
            ),
            field("layers", 0.0),
            field("hidden_size", 0.0),
            field("sequence_length", 0.0),
        ),
        lambda parameters, tokens, recompute_share, *sizes: compute.hardware_flops(
            compute.model_flops(parameters, tokens, *sizes), recompute_share
        ),
        example=(405e9, 15.6e12),
    ),
    Function(
        "TCO_WALLTIME",
        "Hours that a training run takes on a cluster; with a waste share, those on the clock.",
        "hours",
        (
            _FLOPS,
            field("accelerators"),
            _PEAK,
            _MFU,
            field("communication_share", 0.0),
            field("waste_share", 0.0, help="Lost to failures, restarts, stragglers."),
        ),
        lambda *args: time.wall_hours(time.productive_hours(*args[:-1]), args[-1]),
        example=(3.79e25, 16_384.0, "h100-sxm", 0.41),
    ),
    Function(
        "TCO_MFU",
        "Model FLOPs utilization that measured hours amount to: model FLOPs over what the dense "
        "peak would do in them.",
        "share of peak",
        (_FLOPS, field("accelerators"), _PEAK, _MEASURED),
        _hfu,
        example=(3.79e25, 16_384.0, "h100-sxm", 1882.0),
    ),
    Function(
        "TCO_HFU",
        "Hardware FLOPs utilization that measured hours amount to: as TCO_MFU, with the "
        "recomputation of activations counted.",
        "share of peak",
        (
            _FLOPS,
            field("accelerators"),
            _PEAK,
            _MEASURED,
            field("recompute_share", 0.0),
        ),
        _hfu,
        example=(3.79e25, 16_384.0, "h100-sxm", 1882.0, 0.03),
    ),
    Function(
        "TCO_ACCELERATORS_FOR_DEADLINE",
        "Fewest accelerators that finish a run in so many hours on the clock, if MFU and waste "
        "stay the same on more of them.",
        "accelerators",
        (
            _FLOPS,
            Argument(
                "hours",
                "hours",
                "Hours on the clock until the run must be done.",
                "number",
                Number(0, HOURS.high, low_open=True),
            ),
            _PEAK,
            _MFU,
            field("waste_share", 0.0, help="Lost to failures, restarts, stragglers."),
            field("communication_share", 0.0),
        ),
        decisions.accelerators_for_deadline,
        example=(3.79e25, 2160.0, "h100-sxm", 0.41, 0.1),
    ),
)
"""Functions of a training run and its time."""

"""Lines of the key indicators: what the claims of kind ``indicator`` say of this run.

The same figures as `xl_tco.analysis.claims`, in native formulas; "not used" where one says nothing
of the run.
"""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Sections, when

__all__ = ["INDICATORS", "KEY_INDICATORS"]

_RATIO = "communication / computation"
_EITHER = "{communication_of_step},{communication_given}"

_MFU = Line(
    "indicator_mfu",
    "MFU, communication included",
    "share of peak",
    "{achieved_mfu}*(1-communication_share)",
)
(_PUE,) = when(
    "ISNUMBER(pue)",
    Line("indicator_pue", "PUE of the facility", "facility / IT", "pue"),
)
_TFLOP_HOUR = Line(
    "indicator_tflop_hour",
    "An effective TFLOP-hour",
    "USD/TFLOP-hour",
    "{usd_per_effective_tflop_hour}",
)
(_UTILIZATION,) = when(
    "use_own=1",
    Line(
        "indicator_utilization",
        "Utilization of the accelerators",
        "share of the year",
        "utilization",
    ),
)
_COMMUNICATION_IN_STEP = when(
    "use_step=1",
    Line(
        "communication_of_step",
        "Communication over computation: of a step",
        _RATIO,
        "{communication_step_share}/{compute_step_share}",
    ),
)
_APART = Line(
    "communication_apart",
    "Communication that is given, and not in the MFU",
    "share of step time",
    "communication_share*(1-use_step)",
)
_COMMUNICATION_GIVEN = when(
    "{communication_apart}>0",
    Line(
        "communication_given",
        "Communication over computation: as given",
        _RATIO,
        "{communication_apart}/(1-{communication_apart})",
    ),
)
(_COMMUNICATION,) = when(
    f"COUNT({_EITHER})",
    Line("indicator_communication", "Communication over computation", _RATIO, f"SUM({_EITHER})"),
)
_FAILURES = Line("indicator_failures", "Time without progress", "share of wall time", "1-{goodput}")
_TOKEN = Line("indicator_token", "A training token", "USD/token", "{total_usd}/tokens")
(_POWER,) = when(
    "ISNUMBER({peak_facility_mw})",
    Line(
        "indicator_power",
        "Power of ten thousand accelerators",
        "MW",
        "{peak_facility_mw}/accelerators*ten_thousand",
    ),
)

KEY_INDICATORS: dict[str, Line] = {
    "mfu-range": _MFU,
    "pue-range": _PUE,
    "usd-per-effective-tflop-hour": _TFLOP_HOUR,
    "gpu-utilization": _UTILIZATION,
    "communication-over-computation": _COMMUNICATION,
    "failures-and-retries": _FAILURES,
    "usd-per-token": _TOKEN,
    "power-capacity": _POWER,
}
"""The line of each key indicator, by the id of its claim, in the text's order."""

INDICATORS: Sections = {
    "Key indicators": (
        *_COMMUNICATION_IN_STEP,
        _APART,
        *_COMMUNICATION_GIVEN,
        *KEY_INDICATORS.values(),
    )
}

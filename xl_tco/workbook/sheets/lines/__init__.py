"""The lines of the calculation: each as a spreadsheet function, and beside it in native formulas.

In a formula, a bare word is a name in the workbook (an input or a constant); ``{name}`` is another
line. The native column refers to native lines only: it is a calculation of its own, not an echo.

A part of the model that can be in use or not (a step, failures, a topology, capacity) has lines
that say "not used"; of several ways to say the same, one is a number, and SUM passes over the rest.
"""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.charges import CHARGES, UNIT_COSTS
from xl_tco.workbook.sheets.lines.compute import COMPUTE, MFU, TIME
from xl_tco.workbook.sheets.lines.constants import CONSTANTS
from xl_tco.workbook.sheets.lines.depreciation import DEPRECIATION, METHODS
from xl_tco.workbook.sheets.lines.failures import FAILURES
from xl_tco.workbook.sheets.lines.indicators import INDICATORS, KEY_INDICATORS
from xl_tco.workbook.sheets.lines.line import NOT_USED, Line, Sections
from xl_tco.workbook.sheets.lines.network import NETWORK
from xl_tco.workbook.sheets.lines.purchase import CAPITAL, POWER, STORAGE
from xl_tco.workbook.sheets.lines.step import STEP

__all__ = ["CONSTANTS", "KEY_INDICATORS", "LINES", "METHODS", "NOT_USED", "Line"]


def _catalogue_peak(precision: str) -> Line:
    entry = f'accelerator&".peak_tflops_{precision}"'
    formula = f"INDEX(catalogue_value,MATCH({entry},catalogue_id,0))"
    return Line(f"peak_{precision}", f"Dense peak, {precision}", "TFLOP/s", formula)


_ENDS: Sections = {
    "What the total rests on": (
        Line(
            "estimates",
            "Inputs that are only estimates",
            "inputs",
            'COUNTIFS(inputs_status,"estimate",inputs_in_use,"yes")',
        ),
    ),
    "Highest peak that may be claimed": (
        _catalogue_peak("bf16"),
        _catalogue_peak("fp16"),
        _catalogue_peak("fp8"),
        Line(
            "highest_peak",
            "Highest dense peak, 0 if none is known",
            "TFLOP/s",
            "IF(ISNUMBER(catalogue_peak),catalogue_peak,MAX({peak_bf16}:{peak_fp8}))",
        ),
    ),
}

LINES: Sections = {
    **COMPUTE,
    **STEP,
    **MFU,
    **FAILURES,
    **TIME,
    **NETWORK,
    **STORAGE,
    **POWER,
    **CAPITAL,
    **DEPRECIATION,
    **CHARGES,
    **UNIT_COSTS,
    **INDICATORS,
    **_ENDS,
}
"""The lines by section, in the order in which they are calculated."""

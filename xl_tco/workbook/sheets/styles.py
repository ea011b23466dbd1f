"""How the workbook looks: one font, three greys, one accent, and a cell style for each role.

Blue is an input, black a formula, green a link from another sheet.
"""

from __future__ import annotations

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side

__all__ = ["ACCENT", "GREYS", "INPUT_BLUE", "LINK_GREEN", "number_format", "register"]

INK = "262626"
ACCENT = "1F4E79"
GREYS = ("F2F2F2", "BFBFBF", "7F7F7F")
INPUT_BLUE = "0000FF"
LINK_GREEN = "00703C"

_RULE = Side(style="thin", color=GREYS[1])
_HAIR = Side(style="hair", color=GREYS[1])
_UNDER = Border(bottom=_HAIR)


def register(workbook: Workbook, font: str) -> None:
    """Add the cell styles to a workbook, under names that its users see in their own gallery."""
    for style in _styles(font):
        workbook.add_named_style(style)


def _styles(typeface: str) -> list[NamedStyle]:
    middle = Alignment(vertical="center")
    text = Alignment(horizontal="left", vertical="center", wrap_text=True, indent=1)
    label = Alignment(vertical="center", wrap_text=True)
    number = Alignment(vertical="center", horizontal="right")
    wrapped_number = Alignment(vertical="center", horizontal="right", wrap_text=True)

    def style(
        name: str,
        color: str = INK,
        size: int = 10,
        bold: bool = False,
        italic: bool = False,
        fill: str = "",
        border: Border | None = None,
        alignment: Alignment | None = None,
        unlocked: bool = False,
    ) -> NamedStyle:
        return NamedStyle(
            name=f"TCO {name}",
            font=Font(name=typeface, size=size, color=color, bold=bold, italic=italic),
            fill=PatternFill("solid", fgColor=fill) if fill else PatternFill(),
            border=border or Border(),
            alignment=alignment or text,
            protection=Protection(locked=not unlocked),
        )

    box = Border(left=_RULE, right=_RULE, top=_RULE, bottom=_RULE)
    return [
        style("title", ACCENT, 16, bold=True, alignment=middle),
        style("note", GREYS[2], 9, italic=True, alignment=middle),
        style("status", ACCENT, bold=True, alignment=middle),
        style("heading", "FFFFFF", bold=True, fill=ACCENT),
        style("corner", "FFFFFF", bold=True, fill=ACCENT, alignment=label),
        style("number heading", "FFFFFF", bold=True, fill=ACCENT, alignment=wrapped_number),
        style(
            "section",
            ACCENT,
            bold=True,
            fill=GREYS[0],
            border=Border(bottom=_RULE),
            alignment=middle,
        ),
        style(
            "section number",
            GREYS[2],
            9,
            fill=GREYS[0],
            border=Border(bottom=_RULE),
            alignment=number,
        ),
        style("label", border=_UNDER, alignment=label),
        style("unit", GREYS[2], 9, border=_UNDER),
        style("unit link", LINK_GREEN, 9, border=_UNDER),
        style("text", size=9, border=_UNDER),
        style("input", INPUT_BLUE, border=box, alignment=number, unlocked=True),
        style("input text", INPUT_BLUE, 9, border=box, unlocked=True),
        style("formula", border=_UNDER, alignment=number),
        style("link", LINK_GREEN, border=_UNDER, alignment=number),
        style("link text", LINK_GREEN, 9, border=_UNDER),
        style("total", bold=True, border=Border(top=_RULE, bottom=_RULE), alignment=number),
        style(
            "total link",
            LINK_GREEN,
            bold=True,
            border=Border(top=_RULE, bottom=_RULE),
            alignment=number,
        ),
        style("total label", bold=True, border=Border(top=_RULE, bottom=_RULE), alignment=label),
        style("figure", ACCENT, 18, bold=True, alignment=number),
        style("figure label", ACCENT, 14, bold=True, alignment=middle),
        style("finding", ACCENT, alignment=middle),
        style("jump", ACCENT, alignment=middle),
    ]


_BIG = "[>=1000000000]0.###E+00;#,##0.###"
_SMALL = "[>=0.001]0.00##;[>0]0.00E+00;0"
_FORMATS = {
    "FLOP": "0.000E+00",
    "parameters": "[>=1000000000]0.000E+00;#,##0",
    "tokens": "[>=1000000000]0.000E+00;#,##0",
    "USD": "[>=100]#,##0.00;[<0]-#,##0.00;0.00####",
    "USD million": "#,##0.000",
    "USD/kWh": "0.0000##",
    "USD/hour": "#,##0.00",
    "effective": "0.0000",
    "difference": "+0%;-0%;0%",
    "change": "+#,##0.0;-#,##0.0;0.0",
    "samples": "#,##0",
    "whole": "#,##0",
    "USD/token": _SMALL,
    "USD/TFLOP-hour": _SMALL,
    "GWh": "#,##0.000",
    "MW": "#,##0.000",
    "hours": "[>=10]#,##0.0;0.0###",
    "days": "#,##0.0",
    "multiple": "#,##0.00##",
    "years": "0.0###",
    "W": "#,##0.##",
    "TFLOP/s": "#,##0.0",
    "GB": "#,##0.0##",
    "GB/accelerator": "#,##0.0##",
    "TB": "#,##0.0##",
    "kW": "#,##0.0##",
    "t CO2e": "#,##0.0",
    "kg CO2e/kWh": "0.00##",
    "s": "[>=0.01]#,##0.000;[>0]0.0##E+00;0",
    "a year": "0.0##%",
    "ratio": "[>=0.001]0.0###;[>0]0.0##E+00;0",
    "per USD": "#,##0.00##",
    "facility / IT": "0.00#",
}


_WORDS = {"text", "format", "method", "code", "date", "year and month", "catalogue key", "version"}


def number_format(unit: str) -> str:
    """Return the number format for a unit: shares as percentages, money in thousands grouped."""
    if unit.startswith("share"):
        return "0.0%" if unit == "share" else "0.0##%"
    if unit.startswith("USD/"):
        return _FORMATS.get(unit, "#,##0.00")
    return _FORMATS.get(unit, "General" if unit in _WORDS or " | " in unit else _BIG)

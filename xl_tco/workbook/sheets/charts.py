"""Native Excel charts, drawn in the workbook's own colours.

Title, labels and units are cells: a title states a finding, and follows the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl.chart import BarChart, LineChart, ScatterChart, Series
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, NumDataSource, NumRef, StrRef
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.series import SeriesLabel, XYSeries
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import (
    CharacterProperties,
    Font,
    Paragraph,
    ParagraphProperties,
    RichTextProperties,
)

from xl_tco.workbook.sheets.page import Page
from xl_tco.workbook.sheets.styles import ACCENT, GREYS, INK

__all__ = ["NONE", "SHADES", "Axis", "Frame", "Shown", "add_bars", "add_curves", "add_lines"]

WIDTH = 15.0  # cm
SHADES = (ACCENT, "4F81B0", "9DBBD7", GREYS[2], GREYS[1], "404040", "C55A11", "F4B183")
NONE = ""
"""Colour of what is not drawn: what lifts a floating bar."""

_LINE = 22225  # EMU: 1.75 points


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a chart stands, how large, and what it says.

    Attributes
    ----------
    anchor
        Cell of its corner.
    title
        Cell of the sentence that is its title, as ``Results!$C$40``.
    width, height
        In cm.
    """

    anchor: str
    title: str
    width: float = WIDTH
    height: float = 9.0


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: the cell of its unit, the number format along it, and its ends if they are fixed.

    A ``bare`` one has no numbers: they stand beside the bars.
    """

    unit: str = ""
    number_format: str = "#,##0"
    low: float | None = None
    high: float | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A series: cells of its values, colour, cell of its name; of a line, whether it is dashed."""

    values: str
    colour: str = ACCENT
    name: str = ""
    dashed: bool = False


def add_bars(
    page: Page,
    frame: Frame,
    categories: str,
    series: Sequence[Shown],
    *,
    values: Axis,
    along: Axis | None = None,
    upright: bool = False,
    stacked: bool = False,
    gap: int = 45,
    labels: str = "",
) -> None:
    """Draw bars, the first at the top; or upright, as columns.

    Parameters
    ----------
    page, frame
        Where.
    categories
        Cells of what the bars are of; empty for a single bar that needs no word.
    series
        What is drawn; several stand on each other if ``stacked``, else over each other.
    values, along
        Axis of the values, and of the categories if that has a unit.
    gap
        Between bars, percent of their width.
    labels
        Number format of the values beside the bars; empty for none.
    """
    chart = _framed(page, BarChart(), frame)
    chart.type = "col" if upright else "bar"
    chart.grouping = "stacked" if stacked else "clustered"
    chart.overlap = 100
    chart.gapWidth = gap
    for shown in series:
        one = _series(shown, categories)
        fill = {"solidFill": shown.colour} if shown.colour else {"noFill": True}
        one.graphicalProperties = GraphicalProperties(**fill)
        one.invertIfNegative = False
        if labels and shown.colour:
            one.dLbls = _labels(page, labels)
        chart.series.append(one)
    if not upright:
        chart.x_axis.scaling.orientation = "maxMin"
        chart.y_axis.crosses = "max"
    _axes(page, chart, along or Axis(), values)
    chart.x_axis.delete = not categories
    chart.x_axis.tickLblPos = "low"  # beside the chart, not across negative bars
    _legend(page, chart, series)
    page.sheet.add_chart(chart, frame.anchor)


def add_lines(
    page: Page,
    frame: Frame,
    categories: str,
    series: Sequence[Shown],
    *,
    values: Axis,
    along: Axis,
    every: int = 1,
) -> None:
    """Draw lines over equal steps, a mark at each ``every``."""
    chart = _framed(page, LineChart(), frame)
    for shown in series:
        one = _series(shown, categories, numbers=True)
        _stroke(one, shown)
        chart.series.append(one)
    _axes(page, chart, along, values)
    chart.x_axis.tickLblSkip = chart.x_axis.tickMarkSkip = every
    chart.x_axis.tickLblPos = "low"
    _legend(page, chart, series)
    page.sheet.add_chart(chart, frame.anchor)


def add_curves(
    page: Page, frame: Frame, x: str, series: Sequence[Shown], *, values: Axis, along: Axis
) -> None:
    """Draw lines over numbers, which need not be equal steps."""
    chart = _framed(page, ScatterChart(), frame)
    chart.scatterStyle = "lineMarker"
    for shown in series:
        one = XYSeries(
            xVal=AxDataSource(numRef=NumRef(f=x)),
            yVal=NumDataSource(numRef=NumRef(f=shown.values)),
            tx=_name(shown),
        )
        _stroke(one, shown)
        chart.series.append(one)
    _axes(page, chart, along, values)
    _legend(page, chart, series)
    page.sheet.add_chart(chart, frame.anchor)


def _framed(page: Page, chart: Any, frame: Frame) -> Any:
    chart.style = 2
    chart.roundedCorners = False
    chart.width, chart.height = frame.width, frame.height
    text = Text(strRef=StrRef(frame.title))
    chart.title = Title(tx=text, overlay=False, txPr=_text(page, 1200, bold=True))
    chart.graphical_properties = GraphicalProperties(ln=LineProperties(noFill=True))
    return chart


def _series(shown: Shown, categories: str, numbers: bool = False) -> Any:
    one = Series(shown.values, title=None)
    if shown.name:
        one.tx = _name(shown)
    if categories:
        one.cat = (
            AxDataSource(numRef=NumRef(f=categories))
            if numbers
            else AxDataSource(strRef=StrRef(categories))
        )
    return one


def _name(shown: Shown) -> SeriesLabel | None:
    return SeriesLabel(strRef=StrRef(shown.name)) if shown.name else None


def _stroke(one: Any, shown: Shown) -> None:
    line = LineProperties(solidFill=shown.colour, w=_LINE)
    if shown.dashed:
        line.prstDash = "dash"
    one.graphicalProperties = GraphicalProperties(ln=line)
    one.marker.symbol = "none"
    one.smooth = False


def _axes(page: Page, chart: Any, along: Axis, values: Axis) -> None:
    chart.y_axis.majorGridlines = ChartLines(
        spPr=GraphicalProperties(ln=LineProperties(solidFill=GREYS[0]))
    )
    chart.x_axis.majorGridlines = None
    for axis, what in ((chart.x_axis, along), (chart.y_axis, values)):
        axis.number_format = what.number_format
        axis.scaling.min, axis.scaling.max = what.low, what.high
        if what.unit:
            text = Text(strRef=StrRef(what.unit))
            axis.title = Title(tx=text, overlay=False, txPr=_text(page, 900, colour=GREYS[2]))
        axis.delete = False
        axis.tickLblPos = "none" if what.bare else "nextTo"
        axis.txPr = _text(page, 900)
        axis.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=GREYS[1]))


def _legend(page: Page, chart: Any, series: Sequence[Shown]) -> None:
    if any(shown.name for shown in series):
        chart.legend.position = "b"
        chart.legend.txPr = _text(page, 900)
    else:
        chart.legend = None


def _labels(page: Page, number_format: str) -> DataLabelList:
    labels = DataLabelList(numFmt=number_format, showVal=True)
    labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
    labels.txPr = _text(page, 900)
    return labels


def _text(page: Page, size: int, bold: bool = False, colour: str = "") -> RichText:
    face = Font(typeface=page.book.language.font)
    properties = CharacterProperties(
        sz=size, b=bold, solidFill=colour or (ACCENT if bold else INK), latin=face, ea=face
    )
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=properties), r=(), endParaRPr=properties)
    return RichText(bodyPr=RichTextProperties(), p=[paragraph])

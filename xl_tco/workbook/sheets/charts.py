"""Native Excel charts, drawn in the workbook's own colours, with a finding as their title."""

from __future__ import annotations

from openpyxl.chart import BarChart, Reference, Series
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, StrRef
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.series import SeriesLabel
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import (
    CharacterProperties,
    Font,
    Paragraph,
    ParagraphProperties,
    RegularTextRun,
    RichTextProperties,
)
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.workbook.sheets.styles import ACCENT, FONT, GREYS, INK

__all__ = ["add_component_chart", "add_group_chart"]

WIDTH = 15.0  # cm
TALL, SHORT = 9.6, 7.6
SHADES = (ACCENT, "4F81B0", "9DBBD7", GREYS[2], GREYS[1], "404040")


def add_component_chart(sheet: Worksheet, rows: tuple[int, int], title: str, anchor: str) -> None:
    """Draw the components as bars, the first at the top."""
    chart = _bars(title, "USD million", TALL)
    series = Series(_column(sheet, 3, rows), title=None)
    series.graphicalProperties = GraphicalProperties(solidFill=ACCENT)
    series.dLbls = _labels("#,##0.0")
    chart.series.append(series)
    series.cat = AxDataSource(strRef=StrRef(str(_column(sheet, 1, rows))))
    chart.gapWidth = 45
    chart.legend = None
    chart.x_axis.scaling.orientation = "maxMin"
    chart.y_axis.crosses = "max"
    sheet.add_chart(chart, anchor)


def add_group_chart(sheet: Worksheet, rows: tuple[int, int], title: str, anchor: str) -> None:
    """Draw the groups of components stacked into one bar."""
    chart = _bars(title, "USD million", SHORT)
    chart.grouping = "stacked"
    chart.overlap = 100
    chart.gapWidth = 60
    for row, shade in zip(range(rows[0], rows[1] + 1), SHADES, strict=True):
        series = Series(Reference(sheet, min_col=3, min_row=row), title_from_data=False)
        series.tx = _series_title(sheet, row)
        series.graphicalProperties = GraphicalProperties(solidFill=shade)
        chart.series.append(series)
    chart.x_axis.delete = True
    chart.legend.position = "b"
    chart.legend.txPr = _text(900)
    sheet.add_chart(chart, anchor)


def _bars(title: str, unit: str, height: float) -> BarChart:
    chart = BarChart()
    chart.type = "bar"
    chart.style = 2
    chart.roundedCorners = False
    chart.width = WIDTH  # type: ignore[assignment]  # centimetres, with fractions
    chart.height = height
    chart.title = Title(tx=Text(strRef=StrRef(title)), overlay=False, txPr=_text(1200, True))
    chart.y_axis.number_format = "#,##0"
    chart.y_axis.majorGridlines = ChartLines(
        spPr=GraphicalProperties(ln=LineProperties(solidFill=GREYS[0]))
    )
    chart.y_axis.title = _axis_title(unit)
    for axis in (chart.x_axis, chart.y_axis):
        axis.delete = False
        axis.txPr = _text(900)
        axis.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=GREYS[1]))
    chart.graphical_properties = GraphicalProperties(ln=LineProperties(noFill=True))
    return chart


def _column(sheet: Worksheet, column: int, rows: tuple[int, int]) -> Reference:
    return Reference(sheet, min_col=column, min_row=rows[0], max_row=rows[1])


def _series_title(sheet: Worksheet, row: int) -> SeriesLabel:
    return SeriesLabel(strRef=StrRef(f"'{sheet.title}'!$A${row}"))


def _labels(number_format: str) -> DataLabelList:
    labels = DataLabelList(numFmt=number_format, showVal=True)
    labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
    labels.txPr = _text(900)
    return labels


def _axis_title(text: str) -> Title:
    properties = CharacterProperties(sz=900, b=False, solidFill=GREYS[2], latin=Font(typeface=FONT))
    run = RegularTextRun(rPr=properties, t=text)
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=properties), r=[run])
    return Title(tx=Text(rich=RichText(p=[paragraph])), overlay=False)


def _text(size: int, bold: bool = False) -> RichText:
    properties = CharacterProperties(
        sz=size, b=bold, solidFill=ACCENT if bold else INK, latin=Font(typeface=FONT)
    )
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=properties), r=(), endParaRPr=properties)
    return RichText(bodyPr=RichTextProperties(), p=[paragraph])

"""The sheet Calc: each line as a function of ours, and beside it in native formulas."""

from __future__ import annotations

import re
from typing import TypeAlias

from openpyxl.worksheet.formula import ArrayFormula

from xl_tco.language import Phrase
from xl_tco.outputs import COMPONENTS
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.lines import KEY_INDICATORS, LINES, NOT_USED, Line
from xl_tco.workbook.sheets.page import FIRST_ROW, RESULTS, Column, Page

__all__ = ["SHEET", "Places", "add_calc"]

SHEET = "Calc"
Places: TypeAlias = dict[str, tuple[str, str]]
"""Cell of the value and cell of the native calculation of each line, like ("C12", "D12")."""

LABEL, UNIT, VALUE, NATIVE = 1, 2, 3, 4
WIDTHS = (Column("Line", 46), Column("Unit", 20), Column("Value", 24, number=True))


def add_calc(book: Book) -> Places:
    """Write the sheet and name its results; return where each line stands."""
    twin = book.has_functions
    page = Page(
        book,
        SHEET,
        "Value: the TCO_ functions. Native: the same line without them."
        if twin
        else "Native formulas only: any spreadsheet recalculates them.",
        (*WIDTHS, Column("Native", 24, number=True)) if twin else WIDTHS,
    )
    places = _places(twin)
    for section, lines in LINES.items():
        page.section(section)
        for line in lines:
            _line(page, line, places, twin)
            page.row += 1
    named = {*RESULTS, "estimates", *(line.name for line in KEY_INDICATORS.values())}
    for lines in LINES.values():
        for line in lines:
            if line.name in named:
                book.name(line.name, SHEET, _absolute(places[line.name][0]))
    if twin:
        _breakdown(page, places)
    page.mute(f"C{FIRST_ROW}:D{page.row - 1}", f'C{FIRST_ROW}="{NOT_USED}"')
    page.finish(portrait=True)
    return places


def _places(twin: bool) -> Places:
    places: Places = {}
    row = FIRST_ROW
    for lines in LINES.values():
        row += 1
        for line in lines:
            native = f"D{row}" if twin else f"C{row}"
            places[line.name] = (f"C{row}" if line.function else native, native)
            row += 1
    return places


def _line(page: Page, line: Line, places: Places, twin: bool) -> None:
    row = page.row
    style = "total" if line.name == "total_usd" else "formula"
    if line.native.isidentifier():
        style = "link"
    page.put(row, LABEL, line.label, "total label" if style == "total" else "label")
    page.put(row, UNIT, line.unit, "unit")
    native = "=" + _placed(line.native, places, 1)
    if not twin:
        page.put(row, VALUE, native, style, line.unit)
        return
    function = "=" + _placed(line.function, places, 0) if line.function else None
    page.put(row, VALUE, function, style, line.unit)
    page.put(row, NATIVE, native, style, line.unit)


def _breakdown(page: Page, places: Places) -> None:
    """Write the components once more, as the one function that spills them."""
    page.section("Components, spilled by one function")
    first = page.row
    last = first + len(COMPONENTS) - 1
    for row, component in enumerate(COMPONENTS.values(), start=first):
        page.put(row, LABEL, Phrase("Spilled: {component}", component=component.label), "label")
        page.put(row, UNIT, None, "text")
        page.put(row, VALUE, None, "formula", "USD")
        native = places[f"{component.name}_usd"][1]
        page.put(row, NATIVE, f"={native}", "formula", "USD")
    formula = ArrayFormula(f"B{first}:C{last}", '=TCO_BREAKDOWN(inputs,"")')
    page.sheet[f"B{first}"] = formula
    places["breakdown"] = (f"C{first}:C{last}", f"D{first}:D{last}")
    page.row = last + 1


def _placed(formula: str, places: Places, side: int) -> str:
    """Put the cells of other lines in place of their names in braces."""
    return re.sub(r"\{(\w+)\}", lambda match: places[match[1]][side], formula)


def _absolute(cell: str) -> str:
    return re.sub(r"([A-Z]+)(\d+)", r"$\1$\2", cell)

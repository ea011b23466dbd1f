"""The sheet Timeline, written: figures and a chart on top, then the months, a formula a row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from itertools import chain
from math import ceil
from typing import Any, cast

import numpy as np
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from xl_tco.analysis.cases import cases_of
from xl_tco.analysis.cash import CashView, cash_view
from xl_tco.cases import BASE
from xl_tco.core.cash import MONTHS_PER_YEAR
from xl_tco.errors import InputError
from xl_tco.scenario import Scenario
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.calc import SHEET as CALC
from xl_tco.workbook.sheets.calc import Places
from xl_tco.workbook.sheets.charts import SHADES, Axis, Frame, Shown, add_lines
from xl_tco.workbook.sheets.page import FIRST_ROW, Column, Page
from xl_tco.workbook.sheets.timeline.line import MONEY, SUM, Fact, Row
from xl_tco.workbook.sheets.timeline.rows import SECOND, SECTIONS

__all__ = ["NAME", "add_timeline"]

NAME = "Timeline"

LABEL, UNIT, VALUE = 1, 2, 3
WIDTHS = (Column("Line", 46), Column("Unit", 20), Column("Value", 24, number=True))
FEWEST, MOST = 60, 1200  # months
PRINTED = 24  # months on a page
A3 = 8  # the code of that paper: on A4 as many months would be hard to read
WIDTH = 10.5
"""Of a month, in characters; more where amounts are longer."""
DIGITS = 8
"""Of an amount, with its marks: what the largest leaves of them are decimals."""
DECIMALS = 3
USD_PER_MILLION = 1e6

NAMES = {
    "timeline_months": "months",
    "timeline_fits": "fits",
    "timeline_capex": "capex",
    "timeline_depreciation": "depreciation",
    "timeline_proceeds": "proceeds",
    "timeline_charged": "charged",
    "timeline_npv": "present",
    "timeline_capex_worth": "capex_worth",
    "timeline_opex_worth": "opex_worth",
    "timeline_proceeds_worth": "proceeds_worth",
    "finding_timeline": "finding",
}
"""Names of the workbook, and the line in whose column of values each is."""

TOTALS = {"capex", "opex", "cash", "present", "accrual"}

_FORMATS = {
    "date": "yyyy-mm",
    "share of price": "0.00%",
    "share of the run": "0.00%",
    "ratio": "0.0000",
    "years": "0.00",
}
"""Formats of the months, which are narrow."""


def add_timeline(book: Book, places: Places) -> None:
    """Write the sheet and its chart; ``places`` are those of the lines of Calc."""
    views = _views(book.scenario)
    months, largest = _months(views), _largest(views)
    width = max(WIDTH, len(f"-{largest:,.0f}") + 1)
    page = Page(
        book,
        NAME,
        "One formula a row. What a row has before the first month is in the column Value.",
        (*WIDTHS, *(Column(month, width, number=True) for month in range(1, months + 1))),
    )
    cells = _Cells(places, months)
    formats = _FORMATS | {MONEY: _amounts(largest)}
    for title, lines in SECTIONS.items():
        if title == SECOND:
            page.sheet.row_breaks.append(Break(id=page.row - 1))
        page.section(title, VALUE if isinstance(lines[0], Fact) else 0)
        for line in lines:
            if isinstance(line, Fact):
                _fact(page, line, cells)
            else:
                _row(page, line, cells, formats)
    page.mute(f"D{FIRST_ROW}:{cells.last}{page.row - 1}", f"D{FIRST_ROW}=0")
    for name, named in NAMES.items():
        book.name(name, NAME, cells.value(named))
    book.name("timeline_axis", NAME, f"$D$4:${cells.last}$4")
    _chart(page, cells)
    page.finish(frozen=VALUE, across=ceil(months / PRINTED))
    page.sheet.page_setup.paperSize = A3


def _views(scenario: Scenario) -> list[CashView]:
    """Return the timeline in each case, for any of them may be put in force, but of too long runs.

    The money is that of the report.
    """
    base = scenario.in_case(BASE)
    cases = [scenario, base, *(base.replace(**laid) for laid in cases_of(scenario).values())]
    views = []
    for case in cases:
        with suppress(InputError):
            views.append(cash_view(case))
    return views


def _months(views: list[CashView]) -> int:
    """Return how many months are written: whole years."""
    longest = max((view.months for view in views), default=0)
    years = ceil(longest / MONTHS_PER_YEAR)
    return min(max(FEWEST, int(years * MONTHS_PER_YEAR)), MOST)


def _largest(views: list[CashView]) -> float:
    """Return the largest amount there is, in millions of the report's currency."""
    lines = ("cash_usd", "cumulative_cash_usd", "book_value_usd")
    usd = [
        view.currency.per_usd * float(np.max(np.abs(view.columns[line])))
        for view in views
        for line in lines
    ]
    return max(usd, default=0.0) / USD_PER_MILLION


def _amounts(largest: float) -> str:
    """Return the number format of amounts: as many decimals as the largest has room for."""
    room = max(DIGITS - len(f"{largest:,.0f}") - 1, 0)
    decimals = min(room, DECIMALS if largest >= 1 else room)
    number = f"#,##0.{'0' * decimals}" if decimals else "#,##0"
    return f"{number};-{number};0"


class _Cells:
    """Where each line stands; formulas are made from it."""

    def __init__(self, places: Places, months: int) -> None:
        self.letters = [get_column_letter(VALUE + month) for month in range(months + 1)]
        """Columns, the first that of values."""
        self.last = self.letters[-1]
        calc = {name: f"{CALC}!{_absolute(place[1])}" for name, place in places.items()}
        self._fixed = {f"Calc.{name}": place for name, place in calc.items()}
        self._rows = _rows_from(FIRST_ROW)
        facts = (line for line in chain(*SECTIONS.values()) if isinstance(line, Fact))
        self._fixed |= {fact.name: self.value(fact.name) for fact in facts}

    def value(self, line: str) -> str:
        """Return the cell of a line in the column of values, like ``$C$12``."""
        return f"$C${self._rows[line]}"

    def unit(self, line: str) -> str:
        """Return the cell of its unit."""
        return f"$B${self._rows[line]}"

    def label(self, line: str) -> str:
        """Return the cell of its label."""
        return f"$A${self._rows[line]}"

    def months(self, line: str, before: bool = False) -> str:
        """Return the cells of all months, or of those before each."""
        first, last = (self.letters[0], self.letters[-2]) if before else ("D", self.last)
        return f"${first}${self._rows[line]}:${last}${self._rows[line]}"

    def formula(self, text: str, month: int = 0) -> str:
        """Put cells in place of lines, for a month; 0 is the column of values."""
        return "=" + re.sub(r"\{([\w.]+)(:?<?|!)\}", lambda found: self._cell(found, month), text)

    def _cell(self, found: re.Match[str], month: int) -> str:
        line, form = found.groups()
        if line in self._fixed:
            return self._fixed[line]
        if form == "!":
            return self.value(line)
        if ":" in form:
            return self.months(line, before=form == ":<")
        letter = self.letters[month - (form == "<")]
        return f"{letter}$4" if line == "month" else f"{letter}{self._rows[line]}"


def _rows_from(row: int) -> Mapping[str, int]:
    rows: dict[str, int] = {}
    for lines in SECTIONS.values():
        row += 1  # the title of the section
        for line in lines:
            rows[line.name] = row
            row += 1
    return rows


def _absolute(cell: str) -> str:
    return re.sub(r"([A-Z]+)(\d+)", r"$\1$\2", cell)


def _fact(page: Page, fact: Fact, cells: _Cells) -> None:
    page.put(page.row, LABEL, fact.label, "label")
    page.put(page.row, UNIT, fact.unit, "unit")
    formula = cells.formula(fact.formula)
    is_link = re.fullmatch(r"=(\w+|Calc!\$[CD]\$\d+)", formula)
    style = "link" if is_link else "finding" if fact.unit == "text" else "formula"
    cell = page.put(page.row, VALUE, formula, style, _unit(fact.unit))
    if fact.unit == "year":
        cell.number_format = "0"
    if style == "finding":  # what is beside it is not on every page
        cell.alignment = Alignment(vertical="center", wrap_text=True)
        page.sheet.row_dimensions[page.row].height = 28
    page.row += 1


def _row(page: Page, row: Row, cells: _Cells, formats: Mapping[str, str]) -> None:
    number = page.row
    is_total = row.name in TOTALS
    style = "total" if is_total else "formula"
    page.put(number, LABEL, row.label, "total label" if is_total else "label")
    page.put(number, UNIT, row.unit, "unit")
    value: object = row.value
    if row.value == SUM:
        value = f"=SUM(D{number}:{cells.last}{number})"
    elif isinstance(row.value, str):
        value = cells.formula(row.value)
    page.put(number, VALUE, value, style, _unit(row.unit))
    first = page.put(number, VALUE + 1, cells.formula(row.formula, 1), style)
    first.number_format = formats.get(row.unit, "General")
    style_of_first = cast(Any, first)._style
    for month in range(2, len(cells.letters)):
        text = page.book.language.formula(cells.formula(row.formula, month))
        cell: Any = page.sheet.cell(number, VALUE + month, text)
        cell._style = copy(style_of_first)  # much faster than by name: there can be 1,200
    page.row += 1


def _unit(unit: str) -> str:
    return "USD million" if unit == MONEY else unit


def _chart(page: Page, cells: _Cells) -> None:
    """Draw cumulated cash and accrual beside the figures."""
    lines = (("cash_so_far", SHADES[0], False), ("accrued", SHADES[6], True))
    add_lines(
        page,
        Frame("E5", f"{NAME}!{cells.value('finding')}", width=38.0, height=11.5),
        f"{NAME}!$D$4:${cells.last}$4",
        [
            Shown(f"{NAME}!{cells.months(name)}", colour, f"{NAME}!{cells.label(name)}", dashed)
            for name, colour, dashed in lines
        ],
        values=Axis(f"{NAME}!{cells.unit('cash_so_far')}"),
        along=Axis(f"{NAME}!{cells.unit('elapsed')}", "0"),
        every=int(MONTHS_PER_YEAR),
    )

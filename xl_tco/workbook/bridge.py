"""The bridge from one scenario to another as a workbook: one sheet, with a waterfall.

The steps are figures of the build, in blue; all else on the sheet follows from them by formulas.
Increases come before decreases, so that no bar falls below zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from math import fsum

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.workbook.properties import CalcProperties
from openpyxl.worksheet.pagebreak import Break

from xl_tco._version import RELEASED, __version__
from xl_tco.analysis.bridge import Bridge, Step
from xl_tco.fields import FIELDS
from xl_tco.language import ENGLISH, Language, Name, Phrase, numbered
from xl_tco.workbook.build import CALCULATION, calculated
from xl_tco.workbook.package import build_moment, write_constants
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.charts import NONE, Axis, Frame, Shown, add_bars
from xl_tco.workbook.sheets.page import ALL_HOLD, FIRST_ROW, MASTER_CHECK, Column, Page
from xl_tco.workbook.sheets.results import GROUPS
from xl_tco.workbook.sheets.styles import GREYS

__all__ = ["MOST_BARS", "SHEET", "bridge_bytes"]

SHEET = "Bridge"
MOST_BARS = 12
"""Steps that have a bar of their own; smaller ones are drawn together."""

INCREASE, DECREASE, ENDS = "F4B183", "9DBBD7", GREYS[1]  # light: figures stand on them
TOLERANCE = 1e-9
COLUMNS = (
    Column("Step", 44),
    Column("Unit", 14),
    Column("Change", 15, number=True),
    Column("Cumulated", 15, number=True),
    Column("Share of the start", 15, number=True),
    Column("Chart: below the bar", 15, number=True),
    Column("Chart: increase", 15, number=True),
    Column("Chart: decrease", 15, number=True),
    Column("Chart: end", 15, number=True),
)
LABEL, UNIT, CHANGE, CUMULATED, SHARE, BELOW, UP, DOWN, END = range(1, len(COLUMNS) + 1)
CHART_ROWS = 20
CHART_WIDTH, CHART_HEIGHT = 30.5, 10.5  # cm
DIGITS = {"USD": 0, "USD million": 1}
SIGNED = {"USD": "#,##0.00", "USD million": "#,##0.000"}
"""Number formats of sums that may be negative: one with conditions would lose the sign."""
DRAWN = {"USD": "#,##0;;", "USD million": "#,##0.0;;"}
"""Number formats of bars, whose zeros are not seen: a bar is of one colour alone."""
MILLION = 1e6
LARGE = 1e7
"""From here on sums are in millions: below, too little of a step would be left to see."""
FULL_PAGE = 8
"""Bars beyond which the table and the chart fill a page."""


def bridge_bytes(found: Bridge, before: str, after: str, language: Language = ENGLISH) -> bytes:
    """Write the workbook of a bridge, calculated: the same bridge gives the same bytes.

    ``before`` and ``after`` are what the two scenarios are called.
    """
    sheet = _Sheet(found, Book(found.after.scenario, "native", language))
    sheet.write(before, after)
    workbook = sheet.page.book.workbook
    workbook.calculation = CalcProperties(calcId=CALCULATION, fullCalcOnLoad=False)
    workbook.properties.title = SHEET
    workbook.properties.creator = f"xl-tco {__version__}"
    buffer = BytesIO()
    workbook.save(buffer)
    package = write_constants(buffer.getvalue(), sheet.constants)
    return calculated(package, moment=build_moment() or RELEASED)[0]


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar of the waterfall: a step, or several small ones."""

    label: str | Phrase
    usd: float
    is_step: bool = True


@dataclass
class _Sheet:
    """The sheet while it is written; ``constants`` keeps figures to the last digit."""

    found: Bridge
    book: Book
    constants: dict[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        purpose = "What each change does to the total: steps from one scenario to the other."
        self.page = Page(self.book, SHEET, purpose, COLUMNS)
        largest = max(self.found.before.total_usd, self.found.after.total_usd)
        self.unit, self.scale = ("USD million", MILLION) if largest >= LARGE else ("USD", 1.0)

    def write(self, before: str, after: str) -> None:
        """Write all parts of it, from top to bottom."""
        page, bars = self.page, _bars(self.found.moving)
        first = page.row
        self._end(Phrase("From {name}", name=Name(before)), self.found.before.total_usd)
        for bar in bars:
            self._bar(bar)
        last = page.row
        self._end(Phrase("To {name}", name=Name(after)), f"=SUM(C{first}:C{last - 1})")
        chart = page.row + 1
        whole = ""
        if bars:
            page.row = chart + CHART_ROWS
            if len(bars) > FULL_PAGE:
                self._next_page()
            whole = self._parts()
        if self.found.changes:
            self._inputs()
        self._check(first, last, whole)
        if bars:
            own = [first + 1 + place for place, bar in enumerate(bars) if bar.is_step]
            self._draw(chart, (first, last), self._finding((first, last), (own[0], own[-1])))
        page.put(page.row, LABEL, numbered(f"{self.found.method}."), "note")
        page.finish(grid=False)
        page.sheet.print_title_rows = "1:3"  # each part has headings of its own

    def _next_page(self) -> None:
        self.page.sheet.row_breaks.append(Break(id=self.page.row - 1))

    def _money(self, column: int, usd: float | str, style: str) -> None:
        """Write an amount: a formula, or a figure in the unit of the sheet."""
        value = usd if isinstance(usd, str) else usd / self.scale
        cell = self.page.put(self.page.row, column, value, style)
        cell.number_format = SIGNED[self.unit]
        if isinstance(value, float):
            self.constants[SHEET, cell.coordinate] = value

    def _head(self, label: str | Phrase, style: str = "label") -> None:
        text = self.book.language.text(label)
        self.page.put_text(self.page.row, LABEL, text, style)
        self.page.fit(self.page.row, [(LABEL, text)])
        self.page.put(self.page.row, UNIT, self.unit, "unit")

    def _end(self, label: Phrase, usd: float | str) -> None:
        """Write the line of an end of the bridge."""
        row = self.page.row
        self._head(label, "total label")
        self._money(CHANGE, usd, "total" if isinstance(usd, str) else "input")
        self._money(CUMULATED, f"=C{row}", "total")
        for column in (SHARE, BELOW, UP, DOWN):
            self.page.put(row, column, None, "total")
        self.page.put(row, END, f"=C{row}", "total").number_format = DRAWN[self.unit]
        self.page.row += 1

    def _bar(self, bar: _Bar) -> None:
        """Write the line of a step: its bar floats between the sum before it and after."""
        row, before = self.page.row, self.page.row - 1
        self._head(bar.label)
        self._money(CHANGE, bar.usd, "input")
        self._money(CUMULATED, f"=D{before}+C{row}", "formula")
        start = f"C${FIRST_ROW}"
        share = f"=IF({start}=0,0,C{row}/{start})"
        self.page.put(row, SHARE, share, "formula", "share")
        self._money(BELOW, f"=MIN(D{before},D{row})", "formula")
        for column, formula in ((UP, f"=MAX(C{row},0)"), (DOWN, f"=MAX(-1*C{row},0)")):
            self.page.put(row, column, formula, "formula").number_format = DRAWN[self.unit]
        self.page.put(row, END, None, "formula")
        self.page.row += 1

    def _parts(self) -> str:
        """Write what each step does to each group of components; return the cell of their sum."""
        page = self.page
        page.section("What each step does to each part of the total")
        for column, heading in enumerate((*GROUPS, "Sum"), start=CHANGE):
            page.put(page.row, column, heading, "number heading")
        page.put(page.row, LABEL, "Step", "corner")
        page.put(page.row, UNIT, "Unit", "heading")
        page.sheet.row_dimensions[page.row].height = 30
        page.row += 1
        first = page.row
        for step in self.found.moving:
            self._head(_label(step))
            for column, names in enumerate(GROUPS.values(), start=CHANGE):
                self._money(column, sum(step.components[name] for name in names), "input")
            self._money(END, f"=SUM(C{page.row}:H{page.row})", "formula")
            page.row += 1
        self._head("Sum", "total label")
        for column in range(CHANGE, END + 1):
            letter = get_column_letter(column)
            self._money(column, f"=SUM({letter}{first}:{letter}{page.row - 1})", "total")
        page.row += 1
        return f"I{page.row - 1}"

    def _inputs(self) -> None:
        """Write the inputs that differ, and the step that each goes with."""
        page = self.page
        if len(_bars(self.found.moving)) <= FULL_PAGE:
            self._next_page()
        page.section("Inputs that differ")
        headings = ("Input", "Unit", "From", "To", "Goes with", None, None, None, None)
        styles = ("corner", "heading", "number heading", "number heading", *["heading"] * 5)
        for column, (heading, style) in enumerate(zip(headings, styles, strict=True), start=LABEL):
            page.put(page.row, column, heading, style)
        page.row += 1
        for step in self.found.steps:
            for change in step.changes:
                page.put(page.row, LABEL, change.label, "label")
                page.put(page.row, UNIT, change.unit, "unit")
                for column, value in ((CHANGE, change.old), (CUMULATED, change.new)):
                    self._input(column, change.field, value)
                text = _label(step) if step.usd else "moves no cost"
                cell = page.put_text(page.row, SHARE, self.book.language.text(text), "finding")
                cell.alignment = Alignment(horizontal="left", vertical="center", indent=1)
                page.row += 1

    def _input(self, column: int, name: str, value: float | str | None) -> None:
        page = self.page
        if value is None:
            page.put_text(page.row, column, "—", "formula")
        elif isinstance(value, str):
            page.put_text(page.row, column, value, "formula")
        else:
            cell = page.put(page.row, column, value, "formula", FIELDS[name].unit)
            self.constants[SHEET, cell.coordinate] = value

    def _check(self, first: int, last: int, whole: str) -> None:
        """Write that the steps add up, and their parts: the master check of the workbook."""
        page = self.page
        page.section("Check")
        self._head("Total at the end, as costed")
        self._money(CHANGE, self.found.after.total_usd, "input")
        page.row += 1
        self._head("Steps less that")
        self._money(CHANGE, f"=C{last}-C{page.row - 1}", "formula")
        gaps = [f"ABS(C{page.row})"]
        page.row += 1
        if whole:
            self._head("Parts less that")
            self._money(CHANGE, f"={whole}+C{first}-C{page.row - 2}", "formula")
            gaps.append(f"ABS(C{page.row})")
            page.row += 1
        page.put(page.row, LABEL, "Tolerance, of the largest sum", "label")
        page.put(page.row, UNIT, "ratio", "unit")
        page.put(page.row, CHANGE, TOLERANCE, "input", "ratio")
        page.row += 1
        self._head("Largest gap allowed")
        self._money(CHANGE, f"=C{page.row - 1}*MAX(D{first}:D{last})", "formula")
        worst = f"MAX({','.join(gaps)})"
        failing = "The steps do not add up"
        page.put(3, LABEL, f'=IF({worst}<=C{page.row},"{ALL_HOLD}","{failing}")', "status")
        self.book.name(MASTER_CHECK, SHEET, "$A$3")
        page.row += 1

    def _finding(self, ends: tuple[int, int], steps: tuple[int, int]) -> str:
        """Write the sentence that is the title of the chart; return its cell."""
        page = self.page
        page.section("Finding")

        def piece(label: str, formula: str, unit: str = "text") -> str:
            page.put(page.row, LABEL, label, "label")
            page.put(page.row, UNIT, unit, "unit")
            if unit == "text":
                page.put(page.row, CHANGE, f"={formula}", "finding")
            else:
                self._money(CHANGE, f"={formula}", "formula")
            page.row += 1
            return f"C{page.row - 1}"

        def said(label: str, cell: str) -> str:
            return piece(label, f'IF({cell}>0,"+","")&FIXED({cell},{DIGITS[self.unit]})')

        labels, amounts = (f"{letter}{steps[0]}:{letter}{steps[1]}" for letter in "AC")
        most = piece("Largest increase", f"MAX({amounts},0)", self.unit)
        least = piece("Largest decrease", f"MIN({amounts},0)", self.unit)
        size = piece("Largest step", f"IF({most}>=-1*{least},{most},{least})", self.unit)
        change = piece("Change of the total", f"C{ends[1]}-C{ends[0]}", self.unit)
        name = piece("Name of the largest step", f"INDEX({labels},MATCH({size},{amounts},0))")
        one, whole = said("That step in words", size), said("The change in words", change)
        sentence = f'{name}&": "&{one}&" of "&{whole}&" "&B{ends[0]}'
        cell = piece("Title of the chart", sentence)
        return f"{SHEET}!{cell.replace('C', '$C$')}"

    def _draw(self, row: int, rows: tuple[int, int], title: str) -> None:
        """Draw the waterfall: what is below a floating bar is not drawn."""

        def cells(letter: str) -> str:
            return f"{SHEET}!${letter}${rows[0]}:${letter}${rows[1]}"

        add_bars(
            self.page,
            Frame(f"A{row}", title, width=CHART_WIDTH, height=CHART_HEIGHT),
            cells("A"),
            [
                Shown(cells("F"), NONE),
                Shown(cells("G"), INCREASE),
                Shown(cells("H"), DECREASE),
                Shown(cells("I"), ENDS),
            ],
            values=Axis(f"{SHEET}!$B${rows[0]}"),
            upright=True,
            stacked=True,
            labels=DRAWN[self.unit],
        )


def _bars(steps: Sequence[Step]) -> list[_Bar]:
    """Return the bars: increases, then decreases, the smallest of all drawn together."""
    shown, rest = steps[:MOST_BARS], steps[MOST_BARS:]
    more = [step for step in rest if step.usd > 0.0]
    less = [step for step in rest if step.usd < 0.0]
    return [
        *_together("{count} smaller increases", more),
        *(_Bar(_label(step), step.usd) for step in shown if step.usd > 0.0),
        *(_Bar(_label(step), step.usd) for step in shown if step.usd < 0.0),
        *_together("{count} smaller decreases", less),
    ]


def _together(label: str, steps: Sequence[Step]) -> list[_Bar]:
    """Return one bar for all of them, if there are any."""
    said = Phrase(label, count=str(len(steps))) if len(steps) > 1 else ""
    usd = fsum(step.usd for step in steps)
    return [_Bar(said or _label(steps[0]), usd, is_step=False)] if steps else []


def _label(step: Step) -> str | Phrase:
    """Return what people call a step, to be said in any language."""
    first, *rest = (change.label for change in step.given)
    if len(rest) > 1:
        return Phrase("{input} and {count} inputs with it", input=first, count=str(len(rest)))
    return Phrase("{input}, {other}", input=first, other=rest[0]) if rest else first

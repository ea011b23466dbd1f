"""The sheet Runs: published training runs, and how far the model is from each.

Both figures are of the catalogue, and follow no input of this workbook; what is made of them is in
formulas. The comparisons are those of `xl_tco.analysis.validation`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from urllib.parse import urlsplit

from openpyxl.styles import Font
from openpyxl.worksheet.hyperlink import Hyperlink

from xl_tco import catalogue
from xl_tco.analysis.validation import QUANTITIES, Comparison, validate
from xl_tco.language import Phrase, numbered
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.charts import Axis, Frame, Shown, add_bars
from xl_tco.workbook.sheets.page import Column, Page
from xl_tco.workbook.sheets.styles import ACCENT

__all__ = ["SHEET", "add_runs", "address"]

SHEET = "Runs"
COLUMNS = (
    Column("Run and quantity", 38),
    Column("Unit", 16),
    Column("Value", 14, number=True),
    Column("Published", 14, number=True),
    Column("Residual", 10, number=True),
    Column("Kind", 9),
    Column("Size, of a test", 9, number=True),
    Column("Computed from", 32),
    Column("Remark", 40),
    Column("Source", 36),
    Column("Link", 19),
    Column("Date", 11),
    Column("Status", 10),
)
RUN, UNIT, VALUE, PUBLISHED, RESIDUAL, KIND, SIZE = range(1, 8)
BASIS, REMARK, SOURCE, LINK, DATE, STATUS = range(8, len(COLUMNS) + 1)
NAMES = {
    "parameters": "All parameters",
    "active_parameters": "Active parameters",
    "flops": "Compute",
    "exact_flops": "Compute from the sizes",
    "accelerator_hours": "Accelerator-hours",
    "energy_mwh": "Energy",
    "energy_as_counted": "Energy as its authors count",
    "cost_usd": "Cost",
}
"""What each quantity of a comparison is called."""

_FORMS = {"accelerator-hours": "whole", "USD": "whole", "MWh": "hours"}
"""Units whose number format is another's: no part of a dollar was ever published."""

_SIGNED = "+0.0%;-0.0%;0.0%"
_ROW_CM = 0.564  # height of a row of 16 points
_PLACES = (
    (re.compile(r"https?://[^\s;,)]+[^\s;,.)]"), "{0}"),
    (re.compile(r"arXiv:(\d{4}\.\d{4,5})"), "https://arxiv.org/abs/{1}"),
    (re.compile(r"github:([\w.-]+/[\w.-]+)@(\w+)"), "https://github.com/{1}/tree/{2}"),
    (re.compile(r"github:([\w.-]+/[\w.-]*\w)"), "https://github.com/{1}"),
)


def address(source: str) -> str:
    """Return the first address on the web that a citation names; empty if it names none."""
    found = (
        (match.start(), made.format(match[0], *match.groups()))
        for pattern, made in _PLACES
        if (match := pattern.search(source))
    )
    return min(found, key=itemgetter(0), default=(0, ""))[1]


def add_runs(book: Book) -> None:
    """Write the sheet and its chart."""
    page = Page(
        book,
        SHEET,
        "The model (value) beside what was published of training runs. Nothing is tuned to them.",
        COLUMNS,
    )
    rows = validate().comparisons
    tests = [row for name in QUANTITIES for row in _of(rows, name, "test")]
    page.section("The tests side by side")
    first = page.row
    page.row += len(tests) + len(list(_sentences(0, "")))
    top = page.row
    places: dict[tuple[str, str], int] = {}
    for quantity in NAMES:
        _quantity(page, quantity, rows, places)
    bottom = page.row - 1
    page.row = first
    for test in tests:
        _repeated(page, test, places[test.run, test.quantity])
    last = page.row - 1
    finding = _findings(page, f"G{top}:G{bottom}")
    add_bars(
        page,
        Frame(f"F{first}", finding, width=27.0, height=_ROW_CM * len(tests)),
        f"{SHEET}!$A${first}:$A${last}",
        [Shown(f"{SHEET}!$E${first}:$E${last}")],
        values=Axis(number_format="0%"),
        labels=_SIGNED,
    )
    page.row = bottom + 1
    page.finish()


def _of(rows: tuple[Comparison, ...], quantity: str, *verdicts: str) -> list[Comparison]:
    found = [row for row in rows if row.quantity == quantity and row.verdict in verdicts]
    return sorted(found, key=lambda row: verdicts.index(row.verdict))


def _quantity(
    page: Page,
    quantity: str,
    rows: tuple[Comparison, ...],
    places: dict[tuple[str, str], int],
) -> None:
    """Write what was compared of one quantity, what that comes to, and what was left out."""
    name = NAMES[quantity]
    page.section(name)
    first = page.row
    for row in _of(rows, quantity, "test", "circular"):
        places[row.run, quantity] = page.row
        _comparison(page, row)
    last = page.row - 1
    _summary(page, name, first, last, bool(_of(rows, quantity, "test")))
    reasons: dict[str, list[str]] = {}
    for row in _of(rows, quantity, "left out"):
        reasons.setdefault(row.why, []).append(row.run)
    for number, (why, runs) in enumerate(reasons.items(), start=1):
        label = Phrase("{what}: left out, reason {number}", what=name, number=str(number))
        listed, reason = ", ".join(runs), _sentence_of(page, why)
        _rule(page)
        page.put(page.row, RUN, label, "label")
        page.put(page.row, UNIT, "runs", "unit")
        page.put(page.row, VALUE, len(runs), "formula", "runs")
        page.word(page.row, KIND, "left out")
        page.put(page.row, BASIS, listed, "text")
        page.put(page.row, REMARK, reason, "text")
        page.fit(page.row, [(BASIS, listed), (REMARK, reason)])
        page.row += 1


def _comparison(page: Page, row: Comparison) -> None:
    """Write the model's figure of a run, and the published one with its source."""
    at, say = page.row, page.book.language.text
    label = Phrase("{run} · {what}", run=row.run, what=NAMES[row.quantity])
    basis, why = say(numbered(row.basis)), _sentence_of(page, row.why)
    _rule(page)
    page.put(at, RUN, label, "label")
    page.put(at, UNIT, row.unit, "unit")
    for column, figure in ((VALUE, row.modelled), (PUBLISHED, row.stated)):
        page.put(at, column, figure, "formula", _FORMS.get(row.unit, row.unit))
    page.put(at, RESIDUAL, f"=C{at}/D{at}-1", "formula").number_format = _SIGNED
    page.word(at, KIND, row.verdict)
    page.put(at, SIZE, f'=IF(F{at}="test",ABS(E{at}),"")', "formula").number_format = "0.0%"
    page.put(at, BASIS, basis, "text")
    page.put(at, REMARK, why, "text")
    _source(page, row.source)
    page.put(at, DATE, _date(row), "text")
    page.word(at, STATUS, row.status)
    page.fit(at, [(RUN, say(label)), (BASIS, basis), (REMARK, why), (SOURCE, row.source)])
    page.row += 1


def _source(page: Page, source: str) -> None:
    """Write a citation, and beside it a link: a cell of its own, for long links do not wrap."""
    page.put(page.row, SOURCE, source, "text")
    if target := address(source):
        cell = page.put(page.row, LINK, _shown(target), "text")
        cell.hyperlink = Hyperlink(ref=cell.coordinate, target=target)
        cell.style = "TCO text"
        cell.font = Font(name=page.book.language.font, size=9, color=ACCENT, underline="single")


def _shown(target: str) -> str:
    """Return the short name of an address."""
    parts = urlsplit(target)
    host = parts.netloc.removeprefix("www.")
    return f"arXiv:{parts.path.rpartition('/')[2]}" if host == "arxiv.org" else host


def _sentence_of(page: Page, why: str) -> str:
    """Return a remark of the analysis in the language of the book, with a capital letter."""
    said = page.book.language.text(why)
    return said[:1].upper() + said[1:]


def _rule(page: Page, last: int = len(COLUMNS)) -> None:
    """Draw the line under a row through its empty cells too."""
    for column in range(RUN, last + 1):
        page.put(page.row, column, None, "text")


def _date(row: Comparison) -> str:
    """Return the date of the published figure."""
    figures = (figure for (run, _), figure in catalogue.runs().items() if run == row.run)
    same = (f for f in figures if (f.source, f.value) == (row.source, row.stated))
    return next(same).date


def _summary(page: Page, name: str, first: int, last: int, tested: bool) -> None:
    """Count tests and circular comparisons; say how large the residuals of tests are."""
    kinds, sizes = f"F{first}:F{last}", f"G{first}:G{last}"
    lines: list[tuple[str, str, str, str]] = [
        ("{what}: tests", "runs", f'COUNTIF({kinds},"test")', ""),
        ("{what}: circular, no tests", "runs", f'COUNTIF({kinds},"circular")', ""),
    ]
    if tested:
        largest = f"INDEX(A{first}:A{last},MATCH(C{page.row + 3},{sizes},0))"
        lines += [
            ("{what}: median size of a residual", "share", f"MEDIAN({sizes})", ""),
            ("{what}: largest", "share", f"MAX({sizes})", largest),
        ]
    for message, unit, formula, remark in lines:
        _rule(page)
        page.put(page.row, RUN, Phrase(message, what=name), "label")
        page.put(page.row, UNIT, unit, "unit")
        page.put(page.row, VALUE, f"={formula}", "formula", unit)
        if remark:
            page.put(page.row, BASIS, f"={remark}", "text")
        page.row += 1


def _repeated(page: Page, row: Comparison, at: int) -> None:
    """Write a test once more, beside those of other quantities."""
    label = Phrase("{what} · {run}", run=row.run, what=NAMES[row.quantity])
    _rule(page, RESIDUAL)
    page.put(page.row, RUN, label, "label")
    page.put(page.row, UNIT, row.unit, "unit")
    for column, letter in ((VALUE, "C"), (PUBLISHED, "D")):
        page.put(page.row, column, f"={letter}{at}", "formula", _FORMS.get(row.unit, row.unit))
    page.put(page.row, RESIDUAL, f"=E{at}", "formula").number_format = _SIGNED
    page.row += 1


def _findings(page: Page, sizes: str) -> str:
    """Write the sentence that the chart bears as its title; return its cell."""
    at = page.row
    for label, unit, formula, style in _sentences(at, sizes):
        _rule(page, RESIDUAL)
        page.put(page.row, RUN, label, "label")
        page.put(page.row, UNIT, unit, "unit")
        page.put(page.row, VALUE, f"={formula}", style)
        page.row += 1
    page.book.name("finding_runs", SHEET, f"$C${page.row - 1}")
    return f"{SHEET}!$C${page.row - 1}"


def _sentences(at: int, sizes: str) -> Iterator[tuple[str, str, str, str]]:
    yield "All tests", "tests", f"COUNT({sizes})", "formula"
    yield "Median size of all", "text", f'FIXED(MEDIAN({sizes})*percent,1)&"%"', "finding"
    yield "Largest of all", "text", f'FIXED(MAX({sizes})*percent,1)&"%"', "finding"
    half = f'C{at}&" tests: half within "&C{at + 1}&" of what was published"'
    yield "Of the half", "text", half, "finding"
    yield "Finding", "text", f'C{at + 3}&", all within "&C{at + 2}', "finding"

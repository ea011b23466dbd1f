"""The sheet Compare: the run on every accelerator, and rented against owned."""

from __future__ import annotations

from xl_tco.catalogue import accelerator_keys
from xl_tco.language import Name, Phrase
from xl_tco.workbook.sheets.answers import as_built
from xl_tco.workbook.sheets.asked import Block, Question, in_money, put_answer, put_figure, step
from xl_tco.workbook.sheets.asked import Column as Raw
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.charts import Axis, Frame, Shown, add_bars, add_curves
from xl_tco.workbook.sheets.page import Column, Page
from xl_tco.workbook.sheets.styles import ACCENT, GREYS

__all__ = ["SHEET", "add_compare"]

SHEET = "Compare"
COLUMNS = (
    Column("Accelerator", 46),
    Column("Unit", 20),
    Column("Total", 24, number=True),
    Column("An effective TFLOP-hour", 18, number=True),
    Column("Against this run", 14, number=True),
    Column("Remark", 22, number=True),
    Column("", 3),
    Column("", 62),
)
LABEL, UNIT, VALUE, EFFECTIVE, AGAINST, REMARK = range(1, 7)
SHOWN = 15
"""Accelerators in the chart."""
POINTS = 20
"""Points of the lines of rent and own: from a tenth of the hours in use to all of them."""

FIGURES = ("own", "rent_paid", "own_fixed", "own_running", "rent", "utilization", "months")
"""What TCO_BREAKEVEN is asked."""


def add_compare(book: Book) -> None:
    """Write the sheet and its charts."""
    page = Page(
        book,
        SHEET,
        "As many of every accelerator, best first; then rent or own, and where that turns.",
        COLUMNS,
    )
    as_built(page)
    size = len(accelerator_keys())
    ranked = page.row + 1
    turns = ranked + size + 1
    page.row = turns + len(_LINES)
    page.workings()
    raw = _answer(page, size)
    figures = _figures(page)
    end = page.row
    page.row = ranked - 1
    page.section("Accelerators, the lowest cost of an effective TFLOP-hour first", REMARK)
    for number in range(size):
        _accelerator(page, raw, number)
    page.section("Rent or own", REMARK)
    _rent_or_own(page, figures)
    page.row = end
    _ranking_chart(page, ranked)
    _turning_chart(page, figures)
    page.finish(grid=False, pages=1)


def _answer(page: Page, size: int) -> Block:
    question = Question(page.book, "TCO_COMPARE", "TCO_COMPARE(inputs)")
    columns = (
        Raw("Key", "text", 1),
        Raw("Total, USD", "USD", 2),
        Raw("Effective, USD", "effective", 3),
    )
    return put_answer(page, "Answer of TCO_COMPARE", question, columns, size)


def _accelerator(page: Page, raw: Block, number: int) -> None:
    row = page.row
    key, total, effective = (raw.cell(number, at) for at in range(3))
    label = f'INDEX(catalogue_value,MATCH({key}&".label",catalogue_id,0))'
    page.put(row, LABEL, f"=IFERROR({label},{key})", "label")
    page.put(row, UNIT, "=money_unit", "unit")
    page.put(row, VALUE, in_money(total), "formula", "USD million")
    page.put(
        row,
        EFFECTIVE,
        f'=IF(ISNUMBER({effective}),{effective}*currency_per_usd,"—")',
        "formula",
        "effective",
    )
    against = f'=IF(ISNUMBER({total})*(total_usd>0),{total}/total_usd-1,"—")'
    page.put(row, AGAINST, against, "formula", "difference")
    known = f"ISNUMBER({total})*(1+({key}=accelerator))"
    remark = f'=CHOOSE(1+{known},"not costed","","this run")'
    page.put(row, REMARK, remark, "formula")
    page.row += 1


def _ranking_chart(page: Page, first: int) -> None:
    last = first + SHOWN - 1
    price = step(page, "The least", f'FIXED(D{first},price_digits)&" "&currency')
    sentence = f'A{first}&": "&{price}&" an effective TFLOP-hour, the least"'
    title = step(page, "Finding on accelerators", sentence)
    page.book.name("finding_accelerators", SHEET, title)
    unit = step(page, "Unit of an effective TFLOP-hour", 'currency&" an effective TFLOP-hour"')
    add_bars(
        page,
        Frame("H5", f"{SHEET}!{title}", height=11.0),
        f"{SHEET}!$A${first}:$A${last}",
        [Shown(f"{SHEET}!$D${first}:$D${last}")],
        values=Axis(f"{SHEET}!{unit}", "0.000", bare=True),
        labels="0.0000",
    )


_RATE = "*currency_per_usd"
_LINES = (
    ("Owning, an hour of use", "=currency", "own", _RATE, "USD/hour"),
    ("Renting, an hour of use, less discount", "=currency", "rent_paid", _RATE, "USD/hour"),
    ("A year of owning one, used or not", "=currency", "own_fixed", _RATE, "USD"),
    ("Running it, an hour of use", "=currency", "own_running", _RATE, "USD/hour"),
    ("Rent at which both cost the same", "=currency", "rent", _RATE, "USD/hour"),
    ("Hours in use from which owning is cheaper", "share of the year", "utilization", "", "share"),
    ("Months of use until a purchase has paid off", "months", "months", "", "months"),
)
"""Label, unit, figure, conversion to the report's currency, and the unit of the number format."""


def _figures(page: Page) -> dict[str, str]:
    """Write the raw figures of rent or own; return the cell of each."""
    page.section("Answer of TCO_BREAKEVEN", REMARK)
    cells = {}
    for figure in FIGURES:
        row = page.row
        page.put_text(row, EFFECTIVE, figure, "formula")
        call = f'TCO_BREAKEVEN(inputs,"",D{row})'
        question = Question(page.book, "TCO_BREAKEVEN", call, ("", figure))
        label = Phrase("Answer of TCO_BREAKEVEN: {figure}", figure=Name(figure))
        cells[figure] = put_figure(page, label, question, "USD/hour")
    return cells


def _rent_or_own(page: Page, figures: dict[str, str]) -> None:
    for label, unit, figure, conversion, form in _LINES:
        page.put(page.row, LABEL, label, "label")
        page.put(page.row, UNIT, unit, "unit")
        shown = (
            f'=IFERROR({figures[figure]}{conversion},"—")' if conversion else f"={figures[figure]}"
        )
        page.put(page.row, VALUE, shown, "formula", form)
        page.row += 1


def _turning_chart(page: Page, figures: dict[str, str]) -> None:
    """Draw both costs over the hours in use; say where they cross."""
    page.section("An accelerator-hour over the hours in use", REMARK)
    first = page.row
    last = first + POINTS - 1
    for row in range(first, last + 1):
        use = Phrase("Point {number}", number=str(row - first + 1))
        page.put(row, LABEL, use, "label")
        page.put(row, UNIT, "=currency", "unit")
        page.put(
            row,
            VALUE,
            f"=(1+ROWS(A${first}:A{row}))/(1+ROWS(A${first}:A${last}))",
            "formula",
            "share",
        )
        own = f"({figures['own_fixed']}/(hours_per_year*C{row})+{figures['own_running']})"
        page.put(
            row,
            EFFECTIVE,
            f'=IFERROR({own}*currency_per_usd,"—")',
            "formula",
            "USD/hour",
        )
        rent = f'=IFERROR({figures["rent_paid"]}*currency_per_usd,"—")'
        page.put(row, AGAINST, rent, "formula", "USD/hour")
    page.row = last + 1
    own, rent, turn = (figures[name] for name in ("own", "rent_paid", "utilization"))
    cheaper = step(page, "At present", f'IF({own}<={rent},"Owning","Renting")')
    other = step(page, "If it never turns", f'{cheaper}&" is cheaper at any use"')
    now = step(page, "Hours in use, in words", 'FIXED(utilization*percent,0)&"%"')
    percent = step(page, "Where it turns", f'IFERROR(FIXED({turn}*percent,0)&"%","—")')
    sentence = f'{cheaper}&" is cheaper at "&{now}&" use; owning is from "&{percent}&" on"'
    turning = step(page, "If it turns", sentence)
    known = f"ISNUMBER({own}*{rent})"
    inside = f"(N({turn})>0)*(N({turn})<=1)"
    unknown = step(page, "If it is unknown", '"The rent or a price is unknown"')
    known = step(page, "Known, and it turns", f"IF({known},1+{inside},0)")
    title = step(page, "Finding on rent or own", f"CHOOSE(1+{known},{unknown},{other},{turning})")
    page.book.name("finding_rent_or_own", SHEET, title)
    owning = step(page, "Name of the first line", '"Owning"')
    renting = step(page, "Name of the second line", '"Renting"')
    x = step(page, "Unit of the hours in use", '"Hours in use, share of the year"')
    unit = step(page, "Unit of an accelerator-hour", 'currency&" an accelerator-hour"')
    add_curves(
        page,
        Frame("H26", f"{SHEET}!{title}", height=9.0),
        f"{SHEET}!$C${first}:$C${last}",
        [
            Shown(f"{SHEET}!$D${first}:$D${last}", ACCENT, f"{SHEET}!{owning}"),
            Shown(f"{SHEET}!$E${first}:$E${last}", GREYS[2], f"{SHEET}!{renting}", dashed=True),
        ],
        values=Axis(f"{SHEET}!{unit}", "#,##0.00"),
        along=Axis(f"{SHEET}!{x}", "0%", low=0.0, high=1.0),
    )

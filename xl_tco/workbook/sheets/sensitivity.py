"""The sheet Sensitivity: what the total turns on, what would save most, and how sure it is."""

from __future__ import annotations

from functools import lru_cache

from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.analysis.cases import MOST_RANGES, correlations_of, ranges_of
from xl_tco.analysis.levers import LEVERS
from xl_tco.cases import KNOWN
from xl_tco.cells import Cell
from xl_tco.distributions import KINDS
from xl_tco.fields import FIELDS
from xl_tco.functions.simulations import BINS
from xl_tco.language import Phrase
from xl_tco.scenario import Scenario
from xl_tco.workbook.sheets.answers import as_built
from xl_tco.workbook.sheets.asked import (
    Block,
    Question,
    cases_table,
    in_money,
    put_answer,
    put_figure,
    step,
)
from xl_tco.workbook.sheets.asked import Column as Raw
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.charts import Axis, Frame, Shown, add_bars
from xl_tco.workbook.sheets.page import Column, Page
from xl_tco.workbook.sheets.styles import ACCENT, GREYS

__all__ = ["MEDIAN", "SHEET", "add_sensitivity"]

SHEET = "Sensitivity"
COLUMNS = (
    Column("What", 46),
    Column("Unit", 20),
    Column("Value", 30, number=True),
    Column("Low, or P10", 24, number=True),
    Column("Mode, or mean", 15, number=True),
    Column("High, P90 or sd", 15, number=True),
    Column("Distribution", 15, number=True),
    Column("Input now", 15, number=True),
    Column("", 3),
    Column("", 62),
)
LABEL, UNIT, VALUE, LOW, MODE, HIGH, KIND, NOW = range(1, 9)
SPAN = NOW

ROWS = MOST_RANGES + 2
"""Rows for ranges: those of a scenario that has more need more."""
PAIRS = 5
PERCENTILES = (10.0, 50.0, 90.0)
MEDIAN = "simulated_median"
"""Name of the raw median, which a check looks at: it is no number where the ranges are wrong."""

_PLACES = {
    "triangular": (0, 1, 2),
    "pert": (0, 1, 2),
    "uniform": (0, 2),
    "normal": (1, 2),
    "lognormal": (0, 2),
}
"""Which of the three columns of numbers hold the parameters of a distribution, in its order."""


def add_sensitivity(book: Book) -> None:
    """Write the sheet and its charts."""
    page = Page(
        book,
        SHEET,
        "What is uncertain, in the blue ranges; what the total turns on; what would save most.",
        COLUMNS,
    )
    as_built(page)
    rows = max(ROWS, len(_range_cells(book.scenario)) + 2)
    pairs = max(PAIRS, len(correlations_of(book.scenario)) + 1)
    _ranges(page, rows)
    _correlations(page, pairs)
    start = page.row
    bars, pulled = start + 1, start + rows + 2
    sure = pulled + len(LEVERS) + 1
    cases = sure + len(PERCENTILES) + 1
    page.row = cases + len(KNOWN)
    page.workings()
    tornado = _tornado_answer(page, rows)
    levers = _levers_answer(page)
    percentiles, histogram = _simulation_answers(page)
    totals = _cases_answer(page)
    end = page.row
    page.row = start
    _tornado(page, tornado)
    _levers(page, levers)
    _percentiles(page, percentiles)
    _cases(page, totals)
    page.row = end
    _tornado_chart(page, (bars, bars + rows - 1))
    _levers_chart(page, (pulled, pulled + len(LEVERS) - 1))
    _histogram_chart(page, histogram, sure)
    page.finish(grid=False, pages=1)


@lru_cache(maxsize=1)
def _range_cells(scenario: Scenario) -> tuple[tuple[Cell, ...], ...]:
    """Return what is uncertain as the five columns that the functions take."""
    rows = []
    for name, given in ranges_of(scenario).items():
        numbers: list[Cell] = ["", "", ""]
        for place, number in zip(_PLACES[given.kind], given.parameters, strict=True):
            numbers[place] = number
        rows.append((name, *numbers, given.kind))
    return tuple(rows)


def _ranges(page: Page, rows: int) -> None:
    """Write what is uncertain, in blue cells under the name ``ranges``."""
    page.section("What is uncertain: change the ranges", SPAN)
    first, given = page.row, _range_cells(page.book.scenario)
    fields = DataValidation("list", formula1="inputs_field")
    numbers = DataValidation("decimal", operator="between", formula1="-1E+300", formula2="1E+300")
    kinds = DataValidation("list", formula1=f'"{",".join(KINDS)}"')
    for validation, message in (
        (fields, "A field of a number, as on the sheet Inputs."),
        (numbers, "A number, in the unit of the field."),
        (kinds, "One of: triangular, pert, uniform, normal, lognormal."),
    ):
        _validate(page, validation, message)
    for number in range(rows):
        row = page.row
        found = f"MATCH(C{row},inputs_field,0)"
        said = f'=IFERROR(INDEX(inputs_label,{found}),"Range "&ROWS(C${first}:C{row}))'
        page.put(row, LABEL, said, "label")
        page.put(row, UNIT, f'=IFERROR(INDEX(inputs_unit,{found}),"—")', "unit")
        cells = given[number] if number < len(given) else (None,) * 5
        unit = FIELDS[str(cells[0])].unit if cells[0] else "bound"
        for column, cell in enumerate(cells, start=VALUE):
            if isinstance(cell, str) and cell:
                page.put_text(row, column, cell, "input")
            else:
                page.put(row, column, None if cell == "" else cell, "input", unit)
        value = f'=IFERROR(INDEX(inputs_value,{found}),"")'
        page.put(row, NOW, value, "link", unit)
        fields.add(f"C{row}")
        numbers.add(f"D{row}:F{row}")
        kinds.add(f"G{row}")
        page.row += 1
    page.book.name("ranges", SHEET, f"$C${first}:$G${page.row - 1}")


def _validate(page: Page, validation: DataValidation, message: str) -> None:
    """Put a validation on the sheet that says what is allowed."""
    validation.showErrorMessage = validation.showInputMessage = True
    validation.error = validation.prompt = page.book.language.text(message)
    page.sheet.add_data_validation(validation)


def _correlations(page: Page, rows: int) -> None:
    """Write which ranges go along with each other, under the name ``correlations``."""
    page.section("Which go along with each other: rank correlations", SPAN)
    first, given = page.row, correlations_of(page.book.scenario)
    fields = DataValidation("list", formula1="inputs_field")
    numbers = DataValidation("decimal", operator="between", formula1="-1", formula2="1")
    for validation, message in (
        (fields, "A field of the ranges above."),
        (numbers, "Spearman's rank correlation, from -1 to 1."),
    ):
        _validate(page, validation, message)
    for number in range(rows):
        row = page.row
        page.put(row, LABEL, Phrase("Pair {number}", number=str(number + 1)), "label")
        page.put(row, UNIT, "rank correlation", "unit")
        pair: tuple[Cell, ...] = given[number] if number < len(given) else (None, None, None)
        page.put_text(row, VALUE, str(pair[0] or ""), "input").value = pair[0]
        page.put_text(row, LOW, str(pair[1] or ""), "input").value = pair[1]
        page.put(row, MODE, pair[2], "input", "bound")
        fields.add(f"C{row}:D{row}")
        numbers.add(f"E{row}")
        page.row += 1
    page.book.name("correlations", SHEET, f"$C${first}:$E${page.row - 1}")


def _heads(page: Page, title: str, *heads: str) -> None:
    """Write a section with what its columns hold, from the third on."""
    page.section(title, SPAN)
    page.put(page.row - 1, UNIT, "Unit", "section")
    for column, head in enumerate(heads, start=VALUE):
        page.put(page.row - 1, column, head, "section number")


def _given_ranges(page: Page) -> list[list[Cell]]:
    return [list(row) for row in _range_cells(page.book.scenario)]


def _given_pairs(page: Page) -> list[list[Cell]]:
    return [list(pair) for pair in correlations_of(page.book.scenario)] or [["", "", ""]]


def _tornado_answer(page: Page, rows: int) -> Block:
    call = 'TCO_SENSITIVITY(inputs,"","","",ranges)'
    arguments = ("", "", "", _given_ranges(page))
    question = Question(page.book, "TCO_SENSITIVITY", call, arguments)
    columns = (
        Raw("Field", "text", 1),
        Raw("USD, low end", "USD", 2),
        Raw("USD, high end", "USD", 3),
    )
    return put_answer(page, "Answer of TCO_SENSITIVITY", question, columns, rows)


def _tornado(page: Page, raw: Block) -> None:
    """Write the change of the total at either end of each range, the widest first."""
    _heads(page, "One at a time: change of the total", "At its P10", "At its P90")
    for number in range(raw.last - raw.first + 1):
        row = page.row
        name, low, high = (raw.cell(number, at) for at in range(3))
        found = f"INDEX(inputs_label,MATCH({name},inputs_field,0))"
        page.put(row, LABEL, f'=IFERROR({found},"—")', "label")
        page.put(row, UNIT, "=money_unit", "unit")
        for column, total in ((VALUE, low), (LOW, high)):
            page.put(
                row,
                column,
                f'=IF(ISNUMBER({total}),({total}-total_usd)/money,"")',
                "formula",
                "change",
            )
        page.row += 1


def _levers_answer(page: Page) -> Block:
    question = Question(page.book, "TCO_LEVERS", "TCO_LEVERS(inputs)")
    columns = (
        Raw("USD alone", "USD", 2),
        Raw("Share alone", "share", 3),
        Raw("USD in turn", "USD", 4),
        Raw("USD left", "USD", 5),
    )
    return put_answer(page, "Answer of TCO_LEVERS", question, columns, len(LEVERS))


def _levers(page: Page, raw: Block) -> None:
    """Write what each lever changes, alone and in turn."""
    heads = ("Alone", "Alone, share", "In turn", "Left")
    _heads(page, "Levers: change of the total", *heads)
    for number, lever in enumerate(LEVERS.values()):
        row = page.row
        alone, share, turn, left = (raw.cell(number, at) for at in range(4))
        page.put(row, LABEL, lever.label, "label")
        page.put(row, UNIT, "=money_unit", "unit")
        page.put(row, VALUE, in_money(alone), "formula", "change")
        page.put(row, LOW, f'=IF(ISNUMBER({share}),{share},"—")', "formula", "share")
        page.put(row, MODE, in_money(turn), "formula", "change")
        page.put(row, HIGH, in_money(left), "formula", "USD million")
        page.row += 1


def _simulation_answers(page: Page) -> tuple[dict[float, str], Block]:
    page.section("The simulation", SPAN)
    cells = {}
    for share in PERCENTILES:
        row = page.row
        page.put(row, LABEL, Phrase("Percentile {number}", number=f"{share:g}"), "label")
        page.put(row, UNIT, "%", "unit")
        page.put(row, VALUE, share, "formula", "samples")
        cells[share] = f"$C${row}"
        page.row += 1
    ranges, pairs = _given_ranges(page), _given_pairs(page)
    percentiles = {}
    for share, cell in cells.items():
        label = Phrase("Answer of TCO_PERCENTILE: {number}", number=f"{share:g}")
        call = f"TCO_PERCENTILE(inputs,ranges,{cell},correlations)"
        question = Question(page.book, "TCO_PERCENTILE", call, (ranges, share, pairs))
        percentiles[share] = put_figure(page, label, question, "USD")
    page.book.name(MEDIAN, SHEET, percentiles[PERCENTILES[1]])
    call = "TCO_HISTOGRAM(inputs,ranges,correlations)"
    shape = Question(page.book, "TCO_HISTOGRAM", call, (ranges, pairs))
    columns = (Raw("From, USD", "USD", 1), Raw("Share of samples", "share", 3))
    return percentiles, put_answer(page, "Answer of TCO_HISTOGRAM", shape, columns, BINS)


def _percentiles(page: Page, raw: dict[float, str]) -> None:
    _heads(page, "How sure: percentiles of the total")
    for share, cell in raw.items():
        row = page.row
        page.put_text(row, LABEL, f"P{share:g}", "label")
        page.put(row, UNIT, "=money_unit", "unit")
        page.put(row, VALUE, in_money(cell), "formula", "USD million")
        page.row += 1


def _cases_answer(page: Page) -> Block:
    question = Question(page.book, "TCO_CASES", "TCO_CASES(cases)", (cases_table(page.book),))
    columns = (Raw("Total, USD", "USD", 2),)
    return put_answer(page, "Answer of TCO_CASES", question, columns, len(KNOWN))


def _cases(page: Page, raw: Block) -> None:
    """Write the total of every case, whichever is in force."""
    _heads(page, "Total of each case", "Total", "Against the base")
    base = raw.cell(0, 0)
    for number, case in enumerate(KNOWN):
        row, total = page.row, raw.cell(number, 0)
        page.put(row, LABEL, case.capitalize(), "label")
        page.put(row, UNIT, "=money_unit", "unit")
        page.put(row, VALUE, in_money(total), "formula", "USD million")
        page.put(row, LOW, f'=IFERROR({total}/{base}-1,"—")', "formula", "difference")
        page.row += 1


def _tornado_chart(page: Page, rows: tuple[int, int]) -> None:
    first, last = rows
    page.section("Findings", SPAN)
    swing = step(page, "The widest", f"FIXED(MAX(C{first}:D{first})-MIN(C{first}:D{first}),1)")
    sentence = f'A{first}&" moves the total most: by "&{swing}&" "&money_unit'
    title = step(page, "Finding on inputs", sentence)
    page.book.name("finding_inputs", SHEET, title)
    low = step(page, "Name of the first bars", '"At its P10"')
    high = step(page, "Name of the second bars", '"At its P90"')
    unit = step(page, "Unit of a change", '"Change of the total, "&money_unit')
    categories = f"{SHEET}!$A${first}:$A${last}"
    add_bars(
        page,
        Frame("J5", f"{SHEET}!{title}", height=9.6),
        categories,
        [
            Shown(f"{SHEET}!$C${first}:$C${last}", ACCENT, f"{SHEET}!{low}"),
            Shown(f"{SHEET}!$D${first}:$D${last}", "9DBBD7", f"{SHEET}!{high}"),
        ],
        values=Axis(f"{SHEET}!{unit}", "#,##0.0"),
        gap=30,
    )


def _levers_chart(page: Page, rows: tuple[int, int]) -> None:
    first, last = rows
    names, alone = f"A{first}:A{last}", f"C{first}:C{last}"
    best = step(page, "The strongest lever", f"INDEX({names},MATCH(MIN({alone}),{alone},0))")
    saved = step(page, "What it saves", f"FIXED(-1*MIN({alone}),1)")
    sentence = f'{best}&" alone would save "&{saved}&" "&money_unit'
    title = step(page, "Finding on levers", sentence)
    page.book.name("finding_levers", SHEET, title)
    unit = step(page, "Unit of a saving", '"Change of the total, "&money_unit')
    add_bars(
        page,
        Frame("J24", f"{SHEET}!{title}", height=9.6),
        f"{SHEET}!$A${first}:$A${last}",
        [Shown(f"{SHEET}!$C${first}:$C${last}")],
        values=Axis(f"{SHEET}!{unit}", "#,##0.0"),
        gap=30,
    )


def _histogram_chart(page: Page, raw: Block, sure: int) -> None:
    """Draw the distribution of the total; its title says between what it lies."""
    page.section("Bars of the distribution", SPAN)
    first = page.row
    for number in range(raw.last - raw.first + 1):
        row, start, height = page.row, raw.cell(number, 0), raw.cell(number, 1)
        page.put(row, LABEL, Phrase("Bar {number}", number=str(number + 1)), "label")
        page.put(row, UNIT, "=money_unit", "unit")
        page.put(row, VALUE, f'=IF(ISNUMBER({start}),FIXED({start}/money,1),"")', "formula")
        page.put(row, LOW, f'=IF(ISNUMBER({height}),{height},"")', "formula", "share")
        page.row += 1
    last = page.row - 1
    ends = [
        step(page, f"P{p:g} in words", f'IFERROR(FIXED(C{sure + at},1),"—")')
        for at, p in enumerate(PERCENTILES)
    ]
    between = step(page, "Between", f'{ends[0]}&" to "&{ends[2]}&" "&money_unit')
    title = step(page, "Finding on the distribution", f'"Four times in five: "&{between}')
    page.book.name("finding_distribution", SHEET, title)
    x = step(page, "Unit of the bars", '"Total from, "&money_unit')
    y = step(page, "Unit of their height", '"Share of samples"')
    add_bars(
        page,
        Frame("J43", f"{SHEET}!{title}", height=9.0),
        f"{SHEET}!$C${first}:$C${last}",
        [Shown(f"{SHEET}!$D${first}:$D${last}", GREYS[2])],
        values=Axis(f"{SHEET}!{y}", "0%"),
        along=Axis(f"{SHEET}!{x}"),
        upright=True,
        gap=5,
    )

"""The sheet Inputs: every field of a scenario, what stands in for it, and where that comes from.

The value of a field is that of the case in force, in a blue cell; or else the base's; or else the
catalogue's. It carries the field's name; the range ``inputs`` of fields and values is what the
functions are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.analysis.cases import cases_of
from xl_tco.cases import BASE as BASE_CASE
from xl_tco.cases import KNOWN as CASES
from xl_tco.cells import UNKNOWN
from xl_tco.fields import ALTERNATIVES, FIELDS, GROUPS, MODES, Field, Number
from xl_tco.language import Name, Phrase
from xl_tco.resolve import default_entry
from xl_tco.scenario import words
from xl_tco.sources import SOURCES
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.catalogue import words_name
from xl_tco.workbook.sheets.entries import (
    NO_SOURCE,
    NOT_NAMED,
    Citations,
    date_term,
    source_term,
    validation_of,
)
from xl_tco.workbook.sheets.lines import CONSTANTS
from xl_tco.workbook.sheets.page import FIRST_ROW, Column, Page

__all__ = [
    "BASE",
    "CASE_IN_FORCE",
    "CASE_NUMBER",
    "HERE",
    "IN_RANGE",
    "OWN",
    "SHEET",
    "TAKEN",
    "VALUE",
    "add_inputs",
    "given_cells",
]

SHEET = "Inputs"
IN_RANGE = "inputs_in_range"

CASE_IN_FORCE, CASE_NUMBER = "case_in_force", "case_number"

COLUMNS = (
    Column("What", 34),
    Column("Unit", 20),
    Column("Field", 31),
    Column("Value", 15, number=True),
    Column("Base", 15, number=True),
    Column("Low", 15, number=True),
    Column("High", 15, number=True),
    Column("Own", 15, number=True),
    Column("Default", 15, number=True),
    Column("Lowest", 10, number=True),
    Column("Highest", 11, number=True),
    Column("In range", 9, number=True),
    Column("In use", 8, number=True),
    Column("Taken from", 8, number=True),
    Column("Source", 62),
    Column("Date", 11),
    Column("Status", 11),
    Column("Catalogue row", 11, number=True),
    Column("From the catalogue", 11, number=True),
    Column("Given in the case", 9, number=True),
    Column("Your source", 44),
    Column("Your date", 11),
)
WHAT, UNIT, FIELD, VALUE, BASE, LOW, HIGH, OWN = range(1, 9)
DEFAULT, LOWEST, HIGHEST, RANGE, USE, TAKEN, SOURCE, DATE, STATUS, ROW, STANDS_IN, HERE = range(
    9, 21
)
CITED = 21
_DETAILED = frozenset(mode for mode, (_, word) in MODES.items() if not word)
_MODE_OF = {name: mode for mode, (name, word) in MODES.items() if not word}
_OTHER_WAYS = {name: tuple({*group} - {name}) for group in ALTERNATIVES for name in group}


def add_inputs(book: Book) -> None:
    """Write the sheet, the names of the fields, and the range that the functions are given."""
    page = Page(
        book,
        SHEET,
        "Type into the blue cells; an empty case is as the base, an empty base takes the default. "
        "Of mfu, hfu and kernel_efficiency give one.",
        COLUMNS,
    )
    _selector(page)
    cases, rows = _cases(book), _rows(page.row)
    first = page.row
    citations = Citations(page, CITED, book.scenario.in_case(BASE_CASE))
    for group, title in GROUPS.items():
        page.section(title)
        for field in FIELDS.values():
            if field.group == group:
                _field(page, field, cases, rows, citations.write(field.name))
                book.name(field.name, SHEET, f"$D${page.row}")
                if field.name == "peak_tflops":
                    book.name("catalogue_peak", SHEET, f"$I${page.row}")
                page.row += 1
    last = page.row - 1
    book.name("inputs", SHEET, f"$C${first}:$D${last}")
    book.name("cases", SHEET, f"$C${first}:$H${last}")
    book.name(SOURCES, SHEET, f"$C${first}:$V${last}")
    for name, column in (
        ("inputs_label", "A"),
        ("inputs_unit", "B"),
        ("inputs_field", "C"),
        ("inputs_value", "D"),
        (IN_RANGE, "L"),
        ("inputs_in_use", "M"),
        ("inputs_status", "Q"),
    ):
        book.name(name, SHEET, f"${column}${first}:${column}${last}")
    page.mute(f"A{FIRST_ROW}:V{last}", f'$M{FIRST_ROW}="no"')
    _modes(page)
    _currency(page)
    _sources(page)
    _constants(page)
    page.finish(frozen=FIELD, across=2)


def _cases(book: Book) -> Mapping[str, Mapping[str, float | str]]:
    """Return what is typed into the columns of the cases."""
    return {BASE_CASE: book.scenario.in_case(BASE_CASE).given, **cases_of(book.scenario)}


def given_cells(book: Book) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the cell and the value of each number that was given."""
    for column, case in enumerate(CASES, start=BASE):
        for name, value in _cases(book).get(case, {}).items():
            if isinstance(value, float):
                row = book.workbook.defined_names[name].attr_text.rpartition("$")[2]
                yield (SHEET, f"{_letter(column)}{row}"), value


def _selector(page: Page) -> None:
    """Write the choice of a case, and its number."""
    book, row = page.book, page.row
    names = [book.language.text(case.capitalize()) for case in CASES]
    page.section("Case")
    row = page.row
    page.put(row, WHAT, "Case in force: choose one", "label")
    page.put(row, UNIT, "choice", "unit")
    page.put(row, FIELD, CASE_IN_FORCE, "text")
    page.put(row, VALUE, names[CASES.index(book.scenario.case)], "input")
    book.name(CASE_IN_FORCE, SHEET, f"$D${row}")
    listed = ",".join(names)
    choice = DataValidation("list", formula1=f'"{listed}"')
    choice.showErrorMessage = choice.showInputMessage = True
    choice.prompt = choice.error = book.language.text(
        "Base, Low, High or Own: the column of inputs that is in force."
    )
    page.sheet.add_data_validation(choice)
    choice.add(f"D{row}")
    page.put(row + 1, WHAT, "Number of the case in force", "label")
    page.put(row + 1, UNIT, "column", "unit")
    page.put(row + 1, FIELD, CASE_NUMBER, "text")
    first, last = _letter(BASE), _letter(OWN)
    heads = f"${first}$4:${last}$4"
    page.put(row + 1, VALUE, f"=MATCH({CASE_IN_FORCE},{heads},0)", "formula")
    book.name(CASE_NUMBER, SHEET, f"$D${row + 1}")
    for line, status in ((row, "given"), (row + 1, "definition")):
        page.put(line, SOURCE, book.language.text("The headings of the four columns"), "text")
        page.put(line, DATE, "—", "text")
        page.word(line, STATUS, status)
    page.row += 2


def _rows(first: int) -> dict[str, int]:
    """Return the row of each field, of groups with a title each from ``first`` on."""
    rows = {}
    for group in GROUPS:
        first += 1
        for field in FIELDS.values():
            if field.group == group:
                rows[field.name] = first
                first += 1
    return rows


def _taken(field: Field, row: int, rows: Mapping[str, int]) -> str:
    """Return the formula of the column a value is taken from; 0 is none of them.

    A case that says a thing in one way leaves out what the base says of it in another.
    """
    others = "+".join(f"T{rows[name]}" for name in sorted(_OTHER_WAYS.get(field.name, ())))
    base = f"COUNTA(E{row})*({others}=0)" if others else f"COUNTA(E{row})"
    return f"=IF(T{row}=1,case_number,{base})"


def _field(
    page: Page,
    field: Field,
    cases: Mapping[str, Mapping[str, float | str]],
    rows: Mapping[str, int],
    cited: str,
) -> None:
    row, domain, book = page.row, field.domain, page.book
    typed, default, taken = f"E{row}:H{row}", f"I{row}", f"N{row}"
    page.put(row, WHAT, field.label, "label")
    page.put(row, UNIT, field.unit, "unit")
    page.put(row, FIELD, field.name, "text")
    otherwise = default if field.default else '""'
    page.put(
        row, VALUE, f"=IF({taken}=0,{otherwise},INDEX({typed},{taken}))", "formula", field.unit
    )
    for column, case in enumerate(CASES, start=BASE):
        _input(page, column, field, cases.get(case, {}).get(field.name))
    page.put(row, HERE, f"=1-ISBLANK(INDEX({typed},case_number))", "formula")
    page.put(row, TAKEN, _taken(field, row, rows), "formula")
    low, high = (domain.low, domain.high) if isinstance(domain, Number) else (None, None)
    page.put(row, LOWEST, low, "formula", "bound")
    page.put(row, HIGHEST, high, "formula", "bound")
    page.put(row, RANGE, _in_range(field, row), "formula")
    page.word(row, USE, _in_use(field, row), "formula")
    if field.default:
        page.put(row, STANDS_IN, f"=({taken}=0)*1", "formula")
        page.put(row, ROW, _entry_row(field, row), "link")
        page.put(row, DEFAULT, _default(field, row), "link", field.unit)
        for column, name, said in (
            (SOURCE, "catalogue_source", source_term(row)),
            (DATE, "catalogue_date", date_term(row)),
            (STATUS, "catalogue_status", '"given"'),
        ):
            formula = f"=IF(S{row}=1,INDEX({name},R{row}),{said})"
            page.put(row, column, formula, "link text")
        scenario = book.scenario.in_case(BASE_CASE)
        given = scenario.given.get(field.name)
        entry = default_entry(field, scenario.values) if given is None else None
        page.fit(row, [(SOURCE, entry.source if entry else cited or NOT_NAMED), (CITED, cited)])
    else:
        need = "optional" if "optional" in field.needs else "needed"
        page.put(row, ROW, None, "link")
        page.word(row, DEFAULT, need, "formula")
        page.put(row, SOURCE, f'=IF({taken}=0,"{need}",{source_term(row)})', "text")
        page.put(row, DATE, f"={date_term(row)}", "text")
        page.put(row, STATUS, f'=IF({taken}=0,"{need}","given")', "text")
        page.fit(row, [(SOURCE, cited), (CITED, cited)])
    validation = validation_of(page, field)
    page.sheet.add_data_validation(validation)
    validation.add(typed)


def _input(page: Page, column: int, field: Field, given: float | str | None) -> None:
    """Write a blue cell."""
    if isinstance(given, str):
        cell = page.put_text(page.row, column, given, "input")
    else:
        cell = page.put(page.row, column, given, "input", field.unit)
    if not field.is_number:
        cell.number_format = "@"  # or 2026-11 would turn into a day


def _default(field: Field, row: int) -> str:
    """Return the formula of what stands in where nothing is given, if anything does."""
    entry = f"INDEX(catalogue_value,R{row})"
    if field.needs & _DETAILED:
        return f'=IF(M{row}="yes",{entry},"")'
    if others := _OTHER_WAYS.get(field.name):
        none = ",".join(map(_is_not_given, sorted(others)))
        condition = f"AND({none})" if len(others) > 1 else none
        return f'=IF({condition},{entry},"")'
    return f"={entry}"


def _is_not_given(name: str) -> str:
    return f"use_{_MODE_OF[name]}=0" if name in _MODE_OF else f'{name}=""'


def _in_use(field: Field, row: int) -> str:
    """Return the formula of whether the total rests on a field, "yes" or "no"; or the word."""
    parts = "+".join(f"use_{mode}" for mode in MODES if mode in field.needs)
    if "optional" in field.needs or (not parts and field.name in _OTHER_WAYS):
        return f'=IF(D{row}="","no","yes")'
    if not parts:
        return "yes"
    if field.name in _OTHER_WAYS:
        return f'=IF(AND({parts}>0,D{row}<>""),"yes","no")'
    return f'=IF({parts}>0,"yes","no")'


def _entry_row(field: Field, row: int) -> str:
    """Return the formula of the row of that entry: the last one where there may be none."""
    match = f"MATCH({_entry(field, row)},catalogue_id,0)"
    keys = re.findall(r"\{(\w+)\}", field.default)
    if all(words(FIELDS[key]) for key in keys):
        return f"={match}"
    return f"=IFERROR({match},ROWS(catalogue_id))"


def _entry(field: Field, row: int) -> str:
    """Return the formula of the catalogue entry that a field falls back to: "default."&C12."""
    key, _, name = field.default.rpartition(".")
    parts = [part for part in re.split(r"(\{\w+\})", f"{key}.{name}") if part]
    terms = [part[1:-1] if part.startswith("{") else f'"{part}"' for part in parts]
    formula = "&".join(terms)
    return formula.replace(f'.{field.name}"', f'."&C{row}')


def _in_range(field: Field, row: int) -> str | None:
    """Return the formula of whether a value is allowed: a text is greater than any number."""
    value, domain = f"D{row}", field.domain
    if isinstance(domain, Number) and domain.whole:
        inside = f"MEDIAN(INT(N({value})),J{row},K{row})={value}"
    elif isinstance(domain, Number):
        above, below = (">" if domain.low_open else ">="), ("<" if domain.high_open else "<=")
        inside = f"({value}{above}J{row})*({value}{below}K{row})"
    elif words(field):
        return f'=IF(OR({value}="",SUMPRODUCT(({words_name(field)}={value})*1)),"yes","no")'
    else:
        return None
    return f'=IF(OR({value}="",{value}="{UNKNOWN}",{inside}),"yes","no")'


def _modes(page: Page) -> None:
    """Write which parts of the model are in use, 1 or 0, each under a name."""
    page.section("Parts of the model")
    for mode, (name, word) in MODES.items():
        field = FIELDS[name]
        condition = f'{name}="{word or ""}"'
        formula = f"=IF({condition},1,0)" if word else f"=IF({condition},0,1)"
        label = Phrase(f"In use: {mode}")
        given = Phrase("{field} is given", field=field.label)
        source = Phrase("{field} is {word}", field=field.label, word=Name(word)) if word else given
        _definition(page, f"use_{mode}", label, "1 yes, 0 no", formula, source)


def _currency(page: Page) -> None:
    """Write what turns USD into millions of the report's currency, and the unit of these."""
    page.section("Currency of the report")
    money = "=usd_per_million/currency_per_usd"
    source = Phrase("A million, over the rate of the currency")
    _definition(page, "money", Phrase("A million of it, in dollars"), "USD", money, source)
    name = Phrase("Unit of money in this workbook")
    _definition(page, "money_unit", name, "text", '=currency&" million"', Phrase("Its code"))
    rate = '=currency_per_usd&" "&currency&" per USD, "&currency_date'
    _definition(page, "rate_in_words", Phrase("Rate in words"), "text", rate, Phrase("The inputs"))


def _sources(page: Page) -> None:
    """Write what stands for a source where the user names none."""
    page.section("Sources")
    label = Phrase("Where you name no source")
    value = page.book.language.word(NOT_NAMED)
    _definition(page, NO_SOURCE, label, "text", value, Phrase("The columns of your sources"))


def _constants(page: Page) -> None:
    page.section("Constants and unit conversions")
    for name, (value, unit, source) in CONSTANTS.items():
        label = Phrase(name.replace("_", " ").capitalize())
        _definition(page, name, label, unit, value, source)
        page.sheet.cell(page.row - 1, VALUE).number_format = "General"


def _definition(
    page: Page, name: str, label: Phrase, unit: str, value: float | str, source: str | Phrase
) -> None:
    """Write a line that is no input, under its name."""
    row = page.row
    page.put(row, WHAT, label, "label")
    page.put(row, UNIT, unit, "unit")
    page.put(row, FIELD, name, "text")
    page.put(row, VALUE, value, "formula", "USD" if name == "money" else None)
    page.put(row, SOURCE, page.book.language.text(source), "text")
    page.put(row, DATE, "—", "text")
    page.word(row, STATUS, "definition")
    page.book.name(name, SHEET, f"$D${row}")
    page.row += 1


def _letter(column: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUV"[column - 1]

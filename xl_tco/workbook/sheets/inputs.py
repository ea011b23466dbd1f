"""The sheet Inputs: every field of a scenario, what stands in for it, and where that comes from.

The value of a field is the user's, in the blue cell, or else the catalogue's. It carries the
field's name; the range ``inputs`` of fields and values is what the functions are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from openpyxl.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.cells import UNKNOWN
from xl_tco.fields import ALTERNATIVES, FIELDS, GROUPS, MODES, Field, Number
from xl_tco.resolve import default_entry
from xl_tco.scenario import words
from xl_tco.workbook.sheets.catalogue import words_name
from xl_tco.workbook.sheets.lines import CONSTANTS
from xl_tco.workbook.sheets.page import FIRST_ROW, Column, Page, name_cell

if TYPE_CHECKING:
    from xl_tco.scenario import Scenario

__all__ = ["IN_RANGE", "SHEET", "add_inputs", "given_cells"]

SHEET = "Inputs"
IN_RANGE = "inputs_in_range"

COLUMNS = (
    Column("What", 34),
    Column("Unit", 21),
    Column("Field", 33),
    Column("Value", 16, number=True),
    Column("Your input", 16, number=True),
    Column("Default", 16, number=True),
    Column("Lowest", 10, number=True),
    Column("Highest", 11, number=True),
    Column("In range", 9, number=True),
    Column("In use", 8, number=True),
    Column("Source", 62),
    Column("Date", 11),
    Column("Status", 11),
    Column("Catalogue row", 11, number=True),
)
(
    WHAT,
    UNIT,
    FIELD,
    VALUE,
    INPUT,
    DEFAULT,
    LOWEST,
    HIGHEST,
    RANGE,
    USE,
    SOURCE,
    DATE,
    STATUS,
    ROW,
) = range(1, len(COLUMNS) + 1)
_GIVEN = "given in this workbook"
_DETAILED = frozenset(mode for mode, (_, word) in MODES.items() if not word)
_MODE_OF = {name: mode for mode, (name, word) in MODES.items() if not word}
_OTHER_WAYS = {name: tuple({*group} - {name}) for group in ALTERNATIVES for name in group}


def add_inputs(workbook: Workbook, scenario: Scenario) -> None:
    """Write the sheet, the names of the fields, and the range that the functions are given."""
    page = Page(
        workbook,
        SHEET,
        "Type into the blue cells; clear one to take the default. "
        "Of mfu, hfu and kernel_efficiency give one.",
        COLUMNS,
    )
    first = page.row
    for group, title in GROUPS.items():
        page.section(title)
        for field in FIELDS.values():
            if field.group == group:
                _field(page, field, scenario)
                name_cell(workbook, field.name, SHEET, f"$D${page.row}")
                if field.name == "peak_tflops":
                    name_cell(workbook, "catalogue_peak", SHEET, f"$F${page.row}")
                page.row += 1
    last = page.row - 1
    name_cell(workbook, "inputs", SHEET, f"$C${first}:$D${last}")
    for name, column in ((IN_RANGE, "I"), ("inputs_in_use", "J"), ("inputs_status", "M")):
        name_cell(workbook, name, SHEET, f"${column}${first}:${column}${last}")
    page.mute(f"A{FIRST_ROW}:N{last}", f'$J{FIRST_ROW}="no"')
    _modes(page, workbook)
    _constants(page, workbook)
    page.finish()


def given_cells(workbook: Workbook, scenario: Scenario) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the cell and the value of each number that was given."""
    for name, value in scenario.given.items():
        if isinstance(value, float):
            row = workbook.defined_names[name].attr_text.rpartition("$")[2]
            yield (SHEET, f"E{row}"), value


def _field(page: Page, field: Field, scenario: Scenario) -> None:
    row, domain = page.row, field.domain
    given = scenario.given.get(field.name)
    input_, default = f"E{row}", f"F{row}"
    page.put(row, WHAT, field.label, "label")
    page.put(row, UNIT, field.unit, "unit")
    page.put(row, FIELD, field.name, "text")
    otherwise = default if field.default else '""'
    page.put(row, VALUE, f"=IF(ISBLANK({input_}),{otherwise},{input_})", "formula", field.unit)
    if isinstance(given, str):
        page.put_text(row, INPUT, given, "input")
    else:
        page.put(row, INPUT, given, "input", field.unit)
    if not field.is_number:
        page.sheet[input_].number_format = "@"  # or 2026-11 would turn into a day
    low, high = (domain.low, domain.high) if isinstance(domain, Number) else (None, None)
    page.put(row, LOWEST, low, "formula", "bound")
    page.put(row, HIGHEST, high, "formula", "bound")
    page.put(row, RANGE, _in_range(field, row), "formula")
    page.put(row, USE, _in_use(field, row), "formula")
    if field.default:
        page.put(row, ROW, _entry_row(field, row), "link")
        page.put(row, DEFAULT, _default(field, row), "link", field.unit)
        for column, name, given_here in (
            (SOURCE, "catalogue_source", _GIVEN),
            (DATE, "catalogue_date", "—"),
            (STATUS, "catalogue_status", "given"),
        ):
            formula = f'=IF(ISBLANK({input_}),INDEX({name},N{row}),"{given_here}")'
            page.put(row, column, formula, "link text")
        entry = default_entry(field, scenario.values) if given is None else None
        page.fit(row, [(SOURCE, entry.source if entry else _GIVEN)])
    else:
        need = "optional" if "optional" in field.needs else "needed"
        page.put(row, ROW, None, "link")
        page.put(row, DEFAULT, need, "formula")
        page.put(row, SOURCE, f'=IF(ISBLANK({input_}),"{need}","{_GIVEN}")', "text")
        page.put(row, DATE, "—", "text")
        page.put(row, STATUS, f'=IF(ISBLANK({input_}),"{need}","given")', "text")
    validation = _validation(field)
    page.sheet.add_data_validation(validation)
    validation.add(input_)


def _default(field: Field, row: int) -> str:
    """Return the formula of what stands in where nothing is given, if anything does."""
    entry = f"INDEX(catalogue_value,N{row})"
    if field.needs & _DETAILED:
        return f'=IF(J{row}="yes",{entry},"")'
    if others := _OTHER_WAYS.get(field.name):
        none = ",".join(map(_is_not_given, sorted(others)))
        condition = f"AND({none})" if len(others) > 1 else none
        return f'=IF({condition},{entry},"")'
    return f"={entry}"


def _is_not_given(name: str) -> str:
    return f"use_{_MODE_OF[name]}=0" if name in _MODE_OF else f'{name}=""'


def _in_use(field: Field, row: int) -> str | None:
    """Return the formula of whether the total rests on a field: "yes" or "no"."""
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
        inside = f"MEDIAN(INT(N({value})),G{row},H{row})={value}"
    elif isinstance(domain, Number):
        above, below = (">" if domain.low_open else ">="), ("<" if domain.high_open else "<=")
        inside = f"({value}{above}G{row})*({value}{below}H{row})"
    elif words(field):
        return f'=IF(OR({value}="",SUMPRODUCT(({words_name(field)}={value})*1)),"yes","no")'
    else:
        return None
    return f'=IF(OR({value}="",{value}="{UNKNOWN}",{inside}),"yes","no")'


def _validation(field: Field) -> DataValidation:
    """Make the check of what is typed, with a message that says what is allowed."""
    what = field.allowed
    if isinstance(field.domain, Number):
        kind: Literal["whole", "decimal"] = "whole" if field.domain.whole else "decimal"
        low, high = (f"{bound!r}".upper() for bound in (field.domain.low, field.domain.high))
        validation = DataValidation(kind, operator="between", formula1=low, formula2=high)
    elif words(field):
        validation = DataValidation("list", formula1=words_name(field))
        what = what if field.domain else "choose a key of the sheet Catalogue"
    else:
        validation = DataValidation("textLength", operator="lessThanOrEqual", formula1="200")
    validation.allow_blank = True
    validation.showInputMessage = validation.showErrorMessage = True
    validation.promptTitle = field.name[:32]
    validation.prompt = field.help[:255]
    validation.errorTitle = field.name[:32]
    validation.error = f"{field.label}: {what}."[:225]
    return validation


def _modes(page: Page, workbook: Workbook) -> None:
    """Write which parts of the model are in use, 1 or 0, each under a name."""
    page.section("Parts of the model")
    for mode, (name, word) in MODES.items():
        row, field = page.row, FIELDS[name]
        condition = f'{name}="{word or ""}"'
        formula = f"=IF({condition},1,0)" if word else f"=IF({condition},0,1)"
        page.put(row, WHAT, f"In use: {mode}", "label")
        page.put(row, UNIT, "1 yes, 0 no", "unit")
        page.put(row, FIELD, f"use_{mode}", "text")
        page.put(row, VALUE, formula, "formula")
        page.put(row, SOURCE, f"{field.label} is {word or 'given'}", "text")
        page.put(row, DATE, "—", "text")
        page.put(row, STATUS, "definition", "text")
        name_cell(workbook, f"use_{mode}", SHEET, f"$D${row}")
        page.row += 1


def _constants(page: Page, workbook: Workbook) -> None:
    page.section("Constants and unit conversions")
    for name, (value, unit, source) in CONSTANTS.items():
        row = page.row
        page.put(row, WHAT, name.replace("_", " ").capitalize(), "label")
        page.put(row, UNIT, unit, "unit")
        page.put(row, FIELD, name, "text")
        page.put(row, VALUE, value, "formula").number_format = "General"
        page.put(row, SOURCE, source, "text")
        page.put(row, DATE, "—", "text")
        page.put(row, STATUS, "definition", "text")
        name_cell(workbook, name, SHEET, f"$D${row}")
        page.row += 1

"""The sheet Inputs: every field of a scenario, what stands in for it, and where that comes from.

The value of a field is the user's, in the blue cell, or else the catalogue's. It carries the
field's name; the range ``inputs`` of fields and values is what the functions are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openpyxl.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.cells import UNKNOWN
from xl_tco.fields import FIELDS, GROUPS, Field, Number
from xl_tco.workbook.sheets.lines import CONSTANTS
from xl_tco.workbook.sheets.page import Column, Page, name_cell

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
    Column("Source", 62),
    Column("Date", 11),
    Column("Status", 11),
    Column("Catalogue row", 11, number=True),
)
(WHAT, UNIT, FIELD, VALUE, INPUT, DEFAULT, LOWEST, HIGHEST, RANGE, SOURCE, DATE, STATUS, ROW) = (
    range(1, len(COLUMNS) + 1)
)
_GIVEN = "given in this workbook"


def add_inputs(workbook: Workbook, scenario: Scenario) -> None:
    """Write the sheet, the names of the fields, and the range that the functions are given."""
    page = Page(
        workbook,
        SHEET,
        "Type into the blue cells; clear one to take the default. Give mfu or hfu, not both.",
        COLUMNS,
    )
    first = page.row
    starts: dict[str, int] = {}
    for group, title in GROUPS.items():
        starts[group] = page.row
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
    name_cell(workbook, IN_RANGE, SHEET, f"$I${first}:$I${last}")
    for need, start, end in (
        ("all", first, last),
        ("own", starts["own"], starts["operations"] - 1),
        ("rent", starts["rent"], last),
    ):
        name_cell(workbook, f"status_{need}", SHEET, f"$L${start}:$L${end}")
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
    low, high = (domain.low, domain.high) if isinstance(domain, Number) else (None, None)
    page.put(row, LOWEST, low, "formula", "bound")
    page.put(row, HIGHEST, high, "formula", "bound")
    page.put(row, RANGE, _in_range(row, domain) if isinstance(domain, Number) else None, "formula")
    if field.default:
        page.put(row, ROW, f"=MATCH({_entry(field, row)},catalogue_id,0)", "link")
        page.put(row, DEFAULT, f"=INDEX(catalogue_value,M{row})", "link", field.unit)
        for column, name, otherwise in (
            (SOURCE, "catalogue_source", f'"{_GIVEN}"'),
            (DATE, "catalogue_date", '"—"'),
            (STATUS, "catalogue_status", '"given"'),
        ):
            formula = f"=IF(ISBLANK({input_}),INDEX({name},M{row}),{otherwise})"
            page.put(row, column, formula, "link text")
        page.fit(
            row,
            [
                (
                    SOURCE,
                    scenario.figures[field.name].source if field.name in scenario.figures else "",
                )
            ],
        )
    else:
        need = "needed" if field.need == "always" else "optional"
        page.put(row, ROW, None, "link")
        page.put(row, DEFAULT, need, "formula")
        page.put(row, SOURCE, f'=IF(ISBLANK({input_}),"{need}","{_GIVEN}")', "text")
        page.put(row, DATE, "—", "text")
        page.put(row, STATUS, f'=IF(ISBLANK({input_}),"{need}","given")', "text")
    validation = _validation(field)
    page.sheet.add_data_validation(validation)
    validation.add(input_)


def _entry(field: Field, row: int) -> str:
    """Return the formula of the catalogue entry that a field falls back to: "default."&C12."""
    key, _, name = field.default.rpartition(".")
    parts = [part for part in re.split(r"(\{\w+\})", f"{key}.{name}") if part]
    terms = [part[1:-1] if part.startswith("{") else f'"{part}"' for part in parts]
    formula = "&".join(terms)
    return formula.replace(f'.{field.name}"', f'."&C{row}')


def _in_range(row: int, domain: Number) -> str:
    above, below = (">" if domain.low_open else ">="), ("<" if domain.high_open else "<=")
    value = f"D{row}"
    number = f"AND(ISNUMBER({value}),{value}{above}G{row},{value}{below}H{row})"
    inside = f'OR({value}="",{value}="{UNKNOWN}",{number})'
    return f'=IF({inside},"yes","no")'


def _validation(field: Field) -> DataValidation:
    """Make the check of what is typed, with a message that says what is allowed."""
    if isinstance(field.domain, Number):
        low, high = field.domain.low, field.domain.high
        validation = DataValidation(
            "decimal", operator="between", formula1=f"{low!r}".upper(), formula2=f"{high!r}".upper()
        )
    elif field.name == "accelerator":
        validation = DataValidation("list", formula1="accelerator_keys")
    elif field.domain:
        validation = DataValidation("list", formula1=f'"{",".join(field.domain)}"')
    else:
        validation = DataValidation("textLength", operator="lessThanOrEqual", formula1="200")
    validation.allow_blank = True
    validation.showInputMessage = validation.showErrorMessage = True
    validation.promptTitle = field.name[:32]
    validation.prompt = field.help[:255]
    validation.errorTitle = field.name[:32]
    what = "choose a key of the sheet Catalogue" if field.name == "accelerator" else field.allowed
    validation.error = f"{field.label}: {what}."[:225]
    return validation


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

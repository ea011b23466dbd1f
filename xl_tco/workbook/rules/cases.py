"""The rule about the choice of a case: M18."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.cases import KNOWN
from xl_tco.fields import FIELDS
from xl_tco.workbook.rules.reading import cell_formula
from xl_tco.workbook.rules.rulebook import Breach, rule
from xl_tco.workbook.rules.sheets import language_of, worksheet
from xl_tco.workbook.sheets.inputs import BASE, CASE_IN_FORCE, CASE_NUMBER, HERE, OWN, TAKEN, VALUE
from xl_tco.workbook.sheets.page import FIRST_ROW, HEADING_ROW

SHEET = "Inputs"


@rule("M18", "One choice of a case, and INDEX takes every input from its column")
def _selector(workbook: Workbook) -> Iterator[Breach]:
    sheet = worksheet(workbook, SHEET)
    if sheet is None:
        return
    names = [language_of(workbook).text(case.capitalize()) for case in KNOWN]
    for column, name in enumerate(names, start=BASE):
        if sheet.cell(HEADING_ROW, column).value != name:
            place = f"{get_column_letter(column)}{HEADING_ROW}"
            yield SHEET, place, f"the heading is not {name}"
    choice, number = _named(workbook, sheet, CASE_IN_FORCE), _named(workbook, sheet, CASE_NUMBER)
    if choice is None:
        yield SHEET, CASE_IN_FORCE, "there is no choice of a case"
    elif choice.protection.locked or not _is_offered(sheet, choice.coordinate, names):
        yield SHEET, choice.coordinate, f"the choice is no open list of {', '.join(names)}"
    if number is None or not _refers(number, CASE_IN_FORCE):
        yield SHEET, CASE_NUMBER, "the number of the case does not follow the choice"
    yield from _inputs(sheet)


def _inputs(sheet: Worksheet) -> Iterator[Breach]:
    """Yield the fields whose value is not taken from the columns of the cases."""
    for row in range(FIRST_ROW, sheet.max_row + 1):
        if sheet.cell(row, 3).value not in FIELDS:
            continue
        columns = f"{get_column_letter(BASE)}{row}:{get_column_letter(OWN)}{row}"
        taken = f"{get_column_letter(TAKEN)}{row}"
        value, here = sheet.cell(row, VALUE), sheet.cell(row, HERE)
        formula = cell_formula(value)
        picks = formula is not None and "INDEX" in formula.functions
        if not picks or not {columns, taken} <= {*_references(value)}:
            yield SHEET, value.coordinate, "the value is not picked by INDEX from the cases"
        if not {columns, CASE_NUMBER} <= {*_references(here)}:
            yield SHEET, here.coordinate, "it does not look into the case in force"
        if not {here.coordinate, CASE_NUMBER} <= {*_references(sheet.cell(row, TAKEN))}:
            yield SHEET, taken, "the column does not follow the case in force"


def _named(workbook: Workbook, sheet: Worksheet, name: str) -> Any:
    """Return the one cell of the sheet that has a name; None if there is none."""
    defined = workbook.defined_names.get(name)
    target = defined.attr_text or "" if defined else ""
    place = re.fullmatch(rf"'?{SHEET}'?!\$([A-Z]+)\$(\d+)", target)
    return sheet[f"{place[1]}{place[2]}"] if place else None


def _is_offered(sheet: Worksheet, cell: str, names: list[str]) -> bool:
    """Whether a list of exactly these names is to choose from in a cell."""
    return any(
        validation.type == "list" and validation.formula1 == f'"{",".join(names)}"'
        for validation in sheet.data_validations.dataValidation
        if cell in validation.sqref
    )


def _refers(cell: Any, name: str) -> bool:
    return name in _references(cell)


def _references(cell: Any) -> list[str]:
    formula = cell_formula(cell)
    return formula.references if formula else []

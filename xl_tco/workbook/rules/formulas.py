"""The rules about formulas, wherever they stand: M05, M08, M09 and M15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook

from xl_tco.fields import FIELDS
from xl_tco.workbook.rules.reading import cell_formula, formulas, spilled_cells
from xl_tco.workbook.rules.rulebook import Breach, rule
from xl_tco.workbook.sheets.page import FIRST_ROW

__all__ = ["LONGEST"]

LONGEST = 80
FORBIDDEN = {
    "OFFSET",
    "INDIRECT",
    "NPV",
    "XNPV",
    "NOW",
    "TODAY",
    "RAND",
    "RANDBETWEEN",
    "RANDARRAY",
    "CELL",
    "INFO",
}
ROUNDING = {"ROUND", "ROUNDUP", "ROUNDDOWN", "MROUND", "TRUNC", "EVEN", "ODD"} | {
    f"{name}{form}"
    for name in ("CEILING", "FLOOR", "ISO.CEILING")
    for form in ("", ".MATH", ".PRECISE")
}
"""What changes an amount; INT stays, which counts whole things: switches, years."""
OUTSIDE = {"WEBSERVICE", "RTD", "CALL", "REGISTER.ID", "SQL.REQUEST", "STOCKHISTORY", "IMAGE"}


@rule("M05", "No number is typed into a formula but 0 and 1, nor over one")
def _typed_numbers(workbook: Workbook) -> Iterator[Breach]:
    for formula in formulas(workbook):
        for number in formula.numbers:
            yield formula.sheet, formula.place, f"{number} is typed into the {formula.kind}"
    for cell in _places_of_formulas(workbook):
        formula_here = cell_formula(cell)
        if formula_here is None and isinstance(cell.value, int | float):
            yield cell.parent.title, cell.coordinate, f"{cell.value!r} is typed over a formula"
        elif formula_here is not None and formula_here.tokens and not formula_here.references:
            yield cell.parent.title, cell.coordinate, "the formula refers to nothing"


def _places_of_formulas(workbook: Workbook) -> Iterator[Any]:
    """Yield the cells that hold formulas in a model: values of calculations and of fields."""
    for name in {"Calc", "Results"} & set(workbook.sheetnames):
        sheet, spilled = workbook[name], spilled_cells(workbook[name])
        for row in sheet.iter_rows(min_row=FIRST_ROW, min_col=3):
            yield from (c for c in row if c.value is not None and c.coordinate not in spilled)
    if "Inputs" in workbook.sheetnames:
        for label, value in workbook["Inputs"].iter_rows(min_row=FIRST_ROW, min_col=3, max_col=4):
            if label.value in FIELDS:
                yield value


@rule("M08", f"A formula has at most {LONGEST} characters, one line, and no IF inside an IF")
def _simple(workbook: Workbook) -> Iterator[Breach]:
    for formula in formulas(workbook):
        where = formula.sheet, formula.place
        if len(formula.text) > LONGEST:
            yield *where, f"the {formula.kind} has {len(formula.text)} characters"
        if "\n" in formula.text:
            yield *where, f"the {formula.kind} has more than one line"
        if formula.tokens is None:
            yield *where, f"the {formula.kind} cannot be read"
        if formula.nests_if:
            yield *where, "an IF stands inside an IF"


@rule("M09", "No OFFSET, INDIRECT, NPV or volatile function")
def _forbidden(workbook: Workbook) -> Iterator[Breach]:
    for formula in formulas(workbook):
        for name in sorted(formula.functions & FORBIDDEN):
            yield formula.sheet, formula.place, f"{name} is used"


@rule("M15", "No link to another file, no circularity, and no rounding in a calculation")
def _links(workbook: Workbook) -> Iterator[Breach]:
    for formula in formulas(workbook):
        where = formula.sheet, formula.place
        if formula.is_external:
            yield *where, f"the {formula.kind} refers to another file"
        for name in sorted(formula.functions & OUTSIDE):
            yield *where, f"{name} asks for something outside the workbook"
        for name in sorted(formula.functions & ROUNDING):
            yield *where, f"{name} is used"
    if getattr(workbook, "_external_links", None):
        yield "", "", "the workbook is linked to another file"
    if workbook.calculation.iterate:
        yield "", "", "iterative calculation hides circular references"
    if workbook.calculation.fullPrecision is False:
        yield "", "", "the workbook calculates with the precision shown, which rounds"

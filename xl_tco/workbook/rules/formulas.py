"""The rules about formulas, wherever they stand: M05, M08, M09 and M15."""

from __future__ import annotations

from collections.abc import Iterator

from openpyxl import Workbook

from xl_tco.workbook.rules.reading import formulas
from xl_tco.workbook.rules.rulebook import Breach, rule

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
ROUNDING = {"ROUND", "ROUNDUP", "ROUNDDOWN", "MROUND", "TRUNC", "INT", "EVEN", "ODD"} | {
    f"{name}{form}"
    for name in ("CEILING", "FLOOR", "ISO.CEILING")
    for form in ("", ".MATH", ".PRECISE")
}
OUTSIDE = {"WEBSERVICE", "RTD", "CALL", "REGISTER.ID", "SQL.REQUEST", "STOCKHISTORY", "IMAGE"}


@rule("M05", "No number is typed into a formula but 0 and 1")
def _typed_numbers(workbook: Workbook) -> Iterator[Breach]:
    for formula in formulas(workbook):
        for number in formula.numbers:
            yield formula.sheet, formula.place, f"{number} is typed into the {formula.kind}"


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

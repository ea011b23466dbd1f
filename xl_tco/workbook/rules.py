"""The modelling rules of the workbook, each checked by its id on any workbook.

They follow FAST, the ICAEW Financial Modelling Code and banking practice. A rule looks at the
workbook as openpyxl reads it and yields what breaks it, cell by cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.fields import FIELDS
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.workbook.page import FIRST_ROW, HEADING_ROW, MASTER_CHECK
from xl_tco.workbook.styles import INPUT_BLUE, LINK_GREEN

__all__ = ["RULES", "SHEETS", "Finding", "findings"]

SHEETS = ("Cover", "Inputs", "Catalogue", "Calc", "Results", "Checks", "Log")
CALCULATIONS = ("Calc", "Results", "Checks")
LONGEST = 80
PLAIN_NUMBERS = {"0", "1"}
FORBIDDEN = {
    "OFFSET",
    "INDIRECT",
    "NPV",
    "NOW",
    "TODAY",
    "RAND",
    "RANDBETWEEN",
    "RANDARRAY",
    "CELL",
    "INFO",
}
ROUNDING = {"ROUND", "ROUNDUP", "ROUNDDOWN", "MROUND"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach of a rule: its id, where, and what is wrong."""

    rule: str
    sheet: str
    cell: str
    message: str

    def __str__(self) -> str:
        place = f"{self.sheet}!{self.cell}" if self.cell else self.sheet
        return f"{self.rule} {place}: {self.message}"


Breach = tuple[str, str, str]  # sheet, cell, message
Check = Callable[[Workbook], Iterator[Breach]]
RULES: dict[str, tuple[str, Check]] = {}
"""Each rule's text and check, by id."""


def findings(workbook: Workbook) -> list[Finding]:
    """Return every breach of every rule, in the order of the rules."""
    return [
        Finding(rule, *breach) for rule, (_, check) in RULES.items() for breach in check(workbook)
    ]


def rule(number: str, text: str) -> Callable[[Check], Check]:
    """Register a check as the rule of that id."""

    def register(check: Check) -> Check:
        RULES[number] = (text, check)
        return check

    return register


@rule("M01", "The sheets are there, in order, and no other")
def _sheets(workbook: Workbook) -> Iterator[Breach]:
    names = workbook.sheetnames
    for missing in [name for name in SHEETS if name not in names]:
        yield missing, "", "the sheet is missing"
    for unknown in [name for name in names if name not in SHEETS]:
        yield unknown, "", "the sheet is none of the model's"
    known = [name for name in names if name in SHEETS]
    if known != sorted(known, key=SHEETS.index):
        yield known[0], "", f"the sheets are in the order {', '.join(known)}"


@rule("M02", "The same columns mean the same on every calculation sheet, at the same width")
def _columns(workbook: Workbook) -> Iterator[Breach]:
    sheets = [workbook[name] for name in CALCULATIONS if name in workbook.sheetnames]
    for sheet in sheets:
        for letter, heading in (("B", "Unit"), ("C", "Value")):
            if sheet[f"{letter}{HEADING_ROW}"].value != heading:
                yield sheet.title, f"{letter}{HEADING_ROW}", f"the heading is not {heading}"
        for letter in "ABC":
            width = sheet.column_dimensions[letter].width
            if width != sheets[0].column_dimensions[letter].width:
                yield sheet.title, letter, f"the width is {width:g}, not that of {sheets[0].title}"


@rule("M05", "No number is typed into a formula but 0 and 1")
def _typed_numbers(workbook: Workbook) -> Iterator[Breach]:
    for sheet, cell, tokens in _formulas(workbook):
        for token in tokens:
            if token.subtype == Token.NUMBER and token.value not in PLAIN_NUMBERS:
                yield sheet, cell, f"{token.value} is typed into the formula"


@rule("M06", "Every line has a unit")
def _units(workbook: Workbook) -> Iterator[Breach]:
    for sheet, row in _lines(workbook):
        if sheet.cell(row, 2).value in (None, ""):
            yield sheet.title, f"B{row}", "the unit is missing"


@rule("M07", "Every line has a label, and no two on a sheet the same")
def _labels(workbook: Workbook) -> Iterator[Breach]:
    seen: dict[str, Counter[object]] = {}
    for sheet, row in _lines(workbook):
        label = sheet.cell(row, 1).value
        count = seen.setdefault(sheet.title, Counter())
        count[label] += 1
        if label in (None, ""):
            yield sheet.title, f"A{row}", "the label is missing"
        elif count[label] == 2:
            yield sheet.title, f"A{row}", f'the label "{label}" is there twice'


@rule("M08", f"A formula has at most {LONGEST} characters, one line, and no IF inside an IF")
def _simple(workbook: Workbook) -> Iterator[Breach]:
    for sheet, cell, tokens in _formulas(workbook):
        text = "".join(token.value for token in tokens)
        if len(text) + 1 > LONGEST:
            yield sheet, cell, f"the formula has {len(text) + 1} characters"
        if "\n" in text:
            yield sheet, cell, "the formula has more than one line"
        if _nested_if(tokens):
            yield sheet, cell, "an IF stands inside an IF"


@rule("M09", "No OFFSET, INDIRECT, NPV or volatile function")
def _forbidden(workbook: Workbook) -> Iterator[Breach]:
    for sheet, cell, tokens in _formulas(workbook):
        for name in sorted(_functions(tokens) & FORBIDDEN):
            yield sheet, cell, f"{name} is used"


@rule("M10", "Every input has a source, a date and a status")
def _provenance(workbook: Workbook) -> Iterator[Breach]:
    if "Inputs" not in workbook.sheetnames:
        return
    sheet = workbook["Inputs"]
    columns = {
        str(cell.value): cell.column for cell in sheet[HEADING_ROW] if cell.value is not None
    }
    for row in range(FIRST_ROW, sheet.max_row + 1):
        if sheet.cell(row, 3).value in (None, ""):
            continue
        for heading in ("Source", "Date", "Status"):
            column = columns.get(heading)
            if column is None or sheet.cell(row, column).value in (None, ""):
                yield "Inputs", f"C{row}", f"{sheet.cell(row, 3).value} has no {heading.lower()}"


@rule("M11", "Every check has a tolerance, and all feed the master check that every sheet shows")
def _master(workbook: Workbook) -> Iterator[Breach]:
    if MASTER_CHECK not in workbook.defined_names or "checks" not in workbook.defined_names:
        yield "Checks", "", f"the name {MASTER_CHECK} or checks is missing"
        return
    for sheet in workbook.worksheets:
        shown = f"={MASTER_CHECK}"
        if sheet.title != "Checks" and sheet["A3"].value != shown:
            yield sheet.title, "A3", "the master check is not shown"
        if not sheet.freeze_panes or int(re.sub(r"\D", "", sheet.freeze_panes)) <= HEADING_ROW:
            yield sheet.title, "", "the head is not frozen"
    checks = workbook["Checks"]
    first, last = _rows(workbook.defined_names["checks"].attr_text)
    for row in range(FIRST_ROW, checks.max_row + 1):
        if checks.cell(row, 6).value is None:
            continue
        if not first <= row <= last:
            yield "Checks", f"F{row}", "the check does not feed the master check"
        if checks.cell(row, 5).value is None and checks.cell(row, 4).value != "yes":
            yield "Checks", f"E{row}", "the tolerance is missing"


@rule("M12", "Nothing is hidden")
def _hidden(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            yield sheet.title, "", f"the sheet is {sheet.sheet_state}"
        for dimensions in (sheet.row_dimensions, sheet.column_dimensions):
            for key, dimension in dimensions.items():
                if dimension.hidden:
                    yield sheet.title, str(key), "the row or column is hidden"


@rule("M13", "Inputs are blue, formulas black, links to other sheets green; the Cover says so")
def _colours(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if sheet.title == "Cover":
            continue
        for cell in _cells(sheet):
            colour = _colour(cell)
            if cell.data_type == "f":
                if colour == INPUT_BLUE:
                    yield sheet.title, cell.coordinate, "a formula in the blue of inputs"
                elif _is_link(cell, workbook) and colour != LINK_GREEN:
                    yield sheet.title, cell.coordinate, "a link to another sheet is not green"
            elif not cell.protection.locked and colour != INPUT_BLUE:
                yield sheet.title, cell.coordinate, "an input is not blue"
    if "Cover" in workbook.sheetnames and not _cover_says(workbook, "Blue"):
        yield "Cover", "", "the legend of colours is missing"


@rule("M14", "Inputs are open and validated, all else is locked, without a password")
def _protection(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if not sheet.protection.sheet:
            yield sheet.title, "", "the sheet is not protected"
        if sheet.protection.password:
            yield sheet.title, "", "the protection has a password"
        validated = [v.sqref for v in sheet.data_validations.dataValidation]
        for row in sheet.iter_rows():
            for cell in row:
                if cell.protection.locked:
                    continue
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, "a formula is open to change"
                if not any(cell.coordinate in ranges for ranges in validated):
                    yield sheet.title, cell.coordinate, "an input is not validated"


@rule("M15", "No link to another file, and no rounding in a calculation")
def _links(workbook: Workbook) -> Iterator[Breach]:
    for sheet, cell, tokens in _formulas(workbook):
        if any(token.subtype == Token.RANGE and "[" in token.value for token in tokens):
            yield sheet, cell, "the formula refers to another file"
        for name in sorted(_functions(tokens) & ROUNDING):
            yield sheet, cell, f"{name} is used"
    if getattr(workbook, "_external_links", None):
        yield workbook.sheetnames[0], "", "the workbook is linked to another file"


@rule("M16", "The sign convention is on the Cover")
def _sign(workbook: Workbook) -> Iterator[Breach]:
    if not _cover_says(workbook, "Costs are positive"):
        yield "Cover", "", "the sign convention is missing"


@rule("M17", "Version, fingerprints, contents with links, and a log of changes")
def _version(workbook: Workbook) -> Iterator[Breach]:
    if "built_with" not in workbook.defined_names:
        yield "Log", "", "the version is missing"
    for what in ("Scenario", "Catalogue"):
        if not _cover_says(workbook, f"Made from: {what}"):
            yield "Cover", "", f"the fingerprint of the {what.lower()} is missing"
    if "Cover" not in workbook.sheetnames:
        return
    targets = {
        str(cell.hyperlink.location or cell.hyperlink.target or "").lstrip("#").split("!")[0]
        for cell in _cells(workbook["Cover"])
        if cell.hyperlink
    }
    for name in workbook.sheetnames[1:]:
        if name not in targets:
            yield "Cover", "", f"the contents have no link to {name}"


@rule("M19", "Every sheet has a print area, titles, an orientation, and fits the width")
def _print(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if not sheet.print_area:
            yield sheet.title, "", "the print area is missing"
        if not sheet.print_title_rows:
            yield sheet.title, "", "the print titles are missing"
        if not sheet.page_setup.orientation:
            yield sheet.title, "", "the orientation is missing"
        if not (
            sheet.sheet_properties.pageSetUpPr and sheet.sheet_properties.pageSetUpPr.fitToPage
        ):
            yield sheet.title, "", "the print does not fit the width"


@rule("M20", "Every input and every result has its name")
def _names(workbook: Workbook) -> Iterator[Breach]:
    homes = dict.fromkeys(FIELDS, "Inputs")
    homes |= dict.fromkeys([f"{name}_usd" for name in COMPONENTS] + [TOTAL.name, *METRICS], "Calc")
    for name, home in homes.items():
        target = workbook.defined_names.get(name)
        if target is None:
            yield home, "", f"the name {name} is missing"
        elif not target.attr_text.startswith(f"{home}!"):
            yield home, "", f"the name {name} refers to {target.attr_text}"


def _cells(sheet: Worksheet) -> Iterator[Cell]:
    """Yield the cells that hold something, from the headings on down."""
    for row in sheet.iter_rows(min_row=FIRST_ROW):
        for cell in row:
            if cell.value is not None:
                yield cell


def _lines(workbook: Workbook) -> Iterator[tuple[Worksheet, int]]:
    """Yield the rows of calculations and inputs that hold a value."""
    for name in ("Inputs", *CALCULATIONS):
        if name in workbook.sheetnames:
            sheet = workbook[name]
            for row in range(FIRST_ROW, sheet.max_row + 1):
                if any(sheet.cell(row, column).value is not None for column in (3, 4)):
                    yield sheet, row


def _formulas(workbook: Workbook) -> Iterator[tuple[str, str, list[Token]]]:
    for sheet in workbook.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, Tokenizer(_text(cell)).items


def _text(cell: Any) -> str:
    value = cell.value
    return str(value.text if isinstance(value, ArrayFormula) else value)


def _functions(tokens: list[Token]) -> set[str]:
    return {
        token.value[:-1].upper().removeprefix("_XLFN.")
        for token in tokens
        if token.type == Token.FUNC and token.subtype == Token.OPEN
    }


def _nested_if(tokens: list[Token]) -> bool:
    stack: list[str] = []
    for token in tokens:
        if token.subtype == Token.OPEN:
            if token.value.upper() == "IF(" and "IF(" in stack:
                return True
            stack.append(token.value.upper())
        elif token.subtype == Token.CLOSE:
            stack.pop()
    return False


def _is_link(cell: Cell, workbook: Workbook) -> bool:
    """Whether a formula is nothing but a reference to another sheet."""
    text = _text(cell)[1:]
    name = workbook.defined_names.get(text)
    target = name.attr_text if name else text
    return bool(re.fullmatch(r"'?[^'!+*/&(,]+'?!\$?[A-Z]+\$?\d+", target)) and not target.strip(
        "'"
    ).startswith(f"{cell.parent.title}!")


def _colour(cell: Cell) -> str:
    colour = cell.font.color
    return str(colour.rgb)[-6:] if colour is not None and colour.type == "rgb" else ""


def _cover_says(workbook: Workbook, text: str) -> bool:
    return "Cover" in workbook.sheetnames and any(
        isinstance(cell.value, str) and text in cell.value for cell in _cells(workbook["Cover"])
    )


def _rows(reference: str) -> tuple[int, int]:
    rows = [int(number) for number in re.findall(r"\$(\d+)", reference)]
    return rows[0], rows[-1]

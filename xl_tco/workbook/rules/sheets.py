"""The rules about sheets: which there are, how they look, what is open, how they print."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.cell.cell import MergedCell
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.dimensions import ColumnDimension
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.errors import InputError
from xl_tco.fields import FIELDS
from xl_tco.language import ENGLISH, Language, language
from xl_tco.workbook.rules.axes import time_axes
from xl_tco.workbook.rules.reading import cell_formula, sheet_of
from xl_tco.workbook.rules.rulebook import Breach, rule
from xl_tco.workbook.sheets.cover import LEGEND
from xl_tco.workbook.sheets.page import FIRST_ROW, HEADING_ROW, WORKINGS
from xl_tco.workbook.sheets.styles import INPUT_BLUE, LINK_GREEN

__all__ = ["SETTINGS", "SHEETS", "cover_says", "is_blank", "language_of", "worksheet"]

SHEETS = (
    "Cover",
    "Inputs",
    "Catalogue",
    "Calc",
    "Timeline",
    "Results",
    "Compare",
    "Sensitivity",
    "Runs",
    "Claims",
    "Functions",
    "Checks",
    "Log",
)
OPTIONAL = {"Functions"}
"""Sheets that a book of native formulas does without."""
SETTINGS = "xlwings.conf"
"""What a macro-enabled workbook says to xlwings: no part of the model, and the last sheet."""
CALCULATIONS = ("Calc", "Timeline", "Results", "Checks")
_USUAL_WIDTH = 13.0


@rule("M01", "The sheets are there, in order, and no other")
def _sheets(workbook: Workbook) -> Iterator[Breach]:
    names = workbook.sheetnames
    if names[-1:] == [SETTINGS]:
        names.pop()
    for missing in [name for name in SHEETS if name not in {*names, *OPTIONAL}]:
        yield missing, "", "the sheet is missing"
    for unknown in [name for name in names if name not in SHEETS]:
        yield unknown, "", "the sheet is none of the model's"
    known = [name for name in names if name in SHEETS]
    for name, expected in zip(known, sorted(known, key=SHEETS.index), strict=True):
        if name != expected:
            yield name, "", f"the sheet stands where {expected} should"
            return


@rule("M02", "The same columns mean the same on every calculation sheet, at the same width")
def _columns(workbook: Workbook) -> Iterator[Breach]:
    say = language_of(workbook).text
    sheets = [sheet for name in CALCULATIONS if (sheet := worksheet(workbook, name)) is not None]
    for sheet in sheets:
        for letter, heading in (("B", "Unit"), ("C", "Value")):
            if sheet[f"{letter}{HEADING_ROW}"].value != say(heading):
                yield sheet.title, f"{letter}{HEADING_ROW}", f"the heading is not {say(heading)}"
        for number, letter in enumerate("ABC", start=1):
            width = _width(sheet, number)
            if width != _width(sheets[0], number):
                yield sheet.title, letter, f"the width is {width:g}, not that of {sheets[0].title}"


@rule("M12", "Nothing is hidden")
def _hidden(workbook: Workbook) -> Iterator[Breach]:
    for name in workbook.sheetnames:
        state = getattr(workbook[name], "sheet_state", "visible")
        if state != "visible":
            yield name, "", f"the sheet is {state}"
    for name, defined in workbook.defined_names.items():
        if defined.hidden:
            yield "", name, "the name is hidden"
    for sheet in workbook.worksheets:
        for number, row in sheet.row_dimensions.items():
            if row.hidden or row.ht == 0:
                yield sheet.title, str(number), "the row is hidden"
        for first, last, column in _column_dimensions(sheet):
            if column.hidden or column.width == 0:
                letters = sorted({get_column_letter(first), get_column_letter(last)})
                yield sheet.title, ":".join(letters), "the column is hidden"
        if sheet.sheet_format.zeroHeight:
            yield sheet.title, "", "rows are hidden unless they say otherwise"
        if sheet.auto_filter.filterColumn:
            yield sheet.title, sheet.auto_filter.ref or "", "a filter hides rows"
        for name, defined in sheet.defined_names.items():
            if defined.hidden:
                yield sheet.title, name, "the name is hidden"
        for cell in _cells(sheet):
            if cell.protection.hidden:
                yield sheet.title, cell.coordinate, "the formula is hidden"
            if cell.number_format.strip(";") == "" and cell.number_format:
                yield sheet.title, cell.coordinate, "the number format hides the value"


@rule("M13", "Inputs are blue, formulas black, links to other sheets green; the Cover says so")
def _colours(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if sheet.title == "Cover":
            continue
        for cell in _cells(sheet):
            if message := _wrong_colour(cell, workbook):
                yield sheet.title, cell.coordinate, message
    if not all(cover_says(workbook, text) for text, _ in LEGEND):
        yield "Cover", "", "the legend of colours is missing"


def _wrong_colour(cell: Any, workbook: Workbook) -> str:
    """Return what is wrong with the colour of a cell, if anything."""
    colour, formula = _colour(cell), cell_formula(cell)
    if formula is None:
        if cell.protection.locked:
            return "a fixed value in the blue of inputs" if colour == INPUT_BLUE else ""
        return "an input is not blue" if colour != INPUT_BLUE else ""
    if colour == INPUT_BLUE:
        return "a formula in the blue of inputs"
    sheets = {sheet_of(reference, cell.parent, workbook) for reference in formula.references}
    is_link = len(formula.tokens or ()) == 1 and bool(sheets - {cell.parent.title, ""})
    if is_link and colour != LINK_GREEN:
        return "a link to another sheet is not green"
    if colour == LINK_GREEN and sheets == {cell.parent.title}:
        return "a formula in the green of links"
    return ""


@rule("M14", "Inputs are open and validated, all else is locked, without a password")
def _protection(workbook: Workbook) -> Iterator[Breach]:
    security = workbook.security
    if security and (security.workbookPassword or security.workbookHashValue):
        yield "", "", "the protection of the workbook has a password"
    for sheet in workbook.worksheets:
        if not sheet.protection.sheet:
            yield sheet.title, "", "the sheet is not protected"
        if sheet.protection.password or sheet.protection.hashValue:
            yield sheet.title, "", "the protection has a password"
        for _, last, column in _column_dimensions(sheet):
            if not column.protection.locked:
                yield sheet.title, get_column_letter(last), "the column is open to change"
        yield from _open_cells(sheet)
    inputs = worksheet(workbook, "Inputs")
    for row in range(FIRST_ROW, inputs.max_row + 1) if inputs else ():
        if inputs and inputs.cell(row, 3).value in FIELDS and inputs.cell(row, 5).protection.locked:
            yield "Inputs", f"E{row}", "the input is locked"


def _open_cells(sheet: Worksheet) -> Iterator[Breach]:
    """Yield the open cells that hold a formula, or that take anything that is typed."""
    validated = [
        validation.sqref
        for validation in sheet.data_validations.dataValidation
        if validation.type not in (None, "none")
        and validation.showErrorMessage
        and validation.error
        and validation.errorStyle in (None, "stop")
    ]
    for row in sheet.iter_rows():
        for cell in row:
            if cell.protection.locked or isinstance(cell, MergedCell):
                continue
            if cell.data_type == "f":
                yield sheet.title, cell.coordinate, "a formula is open to change"
            elif not any(cell.coordinate in ranges for ranges in validated):
                yield sheet.title, cell.coordinate, "an input is not validated"


@rule(
    "M19",
    "Every sheet has a print area, titles, an orientation, and fits the width; a timeline, several "
    "of them with its titles on each",
)
def _print(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        properties, setup = sheet.sheet_properties.pageSetUpPr, sheet.page_setup
        if not sheet.print_area:
            yield sheet.title, "", "the print area is missing"
        elif left_out := _not_printed(sheet, language_of(workbook).text(WORKINGS)):
            yield sheet.title, left_out, "the print area leaves it out"
        if not sheet.print_title_rows:
            yield sheet.title, "", "the print titles are missing"
        if setup.orientation not in ("portrait", "landscape"):
            yield sheet.title, "", "the orientation is missing"
        if not (properties and properties.fitToPage and _fits(sheet)):
            yield sheet.title, "", "the print does not fit the width"


def _fits(sheet: Worksheet) -> bool:
    """Whether a sheet is a page wide; or several, of which each has the lines' labels and units."""
    if sheet.page_setup.fitToWidth in (None, 1):
        return True
    axes, titles = time_axes(sheet), re.sub(r"\$", "", sheet.print_title_cols or "")
    if axes:
        return titles == f"A:{get_column_letter(max(axes[0].first - 1, 1))}"
    return titles.startswith("A:")


def _not_printed(sheet: Worksheet, workings: str) -> str:
    """Return the first cell with a value outside the print area, above the section of workings."""
    texts = re.sub(r"'(?:[^']|'')*'!", "", str(sheet.print_area)).split(",")
    areas = [_bounds(text.rpartition("!")[2]) for text in texts]
    for row in sheet.iter_rows():
        if row[0].value == workings:
            break
        for cell in row:
            inside = (
                left <= (cell.column or 1) <= right and top <= (cell.row or 1) <= bottom
                for left, top, right, bottom in areas
            )
            if not is_blank(cell) and not any(inside):
                return str(cell.coordinate)
    return ""


def _bounds(area: str) -> tuple[float, ...]:
    """Return first column and row, last column and row; whole columns and rows have no end."""
    ends = (1, 1, math.inf, math.inf)
    given = range_boundaries(area)
    return tuple(number or end for number, end in zip(given, ends, strict=True))


def worksheet(workbook: Workbook, name: str) -> Worksheet | None:
    """Return the sheet of that name; None if there is none, or one without cells."""
    return next((sheet for sheet in workbook.worksheets if sheet.title == name), None)


def is_blank(cell: Any) -> bool:
    """Whether a cell holds nothing that can be read."""
    return cell.value is None or not str(cell.value).strip()


def language_of(workbook: Workbook) -> Language:
    """Return the language that a workbook says it is in; English if it does not say."""
    defined = workbook.defined_names.get("language")
    title, _, place = (defined.attr_text or "" if defined else "").rpartition("!")
    sheet = worksheet(workbook, title)
    if sheet is None:
        return ENGLISH
    try:
        return language(str(sheet[place.replace("$", "")].value))
    except (AttributeError, InputError, ValueError):  # no cell, or no language
        return ENGLISH


def cover_says(workbook: Workbook, text: str) -> bool:
    """Whether a text stands on the cover, in the language of the workbook."""
    cover, said = worksheet(workbook, "Cover"), language_of(workbook).text(text)
    return cover is not None and any(said in str(cell.value) for cell in _cells(cover))


def _cells(sheet: Worksheet) -> Iterator[Cell]:
    """Yield the cells that hold something, from the headings on down."""
    for row in sheet.iter_rows(min_row=FIRST_ROW):
        for cell in row:
            if isinstance(cell, Cell) and cell.value is not None:
                yield cell


def _column_dimensions(sheet: Worksheet) -> Iterator[tuple[int, int, ColumnDimension]]:
    """Yield first and last column of each format that a file gives to columns."""
    for column in sheet.column_dimensions.values():
        column.reindex()
        yield column.min or 1, column.max or 1, column


def _width(sheet: Worksheet, number: int) -> float:
    widths = (c.width for first, last, c in _column_dimensions(sheet) if first <= number <= last)
    return next(widths, sheet.sheet_format.defaultColWidth or _USUAL_WIDTH)


def _colour(cell: Cell) -> str:
    """Return the colour of a cell's font in six digits; empty for one of the theme."""
    colour = cell.font.color
    if colour is not None and colour.type == "indexed" and colour.indexed < len(COLOR_INDEX):
        return str(COLOR_INDEX[colour.indexed])[-6:]
    return str(colour.rgb)[-6:] if colour is not None and colour.type == "rgb" else ""

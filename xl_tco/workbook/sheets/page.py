"""What every sheet has: title, purpose, master check, headings, frozen panes, print set-up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from openpyxl.cell import Cell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.header_footer import HeaderFooterItem, _HeaderFooterPart
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.language import Phrase, lines_of
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.styles import GREYS, number_format

__all__ = [
    "ALARM",
    "ALL_HOLD",
    "FIRST_ROW",
    "MASTER_CHECK",
    "RESULTS",
    "WORKINGS",
    "Column",
    "Page",
    "printable",
]

RESULTS = {
    **{f"{name}_usd": output for name, output in COMPONENTS.items()},
    TOTAL.name: TOTAL,
    **METRICS,
}
"""The results that have a name of their own in the workbook."""

ALARM = "C00000"
"""Colour of what does not hold, or no longer."""
MASTER_CHECK = "master_check"
WORKINGS = "Workings, which are not printed"
"""Title of the section from which on a sheet is not part of the printed report."""
ALL_HOLD = "All checks hold"
HEADING_ROW = 4
FIRST_ROW = HEADING_ROW + 1
_NOT_IN_XML = re.compile(f"{ILLEGAL_CHARACTERS_RE.pattern}|[\ufffe\uffff]")
_LINE_HEIGHT = 12.0
_BELOW = 4
"""Rows under the lines of a sheet that its charts may reach into."""
_CHARACTERS = 1.25  # of the small font, to a unit of column width
_TRANSLATED = {
    "title",
    "note",
    "heading",
    "corner",
    "number heading",
    "section",
    "section number",
    "label",
    "total label",
    "figure label",
    "unit",
}
"""Styles of texts that are ours, and so are in the language of the workbook."""


def printable(text: str) -> str:
    """Return a text with a blank for each character that no XML may hold."""
    return _NOT_IN_XML.sub(" ", text)


class Column(NamedTuple):
    """A column of a sheet: its heading, its width, and whether it holds numbers."""

    heading: str | int
    width: float
    number: bool = False


class Page:
    """A sheet that is written from top to bottom.

    Parameters
    ----------
    book
        Where the sheet is added, last.
    name, purpose
        Its name, and a sentence under its title.
    columns
        Heading and width of each column.
    """

    def __init__(self, book: Book, name: str, purpose: str, columns: Sequence[Column]) -> None:
        self.book = book
        self.sheet: Worksheet = book.workbook.create_sheet(name)
        self.name = name
        self.columns = columns
        self.row = FIRST_ROW
        self._printed = 0
        self._head(purpose)

    def _head(self, purpose: str) -> None:
        sheet = self.sheet
        self.put(1, 1, self.name, "title")
        self.put(2, 1, purpose, "note")
        if self.name != "Checks":
            self.put(3, 1, f"={MASTER_CHECK}", "status")
        sheet.sheet_format.defaultRowHeight = 16
        sheet.sheet_format.customHeight = True
        sheet.row_dimensions[1].height = 26
        for number, column in enumerate(self.columns, start=1):
            style = "number heading" if column.number else "heading" if number > 1 else "corner"
            self.put(HEADING_ROW, number, column.heading or None, style)
            sheet.column_dimensions[get_column_letter(number)].width = column.width
        sheet.row_dimensions[HEADING_ROW].height = 30
        self.mark("A3", f'$A$3<>"{ALL_HOLD}"', Font(color=ALARM, bold=True))

    def put(self, row: int, column: int, value: Any, style: str, unit: str | None = None) -> Cell:
        """Write one cell in a style, with the number format of its unit.

        Texts of ours are written in the language of the workbook, and so are the words in formulas.
        """
        cell = cast(Cell, self.sheet.cell(row, column))  # no cell is merged here
        cell.value = self._said(value, style)
        is_link = style == "unit" and str(value).startswith("=")
        cell.style = "TCO unit link" if is_link else f"TCO {style}"
        if unit is not None:
            cell.number_format = number_format(unit)
        return cell

    def _said(self, value: Any, style: str) -> Any:
        if isinstance(value, str) and value.startswith("="):
            return self.book.language.formula(value)
        if isinstance(value, Phrase) or (isinstance(value, str) and style in _TRANSLATED):
            return self.book.language.text(value)
        return value

    def word(self, row: int, column: int, word: str, style: str = "text") -> Cell:
        """Write a word that formulas compare, or a formula, in the language of the workbook."""
        is_formula = word.startswith("=")
        return self.put(row, column, word if is_formula else self.book.language.word(word), style)

    def put_text(self, row: int, column: int, text: str, style: str) -> Cell:
        """Write a text of the user's: never a formula, whatever it begins with."""
        cell = self.put(row, column, None, style)
        cell.value = printable(text)
        cell.data_type = "s"
        return cell

    def section(self, title: str | Phrase, width: int = 0) -> None:
        """Write a section's title across the columns, or the first ``width`` of them."""
        for column in range(1, (width or len(self.columns)) + 1):
            self.put(self.row, column, title if column == 1 else None, "section")
        self.row += 1

    def workings(self) -> None:
        """Begin what charts and figures are made of: it is on the sheet, and not printed."""
        self.row += _BELOW
        self._printed = self.row - 1
        self.section(WORKINGS)

    def fit(self, row: int, texts: Sequence[tuple[int, str]]) -> None:
        """Make a row high enough for texts that wrap in their columns."""
        lines = max(
            lines_of(text, _CHARACTERS * self.columns[column - 1].width) for column, text in texts
        )
        if lines > 1:
            self.sheet.row_dimensions[row].height = 4 + lines * _LINE_HEIGHT

    def mute(self, cells: str, condition: str) -> None:
        """Write cells in grey while a condition, put for the first of them, holds."""
        self.mark(cells, condition, Font(color=GREYS[1]))

    def mark(self, cells: str, condition: str, font: Font) -> None:
        """Write cells in another font while a condition, put for the first of them, holds."""
        formula = self.book.language.formula(condition)
        rule = Rule(type="expression", formula=[formula], dxf=DifferentialStyle(font=font))
        self.sheet.conditional_formatting.add(cells, rule)

    def finish(
        self,
        *,
        grid: bool = True,
        portrait: bool = False,
        pages: int = 0,
        frozen: int = 1,
        across: int = 1,
    ) -> None:
        """Freeze the head, protect the sheet without a password, and set up its print.

        Parameters
        ----------
        grid
            Whether gridlines are seen.
        portrait
            Whether it prints upright.
        pages
            How many pages long it prints at most; 0 is as many as it takes.
        frozen
            Columns that stay in sight; on every page too, if there are several side by side.
        across
            How many pages wide it prints.
        """
        sheet = self.sheet
        last = self._printed or max(self.row - 1, sheet.max_row)
        sheet.freeze_panes = f"{get_column_letter(frozen + 1)}{FIRST_ROW}"
        sheet.sheet_view.showGridLines = grid
        sheet.sheet_view.zoomScale = 90
        sheet.protection.sheet = True
        sheet.protection.formatColumns = False
        sheet.protection.formatRows = False
        sheet.print_area = f"A1:{get_column_letter(len(self.columns))}{last}"
        sheet.print_title_rows = f"1:{HEADING_ROW}"
        sheet.page_setup.orientation = "portrait" if portrait else "landscape"
        sheet.page_setup.paperSize = 9  # A4
        if across > 1:
            sheet.print_title_cols = f"A:{get_column_letter(frozen)}"
        sheet.page_setup.fitToWidth = across
        sheet.page_setup.fitToHeight = pages
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        sheet.print_options.horizontalCentered = True
        sheet.page_margins = PageMargins(0.5, 0.5, 0.6, 0.7, 0.3, 0.3)
        sheet.HeaderFooter.oddFooter = HeaderFooterItem(
            left=_HeaderFooterPart("&F"),
            center=_HeaderFooterPart("&A"),
            right=_HeaderFooterPart("&P / &N"),
        )

"""What every sheet has: title, purpose, master check, headings, frozen panes, print set-up."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.workbook.styles import number_format

__all__ = ["ALL_HOLD", "FIRST_ROW", "MASTER_CHECK", "Page", "name_cell"]

MASTER_CHECK = "master_check"
ALL_HOLD = "All checks hold"
HEADING_ROW = 4
FIRST_ROW = HEADING_ROW + 1
_LINE_HEIGHT = 12.5


class Page:
    """A sheet that is written from top to bottom.

    Parameters
    ----------
    workbook
        Where the sheet is added, last.
    name, purpose
        Its name, and a sentence under its title.
    columns
        Heading and width of each column.
    """

    def __init__(
        self, workbook: Workbook, name: str, purpose: str, columns: Sequence[tuple[str, float]]
    ) -> None:
        self.sheet: Worksheet = workbook.create_sheet(name)
        self.name = name
        self.columns = columns
        self.row = FIRST_ROW
        self._head(purpose)

    def _head(self, purpose: str) -> None:
        sheet = self.sheet
        self.put(1, 1, self.name, "title")
        self.put(2, 1, purpose, "note")
        if self.name != "Checks":
            self.put(3, 1, f"={MASTER_CHECK}", "status")
        sheet.row_dimensions[1].height = 26
        for number, (heading, width) in enumerate(self.columns, start=1):
            self.put(HEADING_ROW, number, heading, "heading")
            sheet.column_dimensions[_letter(number)].width = width
        sheet.row_dimensions[HEADING_ROW].height = 30
        alarm = FormulaRule(
            formula=[f'$A$3<>"{ALL_HOLD}"'], font=Font(color="C00000", bold=True), stopIfTrue=True
        )
        sheet.conditional_formatting.add("A3", alarm)

    def put(self, row: int, column: int, value: Any, style: str, unit: str | None = None) -> Cell:
        """Write one cell in a style, with the number format of its unit."""
        cell = self.sheet.cell(row, column)
        cell.value = value
        cell.style = f"TCO {style}"
        if unit is not None:
            cell.number_format = number_format(unit)
        return cell

    def section(self, title: str) -> None:
        """Write a section's title across the columns."""
        for column in range(1, len(self.columns) + 1):
            self.put(self.row, column, title if column == 1 else None, "section")
        self.row += 1

    def fit(self, row: int, texts: Sequence[tuple[int, str]]) -> None:
        """Make a row high enough for texts that wrap in their columns."""
        lines = max(ceil(len(text) * 0.95 / self.columns[column - 1][1]) for column, text in texts)
        if lines > 1:
            self.sheet.row_dimensions[row].height = 4 + lines * _LINE_HEIGHT

    def finish(self, *, grid: bool = True, portrait: bool = False) -> None:
        """Freeze the head, protect the sheet without a password, and set up its print."""
        sheet = self.sheet
        last = max(self.row - 1, sheet.max_row)
        sheet.freeze_panes = f"B{FIRST_ROW}"
        sheet.sheet_view.showGridLines = grid
        sheet.sheet_view.zoomScale = 90
        sheet.protection.sheet = True
        sheet.protection.formatColumns = False
        sheet.protection.formatRows = False
        sheet.print_area = f"A1:{_letter(len(self.columns))}{last}"
        sheet.print_title_rows = f"1:{HEADING_ROW}"
        sheet.page_setup.orientation = "portrait" if portrait else "landscape"
        sheet.page_setup.paperSize = 9  # A4
        sheet.page_setup.fitToWidth = 1
        sheet.page_setup.fitToHeight = 0
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.print_options.horizontalCentered = True
        for margin in ("left", "right"):
            setattr(sheet.page_margins, margin, 0.5)
        sheet.oddFooter.left.text = "&F"
        sheet.oddFooter.center.text = "&A"
        sheet.oddFooter.right.text = "&P / &N"


def name_cell(workbook: Workbook, name: str, sheet: str, cells: str) -> None:
    """Give cells of a sheet a name in the whole workbook; ``cells`` is like ``$D$12``."""
    workbook.defined_names[name] = DefinedName(name, attr_text=f"{sheet}!{cells}")


def _letter(column: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[column - 1]

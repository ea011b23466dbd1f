"""Answers of the engine that a book without functions holds as values: which total they go with."""

from __future__ import annotations

from openpyxl.styles import Font

from xl_tco.outputs import TOTAL
from xl_tco.result import evaluate
from xl_tco.workbook.sheets.page import ALARM, Page

__all__ = ["as_built"]

LABEL, UNIT, VALUE = 1, 2, 3


def as_built(page: Page) -> None:
    """Say for which total the answers below were worked out, and whether it is still the total.

    Two lines at the row of the page. Nothing is said in a book with functions: its answers follow
    the inputs.

    Parameters
    ----------
    page
        A sheet whose first columns are label, unit and value.
    """
    if page.book.has_functions:
        return
    row, total = page.row, evaluate(page.book.scenario).total_usd
    page.put(row, LABEL, "Answers below were worked out for a total of", "label")
    page.put(row, UNIT, TOTAL.unit, "unit")
    page.put(row, VALUE, total, "formula", TOTAL.unit)
    page.put(row + 1, LABEL, "They are of the total of this workbook", "label")
    page.put(row + 1, UNIT, "current | stale", "unit")
    same = f"ABS(C{row}-total_usd)<=tolerance*ABS(C{row})"
    page.put(row + 1, VALUE, f'=IF({same},"current","stale")', "formula")
    page.mark(f"C{row + 1}", f'$C${row + 1}<>"current"', Font(color=ALARM, bold=True))
    page.row += 2

"""The rules about sheets with a time axis: where that is, and what stands under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from openpyxl import Workbook
from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.workbook.rules.axes import frozen, time_axes
from xl_tco.workbook.rules.reading import cell_formula
from xl_tco.workbook.rules.rulebook import Breach, rule
from xl_tco.workbook.rules.sheets import is_blank, worksheet

__all__: list[str] = []

MONTHLY = "Timeline"
"""The sheet that must have a time axis."""


@rule("M03", "One time axis a sheet, in the frozen pane")
def _one_axis(workbook: Workbook) -> Iterator[Breach]:
    monthly = worksheet(workbook, MONTHLY)
    if monthly is not None and not time_axes(monthly):
        yield MONTHLY, "", "the time axis is missing"
    for sheet in workbook.worksheets:
        axes = time_axes(sheet)
        for axis in axes[1:]:
            yield sheet.title, str(axis), f"a time axis beside that in {axes[0]}"
        for axis in axes[:1]:
            rows, columns = frozen(sheet)
            if rows < axis.row:
                yield sheet.title, str(axis), "the time axis is not frozen"
            if columns < axis.first - 1:
                kept = get_column_letter(axis.first - 1)
                yield sheet.title, str(axis), f"the columns before it, to {kept}, are not frozen"
            elif columns > axis.first - 1:
                yield sheet.title, str(axis), "a part of the time axis is frozen"


@rule("M04", "One formula a row: the first of a time line, copied along, gives each of the others")
def _one_formula(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        for axis in time_axes(sheet)[:1]:
            for row in sheet.iter_rows(axis.row + 1, None, axis.first, axis.last):
                yield from _odd(sheet, row)


def _odd(sheet: Worksheet, row: Sequence[Any]) -> Iterator[Breach]:
    """Yield the cells of a row that are not what the first one makes of them."""
    texts = [formula.text if (formula := cell_formula(cell)) else None for cell in row]
    if not any(texts):
        return  # constants, or nothing
    first = texts[0]
    if first is None:
        yield sheet.title, row[0].coordinate, f"{_said(row[0])} where the row has formulas"
        return
    copied = Translator(first, origin=row[0].coordinate)
    for cell, text in zip(row[1:], texts[1:], strict=True):
        if text is None:
            yield sheet.title, cell.coordinate, f"{_said(cell)} where the row has formulas"
        elif text != _copy(copied, cell.coordinate):
            yield sheet.title, cell.coordinate, f"another formula than in {row[0].coordinate}"


def _copy(formula: Translator, cell: str) -> str:
    """Return a formula copied to a cell; one that leads off the sheet is an error there."""
    try:
        return str(formula.translate_formula(cell))
    except TranslatorError:
        return ""


def _said(cell: Any) -> str:
    return "nothing" if is_blank(cell) else f"{cell.value!r}"

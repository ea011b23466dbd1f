"""What a sheet was when it was built: a fingerprint of all that nobody is to change.

It is taken of the locked cells, formulas and fixed values alike; what is typed into blue cells, and
what formulas come to, is not part of it. It tells a workbook that was changed by hand, be it a
formula, a figure of the catalogue or a tolerance, from one that was not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from typing import Any

from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["DIGITS", "fingerprint"]

DIGITS = 16
_WAYS_TO_WRITE = (
    (re.compile(r"\s|_xl(?:fn|ws|udf)\.", re.IGNORECASE), ""),
    (re.compile(r"\b(TRUE|FALSE)\(\)"), r"\1"),
    (re.compile(r":\w+!"), ":"),  # the end of a range on the sheet of its beginning
)
"""What programs write in a formula, or leave out, as they like; and what stands for it here."""
_WRITTEN = 12
"""Digits of a number that every program keeps."""


def fingerprint(sheet: Worksheet, spilled: Collection[str] = ()) -> str:
    """Return the fingerprint of a sheet's locked cells.

    Parameters
    ----------
    sheet
        As openpyxl has it.
    spilled
        Cells that only show what an array formula elsewhere comes to.
    """
    whole = hashlib.sha256()
    for row in sheet.iter_rows():
        for cell in row:
            is_spilled = cell.coordinate in spilled and cell.data_type != "f"
            if cell.value in (None, "") or not cell.protection.locked or is_spilled:
                continue
            whole.update(f"{cell.coordinate}\t{_said(cell.value)}\n".encode())
    return whole.hexdigest()[:DIGITS]


def _said(value: Any) -> str:
    """Return what a cell holds in one way, however a program writes it."""
    if isinstance(value, ArrayFormula):
        return f"{value.ref} {_said(value.text)}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        text = str(value)
        for pattern, by in _WAYS_TO_WRITE if text.startswith("=") else ():
            text = pattern.sub(by, text)
        return text.upper() if text.startswith("=") else text
    return f"{float(value):.{_WRITTEN}g}"

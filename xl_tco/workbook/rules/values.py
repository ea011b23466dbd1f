"""The rules about values: none is missing, none is stale, none is an error."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from itertools import chain

from openpyxl import Workbook
from openpyxl.utils.datetime import to_excel
from openpyxl.utils.escape import unescape

from xl_tco.workbook.engine.evaluate import Evaluation
from xl_tco.workbook.package.cells import address, position
from xl_tco.workbook.rules.rulebook import Finding
from xl_tco.workbook.rules.sheets import language_of
from xl_tco.workbook.sheets.page import ALL_HOLD

__all__ = ["VALUE_RULES", "value_findings"]

AGREEMENT = 1e-9
DUST = 1e-15
"""What is left of a share of 1 less 1: other engines leave another speck, or none."""

VALUE_RULES = {
    "V01": "Every formula carries its value",
    "V02": "The value that a formula carries is the one it gives",
    "V03": "No formula gives an error",
    "V04": "The master check holds",
}
"""Each rule's text, by id."""


def value_findings(carried: Workbook, evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the cells whose carried value is missing, stale or an error.

    Parameters
    ----------
    carried
        The workbook as its values are read.
    evaluation
        What its formulas come to.
    """
    master = evaluation.values.get(("Checks", "A3"))
    if master is not None and master != language_of(carried).word(ALL_HOLD):
        yield Finding("V04", "Checks", "A3", f"the master check says: {master}")
    errors = {(cell.sheet, cell.address) for cell in evaluation.errors}
    for error in evaluation.errors:
        message = f"the formula gives {error.error} {error.message}".rstrip()
        yield Finding("V03", error.sheet, error.address, message)
    for (sheet, cell), value in evaluation.values.items():
        rows = value if isinstance(value, list) else [[value]]
        top, left = position(cell)
        for number, expected in enumerate(chain.from_iterable(rows)):
            down, right = divmod(number, len(rows[0]))
            place = address(top + down, left + right)
            if (sheet, place) in errors:
                continue
            shown = _plain(_read(carried[sheet][place].value), carried.epoch)
            if shown is None and expected not in (None, ""):
                yield Finding("V01", sheet, place, "the formula carries no value")
            elif not _same(shown, _plain(expected, carried.epoch)):
                message = f"it carries {shown!r}, the formula gives {expected!r}"
                yield Finding("V02", sheet, place, message)


def _read(value: object) -> object:
    """Return a text as a cell means it: openpyxl leaves ``_x000D_`` in what a formula gave."""
    return unescape(value) if isinstance(value, str) else value


def _plain(value: object, epoch: dt.datetime) -> object:
    """Return a date or time as the number that a cell holds."""
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        number: float = to_excel(value, epoch)  # type: ignore[no-untyped-call]
        return number
    return value


def _same(shown: object, expected: object) -> bool:
    if isinstance(shown, bool) or isinstance(expected, bool):
        return shown is expected
    if isinstance(shown, int | float) and isinstance(expected, int | float):
        return math.isclose(shown, expected, rel_tol=AGREEMENT, abs_tol=DUST)
    return ("" if shown is None else shown) == ("" if expected is None else expected)

"""The rules about values: none is missing, none is stale, none is an error."""

from __future__ import annotations

import math
from collections.abc import Iterator

from openpyxl import Workbook

from xl_tco.workbook.engine import Evaluation
from xl_tco.workbook.rules import Finding

__all__ = ["value_findings"]

AGREEMENT = 1e-9


def value_findings(carried: Workbook, evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the formula cells whose carried value is missing, stale or an error.

    Parameters
    ----------
    carried
        The workbook as its values are read.
    evaluation
        What its formulas come to.
    """
    errors = {(cell.sheet, cell.address): cell for cell in evaluation.errors}
    for (sheet, address), value in evaluation.values.items():
        if error := errors.get((sheet, address)):
            yield Finding("V03", sheet, address, f"the formula gives {error.error} {error.message}")
            continue
        expected = value[0][0] if isinstance(value, list) else value
        shown = carried[sheet][address].value
        if shown is None and expected not in (None, ""):
            yield Finding("V01", sheet, address, "the formula carries no value")
        elif not _same(shown, expected):
            yield Finding(
                "V02", sheet, address, f"it carries {shown!r}, the formula gives {expected!r}"
            )


def _same(shown: object, expected: object) -> bool:
    if isinstance(shown, int | float) and isinstance(expected, int | float):
        return math.isclose(shown, expected, rel_tol=AGREEMENT, abs_tol=1e-300)
    return (shown or "") == (expected or "")

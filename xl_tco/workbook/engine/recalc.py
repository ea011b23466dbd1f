"""Calculate a workbook without Excel: bytes in, the same workbook with its values out.

Puts the engine and the package together; knows neither's business, and no files.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from xl_tco.workbook.engine.evaluate import ErrorCell, Evaluation, HostFunction, evaluate_formulas
from xl_tco.workbook.package.book import SPILL, IsSpill, Package, build_moment

__all__ = ["calculate"]


def calculate(
    package: bytes,
    functions: Sequence[HostFunction],
    is_spill: IsSpill,
    *,
    moment: dt.datetime | None = None,
) -> tuple[bytes, Evaluation]:
    """Calculate every formula and put the values beside them.

    The same package and functions give the same bytes, unless a formula asks for the time and no
    moment is set.

    Parameters
    ----------
    package
        Content of an .xlsx or .xlsm file.
    functions
        What formulas may call beside Excel's own functions.
    is_spill
        Which formulas, given without ``=``, are dynamic arrays though the file does not say so.
    moment
        When the workbook says it was made, and what NOW says; by default what SOURCE_DATE_EPOCH
        says, or else what the file says already and the time of the machine.

    Returns
    -------
    The finished package, and what was put into it.

    Raises
    ------
    PackageError
        No workbook, or one that cannot be calculated.
    """
    moment = moment or build_moment()
    book = Package(package)
    book.clear_spills()
    evaluation = evaluate_formulas(
        book.to_bytes(level=0),
        book.formula_cells(),
        functions,
        is_spill,
        date1904=book.date1904,
        moment=moment,
    )
    blocked = book.write_values(evaluation.values, is_spill)
    book.set_moment(moment)
    if blocked:
        texts = {cell.key: cell.formula for cell in book.formula_cells()}
        message = "merged cells, or the edge of the sheet, are in the array's way"
        errors = [ErrorCell(*key, SPILL, message, texts[key]) for key in blocked]
        values = {**evaluation.values, **dict.fromkeys(blocked, SPILL)}
        evaluation = replace(evaluation, values=values, errors=[*evaluation.errors, *errors])
    return book.to_bytes(), evaluation

"""Workbooks as files: built, recalculated in place, checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import openpyxl

from xl_tco.errors import WorkbookError
from xl_tco.scenario import Scenario
from xl_tco.workbook.build import ENGLISH, calculated, workbook_bytes
from xl_tco.workbook.engine import ErrorCell, Evaluation
from xl_tco.workbook.package import PackageError
from xl_tco.workbook.package.archive import read_entries
from xl_tco.workbook.rules import Finding, findings, value_findings
from xl_tco.workbook.sheets import Formulas
from xl_tco.workbook.sheets.checks import FAILING
from xl_tco.writing import write_whole

__all__ = [
    "Recalculation",
    "build_workbook",
    "check_package",
    "check_workbook",
    "recalculate",
    "recalculated",
]


@dataclass(frozen=True, slots=True)
class Recalculation:
    """What came of recalculating a workbook.

    Attributes
    ----------
    formulas
        Number of formula cells, each of which now carries its value.
    errors
        Cells that show an error, with the reason as far as it is known.
    failing
        How many of the workbook's own checks do not hold.
    """

    formulas: int
    errors: Sequence[ErrorCell]
    failing: int = 0


def build_workbook(
    scenario: Scenario,
    path: str | Path,
    *,
    formulas: Formulas = "functions",
    language: str = ENGLISH,
    force: bool = True,
) -> None:
    """Write the workbook of a scenario, calculated; whole or not at all.

    Parameters
    ----------
    scenario
        What to cost.
    path
        The .xlsx file.
    formulas
        ``functions``: the TCO_ functions power the results, with native formulas beside them;
        ``native``: native formulas alone, which any spreadsheet recalculates.
    language
        What people read is in this language: ``en`` or ``zh-TW``.
    force
        Whether a file that exists is replaced.

    Raises
    ------
    InputError
        If there is no such language.
    TcoError
        If the file cannot be written.
    """
    write_whole(path, workbook_bytes(scenario, formulas, language), force=force)


def recalculate(path: str | Path, out: str | Path | None = None) -> Recalculation:
    """Recalculate a workbook with the functions that Excel would call, and put the values in.

    Parameters
    ----------
    path
        The .xlsx file, for instance one whose inputs were edited with openpyxl.
    out
        Where to write it; by default the file itself.

    Raises
    ------
    WorkbookError
        If it is no workbook, or cannot be calculated.
    TcoError
        If the file cannot be written.
    """
    package, recalculation = recalculated(read_package(path), str(path))
    write_whole(path if out is None else out, package, force=True)
    return recalculation


def recalculated(package: bytes, source: str = "") -> tuple[bytes, Recalculation]:
    """Recalculate a workbook given as bytes; ``source`` is named in errors."""
    try:
        package, evaluation = calculated(package)
    except PackageError as error:
        raise WorkbookError(f"{source}: {error}" if source else str(error)) from None
    failing = _failing(package, evaluation)
    return package, Recalculation(len(evaluation.values), evaluation.errors, failing)


def _failing(package: bytes, evaluation: Evaluation) -> int:
    """Return what the workbook itself counts of checks that do not hold; 0 if it has none."""
    book = read_entries(package).get("xl/workbook.xml", b"").decode("utf-8", "replace")
    place = re.search(rf'name="{FAILING}"[^>]*>([^<!]+)!([^<]+)<', book)
    if place is None:
        return 0
    count = evaluation.values.get((place[1].strip("'"), place[2].replace("$", "")))
    return int(count) if isinstance(count, float | int) else 0


def check_workbook(path: str | Path) -> list[Finding]:
    """Check a workbook against every rule, its values included.

    Raises
    ------
    WorkbookError
        If it is no workbook.
    """
    return check_package(read_package(path), str(path))


def check_package(package: bytes, source: str = "") -> list[Finding]:
    """Check a workbook given as bytes; ``source`` is named in errors."""
    try:
        evaluation = calculated(package)[1]
    except PackageError as error:
        raise WorkbookError(f"{source}: {error}" if source else str(error)) from None
    try:
        workbook = openpyxl.load_workbook(BytesIO(package))
        carried = openpyxl.load_workbook(BytesIO(package), data_only=True)
    except Exception as error:  # its loader raises whatever a strange part makes it stumble over
        raise WorkbookError(f"{source}: openpyxl cannot read it ({error})") from None
    return [*findings(workbook), *value_findings(carried, evaluation)]


def read_package(path: str | Path) -> bytes:
    """Return the bytes of a file, or say why not."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise WorkbookError(f"{path}: {(error.strerror or str(error)).lower()}") from None

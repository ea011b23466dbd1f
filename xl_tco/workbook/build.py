"""A scenario made into a workbook, every formula with its value."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from io import BytesIO
from pathlib import Path

from openpyxl.workbook.properties import CalcProperties

from xl_tco import language as languages
from xl_tco._version import RELEASED, __version__
from xl_tco.functions import FUNCTIONS
from xl_tco.scenario import Scenario
from xl_tco.workbook.engine import Evaluation, calculate
from xl_tco.workbook.package import build_moment, write_constants
from xl_tco.workbook.sheets import (
    Book,
    Formulas,
    add_calc,
    add_catalogue,
    add_checks,
    add_claims,
    add_compare,
    add_cover,
    add_functions,
    add_inputs,
    add_log,
    add_results,
    add_runs,
    add_sensitivity,
    add_timeline,
    given_cells,
)
from xl_tco.workbook.sheets.page import printable

__all__ = ["calculated", "draft", "template_bytes", "template_scenario", "workbook_bytes"]

ENGLISH = languages.ENGLISH.code
CALCULATION = 191029  # a current Excel's: an older number makes Excel recalculate when it opens

_OURS = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(", re.IGNORECASE)


def workbook_bytes(
    scenario: Scenario, formulas: Formulas = "functions", language: str = ENGLISH
) -> bytes:
    """Build the workbook of a scenario, calculated: the same scenario gives the same bytes."""
    package = draft(scenario, formulas, language)
    return calculated(package, moment=build_moment() or RELEASED)[0]


def template_bytes(formulas: Formulas = "functions", language: str = ENGLISH) -> bytes:
    """Build the template: the workbook of a round example, to be typed over."""
    return workbook_bytes(template_scenario(), formulas, language)


def template_scenario() -> Scenario:
    """Return the round example that the template shows."""
    text = Path(__file__).with_name("template.toml").read_text(encoding="utf-8")
    return Scenario.from_table(tomllib.loads(text))


def calculated(package: bytes, moment: dt.datetime | None = None) -> tuple[bytes, Evaluation]:
    """Calculate a workbook with the functions that Excel would call."""
    functions = list(FUNCTIONS.values())
    return calculate(package, functions, lambda formula: bool(_OURS.search(formula)), moment=moment)


def draft(scenario: Scenario, formulas: Formulas = "functions", language: str = ENGLISH) -> bytes:
    """Write the sheets of a scenario, formulas without values."""
    book = Book(scenario, formulas, languages.language(language))
    add_inputs(book)
    add_catalogue(book)
    places = add_calc(book)
    add_timeline(book, places)
    add_results(book)
    add_compare(book)
    add_sensitivity(book)
    add_runs(book)
    add_claims(book)
    if book.has_functions:
        add_functions(book)
    add_checks(book, places)
    add_cover(book)
    add_log(book)
    workbook = book.workbook
    workbook.calculation = CalcProperties(calcId=CALCULATION, fullCalcOnLoad=False)
    workbook.properties.title = printable(scenario.name)
    workbook.properties.creator = f"xl-tco {__version__}"
    buffer = BytesIO()
    workbook.save(buffer)
    # openpyxl writes 16 digits of a number; a float can need 17.
    return write_constants(buffer.getvalue(), dict(given_cells(book)))

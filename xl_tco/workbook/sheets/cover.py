"""The sheets Cover and Log: what this workbook is, what it says, and where it comes from."""

from __future__ import annotations

import hashlib
import json

from openpyxl.styles import Alignment, Protection
from openpyxl.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.hyperlink import Hyperlink

from xl_tco._version import __version__
from xl_tco.catalogue import entries
from xl_tco.result import SCHEMA
from xl_tco.scenario import Scenario
from xl_tco.workbook.sheets.calc import Formulas
from xl_tco.workbook.sheets.checks import FAILING
from xl_tco.workbook.sheets.functions import SHEET as FUNCTIONS
from xl_tco.workbook.sheets.page import Column, Page, name_cell

__all__ = ["add_cover", "add_log", "catalogue_hash", "scenario_hash"]

CONTENTS = {
    "Inputs": "What is known of the run: type into the blue cells",
    "Catalogue": "Published figures, each with source, date and status",
    "Calc": "The calculation, line by line",
    "Results": "The total, its components and unit costs, with charts",
    FUNCTIONS: "A live example of each TCO_ function",
    "Checks": "What must hold, and whether it does",
    "Log": "Version, changes, and what this was made from",
}
HEADLINES = (
    ("Training TCO", "USD million", "total_usd/usd_per_million"),
    ("A million tokens", "USD", "usd_per_million_tokens"),
    ("Wall time", "days", "wall_days"),
    ("Accelerator-hours", "hours", "accelerator_hours"),
    ("An accelerator-hour, all in", "USD/hour", "usd_per_accelerator_hour"),
    ("Inputs that are only estimates", "inputs", "estimates"),
)
LEGEND = (
    ("Blue, in a box: an input; type here", "input"),
    ("Black: a formula", "formula"),
    ("Green: a link from another sheet", "link"),
)
CONVENTIONS = (
    "Costs are positive. Money is US dollars, today's: nothing is discounted.",
    "Shares are fractions of 1, shown as percentages. Time is hours; a year has 8,760.",
    "Components are costs of productive time; failures and retries are one of their own.",
    "MFU counts model FLOPs against the dense peak at the training precision.",
    "An unknown figure is an error that says what to supply; it is never zero.",
)


def add_cover(workbook: Workbook, scenario: Scenario, formulas: Formulas) -> None:
    """Write the cover."""
    columns = (
        Column("Training TCO", 46),
        Column("Unit", 20),
        Column("Value", 24, number=True),
        Column("", 44),
    )
    page = Page(workbook, "Cover", "What it really costs to train this model.", columns)
    page.put(1, 1, "=name", "title")
    page.section("What it costs")
    for label, unit, formula in HEADLINES:
        main = formula.startswith("total_usd")
        page.put(page.row, 1, label, "figure label" if main else "label")
        page.put(page.row, 2, unit, "unit")
        shown = f'=IF({FAILING}=0,{formula},"see Checks")'
        page.put(page.row, 3, shown, "figure" if main else "link", unit)
        if main:
            page.sheet.row_dimensions[page.row].height = 30
        page.row += 1
    _in_its_currency(page)
    page.section("Contents")
    for sheet, what in CONTENTS.items():
        if sheet == FUNCTIONS and formulas == "native":
            continue
        cell = page.put(page.row, 1, sheet, "jump")
        cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"{sheet}!A1")
        cell.style = "TCO jump"
        page.put(page.row, 2, what, "note")
        page.row += 1
    page.section("Colours")
    for text, style in LEGEND:
        cell = page.put(page.row, 1, text, style)
        cell.alignment = Alignment(vertical="center")
        cell.protection = Protection(locked=True)
        page.row += 1
    page.section("Conventions")
    for text in CONVENTIONS:
        page.put(page.row, 1, text, "note")
        page.row += 1
    page.section("Made from")
    for label, value in (
        ("xl-tco", __version__),
        ("Scenario", scenario_hash(scenario)),
        ("Catalogue", catalogue_hash()),
    ):
        page.put(page.row, 1, f"Made from: {label}", "label")
        page.put(page.row, 2, "version" if label == "xl-tco" else "SHA-256, 16 digits", "unit")
        page.put(page.row, 3, value, "formula")
        page.row += 1
    page.finish(grid=False, portrait=True)


def _in_its_currency(page: Page) -> None:
    """Write the total in the currency of the report, with its rate; nothing where that is USD."""
    row, dollars = page.row, 'currency="USD"'
    rate = 'currency_per_usd&" "&currency&" per USD, "&currency_date'
    page.put(row, 1, f'=IF({dollars},"","Training TCO, at the rate beside")', "label")
    page.put(row, 2, f'=IF({dollars},"",currency&" million")', "unit")
    total = f"C{row - len(HEADLINES)}"
    shown = f'=IF({dollars},"",IFERROR({total}*currency_per_usd,{total}))'
    page.put(row, 3, shown, "formula", "USD million")
    page.put(row, 4, f'=IF({dollars},"",{rate})', "text")
    page.row += 1


def add_log(workbook: Workbook, scenario: Scenario, formulas: Formulas) -> None:
    """Write the log: what the workbook was made from, and its changes."""
    columns = (
        Column("What", 46),
        Column("Unit", 20),
        Column("Value", 40, number=True),
        Column("Changed by", 24),
    )
    page = Page(
        workbook, "Log", "What this workbook was made from, and what was changed since.", columns
    )
    page.section("Made from")
    rows = (
        ("Version of xl-tco", "version", __version__),
        ("Form of the results", "schema", SCHEMA),
        ("Formulas of the calculation", "choice", formulas),
        ("Scenario", "SHA-256, 16 digits", scenario_hash(scenario)),
        ("Catalogue", "SHA-256, 16 digits", catalogue_hash()),
        ("Figures given", "fields", len(scenario.given)),
    )
    for label, unit, value in rows:
        page.put(page.row, 1, label, "label")
        page.put(page.row, 2, unit, "unit")
        page.put(page.row, 3, value, "formula")
        page.row += 1
    name_cell(workbook, "built_with", "Log", f"$C${page.row - len(rows)}")
    page.section("Changes")
    page.put(page.row, 1, f"Made by xl-tco {__version__}", "label")
    page.put(page.row, 2, "event", "unit")
    page.put_text(page.row, 3, scenario.name, "formula")
    page.put(page.row, 4, "xl-tco", "text")
    page.row += 1
    note = DataValidation("textLength", operator="lessThanOrEqual", formula1="255")
    note.error = "A note of at most 255 characters."
    note.showErrorMessage = True
    page.sheet.add_data_validation(note)
    for number in range(1, 6):
        note.add(f"C{page.row}:D{page.row}")
        page.put(page.row, 1, f"Your change {number}", "label")
        page.put(page.row, 2, "event", "unit")
        page.put(page.row, 3, None, "input")
        page.put(page.row, 4, None, "input")
        page.row += 1
    page.finish(grid=False, portrait=True)


def scenario_hash(scenario: Scenario) -> str:
    """Return the fingerprint of what was given."""
    return _hash(dict(scenario.given))


def catalogue_hash() -> str:
    """Return the fingerprint of the catalogue that stands in for what was not."""
    return _hash([[*key, figure.value, figure.status] for key, figure in entries().items()])


def _hash(data: object) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

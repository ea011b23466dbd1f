"""The sheets Cover and Log: what this workbook is, what it says, and where it comes from."""

from __future__ import annotations

import hashlib
import json

from openpyxl.styles import Alignment, Protection
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.hyperlink import Hyperlink

from xl_tco._version import __version__
from xl_tco.analysis.cases import cases_of, correlations_of, ranges_of
from xl_tco.cases import BASE
from xl_tco.catalogue import entries
from xl_tco.language import Name, Phrase
from xl_tco.result import SCHEMA
from xl_tco.scenario import Scenario
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.checks import FAILING
from xl_tco.workbook.sheets.fingerprint import fingerprint
from xl_tco.workbook.sheets.functions import SHEET as FUNCTIONS
from xl_tco.workbook.sheets.page import Column, Page

__all__ = [
    "CONVENTIONS",
    "FINGERPRINTS",
    "LEGEND",
    "MADE_FROM",
    "add_cover",
    "add_log",
    "catalogue_hash",
    "scenario_hash",
]

CONTENTS = {
    "Inputs": "What is known of the run: type into the blue cells",
    "Catalogue": "Published figures, each with source, date and status",
    "Calc": "The calculation, line by line",
    "Timeline": "Month by month: cash, depreciation, present value",
    "Results": "The total, its components and unit costs, with charts",
    "Compare": "Every accelerator ranked; rent or own, and where that turns",
    "Sensitivity": "What the total turns on, what would save most, and how sure it is",
    "Runs": "Published runs, and how far the model is from each",
    "Claims": "What people say, put to this run",
    FUNCTIONS: "A live example of each TCO_ function",
    "Checks": "What must hold, and whether it does",
    "Log": "Version, changes, and what this was made from",
}
HEADLINES = (
    ("Training TCO", "=money_unit", "total_usd/money", "USD million"),
    ("A million tokens", "=currency", "usd_per_million_tokens*currency_per_usd", "USD"),
    ("Wall time", "days", "wall_days", "days"),
    ("Accelerator-hours", "hours", "accelerator_hours", "hours"),
    (
        "An accelerator-hour, all in",
        "=currency",
        "usd_per_accelerator_hour*currency_per_usd",
        "USD/hour",
    ),
    ("Inputs that are only estimates", "inputs", "estimates", "inputs"),
)
FINGERPRINTS = "fingerprints"
"""Name of the lines of the log with a fingerprint of each sheet (see `fingerprint`)."""
MADE_FROM = "Made from: {what}"
FINDINGS = {
    "The largest component": "finding_component",
    "Cash": "finding_timeline",
    "Accelerators": "finding_accelerators",
    "Rent or own": "finding_rent_or_own",
    "What it turns on": "finding_inputs",
    "What would save most": "finding_levers",
    "How sure it is": "finding_distribution",
    "Against published runs": "finding_runs",
}
"""The sentences that the charts bear as titles."""

LEGEND = (
    ("Blue, in a box: an input; type here", "input"),
    ("Black: a formula", "formula"),
    ("Green: a link from another sheet", "link"),
)
CONVENTIONS = (
    "Costs are positive; what is fetched by a sale is taken off. A flip of sign is written -1 *.",
    "Only the Timeline discounts; every other amount is in today's money.",
    "Amounts are USD on Calc and in names that end in _usd, and the report's currency elsewhere.",
    "Shares are fractions of 1, shown as percentages. Time is hours; a year has 8,760.",
    "Components are costs of productive time; failures and retries are one of their own.",
    "MFU counts model FLOPs against the dense peak at the training precision.",
    "An unknown figure is an error that says what to supply; it is never zero.",
)


def add_cover(book: Book) -> None:
    """Write the cover."""
    columns = (
        Column("Training TCO", 46),
        Column("Unit", 20),
        Column("Value", 24, number=True),
        Column("", 44),
    )
    page = Page(book, "Cover", "What it really costs to train this model.", columns)
    page.put(1, 1, "=name", "title")
    page.section("What it costs")
    for number, (label, unit, formula, form) in enumerate(HEADLINES):
        page.put(page.row, 1, label, "figure label" if number == 0 else "label")
        page.put(page.row, 2, unit, "unit")
        shown = f'=IF({FAILING}=0,{formula},"see Checks")'
        page.put(page.row, 3, shown, "link" if number else "figure", form)
        if number == 0:
            page.sheet.row_dimensions[page.row].height = 30
        page.row += 1
    _case_and_currency(page)
    page.section("In short")
    for label, name in FINDINGS.items():
        page.put(page.row, 1, label, "label")
        page.put(page.row, 2, f"={name}", "finding")
        page.row += 1
    page.section("Contents")
    for sheet, what in CONTENTS.items():
        if sheet == FUNCTIONS and not book.has_functions:
            continue
        cell = page.put_text(page.row, 1, sheet, "jump")
        cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"{sheet}!A1")
        cell.style = "TCO jump"
        page.put(page.row, 2, what, "note")
        page.row += 1
    page.section("Colours")
    for text, style in LEGEND:
        cell = page.put(page.row, 1, book.language.text(text), style)
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
        ("Scenario", scenario_hash(book.scenario)),
        ("Catalogue", catalogue_hash()),
    ):
        page.put(page.row, 1, Phrase(MADE_FROM, what=label), "label")
        page.put(page.row, 2, "version" if label == "xl-tco" else "SHA-256, 16 digits", "unit")
        page.put(page.row, 3, value, "formula")
        page.row += 1
    page.finish(grid=False, portrait=True)
    book.workbook.move_sheet(page.sheet, 1 - len(book.workbook.sheetnames))


def _case_and_currency(page: Page) -> None:
    """Say which case is in force, and at which rate dollars became the report's currency."""
    page.put(page.row, 1, "Case in force", "label")
    page.put(page.row, 2, "choice", "unit")
    page.put(page.row, 3, "=case_in_force", "link")
    page.row += 1
    page.put(page.row, 1, "Rate of exchange", "label")
    page.put(page.row, 2, "text", "unit")
    page.put(page.row, 3, '=IF(currency="USD","—",rate_in_words)', "formula")
    page.row += 1


def add_log(book: Book) -> None:
    """Write the log: what the workbook was made from, and its changes."""
    columns = (
        Column("What", 46),
        Column("Unit", 20),
        Column("Value", 40, number=True),
        Column("Changed by", 24),
    )
    scenario = book.scenario
    page = Page(
        book, "Log", "What this workbook was made from, and what was changed since.", columns
    )
    page.section("Made from")
    rows = (
        ("Version of xl-tco", "version", __version__),
        ("Form of the results", "schema", SCHEMA),
        ("Formulas of the calculation", "choice", book.formulas),
        ("Language", "code", book.language.code),
        ("Scenario", "SHA-256, 16 digits", scenario_hash(scenario)),
        ("Catalogue", "SHA-256, 16 digits", catalogue_hash()),
        ("Figures given", "fields", len(scenario.given)),
    )
    for label, unit, value in rows:
        page.put(page.row, 1, label, "label")
        page.put(page.row, 2, unit, "unit")
        page.put(page.row, 3, value, "formula")
        page.row += 1
    first = page.row - len(rows)
    book.name("built_with", "Log", f"$C${first}")
    book.name("language", "Log", f"$C${first + 3}")
    page.section("Locked cells, as they were built")
    first = page.row
    for name in ("Cover", *CONTENTS):
        if name in book.workbook.sheetnames and name != page.name:
            page.put(page.row, 1, Phrase("Locked cells: {sheet}", sheet=Name(name)), "label")
            page.put(page.row, 2, "SHA-256, 16 digits", "unit")
            page.put(page.row, 3, fingerprint(book.workbook[name]), "formula")
            page.row += 1
    book.name(FINGERPRINTS, "Log", f"$A${first}:$C${page.row - 1}")
    page.section("Changes")
    page.put(page.row, 1, Phrase("Made by xl-tco {version}", version=__version__), "label")
    page.put(page.row, 2, "event", "unit")
    page.put_text(page.row, 3, scenario.name, "formula")
    page.put(page.row, 4, "xl-tco", "text")
    page.row += 1
    note = DataValidation("textLength", operator="lessThanOrEqual", formula1="255")
    note.error = book.language.text("A note of at most 255 characters.")
    note.showErrorMessage = True
    page.sheet.add_data_validation(note)
    for number in range(1, 6):
        note.add(f"C{page.row}:D{page.row}")
        page.put(page.row, 1, Phrase("Your change {number}", number=str(number)), "label")
        page.put(page.row, 2, "event", "unit")
        page.put(page.row, 3, None, "input")
        page.put(page.row, 4, None, "input")
        page.row += 1
    page.finish(grid=False, portrait=True)


def scenario_hash(scenario: Scenario) -> str:
    """Return the fingerprint of what the inputs of a workbook hold: every case, every range."""
    ranges = {name: given.to_dict() for name, given in ranges_of(scenario).items()}
    pairs = [list(pair) for pair in correlations_of(scenario)]
    base = dict(scenario.in_case(BASE).given)
    return _hash([scenario.case, base, cases_of(scenario), ranges, pairs])


def catalogue_hash() -> str:
    """Return the fingerprint of the catalogue that stands in for what was not."""
    return _hash([[*key, figure.value, figure.status] for key, figure in entries().items()])


def _hash(data: object) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

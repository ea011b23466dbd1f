"""The sheets of the model workbook, a module each, and what they share.

``styles`` is how cells look, ``page`` what every sheet has, ``lines`` the lines of the calculation.
Sheets are written with openpyxl, formulas without values.
"""

from xl_tco.workbook.sheets.book import Book, Formulas
from xl_tco.workbook.sheets.calc import add_calc
from xl_tco.workbook.sheets.catalogue import add_catalogue
from xl_tco.workbook.sheets.checks import add_checks
from xl_tco.workbook.sheets.claims import add_claims
from xl_tco.workbook.sheets.compare import add_compare
from xl_tco.workbook.sheets.cover import add_cover, add_log
from xl_tco.workbook.sheets.functions import add_functions
from xl_tco.workbook.sheets.inputs import add_inputs, given_cells
from xl_tco.workbook.sheets.results import add_results
from xl_tco.workbook.sheets.runs import add_runs
from xl_tco.workbook.sheets.sensitivity import add_sensitivity
from xl_tco.workbook.sheets.timeline import add_timeline

__all__ = [
    "Book",
    "Formulas",
    "add_calc",
    "add_catalogue",
    "add_checks",
    "add_claims",
    "add_compare",
    "add_cover",
    "add_functions",
    "add_inputs",
    "add_log",
    "add_results",
    "add_runs",
    "add_sensitivity",
    "add_timeline",
    "given_cells",
]

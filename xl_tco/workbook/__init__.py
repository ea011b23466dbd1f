"""Workbooks: built from scenarios, recalculated without Excel, checked by rule, read back."""

from xl_tco.workbook.build import template_bytes, template_scenario, workbook_bytes
from xl_tco.workbook.files import (
    Recalculation,
    build_workbook,
    check_package,
    check_workbook,
    recalculate,
    recalculated,
)
from xl_tco.workbook.reader import read_scenario, scenario_in
from xl_tco.workbook.rules import RULES, Finding

__all__ = [
    "RULES",
    "Finding",
    "Recalculation",
    "build_workbook",
    "check_package",
    "check_workbook",
    "read_scenario",
    "recalculate",
    "recalculated",
    "scenario_in",
    "template_bytes",
    "template_scenario",
    "workbook_bytes",
]

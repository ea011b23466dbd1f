"""Workbooks: built from scenarios, recalculated without Excel, checked by rule."""

from xl_tco.workbook.build import template_bytes, workbook_bytes
from xl_tco.workbook.files import (
    Recalculation,
    build_workbook,
    check_package,
    check_workbook,
    recalculate,
    recalculated,
)
from xl_tco.workbook.rules import RULES, Finding

__all__ = [
    "RULES",
    "Finding",
    "Recalculation",
    "build_workbook",
    "check_package",
    "check_workbook",
    "recalculate",
    "recalculated",
    "template_bytes",
    "workbook_bytes",
]

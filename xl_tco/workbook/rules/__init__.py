"""The modelling rules of the workbook, each checked by its id on any workbook.

They follow FAST, the ICAEW Financial Modelling Code and banking practice. A rule looks at the
workbook as openpyxl reads it and yields what breaks it, cell by cell: ``formulas`` on what a
formula may say, ``sheets`` on how a sheet looks and prints, ``timeline`` on sheets by the month,
``cases`` on the choice of a case, ``contents`` on what the model says. ``values`` compares what
cells carry with what their formulas come to.
"""

from __future__ import annotations

from openpyxl import Workbook

from xl_tco.workbook.rules import cases, contents, formulas, sheets, timeline
from xl_tco.workbook.rules.rulebook import RULES, Finding
from xl_tco.workbook.rules.values import value_findings

__all__ = [
    "RULES",
    "Finding",
    "cases",
    "contents",
    "findings",
    "formulas",
    "sheets",
    "timeline",
    "value_findings",
]


def findings(workbook: Workbook) -> list[Finding]:
    """Return every breach of every rule, in the order of the rules."""
    return [
        Finding(number, *breach)
        for number, (_, check) in sorted(RULES.items())
        for breach in check(workbook)
    ]

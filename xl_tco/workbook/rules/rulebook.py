"""What a rule is, and the book of all rules: an id, a text, and a check of any workbook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from openpyxl import Workbook

__all__ = ["RULES", "Breach", "Check", "Finding", "rule"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach of a rule: its id, where, and what is wrong.

    Attributes
    ----------
    rule
        Id of the rule.
    sheet
        Name of the sheet; empty for what belongs to the whole workbook.
    cell
        Address, rows, columns or name; empty for the whole sheet.
    message
        What is wrong.
    """

    rule: str
    sheet: str
    cell: str
    message: str

    def __str__(self) -> str:
        place = "!".join(part for part in (self.sheet, self.cell) if part) or "workbook"
        return f"{self.rule} {place}: {self.message}"


Breach = tuple[str, str, str]  # sheet, cell, message
Check = Callable[[Workbook], Iterator[Breach]]
RULES: dict[str, tuple[str, Check]] = {}
"""Each rule's text and check, by id."""


def rule(number: str, text: str) -> Callable[[Check], Check]:
    """Register a check as the rule of that id."""

    def register(check: Check) -> Check:
        RULES[number] = (text, check)
        return check

    return register

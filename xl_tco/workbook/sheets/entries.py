"""What people may type into the sheet Inputs: checks of the values, and the sources beside them."""

from __future__ import annotations

from typing import Literal

from openpyxl.worksheet.datavalidation import DataValidation

from xl_tco.fields import Field, Number
from xl_tco.language import numbered
from xl_tco.scenario import Scenario, words
from xl_tco.sources import LONGEST
from xl_tco.workbook.sheets.catalogue import words_name
from xl_tco.workbook.sheets.page import Page

__all__ = ["NOT_NAMED", "NO_SOURCE", "Citations", "date_term", "source_term", "validation_of"]

NOT_NAMED = "given in this workbook"
"""What stands for the source of a figure of which none is named."""
NO_SOURCE = "no_source"
"""The name of the cell that says so."""


class Citations:
    """The two columns for the sources of figures, and their dates.

    Parameters
    ----------
    page
        The sheet.
    column
        The first of the two.
    base
        The scenario, with its base in force.
    """

    def __init__(self, page: Page, column: int, base: Scenario) -> None:
        self._page, self._column = page, column
        self._cited = {name: (told.source, told.date) for name, told in base.published.items()}
        self._cited |= {name: (cited.source, cited.date) for name, cited in base.sources.items()}
        self._checks = (
            self._check("Your source", "Where your figure comes from: a citation."),
            self._check("Your date", "When your source was published or agreed, like 2026-11."),
        )

    def write(self, name: str) -> str:
        """Write source and date of a field, if it has any; return the source.

        A preset's that is too long to be typed is cut.
        """
        row = self._page.row
        cited = [_cut(text) for text in self._cited.get(name, ("", ""))]
        for at, (text, check) in enumerate(zip(cited, self._checks, strict=True)):
            cell = self._page.put(row, self._column + at, None, "input text")
            if text:
                cell = self._page.put_text(row, self._column + at, text, "input text")
            cell.number_format = "@"  # or 2026-11 would turn into a day
            check.add(cell.coordinate)
        return cited[0]

    def _check(self, title: str, prompt: str) -> DataValidation:
        """Make the check of a column."""
        say = self._page.book.language.text
        check = DataValidation("textLength", operator="lessThanOrEqual", formula1=str(LONGEST))
        check.allow_blank = True
        check.showInputMessage = check.showErrorMessage = True
        check.promptTitle = check.errorTitle = say(title)
        check.prompt = say(prompt)
        check.error = say("A text of at most 255 characters.")
        self._page.sheet.add_data_validation(check)
        return check


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def source_term(row: int) -> str:
    """Return the term of the user's source, or of what stands for it: no IF, for it goes in one."""
    return f'U{row}&REPT({NO_SOURCE},U{row}="")'


def date_term(row: int) -> str:
    """Return the term of its date, or of what stands for that."""
    return f'V{row}&REPT("—",V{row}="")'


def validation_of(page: Page, field: Field) -> DataValidation:
    """Make the check of what is typed, with a message that says what is allowed."""
    say = page.book.language.text
    what = say(numbered(field.allowed))
    if isinstance(field.domain, Number):
        kind: Literal["whole", "decimal"] = "whole" if field.domain.whole else "decimal"
        low, high = (f"{bound!r}".upper() for bound in (field.domain.low, field.domain.high))
        validation = DataValidation(kind, operator="between", formula1=low, formula2=high)
    elif words(field):
        validation = DataValidation("list", formula1=words_name(field))
        what = what if field.domain else say("choose a key of the sheet Catalogue")
    else:
        validation = DataValidation("textLength", operator="lessThanOrEqual", formula1="200")
    validation.allow_blank = True
    validation.showInputMessage = validation.showErrorMessage = True
    validation.promptTitle = field.name[:32]
    validation.prompt = say(field.help)[:255]
    validation.errorTitle = field.name[:32]
    validation.error = f"{say(field.label)}: {what}."[:225]
    return validation

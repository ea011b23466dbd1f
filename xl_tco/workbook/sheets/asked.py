"""Answers of the engine in cells: live where the functions are, else as of the build.

A block of an answer is raw, as the function gives it: USD, keys of the catalogue, names of fields.
What people read is made of it by formulas, which are the same in either book.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from openpyxl.utils import get_column_letter

from xl_tco.analysis.cases import cases_of
from xl_tco.cases import BASE, KNOWN
from xl_tco.cells import Cell
from xl_tco.errors import InputError
from xl_tco.fields import FIELDS
from xl_tco.functions import FUNCTIONS
from xl_tco.language import Phrase
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.page import Page

__all__ = [
    "Block",
    "Column",
    "Question",
    "cases_table",
    "in_money",
    "inputs_table",
    "put_answer",
    "put_figure",
    "step",
]

LABEL, UNIT, NUMBER = 1, 2, 3


@dataclass(frozen=True)
class Question:
    """A function, and what it is asked about this workbook.

    Attributes
    ----------
    function
        Its name.
    formula
        The call, as typed into a cell.
    arguments
        The same as cells, but for ``inputs``: what a book without functions shows the answer to.
    """

    book: Book
    function: str
    formula: str
    arguments: tuple[Cell, ...] = ()

    @cached_property
    def rows(self) -> list[list[Any]]:
        """The answer at the build, a row each; none where the engine refuses."""
        try:
            inputs = [inputs_table(self.book)] if "(inputs" in self.formula else []
            answer: Any = FUNCTIONS[self.function](*inputs, *self.arguments)
        except InputError:
            return []
        return answer if isinstance(answer, list) else [[answer]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a block: what it holds, the unit that says how it is shown, and its number."""

    heading: str
    unit: str
    number: int


@dataclass(frozen=True, slots=True)
class Block:
    """Where a block stands: its sheet, its rows, and the letter of each of its columns."""

    sheet: str
    first: int
    last: int
    letters: tuple[str, ...] = field(default=())

    def cell(self, number: int, column: int) -> str:
        """Return a cell, by its row and column from 0."""
        return f"{self.letters[column]}{self.first + number}"


def inputs_table(book: Book) -> list[list[Cell]]:
    """Return the range ``inputs`` of the workbook at the build."""
    values = book.scenario.values
    return [[name, "" if values[name] is None else values[name]] for name in FIELDS]


def in_money(cell: str) -> str:
    """Return the formula of a raw amount in millions of the report's currency."""
    return f'=IF(ISNUMBER({cell}),{cell}/money,"—")'


def cases_table(book: Book) -> list[list[Cell]]:
    """Return the range ``cases`` of the workbook at the build."""
    cases = {BASE: book.scenario.in_case(BASE).given, **cases_of(book.scenario)}
    return [[name, None, *(cases[case].get(name) for case in KNOWN)] for name in FIELDS]


def put_answer(
    page: Page, title: str, question: Question, columns: Sequence[Column], size: int
) -> Block:
    """Write the raw answer of a function, ``size`` rows of it; those there are not stay empty.

    The row above the block has the numbers of its columns, and its third column those of the rows.
    """
    page.section(title, NUMBER + len(columns))
    heads = page.row
    page.put(heads - 1, UNIT, "Unit", "section")
    page.put(heads, LABEL, Phrase("{function}: columns", function=question.function), "label")
    page.put(heads, UNIT, "number", "unit")
    for at, column in enumerate(columns, start=1):
        page.put(heads, NUMBER + at, column.number, "formula")
        page.put(heads - 1, NUMBER + at, column.heading, "section number")
    page.row += 1
    first = page.row
    letters = tuple(get_column_letter(NUMBER + at + 1) for at in range(len(columns)))
    for number in range(size):
        row = page.row
        label = Phrase("{function}: {number}", function=question.function, number=str(number + 1))
        page.put(row, LABEL, label, "label")
        page.put(row, UNIT, "raw answer", "unit")
        page.put(row, NUMBER, f"=ROWS(A${first}:A{row})", "formula")
        for at, column in enumerate(columns):
            place = f"$C{row},{letters[at]}${heads}"
            _put_cell(page, question, (number, at), place, column)
        page.row += 1
    return Block(page.name, first, page.row - 1, letters)


def put_figure(page: Page, label: str | Phrase, question: Question, unit: str) -> str:
    """Write a raw answer of one cell, a dash where the engine refuses; return the cell."""
    page.put(page.row, LABEL, label, "label")
    page.put(page.row, UNIT, "raw answer", "unit")
    if question.book.has_functions:
        page.put(page.row, NUMBER, f'=IFERROR({question.formula}+0,"—")', "formula", unit)
    else:
        value = question.rows[0][0] if question.rows else "—"
        page.put(page.row, NUMBER, value, "formula", unit)
    page.row += 1
    return f"$C${page.row - 1}"


def _put_cell(
    page: Page, question: Question, at: tuple[int, int], place: str, column: Column
) -> None:
    """Write one cell of an answer; ``at`` is its row and column, ``place`` the cells of these."""
    row, here = at[0], NUMBER + 1 + at[1]
    if question.book.has_functions:
        formula = f'=IFERROR(INDEX({question.formula},{place}),"")'
        page.put(page.row, here, formula, "formula", column.unit)
        return
    rows = question.rows
    value = rows[row][column.number - 1] if row < len(rows) else ""
    if isinstance(value, str):
        page.put_text(page.row, here, value or "—", "formula")
    else:
        page.put(page.row, here, value, "formula", column.unit)


def step(page: Page, label: str, formula: str) -> str:
    """Write a piece of a sentence; return its cell, absolute."""
    page.put(page.row, LABEL, label, "label")
    page.put(page.row, UNIT, "text", "unit")
    page.put(page.row, NUMBER, f"={formula}", "finding")
    page.row += 1
    return f"$C${page.row - 1}"

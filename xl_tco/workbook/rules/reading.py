"""The formulas of a workbook, wherever they stand, taken apart.

Cells hold formulas, and so do names, validations and conditional formats. Knows openpyxl and its
tokenizer; nothing of rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from openpyxl import Workbook
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["Formula", "cell_formula", "formulas", "sheet_of", "spilled_cells"]

_PREFIXES = re.compile(r"^(?:_XLFN\.|_XLWS\.|_XLUDF\.|_XLL\.)+")
_EXTERNAL = re.compile(r"[^'\[]*\[[^\]]+\][^\[\]]*!|'[^\[]*\[[^\]]+\][^\[\]]*!")
_CELLS = re.compile(r"[$A-Z0-9:]*\d[$A-Z0-9:]*|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}", re.I)
_NUMBER_IN_TEXT = re.compile(r'"[<>=]*\s*([-+]?[\d.,]*\d[\d.,]*(?:E[-+]?\d+)?)(%?)"', re.I)


class Formula(NamedTuple):
    """One formula.

    Attributes
    ----------
    sheet, place
        Where it stands: a sheet ("" for a name of the whole workbook), and the address, the
        ranges or the name.
    kind
        "formula", "name", "validation" or "conditional format".
    text
        The formula with its ``=``.
    tokens
        Its parts; None where it is malformed.
    """

    sheet: str
    place: str
    kind: str
    text: str
    tokens: Sequence[Token] | None

    @property
    def functions(self) -> set[str]:
        """The functions it calls, in capitals and without the prefixes of the file format."""
        return {
            _PREFIXES.sub("", token.value[:-1].upper())
            for token in self.tokens or ()
            if token.type == Token.FUNC and token.subtype == Token.OPEN
        }

    @property
    def references(self) -> list[str]:
        """The cells and names it refers to, as they are written."""
        return [token.value for token in self.tokens or () if token.subtype == Token.RANGE]

    @property
    def is_external(self) -> bool:
        """Whether it refers to another file or program; ``Table[Column]`` does not."""
        return any(_EXTERNAL.match(reference) for reference in self.references)

    @property
    def numbers(self) -> Iterator[str]:
        """The numbers typed into it but 0 and 1, those in a text such as ``">5"`` too."""
        tokens = self.tokens or ()
        for token, after in zip_longest(tokens, tokens[1:]):
            if token.subtype == Token.NUMBER:
                percent = "%" if after is not None and after.type == Token.OP_POST else ""
                if _is_typed(token.value, percent):
                    yield token.value + percent
            elif token.subtype == Token.TEXT:
                found = _NUMBER_IN_TEXT.fullmatch(token.value)
                if found and _is_typed(*found.groups()):
                    yield token.value

    @property
    def nests_if(self) -> bool:
        """Whether an IF stands inside an IF, or an IFS in either."""
        stack: list[bool] = []
        for token in self.tokens or ():
            if token.subtype == Token.OPEN:
                is_if = _PREFIXES.sub("", token.value.upper()) in ("IF(", "IFS(")
                if is_if and any(stack):
                    return True
                stack.append(is_if)
            elif token.subtype == Token.CLOSE:
                stack.pop()
        return False


def formulas(workbook: Workbook) -> Iterator[Formula]:
    """Yield every formula of a workbook, but what-if tables, which have no text."""
    yield from _named(workbook.defined_names, "")
    for sheet in workbook.worksheets:
        yield from _named(sheet.defined_names, sheet.title)
        for row in sheet.iter_rows():
            for cell in row:
                if formula := cell_formula(cell):
                    yield formula
        for validation in sheet.data_validations.dataValidation:
            texts = (validation.formula1, validation.formula2)
            yield from _rules(sheet, validation.sqref, "validation", texts)
        for formats in sheet.conditional_formatting:
            for rule in formats.rules:
                yield from _rules(sheet, formats.sqref, "conditional format", rule.formula)


def cell_formula(cell: Any) -> Formula | None:
    """Return the formula of a cell; None if it holds none."""
    if cell.data_type != "f" or isinstance(cell.value, DataTableFormula):
        return None
    text = str(cell.value.text if isinstance(cell.value, ArrayFormula) else cell.value)
    text = text if text.startswith("=") else f"={text}"
    return Formula(cell.parent.title, cell.coordinate, "formula", text, _tokens(text))


def spilled_cells(sheet: Worksheet) -> set[str]:
    """Return the addresses of the cells that array formulas of a sheet fill."""
    anchors = (cell.value for row in sheet.iter_rows() for cell in row)
    areas = (CellRange(value.ref) for value in anchors if isinstance(value, ArrayFormula))
    return {f"{get_column_letter(column)}{row}" for area in areas for row, column in area.cells}


def sheet_of(reference: str, home: Worksheet, workbook: Workbook) -> str:
    """Return the sheet that a reference in a cell of ``home`` leads to; "" if that is not known."""
    name = home.defined_names.get(reference) or workbook.defined_names.get(reference)
    text = (name.attr_text or "") if name else reference
    sheet, there, _ = text.rpartition("!")
    if there:
        return sheet.strip("'").replace("''", "'")
    return home.title if _CELLS.fullmatch(text) else ""


def _named(names: Mapping[str, DefinedName], sheet: str) -> Iterator[Formula]:
    for name, defined in names.items():
        text = f"={defined.attr_text}"
        yield Formula(sheet, name, "name", text, _tokens(text))


def _rules(
    sheet: Worksheet, ranges: object, kind: str, texts: Iterable[str | None]
) -> Iterator[Formula]:
    """Yield those that calculate: a bound or a list of choices is no formula."""
    for text in texts:
        tokens = _tokens(f"={text}") if text else ()
        if tokens is None or any(t.type == Token.FUNC or t.subtype == Token.RANGE for t in tokens):
            yield Formula(sheet.title, str(ranges), kind, f"={text}", tokens)


@lru_cache(maxsize=4096)  # each of the rules reads every formula
def _tokens(text: str) -> Sequence[Token] | None:
    try:
        tokens = Tokenizer(text).items
    except Exception:  # it fails in as many ways as a formula can be malformed
        return None
    subtypes = [token.subtype for token in tokens]
    return tokens if subtypes.count(Token.OPEN) == subtypes.count(Token.CLOSE) else None


def _is_typed(number: str, percent: str) -> bool:
    """Whether a number is another one than 0 and 1."""
    try:
        value = float(number.replace(",", ""))
    except ValueError:
        return False
    return value != 0 and (value != 1 or bool(percent))

"""The sheet Claims: what is said of the cost of training, put to this run.

The key indicators are lines of Calc, and follow the inputs in every book. The other claims take
variants of the run, which only the engine can work out: with functions they follow the inputs too,
without them they are values of the build. The verdict is a formula either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from openpyxl.styles import Font

from xl_tco.analysis.claims import Claim, claims, statements
from xl_tco.workbook.sheets.answers import as_built
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.lines import KEY_INDICATORS, NOT_USED
from xl_tco.workbook.sheets.page import FIRST_ROW, Column, Page
from xl_tco.workbook.sheets.styles import ACCENT

__all__ = ["ENDS", "SHEET", "add_claims", "emphasize", "indicator"]

SHEET = "Claims"
COLUMNS = (
    Column("Claim", 46),
    Column("Unit", 20),
    Column("Value", 15, number=True),
    Column("From", 14, number=True),
    Column("To", 14, number=True),
    Column("Beyond the range", 10, number=True),
    Column("Verdict", 14),
    Column("Why", 52),
    Column("Computed from", 40),
    Column("No.", 5, number=True),
)
CLAIM, UNIT, VALUE, LOW, HIGH, BEYOND, VERDICT, WHY, BASIS, NUMBER = range(1, len(COLUMNS) + 1)

_SINGLE = (True, True, True)
ENDS: dict[str, tuple[bool, bool, bool]] = {
    "sparse-peak": _SINGLE,
    "it-power-of-ten-thousand": _SINGLE,
    "facility-power-of-ten-thousand": (True, True, False),
}
"""Claims whose range depends on the run: whether it has a low end, a high end, and both are one."""

_WORDS = "verdict_words"
_ANSWER = {
    "claims_from": ("low end", 2),
    "claims_to": ("high end", 3),
    "claims_value": ("value", 4),
}


_FORMS = {"USD": "whole", "USD for ten thousand accelerators": "whole"}
"""Units of prices that are told in round sums."""


class _Line(NamedTuple):
    """A claim, its number in the answer of TCO_CLAIMS, and that answer where it is a value."""

    row: Mapping[str, str]
    number: int
    found: Claim | None

    @property
    def depends(self) -> bool:
        """Whether its range depends on the run."""
        return self.row["id"] in ENDS

    @property
    def ends(self) -> tuple[bool, bool, bool]:
        """Whether it has a low end, a high end, and both are one."""
        low, high = self.row["low"], self.row["high"]
        return ENDS.get(self.row["id"], (low != "", high != "", low != "" and low == high))


class Indicator(NamedTuple):
    """Where a key indicator stands, the unit of its number format, and the ends of its range."""

    row: int
    form: str
    low: bool
    high: bool


def indicator(claim: str) -> Indicator:
    """Return where a key indicator stands on this sheet, and what is known of its range."""
    (row,) = (row for row in statements() if row["id"] == claim)
    place = FIRST_ROW + 1 + list(KEY_INDICATORS).index(claim)
    return Indicator(place, _form(row["unit"]), row["low"] != "", row["high"] != "")


def emphasize(page: Page, cells: str) -> None:
    """Write the verdict "outside" bold; cells are those of verdicts, like ``G6:G13``."""
    first = cells.partition(":")[0]
    page.mark(cells, f'{first}="outside"', Font(color=ACCENT, bold=True))


def _form(unit: str) -> str:
    """Return the unit whose number format fits the figures of a claim."""
    return "share" if unit.startswith("share") else _FORMS.get(unit, unit)


def add_claims(book: Book) -> None:
    """Write the sheet."""
    page = Page(
        book,
        SHEET,
        "What a text on training TCO says, put to this run: inside its range or outside, and why.",
        COLUMNS,
    )
    found = {} if book.has_functions else claims(book.scenario).claims
    rows = [
        _Line(row, number, found.get(row["id"])) for number, row in enumerate(statements(), start=1)
    ]
    page.section("Key indicators")
    for line in rows:
        if line.row["kind"] == "indicator":
            _claim(page, line, NOT_USED)
    page.section("Claims")
    as_built(page)
    for line in rows:
        if line.row["kind"] == "claim":
            _claim(page, line, "")
    _words(page)
    page.mute(f"C{FIRST_ROW}:G{page.row - 1}", f'$G{FIRST_ROW}="does not apply"')
    emphasize(page, f"G{FIRST_ROW}:G{page.row - 1}")
    page.finish()


def _claim(page: Page, line: _Line, absent: str) -> None:
    """Write a claim; ``absent`` is what its value shows where it says nothing of the run."""
    row, claim = page.row, line.row
    form, say = _form(claim["unit"]), page.book.language.text
    if page.book.language.code.startswith("zh"):
        text = claim["text_zh"]
        page.put_text(row, CLAIM, text, "label")
    else:
        text = claim["text"]
        page.put(row, CLAIM, text, "label")
    page.put(row, UNIT, claim["unit"], "unit")
    if claim["id"] in KEY_INDICATORS:
        page.put(row, VALUE, f"={KEY_INDICATORS[claim['id']].name}", "link", form)
    else:
        value = None if line.found is None else line.found.value
        page.put(row, VALUE, _answer(page, "claims_value", value), "formula", form)
    for column, end in ((LOW, "low"), (HIGH, "high")):
        page.put(row, column, _end(page, line, end), "formula", form)
    beyond = _beyond(row, line, absent)
    page.put(row, BEYOND, f"={beyond}" if beyond else None, "formula", "share")
    page.put(row, VERDICT, f"={_verdict(row, line, absent)}", "text")
    why, basis = say(claim["why"]), say(claim["basis"])
    page.put(row, WHY, why, "text")
    page.put(row, BASIS, basis, "text")
    page.put(row, NUMBER, line.number, "formula")
    page.fit(row, [(CLAIM, text), (UNIT, say(claim["unit"])), (WHY, why), (BASIS, basis)])
    page.row += 1


def _answer(page: Page, column: str, value: float | None) -> float | str | None:
    """Return a figure that only the engine works out: the formula that asks it, or the value."""
    if page.book.has_functions:
        return f"=INDEX(TCO_CLAIMS(inputs),J{page.row},{column})"
    return "" if value is None and column == "claims_value" else value


def _end(page: Page, line: _Line, end: str) -> float | str | None:
    if line.depends:
        found = None if line.found is None else getattr(line.found, end)
        return _answer(page, "claims_from" if end == "low" else "claims_to", found)
    return float(line.row[end]) if line.row[end] else None


def _beyond(row: int, line: _Line, absent: str) -> str:
    """Return how far the value is beyond its range, relatively; empty if it has none.

    Rounding is no distance: 1 − 0.9 is not quite 0.1, and engines differ in what is left of it.
    """
    low, high, single = line.ends
    if not low and not high:
        return ""
    below = f"1-C{row}/D{row}," if low else ""
    above = f"C{row}/E{row}-1," if high else ""
    off = f"MAX({below}{above}claim_rounding)-claim_rounding"
    if single:
        off = f"MAX(ABS(C{row}-D{row})/MAX(C{row},D{row}),claim_rounding)"
    return f'IF(C{row}="{absent}","",{off})'


def _verdict(row: int, line: _Line, absent: str) -> str:
    low, high, single = line.ends
    allowed = "claim_about" if single else "0"
    said = f"INDEX({_WORDS},1+(F{row}>{allowed}))" if low or high else '"no range"'
    return f'IF(C{row}="{absent}","does not apply",{said})'


def _words(page: Page) -> None:
    """Write what the verdicts are made of, and name it."""
    book, first = page.book, page.row + 1
    page.section("What the verdicts are made of")
    for word, what in (
        ("inside", "Verdict of what is in the range"),
        ("outside", "Verdict of what is not"),
    ):
        page.put(page.row, CLAIM, what, "label")
        page.put(page.row, UNIT, "word", "unit")
        page.word(page.row, VALUE, word, "formula")
        page.row += 1
    book.name(_WORDS, SHEET, f"$C${first}:$C${page.row - 1}")
    for label, name in (
        ("How far from a single figure still agrees with it", "claim_about"),
        ("How far beyond the end of a range is rounding", "claim_rounding"),
    ):
        page.put(page.row, CLAIM, label, "label")
        page.put(page.row, UNIT, "share", "unit")
        page.put(page.row, VALUE, f"={name}", "link").number_format = "0.0#######%"
        page.row += 1
    if book.has_functions:
        for name, (what, column) in _ANSWER.items():
            page.put(page.row, CLAIM, f"Column of TCO_CLAIMS: {what}", "label")
            page.put(page.row, UNIT, "column", "unit")
            page.put(page.row, VALUE, column, "formula")
            book.name(name, SHEET, f"$C${page.row}")
            page.row += 1

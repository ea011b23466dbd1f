"""Every value of a workbook is what other engines make of its formulas, for runs of every kind.

- A book with functions carries what `formualizer` calculates when it begins again, and what Python
  says each result is.
- Each formula cell of the native book has the value that LibreOffice calculates.
- Both books show the same, sheet by sheet and row by row, but for what only one of them has.

LibreOffice is the dear part, so each of the runs here is many things at once; `PARTS` has every
part of the model in it at least once, `test_the_runs_are_of_every_kind` says which kinds there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from openpyxl.workbook import Workbook

import xl_tco
from books import opened
from libreoffice import LibreOffice, close
from strategies import drawn
from test_workbook import (
    EVERYTHING,
    FROM_THE_BOTTOM_UP,
    LLAMA,
    is_the_model,
)
from xl_tco import Scenario, language
from xl_tco.language import Name, Phrase
from xl_tco.outputs import COMPONENTS
from xl_tco.workbook import workbook_bytes
from xl_tco.workbook.build import calculated
from xl_tco.workbook.sheets.lines import LINES
from xl_tco.workbook.sheets.page import ALL_HOLD

CURRENCIES: tuple[dict[str, Any], ...] = (
    {},
    {"currency": "TWD", "currency_per_usd": 31.5, "currency_date": "2026-11-30"},
    {"currency": "JPY", "currency_per_usd": 151.27, "currency_date": "2026-11-30"},
    {"currency": "EUR", "currency_per_usd": 0.9173, "currency_date": "2026-11-30"},
)
MTBF = {"accelerator_mtbf_hours": {"low": 3e4, "mode": 5e4, "high": 9e4}}
PRICES = {
    "accelerator_price_usd": {"distribution": "uniform", "low": 2e4, "high": 4e4},
    "electricity_usd_per_kwh": {"distribution": "pert", "low": 0.04, "mode": 0.06, "high": 0.11},
    "staff_fte": {"distribution": "normal", "mean": 50, "sd": 6},
    "software_fixed_usd": {"distribution": "lognormal", "p10": 1e6, "p90": 4e6},
    "correlations": [["accelerator_price_usd", "staff_fte", 0.4]],
}
"""Ranges of each distribution, two of them correlated."""

_OWN_CASE = {"own": {"waste_share": 0.2, "accelerators": 2048, "region": "taiwan"}}
_ENDS = {"low": {"pue": 1.05}, "high": {"pue": 1.5, "electricity_usd_per_kwh": 0.2}}

PARTS: dict[str, tuple[Mapping[str, Any], ...]] = {
    "step, failures": (*map(FROM_THE_BOTTOM_UP.get, ("step", "failures", "three tiers")), MTBF),
    "all recomputed": (
        *map(
            FROM_THE_BOTTOM_UP.get,
            ("step, all recomputed", "failures by Daly", "dragonfly", "annuity without interest"),
        ),
        FROM_THE_BOTTOM_UP["demand and carbon"],
    ),
    "nothing recomputed": (
        *map(
            FROM_THE_BOTTOM_UP.get,
            ("step, nothing recomputed", "an interval that is given", "one group"),
        ),
        FROM_THE_BOTTOM_UP["declining balance"],
        {"precision": "fp8", "tokens": 2e12},
    ),
    "everything": (EVERYTHING, {"cases": _ENDS, "case": "low"}),
    "everything, rented": (FROM_THE_BOTTOM_UP["everything, rented"], {"reservation_discount": 0.3}),
    "over the network": (
        *map(
            FROM_THE_BOTTOM_UP.get,
            ("step over the network alone", "sums", "declining balance to a residual"),
        ),
        {"cases": _ENDS, "case": "high", "precision": "fp16"},
    ),
    "one switch": (
        *map(FROM_THE_BOTTOM_UP.get, ("one switch", "exponential", "capacity")),
        PRICES,
    ),
    "two tiers": (
        *map(FROM_THE_BOTTOM_UP.get, ("two tiers", "two years of declining balance", "annuity")),
        {"cases": _OWN_CASE, "case": "own", "mfu": None, "hfu": 0.5},
    ),
}
"""Runs in which each part of the model is in use at least once: what is laid over the example."""


@dataclass(frozen=True)
class Built:
    """A run and its two books."""

    run: Scenario
    language: str

    @cached_property
    def functions(self) -> bytes:
        return workbook_bytes(self.run, "functions", self.language)

    @cached_property
    def native(self) -> bytes:
        return workbook_bytes(self.run, "native", self.language)

    def word(self, word: str) -> str:
        return language.language(self.language).word(word)

    def say(self, text: str | Phrase) -> str:
        return language.language(self.language).text(text)

    def __str__(self) -> str:
        values = self.run.values
        return "-".join(
            (
                str(values["name"]),
                str(values["procurement"]),
                str(values["currency"]),
                self.language,
            )
        )


def runs(tables: list[dict[str, Any]]) -> list[Built]:
    """Books of tables, in turn in each language and each currency."""
    said = cycle((code, money) for money in CURRENCIES for code in ("en", "zh-TW"))
    return [
        Built(Scenario.from_table(table | money), code)
        for table, (code, money) in zip(tables, said, strict=False)
    ]


def _parts() -> Iterator[dict[str, Any]]:
    for changes in PARTS.values():
        table: dict[str, Any] = dict(LLAMA.given)
        for change in changes:
            table |= change
        yield table


def _finite(count: int, at: int, procurement: str | None = None) -> Iterator[dict[str, Any]]:
    """Tables drawn at random; a function of a single line takes at most 1e12 hours."""
    tables = (
        table
        for table in drawn(3 * count, at, procurement=procurement)
        if (xl_tco.evaluate(Scenario(**table)).metrics["wall_hours"] or 0) < 1e11
    )
    return islice(tables, count)


GROUPS = {
    "parts": runs(list(_parts())),
    "random": runs([*_finite(2, 31, "own"), *_finite(2, 32, "rent")]),
}
ALL = [built for group in GROUPS.values() for built in group]


def test_the_runs_are_of_every_kind() -> None:
    tables = [built.run.table for built in ALL]
    used = {name for table in tables for name in table}
    for built in GROUPS["parts"]:
        assert built.run.given
    for field in ("experts", "parameters_total", "cases", "correlations", "hfu", "mfu"):
        assert field in used, field
    assert {built.run.values["procurement"] for built in ALL} == {"own", "rent"}
    assert {built.run.values["precision"] for built in ALL} == {"bf16", "fp16", "fp8"}
    assert {built.run.values["currency"] for built in ALL} >= {"USD", "TWD", "JPY", "EUR"}
    assert {built.language for built in ALL} == set(language.LANGUAGES)
    assert {built.run.case for built in ALL} == {"base", "low", "high", "own"}
    kinds = {values.kind for built in ALL for values in built.run.ranges.values()}
    assert kinds == {"triangular", "pert", "uniform", "normal", "lognormal"}
    for part, changes in FROM_THE_BOTTOM_UP.items():
        there = {name: value for name, value in changes.items() if isinstance(value, str)}
        assert any(there.items() <= dict(built.run.values).items() for built in ALL), part


@pytest.mark.parametrize("group", GROUPS)
def test_every_formula_of_the_native_book_is_the_one_of_libreoffice(
    group: str, libreoffice: LibreOffice, tmp_path: Path
) -> None:
    books = [built.native for built in GROUPS[group]]
    paths = [tmp_path / f"{number}.xlsx" for number in range(len(books))]
    for path, package in zip(paths, books, strict=True):
        path.write_bytes(package)
    differing = []
    for built, package, theirs in zip(
        GROUPS[group], books, libreoffice.recalculated(paths), strict=True
    ):
        carried = opened(package, values=True)
        is_the_model(carried, built.run, built.word)
        assert carried["Checks"]["A3"].value == built.word(ALL_HOLD)
        for sheet, address, formula in formulas_of(package):
            ours, other = carried[sheet][address].value, theirs[sheet][address].value
            if not (close(ours, other) or is_dust(ours, other, formula)):
                differing.append((str(built), sheet, address, ours, other, formula))
    assert not differing


def formulas_of(package: bytes) -> Iterator[tuple[str, str, str]]:
    """Sheet, address and text of each formula."""
    for sheet in opened(package):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, str(cell.value)


def is_dust(ours: object, theirs: object, formula: str) -> bool:
    """Whether two values are a share of 1 less 1: 0 to LibreOffice, up to a few 10⁻¹⁶ to ours.

    LibreOffice takes a difference for 0 where both agree to about 15 digits. Excel does so only
    where the subtraction comes last, and formualizer never.
    """
    numbers = isinstance(ours, int | float) and isinstance(theirs, int | float)
    return numbers and "-1," in formula and max(abs(ours), abs(theirs)) < 1e-14


@pytest.mark.parametrize("built", ALL, ids=str)
def test_both_books_show_the_same_and_are_calculated_again_the_same(built: Built) -> None:
    package, evaluation = calculated(built.functions)
    assert package == built.functions
    assert not evaluation.errors
    ours, native = opened(built.functions, values=True), opened(built.native, values=True)
    is_the_model(ours, built.run, built.word)
    assert ours["Checks"]["A3"].value == built.word(ALL_HOLD)
    assert [name for name in ours.sheetnames if name != "Functions"] == native.sheetnames
    for sheet in native.sheetnames:
        pairs = [*unlike(rows(ours, sheet), rows(native, sheet))]
        changed = [pair for pair in pairs if None not in pair and not is_empty_answer(*pair)]
        assert [one[0] for one, _ in changed] == [*map(built.say, CHANGED.get(sheet, []))], sheet
        for side, known in ((0, ONLY_FUNCTIONS), (1, ONLY_NATIVE)):
            alone = [pair[side][0] for pair in pairs if pair[1 - side] is None]
            assert alone == [*map(built.say, known.get(sheet, []))], sheet


_TWINS = [
    Phrase("{line}: function and native", line=line.label)
    for lines in LINES.values()
    for line in lines
    if line.function
]
ONLY_FUNCTIONS: dict[str, list[str | Phrase]] = {
    "Cover": [Name("Functions")],
    "Calc": [
        "Value: the TCO_ functions. Native: the same line without them.",
        "Components, spilled by one function",
        *(Phrase("Spilled: {component}", component=part.label) for part in COMPONENTS.values()),
    ],
    "Claims": [f"Column of TCO_CLAIMS: {what}" for what in ("low end", "high end", "value")],
    "Checks": [
        "The functions agree with each other",
        "TCO_BREAKDOWN adds up to TCO_TOTAL",
        "TCO_POWER_COST and demand are power and cooling",
        "The ranges can be simulated",
        "Every example gives a value",
        "The functions agree with the native lines",
        *_TWINS,
    ],
}
"""Labels of the rows that only the book with functions has, sheet by sheet."""

AS_BUILT = (
    "Answers below were worked out for a total of",
    "They are of the total of this workbook",
)
ONLY_NATIVE: dict[str, list[str | Phrase]] = {
    "Calc": ["Native formulas only: any spreadsheet recalculates them."],
    **{sheet: [*AS_BUILT] for sheet in ("Compare", "Sensitivity", "Claims")},
}
"""Labels of the rows that only the native book has: its answers are those of the build."""

CHANGED = {"Log": ["Formulas of the calculation"]}
"""Rows of both that say which of the two it is."""

Row = tuple[Any, ...]


def is_empty_answer(one: Row, other: Row) -> bool:
    """Whether two rows differ only in that the one of a raw answer has a dash for no answer."""
    width = max(len(one), len(other))
    sides = [(*row, *[None] * (width - len(row))) for row in (one, other)]
    return all(near(a, b) or {a, b} == {None, "—"} for a, b in zip(*sides, strict=True))


def rows(book: Workbook, sheet: str) -> list[Row]:
    """Rows of a sheet, without empty cells at the end; of Calc without the line's native twin.

    Fingerprints are left out: they are of the formulas, which differ.
    """
    found = []
    for row in book[sheet].iter_rows(values_only=True):
        if any(re.fullmatch("[0-9a-f]{16}", str(value)) for value in row):
            continue
        cells = [None if value == "" else value for value in (*row, None)]
        if sheet == "Calc":
            # Some lines have no function: what they come to stands in their native column alone.
            cells[2] = cells[3] if cells[2] is None else cells[2]
            cells[3] = None
        while cells[1:] and cells[-1] is None:
            del cells[-1]
        found.append(tuple(cells))
    return found


def unlike(ours: list[Row], theirs: list[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Pairs of rows that are not the same, side by side where their labels agree."""
    labels = [[str(row[:1]) for row in side] for side in (ours, theirs)]
    for tag, a, b, c, d in SequenceMatcher(None, *labels, autojunk=False).get_opcodes():
        if tag == "equal":
            for one, other in zip(ours[a:b], theirs[c:d], strict=True):
                if len(one) != len(other) or not all(map(near, one, other)):
                    yield one, other
        else:
            yield from ((row, None) for row in ours[a:b] if any(row))
            yield from ((None, row) for row in theirs[c:d] if any(row))


def near(one: object, other: object) -> bool:
    """The same to a part in 10⁹, or to 10⁻¹² next to zero: a share less one."""
    return close(one, other, absolute=1e-12)

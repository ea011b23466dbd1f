"""The sheet Runs against `xl_tco.analysis.validation` and the catalogue."""

from __future__ import annotations

import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

import xl_tco
from xl_tco import catalogue
from xl_tco.analysis.validation import QUANTITIES, validate
from xl_tco.language import Language
from xl_tco.workbook import workbook_bytes
from xl_tco.workbook.sheets.runs import NAMES, address

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
FOUND = validate()
COMPARED = [row for row in FOUND.comparisons if row.verdict != "left out"]
TESTS = [row for row in COMPARED if row.verdict == "test"]


@pytest.fixture(scope="module", params=["functions", "native"])
def book(request: pytest.FixtureRequest) -> Workbook:
    return openpyxl.load_workbook(BytesIO(workbook_bytes(LLAMA, request.param)), data_only=True)


@pytest.fixture(scope="module")
def formulas() -> Workbook:
    return openpyxl.load_workbook(BytesIO(workbook_bytes(LLAMA, "native")))


def lines(book: Workbook) -> dict[str, Any]:
    """Cells of each row by its label."""
    rows = book["Runs"].iter_rows(min_row=5, max_col=13)
    return {row[0].value: row for row in rows if row[2].value is not None}


def test_every_quantity_has_a_name() -> None:
    assert set(NAMES) == set(QUANTITIES)


def test_every_comparison_is_there_with_its_source(book: Workbook) -> None:
    found = lines(book)
    for row in COMPARED:
        cells = found[f"{row.run} · {NAMES[row.quantity]}"]
        _, unit, value, stated, residual, kind, size, basis, why, source, _, date, status = (
            cell.value for cell in cells
        )
        assert (unit, kind, basis, status) == (row.unit, row.verdict, row.basis, row.status)
        assert (value, stated) == (pytest.approx(row.modelled, rel=1e-15), row.stated)
        assert residual == pytest.approx(row.residual, rel=1e-6, abs=1e-12)
        assert size == (abs(residual) if row.verdict == "test" else None)
        assert (why or "").casefold() == row.why.casefold()
        assert source == row.source
        assert re.fullmatch(r"\d{4}(-\d\d){0,2}", date)
        dates = {f.date for (run, _), f in catalogue.runs().items() if run == row.run}
        assert date in dates


def test_the_residual_is_a_formula_of_the_two_figures(formulas: Workbook) -> None:
    found = lines(formulas)
    for row in COMPARED:
        cells = found[f"{row.run} · {NAMES[row.quantity]}"]
        at = cells[0].row
        assert cells[4].value == f"=C{at}/D{at}-1"
        assert cells[2].data_type == cells[3].data_type == "n"


def test_what_each_quantity_comes_to(book: Workbook) -> None:
    found = lines(book)
    for quantity, expected in FOUND.summary.items():
        name = NAMES[quantity]
        assert found[f"{name}: tests"][2].value == expected.tests
        assert found[f"{name}: circular, no tests"][2].value == expected.circular
        if expected.tests:
            middle, largest = (
                found[f"{name}: {what}"] for what in ("median size of a residual", "largest")
            )
            assert middle[2].value == pytest.approx(expected.median_abs_residual, abs=1e-12)
            assert largest[2].value == pytest.approx(expected.largest_abs_residual, abs=1e-12)
            assert largest[7].value == f"{expected.largest_run} · {name}"
        else:
            assert f"{name}: largest" not in found


def test_what_was_left_out_and_why(book: Workbook) -> None:
    expected = {
        (NAMES[row.quantity], row.run, row.why.casefold())
        for row in FOUND.comparisons
        if row.verdict == "left out"
    }
    shown, counted = set(), 0
    for label, cells in lines(book).items():
        if cells[5].value == "left out":
            counted += cells[2].value
            name, _, _ = label.partition(": left out")
            runs = cells[7].value.split(", ")
            shown |= {(name, run, cells[8].value.casefold()) for run in runs}
    assert shown == expected
    assert counted == len(expected)


def test_the_chart_shows_every_test_and_says_how_far_they_are(
    book: Workbook, formulas: Workbook
) -> None:
    [chart] = formulas["Runs"]._charts
    sheet = book["Runs"]

    def cells(reference: str) -> list[Any]:
        area = sheet[reference.partition("!")[2].replace("$", "")]
        return [row[0].value for row in area]

    [series] = chart.series
    names, shown = cells(series.cat.strRef.f), cells(series.val.numRef.f)
    expected = {f"{NAMES[row.quantity]} · {row.run}": row.residual for row in TESTS}
    assert dict(zip(names, shown, strict=True)) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    sizes = [abs(row.residual or 0.0) for row in TESTS]
    title = sheet[chart.title.tx.strRef.f.partition("!")[2].replace("$", "")].value
    assert title == (
        f"{len(TESTS)} tests: half within {median(sizes):.1%} of what was published, "
        f"all within {max(sizes):.1%}"
    )


def test_every_source_that_names_a_place_is_a_link_to_it(book: Workbook) -> None:
    found, links = lines(book), Counter[str]()
    for row in COMPARED:
        cell = found[f"{row.run} · {NAMES[row.quantity]}"][10]
        paper = re.search(r"arXiv:(\d+\.\d+)", row.source)
        if cell.hyperlink is None:
            assert not re.search(r"arXiv:|https?:|github:", row.source)
            assert cell.value is None
            continue
        target = cell.hyperlink.target
        links[target] += 1
        if paper and target.startswith("https://arxiv.org"):
            assert target == f"https://arxiv.org/abs/{paper[1]}"
            assert cell.value == f"arXiv:{paper[1]}"
        else:
            place = re.match(r"https?://(?:www\.)?([^/]+)", target)
            assert place is not None
            assert cell.value == place[1]
    assert links.total() > len(COMPARED) * 0.9


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Touvron et al., arXiv:2302.13971, table 15", "https://arxiv.org/abs/2302.13971"),
        ("arXiv:2407.21783; Epoch AI, https://epoch.ai/x", "https://arxiv.org/abs/2407.21783"),
        (
            "Epoch AI, github:epoch-research/training-cost-trends@263c40a data/All ML.csv",
            "https://github.com/epoch-research/training-cost-trends/tree/263c40a",
        ),
        (
            "Meta, github:meta-llama/llama-models models/llama3_1/MODEL_CARD.md",
            "https://github.com/meta-llama/llama-models",
        ),
        ("A. Bradbury, https://muxup.com/2025q4/cost.", "https://muxup.com/2025q4/cost"),
        ("(see https://a.org/b), page 2", "https://a.org/b"),
        ("64 chips x 4 days", ""),
    ],
)
def test_the_address_of_a_citation(source: str, target: str) -> None:
    assert address(source) == target


def test_the_figures_are_of_no_scenario_and_no_language(
    book: Workbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {("word", "test"): "檢驗", ("word", "circular"): "循環", ("", "Compute"): "計算量"}
    other = LLAMA.replace(mfu=0.2, procurement="rent", storage_usd_per_hour=1.0)
    monkeypatch.setattr("xl_tco.language.language", lambda code: Language(code, "Arial", words))
    package = workbook_bytes(other, "native", "zh-TW")
    chinese = openpyxl.load_workbook(BytesIO(package), data_only=True)
    numbers = [
        [cell.value for cell in row if isinstance(cell.value, int | float)]
        for row in book["Runs"].iter_rows(min_row=5)
    ]
    assert numbers == [
        [cell.value for cell in row if isinstance(cell.value, int | float)]
        for row in chinese["Runs"].iter_rows(min_row=5)
    ]
    assert "計算量: tests" in lines(chinese)
    kinds = Counter(row[5].value for row in chinese["Runs"].iter_rows(min_row=5))
    assert kinds["檢驗"] == len(TESTS)
    assert kinds["循環"] == len(COMPARED) - len(TESTS)

"""The sheets Compare and Sensitivity say what the analyses say, in either form of the book."""

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

import xl_tco
from xl_tco.analysis.cases import ranges_of
from xl_tco.cases import KNOWN
from xl_tco.workbook import recalculated, workbook_bytes

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
RUNS = {
    "owned": LLAMA.replace(currency="TWD", currency_per_usd=31.5, currency_date="2026-11-30"),
    "rented": LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0),
    "uncertain": LLAMA.replace(
        mfu={"low": 0.35, "mode": 0.40, "high": 0.45},
        pue={"distribution": "uniform", "low": 1.1, "high": 1.5},
        waste_share={"distribution": "normal", "mean": 0.1, "sd": 0.02},
        electricity_usd_per_kwh={"distribution": "lognormal", "p10": 0.05, "p90": 0.12},
        correlations=[["mfu", "waste_share", -0.4]],
    ),
}
FORMS: list[Any] = ["functions", "native"]
every_book = pytest.mark.parametrize(("name", "form"), [(n, f) for n in RUNS for f in FORMS])


@cache
def built(name: str, form: Any) -> Workbook:
    """The workbook of a run, as its values are read."""
    package = workbook_bytes(RUNS[name], form)
    return openpyxl.load_workbook(BytesIO(package), data_only=True)


def close(value: object) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def lines(book: Workbook, sheet: str, title: str) -> Iterator[list[Any]]:
    """The rows of a section, until the next one or an empty row."""
    rows = book[sheet].iter_rows(min_row=5)
    for row in rows:
        if row[0].value == title:
            break
    for row in rows:
        if row[0].style == "TCO section" or row[0].value is None:
            return
        yield [cell.value for cell in row]


def money(name: str) -> float:
    return float(RUNS[name].values["currency_per_usd"]) / 1e6


@every_book
def test_accelerators_are_ranked_as_the_analysis_ranks_them(name: str, form: str) -> None:
    ranking = xl_tco.rank_accelerators(RUNS[name])
    title = "Accelerators, the lowest cost of an effective TFLOP-hour first"
    rows = list(lines(built(name, form), "Compare", title))
    assert len(rows) == len(ranking.ranked) + len(ranking.unranked)
    for row, expected in zip(rows, ranking.ranked, strict=False):
        assert row[0] == expected.label
        assert row[2] == close(expected.total_usd * money(name))
        rate = RUNS[name].values["currency_per_usd"]
        assert row[3] == close(expected.usd_per_effective_tflop_hour * rate)
        assert row[4] == close(expected.total_usd / xl_tco.evaluate(RUNS[name]).total_usd - 1)
    for row in rows[len(ranking.ranked) :]:
        assert row[2:6] == ["—", "—", "—", "not costed"]


@every_book
def test_rent_or_own_turns_where_the_analysis_says(name: str, form: str) -> None:
    choice, rate = xl_tco.rent_or_own(RUNS[name]), RUNS[name].values["currency_per_usd"]
    found = {row[0]: row[2] for row in lines(built(name, form), "Compare", "Rent or own")}
    assert found == {
        "Owning, an hour of use": close(choice.own_usd_per_hour * rate),
        "Renting, an hour of use, less discount": close(choice.rent_usd_per_hour * rate),
        "A year of owning one, used or not": close(choice.own_fixed_usd_per_year * rate),
        "Running it, an hour of use": close(choice.own_running_usd_per_hour * rate),
        "Rent at which both cost the same": close(
            choice.break_even_rental_usd_per_accelerator_hour * rate
        ),
        "Hours in use from which owning is cheaper": close(choice.break_even_utilization),
        "Months of use until a purchase has paid off": close(choice.break_even_months),
    }


@every_book
def test_the_lines_of_rent_and_own_cross_at_the_break_even(name: str, form: str) -> None:
    title = "An accelerator-hour over the hours in use"
    points = [
        (row[2], row[3] - row[4])
        for row in lines(built(name, form), "Compare", title)
        if str(row[0]).startswith("Point")
    ]
    turn = xl_tco.rent_or_own(RUNS[name]).break_even_utilization
    assert points[-1][0] == 1.0
    assert all((gap > 0.0) == (use < turn) for use, gap in points)


@every_book
def test_the_tornado_is_that_of_the_ranges(name: str, form: str) -> None:
    run = RUNS[name].replace(**ranges_of(RUNS[name]))
    found = xl_tco.tornado(run, list(run.ranges))
    rows = list(lines(built(name, form), "Sensitivity", "One at a time: change of the total"))
    for row, bar in zip(rows, found.bars, strict=False):
        assert row[0] == bar.label
        assert row[2] == close((bar.output_low - found.value) * money(name))
        assert row[3] == close((bar.output_high - found.value) * money(name))
    assert all(row[0] == "—" for row in rows[len(found.bars) :])


@every_book
def test_levers_are_pulled_as_the_analysis_pulls_them(name: str, form: str) -> None:
    found = xl_tco.levers(RUNS[name])
    rows = list(lines(built(name, form), "Sensitivity", "Levers: change of the total"))
    for row, pull in zip(rows, found.pulls, strict=True):
        assert row[0] == pull.lever.label
        change, turn = pull.change_usd or 0.0, pull.step_usd or 0.0
        assert row[2:6] == [
            close(change * money(name)),
            close(pull.change_share or 0.0),
            close(turn * money(name)),
            close(pull.cumulative_usd * money(name)),
        ]


@every_book
def test_percentiles_are_those_of_the_simulation(name: str, form: str) -> None:
    run = RUNS[name]
    found = xl_tco.simulate(run.replace(**ranges_of(run)), samples=10_000)
    rows = list(lines(built(name, form), "Sensitivity", "How sure: percentiles of the total"))
    for row in rows:
        assert row[2] == close(found.percentiles[row[0]].value * money(name))
    bars = [
        row
        for row in lines(built(name, form), "Sensitivity", "Bars of the distribution")
        if str(row[0]).startswith("Bar ")
    ]
    assert [row[3] for row in bars] == close([n / 10_000 for n in found.histogram.counts])


@every_book
def test_the_total_of_every_case_is_shown(name: str, form: str) -> None:
    from xl_tco.analysis.cases import in_case

    rows = list(lines(built(name, form), "Sensitivity", "Total of each case"))
    for row, case in zip(rows, KNOWN, strict=True):
        total = xl_tco.evaluate(in_case(RUNS[name], case)).total_usd
        assert row[:1] == [case.capitalize()]
        assert row[2] == close(total * money(name))


def test_answers_follow_the_inputs_where_the_functions_are() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(LLAMA)))
    (row,) = (cell.row for cell in book["Inputs"]["C"] if cell.value == "tokens")
    book["Inputs"][f"E{row}"] = 7.8e12
    saved = BytesIO()
    book.save(saved)
    package, outcome = recalculated(saved.getvalue())
    assert not outcome.errors
    half = openpyxl.load_workbook(BytesIO(package), data_only=True)
    whole = xl_tco.rank_accelerators(LLAMA.replace(tokens=7.8e12))
    title = "Accelerators, the lowest cost of an effective TFLOP-hour first"
    first = next(lines(half, "Compare", title))
    assert first[2] == close(whole.ranked[0].total_usd / 1e6)


def test_a_native_book_says_when_its_answers_are_of_another_total() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(LLAMA, "native")))
    (row,) = (cell.row for cell in book["Inputs"]["C"] if cell.value == "tokens")
    book["Inputs"][f"E{row}"] = 7.8e12
    saved = BytesIO()
    book.save(saved)
    package, outcome = recalculated(saved.getvalue())
    assert (outcome.errors, outcome.failing) == ([], 0)
    edited = openpyxl.load_workbook(BytesIO(package), data_only=True)
    for sheet in ("Compare", "Sensitivity"):
        assert built("owned", "native")[sheet]["C6"].value == "current"
        assert edited[sheet]["C6"].value == "stale", sheet

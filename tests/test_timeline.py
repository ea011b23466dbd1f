"""The sheet Timeline against the cash view: every month, every method, own and rent."""

from __future__ import annotations

import datetime as dt
import math
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

import xl_tco
from books import saved
from libreoffice import LibreOffice, close
from strategies import METHODS, drawn
from xl_tco import InputError, Scenario, evaluate
from xl_tco.analysis.cash import RUNNING, CashView, cash_view
from xl_tco.analysis.cash.asset import Asset, facility, hardware
from xl_tco.workbook import RULES, recalculated, workbook_bytes
from xl_tco.workbook.build import calculated
from xl_tco.workbook.sheets import (
    Book,
    Formulas,
    add_calc,
    add_catalogue,
    add_checks,
    add_inputs,
    add_timeline,
)
from xl_tco.workbook.sheets.calc import Places

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
TWD = {"currency": "TWD", "currency_per_usd": 31.5, "currency_date": "2026-11-30"}
HARDWARE = ("accelerators", "hosts", "network", "storage")

FLOWS = {
    "CapEx": "capex_usd",
    "Rent": "rental_usd",
    "Electricity: power": "power_usd",
    "Electricity: cooling": "cooling_usd",
    "Carbon": "carbon_usd",
    "Staff": "staff_usd",
    "Software": "software_usd",
    "Storage by the hour": "storage_usd",
    "Operation of the facility": "facility_operation_usd",
    "Upkeep of network and storage": "upkeep_usd",
    "OpEx": "opex_usd",
    "Proceeds: residual values, end of the month": "residual_usd",
    "Net cash, as a cost": "cash_usd",
    "Present value of the cash; in all: NPV": "present_usd",
    "Depreciation, write-off included": "depreciation_usd",
    "Interest in the annuity": "interest_usd",
    "Accrual, with OpEx": "accrual_usd",
}
"""Rows of amounts, and the column of the cash view that each must equal; their sums are in C."""


def lasting(months: float, **table: Any) -> Scenario:
    """A run that takes so many months of its cluster: the time is in proportion to the tokens."""
    method = table.pop("depreciation_method", "straight-line")
    run = Scenario(**table)
    used = run.values["utilization"] if run.values["procurement"] == "own" else 1.0
    hours = evaluate(run).metrics["wall_hours"]
    assert hours
    tokens = float(f"{run.values['tokens'] * months * 730 * used / hours:.9g}")
    return run.replace(tokens=tokens, depreciation_method=method)


PLACES = (
    # life in years, age of the cluster in years, months of the run, life of the facility
    (4.0, 0.0, 3.7, 15.0),
    (2.5, 1.3, 14.399, 0.7),
    (0.4, 0.0, 4.799, 0.1),
    (7.3, 5.0, 0.01, 50.0),
    (1.0, 0.25, 6.0, 0.5),
)


@cache
def random_runs(method: str) -> list[Scenario]:
    """Runs of random clusters that fit into the life of the hardware, of every length."""
    fixed = {"depreciation_method": None, "currency": None, "tokens": 1e12}
    tables = drawn(30, 7 + METHODS.index(method), procurement="own", **fixed)
    runs = []
    for table in tables:
        life, age, months, building = PLACES[len(runs)]
        table |= {
            "depreciation_years": life,
            "age_years": age,
            "facility_life_years": building,
            "depreciation_method": method,
            **(TWD if len(runs) % 2 else {}),
        }
        try:
            run = lasting(months, **table)
            cash_view(run)
        except InputError:  # as many tokens as no scenario may have, or no digits of an age
            continue
        runs.append(run)
        if len(runs) == len(PLACES):
            break
    assert len(runs) == len(PLACES)
    return runs


def written(run: Scenario, form: Formulas = "native") -> tuple[Book, Places]:
    """The sheets that the months rest on: the others would take longer than these."""
    book = Book(run, form)
    add_inputs(book)
    add_catalogue(book)
    places = add_calc(book)
    add_timeline(book, places)
    return book, places


def months_of(run: Scenario) -> bytes:
    """The same with what is checked, calculated."""
    book, places = written(run)
    add_checks(book, places)
    return calculated(saved(book.workbook))[0]


def timeline(package: bytes) -> Worksheet:
    return opened(package)["Timeline"]


def opened(package: bytes) -> Workbook:
    return openpyxl.load_workbook(BytesIO(package), data_only=True)


def row(sheet: Worksheet, label: str) -> list[Any]:
    """The row of that label, from the column of values on."""
    (found,) = [cells for cells in sheet.iter_rows(min_row=5) if cells[0].value == label]
    return [cell.value for cell in found[2:]]


def months_in(run: Scenario) -> int:
    """How many months are written."""
    return len(row(written(run)[0].workbook["Timeline"], "Rent")) - 1


def fact(sheet: Worksheet, label: str) -> Any:
    return row(sheet, label)[0]


def is_close(shown: Any, expected: Any, scale: float) -> bool:
    return bool(np.allclose(np.asarray(shown, dtype=float), expected, rtol=1e-9, atol=1e-9 * scale))


def assets(run: Scenario, size: int) -> dict[str, Asset]:
    values, metrics = run.values, evaluate(run).metrics
    prices = {name: metrics[f"{name}_capex_usd"] or 0.0 for name in (*HARDWARE, "facility")}
    return {
        name: (hardware if name in HARDWARE else facility)(values, price, size)
        for name, price in prices.items()
    }


def is_the_view(sheet: Worksheet, run: Scenario) -> CashView:
    """Every month is that of the cash view; what comes after it is nothing."""
    view = cash_view(run)
    money = run.values["currency_per_usd"] / 1e6
    size = view.months
    months = len(row(sheet, "Rent")) - 1
    after = np.zeros(months - size)
    assert fact(sheet, "Months that the timeline needs") == size <= months
    own = run.values["procurement"] == "own"
    bought = assets(run, size) if own else {}
    # Amounts agree to 1e-9 of the largest that they are a difference of.
    scale = money * max(view.capex_usd, view.accrual_usd)

    for label, name in FLOWS.items():
        total, *shown = row(sheet, label)
        expected = np.concatenate([view.columns[name] * money, after])
        small = money * math.fsum(view.columns[name]) if name in KINDS else scale
        assert is_close(shown, expected, small), label
        assert is_close(total, math.fsum(expected), small), label

    for name, label in zip((*HARDWARE, "facility"), CAPEX, strict=True):
        columns = bought[name].columns()["capex_usd"] if own else np.zeros(size)
        assert is_close(row(sheet, label)[1:], np.concatenate([columns * money, after]), scale)

    for label, name, beyond in (
        ("Cumulated cash", "cumulative_cash_usd", view.cash_usd),
        ("Book value, end of the month, before a sale", "book_value_usd", 0.0),
    ):
        expected = np.concatenate([view.columns[name], after + beyond]) * money
        assert is_close(row(sheet, label)[1:], expected, scale), label
    accrued = np.concatenate([np.cumsum(view.columns["accrual_usd"]), after + view.accrual_usd])
    assert is_close(row(sheet, "Cumulated accrual")[1:], accrued * money, scale)
    factors = row(sheet, "Discount factor, end of the month")[1 : size + 1]
    assert factors == pytest.approx(view.columns["discount_factor"].tolist(), rel=1e-12)

    charged, unallocated = (
        row(sheet, "Charged to the run"),
        row(sheet, "Unallocated: life not used"),
    )
    assert charged[0] == pytest.approx(evaluate(run).total_usd * money, rel=1e-9)
    assert charged[0] == pytest.approx(view.runs[0].total_usd * money, rel=1e-9)
    assert is_close(unallocated[0], view.unallocated_usd * money, scale)
    begins = run.values["age_years"] * 12 if own else 0.0
    ends = begins + view.runs[0].wall_hours / (730 * (run.values["utilization"] if own else 1.0))
    edges = np.clip(np.arange(size + 1.0), begins, ends)
    monthly = view.columns["opex_usd"].copy()
    for asset in bought.values():
        monthly += np.diff(np.asarray(asset.charged_usd(edges)))
    assert is_close(charged[1:], np.concatenate([monthly * money, after]), scale)

    npv = fact(sheet, "Net present value of the cash, as a cost")
    assert is_close(npv, view.npv_usd * money, scale)
    annual = fact(sheet, "Level cost a year that is worth as much")
    assert is_close(annual, view.equivalent_annual_usd * money, scale / size)

    shown = [f"{day:%Y-%m-%d}" if day else None for day in row(sheet, DATE)[1 : size + 1]]
    assert shown == (list(view.dates) or [None] * size)
    years = row(sheet, "Year of the timeline")[1:]
    assert years == [month // 12 + 1 for month in range(months)]
    return view


KINDS = {f"{kind}_usd" for kind in (*RUNNING, "opex")} | {"capex_usd"}
CAPEX = ("Accelerators", "Hosts", "Network", "Storage", "Facility, and its renewal")
DATE = "First day of the month, if there is a date"


@pytest.mark.parametrize("method", METHODS)
def test_every_month_is_that_of_the_cash_view(method: str) -> None:
    for run in random_runs(method):
        book = opened(months_of(run))
        is_the_view(book["Timeline"], run)
        assert book["Checks"]["A3"].value == "All checks hold"


def test_a_rented_cluster_by_the_month() -> None:
    tables = drawn(4, 3, procurement="rent", tokens=1e12, depreciation_method=None)
    for months, table in zip((0.3, 4.9, 31.7, 61.2), tables, strict=True):
        run = lasting(months, **table, **(TWD if months > 4 else {}))
        book = opened(months_of(run))
        view = is_the_view(book["Timeline"], run)
        assert view.months == math.ceil(months)
        assert book["Checks"]["A3"].value == "All checks hold"
        assert len(row(book["Timeline"], "Rent")) - 1 == (72 if months > 60 else 60)


@pytest.mark.parametrize("method", METHODS)
def test_it_follows_the_inputs(method: str) -> None:
    """Written for a straight line of four years, and then other figures are typed in."""
    changes: dict[str, Any] = {
        "depreciation_method": method,
        "depreciation_years": 4.6,
        "age_years": 1.5,
        "residual_share": 0.15,
        "discount_rate": 0.11,
        "facility_life_years": 1.5,
        "start_date": "2027-02",
        **TWD,
    }
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(LLAMA, "functions")))
    inputs = book["Inputs"]
    for cells in inputs.iter_rows(min_row=5):
        if cells[2].value in changes:
            cells[4].value = changes[cells[2].value]
    sheet = timeline(recalculated(saved(book))[0])
    view = is_the_view(sheet, LLAMA.replace(**changes))
    out = view.columns["cumulative_cash_usd"] * 31.5e-6
    said = f"{max(out):,.1f} TWD million is out by month {np.argmax(out) + 1}"
    assert fact(sheet, "Finding") == f"{said}; NPV {view.npv_usd * 31.5e-6:,.1f}"


@pytest.mark.parametrize(
    "changes",
    [
        {"depreciation_years": 0.01},
        {"procurement": "rent", "storage_usd_per_hour": 1, "tokens": 1e18},
        {"facility_life_years": 0.05},
    ],
    ids=["longer than the life", "longer than a century", "a facility for days"],
)
def test_a_run_without_a_timeline(changes: dict[str, Any]) -> None:
    run = LLAMA.replace(**changes)
    with pytest.raises(InputError):
        cash_view(run)
    book = opened(months_of(run))
    sheet = book["Timeline"]
    assert fact(sheet, "Finding") == "No timeline: the run is too long"
    for label in (*FLOWS, *CAPEX, "Charged to the run", "Cumulated cash", "Cumulated accrual"):
        assert set(row(sheet, label)) == {0}, label
    assert book["Checks"]["A3"].value == "All checks hold"


def test_a_timeline_that_has_become_too_short_is_told() -> None:
    book = openpyxl.load_workbook(BytesIO(months_of(LLAMA)))
    (life,) = [
        cells[4] for cells in book["Inputs"].iter_rows() if cells[2].value == "depreciation_years"
    ]
    for years, expected in ((5.0, "yes"), (5.01, "no")):
        life.value = years
        checks = opened(recalculated(saved(book))[0])["Checks"]
        (told,) = [cells for cells in checks.iter_rows() if "build again" in str(cells[0].value)]
        assert told[5].value == expected
        assert (checks["A3"].value == "All checks hold") == (expected == "yes")
    assert months_in(LLAMA.replace(depreciation_years=5.01)) == 72


def test_it_is_long_enough_for_every_case() -> None:
    run = LLAMA.replace(cases={"own": {"depreciation_years": 9}})
    assert months_in(run) == months_in(LLAMA.replace(depreciation_years=9)) == 108
    assert months_in(LLAMA) == 60


def test_the_longest_timeline_there_is() -> None:
    sheet = written(LLAMA.replace(depreciation_years=100))[0].workbook["Timeline"]
    assert sheet["ATG4"].value == 1200
    assert sheet.max_column == 1203
    formulas = [str(cell.value) for cells in sheet.iter_rows(min_row=5) for cell in cells]
    assert max(map(len, formulas)) <= 80
    assert not broken_rules(sheet.parent, "M03", "M04")


def broken_rules(book: Workbook, *rules: str) -> list[Any]:
    return [breach for rule in rules for breach in RULES[rule][1](book)]


@pytest.mark.parametrize(
    ("rate", "accelerators", "expected"),
    [
        (1, 16_384, "#,##0.00;-#,##0.00;0"),
        (31.5, 16_384, "#,##0.0;-#,##0.0;0"),
        (1, 2, "#,##0.000000;-#,##0.000000;0"),
        (1000, 1_000_000, "#,##0;-#,##0;0"),
    ],
)
def test_amounts_have_room_and_their_sign(rate: float, accelerators: int, expected: str) -> None:
    """Sections by size would do without the sign: a sale is a cost below nothing."""
    money = {"currency": "TWD", "currency_per_usd": rate, "currency_date": "2026-11-30"}
    figures = {"accelerators": accelerators, "tokens": accelerators * 1e9, "staff_fte": 0}
    run = LLAMA.replace(**figures, **money)
    sheet = written(run)[0].workbook["Timeline"]
    (paid,) = [cells[3] for cells in sheet.iter_rows() if cells[0].value == "Net cash, as a cost"]
    assert paid.number_format == expected
    largest = max(cash_view(run).columns["cash_usd"]) * rate / 1e6
    decimals = len(expected.partition(";")[0].partition(".")[2])
    assert len(f"-{largest:,.{decimals}f}") <= sheet.column_dimensions["D"].width


def test_it_is_the_same_in_both_forms() -> None:
    forms: tuple[Formulas, ...] = ("functions", "native")
    texts = [
        {
            cell.coordinate: str(cell.value).replace("Calc!$D", "Calc!$C")
            for cells in written(LLAMA, form)[0].workbook["Timeline"].iter_rows()
            for cell in cells
        }
        for form in forms
    ]
    assert texts[0] == texts[1]


def test_libreoffice_agrees(libreoffice: LibreOffice, tmp_path: Path) -> None:
    paths = []
    for number, method in enumerate(METHODS):
        path = tmp_path / f"{method}.xlsx"
        path.write_bytes(months_of(random_runs(method)[number]))
        paths.append(path)
    for path, other in zip(paths, libreoffice.recalculated(paths), strict=True):
        sheet = timeline(path.read_bytes())
        lines = (sheet.iter_rows(min_row=5), other["Timeline"].iter_rows(min_row=5))
        for ours, theirs in zip(*lines, strict=False):
            numbers = [abs(c.value) for c in ours if isinstance(c.value, int | float)]
            scale = max(numbers, default=0.0)
            for cell, their in zip(ours, theirs, strict=False):
                assert close(cell.value, their.value, absolute=1e-9 * scale), cell.coordinate


# The rules about a time axis, on any workbook ---------------------------------------------------


def broken(rule: str, *rows: list[Any], frozen: str = "D2", title: str = "Model") -> list[str]:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for cells in rows:
        sheet.append(cells)
    sheet.freeze_panes = frozen
    return [f"{place}: {message}" for _, place, message in RULES[rule][1](book)]


HEAD = ["Line", "Unit", "Value"]
YEARS = [*HEAD, *range(2026, 2034)]
GROWTH = ["Growth", "share", None, *(f"={letter}$1*$C$1" for letter in "DEFGHIJK")]


@pytest.mark.parametrize(
    "axis",
    [
        YEARS,
        [*HEAD, *(dt.date(2026 + m // 12, m % 12 + 1, 1) for m in range(10, 18))],
        [*HEAD, *(dt.datetime(2026, 2, 27) + dt.timedelta(7 * n) for n in range(8))],
        [*HEAD, 1, *(f"={letter}1+1" for letter in "DEFGHIJ")],
    ],
    ids=["years", "months", "weeks", "formulas"],
)
def test_a_time_axis_is_found(axis: list[Any]) -> None:
    assert broken("M03", axis, GROWTH) == []
    assert broken("M03", axis, GROWTH, frozen="D1") == ["D1:K1: the time axis is not frozen"]
    assert broken("M03", axis, GROWTH, frozen="B2") == [
        "D1:K1: the columns before it, to C, are not frozen"
    ]
    assert broken("M03", axis, GROWTH, frozen="F2") == ["D1:K1: a part of the time axis is frozen"]
    assert broken("M03", axis, GROWTH, [None] * 4 + YEARS[3:]) == [
        "E3:L3: a time axis beside that in D1:K1"
    ]
    odd = [*GROWTH[:5], "=E$1*$C$2", *GROWTH[6:]]
    assert broken("M04", axis, odd) == ["F2: another formula than in D2"]


@pytest.mark.parametrize(
    "cells",
    [
        [*HEAD, 1, 2, 3, 4, 5, 7, 8, 9],
        [*HEAD, 1, 2, 3, 4, 5],
        [*HEAD, *(f"{n}" for n in range(8))],
        [*HEAD, *([True, 2] * 4)],
        [*HEAD, *(dt.date(2026, 1, day) for day in (1, 2, 4, 7, 9, 11, 14, 20))],
    ],
    ids=["a gap", "a few", "texts", "truth", "any days"],
)
def test_what_is_no_time_axis(cells: list[Any]) -> None:
    assert broken("M03", cells, GROWTH, frozen="A1") == []
    assert broken("M03", cells, title="Timeline") == [": the time axis is missing"]
    assert broken("M04", cells, [*GROWTH[:4], 7]) == []


def test_one_formula_a_row() -> None:
    numbers = ["Given", "share", None, *range(5, 21, 2)]
    texts = ["Said", "text", None, *"abcdefgh"]
    assert broken("M04", YEARS, GROWTH, numbers, texts, ["Nothing"], [*HEAD, None, "=D1"]) == [
        "D6: nothing where the row has formulas"
    ]
    assert broken("M04", YEARS, [*GROWTH[:6], 7, *GROWTH[7:9], None, GROWTH[10]]) == [
        "G2: 7 where the row has formulas",
        "J2: nothing where the row has formulas",
    ]
    off = ["Before", "share", None, "=A1", *(f"={letter}1" for letter in "BCDEFGH")]
    assert broken("M04", YEARS, off) == []

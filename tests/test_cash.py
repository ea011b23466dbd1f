"""The cash view against numpy-financial, documented depreciation, and sums worked in fractions."""

import math
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy_financial as npf
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strategies import tables
from xl_tco import InputError, Scenario, evaluate
from xl_tco.analysis.cash import RUNNING, CashView, cash_view
from xl_tco.core import cash

METHODS = ("straight-line", "annuity", "declining-balance", "sum-of-years", "exponential")
ROOT = Path(__file__).parents[1]
OWN: dict[str, Any] = {
    "name": "First",
    "parameters": 70e9,
    "tokens": 5e12,
    "accelerator": "h100-sxm",
    "accelerators": 2048,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
    "waste_share": 0.2,
    "residual_share": 0.1,
    "discount_rate": 0.08,
    "depreciation_years": 4,
    "storage_usd_per_hour": 3,
    "software_fixed_usd": 1e5,
    "software_usd_per_accelerator_year": 100,
    "network_upkeep_share": 0.06,
    "storage_upkeep_share": 0.04,
    "carbon_usd_per_tonne": 50,
    "demand_usd_per_kw_month": 8,
}
BARE: dict[str, Any] = {
    **OWN,
    "accelerator": "custom",
    "accelerators": 1,
    "peak_tflops": 1000,
    "host_price_usd_per_accelerator": 0,
    "network_share": 0,
    "storage_share": 0,
    "facility_usd_per_kw": 0,
    "facility_om_usd_per_kw_year": 0,
    "tdp_watts": 700,
    "host_watts_per_accelerator": 0,
    "electricity_usd_per_kwh": 0,
    "staff_fte": 0,
    "storage_usd_per_hour": 0,
    "software_fixed_usd": 0,
    "software_usd_per_accelerator_year": 0,
    "carbon_usd_per_tonne": 0,
    "demand_usd_per_kw_month": 0,
    "tokens": 1e9,
}
"""One machine and nothing else: what it costs is its price."""


def lasting(months: float, **table: Any) -> Scenario:
    """A run that takes so many months of its cluster: the time is in proportion to the tokens."""
    run = Scenario(**table)
    idle = run.values["utilization"] if run.values["procurement"] == "own" else 1.0
    hours = evaluate(run).metrics["wall_hours"]
    assert hours
    return run.replace(tokens=run.values["tokens"] * months * 730 * idle / hours)


def faults_of(*runs: Scenario, **options: Any) -> dict[str, str]:
    with pytest.raises(InputError) as caught:
        cash_view(runs, **options)
    return {fault.field: str(fault) for fault in caught.value.faults}


def flows(view: CashView) -> np.ndarray[Any, Any]:
    """Cash at months 0, 1, 2 …: what is bought at the beginning of a month, the rest at its end."""
    c = view.columns
    at = np.zeros(view.months + 1)
    at[:-1] += c["capex_usd"]
    at[1:] += c["opex_usd"] - c["residual_usd"]
    return at


# What it is worth -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rate", [0.0, 0.08, 0.3])
def test_present_value_is_that_of_numpy_financial(method: str, rate: float) -> None:
    first = lasting(5.3, **{**OWN, "discount_rate": rate, "facility_life_years": 2.5})
    view = cash_view([first, first.replace(name="Second", tokens=9e12)], method=method)
    monthly = (1 + rate) ** (1 / 12) - 1
    assert view.npv_usd == pytest.approx(float(npf.npv(monthly, flows(view))), rel=1e-11)
    assert view.columns["cumulative_present_usd"][-1] == pytest.approx(view.npv_usd, rel=1e-12)
    yearly = -float(npf.pmt(rate, view.months / 12, view.npv_usd))
    assert view.equivalent_annual_usd == pytest.approx(yearly, rel=1e-9)
    level = [-view.npv_usd, *[view.equivalent_annual_usd] * 4]
    assert float(npf.irr(level)) == pytest.approx(rate, abs=1e-9)


def test_a_machine_alone_costs_the_payment_of_a_loan() -> None:
    run = Scenario(**{**BARE, "accelerator_price_usd": 30_000, "utilization": 1})
    view = cash_view(run, method="annuity")
    payment = -float(npf.pmt(0.08, 4, 30_000, -3_000))
    assert view.equivalent_annual_usd == pytest.approx(payment, rel=1e-12)
    assert view.accrual_usd == pytest.approx(4 * payment, rel=1e-12)
    longer = cash_view(run, months=60, method="annuity")
    assert longer.accrual_usd == pytest.approx(4 * payment, rel=1e-12)
    # Each year's depreciation is the principal of that year's payment, the rest its interest.
    for year in range(4):
        months = slice(12 * year, 12 * year + 12)
        principal = -float(npf.ppmt(0.08, year + 1, 4, 30_000, -3_000))
        interest = -float(npf.ipmt(0.08, year + 1, 4, 30_000, -3_000))
        columns = view.columns
        assert columns["depreciation_usd"][months].sum() == pytest.approx(principal, rel=1e-11)
        assert columns["interest_usd"][months].sum() == pytest.approx(interest, rel=1e-11)


# What is written off --------------------------------------------------------------------------


def machine(price: float, residual: float, years: float, method: str) -> CashView:
    table = {**BARE, "accelerator_price_usd": price, "depreciation_years": years}
    return cash_view(Scenario(**{**table, "residual_share": residual}), method=method)


@pytest.mark.parametrize(
    ("method", "price", "residual", "year", "expected"),
    [
        # Microsoft's documentation of DDB (years 1 and 10; year 2 by hand), SYD and SLN.
        ("declining-balance", 2400, 0.125, 1, 480.00),
        ("declining-balance", 2400, 0.125, 2, 384.00),
        ("declining-balance", 2400, 0.125, 10, 22.12),
        ("sum-of-years", 30_000, 0.25, 1, 4090.91),
        ("sum-of-years", 30_000, 0.25, 10, 409.09),
        ("straight-line", 30_000, 0.25, 7, 2250.00),
    ],
)
def test_years_of_the_documentation(
    method: str, price: float, residual: float, year: int, expected: float
) -> None:
    view = machine(price, residual, 10, method)
    written = view.columns["depreciation_usd"][12 * year - 12 : 12 * year]
    assert written.sum() == pytest.approx(expected, abs=0.005)
    assert view.residual_usd == pytest.approx(price * residual, rel=1e-12)


def test_what_a_declining_balance_leaves_is_written_off_at_the_end() -> None:
    view = machine(1600, 0, 4, "declining-balance")  # half a year: 800, 400, 200, 100, and 100 left
    years = view.columns["depreciation_usd"].reshape(4, 12).sum(axis=1)
    assert years == pytest.approx([800, 400, 200, 200])
    assert view.columns["depreciation_usd"][-1] == pytest.approx(100 / 12 + 100)
    assert view.columns["book_value_usd"][[11, 23, 35, 47]] == pytest.approx([800, 400, 200, 0])
    assert view.residual_usd == 0


def test_the_exponential_method_leaves_what_it_leaves() -> None:
    view = machine(1e4, 0.5, 5, "exponential")
    assert view.columns["book_value_usd"][11] == pytest.approx(1e4 * 10**-0.14)
    assert view.residual_usd == pytest.approx(1e4 * 10**-0.7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("years", [0.4, 3.3, 4])
@pytest.mark.parametrize("months", [None, 2, 48, 77])
def test_depreciation_is_capex_less_residual(method: str, years: float, months: int | None) -> None:
    run = lasting(1.5, **{**OWN, "depreciation_years": years, "facility_life_years": 1.7})
    view = cash_view(run, months=months, method=method)
    assert view.months == (months or math.ceil(12 * years))
    whole = view.capex_usd - view.residual_usd
    assert view.depreciation_usd == pytest.approx(whole, rel=1e-12)
    assert (view.interest_usd > 0) if method == "annuity" else (view.interest_usd == 0)
    charged = view.runs[0].total_usd + view.unallocated_usd
    assert view.accrual_usd == pytest.approx(charged, rel=1e-12)
    # The book value follows from the month before.
    c = view.columns
    before = np.concatenate([[0.0], (c["book_value_usd"] - c["residual_usd"])[:-1]])
    after = before + c["capex_usd"] - c["depreciation_usd"]
    assert c["book_value_usd"] == pytest.approx(after, rel=1e-9, abs=1e-6 * view.capex_usd / 1e6)
    parts = sum(c[f"{name}_depreciation_usd"] for name in ("accelerators", "hosts", "network"))
    parts = parts + c["storage_depreciation_usd"] + c["facility_depreciation_usd"]
    assert c["depreciation_usd"] == pytest.approx(parts, rel=1e-12)


def test_cash_does_not_depend_on_how_hardware_is_written_off() -> None:
    run = Scenario(**OWN)
    npv = {m: cash_view(run, method=m).npv_usd for m in METHODS}
    assert npv["declining-balance"] == pytest.approx(npv["straight-line"], rel=1e-12)
    assert npv["sum-of-years"] == pytest.approx(npv["straight-line"], rel=1e-12)


# The facility ---------------------------------------------------------------------------------


def test_the_facility_is_worth_what_is_left_of_it() -> None:
    run = Scenario(**{**OWN, "facility_life_years": 12, "residual_share": 0})
    view = cash_view(run)
    price = evaluate(run).metrics["facility_capex_usd"]
    assert price
    assert view.columns["facility_depreciation_usd"] == pytest.approx(np.full(48, price / 144))
    assert view.residual_usd == pytest.approx(price * 2 / 3, rel=1e-12)
    assert view.columns["residual_usd"][:-1].tolist() == [0.0] * 47


def test_a_facility_of_a_short_life_is_built_again() -> None:
    run = Scenario(**{**OWN, "facility_life_years": 1.5, "residual_share": 0})
    metrics = evaluate(run).metrics
    view = cash_view(run)
    capex = view.columns["capex_usd"]
    price = metrics["facility_capex_usd"]
    assert price
    assert np.flatnonzero(capex).tolist() == [0, 18, 36]
    assert capex[18] == capex[36] == price
    assert view.residual_usd == pytest.approx(price / 3, rel=1e-9)
    assert view.columns["facility_depreciation_usd"] == pytest.approx(np.full(48, price / 18))


# Runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("age", [0.0, 0.5])
def test_runs_of_whole_months_are_charged_what_those_months_cost(method: str, age: float) -> None:
    table = {**OWN, "depreciation_method": method, "age_years": age}
    first, second = lasting(7, **table), lasting(11, **{**table, "electricity_usd_per_kwh": 0.2})
    view = cash_view([first, second])
    start = round(12 * age)
    for run, scenario, begin, end in (
        (view.runs[0], first, start, start + 7),
        (view.runs[1], second.replace(age_years=(start + 7) / 12), start + 7, start + 18),
    ):
        months = slice(begin, end)
        alone = evaluate(scenario)
        goodput = alone.metrics["goodput"]
        assert goodput
        assert (run.start_month, run.end_month) == (begin + 1, end)
        assert run.life_share == pytest.approx((end - begin) / 48, rel=1e-12)
        assert run.total_usd == pytest.approx(alone.total_usd, rel=1e-12)
        assert run.charge_usd + run.opex_usd == pytest.approx(run.total_usd, rel=1e-12)
        c = view.columns
        assert c["accrual_usd"][months].sum() == pytest.approx(run.total_usd, rel=1e-10)
        kinds = {"power", "cooling", "carbon", "staff"}
        for kind in kinds:
            paid = alone.components[kind] / goodput
            assert c[f"{kind}_usd"][months].sum() == pytest.approx(paid, rel=1e-10)
        if method != "annuity":
            charged = alone.components["accelerators"] / goodput
            written = c["accelerators_depreciation_usd"][months].sum()
            assert written == pytest.approx(charged, rel=1e-10)


@pytest.mark.parametrize(
    "detail",
    [
        {"network_topology": "fat-tree", "hot_spares": 64},
        {"network_price_usd": 3e6, "storage_price_usd": 2e6},
        {"storage_usd_per_tb": 150},
        {"accelerator_mtbf_hours": 50_000, "waste_share": None},
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_worked_out_in_detail_adds_up_too(detail: dict[str, Any], method: str) -> None:
    run = Scenario(**{**OWN, **detail})
    view = cash_view([run, run], method=method)
    metrics = evaluate(run).metrics
    names = ("cluster", "facility")
    bought = math.fsum(metrics[f"{name}_capex_usd"] or 0.0 for name in names)
    assert view.capex_usd == pytest.approx(bought, rel=1e-12)
    for part in view.runs:
        assert part.charge_usd + part.opex_usd == pytest.approx(part.total_usd, rel=1e-12)
    exact = math.fsum([*(part.total_usd for part in view.runs), view.unallocated_usd])
    assert view.accrual_usd == pytest.approx(exact, rel=1e-12)


@settings(max_examples=60)
@given(
    table=tables(
        procurement="own",
        age_years=None,
        depreciation_method=None,
        storage_usd_per_tb=None,  # sized for each run: not one cluster
    ),
    method=st.sampled_from(METHODS),
    shares=st.lists(st.floats(0.001, 1), min_size=1, max_size=4),
    filled=st.floats(0.01, 1),
)
def test_runs_and_what_is_unallocated_add_up_to_the_accrual(
    table: dict[str, Any], method: str, shares: list[float], filled: float
) -> None:
    run = Scenario(**table)
    life = 12 * run.values["depreciation_years"]
    needed = [life * filled * share / sum(shares) for share in shares]
    hours = evaluate(run).metrics["wall_hours"]
    assert hours
    calendar = hours / (730 * run.values["utilization"])
    tokens = [run.values["tokens"] * months / calendar for months in needed]
    assume(all(1 <= count <= 1e18 for count in tokens))
    view = cash_view([run.replace(tokens=count) for count in tokens], method=method)
    exact = sum((Fraction(part.total_usd) for part in view.runs), Fraction(view.unallocated_usd))
    by_month = sum((Fraction(float(usd)) for usd in view.columns["accrual_usd"]), Fraction(0))
    assert float(by_month) == pytest.approx(float(exact), rel=1e-10, abs=1e-9)
    assert view.accrual_usd == pytest.approx(float(exact), rel=1e-10, abs=1e-9)
    opex = sum(part.opex_usd for part in view.runs)
    assert view.opex_usd == pytest.approx(opex, rel=1e-10, abs=1e-9)
    kinds = sum(view.columns[f"{kind}_usd"] for kind in RUNNING)
    assert view.columns["opex_usd"] == pytest.approx(kinds, rel=1e-12, abs=1e-12)
    for part in view.runs:
        assert part.charge_usd + part.opex_usd == pytest.approx(part.total_usd, rel=1e-9)
    cost = view.capex_usd + view.opex_usd - view.residual_usd
    assert view.cash_usd == pytest.approx(cost, rel=1e-9, abs=1e-9 * view.capex_usd)
    assert view.unallocated_usd >= -1e-9 * view.accrual_usd


def test_a_timeline_in_fractions() -> None:
    # 30 machines of 40,000 with 10% left after 3 years, used half the time; 2 runs of 9 and 12
    # months, so of 9·365 and 12·365 hours. A fifth of the time is waste.
    table = {
        **BARE,
        "accelerators": 30,
        "accelerator_price_usd": 40_000,
        "depreciation_years": 3,
        "utilization": 0.5,
        "staff_fte": 2,
        "staff_usd_per_fte_year": 87_600,
        "software_fixed_usd": 1200,
    }
    view = cash_view([lasting(9, **table), lasting(12, **{**table, "staff_fte": 5})])
    month = Fraction(30 * 40_000 * 9, 10 * 36)  # 30,000
    staff = [Fraction(fte * 87_600 * 365, 8760) for fte in (2, 5)]  # 7,300 and 18,250
    software = [Fraction(1200, months) for months in (9, 12)]
    paid = [staff[0] + software[0]] * 9 + [staff[1] + software[1]] * 12 + [Fraction(0)] * 15
    assert view.columns["opex_usd"] == pytest.approx([float(usd) for usd in paid], rel=1e-11)
    assert view.columns["accrual_usd"] == pytest.approx(
        [float(usd + month) for usd in paid], rel=1e-11
    )
    totals = [float(9 * month + sum(paid[:9])), float(12 * month + sum(paid[9:21]))]
    assert [run.total_usd for run in view.runs] == pytest.approx(totals, rel=1e-12)
    assert view.unallocated_usd == pytest.approx(float(15 * month), rel=1e-12)
    assert view.idle_share == pytest.approx(1 - Fraction(21, 72), rel=1e-12)
    assert view.cash_usd == pytest.approx(float(30 * 36_000 + sum(paid)), rel=1e-12)


def test_runs_that_fill_the_life_leave_nothing_unallocated() -> None:
    runs = [lasting(months, **OWN) for months in (20, 28)]
    view = cash_view(runs)
    assert view.runs[-1].end_month == view.months == 48
    assert abs(view.unallocated_usd) < 1e-8 * view.accrual_usd
    assert view.idle_share == pytest.approx(0.15, rel=1e-9)  # of the utilization
    assert sum(run.total_usd for run in view.runs) == pytest.approx(view.accrual_usd, rel=1e-9)


def test_the_first_run_begins_at_the_age_of_the_cluster() -> None:
    view = cash_view(Scenario(**{**OWN, "age_years": 1.25, "start_date": "2026-11"}))
    assert view.runs[0].start_month == 16
    assert view.dates[0] == "2025-08-01"
    assert view.dates[15] == "2026-11-01"
    assert view.columns["opex_usd"][:15].tolist() == [0.0] * 15


def test_a_later_run_follows_whatever_its_age_and_start_would_be() -> None:
    first = lasting(6, **{**OWN, "age_years": 1.25, "start_date": "2026-11"})
    second = lasting(2, **OWN)
    view = cash_view([first, second], method="sum-of-years")
    assert [(run.start_month, run.end_month) for run in view.runs] == [(16, 21), (22, 23)]
    older = second.replace(depreciation_method="sum-of-years", age_years=1.75)
    assert view.runs[1].total_usd == pytest.approx(evaluate(older).total_usd, rel=1e-12)


# Renting --------------------------------------------------------------------------------------


RENT = {**OWN, "procurement": "rent", "storage_usd_per_hour": 40}


def test_a_rented_cluster_has_running_costs_alone() -> None:
    first = lasting(2.5, **RENT)
    second = lasting(3, **{**RENT, "rental_usd_per_accelerator_hour": 1.5})
    view = cash_view([first, second], start_date="2026-11")
    assert view.months == 6
    assert [(run.start_month, run.end_month) for run in view.runs] == [(1, 3), (3, 6)]
    totals = [evaluate(run).total_usd for run in (first, second)]
    assert [run.total_usd for run in view.runs] == pytest.approx(totals, rel=1e-12)
    assert [run.opex_usd for run in view.runs] == pytest.approx(totals, rel=1e-12)
    assert view.opex_usd == pytest.approx(sum(totals), rel=1e-12)
    assert view.cash_usd == view.accrual_usd == view.opex_usd
    assert (view.capex_usd, view.depreciation_usd, view.residual_usd) == (0, 0, 0)
    assert view.unallocated_usd == 0
    assert view.columns["opex_usd"][:2] == pytest.approx(np.full(2, totals[0] / 2.5), rel=1e-9)
    assert view.idle_share == pytest.approx(0.5 / 6, rel=1e-9)
    assert {run.life_share for run in view.runs} == {0.0}


def test_a_rented_cluster_over_a_longer_timeline() -> None:
    run = Scenario(**RENT)
    view = cash_view(run, months=48)
    assert view.months == 48
    assert view.opex_usd == pytest.approx(evaluate(run).total_usd, rel=1e-12)


# What is refused ------------------------------------------------------------------------------


def test_runs_that_do_not_fit_the_life() -> None:
    run = lasting(30, **OWN)
    faults = faults_of(run, run)
    assert list(faults) == ["depreciation_years"]
    assert "60.0 months: 12.0 more than the life of 48.0" in faults["depreciation_years"]
    by_age = faults_of(run, run.replace(tokens=1e14), method="sum-of-years")
    assert "more than the life of 48.0" in by_age["depreciation_years"]
    older = faults_of(lasting(30, **{**OWN, "age_years": 2}))
    assert "30.0 months from an age of 24.0: 6.0 more" in older["depreciation_years"]


def test_runs_that_do_not_fit_the_timeline() -> None:
    run = lasting(30.5, **OWN)
    assert "give a whole number of months from 31" in faults_of(run, months=30)["months"]
    assert cash_view(run, months=31).months == 31
    endless = Scenario(**{**RENT, "accelerators": 1})
    assert "a timeline has at most 1,200" in faults_of(endless)["months"]


@pytest.mark.parametrize("months", [0, -3, 12.5, True, "48", math.nan, math.inf, 1201])
def test_months_that_are_none(months: Any) -> None:
    assert list(faults_of(Scenario(**OWN), months=months)) == ["months"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accelerators", 1024),
        ("accelerator", "b200-sxm"),
        ("accelerator_price_usd", 20_000),
        ("network_share", 0.2),
        ("depreciation_method", "annuity"),
        ("utilization", 0.5),
        ("facility_usd_per_kw", 5000),
        ("tdp_watts", 650),
        ("hot_spares", 8),
        ("discount_rate", 0.2),
        ("age_years", 1),
        ("start_date", "2027-01"),
    ],
)
def test_runs_of_two_clusters(field: str, value: Any) -> None:
    first = Scenario(**OWN)
    faults = faults_of(first, first, first.replace(**{field: value}))
    assert field in faults
    assert "(run 3)" in faults[field]
    shown = f'"{value}"' if isinstance(value, str) else f"{value:,}"
    assert shown in faults[field]


def test_all_that_two_clusters_differ_in_is_said_at_once() -> None:
    faults = faults_of(Scenario(**OWN), Scenario(**{**OWN, "pue": 1.5, "accelerators": 64}))
    assert list(faults) == ["accelerators"]
    both = faults_of(Scenario(**OWN), Scenario(**{**OWN, "network_price_usd": 1e6, "tdp_watts": 1}))
    assert {"network_price_usd", "network_share", "tdp_watts"} <= set(both)
    assert "it is not given" in both["network_share"]


def test_storage_that_is_sized_by_the_tokens_must_agree() -> None:
    first = Scenario(**{**OWN, "storage_usd_per_tb": 200})
    faults = faults_of(first, first.replace(tokens=20e12))
    assert "storage_capex_usd" in faults
    assert "give it in money" in faults["storage_capex_usd"]
    assert len(cash_view([first, first]).runs) == 2


def test_prices_of_the_time_may_differ() -> None:
    first = Scenario(**OWN)
    second = first.replace(electricity_usd_per_kwh=0.3, staff_fte=99, mfu=0.5, precision="fp8")
    dearer = cash_view([first, second])
    assert dearer.npv_usd > cash_view([first, second.replace(electricity_usd_per_kwh=0.1)]).npv_usd


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"method": "straight"}, "method"),
        ({"method": 3}, "method"),
        ({"start_date": "2026-13"}, "start_date"),
        ({"start_date": "November"}, "start_date"),
        ({"start_date": 2026}, "start_date"),
    ],
)
def test_arguments_out_of_place(options: dict[str, Any], field: str) -> None:
    assert list(faults_of(Scenario(**OWN), **options)) == [field]


def test_no_run_and_no_scenario() -> None:
    assert list(faults_of()) == ["runs"]
    assert list(faults_of(Scenario(**OWN), OWN)) == ["runs"]  # type: ignore[arg-type]


def test_a_facility_that_does_not_last_a_month() -> None:
    run = Scenario(**{**OWN, "facility_life_years": 0.05})
    assert list(faults_of(run)) == ["facility_life_years"]


# Currency -------------------------------------------------------------------------------------


TWD: dict[str, Any] = {"currency": "TWD", "currency_per_usd": 31.5, "currency_date": "2026-11-27"}


def test_amounts_in_another_currency() -> None:
    plain, view = cash_view(Scenario(**OWN)), cash_view(Scenario(**OWN, **TWD))
    assert view.npv_usd == plain.npv_usd
    data = view.to_dict()
    assert data["currency"]["code"] == "TWD"
    assert data["currency"]["per_usd"] == 31.5
    assert data["currency"]["date"] == "2026-11-27"
    assert data["currency"]["totals"]["npv"] == pytest.approx(31.5 * data["npv_usd"])
    assert data["currency"]["totals"].keys() == {
        name.removesuffix("_usd") for name in data if name.endswith("_usd")
    }
    usd, twd = view.to_frame(), view.to_frame(currency=True)
    assert twd["cash_twd"].to_numpy() == pytest.approx(31.5 * usd["cash_usd"].to_numpy())
    assert twd["discount_factor"].tolist() == usd["discount_factor"].tolist()
    assert not [name for name in twd if str(name).endswith("_usd")]
    assert twd.attrs["currency"] == {"code": "TWD", "per_usd": 31.5, "date": "2026-11-27"}
    assert usd.attrs["currency"]["code"] == "USD"


def test_a_currency_needs_a_rate_and_a_date() -> None:
    for money, field in [
        ({"currency": "TWD", "currency_date": "2026-11-27"}, "currency_per_usd"),
        ({"currency_per_usd": 31.5}, "currency_per_usd"),
        ({"currency": "TWD", "currency_per_usd": 31.5}, "currency_date"),
    ]:
        with pytest.raises(InputError, match=field):
            cash_view(Scenario(**OWN, **money))
    assert "currency" in faults_of(Scenario(**OWN), Scenario(**OWN, **TWD))


# How it is handed out -------------------------------------------------------------------------


def test_months_have_dates_from_a_start() -> None:
    view = cash_view(Scenario(**OWN), start_date="2026-11")
    assert view.dates[:3] == ("2026-11-01", "2026-12-01", "2027-01-01")
    assert len(view.dates) == 48
    assert view.dates == cash_view(Scenario(**OWN, start_date="2026-11")).dates
    frame = view.to_frame()
    assert frame["date"].iloc[-1] == pd.Timestamp("2030-10-01")
    without = cash_view(Scenario(**OWN))
    assert without.dates == ()
    assert without.to_frame()["date"].isna().all()
    assert without.to_dict()["start_date"] is None
    assert without.to_dict()["rows"][0]["date"] is None


def test_the_table_has_the_columns() -> None:
    view = cash_view([Scenario(**OWN)] * 2, start_date="2026-11")
    frame = view.to_frame()
    assert frame.index.tolist() == list(range(1, 49))
    assert frame.index.name == "month"
    assert frame.attrs["estimates"] == view.estimates
    data = view.to_dict()
    assert data["schema"] == "xl-tco/cash/1"
    assert len(data["rows"]) == data["months"] == 48
    assert data["rows"][3]["month"] == 4
    for name in view.columns:
        assert frame[name].tolist() == [row[name] for row in data["rows"]]
    assert data["runs"][1]["start_month"] >= data["runs"][0]["end_month"]
    assert data["cash_usd"] == pytest.approx(frame["cash_usd"].sum(), rel=1e-12)
    assert data["status"] == "estimate"
    cumulative = frame["cash_usd"].cumsum().tolist()
    assert frame["cumulative_cash_usd"].tolist() == pytest.approx(cumulative, rel=1e-12)


def test_plain_data_is_json() -> None:
    import json

    data = cash_view(Scenario(**OWN), months=12).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_it_says_what_is_estimated() -> None:
    table = {name: value for name, value in OWN.items() if name != "discount_rate"}
    view = cash_view(Scenario(**table))
    assert "discount_rate" in view.estimates
    assert "discount_rate" in cash_view(Scenario(**{**table, "procurement": "rent"})).estimates
    assert "discount_rate" not in cash_view(Scenario(**OWN)).estimates
    assert "waste_share" not in view.estimates
    assert view.status == "estimate"


def test_a_view_cannot_be_changed_and_can_be_sent() -> None:
    view = cash_view(Scenario(**OWN), months=20, start_date="2026-11", method="annuity")
    with pytest.raises(AttributeError):
        view.npv_usd = 0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        view.columns["cash_usd"][0] = 0
    with pytest.raises(TypeError):
        view.columns["cash_usd"] = np.zeros(20)  # type: ignore[index]
    assert pickle.loads(pickle.dumps(view)).to_dict() == view.to_dict()


def test_it_does_without_pandas() -> None:
    lines = [
        "import sys",
        "from xl_tco.analysis.cash import cash_view",
        "from xl_tco import Scenario",
        f"cash_view(Scenario(**{OWN!r})).to_dict()",
        "assert 'pandas' not in sys.modules",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, cwd=ROOT)


def test_the_columns_discount_as_they_say() -> None:
    view = cash_view(Scenario(**{**OWN, "facility_life_years": 1}))
    c = view.columns
    factor = c["discount_factor"]
    assert factor == pytest.approx([1.08 ** (-month / 12) for month in range(1, 49)], rel=1e-12)
    start = np.concatenate([[1.0], factor[:-1]])
    present = c["capex_usd"] * start + (c["opex_usd"] - c["residual_usd"]) * factor
    assert c["present_usd"] == pytest.approx(present, rel=1e-12)
    assert cash.monthly_discount_factor(0.08, 48) == pytest.approx(factor[-1], rel=1e-12)

"""Discounting against numpy-financial, and against what the worksheet functions give."""

from fractions import Fraction

import formualizer
import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import cash

rates = st.floats(-0.5, 1).filter(lambda rate: abs(rate) > 1e-6)
flow_lists = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def test_npv_of_the_worksheet_function() -> None:
    # Microsoft's documentation of NPV, first example: 1,188.44, the purchase a year from today.
    flows = [-10_000.0, 3_000.0, 4_200.0, 6_800.0]
    after = cash.npv_first_after_one_period_usd(0.1, flows)  # type: ignore[arg-type]
    assert after == pytest.approx(1188.44, abs=0.005)
    # The second: 1,922.06 with the purchase today, outside the function.
    later = [8_000.0, 9_200.0, 10_000.0, 12_000.0, 14_500.0]
    bought = cash.npv_first_after_one_period_usd(0.08, later)  # type: ignore[arg-type]
    assert bought - 40_000 == pytest.approx(1922.06, abs=0.005)
    now = cash.npv_first_now_usd(0.08, [-40_000.0, *later])  # type: ignore[arg-type]
    assert now == pytest.approx(1922.06, abs=0.005)


def test_npv_as_the_engine_of_the_workbook_has_it() -> None:
    book = formualizer.Workbook()
    book.add_sheet("S")
    book.set_formula("S", 1, 1, "=NPV(0.07,-500,120,0,310,250)")
    flows = np.array([-500.0, 120.0, 0.0, 310.0, 250.0])
    mine = cash.npv_first_after_one_period_usd(0.07, flows)
    assert mine == pytest.approx(book.evaluate_cell("S", 1, 1), rel=1e-12)


@given(rate=rates, flows=flow_lists)
def test_npv_from_today_is_that_of_numpy_financial(rate: float, flows: list[float]) -> None:
    column = np.array(flows)
    size = float(np.sum(np.abs(column) * (1 + rate) ** -np.arange(len(flows)))) + 1
    npv = cash.npv_first_now_usd(rate, column)
    assert type(npv) is float
    assert npv == pytest.approx(float(npf.npv(rate, column)), abs=1e-11 * size)
    after = cash.npv_first_after_one_period_usd(rate, column)
    assert after * (1 + rate) == pytest.approx(npv, abs=1e-11 * size)


def test_rates_and_rows_of_flows_broadcast() -> None:
    flows = np.arange(12.0).reshape(3, 4)
    npv = np.asarray(cash.npv_first_now_usd(np.array([0.0, 0.1, 0.2]), flows))
    assert npv.shape == (3,)
    assert npv.tolist() == [cash.npv_first_now_usd(i / 10, flows[i]) for i in range(3)]
    many = np.asarray(cash.npv_first_now_usd(np.array([[0.0], [0.1]]), flows))
    assert many.shape == (2, 3)
    assert many[0].tolist() == flows.sum(axis=1).tolist()


@given(rate=rates, years=st.floats(0.5, 60))
def test_capital_recovery_is_the_payment_of_a_loan(rate: float, years: float) -> None:
    payment = -float(npf.pmt(rate, years, 1.0))
    assert cash.capital_recovery_factor(rate, years) == pytest.approx(payment, rel=1e-9)
    worth = -float(npf.pv(rate, years, 1.0))
    assert cash.annuity_factor(rate, years) == pytest.approx(worth, rel=1e-9)
    cost = cash.equivalent_annual_cost_usd(5e6, rate, years)
    assert cost == pytest.approx(5e6 * payment, rel=1e-9)


@pytest.mark.parametrize("rate", [0.0, 1e-15, -1e-12, 1e-9])
def test_near_no_interest_the_cost_is_spread_evenly(rate: float) -> None:
    assert cash.capital_recovery_factor(rate, 4.0) == pytest.approx(0.25, rel=1e-8)


def test_rates_with_and_without_interest_in_one_array() -> None:
    factors = np.asarray(cash.capital_recovery_factor(np.array([0.0, 0.1]), 2.0))
    assert factors == pytest.approx([0.5, 0.1 * 1.21 / 0.21], rel=1e-12)


def test_equivalent_annual_cost_of_a_textbook() -> None:
    # By hand, with annuity tables: 28.37 at 6% over three years is 10.61 a year.
    assert cash.equivalent_annual_cost_usd(28.37, 0.06, 3.0) == pytest.approx(10.61, abs=0.005)


@given(rate=rates, months=st.floats(0, 600))
def test_months_and_years_agree(rate: float, months: float) -> None:
    monthly = cash.monthly_rate(rate)
    assert (1 + monthly) ** 12 == pytest.approx(1 + rate, rel=1e-12)
    by_month = cash.discount_factor(monthly, months)
    assert cash.monthly_discount_factor(rate, months) == pytest.approx(by_month, rel=1e-11)
    assert cash.discount_factor(rate, months / 12) == pytest.approx(by_month, rel=1e-11)


def test_a_month_is_a_twelfth_of_a_year() -> None:
    assert cash.HOURS_PER_MONTH * cash.MONTHS_PER_YEAR == 8760


@given(
    start=st.floats(0, 60),
    length=st.floats(0, 60).filter(lambda length: length == 0 or length > 1e-9),
)
def test_shares_of_months_as_in_fractions(start: float, length: float) -> None:
    end = start + length
    months = 121
    shares = np.asarray(cash.month_shares(start, end, months))
    assert shares.shape == (months,)
    assert shares.sum() == pytest.approx(1, rel=1e-12)
    if end == start:
        assert np.flatnonzero(shares).tolist() == [int(start)]
        return
    begin, finish = Fraction(start), Fraction(end)
    by_hand = [
        max(min(finish, Fraction(m + 1)) - max(begin, Fraction(m)), Fraction(0)) / (finish - begin)
        for m in range(months)
    ]
    assert shares == pytest.approx([float(share) for share in by_hand], rel=1e-9, abs=1e-9)


def test_shares_of_months_of_several_spans() -> None:
    shares = np.asarray(cash.month_shares(np.array([0.0, 1.5]), np.array([1.5, 3.5]), 4))
    assert shares.tolist() == [[2 / 3, pytest.approx(1 / 3), 0, 0], [0, 0.25, 0.5, 0.25]]
    beyond = np.asarray(cash.month_shares(1.0, 5.0, 3))
    assert beyond.tolist() == [0, 0.25, 0.25]

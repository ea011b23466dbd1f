"""Decisions: closed forms against the forward functions that they invert."""

import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import capital, compute, decisions, time

prices = st.floats(0.1, 100)
uses = st.floats(0.02, 1)
shares = st.floats(0, 0.9)
totals = st.floats(1e3, 1e9)


@pytest.mark.parametrize(("rent", "share"), [(2.00, 0.92), (2.95, 0.61), (4.00, 0.445)])
def test_break_even_of_one_accelerator(rent: float, share: float) -> None:
    # One four-year case: 1.72 USD an hour of fixed cost and 0.13 of electricity; owning pays above
    # 92% at 2 USD an hour, 61% at 2.95 and 45% at 4.
    fixed = decisions.own_fixed_usd_per_year(54_000, 4, upkeep_usd_per_year=1567.2)
    assert fixed / 8760 == pytest.approx(1.72, rel=1e-4)
    assert decisions.break_even_utilization(fixed, 0.13, rent) == pytest.approx(share, abs=0.005)


@given(fixed=st.floats(1, 1e6), running=st.floats(0, 10), margin=prices, off=st.floats(0.5, 2))
def test_at_break_even_both_cost_the_same(
    fixed: float, running: float, margin: float, off: float
) -> None:
    rent = running + margin
    use = decisions.break_even_utilization(fixed, running, rent)
    assert decisions.own_usd_per_hour(fixed, running, use) == pytest.approx(rent, rel=1e-9)
    owned = decisions.own_usd_per_hour(fixed, running, use * off)
    assert (owned <= rent * (1 + 1e-9)) if off >= 1 else (owned >= rent * (1 - 1e-9))


def test_rent_below_the_running_cost_is_never_beaten() -> None:
    rents = np.array([0.1, 0.13, 0.14])
    shares = np.asarray(decisions.break_even_utilization(15_000, 0.13, rents))
    assert np.isinf(shares).tolist() == [True, True, False]
    assert shares[2] == pytest.approx(15_000 / 8760 / 0.01)


@given(capex=totals, years=st.integers(1, 15), residual=shares, use=uses)
def test_owning_without_interest_is_the_straight_line(
    capex: float, years: int, residual: float, use: float
) -> None:
    fixed = decisions.own_fixed_usd_per_year(capex, years, residual)
    hour = decisions.own_usd_per_hour(fixed, 0.0, use)
    line = capital.amortization_usd(capex, 1.0, years, use, residual)
    assert hour == pytest.approx(line, rel=1e-9)


def test_owning_at_interest_is_a_loan() -> None:
    fixed = decisions.own_fixed_usd_per_year(1e6, 4, 0.1, 0.08, 5_000)
    assert fixed == pytest.approx(5_000 - float(npf.pmt(0.08, 4, 1e6, -1e5)), rel=1e-12)


# Months


def test_months_by_hand() -> None:
    assert decisions.break_even_months(120_000, 1_000, 11_000) == pytest.approx(12, rel=1e-14)
    assert decisions.break_even_months(120_000, 11_000, 11_000) == np.inf
    assert decisions.break_even_months(120_000, 12_000, 11_000) == np.inf
    # Interest of 1% a month on 1.2 million is what is saved: the price is never paid back.
    assert decisions.break_even_months(1.2e6, 0, 12_000, 0.01) == np.inf


@given(capex=totals, months=st.floats(1, 200), rate=st.floats(1e-5, 0.03))
def test_months_are_the_payments_of_a_loan(capex: float, months: float, rate: float) -> None:
    saving = -float(npf.pmt(rate, months, capex))
    assert decisions.break_even_months(capex, 500, 500 + saving, rate) == pytest.approx(
        months, rel=1e-5
    )
    assert decisions.break_even_months(capex, 500, 500 + saving) <= months * (1 + 1e-9)


def test_months_of_many_offers_at_once() -> None:
    rates = np.array([0.0, 0.01, 0.2])
    months = np.asarray(decisions.break_even_months(100_000, 0, 10_000, rates))
    assert months == pytest.approx([10, -np.log(0.9) / np.log(1.01), np.inf])


# Inverses of the time


@given(
    flops=st.floats(1e18, 1e26),
    deadline=st.floats(1, 1e4),
    mfu=st.floats(0.05, 0.8),
    waste=shares,
    share=shares,
)
def test_fewest_accelerators_that_finish_in_time(
    flops: float, deadline: float, mfu: float, waste: float, share: float
) -> None:
    number = decisions.accelerators_for_deadline(flops, deadline, 989.4, mfu, waste, share)
    assert number >= 1

    def wall(accelerators: float) -> float:
        productive = time.productive_hours(flops, accelerators, 989.4, mfu, share)
        return float(time.wall_hours(productive, waste))

    assert wall(float(number)) <= deadline * (1 + 1e-11)
    if number > 1:
        assert wall(float(number) - 1) > deadline * (1 - 1e-11)


def test_a_whole_number_of_accelerators_is_not_rounded_up() -> None:
    flops = compute.model_flops(70e9, 1.4e12)
    for accelerators in (1.0, 3.0, 1000.0, 16_384.0):
        hours = time.wall_hours(time.productive_hours(flops, accelerators, 989.4, 0.4), 0.1)
        seen = decisions.accelerators_for_deadline(flops, hours, 989.4, 0.4, 0.1)
        assert seen == accelerators


def test_llama_3_1_in_54_days() -> None:
    # 3.8e25 FLOPs at the 38 to 43% MFU of the paper on 16,384 H100: some 70 days, so that 54 days
    # take more of them.
    hours = time.productive_hours(3.8e25, 16_384, 989.4, 0.40)
    assert hours / 24 == pytest.approx(68, abs=1)
    number = decisions.accelerators_for_deadline(3.8e25, 54 * 24, 989.4, 0.40)
    assert number == pytest.approx(16_384 * hours / 24 / 54, abs=1)


@given(flops=st.floats(1e18, 1e26), mfu=st.floats(0.05, 0.8), waste=shares, share=shares)
def test_mfu_of_a_deadline_is_the_inverse(
    flops: float, mfu: float, waste: float, share: float
) -> None:
    hours = time.wall_hours(time.productive_hours(flops, 1024, 989.4, mfu, share), waste)
    back = decisions.mfu_for_deadline(flops, hours, 1024, 989.4, waste, share)
    assert back == pytest.approx(mfu, rel=1e-12)


# Inverses of the total: a run that costs a plain sum, and the rest by its hours on the clock


def rented(
    tokens: float, mfu: float, price: float, waste: float, fixed: float
) -> tuple[float, float]:
    """Total and rent of a run on 512 accelerators with 300 USD an hour of staff."""
    productive = time.productive_hours(compute.model_flops(70e9, tokens), 512, 989.4, mfu)
    hours = time.wall_hours(productive, waste)
    rent = float(capital.rental_usd(512, hours, price, 0.2))
    return rent + 300 * float(hours) + fixed, rent


runs = {
    "mfu": st.floats(0.1, 0.7),
    "price": prices,
    "waste": shares,
    "fixed": st.floats(0, 1e6),
    "factor": st.floats(0.1, 10),
}


@given(**runs)
def test_budget_mfu_and_rent_invert_the_total(
    mfu: float, price: float, waste: float, fixed: float, factor: float
) -> None:
    total, rent = rented(1.4e12, mfu, price, waste, fixed)

    budget, _ = rented(1.4e12 * factor, mfu, price, waste, fixed)
    tokens = decisions.tokens_for_budget(budget, 1.4e12, total, fixed)
    assert tokens == pytest.approx(1.4e12 * factor, rel=1e-9)
    parameters = decisions.parameters_for_budget(budget, 70e9, total, fixed)
    assert parameters == pytest.approx(70e9 * factor, rel=1e-9)
    flops = decisions.flops_for_budget(budget, 5.88e23, total, fixed)
    assert flops == pytest.approx(5.88e23 * factor, rel=1e-9)

    target, _ = rented(1.4e12, mfu * factor, price, waste, fixed)
    assert decisions.mfu_for_total(target, mfu, total, fixed) == pytest.approx(
        mfu * factor, rel=1e-9
    )
    target, _ = rented(1.4e12, mfu, price * factor, waste, fixed)
    assert decisions.rental_price_for_total(target, price, rent, total) == pytest.approx(
        price * factor, rel=1e-6
    )


def test_what_no_efficiency_reaches() -> None:
    targets = np.array([50.0, 100.0, 200.0, 1000.0])
    wanted = np.asarray(decisions.mfu_for_total(targets, 0.4, 500.0, 100.0))
    assert wanted.tolist() == [np.inf, np.inf, 1.6, pytest.approx(0.4 * 4 / 9)]
    tokens = np.asarray(decisions.tokens_for_budget(targets, 1e12, 500.0, 100.0))
    assert tokens.tolist() == [0, 0, 0.25e12, 2.25e12]
    # The rest of the total alone is above the target: one would have to be paid to rent.
    assert decisions.rental_price_for_total(100.0, 2.0, 300.0, 500.0) < 0

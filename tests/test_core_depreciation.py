"""Depreciation against the worksheet functions, numpy-financial, and the source's own formula."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import formualizer
import numpy as np
import numpy_financial as npf
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libreoffice import LibreOffice
from xl_tco.core import capital, depreciation

YEAR = 8760.0

lives = st.floats(1, 15)
ages = st.floats(0, 20)
residuals = st.floats(0, 0.9)
# numpy-financial divides by zero at a rate of 1e-33.
rates = st.floats(0, 0.4).map(lambda rate: 0.0 if rate < 1e-6 else rate)

METHODS: dict[str, Callable[..., Any]] = {
    "annuity": lambda hours, age, life, use, residual: depreciation.annuity_principal_usd(
        1e6, hours, age, life, 0.08, use, residual
    ),
    "declining balance": lambda hours, age, life, use, residual: depreciation.declining_balance_usd(
        1e6, hours, age, life, use, residual
    ),
    "sum of years": lambda hours, age, life, use, residual: depreciation.sum_of_years_usd(
        1e6, hours, age, life, use, residual
    ),
}
VALUES: dict[str, Callable[..., Any]] = {
    "straight line": depreciation.straight_line_value_usd,
    "annuity": lambda capex, age, life, residual: depreciation.annuity_value_usd(
        capex, age, life, 0.08, residual
    ),
    "declining balance": depreciation.declining_balance_value_usd,
    "sum of years": depreciation.sum_of_years_value_usd,
}


def of_the_engine(formulas: list[str]) -> list[float]:
    book = formualizer.Workbook()
    book.add_sheet("S")
    for row, formula in enumerate(formulas, 1):
        book.set_formula("S", row, 1, formula)
    return [book.evaluate_cell("S", row, 1) for row in range(1, len(formulas) + 1)]


# Against published values and other programs. The formulas know no unit of the life: months do.


@pytest.mark.parametrize(
    ("life", "start", "end", "factor", "expected"),
    [
        (10 * 365, 0, 1, 2, 1.32),
        (10 * 12, 0, 1, 2, 40.00),
        (10, 0, 1, 2, 480.00),
        (10 * 12, 6, 18, 2, 396.31),
        (10 * 12, 6, 18, 1.5, 311.81),
        (10, 0, 0.875, 1.5, 315.00),
    ],
)
def test_vdb_of_the_documentation(
    life: float, start: float, end: float, factor: float, expected: float
) -> None:
    # Microsoft's documentation of VDB: 2,400 less a residual of 300.
    begin, finish = (
        depreciation.declining_balance_value_usd(2400, age, life, 0.125, factor)
        for age in (start, end)
    )
    assert begin - finish == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("period", "expected"), [(1, 480.00), (2, 384.00), (10, 22.12)])
def test_ddb_of_the_documentation(period: int, expected: float) -> None:
    # Microsoft's documentation of DDB: years 1 and 10; year 2 by hand.
    charge = depreciation.declining_balance_usd(2400, YEAR, period - 1, 10, 1, 0.125, switch=0)
    assert charge == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("period", "expected"), [(1, 4090.91), (10, 409.09)])
def test_syd_of_the_documentation(period: int, expected: float) -> None:
    charge = depreciation.sum_of_years_usd(30_000, YEAR, period - 1, 10, 1, 0.25)
    assert charge == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("life", [3, 4, 7])
@pytest.mark.parametrize("residual", [0.0, 0.1, 0.4])
def test_years_as_the_engine_of_the_workbook_has_them(life: int, residual: float) -> None:
    years = np.arange(float(life))
    arguments = f"1000000,{1e6 * residual},{life}"
    digits = of_the_engine([f"=SYD({arguments},{n})" for n in range(1, life + 1)])
    mine = np.asarray(depreciation.sum_of_years_usd(1e6, YEAR, years, life, 1, residual))
    assert mine == pytest.approx(digits, rel=1e-10)
    for factor in (1.5, 2.0, 5.0):
        ddb = of_the_engine([f"=DDB({arguments},{n},{factor})" for n in range(1, life + 1)])
        mine = np.asarray(
            depreciation.declining_balance_usd(1e6, YEAR, years, life, 1, residual, factor, 0)
        )
        assert mine == pytest.approx(ddb, rel=1e-10, abs=1e-6)


def test_vdb_as_libreoffice_has_it(libreoffice: LibreOffice, tmp_path: Path) -> None:
    cases = [
        (life, residual, start, start + length, factor, switch)
        for life in (3, 4, 8)
        for residual in (0.0, 0.125, 0.5)
        for start, length in ((0, 1), (1, 1), (2, 1), (0, 2.5), (0, life))
        for factor in (1.5, 2.0)
        for switch in (0, 1)
        if start + length <= life
    ]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for life, residual, start, end, factor, switch in cases:
        no_switch = "FALSE()" if switch else "TRUE()"
        arguments = f"1000,{1000 * residual},{life},{start},{end},{factor},{no_switch}"
        sheet.append([f"=VDB({arguments})"])
    path = tmp_path / "vdb.xlsx"
    book.save(path)
    (seen,) = libreoffice.recalculated([path])
    wanted = [row[0] for row in seen.worksheets[0].iter_rows(values_only=True)]
    life, residual, start, end, factor, switch = (
        np.array(column) for column in zip(*cases, strict=True)
    )
    values = [
        np.asarray(
            depreciation.declining_balance_value_usd(1000, age, life, residual, factor, switch)
        )
        for age in (start, end)
    ]
    assert values[0] - values[1] == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(life=st.integers(1, 30), rate=rates, residual=residuals)
def test_annual_payment_is_that_of_a_loan(life: int, rate: float, residual: float) -> None:
    payment = -float(npf.pmt(rate, life, 1e6, -1e6 * residual))
    mine = depreciation.annual_payment_usd(1e6, life, rate, residual)
    assert mine == pytest.approx(payment, rel=1e-8)
    assert depreciation.annuity_usd(1e6, YEAR, 0, life, rate, 1, residual) == pytest.approx(
        payment, rel=1e-8
    )


@pytest.mark.parametrize("rate", [0.03, 0.08, 0.25])
@pytest.mark.parametrize("residual", [0.0, 0.2])
def test_annuity_parts_are_principal_and_interest(rate: float, residual: float) -> None:
    years = np.arange(5.0)
    principal = np.asarray(
        depreciation.annuity_principal_usd(1e6, YEAR, years, 5, rate, 1, residual)
    )
    assert principal == pytest.approx(
        -npf.ppmt(rate, years + 1, 5, 1e6, -1e6 * residual), rel=1e-10
    )
    interest = (
        np.asarray(depreciation.annuity_usd(1e6, YEAR, years, 5, rate, 1, residual)) - principal
    )
    assert interest == pytest.approx(-npf.ipmt(rate, years + 1, 5, 1e6, -1e6 * residual), rel=1e-9)


@given(life=st.integers(1, 30), rate=rates, residual=residuals)
def test_discounted_payments_and_residual_are_the_price(
    life: int, rate: float, residual: float
) -> None:
    payment = depreciation.annual_payment_usd(1e6, life, rate, residual)
    flows = [0.0, *[payment] * (life - 1), payment + 1e6 * residual]
    assert float(npf.npv(rate, flows)) == pytest.approx(1e6, rel=1e-8)


@given(life=lives, residual=residuals, use=st.floats(0.05, 1), hours=st.floats(1, 1e4))
def test_without_interest_an_annuity_is_the_straight_line(
    life: float, residual: float, use: float, hours: float
) -> None:
    hours = min(hours, life * YEAR * use)
    line = capital.amortization_usd(1e6, hours, life, use, residual)
    assert depreciation.annuity_usd(1e6, hours, 0, life, 0, use, residual) == pytest.approx(
        line, rel=1e-9
    )
    value = depreciation.straight_line_value_usd(
        1e6, depreciation.run_years(hours, use), life, residual
    )
    assert 1e6 - value == pytest.approx(line, rel=1e-9, abs=1e-6)


def test_epochs_formula() -> None:
    # Cottier et al. 2024: value at the start times hours over 8,760 times 0.14 times ln 10: two
    # years after its launch a chip of 30,000 is worth 15,744, and 90 days of it cost 1,251.
    assert depreciation.exponential_value_usd(30_000, 2) == pytest.approx(15_744, abs=1)
    charge = depreciation.epoch_amortization_usd(30_000, 90 * 24, 2)
    assert charge == pytest.approx(15_744.2 * 2160 / 8760 * 0.14 * 2.302585, rel=1e-5)
    exact = depreciation.exponential_usd(30_000, 90 * 24, 2)
    assert exact == pytest.approx(15_744.2 * (1 - 10 ** (-0.14 * 90 / 365)), rel=1e-5)
    month = depreciation.epoch_amortization_usd(1, 730) / depreciation.exponential_usd(1, 730)
    assert month == pytest.approx(1.013, abs=5e-4)
    # A run of no length is charged at the rate of the formula.
    ratio = depreciation.epoch_amortization_usd(1, 1e-3) / depreciation.exponential_usd(1, 1e-3)
    assert ratio == pytest.approx(1, rel=1e-6)


# What holds of every method


@pytest.mark.parametrize("method", METHODS)
@given(
    life=lives,
    residual=residuals,
    use=st.floats(0.05, 1),
    cuts=st.lists(st.floats(0, 1), min_size=1, max_size=6),
)
def test_runs_of_a_life_add_up_to_the_price_less_the_residual(
    method: str, life: float, residual: float, use: float, cuts: list[float]
) -> None:
    edges = np.array([0.0, *sorted(cuts), 1.0]) * life
    hours = np.diff(edges) * YEAR * use
    charges = np.asarray(METHODS[method](hours, edges[:-1], life, use, residual))
    assert charges.sum() == pytest.approx(1e6 * (1 - residual), rel=1e-9)
    assert (charges >= -1e-6).all()


@pytest.mark.parametrize("method", METHODS)
@given(life=lives, residual=residuals, age=ages)
def test_nothing_is_charged_beyond_the_life(
    method: str, life: float, residual: float, age: float
) -> None:
    late = METHODS[method](1000.0, life + age, life, 1.0, residual)
    assert late == pytest.approx(0, abs=1e-6)
    assert depreciation.annuity_usd(1e6, 1000, life + age, life, 0.1, 1, residual) == 0


@pytest.mark.parametrize("method", VALUES)
@given(life=lives, residual=residuals, age=ages, later=ages)
def test_value_falls_from_price_to_residual(
    method: str, life: float, residual: float, age: float, later: float
) -> None:
    value = VALUES[method]
    assert value(1e6, 0.0, life, residual) == pytest.approx(1e6, rel=1e-12)
    assert value(1e6, life, life, residual) == pytest.approx(1e6 * residual, rel=1e-9, abs=1e-6)
    now, then = value(1e6, age, life, residual), value(1e6, age + later, life, residual)
    assert 1e6 * residual - 1e-6 <= then <= now + 1e-6 <= 1e6 + 2e-6


@given(life=lives, residual=residuals, age=ages)
def test_without_the_switch_more_may_be_left(life: float, residual: float, age: float) -> None:
    ddb = depreciation.declining_balance_value_usd(1e6, age, life, residual, 2, 0)
    vdb = depreciation.declining_balance_value_usd(1e6, age, life, residual, 2, 1)
    assert ddb >= vdb - 1e-6


def test_double_declining_leaves_a_remainder_at_the_end() -> None:
    left = depreciation.declining_balance_value_usd(1e6, 4, 4, 0, 2, 0)
    assert left == pytest.approx(1e6 * 0.5**4, rel=1e-12)


@given(age=ages, hours=st.floats(1, 1e5), use=st.floats(0.05, 1), orders=st.floats(0.01, 1))
def test_decay_leaves_what_it_does_not_charge(
    age: float, hours: float, use: float, orders: float
) -> None:
    charge = depreciation.exponential_usd(1e6, hours, age, use, orders)
    end = age + hours / YEAR / use
    left = depreciation.exponential_value_usd(1e6, end, orders)
    whole = depreciation.exponential_value_usd(1e6, age, orders)
    assert charge + left == pytest.approx(whole, rel=1e-12)
    assert charge <= depreciation.epoch_amortization_usd(1e6, hours, age, use, orders) * (1 + 1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_an_array_gives_what_its_numbers_give(method: str) -> None:
    life = np.array([[1.0], [3.5], [8.0]])
    age = np.array([0.0, 0.5, 2.0, 9.0])
    grid = np.asarray(METHODS[method](2000.0, age, life, 0.8, 0.1))
    assert grid.shape == (3, 4)
    alone = [[METHODS[method](2000.0, a, n, 0.8, 0.1) for a in age] for n in life[:, 0]]
    assert grid == pytest.approx(np.array(alone), rel=1e-12, abs=1e-9)
    assert type(METHODS[method](2000.0, 0.0, 4.0, 0.8, 0.1)) is float

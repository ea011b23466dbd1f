"""What hardware is still worth at an age, and what a run is charged for the loss in between.

Every method gives a book value by age, and charges a run the value at its beginning less that at
its end. So the charges of successive runs never overlap: over the life they add up to the price
less the residual. A run of ``hours`` of use takes ``hours / (8760 · utilization)`` years of the
asset's age, since idle hours are paid by the others. An age beyond the life is charged nothing.

Straight line, the same at any age, is `xl_tco.core.capital.amortization_usd`. Each year of a
declining method is written off evenly over the year, as spreadsheets do with a part of a period.

References
----------
.. [1] Microsoft, documentation of the worksheet functions DDB, VDB, SYD and PMT.
.. [2] OASIS 2021, "OpenDocument 1.3, part 4: OpenFormula", 6.12 (VDB with parts of periods).
.. [3] Cottier et al. 2024, "The rising costs of training frontier AI models", arXiv:2405.21015
   (hardware loses 0.14 orders of magnitude of its value a year).
"""

from __future__ import annotations

import math

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.capital import HOURS_PER_YEAR
from xl_tco.core.cash import annuity_factor, capital_recovery_factor, discount_factor

__all__ = [
    "EPOCH_ORDERS_PER_YEAR",
    "annual_payment_usd",
    "annuity_principal_usd",
    "annuity_usd",
    "annuity_value_usd",
    "declining_balance_usd",
    "declining_balance_value_usd",
    "epoch_amortization_usd",
    "exponential_usd",
    "exponential_value_usd",
    "run_years",
    "straight_line_value_usd",
    "sum_of_years_usd",
    "sum_of_years_value_usd",
]

EPOCH_ORDERS_PER_YEAR = 0.14
"""Orders of magnitude of price-performance that accelerators gain a year [3]_."""


@elementwise
def run_years(hours: Real, utilization: Real = 1.0) -> Real:
    """Years by which an asset ages for ``hours`` of use, idle time included."""
    return hours / (HOURS_PER_YEAR * utilization)


@elementwise
def straight_line_value_usd(
    capex_usd: Real, age_years: Real, depreciation_years: Real, residual_share: Real = 0.0
) -> Real:
    """Book value under straight-line depreciation, USD."""
    used = np.clip(age_years / depreciation_years, 0.0, 1.0)
    return capex_usd * (1.0 - (1.0 - residual_share) * used)


# Annuity


@elementwise
def annual_payment_usd(
    capex_usd: Real, depreciation_years: Real, discount_rate: Real, residual_share: Real = 0.0
) -> Real:
    """Level payment at the end of each year that recovers price and interest: −PMT [1]_, USD.

    Arguments as in `annuity_usd`; a discount rate of 0 makes it the straight line.
    """
    residual = residual_share * discount_factor(discount_rate, depreciation_years)
    recovery = capital_recovery_factor(discount_rate, depreciation_years)
    return capex_usd * (1.0 - residual) * recovery


@elementwise
def annuity_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real,
    depreciation_years: Real,
    discount_rate: Real,
    utilization: Real = 1.0,
    residual_share: Real = 0.0,
) -> Real:
    """Charge to a run with the cost of capital: its share of the annual payments.

    The same at any age. Over the life it adds up to *more* than the price less the residual, by the
    interest: only discounted to the purchase do the payments add up to the price less the residual.
    `annuity_principal_usd` is the part that is depreciation.

    Parameters
    ----------
    capex_usd
        Purchase price.
    hours
        Hours that the run occupies the asset.
    age_years
        Age of the asset when the run begins.
    depreciation_years
        Life, years of 8,760 hours.
    discount_rate
        Cost of capital a year.
    utilization
        Share of a year's hours in which the asset does useful work.
    residual_share
        Share of the price recovered at the end of the life.

    Returns
    -------
    USD.
    """
    payment = annual_payment_usd(capex_usd, depreciation_years, discount_rate, residual_share)
    end = age_years + run_years(hours, utilization)
    within = np.minimum(end, depreciation_years) - np.minimum(age_years, depreciation_years)
    return payment * within


@elementwise
def annuity_value_usd(
    capex_usd: Real,
    age_years: Real,
    depreciation_years: Real,
    discount_rate: Real,
    residual_share: Real = 0.0,
) -> Real:
    """Principal not yet recovered by the payments up to an age: it falls slowly, then fast, USD.

    What the payments still to come and the residual are worth then. Grown from the price less the
    payments made, it would lose every digit over a long life at a high rate.
    """
    left = depreciation_years - np.clip(age_years, 0.0, depreciation_years)
    payment = annual_payment_usd(capex_usd, depreciation_years, discount_rate, residual_share)
    residual = capex_usd * residual_share * discount_factor(discount_rate, left)
    return payment * annuity_factor(discount_rate, left) + residual


@elementwise
def annuity_principal_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real,
    depreciation_years: Real,
    discount_rate: Real,
    utilization: Real = 1.0,
    residual_share: Real = 0.0,
) -> Real:
    """Part of `annuity_usd` that is depreciation; the rest is interest. Arguments as there, USD."""
    end = age_years + run_years(hours, utilization)
    before = annuity_value_usd(
        capex_usd, age_years, depreciation_years, discount_rate, residual_share
    )
    after = annuity_value_usd(capex_usd, end, depreciation_years, discount_rate, residual_share)
    return before - after


# Declining balance


@elementwise
def declining_balance_value_usd(
    capex_usd: Real,
    age_years: Real,
    depreciation_years: Real,
    residual_share: Real = 0.0,
    factor: Real = 2.0,
    switch: Real = 1.0,
) -> Real:
    """Book value when each year takes the same share of what is left: DDB and VDB [1]_, [2]_.

    Parameters
    ----------
    capex_usd, age_years, depreciation_years
        Price, age, and life.
    residual_share
        Share of the price below which the value does not fall.
    factor
        Yearly share times the life: 2 is double declining.
    switch
        1 goes over to the straight line in the year in which that takes more, and so ends at the
        residual (VDB); 0 never does (DDB) and may leave more than the residual at the end.

    Returns
    -------
    USD.
    """
    residual = capex_usd * residual_share
    rate = np.minimum(factor / depreciation_years, 1.0)
    book = value = capex_usd
    for year in range(math.ceil(np.max(depreciation_years, initial=0.0))):
        left = depreciation_years - year
        length = np.clip(left, 0.0, 1.0)
        some = np.where(length > 0.0, length, 1.0)
        line = np.where(switch != 0.0, (book - residual) / np.maximum(left, some), 0.0)
        charge = np.minimum(np.maximum(book * rate, line) * length, book - residual)
        value = value - charge * np.clip((age_years - year) / some, 0.0, 1.0)
        book = book - charge
    return value


@elementwise
def declining_balance_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real,
    depreciation_years: Real,
    utilization: Real = 1.0,
    residual_share: Real = 0.0,
    factor: Real = 2.0,
    switch: Real = 1.0,
) -> Real:
    """Charge to a run by declining balance: the young asset bears most of it, USD.

    Arguments as in `annuity_usd` and `declining_balance_value_usd`.
    """
    end = age_years + run_years(hours, utilization)
    method = (depreciation_years, residual_share, factor, switch)
    before = declining_balance_value_usd(capex_usd, age_years, *method)
    return before - declining_balance_value_usd(capex_usd, end, *method)


# Sum of years' digits


@elementwise
def sum_of_years_value_usd(
    capex_usd: Real, age_years: Real, depreciation_years: Real, residual_share: Real = 0.0
) -> Real:
    """Book value by the sum of the years' digits, SYD [1]_, USD; any life ends at the residual."""

    def digits(age: Real) -> Real:
        full = np.floor(age)
        in_full = full * (2.0 * depreciation_years - full + 1.0) / 2.0
        return in_full + (age - full) * (depreciation_years - full)

    used = digits(np.clip(age_years, 0.0, depreciation_years)) / digits(depreciation_years)
    return capex_usd * (1.0 - (1.0 - residual_share) * used)


@elementwise
def sum_of_years_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real,
    depreciation_years: Real,
    utilization: Real = 1.0,
    residual_share: Real = 0.0,
) -> Real:
    """Charge to a run by the sum of the years' digits, USD; arguments as in `annuity_usd`."""
    end = age_years + run_years(hours, utilization)
    before = sum_of_years_value_usd(capex_usd, age_years, depreciation_years, residual_share)
    return before - sum_of_years_value_usd(capex_usd, end, depreciation_years, residual_share)


# Exponential decay of the hardware's value


@elementwise
def exponential_value_usd(
    capex_usd: Real, age_years: Real, orders_per_year: Real = EPOCH_ORDERS_PER_YEAR
) -> Real:
    """Value of hardware that its successors make obsolete: ``K·10^(−0.14·a)`` [3]_, USD.

    The age counts from when the hardware came on the market.
    """
    # Not the operator **: of a single number it is another routine than of an array, to one digit.
    return capex_usd * np.power(10.0, -orders_per_year * age_years)


@elementwise
def exponential_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real = 0.0,
    utilization: Real = 1.0,
    orders_per_year: Real = EPOCH_ORDERS_PER_YEAR,
) -> Real:
    """Value that the hardware loses during a run, USD; it has no life and no residual."""
    end = age_years + run_years(hours, utilization)
    before = exponential_value_usd(capex_usd, age_years, orders_per_year)
    return before - exponential_value_usd(capex_usd, end, orders_per_year)


@elementwise
def epoch_amortization_usd(
    capex_usd: Real,
    hours: Real,
    age_years: Real = 0.0,
    utilization: Real = 1.0,
    orders_per_year: Real = EPOCH_ORDERS_PER_YEAR,
) -> Real:
    """Value at the start of the run, times ``0.14·ln 10`` a year, for its years [3]_, USD.

    As published, where the utilization is 1. Above `exponential_usd`, by 1.3% for a run of a month.
    """
    value = exponential_value_usd(capex_usd, age_years, orders_per_year)
    return value * (orders_per_year * math.log(10.0)) * run_years(hours, utilization)

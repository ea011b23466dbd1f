"""What money is worth at another time: discounting, annuities, and a cost spread over years.

A rate is an effective rate a period, a fraction: 0.08 a year is 8%. `monthly_rate` gives the rate
that compounds to it over twelve months, which is not the twelfth of it. Money that comes in is
positive and money that goes out negative; a *cost* is positive.

References
----------
.. [1] Brealey, Myers and Allen, "Principles of Corporate Finance", chapters 2 and 6 (present value,
   annuities, equivalent annual cost).
.. [2] numpy-financial, `npv` (first flow now) and Microsoft's documentation of the worksheet
   function NPV (first flow after one period).
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "HOURS_PER_MONTH",
    "MONTHS_PER_YEAR",
    "annuity_factor",
    "capital_recovery_factor",
    "discount_factor",
    "equivalent_annual_cost_usd",
    "monthly_discount_factor",
    "monthly_rate",
    "npv_first_after_one_period_usd",
    "npv_first_now_usd",
]

MONTHS_PER_YEAR = 12.0
HOURS_PER_MONTH = 730.0
"""A twelfth of a year of 8,760 hours."""


@elementwise
def discount_factor(rate: Real, periods: Real) -> Real:
    """Worth now of 1 USD in ``periods``: ``(1+i)^−t`` [1]_.

    Parameters
    ----------
    rate
        Discount rate a period, above −1.
    periods
        Periods from now, whole or not.
    """
    return (1.0 + rate) ** -periods


@elementwise
def monthly_rate(annual_rate: Real) -> Real:
    """Rate a month that compounds to a rate a year: ``(1+i)^(1/12) − 1``."""
    return np.expm1(np.log1p(annual_rate) / MONTHS_PER_YEAR)


@elementwise
def monthly_discount_factor(annual_rate: Real, months: Real) -> Real:
    """Worth now of 1 USD in ``months``, by a rate a *year*: ``(1+i)^(−m/12)``."""
    return (1.0 + annual_rate) ** (-months / MONTHS_PER_YEAR)


@elementwise
def annuity_factor(rate: Real, periods: Real) -> Real:
    """Worth now of 1 USD at the end of each of ``periods``: ``(1−(1+i)^−n)/i`` [1]_.

    The number of periods at a rate of 0. The reciprocal of `capital_recovery_factor`.
    """
    at_interest = rate != 0.0
    worth = -np.expm1(-periods * np.log1p(rate))
    return np.where(at_interest, worth / np.where(at_interest, rate, 1.0), periods)


@elementwise
def capital_recovery_factor(rate: Real, periods: Real) -> Real:
    """Level payment at the end of each period that repays 1 USD: ``i/(1−(1+i)^−n)`` [1]_.

    Parameters
    ----------
    rate
        Interest a period; 0 gives ``1/n``.
    periods
        Number of payments; years with a yearly rate.
    """
    return 1.0 / annuity_factor(rate, periods)


@elementwise
def equivalent_annual_cost_usd(present_cost_usd: Real, rate: Real, years: Real) -> Real:
    """Level cost at the end of each year that is worth ``present_cost_usd`` now, USD a year [1]_.

    What makes assets of different lives comparable.

    Parameters
    ----------
    present_cost_usd
        Net present value of what the asset costs over its life, as a positive number.
    rate
        Discount rate a year.
    years
        Life of the asset.
    """
    return present_cost_usd * capital_recovery_factor(rate, years)


@elementwise
def npv_first_now_usd(rate: Real, flows_usd: Real) -> Real:
    """Net present value with the first flow today, at t = 0: numpy-financial's `npv` [2]_.

    Parameters
    ----------
    rate
        Discount rate a period. Its shape broadcasts with that of ``flows_usd`` less the last axis.
    flows_usd
        Flows at the *starts* of periods 0, 1, 2 … along the last axis, USD.

    Returns
    -------
    USD; the last axis is summed up.
    """
    times = np.arange(np.shape(flows_usd)[-1])
    worth: Real = np.sum(flows_usd * (1.0 + np.expand_dims(rate, -1)) ** -times, axis=-1)
    return worth


@elementwise
def npv_first_after_one_period_usd(rate: Real, flows_usd: Real) -> Real:
    """Net present value with the first flow at t = 1: the worksheet function NPV [2]_.

    A period's discount less than `npv_first_now_usd` of the same flows. What is paid at once is
    added outside, as one does in a spreadsheet.

    Parameters
    ----------
    rate
        Discount rate a period. Its shape broadcasts with that of ``flows_usd`` less the last axis.
    flows_usd
        Flows at the *ends* of periods 1, 2, 3 … along the last axis, USD.

    Returns
    -------
    USD; the last axis is summed up.
    """
    return npv_first_now_usd(rate, flows_usd) / (1.0 + rate)

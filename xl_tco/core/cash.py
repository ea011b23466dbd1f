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
from xl_tco.core.power import HOURS_PER_MONTH

__all__ = [
    "HOURS_PER_MONTH",
    "MONTHS_PER_YEAR",
    "annuity_factor",
    "capital_recovery_factor",
    "discount_factor",
    "equivalent_annual_cost_usd",
    "month_shares",
    "monthly_discount_factor",
    "monthly_rate",
    "npv_first_after_one_period_usd",
    "npv_first_now_usd",
]

MONTHS_PER_YEAR = 12.0


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
    return np.power(1.0 + rate, -periods)  # not **: of one number, another routine


@elementwise
def monthly_rate(annual_rate: Real) -> Real:
    """Rate a month that compounds to a rate a year: ``(1+i)^(1/12) − 1``."""
    return np.expm1(np.log1p(annual_rate) / MONTHS_PER_YEAR)


@elementwise
def monthly_discount_factor(annual_rate: Real, months: Real) -> Real:
    """Worth now of 1 USD in ``months``, by a rate a *year*: ``(1+i)^(−m/12)``."""
    return np.power(1.0 + annual_rate, -months / MONTHS_PER_YEAR)


@elementwise
def month_shares(start: Real, end: Real, months: Real) -> Real:
    """Share of a span of time that falls in each month; they add up to 1 if it lies within them.

    Parameters
    ----------
    start, end
        Beginning and end of the span, in months from the beginning of the first month, whole or
        not. A span without length falls in the month of its beginning.
    months
        Number of months, one for all.

    Returns
    -------
    Shares; months 1, 2, 3 … along a last axis of their own.
    """
    edges = np.arange(float(months) + 1.0)
    begin = np.expand_dims(start, -1)
    length = np.expand_dims(end, -1) - begin
    passed = np.clip((edges - begin) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    passed = np.where(length > 0.0, passed, np.greater(edges, begin))
    shares: Real = np.diff(passed, axis=-1)
    return shares


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
    return np.divide(1.0, annuity_factor(rate, periods))


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

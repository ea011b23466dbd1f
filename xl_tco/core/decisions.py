"""Rent or own, and what an input would have to be: closed forms of a model that is linear.

The inverses rest on the structure of the total. With the cluster, the prices and the waste share
fixed, every component is in proportion to the hours of the run, but for what is a plain sum (a
licence of so many USD): ``total = fixed + variable``, the variable part in proportion to the FLOPs
and to 1/MFU. So one run that has been costed tells the cost of any other of the kind. That ends
where the waste share is worked out from the number of accelerators, where the attention term makes
FLOPs other than ``6·N·D``, and where a depreciation method charges by age.

References
----------
.. [1] Brealey, Myers and Allen, "Principles of Corporate Finance", chapter 6 (equivalent annual
   cost; buy or lease as two costs of the same service).
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.capital import HOURS_PER_YEAR
from xl_tco.core.depreciation import annual_payment_usd
from xl_tco.core.time import FLOP_PER_TFLOP, SECONDS_PER_HOUR

__all__ = [
    "accelerators_for_deadline",
    "break_even_months",
    "break_even_utilization",
    "flops_for_budget",
    "mfu_for_deadline",
    "mfu_for_total",
    "own_fixed_usd_per_year",
    "own_usd_per_hour",
    "parameters_for_budget",
    "rental_price_for_total",
    "tokens_for_budget",
]

ROUNDING = 1e-12
"""What a quotient may be above a whole number, relatively, and still count as it."""


# Rent or own. Per accelerator or per cluster, but everything of the same.


@elementwise
def own_fixed_usd_per_year(
    capex_usd: Real,
    depreciation_years: Real,
    residual_share: Real = 0.0,
    discount_rate: Real = 0.0,
    upkeep_usd_per_year: Real = 0.0,
) -> Real:
    """What owning costs a year whether it is used or not, USD [1]_.

    Parameters
    ----------
    capex_usd
        Purchase price, share of network, storage and facility included.
    depreciation_years
        Life, years.
    residual_share
        Share of the price recovered at the end of the life.
    discount_rate
        Cost of capital a year; 0 is straight-line depreciation.
    upkeep_usd_per_year
        Staff for the facility, maintenance, contracts.
    """
    payment = annual_payment_usd(capex_usd, depreciation_years, discount_rate, residual_share)
    return payment + upkeep_usd_per_year


@elementwise
def own_usd_per_hour(
    fixed_usd_per_year: Real, running_usd_per_hour: Real, utilization: Real
) -> Real:
    """Cost of an hour of *use* when owned: ``F/(8760·u) + v``.

    It is also the rent at which owning and renting cost the same.

    Parameters
    ----------
    fixed_usd_per_year
        As `own_fixed_usd_per_year`.
    running_usd_per_hour
        What an hour of use adds: electricity and cooling.
    utilization
        Share of a year's hours in which it is used.
    """
    return fixed_usd_per_year / (HOURS_PER_YEAR * utilization) + running_usd_per_hour


@elementwise
def break_even_utilization(
    fixed_usd_per_year: Real, running_usd_per_hour: Real, rental_usd_per_hour: Real
) -> Real:
    """Utilization from which owning is cheaper than renting on demand: ``F/(8760·(r − v))``.

    Parameters
    ----------
    fixed_usd_per_year
        As `own_fixed_usd_per_year`.
    running_usd_per_hour
        What an hour of use adds to the cost of owning.
    rental_usd_per_hour
        Price of an hour of rent, discounts taken off.

    Returns
    -------
    A share of the year; above 1 where even an owner who never idles pays more, inf where the rent
    does not exceed the running cost alone.
    """
    margin = rental_usd_per_hour - running_usd_per_hour
    pays = margin > 0.0
    share = fixed_usd_per_year / (HOURS_PER_YEAR * np.where(pays, margin, 1.0))
    return np.where(pays, share, np.inf)


@elementwise
def break_even_months(
    capex_usd: Real,
    own_usd_per_month: Real,
    rental_usd_per_month: Real,
    monthly_rate: Real = 0.0,
) -> Real:
    """Months after which a purchase has been cheaper than the rent that it saves.

    ``K/s``, and ``−ln(1 − K·i/s)/ln(1+i)`` at interest, for a saving s at the end of each month.
    Nothing is counted for what the hardware could still be sold for.

    Parameters
    ----------
    capex_usd
        Purchase price.
    own_usd_per_month
        What the owner goes on to pay each month: running cost at the expected use, upkeep.
    rental_usd_per_month
        Rent of the same use.
    monthly_rate
        Cost of capital a month, as `xl_tco.core.cash.monthly_rate`.

    Returns
    -------
    Months, not rounded; inf where the saving never makes up for price and interest. More than the
    hardware's life means the same.
    """
    saving = rental_usd_per_month - own_usd_per_month
    saves = saving > 0.0
    price = capex_usd / np.where(saves, saving, 1.0)
    pays = saves & (price * monthly_rate < 1.0)
    at_interest = pays & (monthly_rate > 0.0)
    rate = np.where(at_interest, monthly_rate, 1.0)
    months = -np.log1p(np.where(at_interest, -price * rate, 0.0)) / np.log1p(rate)
    return np.where(pays, np.where(at_interest, months, price), np.inf)


# Inverses of the time


@elementwise
def accelerators_for_deadline(
    flops: Real,
    deadline_hours: Real,
    peak_tflops: Real,
    mfu: Real,
    waste_share: Real = 0.0,
    communication_share: Real = 0.0,
) -> Real:
    """Fewest accelerators that finish in time: the inverse of the wall time, rounded up.

    Efficiency and waste share are taken to stay as they are, which flatters large clusters.

    Parameters
    ----------
    flops
        Model FLOPs to compute, experiments included.
    deadline_hours
        Hours on the clock.
    peak_tflops
        Dense peak of one accelerator at the training precision, TFLOP/s.
    mfu
        Model FLOPs utilization.
    waste_share
        Share of the cluster's time lost.
    communication_share
        Only for an efficiency that was measured on compute alone.
    """
    rate = peak_tflops * FLOP_PER_TFLOP * SECONDS_PER_HOUR * mfu * (1.0 - communication_share)
    number = flops / (deadline_hours * (1.0 - waste_share) * rate)
    return np.ceil(number * (1.0 - ROUNDING))


@elementwise
def mfu_for_deadline(
    flops: Real,
    deadline_hours: Real,
    accelerators: Real,
    peak_tflops: Real,
    waste_share: Real = 0.0,
    communication_share: Real = 0.0,
) -> Real:
    """MFU at which a cluster finishes in time; above 1 where none is enough."""
    rate = accelerators * peak_tflops * FLOP_PER_TFLOP * SECONDS_PER_HOUR
    productive = deadline_hours * (1.0 - waste_share) * (1.0 - communication_share)
    return flops / (productive * rate)


# Inverses of the total, from one run that has been costed


@elementwise
def flops_for_budget(budget_usd: Real, flops: Real, total_usd: Real, fixed_usd: Real = 0.0) -> Real:
    """Model FLOPs that a budget buys: ``C·(budget − fixed)/(total − fixed)``, not below 0.

    Parameters
    ----------
    budget_usd
        What may be spent.
    flops, total_usd
        A run on the same cluster and what it costs.
    fixed_usd
        Part of the total that does not depend on how long the run takes.
    """
    return flops * np.maximum(budget_usd - fixed_usd, 0.0) / (total_usd - fixed_usd)


@elementwise
def tokens_for_budget(
    budget_usd: Real, tokens: Real, total_usd: Real, fixed_usd: Real = 0.0
) -> Real:
    """Tokens that a budget buys for the same model; as `flops_for_budget`, tokens for FLOPs.

    Exact with the attention term as well, which is in proportion to the tokens.
    """
    return flops_for_budget(budget_usd, tokens, total_usd, fixed_usd)


@elementwise
def parameters_for_budget(
    budget_usd: Real, parameters: Real, total_usd: Real, fixed_usd: Real = 0.0
) -> Real:
    """Parameters that a budget buys on the same tokens; as `flops_for_budget`.

    For FLOPs of ``6·N·D``: the attention term grows otherwise.
    """
    return flops_for_budget(budget_usd, parameters, total_usd, fixed_usd)


@elementwise
def mfu_for_total(target_usd: Real, mfu: Real, total_usd: Real, fixed_usd: Real = 0.0) -> Real:
    """MFU that brings the total to a target: ``MFU·(total − fixed)/(target − fixed)``.

    Parameters
    ----------
    target_usd
        The total that is wanted.
    mfu, total_usd
        A run and what it costs.
    fixed_usd
        Part of the total that does not depend on how long the run takes.

    Returns
    -------
    A share; above 1 where none is enough, inf where the fixed part alone is too much.
    """
    left = target_usd - fixed_usd
    enough = left > 0.0
    wanted = mfu * (total_usd - fixed_usd) / np.where(enough, left, 1.0)
    return np.where(enough, wanted, np.inf)


@elementwise
def rental_price_for_total(
    target_usd: Real, usd_per_accelerator_hour: Real, rental_usd: Real, total_usd: Real
) -> Real:
    """Price of an accelerator-hour that brings the total of a rented run to a target.

    Parameters
    ----------
    target_usd
        The total that is wanted.
    usd_per_accelerator_hour
        The price now.
    rental_usd
        Rent in the total for all hours on the clock, those that are wasted included.
    total_usd
        The total now.

    Returns
    -------
    USD an hour, before the discount where the price now is; negative where the rest is too much.
    """
    return usd_per_accelerator_hour * (rental_usd + target_usd - total_usd) / rental_usd

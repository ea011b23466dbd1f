"""One thing that is bought, over the months of a timeline: what it loses, and what it fetches.

Ages are in months from the purchase, whole or not. Hardware is bought once and has no worth to lose
beyond its life; a facility is built again whenever its life is over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from xl_tco.core import depreciation
from xl_tco.core._arrays import Real
from xl_tco.core.cash import MONTHS_PER_YEAR

__all__ = ["ROUNDING", "Asset", "facility", "hardware"]

ROUNDING = 1e-9
"""Months, and shares of a price, that are none."""


@dataclass(frozen=True, slots=True)
class Asset:
    """Something bought in the first month.

    Attributes
    ----------
    price_usd
        Purchase price.
    life
        Life, months.
    size
        Length of the timeline, months.
    value_usd
        Book value by age in *years*, up to the life.
    scrap_usd
        What it fetches at the end of its life; None: its book value.
    payment_usd
        Yearly charge with interest; None: the charge is what it loses.
    renewed
        Whether it is bought again at the end of its life.
    """

    price_usd: float
    life: float
    size: int
    value_usd: Callable[[Real], Real]
    scrap_usd: float | None = None
    payment_usd: float | None = None
    renewed: bool = False

    def lost_usd(self, age: Real) -> Real:
        """Depreciation from the purchase to an age."""
        if not self.renewed:
            return self.price_usd - self.value_usd(np.minimum(age, self.life) / MONTHS_PER_YEAR)
        full = np.floor(age / self.life)
        rest = np.clip(age - full * self.life, 0.0, self.life)
        return full * self.price_usd + (self.price_usd - self.value_usd(rest / MONTHS_PER_YEAR))

    def charged_usd(self, age: Real) -> Real:
        """Charge from the purchase to an age: depreciation, and interest if the method has any."""
        if self.payment_usd is None:
            return self.lost_usd(age)
        owned = age if self.renewed else np.minimum(age, self.life)
        return self.payment_usd / MONTHS_PER_YEAR * owned

    @property
    def write_off_usd(self) -> float:
        """Book value above what it fetches at the end of its life, if the timeline has that."""
        if self.renewed or self.scrap_usd is None or self.size < self.life - ROUNDING:
            return 0.0
        above = self.price_usd - cast(float, self.lost_usd(self.life)) - self.scrap_usd
        return above if above > ROUNDING * self.price_usd else 0.0

    def unused_usd(self, start: float, end: float) -> float:
        """Charge outside a span of ages: before it, after it, and what is written off."""
        before = self.charged_usd(start)
        after = self.charged_usd(float(self.size)) - self.charged_usd(end)
        return float(before + after + self.write_off_usd)

    def columns(self) -> Mapping[str, NDArray[np.float64]]:
        """CapEx, depreciation, interest, proceeds and book value, month by month.

        The book value is that at the end of the month, before a sale.
        """
        edges = np.arange(self.size + 1.0)
        lost = np.asarray(self.lost_usd(edges))
        interest = np.diff(np.asarray(self.charged_usd(edges)) - lost)
        bought = np.zeros(self.size)
        times = math.ceil(self.size / self.life - ROUNDING) if self.renewed else 1
        months = np.floor(np.arange(times) * self.life + ROUNDING).astype(int)
        np.add.at(bought, months, self.price_usd)
        last = self.size if self.renewed else min(self.size, math.ceil(self.life - ROUNDING))
        worth = np.cumsum(bought) - lost[1:]
        worth[last:] = 0.0
        depreciation_usd = np.diff(lost)
        depreciation_usd[last - 1] += self.write_off_usd
        worth[last - 1] = max(worth[last - 1] - self.write_off_usd, 0.0)
        proceeds = np.zeros(self.size)
        proceeds[last - 1] = worth[last - 1]
        return {
            "capex_usd": bought,
            "depreciation_usd": depreciation_usd,
            "interest_usd": interest,
            "residual_usd": proceeds,
            "book_value_usd": worth,
        }


def hardware(values: Mapping[str, Any], price_usd: float, size: int) -> Asset:
    """Make the asset of hardware of a price, by the inputs of a scenario.

    The methods are those of `xl_tco.model`: a declining balance never goes over to the straight
    line, and the exponential method has no residual.
    """
    years, residual = values["depreciation_years"], values["residual_share"]
    method, rate = values["depreciation_method"], values["discount_rate"]

    def value(age: Real) -> Real:
        if method == "straight-line":
            return depreciation.straight_line_value_usd(price_usd, age, years, residual)
        if method == "annuity":
            return depreciation.annuity_value_usd(price_usd, age, years, rate, residual)
        if method == "sum-of-years":
            return depreciation.sum_of_years_value_usd(price_usd, age, years, residual)
        if method == "exponential":
            return depreciation.exponential_value_usd(price_usd, age)
        return depreciation.declining_balance_value_usd(price_usd, age, years, residual, switch=0.0)

    return Asset(
        price_usd,
        years * MONTHS_PER_YEAR,
        size,
        value,
        scrap_usd=None if method == "exponential" else price_usd * residual,
        payment_usd=cast(float, depreciation.annual_payment_usd(price_usd, years, rate, residual))
        if method == "annuity"
        else None,
    )


def facility(values: Mapping[str, Any], price_usd: float, size: int) -> Asset:
    """Make the asset of a facility: straight line to nothing, with interest by the annuity."""
    years, rate = values["facility_life_years"], values["discount_rate"]
    with_interest = values["depreciation_method"] == "annuity"

    def value(age: Real) -> Real:
        if with_interest:
            return depreciation.annuity_value_usd(price_usd, age, years, rate)
        return depreciation.straight_line_value_usd(price_usd, age, years)

    return Asset(
        price_usd,
        years * MONTHS_PER_YEAR,
        size,
        value,
        payment_usd=cast(float, depreciation.annual_payment_usd(price_usd, years, rate))
        if with_interest
        else None,
        renewed=True,
    )

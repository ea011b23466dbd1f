"""Rent or own: the run paid both ways, and where the answer turns.

Like is compared with like. Staff and software are the same both ways. So is storage: what is given
by the hour is paid both ways, and a rented scenario buys none when it is owned unless it says so;
where nothing is given by the hour, the renter pays by the hour what the owner's storage costs at
the scenario's utilization: a price, which stays what it is when the utilization changes.

Owning costs a fixed sum a year and a running sum an hour: ``F/(8760·u) + v`` for an hour of use at
utilization u. Both are read off the cost of the run itself, at two utilizations, so that the
break-even is that of the whole model [1]_. Fixed is what falls on each hour of use the more, the
less it is used: depreciation and interest. What the model charges by the hours of the run is
running: electricity, and as it does upkeep and the operation of the facility.

References
----------
.. [1] Brealey, Myers and Allen, "Principles of Corporate Finance", chapter 6 (equivalent annual
   cost; buy or lease as two costs of the same service).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, cast

from xl_tco.analysis.search import Bracket, look, root
from xl_tco.analysis.variants import estimates_of, number_or_none, status_of, variant
from xl_tco.core import cash, decisions
from xl_tco.core.capital import HOURS_PER_YEAR
from xl_tco.errors import InputError
from xl_tco.fields import FIELDS, Number
from xl_tco.resolve import default_entry, given_alone
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "RentOrOwn", "rent_or_own"]

SCHEMA = "xl-tco/rent-or-own/1"

BOUGHT_STORAGE = ("storage_share", "storage_price_usd", "storage_usd_per_tb")
TOLERANCE = 1e-9
LINEAR = ("straight-line", "annuity")
"""Methods that charge every hour of use alike, at any age: for them the closed form is exact."""


@dataclass(frozen=True, slots=True)
class RentOrOwn:
    """The run paid both ways. Prices by the hour are for one accelerator.

    Attributes
    ----------
    own, rent
        The run costed both ways.
    own_usd_per_hour
        Cost of an hour of use to the owner, less what a renter pays beside the rent as well. It is
        also the rent at which both cost the same.
    rent_usd_per_hour
        The rent, less its discount.
    own_fixed_usd_per_year, own_running_usd_per_hour
        What makes up the owner's cost: a year of owning, used or not; and an hour of use, less what
        a renter pays as well (so that it may be below 0, where storage is bought or rented). Where
        depreciation goes by age, at the scenario's utilization.
    break_even_utilization
        Share of the year in use from which owning is cheaper; above 1 if it never is.
    break_even_rental_usd_per_accelerator_hour
        Rent before the discount below which renting is cheaper.
    capex_usd
        Purchase price of one accelerator with its share of cluster and facility.
    break_even_months
        Months of use at the scenario's utilization after which the purchase has cost less than
        rent, interest at ``discount_rate`` included, resale left out; inf if it never does.
    discount_rate
        Cost of capital a year.
    """

    own: Result
    rent: Result
    own_usd_per_hour: float
    rent_usd_per_hour: float
    own_fixed_usd_per_year: float
    own_running_usd_per_hour: float
    break_even_utilization: float
    break_even_rental_usd_per_accelerator_hour: float
    capex_usd: float
    break_even_months: float
    discount_rate: float

    @property
    def utilization(self) -> float:
        """Share of a year's hours in use."""
        return float(self.own.scenario.values["utilization"])

    @property
    def answer(self) -> str:
        """``own`` or ``rent``, whichever costs less."""
        return "own" if self.own.total_usd <= self.rent.total_usd else "rent"

    @property
    def sentence(self) -> str:
        """The answer, and the condition under which it turns."""
        own, rent = f"{self.own_usd_per_hour:,.2f}", f"{self.rent_usd_per_hour:,.2f}"
        use, turn = f"{self.utilization:.0%}", self.break_even_utilization
        if self.answer == "own":
            verdict = f"Owning is cheaper: at {use} use it costs {own} USD an accelerator-hour "
            verdict += f"against {rent} for rent"
            at = f"below {turn:.0%} use, or " if turn > 0.0 else "only "
            condition = f"renting wins {at}below {own} USD"
        else:
            verdict = f"Renting is cheaper: it costs {rent} USD an accelerator-hour "
            verdict += f"against {own} for owning at {use} use"
            at = f"above {turn:.0%} use, or " if turn <= 1.0 else "at no use, only "
            condition = f"owning wins {at}above {own} USD"
        return f"{verdict}; {condition}. {self._payback}"

    def _own_usd_per_hour(self, utilization: float) -> float:
        """As ``own_usd_per_hour``, at another utilization."""
        beside = self.own.total_usd - self.own_usd_per_hour * _hours(self.own)
        try:
            run = evaluate(self.own.scenario.replace(utilization=utilization))
        except InputError:
            return nan
        return (run.total_usd - beside) / _hours(run)

    @property
    def _payback(self) -> str:
        months, life = self.break_even_months, self.own.scenario.values["depreciation_years"]
        terms = f"With capital at {self.discount_rate:.0%} a year and nothing for its resale, the"
        if not isfinite(months):
            return f"{terms} purchase is never made up for by the rent that it saves."
        within = "within" if months <= life * cash.MONTHS_PER_YEAR else "beyond"
        life = f"{within} its life of {life:g} years"
        return f"{terms} purchase is made up for after {months:.0f} months, {life}."

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that either way rests on and that are only estimates."""
        return estimates_of((self.own, self.rent))

    @property
    def status(self) -> str:
        """``estimate`` if either way rests on one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data; what is never reached is None."""
        numbers = (
            *("own_usd_per_hour", "rent_usd_per_hour"),
            *("own_fixed_usd_per_year", "own_running_usd_per_hour"),
            *("break_even_utilization", "break_even_rental_usd_per_accelerator_hour"),
            *("capex_usd", "break_even_months", "discount_rate"),
        )
        return {
            "schema": SCHEMA,
            "answer": self.answer,
            "sentence": self.sentence,
            "own_total_usd": self.own.total_usd,
            "rent_total_usd": self.rent.total_usd,
            "utilization": self.utilization,
            **{name: number_or_none(getattr(self, name)) for name in numbers},
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return an hour's cost both ways by utilization, 5% to 100%: a chart of two lines.

        Missing where the run would outlast hardware that is depreciated by its age.
        """
        import pandas as pd

        shares = [step / 20 for step in range(1, 21)]
        return pd.DataFrame(
            {
                "own_usd_per_hour": [self._own_usd_per_hour(share) for share in shares],
                "rent_usd_per_hour": self.rent_usd_per_hour,
            },
            index=pd.Index(shares, name="utilization"),
        )


def rent_or_own(
    scenario: Scenario, rental_usd_per_accelerator_hour: float | None = None
) -> RentOrOwn:
    """Compare owning the cluster of a run with renting it.

    Parameters
    ----------
    scenario
        The run, given either way. What the other way needs stands in from the catalogue.
    rental_usd_per_accelerator_hour
        An offer, before the discount; the scenario's or the catalogue's if None.

    Raises
    ------
    InputError
        If a price of either way is unknown: it names what to supply.
    """
    offer = {}
    if rental_usd_per_accelerator_hour is not None:
        offer["rental_usd_per_accelerator_hour"] = rental_usd_per_accelerator_hour
    owned = evaluate(_owned(scenario))
    renter = _rented(scenario, offer, owned)
    rented, beside = evaluate(renter), evaluate(renter.replace(rental_usd_per_accelerator_hour=0.0))
    hours = _hours(owned)
    own_hour = (owned.total_usd - beside.total_usd) / hours
    discount = float(renter.values["reservation_discount"])
    rent_hour = float(renter.values["rental_usd_per_accelerator_hour"]) * (1.0 - discount)

    # The cost of ownership at full use and at less: the difference is what is fixed.
    values = owned.scenario.values
    by_age = values["depreciation_method"] not in LINEAR
    less = min(float(values["utilization"]), 0.9) if by_age else 0.5
    full, idle = (evaluate(owned.scenario.replace(utilization=use)) for use in (1.0, less))
    fixed_hour = (idle.total_usd - full.total_usd) / (1.0 / less - 1.0) / hours
    fixed = fixed_hour * HOURS_PER_YEAR
    running = (full.total_usd - beside.total_usd) / hours - fixed_hour

    fleet = float(values["accelerators"] + values["hot_spares"])
    capex = cast(float, owned.metrics["cluster_capex_usd"]) + cast(
        float, owned.metrics["facility_capex_usd"]
    )
    month = HOURS_PER_YEAR / cash.MONTHS_PER_YEAR * float(values["utilization"])
    rate = float(values["discount_rate"] or 0.0)
    months = decisions.break_even_months(
        capex / fleet, running * month, rent_hour * month, cash.monthly_rate(rate)
    )
    return RentOrOwn(
        own=owned,
        rent=rented,
        own_usd_per_hour=own_hour,
        rent_usd_per_hour=rent_hour,
        own_fixed_usd_per_year=fixed,
        own_running_usd_per_hour=running,
        break_even_utilization=_turning_use(owned, rented, fixed, running, rent_hour),
        break_even_rental_usd_per_accelerator_hour=(
            own_hour / (1.0 - discount) if discount < 1.0 else inf
        ),
        capex_usd=capex / fleet,
        break_even_months=float(months),
        discount_rate=rate,
    )


def _owned(scenario: Scenario) -> Scenario:
    """Return the run on a cluster of one's own."""
    if scenario.values["procurement"] == "own":
        return scenario
    changes: dict[str, float | str] = {"procurement": "own"}
    if not any(_is_said(scenario, name) for name in BOUGHT_STORAGE):
        changes["storage_share"] = 0.0  # a renter's storage is rented, and so it stays
    try:
        return variant(scenario, changes)
    except InputError as error:
        raise InputError(error.faults, "to own it") from None


def _is_said(scenario: Scenario, name: str) -> bool:
    """Whether a field was given; a range of a workbook holds what stands in as well."""
    entry = default_entry(FIELDS[name], scenario.values)
    stands_in = entry is not None and scenario.values[name] == entry.value
    return name in scenario.given and not stands_in


def _rented(scenario: Scenario, offer: Mapping[str, float], owned: Result) -> Scenario:
    """Return the run on a rented cluster, with the storage of an owner who has none by the hour."""
    changes: dict[str, float | str] = {"procurement": "rent", **offer}
    if "storage_usd_per_hour" not in given_alone(scenario.given, changes):
        productive = cast(float, owned.metrics["productive_hours"])
        changes["storage_usd_per_hour"] = owned.components["storage"] / productive
    try:
        return variant(scenario, changes)
    except InputError as error:
        raise InputError(error.faults, "to rent it") from None


def _hours(result: Result) -> float:
    """Return accelerator-hours that are paid for, spares and time without progress included."""
    values = result.scenario.values
    fleet = float(values["accelerators"] + values["hot_spares"])
    return fleet * cast(float, result.metrics["wall_hours"])


def _turning_use(
    owned: Result, rented: Result, fixed: float, running: float, rent_hour: float
) -> float:
    """Return the utilization at which both totals are the same."""
    share = float(decisions.break_even_utilization(fixed, running, rent_hour))
    if owned.scenario.values["depreciation_method"] in LINEAR:
        return share

    # By age, an hour's charge depends on how long the run takes of the hardware's life.
    def total(use: float) -> float:
        return evaluate(owned.scenario.replace(utilization=use)).total_usd

    domain = cast(Number, FIELDS["utilization"].domain)
    start = float(owned.scenario.values["utilization"])
    found = look(total, rented.total_usd, start, domain)
    if isinstance(found, Bracket):
        return root(total, rented.total_usd, found)
    return inf if owned.total_usd > rented.total_usd else 0.0

"""Cash view: what a cluster and the runs on it cost month by month, and what that is worth today.

One cluster, that of the first scenario, is bought at the start; the runs follow one another on it.
A run of T hours on an owned cluster of utilization u takes ``T / (730·u)`` months: its idle time
lies evenly within it. That is what `xl_tco.result.evaluate` charges, ``T / (8760·u)`` years of the
life, so the depreciation of those months *is* the run's. A rented cluster has no idle time.

Running costs are those of the runs alone, waste included: as in `evaluate`, an idle cluster costs
its depreciation and nothing else. A licence paid once is spread over its run like the rest.

- Cash: what is bought at the start of its month, running costs and proceeds at the end of theirs.
  Interest is not paid but reckoned: the discounting is the cost of capital. All is before tax.
- Accrual: depreciation (with interest, by the annuity) and running costs. What no run is charged
  is unallocated: what runs are charged and this add up to the accrual.
- At the end of its life the hardware fetches ``residual_share`` of its price, whatever the method;
  a declining balance that is still above is written off in that month, which is unallocated. The
  exponential method knows no residual: there it fetches the value that is left.
- The facility outlives the hardware: what it is still worth at the end of the timeline counts as
  proceeds. One of a shorter life is built again. Hardware that is not yet at the end of its life
  when the timeline ends is taken at its book value too.

A month is 730 hours, a twelfth of 8,760. Costs are positive; proceeds are taken off them.

References
----------
.. [1] Brealey, Myers and Allen, "Principles of Corporate Finance", chapter 6 (cash flows, not
   accounting income; equivalent annual cost).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from xl_tco.analysis.cash.asset import ROUNDING, Asset, facility, hardware
from xl_tco.analysis.cash.cluster import (
    ASSETS,
    HARDWARE,
    check_prices,
    check_span,
    checked_runs,
    timeline_months,
)
from xl_tco.analysis.variants import status_of
from xl_tco.core import cash, operations
from xl_tco.core.power import WATTS_PER_KILOWATT
from xl_tco.fields import FIELDS
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RUNNING", "SCHEMA", "CashRun", "CashView", "Currency", "cash_view"]

SCHEMA = "xl-tco/cash/1"

RUNNING = (
    "rental",
    "power",
    "cooling",
    "carbon",
    "staff",
    "software",
    "storage",
    "facility_operation",
    "upkeep",
)
"""Kinds of running cost: columns ``<kind>_usd``. Storage is that by the hour; upkeep, that of the
network and of storage that is bought."""

TOTALS = (
    "capex_usd",
    "opex_usd",
    "depreciation_usd",
    "interest_usd",
    "residual_usd",
    "cash_usd",
    "accrual_usd",
    "unallocated_usd",
    "npv_usd",
    "equivalent_annual_usd",
)

Months = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Currency:
    """Currency of a report: its code, units of it for one USD, and the day of that rate."""

    code: str
    per_usd: float
    date: str | None


@dataclass(frozen=True, slots=True)
class CashRun:
    """One run on the timeline.

    Attributes
    ----------
    name
        Name of the run.
    start_month, end_month
        Months in which it begins and ends, by number.
    wall_hours
        Hours that it occupies the cluster.
    life_share
        Share of the life of the hardware that it is charged for; 0 where the cluster is rented.
    charge_usd
        Depreciation that it is charged; with interest, by the annuity.
    opex_usd
        Its running costs.
    total_usd
        Its training TCO, as `xl_tco.result.evaluate` has it at that age of the cluster: charge and
        running costs.
    """

    name: str
    start_month: int
    end_month: int
    wall_hours: float
    life_share: float
    charge_usd: float
    opex_usd: float
    total_usd: float


@dataclass(frozen=True, slots=True, eq=False)
class CashView:
    """What a cluster and the runs on it cost, month by month.

    Attributes
    ----------
    scenarios
        What was costed, in order.
    runs
        Each run: when, and at what cost.
    method
        Depreciation of the hardware.
    discount_rate
        Cost of capital a year.
    dates
        First days of the months, like 2026-11-01; empty without a start date.
    columns
        Arrays over the months, by name. ``book_value_usd`` is that at the end of the month, before
        anything is sold; ``discount_factor`` is the end of the month's, what is bought is
        discounted from the beginning.
    capex_usd, opex_usd, depreciation_usd, interest_usd, residual_usd, cash_usd, accrual_usd
        Sums over the months. Depreciation is CapEx less residual; interest comes on top by the
        annuity alone.
    unallocated_usd
        Accrual that no run is charged: life that is not used.
    npv_usd
        Present value of the cash, as a cost: at the beginning of the first month.
    equivalent_annual_usd
        Level cost at the end of each year of the timeline that is worth as much.
    idle_share
        Share of the timeline's hours in which no run has the cluster.
    currency
        What amounts may be converted to.
    estimates
        Inputs that are only estimates.
    """

    scenarios: tuple[Scenario, ...]
    runs: tuple[CashRun, ...]
    method: str
    discount_rate: float
    dates: tuple[str, ...]
    columns: Mapping[str, Months]
    capex_usd: float
    opex_usd: float
    depreciation_usd: float
    interest_usd: float
    residual_usd: float
    cash_usd: float
    accrual_usd: float
    unallocated_usd: float
    npv_usd: float
    equivalent_annual_usd: float
    idle_share: float
    currency: Currency
    estimates: tuple[str, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.scenarios, self.months)

    @property
    def months(self) -> int:
        """Number of months."""
        return self.columns["capex_usd"].size

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the view as plain data; the totals in USD, and once more in the currency."""
        totals = {name: getattr(self, name) for name in TOTALS}
        rate = self.currency.per_usd
        names = list(self.columns)
        lines = zip(*(self.columns[name].tolist() for name in names), strict=True)
        return {
            "schema": SCHEMA,
            "method": self.method,
            "discount_rate": self.discount_rate,
            "months": self.months,
            "start_date": self.dates[0] if self.dates else None,
            **totals,
            "idle_share": self.idle_share,
            "currency": {
                **asdict(self.currency),
                "totals": {name.removesuffix("_usd"): usd * rate for name, usd in totals.items()},
            },
            "runs": [asdict(run) for run in self.runs],
            "rows": [
                {"month": number, "date": date, **dict(zip(names, line, strict=True))}
                for number, (date, line) in enumerate(
                    zip(self.dates or (None,) * self.months, lines, strict=True), 1
                )
            ],
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self, *, currency: bool = False) -> pd.DataFrame:
        """Return the months as a table; in USD, or the amounts in the currency of the report.

        A column ``…_usd`` is then named after that currency: ``…_twd``. Dates are missing (NaT)
        without a start date. ``attrs`` holds the currency's rate and day, and the estimates.
        """
        import pandas as pd

        money = self.currency if currency else Currency("USD", 1.0, None)
        amounts = {
            f"{name.removesuffix('_usd')}_{money.code.lower()}"
            if name.endswith("_usd")
            else name: column * money.per_usd if name.endswith("_usd") else column
            for name, column in self.columns.items()
        }
        dates = np.array(self.dates or ["NaT"] * self.months, dtype="datetime64[s]")
        index = pd.RangeIndex(1, self.months + 1, name="month")
        frame = pd.DataFrame({"date": dates, **amounts}, index=index)
        frame.attrs["currency"] = asdict(money)
        frame.attrs["estimates"] = self.estimates
        return frame


def cash_view(
    runs: Scenario | Sequence[Scenario],
    *,
    months: int | None = None,
    start_date: str | None = None,
    method: str | None = None,
) -> CashView:
    """Lay a cluster and the runs on it out by the month.

    Parameters
    ----------
    runs
        One run, or several that follow one another on the same cluster, which is the first's: they
        agree in what it consists of and costs. Prices of energy, rent and people may differ. The
        first begins at its ``age_years``; those of the others are worked out.
    months
        Length of the timeline. By default the life of the hardware, to the end of the last month;
        for a rented cluster, the time of the runs.
    start_date
        Month in which the first run begins, like 2026-11; by default that of the scenario, if any.
    method
        Depreciation of the hardware, in place of the scenarios'.

    Raises
    ------
    InputError
        If the runs do not agree or do not fit into the life of the hardware or into the timeline;
        if a currency other than USD has no rate or no date; for an argument out of place.
    """
    scenarios = checked_runs(runs, start_date, method)
    first = scenarios[0].values
    own = first["procurement"] == "own"
    results = [evaluate(_at_any_age(run)) for run in scenarios]
    check_prices(results)

    # When: in months from the purchase.
    utilization = first["utilization"] if own else 1.0
    spans = [result.metrics["wall_hours"] or 0.0 for result in results]
    age = first["age_years"] * cash.MONTHS_PER_YEAR if own else 0.0
    ends = age + np.cumsum(spans) / (cash.HOURS_PER_MONTH * utilization)
    life = first["depreciation_years"] * cash.MONTHS_PER_YEAR if own else math.inf
    check_span(ends[-1], life, age)
    ends = np.minimum(ends, life)
    starts = np.concatenate([[age], ends[:-1]])
    size = timeline_months(months, ends[-1], life)
    ends = np.minimum(ends, size)

    # What each run is charged and pays.
    assets = _assets(first, results[0], size) if own else {}
    if own:
        at_age = [_at_age(run, start) for run, start in zip(scenarios, starts, strict=True)]
        results = [evaluate(run) for run in at_age]
    running = np.array([_running(result) for result in results])
    charges = np.zeros(len(results))
    for asset in assets.values():
        charges = charges + (asset.charged_usd(ends) - asset.charged_usd(starts))

    shares = np.asarray(cash.month_shares(starts, ends, size))
    columns = _columns(assets, running.T @ shares, size)
    months_gone = np.arange(size + 1.0)
    worth = np.asarray(cash.monthly_discount_factor(first["discount_rate"], months_gone))
    present = columns["capex_usd"] * worth[:-1]
    present = present + (columns["opex_usd"] - columns["residual_usd"]) * worth[1:]
    columns["discount_factor"] = worth[1:]
    columns["present_usd"] = present
    columns["cumulative_cash_usd"] = np.cumsum(columns["cash_usd"])
    columns["cumulative_present_usd"] = np.cumsum(present)
    for column in columns.values():
        column.flags.writeable = False
    totals = {name: math.fsum(columns[name]) for name in TOTALS if name in columns}
    npv = math.fsum(present)
    return CashView(
        scenarios=scenarios,
        runs=tuple(
            CashRun(
                name=result.scenario.name,
                start_month=int(start + ROUNDING) + 1,
                end_month=max(math.ceil(end - ROUNDING), int(start + ROUNDING) + 1),
                wall_hours=hours,
                life_share=float((end - start) / life),
                charge_usd=float(charge),
                opex_usd=math.fsum(kinds),
                total_usd=result.total_usd,
            )
            for result, start, end, hours, charge, kinds in zip(
                results, starts, ends, spans, charges, running, strict=True
            )
        ),
        method=first["depreciation_method"],
        discount_rate=first["discount_rate"],
        dates=_dates(first["start_date"], int(age + ROUNDING), size),
        columns=MappingProxyType(columns),
        **totals,
        unallocated_usd=math.fsum(
            asset.unused_usd(starts[0], ends[-1]) for asset in assets.values()
        ),
        npv_usd=npv,
        equivalent_annual_usd=float(
            cash.equivalent_annual_cost_usd(
                npv, first["discount_rate"], size / cash.MONTHS_PER_YEAR
            )
        ),
        idle_share=max(1.0 - math.fsum(spans) / (size * cash.HOURS_PER_MONTH), 0.0),
        currency=_currency(scenarios[0]),
        estimates=_estimates(results),
    )


def _again(scenarios: tuple[Scenario, ...], months: int) -> CashView:
    return cash_view(scenarios, months=months)


def _columns(assets: Mapping[str, Asset], running: Months, size: int) -> dict[str, Months]:
    """Put the columns of what is bought and of what is paid together; discounting is to come."""
    zeros = np.zeros(size)
    owned = {name: asset.columns() for name, asset in assets.items()}

    def total(kind: str) -> Months:
        return sum((columns[kind] for columns in owned.values()), zeros)

    columns = {"capex_usd": total("capex_usd")}
    columns |= {f"{kind}_usd": line for kind, line in zip(RUNNING, running, strict=True)}
    columns["opex_usd"] = np.sum(running, axis=0)
    columns |= {
        f"{name}_depreciation_usd": owned[name]["depreciation_usd"] if owned else zeros.copy()
        for name in ASSETS
    }
    columns["depreciation_usd"] = total("depreciation_usd")
    columns["interest_usd"] = total("interest_usd")
    columns["accrual_usd"] = (
        columns["depreciation_usd"] + columns["interest_usd"] + columns["opex_usd"]
    )
    columns["book_value_usd"] = total("book_value_usd")
    columns["residual_usd"] = total("residual_usd")
    columns["cash_usd"] = columns["capex_usd"] + columns["opex_usd"] - columns["residual_usd"]
    return columns


def _assets(values: Mapping[str, Any], result: Result, size: int) -> dict[str, Asset]:
    """Make the assets that a cluster consists of."""
    prices = {name: result.metrics[f"{name}_capex_usd"] or 0.0 for name in ASSETS}
    return {
        name: (hardware if name in HARDWARE else facility)(values, price, size)
        for name, price in prices.items()
    }


def _at_any_age(scenario: Scenario) -> Scenario:
    """Return the same run by the one method that asks for no age: its hours are not yet placed."""
    if scenario.values["depreciation_method"] == "straight-line":
        return scenario
    return scenario.replace(depreciation_method="straight-line")


def _at_age(scenario: Scenario, start: float) -> Scenario:
    """Return the same run on a cluster of the age in months that it has then."""
    years = float(start) / cash.MONTHS_PER_YEAR
    return scenario if scenario.values["age_years"] == years else scenario.replace(age_years=years)


def _running(result: Result) -> list[float]:
    """Running costs of a run by kind, waste included: over the wall time, but for what is a sum."""
    values, metrics = result.scenario.values, result.metrics
    goodput, hours = metrics["goodput"] or 0.0, metrics["wall_hours"] or 0.0
    paid = {name: usd / goodput for name, usd in result.components.items()}
    once = values["software_fixed_usd"]
    paid["software"] = (result.components["software"] - once) / goodput + once
    paid["storage"] = cast(
        float, operations.storage_service_usd(values["storage_usd_per_hour"], hours)
    )
    if values["procurement"] == "own":
        it_kw = (metrics["peak_it_mw"] or 0.0) * WATTS_PER_KILOWATT
        paid["facility_operation"] = cast(
            float,
            operations.facility_operation_usd(values["facility_om_usd_per_kw_year"], it_kw, hours),
        )
        paid["upkeep"] = math.fsum(
            cast(
                float,
                operations.upkeep_usd(
                    metrics[f"{name}_capex_usd"] or 0.0, values[f"{name}_upkeep_share"], hours
                ),
            )
            for name in ("network", "storage")
        )
    return [paid.get(kind, 0.0) for kind in RUNNING]


def _estimates(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the inputs that the view rests on and that are only estimates."""
    names = {name for result in results for name in result.estimates}
    rate = results[0].scenario.figures.get("discount_rate")
    if rate is not None and rate.status == "estimate":
        names.add("discount_rate")
    return tuple(name for name in FIELDS if name in names)


def _dates(start_date: str | None, before: int, size: int) -> tuple[str, ...]:
    """Return the first days of the months; the first run begins ``before`` months into them."""
    if start_date is None:
        return ()
    first = np.datetime64(start_date, "M") - before
    return tuple(f"{month}-01" for month in first + np.arange(size))


def _currency(scenario: Scenario) -> Currency:
    values = scenario.values
    return Currency(values["currency"], values["currency_per_usd"], values["currency_date"])

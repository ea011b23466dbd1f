"""What the model gives for each claim of what a run costs; of how it goes, `values`.

A function a claim: it takes a `Case` and returns a `Value`, or raises `DoesNotApplyError`.
"""

from __future__ import annotations

import math

from xl_tco.analysis.claims.case import Case, DoesNotApplyError, Measures, Value, quotient
from xl_tco.analysis.rent_or_own import rent_or_own
from xl_tco.analysis.variants import variant
from xl_tco.core import operations
from xl_tco.core.capital import HOURS_PER_YEAR
from xl_tco.fields import FIELDS
from xl_tco.result import Result, evaluate

__all__ = ["PRICES"]

LIFE_YEARS = 3.5  # the middle of 3 to 4
KILOWATTS_PER_MEGAWATT = 1000.0

TOPOLOGY, CAPACITY = (
    tuple(name for name, field in FIELDS.items() if mode in field.needs)
    for mode in ("topology", "capacity")
)
ELECTRICITY = (
    "tdp_watts",
    "host_watts_per_accelerator",
    "power_draw_share",
    "host_draw_share",
    "pue",
    "electricity_usd_per_kwh",
    "demand_usd_per_kw_month",
)
CLUSTER = (
    "accelerator_price_usd",
    "host_price_usd_per_accelerator",
    "network_share",
    "storage_share",
)

PRICES = Measures()
"""Claims of prices, CapEx and the total, by id."""


# The total, and what is bought


@PRICES.of("usd-per-effective-tflop-hour")
def _usd_per_effective_tflop_hour(case: Case) -> Value:
    return case.value_of_total(case.metric("usd_per_effective_tflop_hour"))


@PRICES.of("usd-per-token")
def _usd_per_token(case: Case) -> Value:
    return case.value_of_total(case.result.total_usd / case.number("tokens"))


@PRICES.of("gpu-utilization")
def _gpu_utilization(case: Case) -> Value:
    case.own("it is paid by the hour of use, and idle hours are the provider's")
    share = case.number("utilization")
    grades = ((0.95, "above"), (0.80, "excellent"), (0.60, "ordinary"), (0.0, "below"))
    grade = next(word for low, word in grades if share >= low)
    of_text = f"{grade} what it says" if grade in ("above", "below") else f"{grade} in its words"
    return case.value(share, "utilization", remark=f"This is {of_text}.")


@PRICES.of("gpu-share-of-tco")
def _gpu_share_of_tco(case: Case) -> Value:
    case.own("nobody says what the accelerator is of the hourly price")
    total = case.result.total_usd
    share = quotient(case.result.components["accelerators"], total, "The run costs nothing.")
    return case.value_of_total(share)


@PRICES.of("tco-over-gpu-price")
def _tco_over_gpu_price(case: Case) -> Value:
    case.own("nobody says what the accelerator is of the hourly price")
    accelerators = case.result.components["accelerators"]
    multiple = quotient(case.result.total_usd, accelerators, "The accelerators cost nothing.")
    return case.value_of_total(multiple)


@PRICES.of("network-share-of-capex")
def _network_share_of_capex(case: Case) -> Value:
    case.own("it has no CapEx")
    cluster = case.metric("cluster_capex_usd")
    share = quotient(case.metric("network_capex_usd"), cluster, "The cluster costs nothing.")
    by_share = case.scenario.values["network_share"] is not None
    return case.value(share, *(("network_share",) if by_share else _cluster_names(case)))


@PRICES.of("gpu-investment")
def _gpu_investment(case: Case) -> Value:
    case.own("it has no CapEx")
    capex = case.of_ten_thousand(case.metric("accelerators_capex_usd"))
    return case.value(capex, "accelerator_price_usd", "hot_spares")


@PRICES.of("h100-price")
def _h100_price(case: Case) -> Value:
    case.own("nothing is bought")
    case.is_h100()
    return case.value(case.number("accelerator_price_usd"), "accelerator_price_usd")


@PRICES.of("hardware-life")
def _hardware_life(case: Case) -> Value:
    case.own("nothing is written off")
    if case.scenario.values["depreciation_method"] == "exponential":
        raise DoesNotApplyError("The exponential method knows no life: value decays for ever.")
    return case.value(case.number("depreciation_years"), "depreciation_years")


def _rented(case: Case) -> None:
    """Go on only if the cluster is rented."""
    if case.scenario.values["procurement"] != "rent":
        raise DoesNotApplyError("The cluster is owned: nothing is rented.")


@PRICES.of("h100-rent")
def _h100_rent(case: Case) -> Value:
    _rented(case)
    case.is_h100()
    name = "rental_usd_per_accelerator_hour"
    return case.value(case.number(name), name)


@PRICES.of("reservation-discount")
def _reservation_discount(case: Case) -> Value:
    _rented(case)
    discount = case.number("reservation_discount")
    if discount == 0.0:
        raise DoesNotApplyError("No discount is taken.")
    return case.value(discount, "reservation_discount")


# Electricity


def _electricity(result: Result) -> float:
    """Electricity of the productive time, USD."""
    return result.components["power"] + result.components["cooling"]


@PRICES.of("power-and-cooling-over-capex")
def _power_and_cooling_over_capex(case: Case) -> Value:
    case.own("it has no CapEx")
    hours = case.number("utilization") * HOURS_PER_YEAR * LIFE_YEARS
    bill = _electricity(case.result) / case.metric("productive_hours") * hours
    share = quotient(bill, case.metric("cluster_capex_usd"), "The cluster costs nothing.")
    remark = ""
    if share > 0.0 and case.number("demand_usd_per_kw_month") == 0.0:
        price = case.number("electricity_usd_per_kwh") * 0.30 / share
        remark = f"Here 30% would take {price:,.2f} USD/kWh."
    return case.value(share, *ELECTRICITY, *_cluster_names(case), "utilization", remark=remark)


def _cluster_names(case: Case) -> tuple[str, ...]:
    topology, capacity = (
        case.part(name, names)
        for name, names in (("network_topology", TOPOLOGY), ("storage_usd_per_tb", CAPACITY))
    )
    return (*CLUSTER, *topology, *capacity)


@PRICES.of("pue-saving")
def _pue_saving(case: Case) -> Value:
    case.own("electricity is in the hourly price")
    before, after = (evaluate(variant(case.scenario, {"pue": pue})) for pue in (1.5, 1.1))
    nothing = "Electricity costs nothing."
    saved = 1.0 - quotient(_electricity(after), _electricity(before), nothing)
    of_total = 1.0 - after.total_usd / before.total_usd
    return case.value(saved, remark=f"Of the total of this run it is {of_total:.1%}.")


@PRICES.of("electricity-largest-opex")
def _electricity_largest_opex(case: Case) -> Value:
    case.own("electricity is in the hourly price")
    facility = operations.facility_operation_usd(
        case.number("facility_om_usd_per_kw_year"),
        case.metric("peak_it_mw") * KILOWATTS_PER_MEGAWATT,
        case.metric("productive_hours"),
    )
    parts = case.result.components
    largest = max(parts["staff"], parts["software"], float(facility))
    ratio = quotient(_electricity(case.result), largest, "There is no other OpEx.")
    others = ("staff_usd_per_fte_year", "software_usd_per_accelerator_year")
    return case.value(ratio, *ELECTRICITY, *others, "facility_om_usd_per_kw_year")


# Rent or own


@PRICES.of("own-above-80")
def _own_above_80(case: Case) -> Value:
    choice = rent_or_own(case.scenario)
    if math.isinf(choice.break_even_utilization):
        raise DoesNotApplyError("Owning is dearer than renting, however much it is used.")
    turn = choice.break_even_utilization
    return case.value_of_total(turn, choice.own, choice.rent, remark=choice.sentence)


@PRICES.of("rented-hour-is-dearer")
def _rented_hour_is_dearer(case: Case) -> Value:
    choice = rent_or_own(case.scenario)
    ratio = quotient(choice.rent_usd_per_hour, choice.own_usd_per_hour, "Owning costs nothing.")
    return case.value_of_total(ratio, choice.own, choice.rent)

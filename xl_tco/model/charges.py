"""What a run pays, component by component, over its productive hours.

A method that charges by the age of the hardware is asked for the whole wall time, of which the
productive part is a component like the others and the rest is waste: so the parts add up to it.
"""

from __future__ import annotations

from xl_tco.core import capital, depreciation, operations, power
from xl_tco.core._arrays import Real
from xl_tco.model.values import Numbers, Outputs

__all__ = ["Hours", "own_components", "rent_components"]


class Hours:
    """Productive hours and wall hours of a run."""

    __slots__ = ("productive", "wall")

    def __init__(self, productive: Real, wall: Real) -> None:
        self.productive = productive
        self.wall = wall


def own_components(
    value: Numbers, method: str, capex: Outputs, hours: Hours, it_kw: Real, average_watts: Real
) -> Outputs:
    """Components of an owned cluster, waste not counted."""
    fleet = value["accelerators"] + value["hot_spares"]
    energy = power.it_energy_kwh(fleet, hours.productive, average_watts)
    price, pue = value["electricity_usd_per_kwh"], value["pue"]
    peak = value["demand_usd_per_kw_month"]
    facility_energy = power.facility_energy_kwh(energy, pue)
    running = _running(value, hours.productive)

    def charge(name: str) -> Real:
        return _hardware(value, method, capex[f"{name}_capex_usd"], hours)

    def upkeep(name: str) -> Real:
        return operations.upkeep_usd(
            capex[f"{name}_capex_usd"], value[f"{name}_upkeep_share"], hours.productive
        )

    return {
        "accelerators": charge("accelerators"),
        "hosts": charge("hosts"),
        "network": charge("network") + upkeep("network"),
        "facility": _facility(value, method, capex["facility_capex_usd"], hours.productive)
        + operations.facility_operation_usd(
            value["facility_om_usd_per_kw_year"], it_kw, hours.productive
        ),
        "power": power.power_usd(energy, price)
        + power.demand_charge_usd(it_kw, peak, hours.productive),
        "cooling": power.cooling_usd(energy, pue, price)
        + power.demand_charge_usd(it_kw * (pue - 1.0), peak, hours.productive),
        "carbon": power.carbon_tonnes(facility_energy, value["carbon_kg_per_kwh"])
        * value["carbon_usd_per_tonne"],
        **running,
        "storage": charge("storage") + upkeep("storage") + running["storage"],
    }


def rent_components(value: Numbers, hours: Hours) -> Outputs:
    """Components of a rented cluster, waste not counted."""
    return {
        "rental": capital.rental_usd(
            value["accelerators"] + value["hot_spares"],
            hours.productive,
            value["rental_usd_per_accelerator_hour"],
            value["reservation_discount"],
        ),
        **_running(value, hours.productive),
    }


def _running(value: Numbers, hours: Real) -> Outputs:
    """Compute what is paid by the time, however the cluster was come by."""
    return {
        "storage": operations.storage_service_usd(value["storage_usd_per_hour"], hours),
        "staff": operations.staff_usd(value["staff_fte"], value["staff_usd_per_fte_year"], hours),
        "software": operations.software_usd(
            value["accelerators"] + value["hot_spares"],
            value["software_usd_per_accelerator_year"],
            hours,
        ),
    }


def _hardware(value: Numbers, method: str, capex: Real, hours: Hours) -> Real:
    """Depreciation of hardware that the productive hours are charged."""
    life, residual = value["depreciation_years"], value["residual_share"]
    utilization, age = value["utilization"], value["age_years"]
    if method == "straight-line":
        return capital.amortization_usd(capex, hours.productive, life, utilization, residual)
    if method == "annuity":
        payment = depreciation.annual_payment_usd(capex, life, value["discount_rate"], residual)
        return payment * depreciation.run_years(hours.productive, utilization)
    productive_share = hours.productive / hours.wall
    if method == "exponential":
        return productive_share * depreciation.exponential_usd(capex, hours.wall, age, utilization)
    if method == "sum-of-years":
        whole = depreciation.sum_of_years_usd(capex, hours.wall, age, life, utilization, residual)
        return productive_share * whole
    whole = depreciation.declining_balance_usd(
        capex, hours.wall, age, life, utilization, residual, switch=0.0
    )
    return productive_share * whole


def _facility(value: Numbers, method: str, capex: Real, hours: Real) -> Real:
    """Depreciation of the facility: straight line to nothing, with interest by the annuity."""
    life, utilization = value["facility_life_years"], value["utilization"]
    if method == "annuity":
        payment = depreciation.annual_payment_usd(capex, life, value["discount_rate"])
        return payment * depreciation.run_years(hours, utilization)
    return capital.amortization_usd(capex, hours, life, utilization)

"""What a cluster draws, and what the electricity costs.

References
----------
.. [1] The Green Grid 2012, "PUE: A Comprehensive Examination of the Metric", white paper 49
   (PUE = facility energy over IT energy, never below 1).
.. [2] World Resources Institute and WBCSD 2015, "GHG Protocol Scope 2 Guidance" (location-based
   emissions: energy times the grid's average).
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "HOURS_PER_MONTH",
    "KILOGRAMS_PER_TONNE",
    "WATTS_PER_KILOWATT",
    "accelerator_watts",
    "carbon_tonnes",
    "cooling_usd",
    "demand_charge_usd",
    "facility_energy_kwh",
    "it_energy_kwh",
    "it_kilowatts",
    "power_cost_usd",
    "power_usd",
]

WATTS_PER_KILOWATT = 1000.0
KILOGRAMS_PER_TONNE = 1000.0
HOURS_PER_MONTH = 730.0
"""A twelfth of a year of 8,760 hours."""


@elementwise
def accelerator_watts(
    tdp_watts: Real,
    host_watts_per_accelerator: Real,
    power_draw_share: Real = 1.0,
    host_draw_share: Real = 1.0,
) -> Real:
    """Watts of IT load an accelerator: its own draw and its share of the host's.

    With both shares 1 this is the nameplate, which a facility must be built for; the average draw
    is that of the accelerator, a share of its TDP, and of the host, a share of its own nameplate.
    """
    return tdp_watts * power_draw_share + host_watts_per_accelerator * host_draw_share


@elementwise
def it_kilowatts(accelerators: Real, watts: Real) -> Real:
    """Compute the IT load of the cluster in kW, at ``watts`` an accelerator, host included."""
    return accelerators * watts / WATTS_PER_KILOWATT


@elementwise
def it_energy_kwh(
    accelerators: Real, hours: Real, watts: Real, power_draw_share: Real = 1.0
) -> Real:
    """Energy of the IT load in kWh, at ``watts · power_draw_share`` an accelerator."""
    return accelerators * (watts * power_draw_share) / WATTS_PER_KILOWATT * hours


@elementwise
def facility_energy_kwh(it_energy_kwh: Real, pue: Real) -> Real:
    """Energy that the meter counts, in kWh: IT energy times PUE [1]_."""
    return it_energy_kwh * pue


@elementwise
def power_usd(it_energy_kwh: Real, electricity_usd_per_kwh: Real) -> Real:
    """Electricity of the IT load itself, USD."""
    return it_energy_kwh * electricity_usd_per_kwh


@elementwise
def cooling_usd(it_energy_kwh: Real, pue: Real, electricity_usd_per_kwh: Real) -> Real:
    """Electricity of cooling and power distribution, USD: the facility's energy beyond the IT's."""
    return it_energy_kwh * (pue - 1.0) * electricity_usd_per_kwh


@elementwise
def power_cost_usd(
    accelerators: Real,
    hours: Real,
    watts: Real,
    pue: Real,
    usd_per_kwh: Real,
    power_draw_share: Real = 1.0,
) -> Real:
    """Electricity bill of a cluster in USD, cooling included: `power_usd` + `cooling_usd`.

    Parameters
    ----------
    accelerators
        Number of accelerators.
    hours
        Hours that they run.
    watts
        Watts of IT load an accelerator, its share of the host included.
    pue
        Power usage effectiveness, at least 1 [1]_.
    usd_per_kwh
        Electricity price, USD/kWh.
    power_draw_share
        Share of ``watts`` that is drawn on average.
    """
    energy = it_energy_kwh(accelerators, hours, watts, power_draw_share)
    return energy * pue * usd_per_kwh


@elementwise
def demand_charge_usd(peak_kilowatts: Real, demand_usd_per_kw_month: Real, hours: Real) -> Real:
    """Charge on a peak load for the months that ``hours`` make, USD."""
    return peak_kilowatts * demand_usd_per_kw_month * (hours / HOURS_PER_MONTH)


@elementwise
def carbon_tonnes(facility_energy_kwh: Real, carbon_kg_per_kwh: Real) -> Real:
    """Greenhouse gases of the electricity, tonnes of CO2e, by the grid's average [2]_."""
    return facility_energy_kwh * carbon_kg_per_kwh / KILOGRAMS_PER_TONNE

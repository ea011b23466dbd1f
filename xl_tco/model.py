"""From a complete set of inputs to the cost: the only place where the formulas are put together.

Inputs are complete and checked (see `xl_tco.resolve`); numbers may be arrays of one shape, words
are single. What a way of procurement does not need may be missing (None, NaN): it touches nothing
but the metrics that rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

import numpy as np

from xl_tco.core import capital, compute, operations, power, time, total
from xl_tco.core._arrays import Real
from xl_tco.outputs import COMPONENTS

__all__ = ["Inputs", "Outputs", "cost"]

Inputs: TypeAlias = Mapping[str, Real | str | None]
Outputs: TypeAlias = dict[str, Real]

HOURS_PER_DAY = 24.0
KWH_PER_GWH = 1e6
KILOWATTS_PER_MEGAWATT = 1000.0


def cost(inputs: Inputs) -> Outputs:
    """Cost of training: every component, the total and every metric, in one flat table.

    Parameters
    ----------
    inputs
        Every field of `xl_tco.fields`, by name.

    Returns
    -------
    ``<component>_usd`` for every component (0 for one that this way of procurement does not pay),
    ``total_usd``, and the metrics of `xl_tco.outputs` (NaN where an input they rest on is missing).
    The total is the sum of the components.
    """
    with np.errstate(all="ignore"):  # what leaves the range of numbers, the caller sees
        return _cost(_numbers(inputs), own=inputs["procurement"] == "own")


def _cost(value: dict[str, Real], *, own: bool) -> Outputs:

    # How much, and how long.
    flops = compute.model_flops(
        value["parameters"],
        value["tokens"],
        *(_or(value[name], 0.0) for name in ("layers", "hidden_size", "sequence_length")),
    )
    project_flops = flops * value["experiment_multiplier"]
    mfu = _or(value["mfu"], compute.mfu_from_hfu(value["hfu"], value["recompute_share"]))
    hours = time.productive_hours(
        project_flops,
        value["accelerators"],
        value["peak_tflops"],
        mfu,
        value["communication_share"],
    )
    wall_hours = time.wall_hours(hours, value["waste_share"])
    accelerator_hours = time.accelerator_hours(value["accelerators"], wall_hours)

    # What it draws.
    nameplate_watts = power.accelerator_watts(
        value["tdp_watts"], value["host_watts_per_accelerator"]
    )
    average_watts = power.accelerator_watts(
        value["tdp_watts"], value["host_watts_per_accelerator"], value["power_draw_share"]
    )
    it_kw = power.it_kilowatts(value["accelerators"], nameplate_watts)
    wall_energy = power.it_energy_kwh(value["accelerators"], wall_hours, average_watts)

    # What is bought, and what the productive hours are charged.
    capex = _capex(value, it_kw, own)
    if own:
        parts = _own_components(value, capex, hours, it_kw, average_watts)
    else:
        parts = _rent_components(value, hours)
    waste = total.waste_usd(sum(parts.values()), value["waste_share"])
    parts["waste"] = waste
    total_usd = cast(Real, sum(parts.values()))

    return {
        **{f"{name}_usd": parts.get(name, 0.0) for name in COMPONENTS},
        "total_usd": total_usd,
        "flops": flops,
        "project_flops": project_flops,
        "hardware_flops": compute.hardware_flops(project_flops, value["recompute_share"]),
        "achieved_mfu": mfu,
        "achieved_hfu": compute.hfu_from_mfu(mfu, value["recompute_share"]),
        "productive_hours": hours,
        "wall_hours": wall_hours,
        "wall_days": wall_hours / HOURS_PER_DAY,
        "goodput": 1.0 - value["waste_share"],
        "accelerator_hours": accelerator_hours,
        "it_energy_gwh": wall_energy / KWH_PER_GWH,
        "energy_gwh": power.facility_energy_kwh(wall_energy, value["pue"]) / KWH_PER_GWH,
        "peak_it_mw": it_kw / KILOWATTS_PER_MEGAWATT,
        "peak_facility_mw": it_kw * value["pue"] / KILOWATTS_PER_MEGAWATT,
        **capex,
        "usd_per_million_tokens": total.usd_per_million_tokens(total_usd, value["tokens"]),
        "usd_per_parameter": np.divide(total_usd, value["parameters"]),
        "usd_per_accelerator_hour": np.divide(total_usd, accelerator_hours),
        "usd_per_effective_tflop_hour": total.usd_per_effective_tflop_hour(
            total_usd, project_flops
        ),
        "usd_per_pflop_day": total.usd_per_pflop_day(total_usd, project_flops),
        "total_over_accelerators": _ratio(total_usd, parts["accelerators"]) if own else np.nan,
    }


def _capex(value: dict[str, Real], it_kw: Real, own: bool) -> Outputs:
    """Purchase prices; a rented cluster buys nothing."""
    names = ("accelerators", "hosts", "network", "storage", "cluster", "facility")
    if not own:
        return {f"{name}_capex_usd": 0.0 for name in names}
    accelerators = value["accelerators"] * value["accelerator_price_usd"]
    hosts = value["accelerators"] * value["host_price_usd_per_accelerator"]
    cluster = capital.cluster_capex_usd(
        accelerators + hosts, value["network_share"], value["storage_share"]
    )
    prices = (
        accelerators,
        hosts,
        cluster * value["network_share"],
        cluster * value["storage_share"],
        cluster,
        capital.facility_capex_usd(value["facility_usd_per_kw"], it_kw),
    )
    return {f"{name}_capex_usd": price for name, price in zip(names, prices, strict=True)}


def _own_components(
    value: dict[str, Real], capex: Outputs, hours: Real, it_kw: Real, average_watts: Real
) -> Outputs:
    """Components of an owned cluster over its productive hours, waste not counted."""

    def depreciation(name: str) -> Real:
        return capital.amortization_usd(
            capex[f"{name}_capex_usd"],
            hours,
            value["depreciation_years"],
            value["utilization"],
            value["residual_share"],
        )

    energy = power.it_energy_kwh(value["accelerators"], hours, average_watts)
    price = value["electricity_usd_per_kwh"]
    running = _running_components(value, hours)
    return {
        "accelerators": depreciation("accelerators"),
        "hosts": depreciation("hosts"),
        "network": depreciation("network"),
        "facility": capital.amortization_usd(
            capex["facility_capex_usd"], hours, value["facility_life_years"], value["utilization"]
        )
        + operations.facility_operation_usd(value["facility_om_usd_per_kw_year"], it_kw, hours),
        "power": power.power_usd(energy, price),
        "cooling": power.cooling_usd(energy, value["pue"], price),
        **running,
        "storage": depreciation("storage") + running["storage"],
    }


def _rent_components(value: dict[str, Real], hours: Real) -> Outputs:
    """Components of a rented cluster over its productive hours, waste not counted."""
    return {
        "rental": capital.rental_usd(
            value["accelerators"],
            hours,
            value["rental_usd_per_accelerator_hour"],
            value["reservation_discount"],
        ),
        **_running_components(value, hours),
    }


def _running_components(value: dict[str, Real], hours: Real) -> Outputs:
    """Compute what is paid however the cluster was come by."""
    return {
        "storage": operations.storage_service_usd(value["storage_usd_per_hour"], hours),
        "staff": operations.staff_usd(value["staff_fte"], value["staff_usd_per_fte_year"], hours),
        "software": operations.software_usd(
            value["accelerators"], value["software_usd_per_accelerator_year"], hours
        ),
    }


def _numbers(inputs: Inputs) -> dict[str, Real]:
    """Return the numeric inputs, a missing one as NaN, which touches only what rests on it."""
    return {
        name: np.nan if value is None else value
        for name, value in inputs.items()
        if not isinstance(value, str)
    }


def _or(value: Real, otherwise: Real) -> Real:
    """Return ``value``, and ``otherwise`` where it is missing."""
    missing = np.isnan(value)
    if not np.any(missing):
        return value
    return otherwise if np.all(missing) else np.where(missing, otherwise, value)


def _ratio(numerator: Real, denominator: Real) -> Real:
    """Quotient, missing where there is nothing to divide by."""
    divisor = np.where(np.equal(denominator, 0.0), np.nan, denominator)
    quotient = np.divide(numerator, divisor)
    return float(quotient) if quotient.ndim == 0 else quotient

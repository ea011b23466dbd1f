"""The cost of a run: every component, the total and every metric, in one flat table."""

from __future__ import annotations

from typing import cast

import numpy as np

from xl_tco.core import compute, power, reliability, time, total
from xl_tco.core._arrays import Real
from xl_tco.model.charges import Hours, own_components, rent_components
from xl_tco.model.efficiency import step
from xl_tco.model.failures import failures
from xl_tco.model.purchase import capacity, fabric, purchase
from xl_tco.model.values import Inputs, Numbers, Outputs, any_given, either, numbers, ratio
from xl_tco.outputs import COMPONENTS, METRICS

__all__ = ["cost"]

SIZES = ("layers", "hidden_size", "sequence_length")
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
        return _cost(numbers(inputs), inputs)


def _cost(value: dict[str, Real], word: Inputs) -> Outputs:
    own = word["procurement"] == "own"
    causal = 1.0 if word["attention"] == "causal" else 0.0
    detail = _from_the_bottom_up(value, word, causal)

    # How much, and how long.
    layers, width, sequence = (either(value[name], 0.0) for name in SIZES)
    flops = compute.model_flops(
        value["parameters"], value["tokens"], layers, width, sequence, causal
    )
    project_flops = flops * value["experiment_multiplier"]
    mfu = either(value["mfu"], compute.mfu_from_hfu(value["hfu"], value["recompute_share"]))
    mfu = either(mfu, detail.pop("mfu", np.nan))
    waste_share = either(value["waste_share"], detail.pop("waste_share", np.nan))
    productive = time.productive_hours(
        project_flops,
        value["accelerators"],
        value["peak_tflops"],
        mfu,
        value["communication_share"],
    )
    hours = Hours(productive, time.wall_hours(productive, waste_share))
    accelerator_hours = time.accelerator_hours(value["accelerators"], hours.wall)

    # What it draws.
    fleet = value["accelerators"] + value["hot_spares"]
    host = (value["tdp_watts"], value["host_watts_per_accelerator"])
    fabric_watts = either(detail.get("network_kw", np.nan), 0.0) * power.WATTS_PER_KILOWATT / fleet
    nameplate_watts = power.accelerator_watts(*host) + fabric_watts
    average_watts = fabric_watts + power.accelerator_watts(
        *host, value["power_draw_share"], value["host_draw_share"]
    )
    it_kw = power.it_kilowatts(fleet, nameplate_watts)
    wall_energy = power.it_energy_kwh(fleet, hours.wall, average_watts)
    facility_energy = power.facility_energy_kwh(wall_energy, value["pue"])

    # What is bought, and what the productive hours are charged.
    sums = {
        name: either(value[name], detail.pop(name, np.nan))
        for name in ("network_price_usd", "storage_price_usd")
    }
    capex = purchase(value | sums, it_kw, own)
    if own:
        method = str(word["depreciation_method"])
        parts = own_components(value, method, capex, hours, it_kw, average_watts)
    else:
        parts = rent_components(value, hours)
    parts["waste"] = total.waste_usd(sum(parts.values()), waste_share)
    parts["software"] = parts["software"] + value["software_fixed_usd"]  # a sum: no time, no waste
    total_usd = cast(Real, sum(parts.values()))

    outputs: Outputs = {
        **{f"{name}_usd": parts.get(name, 0.0) for name in COMPONENTS},
        "total_usd": total_usd,
        **dict.fromkeys(METRICS, np.nan),
        "flops": flops,
        "project_flops": project_flops,
        "hardware_flops": compute.hardware_flops(project_flops, value["recompute_share"]),
        "achieved_mfu": mfu,
        "achieved_hfu": compute.hfu_from_mfu(mfu, value["recompute_share"]),
        "productive_hours": productive,
        "wall_hours": hours.wall,
        "wall_days": hours.wall / HOURS_PER_DAY,
        "goodput": 1.0 - waste_share,
        "accelerator_hours": accelerator_hours,
        "it_energy_gwh": wall_energy / KWH_PER_GWH,
        "energy_gwh": facility_energy / KWH_PER_GWH,
        "carbon_tonnes": power.carbon_tonnes(facility_energy, value["carbon_kg_per_kwh"]),
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
        "total_over_accelerators": ratio(total_usd, parts["accelerators"]) if own else np.nan,
        **detail,
    }
    if "cluster_mtbf_hours" in detail:
        outputs["failures"] = reliability.failures(hours.wall, detail["cluster_mtbf_hours"])
    return outputs


def _from_the_bottom_up(value: Numbers, word: Inputs, causal: Real) -> Outputs:
    """Work out the parts of the model that are given in detail, for some row at least."""
    detail: Outputs = {}
    if any_given(value["kernel_efficiency"]):
        detail |= step(value, str(word["recomputation"]), causal)
    if any_given(value["accelerator_mtbf_hours"]):
        detail |= failures(value, str(word["checkpoint_method"]))
    if word["network_topology"] is not None:
        detail |= fabric(value, str(word["network_topology"]))
    if any_given(value["storage_usd_per_tb"]):
        detail |= capacity(value)
    return detail

"""The names of what comes out: components of the cost, and metrics beside the total.

Like `xl_tco.fields` for what goes in: the same names in JSON, in a DataFrame, in the workbook and
in the spreadsheet functions. The amount of component ``power`` is named ``power_usd`` where names
stand in one flat table.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPONENTS", "METRICS", "OWN_COMPONENTS", "RENT_COMPONENTS", "TOTAL", "Output"]


@dataclass(frozen=True, slots=True)
class Output:
    """One result: its name, what people read, its unit, and what it says."""

    name: str
    label: str
    unit: str
    help: str


_COMPONENTS = (
    Output("accelerators", "Accelerators", "USD", "Depreciation of the accelerators."),
    Output("hosts", "Hosts", "USD", "Depreciation of the servers around the accelerators."),
    Output("network", "Network", "USD", "Depreciation of switches, optics and cables."),
    Output("storage", "Storage", "USD", "Depreciation of storage, and storage by the hour."),
    Output("facility", "Facility", "USD", "Depreciation and operation of the building and plant."),
    Output("power", "Power", "USD", "Electricity of the IT load."),
    Output("cooling", "Cooling", "USD", "Electricity of cooling and power distribution."),
    Output("rental", "Rent of accelerators", "USD", "Accelerators rented by the hour."),
    Output("staff", "Staff", "USD", "People, for the time of the run."),
    Output("software", "Software", "USD", "Licences and support."),
    Output("waste", "Failures and retries", "USD", "All of the above for time without progress."),
)

COMPONENTS = {output.name: output for output in _COMPONENTS}
"""Parts of the total, in the order in which reports list them."""

RENT_COMPONENTS = ("rental", "storage", "staff", "software", "waste")
"""Parts that a rented cluster pays for; the rest is in the hourly price."""

OWN_COMPONENTS = tuple(name for name in COMPONENTS if name != "rental")
"""Parts that an owned cluster pays for."""

TOTAL = Output("total_usd", "Training TCO", "USD", "Sum of the components.")

_METRICS = (
    Output("flops", "Model FLOPs of the final run", "FLOP", "6·N·D, and attention if given."),
    Output("project_flops", "Model FLOPs of the project", "FLOP", "Experiments included."),
    Output("hardware_flops", "Hardware FLOPs of the project", "FLOP", "Recomputation included."),
    Output("achieved_mfu", "MFU", "share of peak", "Given, or from HFU."),
    Output("achieved_hfu", "HFU", "share of peak", "Given, or from MFU."),
    Output("productive_hours", "Productive time", "hours", "Time in which training progresses."),
    Output("wall_hours", "Wall time", "hours", "Productive time over goodput."),
    Output("wall_days", "Wall time in days", "days", "Wall time in days."),
    Output("goodput", "Goodput", "share of wall time", "Share of the time that makes progress."),
    Output("accelerator_hours", "Accelerator-hours", "hours", "Accelerators times wall time."),
    Output("it_energy_gwh", "IT energy", "GWh", "Energy of the IT load over the wall time."),
    Output("energy_gwh", "Facility energy", "GWh", "Energy at the meter over the wall time."),
    Output("peak_it_mw", "IT load at nameplate", "MW", "What the facility must be built for."),
    Output("peak_facility_mw", "Facility load at nameplate", "MW", "IT nameplate times PUE."),
    Output("accelerators_capex_usd", "CapEx: accelerators", "USD", "Purchase."),
    Output("hosts_capex_usd", "CapEx: hosts", "USD", "Purchase."),
    Output("network_capex_usd", "CapEx: network", "USD", "Purchase."),
    Output("storage_capex_usd", "CapEx: storage", "USD", "Purchase."),
    Output("cluster_capex_usd", "CapEx: cluster", "USD", "Accelerators, hosts, network, storage."),
    Output("facility_capex_usd", "CapEx: facility", "USD", "Building, power and cooling plant."),
    Output("usd_per_million_tokens", "Cost of a million tokens", "USD", "Total over tokens."),
    Output("usd_per_parameter", "Cost of a parameter", "USD", "Total over parameters."),
    Output("usd_per_accelerator_hour", "Cost of an accelerator-hour", "USD", "All in."),
    Output(
        "usd_per_effective_tflop_hour",
        "Cost of an effective TFLOP-hour",
        "USD",
        "One TFLOP/s of model FLOPs for an hour: the price that compares accelerators.",
    ),
    Output("usd_per_pflop_day", "Cost of a PFLOP-day", "USD", "One PFLOP/s of model FLOPs a day."),
    Output("total_over_accelerators", "Total over accelerators", "multiple", "Of their charge."),
)

METRICS = {output.name: output for output in _METRICS}
"""Figures beside the total. One that rests on a figure nobody has given is missing, not zero."""

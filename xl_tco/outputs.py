"""The names of what comes out: components of the cost, and metrics beside the total.

Like `xl_tco.fields` for what goes in: the same names in JSON, in a DataFrame, in the workbook and
in the spreadsheet functions. The amount of component ``power`` is named ``power_usd`` where names
stand in one flat table.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPONENTS", "METRICS", "OWN_COMPONENTS", "RENT_COMPONENTS", "TOTAL", "Output"]

NAMEPLATE = ("tdp_watts", "host_watts_per_accelerator")
ENERGY = (*NAMEPLATE, "power_draw_share", "host_draw_share")
STEP = ("kernel_efficiency",)
FAILURES = ("accelerator_mtbf_hours",)
TOPOLOGY = ("network_topology",)
CAPACITY = ("storage_usd_per_tb",)


@dataclass(frozen=True, slots=True)
class Output:
    """One result.

    Attributes
    ----------
    name
        The name, everywhere.
    label, unit, help
        What people read: a heading, the unit, a sentence.
    needs
        Inputs that a scenario can do without, and this result cannot.
    """

    name: str
    label: str
    unit: str
    help: str
    needs: tuple[str, ...] = ()


_COMPONENTS = (
    Output("accelerators", "Accelerators", "USD", "Depreciation of the accelerators."),
    Output("hosts", "Hosts", "USD", "Depreciation of the servers around the accelerators."),
    Output("network", "Network", "USD", "Depreciation and upkeep of switches, optics, cables."),
    Output("storage", "Storage", "USD", "Depreciation, upkeep, and storage by the hour."),
    Output("facility", "Facility", "USD", "Depreciation and operation of the building and plant."),
    Output("power", "Power", "USD", "Electricity of the IT load, its demand charge included."),
    Output("cooling", "Cooling", "USD", "Electricity of cooling and power distribution."),
    Output("carbon", "Carbon", "USD", "Price of the CO2e of the electricity."),
    Output("rental", "Rent of accelerators", "USD", "Accelerators rented by the hour."),
    Output("staff", "Staff", "USD", "People, for the time of the run."),
    Output("software", "Software", "USD", "Licences and support."),
    Output("waste", "Failures and retries", "USD", "What is paid by time, without progress."),
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
    Output("it_energy_gwh", "IT energy", "GWh", "Energy of the IT load, wall time.", ENERGY),
    Output("energy_gwh", "Facility energy", "GWh", "At the meter, wall time.", (*ENERGY, "pue")),
    Output(
        "carbon_tonnes",
        "Greenhouse gases of the electricity",
        "t CO2e",
        "Facility energy times the grid's carbon intensity.",
        (*ENERGY, "pue", "carbon_kg_per_kwh"),
    ),
    Output("peak_it_mw", "IT load at nameplate", "MW", "What is built for.", NAMEPLATE),
    Output(
        "peak_facility_mw",
        "Facility load at nameplate",
        "MW",
        "IT nameplate times PUE.",
        (*NAMEPLATE, "pue"),
    ),
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
    Output("data_parallel", "Data parallel degree", "replicas", "Copies of the model.", STEP),
    Output("step_seconds", "Time of a step", "s", "Compute, communication, waiting, I/O.", STEP),
    Output("compute_step_share", "Step: compute", "share of step", "Arithmetic.", STEP),
    Output(
        "communication_step_share",
        "Step: communication",
        "share of step",
        "Communication that no computation hides.",
        STEP,
    ),
    Output("bubble_step_share", "Step: pipeline bubble", "share of step", "Waiting.", STEP),
    Output("storage_step_share", "Step: storage", "share of step", "Reading the dataset.", STEP),
    Output(
        "memory_needed_gb",
        "Memory that training needs",
        "GB/accelerator",
        "Weights, gradients, optimizer states, activations and other things.",
        STEP,
    ),
    Output("checkpoint_gb", "Size of a checkpoint", "GB", "Weights and optimizer.", FAILURES),
    Output(
        "checkpoint_write_hours",
        "Time to write a checkpoint",
        "hours",
        "Over the storage bandwidth of all accelerators.",
        FAILURES,
    ),
    Output("interval_hours", "Work between checkpoints", "hours", "Given, or best.", FAILURES),
    Output("cluster_mtbf_hours", "Time between failures", "hours", "Of the cluster.", FAILURES),
    Output("failures", "Failures to expect", "failures", "Wall time over MTBF.", FAILURES),
    Output("network_switches", "Switches", "switches", "Of all tiers.", TOPOLOGY),
    Output("network_transceivers", "Transceivers", "ports", "Both ends of a cable.", TOPOLOGY),
    Output("network_cables", "Cables", "cables", "To accelerators and between.", TOPOLOGY),
    Output("network_kw", "Power of the network", "kW", "Switches and transceivers.", TOPOLOGY),
    Output("storage_tb", "Storage capacity", "TB", "Dataset and checkpoints.", CAPACITY),
)

METRICS = {output.name: output for output in _METRICS}
"""Figures beside the total. One that rests on a figure nobody has given is missing, not zero."""

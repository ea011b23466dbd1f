"""Lines of what is bought: storage by its size, machines, building; and of what they draw."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Sections, metric, owned, unknowable, when

__all__ = ["CAPITAL", "POWER", "STORAGE"]

STORAGE: Sections = {
    "Storage: how much": when(
        "use_capacity=1",
        Line("dataset_tb", "Dataset", "TB", "tokens/epochs*token_bytes/bytes_per_tb"),
        Line(
            "state_bytes",
            "Bytes of a checkpoint",
            "bytes",
            "{all_parameters}*(weight_bytes+optimizer_bytes)",
        ),
        Line(
            "checkpoints_tb",
            "Checkpoints",
            "TB",
            "{state_bytes}*checkpoints_kept/bytes_per_tb",
        ),
        metric("storage_tb", "{dataset_tb}+{checkpoints_tb}"),
        Line("capacity_usd", "Price of the capacity", "USD", "{storage_tb}*storage_usd_per_tb"),
        Line(
            "storage_bandwidth",
            "Bandwidth of the storage",
            "GB/s",
            "accelerators*storage_gb_per_s",
        ),
        Line(
            "bandwidth_usd",
            "Price of the bandwidth",
            "USD",
            "{storage_bandwidth}*storage_usd_per_gb_per_s",
        ),
        Line(
            "sized_storage_usd",
            "Price of the storage that is sized",
            "USD",
            "{capacity_usd}+{bandwidth_usd}",
        ),
    ),
}


def _watts(name: str, label: str, formula: str) -> Line:
    return Line(name, label, "W", f'IFERROR({formula},"unknown")')


POWER: Sections = {
    "Power": (
        Line(
            "fabric_watts",
            "Network that is counted, an accelerator",
            "W",
            "N({network_kw})*watts_per_kilowatt/{fleet}",
        ),
        _watts(
            "nameplate_watts",
            "IT load an accelerator, at nameplate",
            "tdp_watts+host_watts_per_accelerator+{fabric_watts}",
        ),
        _watts("accelerator_draw", "Accelerator, on average", "tdp_watts*power_draw_share"),
        _watts("host_draw", "Host, on average", "host_watts_per_accelerator*host_draw_share"),
        _watts(
            "average_watts",
            "IT load an accelerator, on average",
            "{accelerator_draw}+{host_draw}+{fabric_watts}",
        ),
        unknowable(
            "peak_it_mw", "{fleet}*{nameplate_watts}/watts_per_kilowatt/kilowatts_per_megawatt"
        ),
        unknowable("peak_facility_mw", "{peak_it_mw}*pue"),
        unknowable(
            "it_energy_gwh",
            "{fleet}*{average_watts}/watts_per_kilowatt*{wall_hours}/kwh_per_gwh",
        ),
        unknowable("energy_gwh", "{it_energy_gwh}*pue"),
        unknowable(
            "carbon_tonnes",
            "{energy_gwh}*kwh_per_gwh*carbon_kg_per_kwh/kilograms_per_tonne",
        ),
    ),
}


def _sum(name: str, label: str, counted: str) -> Line:
    """Say the price of a network or of storage where it is a sum, given or counted."""
    sums = f"SUM({name}_price_usd,{{{counted}}})"
    return Line(f"{name}_sum", f"{label} in money, 0 if it is a share", "USD", sums)


CAPITAL: Sections = {
    "Capital": (
        *owned(
            metric("accelerators_capex_usd", "{fleet}*accelerator_price_usd"),
            metric("hosts_capex_usd", "{fleet}*host_price_usd_per_accelerator"),
            _sum("network", "Network", "counted_network_usd"),
            _sum("storage", "Storage", "sized_storage_usd"),
            Line(
                "priced_usd",
                "Cluster, without what is a share of it",
                "USD",
                "SUM({accelerators_capex_usd}:{storage_sum})",
            ),
            metric("cluster_capex_usd", "{priced_usd}/(1-N(network_share)-N(storage_share))"),
            metric("network_capex_usd", "{network_sum}+{cluster_capex_usd}*N(network_share)"),
            metric("storage_capex_usd", "{storage_sum}+{cluster_capex_usd}*N(storage_share)"),
            Line(
                "it_kilowatts",
                "IT load that a facility is built for",
                "kW",
                "{peak_it_mw}*kilowatts_per_megawatt",
            ),
            metric("facility_capex_usd", "facility_usd_per_kw*{it_kilowatts}"),
        ),
    ),
}

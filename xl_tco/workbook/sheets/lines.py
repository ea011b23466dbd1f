"""The lines of the calculation: each as a spreadsheet function, and beside it in native formulas.

In a formula, a bare word is a name in the workbook (an input or a constant); ``{name}`` is another
line. The native column refers to native lines only: it is a calculation of its own, not an echo.
"""

from __future__ import annotations

from dataclasses import dataclass

from xl_tco.core import capital, compute, power, time, total
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.resolve import PEAK_TOLERANCE

__all__ = ["CONSTANTS", "LINES", "Line"]

CONSTANTS: dict[str, tuple[float, str, str]] = {
    "flops_per_parameter_token": (
        compute.FLOPS_PER_PARAMETER_TOKEN,
        "FLOP",
        "Forward 2 and backward 4: Kaplan et al. 2020, arXiv:2001.08361",
    ),
    "attention_flops_factor": (
        compute.ATTENTION_FLOPS_FACTOR,
        "FLOP",
        "Attention of a token: PaLM, arXiv:2204.02311, appendix B",
    ),
    "flop_per_tflop": (time.FLOP_PER_TFLOP, "FLOP", "Unit conversion"),
    "flop_per_pflop_day": (total.FLOP_PER_PFLOP_DAY, "FLOP", "Unit conversion"),
    "seconds_per_hour": (time.SECONDS_PER_HOUR, "s", "Unit conversion"),
    "hours_per_day": (24.0, "hours", "Unit conversion"),
    "hours_per_year": (capital.HOURS_PER_YEAR, "hours", "Year of 365 days"),
    "watts_per_kilowatt": (power.WATTS_PER_KILOWATT, "W", "Unit conversion"),
    "kilowatts_per_megawatt": (1000.0, "kW", "Unit conversion"),
    "kwh_per_gwh": (1e6, "kWh", "Unit conversion"),
    "tokens_per_million": (total.TOKENS_PER_MILLION, "tokens", "Unit conversion"),
    "usd_per_million": (1e6, "USD", "Unit conversion"),
    "percent": (100.0, "per unit", "Unit conversion"),
    "peak_tolerance": (PEAK_TOLERANCE, "share", "Peaks in print differ by their rounding"),
    "tolerance": (1e-9, "share", "Two calculations of a line agree to this"),
}
"""Conversions and constants of the formulas, with unit and source: names, so that none is typed."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the calculation.

    Attributes
    ----------
    name
        Name of the result (`xl_tco.outputs`), or of a step on the way to one.
    label, unit
        What people read.
    native
        Formula without any function of ours.
    function
        Formula with one; empty for a step, which only the native calculation takes.
    """

    name: str
    label: str
    unit: str
    native: str
    function: str = ""


def _component(name: str, native: str, function: str = "") -> Line:
    output = COMPONENTS[name]
    formula = function or f'TCO_TOTAL(inputs,"","{name}")'
    return Line(f"{name}_usd", output.label, "USD", native, formula)


def _metric(name: str, native: str, function: str = "") -> Line:
    output = METRICS[name]
    formula = function or f'TCO_METRIC(inputs,"{name}")'
    return Line(name, output.label, output.unit, native, formula)


def _unknowable(name: str, native: str) -> Line:
    """Make a metric that may rest on a figure nobody has given, which a renter does not need."""
    formula = f'IFERROR(TCO_METRIC(inputs,"{name}"),"unknown")'
    return _metric(name, f'IFERROR({native},"unknown")', formula)


def _catalogue_peak(precision: str) -> Line:
    entry = f'accelerator&".peak_tflops_{precision}"'
    formula = f"INDEX(catalogue_value,MATCH({entry},catalogue_id,0))"
    return Line(f"peak_{precision}", f"Dense peak, {precision}", "TFLOP/s", formula)


_CLUSTER = "accelerators,peak_tflops,{achieved_mfu},communication_share"
_LIFE = "{productive_hours},depreciation_years,residual_share,utilization"

LINES: dict[str, tuple[Line, ...]] = {
    "Compute": (
        Line(
            "attention_flops",
            "Attention, a token",
            "FLOP",
            "attention_flops_factor*N(layers)*N(hidden_size)*N(sequence_length)",
        ),
        _metric(
            "flops",
            "(flops_per_parameter_token*parameters+{attention_flops})*tokens",
            "TCO_FLOPS(parameters,tokens,0,layers,hidden_size,sequence_length)",
        ),
        _metric("project_flops", "{flops}*experiment_multiplier"),
        _metric("hardware_flops", "{project_flops}*(1+recompute_share)"),
        _metric("achieved_mfu", "IF(ISNUMBER(mfu),mfu,hfu/(1+recompute_share))"),
        _metric("achieved_hfu", "{achieved_mfu}*(1+recompute_share)"),
    ),
    "Time": (
        Line(
            "cluster_flop_per_hour",
            "Cluster at its peak, an hour",
            "FLOP",
            "accelerators*peak_tflops*flop_per_tflop*seconds_per_hour",
        ),
        _metric(
            "productive_hours",
            "{project_flops}/({cluster_flop_per_hour}*{achieved_mfu}*(1-communication_share))",
            f"TCO_WALLTIME({{project_flops}},{_CLUSTER},0)",
        ),
        _metric(
            "wall_hours",
            "{productive_hours}/(1-waste_share)",
            f"TCO_WALLTIME({{project_flops}},{_CLUSTER},waste_share)",
        ),
        _metric("wall_days", "{wall_hours}/hours_per_day"),
        _metric("goodput", "1-waste_share"),
        _metric("accelerator_hours", "accelerators*{wall_hours}"),
    ),
    "Power": (
        Line(
            "nameplate_watts",
            "IT load an accelerator, at nameplate",
            "W",
            'IFERROR(tdp_watts+host_watts_per_accelerator,"unknown")',
        ),
        Line(
            "average_watts",
            "IT load an accelerator, on average",
            "W",
            'IFERROR(tdp_watts*power_draw_share+host_watts_per_accelerator,"unknown")',
        ),
        _unknowable(
            "peak_it_mw",
            "accelerators*{nameplate_watts}/watts_per_kilowatt/kilowatts_per_megawatt",
        ),
        _unknowable("peak_facility_mw", "{peak_it_mw}*pue"),
        _unknowable(
            "it_energy_gwh",
            "accelerators*{average_watts}/watts_per_kilowatt*{wall_hours}/kwh_per_gwh",
        ),
        _unknowable("energy_gwh", "{it_energy_gwh}*pue"),
    ),
    "Capital": (
        Line("own", "The cluster is owned", "1 yes, 0 no", 'IF(procurement="own",1,0)'),
        _metric("accelerators_capex_usd", "IF({own},accelerators*accelerator_price_usd,0)"),
        _metric("hosts_capex_usd", "IF({own},accelerators*host_price_usd_per_accelerator,0)"),
        _metric(
            "cluster_capex_usd",
            "({accelerators_capex_usd}+{hosts_capex_usd})/(1-network_share-storage_share)",
        ),
        _metric("network_capex_usd", "{cluster_capex_usd}*network_share"),
        _metric("storage_capex_usd", "{cluster_capex_usd}*storage_share"),
        Line(
            "it_kilowatts",
            "IT load that a facility is built for",
            "kW",
            "IF({own},{peak_it_mw}*kilowatts_per_megawatt,0)",
        ),
        _metric("facility_capex_usd", "facility_usd_per_kw*{it_kilowatts}"),
    ),
    "Charged to the productive time": (
        Line(
            "hardware_hours",
            "Useful hours in the life of the hardware",
            "hours",
            "depreciation_years*hours_per_year*utilization",
        ),
        Line(
            "hardware_charge",
            "Charged to the run, of the hardware's price",
            "share of price",
            "(1-residual_share)*{productive_hours}/{hardware_hours}",
        ),
        Line(
            "facility_charge",
            "Charged to the run, of the facility's price",
            "share of price",
            "{productive_hours}/(facility_life_years*hours_per_year*utilization)",
        ),
        Line(
            "paid_watts",
            "IT load an accelerator that the owner pays for",
            "W",
            "IF({own},{average_watts},0)",
        ),
        Line(
            "energy_kwh",
            "IT energy of the productive time",
            "kWh",
            "accelerators*{paid_watts}/watts_per_kilowatt*{productive_hours}",
        ),
        Line(
            "power_and_cooling_usd",
            "Power and cooling in one",
            "USD",
            "{energy_kwh}*pue*electricity_usd_per_kwh",
            "TCO_POWER_COST(accelerators,{productive_hours},{paid_watts},pue,electricity_usd_per_kwh)",
        ),
        Line(
            "rent_usd_per_hour",
            "Rent of an accelerator, discounted",
            "USD/hour",
            "IF({own},0,rental_usd_per_accelerator_hour*(1-reservation_discount))",
        ),
        Line(
            "run_years",
            "Productive time in years",
            "years",
            "{productive_hours}/hours_per_year",
        ),
    ),
    "Components": (
        _component(
            "accelerators",
            "{accelerators_capex_usd}*{hardware_charge}",
            f"TCO_AMORTIZATION({{accelerators_capex_usd}},{_LIFE})",
        ),
        _component(
            "hosts",
            "{hosts_capex_usd}*{hardware_charge}",
            f"TCO_AMORTIZATION({{hosts_capex_usd}},{_LIFE})",
        ),
        _component(
            "network",
            "{network_capex_usd}*{hardware_charge}",
            f"TCO_AMORTIZATION({{network_capex_usd}},{_LIFE})",
        ),
        _component(
            "storage",
            "{storage_capex_usd}*{hardware_charge}+storage_usd_per_hour*{productive_hours}",
        ),
        _component(
            "facility",
            "{facility_capex_usd}*{facility_charge}"
            "+facility_om_usd_per_kw_year*{it_kilowatts}*{run_years}",
        ),
        _component("power", "{energy_kwh}*electricity_usd_per_kwh"),
        _component("cooling", "{energy_kwh}*(pue-1)*electricity_usd_per_kwh"),
        _component(
            "rental",
            "{rent_usd_per_hour}*accelerators*{productive_hours}",
            "TCO_RENTAL_COST(accelerators,{productive_hours},{rent_usd_per_hour})",
        ),
        _component("staff", "staff_fte*staff_usd_per_fte_year*{run_years}"),
        _component("software", "accelerators*software_usd_per_accelerator_year*{run_years}"),
        Line(
            "productive_usd",
            "Cost of the productive time",
            "USD",
            "SUM({accelerators_usd}:{software_usd})",
        ),
        _component("waste", "{productive_usd}*waste_share/(1-waste_share)"),
        Line(
            TOTAL.name, TOTAL.label, TOTAL.unit, "{productive_usd}+{waste_usd}", "TCO_TOTAL(inputs)"
        ),
    ),
    "Unit costs": (
        _metric("usd_per_million_tokens", "{total_usd}/(tokens/tokens_per_million)"),
        _metric("usd_per_parameter", "{total_usd}/parameters"),
        _metric("usd_per_accelerator_hour", "{total_usd}/{accelerator_hours}"),
        _metric(
            "usd_per_effective_tflop_hour",
            "{total_usd}/({project_flops}/(flop_per_tflop*seconds_per_hour))",
        ),
        _metric("usd_per_pflop_day", "{total_usd}/({project_flops}/flop_per_pflop_day)"),
        _unknowable("total_over_accelerators", "{total_usd}/{accelerators_usd}"),
    ),
    "What the total rests on": (
        Line(
            "estimates_not_needed",
            "Estimates that this way of procurement does not need",
            "inputs",
            'IF({own},COUNTIF(status_rent,"estimate"),COUNTIF(status_own,"estimate"))',
        ),
        Line(
            "estimates",
            "Inputs that are only estimates",
            "inputs",
            'COUNTIF(status_all,"estimate")-{estimates_not_needed}',
        ),
    ),
    "Highest peak that may be claimed": (
        _catalogue_peak("bf16"),
        _catalogue_peak("fp16"),
        _catalogue_peak("fp8"),
        Line(
            "highest_peak",
            "Highest dense peak, 0 if none is known",
            "TFLOP/s",
            "IF(ISNUMBER(catalogue_peak),catalogue_peak,MAX({peak_bf16}:{peak_fp8}))",
        ),
    ),
}
"""The lines by section, in the order in which they are calculated."""

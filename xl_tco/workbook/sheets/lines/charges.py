"""Lines of what a run pays: running costs, components, the total, and unit costs."""

from __future__ import annotations

from xl_tco.outputs import COMPONENTS, TOTAL
from xl_tco.workbook.sheets.lines.line import Line, Sections, component, metric, owned, unknowable

__all__ = ["CHARGES", "UNIT_COSTS"]

CHARGES: Sections = {
    "Running costs of the productive time": (
        Line("run_years", "Productive time in years", "years", "{productive_hours}/hours_per_year"),
        Line(
            "run_months",
            "Productive time in months",
            "months",
            "{productive_hours}/hours_per_month",
        ),
        *owned(
            Line("paid_watts", "IT load an accelerator that is paid for", "W", "{average_watts}"),
            Line(
                "energy_kwh",
                "IT energy of the productive time",
                "kWh",
                "{fleet}*{paid_watts}/watts_per_kilowatt*{productive_hours}",
            ),
            Line(
                "charged_tonnes",
                "Greenhouse gases of the productive time",
                "t CO2e",
                "{energy_kwh}*pue*carbon_kg_per_kwh/kilograms_per_tonne",
            ),
            Line(
                "demand_usd",
                "Demand charge of the IT load",
                "USD",
                "{it_kilowatts}*demand_usd_per_kw_month*{run_months}",
            ),
            Line(
                "bills_power",
                "Electricity has a price",
                "1 yes, 0 no",
                "(electricity_usd_per_kwh>0)*1",
            ),
            Line(
                "electricity_usd",
                "Electricity, power and cooling in one",
                "USD",
                "{energy_kwh}*pue*electricity_usd_per_kwh",
                # What is free is not asked about: Calc takes a single 0 for an empty cell.
                "IF({bills_power},TCO_POWER_COST({fleet},{productive_hours},{paid_watts},pue,"
                "electricity_usd_per_kwh),0)",
            ),
        ),
        Line(
            "software_by_time_usd",
            "Software that is paid by the year",
            "USD",
            "{fleet}*software_usd_per_accelerator_year*{run_years}",
        ),
        Line(
            "rent_usd_per_hour",
            "Rent of an accelerator, discounted",
            "USD/hour",
            "IF(use_rent=1,rental_usd_per_accelerator_hour*(1-reservation_discount),0)",
        ),
    ),
    "Components": (
        component("accelerators", "{accelerators_capex_usd}*{hardware_charge}"),
        component("hosts", "{hosts_capex_usd}*{hardware_charge}"),
        component(
            "network",
            "{network_capex_usd}*({hardware_charge}+network_upkeep_share*{run_years})",
        ),
        component(
            "storage",
            "{storage_capex_usd}*({hardware_charge}+storage_upkeep_share*{run_years})"
            "+storage_usd_per_hour*{productive_hours}",
        ),
        component(
            "facility",
            "{facility_capex_usd}*{facility_charge}"
            "+facility_om_usd_per_kw_year*{it_kilowatts}*{run_years}",
        ),
        *owned(
            component("power", "{energy_kwh}*electricity_usd_per_kwh+{demand_usd}"),
            component("cooling", "(pue-1)*({energy_kwh}*electricity_usd_per_kwh+{demand_usd})"),
            component("carbon", "{charged_tonnes}*carbon_usd_per_tonne"),
        ),
        Line(
            "rental_usd",
            COMPONENTS["rental"].label,
            "USD",
            "{rent_usd_per_hour}*{fleet}*{productive_hours}",
            "IF({rent_usd_per_hour}=0,0,"
            "TCO_RENTAL_COST({fleet},{productive_hours},{rent_usd_per_hour}))",
        ),
        component("staff", "staff_fte*staff_usd_per_fte_year*{run_years}"),
        component("software", "{software_by_time_usd}+software_fixed_usd"),
        Line(
            "productive_usd",
            "Cost of the productive time",
            "USD",
            "SUM({accelerators_usd}:{software_usd})",
        ),
        Line(
            "by_time_usd",
            "What of it goes by the time",
            "USD",
            "SUM({accelerators_usd}:{staff_usd})+{software_by_time_usd}",
        ),
        component("waste", "{by_time_usd}*{lost_share}/(1-{lost_share})"),
        Line(
            TOTAL.name, TOTAL.label, TOTAL.unit, "{productive_usd}+{waste_usd}", "TCO_TOTAL(inputs)"
        ),
    ),
}

UNIT_COSTS: Sections = {
    "Unit costs": (
        metric("usd_per_million_tokens", "{total_usd}/(tokens/tokens_per_million)"),
        metric("usd_per_parameter", "{total_usd}/parameters"),
        metric("usd_per_accelerator_hour", "{total_usd}/{accelerator_hours}"),
        metric(
            "usd_per_effective_tflop_hour",
            "{total_usd}/({project_flops}/(flop_per_tflop*seconds_per_hour))",
        ),
        metric("usd_per_pflop_day", "{total_usd}/({project_flops}/flop_per_pflop_day)"),
        unknowable("total_over_accelerators", "{total_usd}/{accelerators_usd}"),
    ),
}

"""The sheet Results: the total, what it is made of, and the figures beside it, with charts."""

from __future__ import annotations

from openpyxl.workbook import Workbook

from xl_tco.outputs import COMPONENTS, METRICS, Output
from xl_tco.workbook.sheets.charts import add_component_chart, add_group_chart
from xl_tco.workbook.sheets.lines import NOT_USED
from xl_tco.workbook.sheets.page import Column, Page, name_cell

__all__ = ["SHEET", "add_results"]

SHEET = "Results"
COLUMNS = (
    Column("Result", 46),
    Column("Unit", 20),
    Column("Value", 24, number=True),
    Column("Share of total", 16, number=True),
    Column("", 3),
    Column("", 62),
)
LABEL, UNIT, VALUE, SHARE = 1, 2, 3, 4

GROUPS = {
    "All hardware": ("accelerators", "hosts", "network", "storage"),
    "All facility": ("facility",),
    "All energy": ("power", "cooling", "carbon"),
    "All rent": ("rental",),
    "All staff and software": ("staff", "software"),
    "All waste": ("waste",),
}


FIGURES = {
    "Compute and time": (
        "flops",
        "project_flops",
        "hardware_flops",
        "achieved_mfu",
        "achieved_hfu",
        "productive_hours",
        "wall_hours",
        "wall_days",
        "goodput",
        "accelerator_hours",
    ),
    "Energy and greenhouse gases": (
        "it_energy_gwh",
        "energy_gwh",
        "carbon_tonnes",
        "peak_it_mw",
        "peak_facility_mw",
    ),
    "What is bought": (
        "accelerators_capex_usd",
        "hosts_capex_usd",
        "network_capex_usd",
        "storage_capex_usd",
        "cluster_capex_usd",
        "facility_capex_usd",
    ),
    "Unit costs": (
        "usd_per_million_tokens",
        "usd_per_parameter",
        "usd_per_accelerator_hour",
        "usd_per_effective_tflop_hour",
        "usd_per_pflop_day",
        "total_over_accelerators",
    ),
    "A training step, where kernel_efficiency is given": (
        "data_parallel",
        "step_seconds",
        "compute_step_share",
        "communication_step_share",
        "bubble_step_share",
        "storage_step_share",
        "memory_needed_gb",
    ),
    "Failures and checkpoints, where accelerator_mtbf_hours is given": (
        "cluster_mtbf_hours",
        "failures",
        "checkpoint_gb",
        "checkpoint_write_hours",
        "interval_hours",
    ),
    "Network and storage, where network_topology or storage_usd_per_tb is given": (
        "network_switches",
        "network_transceivers",
        "network_cables",
        "network_kw",
        "storage_tb",
    ),
}
"""Metrics beside the total, by what they are about."""


def add_results(workbook: Workbook) -> None:
    """Write the sheet and its charts."""
    page = Page(workbook, SHEET, "What the run costs, what that is made of, and per unit.", COLUMNS)
    page.section("Components of the total", SHARE)
    first = page.row
    for component in COMPONENTS.values():
        _amount(page, component.label, f"{component.name}_usd", "link")
    last = page.row - 1
    _amount(page, "Training TCO", "total_usd", "total link")

    page.section("The same in six groups", SHARE)
    start = page.row
    for label, names in GROUPS.items():
        _amount(page, label, f"({'+'.join(f'{name}_usd' for name in names)})", "link")
    end = page.row - 1

    for title, names in FIGURES.items():
        page.section(title, SHARE)
        for name in names:
            _figure(page, METRICS[name])
    page.mute(f"C{first}:C{page.row - 1}", f'C{first}="{NOT_USED}"')

    findings = _findings(page, workbook, first, last)
    add_component_chart(page.sheet, (first, last), findings["component"], "F5")
    add_group_chart(page.sheet, (start, end), findings["group"], "F27")
    page.finish(grid=False, pages=2)


def _figure(page: Page, metric: Output) -> None:
    """Write a metric; what is bought, in millions."""
    millions = metric.name.endswith("_capex_usd")
    unit = "USD million" if millions else metric.unit
    page.put(page.row, LABEL, metric.label, "label")
    page.put(page.row, UNIT, unit, "unit")
    formula = f"={metric.name}/usd_per_million" if millions else f"={metric.name}"
    page.put(page.row, VALUE, formula, "link", unit)
    page.row += 1


def _amount(page: Page, label: str, usd: str, style: str) -> None:
    """Write an amount in millions and its share of the total; ``usd`` is a formula of names."""
    row, total = page.row, style == "total link"
    page.put(row, LABEL, label, "total label" if total else "label")
    page.put(row, UNIT, "USD million", "unit")
    page.put(row, VALUE, f"={usd}/usd_per_million", style, "USD million")
    share = f"=IF(total_usd=0,0,C{row}*usd_per_million/total_usd)"
    page.put(row, SHARE, share, "total" if total else "formula", "share")
    page.row += 1


def _findings(page: Page, workbook: Workbook, first: int, last: int) -> dict[str, str]:
    """Write the sentences that the charts bear as titles; return their cells."""
    page.section("Findings", SHARE)
    amounts, shares = f"C{first}:C{last}", f"D{first}:D{last}"
    name = _step(page, "Largest", f"INDEX(A{first}:A{last},MATCH(MAX({amounts}),{amounts},0))")
    share = _step(page, "Its share", f'FIXED(MAX({shares})*percent,0)&"%"')
    total = _step(page, "In words", '"USD "&FIXED(total_usd/usd_per_million,1)&" million"')
    ratio = _step(page, "Multiple", 'IFERROR(FIXED(total_over_accelerators,1),"—")')
    owned = _step(page, "If owned", f'"A dollar of accelerators costs USD "&{ratio}&" in all"')
    rented = _step(page, "If rented", f'"Rent, and what comes on top of it: "&{total}')
    sentences = {
        "component": f'{name}&": "&{share}&" of "&{total}',
        "group": f'IF(procurement="own",{owned},{rented})',
    }
    cells = {}
    for number, (key, formula) in enumerate(sentences.items(), start=1):
        cell = _step(page, f"Finding {number}", formula)
        name_cell(workbook, f"finding_{key}", SHEET, cell.replace("C", "$C$"))
        cells[key] = f"{SHEET}!{cell.replace('C', '$C$')}"
    return cells


def _step(page: Page, label: str, formula: str) -> str:
    """Write a piece of a sentence; return its cell."""
    page.put(page.row, LABEL, label, "label")
    page.put(page.row, UNIT, "text", "unit")
    page.put(page.row, VALUE, f"={formula}", "finding")
    page.row += 1
    return f"C{page.row - 1}"

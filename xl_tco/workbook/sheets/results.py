"""The sheet Results: the total, what it is made of, and the figures beside it, with charts."""

from __future__ import annotations

from xl_tco.outputs import COMPONENTS, METRICS, Output
from xl_tco.workbook.sheets.asked import step
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.charts import SHADES, Axis, Frame, Shown, add_bars
from xl_tco.workbook.sheets.claims import SHEET as CLAIMS
from xl_tco.workbook.sheets.claims import emphasize, indicator
from xl_tco.workbook.sheets.lines import KEY_INDICATORS, NOT_USED
from xl_tco.workbook.sheets.page import Column, Page

__all__ = ["SHEET", "add_results"]

SHEET = "Results"
COLUMNS = (
    Column("Result", 46),
    Column("Unit", 20),
    Column("Value", 24, number=True),
    Column("Share of total", 14, number=True),
    Column("From", 10, number=True),
    Column("To", 10, number=True),
    Column("Verdict", 15),
    Column("", 3),
    Column("", 62),
)
LABEL, UNIT, VALUE, SHARE, LOW, HIGH, VERDICT = range(1, 8)

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


def add_results(book: Book) -> None:
    """Write the sheet and its charts."""
    page = Page(book, SHEET, "What the run costs, what that is made of, and per unit.", COLUMNS)
    page.section("Components of the total", VERDICT)
    first = page.row
    last = first + len(COMPONENTS) - 1
    for component in COMPONENTS.values():
        _amount(page, component.label, f"{component.name}_usd", "link", last + 1)
    _amount(page, "Training TCO", "total_usd", "total link", last + 1)

    page.section("The same in six groups", VERDICT)
    start = page.row
    for label, names in GROUPS.items():
        _amount(page, label, f"({'+'.join(f'{name}_usd' for name in names)})", "link", last + 1)
    end = page.row - 1

    _indicators(page)
    for title, names in FIGURES.items():
        page.section(title, VERDICT)
        for name in names:
            _figure(page, METRICS[name])
    page.mute(f"C{first}:C{page.row - 1}", f'C{first}="{NOT_USED}"')

    largest, whole = _findings(page, first, last)
    unit = Axis(f"{SHEET}!$B${first}")
    add_bars(
        page,
        Frame("I5", largest, height=9.6),
        f"{SHEET}!$A${first}:$A${last}",
        [Shown(f"{SHEET}!$C${first}:$C${last}")],
        values=unit,
        labels="#,##0.0",
    )
    shown = [
        Shown(f"{SHEET}!$C${row}", shade, f"{SHEET}!$A${row}")
        for row, shade in zip(range(start, end + 1), SHADES, strict=False)
    ]
    add_bars(page, Frame("I27", whole, height=7.6), "", shown, values=unit, stacked=True, gap=60)
    page.finish(grid=False, pages=2)


def _indicators(page: Page) -> None:
    """Write the key indicators beside the ranges that people name for them."""
    page.section("Key indicators against their ranges", VERDICT)
    for claim, line in KEY_INDICATORS.items():
        there = indicator(claim)
        _rule(page)
        page.put(page.row, LABEL, line.label, "label")
        money, _, of = line.unit.partition("USD/")
        is_price = not money and bool(of)
        page.put(page.row, UNIT, f'=currency&"/{of}"' if is_price else line.unit, "unit")
        value = f"={line.name}*currency_per_usd" if is_price else f"={line.name}"
        page.put(page.row, VALUE, value, "link", there.form)
        for column, letter, known in ((LOW, "D", there.low), (HIGH, "E", there.high)):
            if known:
                end = f"={CLAIMS}!{letter}{there.row}"
                page.put(page.row, column, end, "link", there.form)
        page.put(page.row, VERDICT, f"={CLAIMS}!G{there.row}", "link text")
        page.row += 1
    emphasize(page, f"G{page.row - len(KEY_INDICATORS)}:G{page.row - 1}")


def _rule(page: Page) -> None:
    """Draw the line under a row through its empty cells too."""
    for column in range(LABEL, VERDICT + 1):
        page.put(page.row, column, None, "text")


def _figure(page: Page, metric: Output) -> None:
    """Write a metric; money as the report has it, what is bought in millions."""
    _rule(page)
    unit, formula, form = metric.unit, f"={metric.name}", metric.unit
    if metric.name.endswith("_capex_usd"):
        unit, formula, form = "=money_unit", f"{formula}/money", "USD million"
    elif unit == "USD":
        unit, formula = "=currency", f"{formula}*currency_per_usd"
    page.put(page.row, LABEL, metric.label, "label")
    page.put(page.row, UNIT, unit, "unit")
    page.put(page.row, VALUE, formula, "link", form)
    page.row += 1


def _amount(page: Page, label: str, usd: str, style: str, total: int) -> None:
    """Write an amount and its share of the total in row ``total``; ``usd`` is a formula."""
    _rule(page)
    row, is_total = page.row, style == "total link"
    page.put(row, LABEL, label, "total label" if is_total else "label")
    page.put(row, UNIT, "=money_unit", "unit")
    page.put(row, VALUE, f"={usd}/money", style, "USD million")
    share = f"=IF(C{total}=0,0,C{row}/C{total})"
    page.put(row, SHARE, share, "total" if is_total else "formula", "share")
    page.row += 1


def _findings(page: Page, first: int, last: int) -> tuple[str, str]:
    """Write the sentences that the charts bear as titles; return their cells."""
    page.section("Findings", VERDICT)
    amounts, shares = f"C{first}:C{last}", f"D{first}:D{last}"
    name = step(page, "Largest", f"INDEX(A{first}:A{last},MATCH(MAX({amounts}),{amounts},0))")
    share = step(page, "Its share", f'FIXED(MAX({shares})*percent,0)&"%"')
    total = step(page, "In words", f'FIXED(C{last + 1},1)&" "&money_unit')
    ratio = step(page, "Multiple", 'IFERROR(FIXED(total_over_accelerators,1),"—")')
    owned = step(page, "If owned", f'"In all, "&{ratio}&" times what the accelerators cost"')
    rented = step(page, "If rented", f'"Rent, and what comes on top of it: "&{total}')
    component = step(page, "Finding 1", f'{name}&": "&{share}&" of "&{total}')
    group = step(page, "Finding 2", f'IF(procurement="own",{owned},{rented})')
    page.book.name("finding_component", SHEET, component)
    page.book.name("finding_group", SHEET, group)
    return f"{SHEET}!{component}", f"{SHEET}!{group}"

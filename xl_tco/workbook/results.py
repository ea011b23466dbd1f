"""The sheet Results: the total, what it is made of, and the figures beside it, with charts."""

from __future__ import annotations

from openpyxl.workbook import Workbook

from xl_tco.outputs import COMPONENTS, METRICS
from xl_tco.workbook.charts import add_component_chart, add_group_chart
from xl_tco.workbook.page import Page, name_cell

__all__ = ["SHEET", "add_results"]

SHEET = "Results"
COLUMNS = (("Result", 42), ("Unit", 20), ("Value", 22), ("Share of total", 16), ("", 3), ("", 60))
LABEL, UNIT, VALUE, SHARE = 1, 2, 3, 4

GROUPS = {
    "Hardware": ("accelerators", "hosts", "network", "storage"),
    "Facility": ("facility",),
    "Power and cooling": ("power", "cooling"),
    "Rent": ("rental",),
    "Staff and software": ("staff", "software"),
    "Failures and retries": ("waste",),
}


def add_results(workbook: Workbook) -> None:
    """Write the sheet and its charts."""
    page = Page(workbook, SHEET, "What the run costs, what that is made of, and per unit.", COLUMNS)
    page.section("Components of the total")
    first = page.row
    for component in COMPONENTS.values():
        _amount(page, component.label, f"={component.name}_usd", "link")
    last = page.row - 1
    _amount(page, "Training TCO", "=total_usd", "total")

    page.section("The same in six groups")
    start = page.row
    for label, names in GROUPS.items():
        _amount(page, label, "=" + "+".join(f"{name}_usd" for name in names), "link")
    end = page.row - 1

    findings = _findings(page, workbook, first, last)
    page.section("Figures beside the total")
    for metric in METRICS.values():
        millions = metric.name.endswith("_capex_usd")
        unit = "USD million" if millions else metric.unit
        page.put(page.row, LABEL, metric.label, "label")
        page.put(page.row, UNIT, unit, "unit")
        page.put(page.row, VALUE, f"={metric.name}", "link", unit)
        page.row += 1

    add_component_chart(page.sheet, (first, last), findings["largest"], "F5")
    add_group_chart(page.sheet, (start, end), findings["multiple"], "F27")
    page.finish(grid=False)


def _amount(page: Page, label: str, formula: str, style: str) -> None:
    row = page.row
    page.put(row, LABEL, label, "total label" if style == "total" else "label")
    page.put(row, UNIT, "USD million", "unit")
    page.put(row, VALUE, formula, style, "USD million")
    page.put(row, SHARE, f"=C{row}/total_usd", "total" if style == "total" else "formula", "share")
    page.row += 1


def _findings(page: Page, workbook: Workbook, first: int, last: int) -> dict[str, str]:
    """Write the sentences that the charts bear as titles; return their cells."""
    page.section("Findings")
    row = page.row
    amounts, shares = f"C{first}:C{last}", f"D{first}:D{last}"
    steps = (
        (
            "Largest component",
            "name",
            f"=INDEX(A{first}:A{last},MATCH(MAX({amounts}),{amounts},0))",
        ),
        ("Its share", "percent", f'=FIXED(MAX({shares})*percent,0)&"%"'),
        (
            "Total in millions",
            "USD million",
            '="USD "&FIXED(total_usd/usd_per_million,1)&" million"',
        ),
        ("Total over accelerators", "multiple", '=IFERROR(FIXED(total_over_accelerators,1),"—")'),
    )
    for offset, (label, unit, formula) in enumerate(steps):
        page.put(row + offset, LABEL, label, "label")
        page.put(row + offset, UNIT, unit, "unit")
        page.put(row + offset, VALUE, formula, "formula")
    largest, share, million, multiple = (f"C{row + offset}" for offset in range(len(steps)))
    page.row += len(steps)
    sentences = {
        "largest": f'={largest}&": "&{share}&" of "&{million}',
        "multiple": f'=IF(procurement="own","Every dollar of accelerators costs USD "&{multiple}&" in all",'
        f'"Rent and what comes on top: "&{million})',
    }
    cells = {}
    for name, formula in sentences.items():
        page.put(page.row, LABEL, f"Finding: {name}", "label")
        page.put(page.row, UNIT, "text", "unit")
        page.put(page.row, VALUE, formula, "formula")
        name_cell(workbook, f"finding_{name}", SHEET, f"$C${page.row}")
        cells[name] = f"{SHEET}!$C${page.row}"
        page.row += 1
    return cells

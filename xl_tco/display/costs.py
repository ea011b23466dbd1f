"""The cost of a scenario as people read it, and of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from xl_tco.display.tables import clean, grid, is_terminal, measure, note, number, short

if TYPE_CHECKING:
    from rich.console import RenderableType

    from xl_tco.display.tables import Parts
    from xl_tco.result import Result
    from xl_tco.scenario import Scenario

__all__ = ["comparison", "report", "resting_on", "run_and_cluster"]

_HEADLINES = (
    *("wall_days", "productive_hours", "accelerator_hours", "achieved_mfu", "goodput", "flops"),
    *("energy_gwh", "carbon_tonnes", "peak_facility_mw"),
    *("cluster_capex_usd", "facility_capex_usd", "usd_per_million_tokens"),
    *("usd_per_accelerator_hour", "usd_per_effective_tflop_hour"),
)
_DETAILS = {
    "kernel_efficiency": "A step",
    "accelerator_mtbf_hours": "Failures and checkpoints",
    "network_topology": "Network",
    "storage_usd_per_tb": "Storage",
}


def report(result: Result, source: str) -> Parts:
    """Lay out the cost of one scenario: what it is, the parts, the metrics, what it rests on."""
    from xl_tco.outputs import METRICS

    values = result.scenario.values
    yield run_and_cluster(result.scenario)
    yield _components(result)
    owned = values["procurement"] == "own"
    shown = [name for name in _HEADLINES if owned or "_capex_" not in name]
    yield _metrics(result, "Key figures", shown)
    for field, title in _DETAILS.items():
        if values[field] is not None:
            names = [name for name, metric in METRICS.items() if metric.needs == (field,)]
            yield _metrics(result, title, names)
    yield from resting_on(result.scenario, result.estimates, source)


def run_and_cluster(scenario: Scenario) -> RenderableType:
    """Say in a line what is trained, and on what."""
    values = scenario.values
    run = f"{short(values['parameters'])} parameters, {short(values['tokens'])} tokens"
    cluster = f"{number(values['accelerators'])} × {values['accelerator']}, {values['precision']}"
    return note(f"\n{run}; {cluster}, {values['procurement']}", head=clean(scenario.name))


def _components(result: Result) -> RenderableType:
    from rich.bar import Bar

    from xl_tco.outputs import COMPONENTS, TOTAL

    values, total = result.scenario.values, result.total_usd
    code, rate = str(values["currency"]), values["currency_per_usd"]
    foreign = code != "USD"
    bars = [""] if is_terminal() else []

    def amounts(usd: float) -> list[str]:
        both = [usd, usd * rate] if foreign else [usd]
        return [*(measure(amount, "USD") for amount in both), f"{usd / total if total else 0:.1%}"]

    headings = [">USD", f">{code} at {rate:g}"] if foreign else [">USD"]
    sums = [TOTAL.label, *amounts(total)]
    table = grid("Cost", *headings, ">Share", *bars, footers=sums)
    for name, usd in result.components.items():
        share = usd / total if total else 0.0
        bar = [Bar(1, 0, share, width=20, color="cyan") for _ in bars]
        table.add_row(COMPONENTS[name].label, *amounts(usd), *bar)
    if foreign:
        table.caption = f"Rate of {values['currency_date']}, units of {code} for one USD."
        table.caption_justify = "left"
    return table


def _metrics(result: Result, title: str, names: Iterable[str]) -> RenderableType:
    from xl_tco.outputs import METRICS

    table = grid(title, ">Value", "Unit")
    for name in names:
        value, unit = result.metrics[name], METRICS[name].unit
        table.add_row(METRICS[name].label, measure(value, unit), unit)
    return table


def resting_on(scenario: Scenario, names: Sequence[str], source: str) -> Parts:
    """Say which inputs are only estimates, and what to do about it."""
    from xl_tco.fields import ACCELERATOR_FREE, FIELDS

    values = scenario.values
    if not names:
        yield note("No input is an estimate: each is given, official or neutral.")
        return
    yield note("The total rests on estimates, and so is one itself:", "yellow")
    table = grid("Input", ">Value", "Unit", "As of")
    for name in names:
        date = scenario.figures[name].date
        table.add_row(FIELDS[name].label, number(values[name]), FIELDS[name].unit, date)
    yield table
    keys = [key for key in (values["accelerator"], "default") if key != ACCELERATOR_FREE]
    sources = "".join(f"\n  xl-tco catalogue {key}" for key in [*keys, values["region"]])
    yield note(f"Given in {clean(source)}, a figure replaces its estimate. Sources:{sources}")


def comparison(results: Sequence[Result]) -> Parts:
    """Lay out many scenarios, a line each."""
    table = grid("name", ">total_usd", ">wall_hours", ">usd_per_million_tokens", "status")
    for result in results:
        metrics = (result.metrics[name] for name in ("wall_hours", "usd_per_million_tokens"))
        cells = (measure(figure, "") for figure in (result.total_usd, *metrics))
        table.add_row(note(clean(result.scenario.name), ""), *cells, result.status)
    yield table

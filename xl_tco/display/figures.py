"""The catalogue as people read it: accelerators, regions, published runs, and their sources."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from xl_tco.display.tables import grid, is_terminal, note, number, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xl_tco.catalogue import Figure
    from xl_tco.display.tables import Parts

__all__ = ["accelerators", "figures_of", "functions", "published_runs", "regions", "specifications"]

_SPECIFICATIONS = (
    *("peak_tflops_bf16", "peak_tflops_fp16", "peak_tflops_fp8", "memory_gb", "tdp_watts"),
    *("accelerator_price_usd", "rental_usd_per_accelerator_hour"),
)


def accelerators() -> Parts:
    """Lay out the accelerators of the catalogue, a line each."""
    from xl_tco import catalogue

    labels = [] if is_terminal() and get_terminal_size().columns < 115 else ["label"]
    headings = (">bf16", ">fp16", ">fp8", ">GB", ">W", ">USD", ">USD/h")
    table = grid("Key", *("Accelerator" for _ in labels), *headings)
    for key in catalogue.accelerator_keys():
        figures = [catalogue.specifications(key)[field] for field in (*labels, *_SPECIFICATIONS)]
        table.add_row(key, *("~" * (f.status == "estimate") + number(f.value) for f in figures))
    yield table
    yield note("bf16, fp16, fp8: dense peak, TFLOP/s. GB: memory. W: TDP. USD: price, rent.")
    yield note("~ estimate. unknown: nobody has published it.")


def regions() -> Parts:
    """Lay out the regions of the catalogue, a line each."""
    from xl_tco import catalogue

    fields = ("label", "electricity_usd_per_kwh", "carbon_kg_per_kwh", "pue")
    table = grid("Key", "Region", ">USD/kWh", ">kg CO2e/kWh", ">PUE")
    for key in catalogue.region_keys():
        figures = [catalogue.specifications(key)[field] for field in fields]
        table.add_row(key, *("~" * (f.status == "estimate") + number(f.value) for f in figures))
    yield table
    yield note("~ estimate. unknown: nobody has published it. Sources: xl-tco catalogue KEY")


def published_runs(names: tuple[str, ...]) -> Parts:
    """Lay out the published runs, a line each; ``names`` are those that can be costed."""
    from xl_tco import catalogue

    fields = ("label", "parameters", "tokens", "accelerators", "accelerator", "accelerator_hours")
    table = grid("Key", "Run", ">Parameters", ">Tokens", ">Number", "Accelerator", ">Hours", "")
    for key in dict.fromkeys(key for key, _ in catalogue.runs()):
        found = [catalogue.runs().get((key, field)) for field in fields]
        label, *rest = (figure.value if figure else None for figure in found)
        cells = (short(v) if isinstance(v, float) else (v or "—") for v in rest)
        table.add_row(key, str(label), *cells, "preset" if key in names else "")
    yield table
    yield note("A preset is a scenario: xl-tco evaluate preset:KEY. —: not published.")


def functions() -> Parts:
    """Lay out the spreadsheet functions, a line each."""
    from xl_tco.functions import FUNCTIONS

    table = grid("Function", "Gives", "Unit")
    for name, function in FUNCTIONS.items():
        table.add_row(name, function.help, function.unit)
    yield table
    yield note("Arguments and an example: xl-tco functions NAME")


def specifications(key: str) -> Parts:
    """Lay out every figure of an entry of the catalogue, and the sources once each."""
    from xl_tco import catalogue

    return figures_of(key, catalogue.entries())


def figures_of(key: str, entries: Mapping[tuple[str, str], Figure]) -> Parts:
    """Lay out every figure of a key, and the sources once each."""
    figures = {field: figure for (name, field), figure in entries.items() if name == key}
    label = str(figures["label"].value) if "label" in figures else "where nothing is given"
    yield note("", head=f"{key}: {label}")
    sources: dict[str, int] = {}
    table = grid("Figure", ">Value", "Unit", "Status", "Date", ">From")
    table.padding = (0, 0 if is_terminal() else 2, 0, 0)  # to fit 80 columns
    table.columns[0].no_wrap = True
    for name, figure in figures.items():
        mark = f"[{sources.setdefault(figure.source, len(sources) + 1)}]"
        cells = (number(figure.value), figure.unit, figure.status, figure.date, mark)
        if name != "label":  # it is the title
            table.add_row(name, *cells, style="yellow" if figure.status == "estimate" else None)
    yield table
    listed = grid(">From", "Source")
    for source, place in sources.items():
        listed.add_row(f"[{place}]", source)
    yield listed

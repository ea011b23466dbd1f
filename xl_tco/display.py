"""What the command line shows people: the cost of a scenario, a comparison, the catalogue.

On a terminal with rules and colours, else as plain aligned text. Nothing is computed here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from xl_tco.result import Result

    Parts: TypeAlias = Iterator[RenderableType]

__all__ = ["accelerators", "clean", "comparison", "report", "show", "specifications"]

_HEADLINES = (
    *("wall_days", "productive_hours", "accelerator_hours", "achieved_mfu", "flops"),
    *("energy_gwh", "peak_facility_mw", "cluster_capex_usd", "facility_capex_usd"),
    *("usd_per_million_tokens", "usd_per_accelerator_hour", "usd_per_effective_tflop_hour"),
)
_SPECIFICATIONS = (
    *("peak_tflops_bf16", "peak_tflops_fp16", "peak_tflops_fp8", "memory_gb", "tdp_watts"),
    *("accelerator_price_usd", "rental_usd_per_accelerator_hour"),
)


def report(result: Result, path: Path) -> Parts:
    """Lay out the cost of one scenario: what it is, the parts, the metrics, what it rests on."""
    from rich.bar import Bar

    from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

    values, total = result.scenario.values, result.total_usd
    owned = values["procurement"] == "own"
    run = f"{_short(values['parameters'])} parameters, {_short(values['tokens'])} tokens"
    cluster = f"{_number(values['accelerators'])} × {values['accelerator']}, {values['precision']}"
    yield _text(f"\n{run}; {cluster}, {values['procurement']}", head=clean(result.scenario.name))

    bars = [""] if _is_terminal() else []
    sums = (TOTAL.label, _measure(total, "USD"), f"{1 if total else 0:.1%}")
    table = _table("Cost", ">USD", ">Share", *bars, footers=sums)
    for name, usd in result.components.items():
        share = usd / total if total else 0.0
        bar = [Bar(1, 0, share, width=20, color="cyan") for _ in bars]
        table.add_row(COMPONENTS[name].label, _measure(usd, "USD"), f"{share:.1%}", *bar)
    yield table

    table = _table("Key figures", ">Value", "Unit")
    for name in _HEADLINES:
        if owned or "_capex_" not in name:
            value, unit = result.metrics[name], METRICS[name].unit
            table.add_row(METRICS[name].label, _measure(value, unit), unit)
    yield table
    yield from _foundations(result, path)


def _foundations(result: Result, path: Path) -> Parts:
    """Say which inputs are only estimates, and what to do about it."""
    from xl_tco.fields import ACCELERATOR_FREE, FIELDS

    values, names = result.scenario.values, result.estimates
    if not names:
        yield _text("No input is an estimate: each is given, official or neutral.")
        return
    yield _text("The total rests on estimates, and so is one itself:", "yellow")
    table = _table("Input", ">Value", "Unit", "As of")
    for name in names:
        date = result.scenario.figures[name].date
        table.add_row(FIELDS[name].label, _number(values[name]), FIELDS[name].unit, date)
    yield table
    keys = (key for key in (values["accelerator"], "default") if key != ACCELERATOR_FREE)
    sources = "".join(f"\n  xl-tco catalogue {key}" for key in keys)
    yield _text(f"Given in {clean(path.name)}, a figure replaces its estimate. Sources:{sources}")


def comparison(results: Sequence[Result]) -> Parts:
    """Lay out many scenarios, a line each."""
    table = _table("name", ">total_usd", ">wall_hours", ">usd_per_million_tokens", "status")
    for result in results:
        metrics = (result.metrics[name] for name in ("wall_hours", "usd_per_million_tokens"))
        cells = (_measure(figure, "") for figure in (result.total_usd, *metrics))
        table.add_row(_text(clean(result.scenario.name), ""), *cells, result.status)
    yield table


def accelerators() -> Parts:
    """Lay out the accelerators of the catalogue, a line each."""
    from xl_tco import catalogue

    labels = [] if _is_terminal() and get_terminal_size().columns < 115 else ["label"]
    headings = (">bf16", ">fp16", ">fp8", ">GB", ">W", ">USD", ">USD/h")
    table = _table("Key", *("Accelerator" for _ in labels), *headings)
    for key in catalogue.accelerator_keys():
        figures = [catalogue.specifications(key)[field] for field in (*labels, *_SPECIFICATIONS)]
        table.add_row(key, *("~" * (f.status == "estimate") + _number(f.value) for f in figures))
    yield table
    yield _text("bf16, fp16, fp8: dense peak, TFLOP/s. GB: memory. W: TDP. USD: price, rent.")
    yield _text("~ estimate. unknown: nobody has published it.")


def specifications(key: str) -> Parts:
    """Lay out every figure of an entry, and the sources once each."""
    from xl_tco import catalogue

    figures = catalogue.specifications(key)
    label = str(figures["label"].value) if "label" in figures else "where nothing is given"
    yield _text("", head=f"{key}: {label}")
    sources: dict[str, int] = {}
    table = _table("Figure", ">Value", "Unit", "Status", "Date", ">From")
    table.padding = (0, 0 if _is_terminal() else 2, 0, 0)  # to fit 80 columns
    table.columns[0].no_wrap = True
    for name, figure in figures.items():
        place = f"[{sources.setdefault(figure.source, len(sources) + 1)}]"
        cells = (_number(figure.value), figure.unit, figure.status, figure.date, place)
        if name != "label":  # it is the title
            table.add_row(name, *cells, style="yellow" if figure.status == "estimate" else None)
    yield table
    listed = _table(">From", "Source")
    for source, number in sources.items():
        listed.add_row(f"[{number}]", source)
    yield listed


def _number(value: float | str | None) -> str:
    """Show a figure as it was entered, thousands apart."""
    return "unknown" if value is None else value if isinstance(value, str) else f"{value:,.10g}"


def _measure(value: float | None, unit: str) -> str:
    """Show a computed figure to the digits that a reader can use."""
    if value is None:
        return "unknown"
    if unit.startswith("share"):
        return f"{value:.1%}"
    if abs(value) >= 1e15:
        return f"{value:.3e}".replace("e+", "e")
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def _short(value: float) -> str:
    """Show a count as people say it: 405B, 15.6T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= size:
            return f"{value / size:,.4g}{letter}"
    return _number(value)


def clean(text: str) -> str:
    """Return a text of the user's without line breaks and control codes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _text(text: str, style: str = "dim", head: str = "") -> RenderableType:
    from rich.text import Text

    return Text.assemble((head, "bold"), (text, style))


def _table(*headings: str, footers: Sequence[str] = ()) -> Table:
    """Start a table; a heading with ">" before it stands over numbers."""
    from rich.box import SIMPLE
    from rich.table import Table

    box, gap = (SIMPLE, 1) if _is_terminal() else (None, 2)  # the box adds a space of its own
    table = Table(box=box, pad_edge=False, padding=(0, gap, 0, 0))
    table.header_style = table.footer_style = "bold"
    table.show_footer = bool(footers)
    for heading, footer in zip_longest(headings, footers, fillvalue=""):
        side: Literal["left", "right"] = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), footer, justify=side, overflow="fold")
    return table


def show(*parts: RenderableType) -> None:
    """Print to stdout: with rules and colours on a terminal, else as plain aligned text."""
    from rich.console import Console

    terminal, text = _is_terminal(), io.StringIO()
    plain = Console(file=text, width=10_000, color_system=None, force_terminal=False)
    for part in parts:
        (Console() if terminal else plain).print(part, markup=False, highlight=False)
        plain.line()
    if not terminal:
        print("\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines()))


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()

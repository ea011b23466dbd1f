"""Answers to questions about a run as people read them: what to choose, and what it turns on."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from xl_tco.display.tables import clean, grid, is_terminal, measure, note, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from xl_tco.analysis.fitting import Fit
    from xl_tco.analysis.levers import Levers
    from xl_tco.analysis.optimal import OptimalSplit
    from xl_tco.analysis.ranking import Ranking
    from xl_tco.analysis.rent_or_own import RentOrOwn
    from xl_tco.analysis.solving import Solution
    from xl_tco.analysis.tornado import Tornado
    from xl_tco.analysis.uncertainty import Simulation
    from xl_tco.display.tables import Parts

__all__ = [
    "decision",
    "distribution",
    "estimated",
    "holding",
    "leverage",
    "ranking",
    "sensitivity",
    "solution",
    "split",
]


def estimated(names: Sequence[str]) -> RenderableType:
    """Say in a line how far an answer rests on estimates."""
    if not names:
        return note("No input is an estimate: each is given, official or neutral.")
    return note(f"Rests on {len(names)} estimates (--json lists them): {', '.join(names)}.")


def ranking(found: Ranking) -> Parts:
    """Lay out accelerators, the cheapest first."""
    yield note(found.sentence, "bold")
    table = grid(
        ">", "Accelerator", ">Number", ">USD/eff. TFLOP-h", ">Total USD", ">Days", ">Diff."
    )
    for row in found.ranked:
        mark = "*" if row.key == found.original else ""
        cells = (
            measure(row.accelerators, ""),
            f"{row.usd_per_effective_tflop_hour:.6f}",
            measure(row.total_usd, "USD"),
            measure(row.wall_days, ""),
            f"{row.difference_usd / (row.total_usd - row.difference_usd):+.0%}",
        )
        table.add_row(str(row.rank), row.key + mark, *cells)
    yield table
    same = "the number" if found.equal == "accelerators" else "the wall time"
    yield note(f"* the scenario's own. The MFU is the same on each, and so is {same}.")
    if found.unranked:
        table = grid("Not costed", "Why")
        for unranked in found.unranked:
            table.add_row(unranked.key, clean(unranked.reason))
        yield table


def decision(found: RentOrOwn) -> Parts:
    """Lay out owning and renting side by side, and where the answer turns."""
    yield note(found.sentence, "bold")
    table = grid("", ">Own", ">Rent", "Unit")
    totals = (found.own.total_usd, found.rent.total_usd)
    table.add_row("Training TCO", *(measure(usd, "USD") for usd in totals), "USD")
    hours = (found.own_usd_per_hour, found.rent_usd_per_hour)
    table.add_row("An hour of use", *(f"{usd:.3f}" for usd in hours), "USD/accelerator")
    yield table

    def never(value: float, unit: str) -> str:
        return measure(value, unit) if isfinite(value) else "never"

    table = grid("It turns at", ">Value", "Unit")
    price = measure(found.break_even_rental_usd_per_accelerator_hour, "USD")
    for label, value, unit in (
        ("Utilization", never(found.break_even_utilization, "share"), "share of the year"),
        ("Utilization of the scenario", f"{found.utilization:.1%}", "share of the year"),
        ("Rent, before its discount", price, "USD/hour"),
        ("Months until the purchase has paid", never(found.break_even_months, ""), "months"),
        ("Discount rate", f"{found.discount_rate:.1%}", "a year"),
    ):
        table.add_row(label, value, unit)
    yield table
    yield estimated(found.estimates)


def solution(found: Solution) -> Parts:
    """Lay out what an input would have to be."""
    from xl_tco.fields import FIELDS
    from xl_tco.outputs import METRICS, TOTAL

    field = FIELDS[found.field]
    output = METRICS.get(found.target, TOTAL)
    before = "not given" if found.before is None else number(found.before)
    table = grid(field.label, ">Now", ">Needed", "Unit")
    table.add_row(found.field, before, number(found.value), field.unit)
    yield table
    table = grid("It gives", ">Wanted", ">Reached", "Unit")
    cells = (number(found.wanted), number(found.reached))
    table.add_row(output.label, *cells, output.unit)
    total, days = found.result.total_usd, found.result.metrics["wall_days"]
    beside = {TOTAL.name: (TOTAL, total), "wall_days": (METRICS["wall_days"], days)}
    for name, (other, value) in beside.items():
        if name != found.target:
            table.add_row(other.label, "", measure(value, other.unit), other.unit)
    yield table
    yield estimated(found.estimates)


def split(found: OptimalSplit) -> Parts:
    """Lay out the best split of a compute budget."""
    table = grid("Compute-optimal", ">Value", "Unit")
    rows = [
        ("Model FLOPs", measure(found.flops, ""), "FLOP"),
        ("Parameters", measure(found.parameters, ""), "parameters"),
        ("Tokens", measure(found.tokens, ""), "tokens"),
        ("Tokens a parameter", measure(found.tokens_per_parameter, ""), "tokens"),
        ("Loss, by this fit", f"{found.loss:.4f}", "nats/token"),
    ]
    if found.result is not None:
        days = measure(found.result.metrics["wall_days"], "")
        rows.append(("Training TCO", measure(found.result.total_usd, "USD"), "USD"))
        rows.append(("Wall time in days", days, "days"))
    for row in rows:
        table.add_row(*row)
    yield table
    yield note(f"Fit: {found.fit}. A loss compares with losses of the same fit alone.")
    if found.result is not None:
        yield estimated(found.estimates)


def holding(found: Fit) -> Parts:
    """Lay out what an accelerator must hold, and the fewest that hold it."""
    yield note(found.sentence, "bold")
    sums = ("Needed", f"{found.needed_gb:,.2f}")
    table = grid("An accelerator holds", ">GB", footers=sums)
    for name, size in found.parts_gb.items():
        table.add_row(name.capitalize(), f"{size:,.2f}")
    yield table
    if found.least is not None:
        table = grid("The fewest", ">Number")
        for label, count in (
            ("Accelerators", found.least.accelerators),
            ("Data parallel degree", found.least.data_parallel),
            ("Tensor parallel degree", found.least.tensor_parallel),
            ("Pipeline parallel degree", found.least.pipeline_parallel),
        ):
            table.add_row(label, f"{count:,.0f}")
        yield table
    yield estimated(found.estimates)


def leverage(found: Levers) -> Parts:
    """Lay out what each lever saves, alone and in turn."""
    yield note(found.sentence, "bold")
    table = grid("Layer", "Lever", ">Alone, USD", ">", ">In turn, USD", ">Left, USD")
    for pull in found.pulls:
        alone, step = measure(pull.change_usd, "USD"), measure(pull.step_usd, "USD")
        left = measure(pull.cumulative_usd, "USD")
        cells = ("—", "", "—", left) if pull.reason and pull.reason_together else None
        cells = cells or (alone, f"{pull.change_share:+.1%}", step, left)
        table.add_row(pull.lever.layer, pull.lever.label, *cells)
    yield table
    table = grid("Lever", "Size", "Where that comes from")
    for pull in found.pulls:
        size = "" if pull.size is None else number(pull.size)
        table.add_row(pull.lever.name, size, pull.reason or pull.source)
    yield table
    yield estimated(found.estimates)


def sensitivity(found: Tornado) -> Parts:
    """Lay out what moves an output, the widest first."""
    from rich.bar import Bar as Drawing

    from xl_tco.outputs import METRICS, TOTAL

    output = METRICS.get(found.output, TOTAL)
    head = f"{output.label}: {measure(found.value, output.unit)} {output.unit}"
    yield note("", head=head)
    bars = [""] if is_terminal() else []
    table = grid("Input", ">From", ">To", ">Output", ">Output", *bars, "Ends")
    widest = max((bar.width for bar in found.bars), default=0.0) or 1.0
    for bar in found.bars:
        ends = (measure(bar.output_low, output.unit), measure(bar.output_high, output.unit))
        drawn = [Drawing(1, 0, bar.width / widest, width=20, color="cyan") for _ in bars]
        table.add_row(bar.field, number(bar.low), number(bar.high), *ends, *drawn, bar.source)
    yield table
    if found.best is not None and found.worst is not None:
        ends = (measure(found.best, output.unit), measure(found.worst, output.unit))
        yield note(f"All at their better end: {ends[0]}; all at their worse end: {ends[1]}.")
    yield estimated(found.estimates)


def distribution(found: Simulation) -> Parts:
    """Lay out percentiles, the histogram and what the spread comes from."""
    from rich.bar import Bar as Drawing

    from xl_tco.fields import FIELDS
    from xl_tco.outputs import METRICS, TOTAL

    output = METRICS.get(found.output, TOTAL)
    unit = output.unit
    how = f"\n{found.samples:,} samples, seed {found.seed}"
    yield note(how, head=f"{output.label} in {unit}")
    table = grid("", ">Value", ">± standard error")
    for name, percentile in found.percentiles.items():
        error = measure(percentile.standard_error, unit)
        table.add_row(name, measure(percentile.value, unit), error)
    table.add_row("Mean", measure(found.mean, unit), measure(found.standard_error, unit))
    table.add_row("Standard deviation", measure(found.sd, unit), "")
    yield table
    table = grid("Share of the variance", ">Share", "Range")
    for name, share in found.variance_shares.items():
        table.add_row(FIELDS[name].label, f"{share:.1%}", str(found.ranges[name]))
    if found.interactions is not None:
        table.add_row("What they do together", f"{found.interactions:.1%}", "")
    yield table
    if found.overlapping:
        names = ", ".join(found.overlapping)
        yield note(f"Correlated, so that their shares count some of the same: {names}.")
    table = grid(">From", ">To", ">Samples", "")
    most = max(found.histogram.counts) or 1
    rows = zip(
        found.histogram.edges, found.histogram.edges[1:], found.histogram.counts, strict=False
    )
    for low, high, count in rows:
        drawn = (
            Drawing(1, 0, count / most, width=40, color="cyan")
            if is_terminal()
            else "#" * round(40 * count / most)
        )
        table.add_row(measure(low, unit), measure(high, unit), f"{count:,}", drawn)
    yield table
    yield estimated(found.estimates)

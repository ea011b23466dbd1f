"""Published runs, the history of training, claims and a timeline, as people read them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from xl_tco.display.answers import estimated
from xl_tco.display.tables import clean, grid, measure, note

if TYPE_CHECKING:
    from xl_tco.analysis.cash import CashView
    from xl_tco.analysis.claims import Claims
    from xl_tco.analysis.history import History
    from xl_tco.analysis.validation import Validation
    from xl_tco.display.tables import Parts

__all__ = ["claims", "history", "timeline", "validation"]

_QUANTITIES = {
    "parameters": "All parameters",
    "active_parameters": "Active parameters",
    "flops": "Compute",
    "exact_flops": "Compute from the sizes",
    "accelerator_hours": "Accelerator-hours",
    "energy_mwh": "Energy",
    "energy_as_counted": "Energy as its authors count",
    "cost_usd": "Cost",
}
_MARKS = {"inside": "green", "outside": "yellow"}


def validation(found: Validation) -> Parts:
    """Lay out published figures beside the model's, quantity by quantity, and what is left out."""
    for quantity, line in found.summary.items():
        rows = [row for row in found.comparisons if row.quantity == quantity]
        shown = [row for row in rows if row.verdict != "left out"]
        what = _QUANTITIES.get(quantity, quantity.replace("_", " ").capitalize())
        title = what if rows[0].unit in what else f"{what}, {rows[0].unit}"
        table = grid(title, ">Model", ">Published", ">Residual", "", "Computed from", "Why")
        for row in sorted(shown, key=lambda row: row.verdict == "circular"):
            figures = (measure(row.modelled, ""), measure(row.stated, ""))
            residual = "—" if row.residual is None else f"{row.residual:+.1%}"
            mark = "circular" if row.verdict == "circular" else ""
            table.add_row(row.run, *figures, residual, mark, row.basis, row.why)
        if shown:
            yield table
        if line.median_abs_residual is not None:
            told = f"{line.tests} test{'s' * (line.tests != 1)}, "
            told += f"median residual {line.median_abs_residual:.1%}, "
            told += f"largest {line.largest_abs_residual:.1%} ({line.largest_run})."
            yield note(told, "bold")
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if row.verdict == "left out":
                reasons.setdefault(row.why, []).append(row.run)
        for why, runs in reasons.items():
            yield note(f"Left out: {', '.join(runs)}: {why.rstrip('.')}.")
    yield note(
        "Residual: the model over the published figure, less 1; nothing is tuned to it. "
        "Circular: the published figure was itself computed from what the model is given."
    )


def history(found: History) -> Parts:
    """Lay out the source's history of training, and what the model makes of it."""
    for _, entries in groupby(found.entries, key=lambda entry: entry.period.years):
        rows = list(entries)
        period = rows[0].period
        yield note(f"  {period.scale}; {period.driver}", head=period.years)
        table = grid("", "Hardware", ">USD", "Against the text", "Why")
        table.add_row("text", period.hardware, period.cost, "", "")
        for entry in rows:
            hardware = f"{measure(entry.accelerators, '')} × {entry.accelerator}"
            verdict = f"{entry.cost_verdict}; {entry.days:,.1f} days"
            table.add_row(
                entry.label, hardware, measure(entry.total_usd, "USD"), verdict, entry.why
            )
        yield table
    yield note("Cost of the final run at the rent of the time; staff is in none.")


def claims(found: Claims) -> Parts:
    """Lay out each claim, what the model gives, and why."""
    yield note("", head=clean(found.scenario.name))
    for kind, title in (("indicator", "Key indicators"), ("claim", "Claims")):
        table = grid(title, ">Text", ">Model", "Unit", "Verdict", "Why")
        for claim in found.claims.values():
            if claim.kind == kind:
                cells = (_span(claim.low, claim.high, claim.unit), _figure(claim.value, claim.unit))
                verdict = note(claim.verdict, _MARKS.get(claim.verdict, "dim"))
                table.add_row(claim.text, *cells, claim.unit, verdict, claim.why)
        yield table
    counts = ", ".join(f"{verdict}: {count}" for verdict, count in found.counts.items())
    yield note(f"{counts[:1].upper()}{counts[1:]}.")
    yield estimated(found.estimates)


def _span(low: float | None, high: float | None, unit: str) -> str:
    ends = [_figure(end, unit) for end in dict.fromkeys((low, high)) if end is not None]
    if not ends:
        return "—"
    return (
        "–".join(ends)
        if None not in (low, high)
        else ("from " if high is None else "to ") + ends[0]
    )


def _figure(value: float | None, unit: str) -> str:
    return "—" if value is None else measure(value, unit)


def timeline(found: CashView) -> Parts:
    """Lay out the cash of a cluster by quarter, and what it comes to."""
    code, rate = found.currency.code, found.currency.per_usd
    foreign = [f">{code}"] if code != "USD" else []

    def amounts(usd: float) -> list[str]:
        return [measure(usd * factor, "USD") for factor in ([1.0, rate] if foreign else [1.0])]

    table = grid("Over the timeline", ">USD", *foreign)
    for label, usd in (
        ("CapEx", found.capex_usd),
        ("OpEx", found.opex_usd),
        ("Sold at the end, at book value", found.residual_usd),
        ("Cash", found.cash_usd),
        ("Depreciation", found.depreciation_usd),
        ("Interest", found.interest_usd),
        ("Life that no run uses", found.unallocated_usd),
        ("Net present cost", found.npv_usd),
        ("Equivalent annual cost", found.equivalent_annual_usd),
    ):
        table.add_row(label, *amounts(usd))
    yield table
    table = grid("Run", ">From month", ">To", ">Hours", ">Share of life", ">Total USD")
    for run in found.runs:
        span = (str(run.start_month), str(run.end_month), measure(run.wall_hours, ""))
        share = f"{run.life_share:.1%}"
        table.add_row(clean(run.name), *span, share, measure(run.total_usd, "USD"))
    yield table
    columns = ("capex_usd", "opex_usd", "depreciation_usd", "cash_usd", "cumulative_cash_usd")
    heads = (">CapEx", ">OpEx", ">Depreciation", ">Cash", ">Cumulative")
    table = grid("Month", *heads)
    for month in range(found.months):
        label = found.dates[month][:7] if found.dates else str(month + 1)
        table.add_row(label, *(measure(found.columns[name][month], "USD") for name in columns))
    yield table
    terms = f"{found.method}, {found.discount_rate:.1%} a year, {found.idle_share:.0%} of it idle"
    yield note(f"{terms}. Costs are positive. --json has every column.")
    yield note("What is there at the end is sold at its book value, which the method decides.")
    if foreign:
        yield note(f"{rate:g} {code} for one USD, on {found.currency.date}.")
    yield estimated(found.estimates)

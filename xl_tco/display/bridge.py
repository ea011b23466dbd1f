"""The bridge from one scenario to another as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xl_tco.display.answers import estimated
from xl_tco.display.tables import clean, grid, measure, note, number

if TYPE_CHECKING:
    from xl_tco.analysis.bridge import Bridge, Step
    from xl_tco.display.tables import Parts

__all__ = ["crossing"]


def crossing(found: Bridge, before: str, after: str) -> Parts:
    """Lay out the steps from one scenario to the other, and the results that differ.

    ``before`` and ``after`` are what the two are called.
    """
    yield note(clean(found.sentence), "bold")
    errors = [">± standard error"] if any(step.error_usd for step in found.steps) else []
    table = grid("Step", ">From", ">To", "Unit", ">USD", *errors)
    blank = ("", "", "")
    table.add_row(
        f"From {clean(before)}", *blank, measure(found.before.total_usd, "USD"), style="bold"
    )
    for step in found.steps:
        usd, error = measure(step.usd, "USD"), measure(step.error_usd, "USD")
        for cells in _lines(found, step):
            table.add_row(*cells, usd, *(error for _ in errors))
            usd = error = ""
    table.add_row(f"To {clean(after)}", *blank, measure(found.after.total_usd, "USD"), style="bold")
    yield table
    yield note(f"{found.method}.")
    if found.ranges:
        yield note(f"Ranges that differ, which moves no total: {', '.join(found.ranges)}.")
    if found.results:
        table = grid("Result", ">From", ">To", ">Change", "Unit")
        for row in found.results:
            values = (measure(value, row.output.unit) for value in (row.old, row.new, row.change))
            table.add_row(row.output.label, *values, row.output.unit)
        yield table
    yield estimated(found.estimates)


def _lines(found: Bridge, step: Step) -> list[tuple[str, ...]]:
    """Return a line for each change of a step; what follows is set in, where it is in use."""
    from xl_tco.fields import FIELDS
    from xl_tco.resolve import in_use

    runs = (found.before.scenario, found.after.scenario)
    lines: list[tuple[str, ...]] = []
    for change in step.changes:
        if change.follows and not any(in_use(change.field, run.values) for run in runs):
            continue
        label = f"{'  ' if lines else ''}{change.label}"
        unit = change.unit if FIELDS[change.field].is_number else ""
        values = ("—" if v is None else clean(number(v)) for v in (change.old, change.new))
        lines.append((label, *values, unit))
    return lines

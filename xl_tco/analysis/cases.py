"""What stands in for the cases and the ranges of a scenario that has none of its own.

An input whose ends are known is at its cheaper end in the case of low cost, and at its dearer one
in that of high cost: the ends of the scenario's own range, or those that the catalogue gives to its
figure (`xl_tco.analysis.tornado`). Inputs of which nothing is known stay as they are there; where
ranges are wanted, a tenth to either side is a start.

Both are of the base, whatever case is in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import gt, lt
from typing import cast

from xl_tco.analysis.tornado import Bar, Span, bar_of, catalogued, known_ends, swung
from xl_tco.analysis.variants import output
from xl_tco.cases import BASE, CASE, CASES, LAID
from xl_tco.correlations import Correlation
from xl_tco.distributions import Distribution
from xl_tco.errors import InputError
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.outputs import TOTAL
from xl_tco.resolve import in_use
from xl_tco.scenario import Scenario

__all__ = ["MOST_RANGES", "cases_of", "correlations_of", "in_case", "ranges_of"]

MOST_RANGES = 8
"""How many ranges stand in, at most: those of the inputs that move the total most."""
SWING = 0.1
"""How far those reach of which nothing is known, as a share of the figure."""


def cases_of(scenario: Scenario) -> dict[str, dict[str, float | str]]:
    """Return the figures of the cases low, high and own, laid over the base.

    Those of the scenario, where it gives the case; else, of low and high, all inputs with known
    ends at the end where the total is lowest, and highest. What would make no scenario, together
    with inputs that move the total more, is left out. Low never costs more than the base, and high
    never less.
    """
    own = {name: dict(figures) for name, figures in scenario.cases.items()}
    if "low" in own and "high" in own:
        return {name: own.get(name, {}) for name in LAID}
    base = scenario.in_case(BASE)
    bars = sorted(_bars(base, known_ends), key=lambda bar: -bar.width)
    automatic = {"low": _together(base, bars, lt), "high": _together(base, bars, gt)}
    return {name: own.get(name, automatic.get(name, {})) for name in LAID}


def in_case(scenario: Scenario, name: str) -> Scenario:
    """Return a scenario with a case in force: its own one, or the one that stands in.

    Raises
    ------
    InputError
        If there is no such case.
    """
    if name in ("low", "high") and name not in scenario.cases:
        cases = {**scenario.table.get(CASES, {}), name: cases_of(scenario)[name]}
        table = {**scenario.in_case(BASE).table, CASES: cases, CASE: name}
        return Scenario.from_table(table, figures=scenario.in_case(BASE).published)
    return scenario.in_case(name)


def ranges_of(scenario: Scenario) -> dict[str, Distribution]:
    """Return the ranges of the base: the scenario's own, if it has any; else a start for them.

    The latter are triangular, of inputs that are in use: those whose ends the catalogue knows; then
    estimates and shares, a tenth to either side. Sizes that are chosen, as tokens, are not
    uncertain. Both ends must make a scenario. At most `MOST_RANGES`, the widest of each first; the
    scenario's own are in the order of the fields.
    """
    base = scenario.in_case(BASE)
    if base.ranges:
        return {name: base.ranges[name] for name in FIELDS if name in base.ranges}
    found: dict[str, Distribution] = {}
    for ends in (catalogued, _about):
        for bar in sorted(_bars(base, ends), key=lambda bar: -bar.width):
            span = ends(base, FIELDS[bar.field])
            is_whole = span is not None and span[:2] == (bar.low, bar.high)
            if bar.field in found or not is_whole or not bar.low <= bar.value <= bar.high:
                continue
            domain = cast(Number, FIELDS[bar.field].domain)
            found[bar.field] = Distribution("triangular", (bar.low, bar.value, bar.high), domain)
    return dict([*found.items()][:MOST_RANGES])


def correlations_of(scenario: Scenario) -> list[Correlation]:
    """Return the pairs of ranges of the base that go along, whatever case is in force."""
    return list(scenario.in_case(BASE).correlations)


def _about(base: Scenario, field: Field) -> Span | None:
    """Return a tenth to either side of what is estimated or measured as a share."""
    is_estimate = base.figures[field.name].status == "estimate" and field.name not in base.given
    if not is_estimate and not field.unit.startswith("share"):
        return None
    low, high, source = swung(base, field, SWING)
    return float(f"{low:.12g}"), float(f"{high:.12g}"), source  # as people write them


Ends = Callable[[Scenario, Field], Span | None]


def _bars(base: Scenario, ends: Ends) -> Iterator[Bar]:
    """Yield the inputs in use whose ends are known, and that move the total."""
    for field in FIELDS.values():
        if not field.is_number or base.values[field.name] is None:
            continue
        if in_use(field.name, base.values) and (span := ends(base, field)):
            bar = bar_of(base, field, span, TOTAL.name)
            if bar.width > 0.0:
                yield bar


def _together(
    base: Scenario, bars: Iterable[Bar], is_better: Callable[[float, float], bool]
) -> dict[str, float | str]:
    """Return every input at its better end, but for what makes no scenario with those before."""
    alone = best = output(base, TOTAL.name)
    changes: dict[str, float | str] = {}
    for bar in bars:
        total, end = bar.output_low, bar.low
        if is_better(bar.output_high, total):
            total, end = bar.output_high, bar.high
        if not is_better(total, alone):
            continue
        try:
            total = output(base.replace(**{**changes, bar.field: end}), TOTAL.name)
        except InputError:
            continue
        if is_better(total, best):
            changes[bar.field], best = end, total
    return {name: changes[name] for name in FIELDS if name in changes}

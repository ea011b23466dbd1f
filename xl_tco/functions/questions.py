"""The questions asked of a whole scenario: `xl_tco.analysis`, on ranges of fields and values.

As in `xl_tco.functions.costing`, what they need is loaded when the first of them is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from xl_tco.cells import CASE_COLUMNS
from xl_tco.errors import Fault, InputError
from xl_tco.functions.costing import evaluated, laid_over, once, remembered
from xl_tco.functions.simulations import given_ranges, without_scipy_refused

if TYPE_CHECKING:
    from xl_tco.analysis.rent_or_own import RentOrOwn
    from xl_tco.cells import Range

__all__ = [
    "MEASURES",
    "TURNS",
    "break_even",
    "cases",
    "claims",
    "compare",
    "levers",
    "sensitivity",
    "solved",
    "tokens_for_budget",
]

Table = Mapping[str, object]
Ranges = Mapping[str, "Range"]

MEASURES = ("usd_per_effective_tflop_hour", "total_usd")
"""What accelerators are ranked by; the first is the default."""

TURNS = {
    "utilization": "break_even_utilization",
    "months": "break_even_months",
    "rent": "break_even_rental_usd_per_accelerator_hour",
    "own": "own_usd_per_hour",
    "own_fixed": "own_fixed_usd_per_year",
    "own_running": "own_running_usd_per_hour",
    "rent_paid": "rent_usd_per_hour",
    "answer": "answer",
    "sentence": "sentence",
}
"""What can be asked of rent or own, and what it is called there; the first is the default."""

_NEVER = {
    "utilization": "owning is never cheaper: an hour of rent costs less than running an own one",
    "months": "the purchase is never made up for by the rent that it saves",
    "rent": "renting is free after the discount, and so always cheaper",
}


def break_even(inputs: Table, overrides: Table, figure: str) -> float | str:
    """Where rent or own turns, what either costs, or the answer."""
    value = getattr(_rent_or_own(inputs, overrides), TURNS[figure])
    if isinstance(value, str):
        return value
    if not isfinite(value):
        allowed = "ask for the answer or the sentence, or change the prices"
        raise InputError([Fault("range", "figure", _NEVER[figure], allowed)])
    return float(value)


@once
def _rent_or_own(inputs: Table, overrides: Table) -> RentOrOwn:
    from xl_tco.analysis.rent_or_own import rent_or_own

    return rent_or_own(evaluated(inputs, overrides).scenario)


@remembered
def compare(inputs: Table, overrides: Table, by: str) -> list[list[Any]]:
    """Rank the accelerators of the catalogue; those that cannot be costed come last."""
    from xl_tco.analysis.ranking import rank_accelerators

    ranking = rank_accelerators(evaluated(inputs, overrides).scenario, by=by)
    rows: list[list[Any]] = [
        [row.key, row.total_usd, row.usd_per_effective_tflop_hour, row.status]
        for row in ranking.ranked
    ]
    return rows + [[row.key, "", "", row.reason] for row in ranking.unranked]


def solved(inputs: Table, field: Any, total_usd: Any, overrides: Table) -> Any:
    """Value of a field that brings the total to a target, or each of several."""
    from xl_tco.analysis.solving import solve

    scenario = evaluated(inputs, overrides).scenario
    return _each(
        lambda name, wanted: solve(scenario, name, total_usd=wanted).value, field, total_usd
    )


def tokens_for_budget(inputs: Table, total_usd: Any, overrides: Table) -> Any:
    """Tokens that a total buys, or each of several."""
    return solved(inputs, "tokens", total_usd, overrides)


def sensitivity(
    inputs: Table, fields: Any, overrides: Table, swing: float, ranges: Ranges | None
) -> list[list[Any]]:
    """Total at both ends of each field, the widest first, and the ends."""
    named = None if fields is None else tuple(str(name) for name in np.ravel(fields))
    if named is None and ranges:
        named = tuple(ranges)
    return _bars(inputs, overrides, named, swing, ranges or {})


@remembered
def _bars(
    inputs: Table,
    overrides: Table,
    fields: tuple[str, ...] | None,
    swing: float,
    ranges: Ranges,
) -> list[list[Any]]:
    from xl_tco.analysis.tornado import tornado
    from xl_tco.scenario import Scenario

    table = laid_over(laid_over(inputs, overrides), given_ranges(ranges))
    with without_scipy_refused():
        bars = tornado(Scenario.from_table(table), fields, swing).bars
    if not bars:
        problem = "no field makes a difference to the total"
        raise InputError([Fault("conflict", "inputs", problem, "give prices that are not 0")])
    return [[bar.field, bar.output_low, bar.output_high, bar.low, bar.high] for bar in bars]


def cases(table: Mapping[str, Mapping[str, object]]) -> list[list[Any]]:
    """Total of each case; what a case does not give is as in the base."""
    return _totals(*(table[name] for name in CASE_COLUMNS))


@remembered
def _totals(base: Table, *laid: Table) -> list[list[Any]]:
    from xl_tco.cases import BASE, CASES, place
    from xl_tco.result import evaluate
    from xl_tco.scenario import Scenario

    case, rows = BASE, []
    try:
        given = dict(zip(CASE_COLUMNS[1:], laid, strict=True))
        run = Scenario.from_table({**base, CASES: given})
        for case in CASE_COLUMNS:
            rows.append([case, evaluate(run.in_case(case)).total_usd])
    except InputError as error:
        faults = [replace(fault, place=fault.place or place(case)) for fault in error.faults]
        raise InputError(faults) from None
    return rows


@remembered
def levers(inputs: Table, overrides: Table) -> list[list[Any]]:
    """Pull each lever on the cost: alone, and after those above it."""
    from xl_tco.analysis.levers import levers as pulled

    return [
        [pull.lever.name, pull.change_usd, pull.change_share, pull.step_usd, pull.cumulative_usd]
        for pull in pulled(evaluated(inputs, overrides).scenario).pulls
    ]


@remembered
def claims(inputs: Table, overrides: Table) -> list[list[Any]]:
    """Put each claim to the run; what a claim does not have is empty."""
    from xl_tco.analysis.claims import claims as put

    found = put(evaluated(inputs, overrides).scenario).claims.values()
    return [
        [claim.id, *map(_or_empty, (claim.low, claim.high, claim.value)), claim.verdict]
        for claim in found
    ]


def _or_empty(number: float | None) -> float | str:
    return "" if number is None else number


def _each(answer: Callable[[str, float], float], words: Any, numbers: Any) -> Any:
    """Answer for a word and a number, or for each of ranges of them."""
    if not isinstance(words, np.ndarray) and not isinstance(numbers, np.ndarray):
        return answer(words, numbers)
    names, wanted = np.broadcast_arrays(np.asarray(words, dtype=object), numbers)
    pairs = zip(names.flat, wanted.flat, strict=True)
    return np.array([answer(name, float(value)) for name, value in pairs]).reshape(names.shape)

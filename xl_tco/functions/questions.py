"""The questions asked of a whole scenario: `xl_tco.analysis`, on ranges of fields and values.

As in `xl_tco.functions.costing`, what they need is loaded when the first of them is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from xl_tco.errors import Fault, InputError
from xl_tco.fields import FIELDS
from xl_tco.functions.costing import evaluated, remembered
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

__all__ = [
    "MEASURES",
    "OUTPUTS",
    "TURNS",
    "break_even",
    "compare",
    "percentile",
    "sensitivity",
    "solved",
    "tokens_for_budget",
]

Table = Mapping[str, object]

MEASURES = ("usd_per_effective_tflop_hour", "total_usd")
"""What accelerators are ranked by; the first is the default."""

OUTPUTS = (TOTAL.name, *(f"{name}_usd" for name in COMPONENTS), *METRICS)
"""What a percentile may be of; the first is the default."""

TURNS = {
    "utilization": "break_even_utilization",
    "months": "break_even_months",
    "rent": "break_even_rental_usd_per_accelerator_hour",
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
    """Where rent or own turns, or the answer."""
    from xl_tco.analysis.rent_or_own import rent_or_own

    value = getattr(rent_or_own(evaluated(inputs, overrides).scenario), TURNS[figure])
    if isinstance(value, str):
        return value
    if not isfinite(value):
        allowed = "ask for the answer or the sentence, or change the prices"
        raise InputError([Fault("range", "figure", _NEVER[figure], allowed)])
    return float(value)


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


def sensitivity(inputs: Table, fields: Any, overrides: Table, swing: float) -> list[list[Any]]:
    """Total at both ends of each field, the widest first."""
    from xl_tco.analysis.tornado import tornado

    named = None if fields is None else [str(name) for name in np.ravel(fields)]
    bars = tornado(evaluated(inputs, overrides).scenario, named, swing).bars
    if not bars:
        problem = "no field makes a difference to the total"
        raise InputError([Fault("conflict", "inputs", problem, "give prices that are not 0")])
    return [[bar.field, bar.output_low, bar.output_high] for bar in bars]


def percentile(
    inputs: Table,
    ranges: Mapping[str, tuple[float | None, ...]],
    percentile: Any,
    overrides: Table,
    output: str,
    samples: float,
    seed: float,
) -> Any:
    """Percentile of an output over the ranges, or each of several, of one simulation."""
    from xl_tco.analysis.uncertainty import simulate

    for name in ranges:
        if name in FIELDS and not FIELDS[name].is_number:
            problem = "it holds a word, which has no range"
            raise InputError([Fault("type", name, problem, "give ranges of fields of a number")])
    changes: dict[str, Any] = {
        name: dict(zip(("low", "mode", "high"), numbers, strict=True))
        for name, numbers in ranges.items()
    }
    scenario = evaluated(inputs, overrides).scenario.replace(**changes)
    wanted = np.round(np.ravel(percentile), 12).tolist()
    each = list(dict.fromkeys(wanted))
    try:
        simulation = simulate(scenario, int(samples), int(seed), output, each)
    except InputError as error:
        raise InputError([_renamed(fault) for fault in error.faults]) from None
    found = dict(zip(each, simulation.percentiles.values(), strict=True))
    values = np.array([found[share].value for share in wanted])
    return values.reshape(np.shape(percentile)) if np.ndim(percentile) else float(values[0])


def _renamed(fault: Fault) -> Fault:
    return replace(fault, field="percentile") if fault.field == "percentiles" else fault


def _each(answer: Callable[[str, float], float], words: Any, numbers: Any) -> Any:
    """Answer for a word and a number, or for each of ranges of them."""
    if not isinstance(words, np.ndarray) and not isinstance(numbers, np.ndarray):
        return answer(words, numbers)
    names, wanted = np.broadcast_arrays(np.asarray(words, dtype=object), numbers)
    pairs = zip(names.flat, wanted.flat, strict=True)
    return np.array([answer(name, float(value)) for name, value in pairs]).reshape(names.shape)

"""What the questions have in common: the same run with something else, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.outputs import METRICS, TOTAL
from xl_tco.resolve import given_alone, merge
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario
from xl_tco.sources import SOURCES

__all__ = [
    "ESTIMATE",
    "OFFICIAL",
    "amount",
    "estimates_of",
    "number_field",
    "number_or_none",
    "output",
    "output_of",
    "output_word",
    "status_of",
    "unit_of",
    "variant",
]

ESTIMATE, OFFICIAL = "estimate", "official"

OUTPUT_WORDS = (TOTAL.name, *METRICS)


def variant(
    scenario: Scenario, changes: Mapping[str, float | str], without: Collection[str] = ()
) -> Scenario:
    """Return the same run with changes, which the catalogue's figures follow.

    Unlike `Scenario.replace` it takes out figures that only stand in for what was not given (see
    `xl_tco.resolve.given_alone`), and those of ``without``.
    """
    kept = {name: value for name, value in scenario.given.items() if name not in without}
    table: dict[str, Any] = merge(given_alone(kept, changes), changes)
    same = [name for name in table if name not in changes]
    table |= {name: scenario.ranges[name] for name in same if name in scenario.ranges}
    published = {name: scenario.published[name] for name in same if name in scenario.published}
    table[SOURCES] = {name: scenario.sources[name] for name in same if name in scenario.sources}
    return Scenario.from_table(table, figures=published)


def output_word(name: str, argument: str) -> str:
    """Return the name of an output, or raise if there is none of that name."""
    if name not in OUTPUT_WORDS:
        raise InputError([unknown_word(name, OUTPUT_WORDS, argument, "output")])
    return name


def number_field(name: str, argument: str = "field") -> Field:
    """Return the field of that name, or raise if there is none or it holds no number."""
    field = FIELDS.get(name)
    if field is None or not field.is_number:
        numbers = [field.name for field in FIELDS.values() if field.is_number]
        raise InputError([unknown_word(name, numbers, argument, "field of a number")])
    return field


def unit_of(scenario: Scenario, field: Field) -> float | None:
    """Return the step of a field that counts things; None for one that measures.

    Accelerators come in whole copies of the model where the MFU follows from how it is split.
    """
    if field.name == "accelerators":
        values = scenario.values
        grouped = values["kernel_efficiency"] is not None
        return float(values["tensor_parallel"] * values["pipeline_parallel"]) if grouped else 1.0
    whole = isinstance(field.domain, Number) and field.domain.whole
    return 1.0 if whole or field.name == "hot_spares" else None


def output_of(result: Result, name: str) -> float:
    """Return the total or a metric of a result, or raise if it is missing."""
    value = result.total_usd if name == TOTAL.name else result.metrics[name]
    if value is None:
        problem = "it rests on a figure that is not given"
        needs = " and ".join(n for n in METRICS[name].needs if result.scenario.values[n] is None)
        raise InputError([Fault("unknown figure", name, problem, f"give {needs or 'its figures'}")])
    return value


def output(scenario: Scenario, name: str) -> float:
    """Cost a scenario, and return the total or a metric."""
    return output_of(evaluate(scenario), name)


def estimates_of(results: Iterable[Result]) -> tuple[str, ...]:
    """Return the inputs that any of the results rests on and that are only estimates."""
    found = {name for result in results for name in result.estimates}
    return tuple(name for name in FIELDS if name in found)


def status_of(estimates: Collection[str]) -> str:
    """Return the status of what rests on these estimates."""
    return ESTIMATE if estimates else OFFICIAL


def amount(value: float) -> str:
    """Write a number as a message shows it: 1,234.5, 0.000321, 1.5e13."""
    if value and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.4g}".replace("e+", "e")
    return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.0f}"


def number_or_none(value: float | None) -> float | None:
    """Return a number for JSON, which has no infinity."""
    return value if value is not None and math.isfinite(value) else None

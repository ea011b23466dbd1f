"""Runs on one cluster: whether they are of the same, and whether they fit into its life."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from xl_tco.analysis.cash.asset import ROUNDING
from xl_tco.core import cash
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.fields import FIELDS
from xl_tco.plain import shown, sort_of, to_float
from xl_tco.result import Result
from xl_tco.scenario import Scenario, words

__all__ = [
    "ASSETS",
    "HARDWARE",
    "check_prices",
    "check_span",
    "checked_runs",
    "timeline_months",
]

HARDWARE = ("accelerators", "hosts", "network", "storage")
ASSETS = (*HARDWARE, "facility")

MOST_MONTHS = 1200  # as long as the longest life that a scenario can have
AGREEMENT = 1e-9  # of purchase prices, relatively, that are worked out for one run and another

SAME = ("accelerator", "accelerators", "hot_spares", "region", "procurement", "discount_rate")
SAME_POWER = ("tdp_watts", "host_watts_per_accelerator")
SAME_MONEY = ("currency", "currency_per_usd", "currency_date")
PLACED = ("age_years", "start_date")
"""Fields that place the first run; where a later one falls follows from it."""


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        raise InputError(faults, "cash view")


def checked_runs(
    runs: Scenario | Sequence[Scenario], start_date: str | None, method: str | None
) -> tuple[Scenario, ...]:
    """Return the runs as they are to be costed, one cluster's."""
    scenarios = (runs,) if isinstance(runs, Scenario) else tuple(runs)
    if not scenarios:
        _raise([Fault("missing", "runs", "there is no run", "give a scenario, or several")])
    odd = [run for run in scenarios if not isinstance(run, Scenario)]
    if odd:
        problem = f"{shown(odd[0])} is {sort_of(odd[0])}"
        _raise([Fault("type", "runs", problem, "give a scenario, or several")])
    changes: dict[str, str] = {}
    if method is not None:
        _raise(_unknown_method(method))
        changes["depreciation_method"] = method
    if start_date is not None:
        changes["start_date"] = start_date
    if changes:
        scenarios = tuple(run.replace(**changes) for run in scenarios)
    first = scenarios[0].values
    faults: list[Fault] = []
    if first["procurement"] == "own" and first["facility_life_years"] * cash.MONTHS_PER_YEAR < 1.0:
        problem = f"{first['facility_life_years']:g} years are less than a month"
        allowed = "a timeline by the month needs a facility that lasts for one"
        faults.append(Fault("range", "facility_life_years", problem, allowed))
    _raise(faults + _disagreements(scenarios))
    return scenarios


def _unknown_method(method: object) -> list[Fault]:
    known = words(FIELDS["depreciation_method"])
    if not isinstance(method, str):
        allowed = "give one of: " + ", ".join(known)
        return [Fault("type", "method", f"{shown(method)} is {sort_of(method)}", allowed)]
    return [] if method in known else [unknown_word(method, known, "method", "depreciation")]


def _disagreements(scenarios: Sequence[Scenario]) -> list[Fault]:
    """Find where runs are not of one cluster."""
    first = scenarios[0]
    names = [*SAME, *SAME_MONEY]
    if first.values["procurement"] == "own":
        groups = ("own", "topology", "capacity")
        names += [f.name for f in FIELDS.values() if f.group in groups and f.name not in PLACED]
        names += SAME_POWER
    faults = []
    for number, run in enumerate(scenarios[1:], 2):
        for name in dict.fromkeys(names):
            mine, theirs = run.values[name], first.values[name]
            if mine != theirs:
                problem = f"{_said(mine)}; of the first run, {_said(theirs)}"
                allowed = "runs on one cluster agree in it"
                faults.append(Fault("conflict", name, problem, allowed, f"run {number}"))
        for name in PLACED:
            mine, theirs = run.values[name], first.values[name]
            if name in run.given and mine != theirs:
                problem = f"{_said(mine)}, and the run follows those before it"
                allowed = "give it for the first run"
                faults.append(Fault("conflict", name, problem, allowed, f"run {number}"))
    return faults


def _said(value: object) -> str:
    return "it is not given" if value is None else f"it is {shown(value)}"


def check_prices(results: Sequence[Result]) -> None:
    """Refuse what is worked out for each run, storage by its tokens say, and comes out unequal."""
    faults = []
    for name in ASSETS:
        bought = results[0].metrics[f"{name}_capex_usd"] or 0.0
        for number, result in enumerate(results[1:], 2):
            needed = result.metrics[f"{name}_capex_usd"] or 0.0
            if not math.isclose(needed, bought, rel_tol=AGREEMENT, abs_tol=0.01):
                problem = f"it is {needed:,.0f}, where the first run has {bought:,.0f}"
                allowed = "runs on one cluster need what costs the same: give it in money"
                place = f"run {number}"
                faults.append(Fault("conflict", f"{name}_capex_usd", problem, allowed, place))
    _raise(faults)


def check_span(end: float, life: float, age: float) -> None:
    """Refuse runs that do not fit into the life of the hardware, or into any timeline; months."""
    if end > life * (1.0 + ROUNDING):
        taken = f"the runs take {end - age:,.1f} months"
        if age:
            taken += f" from an age of {age:,.1f}"
        problem = f"{taken}: {end - life:,.1f} more than the life of {life:,.1f} has"
        allowed = "give fewer or shorter runs, a larger cluster or a longer life"
        _raise([Fault("range", "depreciation_years", problem, allowed)])
    if end > MOST_MONTHS * (1.0 + ROUNDING):
        problem = f"the runs take {end:,.0f} months"
        _raise([Fault("range", "months", problem, f"a timeline has at most {MOST_MONTHS:,}")])


def timeline_months(months: object, end: float, life: float) -> int:
    """Length of the timeline in months."""
    least = max(math.ceil(end * (1.0 - ROUNDING)), 1)
    if months is None:
        return max(least, math.ceil(life - ROUNDING)) if math.isfinite(life) else least
    number = to_float(months)
    allowed = f"give a whole number of months from {least:,} to {MOST_MONTHS:,}"
    if number is None:
        _raise([Fault("type", "months", f"{shown(months)} is {sort_of(months)}", allowed)])
    elif not number.is_integer() or not 1 <= number <= MOST_MONTHS:
        _raise([Fault("range", "months", f"{shown(months)} is out of range", allowed)])
    elif number < least:
        problem = f"the timeline ends after month {number:g}, and the last run in month {least:,}"
        _raise([Fault("range", "months", problem, allowed)])
    return int(cast(float, number))

"""Scenarios as text: the TOML and the JSON that `xl_tco.reading` makes the same scenario of.

Numbers are written as people write them, 405e9 and 0.41, and exactly: read again, each is the same
to the last bit. Where the figures of a preset come from is in no file, but for the user's sources.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from xl_tco.cases import BASE, CASE, CASES
from xl_tco.correlations import CORRELATIONS
from xl_tco.distributions import KINDS, NAME
from xl_tco.fields import FIELDS
from xl_tco.scenario import Scenario
from xl_tco.sources import SOURCES

__all__ = ["scenario_json", "scenario_table", "scenario_toml", "spelt"]

_PLAIN_FROM, _PLAIN_TO = 1e-4, 1e6
"""Numbers between these are written out; others with a power of ten."""

_LONGEST_WRITTEN_OUT = 1e15
_MOST_DECIMALS = 3


def scenario_toml(scenario: Scenario, comment: str = "") -> str:
    """Return a scenario as TOML: figures in the order of the contract, then what is about them.

    Parameters
    ----------
    scenario
        The run.
    comment
        A line above it.
    """
    import tomlkit
    from tomlkit.items import Array, Item

    table = scenario_table(scenario)
    cases: Mapping[str, Mapping[str, Any]] = table.pop(CASES, {})
    correlations = table.pop(CORRELATIONS, [])
    sources: Mapping[str, Any] = table.pop(SOURCES, {})

    def item(value: Any) -> Item:
        if isinstance(value, str):
            return tomlkit.string(value)
        if isinstance(value, float):
            return tomlkit.value(spelt(value))
        if isinstance(value, Mapping):
            inline = tomlkit.inline_table()
            for name, part in value.items():
                inline.append(name, item(part))
            return inline
        return pairs(value, multiline=False)

    def pairs(parts: Iterable[Any], multiline: bool) -> Array:
        array = tomlkit.array().multiline(multiline)
        for part in parts:
            array.append(item(part))
        return array

    document = tomlkit.document()
    if comment:
        document.add(tomlkit.comment(_line(comment)))
    for name, value in table.items():
        document.append(name, item(value))
    if correlations:
        document.append(CORRELATIONS, pairs(correlations, multiline=True))
    if cases:
        tables = tomlkit.table(is_super_table=True)
        for case, figures in cases.items():
            entry = tomlkit.table()
            for name, value in figures.items():
                entry.append(name, item(value))
            tables.append(case, entry)
        document.append(CASES, tables)
    if sources:
        cited = tomlkit.table()
        for name, source in sources.items():
            cited.append(name, item(source))
        document.append(SOURCES, cited)
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def scenario_json(scenario: Scenario) -> str:
    """Return a scenario as JSON, in the order of its TOML."""
    table = scenario_table(scenario)
    return json.dumps(table, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def spelt(value: float) -> str:
    """Write a number as people do, and exactly: TOML, and Python, read the same float.

    Examples
    --------
    >>> [spelt(value) for value in (405e9, 15.6e12, 16384.0, 0.41, 1234567.0, 5e-06)]
    ['405e9', '15.6e12', '16384', '0.41', '1234567', '5e-6']
    """
    size = abs(value)
    if value == 0.0 or not math.isfinite(value):
        return "0" if math.copysign(1.0, value) > 0.0 and value == 0.0 else repr(value)
    if _PLAIN_FROM <= size < _PLAIN_TO:
        return str(int(value)) if value == int(value) else repr(value)
    mantissa, power = _thousands(value)
    decimals = len(mantissa.partition(".")[2])
    if decimals > _MOST_DECIMALS and value == int(value) and size < _LONGEST_WRITTEN_OUT:
        return str(int(value))
    return f"{mantissa}e{power}"


def _thousands(value: float) -> tuple[str, int]:
    """Take a number apart into one to three digits before the point, and a power of a thousand."""
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)  # it is finite
    power = 3 * math.floor((len(digits) + exponent - 1) / 3)
    before = len(digits) + exponent - power
    text = "".join(map(str, digits)).ljust(before, "0")
    part = f".{text[before:]}" if text[before:] else ""
    return f"{'-' if sign else ''}{text[:before]}{part}", power


def scenario_table(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as plain data, in the order in which people fill it in."""
    table = scenario.table
    ordered = {name: _short(table.pop(name)) for name in FIELDS if name in table}
    case = table.pop(CASE, BASE)
    cases: Mapping[str, Mapping[str, Any]] = table.pop(CASES, {})
    sources = table.pop(SOURCES, {})
    if case != BASE:
        ordered[CASE] = case
    ordered |= table
    if cases:
        ordered[CASES] = {
            name: {field: figures[field] for field in FIELDS if field in figures}
            for name, figures in cases.items()
        }
    if sources:
        ordered[SOURCES] = sources
    return ordered


def _short(value: Any) -> Any:
    """Return a value; of a range, without the kind that is meant where none is named."""
    if isinstance(value, Mapping) and value.get(NAME) == next(iter(KINDS)):
        return {key: number for key, number in value.items() if key != NAME}
    return value


def _line(text: str) -> str:
    """Return a text as one line that any screen shows."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)

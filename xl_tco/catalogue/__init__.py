"""Published figures: accelerators and default values, each with source, date and status.

The files beside this module hold one figure a row: ``key,field,value,unit,source,date,status``.
``accelerators.csv`` is keyed by accelerator, ``regions.csv`` by region, ``defaults.csv`` by
``default`` or by the word that a default depends on (the way of procurement, of recomputation).
Status is one of

- ``official``: the vendor's or the paper's own figure;
- ``estimate``: someone's judgement, ours included;
- ``definition``: a neutral value that adds no assumption;
- ``unknown``: nobody has said; such a figure has no value, and asking for it is an error.

This module reads and finds figures; it knows nothing of scenarios.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "GIVEN",
    "Figure",
    "accelerator_keys",
    "entries",
    "find",
    "region_keys",
    "runs",
    "specifications",
]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure and where it comes from. ``value`` is None where it is unknown."""

    value: float | str | None
    unit: str
    source: str
    date: str
    status: str


GIVEN = "given"
"""Status of a figure that the user supplied."""


def _read(name: str) -> dict[tuple[str, str], Figure]:
    figures: dict[tuple[str, str], Figure] = {}
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        value = row["value"]
        figures[row["key"], row["field"]] = Figure(
            value if row["unit"] == "text" else float(value) if value else None,
            row["unit"],
            row["source"],
            row["date"],
            row["status"],
        )
    return figures


@cache
def entries() -> Mapping[tuple[str, str], Figure]:
    """Every figure that a scenario can draw on, by (key, field)."""
    return MappingProxyType(
        _read("accelerators.csv") | _read("regions.csv") | _read("defaults.csv")
    )


@cache
def runs() -> Mapping[tuple[str, str], Figure]:
    """Read the published training runs, by (key, field)."""
    return MappingProxyType(_read("runs.csv"))


@cache
def accelerator_keys() -> tuple[str, ...]:
    """Keys of the accelerators, in the catalogue's order."""
    return tuple(key for key, field in entries() if field == "vendor")


@cache
def region_keys() -> tuple[str, ...]:
    """Keys of the regions, in the catalogue's order."""
    return tuple(key for key, field in entries() if field == "carbon_kg_per_kwh")


def find(key: str, field: str) -> Figure | None:
    """Return the figure of that name, or None where the catalogue has no such entry."""
    return entries().get((key, field))


@cache
def specifications(accelerator: str) -> Mapping[str, Figure]:
    """Every figure of one key (an accelerator, a region), by field; empty for an unknown one."""
    figures = {field: value for (key, field), value in entries().items() if key == accelerator}
    return MappingProxyType(figures)

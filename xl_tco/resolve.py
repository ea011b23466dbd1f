"""From what was given to a complete set of inputs: defaults, what is needed, and what must agree.

A given figure always wins; else the catalogue's stands in; else, if the scenario needs it, that is
a fault which says what to supply. Numbers may be arrays (rows of a table), in which NaN is an empty
cell; words are single: a table is resolved group by group of equal words.

Values arrive here one by one checked (type and range); this module checks them together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xl_tco import catalogue
from xl_tco.catalogue import GIVEN, Figure
from xl_tco.core._arrays import Real
from xl_tco.errors import Fault
from xl_tco.fields import ACCELERATOR_FREE, FIELDS, Field

__all__ = [
    "Given",
    "Resolved",
    "default_entry",
    "given_alone",
    "merge",
    "missing",
    "name_rows",
    "resolve",
]

Given = Mapping[str, Real | str | None]
Rows = Any  # names of rows: a sequence, or a DataFrame's index

PEAK_TOLERANCE = 0.005  # 989 and 989.4 are both in print for one chip
PRECISIONS = ("bf16", "fp16", "fp8")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A complete set of inputs.

    Attributes
    ----------
    values
        Every field; None only where this scenario has no need of it.
    figures
        For every field that has a value, where it comes from. A column with gaps that the
        catalogue filled carries the catalogue's figure.
    faults
        What is missing or at odds; empty if the inputs can be used.
    """

    values: dict[str, Real | str | None]
    figures: dict[str, Figure]
    faults: tuple[Fault, ...]


def resolve(given: Given, refused: Collection[str] = (), rows: Rows = None) -> Resolved:
    """Complete what was given from the catalogue, and check it as a whole.

    Parameters
    ----------
    given
        Values by field; None, NaN or absent is not given.
    refused
        Fields whose value was refused before: no more is said of them.
    rows
        Names of the rows where values are columns: faults name the rows that have them.
    """
    values: dict[str, Real | str | None] = {}
    figures: dict[str, Figure] = {}
    faults: list[Fault] = []
    for field in FIELDS.values():
        value = given.get(field.name)
        gaps = missing(value)
        if value is not None:
            figures[field.name] = Figure(None, field.unit, "given", "", GIVEN)
        if np.any(gaps):
            entry = default_entry(field, values)
            if entry is not None and entry.value is not None:
                value = _filled(value, gaps, entry.value)
                figures[field.name] = entry
            elif field.name not in refused and field.need in ("always", values.get("procurement")):
                faults.extend(_missing(field, entry, values, name_rows(gaps, rows)))
        values[field.name] = value
    faults.extend(_disagreements(values, refused, rows))
    return Resolved(values, figures, tuple(faults))


def default_entry(field: Field, values: Given) -> Figure | None:
    """Return the catalogue's entry for a field, given the words that it depends on, if any."""
    entry = default_name(field, values)
    return catalogue.find(*entry) if entry else None


def default_name(field: Field, values: Given) -> tuple[str, str] | None:
    """Key and field of that entry; None without a default, or while a word is missing."""
    words = {name: value for name, value in values.items() if isinstance(value, str)}
    try:
        key, _, name = field.default.format_map(words).rpartition(".")
    except KeyError:
        return None
    return (key, name) if key else None


def merge(base: Given, overrides: Given) -> dict[str, Real | str | None]:
    """Lay overrides over what was given; ``mfu`` replaces ``hfu`` and the other way round."""
    merged = {name: value for name, value in base.items() if not np.all(missing(value))}
    changed = {name: value for name, value in overrides.items() if not np.all(missing(value))}
    if "mfu" in changed or "hfu" in changed:
        merged.pop("mfu", None)
        merged.pop("hfu", None)
    return merged | changed


def given_alone(values: Given, overrides: Given) -> dict[str, Real | str | None]:
    """Take out of a complete table of inputs the figures that only stand in for what was not given.

    A range of a workbook holds every value, defaults included. Where an override changes a word
    (the accelerator, say), a figure that is just the catalogue's for the old word must follow the
    new one.
    """
    before, after = _worded(values), _worded(values, overrides)

    def follows(name: str, value: object) -> bool:
        field = FIELDS.get(name)
        if field is None or name in overrides:
            return False
        old, new = default_name(field, before), default_name(field, after)
        entry = catalogue.find(*old) if old and old != new else None
        return entry is not None and value == entry.value

    return {name: value for name, value in values.items() if not follows(name, value)}


def _worded(*tables: Given) -> dict[str, Real | str | None]:
    """Lay tables over the words that stand in where none is given."""
    values: dict[str, Real | str | None] = {
        field.name: entry.value
        for field in FIELDS.values()
        if not field.is_number and (entry := default_entry(field, {}))
    }
    for table in tables:
        values.update({name: v for name, v in table.items() if not np.all(missing(v))})
    return values


def missing(value: Any) -> Any:
    """Whether there is no value: None, or element by element of a column NaN."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.isnan(value)
    return value is None


def _filled(value: Any, gaps: Any, default: float | str) -> Real | str:
    """Put the default into the gaps of a value."""
    return default if value is None else np.where(gaps, default, value)


def _missing(field: Field, entry: Figure | None, values: Given, place: str) -> list[Fault]:
    """Say what to supply for a field that this scenario cannot do without."""
    allowed = f"{field.allowed}, in {field.unit}" if field.is_number else field.allowed
    key = default_name(field, values)
    if entry is not None and key:
        problem = f"the catalogue has no figure for {key[0]} ({entry.source})"
        return [Fault("unknown figure", field.name, problem, allowed, place)]
    if field.default and key is None:
        return []  # the word that its default depends on is missing, and said to be
    if "{accelerator}" in field.default and values.get("accelerator") != ACCELERATOR_FREE:
        return []  # the accelerator itself is at fault, and said to be
    return [Fault("missing", field.name, "nothing is given", allowed, place)]


def _disagreements(values: Given, refused: Collection[str], rows: Rows) -> list[Fault]:
    """Check what single values cannot show."""
    number = {
        name: np.nan if value is None else value
        for name, value in values.items()
        if not isinstance(value, str)
    }
    faults: list[Fault] = []

    def forbid(broken: Any, fields: Sequence[str], problem: str, allowed: str) -> None:
        if np.any(broken) and not any(field in refused for field in fields):
            faults.append(Fault("conflict", fields[0], problem, allowed, name_rows(broken, rows)))

    no_mfu, no_hfu = np.isnan(number["mfu"]), np.isnan(number["hfu"])
    rates, sizes = ("mfu", "hfu"), ("layers", "hidden_size", "sequence_length")
    forbid(no_mfu & no_hfu, rates, "neither mfu nor hfu is given", "give one of them")
    forbid(np.logical_not(no_mfu | no_hfu), rates, "both mfu and hfu are given", "give one of them")
    forbid(
        number["mfu"] * (1.0 + number["recompute_share"]) > 1.0,
        ("mfu", "recompute_share"),
        "with recompute_share it makes an HFU above 1",
        "give a lower mfu, or hfu in its place",
    )
    given = sum(np.greater(number[name], 0.0).astype(int) for name in sizes)
    forbid(
        (given != 0) & (given != len(sizes)),
        sizes,
        "only some of layers, hidden_size and sequence_length are given",
        "give all three, for the attention term, or none",
    )
    forbid(
        number["network_share"] + number["storage_share"] >= 1.0,
        ("network_share", "storage_share"),
        "network_share and storage_share leave nothing for the servers",
        "give shares of the cluster's CapEx that add up to less than 1",
    )
    dense, why = dense_peak(values)
    forbid(
        number["peak_tflops"] > dense * (1.0 + PEAK_TOLERANCE),
        ("peak_tflops", "accelerator", "precision"),
        why,
        f'give at most {dense:g}, or accelerator = "{ACCELERATOR_FREE}" with figures of your own',
    )
    return faults


def dense_peak(values: Given) -> tuple[float, str]:
    """Highest peak that a scenario may claim in TFLOP/s, and why more is refused.

    That is the catalogue's dense peak at the precision; where it has none, the highest of the chip.
    """
    specifications = catalogue.specifications(str(values.get("accelerator")))
    known = {
        precision: float(entry.value)
        for precision in PRECISIONS
        if (entry := specifications.get(f"peak_tflops_{precision}")) and entry.value is not None
    }
    precision = str(values.get("precision"))
    limit = known.get(precision, max(known.values(), default=np.inf))
    given = values.get("peak_tflops")
    what = f"dense {precision} peak" if precision in known else "highest dense peak"
    why = (
        f"{f'{given:g}' if isinstance(given, float | int) else 'it'} is more than the {what} of "
        f"{values.get('accelerator')}, {limit:g} TFLOP/s (a sparse peak, or another precision's?)"
    )
    return limit, why


def name_rows(broken: Any, rows: Rows = None) -> str:
    """Name the first rows at fault; nothing for a scalar."""
    if rows is None:
        return ""
    at = np.flatnonzero(np.broadcast_to(np.asarray(broken), (len(rows),)))
    more = f" and {at.size - 3} more" if at.size > 3 else ""
    return f"row {', '.join(str(rows[i]) for i in at[:3])}{more}"

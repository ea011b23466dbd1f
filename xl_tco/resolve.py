"""From what was given to a complete set of inputs: defaults, what is needed, and what must agree.

A given figure always wins; else the catalogue's stands in; else, if the scenario needs it, that is
a fault which says what to supply. Numbers may be arrays (rows of a table), in which NaN is an empty
cell; words are single: a table is resolved group by group of equal words.

Values arrive here one by one checked (type and range); this module checks them together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from xl_tco import catalogue
from xl_tco.catalogue import GIVEN, Figure
from xl_tco.core._arrays import Real
from xl_tco.errors import Fault
from xl_tco.fields import ACCELERATOR_FREE, ALTERNATIVES, FIELDS, MODES, Field
from xl_tco.plain import shown

__all__ = [
    "Given",
    "Resolved",
    "default_entry",
    "given_alone",
    "in_use",
    "merge",
    "missing",
    "name_rows",
    "resolve",
]

Given = Mapping[str, Real | str | None]
Rows = Any  # names of rows: a sequence, or a DataFrame's index

ROUNDING = 1e-9
PEAK_TOLERANCE = 0.005  # 989 and 989.4 are both in print for one chip
PRECISIONS = ("bf16", "fp16", "fp8")
_NONE: Mapping[str, Figure] = MappingProxyType({})


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


def resolve(
    given: Given,
    refused: Collection[str] = (),
    rows: Rows = None,
    sources: Mapping[str, Figure] = _NONE,
) -> Resolved:
    """Complete what was given from the catalogue, and check it as a whole.

    Parameters
    ----------
    given
        Values by field; None, NaN or absent is not given.
    refused
        Fields whose value was refused before: no more is said of them.
    rows
        Names of the rows where values are columns: faults name the rows that have them.
    sources
        Where given values come from that are not the user's own: a preset's.
    """
    values: dict[str, Real | str | None] = {}
    figures: dict[str, Figure] = {}
    faults: list[Fault] = []
    said = _said_otherwise(given)
    idle = frozenset(mode for mode in _DETAILED if not _any(_is_on(mode, given)))
    for field in FIELDS.values():
        value = given.get(field.name)
        gaps = missing(value)
        if value is not None:
            given_figure = Figure(None, field.unit, "given", "", GIVEN)
            figures[field.name] = sources.get(field.name, given_figure)
        if field.name in said:
            gaps = np.logical_and(gaps, np.logical_not(said[field.name]))
        if _any(gaps) and not field.needs <= idle:  # what a part not in use needs has no meaning
            entry = default_entry(field, values)
            if entry is not None and entry.value is not None:
                value = _filled(value, gaps, entry.value)
                figures[field.name] = entry
            elif field.name not in refused:
                gaps = np.logical_and(gaps, _needed(field, given, values))
                if _any(gaps):
                    faults.extend(_missing(field, entry, values, name_rows(gaps, rows)))
        values[field.name] = value
    faults.extend(_disagreements(values, refused, rows))
    return Resolved(values, figures, tuple(faults))


def in_use(name: str, values: Given) -> bool:
    """Whether the total of a complete table of inputs rests on a field, for any of its rows."""
    needs = FIELDS[name].needs
    if not needs.isdisjoint(("always", "optional")):
        return True
    return any(_any(_is_on(mode, values)) for mode in needs)


def _is_on(mode: str, values: Given) -> Any:
    """Whether a mode is on: the field that says so has its word, or any value."""
    name, word = MODES[mode]
    value = values.get(name)
    return value == word if word else _not(missing(value))


def _needed(field: Field, given: Given, values: Given) -> Any:
    """Whether a scenario cannot do without a field, row by row."""
    if "always" in field.needs:
        return True
    modes = field.needs - {"optional"}
    known = {**values, **{name: given.get(name) for name, word in MODES.values() if not word}}
    return reduce(np.logical_or, (_is_on(mode, known) for mode in modes), False)


_DETAILED = frozenset(mode for mode, (_, word) in MODES.items() if not word)
_OTHER_WAYS = {name: set(group) - {name} for group in ALTERNATIVES for name in group}


def _said_otherwise(given: Given) -> dict[str, Any]:
    """Return the fields for which another way to say the same is given, and in which rows."""
    present = {name: _not(missing(given.get(name))) for name in _OTHER_WAYS}
    return {
        name: reduce(np.logical_or, (present[other] for other in others))
        for name, others in _OTHER_WAYS.items()
        if any(given.get(other) is not None for other in others)
    }


def _any(mask: Any) -> bool:
    """Whether a mask is set anywhere; for a single value at no cost."""
    return mask if isinstance(mask, bool) else bool(np.any(mask))


def _not(mask: Any) -> Any:
    return not mask if isinstance(mask, bool) else np.logical_not(mask)


def default_entry(field: Field, values: Given) -> Figure | None:
    """Return the catalogue's entry for a field, given the words that it depends on, if any."""
    entry = default_name(field, values)
    return catalogue.find(*entry) if entry else None


def default_name(field: Field, values: Given) -> tuple[str, str] | None:
    """Key and field of that entry; None without a default, or while a word is missing."""
    if not field.default:
        return None
    entry = field.default
    if "{" in entry:
        words = {name: value for name in _KEYS if isinstance(value := values.get(name), str)}
        try:
            entry = entry.format_map(words)
        except KeyError:
            return None
    key, _, name = entry.rpartition(".")
    return key, name


_KEYS = ("accelerator", "currency", "precision", "procurement", "recomputation", "region")
"""Words that complete the name of a default."""


def merge(base: Given, overrides: Given) -> dict[str, Real | str | None]:
    """Lay overrides over what was given; one way to say a thing replaces the others."""
    merged = {name: value for name, value in base.items() if not np.all(missing(value))}
    changed = {name: value for name, value in overrides.items() if not np.all(missing(value))}
    for group in ALTERNATIVES:
        if not changed.keys().isdisjoint(group):
            for name in group:
                merged.pop(name, None)
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
            told = f"{problem} ({_said(values, fields, broken)})"
            faults.append(Fault("conflict", fields[0], told, allowed, name_rows(broken, rows)))

    def given(*names: str) -> Any:
        """Count how many of these are given, row by row."""
        return sum(np.logical_not(np.isnan(number.get(name, 0.0))).astype(int) for name in names)

    for names in ALTERNATIVES:
        numeric = [name for name in names if FIELDS[name].is_number]
        words = sum(values.get(name) is not None for name in names if not FIELDS[name].is_number)
        ways = given(*numeric) + words
        what = f"{', '.join(names[:-1])} and {names[-1]}"
        forbid(ways > 1, names, f"more than one of {what} is given", "give one of them")
        if not FIELDS[names[0]].default:
            forbid(ways < 1, names, f"none of {what} is given", "give one of them")
    forbid(
        number["mfu"] * (1.0 + number["recompute_share"]) > 1.0,
        ("mfu", "recompute_share"),
        "with recompute_share it makes an HFU above 1",
        "give a lower mfu, or hfu in its place",
    )
    sizes = ("layers", "hidden_size", "sequence_length")
    positive = sum(np.greater(number[name], 0.0).astype(int) for name in sizes)
    forbid(
        (positive != 0) & (positive != len(sizes)),
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
    rules = [] if values["kernel_efficiency"] is None else _layout(number)
    mixture = ("parameters_total", "experts", "active_experts", "expert_parallel")
    rules += [] if all(values[name] is None for name in mixture) else _experts(number)
    for broken, fields, problem, allowed in rules:
        forbid(broken, fields, problem, allowed)
    faults += [fault for fault in _words(values) if fault.field not in refused]
    forbid(
        np.logical_and(values.get("currency") == "USD", number["currency_per_usd"] != 1.0),
        ("currency_per_usd", "currency"),
        "a dollar is not one dollar",
        "give the currency that the rate is of, or no rate",
    )
    dense, why = dense_peak(values)
    forbid(
        number["peak_tflops"] > dense * (1.0 + PEAK_TOLERANCE),
        ("peak_tflops", "accelerator", "precision"),
        why,
        f'give at most {dense:g}, or accelerator = "{ACCELERATOR_FREE}" with figures of your own',
    )
    return faults


def _said(values: Given, fields: Sequence[str], broken: Any) -> str:
    """Write what some fields are in the first row at fault: mfu = 0.9, recompute_share = 0.3."""
    at = int(np.argmax(np.ravel(broken)))
    told = []
    for name in fields:
        value = values.get(name)
        if isinstance(value, np.ndarray):
            value = float(value[at])
        if isinstance(value, float) and value == value:
            value = f"{value:.10g}"
        told.append(f"{name} = {value if isinstance(value, str) else 'not given'}")
    return ", ".join(told)


Rule = tuple[Any, Sequence[str], str, str]
"""What is forbidden: where, of which fields, what is wrong, what would be right."""


def _experts(number: Mapping[str, Any]) -> list[Rule]:
    """Check the experts of a mixture; a comparison with a missing figure is false."""
    total = np.greater(number["parameters_total"], number["parameters"])
    counts = sum(np.isnan(number[name]).astype(int) for name in ("experts", "active_experts"))
    idle = number["experts"] - number["active_experts"]
    spare = number["parameters_total"] - number["parameters"]
    routed = spare * number["experts"] / np.where(np.greater(idle, 0.0), idle, np.nan)
    return [
        (
            np.greater(routed, number["parameters_total"] * (1.0 + ROUNDING)),
            ("parameters_total", "experts", "active_experts"),
            "the experts alone would have more parameters than the model",
            "give fewer parameters in all, or more that a token passes through",
        ),
        (
            np.isnan(number["parameters_total"]) & (counts == 0),
            ("parameters_total", "experts", "active_experts"),
            "nothing is given of all parameters, though there are experts",
            "give all parameters, the idle experts' included",
        ),
        (
            np.less(number["parameters_total"], number["parameters"]),
            ("parameters_total", "parameters"),
            "there are fewer than a token passes through",
            "give all parameters, the idle experts' included",
        ),
        (
            counts == 1,
            ("experts", "active_experts"),
            "only one of experts and active_experts is given",
            "give both, or none for a dense model",
        ),
        (
            np.greater_equal(number["active_experts"], number["experts"]),
            ("active_experts", "experts"),
            "no expert is idle",
            "give fewer than there are experts, or none of both for a dense model",
        ),
        (
            total & (counts > 0) & np.logical_not(np.isnan(number["kernel_efficiency"])),
            ("experts", "active_experts"),
            "nothing is given, though parameters_total is above parameters",
            "give both, to tell the experts from the rest",
        ),
        (
            np.greater(number["expert_parallel"], np.where(counts > 0, 1.0, number["experts"])),
            ("expert_parallel", "experts"),
            "the experts of a layer are spread over more accelerators than there are experts",
            "give a degree of at most the number of experts",
        ),
    ]


def _layout(number: Mapping[str, Any]) -> list[Rule]:
    """Check that the parallel degrees fit the cluster, the model and the batch."""
    degrees = ("tensor_parallel", "pipeline_parallel", "expert_parallel")
    product = number[degrees[0]] * number[degrees[1]] * number[degrees[2]]
    replicas = number["accelerators"] / product
    sequences = number["batch_tokens"] / number["sequence_length"]
    in_flight = sequences / (replicas * number["expert_parallel"] * number["micro_batch"])
    stages = number["pipeline_parallel"] * number["pipeline_chunks"]
    used = np.logical_not(np.isnan(number["kernel_efficiency"]))
    return [
        (
            used & np.greater(number["communication_share"], 0.0),
            ("communication_share", "kernel_efficiency"),
            "the step contains its communication already",
            "leave communication_share out",
        ),
        (
            used & (np.mod(number["layers"], 1.0) > 0.0),
            ("layers",),
            "a layer is whole",
            "give a whole number of layers",
        ),
        (
            used & (np.mod(replicas, 1.0) > 0.0),
            (*degrees, "accelerators"),
            "tensor, pipeline and expert parallel degree do not divide the accelerators",
            "give degrees whose product divides the number of accelerators",
        ),
        (
            used & np.less(in_flight, 1.0),
            ("batch_tokens", "sequence_length", "micro_batch", "accelerators", *degrees),
            "a replica gets less than one micro-batch of a step",
            "give a larger batch, or more parallel degrees to have fewer replicas",
        ),
        (
            used & np.greater(stages, number["layers"]),
            ("pipeline_parallel", "pipeline_chunks", "layers"),
            "there are more pipeline stages than layers",
            "give at most one stage, or chunk of one, a layer",
        ),
        (
            used & (np.mod(number["heads"], number["tensor_parallel"]) > 0.0),
            ("tensor_parallel", "heads"),
            "the tensor parallel degree does not divide the attention heads",
            "give a degree that divides them",
        ),
    ]


def _words(values: Given) -> list[Fault]:
    """Check texts that must have a form, and words that go together."""
    faults = []
    for name, form in _FORMS.items():
        text = values.get(name)
        if isinstance(text, str) and not form.fullmatch(text):
            problem = f"{shown(text)} has not the form"
            faults.append(Fault("type", name, problem, FIELDS[name].allowed))
    foreign = values.get("currency") not in (None, "USD")
    if foreign and values.get("currency_date") is None:
        problem = "nothing is given, though the currency is not USD"
        faults.append(Fault("missing", "currency_date", problem, FIELDS["currency_date"].allowed))
    return faults


_FORMS = {
    "start_date": re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII),
    "currency": re.compile(r"[A-Z]{3}", re.ASCII),
    "currency_date": re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII),
}


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

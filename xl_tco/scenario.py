"""A scenario: what was given of one training run, checked when it is made.

The checks of single values are a pydantic model made from `xl_tco.fields`; `xl_tco.resolve` checks
the whole. All faults are reported at once, each with field, value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic import Field as Constraint
from pydantic_core import ErrorDetails

from xl_tco import correlations as correlating
from xl_tco.catalogue import Figure, accelerator_keys, region_keys
from xl_tco.correlations import CORRELATIONS, Correlation
from xl_tco.distributions import Distribution, range_schema
from xl_tco.errors import Fault, InputError, spelling, unknown_word
from xl_tco.fields import ACCELERATOR_FREE, ALTERNATIVES, FIELDS, Field, Number
from xl_tco.plain import LONGEST, is_empty, shown, sort_of, to_float
from xl_tco.resolve import merge, resolve

__all__ = ["Scenario", "Value", "check", "json_schema", "words"]

Value = (
    float | str | Distribution | Mapping[str, float | str] | Sequence[Sequence[float | str]] | None
)
"""What a scenario may be given by name: a figure, a word, a range, or the list of correlations."""


class Scenario:
    """One training run to be costed; immutable.

    Parameters
    ----------
    **given
        Figures by field name (`xl_tco.fields.FIELDS`); None is not given. Of fields that say the
        same (`xl_tco.fields.ALTERNATIVES`), at most one. A number may be a range
        (`xl_tco.distributions`); ``correlations`` lists pairs of ranges with their rank
        correlation.

    Attributes
    ----------
    given
        What was given; of a range, the one value that stands for it.
    ranges
        Distributions of the figures that were given as ranges.
    correlations
        Pairs of ranges that go along with each other.
    values
        Every field after defaults: what the cost is computed from. None where there is no need.
    figures
        For each value, where it comes from: source, date, status.

    Raises
    ------
    InputError
        With every fault of the figures: wrong type, out of range, unknown field, missing, unknown
        figure, conflict.

    Examples
    --------
    >>> run = Scenario(
    ...     parameters=70e9, tokens=1.4e12, accelerator="h100-sxm", accelerators=1024, mfu=0.4,
    ...     procurement="rent", staff_fte=10, storage_usd_per_hour=50,
    ... )
    >>> run.values["peak_tflops"]
    989.4
    """

    __slots__ = ("_published", "_resolved", "correlations", "given", "ranges")

    given: Mapping[str, float | str]
    ranges: Mapping[str, Distribution]
    correlations: tuple[Correlation, ...]

    def __init__(self, **given: Value) -> None:
        self._fill(given, "", {})

    @classmethod
    def from_table(
        cls,
        table: Mapping[str, object],
        source: str = "",
        figures: Mapping[str, Figure] | None = None,
    ) -> Scenario:
        """Make a scenario of a table of unchecked values; ``source`` is named in its faults.

        ``figures`` say where given values come from, by field: those of a preset are no user's.
        """
        scenario = cls.__new__(cls)
        scenario._fill(table, source, figures or {})
        return scenario

    def _fill(
        self, table: Mapping[str, object], source: str, figures: Mapping[str, Figure]
    ) -> None:
        given, ranges, faults = _with_ranges(table)
        refused = {fault.field for fault in faults}
        correlations, found = _correlations(table, {*ranges, *refused})
        published = {name: figures[name] for name in given if name in figures}
        resolved = resolve(given, refused, sources=published)
        faults += [*found, *resolved.faults]
        if faults:
            raise InputError(faults, source)
        self.given = MappingProxyType(given)
        self.ranges = MappingProxyType(ranges)
        self.correlations = correlations
        self._published = published
        self._resolved = resolved

    @property
    def values(self) -> Mapping[str, Any]:
        """Every field after defaults."""
        return MappingProxyType(self._resolved.values)

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Where each value comes from."""
        return MappingProxyType(self._resolved.figures)

    @property
    def published(self) -> Mapping[str, Figure]:
        """Where given values come from that are not the user's own: a preset's."""
        return MappingProxyType(self._published)

    @property
    def name(self) -> str:
        """Name of the run."""
        return str(self.values["name"])

    @property
    def table(self) -> dict[str, Any]:
        """What was given, ranges included, as plain data: `from_table` makes the same scenario."""
        ranges = {name: values.to_dict() for name, values in self.ranges.items()}
        correlations = {CORRELATIONS: [list(pair) for pair in self.correlations]}
        return {**self.given, **ranges, **(correlations if self.correlations else {})}

    def replace(self, **changes: Value) -> Scenario:
        """Return the same run with other figures: a what-if (see `xl_tco.resolve.merge`).

        A range stays until its field changes; so do correlations, while both fields have ranges.
        """
        given, new, faults = _with_ranges(changes)
        if faults:
            raise InputError(faults)
        merged = merge(self.given, given)
        old = {name: r for name, r in self.ranges.items() if name in merged and name not in given}
        ranges = old | new
        correlations = changes.get(CORRELATIONS)
        if correlations is None:
            correlations = [pair for pair in self.correlations if ranges.keys() >= {*pair[:2]}]
        table = {**merged, **ranges, CORRELATIONS: correlations}
        published = {name: f for name, f in self._published.items() if name not in given}
        return Scenario.from_table(table, figures=published)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scenario.from_table, (self.table, "", self._published)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.table == other.table

    def __hash__(self) -> int:
        ranges = tuple(sorted(self.ranges.items(), key=lambda item: item[0]))
        return hash((tuple(sorted(self.given.items())), ranges, self.correlations))

    def __repr__(self) -> str:
        return f"Scenario({', '.join(f'{name}={value!r}' for name, value in self.table.items())})"


def _with_ranges(
    table: Mapping[str, object],
) -> tuple[dict[str, float | str], dict[str, Distribution], list[Fault]]:
    """Check values one by one: the good ones, of a range its point; the ranges; and the faults."""
    plain: dict[str, object] = {}
    ranges: dict[str, Distribution] = {}
    faults: list[Fault] = []
    for name, given in table.items():
        value = given.to_dict() if isinstance(given, Distribution) else given
        field = FIELDS.get(name) if isinstance(name, str) else None
        if field is None or not field.is_number or not isinstance(value, Mapping):
            plain |= {name: value} if name != CORRELATIONS else {}
            continue
        try:
            ranges[name] = Distribution.read(value, field)
        except InputError as error:
            faults.extend(error.faults)
        else:
            plain[name] = ranges[name].point
    good, found = check(plain)
    return good, ranges, faults + found


def _correlations(
    table: Mapping[str, object], fields: set[str]
) -> tuple[tuple[Correlation, ...], list[Fault]]:
    """Check the list of correlations: the good ones, or the faults of the list."""
    value = table.get(CORRELATIONS)
    try:
        return () if is_empty(value) else correlating.read(value, fields), []
    except InputError as error:
        return (), list(error.faults)


def check(table: Mapping[str, object]) -> tuple[dict[str, float | str], list[Fault]]:
    """Check values one by one: the good ones, as floats and words, and the faults of the others."""
    plain = {name: _plain(value) for name, value in table.items() if not is_empty(value)}
    faults = [fault for name, value in plain.items() if (fault := _unreadable(name, value))]
    odd = {fault.field for fault in faults}
    plain = {name: value for name, value in plain.items() if shown_name(name) not in odd}
    try:
        good = _border().model_validate(plain).model_dump(exclude_unset=True)
    except ValidationError as error:
        found = [_fault(detail) for detail in error.errors(include_url=False)]
        bad = {fault.field for fault in found}
        rest = {name: value for name, value in plain.items() if name not in bad}
        good = _border().model_validate(rest).model_dump(exclude_unset=True)
        faults += found
    return good, faults


def shown_name(name: object) -> str:
    """Return a field's name as messages show it; what is no text, as what it is."""
    return shown(name).strip("'") if not isinstance(name, str) or len(name) > LONGEST else name


def _unreadable(name: object, value: object) -> Fault | None:
    """Return the fault of a name or a text that is none."""
    if not isinstance(name, str) or not _is_unicode(name):
        allowed = "the fields are listed by: xl-tco schema"
        return Fault("unknown key", shown_name(name), "no such field", allowed)
    if isinstance(value, str) and not _is_unicode(value):
        return Fault("type", name, "it is no Unicode text", "give a text")
    return None


def _is_unicode(text: str) -> bool:
    """Whether a text can be written to a file: no half of a pair of surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_or_raise(table: Mapping[str, object]) -> dict[str, float | str]:
    """Check values one by one and return them."""
    good, faults = check(table)
    if faults:
        raise InputError(faults)
    return good


def json_schema() -> dict[str, Any]:
    """JSON schema of a scenario file, made from the fields."""
    schema = _border().model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "xl-tco scenario"
    schema["required"] = [f.name for f in FIELDS.values() if f.need == "always" and not f.default]
    schema["oneOf"] = [{"required": [name]} for name in ALTERNATIVES[0]]
    for name, entry in schema["properties"].items():
        value, _ = entry.pop("anyOf")  # the other is null: a file leaves out what is not given
        del entry["default"]
        if FIELDS[name].is_number:
            value = {"anyOf": [value, {"$ref": "#/$defs/range"}]}
        entry.update(value, title=FIELDS[name].label)
    schema["properties"][CORRELATIONS] = correlating.json_schema()
    schema["$defs"] = {"range": range_schema()}
    return schema


def _plain(value: object) -> object:
    """Return the plain Python value of a number or a flag of any library."""
    if isinstance(value, np.bool_):
        return bool(value)
    number = to_float(value)
    return value if number is None or (type(value) is int and isfinite(number)) else number


@cache
def _border() -> type[BaseModel]:
    """Make the pydantic model of given values, once."""
    columns: dict[str, Any] = {
        field.name: (_annotation(field) | None, _constraint(field)) for field in FIELDS.values()
    }
    config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    return create_model("Scenario", __config__=config, **columns)


def _annotation(field: Field) -> Any:
    if field.is_number:
        return float
    return Literal[words(field)] if words(field) else str


def _constraint(field: Field) -> Any:
    bounds: dict[str, Any] = {}
    if isinstance(field.domain, Number):
        bounds["gt" if field.domain.low_open else "ge"] = field.domain.low
        bounds["lt" if field.domain.high_open else "le"] = field.domain.high
        if field.domain.whole:
            bounds["multiple_of"] = 1.0
    extra: dict[str, Any] = {"unit": field.unit}
    return Constraint(default=None, description=field.help, json_schema_extra=extra, **bounds)


def _fault(detail: ErrorDetails) -> Fault:
    """Say in our words what pydantic found."""
    name, value = str(detail["loc"][0]), detail["input"]
    field = FIELDS.get(name)
    if field is None:
        problem = f"no such field{spelling(name, list(FIELDS))}"
        return Fault("unknown key", name, problem, "the fields are listed by: xl-tco schema")
    if detail["type"] == "literal_error" and isinstance(value, str):
        return unknown_word(value, words(field), name, field.label.lower())
    if isinstance(value, float | int) and not isinstance(value, bool) and field.is_number:
        return Fault("range", name, f"{value:g} is out of range", field.allowed)
    return Fault("type", name, f"{shown(value)} is {sort_of(value)}", field.allowed)


def words(field: Field) -> tuple[str, ...]:
    """Return the words that a field may hold; none where any text will do."""
    if field.name == "accelerator":
        return (*accelerator_keys(), ACCELERATOR_FREE)
    if field.name == "region":
        return region_keys()
    return field.domain if isinstance(field.domain, tuple) else ()

"""A scenario: what was given of one training run, checked when it is made.

`xl_tco.checking` checks values one by one, `xl_tco.resolve` the whole, and `xl_tco.cases` what is
laid over it. All faults are reported at once, each with field, value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from xl_tco import cases as laying
from xl_tco import correlations as correlating
from xl_tco import sources as citing
from xl_tco.cases import BASE, CASE, CASES, KNOWN, Cases, Given
from xl_tco.catalogue import Figure
from xl_tco.checking import border, check, words
from xl_tco.correlations import CORRELATIONS, Correlation
from xl_tco.distributions import Distribution, range_schema
from xl_tco.errors import Fault, InputError
from xl_tco.fields import ALTERNATIVES, FIELDS
from xl_tco.plain import is_empty
from xl_tco.resolve import Resolved, resolve
from xl_tco.sources import SOURCES, Source

__all__ = ["Scenario", "Value", "check", "json_schema", "words"]

Value = (
    float
    | str
    | Distribution
    | Mapping[str, float | str]
    | Mapping[str, Mapping[str, float | str]]
    | Mapping[str, str | Mapping[str, str] | Source | None]
    | Sequence[Sequence[float | str]]
    | None
)
"""What a scenario may be given by name.

A figure, a word, a range; the tables of its cases or sources, or the list of its correlations.
"""


class Scenario:
    """One training run to be costed; immutable.

    Parameters
    ----------
    **given
        Figures by field name (`xl_tco.fields.FIELDS`); None is not given. Of fields that say the
        same (`xl_tco.fields.ALTERNATIVES`), at most one. A number may be a range
        (`xl_tco.distributions`); ``correlations`` lists pairs of ranges with their rank
        correlation. ``cases`` has tables ``low``, ``high`` and ``own`` of figures that are laid
        over these, the base; ``case`` says which one is in force: ``base`` where it is not given.
        ``sources`` says where given figures come from, by field: a text, or a table of ``source``
        and ``date`` (`xl_tco.sources`).

    Attributes
    ----------
    given
        What was given, of the case in force; of a range, the one value that stands for it.
    ranges
        Distributions of the figures that were given as ranges, and that the case leaves.
    correlations
        Pairs of ranges that go along with each other.
    cases
        What the cases lay over the base, by name: those that were given.
    case
        The one that is in force: ``base``, ``low``, ``high`` or ``own``.
    sources
        Where the user says that figures come from, by field.
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

    __slots__ = (
        "_base",
        "_published",
        "_resolved",
        "case",
        "cases",
        "correlations",
        "given",
        "ranges",
        "sources",
    )

    given: Mapping[str, float | str]
    ranges: Mapping[str, Distribution]
    correlations: tuple[Correlation, ...]
    cases: Cases
    case: str
    sources: Mapping[str, Source]

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
        base, faults = _base(table)
        cases, found = laying.read(table.get(CASES))
        case, unknown = laying.in_force(table.get(CASE), table.get(CASES))
        sources, uncited = citing.read(table.get(SOURCES))
        told = {fault.field for fault in (*faults, *found)}
        known = {*base.figures, *told, *(name for laid in cases.values() for name in laid)}
        uncited += [citing.uncited(name) for name in sources if name not in known]
        resolved = _resolved(base, {fault.field for fault in faults}, figures, {}, sources)
        faults += resolved.faults
        # What is wrong with the base is not said of each case again.
        sound = (
            [] if faults else [n for n in cases if laying.place(n) not in {f.place for f in found}]
        )
        faults += [*found, *unknown, *uncited]
        for name in sound:
            laid = _resolved(base.with_changes(cases[name]), (), figures, cases[name], sources)
            faults += [replace(fault, place=laying.place(name)) for fault in laid.faults]
            resolved = laid if name == case else resolved
        if faults:
            raise InputError(faults, source)
        given = base.with_changes(cases.get(case, {}))
        self.given = MappingProxyType(given.figures)
        self.ranges = MappingProxyType(given.ranges)
        self.correlations = given.correlations
        self.cases = MappingProxyType({k: MappingProxyType(v) for k, v in cases.items()})
        self.case = case
        self.sources = MappingProxyType(sources)
        self._base = base
        self._published = {name: figures[name] for name in base.figures if name in figures}
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
        own = {*self.cases.get(self.case, {}), *self.sources}
        sources = {k: f for k, f in self._published.items() if k in self.given and k not in own}
        return MappingProxyType(sources)

    @property
    def name(self) -> str:
        """Name of the run."""
        return str(self.values["name"])

    @property
    def table(self) -> dict[str, Any]:
        """What was given, as plain data: `from_table` makes the same scenario.

        The base with its ranges, ``correlations``, ``sources``, ``cases``, and the ``case`` in
        force.
        """
        sources = {name: source.plain for name, source in self.sources.items()}
        cases = {name: dict(figures) for name, figures in self.cases.items()}
        return {
            **self._base.table,
            **({SOURCES: sources} if sources else {}),
            **({CASES: cases} if cases else {}),
            **({CASE: self.case} if self.case != BASE else {}),
        }

    def in_case(self, name: str) -> Scenario:
        """Return the same scenario with another case in force: base, low, high or own.

        Raises
        ------
        InputError
            If there is no such case.
        """
        if name == self.case:
            return self
        return Scenario.from_table({**self.table, CASE: name}, figures=self._published)

    def replace(self, **changes: Value) -> Scenario:
        """Return the same run with other figures: a what-if (see `xl_tco.resolve.merge`).

        A range stays until its field changes, and so does a source; correlations stay while both
        fields have ranges. New sources are laid over those that stay. A what-if is of the case in
        force alone: its figures are the base of the new scenario, which has no cases but those that
        are among the changes.
        """
        given, new, faults = _with_ranges(changes)
        if faults:
            raise InputError(faults)
        here = Given(self.given, self.ranges, self.correlations).with_changes(given)
        ranges = {**here.ranges, **new}
        table: dict[str, object] = {**here.figures, **ranges}
        table |= {key: changes[key] for key in (CASE, CASES) if key in changes}
        correlations = changes.get(CORRELATIONS)
        if correlations is None:
            correlations = [pair for pair in self.correlations if ranges.keys() >= {*pair[:2]}]
        table[CORRELATIONS] = correlations
        kept = {k: s for k, s in self.sources.items() if k in here.figures and k not in given}
        sources = changes.get(SOURCES) or {}
        table[SOURCES] = {**kept, **sources} if isinstance(sources, Mapping) else sources
        published = {name: f for name, f in self.published.items() if name not in given}
        return Scenario.from_table(table, figures=published)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scenario.from_table, (self.table, "", self._published)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.table == other.table

    def __hash__(self) -> int:
        cases = tuple((name, frozenset(case.items())) for name, case in self.cases.items())
        base = self._base
        figures, ranges = frozenset(base.figures.items()), frozenset(base.ranges.items())
        sources = frozenset(self.sources.items())
        return hash((figures, ranges, base.correlations, cases, self.case, sources))

    def __repr__(self) -> str:
        return f"Scenario({', '.join(f'{name}={value!r}' for name, value in self.table.items())})"


_ABOUT = (CORRELATIONS, SOURCES, CASES, CASE)
"""Keys of a table that hold no figure."""


def _base(table: Mapping[str, object]) -> tuple[Given, list[Fault]]:
    """Check what is given value by value: the good ones, and the faults of the others."""
    figures, ranges, faults = _with_ranges(table)
    correlations, found = _correlations(table, {*ranges, *(fault.field for fault in faults)})
    return Given(figures, ranges, correlations), faults + found


def _resolved(
    given: Given,
    refused: Collection[str],
    published: Mapping[str, Figure],
    own: Collection[str],
    cited: Mapping[str, Source],
) -> Resolved:
    """Complete figures; say where they come from.

    ``published`` says so but for the user's ``own``; above it, what the user has ``cited``.
    """
    sources = {k: published[k] for k in given.figures if k in published and k not in own}
    sources |= {k: cited[k].figure(k) for k in given.figures if k in cited}
    return resolve(given.figures, refused, sources=sources)


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
            plain |= {name: value} if name not in _ABOUT else {}
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


def json_schema() -> dict[str, Any]:
    """JSON schema of a scenario file, made from the fields."""
    schema = border().model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "xl-tco scenario"
    schema["required"] = [f.name for f in FIELDS.values() if f.need == "always" and not f.default]
    schema["oneOf"] = [{"required": [name]} for name in ALTERNATIVES[0]]
    plain: dict[str, Any] = {}
    for name, entry in schema["properties"].items():
        value, _ = entry.pop("anyOf")  # the other is null: a file leaves out what is not given
        plain[name] = dict(value)
        del entry["default"]
        if FIELDS[name].is_number:
            value = {"anyOf": [value, {"$ref": "#/$defs/range"}]}
        entry.update(value, title=FIELDS[name].label)
    schema["properties"] |= {
        CORRELATIONS: correlating.json_schema(),
        SOURCES: citing.json_schema(),
        CASES: laying.json_schema(plain),
        CASE: {"enum": [*KNOWN], "title": "Case in force"},
    }
    schema["$defs"] = {"range": range_schema()}
    return schema

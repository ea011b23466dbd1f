"""A filled workbook turned back into the scenario that it was built of, or has become.

Read are the blue cells: of the sheet Inputs the columns Base, Low, High and Own, the choice of a
case, and sources with their dates; of the sheet Sensitivity the ranges and their correlations. All
are found by the names that the workbook has for them. What the build fills in by itself does not
come back: a case that is as `xl_tco.analysis.cases.cases_of` has it, and ranges that are as those
of `ranges_of` there. What a preset says of its sources comes back as if the user had typed it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from xl_tco.analysis.cases import SWING, cases_of, ranges_of
from xl_tco.cases import BASE, CASE, CASES, KNOWN, LAID, place
from xl_tco.catalogue import accelerator_keys, find
from xl_tco.cells import UNKNOWN
from xl_tco.correlations import CORRELATIONS
from xl_tco.distributions import KINDS, NAME, Distribution
from xl_tco.errors import Fault, FaultKind, InputError, unknown_word
from xl_tco.fields import FIELDS
from xl_tco.plain import is_empty, shown, sort_of
from xl_tco.resolve import in_use
from xl_tco.scenario import Scenario
from xl_tco.sources import SOURCES
from xl_tco.workbook.files import read_package
from xl_tco.workbook.typed import Typed, TypedCells

__all__ = ["read_scenario", "scenario_in"]

INPUTS, SELECTOR, RANGES = "inputs", "case_in_force", "ranges"
"""Names that a workbook has for what is read here.

The last one may lack, and so may those of correlations and of sources.
"""

CITED = 20
"""Columns of the name of sources: the first one is the field, the last two source and date."""

COLUMNS = {
    "triangular": ("low", "mode", "high"),
    "pert": ("low", "mode", "high"),
    "uniform": ("low", "mode", "high"),
    "normal": ("low", "mean", "sd"),
    "lognormal": ("p10", "mean", "p90"),
}
"""What the three columns of numbers of a range are for each kind of distribution."""

OWN = LAID[-1]
"""The case that a scenario need not have to be in it."""

_CLOSE = 1e-9
"""Two numbers that differ by less, as a share, are one: people type, and see, ten digits."""


def read_scenario(path: str | Path) -> Scenario:
    """Read the scenario of a workbook that was filled in.

    Parameters
    ----------
    path
        An .xlsx or .xlsm file that was built by xl-tco, whatever has saved it since.

    Raises
    ------
    InputError
        With every fault of what is typed, each with its cell, the value and what is allowed.
    WorkbookError
        If it is no workbook, or none of this kind.
    """
    return scenario_in(read_package(path), str(path))


def scenario_in(package: bytes, source: str = "") -> Scenario:
    """Read the scenario of a workbook given as bytes; ``source`` is named in errors."""
    sheets = _Sheets(TypedCells(package, source), source)
    base, cases = sheets.inputs()
    case, sources = sheets.case(), sheets.sources()
    ranges, correlations = sheets.ranges(), sheets.correlations()
    run = sheets.scenario({**base, SOURCES: sources, CASES: cases, CASE: case})
    base = {name: run.table[name] for name in base if name in run.table}
    if not correlations:
        ranges = _own(ranges, run.in_case(BASE))
    sheets.compare(run.in_case(BASE), ranges)
    base |= ranges
    if correlations:
        base[CORRELATIONS] = correlations
    plain = sheets.scenario(base)
    automatic = cases_of(plain)
    kept = {
        name: dict(figures)
        for name, figures in run.cases.items()
        if name == case != OWN or not _is_same(figures, automatic[name])
    }
    return sheets.scenario({**base, SOURCES: sources, CASES: kept, CASE: case})


def _own(ranges: Mapping[str, Distribution], base: Scenario) -> dict[str, Distribution]:
    """Return the ranges that are the user's own: none, if the build may have filled in all.

    It fills in so many rows, each of one form (`_is_filled_in`). Of that form, a range about a
    figure that is another one now, or is not in use any more, stays behind in its row: it is left
    out.
    """
    formed = {name for name, values in ranges.items() if _is_filled_in(name, values)}
    if formed == ranges.keys() and ranges:
        about = (SOURCES, CASES, CASE)
        table = {name: value for name, value in base.table.items() if name not in about}
        expected = ranges_of(Scenario.from_table(table))
        if len(ranges) >= len(expected):
            return {}
    return {
        name: values
        for name, values in ranges.items()
        if name not in formed or (_stands(values, base.values[name]) and in_use(name, base.values))
    }


def _is_filled_in(name: str, values: Distribution) -> bool:
    """Whether a range has the form of those of `xl_tco.analysis.cases.ranges_of`.

    That is the catalogue's, of any accelerator; or it reaches as far to either side as those of
    which nothing is known, within the domain.
    """
    if values.kind != "triangular":
        return False
    low, mode, high = values.parameters
    for key in accelerator_keys():
        ends = [find(key, f"{name}{end}") for end in ("_low", "", "_high")]
        if values.parameters == tuple(None if end is None else end.value for end in ends):
            return True
    domain = values.domain
    wanted = max(mode * (1.0 - SWING), domain.low), min(mode * (1.0 + SWING), domain.high)
    within = 1.0 if domain.whole else 0.0
    return all(
        math.isclose(end, there, rel_tol=_CLOSE, abs_tol=within)
        for end, there in zip((low, high), wanted, strict=True)
    )


def _stands(values: Distribution, value: float | None) -> bool:
    """Whether a range stands for a value."""
    return value is not None and _is_close(value, values.point)


def _is_same(figures: Mapping[str, float | str], others: Mapping[str, float | str]) -> bool:
    """Whether two cases are one, but for rounding."""
    return figures.keys() == others.keys() and all(
        _is_close(value, others[name]) for name, value in figures.items()
    )


def _is_close(one: float | str, other: float | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.isclose(one, other, rel_tol=_CLOSE)


class _Sheets:
    """What is typed into the sheets, its place, and what is wrong with it."""

    def __init__(self, cells: TypedCells, source: str) -> None:
        self._cells, self._source = cells, source
        self._faults: list[Fault] = []
        self._places: dict[tuple[str, str], str] = {}

    def inputs(self) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
        """Return what is typed of the base and of each case, by field."""
        columns: dict[str, dict[str, object]] = {name: {} for name in KNOWN}
        for field, _, *typed in self._cells.rows(INPUTS, 2 + len(KNOWN)):
            name = self._field(field)
            if not name:
                continue
            if (name, BASE) in self._places:
                self._fault("conflict", name, "the field is there twice", "give it once", field)
            for case, cell in zip(KNOWN, typed, strict=True):
                self._places[name, case] = cell.place
                value = self._value(cell, name)
                if not is_empty(value):
                    columns[case][name] = value
        return columns.pop(BASE), columns

    def case(self) -> str:
        """Return which case is chosen: by its word, or by the heading of its column."""
        [[cell]] = self._cells.rows(SELECTOR, 1)
        self._places[CASE, BASE] = cell.place
        value = self._value(cell, CASE)
        chosen = value.strip().casefold() if isinstance(value, str) else ""
        if chosen in KNOWN:
            return chosen
        for heads in self._cells.above(INPUTS, 2 + len(KNOWN)):
            for case, head in zip(KNOWN, heads[2:], strict=True):
                if isinstance(head.value, str) and head.value.strip().casefold() == chosen != "":
                    return case
        if not isinstance(value, _Refused):
            problem = "nothing is chosen" if is_empty(value) else f"{shown(value)} is no case"
            self._fault("unknown key", CASE, problem, _allowed(CASE), cell)
        return BASE

    def sources(self) -> dict[str, dict[str, str]]:
        """Return what is typed of sources and their dates, by field."""
        found: dict[str, dict[str, str]] = {}
        for cells in self._optional(SOURCES, CITED):
            field, source, date = cells[0], *cells[-2:]
            if isinstance(field.value, str) and field.value in FIELDS:
                name = field.value
                self._places[name, SOURCES] = source.place
                parts = {"source": self._text(source, name), "date": self._text(date, name)}
                if any(parts.values()):
                    found[name] = parts
        return found

    def _text(self, cell: Typed, name: str) -> str:
        """Return a cell as a text: what a spreadsheet made a number or a date of is one again."""
        value = cell.value
        if cell.problem:
            allowed = cell.allowed or "give a text, or clear the cell"
            self._fault("type", name, cell.problem, allowed, cell)
            return ""
        if isinstance(value, dt.datetime) and value.time() != dt.time():
            return value.isoformat(" ", "minutes")
        if isinstance(value, dt.date):
            return f"{value:%Y-%m-%d}"
        return "" if value is None else str(value).strip()

    def ranges(self) -> dict[str, Distribution]:
        """Return the ranges by field."""
        found: dict[str, Distribution] = {}
        for field, *numbers, kind in self._optional(RANGES, 5):
            name = self._field(field)
            values = [self._value(cell, name or RANGES) for cell in numbers]
            if all(is_empty(value) for value in values):
                continue
            if name is None:
                if not is_empty(field.value):
                    continue  # a heading, or what was refused
                allowed = "name the field that the numbers are of, or clear them"
                self._fault("missing", RANGES, "no field is named", allowed, field)
                continue
            word = self._value(kind, name)
            if any(isinstance(value, _Refused) for value in (*values, word)):
                continue
            if name in found:
                self._fault("conflict", name, "the field is there twice", "give it once", field)
            elif name not in FIELDS or not FIELDS[name].is_number:
                known = [f.name for f in FIELDS.values() if f.is_number]
                told = unknown_word(name, known, name, "field of a number")
                self._faults.append(replace(told, place=field.place))
            else:
                found |= self._range(name, word, dict(zip(numbers, values, strict=True)), kind)
            self._places.setdefault((RANGES, name), field.place)
        return found

    def _range(
        self, name: str, word: object, numbers: Mapping[Typed, object], kind: Typed
    ) -> dict[str, Distribution]:
        """Return the range of a row; nothing, and its faults, if it is none."""
        word = word.lower() if isinstance(word, str) else word
        chosen = word if isinstance(word, str) and word in COLUMNS else next(iter(KINDS))
        columns = dict(zip(COLUMNS[chosen], numbers, strict=True))
        table = {key: numbers[cell] for key, cell in columns.items() if not is_empty(numbers[cell])}
        try:
            table |= {} if is_empty(word) else {NAME: word}
            return {name: Distribution.read(table, FIELDS[name])}
        except InputError as error:
            for fault in error.faults:
                about = (c for key, c in columns.items() if _names(fault.problem, key))
                self._faults.append(replace(fault, place=next(about, kind).place))
            return {}

    def correlations(self) -> list[list[object]]:
        """Return the list of correlations."""
        pairs = []
        for cells in self._optional(CORRELATIONS, 3):
            pair = [self._value(cell, CORRELATIONS) for cell in cells]
            if all(is_empty(part) for part in pair) or any(isinstance(p, _Refused) for p in pair):
                continue
            self._places.setdefault((CORRELATIONS, BASE), cells[0].place)
            pairs.append(pair)
        return pairs

    def compare(self, base: Scenario, ranges: Mapping[str, Distribution]) -> None:
        """Refuse ranges that do not stand for the value of the base: a scenario has but one."""
        for name, values in ranges.items():
            value = base.values[name]
            if value is not None and not _stands(values, value):
                cell, row = self._places.get((name, BASE), INPUTS), self._places[RANGES, name]
                problem = f"its range stands for {values.point:.10g}, its value is {value:.10g}"
                allowed = f"give one value in both ({cell}), or clear the range"
                self._faults.append(Fault("conflict", name, problem, allowed, row))

    def scenario(self, table: Mapping[str, object]) -> Scenario:
        """Make the scenario of a table, or raise with every fault at its cell."""
        cells = {fault.place for fault in self._faults}
        try:
            run = Scenario.from_table(table)
        except InputError as error:
            placed = [self._placed(fault) for fault in error.faults]
            self._faults += [fault for fault in placed if fault.place not in cells]
        if self._faults:
            raise InputError(self._faults, self._source)
        return run

    def _placed(self, fault: Fault) -> Fault:
        """Return a fault of the scenario with the cell that it is about."""
        cases = {place(name): name for name in LAID} | {SOURCES: SOURCES}
        where = self._places.get((fault.field, cases.get(fault.place, BASE)), "")
        told = [where, fault.place if not where else ""]
        return replace(fault, place=", ".join(filter(None, told)))

    def _optional(self, name: str, columns: int) -> Iterable[list[Typed]]:
        """Return the rows of a name; none where the workbook has no such name."""
        return self._cells.rows(name, columns) if self._cells.has(name) else ()

    def _field(self, cell: Typed) -> str | None:
        """Return the field that a row is of, if it is of any."""
        value = self._value(cell, INPUTS)
        if isinstance(value, str) and value.lower() != "field":
            return value
        if not is_empty(value) and not isinstance(value, str | _Refused):
            problem = f"{shown(value)} is {sort_of(value)}"
            self._fault("type", INPUTS, problem, "name a field, or clear the cell", cell)
        return None

    def _value(self, cell: Typed, name: str) -> object:
        """Return what is typed into a cell; what can be no value is a fault."""
        value = cell.value
        if cell.problem:
            self._fault("type", name, cell.problem, cell.allowed or _allowed(name), cell)
            return _Refused()
        if isinstance(value, dt.datetime | dt.date | dt.time | dt.timedelta):
            self._fault("type", name, _moment(value), _allowed(name), cell)
            return _Refused()
        if isinstance(value, str):
            text = value.strip()
            if text == "" or (text == UNKNOWN and name != "name"):
                return None
            return value if name == "name" else text
        return value

    def _fault(self, kind: FaultKind, name: str, problem: str, allowed: str, cell: Typed) -> None:
        self._faults.append(Fault(kind, name, problem, allowed, cell.place))


def _names(problem: str, part: str) -> bool:
    """Whether a problem of a range is one of a part of it, like ``low``."""
    return problem.startswith((f"{part}:", f"{part} ")) or f'"{part}"' in problem


def _allowed(name: str) -> str:
    field = FIELDS.get(name)
    if name == CASE:
        return "choose one of: " + ", ".join(case.capitalize() for case in KNOWN)
    return field.allowed if field else "give a number or a word, or clear the cell"


def _moment(value: dt.datetime | dt.date | dt.time | dt.timedelta) -> str:
    """Say what a date is that a spreadsheet made of what was typed."""
    if isinstance(value, dt.date):
        return f"{value:%Y-%m-%d} is a date"
    return f"{value} is a time"


class _Refused:
    """Stands for a value that is none; the fault is told already."""

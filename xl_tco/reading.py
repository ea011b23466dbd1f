"""Scenario files: TOML, JSON and CSV, all one flat table of the same field names.

TOML and JSON may also have ranges, correlations, cases and sources; a row of CSV has figures alone.

In the place of a file, ``preset:`` and the name of a published run stand for that run.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path

from xl_tco.catalogue import GIVEN, Figure
from xl_tco.errors import Fault, InputError
from xl_tco.fields import FIELDS
from xl_tco.presets import PREFIX, preset
from xl_tco.scenario import Scenario
from xl_tco.sources import SOURCES

__all__ = ["load_scenario", "load_scenarios"]

FORMATS = (".toml", ".json", ".csv")
_SEPARATORS = {";": "semicolons", "\t": "tabs"}

# As a spreadsheet writes one: Python itself would read 0_1 and full-width digits as well.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def load_scenario(path: str | Path) -> Scenario:
    """Read the one scenario of a file (``.toml``, ``.json`` or a ``.csv`` of one row).

    A JSON file may also be a result of ``xl-tco evaluate --json``: its inputs are read, those of
    the case that it is of.
    ``preset:llama-3.1-405b`` is a published run (`xl_tco.presets`).

    Raises
    ------
    InputError
        With every fault of the file, each with field, value and what is allowed.
    """
    scenarios = load_scenarios(path)
    if len(scenarios) != 1:
        problem = f"{len(scenarios)} scenarios where one is needed"
        raise InputError([Fault("shape", "rows", problem, "give a file of one row")], str(path))
    return scenarios[0]


def load_scenarios(path: str | Path) -> list[Scenario]:
    """Read every scenario of a file: one of TOML and JSON, one a row of CSV.

    Raises
    ------
    InputError
        With every fault of every row.
    """
    name = str(path)
    if name.startswith(PREFIX):
        return [preset(name.removeprefix(PREFIX))]
    path = Path(path)
    scenarios: list[Scenario] = []
    faults: list[Fault] = []
    for place, table, sources in _tables(path):
        try:
            scenarios.append(Scenario.from_table(table, str(path), sources))
        except InputError as error:
            faults += [replace(f, place=_within(place, f.place)) for f in error.faults]
    if faults:
        raise InputError(faults, str(path))
    return scenarios


def _within(place: str, part: str) -> str:
    """Name the part of a place: the case of a row."""
    return ", ".join(filter(None, (place, part)))


def _tables(path: Path) -> Iterable[tuple[str, dict[str, object], dict[str, Figure]]]:
    """Yield each table of a file, its place in the file, and the sources that the file has."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise _unreadable(path, f'"{path.suffix}" is no format of scenarios')
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if suffix == ".toml":
            return [("", tomllib.loads(text), {})]
        if suffix == ".json":
            return [("", *_json_table(text))]
        _refuse_other_separators(path, text)
        return [(place, table, {}) for place, table in _csv_tables(text)]
    except OSError as error:
        raise _unreadable(path, (error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise _unreadable(path, "not a text file in UTF-8") from None
    except (ValueError, RecursionError, csv.Error) as error:
        raise _unreadable(path, f"not valid {suffix[1:].upper()}: {error}") from None


def _json_table(text: str) -> tuple[dict[str, object], dict[str, Figure]]:
    """Read a scenario, or the inputs of a result with their sources."""
    data = json.loads(text, object_pairs_hook=_once)
    sources: dict[str, Figure] = {}
    if isinstance(data, dict) and isinstance(data.get("inputs"), dict):
        ranges, provenance = data.get("ranges"), data.get("provenance")
        data = data["inputs"] | (ranges if isinstance(ranges, dict) else {})
        if isinstance(provenance, dict):
            sources = _sources(data, provenance)
            data |= {SOURCES: _cited(data, provenance)}
    if not isinstance(data, dict):
        raise ValueError("an object of fields is needed")
    return data, sources


def _sources(table: dict[str, object], provenance: dict[str, object]) -> dict[str, Figure]:
    """Return where the values of a result come from; one that was changed since is the user's."""
    return {
        name: Figure(told["value"], FIELDS[name].unit, *(str(told.get(k, "")) for k in _TOLD))
        for name, told in provenance.items()
        if isinstance(told, dict)
        and name in FIELDS
        and "value" in told
        and told.get("status") in _STATUSES
        and table.get(name) == told["value"]
    }


def _cited(table: dict[str, object], provenance: dict[str, object]) -> dict[str, object]:
    """Return the sources of a result that the user named, of values that are still the same."""
    return {
        name: {key: told[key] for key in ("source", "date") if key in told}
        for name, told in provenance.items()
        if isinstance(told, dict)
        and name in table
        and told.get("status") == GIVEN != told.get("source")
        and table[name] == told.get("value", table[name])
    }


_TOLD = ("source", "date", "status")
_STATUSES = ("official", "estimate", "definition")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose every key stands there once."""
    _refuse_twins([name for name, _ in pairs])
    return dict(pairs)


def _refuse_twins(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there twice")


def _refuse_other_separators(path: Path, text: str) -> None:
    """Refuse a CSV file whose header is one name to us, and several to the program that wrote it.

    The header is read on its own: with quotes around its names, the file is no CSV at all.
    """
    heads = (next(csv.reader([line]), []) for line in text.splitlines())
    names = next((head for head in heads if any(head)), [])
    for mark, word in _SEPARATORS.items():
        if len(names) == 1 and mark in names[0]:
            problem = f"its columns are separated by {word}"
            fault = Fault("shape", "file", problem, "separate them by commas")
            raise InputError([fault], str(path))


def _csv_tables(text: str) -> Iterable[tuple[str, dict[str, object]]]:
    """Read a row a scenario; an empty cell is not given. Rows count as a spreadsheet's do."""
    rows = enumerate(csv.reader(StringIO(text, newline=""), strict=True), start=1)
    names = next((row for _, row in rows if any(row)), [])
    _refuse_twins(names)
    for number, row in rows:
        if len(row) > len(names):
            raise ValueError(f"row {number} has more cells than the header")
        if any(cell.strip() for cell in row):
            cells = zip(names, row, strict=False)
            yield f"row {number}", {name: _cell(name, cell) for name, cell in cells}


def _cell(name: str, text: str) -> object:
    """Return a CSV cell as the type that its field has; what is not one stays text."""
    field = FIELDS.get(name)
    if field is None or not field.is_number:
        return text or None
    return float(text) if _NUMBER.fullmatch(text.strip()) else text.strip() or None


def _unreadable(path: Path, problem: str) -> InputError:
    allowed = "give a file in " + ", ".join(FORMATS)
    return InputError([Fault("shape", "file", problem, allowed)], str(path))

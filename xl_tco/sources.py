"""The sources of a scenario's own figures: who says so, and when, field by field.

A scenario file has them as a table, ``[sources]`` with ``mfu = "Grattafiori et al. 2024, table 4"``
or, with a date, ``mfu = {source = "Meta's model card", date = "2024-07"}``. No cost rests on them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xl_tco.catalogue import GIVEN, Figure
from xl_tco.checking import is_unicode, shown_name
from xl_tco.errors import Fault, spelling
from xl_tco.fields import FIELDS
from xl_tco.plain import is_empty, shown, sort_of

__all__ = ["LONGEST", "SOURCES", "Source", "json_schema", "read", "uncited"]

SOURCES = "sources"
"""Key of a scenario's table, and the place of what is wrong with it."""

LONGEST = 255
"""Characters of a source or a date, at most: as many as Excel lets a message say."""

_TEXT = f"give a text of at most {LONGEST} characters"
_PARTS = ("source", "date")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure of the user's own comes from.

    Attributes
    ----------
    source
        A citation.
    date
        When it was published or agreed; empty if that is not said.
    """

    source: str
    date: str = ""

    @property
    def plain(self) -> str | dict[str, str]:
        """It as plain data: a text; or with a date, a table."""
        return {"source": self.source, "date": self.date} if self.date else self.source

    def figure(self, name: str) -> Figure:
        """Return it as the provenance of a field."""
        return Figure(None, FIELDS[name].unit, self.source, self.date, GIVEN)


def read(value: object) -> tuple[dict[str, Source], list[Fault]]:
    """Return the sources that a table lists, in the order of the fields; and the faults."""
    if is_empty(value):
        return {}, []
    if not isinstance(value, Mapping):
        problem = f"{shown(value)} is {sort_of(value)}"
        return {}, [Fault("type", SOURCES, problem, "give a table of fields and texts")]
    found: dict[str, Source] = {}
    faults: list[Fault] = []
    for name, entry in value.items():
        if not isinstance(name, str) or name not in FIELDS:
            named = shown_name(name)
            problem = f"no such field{spelling(named, list(FIELDS))}"
            allowed = "the fields are listed by: xl-tco schema"
            faults.append(Fault("unknown key", named, problem, allowed, SOURCES))
        elif isinstance(entry, Source):
            found[name] = entry
        elif not is_empty(entry):
            parts = entry if isinstance(entry, Mapping) else {"source": entry}
            told = _faults(name, parts)
            source, date = (_text(parts.get(part)) for part in _PARTS)
            faults += told
            if source and not told:
                found[name] = Source(source, date)
    return {name: found[name] for name in FIELDS if name in found}, faults


def uncited(name: str) -> Fault:
    """Make the fault of a source of a field of which nothing is given."""
    problem, allowed = "it has no figure of its own", "give the figure, or leave out its source"
    return Fault("missing", name, problem, allowed, SOURCES)


def _text(value: object) -> str:
    """Return a text, trimmed; a date, which TOML knows as one, in the form of ISO 8601."""
    return value.isoformat() if isinstance(value, dt.date) else str(value or "").strip()


def _faults(name: str, parts: Mapping[Any, object]) -> list[Fault]:
    """Return what is wrong with a source and its date."""
    faults = []
    for part, value in parts.items():
        if part not in _PARTS:
            problem = f"{shown(part)} is no part of a source"
            faults.append(Fault("unknown key", name, problem, "give source and date", SOURCES))
        elif isinstance(value, str):
            if not is_unicode(value):
                faults.append(Fault("type", name, "it is no Unicode text", _TEXT, SOURCES))
            elif len(value.strip()) > LONGEST:
                problem = f"its {part} has {len(value.strip())} characters"
                faults.append(Fault("range", name, problem, _TEXT, SOURCES))
        elif not (is_empty(value) or (part == "date" and isinstance(value, dt.date))):
            problem = f"its {part}, {shown(value)}, is {sort_of(value)}"
            faults.append(Fault("type", name, problem, _TEXT, SOURCES))
    if not faults and not _text(parts.get("source")) and _text(parts.get("date")):
        faults.append(Fault("missing", name, "its date has no source", _TEXT, SOURCES))
    return faults


def json_schema() -> dict[str, Any]:
    """JSON schema of the sources."""
    text = {"type": "string", "maxLength": LONGEST}
    parts = {"type": "object", "properties": {part: text for part in _PARTS}}
    table = {**parts, "required": ["source"], "additionalProperties": False}
    return {
        "type": "object",
        "title": "Where the scenario's own figures come from",
        "properties": {name: {"anyOf": [text, table]} for name in FIELDS},
        "additionalProperties": False,
    }

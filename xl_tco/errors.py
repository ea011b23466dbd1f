"""What can be wrong with an input, said in a way that the person who typed it can act on.

Every error that a user can cause is a `TcoError`; nothing else should ever reach one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from xl_tco.plain import LONGEST, shown

__all__ = [
    "Fault",
    "FaultKind",
    "InputError",
    "TcoError",
    "WorkbookError",
    "spelling",
    "unknown_word",
]

FaultKind = Literal[
    "type", "range", "unknown key", "missing", "unknown figure", "conflict", "shape"
]


class TcoError(Exception):
    """Anything that xl-tco refuses to do, with a sentence that says why."""


class WorkbookError(TcoError):
    """A workbook that cannot be read, written or calculated."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one value.

    Attributes
    ----------
    kind
        What sort of fault: each has its own wording, and hosts map it to their own error values.
    field
        The field or argument at fault.
    problem
        What is wrong, the value included: "1.4 is out of range".
    allowed
        What would be right: "a share above 0 and at most 1".
    place
        Where it stands within the source: a row, a cell; empty where there is but one.
    """

    kind: FaultKind
    field: str
    problem: str
    allowed: str
    place: str = ""

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.field}{place}: {self.problem}; {self.allowed}"


class InputError(TcoError):
    """One or more faults of one source: all that could be found, not just the first.

    Parameters
    ----------
    faults
        At least one.
    source
        File, range or function that the values came from.
    """

    def __init__(self, faults: Sequence[Fault], source: str = "") -> None:
        self.faults = tuple(faults)
        self.source = source
        prefix = f"{source}: " if source else ""
        super().__init__("\n".join(f"{prefix}{fault}" for fault in self.faults))

    @property
    def kind(self) -> FaultKind:
        """Kind of the first fault."""
        return self.faults[0].kind


def spelling(word: str, known: Sequence[str]) -> str:
    """Suggest what a word was meant to be: '; did you mean "mfu"?', or nothing."""
    spelt = {name.lower(): name for name in known}
    near = get_close_matches(word[:LONGEST].lower(), spelt, n=1)
    return f'; did you mean "{spelt[near[0]]}"?' if near else ""


def unknown_word(word: str, known: Sequence[str], field: str, what: str) -> Fault:
    """Make the fault of a word that is not among those known."""
    return Fault(
        "unknown key",
        field,
        f"{shown(word)} is no {what}{spelling(word, known)}",
        "give one of: " + ", ".join(known),
    )

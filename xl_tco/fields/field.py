"""What a field of a scenario is: its name, what people read of it, and what it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Field", "Need", "Number"]

Need = Literal["always", "own", "rent", "optional"]


@dataclass(frozen=True, slots=True)
class Number:
    """A range of numbers, its ends included unless they are said to be open."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def excludes(self, value: Any) -> Any:
        """Whether a number, or each of an array, lies outside; NaN, an empty cell, does not."""
        below = value <= self.low if self.low_open else value < self.low
        above = value >= self.high if self.high_open else value > self.high
        return below | above

    def __str__(self) -> str:
        low = f"{'above' if self.low_open else 'from'} {_plain(self.low)}"
        join = "and below" if self.high_open else ("and at most" if self.low_open else "to")
        return f"a number {low} {join} {_plain(self.high)}"


def _plain(number: float) -> str:
    """Write a bound as people do: thousands apart, or as a power of ten."""
    return f"{number:,.15g}" if number < 1e12 else f"{number:g}".replace("e+", "e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One figure of a scenario.

    Attributes
    ----------
    name
        The name, everywhere. It ends in the unit where there is one.
    label, unit, help
        What people read: a heading, the unit, a sentence.
    group
        Key of `GROUPS`: where it stands on a form.
    hint
        What may be given, where the domain does not say it.
    domain
        `Number`, or a tuple of the words allowed, or None for free text.
    need
        When a scenario cannot do without it: "always", when it "own"s or "rent"s, or "optional".
    default
        Catalogue entry that stands in where nothing is given. Braces hold the name of a field
        whose value completes it: ``{accelerator}.tdp_watts``. Empty: there is no default.
    """

    name: str
    label: str
    unit: str
    group: str
    help: str
    domain: Number | tuple[str, ...] | None
    need: Need = "always"
    default: str = ""
    hint: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the field holds a number, not a word."""
        return isinstance(self.domain, Number)

    @property
    def allowed(self) -> str:
        """What may be given, as a phrase."""
        if self.domain is None:
            return self.hint or "give a text"
        if isinstance(self.domain, Number):
            return f"give {self.domain}"
        return "give one of: " + ", ".join(self.domain)

"""What a field of a scenario is: its name, what people read of it, and what it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = [
    "COUNT",
    "SHARE",
    "SHARE_BELOW_1",
    "USD",
    "UTILIZATION",
    "Field",
    "Number",
    "of_accelerator",
    "of_default",
    "of_region",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A range of numbers, or of whole ones; its ends are in it unless said to be open."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    whole: bool = False

    def excludes(self, value: Any) -> Any:
        """Whether a number, or each of an array, lies outside; NaN, an empty cell, does not."""
        below = value <= self.low if self.low_open else value < self.low
        above = value >= self.high if self.high_open else value > self.high
        outside = below | above
        return outside | (value % 1.0 > 0.0) if self.whole else outside

    def __str__(self) -> str:
        low = f"{'above' if self.low_open else 'from'} {_plain(self.low)}"
        join = "and below" if self.high_open else ("and at most" if self.low_open else "to")
        what = "a whole number" if self.whole else "a number"
        return f"{what} {low} {join} {_plain(self.high)}"


SHARE = Number(0, 1)
SHARE_BELOW_1 = Number(0, 1, high_open=True)
UTILIZATION = Number(0, 1, low_open=True)
# Upper bounds only catch slips of the keyboard (and keep every result finite): far above any run.
COUNT = Number(1, 1e18)
USD = Number(0, 1e12)


def of_default(name: str) -> str:
    """Name the entry that stands in for a field in every scenario."""
    return f"default.{name}"


def of_accelerator(name: str) -> str:
    """Name the accelerator's figure that stands in for a field."""
    return f"{{accelerator}}.{name}"


def of_region(name: str) -> str:
    """Name the region's figure that stands in for a field."""
    return f"{{region}}.{name}"


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
        When a scenario cannot do without it: "always", "optional", or the names of modes, apart by
        spaces (`xl_tco.fields.MODES`), of which one is enough.
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
    need: str = "always"
    default: str = ""
    hint: str = ""

    @property
    def needs(self) -> frozenset[str]:
        """When a scenario cannot do without it, word by word."""
        return _words(self.need)

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

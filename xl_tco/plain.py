"""A single value as it comes in, in whatever library's clothes: what it is, and how to show it.

Nothing is coerced: text that looks like a number is text, and TRUE is not 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

import numpy as np

__all__ = ["as_written", "is_empty", "shown", "sort_of", "to_float"]

LONGEST = 60


def is_empty(value: object) -> bool:
    """Whether nothing is there: None, an empty text, or pandas' NA."""
    # pandas' NA is known by its name: to import pandas would take a spreadsheet half a second.
    return value is None or (isinstance(value, str) and not value) or _name(value) == "NAType"


def to_float(value: object) -> float | None:
    """Return a number of any library as a float; None for what is no number.

    A number beyond floats is infinite, and so out of any range; one that is none is NaN.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | Decimal | np.integer | np.floating
    ):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def sort_of(value: object) -> str:
    """Say what sort of thing a value is, in everyday words."""
    if is_empty(value):
        return "an empty cell"
    match value:
        case bool() | np.bool_():
            return "a yes or no"
        case str():
            return "text"
        case int() | float() | Decimal() | np.number():
            return "a number"
        case {"type": "Error", **rest}:
            return f"an error ({rest.get('kind', 'unknown')})"
        case Mapping():
            return "a table"
        case list() | tuple() | set() | np.ndarray():
            return "a list"
        case _:
            return f"a {_name(value)}"


def shown(value: object) -> str:
    """Return a value as a message shows it: as typed, but never longer than a reader bears."""
    try:
        if isinstance(value, str):
            text = f'"{value}"' if value.isprintable() else repr(value)
        elif isinstance(value, float):
            text = as_written(float(value))
        else:
            text = str(value.item()) if isinstance(value, np.generic) else repr(value)
    except Exception:  # whatever it is, it must not stop the message about it
        text = f"a {_name(value)}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def as_written(number: float, digits: int = 15) -> str:
    """Return a number as people write it: 0.41, 405,000,000,000, 3.79e25; to so many digits."""
    number = float(f"{number:.{digits}g}")
    if math.isfinite(number) and number and not 1e-4 <= abs(number) < 1e15:
        mantissa, _, power = f"{number:.15g}".partition("e")
        return f"{mantissa}e{int(power)}"
    return f"{number:,.15g}"


def _name(value: object) -> str:
    return type(value).__name__

"""Arguments that many functions share, and the refusals of what their formulas come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xl_tco import catalogue
from xl_tco.cells import place
from xl_tco.errors import Fault, InputError
from xl_tco.fields import FIELDS, Number
from xl_tco.functions.function import REQUIRED, Argument

__all__ = [
    "FLAG",
    "FLOP",
    "HOURS",
    "INPUTS",
    "OVERRIDES",
    "WHOLE",
    "catalogued",
    "field",
    "refuse",
]

FLOP = Number(0, 1e40)
HOURS = Number(0, 1e18)
FLAG = Number(0, 1, whole=True)
WHOLE = Number(0, 1e6, whole=True)

INPUTS = Argument(
    "inputs",
    "fields and values",
    "Range of two columns: names of fields (mfu, pue …) and values. Empty values take the default.",
    "table",
)
OVERRIDES = Argument(
    "overrides",
    "fields and values",
    "Range of two columns like inputs: figures that replace those, for a what-if.",
    "table",
    default=None,
)


def field(name: str, default: object = REQUIRED, **changes: Any) -> Argument:
    """Make an argument of the scenario field of that name: its unit, its domain, its help."""
    known = FIELDS[name]
    said: dict[str, Any] = {"name": name, "unit": known.unit, "help": known.help}
    if isinstance(known.domain, Number):
        said |= {"kind": "number", "domain": known.domain}
    else:
        said |= {"kind": "word", "words": known.domain or ()}
    return Argument(**{**said, "default": default, **changes})


def catalogued(name: str) -> Callable[[], Any]:
    """Make a default of the figure that stands in for a field in every scenario."""

    def figure() -> Any:
        entry = catalogue.find("default", name)
        return None if entry is None else entry.value

    return figure


def refuse(
    broken: Any, name: str, problem: Callable[..., str], allowed: str, *figures: Any
) -> None:
    """Refuse a result where a mask is set, saying which figures led there.

    Parameters
    ----------
    broken
        A truth, or an array of them.
    name
        The argument at fault, or ``result`` where none is.
    problem
        Says what is wrong, of the figures at the first place.
    allowed
        What to change.
    figures
        Numbers, or arrays that broadcast to the shape of the mask.
    """
    if not np.any(broken):
        return
    shape = np.shape(broken)
    at = int(np.argmax(np.ravel(broken)))
    numbers = [float(np.broadcast_to(figure, shape).flat[at]) for figure in figures]
    where = place(tuple(int(index) for index in np.unravel_index(at, shape))) if shape else ""
    raise InputError([Fault("range", name, problem(*numbers), allowed, where)])

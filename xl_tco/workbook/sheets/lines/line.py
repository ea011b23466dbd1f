"""What a line of the calculation is, and how lines of the same kind are made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xl_tco.cells import UNKNOWN
from xl_tco.outputs import COMPONENTS, METRICS

__all__ = [
    "NOT_USED",
    "Line",
    "Lines",
    "Sections",
    "component",
    "flag",
    "metric",
    "owned",
    "unknowable",
    "when",
]

NOT_USED = "not used"
"""What a line shows whose part of the model is not in use."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the calculation.

    Attributes
    ----------
    name
        Name of the result (`xl_tco.outputs`), or of a step on the way to one.
    label, unit
        What people read.
    native
        Formula without any function of ours. A bare word is a name of the workbook, ``{name}``
        another line.
    function
        Formula with one; empty for a step, which only the native calculation takes.
    """

    name: str
    label: str
    unit: str
    native: str
    function: str = ""


Lines = tuple[Line, ...]
Sections = dict[str, Lines]


def component(name: str, native: str) -> Line:
    """Make the line of a component of the cost."""
    return Line(
        f"{name}_usd", COMPONENTS[name].label, "USD", native, f'TCO_TOTAL(inputs,"","{name}")'
    )


def metric(name: str, native: str, function: str = "") -> Line:
    """Make the line of a metric, which TCO_METRIC gives unless another function does."""
    output = METRICS[name]
    formula = function or f'TCO_METRIC(inputs,"{name}")'
    return Line(name, output.label, output.unit, native, formula)


def unknowable(name: str, native: str) -> Line:
    """Make a metric that may rest on a figure nobody has given, which a renter does not need."""
    formula = f'IFERROR(TCO_METRIC(inputs,"{name}"),"{UNKNOWN}")'
    return metric(name, f'IFERROR({native},"{UNKNOWN}")', formula)


def flag(name: str, label: str, condition: str) -> Line:
    """Make a line that is 1 or 0."""
    return Line(name, label, "1 yes, 0 no", f"IF({condition},1,0)")


def when(use: str, *lines: Line) -> Lines:
    """Make lines of a part of the model, which say so where that is not in use.

    ``use`` is the condition. No formula of such a part has an IF of its own: one inside another is
    hard to read.
    """

    def guarded(formula: str) -> str:
        return f'IF({use},{formula},"{NOT_USED}")' if formula else ""

    return tuple(
        replace(line, native=guarded(line.native), function=guarded(line.function))
        for line in lines
    )


def owned(*lines: Line) -> Lines:
    """Make lines of what only an owner pays: 0 where the cluster is rented."""
    return tuple(replace(line, native=f"IF(use_own=1,{line.native},0)") for line in lines)

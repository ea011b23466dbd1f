"""How the calculation engine calls our functions, and what it calls an error.

The engine hands over plain values and rows of them, and an error as a dict with its kind. Knows
those shapes; neither the engine itself nor what a function computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from xl_tco.workbook.package.cells import LONGEST_TEXT

__all__ = ["SHOWN", "HostFunction", "adapter", "error_kind"]

# What the engine calls an error, as Excel shows it. Excel has no error for the last three.
SHOWN = {
    "Null": "#NULL!",
    "Div": "#DIV/0!",
    "Value": "#VALUE!",
    "Ref": "#REF!",
    "Name": "#NAME?",
    "Num": "#NUM!",
    "Na": "#N/A",
    "Spill": "#SPILL!",
    "Calc": "#CALC!",
    "Circ": "#REF!",
    "NImpl": "#NAME?",
    "Error": "#NAME?",
}


class HostFunction(Protocol):
    """A function that formulas can call."""

    @property
    def name(self) -> str:
        """The name in a formula."""

    @property
    def minimum(self) -> int:
        """Least number of arguments."""

    @property
    def maximum(self) -> int:
        """Greatest number of arguments."""

    def __call__(self, *cells: Any) -> Any:
        """Calculate the function.

        A cell arrives as float, str, bool or None (blank), a range of several cells as a list of
        rows. What returns is one of those, or rows of them; an exception's message tells the user
        what is wrong.
        """


def error_kind(raw: Any) -> str | None:
    """The engine's name of an error; None for a value."""
    return str(raw["kind"]) if isinstance(raw, dict) else None


class _FailureError(Exception):
    """The engine's name of the error that a function comes to, and why."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def adapter(function: HostFunction, failures: list[str]) -> Callable[..., Any]:
    """The function as the engine calls it: every failure is an error value.

    Parameters
    ----------
    function
        What is called.
    failures
        Gains the message of each failure: the engine would lose it.
    """

    def call(*arguments: Any) -> Any:
        try:
            _check_arguments(function, arguments)
            return _result(function(*arguments))
        except Exception as error:  # whatever it is, it is this cell's result
            failures.append(str(error) or type(error).__name__)
            kind = error.kind if isinstance(error, _FailureError) else "Value"
            return {"type": "Error", "kind": kind}

    return call


def _check_arguments(function: HostFunction, arguments: Sequence[Any]) -> None:
    least, most, given = function.minimum, function.maximum, len(arguments)
    if not least <= given <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise _FailureError("Value", f"{function.name} takes {allowed} arguments, not {given}")
    for number, argument in enumerate(arguments, start=1):
        rows = argument if isinstance(argument, list) else [[argument]]
        verb = "holds" if isinstance(argument, list) else "is"
        for kind in (error_kind(item) for row in rows for item in row):
            if kind is not None:
                shown = SHOWN.get(kind, "#VALUE!")
                raise _FailureError(kind, f"argument {number} {verb} an error ({shown})")


def _result(result: Any) -> Any:
    """What a function returned, as the engine takes it: a scalar or rows of one length."""
    if hasattr(result, "tolist"):  # a NumPy array or scalar
        result = result.tolist()
    if not isinstance(result, list | tuple):
        return _scalar(result)
    rows = [list(row) if isinstance(row, list | tuple) else [row] for row in result]
    if not any(isinstance(row, list | tuple) for row in result):
        rows = [list(result)]  # a flat list is a row
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        raise _FailureError("Value", "the result is no array of rows of one length")
    return [[_scalar(item) for item in row] for row in rows]


def _scalar(item: Any) -> Any:
    if isinstance(item, float) and not math.isfinite(item):
        raise _FailureError("Num", "the result is not a finite number")
    if isinstance(item, str) and len(item) > LONGEST_TEXT:
        raise _FailureError("Value", f"the result is longer than {LONGEST_TEXT} characters")
    return item

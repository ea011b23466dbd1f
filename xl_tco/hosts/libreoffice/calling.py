"""What runs in Calc when a cell is calculated: arguments read, the result as a block of cells.

Calc hands over a number as a float (a date, TRUE and FALSE too), a text as str, a range or an array
as rows in which an empty cell is ``""``, and None for what is left out. A range with an error in it
never comes here: Calc gives an error itself, and for a single cell that cell's.

A single cell that is empty comes as 0, as it does to Calc's own functions, and nothing tells it
from a 0 that is meant; a range of one cell, ``A1:A1``, keeps them apart. An empty cell is never
zero, so a single 0 counts as nothing given where 0 is not allowed and the argument can be left out,
or is a text. It is just 0 where that is the default, and refused, not guessed, where 0 is allowed
and would be a figure of its own, also of an argument that must be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xl_tco.errors import Fault, InputError
from xl_tco.functions import FUNCTIONS, Argument

__all__ = ["block"]


def block(name: str, cells: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    """Calculate a function: rows of cells, one of one for a single value.

    Parameters
    ----------
    name
        That of the function.
    cells
        The arguments as Calc hands them over.

    Raises
    ------
    InputError
        If an argument is not allowed.
    """
    function = FUNCTIONS[name]
    try:
        given = list(map(_given, function.arguments, cells))
    except InputError as error:
        raise InputError(error.faults, name) from None
    return _rows(function(*given))


def _given(argument: Argument, cell: Any) -> Any:
    """Return an argument with a 0 that stands for an empty cell taken out."""
    if cell != 0.0 or not isinstance(cell, float):
        return cell
    if argument.kind == "word" or argument.zero_is_omitted:
        return None
    if _is_asked(argument):
        problem = "it is 0 or an empty cell, and Calc does not say which"
        allowed = "for a 0 that is meant give {0}, or its cell as a range, like A1:A1"
        raise InputError([Fault("missing", argument.name, problem, allowed)])
    return cell


def _is_asked(argument: Argument) -> bool:
    """Whether a 0 could be meant, and an empty cell be another figure or none."""
    if argument.kind != "number" or (argument.domain and argument.domain.excludes(0.0)):
        return False
    return not argument.is_optional or argument.omitted != 0.0


def _rows(result: Any) -> tuple[tuple[Any, ...], ...]:
    """Return a result as rows, of a list as one row."""
    if not isinstance(result, list):
        return ((_cell(result),),)
    if not isinstance(result[0], list):
        return (tuple(map(_cell, result)),)
    return tuple(tuple(map(_cell, row)) for row in result)


def _cell(value: Any) -> Any:
    """Return a value as Calc takes it: it reads a truth as 0, and no long whole number."""
    if value is None:
        return ""
    return float(value) if isinstance(value, int) else value

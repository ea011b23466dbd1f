"""What a spreadsheet function is: its arguments, how they are read, and its formula.

A numeric argument takes a cell or a range; ranges broadcast against each other, and the result
spills. Which functions there are stands in `xl_tco.functions.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite
from typing import Any, Literal

import numpy as np

from xl_tco.cells import Cell, as_cells, place, read_numbers, read_table, read_words
from xl_tco.errors import Fault, FaultKind, InputError
from xl_tco.fields import Number

__all__ = ["HELP_LIMIT", "REQUIRED", "Argument", "Function"]

HELP_LIMIT = 255
"""Characters of help that Excel's function wizard shows."""

REQUIRED = object()
"""Default of an argument that must be given."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a function.

    Attributes
    ----------
    name, unit, help
        What the function wizard shows.
    kind
        ``number``: a number or a range of them; ``word``: a text or a range of them; ``table``: a
        range of two columns, field and value.
    domain
        Numbers allowed.
    default
        Stands in for an omitted argument and for an empty cell; `REQUIRED` if there is none.
    word
        For a number: turns a text into the number that it stands for.
    """

    name: str
    unit: str
    help: str
    kind: Literal["number", "word", "table"] = "number"
    domain: Number | None = None
    default: Any = REQUIRED
    word: Callable[[str], float] | None = None

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not REQUIRED

    @property
    def allowed(self) -> str:
        """What may be given, as a phrase."""
        what = {"number": "a number", "word": "a text", "table": "a range"}[self.kind]
        return f"give {self.domain or what}, in {self.unit}"

    def read(self, cell: Cell) -> Any:
        """Return what was handed over as the function's formula takes it."""
        if self.kind == "table":
            return read_table(cell, self.name)
        if cell is None and self.is_optional:
            return self.default
        if self.kind == "word":
            return self._complete_words(read_words(cell, self.name, self.allowed))
        values = read_numbers(cell, self.name, self.allowed, self.word)
        if isinstance(values, float):
            return self._complete_number(values)
        empty = np.isnan(values)
        if empty.any():
            if not self.is_optional:
                raise self._fault("missing", "there is an empty cell", _first(empty))
            values = np.where(empty, self.default, values)
        outside = self.domain.excludes(values) if self.domain else ~np.isfinite(values)
        if outside.any():
            problem = f"{values[outside][0]:g} is out of range"
            raise self._fault("range", problem, _first(outside))
        return values

    def _complete_number(self, value: float) -> Any:
        if value != value:
            if not self.is_optional:
                raise self._fault("missing", "nothing is given")
            return self.default
        if self.domain is not None and self.domain.excludes(value):
            raise self._fault("range", f"{value:g} is out of range")
        return value

    def _complete_words(self, words: Any) -> Any:
        if words is None:
            if not self.is_optional:
                raise self._fault("missing", "nothing is given")
            return self.default
        if (
            isinstance(words, np.ndarray)
            and (empty := np.equal(words, np.array(None, dtype=object))).any()
        ):
            if not self.is_optional:
                raise self._fault("missing", "there is an empty cell", _first(empty))
            return np.where(empty, self.default, words)
        return words

    def _fault(self, kind: FaultKind, problem: str, place: str = "") -> InputError:
        return InputError([Fault(kind, self.name, problem, self.allowed, place)])


@dataclass(frozen=True, slots=True)
class Function:
    """One spreadsheet function.

    Attributes
    ----------
    name
        As typed into a cell.
    help
        What it gives, in at most `HELP_LIMIT` characters.
    unit
        Unit of the result.
    arguments
        In order; the optional ones last.
    formula
        What it stands for: takes the arguments as read.
    spills
        Whether it gives a block of cells even for single cells.
    """

    name: str
    help: str
    unit: str
    arguments: tuple[Argument, ...]
    formula: Callable[..., Any]
    spills: bool = False

    @property
    def minimum(self) -> int:
        """Least number of arguments."""
        return sum(not argument.is_optional for argument in self.arguments)

    @property
    def maximum(self) -> int:
        """Largest number of arguments."""
        return len(self.arguments)

    def __call__(self, *cells: Cell) -> Cell:
        """Calculate the function of what a host handed over.

        Raises
        ------
        InputError
            Naming the function and the argument, with what is allowed.
        """
        try:
            if len(cells) > self.maximum:
                problem = f"{len(cells)} arguments are given"
                raise InputError(
                    [Fault("shape", "arguments", problem, f"give at most {self.maximum}")]
                )
            given = zip_longest(self.arguments, cells)
            values = [argument.read(cell) for argument, cell in given]
            return as_cells(self._finite(self._compute(values)))
        except InputError as error:
            raise InputError(error.faults, self.name) from None

    def _compute(self, values: Sequence[Any]) -> Any:
        shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
        if len(shapes) > 1:
            self._check_shapes(shapes)
        with np.errstate(all="ignore"):  # what leaves the range of numbers is refused below
            return self.formula(*values)

    def _check_shapes(self, shapes: Sequence[tuple[int, ...]]) -> None:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            sizes = " and ".join("×".join(map(str, shape)) for shape in shapes)
            problem = f"ranges of {sizes} cells do not fit together"
            allowed = "give ranges of one shape, a row and a column, or single cells"
            raise InputError([Fault("shape", "ranges", problem, allowed)]) from None

    def _finite(self, result: Any) -> Any:
        if not _is_finite(result):
            problem = "the arguments together give a number beyond any range"
            allowed = "check those that are very large or small"
            raise InputError([Fault("range", "result", problem, allowed)])
        return result


def _is_finite(result: Any) -> bool:
    """Whether there is no number in a result that is none, or is beyond any."""
    if isinstance(result, np.ndarray):
        return result.dtype == object or bool(np.isfinite(result).all())
    return not isinstance(result, float) or isfinite(result)


def _first(mask: Any) -> str:
    """Name the first cell of a range at which a mask is set."""
    return place(tuple(np.argwhere(mask)[0]))

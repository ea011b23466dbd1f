"""What a spreadsheet function is: its arguments, how they are read, and its formula.

A numeric argument takes a cell or a range; ranges broadcast against each other, and the result
spills. So do words of a closed list. Which functions there are stands in `xl_tco.functions.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite
from typing import Any, Literal

import numpy as np

from xl_tco.cells import (
    Cell,
    as_cells,
    is_zero,
    place,
    read_cases,
    read_correlations,
    read_numbers,
    read_ranges,
    read_table,
    read_words,
    unwrapped,
)
from xl_tco.errors import Fault, FaultKind, InputError, unknown_word
from xl_tco.fields import Number
from xl_tco.plain import as_written

__all__ = ["HELP_LIMIT", "REQUIRED", "Argument", "Function"]

HELP_LIMIT = 255
"""Characters of help that Excel's function wizard shows."""

_MEASURES = {"%", "FLOP", "GB", "GB/s", "TFLOP/s", "W", "bytes", "hours", "s", "years"}

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
        range of two columns, field and value; ``ranges``: of field, low, mode, high and
        distribution; ``correlations``: of field, field and rank correlation; ``cases``: of field,
        value, base, low, high and own.
    domain
        Numbers allowed.
    default
        Stands in for an omitted argument and for an empty cell; `REQUIRED` if there is none. A
        function is asked when its value is needed: a figure of the catalogue.
    word
        For a number: turns a text into the number that it stands for.
    words
        For a word: all that are allowed, where it is a closed list.
    single
        Whether it is one number or word, never a range.
    called
        What one of the words is, where the name does not say it.
    """

    name: str
    unit: str
    help: str
    kind: Literal["number", "word", "table", "ranges", "correlations", "cases"] = "number"
    domain: Number | None = None
    default: Any = REQUIRED
    word: Callable[[str], float] | None = None
    words: tuple[str, ...] = ()
    single: bool = False
    called: str = ""

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not REQUIRED

    @property
    def omitted(self) -> Any:
        """What stands in for it where it is left out."""
        return self.default() if callable(self.default) else self.default

    @property
    def allowed(self) -> str:
        """What may be given, as a phrase."""
        if self.words:
            return "give one of: " + ", ".join(self.words)
        if self.kind == "number":
            return f"give {_of_unit(str(self.domain or 'a number'), self.unit)}"
        if self.kind == "word":
            return f"give {self.unit}" if self.unit.endswith("s") else f"give a {self.unit}"
        return f"give a range of {self.unit}"

    @property
    def zero_is_omitted(self) -> bool:
        """Whether a 0 can only be what a host hands over for an omitted argument."""
        if not self.is_optional:
            return False
        return self.kind == "word" or bool(self.domain and self.domain.excludes(0.0))

    def read(self, cell: Cell, followed: bool = False) -> Any:
        """Return what was handed over as the function's formula takes it.

        Parameters
        ----------
        cell
            What the host handed over.
        followed
            Whether other arguments come after it: then some hosts hand over 0 where it is left out.
        """
        if cell is None and self.is_optional and self.kind in ("number", "word"):
            return self.omitted
        if self.kind == "table":
            return read_table(cell, self.name)
        if self.kind == "ranges":
            return read_ranges(cell, self.name, self.is_optional)
        if self.kind == "correlations":
            return read_correlations(cell, self.name)
        if self.kind == "cases":
            return read_cases(cell, self.name)
        if type(cell) is not float:
            cell = unwrapped(cell)
        if self.is_optional:
            if (followed or self.kind == "word") and is_zero(cell) and self.zero_is_omitted:
                cell = None
            if cell is None:
                return self.omitted
        if type(cell) is float and cell == cell and self.kind == "number":
            return self._complete_number(cell)  # the common case, and twice as fast
        if self.kind == "word":
            words = self._alone(read_words(cell, self.name, self.allowed))
            return self._complete_words(words)
        values = self._alone(read_numbers(cell, self.name, self.allowed, self.word))
        if isinstance(values, float):
            return self._complete_number(values)
        empty = np.isnan(values)
        if empty.any():
            if not self.is_optional:
                raise self._fault("missing", "there is an empty cell", _first(empty))
            values = np.where(empty, self.omitted, values)
        with np.errstate(invalid="ignore"):  # infinity has no remainder
            outside = self.domain.excludes(values) if self.domain else ~np.isfinite(values)
        if outside.any():
            problem = f"{as_written(values[outside][0])} is out of range"
            raise self._fault("range", problem, _first(outside))
        return values

    def _alone(self, value: Any) -> Any:
        if self.single and isinstance(value, np.ndarray):
            raise self._fault("shape", "it is a range")
        return value

    def _complete_number(self, value: float) -> Any:
        if value != value:
            if not self.is_optional:
                raise self._fault("missing", "nothing is given")
            return self.omitted
        if self.domain is not None and self.domain.excludes(value):
            raise self._fault("range", f"{as_written(value)} is out of range")
        return value

    def _complete_words(self, words: Any) -> Any:
        if words is None:
            if not self.is_optional:
                raise self._fault("missing", "nothing is given")
            return self.omitted
        if not isinstance(words, np.ndarray):
            self._check_word(words)
            return words
        if (empty := np.equal(words, np.array(None, dtype=object))).any():
            if not self.is_optional:
                raise self._fault("missing", "there is an empty cell", _first(empty))
            words = np.where(empty, self.omitted, words)
        for at, word in np.ndenumerate(words):
            self._check_word(word, at)
        return words

    def _check_word(self, word: str, at: tuple[int, ...] = ()) -> None:
        if self.words and word not in self.words:
            called = self.called or self.name.replace("_", " ")
            fault = unknown_word(word, self.words, self.name, called)
            raise InputError([replace(fault, place=place(at))])

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
    columns
        What stands in the columns of that block.
    example
        Arguments of a worked example, as typed into cells; rows of cells stand for a range.
    """

    name: str
    help: str
    unit: str
    arguments: tuple[Argument, ...]
    formula: Callable[..., Any]
    spills: bool = False
    columns: tuple[str, ...] = ()
    example: tuple[Cell, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what the function is as plain data."""
        return {
            "help": self.help,
            "unit": self.unit,
            "spills": self.spills,
            "columns": list(self.columns),
            "arguments": [
                {
                    "name": argument.name,
                    "unit": argument.unit,
                    "kind": argument.kind,
                    "optional": argument.is_optional,
                    "help": argument.help,
                }
                for argument in self.arguments
            ],
        }

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
            last = self.maximum - 1
            values = [argument.read(cell, at < last) for at, (argument, cell) in enumerate(given)]
            return as_cells(self._finite(self._compute(values)))
        except InputError as error:
            raise InputError(error.faults, self.name) from None

    def _compute(self, values: Sequence[Any]) -> Any:
        shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
        if len(shapes) > 1:
            self._check_shapes(shapes)
        with np.errstate(all="ignore"):  # what leaves the range of numbers is refused below
            try:
                if shapes and (at := self._ranges_of_words(values)):
                    return self._by_words(values, at)
                return self._fitted(self.formula(*values), shapes)
            except ArithmeticError:  # of plain floats, which divide by zero less calmly than arrays
                return np.nan

    def _fitted(self, result: Any, shapes: Sequence[tuple[int, ...]]) -> Any:
        """Give a cell for each of the ranges, also where the answer does not rest on them."""
        if not shapes or self.spills or isinstance(result, list):
            return result
        return np.broadcast_to(result, np.broadcast_shapes(*shapes))

    def _ranges_of_words(self, values: Sequence[Any]) -> list[int]:
        """Positions of words of a closed list that came as ranges."""
        return [
            at
            for at, (argument, value) in enumerate(zip(self.arguments, values, strict=True))
            if argument.words and isinstance(value, np.ndarray)
        ]

    def _by_words(self, values: Sequence[Any], words_at: Sequence[int]) -> Any:
        """Calculate cells of ranges together that agree in their words: formulas take single words.

        A fault that a formula finds loses its place, which counts those cells alone.
        """
        arrays = {at: value for at, value in enumerate(values) if isinstance(value, np.ndarray)}
        grids = np.broadcast_arrays(*arrays.values())
        cells = {at: grid.reshape(-1) for at, grid in zip(arrays, grids, strict=True)}
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, words in enumerate(zip(*(cells[at] for at in words_at), strict=True)):
            groups.setdefault(words, []).append(number)
        results = np.empty(grids[0].size, dtype=object)
        for words, members in groups.items():
            part = [cells[at][members] if at in cells else value for at, value in enumerate(values)]
            for at, word in zip(words_at, words, strict=True):
                part[at] = word
            try:
                results[members] = self.formula(*part)
            except InputError as error:
                raise InputError([replace(fault, place="") for fault in error.faults]) from None
        numbers = all(isinstance(result, float) for result in results)
        return (results.astype(np.float64) if numbers else results).reshape(grids[0].shape)

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


def _of_unit(number: str, unit: str) -> str:
    """Say of what, or in which unit, a number is: "a number of layers", "a number, in hours"."""
    if unit == "0 or 1":
        return unit
    if unit in _MEASURES or unit.startswith("USD"):
        return f"{number}, in {unit}"
    if unit.startswith("share "):
        return f"{number}, a {unit}"
    return number.replace("number", f"number of {unit}", 1) if unit.endswith("s") else number


def _first(mask: Any) -> str:
    """Name the first cell of a range at which a mask is set."""
    return place(tuple(np.argwhere(mask)[0]))

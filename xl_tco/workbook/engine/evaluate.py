"""Every value of a workbook, calculated by formualizer: Excel's formulas and our own functions.

Excel's rules that the engine does not keep by itself are kept here: a formula that is not entered
as an array shows one value, and an error among the arguments of a function is its result. What
cannot be calculated shows an error and is listed; it never keeps an old value. Knows formualizer
and the names and callables of functions, not what they compute and not how values are stored.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, cast

from xl_tco.workbook.engine.calling import SHOWN, HostFunction, adapter, error_kind
from xl_tco.workbook.package.book import (
    NOT_AVAILABLE,
    Array,
    CellKey,
    ErrorValue,
    FormulaCell,
    IsSpill,
    Package,
    PackageError,
    Value,
)
from xl_tco.workbook.package.cells import Area, address, position

__all__ = ["ErrorCell", "Evaluation", "HostFunction", "evaluate", "evaluate_formulas"]


class ErrorCell(NamedTuple):
    """A cell that shows an error, and why as far as is known."""

    sheet: str
    address: str
    error: ErrorValue
    message: str
    formula: str

    def __str__(self) -> str:
        return f"{self.sheet}!{self.address}: {self.error} {self.message}".rstrip()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a workbook's formulas come to.

    Attributes
    ----------
    values
        Value of each formula cell; rows of values where an array spills. Dates are serial numbers.
    errors
        The cells among them that show an error, and what-if tables, which are not calculated.
    """

    values: Mapping[CellKey, Value | Array] = field(default_factory=dict)
    errors: Sequence[ErrorCell] = ()


_MESSAGES = {
    "Name": "a name or function is not known, here or in a cell that this refers to",
    "Spill": "the cells that the array would fill are not empty, or are more than 10,000",
    "Circ": "a circular reference, here or in a cell that this refers to",
    "NImpl": "the calculation engine cannot do this",
}
_TABLE = "only Excel can calculate a what-if table: its values are those of the last save"
_STORED_PREFIX = "_xldudf_"  # which Excel puts before the name of an add-in's function


def evaluate(
    package: bytes,
    functions: Sequence[HostFunction],
    is_spill: IsSpill = lambda _: False,
    *,
    moment: dt.datetime | None = None,
) -> Evaluation:
    """Calculate every formula of a workbook.

    Parameters
    ----------
    package
        Content of an .xlsx file, without the values of spilled cells (see `clear_spills`).
    functions
        What formulas may call beside Excel's own functions.
    is_spill
        Which formulas may spill though the file does not mark them as dynamic arrays. Any other
        shows one value: that of its own row or column in a range, as ``@`` does in Excel.
    moment
        What NOW and TODAY say (UTC where it names no zone); the time of the machine by default.

    Raises
    ------
    PackageError
        No workbook, or one that the engine cannot load.
    """
    book = Package(package)
    return evaluate_formulas(
        package,
        book.formula_cells(),
        functions,
        is_spill,
        date1904=book.date1904,
        moment=moment,
    )


def evaluate_formulas(
    package: bytes,
    cells: Sequence[FormulaCell],
    functions: Sequence[HostFunction],
    is_spill: IsSpill,
    *,
    date1904: bool,
    moment: dt.datetime | None,
) -> Evaluation:
    """Calculate formulas that are known already; `evaluate` has the rest."""
    engine = _Engine(package, cells, functions, is_spill, date1904, moment)
    engine.settle()
    return engine.evaluation()


class _Engine:
    """A workbook loaded into formualizer."""

    def __init__(
        self,
        package: bytes,
        cells: Sequence[FormulaCell],
        functions: Sequence[HostFunction],
        is_spill: IsSpill,
        date1904: bool,
        moment: dt.datetime | None,
    ) -> None:
        import formualizer  # heavy, and not needed to read or to write a workbook

        self._host = formualizer
        self._package, self._functions, self._moment = package, functions, moment
        self._date_system = "1904" if date1904 else "1900"
        self._failures: list[str] = []
        self._book = self._load()
        self._cells = [cell for cell in cells if cell.kind != "dataTable"]
        self._may_spill = {
            cell.key
            for cell in self._cells
            if cell.dynamic or (cell.kind in ("normal", "array") and is_spill(cell.formula))
        }
        self._tables = [
            ErrorCell(*cell.key, NOT_AVAILABLE, _TABLE, "")
            for cell in cells
            if cell.kind == "dataTable"
        ]
        self._narrowed: set[CellKey] = set()
        self._overruled: dict[CellKey, str] = {}
        self._overrulings: list[tuple[FormulaCell, str, str]] = []
        self._raw: dict[CellKey, Any] = {}
        self._extents: dict[CellKey, Area] = {}

        names = "|".join(re.escape(function.name) for function in functions)
        self._calls_ours = re.compile(rf"(?<![\w.])(?:{_STORED_PREFIX})?(?:{names})\(", re.I)

    def _load(self) -> Any:
        """Load the workbook as it was given, with our functions."""
        settings = self._host.EvaluationConfig()
        settings.enable_parallel = False  # our functions hold Python's lock: threads would wait
        settings.date_system = self._date_system
        try:
            book = self._host.Workbook.from_bytes(
                self._package, config=self._host.WorkbookConfig(eval_config=settings)
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise PackageError(f"the calculation engine cannot load it: {error}") from error
        book.set_temporal_egress("serial")
        if self._moment is not None:
            moment = self._moment
            aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
            book.set_deterministic_clock(aware)
        for function in self._functions:
            call = adapter(function, self._failures)
            for name in (function.name, _STORED_PREFIX + function.name):
                book.register_function(name, call, min_args=0, max_args=None)
        return book

    # --- evaluating --------------------------------------------------------------------------

    def settle(self) -> None:
        """Evaluate until every formula keeps Excel's rules."""
        while True:
            try:
                self._book.evaluate_all()
            except self._host.ExcelEvaluationError as error:
                self._overrule_unevaluable(error)
                continue
            self._look()
            if not any([self._put_right(cell) for cell in self._cells]):
                return

    def _look(self) -> None:
        """Take up what each formula came to, and over which cells it spilled."""
        self._extents.clear()
        for cell in self._cells:
            sheet = cell.sheet.replace("'", "''")
            try:
                found = self._book.inspect_cell(f"'{sheet}'!{cell.address}").cell
            except self._host.InspectionError as error:
                raise PackageError(f"the calculation engine cannot read it: {error}") from error
            self._raw[cell.key] = found.value
            if found.spill is not None and found.spill.extent:
                self._extents[cell.key] = Area.parse(found.spill.extent.rpartition("!")[2])

    def _put_right(self, cell: FormulaCell) -> bool:
        """Change a formula that spills and must not; whether that was needed."""
        if cell.key in self._may_spill or cell.key in self._overruled:
            return False
        extent = self._extents.get(cell.key)
        if cell.kind != "array":
            spills = extent is not None or error_kind(self._raw[cell.key]) == "Spill"
            if not spills or cell.key in self._narrowed:
                return False
            self._narrowed.add(cell.key)
            formula = cell.formula or self._formula(cell)
            self._book.set_formula(cell.sheet, *position(cell.address), f"=@({formula})")
            return True
        area, extent = Area.parse(cell.ref or cell.address), extent or Area.parse(cell.address)
        if error_kind(self._raw[cell.key]) is not None or extent == area:
            return False
        size = f"{extent.height} × {extent.width}"
        self._overrule(cell, "Value", f"the array is {size} cells, its formula covers {area}")
        return True

    def _overrule_unevaluable(self, error: Any) -> None:
        """Put an error into the cells on which the engine gives up, so that it does the others."""
        text = str(error.message)
        subject = text.partition(": ")[2].casefold()
        waiting = [cell for cell in self._cells if cell.key not in self._overruled]
        # A formula fails with the one that it refers to: only the latter is at fault. To ask all of
        # them takes minutes, to ask those that name what the engine complains of, no time.
        named = [cell for cell in waiting if subject and subject in cell.formula.casefold()]
        at_fault = [cell for cell in named if self._fails(cell)]
        at_fault = at_fault or [cell for cell in waiting if self._fails(cell)]
        if not at_fault:
            raise PackageError(f"the calculation engine cannot evaluate it: {text}") from error
        # Afresh: what was evaluated before it gave up may rest on spills that were not there yet.
        self._book = self._load()
        self._narrowed.clear()
        for cell, kind, message in self._overrulings:
            self._put_error(cell, kind, message)
        for cell in at_fault:
            self._overrule(cell, error.kind, text)

    def _fails(self, cell: FormulaCell) -> bool:
        try:
            self._book.evaluate_cell(cell.sheet, *position(cell.address))
        except self._host.ExcelEvaluationError:
            return True
        return False

    def _overrule(self, cell: FormulaCell, kind: str, message: str) -> None:
        self._overrulings.append((cell, kind, message))
        self._overruled[cell.key] = message
        self._put_error(cell, kind, message)

    def _put_error(self, cell: FormulaCell, kind: str, message: str) -> None:
        error = self._host.LiteralValue.error(kind, message)
        self._book.set_value(cell.sheet, *position(cell.address), error)

    def _formula(self, cell: FormulaCell) -> str:
        """The formula as the engine reads it, without ``=``: a shared one is written out."""
        return str(self._book.get_formula(cell.sheet, *position(cell.address)) or "")[1:]

    # --- reading the result ------------------------------------------------------------------

    def evaluation(self) -> Evaluation:
        """All values and errors."""
        values = {cell.key: self.value(cell) for cell in self._cells}
        errors = (self.errors(cell, values[cell.key]) for cell in self._cells)
        return Evaluation(values, [*chain.from_iterable(errors), *self._tables])

    def value(self, cell: FormulaCell) -> Value | Array:
        """What a formula came to."""
        extent = self._extents.get(cell.key)
        if extent is None:
            return _value(self._raw[cell.key])
        return [
            [
                _value(self._book.get_value(cell.sheet, row, column))
                for column in range(extent.left, extent.right + 1)
            ]
            for row in range(extent.top, extent.bottom + 1)
        ]

    def errors(self, cell: FormulaCell, value: Value | Array) -> list[ErrorCell]:
        """The errors that a formula shows, in its cell or in those it spills over."""
        if isinstance(value, ErrorValue):
            message = self._explain(cell)
            return [ErrorCell(*cell.key, value, message, cell.formula)]
        if not isinstance(value, list):
            return []
        places = self._extents[cell.key].positions()
        return [
            ErrorCell(cell.sheet, address(*place), item, "", cell.formula)
            for place, item in zip(places, (item for row in value for item in row), strict=True)
            if isinstance(item, ErrorValue)
        ]

    def _explain(self, cell: FormulaCell) -> str:
        """Why a formula is an error.

        The engine keeps no message with an error. So the one formula is evaluated again, and our
        functions are heard while it is.
        """
        if cell.key in self._overruled:
            return self._overruled[cell.key]
        kind, formula = error_kind(self._raw[cell.key]), self._formula(cell)
        if kind == "Error":
            return formula.removeprefix("#ERROR!: ")
        if kind != "Circ" and self._calls_ours.search(formula):
            self._failures.clear()
            self._book.set_formula(cell.sheet, *position(cell.address), f"={formula}")
            self._book.evaluate_cell(cell.sheet, *position(cell.address))
            failures = self._failures.copy()
            self._book.evaluate_all()  # what depends on it must not speak for the next one
            if failures:
                return failures[0]
        return _MESSAGES.get(kind or "", "")


def _value(raw: Any) -> Value:
    """A value as a cell holds it."""
    kind = error_kind(raw)
    if kind is not None:
        return ErrorValue(SHOWN.get(kind, "#VALUE!"))
    if isinstance(raw, float) and not math.isfinite(raw):
        return ErrorValue("#NUM!")
    return cast(Value, raw)

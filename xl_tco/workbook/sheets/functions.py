"""The sheet Functions: a live example of each spreadsheet function, one a row.

An example is that of the function's own row in `xl_tco.functions`, its arguments typed into cells
beside it; the functions of a whole scenario are asked about this workbook's own. No total rests on
this sheet: it shows how a function is typed, and that it works in the host where it is opened.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from xl_tco import catalogue
from xl_tco.cells import UNKNOWN
from xl_tco.fields import FIELDS
from xl_tco.functions import FUNCTIONS, TOPICS, Argument, Function
from xl_tco.functions.arguments import INPUTS
from xl_tco.language import Name, Phrase
from xl_tco.outputs import TOTAL
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.lines import NOT_USED
from xl_tco.workbook.sheets.page import FIRST_ROW, RESULTS, Column, Page
from xl_tco.workbook.sheets.styles import number_format

__all__ = ["EXAMPLES", "SHEET", "add_functions"]

SHEET = "Functions"
EXAMPLES = "examples"
"""Name of the cells that show what the examples come to."""

NAMES = 2
"""Argument whose column is wide enough for the name of a field: blocks of cells begin there."""

_LARGE = 1e9
"""Numbers from here on are written as powers of ten."""

MOST = max(len(function.example) for function in FUNCTIONS.values())
_WIDTHS = {1: 15.0, NAMES: 23.0, 3: 12.0, 4: 16.0, 10: 11.0, 11: 11.0}
COLUMNS = (
    Column("Function", 32),
    Column("Unit", 20),
    Column("Value", 20, number=True),
    Column("Formula", 42),
    Column("What it gives", 68),
    *(Column(f"Argument {n}", _WIDTHS.get(n, 9.5), number=True) for n in range(1, MOST + 1)),
)
FUNCTION, UNIT, VALUE, FORMULA, GIVES, ARGUMENTS = range(1, 7)

_NET_OF_WASTE = "=total_usd-waste_usd"
_OF_THIS_MODEL: dict[str, tuple[Any, ...]] = {
    # What every run has a value of; an example's mfu is not given where hfu is.
    "TCO_SENSITIVITY": (None, (("tokens",), ("pue",), ("electricity_usd_per_kwh",))),
    # What this run would cost without failures: within reach whatever its size.
    "TCO_SOLVE": (None, "mfu", _NET_OF_WASTE),
    "TCO_TOKENS_FOR_BUDGET": (None, _NET_OF_WASTE),
    # Few samples, so that the workbook recalculates at once.
    "TCO_PERCENTILE": (*FUNCTIONS["TCO_PERCENTILE"].example, None, None, TOTAL.name, 200.0),
}
"""Arguments in place of the example's, which fits another run."""

_SHOWN = (("row", "several cells", 1), ("column", "several cells", 2), ("column", "TCO_CLAIMS", 4))
"""Which cell of what spills is shown. Of claims it is what the model gives: ends may be fixed."""

_GUARDED = {"TCO_BREAKEVEN", "TCO_SENSITIVITY", "TCO_SOLVE", "TCO_TOKENS_FOR_BUDGET"}
"""Questions that some runs have no answer to: a price is unknown, or a field makes no odds."""


class _Block(NamedTuple):
    """Rows of cells below the examples that one of them refers to."""

    function: str
    argument: Argument
    rows: tuple[tuple[Any, ...], ...]


class _Layout:
    """Where the blocks stand, and the cells that say which one of a spilled result is shown."""

    def __init__(self) -> None:
        first = FIRST_ROW + len(TOPICS) + len(FUNCTIONS) + 1
        self._shown = {(what, of): f"$C${first + n}" for n, (what, of, _) in enumerate(_SHOWN)}
        self.blocks: list[_Block] = []
        self._next = first + len(_SHOWN)

    def shown(self, what: str, function: Function) -> str:
        """Return the cell that says which row or column of a function's result is shown."""
        return self._shown.get((what, function.name)) or self._shown[what, "several cells"]

    def place(self, block: _Block) -> str:
        """Give a block its place; return its cells."""
        self.blocks.append(block)
        first, left = self._next, ARGUMENTS + NAMES - 1
        self._next += len(block.rows)
        right = left + len(block.rows[0]) - 1
        return f"{_letter(left)}{first}:{_letter(right)}{self._next - 1}"


def add_functions(book: Book) -> None:
    """Write the sheet, and name the cells that a check counts."""
    page = Page(
        book,
        SHEET,
        "A live example of each function; inputs are those of this workbook. No total rests on it.",
        COLUMNS,
    )
    layout = _Layout()
    for topic, functions in TOPICS:
        page.section(topic)
        for function in functions:
            _example(page, function, layout)
            page.row += 1
    last = page.row - 1
    book.name(EXAMPLES, SHEET, f"$C${FIRST_ROW}:$C${last}")
    _blocks(page, layout)
    silent = f'OR(C{FIRST_ROW}="{NOT_USED}",C{FIRST_ROW}="{UNKNOWN}")'
    page.mute(f"C{FIRST_ROW}:C{last}", silent)
    page.finish(frozen=VALUE, across=2)


def _example(page: Page, function: Function, layout: _Layout) -> None:
    row, unit = page.row, _unit(function)
    _rule(page)
    typed = _arguments(page, function, layout)
    formula = _guarded(function, f"{function.name}({','.join(typed)})", layout)
    gives = page.book.language.text(_gives(function, len(typed)))
    page.put(row, FUNCTION, function.name, "label")
    page.put(row, UNIT, unit, "unit")
    page.put(row, VALUE, f"={formula}", "formula", unit)
    page.put_text(row, FORMULA, page.book.language.formula(f"={formula}"), "text")
    page.put(row, GIVES, gives, "text")
    page.fit(row, [(FORMULA, formula), (GIVES, gives)])


def _arguments(page: Page, function: Function, layout: _Layout) -> list[str]:
    """Write the arguments of an example; return what stands for each in the formula."""
    values = _OF_THIS_MODEL.get(function.name, function.example)
    typed = []
    for at, (argument, value) in enumerate(zip(function.arguments, values, strict=False)):
        column = ARGUMENTS + at
        if argument is INPUTS or argument.kind == "cases":  # names of the sheet Inputs
            page.put(page.row, column, argument.name, "formula")
            typed.append(argument.name)
        elif isinstance(value, tuple):
            cells = layout.place(_Block(function.name, argument, value))
            page.put(page.row, column, cells, "formula")
            typed.append(cells)
        elif value is None:
            typed.append('""')  # some hosts hand over 0 for what is left out before others
        else:
            _constant(page, page.row, column, value)
            typed.append(f"{_letter(column)}{page.row}")
    return typed


def _guarded(function: Function, call: str, layout: _Layout) -> str:
    """Show one cell of what spills, and in words that a run has no part or no answer."""
    if function.spills:
        row, column = (layout.shown(what, function) for what in ("row", "column"))
        call = f"INDEX({call},{row},{column})"
    if function.name == "TCO_STEP_TIME":
        return f'IF(use_step=1,{call},"{NOT_USED}")'
    if function.name in _GUARDED:
        # Behind COM a refusal is a text: adding 0 makes an error of it.
        return f'IFERROR({call}+0,"{UNKNOWN}")'
    return call


def _gives(function: Function, given: int) -> Phrase:
    """Say what a function gives, of which arguments, and where."""
    names = Name(", ".join(argument.name for argument in function.arguments[:given]))
    message = "{gives}" + (" Arguments: {names}." if names else "")
    if function.spills:
        message += " It fills several cells, of which one is shown."
    return Phrase(message, gives=f"{function.help.partition('. ')[0].rstrip('.')}.", names=names)


def _unit(function: Function) -> str:
    """Return the unit of what the example comes to."""
    if not function.unit.startswith("that of "):
        return function.unit.partition(", ")[0]  # of "share, months or USD/hour" the first
    words = [value for value in function.example if isinstance(value, str)]
    if figure := catalogue.find(*words) if len(words) > 1 else None:
        return figure.unit
    name = words[-1] if words else TOTAL.name
    return RESULTS[name].unit if name in RESULTS else FIELDS[name].unit


def _blocks(page: Page, layout: _Layout) -> None:
    """Write the cells that the examples refer to beside their own row."""
    page.section("What the examples refer to")
    for what, of, number in _SHOWN:
        _rule(page)
        page.put(page.row, FUNCTION, f"Shown of {of}: {what}", "label")
        page.put(page.row, UNIT, what, "unit")
        page.put(page.row, VALUE, number, "formula")
        page.row += 1
    for block in layout.blocks:
        for cells in block.rows:
            label = f"{block.function}, {block.argument.name}: {cells[0]}"
            _rule(page)
            page.put_text(page.row, FUNCTION, label, "label")
            page.put(page.row, UNIT, block.argument.unit, "unit")
            page.fit(page.row, [(FUNCTION, label), (UNIT, block.argument.unit)])
            for offset, value in enumerate(cells):
                _constant(page, page.row, ARGUMENTS + NAMES - 1 + offset, value)
            page.row += 1


def _rule(page: Page) -> None:
    """Draw the line under a row through its empty cells too."""
    for column in range(FUNCTION, len(COLUMNS) + 1):
        page.put(page.row, column, None, "text")


def _constant(page: Page, row: int, column: int, value: Any) -> None:
    """Write an argument as it is typed; what follows this model, as a formula."""
    cell = page.put(row, column, value, "formula")
    if isinstance(value, float):
        whole = "0.000E+00" if value >= _LARGE else "#,##0"
        cell.number_format = whole if value.is_integer() else "General"
    elif value == _NET_OF_WASTE:
        cell.number_format = number_format("tokens")


def _letter(column: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[column - 1]

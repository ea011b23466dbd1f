"""A page on each spreadsheet function, and their index: Markdown made from the one table.

What a page says is read from the row of the function or tried out: the result of its example and
the messages of its errors are what the function gives when the page is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xl_tco.errors import InputError
from xl_tco.functions import FUNCTIONS, TOPICS, Argument, Function
from xl_tco.hosts.intellisense import SUFFIX
from xl_tco.hosts.mistakes import likely_mistakes, typed
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.plain import as_written

__all__ = ["TOPICS", "Example", "function_page", "function_pages", "worked_example"]

WORDS_IN_A_CELL = 10
"""More words than these are listed below the table of arguments."""

_BLOCKS = {"table": "two", "ranges": "four or five", "correlations": "three", "cases": "six"}
"""Columns of arguments that are a block of cells, by kind."""

ROWS_SHOWN = 8
"""Rows of a result that a page shows: enough to see what a long one is."""

LISTED = 160
"""Characters of a message, after which what is left of a list of words is cut off."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a function as it stands in a sheet.

    Attributes
    ----------
    cells
        What is typed beside the formula, by address: the ranges that it refers to.
    formula
        With its equals sign.
    result
        What the function gives: a value, or rows of them.
    """

    cells: dict[str, Any]
    formula: str
    result: Any


def worked_example(function: Function) -> Example:
    """Lay out the example of a function from cell A1 on, and calculate it."""
    cells: dict[str, Any] = {}
    arguments: list[str] = []
    column = 0
    for value in function.example:
        if not isinstance(value, tuple):
            arguments.append(typed(value))
            continue
        width = max(map(len, value))
        for number, row in enumerate(value, start=1):
            for offset, cell in enumerate(row):
                cells[f"{_letter(column + offset)}{number}"] = cell
        arguments.append(f"{_letter(column)}1:{_letter(column + width - 1)}{len(value)}")
        column += width + 1
    formula = f"={function.name}({', '.join(arguments)})"
    return Example(cells, formula, function(*function.example))


def function_pages() -> dict[str, str]:
    """Make every page, by its path in the folder of documentation."""
    pages = {"functions.md": _index()}
    return pages | {f"functions/{name}.md": function_page(name) for name in FUNCTIONS}


def function_page(name: str) -> str:
    """Make the page of one function, which must be one of the table."""
    function = FUNCTIONS[name]
    parts = [
        f"# {name}",
        function.help,
        f"    ={_signature(function)}",
        f"**Gives** {_unit(function)}." + _spilling(function),
        "## Arguments",
        _arguments(function),
        "## Example",
        *_example(worked_example(function), function.columns),
    ]
    if errors := list(_errors(function)):
        parts += [
            "## Errors",
            "What the function says, and what to do, after the semicolon; where a host shows it "
            "stands in [the overview](../functions.md#errors).",
            _table(("if", "message"), errors),
        ]
    parts.append("[All functions](../functions.md)")
    return "\n\n".join(parts) + "\n"


def _index() -> str:
    parts = [_HEAD]
    for title, functions in TOPICS:
        rows = [
            (f"[{function.name}](functions/{function.name}.md)", _first_sentence(function.help))
            for function in functions
        ]
        parts += [f"## {title}", _table(("function", "gives"), rows)]
    return "\n\n".join([*parts, _TAIL]) + "\n"


_HEAD = """\
# The functions

Type one into a cell like a function of Excel's own. Each has a page with its arguments, an example
and its errors. These pages are made from the same table as the functions.

- A number may be a cell or a range of cells. Ranges fit together as in Excel's own arithmetic: of
  one shape, or a row and a column, or a range and a single cell. The result then spills. In
  LibreOffice Calc nothing spills: mark the cells first, and end with Ctrl+Shift+Enter.
- An empty cell is never zero: where an argument may be left out it is the default, and where it may
  not, an error.
- Where 0 is not in an argument's range, a 0 before other arguments counts as left out: some hosts
  hand it over for an argument that is.
- `inputs` and `overrides` are ranges of two columns, field and value. The fields are those of a
  scenario: `xl-tco schema` lists them."""

_TAIL = f"""\
## Errors

A function never gives a number that it is not sure of: it says which argument is wrong, and what
would be right.

| host | what the cell shows |
|---|---|
| Excel with xlwings on Windows | the message, as text: `SUM` passes over it, our checks do not |
| Excel with xlwings Lite or xlwings Server | `#VALUE!`, with the message in its error card |
| LibreOffice Calc | `#VALUE!`; `=IFERROR(TCO_TOTAL(A1:B9);TCO_REASON())` shows the message |
| LibreOffice Calc | `Err:504`: a range has an error in it, or there are too many arguments |
| `xl-tco recalc` | `#VALUE!`; the command prints the message |
| `#NAME?` anywhere | the functions are not loaded, or the workbook is for another host |
| `#SPILL!` anywhere | the cells that the result would fill are not empty |

## Help while you type

Excel for Windows shows help for functions of others only through an add-in of the Excel-DNA project
(free, MIT licence).

1. From *Releases* of `github.com/Excel-DNA/IntelliSense` download `ExcelDna.IntelliSense64.xll`, or
   `ExcelDna.IntelliSense.xll` for a 32-bit Excel.
2. Right-click the file, choose *Properties*, tick *Unblock* and click *OK*.
3. In Excel choose *File*, *Options*, *Add-ins*, *Manage: Excel Add-ins*, *Go*, *Browse*, and the
   file.
4. For a workbook `run.xlsm`, say `xl-tco intellisense -o run{SUFFIX}`: the same folder, the
   same name, the other ending.
5. Open the workbook again and type `=TCO_`.

| it shows | what it means |
|---|---|
| no help at all | the file has another name than the workbook, or the add-in is not ticked |
| help, but `#NAME?` once entered | the functions are not loaded: see the page of your host |

Only a real Excel can confirm:

- [ ] The first letters of `=TCO_FLOPS` offer it with its description
- [ ] after the opening bracket, the argument being typed is in bold with its help and unit
- [ ] optional arguments stand in square brackets"""


def _signature(function: Function) -> str:
    names = (f"[{a.name}]" if a.is_optional else a.name for a in function.arguments)
    return f"{function.name}({', '.join(names)})"


def _unit(function: Function) -> str:
    unit = "seconds" if function.unit == "s" else function.unit
    return f"the unit {unit.removeprefix('that ')}" if unit.startswith("that of ") else unit


def _spilling(function: Function) -> str:
    return " It fills several cells: leave room below and beside it." if function.spills else ""


def _arguments(function: Function) -> str:
    if not function.arguments:
        return "None."
    rows = [
        (f"`{a.name}`", _unit_of(a), _default(a), _may_be(function, a), a.help)
        for a in function.arguments
    ]
    table = _table(("argument", "unit", "if left out", "may be", "what it is"), rows)
    return "\n\n".join([table, *_long_lists(function)])


def _long_lists(function: Function) -> Iterator[str]:
    """List the words of arguments that take one of many."""
    for argument in function.arguments:
        words = _words(function, argument)
        if len(words) > WORDS_IN_A_CELL:
            yield f"`{argument.name}` is one of: {', '.join(f'`{word}`' for word in words)}."


def _words(function: Function, argument: Argument) -> tuple[str, ...]:
    """Return the words that an argument takes, where they are known before the inputs are."""
    return argument.words or _OPEN_WORDS.get((function.name, argument.name), ())


_OPEN_WORDS = {
    ("TCO_METRIC", "metric"): (TOTAL.name, *METRICS),
    ("TCO_TOTAL", "component"): ("total", *COMPONENTS),
}
"""Words that a function knows though its row does not list them."""


def _unit_of(argument: Argument) -> str:
    return "name" if argument.words and "|" in argument.unit else argument.unit


def _default(argument: Argument) -> str:
    if not argument.is_optional:
        return "required"
    value = argument.omitted
    return "optional" if value is None else _shown(value)


def _may_be(function: Function, argument: Argument) -> str:
    if argument.kind in _BLOCKS:
        return f"a range of {_BLOCKS[argument.kind]} columns"
    if words := _words(function, argument):
        many = len(words) > WORDS_IN_A_CELL
        return "a name listed below" if many else ", ".join(f"`{word}`" for word in words)
    if argument.kind == "word":
        several = argument.unit.endswith("s")
        return f"{argument.unit}, in one cell or more" if several else f"a {argument.unit}"
    if argument.unit == "0 or 1":
        return argument.unit
    allowed = str(argument.domain) if argument.domain else "a number"
    return f"{allowed}, or a key of the catalogue" if argument.word else allowed


def _example(example: Example, columns: tuple[str, ...]) -> Iterator[str]:
    if example.cells:
        yield "With these cells:"
        yield _sheet(example.cells)
    yield f"    {example.formula}"
    if not isinstance(example.result, list):
        yield f"gives {_shown(example.result)}."
        return
    rows = example.result
    yield "gives"
    shown = [tuple(map(_shown, row)) for row in rows[:ROWS_SHOWN]]
    yield _table(columns or ("",) * len(rows[0]), shown)
    if len(rows) > ROWS_SHOWN:
        yield f"and {len(rows) - ROWS_SHOWN} more rows."


def _sheet(cells: dict[str, Any]) -> str:
    """Draw cells as a sheet: letters above, numbers at the side."""
    last = max(ord(address[0]) for address in cells)
    letters = [chr(code) for code in range(ord("A"), last + 1)]
    height = max(int(address[1:]) for address in cells)
    rows = [
        (str(number), *(_entered(cells.get(f"{letter}{number}")) for letter in letters))
        for number in range(1, height + 1)
    ]
    return _table(("", *letters), rows)


def _errors(function: Function) -> Iterator[tuple[str, str]]:
    """What the function says of what is likely to be wrong: tried out on its example."""
    for condition, cells in likely_mistakes(function):
        try:
            function(*cells)
        except InputError as error:
            yield condition, _cut(str(error).splitlines()[0])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")


def _cut(message: str) -> str:
    if len(message) <= LISTED or "give one of: " not in message:
        return message
    return message[:LISTED].rpartition(" ")[0].rstrip(",") + " …"


def _letter(column: int) -> str:
    return chr(ord("A") + column)


def _entered(value: float | str | None) -> str:
    """Return a value as it is typed into a cell of its own."""
    if value is None:
        return ""
    return value if isinstance(value, str) else typed(value)


def _shown(value: object) -> str:
    """Return a result as a page shows it: to six digits, or to the dollar."""
    if not isinstance(value, int | float):
        return str(value)
    whole = value == int(value) or abs(value) >= 1e4
    return as_written(round(value)) if whole and abs(value) < 1e15 else as_written(value, 6)

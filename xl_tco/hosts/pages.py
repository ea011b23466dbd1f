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
from xl_tco.functions.rows import scenarios
from xl_tco.hosts.intellisense import SUFFIX

__all__ = ["TOPICS", "Example", "function_page", "function_pages", "worked_example"]

ROWS_SHOWN = 8
"""Rows of a result that a page shows: enough to see what a long one is."""

LISTED = 160
"""Characters of a message, after which what is left of a list of words is cut off."""

LONGEST_MANTISSA = 6
PLAIN_POWER = 12
"""A number of more digits than that, and not above that power of ten, is written out."""


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
    typed: list[str] = []
    column = 0
    for value in function.example:
        if not isinstance(value, tuple):
            typed.append(_typed(value))
            continue
        width = max(map(len, value))
        for number, row in enumerate(value, start=1):
            for offset, cell in enumerate(row):
                cells[f"{_letter(column + offset)}{number}"] = cell
        typed.append(f"{_letter(column)}1:{_letter(column + width - 1)}{len(value)}")
        column += width + 1
    formula = f"={function.name}({', '.join(typed)})"
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
        *_example(worked_example(function)),
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
    unit = function.unit
    return f"the unit {unit.removeprefix('that ')}" if unit.startswith("that of ") else unit


def _spilling(function: Function) -> str:
    return " It fills several cells: leave room below and beside it." if function.spills else ""


def _arguments(function: Function) -> str:
    if not function.arguments:
        return "None."
    rows = [(f"`{a.name}`", a.unit, _default(a), _may_be(a), a.help) for a in function.arguments]
    return _table(("argument", "unit", "if left out", "may be", "what it is"), rows)


def _default(argument: Argument) -> str:
    if not argument.is_optional:
        return "required"
    value = argument.omitted
    return "nothing" if value is None else _shown(value)


def _may_be(argument: Argument) -> str:
    if argument.kind == "table":
        return "a range of two columns"
    if argument.kind == "ranges":
        return "a range of four columns"
    if argument.words:
        shown = ", ".join(f"`{word}`" for word in argument.words[:8])
        return shown if len(argument.words) <= 8 else f"{shown} …"
    if argument.kind == "word":
        return "a text"
    allowed = str(argument.domain) if argument.domain else "a number"
    return f"{allowed}, or a key of the catalogue" if argument.word else allowed


def _example(example: Example) -> Iterator[str]:
    if example.cells:
        yield "With these cells:"
        yield _sheet(example.cells)
    yield f"    {example.formula}"
    if not isinstance(example.result, list):
        yield f"gives {_shown(example.result)}."
        return
    rows = example.result
    yield "gives"
    width = len(rows[0])
    shown = [tuple(map(_shown, row)) for row in rows[:ROWS_SHOWN]]
    yield _table(("",) * width, shown)
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
    for condition, cells in (*_spoilt(function), *_OWN_ERRORS.get(function.name, ())):
        try:
            function(*cells)
        except InputError as error:
            yield condition, _cut(str(error).splitlines()[0])


def _spoilt(function: Function) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Spoil the example, each time in the first argument that can be wrong in that way."""
    seen: set[str] = set()
    for at, argument in enumerate(function.arguments):
        for sort, condition, value in _wrong(argument):
            if sort not in seen:
                seen.add(sort)
                padded = [*function.example, *[None] * len(function.arguments)]
                padded[at] = value
                yield condition, tuple(padded[: max(len(function.example), at + 1)])


def _wrong(argument: Argument) -> Iterator[tuple[str, str, Any]]:
    name = f"`{argument.name}`"
    if argument.kind == "table":
        if not argument.is_optional:
            yield "table", f"{name} has a field that there is not", (("mfuu", 0.4),)
        return
    if argument.kind == "ranges":
        yield "ranges", f"{name} has a low above the high", (("mfu", 0.5, 0.4, 0.3),)
        return
    if not argument.is_optional:
        yield "missing", f"{name} is an empty cell", None
    if argument.words:
        yield "word", f"{name} is misspelt", f"{argument.words[-1]}x"
    if argument.kind == "number" and argument.word is None:
        yield "type", f'{name} is the text "a lot"', "a lot"
    if argument.domain is not None:
        below = -1.0 if argument.domain.low >= 0.0 else 2.0 * argument.domain.low
        yield "range", f"{name} is {_typed(below)}", below
        if argument.domain.high == 1.0 and not argument.domain.whole:
            yield "share", f"{name} is 41, meant in percent", 41.0


_HUGE = 1e6
_RUN = scenarios.ROWS[0].example[0]

_OWN_ERRORS: dict[str, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    "TCO_BREAKEVEN": (
        ("owning never pays", ((*_RUN, ("rental_usd_per_accelerator_hour", 0.1)), None, "months")),
    ),
    "TCO_HFU": (("the hours are too few", (3.79e25, 16_384.0, "h100-sxm", 100.0)),),
    "TCO_MFU": (("the hours are too few", (3.79e25, 16_384.0, "h100-sxm", 100.0)),),
    "TCO_METRIC": (
        ("the inputs lack what the metric rests on", (_RUN, "cluster_mtbf_hours")),
        ("there is no such metric", (_RUN, "wall_hour")),
    ),
    "TCO_MIN_ACCELERATORS": (
        ("no number of accelerators will do", (70e9, 80.0, 8192.0, 64.0, _HUGE, "h100-sxm")),
    ),
    "TCO_NETWORK_SWITCHES": (("the topology has no room", (_HUGE,)),),
    "TCO_NETWORK_COST": (("the topology has no room", (_HUGE,)),),
    "TCO_PARAMETERS": (
        (
            "there are more key and value heads than heads",
            (32.0, 4096.0, 32.0, 14_336.0, 128_256.0, 64.0),
        ),
    ),
    "TCO_REGION": (("there is no such region", ("usa", "pue")),),
    "TCO_RUN": (("there is no such figure", ("llama-3.1-405b", "token")),),
    "TCO_SENSITIVITY": (("there is no such field", (_RUN, "mfuu")),),
    "TCO_SOLVE": (("no value of the field will do", (_RUN, "mfu", 1e3)),),
    "TCO_SPEC": (("there is no such accelerator", ("h100", "tdp_watts")),),
    "TCO_STEP_TIME": (("the inputs say no kernel_efficiency", (_RUN,)),),
    "TCO_TOKENS_FOR_BUDGET": (("the budget is too small for any run", (_RUN, 0.0)),),
    "TCO_TOTAL": (
        ("there is no such component", (_RUN, None, "powr")),
        ("a field is given that goes with another choice", ((*_RUN, ("hfu", 0.5)),)),
    ),
    "TCO_WALLTIME": (("the peak is no key of the catalogue", (3.79e25, 16_384.0, "h100", 0.41)),),
    "TCO_WASTE": (("the cluster fails too often", (1.0, 0.2, 0.5)),),
}


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


def _entered(value: object) -> str:
    """Return a value as it is typed into a cell of its own."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _typed(value)


def _typed(value: object) -> str:
    """Return a value as it is typed into a formula."""
    if isinstance(value, str):
        return f'"{value}"'
    number = float(value)  # type: ignore[arg-type]
    if 1e6 <= abs(number) < 1e30:
        power = (len(f"{abs(number):.0f}") - 1) // 3 * 3
        mantissa = f"{number / 10.0**power:.12g}"
        if len(mantissa) <= LONGEST_MANTISSA or power > PLAIN_POWER:
            return f"{mantissa}E{power}"
    return f"{number:.12g}"


def _shown(value: object) -> str:
    """Return a result as a page shows it: to six digits, or to the dollar."""
    if not isinstance(value, int | float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    if 1e4 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}" if abs(value) < 1e15 else f"{value:.6g}"

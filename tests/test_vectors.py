"""One table of test vectors (`vectors`), run through every host.

What a host can show of a refusal:

==========================  ==================================================================
host                        what comes
==========================  ==================================================================
Python, the table           `InputError`: its kind, the argument, the sentence
xlwings on Windows          the sentence as text; simulated here, see `com`
xlwings Lite and Server     `XlwingsError` with the sentence; here only the shells beside
                            xlwings off Windows, fed as Office.js feeds them: no browser, no Excel
formualizer                 #VALUE!, and the sentence in the list of errors
LibreOffice Calc            #VALUE!; the sentence by TCO_REASON
==========================  ==================================================================

Whoever has the sentence has the kind: it must be the very sentence that the table says.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from openpyxl.utils import get_column_letter
from openpyxl.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula

import tco_udfs
from com import over_range, session
from libreoffice import OFFICES, LibreOffice
from office import saved, working_office
from test_function_values import ASKED_OF_A_SCENARIO
from test_imports import NEED_A_SCENARIO
from test_workbook import EVERYTHING, FROM_THE_BOTTOM_UP, changed
from vectors import EMPTY, EXACT, IN_ONE, OPEN_WORDS, OUT, VECTORS, Refused, Vector
from xl_tco import InputError
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.libreoffice import programmatic_name, programmatic_names
from xl_tco.hosts.libreoffice.naming import REASON
from xl_tco.workbook.build import draft, workbook_bytes
from xl_tco.workbook.engine import evaluate
from xl_tco.workbook.package.book import Package
from xl_tco.workbook.sheets.page import ALL_HOLD

ROOT = Path(__file__).parents[1]
FAILED = "#VALUE!"
LOOK = "Look at the sheet Checks"

by_function = pytest.mark.parametrize("name", FUNCTIONS)


def of(name: str) -> list[Vector]:
    return [vector for vector in VECTORS if vector.function == name]


# Values and refusals, compared


class Said(NamedTuple):
    """A refusal as a host shows it: the sentence."""

    text: str


def rows(value: Any) -> list[list[Any]]:
    """Values as rows, however a host nests them."""
    if not isinstance(value, list):
        return [[value]]
    return value if isinstance(value[0], list) else [value]


def same(value: Any, wanted: Any, rel: float) -> bool:
    """Whether a host's values are those wanted, cell by cell; an empty cell is an empty text."""

    def one(value: Any, wanted: Any) -> bool:
        if isinstance(wanted, str) or isinstance(value, str | None):
            return (value or "") == wanted
        return math.isclose(value, wanted, rel_tol=rel)

    if isinstance(value, Said | Refused) or isinstance(wanted, Said | Refused):
        return type(value) is type(wanted) and value == wanted
    value, wanted = rows(value), rows(wanted)
    return [len(row) for row in value] == [len(row) for row in wanted] and all(
        one(a, b)
        for row, other in zip(value, wanted, strict=True)
        for a, b in zip(row, other, strict=True)
    )


def in_python(vector: Vector) -> list[Any]:
    """The cells as Python hands them over."""
    cells = [None if cell == OUT else cell for cell in vector.cells]
    while vector.cells and cells and vector.cells[len(cells) - 1] == OUT:
        cells.pop()
    return cells


def called(call: Callable[..., Any], vector: Vector) -> tuple[Any, Any]:
    """What a function of Python gives: a value, or a refusal and its sentence."""
    try:
        value = call(*in_python(vector))
    except InputError as error:
        return Refused(error.kind, error.faults[0].field), Said(str(error))
    return value, value


def as_said(vector: Vector) -> Any:
    """What a host is to show that has the sentence of the table: that, or the value."""
    return called(FUNCTIONS[vector.function], vector)[1]


def differences(answers: Sequence[tuple[Vector, Any]]) -> list[str]:
    """Where a host's answers are not those of the table, or not those expected."""
    return [
        f"{vector.id} {vector.cells}: {value!r}, not {vector.expected!r}"
        for vector, value in answers
        if not same(value, as_said(vector), EXACT)
        or (not isinstance(value, Said) and not same(value, vector.expected, vector.rel))
    ]


def in_another_interpreter(program: str, asked: Any) -> str:
    """What a program prints that reads from its standard input what it is asked."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


# The table of vectors


@by_function
def test_every_function_has_every_sort_of_vector(name: str) -> None:
    function, about = FUNCTIONS[name], {vector.about for vector in of(name)}
    values = [vector for vector in of(name) if not isinstance(vector.expected, Refused)]
    assert values
    several = [
        argument
        for argument in function.arguments
        if argument.kind in ("number", "word") and not argument.single
    ]
    if [argument for argument in several if (name, argument.name) not in IN_ONE]:
        assert any(text.startswith("a column of") for text in about)
        assert any(text.startswith("a row of") for text in about)
    if len(several) > 1:
        assert "a column and a row" in about
        assert "ranges that do not fit" in about
    for argument in function.arguments:
        if argument.is_optional:
            assert f"{argument.name} empty" in about
            last = argument is function.arguments[-1]
            assert last or f"{argument.name} left out before others" in about
        else:
            assert f"{argument.name} missing" in about
    if function.minimum < function.maximum:
        assert "optional ones left out" in about


@by_function
def test_every_kind_of_error_that_a_function_can_refuse_is_there(name: str) -> None:
    arguments = FUNCTIONS[name].arguments
    kinds = set()
    for argument in arguments:
        kinds.add("unknown key" if argument.word else "type")
        if not argument.is_optional:
            kinds.add("missing")
        if argument.kind == "number":
            kinds.add("range")
        if argument.words or (name, argument.name) in OPEN_WORDS:
            kinds.add("unknown key")
        if argument.kind == "table":
            kinds |= {"range", "unknown key", "unknown figure", "conflict", "shape"}
    if sum(argument.kind in ("number", "word") for argument in arguments) > 1:
        kinds.add("shape")
    refused = {v.expected.kind for v in of(name) if isinstance(v.expected, Refused)}
    assert kinds <= refused


def test_all_kinds_are_there() -> None:
    refused = {vector.expected.kind for vector in VECTORS if isinstance(vector.expected, Refused)}
    assert refused == {
        "type",
        "range",
        "unknown key",
        "missing",
        "unknown figure",
        "conflict",
        "shape",
    }


def test_worked_values_come_with_their_source() -> None:
    sources = defaultdict(set)
    for vector in VECTORS:
        sources[vector.function].add(vector.about)
    assert "Brown et al. 2020, table D.1: 6ND" in sources["TCO_FLOPS"]
    assert "Microsoft: SLN(30000, 7500, 10)" in sources["TCO_DEPRECIATION"]
    assert set(sources) == set(FUNCTIONS) >= ASKED_OF_A_SCENARIO


# Python: the table, and the shells that hosts call


@by_function
def test_the_table(name: str) -> None:
    answers = [(vector, called(FUNCTIONS[name], vector)[0]) for vector in of(name)]
    wrong = [
        f"{vector.id}: {value!r}, not {vector.expected!r}"
        for vector, value in answers
        if not same(value, vector.expected, vector.rel)
    ]
    assert wrong == []


@by_function
def test_the_shells(name: str) -> None:
    shell = getattr(tco_udfs, name)
    assert differences([(vector, called(shell, vector)[1]) for vector in of(name)]) == []


# xlwings: on Windows with a simulated COM, and elsewhere


def in_com(vector: Vector) -> list[Any]:
    """The cells as references to them."""
    return [
        OUT if cell == OUT else over_range(cell if isinstance(cell, list) else [[cell]])
        for cell in vector.cells
    ]


def said(answer: Any) -> Any:
    """A value, or what stands for it where xlwings was told of an error."""
    if isinstance(answer, dict):
        assert answer["raised"] == "XlwingsError", answer
        return Said(answer["text"])
    return answer


@pytest.fixture(scope="module")
def excel() -> dict[str, list[tuple[Vector, Any]]]:
    """All vectors in one session of xlwings with a simulated COM."""
    answers = session([(vector.function, in_com(vector)) for vector in VECTORS])["answers"]
    return by_name(map(said, answers))


def by_name(answers: Iterator[Any]) -> dict[str, list[tuple[Vector, Any]]]:
    table = defaultdict(list)
    for vector, answer in zip(VECTORS, answers, strict=True):
        table[vector.function].append((vector, answer))
    return table


@by_function
def test_simulated_com(excel: dict[str, list[tuple[Vector, Any]]], name: str) -> None:
    assert differences(excel[name]) == []


@by_function
def test_a_cell_says_which_function_and_argument(
    excel: dict[str, list[tuple[Vector, Any]]], name: str
) -> None:
    """COM shows no error value, only text: it must tell on its own."""
    for vector, answer in excel[name]:
        if isinstance(answer, Said):
            start = rf"{name}: {re.escape(vector.expected.argument)}( \(.*?\))?: "
            assert re.match(start, answer.text), vector


BESIDE_XLWINGS = """
import json, sys
import xlwings
import tco_udfs

def answer(name, cells):
    try:
        return getattr(tco_udfs, name)(*cells)
    except Exception as problem:
        return {"raised": type(problem).__name__, "text": str(problem)}

print(json.dumps([answer(name, cells) for name, cells in json.load(sys.stdin)]))
"""


def office_js_cells(vector: Vector) -> list[Any]:
    """As xlwings hands them over there: all of ``ndim=2`` as rows, None for what is left out."""
    return [
        None if cell == OUT else cell if isinstance(cell, list) else [[cell]]
        for cell in vector.cells
    ]


@pytest.fixture(scope="module")
def beside_xlwings() -> dict[str, list[tuple[Vector, Any]]]:
    """All vectors in one interpreter that has loaded xlwings and is no Windows."""
    asked = [(vector.function, office_js_cells(vector)) for vector in VECTORS]
    answers = in_another_interpreter(BESIDE_XLWINGS, asked)
    return by_name(map(said, json.loads(answers)))


@by_function
def test_beside_xlwings(beside_xlwings: dict[str, list[tuple[Vector, Any]]], name: str) -> None:
    assert differences(beside_xlwings[name]) == []


# Workbooks: the arguments in cells, a formula for each vector


class Placed(NamedTuple):
    """A vector in a workbook: the row of its formula, what must be there, how it was asked."""

    vector: Vector
    row: int
    wanted: Any
    alone: str


FORMULA, WHY, FIRST = 1, 6, 8
"""Columns: the formula, which may fill those beside it; why it fails; the arguments."""


def references(sheet: Any, vector: Vector, row: int, alone: str) -> str:
    """Put the arguments into cells: the references to them, as they stand in the formula.

    ``alone`` is how a single cell is named that is empty or 0: ``A1`` or ``A1:A1``.
    """
    named, column = [], FIRST
    for cell in vector.cells:
        if cell == OUT:
            named.append("")
            continue
        block = cell if isinstance(cell, list) else [[cell]]
        for down, line in enumerate(block):
            for across, value in enumerate(line):
                sheet.cell(row + down, column + across, value)
        width = max(map(len, block))
        start = f"{get_column_letter(column)}{row}"
        end = f"{get_column_letter(column + width - 1)}{row + len(block) - 1}"
        single = start == end and (alone == "A1" or cell not in (EMPTY, 0.0))
        named.append(start if single else f"{start}:{end}")
        column += width + 1
    while named and not named[-1]:
        named.pop()
    return ",".join(named)


def written(
    sheet: Any, cases: Sequence[tuple[Vector, Any, str]], *, calc: bool = False
) -> list[Placed]:
    """Write a formula for each vector; in Calc where it spills as an array, and why it fails."""
    placed, row = [], 1
    for vector, wanted, alone in cases:
        arguments = references(sheet, vector, row, alone)
        name = programmatic_name(vector.function) if calc else vector.function
        formula = f"={name}({arguments})"
        height, width = len(rows(wanted)), len(rows(wanted)[0])
        if calc and isinstance(wanted, list):
            corner = f"{get_column_letter(FORMULA + width - 1)}{row + height - 1}"
            formula = ArrayFormula(f"{get_column_letter(FORMULA)}{row}:{corner}", formula)
        elif calc and isinstance(wanted, Refused):
            why = f"=IFERROR({formula[1:]},{programmatic_name(REASON)}())"
            sheet.cell(row, WHY, why)
        sheet.cell(row, FORMULA, formula)
        placed.append(Placed(vector, row, wanted, alone))
        tallest = max((len(rows(cell)) for cell in vector.cells), default=1)
        row += max(height, tallest) + 1
    return placed


@pytest.fixture(scope="module")
def formualizer() -> dict[str, list[tuple[Vector, Any]]]:
    """All vectors in one workbook, calculated as `xl-tco recalc` calculates one."""
    book = Workbook()
    sheet = book.worksheets[0]
    placed = written(sheet, [(vector, vector.expected, "A1") for vector in VECTORS])
    found = evaluate(saved(book), list(FUNCTIONS.values()), lambda _: True)
    errors = {error.address: error for error in found.errors}

    def answer(row: int) -> Any:
        error = errors.get(f"A{row}")
        if error is None:
            return found.values[sheet.title, f"A{row}"]
        assert error.error == FAILED
        return Said(error.message)

    return by_name(answer(place.row) for place in placed)


@by_function
def test_formualizer(formualizer: dict[str, list[tuple[Vector, Any]]], name: str) -> None:
    assert differences(formualizer[name]) == []


def in_calc(vector: Vector) -> Iterator[tuple[Vector, Any, str]]:
    """A vector as Calc is asked: single cells by name; those empty or 0 also as ranges of one."""
    yield vector, vector.calc, "A1"
    if unclear(vector):
        yield vector, vector.expected, "A1:A1"


def unclear(vector: Vector) -> bool:
    """Whether Calc hands over a 0 that may be an empty cell."""
    return any(cell in (EMPTY, 0.0) for cell in vector.cells)


@pytest.fixture(scope="module", params=OFFICES)
def calc(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[Placed]]:
    """All vectors in one workbook, calculated by LibreOffice with the extension."""
    office = working_office(tmp_path_factory.mktemp("office"), OFFICES[request.param])
    book = Workbook()
    # Ranges last: 25.2 takes the last of many arguments for a range too where the formula above
    # names it as one and is the same otherwise.
    cases = [case for vector in VECTORS for case in in_calc(vector)]
    cases.sort(key=lambda case: case[2])
    placed = written(book.worksheets[0], cases, calc=True)
    (seen,) = office.recalculated(saved(book))
    return seen.worksheets[0], placed


def differs_in_calc(sheet: Any, place: Placed) -> bool:
    vector, row, wanted, alone = place
    value = sheet.cell(row, FORMULA).value
    if isinstance(wanted, Refused):
        start = rf"{vector.function}: {re.escape(wanted.argument)}( \(.*?\))?: "
        why = str(sheet.cell(row, WHY).value)
        if value != FAILED or not re.match(start, why):
            return True
        plain = vector.calc == vector.expected and not unclear(vector)
        return (plain or alone == "A1:A1") and Said(why) != as_said(vector)
    if isinstance(wanted, list):
        height, width = len(rows(wanted)), len(rows(wanted)[0])
        value = [
            [sheet.cell(row + down, FORMULA + across).value for across in range(width)]
            for down in range(height)
        ]
    return not same(value, wanted, vector.rel)


@by_function
def test_libreoffice(calc: tuple[Any, list[Placed]], name: str) -> None:
    sheet, placed = calc
    wrong = [
        f"{place.vector.id} {place.vector.cells}: {sheet.cell(place.row, FORMULA).value!r}"
        f" {sheet.cell(place.row, WHY).value!r}, not {place.wanted!r}"
        for place in placed
        if place.vector.function == name and differs_in_calc(sheet, place)
    ]
    assert wrong == []


# A function that fails turns the master check


class Remembered:
    """A function of the table that calculates equal cells once, however often a book is read."""

    def __init__(self, name: str) -> None:
        self._function, self._known = FUNCTIONS[name], {}
        self.name, self.minimum, self.maximum = name, 0, self._function.maximum

    def __call__(self, *cells: Any) -> Any:
        key = repr(cells)
        if key not in self._known:
            self._known[key] = self._function(*cells)
        return self._known[key]


class Failing:
    """A function that always fails: it raises, or gives its message as text, as COM does."""

    def __init__(self, name: str, message: str = "") -> None:
        self.name, self._message = name, message
        self.minimum, self.maximum = 0, FUNCTIONS[name].maximum
        self.calls = 0

    def __call__(self, *_: Any) -> str:
        self.calls += 1
        if self._message:
            return self._message
        raise RuntimeError("it fails")


class Model:
    """A model workbook whose every part is in use, and what its checks say."""

    def __init__(self, kind: str) -> None:
        self.package = draft(changed(**FROM_THE_BOTTOM_UP[kind]))
        self._functions = {name: Remembered(name) for name in FUNCTIONS}

    def checked(self, failing: Failing | None = None) -> tuple[Any, int]:
        """What the master check says, and how many checks do not hold."""
        functions = self._functions | ({failing.name: failing} if failing else {})
        found = evaluate(self.package, list(functions.values()), lambda text: "TCO_" in text)
        checks = [value for (sheet, _), value in found.values.items() if sheet == "Checks"]
        return found.values["Checks", "A3"], checks.count("no")

    def calling(self, name: str) -> set[str]:
        """Sheets on which a formula calls a function."""
        formulas = Package(self.package).formula_cells()
        return {cell.sheet for cell in formulas if f"{name}(" in cell.formula}


@pytest.fixture(scope="module")
def model() -> Model:
    return Model("everything")


@pytest.fixture(scope="module")
def rented() -> Model:
    """The same on a rented cluster: an owned one asks for no rent."""
    return Model("everything, rented")


NOT_GUARDED = sorted(
    set(FUNCTIONS)
    # A text in any case, on which no number rests.
    - {"TCO_VERSION"}
    # Examples of questions that some runs have no answer to: they show "unknown" instead.
    - {"TCO_BREAKEVEN", "TCO_SENSITIVITY", "TCO_SOLVE", "TCO_TOKENS_FOR_BUDGET"}
)


def test_all_checks_hold_where_no_function_fails(model: Model, rented: Model) -> None:
    assert model.checked() == (ALL_HOLD, 0)
    assert rented.checked() == (ALL_HOLD, 0)


def turns(model: Model, failing: Failing) -> None:
    said, failed = model.checked(failing)
    assert failing.calls
    assert said == LOOK
    # One check is of the examples on Functions; what the total rests on has another of its own.
    assert failed >= 1 + ("Calc" in model.calling(failing.name))


@pytest.mark.parametrize("name", NOT_GUARDED)
def test_a_message_for_a_number_turns_the_master_check(
    model: Model, rented: Model, excel: dict[str, list[tuple[Vector, Any]]], name: str
) -> None:
    """Behind COM a failed function is a text, which SUM passes over: here are texts it gave."""
    message = next(answer.text for _, answer in excel[name] if isinstance(answer, Said))
    turns(rented if name == "TCO_RENTAL_COST" else model, Failing(name, message))


@pytest.mark.parametrize("name", NOT_GUARDED)
def test_an_error_for_a_number_turns_the_master_check(
    model: Model, rented: Model, name: str
) -> None:
    turns(rented if name == "TCO_RENTAL_COST" else model, Failing(name))


def test_no_total_rests_on_the_other_functions(model: Model) -> None:
    for name in set(FUNCTIONS) - set(NOT_GUARDED):
        assert model.calling(name) <= {"Functions", "Log", "Compare", "Sensitivity", "Claims"}
    assert "Calc" in model.calling("TCO_TOTAL")


def test_unknown_names_turn_the_master_check(libreoffice: LibreOffice, tmp_path: Path) -> None:
    """LibreOffice without the extension: every call is #NAME?; the native book is in order."""
    package = workbook_bytes(changed(**EVERYTHING))
    packages = {
        "plain": package,
        "programmatic": programmatic_names(package),
        "native": workbook_bytes(changed(**EVERYTHING), "native"),
    }
    paths = [tmp_path / f"{name}.xlsx" for name in packages]
    for path, content in zip(paths, packages.values(), strict=True):
        path.write_bytes(content)
    *failed, native = libreoffice.recalculated(paths)
    for book in failed:
        assert "#NAME?" in {cell.value for row in book["Calc"].iter_rows() for cell in row}
        assert book["Checks"]["A3"].value == LOOK
    assert native["Checks"]["A3"].value == ALL_HOLD


# Nothing is imported once a function has been called

CALLED_AGAIN = """
import json, os, sys
import tco_udfs
from xl_tco.errors import TcoError

for name, first, others in json.load(sys.stdin):
    if os.fork() == 0:  # a process for each function, in which no other has been called
        start = set(sys.modules)
        getattr(tco_udfs, name)(*first)
        there = set(sys.modules)
        for cells in others:
            try:
                getattr(tco_udfs, name)(*cells)
            except TcoError:
                pass
        later = sorted(set(sys.modules) - there)
        print(json.dumps([name, ["pydantic" in there - start, later]]), flush=True)
        os._exit(0)
    if os.wait()[1]:
        sys.exit(f"{name} failed")
"""


def test_no_call_after_the_first_imports_anything() -> None:
    """Whatever the later calls ask, and however they are refused."""
    asked = []
    for name in FUNCTIONS:
        cells = [in_python(vector) for vector in of(name)]
        values = (vector for vector in of(name) if not isinstance(vector.expected, Refused))
        asked.append((name, in_python(next(values)), cells))
    answers = in_another_interpreter(CALLED_AGAIN, asked)
    imported = dict(map(json.loads, answers.splitlines()))
    assert imported == {name: [name in NEED_A_SCENARIO, []] for name in FUNCTIONS}

"""The pages on the functions: those in the repository, and what their examples come to.

To make them again: ``xl-tco functions --pages docs``.
"""

import io
import math
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from xl_tco import InputError
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.mistakes import OWN_MISTAKES, typed
from xl_tco.hosts.pages import TOPICS, _errors, function_pages, worked_example
from xl_tco.workbook import recalculated

DOCS = Path(__file__).parents[1] / "docs"
PAGES = function_pages()
ANSWER = "J1"  # right of every cell of an example


@pytest.fixture(scope="module")
def calculated() -> Any:
    """A sheet for each example, typed in as its page says, calculated by formualizer."""
    book = openpyxl.Workbook()
    for name, function in FUNCTIONS.items():
        sheet = book.create_sheet(name)
        example = worked_example(function)
        for address, value in example.cells.items():
            sheet[address] = value
        sheet[ANSWER] = example.formula
    buffer = io.BytesIO()
    book.save(buffer)
    package, report = recalculated(buffer.getvalue())
    assert not report.errors
    return openpyxl.load_workbook(io.BytesIO(package), data_only=True)


def agree(a: Any, b: Any) -> bool:
    """Whether two values are the same, numbers to twelve digits."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-12)
    return (a or None) == (b or None)


@pytest.mark.parametrize("path", PAGES)
def test_the_page_in_the_repository_is_the_one_of_the_table(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == PAGES[path]


def test_there_is_no_page_of_a_function_that_there_is_not() -> None:
    assert {path.stem for path in (DOCS / "functions").iterdir()} == set(FUNCTIONS)


def test_every_function_has_one_topic() -> None:
    listed = [function.name for _, functions in TOPICS for function in functions]
    assert sorted(listed) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_has_as_many_arguments_as_the_function_takes(name: str) -> None:
    function = FUNCTIONS[name]
    assert function.minimum <= len(function.example) <= function.maximum
    assert None not in function.example  # hosts differ in what they make of one left out


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_comes_to_what_the_page_says(calculated: Any, name: str) -> None:
    result = worked_example(FUNCTIONS[name]).result
    rows = result if isinstance(result, list) else [[result]]
    top = calculated[name][ANSWER]
    for down, row in enumerate(rows):
        for right, wanted in enumerate(row):
            shown = calculated[name].cell(top.row + down, top.column + right).value
            assert agree(shown, wanted), (shown, wanted)
    assert calculated[name].cell(top.row + len(rows), top.column).value is None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_page_says_everything_of_the_table(name: str) -> None:
    function, page = FUNCTIONS[name], PAGES[f"functions/{name}.md"]
    assert function.help in page
    for argument in function.arguments:
        line = next(line for line in page.splitlines() if line.startswith(f"| `{argument.name}` |"))
        assert argument.help in line
        assert ("| required |" in line) != argument.is_optional
    assert worked_example(function).formula in page


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_with_arguments_shows_errors(name: str) -> None:
    assert bool(list(_errors(FUNCTIONS[name]))) == bool(FUNCTIONS[name].arguments)


@pytest.mark.parametrize(
    ("name", "cells"),
    [(name, cells) for name, cases in OWN_MISTAKES.items() for _, cells in cases],
)
def test_an_error_of_the_function_itself_is_one(name: str, cells: tuple[Any, ...]) -> None:
    with pytest.raises(InputError):
        FUNCTIONS[name](*cells)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (0.41, "0.41"),
        (128_256.0, "128256"),
        (405e9, "405E9"),
        (15.6e12, "15.6E12"),
        (16_777_216.0, "16777216"),
        (3.79e25, "37.9E24"),
        (-1.0, "-1"),
        ("h100-sxm", '"h100-sxm"'),
    ],
)
def test_a_value_as_it_is_typed(value: object, wanted: str) -> None:
    assert typed(value) == wanted
    assert isinstance(value, str) or float(wanted) == value


def test_links_lead_somewhere() -> None:
    for path, page in PAGES.items():
        for part in page.split("](")[1:]:
            target = part.partition(")")[0].partition("#")[0]
            assert ((DOCS / path).parent / target).resolve().is_file(), target

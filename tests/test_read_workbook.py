"""A workbook read back: what is typed into the blue cells, as people and programs leave them.

Most books here are small ones of openpyxl, laid out by hand; what the build writes is read as well.
"""

import datetime as dt
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.workbook import Workbook
from openpyxl.workbook.defined_name import DefinedName
from typer.testing import CliRunner, Result

from books import entries, opened, saved, zipped
from libreoffice import LibreOffice
from test_cases import CASES, OWN, RENT, UNCERTAIN, exact, scenarios
from xl_tco import InputError, Scenario, evaluate, load_scenario
from xl_tco.analysis.cases import cases_of, ranges_of
from xl_tco.cli import app
from xl_tco.errors import Fault, WorkbookError
from xl_tco.fields import FIELDS
from xl_tco.hosts.macro import macro_workbook
from xl_tco.saving import scenario_toml
from xl_tco.workbook import read_scenario, scenario_in, workbook_bytes
from xl_tco.workbook.package import write_constants

HEADS = ("Base", "Low", "High", "Own")
FIRST = 7
ROW = {name: row for row, name in enumerate(FIELDS, start=FIRST)}
LAST = FIRST + len(FIELDS) - 1
RANGE_ROWS, PAIR_ROWS = (30, 45), (50, 60)
PLACES = {
    "triangular": (1, 2, 3),
    "pert": (1, 2, 3),
    "uniform": (1, 3),
    "normal": (2, 3),
    "lognormal": (1, 3),
}
"""Columns, after the field's, of what a distribution is given by."""

EMPTY: dict[str, dict[str, Any]] = {"low": {}, "high": {}}
"""What columns without any figure are, where the build would fill some in."""


def name_cells(book: Workbook, name: str, cells: str) -> None:
    book.defined_names[name] = DefinedName(name, attr_text=cells)


def book_of(
    base: Mapping[str, Any],
    cases: Mapping[str, Mapping[str, Any]] | None = None,
    case: str = "Base",
    ranges: Sequence[Sequence[Any]] = (),
    pairs: Sequence[Sequence[Any]] = (),
    heads: Sequence[str] = HEADS,
) -> Workbook:
    """Lay out what is read of a workbook, by hand."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet("Inputs")
    for column, head in enumerate(("What", "Unit", "Field", "Value", *heads), start=1):
        sheet.cell(4, column, head)
    sheet["C5"], sheet["D5"] = "case_in_force", case
    columns = {"base": base, **(cases or {})}
    for name, row in ROW.items():
        sheet.cell(row, 3, name)
        sheet.cell(row, 4, f'=IF(E{row}="",0,E{row})')
        for column, of in enumerate(("base", "low", "high", "own"), start=5):
            value = columns.get(of, {}).get(name)
            if value is not None:
                cell = sheet.cell(row, column)
                cell.value = value
                if isinstance(value, str):
                    cell.data_type = "s"
    name_cells(book, "case_in_force", "Inputs!$D$5")
    name_cells(book, "inputs", f"Inputs!$C${FIRST}:$D${LAST}")
    sheet = book.create_sheet("Sensitivity")
    for at, row in enumerate(ranges, start=RANGE_ROWS[0]):
        for column, value in enumerate(row, start=2):
            sheet.cell(at, column, value)
    for at, row in enumerate(pairs, start=PAIR_ROWS[0]):
        for column, value in enumerate(row, start=2):
            sheet.cell(at, column, value)
    name_cells(book, "ranges", "Sensitivity!$B${}:$F${}".format(*RANGE_ROWS))
    name_cells(book, "correlations", "Sensitivity!$B${}:$D${}".format(*PAIR_ROWS))
    return book


def book_of_scenario(run: Scenario) -> Workbook:
    """Lay out a scenario as its workbook has it, what the build fills in by itself included."""
    base = run.in_case("base")
    ranges = []
    for name, values in ranges_of(run).items():
        row: list[Any] = [name, None, None, None, values.kind]
        for column, value in zip(PLACES[values.kind], values.parameters, strict=True):
            row[column] = value
        ranges.append(row)
    return book_of(
        base.given, cases_of(run), run.case.capitalize(), ranges, [*map(list, base.correlations)]
    )


def again(run: Scenario) -> Scenario:
    book = book_of_scenario(run)
    numbers = {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, float)
    }
    return scenario_in(write_constants(saved(book), numbers))  # openpyxl writes 16 digits


def faults(book: Workbook) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        scenario_in(saved(book), "a.xlsx")
    assert all(line.startswith("a.xlsx: ") for line in str(caught.value).splitlines())
    return caught.value.faults


TEXTS = st.text(st.characters(exclude_categories=("C",)), min_size=1).filter(str.strip)


# What was written comes back


@settings(max_examples=50)
@given(run=scenarios(names=TEXTS))
def test_a_scenario_comes_back(run: Scenario) -> None:
    """All but what is as the build would fill it in by itself."""
    found = again(run)
    automatic = cases_of(run.in_case("base").replace())
    cases = {
        name: dict(figures)
        for name, figures in run.cases.items()
        if figures != automatic[name] or name == run.case != "own"
    }
    wanted = Scenario.from_table({**run.table, "cases": cases})
    assert exact(found.table) == exact(wanted.table)
    assert dict(found.values) == dict(wanted.values)
    assert again(found) == found


@pytest.mark.parametrize("table", [RENT, OWN, UNCERTAIN])
@pytest.mark.parametrize("case", ["Base", "low", " HIGH ", "Own"])
def test_the_case_in_force_is_the_one_chosen(table: dict[str, Any], case: str) -> None:
    book = book_of_scenario(Scenario(**table, cases=CASES))
    book["Inputs"]["D5"] = case
    assert scenario_in(saved(book)) == Scenario(**table, cases=CASES, case=case.strip().lower())


def test_cases_that_the_build_filled_in_stay_away_until_one_is_in_force() -> None:
    run = Scenario(**OWN)
    assert cases_of(run)["low"]
    assert not again(run).cases
    book = book_of_scenario(run)
    book["Inputs"]["D5"] = "Low"
    low = scenario_in(saved(book))
    assert {name: dict(case) for name, case in low.cases.items()} == {"low": cases_of(run)["low"]}
    assert low.case == "low"
    assert evaluate(low).total_usd < evaluate(run).total_usd


def test_a_case_that_was_cleared_or_changed_comes_back() -> None:
    price = ROW["accelerator_price_usd"]
    book = book_of_scenario(Scenario(**OWN))
    book["Inputs"][f"F{price}"] = None
    book["Inputs"][f"G{price}"] = 50_000
    book["Inputs"][f"H{ROW['mfu']}"] = 0.5
    cases = {"low": {}, "high": {"accelerator_price_usd": 50_000.0}, "own": {"mfu": 0.5}}
    assert scenario_in(saved(book)) == Scenario(**OWN, cases=cases)


def test_headings_in_another_language_say_which_case_it_is() -> None:
    heads = ("基準", "低成本", "高成本", "自訂")
    for case, head in zip(("base", "low", "high", "own"), heads, strict=True):
        book = book_of(RENT, CASES, head, heads=heads)
        assert scenario_in(saved(book)) == Scenario(**RENT, cases=CASES, case=case)


def test_rows_may_move_and_stand_beside_others() -> None:
    book = book_of(RENT, CASES)
    sheet = book["Inputs"]
    sheet.insert_rows(FIRST, 3)
    sheet.cell(FIRST, 1, "A section")
    name_cells(book, "inputs", f"Inputs!$C${FIRST}:$D${LAST + 3}")
    sheet.title = "My inputs"
    name_cells(book, "inputs", f"'My inputs'!$C${FIRST}:$D${LAST + 3}")
    name_cells(book, "case_in_force", "'My inputs'!$D$5")
    assert scenario_in(saved(book)) == Scenario(**RENT, cases=CASES)


# Ranges and correlations


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (["mfu", 0.3, 0.4, 0.5, None], {"low": 0.3, "mode": 0.4, "high": 0.5}),
        (["mfu", 0.3, 0.4, 0.5, "PERT "], {"low": 0.3, "mode": 0.4, "high": 0.5}),
        (["mfu", 0.3, None, 0.5, "uniform"], {"low": 0.3, "high": 0.5}),
        (["mfu", None, 0.4, 0.02, "normal"], {"mean": 0.4, "sd": 0.02}),
        (["mfu", 0.32, None, 0.5, "lognormal"], {"p10": 0.32, "p90": 0.5}),
    ],
)
def test_a_row_is_a_range(row: list[Any], values: dict[str, Any]) -> None:
    kind = "triangular" if row[4] is None else row[4].strip().lower()
    values = {"distribution": kind, **values}
    rest = ([None] * 5, ["pue", None, None, None, "triangular"], ["  ", "", None, None, "uniform"])
    wanted = Scenario(**{**RENT, "mfu": values}, cases=EMPTY)
    shown = float(f"{wanted.given['mfu']:.10g}")  # as a person copies it
    book = book_of({**RENT, "mfu": shown}, ranges=[row, *rest])
    assert scenario_in(saved(book)) == wanted


@pytest.mark.parametrize("table", [OWN, RENT])
def test_ranges_that_the_build_filled_in_stay_away(table: dict[str, Any]) -> None:
    """Also when their figures, or which of them move the total most, have changed since."""
    book = book_of_scenario(Scenario(**table))
    assert book["Sensitivity"][f"B{RANGE_ROWS[0]}"].value == next(
        iter(ranges_of(Scenario(**table)))
    )
    assert scenario_in(saved(book)) == Scenario(**table)
    changes = {"mfu": 0.3, "staff_fte": 5000.0, "accelerator": "b200-sxm", "pue": 3.0}
    for name, value in changes.items():
        book["Inputs"][f"E{ROW[name]}"] = value
        assert scenario_in(saved(book)).in_case("base").given[name] == value
        assert not scenario_in(saved(book)).ranges


def test_a_range_that_could_be_filled_in_is_the_users_where_it_stands_alone() -> None:
    tenth = {"low": 0.36, "mode": 0.4, "high": 0.44}
    run = Scenario(**{**OWN, "mfu": tenth})
    assert again(run) == run
    book = book_of_scenario(run)
    book["Inputs"][f"E{ROW['mfu']}"] = 0.3  # and stays behind when its figure changes
    assert not scenario_in(saved(book)).ranges


def test_beside_a_range_of_ones_own_the_others_count_but_for_what_they_no_longer_stand_for() -> (
    None
):
    run = Scenario(**OWN)
    book = book_of_scenario(run)
    sheet = book["Sensitivity"]
    for column, value in enumerate(("pue", 1.1, 1.2, 1.5), start=2):
        sheet.cell(RANGE_ROWS[1], column, value)
    book["Inputs"][f"E{ROW['pue']}"] = 1.2
    book["Inputs"][f"E{ROW['mfu']}"] = 0.3
    found = scenario_in(saved(book))
    filled_in = ranges_of(run)
    assert "mfu" in filled_in
    assert {*found.ranges} == {*filled_in, "pue"} - {"mfu"}
    assert found.ranges["accelerator_price_usd"] == filled_in["accelerator_price_usd"]
    assert found.values["mfu"] == 0.3


def test_a_range_that_stands_for_another_value_is_refused() -> None:
    book = book_of(RENT, ranges=[["mfu", 0.3, 0.42, 0.5, "triangular"]])
    [fault] = faults(book)
    assert (fault.kind, fault.field, fault.place) == ("conflict", "mfu", "Sensitivity!B30")
    assert fault.problem == "its range stands for 0.42, its value is 0.4"
    assert f"Inputs!E{ROW['mfu']}" in fault.allowed


def test_a_workbook_without_the_sheet_has_no_ranges() -> None:
    book = book_of(RENT, CASES)
    del book["Sensitivity"], book.defined_names["ranges"], book.defined_names["correlations"]
    assert scenario_in(saved(book)) == Scenario(**RENT, cases=CASES)


BAD_ROWS = [
    # the row, kind, field, place, a piece of the problem
    (["mfuu", 0.3, 0.4, 0.5, None], "unknown key", "mfuu", "B30", 'did you mean "mfu"'),
    (["region", 0.3, 0.4, 0.5, None], "unknown key", "region", "B30", "no field of a number"),
    ([None, 0.3, 0.4, 0.5, None], "missing", "ranges", "B30", "no field is named"),
    ([7, 0.3, 0.4, 0.5, None], "type", "inputs", "B30", "7 is a number"),
    (["mfu", 0.3, 0.4, 0.5, "gauss"], "unknown key", "mfu", "F30", '"gauss" is no distribution'),
    (["mfu", 0.3, 0.4, 0.5, 1], "type", "mfu", "F30", "is a number"),
    (["mfu", 0.3, 0.4, None, None], "missing", "mfu", "E30", "high is not given"),
    (["mfu", 0.3, None, 0.5, "pert"], "missing", "mfu", "D30", "mode is not given"),
    (["mfu", "0.3", 0.4, 0.5, None], "type", "mfu", "C30", '"0.3" is text'),
    (["mfu", 0.3, 0.4, 1.5, None], "range", "mfu", "E30", "1.5 is out of range"),
    (["mfu", 0.45, 0.4, 0.5, None], "range", "mfu", "C30", "is above mode"),
    (["mfu", 0.3, 0.4, 0.5, "uniform"], "unknown key", "mfu", "D30", 'no "mode"'),
    (["mfu", 0.3, 0.4, 0.1, "normal"], "unknown key", "mfu", "C30", 'no "low"'),
    (["mfu", 0.3, 0.4, 0.5, "lognormal"], "unknown key", "mfu", "D30", 'no "mean"'),
    (["mfu", 0.3, dt.date(2026, 11, 30), 0.5, None], "type", "mfu", "D30", "2026-11-30 is a date"),
    (["mfu", 0.3, "=0.4", 0.5, None], "type", "mfu", "D30", "a formula that carries no value"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "kind", "field", "place", "problem"), BAD_ROWS)
def test_a_bad_range_names_its_cell(
    row: list[Any], kind: str, field: str, place: str, problem: str
) -> None:
    [fault] = faults(book_of(RENT, ranges=[row]))
    assert (fault.kind, fault.field, fault.place) == (kind, field, f"Sensitivity!{place}")
    assert problem in fault.problem
    assert fault.allowed


def test_a_field_has_one_range() -> None:
    [fault] = faults(book_of(RENT, ranges=[["mfu", 0.3, 0.4, 0.5], [], ["mfu", 0.3, 0.4, 0.5]]))
    assert (fault.kind, fault.field, fault.place) == ("conflict", "mfu", "Sensitivity!B32")


BAD_PAIRS = [
    (["mfu", "pue", 0.1], "unknown key", "pue"),
    (["mfu", "mfu", 0.1], "conflict", "one field twice"),
    (["mfu", "staff_fte", 1.5], "range", "1.5"),
    (["mfu", "staff_fte", None], "type", "no correlation"),
    (["mfu", "staff_fte", "0.5"], "type", "no correlation"),
    ([None, "staff_fte", 0.5], "unknown key", "has no range"),
]


@pytest.mark.parametrize(("pair", "kind", "problem"), BAD_PAIRS)
def test_a_bad_correlation_names_its_cells(pair: list[Any], kind: str, problem: str) -> None:
    ranges = [["mfu", 0.3, 0.4, 0.5], ["staff_fte", 9, 10, 11]]
    [fault] = faults(book_of(RENT, ranges=ranges, pairs=[[], pair]))
    assert (fault.kind, fault.field, fault.place) == (kind, "correlations", "Sensitivity!B51")
    assert problem in fault.problem


# What people type into the inputs

TYPED = [
    ("mfu", 0.4, 0.4),
    ("accelerators", 1024, 1024.0),
    ("accelerator", "  h100-sxm ", "h100-sxm"),
    ("name", "  a b ", "  a b "),
    ("name", "=1+1", "=1+1"),
    ("start_date", "2026-11", "2026-11"),
    ("pue", None, None),
    ("pue", "", None),
    ("pue", "   ", None),
    ("pue", "unknown", None),
]


@pytest.mark.parametrize(("field", "typed", "value"), TYPED)
def test_what_is_typed_is_given(field: str, typed: Any, value: Any) -> None:
    for column, cases in ((None, None), ("low", {"low": {field: typed}})):
        base = RENT if column else {**RENT, field: typed}
        found = scenario_in(saved(book_of(base, {**(cases or {}), "high": {"tokens": 2e12}})))
        figures = found.cases["low"] if column and value else found.in_case("base").given
        if value is not None or column is None:
            assert figures.get(field) == value


BAD_CELLS = [
    # field, what is typed, kind, a piece of the problem, a piece of what is allowed
    ("mfu", "0.4", "type", '"0.4" is text', "a number above 0"),
    ("mfu", "40 %", "type", '"40 %" is text', "a number above 0"),
    ("mfu", True, "type", "True is a yes or no", "a number above 0"),
    ("mfu", 1.4, "range", "1.4 is out of range", "at most 1"),
    ("mfu", dt.datetime(2026, 5, 1), "type", "2026-05-01 is a date", "a number above 0"),
    ("mfu", dt.time(12), "type", "12:00:00 is a time", "a number above 0"),
    ("mfu", dt.timedelta(hours=30), "type", "is a time", "a number above 0"),
    ("mfu", "=1/3", "type", "a formula that carries no value", "xl-tco recalc"),
    ("mfu", "#REF!", "type", "#REF! is an error", "a number above 0"),
    ("mfu", "#N/A", "type", "#N/A is an error", "a number above 0"),
    ("procurement", 1, "type", "1 is a number", "own, rent"),
    ("procurement", "lease", "unknown key", '"lease"', "own, rent"),
    ("accelerator", "H100", "unknown key", "h100", "v100-sxm"),
    ("accelerator", "#VALUE!", "type", "#VALUE! is an error", "a key of the"),
    ("start_date", dt.date(2026, 11, 1), "type", "2026-11-01 is a date", "like 2026-11"),
    ("name", 5, "type", "5 is a number", "a text"),
    ("layers", 80, "conflict", "only some of layers", "all three"),
    ("pue", 0.5, "range", "0.5 is out of range", "from 1 to 10"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "typed", "kind", "problem", "allowed"), BAD_CELLS)
@pytest.mark.parametrize("column", ["E", "F", "H"])
def test_a_bad_cell_is_named(
    column: str, field: str, typed: Any, kind: str, problem: str, allowed: str
) -> None:
    book = book_of(RENT)
    book["Inputs"][f"{column}{ROW[field]}"].value = typed
    [fault] = faults(book)
    assert (fault.kind, fault.field) == (kind, field)
    assert fault.place == f"Inputs!{column}{ROW[field]}"
    assert problem in fault.problem
    assert allowed in fault.allowed


def test_all_bad_cells_are_named_at_once() -> None:
    book = book_of({**RENT, "mfu": 1.4, "tokens": None}, {"high": {"pue": "x"}}, "Best")
    book["Inputs"][f"H{ROW['region']}"] = "#N/A"
    assert {(fault.field, fault.place) for fault in faults(book)} == {
        ("mfu", f"Inputs!E{ROW['mfu']}"),
        ("tokens", f"Inputs!E{ROW['tokens']}"),
        ("pue", f"Inputs!G{ROW['pue']}"),
        ("region", f"Inputs!H{ROW['region']}"),
        ("case", "Inputs!D5"),
    }


@pytest.mark.parametrize("chosen", ["Best", 2, None, "#N/A", "=1"])
def test_a_case_that_is_none_is_named(chosen: Any) -> None:
    book = book_of(RENT)
    book["Inputs"]["D5"] = chosen
    [fault] = faults(book)
    assert (fault.field, fault.place) == ("case", "Inputs!D5")
    assert "Base, Low, High, Own" in fault.allowed or "recalc" in fault.allowed


def test_rows_that_are_no_fields_are_named() -> None:
    book = book_of(RENT)
    sheet = book["Inputs"]
    sheet[f"C{ROW['tokens']}"] = "tokns"
    found = faults(book)
    assert ("unknown key", "tokns", f"Inputs!E{ROW['tokens']}") in {
        (fault.kind, fault.field, fault.place) for fault in found
    }
    sheet[f"C{ROW['tokens']}"] = "parameters"
    [twice, *_] = faults(book)
    assert (twice.kind, twice.field, twice.place) == (
        "conflict",
        "parameters",
        f"Inputs!C{ROW['tokens']}",
    )


def test_a_formula_counts_with_the_value_that_it_carries() -> None:
    book = book_of(RENT)
    book["Inputs"][f"E{ROW['tokens']}"] = "=20*70E9"
    book["Inputs"][f"E{ROW['mfu']}"] = "=1/0"
    cells = {
        f"E{ROW['tokens']}": (b"", b"1400000000000"),
        f"E{ROW['mfu']}": (b' t="e"', b"#DIV/0!"),
    }
    package = carrying(saved(book), cells)
    with pytest.raises(InputError) as caught:
        scenario_in(package)
    [fault] = caught.value.faults
    assert (fault.field, fault.place) == ("mfu", f"Inputs!E{ROW['mfu']}")
    assert "#DIV/0! is an error" in fault.problem
    cells[f"E{ROW['mfu']}"] = (b"", b"0.4")
    assert scenario_in(carrying(saved(book), cells)) == Scenario(**RENT, cases=EMPTY)


def carrying(package: bytes, cells: Mapping[str, tuple[bytes, bytes]]) -> bytes:
    """Put values into formula cells of the first sheet, as a program that calculates does."""
    content = entries(package)
    sheet = content["xl/worksheets/sheet1.xml"]
    for address, (sort, value) in cells.items():
        start = sheet.index(f'<c r="{address}"'.encode())
        end = sheet.index(b"</c>", start)
        cell = sheet[start:end]
        new = cell.replace(b">", sort + b">", 1).replace(b"<v />", b"").replace(b"<v></v>", b"")
        sheet = sheet[:start] + new + b"<v>" + value + b"</v>" + sheet[end:]
    return zipped(content | {"xl/worksheets/sheet1.xml": sheet})


# Files that are none


def broken(package: bytes, part: str) -> bytes:
    return zipped({**entries(package), part: b"<worksheet"})


def test_what_is_no_workbook_is_said_to_be_none(tmp_path: Path) -> None:
    good = saved(book_of(RENT))
    plain = openpyxl.Workbook()
    bad = {
        "a text": b"mfu = 0.4",
        "nothing": b"",
        "a zip": zipped({"a.txt": b"a"}),
        "half a workbook": good[: len(good) // 2],
        "another workbook": saved(plain),
        "a damaged sheet": broken(good, "xl/worksheets/sheet1.xml"),
        "a damaged book": broken(good, "xl/workbook.xml"),
    }
    for what, package in bad.items():
        path = tmp_path / "a.xlsx"
        path.write_bytes(package)
        with pytest.raises(WorkbookError) as caught:
            read_scenario(path)
        assert str(caught.value).startswith(f"{path}: "), what
    with pytest.raises(WorkbookError):
        read_scenario(tmp_path / "missing.xlsx")
    with pytest.raises(WorkbookError):
        read_scenario(tmp_path)


@pytest.mark.parametrize("name", ["inputs", "case_in_force"])
@pytest.mark.parametrize(
    "cells",
    [None, "#REF!", "Inputs!#REF!", "1", "Gone!$C$1:$D$9", "Inputs!$C:$D", "Inputs!$C$1,$D$1"],
)
def test_a_name_that_is_of_no_cells_makes_no_model(name: str, cells: str | None) -> None:
    book = book_of(RENT)
    del book.defined_names[name]
    if cells is not None:
        name_cells(book, name, cells)
    with pytest.raises((WorkbookError, InputError)):
        scenario_in(saved(book), "a.xlsx")


@settings(max_examples=60)
@given(
    cells=st.dictionaries(
        st.tuples(st.sampled_from("CDEFGH"), st.integers(1, LAST + 2)),
        st.none()
        | st.integers(-(10**9), 10**9)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=("C",)), max_size=5)
        | st.sampled_from(["=1/0", "#REF!", True, dt.date(2026, 1, 1), *FIELDS, "h100-sxm", "own"]),
        max_size=5,
    )
)
def test_whatever_is_typed_is_a_scenario_or_an_input_error(
    cells: dict[tuple[str, int], Any],
) -> None:
    book = book_of(RENT, CASES, ranges=[["mfu", 0.3, 0.4, 0.5]])
    for (column, row), value in cells.items():
        book["Inputs"][f"{column}{row}"].value = value
    with suppress(InputError):
        assert scenario_in(saved(book)).values["parameters"]


# The command


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["read", *map(str, arguments)])


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "a run.xlsx"
    run = Scenario(**UNCERTAIN, name="七", cases=CASES, case="low")
    path.write_bytes(saved(book_of_scenario(run)))
    return path


def test_read_prints_toml_that_is_the_scenario(book: Path) -> None:
    result = command(book)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:2] == ["# Read from a run.xlsx", 'name = "七"']
    assert Scenario.from_table(tomllib.loads(result.stdout)) == read_scenario(book)


def test_read_prints_json_that_is_the_scenario(book: Path) -> None:
    result = command(book, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Scenario.from_table(json.loads(result.stdout)) == read_scenario(book)


@pytest.mark.parametrize("suffix", [".toml", ".json", ".TOML"])
def test_read_writes_a_file_whole_and_only_once(book: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    result = command(book, "-o", path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"wrote {path}\n"
    assert load_scenario(path) == read_scenario(book)
    before = path.read_bytes()
    path.write_text("mine")
    assert command(book, "-o", path).exit_code != 0
    assert path.read_text() == "mine"
    assert command(book, "-o", path, "--force").exit_code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("options", [["-o", "a.csv"], ["-o", "a"], ["-o", "a.toml", "--json"]])
def test_read_writes_toml_and_json_alone(book: Path, tmp_path: Path, options: list[str]) -> None:
    options = [str(tmp_path / part) if part.startswith("a") else part for part in options]
    result = command(book, *options)
    assert isinstance(result.exception, InputError)
    assert "not the name of a scenario" in str(result.exception)
    assert [*tmp_path.iterdir()] == [book]


def test_read_names_bad_cells_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(saved(book_of({**RENT, "mfu": 1.4}, {"low": {"pue": "x"}})))
    command = [sys.executable, "-m", "xl_tco", "read", str(path), "-o", str(tmp_path / "a.toml")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"error: {path}: mfu (Inputs!E{ROW['mfu']}): 1.4 is out of range; "
        "give a number above 0 and at most 1",
        f'error: {path}: pue (Inputs!F{ROW["pue"]}): "x" is text; give a number from 1 to 10',
    ]
    assert [*tmp_path.iterdir()] == [path]


def test_where_letters_cannot_be_shown_they_are_escaped(book: Path) -> None:
    for options, parse in (([], tomllib.loads), (["--json"], json.loads)):
        command = [sys.executable, "-m", "xl_tco", "read", str(book), *options]
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        assert Scenario.from_table(parse(done.stdout.decode("ascii"))) == read_scenario(book)


# Workbooks that were built

RUNS = {
    "owned": Scenario(**OWN, name="七 = 1+1"),
    "rented": Scenario(**RENT, cases={"own": {"hfu": 0.5, "region": "taiwan"}}, case="own"),
    "uncertain": Scenario(**UNCERTAIN, cases=CASES, case="low"),
    "seventeen digits": Scenario(
        **{
            **OWN,
            "mfu": 0.1 + 0.2,
            "waste_share": {"distribution": "uniform", "low": 0, "high": 0.3},
        },
        cases={"low": {"mfu": 1 / 3}, "high": {"mfu": 0.1 + 0.1 + 0.1 - 2**-50}},
    ),
}


@pytest.fixture(scope="module")
def built() -> dict[str, bytes]:
    return {name: workbook_bytes(run, "native") for name, run in RUNS.items()}


@pytest.mark.parametrize("name", RUNS)
def test_a_workbook_built_read_and_built_again_is_the_same(
    built: dict[str, bytes], name: str
) -> None:
    run = scenario_in(built[name])
    assert run == RUNS[name]
    assert exact(run.table) == exact({field: RUNS[name].table[field] for field in run.table})
    text = scenario_toml(run)
    again = Scenario.from_table(tomllib.loads(text))
    assert workbook_bytes(again, "native") == built[name]


@pytest.mark.parametrize("name", RUNS)
def test_a_workbook_edited_with_openpyxl_is_read(built: dict[str, bytes], name: str) -> None:
    book = opened(built[name])
    cell = str(book.defined_names["tokens"].attr_text).rpartition("!")[2].replace("$", "")
    book["Inputs"][cell.replace("D", "E")] = 2e12
    wanted = Scenario.from_table({**RUNS[name].table, "tokens": 2e12})
    is_kept(scenario_in(saved(book)), wanted, name)


def is_kept(found: Scenario, wanted: Scenario, name: str) -> None:
    """Hold a workbook to its scenario; openpyxl saves 16 digits of a number, LibreOffice 15."""
    if name == "seventeen digits":
        assert found != wanted
        total = evaluate(found).total_usd
        assert total == pytest.approx(evaluate(wanted).total_usd, rel=1e-13)
    else:
        assert found == wanted


def test_a_workbook_in_chinese_is_read() -> None:
    run = RUNS["uncertain"]
    assert scenario_in(workbook_bytes(run, "native", "zh-TW")) == run


def test_a_workbook_saved_by_libreoffice_is_read(
    built: dict[str, bytes], tmp_path: Path, libreoffice: LibreOffice
) -> None:
    paths = [tmp_path / f"{name}.xlsx" for name in built]
    for path, package in zip(paths, built.values(), strict=True):
        path.write_bytes(package)
    for name, package in zip(built, libreoffice.resaved(paths), strict=True):
        is_kept(scenario_in(package), RUNS[name], name)


def test_a_workbook_with_macros_is_read(built: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.xlsm"
    path.write_bytes(macro_workbook(workbook_bytes(RUNS["owned"])))
    assert read_scenario(path) == RUNS["owned"]

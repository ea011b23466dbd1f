"""TCO_CASES and TCO_SENSITIVITY with ranges, against the scenario that says the same."""

from typing import Any

import numpy as np
import pytest

import tco_udfs
from function_cases import ANY_RANGES, CASES, INPUTS, OWN, RANGES, RENT, STEP
from strategies import as_range
from test_function_values import BY_NAME, EXACT, refusal
from xl_tco import Scenario, evaluate
from xl_tco.analysis.tornado import tornado

# Sensitivity to ranges


@pytest.mark.parametrize("ranges", [RANGES, ANY_RANGES], ids=["triangles", "any"])
def test_sensitivity_to_ranges_is_that_of_the_scenario_with_them(ranges: list[Any]) -> None:
    given = BY_NAME if ranges is ANY_RANGES else {row[0]: triangle(*row[1:]) for row in RANGES[1:]}
    run = Scenario(**{**OWN, **given})
    for what_if in ({}, {"pue": 1.4}):
        bars = tornado(run.replace(**what_if), [*given]).bars
        wanted = [[bar.field, bar.output_low, bar.output_high, bar.low, bar.high] for bar in bars]
        overrides = [[name, value] for name, value in what_if.items()] or None
        assert tco_udfs.TCO_SENSITIVITY(INPUTS, None, overrides, None, ranges) == wanted
    assert {row[0] for row in wanted} == {*given}


def triangle(low: float, mode: float, high: float) -> dict[str, Any]:
    return {"low": low, "mode": mode, "high": high}


def test_ends_are_the_percentiles_of_the_ranges() -> None:
    """Of a uniform one by hand; of the field's total, the total with the field there."""
    ranges = [["staff_fte", 10.0, None, 20.0, "uniform"]]
    [[field, low, high, *ends]] = tco_udfs.TCO_SENSITIVITY(INPUTS, None, None, None, ranges)
    assert (field, ends) == ("staff_fte", [pytest.approx(11.0), pytest.approx(19.0)])
    for end, total in zip(ends, (low, high), strict=True):
        wanted = tco_udfs.TCO_TOTAL(INPUTS, [["staff_fte", end]])
        assert total == pytest.approx(wanted, rel=EXACT)


def test_fields_beside_ranges_are_swung() -> None:
    rows = tco_udfs.TCO_SENSITIVITY(INPUTS, [["mfu", "staff_fte"]], None, 0.2, RANGES)
    [mfu] = [row for row in tco_udfs.TCO_SENSITIVITY(INPUTS, None, None, None, RANGES)][:1]
    assert rows[0] == mfu
    assert rows[1][0] == "staff_fte"
    assert rows[1][3:] == [OWN["staff_fte"] * 0.8, OWN["staff_fte"] * 1.2]
    assert len(rows) == 2


@pytest.mark.parametrize("ranges", [None, "", 0.0], ids=repr)
def test_no_ranges_are_none(ranges: Any) -> None:
    bare = tco_udfs.TCO_SENSITIVITY(INPUTS)
    assert tco_udfs.TCO_SENSITIVITY(INPUTS, None, None, None, ranges) == bare


# Cases


def in_columns(table: dict[str, Any]) -> list[list[Any]]:
    """Base, low, high and own of a scenario, as the sheet Inputs has them."""
    cases = table.get("cases", {})
    columns = [{name: value for name, value in table.items() if name != "cases"}]
    columns += [cases.get(name, {}) for name in ("low", "high", "own")]
    names = dict.fromkeys(name for column in columns for name in column)
    return [[name, 1.0, *(column.get(name) for column in columns)] for name in names]


@pytest.mark.parametrize(
    "table",
    [
        OWN,
        {**OWN, "cases": {"low": {"mfu": 0.45}, "high": {"mfu": 0.3, "pue": 1.4}}},
        {**OWN, "cases": {"low": {"hfu": 0.5}, "own": {"accelerator": "b200-sxm"}}},
        {**OWN, "cases": {"own": {"procurement": "rent", "storage_usd_per_hour": 50.0}}},
        {**RENT, "cases": {"high": {"rental_usd_per_accelerator_hour": 9.0}}},
        {**STEP, "cases": {"low": {"kernel_efficiency": 0.7}, "high": {"tensor_parallel": 4.0}}},
    ],
    ids=["no case", "low and high", "words", "rented", "rent", "step"],
)
def test_cases_are_the_scenario_in_each_of_them(table: dict[str, Any]) -> None:
    run = Scenario.from_table({**table, "cases": {"low": {}, "high": {}, **table.get("cases", {})}})
    rows = tco_udfs.TCO_CASES(in_columns(table))
    assert [name for name, _ in rows] == ["base", "low", "high", "own"]
    for name, total in rows:
        assert total == evaluate(run.in_case(name)).total_usd
    inputs = {**table, **table.get("cases", {}).get("low", {})}
    if "hfu" not in inputs:  # what excludes another figure is no plain replacement
        assert dict(rows)["low"] == tco_udfs.TCO_TOTAL(
            as_range({name: value for name, value in inputs.items() if name != "cases"})
        )


def test_cases_may_have_a_heading_blank_rows_unknowns_and_more_columns() -> None:
    bare = tco_udfs.TCO_CASES([row for row in CASES[1:] if row[0]])
    wide = [[*row, "a remark", 7.0] for row in CASES]
    wide += [[None] * 8, ["", *[""] * 7], ["layers", *["unknown"] * 5, "", None]]
    assert tco_udfs.TCO_CASES(wide) == tco_udfs.TCO_CASES(CASES) == bare
    assert tco_udfs.TCO_CASES(tuple(map(tuple, wide))) == bare
    assert tco_udfs.TCO_CASES([[f" {row[0] or ''} ".strip(" "), *row[1:]] for row in CASES]) == bare
    assert len({total for _, total in bare}) == 4


def test_the_value_in_force_is_passed_over() -> None:
    for value in (None, 1e30, "x", True, {"type": "Error", "kind": "Ref"}):
        rows = [[row[0], value, *row[2:]] for row in CASES]
        assert tco_udfs.TCO_CASES(rows) == tco_udfs.TCO_CASES(CASES)


def with_cell(field: str, case: str, value: Any) -> list[list[Any]]:
    """The cases with another figure."""
    at = ("field", "value", "base", "low", "high", "own").index(case)
    rows = [[*row] for row in CASES]
    found = next((row for row in rows if row[0] == field), [field, *[None] * 5])
    found[at] = value
    return rows if found in rows else [*rows, found]


@pytest.mark.parametrize("case", ["base", "low", "high", "own"])
@pytest.mark.parametrize(
    ("field", "value", "kind", "said"),
    [
        ("mfu", 1.4, "range", "1.4 is out of range; give a number above 0 and at most 1"),
        ("pue", "1.2", "type", '"1.2" is text; give a number'),
        ("pue", True, "type", "True is a yes or no; give a number"),
        ("puee", 1.2, "unknown key", 'no such field; did you mean "pue"?'),
        ("accelerator", "h100", "unknown key", 'no accelerator; did you mean "h100-sxm"?'),
        ("accelerator", "mi325x", "unknown figure", "no figure for mi325x"),
        ("accelerator_mtbf_hours", 1e-6, "range", "makes no progress; give a longer one"),
    ],
)
def test_a_bad_figure_names_its_case(
    case: str, field: str, value: Any, kind: str, said: str
) -> None:
    error = refusal("TCO_CASES", with_cell(field, case, value))
    fault = next(fault for fault in error.faults if fault.kind == kind)
    assert fault.place == f"case {case}"
    assert {fault.place for fault in error.faults} == {fault.place}
    assert f"(case {case}): " in str(error)
    assert said in str(error)


def test_an_error_cell_names_its_case_and_row() -> None:
    rows = [*CASES, ["layers", None, None, {"type": "Error", "kind": "Ref"}, None, None]]
    [fault] = refusal("TCO_CASES", rows).faults
    assert (fault.kind, fault.field) == ("type", "layers")
    assert fault.place == f"case low, row {len(rows)}"


@pytest.mark.parametrize(
    ("cases", "kind", "said"),
    [
        (None, "missing", "cases: nothing is given; give a range of six columns: field, value, "),
        (0.0, "shape", "cases: 0 is a number; give a range of six columns"),
        ([row[:5] for row in CASES], "shape", "cases: it has 5 columns; give a range of six"),
        ([row[:1] for row in CASES], "shape", "cases: it has 1 column; give a range of six"),
        ([*CASES, CASES[1]], "conflict", f"(row {len(CASES) + 1}): the field is there twice; give"),
        ([*CASES, [5.0, *[None] * 5]], "type", "5 is a number, where a field's name should be"),
        (np.zeros((2, 2, 2)), "shape", "cases: it has 3 dimensions; give a range"),
    ],
)
def test_what_are_no_cases_is_refused(cases: Any, kind: str, said: str) -> None:
    error = refusal("TCO_CASES", cases)
    assert [fault.kind for fault in error.faults] == [kind]
    assert said in str(error)


def test_a_base_that_is_no_run_says_what_is_missing() -> None:
    for cases in (CASES[:1], [[None] * 6]):
        error = refusal("TCO_CASES", cases)
        assert {fault.place for fault in error.faults} == {"case base"}
        missing = {fault.field for fault in error.faults if fault.kind == "missing"}
        assert {"parameters", "tokens", "accelerator"} <= missing

"""What the functions keep: cells ask for one figure each, and the engine is asked once.

What is kept is nobody's to change: neither by the rows that are given out, nor by the lists that
were handed over.
"""

import copy
import importlib
from typing import Any

import pytest

import tco_udfs
from function_cases import CASES, GOOD, INPUTS, OWN, RANGES
from test_function_scenarios import with_cell
from test_function_values import ASKED_OF_A_SCENARIO, call, refusal
from xl_tco import result
from xl_tco.functions import FUNCTIONS
from xl_tco.functions.arguments import INPUTS as INPUTS_TABLE

WHOLE = {name for name, function in FUNCTIONS.items() if function.arguments[:1] == (INPUTS_TABLE,)}
"""Functions of the inputs of a whole scenario."""


@pytest.mark.parametrize(
    ("module", "asked", "cells"),
    [
        ("uncertainty.draw", "TCO_PERCENTILE", [(INPUTS, RANGES, p) for p in (10, 50, 90)]),
        ("uncertainty.draw", "TCO_HISTOGRAM", [(INPUTS, RANGES, *(None,) * 3, n) for n in (5, 9)]),
        ("levers.levers", "TCO_LEVERS", [(INPUTS,)] * 3),
        ("claims.claims", "TCO_CLAIMS", [(INPUTS,)] * 3),
        ("tornado.tornado", "TCO_SENSITIVITY", [(INPUTS,)] * 3),
        ("tornado.tornado", "TCO_SENSITIVITY", [(INPUTS, None, None, None, RANGES)] * 3),
        ("ranking.rank_accelerators", "TCO_COMPARE", [(INPUTS,)] * 3),
        (
            "rent_or_own.rent_or_own",
            "TCO_BREAKEVEN",
            [(INPUTS, None, figure) for figure in ("own", "own_fixed", "rent_paid")],
        ),
    ],
)
def test_the_engine_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, module: str, asked: str, cells: list[tuple[Any, ...]]
) -> None:
    path = f"xl_tco.analysis.{module}"
    package, _, name = path.rpartition(".")
    real, calls = getattr(importlib.import_module(package), name), []

    def counted(*args: Any, **named: Any) -> Any:
        calls.append(args)
        return real(*args, **named)

    monkeypatch.setattr(path, counted)
    # Of which no other test asks.
    fresh = [["staff_usd_per_fte_year", 123_456.0 + len(asked) + 100 * len(cells[0])]]
    answers = []
    for inputs, *others in cells:
        answers.append(call(asked, [*inputs, *fresh], *others))
        if isinstance(answers[-1], list):
            answers[-1][0][0] = "written over"  # by whoever was given it
    assert len(calls) == 1
    inputs, *others = cells[0]
    again = call(asked, [*inputs, *fresh], *others)
    assert len(calls) == 1
    assert not isinstance(again, list) or again[0][0] != "written over"


def test_cases_are_costed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = result.evaluate
    monkeypatch.setattr(result, "evaluate", lambda run: calls.append(run) or real(run))
    rows = [*CASES, ["staff_usd_per_fte_year", None, 98_765.0, None, None, None]]
    wanted = copy.deepcopy(first := tco_udfs.TCO_CASES(rows))
    first[0][1] = first[1][0] = "written over"
    first.pop()
    assert tco_udfs.TCO_CASES(rows) == wanted
    assert len(calls) == 4


def test_rows_are_new_each_time() -> None:
    """Of every function that gives rows: a host may do with them what it likes."""
    for name, function in FUNCTIONS.items():
        answer = call(name, *GOOD[name])
        assert isinstance(answer, list) == function.spills, name
        if function.spills:
            wanted = copy.deepcopy(answer)
            for row in answer:
                row[:] = ["written over"]
            answer.clear()
            assert call(name, *GOOD[name]) == wanted, name


def test_what_was_handed_over_is_kept_by_value() -> None:
    """A host that uses its lists again gets the answer about what is in them now."""
    inputs, cases, ranges = (copy.deepcopy(rows) for rows in (INPUTS, CASES, RANGES))
    before = tco_udfs.TCO_CASES(cases), tco_udfs.TCO_SENSITIVITY(inputs, None, None, None, ranges)
    cases[1][2] = 2 * cases[1][2]
    ranges[1][3] = 0.5
    after = tco_udfs.TCO_CASES(cases), tco_udfs.TCO_SENSITIVITY(inputs, None, None, None, ranges)
    assert [old != new for old, new in zip(before, after, strict=True)] == [True, True]
    mapping: dict[str, Any] = {**OWN}
    total = tco_udfs.TCO_TOTAL(mapping)
    mapping["mfu"] = 0.5
    assert tco_udfs.TCO_TOTAL(mapping) == tco_udfs.TCO_TOTAL(INPUTS, [["mfu", 0.5]]) != total


@pytest.mark.parametrize("case", ["base", "low", "high", "own"])
def test_yes_is_not_one_in_a_case_either(case: str) -> None:
    """TRUE equals 1 in Python: a memory of results must not take one for the other."""
    assert tco_udfs.TCO_CASES(with_cell("residual_share", case, 1.0))
    error = refusal("TCO_CASES", with_cell("residual_share", case, True))
    assert [(fault.kind, fault.field) for fault in error.faults] == [("type", "residual_share")]


@pytest.mark.parametrize("value", [[0.3], ([0.3],), {"low": [0.3]}, ({},)], ids=repr)
@pytest.mark.parametrize("name", sorted(ASKED_OF_A_SCENARIO & WHOLE))
def test_what_cannot_be_kept_is_refused_all_the_same(name: str, value: Any) -> None:
    """A tuple says that it is hashable though a list is in it."""
    inputs = {**OWN, "staff_fte": value}
    error = refusal(name, *(inputs if cell is INPUTS else cell for cell in GOOD[name]))
    assert "staff_fte" in {fault.field for fault in error.faults}


def test_a_refusal_is_not_kept() -> None:
    for _ in range(2):
        assert refusal("TCO_CASES", with_cell("mfu", "low", 1.4)).kind == "range"
    assert tco_udfs.TCO_CASES(CASES)

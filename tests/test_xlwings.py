"""The functions behind xlwings on Windows, with a simulated COM: see `com`.

Every function is called with what cells can hold, and must give what its row of the table gives
for the same, or refuse it in the same words.
"""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from com import ERRORS, OUT, error, over_range, session
from function_cases import good
from xl_tco import InputError
from xl_tco.functions import FUNCTIONS
from xl_tco.functions.shell import CATEGORY

INPUTS = [
    ["field", "value", "unit"],
    ["parameters", 70e9, ""],
    ["tokens", 1.4e12, ""],
    [None, None, None],
    ["accelerator", "h100-sxm", ""],
    ["accelerators", 1024.0, ""],
    ["mfu", 0.4, ""],
    ["pue", None, "empty: the default"],
    ["procurement", "own", ""],
    ["staff_fte", 10.0, ""],
]
RANGES = [["field", "low", "mode", "high"], ["mfu", 0.3, 0.4, 0.5], [None, None, None, None]]
CASE_ROWS = [
    ["field", "value", "base", "low", "high", "own"],
    *([field, value, value, None, None, None] for field, value, _ in INPUTS[1:]),
    ["utilization", 0.5, None, 0.9, 0.8, "unknown"],
]
STEP = [
    *[row for row in INPUTS if row[0] != "mfu"],
    ["kernel_efficiency", 0.6, ""],
    ["layers", 80.0, ""],
    ["hidden_size", 8192.0, ""],
    ["sequence_length", 4096.0, ""],
    ["heads", 64.0, ""],
    ["batch_tokens", 4194304.0, ""],
    ["tensor_parallel", 8.0, ""],
    ["pipeline_parallel", 4.0, ""],
    ["zero_stage", 1.0, ""],
    ["recomputation", "selective", ""],
]

# A name, the cells, and what the function of the table gives for them as Python hands them over.
CALLS: list[tuple[str, list[Any], list[Any]]] = [
    ("TCO_FLOPS", [70e9, 1.4e12, OUT, OUT, OUT, OUT], [70e9, 1.4e12]),
    ("TCO_FLOPS", [70e9, 1.4e12, None, None, None, None], [70e9, 1.4e12]),
    ("TCO_FLOPS", [[[1e9], [2e9]], [[1e12, 2e12]]], [[[1e9], [2e9]], [[1e12, 2e12]]]),
    ("TCO_FLOPS", [[[1e9, 2e9]], 1e12, [[0.0, None]]], [[[1e9, 2e9]], 1e12, [[0, 0]]]),
    ("TCO_WALLTIME", [1e24, 1024.0, "h100-sxm", 0.4, OUT, 0.1], [1e24, 1024, 989.4, 0.4, 0, 0.1]),
    ("TCO_MFU", [1e21, 1024.0, "h100-sxm", 1.0], [1e21, 1024, 989.4, 1]),
    ("TCO_HFU", [1e21, 1024.0, 989.4, 1.0, OUT], [1e21, 1024, 989.4, 1]),
    ("TCO_ACCELERATORS_FOR_DEADLINE", [1e24, 720.0, 989.4, 0.4, OUT, OUT], [1e24, 720, 989.4, 0.4]),
    (
        "TCO_PARAMETERS",
        [32.0, 4096.0, 32.0, 14336.0, 32000.0, 8.0, OUT, OUT, 8.0, 2.0, *[OUT] * 5, "active", OUT],
        [32, 4096, 32, 14336, 32000, 8, 0, 0, 8, 2, 0, 0, 0, 0, 0, "active", 1],
    ),
    ("TCO_OPTIMAL_PARAMETERS", [1e24, OUT], [1e24, "besiroglu-2024"]),
    (
        "TCO_OPTIMAL_TOKENS",
        [[[1e24], [2e24]], "hoffmann-2022"],
        [[[1e24], [2e24]], "hoffmann-2022"],
    ),
    ("TCO_LOSS", [70e9, 1.4e12, OUT], [70e9, 1.4e12]),
    (
        "TCO_MEMORY",
        [7e9, 32.0, 4096.0, 32.0, 4096.0, OUT, 8.0, OUT, OUT, OUT, [["none", "full"]]],
        [7e9, 32, 4096, 32, 4096, 1, 8, 1, 1, 0, [["none", "full"]]],
    ),
    (
        "TCO_MIN_ACCELERATORS",
        [8e9, 32.0, 4096.0, 32.0, 4096.0, "h100-sxm", OUT, OUT, "selective", OUT],
        [8e9, 32, 4096, 32, 4096, 80, 1, 0, "selective", 8],
    ),
    ("TCO_ALLREDUCE_BYTES", [8.0, 1e9], [8, 1e9]),
    ("TCO_ALLREDUCE_TIME", [8.0, 1e9, 50.0, OUT, 2.0], [8, 1e9, 50, 0, 2]),
    ("TCO_BUBBLE", [8.0, [[16.0, 32.0]], OUT], [8, [[16, 32]], 1]),
    ("TCO_NETWORK_SWITCHES", [1024.0, OUT, OUT, 8.0, OUT, OUT], [1024, "fat-tree", 64, 8]),
    ("TCO_NETWORK_COST", [1024.0, *[OUT] * 9], [1024]),
    ("TCO_STORAGE_COST", [15e12, 405e9, 200.0, OUT, OUT, OUT], [15e12, 405e9, 200, 1, 4]),
    ("TCO_MTBF", [16384.0, 50677.0], [16384, 50677]),
    ("TCO_CHECKPOINT_INTERVAL", [0.1, 3.0, OUT], [0.1, 3, "young"]),
    ("TCO_WASTE", [0.1, 3.0, OUT, 0.01, OUT], [0.1, 3, 0, 0.01, 0]),
    ("TCO_HOT_SPARES", [2048.0, 6334.0, 24.0, OUT], [2048, 6334, 24, 0.99]),
    ("TCO_POWER_COST", [8.0, 10.0, 1000.0, 1.5, 0.1, OUT], [8, 10, 1000, 1.5, 0.1]),
    ("TCO_RENTAL_COST", [8.0, 10.0, 2.0, OUT], [8, 10, 2]),
    ("TCO_AMORTIZATION", [1e6, 100.0, 4.0, OUT, OUT], [1e6, 100, 4]),
    ("TCO_DEPRECIATION", [1e6, 100.0, 4.0, *[OUT] * 5], [1e6, 100, 4, "straight-line"]),
    ("TCO_SPEC", ["h100-sxm", "tdp_watts"], ["h100-sxm", "tdp_watts"]),
    ("TCO_REGION", ["us", "label"], ["us", "label"]),
    ("TCO_RUN", ["gpt-3-175b", [["tokens", "label"]]], ["gpt-3-175b", [["tokens", "label"]]]),
    ("TCO_TOTAL", [INPUTS, OUT, OUT], [INPUTS]),
    ("TCO_TOTAL", [INPUTS, [["pue", 1.5]], "cooling"], [INPUTS, [["pue", 1.5]], "cooling"]),
    ("TCO_BREAKDOWN", [INPUTS, OUT], [INPUTS]),
    ("TCO_METRIC", [INPUTS, "wall_hours", OUT], [INPUTS, "wall_hours"]),
    ("TCO_STEP_TIME", [STEP, OUT, [["total", "bubble"]]], [STEP, None, [["total", "bubble"]]]),
    ("TCO_BREAKEVEN", [INPUTS, OUT, "sentence"], [INPUTS, None, "sentence"]),
    ("TCO_COMPARE", [INPUTS, OUT, OUT], [INPUTS]),
    ("TCO_SOLVE", [INPUTS, "mfu", [[2e6, 3e6]], OUT], [INPUTS, "mfu", [[2e6, 3e6]]]),
    ("TCO_TOKENS_FOR_BUDGET", [INPUTS, 2e6, OUT], [INPUTS, 2e6]),
    ("TCO_CASES", [CASE_ROWS], [[row for row in CASE_ROWS if row[0]]]),
    ("TCO_SENSITIVITY", [INPUTS, [["mfu", "pue"]], *[OUT] * 3], [INPUTS, [["mfu", "pue"]]]),
    (
        "TCO_SENSITIVITY",
        [INPUTS, OUT, OUT, OUT, RANGES],
        [INPUTS, [["mfu"]], None, 0.1, RANGES[:2]],
    ),
    (
        "TCO_PERCENTILE",
        [INPUTS, RANGES, [[10.0, 90.0]], OUT, OUT, OUT, 500.0, OUT],
        [INPUTS, RANGES, [[10, 90]], None, None, "total_usd", 500, 0],
    ),
    (
        "TCO_HISTOGRAM",
        [INPUTS, RANGES, OUT, OUT, OUT, 5.0, 500.0, OUT],
        [INPUTS, RANGES, None, None, None, 5, 500],
    ),
    ("TCO_LEVERS", [INPUTS, OUT], [INPUTS]),
    ("TCO_CLAIMS", [INPUTS, OUT], [INPUTS]),
    ("TCO_VERSION", [], []),
]
REFUSED: list[tuple[str, list[Any], str]] = [
    ("TCO_FLOPS", [None, 1e12, OUT, OUT, OUT, OUT], "TCO_FLOPS: parameters: nothing is given"),
    ("TCO_FLOPS", ["x", 1e12, OUT, OUT, OUT, OUT], 'TCO_FLOPS: parameters: "x" is text'),
    ("TCO_WALLTIME", [1e24, 8.0, 989.4, 1.4, OUT, OUT], "TCO_WALLTIME: mfu: 1.4 is out of range"),
    ("TCO_TOTAL", [INPUTS, OUT, "powr"], 'TCO_TOTAL: component: "powr" is no component'),
    ("TCO_SPEC", ["h100", "tdp_watts"], 'TCO_SPEC: accelerator: "h100" is no accelerator'),
    ("TCO_LOSS", [70e9, 1.4e12, "hoffman"], 'TCO_LOSS: fit: "hoffman" is no fit; did you mean'),
    ("TCO_NETWORK_SWITCHES", [1e9, *[OUT] * 5], "TCO_NETWORK_SWITCHES: switch_radix: a fat-tree"),
]


class Case(NamedTuple):
    """A call, and what its row of the table is to be called with for the same result."""

    name: str
    cells: list[Any]
    plain: list[Any]


def _spoilt(name: str, at: int, cell: Any, plain: Any = None) -> Case:
    """Good arguments but for one."""
    arguments = good(name, FUNCTIONS[name].arguments[at].name)
    cells, plains = list(arguments), list(arguments)
    cells[at], plains[at] = cell, plain
    return Case(name, cells, plains)


def _numbers(name: str, *, ranges: bool = False) -> list[int]:
    """Positions of the arguments that are numbers; or only those that take ranges of them."""
    arguments = enumerate(FUNCTIONS[name].arguments)
    return [at for at, a in arguments if a.kind == "number" and not (ranges and a.single)]


def _positions(name: str, *, optional: bool) -> list[int]:
    arguments = enumerate(FUNCTIONS[name].arguments)
    return [at for at, argument in arguments if argument.is_optional == optional]


def _whole_scenario(name: str) -> bool:
    return any(argument.kind == "table" for argument in FUNCTIONS[name].arguments)


def _as_range(cell: Any) -> dict[str, Any]:
    return over_range(cell if isinstance(cell, list) else [[cell]])


DAY = dt.datetime(2026, 11, 30)
MANY = 10_000


def _cases(name: str) -> Iterator[tuple[str, Case]]:
    """What each function is called with, by what it is about."""
    cells = good(name)
    yield "values", Case(name, cells, cells)
    yield "references to cells", Case(name, [_as_range(cell) for cell in cells], cells)
    if cells:  # from a cell Excel itself refuses them; other VBA may hand them over
        yield "too many arguments", Case(name, [*cells, 1.0], [*cells, 1.0])
    for at in _positions(name, optional=True):
        yield "left out", _spoilt(name, at, OUT)
        yield "an empty cell", _spoilt(name, at, over_range([[None]]))
        yield "an empty text", _spoilt(name, at, over_range([[""]]))
        for shown in ("#N/A", "#SPILL!"):
            cell = over_range([[error(shown)]])
            yield "an error cell, optional", _spoilt(name, at, cell, shown)
    for at in _positions(name, optional=False):
        yield "missing", _spoilt(name, at, OUT)
        yield "missing", _spoilt(name, at, over_range([[None]]))
        for shown in ERRORS:
            yield "an error cell", _spoilt(name, at, over_range([[error(shown)]]), shown)
        yield "an error value", _spoilt(name, at, error("#VALUE!"), "#VALUE!")
    for at in _numbers(name):
        number = good(name, FUNCTIONS[name].arguments[at].name)[at]
        yield "a number as text", _spoilt(name, at, over_range([["1.5 "]]), "1.5 ")
        yield "text", _spoilt(name, at, over_range([["abc"]]), "abc")
        yield "a date", _spoilt(name, at, over_range([[DAY]]), DAY)
        yield "a truth value", _spoilt(name, at, over_range([[True]]), True)
        if isinstance(number, float):
            # A cell in a currency format: COM hands over four decimals.
            cut = Decimal(number).quantize(Decimal("0.0001"))
            yield "currency", _spoilt(name, at, over_range([[cut]]), float(cut))
            column, row = [[number], [number]], [[number, number]]
            yield "a column", _spoilt(name, at, over_range(column), column)
            yield "a row", _spoilt(name, at, over_range(row), row)
            gap = [[number], [None]]
            yield "a column with a gap", _spoilt(name, at, over_range(gap), gap)
    if ranged := _numbers(name, ranges=True):
        at = ranged[0]
        number = good(name)[at]
        if isinstance(number, float) and not _whole_scenario(name):
            long = [[number]] * MANY
            yield "many rows", _spoilt(name, at, over_range(long), long)
    if _whole_scenario(name):
        padded = [*cells[0], *[[None, None]] * MANY]
        yield "many rows", Case(name, [over_range(padded), *cells[1:]], cells)


CASES = [(about, case) for name in FUNCTIONS for about, case in _cases(name)]
UNSAID = {"an error cell", "an error value", "an error cell, optional"}
"""What xlwings does not hand over as it is."""

ABOUT = [kind for kind in dict.fromkeys(about for about, _ in CASES) if kind not in UNSAID]


@pytest.fixture(scope="module")
def excel() -> dict[str, Any]:
    """What xlwings registered, wrote and answered, with a simulated COM."""
    asked = [(name, cells) for name, cells, _ in [*CALLS, *REFUSED]]
    return session([*asked, *((case.name, case.cells) for _, case in CASES)])


def _answers(excel: dict[str, Any], about: str) -> Iterator[tuple[Case, Any]]:
    """Yield each case of one kind with its answer."""
    start = len(CALLS) + len(REFUSED)
    for (kind, case), answer in zip(CASES, excel["answers"][start:], strict=True):
        if kind == about:
            yield case, answer


def _for_vba(value: Any) -> Any:
    """A result as xlwings hands it to VBA: a single cell bare, a single row as a list."""
    if not isinstance(value, list):
        return value
    return value if len(value) > 1 else value[0] if len(value[0]) > 1 else value[0][0]


def _wanted(case: Case) -> Any:
    """What the row of the table gives, or how it refuses."""
    try:
        return _for_vba(FUNCTIONS[case.name](*case.plain))
    except InputError as problem:
        return {"raised": "XlwingsError", "text": str(problem)}


def test_every_function_is_registered(excel: dict[str, Any]) -> None:
    assert set(excel["registered"]) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_registration_is_the_table(excel: dict[str, Any], name: str) -> None:
    function, registered = FUNCTIONS[name], excel["registered"][name]
    assert registered["name"] == name
    assert registered["ret"]["doc"] == function.help
    assert registered["category"] == CATEGORY
    assert not registered["volatile"]
    assert not registered["sub"]
    assert [arg["name"] for arg in registered["args"]] == [a.name for a in function.arguments]
    for argument, arg in zip(function.arguments, registered["args"], strict=True):
        assert ("optional" in arg) == argument.is_optional
        assert arg.get("optional") is None
        assert arg["options"] == {"ndim": 2, "err_to_str": True}
        assert arg["doc"].startswith(argument.help)
        assert argument.unit in arg["doc"]
        assert len(arg["doc"]) <= 255


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_vba_has_the_function(excel: dict[str, Any], name: str) -> None:
    arguments = ", ".join(
        f"Optional {a.name}" if a.is_optional else a.name for a in FUNCTIONS[name].arguments
    )
    assert f"Function {name}({arguments})" in excel["imported"]
    assert f'XLPy.CallUDF("tco_udfs", "{name}", ' in excel["imported"]


@pytest.mark.parametrize("at", range(len(CALLS)), ids=[name for name, _, _ in CALLS])
def test_a_call_gives_what_python_gives(excel: dict[str, Any], at: int) -> None:
    name, _, cells = CALLS[at]
    wanted = FUNCTIONS[name](*cells)
    answer = excel["answers"][at]
    assert answer == _for_vba(wanted)


def test_every_function_is_called() -> None:
    assert {name for name, _, _ in CALLS} == set(FUNCTIONS)


@pytest.mark.parametrize("at", range(len(REFUSED)), ids=[text for _, _, text in REFUSED])
def test_a_fault_is_a_text_that_names_function_and_argument(excel: dict[str, Any], at: int) -> None:
    answer = excel["answers"][len(CALLS) + at]
    assert answer["raised"] == "XlwingsError"
    assert answer["text"].startswith(REFUSED[at][2])


@pytest.mark.parametrize("about", ABOUT)
def test_a_cell_gives_what_the_table_gives(excel: dict[str, Any], about: str) -> None:
    for case, answer in _answers(excel, about):
        assert answer == _wanted(case), case


@pytest.mark.parametrize("about", ["missing", "too many arguments", "text", "a date"])
def test_what_makes_no_sense_is_refused(excel: dict[str, Any], about: str) -> None:
    for case, answer in _answers(excel, about):
        assert answer["raised"] == "XlwingsError", case
        assert answer["text"].startswith(f"{case.name}: "), case


@pytest.mark.parametrize("about", ["an error cell", "an error value"])
def test_an_error_among_what_is_needed_is_refused(excel: dict[str, Any], about: str) -> None:
    for case, answer in _answers(excel, about):
        assert answer["raised"] == "XlwingsError", case
        assert answer["text"].startswith(f"{case.name}: "), case


def test_an_error_among_what_can_be_left_out_is_refused(excel: dict[str, Any]) -> None:
    for case, answer in _answers(excel, "an error cell, optional"):
        assert isinstance(answer, dict), case
        assert answer["raised"] == "XlwingsError", case


def test_every_kind_of_cell_was_tried_on_every_function_that_takes_it() -> None:
    for name, function in FUNCTIONS.items():
        tried = {about for about, case in CASES if case.name == name}
        assert {"values", "references to cells"} <= tried, name
        if _numbers(name):
            assert {"text", "a date", "a truth value"} <= tried, name
        if function.minimum:
            assert {"missing", "an error cell"} <= tried, name

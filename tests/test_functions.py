"""The spreadsheet functions: their table, what they take from a host, and what they say no to.

`tco_udfs` is called here as hosts call it: positionally, with cells, rows of cells, None.
"""

import datetime as dt
import inspect
import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import formualizer
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tco_udfs
from function_cases import GOOD, INPUTS, OWN, RANGES, RENT, STEP, good
from strategies import as_range, tables
from xl_tco import InputError, Scenario, evaluate, evaluate_frame
from xl_tco.catalogue import accelerator_keys, specifications
from xl_tco.functions import FUNCTIONS
from xl_tco.functions.function import HELP_LIMIT
from xl_tco.outputs import COMPONENTS, METRICS

ERROR = {"type": "Error", "kind": "Div", "message": "Division by zero"}
MAY_HAVE_NO_ANSWER = {
    "TCO_DEPRECIATION",
    "TCO_HFU",
    "TCO_HOT_SPARES",
    "TCO_MEMORY",
    "TCO_MFU",
    "TCO_MIN_ACCELERATORS",
    "TCO_NETWORK_COST",
    "TCO_NETWORK_SWITCHES",
    "TCO_PARAMETERS",
    "TCO_SOLVE",
    "TCO_TOKENS_FOR_BUDGET",
    "TCO_WASTE",
}
"""Functions that refuse arguments which are each in range: nothing fits, nothing is enough."""

ALIKE = {("TCO_COMPARE", "by")}
"""Arguments that may make no difference: both measures rank runs of the same FLOPs alike."""

_TABULAR = ("table", "ranges", "correlations", "cases")
ARGUMENTS = [
    (name, position, argument)
    for name, function in FUNCTIONS.items()
    for position, argument in enumerate(function.arguments)
]
NUMBERS = [(name, at, argument) for name, at, argument in ARGUMENTS if argument.kind == "number"]
IN_RANGES = [(name, at, argument) for name, at, argument in NUMBERS if not argument.single]
TABLES = [(name, at, argument) for name, at, argument in ARGUMENTS if argument.kind in _TABULAR]
CLOSED = [(name, at, argument) for name, at, argument in ARGUMENTS if argument.words]
SINGLE = [(name, at, argument) for name, at, argument in ARGUMENTS if argument.single]


def call(name: str, *cells: Any) -> Any:
    return getattr(tco_udfs, name)(*cells)


def spoilt(name: str, position: int, cell: Any) -> list[Any]:
    cells = good(name, FUNCTIONS[name].arguments[position].name)
    cells[position] = cell
    return cells


def good_cell(name: str, position: int) -> Any:
    return good(name, FUNCTIONS[name].arguments[position].name)[position]


def assert_same(value: Any, wanted: Any) -> None:
    """Assert that cells are the same; powers of arrays may be off in their last digit."""
    if isinstance(wanted, list):
        assert isinstance(value, list)
        assert len(value) == len(wanted)
        for one, other in zip(value, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, str):
        assert value == wanted
    else:
        assert value == pytest.approx(wanted, rel=1e-14, abs=0)


def refusal(function: Callable[..., Any], *cells: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        function(*cells)
    return caught.value


def ids(case: tuple[str, int, Any]) -> str:
    return f"{case[0]}-{case[2].name}"


by_argument = pytest.mark.parametrize("case", ARGUMENTS, ids=ids)
by_number = pytest.mark.parametrize("case", NUMBERS, ids=ids)
by_number_in_ranges = pytest.mark.parametrize("case", IN_RANGES, ids=ids)
by_function = pytest.mark.parametrize("name", FUNCTIONS)


# The table


def test_every_function_has_a_shell_and_no_shell_is_alone() -> None:
    assert set(tco_udfs.__all__) == set(FUNCTIONS) == set(GOOD)
    assert tco_udfs.__all__ == sorted(tco_udfs.__all__)
    public = {name for name in vars(tco_udfs) if name.startswith("TCO_")}
    assert public == set(FUNCTIONS)


@by_function
def test_a_name_cannot_be_taken_for_a_cell(name: str) -> None:
    assert re.fullmatch(r"TCO_[A-Z_]+", name)
    assert not re.fullmatch(r"[A-Z]{1,3}[0-9]+|R[0-9]*C[0-9]*", name)
    assert len(name) <= 31


@by_function
def test_help_fits_the_wizard(name: str) -> None:
    function = FUNCTIONS[name]
    assert 0 < len(function.help) <= HELP_LIMIT == 255
    assert function.unit
    for argument in function.arguments:
        assert argument.unit
        assert 0 < len(f"{argument.help} ({argument.unit})") <= 255


@by_function
def test_argument_names(name: str) -> None:
    names = [argument.name for argument in FUNCTIONS[name].arguments]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z_]*", argument) for argument in names)


@by_function
def test_optional_arguments_come_last_and_are_counted(name: str) -> None:
    function = FUNCTIONS[name]
    optional = [argument.is_optional for argument in function.arguments]
    assert optional == sorted(optional)
    assert (function.minimum, function.maximum) == (optional.count(False), len(optional))


@by_function
def test_the_signature_is_the_table(name: str) -> None:
    """Plain parameters only: unions, keywords or a bare *args crash a host."""
    function, shell = FUNCTIONS[name], getattr(tco_udfs, name)
    assert (shell.__name__, shell.__doc__) == (name, function.help)
    parameters = inspect.signature(shell).parameters.values()
    assert [p.name for p in parameters] == [argument.name for argument in function.arguments]
    for parameter, argument in zip(parameters, function.arguments, strict=True):
        assert parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert parameter.annotation is inspect.Parameter.empty
        wanted = None if argument.is_optional else inspect.Parameter.empty
        assert parameter.default is wanted


@by_function
def test_arguments_can_be_named_as_the_signature_says(name: str) -> None:
    shell = getattr(tco_udfs, name)
    named = dict(zip(inspect.signature(shell).parameters, GOOD[name], strict=True))
    assert shell(**named) == call(name, *GOOD[name])


def test_zero_is_the_default_or_is_no_value() -> None:
    """One host hands over 0.0 for an omitted argument in the middle."""
    for function in FUNCTIONS.values():
        for argument in function.arguments[:-1]:
            if argument.kind == "number" and argument.is_optional:
                at_0 = argument.domain is not None and not argument.domain.excludes(0.0)
                assert at_0 == (argument.omitted == 0.0), (function.name, argument.name)
                assert argument.zero_is_omitted != at_0


@by_argument
@pytest.mark.parametrize("zero", [0.0, 0, [[0.0]]], ids=str)
def test_zero_in_the_middle_is_an_omitted_argument(case: tuple[str, int, Any], zero: Any) -> None:
    name, at, argument = case
    is_last = at == FUNCTIONS[name].maximum - 1
    if not argument.is_optional or (is_last and argument.kind == "number"):
        return
    wanted = call(name, *spoilt(name, at, None))
    assert_same(call(name, *spoilt(name, at, zero)), wanted)


@pytest.mark.parametrize("case", SINGLE, ids=ids)
def test_a_range_where_one_value_is_wanted_is_refused(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    cell = good_cell(name, at)
    assert_same(call(name, *spoilt(name, at, [[cell]])), call(name, *GOOD[name]))
    [fault] = refusal(getattr(tco_udfs, name), *spoilt(name, at, [[cell, cell]])).faults
    assert (fault.kind, fault.field) == ("shape", argument.name)


@pytest.mark.parametrize("case", CLOSED, ids=ids)
def test_words_of_a_closed_list(case: tuple[str, int, Any]) -> None:
    """Each is known, a slip is answered with what was meant, and a range gives what each does."""
    name, at, argument = case
    assert argument.omitted in argument.words
    assert good_cell(name, at) in argument.words
    for slip in (argument.words[-1][:-1], f"{argument.words[-1]}x", argument.words[-1].upper()):
        error = refusal(getattr(tco_udfs, name), *spoilt(name, at, slip))
        [fault] = error.faults
        assert (fault.kind, fault.field) == ("unknown key", argument.name)
        assert "did you mean" in fault.problem
        assert all(word in fault.allowed for word in argument.words)
        if not argument.single:
            cells = spoilt(name, at, [[argument.omitted, slip]])
            [fault] = refusal(getattr(tco_udfs, name), *cells).faults
            assert fault.place == "row 1, column 2"
    if not argument.single:
        words = [*dict.fromkeys((good_cell(name, at), argument.omitted)), None]
        alone = [call(name, *spoilt(name, at, word)) for word in words]
        assert_same(call(name, *spoilt(name, at, [words])), [alone])
        assert_same(call(name, *spoilt(name, at, [[word] for word in words])), [[v] for v in alone])


def test_words_and_numbers_come_in_ranges_together() -> None:
    methods = ["straight-line", "annuity", "declining-balance", "sum-of-years", "exponential"]
    ages = [0.0, 1.0, 2.5]

    def charge(method: str, age: float) -> Any:
        return tco_udfs.TCO_DEPRECIATION(1e6, 1000.0, 4.0, method, age)

    spilled = tco_udfs.TCO_DEPRECIATION(1e6, 1000.0, 4.0, [[m] for m in methods], [ages])
    assert_same(spilled, [[charge(method, age) for age in ages] for method in methods])
    sizes = [[64.0, 128.0]]
    fabrics = tco_udfs.TCO_NETWORK_SWITCHES(sizes, [["dragonfly"], ["fat-tree"]], 16.0)
    assert_same(
        fabrics,
        [
            [tco_udfs.TCO_NETWORK_SWITCHES(size, topology, 16.0) for size in sizes[0]]
            for topology in ("dragonfly", "fat-tree")
        ],
    )


def test_answers_of_different_sorts_come_in_ranges_too() -> None:
    figures = [["utilization", "answer", "rent"]]
    alone = [tco_udfs.TCO_BREAKEVEN(INPUTS, None, figure) for figure in figures[0]]
    assert [type(value) for value in alone] == [float, str, float]
    assert tco_udfs.TCO_BREAKEVEN(INPUTS, None, figures) == [alone]


@pytest.mark.parametrize("key", accelerator_keys())
def test_a_peak_may_be_a_key(key: str) -> None:
    peak = specifications(key)["peak_tflops_bf16"].value
    if peak is None:
        error = refusal(tco_udfs.TCO_WALLTIME, 1e24, 8, key, 0.4)
        assert error.kind == "unknown figure"
    else:
        wanted = tco_udfs.TCO_WALLTIME(1e24, 8, peak, 0.4)
        assert tco_udfs.TCO_WALLTIME(1e24, 8, key, 0.4) == wanted


# One cost, however it is asked for


@given(tables())
def test_function_python_json_and_frame_agree_to_the_last_digit(table: dict[str, Any]) -> None:
    inputs = as_range(table)
    result = evaluate(Scenario(**table))
    told = json.loads(json.dumps(result.to_dict()))
    assert tco_udfs.TCO_TOTAL(inputs) == result.total_usd == told["total_usd"]
    for name in COMPONENTS:
        usd = result.components.get(name, 0.0)
        assert tco_udfs.TCO_TOTAL(inputs, None, name) == usd
        assert told["components"].get(name, 0.0) == usd
    for name in METRICS:
        assert told["metrics"][name] == result.metrics[name]
        if result.metrics[name] is None:
            error = refusal(tco_udfs.TCO_METRIC, inputs, name)
            assert error.kind == "unknown figure"
        else:
            assert tco_udfs.TCO_METRIC(inputs, name) == result.metrics[name]
    frame = evaluate_frame(pd.DataFrame([table]))
    assert frame["total_usd"].iloc[0] == result.total_usd


@given(tables())
def test_the_breakdown_adds_up_to_the_total(table: dict[str, Any]) -> None:
    rows = tco_udfs.TCO_BREAKDOWN(as_range(table))
    assert [name for name, _ in rows] == list(COMPONENTS)
    total = tco_udfs.TCO_TOTAL(as_range(table))
    assert math.fsum(usd for _, usd in rows) == pytest.approx(total, rel=1e-12)


def test_the_chain_of_functions_is_the_scenario() -> None:
    """FLOPs, wall time, rent and electricity by single functions, and by the whole."""
    table = {**RENT, "waste_share": 0.1}
    result = evaluate(Scenario(**table))
    flops = tco_udfs.TCO_FLOPS(70e9, 1.4e12)
    hours = tco_udfs.TCO_WALLTIME(flops, 1024, "h100-sxm", 0.4, 0, 0.1)
    assert (flops, hours) == (result.metrics["flops"], result.metrics["wall_hours"])
    rent = tco_udfs.TCO_RENTAL_COST(1024, hours, 2.95)
    assert rent == pytest.approx(result.components["rental"] / 0.9, rel=1e-12)
    everything = {"power_draw_share": 1.0, "host_draw_share": 1.0}
    owned = evaluate(Scenario(**{**OWN, **everything, "waste_share": 0.1}))
    bill = tco_udfs.TCO_POWER_COST(1024, hours, 700 + 575, 1.2, 0.086)
    parts = owned.components["power"] + owned.components["cooling"]
    assert bill == pytest.approx(parts / 0.9, rel=1e-12)
    charge = tco_udfs.TCO_AMORTIZATION(1024 * 30_000, hours, 4, 0, 0.85)
    assert charge == pytest.approx(owned.components["accelerators"] / 0.9, rel=1e-12)


def test_the_peak_of_the_wall_time_is_dense() -> None:
    sparse = tco_udfs.TCO_SPEC("h100-sxm", "peak_tflops_bf16_sparse")
    by_key = tco_udfs.TCO_WALLTIME(1e24, 8, "h100-sxm", 0.4)
    assert tco_udfs.TCO_WALLTIME(1e24, 8, sparse, 0.4) == pytest.approx(by_key / 2, rel=1e-3)


# Ranges


@by_number_in_ranges
def test_a_range_gives_each_cell_what_it_gives_alone(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    cell = good_cell(name, at)
    pair = [cell, argument.omitted if argument.is_optional else cell * 1.0]
    alone = [call(name, *spoilt(name, at, cell)) for cell in pair]
    column, row = [[pair[0]], [pair[1]]], [pair]
    assert_same(call(name, *spoilt(name, at, column)), [[alone[0]], [alone[1]]])
    assert_same(call(name, *spoilt(name, at, row)), [alone])
    assert_same(call(name, *spoilt(name, at, pair)), alone)
    assert_same(call(name, *spoilt(name, at, tuple(map(tuple, column)))), [[a] for a in alone])
    assert_same(call(name, *spoilt(name, at, np.array(column))), [[alone[0]], [alone[1]]])
    assert_same(call(name, *spoilt(name, at, np.array(pair, dtype=object))), alone)
    for single in ([[pair[0]]], [pair[0]], np.array([[pair[0]]]), np.array(pair[0])):
        assert_same(call(name, *spoilt(name, at, single)), alone[0])


@pytest.mark.parametrize("name", sorted({name for name, _, _ in IN_RANGES}))
def test_ranges_of_any_two_shapes_that_do_not_fit_are_refused(name: str) -> None:
    at = [at for of, at, _ in IN_RANGES if of == name]
    if len(at) < 2:
        return
    cells = good(name)
    cells[at[0]] = [[cells[at[0]]] * 2]
    cells[at[1]] = [[cells[at[1]]] * 3]
    error = refusal(getattr(tco_udfs, name), *cells)
    assert (error.kind, error.faults[0].field) == ("shape", "ranges")


@given(
    st.lists(st.floats(1e6, 1e12), min_size=2, max_size=5),
    st.lists(st.floats(1e6, 1e12), min_size=2, max_size=5),
)
def test_a_column_and_a_row_make_a_table(parameters: list[float], tokens: list[float]) -> None:
    column = [[n] for n in parameters]
    table = tco_udfs.TCO_FLOPS(column, [tokens])
    assert table == [[tco_udfs.TCO_FLOPS(n, d) for d in tokens] for n in parameters]


def test_ranges_of_one_shape_go_cell_by_cell() -> None:
    assert tco_udfs.TCO_FLOPS([[1, 2], [3, 4]], [[10, 20], [30, 40]]) == [[60, 240], [540, 960]]


def test_ranges_that_do_not_fit_are_refused() -> None:
    error = refusal(tco_udfs.TCO_FLOPS, [[1, 2, 3]], [[1, 2]])
    assert error.kind == "shape"
    assert "1×3" in str(error)
    assert "1×2" in str(error)


@pytest.mark.parametrize("cells", [[], [[1.0, 2.0], [3.0]], [1.0, [2.0]], [[]], np.empty((0, 2))])
def test_a_range_that_is_no_rectangle_or_has_no_cell_is_refused(cells: Any) -> None:
    error = refusal(tco_udfs.TCO_FLOPS, cells, 1e9)
    assert error.kind == "shape"
    assert error.faults[0].field == "parameters"


def test_words_come_in_ranges_too() -> None:
    keys, fields = [["h100-sxm"], ["a100-sxm-80gb"]], [["tdp_watts", "peak_tflops_bf16"]]
    assert tco_udfs.TCO_SPEC(keys, fields) == [[700, 989.4], [400, 312]]
    assert tco_udfs.TCO_SPEC([["h100-sxm"]], "tdp_watts") == 700
    hours = tco_udfs.TCO_WALLTIME(1e24, 8, [["h100-sxm"], [989.4]], 0.4)
    assert hours[0] == hours[1]
    names = [[name] for name in COMPONENTS]
    spilled = tco_udfs.TCO_TOTAL(INPUTS, None, names)
    assert spilled == [[usd] for _, usd in tco_udfs.TCO_BREAKDOWN(INPUTS)]
    metrics = [["wall_hours", "flops"]]
    alone = [tco_udfs.TCO_METRIC(INPUTS, name) for name in metrics[0]]
    assert tco_udfs.TCO_METRIC(INPUTS, metrics) == [alone]


def test_results_are_plain_python() -> None:
    def plain(value: Any) -> bool:
        return all(map(plain, value)) if type(value) is list else type(value) in (float, str)

    for name, cells in GOOD.items():
        assert plain(call(name, *cells)), name
    assert plain(tco_udfs.TCO_FLOPS(np.array([[1.0, 2.0]]), 1e9))
    assert plain(tco_udfs.TCO_SPEC([["h100-sxm"]], [["tdp_watts", "label"]]))


# Empty cells and omitted arguments


@by_argument
@pytest.mark.parametrize("empty", [None, ""], ids=["None", "empty text"])
def test_an_empty_cell_is_the_default_or_an_error(case: tuple[str, int, Any], empty: Any) -> None:
    name, at, argument = case
    if argument.kind == "table" and not argument.is_optional:
        error = refusal(getattr(tco_udfs, name), *spoilt(name, at, empty))
        assert "missing" in {fault.kind for fault in error.faults}
    elif argument.is_optional:
        got = call(name, *spoilt(name, at, empty))
        assert got == call(name, *spoilt(name, at, argument.omitted))
        if argument.omitted is not None and (name, argument.name) not in ALIKE:
            assert got != call(name, *good(name, argument.name))
    else:
        error = refusal(getattr(tco_udfs, name), *spoilt(name, at, empty))
        [fault] = error.faults
        assert (fault.kind, fault.field) == ("missing", argument.name)


@by_number_in_ranges
def test_an_empty_cell_in_a_range_is_the_default_or_an_error(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    cell = good_cell(name, at)
    cells = spoilt(name, at, [[cell], [None]])
    if argument.is_optional:
        alone = [call(name, *spoilt(name, at, c)) for c in (cell, argument.omitted)]
        assert_same(call(name, *cells), [[alone[0]], [alone[1]]])
    else:
        [fault] = refusal(getattr(tco_udfs, name), *cells).faults
        assert (fault.kind, fault.field) == ("missing", argument.name)
        assert fault.place == "row 2, column 1"


@by_function
def test_optional_arguments_can_be_left_out(name: str) -> None:
    function = FUNCTIONS[name]
    least = GOOD[name][: function.minimum]
    spelled_out = [*least, *(argument.omitted for argument in function.arguments[len(least) :])]
    assert call(name, *least) == call(name, *spelled_out)


def test_an_omitted_argument_in_the_middle_arrives_as_zero() -> None:
    # formualizer hands over 0.0 for the second argument of =TCO_TOTAL(A1:B8,,"power").
    assert tco_udfs.TCO_TOTAL(INPUTS, 0.0, "power") == tco_udfs.TCO_TOTAL(INPUTS, None, "power")
    assert tco_udfs.TCO_TOTAL(INPUTS, 0, "power") == tco_udfs.TCO_TOTAL(INPUTS, None, "power")
    assert tco_udfs.TCO_FLOPS(1e9, 1e9, 0.0, 1, 1, 1) == 6e18 + 12e9


@by_argument
def test_a_required_argument_left_out_is_named(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    if argument.is_optional or argument.kind == "table":
        return
    error = refusal(getattr(tco_udfs, name), *GOOD[name][:at])
    assert ("missing", argument.name) in {(fault.kind, fault.field) for fault in error.faults}


@by_function
def test_too_many_arguments_are_refused(name: str) -> None:
    with pytest.raises((InputError, TypeError)):
        call(name, *GOOD[name], 1.0)


# Values of the wrong sort

WRONG = {
    "text": ("type", "abc"),
    "text of a number": ("type", "0.4"),
    "a blank": ("type", " "),
    "yes": ("type", True),
    "numpy yes": ("type", np.bool_(False)),
    "date": ("type", dt.datetime(2026, 1, 1)),
    "day": ("type", dt.date(2026, 1, 1)),
    "error": ("type", ERROR),
    "bytes": ("type", b"1"),
    "complex": ("type", 1j),
    "numpy complex": ("type", np.complex128(1)),
    "object": ("type", object()),
    "NaN": ("range", math.nan),
    "numpy NaN": ("range", np.float64("nan")),
    "infinity": ("range", math.inf),
    "minus infinity": ("range", -math.inf),
    "minus one": ("range", -1.0),
    "Decimal minus one": ("range", Decimal("-1")),
    "Decimal NaN": ("range", Decimal("NaN")),
    "Decimal signaling NaN": ("range", Decimal("sNaN")),
    "int beyond float": ("range", 10**400),
    "oversize": ("range", 1e300),
}


@by_number
@pytest.mark.parametrize("sort", WRONG)
def test_a_wrong_value_is_refused_by_name_alone_and_in_a_range(
    case: tuple[str, int, Any], sort: str
) -> None:
    name, at, argument = case
    kind, value = WRONG[sort]
    if argument.word and isinstance(value, str):
        kind = "unknown key"  # it might have been a key of the catalogue
    shell = getattr(tco_udfs, name)
    cells = [(value, ""), ([[good_cell(name, at), value]], "row 1, column 2")]
    for cell, place in cells[:1] if argument.single else cells:
        error = refusal(shell, *spoilt(name, at, cell))
        [fault] = error.faults
        assert (fault.kind, fault.field) == (kind, argument.name)
        assert fault.allowed
        assert str(error).startswith(f"{name}: {argument.name}")
        if place and kind != "unknown key":
            assert fault.place == place


@pytest.mark.parametrize("case", TABLES, ids=ids)
@pytest.mark.parametrize(
    ("value", "kind"), [(ERROR, "type"), ("abc", "shape"), (True, "shape"), (7.0, "shape")], ids=str
)
def test_what_is_no_table_is_refused_by_name(
    case: tuple[str, int, Any], value: Any, kind: str
) -> None:
    name, at, argument = case
    for cell in (value, [[value]]):
        [fault] = refusal(getattr(tco_udfs, name), *spoilt(name, at, cell)).faults
        assert (fault.kind, fault.field) == (kind, argument.name)
        assert "columns" in fault.allowed


@by_number
def test_a_decimal_of_a_currency_cell_is_its_number(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    exact = Decimal(good_cell(name, at))
    wanted = call(name, *good(name, argument.name))
    assert call(name, *spoilt(name, at, exact)) == wanted
    if not argument.single:
        assert_same(call(name, *spoilt(name, at, [[exact, exact]])), [[wanted, wanted]])


@by_number
def test_both_ends_of_the_range_hold(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    domain, shell = argument.domain, getattr(tco_udfs, name)
    followed = at < FUNCTIONS[name].maximum - 1
    for end, is_open, outward in [
        (float(domain.low), domain.low_open, -math.inf),
        (float(domain.high), domain.high_open, math.inf),
    ]:
        outside = end if is_open else math.nextafter(end, outward)
        if not (outside == 0.0 and followed and argument.zero_is_omitted):
            [fault] = refusal(shell, *spoilt(name, at, outside)).faults
            assert (fault.kind, fault.field) == ("range", argument.name)
        if not is_open:
            value = answer_or_none(name, spoilt(name, at, end))
            assert value is not None or name in MAY_HAVE_NO_ANSWER


@by_number
def test_a_number_that_counts_is_whole(case: tuple[str, int, Any]) -> None:
    name, at, argument = case
    if argument.domain.whole:
        middle = min(max(argument.domain.low, 1.0) + 0.5, argument.domain.high - 0.5)
        [fault] = refusal(getattr(tco_udfs, name), *spoilt(name, at, middle)).faults
        assert (fault.kind, fault.field) == ("range", argument.name)
        assert fault.allowed == "give 0 or 1" or "whole number" in fault.allowed


@by_argument
@pytest.mark.parametrize("value", [5.0, True, dt.datetime(2026, 1, 1), ERROR], ids=str)
def test_a_word_is_not_a_number(case: tuple[str, int, Any], value: Any) -> None:
    name, at, argument = case
    if argument.kind != "word":
        return
    for cell in (value, [[argument.omitted if argument.is_optional else GOOD[name][at], value]]):
        [fault] = refusal(getattr(tco_udfs, name), *spoilt(name, at, cell)).faults
        assert (fault.kind, fault.field) == ("type", argument.name)


@pytest.mark.parametrize(
    ("name", "cells", "field", "meant"),
    [
        ("TCO_TOTAL", [INPUTS, None, "acelerators"], "component", "accelerators"),
        ("TCO_METRIC", [INPUTS, "wall_hour"], "metric", "wall_hours"),
        ("TCO_SPEC", ["h100-sx", "tdp_watts"], "accelerator", "h100-sxm"),
        ("TCO_SPEC", ["h100-sxm", "tdp_wats"], "field", "tdp_watts"),
        ("TCO_WALLTIME", [1e24, 8, "h100-smx", 0.4], "peak_tflops", "h100-sxm"),
        ("TCO_TOTAL", [as_range({**OWN, "accelerator": "h100sxm"})], "accelerator", "h100-sxm"),
        ("TCO_TOTAL", [INPUTS, [["pu", 1.1]]], "pu", "pue"),
    ],
)
def test_an_unknown_word_is_answered_with_what_was_meant(
    name: str, cells: list[Any], field: str, meant: str
) -> None:
    error = refusal(getattr(tco_udfs, name), *cells)
    assert ("unknown key", field) in {(fault.kind, fault.field) for fault in error.faults}
    assert str(error).startswith(f"{name}: ")
    assert f'did you mean "{meant}"?' in str(error)


def test_an_unknown_figure_names_accelerator_and_field() -> None:
    error = refusal(tco_udfs.TCO_SPEC, "tpu-v7", "host_watts_per_accelerator")
    assert error.kind == "unknown figure"
    assert "host_watts_per_accelerator of tpu-v7" in str(error)


def test_a_blank_around_a_key_does_no_harm() -> None:
    wanted = tco_udfs.TCO_SPEC("h100-sxm", "tdp_watts")
    assert tco_udfs.TCO_SPEC(" h100-sxm ", "tdp_watts") == wanted
    hours = tco_udfs.TCO_WALLTIME(1e24, 8, "h100-sxm", 0.4)
    assert tco_udfs.TCO_WALLTIME(1e24, 8, " h100-sxm ", 0.4) == hours


# Ranges of fields and values


def test_a_table_may_have_a_heading_blank_rows_and_more_columns() -> None:
    bare = tco_udfs.TCO_TOTAL(INPUTS)
    rows: list[list[Any]] = [["Field", "Value", "unit", "source"], [None, None, None, None]]
    rows += [[field, value, "a unit", 7.0] for field, value in OWN.items()]
    rows += [["", "", "", ""], ["pue", None, "empty", ""], [None, "a remark", "", ""]]
    assert tco_udfs.TCO_TOTAL(rows) == bare
    assert tco_udfs.TCO_TOTAL(np.array(rows, dtype=object)) == bare
    assert tco_udfs.TCO_TOTAL(tuple(map(tuple, rows))) == bare
    assert tco_udfs.TCO_TOTAL([[f" {field} ", *rest] for field, *rest in INPUTS]) == bare
    assert tco_udfs.TCO_TOTAL([*INPUTS, ["host_watts_per_accelerator", "unknown"]]) == bare


def test_python_may_pass_a_mapping() -> None:
    assert tco_udfs.TCO_TOTAL(OWN, {"pue": 1.5}) == tco_udfs.TCO_TOTAL(INPUTS, [["pue", 1.5]])


@pytest.mark.parametrize(
    ("inputs", "kind", "field"),
    [
        ("h100-sxm", "shape", "inputs"),
        (5.0, "shape", "inputs"),
        (True, "shape", "inputs"),
        ([["mfu"], ["pue"]], "shape", "inputs"),
        (ERROR, "type", "inputs"),
        ([*INPUTS, [5.0, 1.0]], "type", "inputs"),
        ([*INPUTS, [ERROR, 1.0]], "type", "inputs"),
        ([*INPUTS, ["pue", ERROR]], "type", "pue"),
        ([*INPUTS, ["pue", "1.2"]], "type", "pue"),
        ([*INPUTS, ["pue", True]], "type", "pue"),
        ([*INPUTS, ["pue", dt.datetime(2026, 1, 1)]], "type", "pue"),
        ([*INPUTS, ["pue", 0.0]], "range", "pue"),
        ([*INPUTS, ["pue", math.nan]], "range", "pue"),
        ([*INPUTS, ["pue", math.inf]], "range", "pue"),
        ([*INPUTS, ["pue", 10**400]], "range", "pue"),
        ([*INPUTS, ["mfu", 0.5]], "conflict", "mfu"),
        ([*INPUTS, ["hfu", 0.5]], "conflict", "mfu"),
        ([*INPUTS, ["staff_fte", True], ["staff_fte", 1.0]], "conflict", "staff_fte"),
        ({**OWN, "pue": [1.2]}, "type", "pue"),
        ({**OWN, "pue": np.array([1.2, 1.3])}, "type", "pue"),
    ],
)
@pytest.mark.parametrize("name", ["TCO_TOTAL", "TCO_BREAKDOWN"])
def test_a_faulty_table_is_refused(name: str, inputs: Any, kind: str, field: str) -> None:
    error = refusal(getattr(tco_udfs, name), inputs)
    assert (kind, field) in {(fault.kind, fault.field) for fault in error.faults}
    assert all(line.startswith(f"{name}: ") for line in str(error).splitlines())


@pytest.mark.parametrize("value", [math.nan, "1.2", True, 0.5, ERROR])
def test_a_faulty_override_is_refused(value: Any) -> None:
    error = refusal(tco_udfs.TCO_TOTAL, INPUTS, [["pue", value]])
    assert [fault.field for fault in error.faults] == ["pue"]


def test_an_override_that_is_an_error_cell_names_its_argument() -> None:
    error = refusal(tco_udfs.TCO_TOTAL, INPUTS, ERROR)
    assert [fault.field for fault in error.faults] == ["overrides"]


def test_all_faults_of_a_table_come_at_once() -> None:
    error = refusal(tco_udfs.TCO_TOTAL, [*INPUTS, ["pue", 0.5], ["waste_share", 2.0]])
    assert {fault.field for fault in error.faults} == {"pue", "waste_share"}


def test_yes_is_not_one_even_after_a_one() -> None:
    """TRUE equals 1 in Python: a memory of results must not take one for the other."""
    tco_udfs.TCO_TOTAL([*INPUTS, ["waste_share", 0.0], ["residual_share", 1.0]])
    error = refusal(tco_udfs.TCO_TOTAL, [*INPUTS, ["waste_share", False], ["residual_share", True]])
    assert {fault.field for fault in error.faults} == {"waste_share", "residual_share"}


def test_overrides_are_a_what_if() -> None:
    changes: dict[str, Any] = {"mfu": 0.5, "accelerator": "b200-sxm"}
    wanted = evaluate(Scenario(**OWN).replace(**changes)).total_usd
    assert tco_udfs.TCO_TOTAL(INPUTS, as_range(changes)) == wanted
    assert (
        tco_udfs.TCO_TOTAL(INPUTS, [["hfu", 0.5]])
        == evaluate(Scenario(**OWN).replace(hfu=0.5)).total_usd
    )
    assert tco_udfs.TCO_METRIC(INPUTS, "achieved_mfu", [["mfu", 0.5]]) == 0.5
    rows = tco_udfs.TCO_BREAKDOWN(INPUTS, [["electricity_usd_per_kwh", 0.0]])
    assert dict(rows)["power"] == 0


def test_overrides_with_no_value_change_nothing() -> None:
    bare = tco_udfs.TCO_TOTAL(INPUTS)
    for overrides in (None, "", 0.0, [["pue", None]], [[None, None]], [["field", "value"]]):
        assert tco_udfs.TCO_TOTAL(INPUTS, overrides) == bare


def test_a_component_that_is_not_paid_is_zero() -> None:
    assert tco_udfs.TCO_TOTAL(INPUTS, None, "rental") == 0
    assert tco_udfs.TCO_TOTAL(as_range(RENT), None, "power") == 0
    assert tco_udfs.TCO_TOTAL(INPUTS, None, "total") == tco_udfs.TCO_TOTAL(INPUTS)


# Never NaN, never infinite, never a surprise

EXTREMES = [0.0, -0.0, 5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e18, 1e300, 1.7976931348623157e308]
cells = st.one_of(
    st.sampled_from(EXTREMES),
    st.floats(),
    st.floats(0, 1),
    st.integers(0, 10**20),
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.decimals(allow_nan=False, allow_infinity=True),
    st.sampled_from(["h100-sxm", "v100-sxm"]),
)
ranges = st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=3)


def assert_finite(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            assert_finite(item)
    elif not isinstance(value, str):
        assert type(value) is float
        assert math.isfinite(value)


def answer_or_none(name: str, arguments: list[Any]) -> Any:
    """Return a finite answer, or None where arguments in range have none together."""
    try:
        value = call(name, *arguments)
    except InputError as error:
        if error.kind == "range":
            return None
        raise
    assert_finite(value)
    return value


def finite_or_refused(name: str, arguments: list[Any]) -> None:
    try:
        value = call(name, *arguments)
    except InputError:
        return
    assert_finite(value)


@by_function
@given(data=st.data())
def test_any_cells_give_finite_numbers_or_an_input_error(name: str, data: st.DataObject) -> None:
    size = FUNCTIONS[name].maximum
    finite_or_refused(name, data.draw(st.lists(cells | ranges, min_size=size, max_size=size)))


@pytest.mark.parametrize("name", sorted({name for name, _, _ in NUMBERS}))
@given(data=st.data())
def test_extremes_within_the_domain_give_finite_numbers_or_an_input_error(
    name: str, data: st.DataObject
) -> None:
    arguments = []
    for at, argument in enumerate(FUNCTIONS[name].arguments):
        domain = argument.domain
        if domain is None or argument.single:
            words = argument.words and not argument.single
            arguments.append(
                data.draw(st.sampled_from(argument.words)) if words else GOOD[name][at]
            )
            continue
        inside = [value for value in EXTREMES if not domain.excludes(value)]
        inside += [end for end in (domain.low, domain.high) if not domain.excludes(end)]
        inside += [v for v in (math.nextafter(domain.low, 1), math.nextafter(domain.high, 0))]
        arguments.append(data.draw(st.sampled_from(inside)))
    finite_or_refused(name, arguments)
    pairs = zip(arguments, FUNCTIONS[name].arguments, strict=True)
    finite_or_refused(
        name, [[[v, v]] if argument.domain and not argument.single else v for v, argument in pairs]
    )


@example({"parameters": 5e-324})
@example({"mfu": 5e-324})
@example({"mfu": 10**400})
@given(st.dictionaries(st.sampled_from([*sorted(OWN), "pue", "hfu", "waste_share"]), cells))
def test_any_overrides_give_finite_numbers_or_an_input_error(table: dict[str, Any]) -> None:
    finite_or_refused("TCO_TOTAL", [INPUTS, as_range(table), "total"])
    finite_or_refused("TCO_BREAKDOWN", [INPUTS, as_range(table)])


# A real host on Linux


@pytest.fixture(scope="module")
def workbook() -> Any:
    book = formualizer.Workbook()
    for name, function in FUNCTIONS.items():
        shell = getattr(tco_udfs, name)
        book.register_function(name, shell, min_args=function.minimum, max_args=function.maximum)
    sheet = book.sheet("Inputs")
    for row, (field, value) in enumerate(INPUTS, start=1):
        sheet.set_value(row, 1, field)
        sheet.set_value(row, 2, value)
    for row, (field, value) in enumerate(STEP_INPUTS, start=1):
        sheet.set_value(row, 12, field)
        sheet.set_value(row, 13, value)
    for row, cells in enumerate(RANGES, start=1):
        for column, value in enumerate(cells, start=7):
            sheet.set_value(row, column, value)
    return book


GOOD_WALLTIME = [1e24, 8, 989.4, 0.4, 0, 0.1]
AREA = f"A1:B{len(INPUTS)}"
STEP_INPUTS = as_range(STEP)
STEP_AREA = f"L1:M{len(STEP_INPUTS)}"


@pytest.mark.parametrize(
    ("formula", "name", "arguments"),
    [
        ("=TCO_FLOPS(70000000000,1400000000000)", "TCO_FLOPS", [70e9, 1.4e12]),
        ("=TCO_FLOPS(1000,1000,,1,1,1)", "TCO_FLOPS", [1e3, 1e3, None, 1, 1, 1]),
        ("=TCO_FLOPS(B1,B2,D9)", "TCO_FLOPS", [70e9, 1.4e12, None]),
        ('=TCO_WALLTIME(1E24,8,"h100-sxm",0.4,,0.1)', "TCO_WALLTIME", GOOD_WALLTIME),
        (f"=TCO_TOTAL({AREA})", "TCO_TOTAL", [INPUTS]),
        (f'=TCO_TOTAL({AREA},,"power")', "TCO_TOTAL", [INPUTS, None, "power"]),
        (f'=TCO_METRIC({AREA},"wall_hours")', "TCO_METRIC", [INPUTS, "wall_hours"]),
        (f"=INDEX(TCO_BREAKDOWN({AREA}),1,2)", "TCO_TOTAL", [INPUTS, None, "accelerators"]),
        (f"=SUM(TCO_BREAKDOWN({AREA}))", "TCO_TOTAL", [INPUTS]),
        ('=TCO_SPEC("h100-sxm","label")', "TCO_SPEC", ["h100-sxm", "label"]),
        ("=TCO_VERSION()", "TCO_VERSION", []),
        # What is left out arrives as 0, and is the default all the same.
        (
            "=TCO_PARAMETERS(32,4096,32,14336,32000,8,,,8,2,,,,,1)",
            "TCO_PARAMETERS",
            [32, 4096, 32, 14336, 32000, 8, None, None, 8, 2, None, None, None, None, 1],
        ),
        ("=TCO_MEMORY(7E9,32,4096,32,4096,,8)", "TCO_MEMORY", [7e9, 32, 4096, 32, 4096, None, 8]),
        (
            '=TCO_MIN_ACCELERATORS(8E9,32,4096,32,4096,"h100-sxm",,,"selective")',
            "TCO_MIN_ACCELERATORS",
            [8e9, 32, 4096, 32, 4096, "h100-sxm", None, None, "selective"],
        ),
        ("=TCO_NETWORK_COST(512,,,8)", "TCO_NETWORK_COST", [512, None, None, 8]),
        ("=TCO_NETWORK_COST(9,,,8,,,900)", "TCO_NETWORK_COST", [9, None, None, 8, None, None, 900]),
        ("=TCO_DEPRECIATION(1E6,100,4,,1,0.2)", "TCO_DEPRECIATION", [1e6, 100, 4, None, 1, 0.2]),
        ("=TCO_STORAGE_COST(9E12,4E9,9,,,5)", "TCO_STORAGE_COST", [9e12, 4e9, 9, None, None, 5]),
        (f'=TCO_STEP_TIME({STEP_AREA},,"bubble")', "TCO_STEP_TIME", [STEP_INPUTS, None, "bubble"]),
        (f'=TCO_BREAKEVEN({AREA},,"sentence")', "TCO_BREAKEVEN", [INPUTS, None, "sentence"]),
        (f'=TCO_SOLVE({AREA},"mfu",3E6)', "TCO_SOLVE", [INPUTS, "mfu", 3e6]),
        (
            f"=TCO_PERCENTILE({AREA},G1:J3,90,,,,500)",
            "TCO_PERCENTILE",
            [INPUTS, RANGES, 90, None, None, None, 500],
        ),
    ],
)  # fmt: skip
def test_formualizer_gives_what_python_gives(
    workbook: Any, formula: str, name: str, arguments: list[Any]
) -> None:
    workbook.sheet("Inputs").set_formula(30, 5, formula)
    value, wanted = workbook.evaluate_cell("Inputs", 30, 5), call(name, *arguments)
    if "SUM" in formula:  # in an order of its own
        wanted = pytest.approx(wanted, rel=1e-12)
    assert value == wanted


@pytest.mark.parametrize(
    "formula",
    [
        '=TCO_FLOPS("x",1)',
        "=TCO_FLOPS(D9,1)",
        "=TCO_FLOPS(1/0,1)",
        "=TCO_TOTAL(1/0)",
        "=TCO_TOTAL(A1:B8,1/0)",
        '=TCO_WALLTIME(1,8,"h100",0.4)',
        '=TCO_DEPRECIATION(1,8,4,"annuities")',
        "=TCO_NETWORK_SWITCHES(1E9)",
        "=TCO_PERCENTILE(A1:B8,A1:B8,50)",
        "=TCO_TOTAL(A1:A8)",
    ],
)
def test_a_fault_in_formualizer_is_an_error(workbook: Any, formula: str) -> None:
    workbook.sheet("Inputs").set_formula(30, 5, formula)
    assert workbook.evaluate_cell("Inputs", 30, 5)["type"] == "Error"

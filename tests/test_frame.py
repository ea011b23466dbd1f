"""Many scenarios in one table: each row costs exactly what it costs alone.

Exactly is `==`: a row, a scenario and a cell of the workbook run the same operations in the same
order.
"""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import tables
from xl_tco import InputError, Scenario, batch, evaluate, evaluate_frame
from xl_tco.fields import ALTERNATIVES, FIELDS
from xl_tco.outputs import COMPONENTS, METRICS

RENT: dict[str, Any] = {
    "name": "a run",
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "precision": "bf16",
    "mfu": 0.4,
    "procurement": "rent",
    "staff_fte": 10.0,
    "storage_usd_per_hour": 50.0,
}
OWN = {**RENT, "procurement": "own", "pue": 1.3}
OUTPUTS = [*(f"{name}_usd" for name in COMPONENTS), "total_usd", *METRICS]


def alone(table: Mapping[str, Any]) -> dict[str, float]:
    """Costs of one scenario on its own, laid out as a row; NaN where it has none."""
    result = evaluate(Scenario.from_table(table))
    row = {f"{name}_usd": result.components.get(name, 0.0) for name in COMPONENTS}
    row["total_usd"] = result.total_usd
    return row | {name: math.nan if v is None else v for name, v in result.metrics.items()}


def assert_rows_are_as_alone(costs: pd.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
    wanted = pd.DataFrame([alone(row) for row in rows], index=costs.index, columns=OUTPUTS)
    pd.testing.assert_frame_equal(costs, wanted.astype(float), check_exact=True)


def faults(df: pd.DataFrame, **kwargs: Any) -> set[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        evaluate_frame(df, **kwargs)
    return {(fault.kind, fault.field) for fault in caught.value.faults}


# The same numbers


@given(st.lists(tables(), min_size=1, max_size=8))
def test_a_row_costs_what_it_costs_alone(rows: list[dict[str, Any]]) -> None:
    """Own and rent, all accelerators, MFU and HFU and blanks, side by side."""
    assert_rows_are_as_alone(evaluate_frame(pd.DataFrame(rows)), rows)


INDEXES = {
    "strings": [f"run {i}" for i in range(6)],
    "duplicates": [1, 1, 2, 2, 2, 1],
    "floats": [0.5, 1.5, math.nan, 2.5, 3.5, 4.5],
    "dates": pd.date_range("2026-01-01", periods=6),
    "two levels": pd.MultiIndex.from_product([["a", "b"], [1, 2, 3]], names=["site", "run"]),
    "backwards": range(6, 0, -1),
}


@pytest.mark.parametrize("index", INDEXES)
@settings(max_examples=10)
@given(st.lists(tables(), min_size=6, max_size=6))
def test_any_index_is_kept(index: str, rows: list[dict[str, Any]]) -> None:
    df = pd.DataFrame(rows, index=pd.Index(INDEXES[index]))
    before = df.copy()
    costs = evaluate_frame(df)
    assert costs.index.equals(df.index)
    assert costs.index.names == df.index.names
    assert_rows_are_as_alone(costs, rows)
    pd.testing.assert_frame_equal(df, before)


@settings(max_examples=20)
@given(st.lists(tables(), min_size=2, max_size=8), st.randoms())
def test_the_order_of_rows_and_columns_does_not_matter(rows: list[Any], random: Any) -> None:
    df = pd.DataFrame(rows)
    costs = evaluate_frame(df)
    order, columns = list(range(len(rows))), list(df.columns)
    random.shuffle(order)
    random.shuffle(columns)
    shuffled = evaluate_frame(df.iloc[order][columns])
    pd.testing.assert_frame_equal(shuffled, costs.iloc[order], check_exact=True)


WORDS = {"name": str, "accelerator": str, "precision": str, "procurement": str}
MIXED = [
    RENT,
    OWN,
    {**RENT, "accelerator": "mi300x", "mfu": None, "hfu": 0.5},
    {**OWN, "precision": "fp8", "pue": None},
    {**OWN, "precision": None, "accelerators": 512.0, "name": None},
]
DTYPES = {
    "object": dict.fromkeys(FIELDS, object),
    "category": dict.fromkeys(FIELDS, "category"),
    "nullable floats": {"mfu": "Float64", "pue": "Float64", "tokens": "Float64"},
    "nullable ints": {"parameters": "Int64", "accelerators": "Int64", "staff_fte": "Int64"},
    "string": dict.fromkeys(WORDS, "string"),
    "str": dict.fromkeys(WORDS, "str"),
    "ints": {"parameters": "int64", "tokens": "uint64", "accelerators": "int32"},
}


@pytest.mark.parametrize("sort", DTYPES)
def test_columns_of_any_type(sort: str) -> None:
    df = pd.DataFrame(MIXED)
    df = df.astype({name: kind for name, kind in DTYPES[sort].items() if name in df})
    assert_rows_are_as_alone(evaluate_frame(df), MIXED)


def test_a_category_that_does_not_occur_is_no_fault() -> None:
    df = pd.DataFrame([RENT, RENT])
    df["accelerator"] = pd.Categorical(df["accelerator"], ["h1000", "h100-sxm"])
    assert_rows_are_as_alone(evaluate_frame(df), [RENT, RENT])


def test_floats_of_half_the_width_count_as_what_they_are() -> None:
    df = pd.DataFrame([RENT, OWN]).astype({"mfu": "float32"})
    rows = [{**row, "mfu": float(np.float32(0.4))} for row in (RENT, OWN)]
    assert_rows_are_as_alone(evaluate_frame(df), rows)


@pytest.mark.parametrize("blank", [None, math.nan, "", pd.NA, np.nan])
def test_an_empty_cell_takes_the_default(blank: Any) -> None:
    df = pd.DataFrame([OWN, {**OWN, "pue": blank, "precision": blank, "name": blank}])
    assert_rows_are_as_alone(evaluate_frame(df), [OWN, {**OWN, "pue": None}])


@pytest.mark.parametrize("blank", [None, math.nan, "", pd.NA, pd.NaT])
def test_a_whole_column_may_be_empty(blank: Any) -> None:
    df = pd.DataFrame([OWN, OWN]).assign(pue=blank, precision=blank, hfu=blank, name=blank)
    bare = {name: value for name, value in OWN.items() if name != "pue"}
    assert_rows_are_as_alone(evaluate_frame(df), [bare, bare])


def test_one_row() -> None:
    for row in (RENT, OWN):
        assert_rows_are_as_alone(evaluate_frame(pd.DataFrame([row])), [row])


@pytest.mark.parametrize("df", [pd.DataFrame(), pd.DataFrame([OWN]).iloc[:0]])
def test_no_row(df: pd.DataFrame) -> None:
    costs = evaluate_frame(df)
    assert costs.shape == (0, len(OUTPUTS))
    assert list(costs.columns) == OUTPUTS
    assert set(costs.dtypes) == {np.dtype("float64")}


WAYS: list[dict[str, Any]] = [
    OWN,
    {**OWN, "mfu": None, "hfu": 0.5},
    {**OWN, "waste_share": 0.2},
    {**OWN, "accelerator_mtbf_hours": 50_000.0},
    {**OWN, "network_share": 0.2},
    {**OWN, "network_price_usd": 4e6},
    {**OWN, "network_topology": "fat-tree"},
    {**OWN, "storage_price_usd": 1e6},
    {**OWN, "depreciation_method": "annuity"},
    {**OWN, "region": "eu"},
    {**OWN, "currency": "TWD", "currency_per_usd": 32.0, "currency_date": "2026-11-02"},
]


def test_rows_may_say_the_same_in_other_ways() -> None:
    """Side by side, whole parts of the model are in use in one row and not in the next."""
    costs = evaluate_frame(pd.DataFrame(WAYS))
    assert_rows_are_as_alone(costs, WAYS)
    estimates = {name for row in WAYS for name in evaluate(Scenario(**row)).estimates}
    assert set(costs.attrs["estimates"]) == estimates


def test_more_rows_than_one_block() -> None:
    # Blocks are of 16,384 rows: three of them, and groups that interleave.
    size = 40_000
    tokens = 1e12 + 1e9 * np.arange(size)
    accelerator = np.where(np.arange(size) % 3 == 0, "h100-sxm", "a100-sxm-80gb")
    bare = {name: value for name, value in OWN.items() if name not in ("tokens", "accelerator")}
    df = pd.DataFrame({"tokens": tokens, "accelerator": accelerator}).assign(**bare)
    costs = evaluate_frame(df)
    assert costs["total_usd"].notna().all()
    picked = [0, 1, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, size - 1]
    rows = [{**bare, **df.iloc[i][["tokens", "accelerator"]].to_dict()} for i in picked]
    assert_rows_are_as_alone(costs.iloc[picked], rows)
    for _, group in df.groupby("accelerator"):
        increasing = costs.loc[group.index, "total_usd"]
        assert increasing.is_monotonic_increasing
        assert increasing.is_unique


def test_columns_of_more_words_than_integers_can_tell_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if integers ended at 8: combinations of words are numbered anew on the way."""
    monkeypatch.setattr(batch, "LARGEST_CODE", 8)
    assert_rows_are_as_alone(evaluate_frame(pd.DataFrame(WAYS * 2)), WAYS * 2)


# A base scenario


@settings(max_examples=30)
@given(tables(), st.lists(st.floats(0.05, 1), min_size=1, max_size=4))
def test_rows_vary_a_base(table: dict[str, Any], rates: list[float]) -> None:
    costs = evaluate_frame(pd.DataFrame({"hfu": rates}), Scenario(**table))
    bare = {name: value for name, value in table.items() if name not in ALTERNATIVES[0]}
    assert_rows_are_as_alone(costs, [{**bare, "hfu": rate} for rate in rates])


def test_a_base_with_another_accelerator_in_each_row() -> None:
    base = Scenario(**OWN)
    keys = ["h100-sxm", "b200-sxm", "a100-sxm-80gb"]
    costs = evaluate_frame(pd.DataFrame({"accelerator": keys}), base)
    assert_rows_are_as_alone(costs, [{**OWN, "accelerator": key} for key in keys])
    assert costs.attrs["estimates"] == evaluate(base).estimates


def test_a_column_wins_over_the_base() -> None:
    costs = evaluate_frame(pd.DataFrame({"pue": [1.1, 1.9]}), Scenario(**OWN))
    assert_rows_are_as_alone(costs, [{**OWN, "pue": 1.1}, {**OWN, "pue": 1.9}])


# Faults


def test_faults_name_rows_by_their_index() -> None:
    rows = [RENT, {**RENT, "mfu": 1.4}, {**RENT, "pue": 0.5}, RENT, {**RENT, "mfu": -1.0}]
    with pytest.raises(InputError) as caught:
        evaluate_frame(pd.DataFrame(rows, index=list("abcde")))
    assert [(fault.field, fault.place) for fault in caught.value.faults] == [
        ("mfu", "row b, e"),
        ("pue", "row c"),
    ]


def test_many_rows_at_fault_are_counted() -> None:
    df = pd.DataFrame([{**RENT, "mfu": 2.0}] * 10)
    with pytest.raises(InputError, match=r"row 0, 1, 2 and 7 more"):
        evaluate_frame(df)


def test_rows_of_two_levels_are_named_by_both() -> None:
    index = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    with pytest.raises(InputError, match=r"mfu \(row .*b.*2"):
        evaluate_frame(pd.DataFrame([RENT, {**RENT, "mfu": 2.0}], index=index))


def test_all_faults_come_at_once() -> None:
    rows = [
        RENT,
        {**RENT, "mfu": 1.4},
        {**RENT, "accelerator": "h1000"},
        {**OWN, "precision": 8},
        {**RENT, "hfu": 0.5},
        {**RENT, "storage_usd_per_hour": None},
        {**RENT, "layers": 80.0},
        {**RENT, "peak_tflops": 1979.0},
        {**RENT, "tokens": "many"},
    ]
    assert faults(pd.DataFrame(rows).assign(wattage=1)) >= {
        ("range", "mfu"),
        ("unknown key", "accelerator"),
        ("type", "precision"),
        ("unknown figure", "storage_usd_per_hour"),
        ("conflict", "layers"),
        ("type", "tokens"),
        ("unknown key", "wattage"),
    }


@pytest.mark.parametrize(
    ("columns", "kind"),
    [(["mfu", "mfuu"], "unknown key"), (["mfu", 0], "unknown key"), (["mfu", "mfu"], "conflict")],
)
def test_columns_that_are_no_fields(columns: list[Any], kind: str) -> None:
    bare = pd.DataFrame([RENT]).drop(columns="mfu")
    extra = pd.DataFrame([[0.4, 0.4]], columns=columns)
    assert (kind, str(columns[1])) in faults(pd.concat([bare, extra], axis=1))


def test_columns_of_two_levels_are_refused() -> None:
    df = pd.DataFrame([RENT])
    df.columns = pd.MultiIndex.from_product([["inputs"], df.columns])
    assert {kind for kind, _ in faults(df)} >= {"unknown key"}


# The same acceptance as a scenario

VALUES: dict[str, Any] = {
    "nothing": None,
    "empty text": "",
    "text": "0.4",
    "word": "own",
    "key": "b200-sxm",
    "precision": "fp8",
    "yes": True,
    "numpy yes": np.bool_(True),
    "zero": 0,
    "half": 0.5,
    "one": 1,
    "below one": 0.999,
    "ninety": 90,
    "2,000": 2000.0,
    "minus one": -1,
    "1e19": 1e19,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "int beyond int64": 10**20,
    "int beyond float": 10**400,
    "numpy int": np.int64(1),
    "numpy float": np.float32(0.5),
    "Decimal": Decimal("0.5"),
    "Decimal out of range": Decimal("-1"),
    "date": dt.date(2026, 1, 1),
    "timestamp": pd.Timestamp("2026-01-01"),
    "list": [0.5],
    "set": {0.5},
    "table": {"a": 1},
    "error cell": {"type": "Error", "kind": "Ref"},
    "bytes": b"own",
    "complex": 1j,
}


def scenario_faults(table: Mapping[str, Any]) -> set[tuple[str, str]]:
    try:
        evaluate(Scenario.from_table(table))
    except InputError as error:
        return {(fault.kind, fault.field) for fault in error.faults}
    return set()


def frame_faults(df: pd.DataFrame) -> set[tuple[str, str]]:
    try:
        evaluate_frame(df)
    except InputError as error:
        return {(fault.kind, fault.field) for fault in error.faults}
    return set()


def table_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table of objects, whatever the values are."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        column = np.empty(len(rows), dtype=object)
        column[:] = [row.get(name) for row in rows]
        columns[name] = column
    return pd.DataFrame(columns, dtype=object)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("base", [RENT, OWN], ids=["rent", "own"])
def test_a_value_is_taken_exactly_where_a_scenario_takes_it(
    base: dict[str, Any], value: str
) -> None:
    different = {}
    for field in FIELDS:
        table = {**base, field: VALUES[value]}
        wanted = scenario_faults(table)
        found = frame_faults(table_of([table]))
        found_among_others = frame_faults(table_of([base, table, base]))
        if not wanted == found == found_among_others:
            different[field] = (wanted, found, found_among_others)
    assert different == {}


@given(tables(), st.sampled_from(sorted(FIELDS)), st.sampled_from(sorted(VALUES)), st.data())
def test_a_random_table_is_refused_exactly_where_a_scenario_is(
    table: dict[str, Any], field: str, value: str, data: st.DataObject
) -> None:
    if value in ("int beyond float", "Decimal", "Decimal out of range", "list", "set", "table"):
        value = "minus one"  # each has its own test above
    row = {**table, field: VALUES[value]}
    others = data.draw(st.lists(tables(), max_size=3))
    place = data.draw(st.integers(0, len(others)))
    rows = [*others[:place], row, *others[place:]]
    assert bool(frame_faults(table_of(rows))) == bool(scenario_faults(row))


@pytest.mark.parametrize(
    "extreme",
    [
        {"mfu": 1e-300, "peak_tflops": 1e-300},
        {"mfu": 1e-300, "parameters": 1e18, "tokens": 1e18},
        {"parameters": 5e-324, "tokens": 5e-324},
        {"depreciation_years": 1e-300, "utilization": 1e-300},
    ],
    ids=str,
)
def test_extremes_are_costed_or_refused_like_a_scenario(extreme: dict[str, float]) -> None:
    """And without a warning of NumPy, which is an error in the tests."""
    row = {**OWN, **extreme}

    def cost_alone() -> float:
        return evaluate(Scenario(**row)).total_usd

    def cost_of_row() -> float:
        return float(evaluate_frame(pd.DataFrame([OWN, row]))["total_usd"].iloc[1])

    results = []
    for cost in (cost_alone, cost_of_row):
        try:
            results.append(cost())
        except InputError as error:
            results.append(error.kind)
    assert results[0] == results[1]
    assert results[0] == "range" or math.isfinite(results[0])

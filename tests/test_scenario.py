"""What a scenario takes and refuses, as Python, TOML, JSON and CSV.

Every fault says file, field, value and what is allowed; all faults come at once; and whatever a
file holds, nothing but an `InputError` comes out.
"""

import copy
import csv
import datetime as dt
import io
import json
import pickle
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import PRECISIONS, tables
from xl_tco import InputError, Scenario, evaluate, load_scenario, load_scenarios
from xl_tco.catalogue import accelerator_keys, entries, find
from xl_tco.errors import Fault
from xl_tco.fields import FIELDS, Number
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.resolve import given_alone
from xl_tco.scenario import json_schema, words

RENT: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "mfu": 0.4,
    "procurement": "rent",
    "staff_fte": 10.0,
    "storage_usd_per_hour": 50.0,
}
OWN: dict[str, Any] = {**RENT, "procurement": "own"}
CUSTOM: dict[str, Any] = {
    **OWN,
    "accelerator": "custom",
    "peak_tflops": 500.0,
    "accelerator_price_usd": 10_000.0,
    "host_price_usd_per_accelerator": 1_000.0,
    "tdp_watts": 500.0,
    "host_watts_per_accelerator": 200.0,
    "rental_usd_per_accelerator_hour": 1.5,
}
STEP: dict[str, Any] = {
    **{name: value for name, value in OWN.items() if name != "mfu"},
    "kernel_efficiency": 0.6,
    "layers": 80.0,
    "hidden_size": 8192.0,
    "sequence_length": 4096.0,
    "heads": 64.0,
    "batch_tokens": 4096 * 1024.0,
    "tensor_parallel": 8.0,
    "zero_stage": 3.0,
    "recomputation": "full",
}
MIXTURE: dict[str, Any] = {
    **STEP,
    "parameters_total": 400e9,
    "experts": 64.0,
    "active_experts": 4.0,
}
HARDWARE: dict[str, Any] = {
    "link_gb_per_s": 450.0,
    "domain_accelerators": 8.0,
    "network_gb_per_s": 50.0,
    "memory_gb": 80.0,
}


def faults(table: Mapping[str, object], source: str = "") -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(table, source)
    return caught.value.faults


def outcome(make: Callable[[], Any]) -> Any:
    """Return what is made, or the `InputError`; anything else goes on up."""
    try:
        return make()
    except InputError as error:
        return error


def kinds(found: tuple[Fault, ...]) -> set[tuple[str, str]]:
    return {(fault.kind, fault.field) for fault in found}


def without(table: Mapping[str, Any], *fields: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in fields}


# Every kind of fault

FAULTS = [
    # the table, kind, field, a piece of the problem, a piece of what is allowed
    (RENT | {"mfu": "0.4"}, "type", "mfu", '"0.4" is text', "a number above 0 and at most 1"),
    (RENT | {"pue": True}, "type", "pue", "True is a yes or no", "a number from 1 to 10"),
    (RENT | {"mfu": [0.4]}, "type", "mfu", "is a list", "a number above 0"),
    (RENT | {"mfu": {"value": 0.4}}, "type", "mfu", "is a table", "a number above 0"),
    (RENT | {"tokens": dt.date(2024, 7, 1)}, "type", "tokens", "is a date", "a number from 1"),
    (RENT | {"name": 5}, "type", "name", "5 is a number", "a text"),
    (RENT | {"name": True}, "type", "name", "True is a yes or no", "a text"),
    (RENT | {"accelerator": 100.0}, "type", "accelerator", "100 is a number", "a key of the"),
    (RENT | {"procurement": 1}, "type", "procurement", "1 is a number", "own, rent"),
    (RENT | {"mfu": 1.4}, "range", "mfu", "1.4 is out of range", "above 0 and at most 1"),
    (RENT | {"mfu": 0}, "range", "mfu", "0 is out of range", "above 0 and at most 1"),
    (RENT | {"waste_share": 1}, "range", "waste_share", "1 is out of", "from 0 and below 1"),
    (RENT | {"pue": 0.99}, "range", "pue", "0.99 is out of range", "from 1 to 10"),
    (RENT | {"tokens": float("nan")}, "range", "tokens", "nan", "a number from 1"),
    (RENT | {"tokens": float("inf")}, "range", "tokens", "inf", "a number from 1"),
    (RENT | {"parameters": -1}, "range", "parameters", "-1 is out of range", "from 1"),
    (RENT | {"parameters": 10**30}, "range", "parameters", "out of range", "1e18"),
    (RENT | {"precision": "bf61"}, "unknown key", "precision", '"bf61"', "bf16, fp16, fp8"),
    (RENT | {"procurement": "lease"}, "unknown key", "procurement", '"lease"', "own, rent"),
    (RENT | {"accelerator": "h100-sx"}, "unknown key", "accelerator", '"h100-sxm"', "v100-sxm"),
    (RENT | {"mfuu": 0.4}, "unknown key", "mfuu", 'did you mean "mfu"', "xl-tco schema"),
    (without(RENT, "tokens"), "missing", "tokens", "nothing is given", "in tokens"),
    (without(RENT, "accelerator"), "missing", "accelerator", "nothing is given", "a key of the"),
    (without(CUSTOM, "tdp_watts"), "missing", "tdp_watts", "nothing is given", "in W"),
    (
        without(RENT, "storage_usd_per_hour"),
        "unknown figure",
        "storage_usd_per_hour",
        "the catalogue has no figure for rent",
        "in USD/hour",
    ),
    (
        OWN | {"accelerator": "tpu-v7", "accelerator_price_usd": 1, "tdp_watts": 900}
        | {"host_price_usd_per_accelerator": 1},
        "unknown figure",
        "host_watts_per_accelerator",
        "for tpu-v7",
        "in W",
    ),
    (without(RENT, "mfu"), "conflict", "mfu", "none of mfu, hfu and", "give one of them"),
    (RENT | {"hfu": 0.5}, "conflict", "mfu", "more than one of mfu, hfu", "give one"),
    (RENT | {"layers": 80}, "conflict", "layers", "only some of layers", "all three"),
    (
        OWN | {"network_share": 0.5, "storage_share": 0.5},
        "conflict",
        "network_share",
        "leave nothing for the servers",
        "less than 1",
    ),
    (RENT | {"peak_tflops": 1979}, "conflict", "peak_tflops", "989.4", "custom"),
    (
        OWN | {"waste_share": 0.1, "accelerator_mtbf_hours": 5e4},
        "conflict",
        "waste_share",
        "more than one of waste_share and accelerator_mtbf_hours",
        "give one of them",
    ),
    (
        OWN | {"network_price_usd": 1e6, "network_topology": "dragonfly"},
        "conflict",
        "network_share",
        "more than one of network_share, network_price_usd and network_topology",
        "give one of them",
    ),
    (
        OWN | {"storage_price_usd": 1e6, "storage_usd_per_tb": 100},
        "conflict",
        "storage_share",
        "more than one of",
        "give one of them",
    ),
    (OWN | {"parameters_total": 1e9}, "conflict", "parameters_total", "fewer than", "all param"),
    (
        OWN | {"parameters_total": 9e11, "experts": 8},
        "conflict",
        "experts",
        "only one of experts and active_experts",
        "give both",
    ),
    (
        OWN | {"parameters_total": 9e11, "experts": 8, "active_experts": 8},
        "conflict",
        "active_experts",
        "no expert is idle",
        "fewer than there are",
    ),
    (
        OWN | {"parameters_total": 9e12, "experts": 8, "active_experts": 7},
        "conflict",
        "parameters_total",
        "the experts alone would have more",
        "fewer parameters in all",
    ),
    (STEP | {"expert_parallel": 2}, "conflict", "expert_parallel", "more accelerators", "at most"),
    (STEP | {"parameters_total": 9e11}, "conflict", "experts", "nothing is given", "give both"),
    (
        STEP | {"parameters_total": 2e11, "experts": 8, "active_experts": 2, "expert_parallel": 16},
        "conflict",
        "expert_parallel",
        "more accelerators than there are experts",
        "at most the number of experts",
    ),
    (STEP | {"tensor_parallel": 3, "heads": 96}, "conflict", "tensor_parallel", "not", "divides"),
    (STEP | {"heads": 4}, "conflict", "tensor_parallel", "does not divide the att", "divides"),
    (STEP | {"batch_tokens": 4096}, "conflict", "batch_tokens", "less than one micro", "larger"),
    (STEP | {"communication_share": 0.1}, "conflict", "communication_share", "its comm", "out"),
    (STEP | {"layers": 80.5}, "conflict", "layers", "whole (layers = 80.5)", "whole number"),
    (
        OWN | {"experts": 8, "active_experts": 2},
        "conflict",
        "parameters_total",
        "though there are experts",
        "all parameters",
    ),
    (STEP | {"pipeline_parallel": 128}, "conflict", "pipeline_parallel", "more pipeline", "one"),
    (STEP | {"tensor_parallel": 1.5}, "range", "tensor_parallel", "1.5 is out of", "a whole num"),
    (without(STEP, "batch_tokens"), "missing", "batch_tokens", "nothing is given", "in tokens"),
    (OWN | {"start_date": "May 2026"}, "type", "start_date", '"May 2026" has not', "like 2026-11"),
    (
        OWN | {"currency": "twd", "currency_date": "2026-11-30", "currency_per_usd": 31},
        "type",
        "currency",
        '"twd" has not the form',
        "like TWD",
    ),
    (
        OWN | {"currency": "TWD", "currency_per_usd": 31},
        "missing",
        "currency_date",
        "the currency is not USD",
        "like 2026-11-30",
    ),
    (
        OWN | {"currency": "TWD", "currency_date": "2026-11-30"},
        "missing",
        "currency_per_usd",
        "nothing is given",
        "per USD",
    ),
    (OWN | {"currency_per_usd": 31}, "conflict", "currency_per_usd", "not one dollar", "no rate"),
    (OWN | {"region": "usa"}, "unknown key", "region", '"usa" is no region', "give one of: us"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "kind", "field", "problem", "allowed"),
    FAULTS,
    ids=[f"{kind}-{field}-{problem[:12]}" for _, kind, field, problem, _ in FAULTS],
)
def test_a_fault_says_field_value_and_what_is_allowed(
    table: dict[str, Any], kind: str, field: str, problem: str, allowed: str
) -> None:
    [fault] = faults(table, "runs/a.toml")
    assert (fault.kind, fault.field) == (kind, field)
    assert problem in fault.problem
    assert allowed in fault.allowed


def test_every_kind_of_fault_of_a_scenario_is_shown_above() -> None:
    shown = {kind for _, kind, _, _, _ in FAULTS}
    assert shown == {"type", "range", "unknown key", "missing", "unknown figure", "conflict"}


def test_a_message_names_the_file_first() -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(RENT | {"mfu": 1.4, "pue": 0.5}, "runs/a.toml")
    assert str(caught.value).splitlines() == [
        "runs/a.toml: mfu: 1.4 is out of range; give a number above 0 and at most 1",
        "runs/a.toml: pue: 0.5 is out of range; give a number from 1 to 10",
    ]


def test_all_faults_come_at_once() -> None:
    table = {
        **without(RENT, "tokens", "storage_usd_per_hour"),
        "mfu": 1.4,
        "pue": "low",
        "precision": "bf61",
        "layers": 80,
        "wattage": 7,
    }
    assert kinds(faults(table)) == {
        ("range", "mfu"),
        ("type", "pue"),
        ("unknown key", "precision"),
        ("unknown key", "wattage"),
        ("missing", "tokens"),
        ("unknown figure", "storage_usd_per_hour"),
        ("conflict", "layers"),
    }


def test_a_refused_value_is_not_called_missing_as_well() -> None:
    for field in ("tokens", "mfu", "accelerator", "accelerators"):
        assert {fault.field for fault in faults(RENT | {field: {}})} == {field}


def test_an_empty_table_names_every_field_it_needs() -> None:
    named = {fault.field for fault in faults({})}
    needed = {"parameters", "tokens", "accelerator", "accelerators", "procurement", "staff_fte"}
    assert needed < named
    assert "mfu" in named


# Junk of any sort: an InputError that names the field, nothing else

JUNK: dict[str, object] = {
    "text": "0.4",
    "yes": True,
    "numpy yes": np.bool_(True),
    "date": dt.date(2024, 1, 1),
    "time": dt.datetime(2024, 1, 1, 12),
    "clock": dt.time(12),
    "span": dt.timedelta(hours=1),
    "list": [0.4],
    "empty list": [],
    "tuple": (0.4,),
    "set": {0.4},
    "table": {"value": 0.4},
    "error cell": {"type": "Error", "kind": "Ref"},
    "bytes": b"0.4",
    "complex": 0.4 + 0j,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "numpy NaN": np.float64("nan"),
    "Decimal NaN": Decimal("NaN"),
    "Decimal signaling NaN": Decimal("sNaN"),
    "Decimal infinity": Decimal("Infinity"),
    "int beyond float": 10**400,
    "int beyond printing": 10**5000,
    "array": np.array([0.4, 0.5]),
    "array of one": np.array([0.4]),
    "empty array": np.array([]),
    "series": pd.Series([0.4, 0.5]),
    "pandas NaT": pd.NaT,
    "timestamp": pd.Timestamp("2024-01-01"),
    "object": object(),
    "function": len,
}


@pytest.mark.parametrize("field", ["mfu", "accelerator", "name", "procurement"])
@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_an_input_error_that_names_the_field(junk: str, field: str) -> None:
    if isinstance(JUNK[junk], str) and field == "name":
        assert Scenario.from_table(RENT | {"name": JUNK[junk]}).name == JUNK[junk]
        return
    assert {fault.field for fault in faults(RENT | {field: JUNK[junk]})} == {field}


def test_the_message_about_a_huge_value_can_be_read() -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(RENT | {"parameters": 10**400, "accelerator": "x" * 100_000})
    assert len(str(caught.value)) < 5_000


@pytest.mark.parametrize("missing", [None, "", pd.NA])
def test_what_is_missing_is_as_if_it_were_not_there(missing: object) -> None:
    table = {**RENT, "pue": missing, "precision": missing, "hfu": missing}
    assert Scenario.from_table(table) == Scenario.from_table(RENT)


@pytest.mark.parametrize("key", [1, None, ("mfu",), b"mfu", "\ud800", "", " mfu"])
def test_a_key_that_is_no_field_is_an_unknown_key(key: Any) -> None:
    [fault] = faults({**RENT, key: 1})
    assert fault.kind == "unknown key"


@pytest.mark.parametrize("field", ["name", "accelerator"])
def test_text_that_is_no_unicode_is_refused(field: str) -> None:
    """A lone surrogate cannot be written to any file or screen."""
    [fault] = faults(RENT | {field: "\ud800"})
    assert fault.field == field
    str(fault).encode()


plain_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.decimals(allow_nan=False),
    st.dates(),
    st.binary(max_size=4),
    st.sampled_from([*accelerator_keys(), "custom", "own", "rent", "fp8"]),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FIELDS, "inputs", "x"]), inner, max_size=8)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(list(FIELDS)) | st.text(max_size=6), plain_values))
def test_a_random_table_is_a_scenario_or_an_input_error(table: dict[str, Any]) -> None:
    made = outcome(lambda: Scenario.from_table(table))
    if isinstance(made, InputError):
        assert made.faults
    else:
        assert all(value is not None for value in made.given.values())


@given(st.sampled_from(list(FIELDS)), plain_values | st.lists(st.floats(), max_size=2))
def test_one_random_value_is_taken_or_refused_by_name(field: str, value: Any) -> None:
    made = outcome(lambda: evaluate(Scenario.from_table(CUSTOM | {field: value})))
    if isinstance(made, InputError):
        assert field in str(made)
    else:
        assert made.total_usd > 0


# Files


def as_toml(table: Mapping[str, Any]) -> str:
    def literal(value: Any) -> str:
        if not isinstance(value, str):
            return repr(value)
        return json.dumps(value, ensure_ascii=False)

    return "".join(f"{name} = {literal(value)}\n" for name, value in table.items())


def as_csv(*rows: Mapping[str, Any]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


WRITERS: dict[str, Callable[..., str]] = {".toml": as_toml, ".json": json.dumps, ".csv": as_csv}

Write = Callable[[str, str | bytes], Path]


@pytest.fixture(scope="session")
def write(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Write a file of that suffix, and return its path; each test's content replaces the last."""
    folder = tmp_path_factory.mktemp("scenarios")

    def write_file(suffix: str, content: str | bytes) -> Path:
        path = folder / f"scenario{suffix}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)


@given(table=tables(), name=st.none() | names)
def test_toml_json_and_csv_give_one_scenario(
    write: Write, table: dict[str, Any], name: str | None
) -> None:
    if name is not None:
        table["name"] = name
    wanted = Scenario(**table)
    for suffix, text in WRITERS.items():
        loaded = load_scenario(write(suffix, text(table)))
        assert loaded == wanted, suffix
        assert dict(loaded.values) == dict(wanted.values)
        assert hash(loaded) == hash(wanted)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(
    "name",
    ["a, b", 'a "b"', "a\nb", "a\r\nb", "Modèle 七", "a\x0bb", "a\x1cb", "a\x85b", "a\u2028b"],
    ids=ascii,
)
def test_a_name_is_kept_as_it_is(write: Write, suffix: str, name: str) -> None:
    writer = json.dumps if suffix == ".json" else WRITERS[suffix]
    assert load_scenario(write(suffix, writer(RENT | {"name": name}))).name == name


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(write: Write, suffix: str) -> None:
    text = WRITERS[suffix](RENT).replace("\r\n", "\n").replace("\n", "\r\n")
    path = write(suffix, b"\xef\xbb\xbf" + text.encode())
    assert load_scenario(path) == Scenario(**RENT)


def test_a_result_as_json_can_be_read_again(write: Write) -> None:
    result = evaluate(Scenario(**OWN))
    again = evaluate(load_scenario(write(".json", json.dumps(result.to_dict()))))
    assert again.total_usd == result.total_usd
    assert again.components == result.components
    assert again.metrics == result.metrics


def test_rows_of_a_csv_are_scenarios(write: Write) -> None:
    rows = [RENT, OWN, RENT | {"pue": 1.5}, {**without(RENT, "mfu"), "hfu": 0.5}]
    loaded = load_scenarios(write(".csv", as_csv(*rows)))
    assert loaded == [Scenario(**row) for row in rows]


def test_one_scenario_is_not_many(write: Write) -> None:
    for rows in ([], [RENT, OWN]):
        text = as_csv(*rows) if rows else ",".join(RENT) + "\n"
        with pytest.raises(InputError, match=f"{len(rows)} scenarios where one is needed"):
            load_scenario(write(".csv", text))


def test_faults_of_a_csv_name_file_and_line_and_come_all_at_once(write: Write) -> None:
    path = write(".csv", as_csv(RENT, RENT | {"mfu": 1.4}, RENT | {"pue": "x"}))
    with pytest.raises(InputError) as caught:
        load_scenarios(path)
    assert [(fault.place, fault.field) for fault in caught.value.faults] == [
        ("row 3", "mfu"),
        ("row 4", "pue"),
    ]
    assert all(str(path) in line for line in str(caught.value).splitlines())


@pytest.mark.parametrize("blank", ["\r\n", "," * (len(RENT) - 1) + "\r\n", '"x\r\ny"'])
def test_the_row_of_a_fault_is_the_row_of_the_sheet(write: Write, blank: str) -> None:
    """Also behind a blank line, or below a cell of two lines: a row as Excel counts it."""
    if blank.startswith('"'):
        first = as_csv({"name": "x\ny", **RENT}, {"name": "", **RENT, "mfu": 1.4})
        row = "row 3"
    else:
        header, good, bad = as_csv(RENT, RENT | {"mfu": 1.4}).splitlines(keepends=True)
        first, row = header + good + blank + bad, "row 4"
    with pytest.raises(InputError) as caught:
        load_scenarios(write(".csv", first))
    assert [fault.place for fault in caught.value.faults] == [row]


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_field_given_twice_is_refused(write: Write, suffix: str) -> None:
    """One of the two would win in silence."""
    text = {
        ".toml": as_toml(RENT) + "mfu = 0.2\n",
        ".json": json.dumps(RENT)[:-1] + ', "mfu": 0.2}',
        ".csv": ",".join([*RENT, "mfu"]) + "\n" + ",".join([*map(str, RENT.values()), "0.2"]),
    }[suffix]
    with pytest.raises(InputError):
        load_scenario(write(suffix, text))


UNREADABLE = {
    "no TOML": (".toml", "mfu = "),
    "TOML deeper than Python": (".toml", "a = " + "[" * 100_000),
    "no JSON": (".json", "{"),
    "JSON deeper than Python": (".json", "[" * 100_000),
    "JSON that is no table": (".json", "[1, 2]"),
    "JSON that is nothing": (".json", "null"),
    "an int too long for Python": (".json", '{"mfu": ' + "1" * 5000 + "}"),
    "no UTF-8": (".toml", b"\xff\xfe\x00"),
    "no text": (".csv", bytes(range(128, 256))),
    "more cells than the header": (".csv", "mfu,pue\n1,1,1\n"),
    "an open quote": (".csv", 'mfu,pue\n"1,1\n'),
    "another format": (".yaml", "mfu: 1"),
    "no format": ("", "mfu = 1"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_file_that_cannot_be_read_is_an_input_error(write: Write, case: str) -> None:
    suffix, content = UNREADABLE[case]
    path = write(suffix, content)
    with pytest.raises(InputError) as caught:
        load_scenario(path)
    assert caught.value.kind == "shape"
    assert str(path) in str(caught.value)
    assert ".toml, .json, .csv" in str(caught.value)


def test_a_file_that_is_not_there_or_a_folder_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name in ("missing.toml", "folder.toml", "nul\0.toml"):
        with pytest.raises(InputError):
            load_scenario(tmp_path / name)


@pytest.mark.parametrize(
    ("suffix", "value"),
    [
        (".toml", "nan"),
        (".toml", "inf"),
        (".toml", "true"),
        (".toml", '"0.4"'),
        (".toml", "2024-07-01"),
        (".toml", "[0.4]"),
        (".toml", "{a = 1}"),
        (".toml", "1" + "0" * 400),
        (".json", "NaN"),
        (".json", "-Infinity"),
        (".json", "true"),
        (".json", '"0.4"'),
        (".json", "[0.4]"),
        (".json", "{}"),
        (".json", "1e999"),
        (".json", "1" + "0" * 400),
        (".csv", "nan"),
        (".csv", "inf"),
        (".csv", "TRUE"),
        (".csv", "40%"),
        (".csv", '"0,4"'),
        (".csv", "0.4 "[:-1] + "x"),
        (".csv", "0_1"),
        (".csv", "\uff10.\uff14"),
    ],
)
def test_a_value_of_another_sort_in_a_file(write: Write, suffix: str, value: str) -> None:
    rest = without(RENT, "mfu")
    text = {
        ".toml": f"{as_toml(rest)}mfu = {value}\n",
        ".json": f'{json.dumps(rest)[:-1]}, "mfu": {value}}}',
        ".csv": ",".join([*rest, "mfu"]) + "\n" + ",".join([*map(str, rest.values()), value]),
    }[suffix]
    with pytest.raises(InputError) as caught:
        load_scenario(write(suffix, text))
    assert [fault.field for fault in caught.value.faults] == ["mfu"]


@given(suffix=st.sampled_from(list(WRITERS)), content=st.text() | st.binary())
def test_any_content_is_a_scenario_or_an_input_error(
    write: Write, suffix: str, content: str | bytes
) -> None:
    assert str(outcome(lambda: load_scenarios(write(suffix, content))))


@given(content=json_values)
def test_any_json_is_a_scenario_or_an_input_error(write: Write, content: Any) -> None:
    assert str(outcome(lambda: load_scenarios(write(".json", json.dumps(content)))))


@given(
    st.lists(st.sampled_from([*FIELDS, "x", ""]), min_size=1, max_size=6),
    st.lists(st.lists(st.text(max_size=5) | st.floats().map(repr), max_size=7), max_size=4),
)
def test_any_csv_is_scenarios_or_an_input_error(
    write: Write, header: list[str], rows: list[list[str]]
) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    assert str(outcome(lambda: load_scenarios(write(".csv", text.getvalue()))))


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*FIELDS, "x"]),
            st.one_of(
                st.integers().map(str),
                st.floats().map(repr),
                st.sampled_from(['"own"', "true", "[1]", "{a=1}", "1979-05-27", "07:32:00"]),
            ),
        ),
        max_size=10,
        unique_by=lambda line: line[0],
    )
)
def test_any_toml_is_a_scenario_or_an_input_error(
    write: Write, lines: list[tuple[str, str]]
) -> None:
    assert str(
        outcome(
            lambda: load_scenarios(
                write(".toml", "\n".join(f"{name} = {value}" for name, value in lines))
            )
        )
    )


# Defaults and the catalogue

HAS_DEFAULT = [field for field in FIELDS.values() if field.default]


# Where the middle of the domain is none of the numbers that go together.
NEXT = {
    "micro_batch": 2.0,
    "tensor_parallel": 4.0,
    "pipeline_parallel": 2.0,
    "pipeline_chunks": 2.0,
    "expert_parallel": 2.0,
    "zero_stage": 2.0,
    "domain_accelerators": 4.0,
    "memory_gb": 200.0,
    "weight_bytes": 1.0,
    "gradient_bytes": 1.0,
    "optimizer_bytes": 1.0,
    "network_rails": 2.0,
    "switch_radix": 128.0,
}


@pytest.mark.parametrize("field", HAS_DEFAULT, ids=lambda field: field.name)
def test_a_given_figure_always_wins(field: Any) -> None:
    # One detailed part of the model after the other, where the field belongs to it.
    detail = {
        "step": STEP,
        "failures": OWN | {"accelerator_mtbf_hours": 5e5},
        "topology": OWN | {"network_topology": "fat-tree"},
        "capacity": OWN | {"storage_usd_per_tb": 200.0},
    }
    money = {"currency": "TWD", "currency_date": "2026-11-30", "currency_per_usd": 31.0}
    table = next((detail[mode] for mode in sorted(field.needs) if mode in detail), OWN)
    if field.name == "expert_parallel":
        table = MIXTURE
    table = without(table, field.name)
    before = Scenario(**table).values[field.name]
    other = {"name": "my run", "region": "germany", "currency": "TWD"}
    if field.name in NEXT:
        given_value: Any = NEXT[field.name]
    elif isinstance(field.domain, Number):
        given_value = (field.domain.low + min(field.domain.high, 10.0)) / 2
    elif field.name in other:
        given_value = other[field.name]
    else:
        given_value = next(word for word in words(field) if word != before)
    assert before != given_value
    if field.name in money:
        table |= money
    table |= {field.name: given_value}
    scenario = Scenario(**table)
    assert scenario.values[field.name] == given_value
    assert scenario.figures[field.name].status == "given"


@given(tables())
def test_a_scenario_says_where_every_value_comes_from(table: dict[str, Any]) -> None:
    scenario = Scenario(**table)
    assert {name for name, value in scenario.values.items() if value is not None} == set(
        scenario.figures
    )
    for name, figure in scenario.figures.items():
        if name in table:
            assert (figure.status, scenario.values[name]) == ("given", table[name])
        else:
            assert figure.status in {"official", "estimate", "definition"}
            assert figure.source
            assert figure.date
            assert figure.value == scenario.values[name]


def test_an_estimate_shows_in_the_result() -> None:
    result = evaluate(Scenario(**OWN))
    assert result.status == "estimate"
    assert "accelerator_price_usd" in result.estimates
    assert "rental_usd_per_accelerator_hour" not in result.estimates
    told = result.to_dict()["provenance"]["accelerator_price_usd"]
    assert told["status"] == "estimate"
    assert told["source"]


def test_figures_that_are_all_given_are_no_estimate() -> None:
    everything = dict(evaluate(Scenario(**CUSTOM)).scenario.values)
    assert evaluate(Scenario(**everything)).status == "official"


UNKNOWN = [
    (key, field.name, need)
    for key in accelerator_keys()
    for field in FIELDS.values()
    if field.default.startswith("{accelerator}.") and "{precision}" not in field.default
    for need in field.needs
    if (figure := entries()[key, field.name]).value is None
]


@pytest.mark.parametrize(("key", "field", "need"), UNKNOWN)
def test_an_unknown_figure_names_the_field_to_supply(key: str, field: str, need: str) -> None:
    # Everything that the catalogue does not know is given but this one.
    figures = CUSTOM | HARDWARE
    supplied = {name: figures[name] for k, name, _ in UNKNOWN if k == key and name != field}
    precision = next(p for p in PRECISIONS if entries()[key, f"peak_tflops_{p}"].value is not None)
    table = {
        **(STEP if need == "step" else RENT),
        **supplied,
        "procurement": need if need in ("own", "rent") else "own",
        "accelerator": key,
        "precision": precision,
    }
    [fault] = faults(table)
    assert (fault.kind, fault.field) == ("unknown figure", field)
    assert key in fault.problem
    unit = FIELDS[field].unit
    assert unit in fault.allowed
    assert Scenario(**table, **{field: figures[field]}).values[field] == figures[field]


def test_there_are_unknown_figures() -> None:
    assert len(UNKNOWN) >= 10
    assert {need for _, _, need in UNKNOWN} == {"own", "rent", "step"}


def test_an_unknown_figure_that_is_not_needed_is_no_fault() -> None:
    rented = Scenario(**RENT | {"accelerator": "tpu-v7"}, rental_usd_per_accelerator_hour=2)
    assert rented.values["host_watts_per_accelerator"] is None
    assert evaluate(rented).total_usd > 0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_peak_nobody_knows_is_an_unknown_figure(precision: str) -> None:
    missing = [
        key
        for key in accelerator_keys()
        if entries()[key, f"peak_tflops_{precision}"].value is None
    ]
    for key in missing:
        table = {**RENT, "accelerator": key, "precision": precision}
        found = kinds(faults({**table, "rental_usd_per_accelerator_hour": 1.0}))
        assert found == {("unknown figure", "peak_tflops")}


SPARSE = [
    (key, precision, float(figure.value))
    for key in accelerator_keys()
    for precision in PRECISIONS
    if (figure := find(key, f"peak_tflops_{precision}_sparse")) and figure.value is not None
]


def test_there_are_sparse_figures() -> None:
    assert len({key for key, _, _ in SPARSE}) >= 10


@pytest.mark.parametrize(("key", "precision", "peak"), SPARSE)
def test_a_sparse_peak_is_refused_unless_insisted_upon(
    key: str, precision: str, peak: float
) -> None:
    table = {**CUSTOM, "accelerator": key, "precision": precision, "peak_tflops": peak}
    [fault] = faults(table)
    assert (fault.kind, fault.field) == ("conflict", "peak_tflops")
    dense = entries()[key, f"peak_tflops_{precision}"].value
    assert f"{dense:g}" in fault.problem
    assert "custom" in fault.allowed
    assert Scenario(**table | {"peak_tflops": dense}).values["peak_tflops"] == dense
    assert Scenario(**table | {"accelerator": "custom"}).values["peak_tflops"] == peak


def test_a_peak_of_another_precision_is_refused() -> None:
    # 1,979 TFLOP/s is right for FP8, and wrong for BF16.
    assert Scenario(**RENT, precision="fp8", peak_tflops=1979.0).values["peak_tflops"] == 1979
    [fault] = faults({**RENT, "precision": "bf16", "peak_tflops": 1979.0})
    assert fault.field == "peak_tflops"


def test_roundings_in_print_of_a_peak_are_taken() -> None:
    for peak in (989, 989.4, 990):
        assert Scenario(**RENT, peak_tflops=peak).values["peak_tflops"] == peak


# What if


def test_a_changed_mfu_replaces_an_hfu_and_back() -> None:
    base = Scenario(**RENT)
    other = base.replace(hfu=0.5)
    assert (other.values["mfu"], other.values["hfu"]) == (None, 0.5)
    assert other.replace(mfu=0.4) == base
    with pytest.raises(InputError, match="more than one of mfu, hfu"):
        base.replace(mfu=0.4, hfu=0.5)


def test_defaults_follow_the_new_accelerator_and_given_figures_stay() -> None:
    changed = Scenario(**OWN).replace(accelerator="b200-sxm")
    assert changed == Scenario(**OWN | {"accelerator": "b200-sxm"})
    same_as_default = entries()["h100-sxm", "accelerator_price_usd"].value
    for price in (12_345, same_as_default):
        changed = Scenario(**OWN, accelerator_price_usd=price).replace(accelerator="b200-sxm")
        assert changed.values["accelerator_price_usd"] == price
        assert changed.values["tdp_watts"] == 1000


def test_a_complete_table_follows_a_changed_word() -> None:
    complete = dict(Scenario(**OWN).values)
    alone = given_alone(complete, {"accelerator": "b200-sxm"})
    changed = Scenario.from_table(alone | {"accelerator": "b200-sxm"})
    assert changed.values == Scenario(**OWN | {"accelerator": "b200-sxm"}).values
    assert given_alone(complete, {}) == complete
    assert given_alone(complete, {"mfu": 0.5}) == complete
    owned = complete | {"storage_usd_per_hour": 0.0}
    rented = given_alone(owned, {"procurement": "rent"})
    assert "storage_usd_per_hour" not in rented  # 0 was only the default of those who own
    peak = given_alone(dict(Scenario(**OWN).values), {"precision": "fp8"})
    assert "peak_tflops" not in peak


def test_a_scenario_and_its_result_can_be_copied_and_sent() -> None:
    run = Scenario(**OWN)
    result = evaluate(run)
    for copied in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        assert copied == run
    for sent in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert sent.to_dict() == result.to_dict()
    with pytest.raises(TypeError):
        result.components["power"] = 0.0  # type: ignore[index]


def test_a_change_to_nothing_changes_nothing() -> None:
    base = Scenario(**RENT)
    assert base.replace() == base
    assert base.replace(mfu=None, pue=None) == base
    assert base.values == Scenario(**RENT).values


def test_a_faulty_change_is_refused() -> None:
    base = Scenario(**RENT)
    for change in ({"mfu": 2.0}, {"wattage": 1.0}, {"accelerator": "h1000"}):
        with pytest.raises(InputError, match=next(iter(change))):
            base.replace(**change)
    assert base == Scenario(**RENT)


# The object


def test_a_scenario_does_not_change() -> None:
    table: dict[str, Any] = dict(RENT)
    scenario = Scenario.from_table(table)
    table["mfu"] = 0.1
    assert scenario.values["mfu"] == 0.4
    with pytest.raises(TypeError):
        scenario.given["mfu"] = 0.1  # type: ignore[index]
    with pytest.raises(TypeError):
        scenario.values["mfu"] = 0.1  # type: ignore[index]


@given(tables())
def test_a_scenario_is_its_repr(table: dict[str, Any]) -> None:
    scenario = Scenario(**table)
    assert eval(repr(scenario), {"Scenario": Scenario}) == scenario


def test_numbers_of_other_sorts_are_floats() -> None:
    numbers = [1024, np.int64(1024), np.float32(1024), Decimal(1024), 1024.0]
    scenarios = {Scenario.from_table(RENT | {"accelerators": value}) for value in numbers}
    assert scenarios == {Scenario(**RENT)}
    assert type(scenarios.pop().values["accelerators"]) is float


def test_the_json_schema_has_every_field_with_its_range() -> None:
    properties = json_schema()["properties"]
    assert list(properties) == [*FIELDS, "correlations", "sources", "cases", "case"]
    text = json.dumps(properties["mfu"])
    assert '"exclusiveMinimum": 0' in text
    assert '"maximum": 1' in text
    assert properties["pue"]["description"] == FIELDS["pue"].help
    assert json_schema()["additionalProperties"] is False


def test_no_input_has_the_name_of_a_result() -> None:
    """They stand side by side: in a table, and as names in the workbook."""
    results = {TOTAL.name, *METRICS, *(f"{name}_usd" for name in COMPONENTS)}
    assert results.isdisjoint(FIELDS)

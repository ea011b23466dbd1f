"""The catalogue's files themselves: their form, their consistency, and figures checked by hand.

They are read with `csv` alone, so that a fault here is the data's and not the reader's.
"""

import csv
import re
from importlib.resources import files

import pytest

HEADER = ["key", "field", "value", "unit", "source", "date", "status"]
STATUSES = {
    "accelerators.csv": {"official", "estimate", "unknown"},
    "defaults.csv": {"official", "estimate", "unknown", "definition"},
    "runs.csv": {"official", "estimate", "unknown"},
}
ACCELERATORS = [
    "v100-sxm",
    "a100-sxm-40gb",
    "a100-sxm-80gb",
    "a800-sxm-80gb",
    "h100-sxm",
    "h100-pcie",
    "h800-sxm",
    "h200-sxm",
    "b200-sxm",
    "gb200-nvl72",
    "b300-sxm",
    "gb300-nvl72",
    "mi250x",
    "mi300x",
    "mi325x",
    "mi355x",
    "gaudi2",
    "gaudi3",
    "tpu-v3",
    "tpu-v4",
    "tpu-v5e",
    "tpu-v5p",
    "tpu-v6e",
    "tpu-v7",
    "trainium1",
    "trainium2",
]
ACCELERATOR_FIELDS = {
    "label": "text",
    "vendor": "text",
    "peak_tflops_bf16": "TFLOP/s",
    "peak_tflops_fp16": "TFLOP/s",
    "peak_tflops_fp8": "TFLOP/s",
    "peak_tflops_bf16_sparse": "TFLOP/s",
    "peak_tflops_fp16_sparse": "TFLOP/s",
    "peak_tflops_fp8_sparse": "TFLOP/s",
    "measured_tflops_bf16": "TFLOP/s",
    "memory_gb": "GB",
    "memory_tb_per_s": "TB/s",
    "link_gb_per_s": "GB/s",
    "tdp_watts": "W",
    "host_watts_per_accelerator": "W",
    "accelerator_price_usd": "USD",
    "accelerator_price_usd_low": "USD",
    "accelerator_price_usd_high": "USD",
    "host_price_usd_per_accelerator": "USD",
    "rental_usd_per_accelerator_hour": "USD/h",
    "rental_usd_per_accelerator_hour_low": "USD/h",
    "rental_usd_per_accelerator_hour_high": "USD/h",
}
DEFAULT_FIELDS = {
    "name",
    "recompute_share",
    "experiment_multiplier",
    "precision",
    "communication_share",
    "waste_share",
    "network_share",
    "storage_share",
    "residual_share",
    "depreciation_years",
    "utilization",
    "facility_usd_per_kw",
    "facility_life_years",
    "facility_om_usd_per_kw_year",
    "power_draw_share",
    "pue",
    "electricity_usd_per_kwh",
    "staff_usd_per_fte_year",
    "software_usd_per_accelerator_year",
    "reservation_discount",
}
RUN_FIELDS = {
    "label",
    "parameters_total",
    "parameters",
    "tokens",
    "accelerator",
    "accelerators",
    "peak_tflops",
    "precision",
    "reported_mfu",
    "reported_hfu",
    "wall_days",
    "accelerator_hours",
    "stated_flops",
    "stated_energy_mwh",
    "stated_pue",
    "stated_cost_usd",
    "interruptions",
    "note",
}

Rows = list[dict[str, str]]


def text(name: str) -> str:
    return files("xl_tco.catalogue").joinpath(name).read_bytes().decode("utf-8")


def rows(name: str) -> Rows:
    return list(csv.DictReader(text(name).splitlines(keepends=True)))


def table(name: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["key"], row["field"]): row for row in rows(name)}


def number(name: str, key: str, field: str) -> float | None:
    value = table(name)[key, field]["value"]
    return float(value) if value else None


@pytest.fixture(params=sorted(STATUSES))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_form_of_the_file(name: str) -> None:
    content = text(name)
    assert content.endswith("\n")
    assert "\r" not in content
    assert not content.startswith("\ufeff")
    lines = list(csv.reader(content.splitlines(keepends=True)))
    assert lines[0] == HEADER
    assert {len(line) for line in lines} == {len(HEADER)}
    assert not [line for line in lines if any(cell != cell.strip() for cell in line)]


def test_no_figure_is_given_twice(name: str) -> None:
    keys = [(row["key"], row["field"]) for row in rows(name)]
    assert len(keys) == len(set(keys))


def test_rows_of_a_key_stand_together(name: str) -> None:
    order = [row["key"] for row in rows(name)]
    starts = [key for i, key in enumerate(order) if i == 0 or order[i - 1] != key]
    assert len(starts) == len(set(starts))


def test_status_is_one_of_the_allowed(name: str) -> None:
    assert {row["status"] for row in rows(name)} <= STATUSES[name]


def test_unknown_is_exactly_what_has_no_value(name: str) -> None:
    assert [row for row in rows(name) if (row["status"] == "unknown") != (row["value"] == "")] == []


def test_every_row_has_unit_source_and_date(name: str) -> None:
    assert [row for row in rows(name) if not (row["unit"] and row["source"])] == []
    dates = [row["date"] for row in rows(name)]
    assert [date for date in dates if not re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", date)] == []


def test_numbers_parse_and_are_not_negative(name: str) -> None:
    values = [row["value"] for row in rows(name) if row["unit"] != "text" and row["value"]]
    assert [value for value in values if not 0 <= float(value) < float("inf")] == []


def test_a_field_has_one_unit(name: str) -> None:
    units: dict[str, set[str]] = {}
    for row in rows(name):
        units.setdefault(row["field"], set()).add(row["unit"])
    assert {field: unit for field, unit in units.items() if len(unit) > 1} == {}


def test_sources_are_public(name: str) -> None:
    private = re.compile(r"/work/|/tmp/|/home/|localhost|file://")
    assert [row for row in rows(name) if private.search(" ".join(row.values()))] == []


def test_what_was_not_checked_is_an_estimate(name: str) -> None:
    recalled = [row for row in rows(name) if "recalled" in row["source"]]
    assert {row["status"] for row in recalled} <= {"estimate"}


def test_every_accelerator_has_every_field_in_order() -> None:
    found = [(row["key"], row["field"], row["unit"]) for row in rows("accelerators.csv")]
    fields = ACCELERATOR_FIELDS.items()
    assert found == [(key, field, unit) for key in ACCELERATORS for field, unit in fields]


@pytest.mark.parametrize("key", ACCELERATORS)
@pytest.mark.parametrize("precision", ["bf16", "fp16", "fp8"])
def test_dense_peak_is_below_the_sparse_one(key: str, precision: str) -> None:
    dense = number("accelerators.csv", key, f"peak_tflops_{precision}")
    sparse = number("accelerators.csv", key, f"peak_tflops_{precision}_sparse")
    assert sparse is None or (dense is not None and dense < sparse)


@pytest.mark.parametrize("key", ACCELERATORS)
def test_measured_is_below_the_dense_peak(key: str) -> None:
    measured = number("accelerators.csv", key, "measured_tflops_bf16")
    peak = number("accelerators.csv", key, "peak_tflops_bf16")
    assert measured is None or (peak is not None and measured < peak)


@pytest.mark.parametrize("key", ACCELERATORS)
@pytest.mark.parametrize("field", ["accelerator_price_usd", "rental_usd_per_accelerator_hour"])
def test_default_is_within_its_range(key: str, field: str) -> None:
    low, default, high = (
        number("accelerators.csv", key, field + end) for end in ("_low", "", "_high")
    )
    assert (default is None) == (low is None)
    if default is not None:
        assert low is not None
        assert low <= default
        assert high is None or default <= high
    if field == "accelerator_price_usd" and default is not None:
        assert default == pytest.approx((low + high) / 2)  # type: ignore[operator]


def test_h100_peak_is_the_dense_one() -> None:
    # The trap of the trade: 1,979 is H100's BF16 peak with sparsity, and its dense FP8 peak.
    assert number("accelerators.csv", "h100-sxm", "peak_tflops_bf16") == 989.4
    assert number("accelerators.csv", "h100-sxm", "peak_tflops_bf16_sparse") == 1979
    assert number("accelerators.csv", "h100-sxm", "peak_tflops_fp8") == 1979


# Typed by hand from the vendors' pages: NVIDIA V100, A100, H100 and H200 product pages, DGX A100,
# H100, B200 user guides (6.5, 10.2 and 14.3 kW for eight GPUs), GB200 NVL72 product page (the
# superchip's 5,000 TFLOP/s of BF16 dense is two GPUs'), AMD MI250X, MI300X and MI355X product
# pages, Google Cloud TPU v4, v5e, v5p and v6e pages, AWS Neuron's Trainium 2 page, Intel's
# Gaudi 3 white paper (1,835 at 1,750 MHz; it ships at 1,600 MHz), Intel's Gaudi 2 list price of
# 65,000 for eight.
BY_HAND = [
    ("v100-sxm", "peak_tflops_bf16", None),
    ("v100-sxm", "peak_tflops_fp16", 125),
    ("a100-sxm-80gb", "peak_tflops_bf16", 312),
    ("a100-sxm-80gb", "peak_tflops_fp8", None),
    ("a100-sxm-80gb", "host_watts_per_accelerator", 6500 / 8 - 400),
    ("a800-sxm-80gb", "link_gb_per_s", 400 / 2),
    ("h100-sxm", "memory_gb", 80),
    ("h100-sxm", "memory_tb_per_s", 3.35),
    ("h100-sxm", "link_gb_per_s", 900 / 2),
    ("h100-sxm", "tdp_watts", 700),
    ("h100-sxm", "host_watts_per_accelerator", 10200 / 8 - 700),
    ("h100-pcie", "peak_tflops_bf16", 756),
    ("h200-sxm", "memory_gb", 141),
    ("b200-sxm", "peak_tflops_bf16", 2250),
    ("b200-sxm", "host_watts_per_accelerator", 14300 / 8 - 1000),
    ("gb200-nvl72", "peak_tflops_bf16", 5000 / 2),
    ("mi250x", "peak_tflops_bf16", 383),
    ("mi300x", "peak_tflops_bf16", 1307.4),
    ("mi300x", "memory_gb", 192),
    ("mi355x", "peak_tflops_fp8", 5000),
    ("gaudi2", "accelerator_price_usd", 65000 / 8),
    ("gaudi3", "peak_tflops_fp16", 459),
    ("tpu-v4", "peak_tflops_bf16", 275),
    ("tpu-v5e", "peak_tflops_bf16", 197),
    ("tpu-v5e", "memory_gb", 16),
    ("tpu-v5p", "link_gb_per_s", 1200 / 2),
    ("tpu-v6e", "peak_tflops_bf16", 918),
    ("tpu-v7", "peak_tflops_bf16", 4614 / 2),
    ("trainium2", "peak_tflops_bf16", 667),
    ("trainium2", "peak_tflops_bf16_sparse", 2563),
]


@pytest.mark.parametrize(("key", "field", "value"), BY_HAND)
def test_figure_checked_by_hand(key: str, field: str, value: float | None) -> None:
    assert number("accelerators.csv", key, field) == value


def test_gaudi3_peak_follows_from_its_clock() -> None:
    peak = number("accelerators.csv", "gaudi3", "peak_tflops_bf16")
    assert peak == pytest.approx(1835 * 1600 / 1750, rel=1e-3)


@pytest.mark.parametrize(("key", "price"), [("h100-sxm", 2.95), ("mi300x", 1.99)])
def test_rental_default_is_the_median_where_there_is_one(key: str, price: float) -> None:
    assert number("accelerators.csv", key, "rental_usd_per_accelerator_hour") == price


def test_defaults_are_complete() -> None:
    found = set(table("defaults.csv"))
    storage = "storage_usd_per_hour"
    wanted = {("default", field) for field in DEFAULT_FIELDS}
    assert found == wanted | {("own", storage), ("rent", storage)}


@pytest.mark.parametrize(
    ("field", "neutral"),
    [
        ("recompute_share", 0),
        ("experiment_multiplier", 1),
        ("communication_share", 0),
        ("reservation_discount", 0),
    ],
)
def test_a_definition_adds_no_assumption(field: str, neutral: float) -> None:
    row = table("defaults.csv")["default", field]
    assert row["status"] == "definition"
    assert float(row["value"]) == neutral


def test_rented_storage_is_to_be_supplied() -> None:
    figures = table("defaults.csv")
    assert figures["own", "storage_usd_per_hour"]["value"] == "0"
    assert figures["own", "storage_usd_per_hour"]["status"] == "definition"
    assert figures["rent", "storage_usd_per_hour"]["status"] == "unknown"


def test_default_power_draw_is_what_olmo_3_drew() -> None:
    # 146 MWh over 234,000 H100-hours, of 700 W.
    draw = number("defaults.csv", "default", "power_draw_share")
    assert draw == pytest.approx(146e6 / 234_000 / 700, abs=0.005)


def test_runs_use_the_fields_of_the_contract() -> None:
    found = table("runs.csv")
    assert {field for _, field in found} <= RUN_FIELDS
    assert {key for key, _ in found if (key, "label") not in found} == set()


def test_runs_name_accelerators_of_the_catalogue() -> None:
    named = {row["value"] for row in rows("runs.csv") if row["field"] == "accelerator"}
    assert named - {""} <= set(ACCELERATORS)


def test_runs_refer_to_a_dense_peak_of_their_accelerator() -> None:
    found = table("runs.csv")
    for (key, field), row in found.items():
        if field != "peak_tflops" or not found[key, "accelerator"]["value"]:
            continue
        accelerator = found[key, "accelerator"]["value"]
        peaks = [
            number("accelerators.csv", accelerator, f"peak_tflops_{p}") for p in ("bf16", "fp16")
        ]
        assert float(row["value"]) in peaks, key


def test_no_run_beats_its_peak() -> None:
    # The guard that catches hours per trillion tokens read as the total (DeepSeek-V2's 172,800).
    found = table("runs.csv")
    for key in sorted({key for key, _ in found}):
        names = ("parameters", "tokens", "accelerator_hours", "peak_tflops")
        cells = [found.get((key, field), {}).get("value", "") for field in names]
        if not all(cells):
            continue
        parameters, tokens, hours, peak = map(float, cells)
        assert 6 * parameters * tokens / (hours * 3600 * peak * 1e12) < 0.6, key


# From the papers: GPT-3 as in Patterson et al. 2021, PaLM table and appendix B, LLaMA table 15,
# Llama 3 (419 unexpected interruptions), DeepSeek-V3 table 1, BLOOM's carbon footprint.
@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("gpt-3-175b", "stated_energy_mwh", 1287),
        ("palm-540b", "accelerator_hours", 6144 * 1200 + 3072 * 336),
        ("palm-540b", "reported_mfu", 0.462),
        ("bloom-176b", "accelerator_hours", 1_082_990),
        ("llama-65b", "accelerator_hours", 1_022_362),
        ("llama-3.1-405b", "interruptions", 419),
        ("deepseek-v2", "accelerator_hours", 172_800 * 8.1),
        ("deepseek-v3", "accelerator_hours", 2_664_000),
        ("deepseek-v3", "stated_cost_usd", 2_788_000 * 2),
        ("deepseek-v3", "parameters", 37e9),
    ],
)
def test_run_checked_by_hand(key: str, field: str, value: float) -> None:
    assert number("runs.csv", key, field) == pytest.approx(value)


@pytest.mark.parametrize("key", ["gpt-4", "gemini-1.0-ultra", "grok-3", "olmo-3-7b"])
def test_what_third_parties_say_is_never_official(key: str) -> None:
    statuses = {row["status"] for row in rows("runs.csv") if row["key"] == key}
    assert statuses <= {"estimate", "unknown"}

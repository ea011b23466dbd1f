"""The catalogue's files themselves: their form, their consistency, and figures checked by hand.

They are read with `csv` alone, so that a fault here is the data's and not the reader's.
"""

import csv
import re
from importlib.resources import files

import pytest

from xl_tco.fields import FIELDS
from xl_tco.fields.field import Number

HEADER = ["key", "field", "value", "unit", "source", "date", "status"]
STATUSES = {
    "accelerators.csv": {"official", "estimate", "unknown"},
    "defaults.csv": {"official", "estimate", "unknown", "definition"},
    "regions.csv": {"official", "estimate", "unknown", "definition"},
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
    "tpu-v2",
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
    "domain_accelerators": "accelerators",
    "network_gb_per_s": "GB/s",
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
REGIONS = [
    "us",
    "us-texas",
    "us-virginia",
    "canada-quebec",
    "eu",
    "germany",
    "france",
    "ireland",
    "sweden",
    "norway",
    "finland",
    "uk",
    "japan",
    "south-korea",
    "taiwan",
    "singapore",
    "malaysia",
    "china",
    "india",
    "uae",
    "saudi-arabia",
    "australia",
    "brazil",
]
REGION_FIELDS = {
    "label": "text",
    "electricity_usd_per_kwh": "USD/kWh",
    "carbon_kg_per_kwh": "kg CO2e/kWh",
    "pue": "facility / IT",
}
# The words that a default can depend on, by the field that holds them.
CHOICES = {
    "accelerator": ACCELERATORS,
    "region": REGIONS,
    "procurement": ["own", "rent"],
    "recomputation": ["none", "selective", "full"],
    "precision": ["bf16", "fp16", "fp8"],
    "currency": ["USD"],
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
    "field",
    "rental_usd_per_accelerator_hour",
    "recomputation",
    "sequence_length",
    "batch_tokens",
    "energy_watts",
    "energy_pue",
    "stated_flops_count",
    "stated_flops_per_token",
    "counted_attention",
    "counted_sequence_length",
}
# What a model is built of, where a run's parameters are counted from it.
SHAPE_FIELDS = {
    "layers",
    "mixture_layers",
    "hidden_size",
    "feed_forward_size",
    "gated",
    "heads",
    "kv_heads",
    "head_size",
    "value_size",
    "rope_size",
    "kv_rank",
    "query_rank",
    "vocabulary",
    "tied",
    "bias",
    "positions",
    "norms_per_layer",
    "other_parameters",
    "experts",
    "active_experts",
    "shared_experts",
    "expert_size",
    "router_bias",
}
# Remarks on one figure of a run: why it is left out, or what it was itself reckoned from.
REMARK = re.compile(r"(note|circular)_\w+")

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
    # The defaults are ordered by field: a key there is only the word that one depends on.
    order = [row["field" if name == "defaults.csv" else "key"] for row in rows(name)]
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
# Gbit/s beyond the domain over 8, from the vendors' pages: DGX-1 white paper (four 100 Gbit/s for
# eight GPUs), Azure ND A100 v4 (1.6 Tbit/s for eight), DGX BasePOD (400 a GPU), DGX B300 (800 a
# GPU), Frontier user guide (four of 200 for four modules), Intel's Gaudi network configuration
# (three ports of 200), Google Cloud's v5e page (6.4 Tbit/s for 256 chips), its v5p and TPU7x
# pages, AWS Neuron's Trn1 page (800 for 16 chips), AWS Trn2 (3.2 Tbit/s for 16).
NETWORK = [
    ("v100-sxm", 4 * 100 / 8),
    ("a100-sxm-80gb", 1600 / 8),
    ("h100-sxm", 400),
    ("h200-sxm", 400),
    ("b200-sxm", 400),
    ("gb200-nvl72", 400),
    ("b300-sxm", 800),
    ("gb300-nvl72", 800),
    ("mi250x", 4 * 200 / 4),
    ("mi300x", 400),
    ("gaudi2", 3 * 100),
    ("gaudi3", 3 * 200),
    ("tpu-v5e", 6400 / 256),
    ("tpu-v5p", 50),
    ("tpu-v6e", 100),
    ("tpu-v7", 100),
    ("trainium1", 800 / 16),
    ("trainium2", 3200 / 16),
]
# Accelerators on the fast link: an HGX board, an NVL72 rack, an NVLink bridge, a TPU pod (Google
# Cloud's page of each), a Trn1 instance, a Trn2 UltraServer.
DOMAIN = [
    ("h100-sxm", 8),
    ("h100-pcie", 2),
    ("gb200-nvl72", 72),
    ("gb300-nvl72", 72),
    ("mi300x", 8),
    ("gaudi3", 8),
    ("tpu-v3", 1024),
    ("tpu-v4", 4096),
    ("tpu-v5e", 256),
    ("tpu-v5p", 8960),
    ("tpu-v6e", 256),
    ("tpu-v7", 9216),
    ("trainium1", 16),
    ("trainium2", 64),
]


@pytest.mark.parametrize(("key", "field", "value"), BY_HAND)
def test_figure_checked_by_hand(key: str, field: str, value: float | None) -> None:
    assert number("accelerators.csv", key, field) == value


@pytest.mark.parametrize(("key", "gigabits"), NETWORK)
def test_network_checked_by_hand(key: str, gigabits: float) -> None:
    assert number("accelerators.csv", key, "network_gb_per_s") == gigabits / 8


@pytest.mark.parametrize(("key", "accelerators"), DOMAIN)
def test_domain_checked_by_hand(key: str, accelerators: int) -> None:
    assert number("accelerators.csv", key, "domain_accelerators") == accelerators


@pytest.mark.parametrize("key", ACCELERATORS)
def test_link_is_faster_than_the_network(key: str) -> None:
    # Else what is called a domain would not be one.
    link, network, domain = (
        number("accelerators.csv", key, field)
        for field in ("link_gb_per_s", "network_gb_per_s", "domain_accelerators")
    )
    assert domain is not None
    assert domain > 1
    assert link is None or network is None or link > 2 * network


def test_gaudi3_peak_follows_from_its_clock() -> None:
    peak = number("accelerators.csv", "gaudi3", "peak_tflops_bf16")
    assert peak == pytest.approx(1835 * 1600 / 1750, rel=1e-3)


@pytest.mark.parametrize(("key", "price"), [("h100-sxm", 2.95), ("mi300x", 1.99)])
def test_rental_default_is_the_median_where_there_is_one(key: str, price: float) -> None:
    assert number("accelerators.csv", key, "rental_usd_per_accelerator_hour") == price


def expand(pattern: str) -> list[str]:
    """Every entry that a default can name: one for each word in each of its braces."""
    brace = re.search(r"\{(\w+)\}", pattern)
    if brace is None:
        return [pattern]
    words = CHOICES[brace[1]]
    return [entry for word in words for entry in expand(pattern.replace(brace[0], word, 1))]


NAMED = [(name, entry) for name, field in FIELDS.items() for entry in expand(field.default)]
CATALOGUE = ["accelerators.csv", "regions.csv", "defaults.csv"]


@pytest.fixture(scope="module")
def catalogue() -> dict[tuple[str, str], dict[str, str]]:
    return {place: row for name in CATALOGUE for place, row in table(name).items()}


def test_files_share_no_entry() -> None:
    assert sum(len(table(name)) for name in CATALOGUE) == len(
        {place for name in CATALOGUE for place in table(name)}
    )


def test_every_default_of_a_field_has_an_entry(
    catalogue: dict[tuple[str, str], dict[str, str]],
) -> None:
    named = {tuple(entry.split(".", 1)) for _, entry in NAMED if entry}
    assert named - set(catalogue) == set()


def test_every_default_entry_is_that_of_a_field() -> None:
    named = {tuple(entry.split(".", 1)) for _, entry in NAMED if entry}
    assert set(table("defaults.csv")) - named == set()


def test_every_figure_is_one_that_its_field_allows(
    catalogue: dict[tuple[str, str], dict[str, str]],
) -> None:
    outside = []
    for name, entry in NAMED:
        domain = FIELDS[name].domain
        value = catalogue[tuple(entry.split(".", 1))]["value"] if entry else ""  # type: ignore[index]
        if not value or domain is None:
            continue
        if isinstance(domain, Number):
            if domain.excludes(float(value)):
                outside.append((name, entry, value))
        elif value not in domain:
            outside.append((name, entry, value))
    assert outside == []


def test_no_figure_rests_on_nothing() -> None:
    empty = re.compile(r"(our judgement|not yet looked up|unknown|tbd|todo)?\.?", re.IGNORECASE)
    found = [row for name in CATALOGUE for row in rows(name) if empty.fullmatch(row["source"])]
    assert found == []


def test_judgement_is_an_estimate() -> None:
    judged = [row for name in CATALOGUE for row in rows(name) if "our judgement" in row["source"]]
    assert judged
    assert {row["status"] for row in judged} == {"estimate"}


def test_what_is_unknown_says_why() -> None:
    found = [row for name in CATALOGUE for row in rows(name) if row["status"] == "unknown"]
    assert found
    assert [row for row in found if len(row["source"].split()) < 3] == []


@pytest.mark.parametrize(
    ("field", "neutral"),
    [
        ("epochs", 1),
        ("hot_spares", 0),
        ("age_years", 0),
        ("demand_usd_per_kw_month", 0),
        ("carbon_usd_per_tonne", 0),
        ("oversubscription", 1),
        ("straggler_share", 0),
        ("overlap_share", 0),
        ("currency_per_usd", 1),
        ("experiment_multiplier", 1),
        ("communication_share", 0),
        ("reservation_discount", 0),
    ],
)
def test_a_definition_adds_no_assumption(field: str, neutral: float) -> None:
    key = "USD" if field == "currency_per_usd" else "default"
    row = table("defaults.csv")[key, field]
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


def test_default_host_draw_is_what_h100_servers_drew() -> None:
    # Newkirk et al. 2025, arXiv:2506.14551: eight H100 in training draw 76% of 10.2 kW.
    server = 0.76 * 10_200 / 8
    gpu = 700 * number("defaults.csv", "default", "power_draw_share")  # type: ignore[operator]
    nameplate = number("accelerators.csv", "h100-sxm", "host_watts_per_accelerator")
    share = number("defaults.csv", "default", "host_draw_share")
    assert share == pytest.approx((server - gpu) / nameplate, abs=0.01)  # type: ignore[operator]


def test_default_storage_is_that_of_llama_3() -> None:
    # Llama 3, arXiv:2407.21783, section 3.3.1: 2 TB/s sustained, for 16,384 H100.
    share = number("defaults.csv", "default", "storage_gb_per_s")
    assert share == pytest.approx(2000 / 16_384, abs=0.005)


def test_default_recomputation_is_within_its_source() -> None:
    # Korthikanti et al. 2022, arXiv:2205.05198, table 5: HFU over MFU at 22B, 175B, 530B and 1T.
    shares = [43.7 / 41.5 - 1, 52.8 / 51.4 - 1, 57.0 / 56.0 - 1, 57.0 / 56.3 - 1]
    share = number("defaults.csv", "selective", "recompute_share")
    assert min(shares) < share < max(shares)  # type: ignore[operator]
    # Narayanan et al. 2021, equation 4: four passes in place of three.
    assert number("defaults.csv", "full", "recompute_share") == pytest.approx(8 / 6 - 1)
    assert number("defaults.csv", "none", "recompute_share") == 0


def test_default_link_costs_what_the_price_list_says() -> None:
    # 2,621,440 USD for 1,024 GPUs on 32 leaf and 16 spine switches of 64 ports: 2,048 links.
    transceiver, cable = (
        number("defaults.csv", "default", field) for field in ("transceiver_usd", "cable_usd")
    )
    assert 2 * transceiver + cable == pytest.approx(2_621_440 / 2_048)  # type: ignore[operator]


def test_every_region_has_every_field_in_order() -> None:
    found = [(row["key"], row["field"], row["unit"]) for row in rows("regions.csv")]
    fields = REGION_FIELDS.items()
    assert found == [(key, field, unit) for key in REGIONS for field, unit in fields]


def test_keys_of_regions_are_short_words() -> None:
    assert [key for key in REGIONS if not re.fullmatch(r"[a-z]+(-[a-z]+)*", key)] == []


def test_labels_of_regions_differ() -> None:
    labels = [row["value"] for row in rows("regions.csv") if row["field"] == "label"]
    assert len(set(labels)) == len(labels) == len(REGIONS)


@pytest.mark.parametrize("key", REGIONS)
def test_figures_of_a_region_are_plausible(key: str) -> None:
    # No grid is dirtier than coal alone, no site better than 1.05, no industry pays 0.50 USD.
    electricity, carbon, pue = (
        number("regions.csv", key, field)
        for field in ("electricity_usd_per_kwh", "carbon_kg_per_kwh", "pue")
    )
    assert electricity is None or 0.03 < electricity < 0.5
    assert carbon is not None
    assert 0 < carbon < 0.9
    assert pue is not None
    assert 1.05 <= pue <= 1.5


# From the publishers: EIA Electric Power Annual (6.60 and 8.92 cents in industry, 2023), EPA
# eGRID2023 in pounds a MWh, Ember's intensities of 2024 in grams, the Energy Administration of
# Taiwan, AWS's and Google's own PUE of 2024, Hydro-Quebec's proposed rate of 0.13 CAD and
# Eurostat's prices in EUR at the Bank of Canada's means of 2025.
POUND = 0.45359237
EUR = 1.5782 / 1.3978


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("us", "electricity_usd_per_kwh", 0.086),
        ("us", "carbon_kg_per_kwh", 770.884 * POUND / 1000),
        ("us", "pue", 1.2),
        ("us-texas", "electricity_usd_per_kwh", 0.0660),
        ("us-texas", "carbon_kg_per_kwh", (733.9 + 28 * 0.043 + 265 * 0.006) * POUND / 1000),
        ("us-virginia", "electricity_usd_per_kwh", 0.0892),
        ("us-virginia", "carbon_kg_per_kwh", 593.4 * 1.005 * POUND / 1000),
        ("us-virginia", "pue", 1.15),
        ("canada-quebec", "electricity_usd_per_kwh", 0.13 / 1.3978),
        ("eu", "carbon_kg_per_kwh", 0.21302),
        ("eu", "electricity_usd_per_kwh", 0.1596 * EUR),
        ("germany", "electricity_usd_per_kwh", 0.1922 * EUR),
        ("germany", "carbon_kg_per_kwh", 0.34206),
        ("france", "electricity_usd_per_kwh", 0.1212 * EUR),
        ("france", "carbon_kg_per_kwh", 0.04418),
        ("ireland", "electricity_usd_per_kwh", 0.1724 * EUR),
        ("ireland", "pue", 1.11),
        ("sweden", "carbon_kg_per_kwh", 0.03589),
        ("finland", "electricity_usd_per_kwh", (0.0416 + 0.02325) * EUR),
        ("finland", "pue", 1.09),
        ("japan", "carbon_kg_per_kwh", 0.48373),
        ("taiwan", "carbon_kg_per_kwh", 0.474),
        ("taiwan", "electricity_usd_per_kwh", 4.29 / 31.2),
        ("taiwan", "pue", 1.12),
        ("singapore", "electricity_usd_per_kwh", 0.1919),
        ("china", "carbon_kg_per_kwh", 0.5575),
        ("india", "pue", 1.42),
        ("saudi-arabia", "electricity_usd_per_kwh", 0.20 / 3.75),
        ("brazil", "carbon_kg_per_kwh", 0.10606),
    ],
)
def test_region_checked_by_hand(key: str, field: str, value: float) -> None:
    assert number("regions.csv", key, field) == pytest.approx(value, rel=0.01)


def test_hydropower_is_cleaner_than_coal() -> None:
    carbon = {key: number("regions.csv", key, "carbon_kg_per_kwh") for key in REGIONS}
    order = ["canada-quebec", "norway", "france", "eu", "us", "china", "india"]
    values = [carbon[key] for key in order]
    assert values == sorted(values)  # type: ignore[type-var]


def test_runs_use_the_fields_of_the_contract() -> None:
    found = table("runs.csv")
    other = {field for _, field in found} - RUN_FIELDS - SHAPE_FIELDS
    assert [field for field in other if not REMARK.fullmatch(field)] == []
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

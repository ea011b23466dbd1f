"""The model against published runs: residuals that the papers' own figures give, by hand.

Nothing here is read from what it tests: the figures are typed from the papers again.
"""

import json
import statistics

import pytest

from xl_tco import InputError
from xl_tco.analysis import history as telling
from xl_tco.analysis import validation
from xl_tco.analysis.history import history
from xl_tco.analysis.validation import QUANTITIES, Comparison, validate
from xl_tco.catalogue import find
from xl_tco.presets import known, number, run_keys

ALL = validate()
ALWAYS = ("flops", "accelerator_hours", "energy_mwh", "cost_usd")


def residual(run: str, quantity: str) -> float:
    value = ALL.find(run, quantity).residual
    assert value is not None
    return value


# Every run is there, and nothing is hidden


def test_every_run_is_compared_or_says_why_not() -> None:
    assert {row.run for row in ALL.comparisons} == set(run_keys())
    assert len(run_keys()) == 28
    for run in run_keys():
        assert {row.quantity for row in ALL.comparisons if row.run == run} >= set(ALWAYS)


@pytest.mark.parametrize("row", ALL.comparisons, ids=lambda row: f"{row.run}-{row.quantity}")
def test_a_comparison_is_whole(row: Comparison) -> None:
    assert row.quantity in QUANTITIES
    if row.verdict == "left out":
        assert row.modelled is row.residual is None
        assert row.why
        return
    assert row.modelled is not None
    assert row.stated
    assert row.residual == pytest.approx(row.modelled / row.stated - 1, abs=1e-15)
    assert row.basis
    assert row.source
    if row.verdict == "circular":
        assert row.why


@pytest.mark.parametrize("row", ALL.comparisons, ids=lambda row: f"{row.run}-{row.quantity}")
def test_what_is_off_says_why(row: Comparison) -> None:
    if row.verdict == "test" and row.residual is not None and abs(row.residual) > 0.02:
        assert row.why


def test_what_was_stated_is_never_left_out_without_a_reason_of_the_run() -> None:
    stated = [row for row in ALL.comparisons if row.verdict == "left out" and row.stated]
    assert {(row.run, row.quantity) for row in stated} == {
        ("gopher-280b", "accelerator_hours"),
        ("olmo-2-7b", "energy_mwh"),
        ("olmo-2-13b", "energy_mwh"),
        ("gpt-4", "flops"),
        ("gemini-1.0-ultra", "flops"),
        ("grok-3", "flops"),
    }


# Hours: reported utilization without waste, against the hours that were counted


@pytest.mark.parametrize(
    ("run", "wanted", "source"),
    [
        (
            "llama-3.1-405b",
            6 * 405e9 * 15.6e12 / (0.41 * 989.4e12 * 3600) / 30.84e6 - 1,
            "arXiv:2407.21783: 41% MFU; model card: 30.84 million hours",
        ),
        (
            "palm-540b",
            6 * 540.35e9 * 780e9 / (0.462 * 275e12 * 3600) / (6144 * 1200 + 3072 * 336) - 1,
            "arXiv:2204.02311: 46.2% MFU; 1,200 h on 6,144 and 336 h on 3,072 chips",
        ),
        (
            "bloom-176b",
            8 * 176_247_271_424 * 366e9 / (156e12 * 3600) / 1_082_990 - 1,
            "arXiv:2211.05100: 156 TFLOP/s; arXiv:2211.02001: 1,082,990 hours",
        ),
        ("olmo-3-7b", 5.93e12 / (7700 * 3600) / 234_000 - 1, "7,700 tokens a second and GPU"),
    ],
)
def test_hours(run: str, wanted: float, source: str) -> None:
    row = ALL.find(run, "accelerator_hours")
    assert row.verdict == "test"
    assert row.residual == pytest.approx(wanted, abs=0.0005), source


def test_failures_and_restarts_show() -> None:
    assert residual("llama-3.1-405b", "accelerator_hours") == pytest.approx(-0.16, abs=0.005)
    assert residual("palm-540b", "accelerator_hours") == pytest.approx(-0.34, abs=0.005)


@pytest.mark.parametrize("run", ["gpt-3-175b", "opt-175b", "gpt-4"])
def test_hours_made_of_the_rate_are_no_test(run: str) -> None:
    row = ALL.find(run, "accelerator_hours")
    assert row.verdict == "circular"
    assert row.residual != 0  # as it is, all the same


@pytest.mark.parametrize("run", ["bert-large", "llama-65b", "deepseek-v3", "grok-3"])
def test_hours_at_the_implied_mfu_are_no_test(run: str) -> None:
    row = ALL.find(run, "accelerator_hours")
    assert (row.verdict, row.residual) == ("circular", pytest.approx(0, abs=1e-12))
    assert "implied" in row.basis


# FLOPs


@pytest.mark.parametrize(
    ("run", "wanted", "verdict"),
    [
        ("chinchilla-70b", 6 * 70e9 * 1.4e12 / 5.76e23 - 1, "test"),
        ("gopher-280b", 6 * 280e9 * 300e9 / 6.31e23 - 1, "test"),
        ("opt-175b", 8 * 175e9 * 300e9 / 4.3e23 - 1, "test"),
        ("llama-3.1-405b", 6 * 405e9 * 15.6e12 / 3.8e25 - 1, "test"),
        ("falcon-180b", 6 * 180e9 * 3.5e12 / 3.76e24 - 1, "test"),
        ("bert-large", 6 * 340e6 * 131.1e9 / 2.85e20 - 1, "test"),
        ("gpt-3-175b", 6 * 175e9 * 300e9 / 3.14e23 - 1, "circular"),
        ("palm-540b", 6 * 540.35e9 * 780e9 / 2.527e24 - 1, "circular"),
        ("mt-nlg-530b", 0.0, "circular"),
    ],
)
def test_flops(run: str, wanted: float, verdict: str) -> None:
    row = ALL.find(run, "flops")
    assert row.residual == pytest.approx(wanted, abs=1e-6)
    assert row.verdict == verdict


def test_palms_flops_are_six_n_d_to_all_digits() -> None:
    # Which is why they cannot test it: 6 x 540e9 x 780e9, with N rounded.
    assert number("palm-540b", "stated_flops") == pytest.approx(6 * 540e9 * 780e9, rel=1e-4)


# Energy: the catalogue's watts, host included


def watts(accelerator: str) -> float:
    def value(key: str, field: str) -> float:
        figure = find(key, field)
        assert figure is not None
        return float(figure.value or 0)

    chip = value(accelerator, "tdp_watts") * value("default", "power_draw_share")
    host = value(accelerator, "host_watts_per_accelerator") * value("default", "host_draw_share")
    return chip + host


@pytest.mark.parametrize(
    ("run", "accelerator", "hours", "pue", "stated"),
    [
        ("gpt-3-175b", "v100-sxm", 3_552_000, 1.1, 1287),
        ("opt-175b", "a100-sxm-80gb", 809_472, 1.1, 356),
        ("llama-7b", "a100-sxm-80gb", 82_432, 1.1, 36),
        ("llama-65b", "a100-sxm-80gb", 1_022_362, 1.1, 449),
        ("bloom-176b", "a100-sxm-80gb", 1_082_990, 1, 433.2),
        ("olmo-3-7b", "h100-sxm", 234_000, 1, 146),
    ],
)
def test_energy(run: str, accelerator: str, hours: float, pue: float, stated: float) -> None:
    wanted = hours * watts(accelerator) * pue / 1e6 / stated - 1
    assert residual(run, "energy_mwh") == pytest.approx(wanted, abs=1e-9)


def test_energy_without_a_host_is_less_than_the_models() -> None:
    for run in ("opt-175b", "llama-7b", "llama-13b", "llama-65b", "bloom-176b"):
        assert residual(run, "energy_mwh") > 0.2, run


def test_bloom_with_its_idle_draw_is_near_the_model() -> None:
    # Luccioni et al.: 433.2 MWh of dynamic and 256.6 MWh of idle consumption.
    modelled = ALL.find("bloom-176b", "energy_mwh").modelled
    assert modelled == pytest.approx(433.2 + 256.6, rel=0.15)


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ("gpt-3-175b", 10_000 * 14.8 * 24 * 330 * 1.1 / 1e6 / 1287 - 1),
        ("llama-65b", 1_022_362 * 400 * 1.1 / 1e6 / 449 - 1),
        ("bloom-176b", 1_082_990 * 400 / 1e6 / 433.2 - 1),
    ],
)
def test_energy_as_its_authors_count_is_theirs(run: str, wanted: float) -> None:
    row = ALL.find(run, "energy_as_counted")
    assert row.residual == pytest.approx(wanted, abs=1e-9)
    assert abs(wanted) < 0.01
    assert row.verdict == "circular"


def test_a_run_that_the_default_was_made_of_is_no_test() -> None:
    assert ALL.find("olmo-3-7b", "energy_mwh").verdict == "circular"


# Cost


def test_cost() -> None:
    mpt = ALL.find("mpt-7b", "cost_usd")
    assert mpt.verdict == "test"
    assert mpt.residual == pytest.approx(440 * 9.5 * 24 * 2.50 / 200_000 - 1, abs=1e-9)
    deepseek = ALL.find("deepseek-v3", "cost_usd")
    assert deepseek.verdict == "circular"
    assert deepseek.residual == pytest.approx(2.664 * 2 / 5.576 - 1, abs=1e-9)
    assert [row.run for row in ALL.comparisons if row.quantity == "cost_usd" and row.stated] == [
        "mpt-7b",
        "deepseek-v3",
    ]


# Sizes: released checkpoints and papers


@pytest.mark.parametrize(
    ("run", "count", "source"),
    [
        ("bert-large", 335_141_888, "bert-large-uncased, released checkpoint with its pooler"),
        ("bloom-176b", 176_247_271_424, "bloom, released checkpoint"),
        ("llama-3.1-8b", 8_030_261_248, "Llama 3.1 8B, released checkpoint"),
        ("llama-3.1-70b", 70_553_706_496, "Llama 3.1 70B, released checkpoint"),
        ("llama-3.1-405b", 405_853_388_800, "Llama 3.1 405B, released checkpoint"),
        ("deepseek-v3", 671_026_419_200, "DeepSeek-V3, checkpoint without the MTP module"),
    ],
)
def test_parameters_are_those_of_the_checkpoint(run: str, count: int, source: str) -> None:
    assert ALL.find(run, "parameters").modelled == count, source


@pytest.mark.parametrize(
    ("run", "quantity", "published", "rel", "source"),
    [
        ("palm-540b", "parameters", 540.35e9, 0.00002, "PaLM, table 1, five digits"),
        ("gpt-3-175b", "parameters", 174.6e9, 0.0003, "Brown et al., table D.1, four digits"),
        ("deepseek-v2", "parameters", 236e9, 0.0022, "DeepSeek-V2, three digits"),
        ("deepseek-v3", "active_parameters", 36.6e9, 0.0014, "README_WEIGHTS, with the head"),
        ("gpt-3-175b", "exact_flops", 3.14e23, 0.003, "Brown et al., table D.1"),
        ("palm-540b", "exact_flops", 0.462 * 6144 * 275e12 / 238.3e3, 0.0015, "section 4.1"),
        ("deepseek-v2", "exact_flops", 155e9, 0.0033, "arXiv:2505.09343, table 2"),
        ("deepseek-v3", "exact_flops", 250e9, 0.002, "arXiv:2505.09343, table 2"),
        ("llama-3.1-405b", "exact_flops", 2448e9, 0.011, "arXiv:2505.09343, table 2"),
    ],
)
def test_exact_counts(run: str, quantity: str, published: float, rel: float, source: str) -> None:
    row = ALL.find(run, quantity)
    assert row.modelled == pytest.approx(published, rel=rel), source
    assert row.verdict == "test"


# What it comes to


def test_the_summary_counts_tests_alone() -> None:
    hours = ALL.summary["accelerator_hours"]
    wanted = [0.1583, 0.3422, 0.1515, 0.0862]  # Llama 3.1 405B, PaLM, BLOOM, Olmo 3
    assert hours.tests == len(wanted)
    assert hours.median_abs_residual == pytest.approx(statistics.median(wanted), abs=0.0005)
    assert hours.largest_run == "palm-540b"
    assert hours.largest_abs_residual == pytest.approx(0.3422, abs=0.0005)
    for quantity in ALWAYS:
        summary = ALL.summary[quantity]
        assert summary.tests + summary.circular + summary.left_out == len(run_keys())


def test_a_summary_without_tests_has_no_median() -> None:
    summary = validate(["qwen2.5-72b"]).summary["flops"]
    assert (summary.tests, summary.circular) == (0, 1)
    assert summary.median_abs_residual is summary.largest_abs_residual is None


def test_a_residual_of_nothing_is_a_test_all_the_same() -> None:
    row = ALL.find("bloom-176b", "parameters")
    assert row.residual == 0
    assert validate(["bloom-176b"]).summary["parameters"].tests == 1
    assert validate(["bloom-176b"]).summary["parameters"].median_abs_residual == 0


def test_estimates_are_named() -> None:
    assert "power_draw_share" in ALL.find("llama-65b", "energy_mwh").estimates
    assert ALL.find("llama-65b", "energy_mwh").status == "estimate"
    assert ALL.find("chinchilla-70b", "flops").status == "official"
    assert ALL.status == "estimate"
    assert "power_draw_share" in ALL.estimates


def test_some_runs() -> None:
    chosen = validate(["palm-540b", "gpt-3-175b", "palm-540b"])
    assert list(dict.fromkeys(row.run for row in chosen.comparisons)) == ["palm-540b", "gpt-3-175b"]
    assert validate("palm-540b").comparisons == validate(["palm-540b"]).comparisons


def test_a_run_that_is_none() -> None:
    with pytest.raises(InputError, match='did you mean "palm-540b"') as caught:
        validate(["palm-540", "gpt3"])
    assert [fault.field for fault in caught.value.faults] == ["runs", "runs"]
    with pytest.raises(KeyError):
        ALL.find("palm-540b", "energy_as_counted")


def test_plain_data_and_table() -> None:
    data = json.loads(json.dumps(ALL.to_dict(), allow_nan=False))
    assert data["schema"] == validation.SCHEMA == "xl-tco/validation/1"
    assert len(data["comparisons"]) == len(ALL.comparisons)
    assert set(data["summary"]) == {row.quantity for row in ALL.comparisons}
    table = ALL.to_frame()
    assert len(table) == len(ALL.comparisons)
    [hours] = table[(table.run == "palm-540b") & (table.quantity == "accelerator_hours")].residual
    assert hours == residual("palm-540b", "accelerator_hours")
    assert len(validate([]).to_frame()) == 0


# The history table


ENTRIES = {entry.run: entry for entry in history().entries}


def test_the_text_has_five_periods() -> None:
    years = [period.years for period in telling.PERIODS]
    assert years == ["2017-2018", "2019-2020", "2021-2022", "2023-2024", "2024-2025"]
    assert [period.cost_usd for period in telling.PERIODS] == [
        (1e4, 1e5),
        (4e6, 12e6),
        None,
        (100e6, 300e6),
        None,
    ]


@pytest.mark.parametrize(
    ("run", "accelerators", "days", "usd", "verdicts"),
    [
        ("bert-large", 64, 4, 64 * 96 * 1.125, ("inside", "below")),
        ("gpt-3-175b", 10_000, 14.8, 3_552_000 * 3.06, ("inside", "inside")),
        ("palm-540b", 6144, 57, 8_404_992 * 3.22, ("inside", "not stated")),
        ("llama-3.1-405b", 16_384, 78.4, 30.84e6 * 3.49, ("inside", "inside")),
        # 2.1e25 FLOP on 25,000 A100 at 34%.
        ("gpt-4", 25_000, 91.65, 25_000 * 91.65 * 24 * 3.40, ("inside", "inside")),
        ("gemini-1.0-ultra", 57_000, 96.5, 132e6 * 3.22, ("inside", "above")),
        ("grok-3", 100_000, 100, 240e6 * 3.29, ("inside", "not stated")),
    ],
)
def test_history(
    run: str, accelerators: float, days: float, usd: float, verdicts: tuple[str, str]
) -> None:
    entry = ENTRIES[run]
    assert entry.accelerators == accelerators
    assert entry.days == pytest.approx(days, rel=0.002)
    assert entry.total_usd == pytest.approx(usd, rel=0.002)
    assert (entry.accelerators_verdict, entry.cost_verdict) == verdicts
    assert entry.why


def test_every_run_of_the_history_has_what_it_needs() -> None:
    assert set(ENTRIES) == {run for period in telling.PERIODS for run, _ in period.runs}
    for entry in ENTRIES.values():
        assert known(entry.run, "rental_usd_per_accelerator_hour") is not None
        assert entry.status == "estimate"
        assert "rental_usd_per_accelerator_hour" in entry.estimates


def test_gemini_at_the_three_year_price_would_be_inside() -> None:
    assert 100e6 < 132e6 * 1.45 < 300e6


def test_history_as_plain_data_and_table() -> None:
    data = json.loads(json.dumps(history().to_dict(), allow_nan=False))
    assert data["schema"] == "xl-tco/history/1"
    assert [entry["run"] for entry in data["entries"]] == list(ENTRIES)
    assert data["entries"][0]["period"]["cost_usd"] == [1e4, 1e5]
    assert data["status"] == "estimate"
    table = history().to_frame()
    assert list(table.run) == list(ENTRIES)
    assert table.said_usd_low.isna().tolist() == [
        entry.period.cost_usd is None for entry in ENTRIES.values()
    ]

"""Claims: the text's ranges, typed from it once more, and each value by arithmetic of its own."""

import csv
import json
import math
import pickle
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings

from strategies import tables
from xl_tco import Scenario, evaluate
from xl_tco.analysis.claims import MEASURES, SCHEMA, VERDICTS, Claim, claims

RUN: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1000,
    "mfu": 0.4,
    "waste_share": 0.1,
    "staff_fte": 0,
}
OWN = {**RUN, "procurement": "own"}
RENT = {**RUN, "procurement": "rent", "storage_usd_per_hour": 0}
CUSTOM = {
    "accelerator": "custom",
    "peak_tflops": 1000,
    "tdp_watts": 700,
    "host_watts_per_accelerator": 0,
    "accelerator_price_usd": 30_000,
    "host_price_usd_per_accelerator": 0,
    "rental_usd_per_accelerator_hour": 3,
}
STEP = {
    "mfu": None,
    "kernel_efficiency": 0.7,
    "layers": 80,
    "hidden_size": 8192,
    "sequence_length": 4096,
    "heads": 64,
    "batch_tokens": 4096 * 1024,
    "accelerators": 1024,
    "tensor_parallel": 8,
    "pipeline_parallel": 4,
    "zero_stage": 1,
    "recomputation": "selective",
}
FAILING = {"waste_share": None, "accelerator_mtbf_hours": 50_677}
TABLE = list(
    csv.DictReader(
        (files("xl_tco") / "catalogue" / "claims.csv").read_text(encoding="utf-8").splitlines()
    )
)

# The ranges, from the text once more: indicators first, in its order.
INDICATORS = {
    "mfu-range": (0.30, 0.55),
    "pue-range": (1.1, 1.6),
    "usd-per-effective-tflop-hour": (None, None),
    "gpu-utilization": (0.60, 0.95),
    "communication-over-computation": (0.10, 0.30),
    "failures-and-retries": (0.10, 0.30),
    "usd-per-token": (None, None),
    "power-capacity": (1, 100),
}
CLAIMS = {
    "gpu-share-of-tco": (0.50, 0.70),
    "tco-over-gpu-price": (1.5, 2.5),
    "sparse-peak": (1979, 1979),
    "mfu-ten-points": (0.15, 0.20),
    "it-power-of-ten-thousand": (7, 7),
    "facility-power-of-ten-thousand": (8, 11),
    "power-and-cooling-over-capex": (0.30, 0.50),
    "communication-counted-twice": (None, None),
    "own-above-80": (0.80, 0.80),
    "rented-hour-is-dearer": (1, None),
    "waste-at-ten-thousand": (0.10, 0.30),
    "network-share-of-capex": (0.10, 0.20),
    "activation-checkpointing": (0.33, 0.33),
    "pue-saving": (0.27, 0.27),
    "h100-rent": (2, 4),
    "reservation-discount": (0.30, 0.50),
    "h100-price": (25_000, 35_000),
    "gpu-investment": (100e6, 1e9),
    "hardware-life": (3, 4),
    "pue-leading": (1.1, 1.2),
    "pue-ordinary": (1.3, 1.6),
    "scale-economy": (None, 1),
    "six-n-d": (1, 1),
    "wall-time-formula": (1, 1),
    "electricity-largest-opex": (1, None),
    "checkpoint-size": (100, 10_000),
    "dataset-size": (1, 1000),
}
RANGES = INDICATORS | CLAIMS


def claim(name: str, base: dict[str, Any], **changes: Any) -> Claim:
    """Put one claim to a scenario."""
    return claims(Scenario(**{**base, **changes})).claims[name]


def value(name: str, base: dict[str, Any], **changes: Any) -> float:
    """Value of a claim that applies."""
    found = claim(name, base, **changes).value
    assert found is not None
    return found


def does_not_apply(name: str, reason: str, base: dict[str, Any], **changes: Any) -> bool:
    """Whether a claim does not apply, and for that reason."""
    found = claim(name, base, **changes)
    return found.verdict == "does not apply" and found.value is None and reason in found.why


# The table


def test_every_claim_is_there_once_and_has_its_value() -> None:
    names = [row["id"] for row in TABLE]
    assert names == list(RANGES)
    assert set(MEASURES) == set(names)
    assert [row["kind"] for row in TABLE] == ["indicator"] * 8 + ["claim"] * len(CLAIMS)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["id"])
def test_every_claim_is_said_in_full(row: dict[str, str]) -> None:
    assert all(row[name].strip() for name in ("unit", "text", "text_zh", "basis", "why"))
    assert row["text"].endswith((".", ")."))
    assert row["why"].endswith(".")
    # The text's own words: Chinese, or its figures and formulas.
    assert re.search(r"[\u4e00-\u9fff]|[0-9]|\\", row["text_zh"])


@pytest.mark.parametrize("name", RANGES)
def test_range_is_the_texts(name: str) -> None:
    # Of an H100 on demand, to which every range refers that depends on the accelerator.
    found = claim(name, OWN)
    assert (found.low, found.high) == RANGES[name]


# Every verdict can come out: a scenario inside, one outside.

EITHER = {
    "mfu-range": ((OWN, {}), (RENT, {"mfu": 0.2})),
    "pue-range": ((OWN, {"pue": 1.6}), (OWN, {"pue": 1.61})),
    "gpu-utilization": ((OWN, {"utilization": 0.6}), (OWN, {"utilization": 0.96})),
    "communication-over-computation": (
        (OWN, {"communication_share": 0.2}),
        (OWN, {"communication_share": 0.05}),
    ),
    "failures-and-retries": ((OWN, {}), (RENT, {"waste_share": 0.05})),
    "power-capacity": ((OWN, {}), (OWN, {**CUSTOM, "tdp_watts": 50})),
    "gpu-share-of-tco": ((OWN, {"facility_usd_per_kw": 0}), (OWN, {"staff_fte": 500})),
    "tco-over-gpu-price": ((OWN, {}), (OWN, {"staff_fte": 500})),
    "mfu-ten-points": ((OWN, {"mfu": 0.6}), (OWN, {})),
    "it-power-of-ten-thousand": ((OWN, CUSTOM), (OWN, {})),
    "facility-power-of-ten-thousand": ((OWN, CUSTOM), (OWN, {})),
    "power-and-cooling-over-capex": (
        (OWN, {"electricity_usd_per_kwh": 0.5}),
        (OWN, {"electricity_usd_per_kwh": 0.2}),
    ),
    "own-above-80": ((OWN, {"rental_usd_per_accelerator_hour": 1.7}), (OWN, {})),
    "rented-hour-is-dearer": ((OWN, {}), (OWN, {"utilization": 0.2})),
    "waste-at-ten-thousand": ((OWN, {}), (OWN, {"waste_share": 0.31})),
    "network-share-of-capex": ((OWN, {}), (OWN, {"network_share": 0.25})),
    "activation-checkpointing": (
        (OWN, {"recompute_share": 1 / 3}),
        (OWN, {"recompute_share": 0.03}),
    ),
    "h100-rent": ((RENT, {}), (RENT, {"rental_usd_per_accelerator_hour": 12.29})),
    "reservation-discount": (
        (RENT, {"reservation_discount": 0.4}),
        (RENT, {"reservation_discount": 0.2}),
    ),
    "h100-price": ((OWN, {}), (OWN, {"accelerator_price_usd": 40_000})),
    "gpu-investment": ((OWN, {}), (OWN, {"accelerator_price_usd": 5_000})),
    "hardware-life": ((OWN, {}), (OWN, {"depreciation_years": 5})),
    "pue-leading": ((OWN, {"pue": 1.15}), (OWN, {"pue": 1.4})),
    "pue-ordinary": ((OWN, {"pue": 1.4}), (OWN, {"pue": 1.15})),
    "scale-economy": (
        (OWN, {**FAILING, "staff_fte": 500}),
        (OWN, FAILING),
    ),
    "six-n-d": ((OWN, {}), (OWN, {"layers": 80, "hidden_size": 8192, "sequence_length": 4096})),
    "wall-time-formula": ((OWN, {"waste_share": 0.02}), (OWN, {})),
    "electricity-largest-opex": (
        (OWN, {"facility_om_usd_per_kw_year": 100}),
        (OWN, {"staff_fte": 500}),
    ),
    "checkpoint-size": ((OWN, {}), (OWN, {"parameters": 1e9})),
    "dataset-size": ((OWN, {}), (OWN, {"tokens": 1e11})),
}
ALWAYS_INSIDE = {"pue-saving"}  # 0.4/1.5 of any bill
ALWAYS_OUTSIDE = {"sparse-peak"}  # a peak above the dense one is refused


@pytest.mark.parametrize("name", EITHER)
def test_both_verdicts_can_come_out(name: str) -> None:
    (base, changes), (other, others) = EITHER[name]
    assert claim(name, base, **changes).verdict == "inside"
    assert claim(name, other, **others).verdict == "outside"


def test_every_claim_with_a_range_is_tried() -> None:
    ranged = {name for name, ends in RANGES.items() if ends != (None, None)}
    assert set(EITHER) | ALWAYS_INSIDE | ALWAYS_OUTSIDE == ranged
    assert claim("pue-saving", OWN).verdict == "inside"


@pytest.mark.parametrize("name", [name for name, ends in RANGES.items() if ends == (None, None)])
def test_without_a_range_there_is_no_verdict(name: str) -> None:
    assert claim(name, OWN, communication_share=0.2).verdict == "no range"


def test_the_ends_of_a_range_are_in_it() -> None:
    # 1 − 0.9 is a little below 0.1.
    assert claim("failures-and-retries", OWN, waste_share=0.1).verdict == "inside"
    assert claim("failures-and-retries", OWN, waste_share=0.3).verdict == "inside"
    assert claim("failures-and-retries", OWN, waste_share=0.3001).verdict == "outside"


# Efficiency and time


@pytest.mark.parametrize(("mfu", "gain"), [(0.3, 1 / 3), (0.4, 0.25), (0.5, 0.20)])
@pytest.mark.parametrize("base", [OWN, RENT], ids=["own", "rent"])
def test_ten_points_of_mfu(mfu: float, gain: float, base: dict[str, Any]) -> None:
    # Cost goes as 1/MFU.
    assert value("mfu-ten-points", base, mfu=mfu) == pytest.approx(gain, rel=1e-12)
    hfu = value("mfu-ten-points", base, mfu=None, hfu=mfu * 1.25, recompute_share=0.25)
    assert hfu == pytest.approx(gain, rel=1e-12)
    apart = value("mfu-ten-points", base, mfu=mfu / 0.8, communication_share=0.2)
    assert apart == pytest.approx(gain, rel=1e-12)


def test_ten_points_do_not_make_what_is_paid_once_cheaper() -> None:
    # Half of the total is a licence: 1/(1/2 + 1/2 · 4/5) − 1.
    of_time = evaluate(Scenario(**RENT)).total_usd
    gain = value("mfu-ten-points", RENT, software_fixed_usd=of_time)
    assert gain == pytest.approx(1 / 0.9 - 1, rel=1e-9)


def test_no_room_for_ten_points() -> None:
    assert does_not_apply("mfu-ten-points", "no room for ten points", OWN, mfu=0.95)
    assert does_not_apply("mfu-ten-points", "above an MFU", OWN, mfu=0.7, recompute_share=0.3)


def test_mfu_is_that_of_whole_steps() -> None:
    assert value("mfu-range", OWN) == pytest.approx(0.4, rel=1e-12)
    whole = value("mfu-range", OWN, mfu=0.5, communication_share=0.2)
    assert whole == pytest.approx(0.4, rel=1e-12)


def test_communication_over_computation() -> None:
    # A fifth of the step, over four fifths.
    name = "communication-over-computation"
    assert value(name, RENT, communication_share=0.2) == pytest.approx(0.25, rel=1e-12)
    assert does_not_apply(name, "contains the communication already", RENT)
    metrics = evaluate(Scenario(**{**OWN, **STEP})).metrics
    assert metrics["communication_step_share"] is not None
    assert metrics["compute_step_share"] is not None
    ratio = metrics["communication_step_share"] / metrics["compute_step_share"]
    assert value(name, OWN, **STEP) == pytest.approx(ratio, rel=1e-12)


def test_communication_that_is_counted_twice() -> None:
    name = "communication-counted-twice"
    assert does_not_apply(name, "No communication is taken off", OWN)
    found = claim(name, OWN, communication_share=0.2)
    assert found.value == 0.2
    assert "the time is 25.0% too long" in found.why
    assert "Here it is right" in claim(name, OWN, **STEP).why


@pytest.mark.parametrize(
    ("changes", "used", "sparse"),
    # NVIDIA's data sheets: H100 989 and 1,979 in BF16, 1,979 and 3,958 in FP8; A100 312 and 624.
    [
        ({}, 989.4, 1979),
        ({"precision": "fp8"}, 1979, 3958),
        ({"accelerator": "a100-sxm-80gb"}, 312, 624),
        ({"peak_tflops": 800}, 800, 1979),
    ],
)
def test_sparse_peak(changes: dict[str, Any], used: float, sparse: float) -> None:
    found = claim("sparse-peak", RENT, **changes)
    assert (found.value, found.low, found.high) == (used, sparse, sparse)
    assert found.verdict == "outside"


def test_sparse_peak_of_what_has_none() -> None:
    assert does_not_apply("sparse-peak", "no sparse peak of custom", OWN, **CUSTOM)


@pytest.mark.parametrize(
    ("shape", "more"),
    # Attention over 6·N, by hand: 12·96·12288·2048 of GPT-3's, 12·126·16384·8192 of Llama's.
    [((175e9, 96, 12288, 2048), 0.0276), ((405e9, 126, 16384, 8192), 0.0835)],
    ids=["GPT-3", "Llama 3.1 405B"],
)
def test_attention_comes_on_top(shape: tuple[float, ...], more: float) -> None:
    names = ("parameters", "layers", "hidden_size", "sequence_length")
    found = value("six-n-d", OWN, **dict(zip(names, shape, strict=True)))
    assert found - 1 == pytest.approx(more, abs=5e-5)


def test_wall_time_formula() -> None:
    assert value("wall-time-formula", OWN) == pytest.approx(1 / 0.9, rel=1e-12)
    twice = value("wall-time-formula", OWN, experiment_multiplier=2)
    assert twice == pytest.approx(2 / 0.9, rel=1e-12)


def test_recomputation() -> None:
    # Forward again: 2·N·D of 6·N·D.
    assert value("activation-checkpointing", OWN, recomputation="full") == pytest.approx(1 / 3)
    assert does_not_apply("activation-checkpointing", "No activations are recomputed", OWN)


# Failures and size


@pytest.mark.parametrize(
    ("write_seconds", "restart_minutes", "share"), [(20, 5, 0.09), (300, 20, 0.34)]
)
def test_waste_of_16384_accelerators(
    write_seconds: float, restart_minutes: float, share: float
) -> None:
    # Llama 3.1 405B on 16,384 H100: a failure every 3.09 hours (arXiv:2407.21783). By hand, in
    # minutes: Young's interval sqrt(2·δ·M), and δ/τ + τ/(2M) + R/M of the time lost.
    minutes, mtbf = write_seconds / 60, 3.09 * 60
    interval = math.sqrt(2 * minutes * mtbf)
    wanted = minutes / interval + interval / (2 * mtbf) + restart_minutes / mtbf
    assert wanted == pytest.approx(share, abs=0.005)
    bandwidth = 405e9 * 14 / 1e9 / write_seconds
    found = value(
        "failures-and-retries",
        OWN,
        waste_share=None,
        parameters=405e9,
        accelerators=16_384,
        accelerator_mtbf_hours=3.09 * 16_384,
        restart_hours=restart_minutes / 60,
        storage_gb_per_s=bandwidth / 16_384,
    )
    assert found == pytest.approx(wanted, rel=1e-9)


# Switches of 16 ports reach 1,024 accelerators, and no ten thousand.
SMALL_NETWORK = {"network_share": None, "network_topology": "fat-tree", "switch_radix": 16}


@pytest.mark.parametrize("changes", [{}, STEP, SMALL_NETWORK], ids=["mfu", "step", "network"])
def test_waste_is_scaled_to_ten_thousand(changes: dict[str, Any]) -> None:
    # 980 GB at 0.12 GB/s each of ten thousand, a failure every 5.0677 hours, half an hour to
    # restart; in hours.
    write, mtbf = 70e9 * 14 / 1e9 / (0.12 * 10_000) / 3600, 5.0677
    interval = math.sqrt(2 * write * mtbf)
    wanted = write / interval + interval / (2 * mtbf) + 0.5 / mtbf
    given = {**changes, **FAILING, "restart_hours": 0.5, "storage_gb_per_s": 0.12}
    assert value("waste-at-ten-thousand", OWN, **given) == pytest.approx(wanted, rel=1e-9)
    assert value("failures-and-retries", OWN, **given) < wanted / 3


def test_waste_that_is_given_does_not_grow() -> None:
    assert value("waste-at-ten-thousand", OWN, waste_share=0.25) == pytest.approx(0.25, rel=1e-12)


def test_no_progress_at_ten_thousand() -> None:
    changes = {**FAILING, "accelerator_mtbf_hours": 4_000, "accelerators": 100}
    assert does_not_apply("waste-at-ten-thousand", "cannot be worked out", OWN, **changes)


def test_scale_economy_by_failures_alone() -> None:
    # Rent alone: cost goes as one over goodput.
    given = {**FAILING, "restart_hours": 0.5, "storage_gb_per_s": 0.12}

    def goodput(accelerators: float) -> float:
        mtbf = 50_677 / accelerators
        write = 980 / (0.12 * accelerators) / 3600
        interval = math.sqrt(2 * write * mtbf)
        return 1 - (write / interval + interval / (2 * mtbf) + 0.5 / mtbf)

    wanted = goodput(1000) / goodput(10_000)
    assert value("scale-economy", RENT, **given) == pytest.approx(wanted, rel=1e-9)
    assert does_not_apply("scale-economy", "the same at any size", RENT)


def test_scale_economy_of_sums() -> None:
    # A network for a sum grows with the cluster, so that only failures tell.
    given = {**FAILING, "restart_hours": 0.5, "storage_gb_per_s": 0.12}
    by_share = value("scale-economy", OWN, **given, storage_share=0)
    by_sum = value("scale-economy", OWN, **given, storage_share=0, network_price_usd=1e6)
    assert by_sum == pytest.approx(by_share, rel=1e-9)


def test_scale_economy_of_a_layout() -> None:
    found = claim("scale-economy", OWN, **STEP)
    assert "For 9,984 accelerators over 992." in found.why  # multiples of 8 · 4
    # 1,024 sequences, a micro-batch of 4: at ten thousand a replica would have less than one.
    tight = {**STEP, "micro_batch": 4, "tensor_parallel": 4, "recomputation": "full"}
    assert does_not_apply("scale-economy", "less than one micro-batch", OWN, **tight)


# Power


def test_power_of_ten_thousand_h100() -> None:
    # A DGX H100 is 10.2 kW for 8.
    megawatts = 10.2 / 8 * 10_000 / 1000
    assert value("it-power-of-ten-thousand", OWN) == pytest.approx(megawatts, rel=1e-12)
    facility = value("facility-power-of-ten-thousand", OWN, pue=1.25)
    assert facility == pytest.approx(megawatts * 1.25, rel=1e-12)
    assert value("power-capacity", OWN, pue=1.25) == pytest.approx(facility, rel=1e-12)


def test_chips_alone_are_the_texts_seven_megawatts() -> None:
    found = claim("it-power-of-ten-thousand", OWN, **CUSTOM)
    assert found.value == pytest.approx(7, rel=1e-12)
    assert found.verdict == "inside"
    for pue in (1.15, 1.57):  # 8 and 11 MW
        facility = claim("facility-power-of-ten-thousand", OWN, **CUSTOM, pue=pue)
        assert facility.verdict == "inside"


def test_power_range_goes_with_the_chip() -> None:
    found = claim("facility-power-of-ten-thousand", OWN, **{**CUSTOM, "tdp_watts": 1400})
    assert (found.low, found.high) == (16, 22)


def test_power_of_what_nobody_knows() -> None:
    unknown = {**CUSTOM, "tdp_watts": None}
    for name in ("power-capacity", "it-power-of-ten-thousand"):
        assert does_not_apply(name, "Nobody has given", RENT, **unknown)


@pytest.mark.parametrize(
    ("changes", "kilowatts", "share"),
    # An H100 over 3.5 years, in a cluster of (30,000 + 3,750)/0.8 USD an accelerator.
    [
        (
            {"electricity_usd_per_kwh": 0.08, "pue": 1.2, "utilization": 0.85},
            (0.7 * 0.89 + 0.575 * 0.6) * 1.2 * 0.85 * 0.08,
            0.06,
        ),
        (
            {
                "electricity_usd_per_kwh": 0.20,
                "pue": 1.5,
                "utilization": 1,
                "power_draw_share": 1,
                "host_draw_share": 1,
            },
            1.275 * 1.5 * 0.20,
            0.28,
        ),
    ],
    ids=["low", "high"],
)
def test_power_and_cooling_of_an_h100(
    changes: dict[str, Any], kilowatts: float, share: float
) -> None:
    by_hand = kilowatts * 8760 * 3.5 / ((30_000 + 3_750) / 0.8)
    assert by_hand == pytest.approx(share, abs=0.005)
    found = value("power-and-cooling-over-capex", OWN, **changes)
    assert found == pytest.approx(by_hand, rel=1e-9)


def test_price_at_which_power_reaches_30_percent() -> None:
    name = "power-and-cooling-over-capex"
    why = claim(name, OWN, electricity_usd_per_kwh=0.1).why
    price = float(why.split("Here 30% would take ")[1].split(" USD")[0])
    assert value(name, OWN, electricity_usd_per_kwh=price) == pytest.approx(0.30, abs=0.005)


def test_pue_saves_the_same_share_of_any_bill() -> None:
    for price in (0.05, 0.4):
        saved = value("pue-saving", OWN, electricity_usd_per_kwh=price, pue=1.3)
        assert saved == pytest.approx(0.4 / 1.5, rel=1e-9)
    assert does_not_apply("pue-saving", "Electricity costs nothing", OWN, electricity_usd_per_kwh=0)
    assert does_not_apply("pue-saving", "in the hourly price", RENT)


def test_electricity_over_staff() -> None:
    # By the hour: 1000 accelerators of 0.968 kW at 1.2 and 0.10 USD against 10 people.
    changes = {"pue": 1.2, "electricity_usd_per_kwh": 0.1, "facility_om_usd_per_kw_year": 0}
    people = {"staff_fte": 10, "staff_usd_per_fte_year": 87_600}
    found = value("electricity-largest-opex", OWN, **changes, **people)
    assert found == pytest.approx(1000 * (0.7 * 0.89 + 0.575 * 0.6) * 0.12 / 100, rel=1e-9)
    # Facility operation of 876 USD a kW and year is 0.1 USD an hour and kW of nameplate.
    changes["facility_om_usd_per_kw_year"] = 876
    found = value("electricity-largest-opex", OWN, **changes, **people)
    assert found == pytest.approx((0.7 * 0.89 + 0.575 * 0.6) * 0.12 / (1.275 * 0.1), rel=1e-9)


# Money


def test_share_of_accelerators() -> None:
    # Accelerators and people alone: 30,000 over 4 years at 85%, 50 people at 210,240 a year.
    bare = {
        **CUSTOM,
        "depreciation_years": 4,
        "utilization": 0.85,
        "residual_share": 0,
        "network_share": 0,
        "storage_share": 0,
        "facility_usd_per_kw": 0,
        "facility_om_usd_per_kw_year": 0,
        "electricity_usd_per_kwh": 0,
        "staff_fte": 50,
        "staff_usd_per_fte_year": 210_240,
    }
    accelerators, people = 1000 * 30_000 / (4 * 8760 * 0.85), 50 * 210_240 / 8760
    wanted = accelerators / ((accelerators + people) / 0.9)
    assert value("gpu-share-of-tco", OWN, **bare) == pytest.approx(wanted, rel=1e-9)
    assert value("tco-over-gpu-price", OWN, **bare) == pytest.approx(1 / wanted, rel=1e-9)


def test_the_texts_two_ranges_of_the_accelerators_share_differ() -> None:
    # 50 to 70% is 1.43 to 2.0 times: what lies between 2.0 and 2.5 is in one range alone.
    assert 2.0 < value("tco-over-gpu-price", OWN, staff_fte=10) < 2.5
    assert claim("tco-over-gpu-price", OWN, staff_fte=10).verdict == "inside"
    assert claim("gpu-share-of-tco", OWN, staff_fte=10).verdict == "outside"


def test_unit_costs() -> None:
    # Rent alone: 1000 accelerators at 3 USD for the wall time.
    changes = {"rental_usd_per_accelerator_hour": 3, "peak_tflops": 900}
    hours = 6 * 70e9 * 1.4e12 / (1000 * 900e12 * 0.4) / 3600 / 0.9
    token = value("usd-per-token", RENT, **changes)
    assert token == pytest.approx(hours * 3000 / 1.4e12, rel=1e-9)
    # An accelerator-hour is 900 TFLOP-hours at the peak, 0.4 · 0.9 of which are effective.
    effective = value("usd-per-effective-tflop-hour", RENT, **changes)
    assert effective == pytest.approx(3 / (900 * 0.4 * 0.9), rel=1e-9)


def test_network_for_a_sum() -> None:
    changes = {"network_price_usd": 6_750_000, "storage_share": 0, "network_share": None}
    # 1000 · (30,000 + 3,750) is five times as much: a sixth.
    assert value("network-share-of-capex", OWN, **changes) == pytest.approx(1 / 6, rel=1e-9)


@pytest.mark.parametrize(("rent", "share"), [(2.00, 0.92), (2.95, 0.61), (4.00, 0.445)])
def test_break_even_of_one_accelerator(rent: float, share: float) -> None:
    # 1.72 USD an hour of four years' depreciation and 0.13 of electricity (1 kW at 1.3 and 0.10).
    case = {
        **CUSTOM,
        "accelerator_price_usd": 1.72 * 8760 * 4,
        "tdp_watts": 1000,
        "power_draw_share": 1,
        "pue": 1.3,
        "electricity_usd_per_kwh": 0.1,
        "depreciation_years": 4,
        "residual_share": 0,
        "network_share": 0,
        "storage_share": 0,
        "facility_usd_per_kw": 0,
        "facility_om_usd_per_kw_year": 0,
        "rental_usd_per_accelerator_hour": rent,
    }
    found = claim("own-above-80", OWN, **case)
    assert found.value == pytest.approx(share, abs=0.005)
    assert found.verdict == "outside"
    dearer = value("rented-hour-is-dearer", OWN, **case, utilization=0.5)
    assert dearer == pytest.approx(rent / (1.72 / 0.5 + 0.13), rel=1e-6)
    # 1.72/0.8 + 0.13 is where the text is right.
    case["rental_usd_per_accelerator_hour"] = 2.28
    assert claim("own-above-80", OWN, **case).verdict == "inside"
    case["rental_usd_per_accelerator_hour"] = 0.12
    assert does_not_apply("own-above-80", "dearer than renting", OWN, **case)


def test_prices_and_lives() -> None:
    assert value("h100-rent", RENT, reservation_discount=0.4) == 2.95  # before the discount
    assert value("gpu-investment", OWN, accelerator_price_usd=25_000) == pytest.approx(250e6)
    assert does_not_apply("h100-price", "is a100-sxm-80gb", OWN, accelerator="a100-sxm-80gb")
    assert does_not_apply("h100-rent", "is a100-sxm-80gb", RENT, accelerator="a100-sxm-80gb")
    assert does_not_apply("h100-rent", "The cluster is owned", OWN)
    assert does_not_apply("reservation-discount", "No discount", RENT)
    assert does_not_apply("hardware-life", "knows no life", OWN, depreciation_method="exponential")


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.97, "above what"), (0.9, "excellent"), (0.7, "ordinary"), (0.5, "below what")],
)
def test_utilization_has_a_grade(share: float, words: str) -> None:
    assert words in claim("gpu-utilization", OWN, utilization=share).why


RENTED = (
    "gpu-utilization",
    "gpu-share-of-tco",
    "tco-over-gpu-price",
    "power-and-cooling-over-capex",
    "network-share-of-capex",
    "h100-price",
    "gpu-investment",
    "hardware-life",
    "pue-saving",
    "electricity-largest-opex",
)


@pytest.mark.parametrize("name", RENTED)
def test_a_rented_cluster_has_no_capex(name: str) -> None:
    assert does_not_apply(name, "The cluster is rented", RENT)


# Storage


def test_sizes() -> None:
    # BigScience's BLOOM: 2.3 TB with optimizer states, in binary units.
    gigabytes = value("checkpoint-size", OWN, parameters=176.247e9)
    assert gigabytes * 1e9 / 2**40 == pytest.approx(2.3, abs=0.06)
    experts = value("checkpoint-size", OWN, parameters=37e9, parameters_total=671e9)
    assert experts == pytest.approx(671 * 14, rel=1e-12)
    assert value("dataset-size", OWN, tokens=15.6e12) == pytest.approx(62.4, rel=1e-12)
    assert value("dataset-size", OWN, tokens=15.6e12, epochs=4) == pytest.approx(15.6, rel=1e-12)


# As a whole


def test_estimates_are_named() -> None:
    assert claim("h100-rent", RENT).estimates == ("rental_usd_per_accelerator_hour",)
    assert claim("h100-rent", RENT).status == "estimate"
    given = claim("h100-rent", RENT, rental_usd_per_accelerator_hour=2.5)
    assert (given.estimates, given.status) == ((), "official")
    everything = claims(Scenario(**OWN))
    assert everything.status == "estimate"
    assert set(evaluate(Scenario(**OWN)).estimates) <= set(everything.estimates)


def test_estimates_of_a_part_that_is_not_in_use_are_not_named() -> None:
    # The bandwidth of storage is an estimate of the failures', and of the step's.
    failing = {**FAILING, "restart_hours": 0.5}
    assert "storage_gb_per_s" in claim("failures-and-retries", OWN, **failing).estimates
    assert claim("mfu-range", OWN, **failing).estimates == ()
    assert "storage_gb_per_s" not in claim("power-and-cooling-over-capex", OWN, **failing).estimates


def test_plain_data() -> None:
    found = claims(Scenario(**OWN, name="ours"))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["schema"] == SCHEMA == "xl-tco/claims/1"
    assert data["name"] == "ours"
    assert [entry["id"] for entry in data["claims"]] == list(RANGES)
    assert list(data["counts"]) == list(VERDICTS)
    assert sum(data["counts"].values()) == len(RANGES)
    assert pickle.loads(pickle.dumps(found)) == found


def test_table() -> None:
    found = claims(Scenario(**OWN))
    table = found.to_frame()
    assert list(table.index) == list(RANGES)
    assert table.loc["mfu-range", "value"] == pytest.approx(0.4)
    assert math.isnan(table.loc["h100-rent", "value"])
    assert table["verdict"].value_counts()["outside"] == found.counts["outside"]


@settings(max_examples=60)
@given(tables())
def test_any_scenario_has_its_claims(table: dict[str, Any]) -> None:
    found = claims(Scenario(**table))
    json.dumps(found.to_dict(), allow_nan=False)
    for one in found.claims.values():
        assert (one.value is None) == (one.verdict == "does not apply")
        if one.verdict == "outside":
            assert one.value is not None
            low = -math.inf if one.low is None else one.low
            high = math.inf if one.high is None else one.high
            assert not low <= one.value <= high
        if one.verdict == "inside" and one.low != one.high:
            assert one.value is not None
            assert one.low is None or one.value >= one.low * (1 - 1e-8)
            assert one.high is None or one.value <= one.high * (1 + 1e-8)

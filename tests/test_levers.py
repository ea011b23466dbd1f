"""The levers: each against what it is said to change, and the steps against the whole."""

import json
from math import fsum
from typing import Any

import pytest
from hypothesis import given, settings

from strategies import tables
from xl_tco import InputError, Scenario, catalogue, evaluate
from xl_tco.analysis.levers import LAYERS, LEVERS, Levers, Pull, levers
from xl_tco.analysis.levers.effects import NEXT
from xl_tco.core.scaling import loss

CASE: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}
LLAMA = {**CASE, "parameters": 8e9, "tokens": 15e12}
BOTTOM_UP: dict[str, Any] = {
    **{name: value for name, value in CASE.items() if name != "mfu"},
    "kernel_efficiency": 0.65,
    "batch_tokens": 1024 * 4096,
    "sequence_length": 4096,
    "layers": 80,
    "hidden_size": 8192,
    "heads": 64,
    "tensor_parallel": 8,
    "pipeline_parallel": 4,
    "zero_stage": 1,
    "recomputation": "selective",
    "accelerator_mtbf_hours": 50_000,
}


def total(case: dict[str, Any], **changes: Any) -> float:
    return evaluate(Scenario(**{**case, **changes})).total_usd


def by_name(result: Levers) -> dict[str, Pull]:
    return {pull.lever.name: pull for pull in result.pulls}


def test_the_levers_of_the_source_stand_in_four_layers() -> None:
    layers = [lever.layer for lever in LEVERS.values()]
    assert [layers.count(layer) for layer in LAYERS] == [4, 4, 3, 3]
    assert layers == sorted(layers, key=LAYERS.index)
    assert all(lever.source and lever.label and lever.help for lever in LEVERS.values())


def test_the_next_generation_is_in_the_catalogue_and_has_a_vendor() -> None:
    for key, following in NEXT.items():
        now, then = catalogue.specifications(key), catalogue.specifications(following)
        assert now["vendor"].value == then["vendor"].value
        for precision in ("bf16", "fp16"):
            old, new = (figures[f"peak_tflops_{precision}"].value for figures in (now, then))
            assert old is None or new is None or float(new) > float(old)


# Each alone


def test_each_alone_is_the_run_with_what_it_sets() -> None:
    pulls = by_name(levers(Scenario(**LLAMA, recomputation="full")))
    case = {**LLAMA, "recomputation": "full"}
    for pull in pulls.values():
        expected = total(case, **pull.fields)
        assert pull.total_usd == pytest.approx(expected, rel=1e-12)
        assert pull.change_usd == pytest.approx(expected - total(case), abs=1e-6)
        assert bool(pull.reason) == (not pull.fields)


def test_what_they_make_of_the_cost() -> None:
    pulls = by_name(levers(Scenario(**CASE)))
    # The cost goes as 1/MFU, as parameters times tokens, and as 1/(1 − waste).
    assert pulls["framework"].change_share == pytest.approx(0.4 / 0.5 - 1)
    assert pulls["interconnect"].change_share == pytest.approx(-0.05)
    assert pulls["precision"].change_share == pytest.approx(1 / 1.3 - 1)
    assert pulls["experts"].change_share == pytest.approx(-0.5)
    assert pulls["data"].change_share == pytest.approx(-0.2)
    assert pulls["failures"].change_share == pytest.approx(0.9 / 0.95 - 1)
    assert pulls["scheduling"].total_usd == pytest.approx(total(CASE, utilization=0.95))
    assert pulls["accelerator"].total_usd == pytest.approx(total(CASE, accelerator="b200-sxm"))
    prices = [
        catalogue.specifications(key)["electricity_usd_per_kwh"].value
        for key in catalogue.region_keys()
    ]
    cheapest = catalogue.region_keys()[prices.index(min(p for p in prices if p is not None))]
    assert pulls["siting"].total_usd == pytest.approx(total(CASE, region=cheapest))


def test_fp8_keeps_the_speed_it_is_given_and_not_the_peak() -> None:
    pull = by_name(levers(Scenario(**CASE)))["precision"]
    assert pull.fields["precision"] == "fp8"
    assert pull.fields["mfu"] == pytest.approx(0.4 * 1.3 * 989.4 / 1979)


@pytest.mark.parametrize("rate", ["mfu", "hfu"])
def test_recomputation_is_dropped_at_the_same_hfu(rate: str) -> None:
    case = {**CASE, "mfu": None, rate: 0.4, "recomputation": "full"}
    result = levers(Scenario(**case))
    pulls = by_name(result)
    # At one HFU, the time goes as the hardware FLOPs: 4/3 before, 1.03 and 1 after.
    assert pulls["recomputation"].change_share == pytest.approx(1.03 / (4 / 3) - 1)
    assert pulls["memory"].change_share == pytest.approx(3 / 4 - 1)
    assert pulls["recomputation"].reason_together == "no activation is recomputed"
    hfu = evaluate(Scenario(**case)).metrics["achieved_hfu"]
    for name in ("memory", "recomputation"):
        changed = evaluate(Scenario(**{**case, **pulls[name].fields}))
        assert changed.metrics["achieved_hfu"] == pytest.approx(hfu)


def test_the_optimal_split_reaches_the_same_loss_for_less() -> None:
    pull = by_name(levers(Scenario(**LLAMA)))["scaling"]
    size, tokens = float(pull.fields["parameters"]), float(pull.fields["tokens"])
    assert loss(size, tokens) == pytest.approx(loss(8e9, 15e12), rel=1e-12)
    assert size * tokens < 8e9 * 15e12
    assert pull.change_share == pytest.approx(size * tokens / (8e9 * 15e12) - 1)
    assert size > 8e9  # 8B on 15T tokens is trained for far longer than is optimal


def test_communication_that_is_known_is_divided() -> None:
    pulls = by_name(levers(Scenario(**CASE, communication_share=0.2)))
    # Of 100 seconds 20 are communication; half of them go, and 10 of 90 are left.
    for name in ("interconnect", "communication"):
        assert pulls[name].fields == {"communication_share": pytest.approx(10 / 90)}
        assert pulls[name].change_share == pytest.approx(-0.1)


def test_both_levers_on_communication_leave_a_quarter_of_it() -> None:
    only = {name: None for name in LEVERS if name not in ("interconnect", "communication")}
    for case, gone in ((CASE, 0.1), ({**CASE, "communication_share": 0.2}, 0.2)):
        assert levers(Scenario(**case), only).change_share == pytest.approx(-0.75 * gone)


def test_efficiency_from_the_bottom_up() -> None:
    pulls = by_name(levers(Scenario(**BOTTOM_UP)))
    links = {"link_gb_per_s": 900.0, "network_gb_per_s": 100.0}
    assert pulls["interconnect"].fields == links
    assert pulls["interconnect"].change_usd < 0
    assert pulls["communication"].fields == {"overlap_share": 0.5}
    assert set(pulls["framework"].fields) == {"kernel_efficiency"}
    assert pulls["memory"].fields["memory_gb"] == pytest.approx(141)
    waste = evaluate(Scenario(**BOTTOM_UP)).metrics["goodput"]
    assert waste is not None
    assert pulls["failures"].fields == {"waste_share": pytest.approx((1 - waste) / 2)}
    assert "experts are not given" in pulls["experts"].reason
    assert "shape of the model is given" in pulls["scaling"].reason


# What does not apply


@pytest.mark.parametrize(
    ("changes", "name", "reason"),
    [
        ({}, "packaging", "it is in the figures of the accelerator"),
        ({}, "recomputation", "no activation is recomputed"),
        ({}, "memory", "no activation is recomputed"),
        ({}, "scaling", "the split is the best one"),
        ({"recompute_share": 0.02}, "recomputation", "no more is recomputed"),
        ({"accelerator": "gaudi3"}, "accelerator", "gaudi3 has no successor"),
        ({"accelerator": "mi300x"}, "accelerator", "the catalogue has no figure for mi355x"),
        ({"accelerator": "a100-sxm-80gb"}, "precision", "a100-sxm-80gb has no FP8 peak"),
        ({"precision": "fp8"}, "precision", "it trains in FP8"),
        ({"mfu": 0.56}, "framework", "an MFU of 56% is as much as has been published"),
        ({"parameters_total": 300e9}, "experts", "it is a mixture of experts"),
        ({"parameters_total": 300e9}, "scaling", "the fits are of dense models"),
        ({"epochs": 2}, "scaling", "the fits are of tokens seen once"),
        ({"waste_share": 0}, "failures", "no time is lost"),
        ({"utilization": 0.97}, "scheduling", "it is in use 97% of the year"),
        ({"electricity_usd_per_kwh": 0.001}, "siting", "electricity is nowhere cheaper"),
        ({"procurement": "rent", "storage_usd_per_hour": 1}, "siting", "power is in the rent"),
        ({"procurement": "rent", "storage_usd_per_hour": 1}, "scheduling", "idle hours are not"),
    ],
)
def test_what_does_not_apply_says_why(changes: dict[str, Any], name: str, reason: str) -> None:
    case = {**CASE, **changes}
    pull = by_name(levers(Scenario(**case)))[name]
    assert reason in pull.reason
    assert (pull.change_usd, pull.total_usd) == (0, total(case))
    assert pull.fields == {}


# Together


@settings(max_examples=25)
@given(tables())
def test_the_steps_add_up_to_the_whole(table: dict[str, Any]) -> None:
    result = levers(Scenario(**table))
    steps = fsum(pull.step_usd for pull in result.pulls)
    assert steps == pytest.approx(result.change_usd, rel=1e-9, abs=1e-9 * result.before.total_usd)
    assert result.pulls[-1].cumulative_usd == result.together.total_usd
    assert evaluate(result.together.scenario).total_usd == result.together.total_usd
    running = result.before.total_usd
    for pull in result.pulls:
        assert pull.step_usd == pull.cumulative_usd - running
        running = pull.cumulative_usd
        if pull.reason_together:
            assert pull.step_usd == 0


def test_independent_levers_multiply() -> None:
    only = {name: None for name in LEVERS if name not in ("framework", "experts", "data")}
    result = levers(Scenario(**CASE), only)
    assert result.change_share == pytest.approx(0.8 * 0.5 * 0.8 - 1)
    assert [pull.lever.name for pull in result.pulls] == ["framework", "experts", "data"]


# As one sets them


def test_sizes_can_be_set() -> None:
    pulls = by_name(
        levers(
            Scenario(**CASE),
            {
                "framework": 0.05,
                "accelerator": "h200-sxm",
                "siting": 0.04,
                "scaling": "hoffmann-2022",
                "packaging": {"host_watts_per_accelerator": 400},
                "precision": None,
            },
        )
    )
    assert pulls["framework"].fields == {"mfu": pytest.approx(0.45)}
    assert pulls["accelerator"].total_usd == pytest.approx(total(CASE, accelerator="h200-sxm"))
    assert pulls["siting"].total_usd == pytest.approx(total(CASE, electricity_usd_per_kwh=0.04))
    assert pulls["packaging"].total_usd == total(CASE, host_watts_per_accelerator=400)
    assert pulls["packaging"].source == "given"
    assert "precision" not in pulls
    assert pulls["scaling"].fields  # another fit has another optimum


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame": 0.1}, 'changes: "frame" is no lever; did you mean "framework"'),
        ({"framework": "more"}, "framework: it is text"),
        ({"framework": -0.1}, "framework: -0.1 is out of range"),
        ({"framework": True}, "framework: True is out of range"),
        ({"data": 1.0}, "data: 1.0 is out of range; give a share below 1"),
        ({"interconnect": 0.5}, "interconnect: 0.5 is out of range; give a factor above 1"),
        ({"accelerator": 2.0}, "accelerator: it is a number"),
        ({"accelerator": "b300"}, "accelerator: .*b300"),
        ({"scaling": "kaplan-2020"}, 'scaling: "kaplan-2020" is no fit'),
        ({"siting": "nowhere"}, "siting: region: "),
        ({"scheduling": 1.2}, "scheduling: utilization: 1.2 is out of range"),
        ({"packaging": {"tdp_watt": 3}}, "packaging: tdp_watt: no such field"),
    ],
)
def test_bad_settings(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        levers(Scenario(**CASE), changes)


def test_in_words_as_data_and_as_a_table() -> None:
    result = levers(Scenario(**CASE))
    assert result.sentence == (
        f"All levers together make it {result.together.total_usd:,.0f} USD, "
        f"{-result.change_share:.0%} less; the strongest alone is mixture of experts, -50%."
    )
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["schema"] == "xl-tco/levers/1"
    assert [row["name"] for row in plain["levers"]] == list(LEVERS)
    frame = result.to_frame()
    assert list(frame.index) == list(LEVERS)
    assert frame["step_usd"].sum() == pytest.approx(plain["change_usd"])
    assert result.status == "estimate"
    nothing = levers(Scenario(**CASE), dict.fromkeys(LEVERS))
    assert nothing.sentence == "No lever applies to this run."
    assert nothing.to_frame().empty

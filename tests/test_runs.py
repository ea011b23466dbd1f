"""The model against training runs that were published: FLOPs, hours, energy and cost.

A run is a check of the formulas only where it states what the formulas would give. Where a paper
counts something else, the difference is listed here with its reason and its direction.
"""

from pathlib import Path

import pytest

from xl_tco import Scenario, evaluate, load_scenario
from xl_tco.catalogue import runs
from xl_tco.core import capital, compute, power, time

EXAMPLE = Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml"


def figure(run: str, field: str) -> float | None:
    entry = runs().get((run, field))
    return float(entry.value) if entry and entry.value not in (None, "") else None


def stated(run: str, field: str) -> float:
    value = figure(run, field)
    assert value is not None, (run, field)
    return value


def with_figures(*fields: str) -> list[str]:
    keys = dict.fromkeys(key for key, _ in runs())
    return [key for key in keys if all(figure(key, field) is not None for field in fields)]


# FLOPs

ROUNDING = 0.01  # two digits and a bit: what papers print
LOOSE = {
    "chinchilla-70b": (0.03, "table 3 counts embeddings and attention, not 6ND"),
    "olmo-2-7b": (0.03, "1.8e23 has two digits"),
}
OTHER_COUNT = {
    # run: least and largest ratio of stated over 6ND, and why it is not 1
    "gopher-280b": (1.2, 4 / 3, "attention and rematerialisation are in the stated FLOPs"),
    "opt-175b": (1.3, 1.4, "hardware FLOPs with full recomputation, near 8ND"),
    "bert-large": (1.05, 1.1, "an outside estimate; the tokens are an upper bound already"),
}
WITH_FLOPS = with_figures("parameters", "tokens", "stated_flops")


def test_there_are_runs_to_check() -> None:
    assert len(WITH_FLOPS) >= 10
    assert set(LOOSE) | set(OTHER_COUNT) <= set(WITH_FLOPS)


@pytest.mark.parametrize("run", [run for run in WITH_FLOPS if run not in OTHER_COUNT])
def test_six_n_d_gives_the_stated_flops(run: str) -> None:
    flops = compute.model_flops(stated(run, "parameters"), stated(run, "tokens"))
    tolerance, _ = LOOSE.get(run, (ROUNDING, ""))
    assert flops == pytest.approx(stated(run, "stated_flops"), rel=tolerance)


@pytest.mark.parametrize("run", OTHER_COUNT)
def test_known_differences_have_their_direction(run: str) -> None:
    least, largest, reason = OTHER_COUNT[run]
    flops = compute.model_flops(stated(run, "parameters"), stated(run, "tokens"))
    assert least < stated(run, "stated_flops") / flops < largest, reason


def test_opt_states_the_flops_of_full_recomputation() -> None:
    flops = compute.model_flops(stated("opt-175b", "parameters"), stated("opt-175b", "tokens"))
    hardware = compute.hardware_flops(flops, 1 / 3)
    assert hardware == pytest.approx(stated("opt-175b", "stated_flops"), rel=0.03)


def test_bert_truly_processed_a_third_of_its_upper_bound() -> None:
    # A million steps of 256 sequences: 90% of 128 tokens, 10% of 512.
    tokens = 1e6 * 256 * (0.9 * 128 + 0.1 * 512)
    ratio = stated("bert-large", "tokens") / tokens
    assert ratio == pytest.approx(3.08, rel=0.01)


# Rows that say how a run is to be read

QUANTITIES = ("parameters", "flops", "exact_flops", "hours", "energy", "cost")


def test_a_reason_belongs_to_a_quantity_and_is_given_once() -> None:
    reasons = [
        (run, *field.split("_", 1)) for run, field in runs() if field.startswith(("note_", "circu"))
    ]
    assert {kind for _, kind, _ in reasons} == {"note", "circular"}
    assert {quantity for _, _, quantity in reasons} <= set(QUANTITIES)
    both = [(run, quantity) for run, _, quantity in reasons]
    assert len(both) == len(set(both))


def test_what_a_run_would_have_paid_is_an_estimate() -> None:
    rents = [figure for (_, field), figure in runs().items() if field.startswith("rental_usd")]
    assert len(rents) >= 20
    assert {figure.status for figure in rents} == {"estimate"}
    assert all(0.5 < float(figure.value or 0) < 6 for figure in rents)


def test_accelerators_that_nobody_stated_are_estimates() -> None:
    assumed = [figure for figure in runs().values() if figure.source.startswith("not published:")]
    assert {figure.status for figure in assumed} == {"estimate"}
    assert all("only the wall time rests on it" in figure.source for figure in assumed)


# Hours

WITH_HOURS = with_figures("accelerator_hours", "peak_tflops", "parameters", "tokens")
WITH_HOURS += [
    run
    for run in with_figures("accelerator_hours", "peak_tflops", "stated_flops")
    if run not in WITH_HOURS
]


def flops_of(run: str) -> float:
    if figure(run, "parameters") is None or figure(run, "tokens") is None:
        return stated(run, "stated_flops")
    return float(compute.model_flops(stated(run, "parameters"), stated(run, "tokens")))


def implied_mfu(run: str) -> float:
    """MFU that the accelerator-hours imply, failures and all: plain arithmetic."""
    seconds = stated(run, "accelerator_hours") * 3600
    return flops_of(run) / (seconds * stated(run, "peak_tflops") * 1e12)


@pytest.mark.parametrize("run", WITH_HOURS)
def test_wall_time_at_the_implied_mfu_is_the_stated_hours(run: str) -> None:
    mfu = implied_mfu(run)
    assert 0.1 < mfu < 0.6
    accelerators = figure(run, "accelerators") or 1000.0
    peak = stated(run, "peak_tflops")
    hours = time.productive_hours(flops_of(run), accelerators, peak, mfu)
    assert time.accelerator_hours(accelerators, hours) == pytest.approx(
        stated(run, "accelerator_hours"), rel=1e-12
    )


# Papers that give both days and accelerator-hours: one over the other is the number of machines.
OTHER_HOURS = {
    "palm-540b": (0.85, 0.95, "336 of the 1,536 hours ran on half of the chips"),
    "opt-175b": (1.02, 1.04, "33 days is rounded down; the hours make 34"),
    "gemini-1.0-ultra": (0.95, 0.97, "the two figures of this estimate do not agree"),
}
WITH_DAYS = with_figures("wall_days", "accelerators", "accelerator_hours")


@pytest.mark.parametrize("run", WITH_DAYS)
def test_days_on_the_cluster_are_the_accelerator_hours(run: str) -> None:
    days = time.accelerator_hours(stated(run, "accelerators"), stated(run, "wall_days") * 24)
    ratio = stated(run, "accelerator_hours") / days
    least, largest, reason = OTHER_HOURS.get(run, (0.985, 1.01, "rounding of the days"))
    assert least < ratio < largest, reason


@pytest.mark.parametrize(("run", "goodput"), [("llama-3.1-405b", 0.84), ("palm-540b", 0.66)])
def test_reported_over_implied_mfu_is_the_goodput(run: str, goodput: float) -> None:
    # The independent check: the paper measured the MFU of a step, and counted the hours elsewhere.
    assert implied_mfu(run) / stated(run, "reported_mfu") == pytest.approx(goodput, abs=0.005)


def test_gpt_3_took_the_days_that_its_rate_says() -> None:
    run = "gpt-3-175b"
    hours = time.productive_hours(
        stated(run, "stated_flops"),
        stated(run, "accelerators"),
        stated(run, "peak_tflops"),
        24.6 / 125,
    )
    assert hours / 24 == pytest.approx(stated(run, "wall_days"), rel=0.005)


@pytest.mark.parametrize("run", with_figures("reported_mfu", "reported_hfu"))
def test_hardware_utilization_is_above_model_utilization(run: str) -> None:
    recompute = stated(run, "reported_hfu") / stated(run, "reported_mfu") - 1
    assert 0 < recompute <= 1 / 3
    flops = compute.hardware_flops(flops_of(run), recompute)
    by_hfu = time.productive_hours(flops, 1, 1, stated(run, "reported_hfu"))
    by_mfu = time.productive_hours(flops_of(run), 1, 1, stated(run, "reported_mfu"))
    assert by_hfu == pytest.approx(by_mfu, rel=1e-12)


def test_the_example_is_llama_as_its_makers_trained_it() -> None:
    scenario = load_scenario(EXAMPLE)
    for field in ("parameters", "tokens", "accelerators", "peak_tflops"):
        assert scenario.values[field] == stated("llama-3.1-405b", field), field
    assert scenario.values["mfu"] == stated("llama-3.1-405b", "reported_mfu")
    # With the goodput that the published hours imply, the example takes the published hours.
    goodput = implied_mfu("llama-3.1-405b") / stated("llama-3.1-405b", "reported_mfu")
    metrics = evaluate(scenario.replace(waste_share=1 - goodput)).metrics
    assert metrics["accelerator_hours"] == pytest.approx(30_840_000, rel=1e-9)
    assert metrics["flops"] == pytest.approx(stated("llama-3.1-405b", "stated_flops"), rel=0.005)


# Energy: what watts, PUE and hours the papers say they multiplied.
ENERGY = {
    "gpt-3-175b": (330, 1.1, "Patterson et al. 2021, table 4"),
    "opt-175b": (400, 1.1, "Touvron et al. 2023, table 15"),
    "llama-7b": (400, 1.1, "Touvron et al. 2023, table 15"),
    "llama-13b": (400, 1.1, "Touvron et al. 2023, table 15"),
    "llama-65b": (400, 1.1, "Touvron et al. 2023, table 15"),
    "bloom-176b": (400, 1.0, "Luccioni et al. 2022: dynamic consumption, no PUE"),
    "olmo-3-7b": (0.89 * 700, 1.0, "mean draw of a GPU, no PUE"),
}


@pytest.mark.parametrize("run", ENERGY)
def test_energy(run: str) -> None:
    watts, pue, source = ENERGY[run]
    energy = power.it_energy_kwh(1, stated(run, "accelerator_hours"), watts)
    facility = power.facility_energy_kwh(energy, pue)
    assert facility / 1000 == pytest.approx(stated(run, "stated_energy_mwh"), rel=0.01), source


def test_every_run_with_energy_and_hours_is_checked() -> None:
    assert set(with_figures("accelerator_hours", "stated_energy_mwh")) == set(ENERGY)


# Cost


def test_deepseek_v3_costs_what_its_makers_say() -> None:
    # 2.788 million H800-hours, of which 2.664 million are pre-training, at 2 USD.
    hours = 2_788_000
    assert capital.rental_usd(1, hours, 2.0) == pytest.approx(
        stated("deepseek-v3", "stated_cost_usd")
    )
    given = {field: stated("deepseek-v3", field) for field in ("parameters", "tokens")}
    peak = stated("deepseek-v3", "peak_tflops")
    run = Scenario(
        **given,
        accelerator="h800-sxm",
        accelerators=2048,
        peak_tflops=peak,
        mfu=6 * given["parameters"] * given["tokens"] / (hours * 3600 * peak * 1e12),
        waste_share=0,
        procurement="rent",
        rental_usd_per_accelerator_hour=2,
        staff_fte=0,
        storage_usd_per_hour=0,
    )
    result = evaluate(run)
    assert result.total_usd == pytest.approx(5_576_000, rel=1e-12)
    assert result.components["rental"] == result.total_usd
    assert result.metrics["usd_per_accelerator_hour"] == pytest.approx(2, rel=1e-12)


def test_mpt_7b_costs_what_its_makers_say() -> None:
    # About 200,000 USD for 9.5 days on 440 A100: 1.99 USD an hour.
    cost = stated("mpt-7b", "stated_cost_usd")
    hours = 9.5 * 24
    assert cost / (440 * hours) == pytest.approx(1.99, abs=0.005)
    assert capital.rental_usd(440, hours, 1.99) == pytest.approx(cost, rel=0.005)
    assert implied_mfu("mpt-7b") == pytest.approx(0.354, abs=0.001)

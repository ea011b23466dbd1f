"""Published runs as scenarios: they reproduce what their papers say, and say what is assumed.

The figures to meet are typed here from the papers, not read from the catalogue.
"""

import json
import pickle
from pathlib import Path

import pandas as pd
import pytest

from xl_tco import (
    InputError,
    Scenario,
    evaluate,
    evaluate_frame,
    load_scenario,
    load_scenarios,
)
from xl_tco.catalogue import runs
from xl_tco.core import compute
from xl_tco.fields import FIELDS
from xl_tco.presets import PREFIX, preset, preset_names, run_keys, wanting

NAMED = ["bert-large", "gpt-3-175b", "palm-540b", "llama-3.1-405b", "deepseek-v3"]


def metrics(name: str) -> dict[str, float]:
    return {
        key: value for key, value in evaluate(preset(name)).metrics.items() if value is not None
    }


def test_the_runs_that_people_ask_for_are_presets() -> None:
    assert set(NAMED) <= set(preset_names())
    assert len(preset_names()) >= 18
    assert set(preset_names()) < set(run_keys())


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_costed(name: str) -> None:
    result = evaluate(preset(name))
    assert result.total_usd > 0
    assert sum(result.components.values()) == pytest.approx(result.total_usd, rel=1e-12)
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", preset_names())
def test_flops_are_six_n_d(name: str) -> None:
    run = preset(name)
    wanted = 6 * run.values["parameters"] * run.values["tokens"]
    assert metrics(name)["flops"] == pytest.approx(wanted, rel=1e-12)


# From the papers: accelerator-hours as printed.
HOURS = {
    "bert-large": (64 * 4 * 24, 0.001, "Devlin et al.: 64 chips, 4 days"),
    "gpt-3-175b": (10_000 * 14.8 * 24, 0.001, "Patterson et al.: 14.8 days on 10,000 V100"),
    "palm-540b": (6144 * 1200 + 3072 * 336, 1e-9, "Chowdhery et al., table 20"),
    "bloom-176b": (1_082_990, 1e-9, "Luccioni et al."),
    "llama-65b": (1_022_362, 1e-9, "Touvron et al., table 15"),
    "llama-3.1-405b": (30.84e6, 1e-9, "Meta's model card"),
    "deepseek-v3": (2.664e6, 1e-9, "DeepSeek-V3, table 1: pre-training"),
}


@pytest.mark.parametrize("name", HOURS)
def test_a_preset_takes_the_published_hours(name: str) -> None:
    hours, rel, source = HOURS[name]
    assert metrics(name)["accelerator_hours"] == pytest.approx(hours, rel=rel), source


@pytest.mark.parametrize(
    ("name", "key", "published", "abs_", "source"),
    [
        ("llama-3.1-405b", "achieved_mfu", 0.41, 0, "Llama 3, table 4"),
        ("llama-3.1-405b", "goodput", 0.84, 0.005, "34.5% over 41%"),
        ("palm-540b", "achieved_mfu", 0.462, 0, "PaLM, section 4.1"),
        ("palm-540b", "achieved_hfu", 0.578, 1e-12, "PaLM, section 4.1"),
        ("palm-540b", "goodput", 0.66, 0.005, "30.4% over 46.2%"),
        ("gpt-3-175b", "achieved_mfu", 24.6 / 125, 0.0005, "Patterson et al., table 4"),
        ("gpt-3-175b", "wall_days", 14.8, 0.05, "Patterson et al., table 4"),
        ("opt-175b", "achieved_hfu", 147 / 312, 0.0005, "OPT: 147 TFLOP/s"),
        ("bloom-176b", "achieved_hfu", 156 / 312, 0, "BLOOM: 156 TFLOP/s"),
        ("bert-large", "wall_days", 4, 1e-9, "Devlin et al., appendix A.2"),
        ("deepseek-v3", "wall_days", 54.2, 0.05, "2.664 million hours on 2,048"),
        ("llama-65b", "wall_days", 21, 0.5, "LLaMA: about 21 days"),
    ],
)
def test_a_preset_has_the_published_rates(
    name: str, key: str, published: float, abs_: float, source: str
) -> None:
    assert metrics(name)[key] == pytest.approx(published, abs=abs_, rel=0 if abs_ else 1e-12), (
        source
    )


def test_full_recomputation_is_a_third_more() -> None:
    values = metrics("mt-nlg-530b")
    assert values["achieved_mfu"] == pytest.approx(0.36 * 3 / 4)
    flops = 6 * 530e9 * 270e9
    assert values["hardware_flops"] == pytest.approx(8 / 6 * flops)


# Rents of the time, from archived price lists, times the published hours.
@pytest.mark.parametrize(
    ("name", "usd"),
    [
        ("bert-large", 64 * 96 * 4.50 / 4),
        ("gpt-3-175b", 3_552_000 * 3.06),
        ("palm-540b", 8_404_992 * 3.22),
        ("llama-3.1-405b", 30.84e6 * 3.49),
        ("deepseek-v3", 2.664e6 * 2.00),
    ],
)
def test_a_preset_costs_its_hours_at_the_rent_of_its_time(name: str, usd: float) -> None:
    assert evaluate(preset(name)).total_usd == pytest.approx(usd, rel=0.001)
    assert set(evaluate(preset(name)).components) >= {"rental", "staff", "storage", "waste"}


# What is assumed, and that it shows


@pytest.mark.parametrize("name", preset_names())
def test_no_figure_of_a_preset_passes_for_the_users(name: str) -> None:
    figures = preset(name).figures
    assert {figure.status for figure in figures.values()} <= {"official", "estimate", "definition"}
    assert [field for field, figure in figures.items() if not (figure.source and figure.date)] == []


@pytest.mark.parametrize("name", preset_names())
def test_the_rent_is_an_estimate_and_the_result_says_so(name: str) -> None:
    result = evaluate(preset(name))
    assert "rental_usd_per_accelerator_hour" in result.estimates
    assert result.status == "estimate"
    provenance = result.to_dict()["provenance"]
    assert provenance["rental_usd_per_accelerator_hour"]["status"] == "estimate"
    assert provenance["staff_fte"]["status"] == "definition"
    assert "not published" in provenance["staff_fte"]["source"]


def test_figures_are_the_catalogues() -> None:
    figures = preset("llama-3.1-405b").figures
    for field, row in [("tokens", "tokens"), ("mfu", "reported_mfu"), ("name", "label")]:
        assert figures[field] == runs()["llama-3.1-405b", row]


def test_what_changes_is_given_and_the_rest_keeps_its_source() -> None:
    run = preset("llama-3.1-405b").replace(waste_share=0.05)
    assert run.figures["waste_share"].status == "given"
    assert run.figures["tokens"] == preset("llama-3.1-405b").figures["tokens"]
    assert "waste_share" not in evaluate(run).estimates
    assert run.replace(hfu=0.5).figures["hfu"].status == "given"
    assert "mfu" not in run.replace(hfu=0.5).figures


def test_the_same_value_given_again_is_the_users() -> None:
    run = preset("gpt-3-175b")
    assert run.figures["tokens"].status == "official"
    assert run.replace(tokens=run.values["tokens"]).figures["tokens"].status == "given"


def test_a_preset_survives_pickling_and_is_the_scenario_of_its_figures() -> None:
    run = preset("palm-540b")
    again = pickle.loads(pickle.dumps(run))
    assert again == run
    assert dict(again.figures) == dict(run.figures)
    assert Scenario(**run.given) == run
    assert evaluate(Scenario(**run.given)).total_usd == evaluate(run).total_usd


def test_a_figure_for_what_was_not_given_says_nothing() -> None:
    run = preset("gpt-3-175b")
    made = Scenario.from_table(run.given, figures={"pue": run.figures["tokens"]})
    assert made.figures["pue"].source != run.figures["tokens"].source
    assert made.figures["tokens"].status == "given"


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_stands_on_a_peak_of_its_precision(name: str) -> None:
    # DeepSeek-V3's MFU is of the BF16 peak, though its products are in FP8.
    given = "peak_tflops" in preset(name).given
    assert given == (name == "deepseek-v3")


def test_a_mixture_of_experts_says_so() -> None:
    assert preset("deepseek-v3").values["parameters_total"] == 671e9
    assert "parameters_total" not in preset("gpt-3-175b").given


# What cannot be one


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("chinchilla-70b", {"accelerator", "accelerators", "mfu"}),
        ("qwen2.5-72b", {"accelerator", "accelerators", "mfu"}),
        ("mixtral-8x7b", {"tokens", "accelerator", "accelerators", "precision", "mfu"}),
        ("gpt-4", {"parameters"}),
        ("grok-3", {"parameters", "tokens", "precision", "mfu"}),
        ("olmo-2-7b", {"accelerators", "mfu"}),
    ],
)
def test_what_was_not_published_is_named(name: str, fields: set[str]) -> None:
    with pytest.raises(InputError) as caught:
        preset(name)
    faults = caught.value.faults
    assert sorted(fault.field for fault in faults) == sorted(fields)
    assert {fault.kind for fault in faults} == {"unknown figure"}
    assert fields <= set(FIELDS)
    assert name in str(caught.value)
    assert wanting(name)
    assert name not in preset_names()


def test_chinchillas_hardware_is_told() -> None:
    with pytest.raises(InputError, match="a mixture of TPU v3 and v4"):
        preset("chinchilla-70b")


# In the place of a file


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_preset_is_read_where_a_file_is(name: str, kind: type) -> None:
    source = kind(PREFIX + name)
    assert load_scenario(source) == preset(name)
    assert load_scenarios(source) == [preset(name)]
    assert dict(load_scenario(source).figures) == dict(preset(name).figures)


@pytest.mark.parametrize("name", ["llama-3.1-405", "Llama-3.1-405B", "llama3.1-405b"])
def test_a_misspelt_preset_is_told_the_nearest_and_all(name: str) -> None:
    with pytest.raises(InputError, match=r'did you mean "llama-3\.1-405b"') as caught:
        load_scenario(f"preset:{name}")
    assert all(known in str(caught.value) for known in preset_names())
    assert caught.value.kind == "unknown key"


@pytest.mark.parametrize("name", ["", " ", "x" * 10_000, "\ud800"])
def test_any_other_name_is_an_input_error(name: str) -> None:
    with pytest.raises(InputError):
        load_scenario(f"preset:{name}")


def test_a_file_is_still_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(dict(preset("gpt-3-175b").given)), encoding="utf-8")
    assert load_scenario(path) == preset("gpt-3-175b")


def test_the_waste_of_a_preset_is_what_its_hours_lack() -> None:
    # Llama 3.1 405B by hand: 6·N·D over 41% of the peak, against the card's hours.
    hours = compute.model_flops(405e9, 15.6e12) / (0.41 * 989.4e12 * 3600)
    assert preset("llama-3.1-405b").values["waste_share"] == pytest.approx(1 - hours / 30.84e6)
    assert preset("gpt-3-175b").values["waste_share"] == 0


def test_rows_that_vary_a_preset_rest_on_its_estimates_too() -> None:
    base = preset("gpt-3-175b")
    assert "rental_usd_per_accelerator_hour" in evaluate(base).estimates
    rows = pd.DataFrame({"tokens": [3e11, 4e11]})
    told = evaluate_frame(rows, base).attrs["estimates"]
    assert "rental_usd_per_accelerator_hour" in told
    given = rows.assign(rental_usd_per_accelerator_hour=1.5)
    assert "rental_usd_per_accelerator_hour" not in evaluate_frame(given, base).attrs["estimates"]

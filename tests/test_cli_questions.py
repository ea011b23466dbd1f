"""The commands that answer questions: what they print for people and programs, and how they refuse.

The answers themselves are under test with their modules; here, that they arrive whole.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import xl_tco
from test_cli import EXAMPLE, fails, printed, run
from test_model_detail import STEP

RANGES = """\
name = "Ranges"
parameters = 70e9
tokens = 1.4e12
accelerator = "h100-sxm"
accelerators = 1024
mfu = {low = 0.35, mode = 0.40, high = 0.45}
waste_share = {distribution = "pert", low = 0.05, mode = 0.10, high = 0.30}
procurement = "own"
staff_fte = 20
correlations = [["mfu", "waste_share", -0.4]]
"""


@pytest.fixture
def ranges(tmp_path: Path) -> Path:
    path = tmp_path / "ranges.toml"
    path.write_text(RANGES, encoding="utf-8")
    return path


def example() -> xl_tco.Scenario:
    return xl_tco.load_scenario(EXAMPLE)


ANSWERS: dict[str, tuple[list[object], Any]] = {
    "compare": (["compare", EXAMPLE], lambda: xl_tco.rank_accelerators(example())),
    "compare by deadline": (
        ["compare", EXAMPLE, "--by", "total_usd", "--equal", "deadline"],
        lambda: xl_tco.rank_accelerators(example(), "total_usd", equal="deadline"),
    ),
    "rent-or-own": (
        ["rent-or-own", EXAMPLE, "--rent", 2.5],
        lambda: xl_tco.rent_or_own(example(), 2.5),
    ),
    "solve": (
        ["solve", EXAMPLE, "tokens", "total_usd=40e6"],
        lambda: xl_tco.solve(example(), "tokens", total_usd=40e6),
    ),
    "optimal": (["optimal", "--flops", "1e24"], lambda: xl_tco.optimal(1e24)),
    "optimal for money": (
        ["optimal", EXAMPLE, "--budget", "20e6", "--fit", "hoffmann-2022"],
        lambda: xl_tco.optimal(None, 20e6, example(), "hoffmann-2022"),
    ),
    "levers": (
        ["levers", EXAMPLE, "--set", "framework=0.05", "--set", "precision=none"],
        lambda: xl_tco.levers(example(), {"framework": 0.05, "precision": None}),
    ),
    "tornado": (
        ["tornado", EXAMPLE, "--fields", "mfu, pue", "--swing", 0.2, "--output", "wall_days"],
        lambda: xl_tco.tornado(example(), ["mfu", "pue"], 0.2, "wall_days"),
    ),
    "cash": (
        ["cash", EXAMPLE, EXAMPLE, "--start", "2026-11", "--months", 48, "--method", "annuity"],
        lambda: xl_tco.cash_view(
            [example(), example()], start_date="2026-11", months=48, method="annuity"
        ),
    ),
    "validate": (
        ["validate", "llama-3.1-405b", "palm-540b"],
        lambda: xl_tco.validate(["llama-3.1-405b", "palm-540b"]),
    ),
    "history": (["history"], xl_tco.history),
    "claims": (["claims", EXAMPLE], lambda: xl_tco.claims(example())),
    "preset": (
        ["evaluate", "preset:llama-3.1-405b"],
        lambda: xl_tco.evaluate(xl_tco.preset("llama-3.1-405b")),
    ),
}
by_answer = pytest.mark.parametrize("name", ANSWERS)


@by_answer
def test_json_is_the_answer_to_the_last_digit(name: str) -> None:
    arguments, answer = ANSWERS[name]
    assert json.loads(printed(*arguments, "--json")) == answer().to_dict()


@by_answer
def test_a_person_gets_a_table_with_nothing_cut(name: str) -> None:
    arguments, _ = ANSWERS[name]
    text = printed(*arguments)
    assert len(text.splitlines()) > 3
    assert "…" not in text
    assert "None" not in text
    assert "nan" not in text.lower().split()


def test_simulate_in_both_forms(ranges: Path) -> None:
    options = ["--samples", 2000, "--seed", 7, "--output", "power_usd"]
    told = json.loads(printed("simulate", ranges, *options, "--json"))
    answer = xl_tco.simulate(xl_tco.load_scenario(ranges), 2000, 7, "power_usd")
    assert told == answer.to_dict()
    text = printed("simulate", ranges, "--samples", 2000)
    for words in ("P10", "P50", "P90", "standard error", "seed 0", "Correlated", "pert, low 0.05"):
        assert words in text


def test_the_ranges_of_a_scenario_come_back_from_its_result(ranges: Path, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    result.write_text(printed("evaluate", ranges, "--json"), encoding="utf-8")
    again = xl_tco.load_scenario(result)
    assert again.ranges == xl_tco.load_scenario(ranges).ranges


@pytest.mark.parametrize("source", [EXAMPLE, "preset:gpt-3-175b"])
def test_a_result_that_is_read_back_rests_on_the_same_estimates(
    source: object, tmp_path: Path
) -> None:
    path = tmp_path / "result.json"
    first = json.loads(printed("evaluate", source, "--json"))
    assert first["status"] == "estimate"
    path.write_text(json.dumps(first), encoding="utf-8")
    assert json.loads(printed("evaluate", path, "--json")) == first
    first["inputs"]["staff_usd_per_fte_year"] = 1.0  # changed by hand: the user's own
    path.write_text(json.dumps(first), encoding="utf-8")
    again = xl_tco.evaluate(xl_tco.load_scenario(path))
    assert again.scenario.figures["staff_usd_per_fte_year"].status == "given"
    assert "staff_usd_per_fte_year" not in again.estimates
    assert again.estimates


def test_validate_tells_all_runs_and_why_some_are_left_out() -> None:
    text = printed("validate")
    for words in ("gpt-3-175b", "palm-540b", "deepseek-v3", "-15.8%", "circular", "Left out:"):
        assert words in text


def test_runs_and_regions() -> None:
    assert "preset" in printed("runs")
    assert "16,384" in printed("runs", "llama-3.1-405b")
    assert "Llama" in json.loads(printed("runs", "llama-3.1-405b", "--json"))["label"]["value"]
    assert "taiwan" in printed("regions")
    pue = json.loads(printed("regions", "--json"))["us"]["pue"]
    assert pue["source"]
    assert pue["status"] in ("official", "estimate")


def test_a_rate_shows_both_currencies(tmp_path: Path) -> None:
    path = tmp_path / "taiwan.toml"
    money = 'currency = "TWD"\ncurrency_per_usd = 31.5\ncurrency_date = "2026-11-27"\n'
    path.write_text(money + EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    text = printed("evaluate", path)
    total = xl_tco.evaluate(xl_tco.load_scenario(path)).total_usd
    assert f"{total:,.0f}" in text
    assert f"{total * 31.5:,.0f}" in text
    assert "Rate of 2026-11-27" in text
    assert "TWD" in printed("cash", path)


def test_parts_from_the_bottom_up_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "failing.toml"
    lines = "accelerator_mtbf_hours = 50_677\n" + EXAMPLE.read_text(encoding="utf-8")
    kept = [line for line in lines.splitlines() if not line.startswith("waste_share")]
    path.write_text("\n".join(kept), encoding="utf-8")
    text = printed("evaluate", path)
    assert "Failures and checkpoints" in text
    assert "3.093" in text


def test_fit_says_what_is_held_and_how_few_would_do(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text("\n".join(f"{k} = {json.dumps(v)}" for k, v in STEP.items()), encoding="utf-8")
    answer = xl_tco.fit(xl_tco.load_scenario(path))
    assert json.loads(printed("fit", path, "--json")) == answer.to_dict()
    text = printed("fit", path)
    assert answer.sentence in text
    assert "Activations" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "preset:llama-3"], ['"llama-3" is no published run', "llama-3.1-405b"]),
        (["solve", EXAMPLE, "tokens", "40e6"], ["OUTPUT=VALUE", "total_usd"]),
        (["solve", EXAMPLE, "tokens", "total_usd=lots"], ["total_usd", '"lots" is text']),
        (["solve", EXAMPLE, "tokns", "total_usd=40e6"], ["tokns", "tokens"]),
        (["levers", EXAMPLE, "--set", "magic=2"], ["magic"]),
        (["tornado", EXAMPLE, "--fields", "mfoo"], ["mfoo"]),
        (["tornado", EXAMPLE, "--swing", "-1"], ["swing"]),
        (["simulate", EXAMPLE], ["low", "mode", "high"]),
        (["cash", EXAMPLE, "--method", "magic"], ["method", "annuity"]),
        (["cash", EXAMPLE, "--start", "May"], ["start_date", "2026-11"]),
        (["cash", EXAMPLE, "--months", "0"], ["months"]),
        (["validate", "gpt-5"], ['"gpt-5" is no published run']),
        (["fit", EXAMPLE], ["kernel_efficiency", "batch_tokens"]),
        (["optimal"], ["flops"]),
        (["optimal", "--flops", "-1"], ["flops"]),
        (["runs", "gpt-5"], ['"gpt-5" is no published run']),
    ],
)
def test_bad_questions_are_refused_in_words(arguments: list[object], words: list[str]) -> None:
    fails(run(*arguments), 2, *words)

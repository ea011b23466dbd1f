"""Inverses of the cost: put back, the run hits its target; and closed forms against the search."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from strategies import tables
from xl_tco import InputError, Scenario, evaluate
from xl_tco.analysis import solving
from xl_tco.analysis.solving import solve

CASE: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}
RENT = {**CASE, "procurement": "rent", "storage_usd_per_hour": 50}
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


# By hand


def test_accelerators_for_a_deadline() -> None:
    # 6·70e9·1.4e12 FLOPs at 989.4e12·0.4 a second and 90% goodput: 636.9 of them take 30 days.
    exact = 6 * 70e9 * 1.4e12 / (989.4e12 * 0.4) / 0.9 / (30 * 86_400)
    assert exact == pytest.approx(636.9, abs=0.05)
    found = solve(Scenario(**CASE), "accelerators", wall_days=30)
    assert (found.value, found.method, found.whole) == (637, "closed form", True)
    assert found.reached == pytest.approx(30 * exact / 637, rel=1e-12)
    assert solve(Scenario(**CASE), "accelerators", wall_hours=720).value == 637


def test_a_deadline_that_is_kept_needs_no_more() -> None:
    wall = evaluate(Scenario(**CASE)).metrics["wall_hours"]
    assert wall is not None
    assert solve(Scenario(**CASE), "accelerators", wall_hours=wall).value == 1024


def test_tokens_and_mfu_are_in_proportion() -> None:
    now = total(CASE)
    assert solve(Scenario(**CASE), "tokens", total_usd=2 * now).value == pytest.approx(2.8e12)
    assert solve(Scenario(**CASE), "mfu", total_usd=0.8 * now).value == pytest.approx(0.5)


def test_a_sum_that_is_paid_once_is_no_part_of_the_proportion() -> None:
    once = {**RENT, "software_fixed_usd": 1e5}
    varying = total(once) - 1e5
    found = solve(Scenario(**once), "parameters", total_usd=1e5 + 3 * varying)
    assert found.value == pytest.approx(210e9, rel=1e-12)
    assert found.method == "closed form"


def test_rent_of_a_target() -> None:
    hours = evaluate(Scenario(**RENT)).metrics["accelerator_hours"]
    assert hours is not None
    rest = total(RENT, rental_usd_per_accelerator_hour=0)
    found = solve(Scenario(**RENT), "rental_usd_per_accelerator_hour", total_usd=1e6)
    assert found.value == pytest.approx((1e6 - rest) / hours, rel=1e-12)
    assert found.method == "closed form"


# Put back


@pytest.mark.parametrize(
    ("field", "target", "factor"),
    [
        ("tokens", "total_usd", 1.7),
        ("parameters", "total_usd", 0.3),
        ("mfu", "total_usd", 0.9),
        ("mfu", "wall_days", 0.9),
        ("mfu", "wall_hours", 1.5),
        ("accelerator_price_usd", "total_usd", 1.3),
        ("electricity_usd_per_kwh", "total_usd", 1.1),
        ("pue", "energy_gwh", 1.2),
        ("utilization", "total_usd", 1.4),
        ("utilization", "total_usd", 0.97),
        ("depreciation_years", "total_usd", 0.8),
        ("waste_share", "goodput", 0.9),
        ("staff_fte", "total_usd", 0.95),
        ("hidden_size", "total_usd", 1.01),
        ("network_share", "cluster_capex_usd", 1.1),
        ("age_years", "total_usd", 0.7),
    ],
)
def test_put_back_the_output_is_the_target(field: str, target: str, factor: float) -> None:
    case = {**CASE, "layers": 80, "hidden_size": 8192, "sequence_length": 4096}
    if field == "age_years":
        case["depreciation_method"] = "exponential"
    run = Scenario(**case)
    now = evaluate(run)
    output = now.total_usd if target == "total_usd" else now.metrics[target]
    assert output is not None
    found = solve(run, field, **{target: factor * output})
    again = evaluate(found.scenario)
    reached = again.total_usd if target == "total_usd" else again.metrics[target]
    assert reached == pytest.approx(factor * output, rel=1e-9)
    assert found.scenario == run.replace(**{field: found.value})
    assert found.before == run.values[field]


CLOSED = {"tokens": CASE, "parameters": CASE, "mfu": CASE, "rental_usd_per_accelerator_hour": RENT}


@pytest.mark.parametrize("field", CLOSED)
def test_the_search_agrees_with_the_closed_form(
    field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CLOSED[field]
    target = 1.3 * total(case)
    closed = solve(Scenario(**case), field, total_usd=target)
    monkeypatch.setattr(solving, "_CLOSED", {})
    searched = solve(Scenario(**case), field, total_usd=target)
    assert (closed.method, searched.method) == ("closed form", "search")
    assert searched.value == pytest.approx(closed.value, rel=1e-9)


@pytest.mark.parametrize("days", [3, 17.3, 29.995060653372093, 30, 400])
def test_the_search_counts_as_the_closed_form(days: float, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = solve(Scenario(**CASE), "accelerators", wall_days=days)
    monkeypatch.setattr(solving, "_CLOSED", {})
    searched = solve(Scenario(**CASE), "accelerators", wall_days=days)
    assert (closed.method, searched.method) == ("closed form", "search")
    assert searched.value == closed.value


@settings(max_examples=40)
@given(tables(), st.sampled_from(["tokens", "parameters", "mfu"]), st.floats(0.7, 1.6))
def test_any_scenario(table: dict[str, Any], field: str, factor: float) -> None:
    run = Scenario(**table)
    # A mixture has all its parameters given: those of a token can hardly move.
    assume(field != "parameters" or "parameters_total" not in table)
    target = factor * evaluate(run).total_usd
    assume(1e-3 < target < 1e30)
    try:
        found = solve(run, field, total_usd=target)
    except InputError:
        # Only what the end of the field's range does not reach: an HFU of 1; attention alone.
        best = {
            "mfu": (1 - 1e-12) / (1 + run.values["recompute_share"]),
            "parameters": 1.0,
            "tokens": 1.0,
        }
        assert evaluate(run.replace(**{field: best[field]})).total_usd > target
    else:
        assert evaluate(found.scenario).total_usd == pytest.approx(target, rel=1e-6)


# From the bottom up: no closed form


def test_accelerators_of_a_predicted_run_come_in_copies_of_the_model() -> None:
    run = Scenario(**BOTTOM_UP)
    found = solve(run, "accelerators", wall_days=15)
    assert found.method == "search"
    assert found.value % 32 == 0

    def days(accelerators: float) -> float:
        value = evaluate(run.replace(accelerators=accelerators)).metrics["wall_days"]
        assert value is not None
        return value

    # Every number of copies, one after the other: the first that is in time.
    first = next(n for n in range(32, 4096, 32) if days(n) <= 15)
    assert found.value == first
    assert found.reached == days(first)


@pytest.mark.parametrize(
    ("field", "factor", "low", "high"),
    [
        ("kernel_efficiency", 0.9, 0.3, 1.0),
        ("accelerator_mtbf_hours", 0.99, 1e3, 1e9),
        ("parameters", 2.5, 1e9, 3e11),
        ("restart_hours", 1.01, 0.01, 10.0),
    ],
)
def test_predicted_mfu_and_waste_against_scipy(
    field: str, factor: float, low: float, high: float
) -> None:
    run, target = Scenario(**BOTTOM_UP), factor * total(BOTTOM_UP)
    found = solve(run, field, total_usd=target)
    assert evaluate(found.scenario).total_usd == pytest.approx(target, rel=1e-9)
    assert found.method == "search"
    expected = brentq(lambda at: total(BOTTOM_UP, **{field: at}) - target, low, high, xtol=1e-12)
    assert found.value == pytest.approx(expected, rel=1e-6)


def test_what_stands_in_place_of_another_replaces_it() -> None:
    found = solve(Scenario(**BOTTOM_UP), "mfu", total_usd=1e6)
    assert found.scenario.values["kernel_efficiency"] is None
    assert found.before is None
    assert found.reached == pytest.approx(1e6, rel=1e-9)
    hfu = solve(Scenario(**CASE, recompute_share=0.2), "hfu", total_usd=0.9 * total(CASE))
    assert hfu.value == pytest.approx(0.4 * 1.2 / 0.9)


def test_whole_numbers_do_not_exceed_what_was_wanted() -> None:
    run = Scenario(**RENT)
    now = total(RENT)
    found = solve(run, "hot_spares", total_usd=1.1 * now)
    assert found.value == int(found.value)
    assert found.reached <= 1.1 * now < total(RENT, hot_spares=found.value + 1)


# What cannot be


def test_what_is_out_of_reach_says_how_near_it_comes() -> None:
    with pytest.raises(InputError) as error:
        solve(Scenario(**CASE), "mfu", total_usd=1e5)
    assert f"even at mfu = 1 the total is {0.4 * total(CASE):,.0f}" in str(error.value)
    assert error.value.faults[0].field == "total_usd"
    # With recomputation, an HFU of 1 is the end.
    with pytest.raises(InputError, match=r"even at mfu = 0\.75 the total is"):
        solve(Scenario(**CASE, recompute_share=1 / 3), "mfu", total_usd=1e5)
    with pytest.raises(InputError, match="even at pue = 1 the total is"):
        solve(Scenario(**CASE), "pue", total_usd=1e5)
    with pytest.raises(InputError, match=r"even at accelerators = .* wall_days is"):
        solve(Scenario(**BOTTOM_UP), "accelerators", wall_days=3)


def test_what_makes_no_difference_says_so() -> None:
    with pytest.raises(InputError, match="pue makes no difference to total_usd, which is"):
        solve(Scenario(**RENT, pue=1.3), "pue", total_usd=1e5)
    with pytest.raises(InputError, match="makes no difference to wall_days"):
        solve(Scenario(**CASE), "rental_usd_per_accelerator_hour", wall_days=5)


@pytest.mark.parametrize(
    ("field", "target", "message"),
    [
        ("mfuu", {"total_usd": 1e6}, 'field: "mfuu" is no field of a number; did you mean "mfu"'),
        ("accelerator", {"total_usd": 1e6}, '"accelerator" is no field of a number'),
        ("mfu", {"totl_usd": 1e6}, 'target: "totl_usd" is no output; did you mean "total_usd"'),
        ("mfu", {}, "target: no output is given"),
        ("mfu", {"total_usd": 1e6, "wall_days": 3}, "target: 2 outputs are to be reached"),
        ("mfu", {"total_usd": float("nan")}, "total_usd: nan is no number"),
        ("mfu", {"total_usd": "much"}, "total_usd: 'much' is no number"),
        ("mfu", {"energy_gwh": 1}, "energy_gwh: it rests on a figure that is not given"),
    ],
)
def test_bad_arguments(field: str, target: dict[str, Any], message: str) -> None:
    rent = {**RENT, "accelerator": "trainium1"}
    with pytest.raises(InputError, match=message):
        solve(Scenario(**rent), field, **target)


def test_as_data_and_as_a_table() -> None:
    found = solve(Scenario(**CASE), "mfu", total_usd=1e6)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == "xl-tco/solution/1"
    assert plain["value"] == found.value
    assert plain["status"] == "estimate"
    assert found.to_frame().loc["mfu", "reached"] == pytest.approx(1e6)

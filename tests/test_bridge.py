"""The bridge: shares of a change that add up, worked out by hand where a hand can."""

import json
from itertools import permutations
from math import fsum, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import tables
from xl_tco import InputError, Scenario, bridge, evaluate, preset
from xl_tco.analysis.bridge import Bridge, Step
from xl_tco.analysis.bridge.attribution import MOST_EXACT, attribute
from xl_tco.errors import Fault
from xl_tco.outputs import COMPONENTS
from xl_tco.resolve import resolve

CASE: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}
STEP: dict[str, Any] = {
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
}
RENT = {**CASE, "procurement": "rent", "storage_usd_per_hour": 50}


def between(a: dict[str, Any], b: dict[str, Any]) -> Bridge:
    """Bridge two tables, and hold it to what holds of every bridge."""
    found = bridge(Scenario(**a), Scenario(**b))
    adds_up(found)
    turned_round(found, bridge(Scenario(**b), Scenario(**a)))
    return found


def adds_up(found: Bridge) -> None:
    """All steps make the change of the total; of each component; and its parts make each step."""
    ends = (found.before.total_usd, found.after.total_usd)
    largest = max(*ends, *(abs(step.usd) for step in found.steps), 0.0)
    # The sums between the ends can be larger than both; a digit of theirs is what may be left.
    near = {"rel": 1e-9, "abs": 1e-9 * largest}
    assert fsum(step.usd for step in found.steps) == pytest.approx(found.change_usd, **near)
    for name in COMPONENTS:
        change = found.after.components.get(name, 0.0) - found.before.components.get(name, 0.0)
        shares = [step.components[name] for step in found.steps]
        assert fsum(shares) == pytest.approx(change, **near), name
    for step in found.steps:
        parts = step.components.values()
        slack = 1e-9 * max(largest, *(abs(part) for part in parts))
        assert fsum(parts) == pytest.approx(step.usd, rel=1e-9, abs=slack), step.label


def turned_round(there: Bridge, back: Bridge) -> None:
    """The way back is the way there with the sign turned, step by step."""
    assert by_fields(back) == {fields: -usd for fields, usd in by_fields(there).items()}
    assert back.method == there.method
    assert [(c.field, c.old, c.new) for c in back.changes] == [
        (c.field, c.new, c.old) for c in there.changes
    ]


def by_fields(found: Bridge) -> dict[tuple[str, ...], float]:
    assert len({step.fields for step in found.steps}) == len(found.steps)
    return {step.fields: step.usd for step in found.steps}


def step_of(found: Bridge, field: str) -> Step:
    (step,) = (step for step in found.steps if field in step.fields)
    return step


# The numbers, on games that a hand can play.


def multiplied(old: dict[str, float], new: dict[str, float]) -> Any:
    def outcome(changed: frozenset[str]) -> Any:
        return np.array([prod(new[name] if name in changed else old[name] for name in old)])

    return outcome


def test_two_factors_share_a_product_at_the_mean_of_the_other() -> None:
    found = attribute([("x",), ("y",)], multiplied({"x": 3, "y": 5}, {"x": 7, "y": 11}))
    assert found.shares[:, 0].tolist() == [(7 - 3) * (5 + 11) / 2, (11 - 5) * (3 + 7) / 2]
    assert not found.errors.any()


def test_three_factors_are_the_mean_over_the_six_orders() -> None:
    old, new = {"x": 2.0, "y": 3.0, "z": 5.0}, {"x": 7.0, "y": 1.0, "z": 11.0}
    shares = dict.fromkeys(old, 0.0)
    for order in permutations(old):
        now = dict(old)
        for name in order:
            before = prod(now.values())
            now[name] = new[name]
            shares[name] += (prod(now.values()) - before) / 6
    found = attribute([(name,) for name in old], multiplied(old, new))
    assert found.shares[:, 0].tolist() == pytest.approx(list(shares.values()))


def test_many_factors_are_sampled_near_the_truth_and_add_up() -> None:
    """A sum of products of two: each factor's share is known from its own product."""
    pairs = range(MOST_EXACT)
    old = {f"{letter}{pair}": 1.0 + pair for pair in pairs for letter in "xy"}
    new = {name: 2.0 * value + 1.0 for name, value in old.items()}

    def outcome(changed: frozenset[str]) -> Any:
        now = {name: new[name] if name in changed else old[name] for name in old}
        return np.array([fsum(now[f"x{pair}"] * now[f"y{pair}"] for pair in pairs)])

    found = attribute([(name,) for name in old], outcome)
    true = [(new[n] - old[n]) * (old[n] + new[n]) / 2 for n in old]  # both of a pair are alike
    assert "sample" in found.method or "drawn" in found.method
    whole = outcome(frozenset(old))[0] - outcome(frozenset())[0]
    assert fsum(found.shares[:, 0]) == pytest.approx(whole, rel=1e-14)
    off = np.abs(found.shares[:, 0] - true)
    # An order and its reverse: of two factors each comes first once, so that nothing is left.
    assert off.max() == pytest.approx(0.0, abs=1e-9 * whole)
    assert attribute([(name,) for name in old], outcome).shares.tolist() == found.shares.tolist()


def test_the_errors_of_a_sample_cover_the_truth() -> None:
    """Twelve alike, whose worth is the cube of how many came: each has a twelfth."""
    count = MOST_EXACT + 2

    def outcome(changed: frozenset[str]) -> Any:
        return np.array([float(len(changed)) ** 3])

    found = attribute([(str(number),) for number in range(count)], outcome)
    off = np.abs(found.shares[:, 0] - count**2)
    assert (found.errors > 0).all()
    assert (off < 4 * found.errors[:, 0]).all()


def test_what_cannot_stand_alone_is_one_step() -> None:
    """w without z is no scenario, nor is y without w; x stands alone."""
    old, new = dict.fromkeys("wxyz", 1.0), {"w": 2.0, "x": 3.0, "y": 5.0, "z": 7.0}

    def outcome(changed: frozenset[str]) -> Any:
        if ("w" in changed and "z" not in changed) or ("y" in changed and "w" not in changed):
            return (Fault("conflict", "w", "it needs the other", "give both"),)
        return multiplied(old, new)(changed)

    found = attribute([("w",), ("x",), ("y",), ("z",)], outcome)
    assert {frozenset(step) for step in found.steps} == {frozenset("wyz"), frozenset("x")}
    shares = dict(zip(map(frozenset, found.steps), found.shares[:, 0], strict=True))
    assert shares[frozenset("x")] == (3 - 1) * (1 + 70) / 2


def test_at_the_worst_all_is_one_step() -> None:
    def outcome(changed: frozenset[str]) -> Any:
        if 0 < len(changed) < 20:
            return (Fault("range", min(changed), "no", "all or none"),)
        return np.array([float(len(changed))])

    found = attribute([(str(number),) for number in range(20)], outcome)
    assert [sorted(step, key=int) for step in found.steps] == [[str(n) for n in range(20)]]
    assert found.shares.tolist() == [[20.0]]


# Scenarios.


def test_tokens_and_mfu_are_two_factors_of_a_rented_run() -> None:
    """Rent is a price times tokens over MFU: worked out by hand from the two totals."""
    case = {**RENT, "staff_fte": 0, "storage_usd_per_hour": 0, "waste_share": 0}
    found = between(case, {**case, "tokens": 2.8e12, "mfu": 0.5})
    base = evaluate(Scenario(**case)).total_usd
    software = evaluate(Scenario(**case)).components["software"]
    assert software >= 0.0  # it is by time as well: the whole is a product
    x, y = (1.0, 2.0), (1.0, 0.4 / 0.5)
    assert step_of(found, "tokens").usd == pytest.approx(base * (x[1] - x[0]) * sum(y) / 2)
    assert step_of(found, "mfu").usd == pytest.approx(base * (y[1] - y[0]) * sum(x) / 2)
    assert found.method == "Shapley values, the mean over all 2 orders of the steps"


def test_what_only_adds_has_its_own_change() -> None:
    found = between(CASE, {**CASE, "software_fixed_usd": 1e6, "mfu": 0.5})
    assert step_of(found, "software_fixed_usd").usd == pytest.approx(1e6)
    alone = between(CASE, {**CASE, "mfu": 0.5})
    assert step_of(found, "mfu").usd == pytest.approx(alone.change_usd)


def test_the_same_has_no_step() -> None:
    found = between(CASE, CASE)
    assert found.steps == found.changes == found.results == ()
    assert found.change_usd == 0.0
    assert found.sentence.startswith("Nothing that moves the cost differs")


def test_the_same_said_otherwise_has_no_step() -> None:
    """A complete table of values against the few that were given."""
    full = {name: v for name, v in Scenario(**CASE).values.items() if v is not None}
    assert between(CASE, full).steps == ()


def test_a_file_that_kept_fifteen_digits_is_the_same() -> None:
    old = {**CASE, "mfu": 0.123456789012345678, "tokens": 1.4e12 / 3}
    new = {**old, "mfu": float(f"{old['mfu']:.15g}"), "tokens": float(f"{old['tokens']:.15g}")}
    assert new != old
    found = between(old, new)
    assert found.steps == found.changes == found.results == ()
    assert between(CASE, {**CASE, "mfu": 0.4 * (1 + 1e-12)}).changes


def test_what_only_reports_is_listed_and_moves_nothing() -> None:
    told = {"currency": "TWD", "currency_per_usd": 31.5, "currency_date": "2026-11-30"}
    found = between(CASE, {**CASE, "name": "B", **told, "start_date": "2027-01"})
    assert {fields for (fields, usd) in by_fields(found).items()} == {
        *((name,) for name in ("name", *told, "start_date"))
    }
    assert all(step.usd == 0.0 and not any(step.components.values()) for step in found.steps)
    assert found.moving == ()
    assert found.method == "No input moves the cost"


def test_what_follows_goes_with_its_input() -> None:
    found = between(CASE, {**CASE, "accelerator": "b200-sxm", "region": "taiwan", "mfu": 0.3})
    follows = {change.field: change.follows for change in found.changes if change.follows}
    assert follows["accelerator_price_usd"] == follows["tdp_watts"] == ("accelerator",)
    assert follows["electricity_usd_per_kwh"] == ("region",)
    assert {step.fields for step in found.steps} == {("accelerator",), ("region",), ("mfu",)}
    step = step_of(found, "accelerator")
    assert step.changes[0].field == "accelerator"
    assert {c.field for c in step.changes[1:]} == {
        name for name, leaders in follows.items() if leaders == ("accelerator",)
    }


def test_a_complete_table_follows_its_words_too() -> None:
    """Values that only stand in do not become steps of their own."""
    other = {**CASE, "accelerator": "b200-sxm"}
    few = between(CASE, other)
    full = [
        {name: v for name, v in Scenario(**case).values.items() if v is not None}
        for case in (CASE, other)
    ]
    assert by_fields(between(*full)) == by_fields(few)


def test_a_figure_given_for_an_accelerator_goes_with_it() -> None:
    other = {**CASE, "accelerator": "b200-sxm", "accelerator_price_usd": 41e3, "mfu": 0.3}
    found = between(CASE, other)
    assert {s.fields for s in found.steps} == {("accelerator", "accelerator_price_usd"), ("mfu",)}
    # Where the accelerator stays, its price is an input like any other.
    priced = between(CASE, {**CASE, "accelerator_price_usd": 41e3, "mfu": 0.3})
    assert {s.fields for s in priced.steps} == {("accelerator_price_usd",), ("mfu",)}


def test_a_custom_accelerator_is_one_step_with_its_figures() -> None:
    figures = {
        "peak_tflops": 900.0,
        "accelerator_price_usd": 2e4,
        "host_price_usd_per_accelerator": 4e3,
        "tdp_watts": 650.0,
        "host_watts_per_accelerator": 400.0,
    }
    found = between(CASE, {**CASE, "accelerator": "custom", **figures, "tokens": 2e12})
    assert {frozenset(s.fields) for s in found.steps} == {
        frozenset({"accelerator", *figures}),
        frozenset({"tokens"}),
    }
    assert step_of(found, "accelerator").label == "Accelerator and 5 inputs with it"


def test_mfu_and_hfu_are_one_step() -> None:
    other = {name: value for name, value in CASE.items() if name != "mfu"}
    found = between(CASE, {**other, "hfu": 0.5, "staff_fte": 20})
    assert {step.fields for step in found.steps} == {("mfu", "hfu"), ("staff_fte",)}


def test_a_step_is_one_with_its_layout() -> None:
    found = between(CASE, {**STEP, "staff_fte": 20})
    step = step_of(found, "kernel_efficiency")
    layout = {"mfu", "batch_tokens", "heads", "tensor_parallel", "pipeline_parallel", "zero_stage"}
    assert layout | {"layers", "hidden_size", "sequence_length"} <= {*step.fields}
    assert "staff_fte" not in step.fields
    assert step.fields[0] == "kernel_efficiency"


def test_degrees_that_divide_only_together_are_one_step() -> None:
    """24 heads are split over 3, not over 8; 64 not over 3; 1023 accelerators are 3 × 341."""
    old = {**STEP, "pipeline_parallel": 1, "recomputation": "full", "zero_stage": 3}
    new = {**old, "tensor_parallel": 3, "heads": 24, "accelerators": 1023, "mfu": None}
    found = between(old, {**new, "batch_tokens": 341 * 4096 * 4, "staff_fte": 5})
    merged = step_of(found, "tensor_parallel")
    assert {"tensor_parallel", "heads", "accelerators"} <= {*merged.fields}
    assert ("staff_fte",) in by_fields(found)


def test_failures_topology_and_capacity_are_one_step_each() -> None:
    found = between(
        CASE,
        {
            **CASE,
            "accelerator_mtbf_hours": 50_000,
            "restart_hours": 0.5,
            "network_topology": "fat-tree",
            "switch_radix": 64,
            "switch_usd": 3e4,
            "storage_usd_per_tb": 100,
            "checkpoints_kept": 5,
        },
    )
    assert {frozenset(fields) for fields in by_fields(found)} == {
        frozenset({"accelerator_mtbf_hours", "restart_hours"}),
        frozenset({"network_topology", "switch_radix", "switch_usd"}),
        frozenset({"storage_usd_per_tb", "checkpoints_kept"}),
    }
    follows = {change.field: change.follows for change in found.changes if change.follows}
    assert follows["waste_share"] == ("accelerator_mtbf_hours",)
    assert follows["network_share"] == ("network_topology",)
    assert set(follows["weight_bytes"]) == {"accelerator_mtbf_hours", "storage_usd_per_tb"}


def test_procurement_is_one_step_with_what_one_side_needs() -> None:
    bought = {**CASE, "accelerator_price_usd": 28e3, "utilization": 0.8, "pue": 1.3}
    found = between(bought, {**RENT, "rental_usd_per_accelerator_hour": 2.2, "tokens": 2e12})
    assert step_of(found, "procurement").fields[0] == "procurement"
    assert {frozenset(fields) for fields in by_fields(found)} == {
        frozenset(
            {
                "procurement",
                "accelerator_price_usd",
                "utilization",
                "pue",
                "storage_usd_per_hour",
                "rental_usd_per_accelerator_hour",
            }
        ),
        frozenset({"tokens"}),
    }
    assert step_of(found, "tokens").components["rental"] > 0.0


def test_discounting_goes_with_the_method_that_needs_it() -> None:
    found = between(CASE, {**CASE, "depreciation_method": "annuity", "discount_rate": 0.07})
    assert set(by_fields(found)) == {("depreciation_method", "discount_rate")}


def test_a_precision_without_its_peak_is_no_scenario() -> None:
    """V100 has no BF16, Gaudi 2 no FP16: accelerator and precision can only change together."""
    old = {**CASE, "accelerator": "v100-sxm", "precision": "fp16"}
    if resolve({**old, "precision": "bf16"}).faults == ():
        pytest.fail("the catalogue has a BF16 peak for V100: choose another case")
    priced = {"accelerator_price_usd": 8e3, "host_price_usd_per_accelerator": 2e3}
    found = between({**old, **priced}, {**CASE, "tokens": 2e12})
    assert set(step_of(found, "accelerator").fields) == {"accelerator", "precision", *priced}
    assert ("tokens",) in by_fields(found)


def test_what_is_not_in_use_moves_nothing() -> None:
    found = between(RENT, {**RENT, "accelerator_price_usd": 1e5, "tokens": 2e12})
    assert by_fields(found)["accelerator_price_usd",] == 0.0
    assert [step.fields for step in found.moving] == [("tokens",)]


def test_ranges_that_differ_are_told() -> None:
    ranged = {**CASE, "mfu": {"low": 0.35, "mode": 0.4, "high": 0.45}}
    found = between(CASE, ranged)
    assert found.ranges == ("mfu",)
    assert found.change_usd == 0.0


def test_a_preset_against_a_run_of_ones_own() -> None:
    found = bridge(Scenario(**CASE), preset("llama-3.1-405b"))
    adds_up(found)
    assert len(found.moving) >= 4
    sizes = [abs(step.usd) for step in found.steps]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_any_two_scenarios(data: st.DataObject) -> None:
    """They have an answer, which adds up and turns round; every input given is in one step."""
    found = between(data.draw(tables()), data.draw(tables()))
    given_inputs = [change.field for change in found.changes if not change.follows]
    assert sorted(given_inputs) == sorted(name for step in found.steps for name in step.fields)
    assert {c.field for c in found.changes} == {c.field for s in found.steps for c in s.changes}
    old, new = found.before.scenario.values, found.after.scenario.values
    differ = [name for name in old if old[name] != new[name]]  # none is drawn that near another
    assert [change.field for change in found.changes] == differ


@settings(max_examples=30, deadline=None)
@given(tables(plain=True), st.data())
def test_few_changes_of_a_scenario(table: dict[str, Any], data: st.DataObject) -> None:
    changes = {
        "tokens": st.floats(1e9, 1e14),
        "staff_fte": st.floats(0, 500),
        "experiment_multiplier": st.floats(1, 10),
        "software_fixed_usd": st.floats(0, 1e8),
    }
    table.pop("depreciation_method", None)  # a life that a longer run would outlast
    chosen = data.draw(st.sets(st.sampled_from(sorted(changes)), min_size=1))
    other = table | {name: data.draw(changes[name]) for name in sorted(chosen)}
    found = between(table, other)
    assert {step.fields for step in found.steps} <= {(name,) for name in chosen}


def test_a_scenario_that_cannot_be_costed_is_refused() -> None:
    bad = Scenario(**{**STEP, "memory_gb": 1.0})
    with pytest.raises(InputError, match="memory_gb"):
        bridge(Scenario(**CASE), bad)


# How it is handed out.


def test_in_words() -> None:
    found = between(CASE, {**CASE, "tokens": 0.7e12})
    total = f"{found.after.total_usd:,.0f} USD"
    less = f"{-found.change_usd:,.0f} USD less ({found.change_share:+.1%})"
    step = f"Training tokens, {found.change_usd:,.0f} USD"
    assert found.sentence == f"{total}, {less}; the largest step is {step}."
    assert found.method == "One step has the whole change"


def test_as_data_and_as_a_table() -> None:
    found = between(CASE, {**RENT, "mfu": 0.5, "name": "B"})
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == "xl-tco/bridge/1"
    assert plain["after"] == {"name": "B", "total_usd": found.after.total_usd}
    assert fsum(step["usd"] for step in plain["steps"]) == pytest.approx(plain["change_usd"])
    (mfu,) = (row for row in plain["inputs"] if row["field"] == "mfu")
    assert (mfu["old"], mfu["new"], mfu["follows"]) == (0.4, 0.5, [])
    results = {row["name"]: row for row in plain["results"]}
    assert results["total_usd"]["change"] == found.change_usd
    assert results["power_usd"]["new"] == 0.0
    assert results["rental_usd"]["old"] == 0.0
    frame = found.to_frame()
    assert list(frame["usd"]) == [step.usd for step in found.steps]
    assert frame["usd"].sum() == pytest.approx(found.change_usd)
    parts = frame[[f"{name}_usd" for name in COMPONENTS]]
    assert parts.sum(axis=1).to_numpy() == pytest.approx(frame["usd"].to_numpy())
    assert between(CASE, CASE).to_frame().empty

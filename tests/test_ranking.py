"""Ranking of accelerators: each row against the cost of the same run, said out in full."""

import json
from typing import Any

import pytest

from xl_tco import InputError, Scenario, catalogue, evaluate
from xl_tco.analysis.ranking import OWN_FIGURES, rank_accelerators

CASE: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}


def test_every_accelerator_is_there_once() -> None:
    ranking = rank_accelerators(Scenario(**CASE))
    keys = [row.key for row in (*ranking.ranked, *ranking.unranked)]
    assert sorted(keys) == sorted(catalogue.accelerator_keys())
    assert [row.rank for row in ranking.ranked] == list(range(1, len(ranking.ranked) + 1))


@pytest.mark.parametrize("procurement", ["own", "rent"])
def test_a_row_is_the_run_on_that_accelerator(procurement: str) -> None:
    case = {**CASE, "procurement": procurement, "storage_usd_per_hour": 20}
    ranking = rank_accelerators(Scenario(**case))
    own = evaluate(Scenario(**case)).total_usd
    costs = []
    for row in ranking.ranked:
        alone = evaluate(Scenario(**{**case, "accelerator": row.key}))
        assert row.total_usd == alone.total_usd
        assert row.difference_usd == alone.total_usd - own
        assert row.estimates == alone.estimates
        assert row.label == catalogue.specifications(row.key)["label"].value
        costs.append(alone.total_usd / (6 * 70e9 * 1.4e12 / 3.6e15))
    assert costs == sorted(costs)
    assert [row.usd_per_effective_tflop_hour for row in ranking.ranked] == pytest.approx(costs)
    for row in ranking.unranked:
        with pytest.raises(InputError) as error:
            Scenario(**{**case, "accelerator": row.key})
        assert row.faults == error.value.faults


def test_what_was_given_of_one_accelerator_says_nothing_of_another() -> None:
    given = {"accelerator_price_usd": 1.0, "tdp_watts": 1.0, "peak_tflops": 900.0}
    ranking = rank_accelerators(Scenario(**CASE, **given), accelerators=["b200-sxm"])
    rows = {row.key: row.result for row in ranking.ranked}
    assert set(rows) == {"h100-sxm", "b200-sxm"}
    assert rows["h100-sxm"].scenario.values["accelerator_price_usd"] == 1.0
    assert rows["b200-sxm"] == evaluate(Scenario(**{**CASE, "accelerator": "b200-sxm"}))
    assert {"rental_usd_per_accelerator_hour", "memory_gb", "link_gb_per_s"} < set(OWN_FIGURES)


def test_a_custom_accelerator_is_ranked_among_the_others() -> None:
    figures = {
        "peak_tflops": 1000.0,
        "accelerator_price_usd": 100.0,
        "host_price_usd_per_accelerator": 10.0,
        "tdp_watts": 500.0,
        "host_watts_per_accelerator": 100.0,
    }
    ranking = rank_accelerators(Scenario(**{**CASE, "accelerator": "custom"}, **figures))
    assert (ranking.ranked[0].key, ranking.original) == ("custom", "custom")
    assert ranking.ranked[0].difference_usd == 0
    assert ranking.sentence.startswith("custom is the cheapest: ")


def test_one_without_the_precision_is_listed_with_the_reason() -> None:
    ranking = rank_accelerators(Scenario(**CASE, precision="fp8"))
    reasons = {row.key: row.reason for row in ranking.unranked}
    assert "peak_tflops: the catalogue has no figure for a100-sxm-80gb" in reasons["a100-sxm-80gb"]
    assert "h100-sxm" in {row.key for row in ranking.ranked}


def test_equal_deadline_takes_the_number_that_is_as_fast() -> None:
    run = Scenario(**CASE)
    ranking = rank_accelerators(run, equal="deadline")
    wall = evaluate(run).metrics["wall_hours"]
    assert wall is not None
    for row in ranking.ranked:
        peak = row.result.scenario.values["peak_tflops"]
        exact = 1024 * 989.4 / peak
        assert row.accelerators == pytest.approx(exact, abs=1)
        assert row.accelerators >= exact * (1 - 1e-9)
        assert row.wall_days * 24 <= wall * (1 + 1e-9)
    by_key = {row.key: row.accelerators for row in ranking.ranked}
    assert by_key["h100-sxm"] == by_key["h200-sxm"] == 1024
    assert by_key["b200-sxm"] == 451  # 450.29


def test_by_total_and_in_words() -> None:
    keys = ["h200-sxm", "b200-sxm"]
    ranking = rank_accelerators(Scenario(**CASE), "total_usd", keys)
    assert [row.key for row in ranking.ranked] == ["b200-sxm", "h100-sxm", "h200-sxm"]
    assert "less than h100-sxm" in ranking.sentence
    assert ranking.status == "estimate"
    own = rank_accelerators(Scenario(**CASE), "total_usd", ["h200-sxm"])
    assert own.sentence.startswith("NVIDIA H100 SXM 80 GB is the cheapest: 0.00")
    assert "than" not in own.sentence


def test_as_data_and_as_a_table() -> None:
    ranking = rank_accelerators(Scenario(**CASE))
    plain = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert plain["schema"] == "xl-tco/ranking/1"
    assert len(plain["ranked"]) == len(ranking.ranked)
    frame = ranking.to_frame()
    assert len(frame) == len(ranking.ranked) + len(ranking.unranked)
    assert (
        frame.loc["b200-sxm", "total_usd"]
        == plain["ranked"][frame.index.get_loc("b200-sxm")]["total_usd"]
    )
    assert (frame.loc["v100-sxm", ["status"]] == "unknown").all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "price"}, 'by: "price" is no way to rank'),
        ({"equal": "total"}, 'equal: "total" is no way to rank'),
        ({"accelerators": ["b200"]}, 'did you mean "b200-sxm"'),
    ],
)
def test_unknown_words(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rank_accelerators(Scenario(**CASE), **arguments)

"""The tornado: every bar against the cost of the run with that one figure."""

import json
from typing import Any

import pytest

from xl_tco import InputError, Scenario, evaluate
from xl_tco.analysis import tornado as module
from xl_tco.analysis.tornado import tornado

CASE: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}


def total(**changes: Any) -> float:
    return evaluate(Scenario(**{**CASE, **changes})).total_usd


def test_each_bar_is_the_run_with_one_figure_changed() -> None:
    result = tornado(Scenario(**CASE))
    assert result.value == total()
    for bar in result.bars:
        assert bar.output_low == pytest.approx(total(**{bar.field: bar.low}), rel=1e-12)
        assert bar.output_high == pytest.approx(total(**{bar.field: bar.high}), rel=1e-12)
        assert bar.width > 0
    widths = [bar.width for bar in result.bars]
    assert widths == sorted(widths, reverse=True)
    names = {bar.field for bar in result.bars}
    assert {"mfu", "tokens", "utilization", "pue", "staff_fte"} <= names
    assert not names & {"rental_usd_per_accelerator_hour", "reservation_discount", "hfu", "epochs"}


def test_the_cost_goes_as_one_over_mfu_and_as_the_tokens() -> None:
    bars = {bar.field: bar for bar in tornado(Scenario(**CASE)).bars}
    assert bars["mfu"].output_low == pytest.approx(total() / 0.9)
    assert bars["mfu"].output_high == pytest.approx(total() / 1.1)
    assert bars["tokens"].output_high == pytest.approx(total() * 1.1)


def test_ends_by_where_they_come_from() -> None:
    bars = {bar.field: bar for bar in tornado(Scenario(**CASE)).bars}
    price = bars["accelerator_price_usd"]
    assert (price.low, price.high, price.source) == (20_000, 40_000, "catalogue, h100-sxm")
    given = tornado(Scenario(**CASE, accelerator_price_usd=25_000), ["accelerator_price_usd"])
    assert (given.bars[0].low, given.bars[0].high) == pytest.approx((22_500, 27_500))
    asked = tornado(Scenario(**CASE), ["pue"], spans={"accelerator_price_usd": (1.0, 2.0)})
    assert {bar.field: bar.source for bar in asked.bars} == {
        "accelerator_price_usd": "as asked for",
        "pue": "± 10%",
    }


def test_a_range_of_the_scenario_ends_at_its_percentiles() -> None:
    mfu = {"distribution": "uniform", "low": 0.3, "high": 0.5}
    [bar] = tornado(Scenario(**{**CASE, "mfu": mfu}), ["mfu"]).bars
    assert (bar.low, bar.high) == pytest.approx((0.32, 0.48))
    assert bar.source == "range of the scenario, 10% to 90%"


def test_ends_stay_in_the_domain_and_in_what_makes_a_scenario() -> None:
    bars = {bar.field: bar for bar in tornado(Scenario(**CASE, pue=1.05), swing=0.5).bars}
    assert bars["pue"].low == 1.0
    assert bars["utilization"].high == 1.0
    assert bars["experiment_multiplier"].low == 1.0
    assert (bars["accelerators"].low, bars["accelerators"].high) == (512, 1536)
    # More than the dense peak is refused, and so is an HFU above 1: that end stays.
    assert bars["peak_tflops"].high == 989.4
    assert bars["peak_tflops"].output_high == tornado(Scenario(**CASE, pue=1.05)).value
    [bar] = tornado(Scenario(**{**CASE, "mfu": 0.7}, recompute_share=0.4), ["mfu"]).bars
    assert (bar.low, bar.high) == pytest.approx((0.63, 0.7))


def test_whole_numbers_stay_whole() -> None:
    [bar] = tornado(Scenario(**{**CASE, "accelerators": 1000}), ["accelerators"], 0.0777).bars
    assert (bar.low, bar.high) == (922, 1078)


def test_what_makes_no_difference_is_shown_if_asked_for() -> None:
    [bar] = tornado(Scenario(**CASE), ["reservation_discount"]).bars
    assert bar.width == 0
    assert "waste_share" in {bar.field for bar in tornado(Scenario(**CASE)).bars}


def test_another_output() -> None:
    result = tornado(Scenario(**CASE), output="wall_days")
    assert {bar.field for bar in result.bars} == {
        *("parameters", "tokens", "mfu", "peak_tflops", "accelerators", "waste_share"),
        "experiment_multiplier",
    }


def test_all_together_by_hand() -> None:
    result = tornado(Scenario(**CASE), ["mfu", "tokens", "pue"])
    assert result.best == pytest.approx(total(mfu=0.44, tokens=1.26e12, pue=1.08))
    assert result.worst == pytest.approx(total(mfu=0.36, tokens=1.54e12, pue=1.32))
    whole = tornado(Scenario(**CASE))
    assert whole.best is not None
    assert whole.worst is not None
    lows = [min(bar.output_low, bar.output_high) for bar in whole.bars]
    highs = [max(bar.output_low, bar.output_high) for bar in whole.bars]
    assert whole.best < min(lows) < whole.value < max(highs) < whole.worst


def test_ends_that_together_make_no_scenario_have_no_joint_case() -> None:
    run = Scenario(**{**CASE, "mfu": 0.75}, recompute_share=0.3)
    both = {"mfu": (0.7, 0.76), "recompute_share": (0.3, 0.4)}
    result = tornado(run, ["mfu", "recompute_share"], spans=both)
    assert {bar.field: bar.high for bar in result.bars} == {"mfu": 0.76, "recompute_share": 0.3}
    spans = {"network_share": (0.1, 0.6), "storage_share": (0.01, 0.5)}
    shares = tornado(Scenario(**CASE), [], spans=spans)
    assert shares.worst is None
    assert shares.best == pytest.approx(total(network_share=0.1, storage_share=0.01))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fields": ["mfuu"]}, 'fields: "mfuu" is no field of a number; did you mean "mfu"'),
        ({"fields": ["accelerator"]}, "is no field of a number"),
        ({"fields": ["hfu"]}, "hfu: it has no value in this scenario"),
        ({"output": "totl"}, 'output: "totl" is no output'),
        ({"swing": -1.0}, "swing: -1.0 is out of range"),
        ({"spans": {"mfu": (0.1, 1.4)}}, "spans: mfu: 1.4 is out of range"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tornado(Scenario(**CASE), **arguments)


def test_as_data_and_as_a_table() -> None:
    result = tornado(Scenario(**CASE))
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["schema"] == module.SCHEMA
    frame = result.to_frame()
    assert list(frame.index) == [bar["field"] for bar in plain["bars"]]
    assert list(frame["width"]) == [bar["width"] for bar in plain["bars"]]
    assert result.status == "estimate"

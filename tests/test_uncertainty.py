"""Simulations against closed forms, against SciPy, and against the same rows in a table."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from xl_tco import InputError, Scenario, batch, evaluate, evaluate_frame
from xl_tco.analysis._draws import Draws
from xl_tco.analysis.uncertainty import simulate

# Rented, and nothing to pay but the rent and storage by the hour.
RENT: dict[str, Any] = {
    "name": "a run",
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "mfu": 0.4,
    "waste_share": 0.1,
    "procurement": "rent",
    "rental_usd_per_accelerator_hour": 2.5,
    "staff_fte": 0.0,
    "software_usd_per_accelerator_year": 0.0,
    "storage_usd_per_hour": 0.0,
}
OWN = {**RENT, "procurement": "own", "staff_fte": 10.0}
PRICE = {"low": 2.0, "mode": 2.2, "high": 3.5}
STORAGE = {"distribution": "uniform", "low": 0.0, "high": 3000.0}
MFU = {"low": 0.35, "mode": 0.40, "high": 0.45}
WASTE = {"distribution": "pert", "low": 0.02, "mode": 0.1, "high": 0.3}
WIDE: dict[str, Any] = {
    "mfu": MFU,
    "waste_share": WASTE,
    "pue": {"distribution": "uniform", "low": 1.1, "high": 1.5},
    "electricity_usd_per_kwh": {"distribution": "lognormal", "p10": 0.05, "p90": 0.12},
    "accelerator_price_usd": {"distribution": "normal", "mean": 3e4, "sd": 3e3},
    "correlations": [["mfu", "waste_share", -0.3]],
}
HOURS = evaluate(Scenario(**RENT)).metrics["wall_hours"]
assert HOURS is not None


def run(base: dict[str, Any] = RENT, **ranges: Any) -> Scenario:
    return Scenario(**{**base, **ranges})


def drawn(scenario: Scenario, samples: int, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """All draws of a simulation, a column a field."""
    columns = {name: np.empty(samples) for name in scenario.ranges}
    for rows, values in Draws(scenario, samples, seed).blocks():
        for name, column in columns.items():
            column[rows] = values[name]
    return columns


def triangle(low: float, mode: float, high: float) -> Any:
    return stats.triang((mode - low) / (high - low), loc=low, scale=high - low)


# Percentiles


def test_percentiles_are_exact_where_the_total_goes_with_one_field() -> None:
    """The rent is linear in its price: quantiles of the total are those of the price."""
    found = simulate(
        run(rental_usd_per_accelerator_hour=PRICE), 200_000, percentiles=(5, 10, 50, 90)
    )
    price = triangle(**{name: PRICE[name] for name in ("low", "mode", "high")})
    scale = 1024 * HOURS
    for name, share in (("P5", 0.05), ("P10", 0.1), ("P50", 0.5), ("P90", 0.9)):
        at = found.percentiles[name]
        assert at.value == pytest.approx(scale * price.ppf(share), abs=4 * at.standard_error)
        # Asymptotically sqrt(p·(1−p)/n)/f(x_p): David and Nagaraja 2003, section 10.2.
        error = scale * math.sqrt(share * (1 - share) / 200_000) / price.pdf(price.ppf(share))
        assert at.standard_error == pytest.approx(error, rel=0.2)
    assert found.mean == pytest.approx(scale * price.mean(), abs=4 * found.standard_error)
    assert found.sd == pytest.approx(scale * price.std(), rel=0.01)
    assert found.standard_error == pytest.approx(found.sd / math.sqrt(200_000), rel=1e-12)
    assert found.point == evaluate(run(rental_usd_per_accelerator_hour=2.2)).total_usd


def test_a_falling_total_has_the_quantiles_of_the_other_end() -> None:
    found = simulate(run(mfu=MFU), 200_000)
    mfu = triangle(**MFU)
    for name, share in (("P10", 0.9), ("P90", 0.1)):
        at = found.percentiles[name]
        wanted = evaluate(run(mfu=float(mfu.ppf(share)))).total_usd
        assert at.value == pytest.approx(wanted, abs=4 * at.standard_error)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_standard_errors_cover_the_truth_as_often_as_they_should(share: float) -> None:
    """Two of them to either side, 95.4 % of the time: 600 simulations with seeds of their own."""
    scenario = run(rental_usd_per_accelerator_hour=PRICE)
    truth = 1024 * HOURS * triangle(**PRICE).ppf(share)
    covered = 0
    for seed in range(600):
        at = simulate(scenario, 1000, seed, percentiles=[100 * share]).percentiles[
            f"P{share:.0%}"[:-1]
        ]
        covered += abs(at.value - truth) < 2 * at.standard_error
    assert 0.92 < covered / 600 < 0.98


def test_samples_cost_what_rows_of_a_table_cost() -> None:
    """And every statistic is NumPy's of that table's column."""
    scenario = run(OWN, **WIDE)
    costs = evaluate_frame(pd.DataFrame(drawn(scenario, 40_000, 3)), scenario)
    for output in ("total_usd", "power_usd", "wall_hours"):
        values = costs[output].to_numpy()
        found = simulate(scenario, 40_000, 3, output, percentiles=(0.5, 10, 50, 90))
        wanted = np.quantile(values, [0.005, 0.1, 0.5, 0.9])
        assert [at.value for at in found.percentiles.values()] == pytest.approx(wanted, rel=1e-13)
        away = math.sqrt(0.1 * 0.9 / 40_000)
        low, high = np.quantile(values, [0.1 - away, 0.1 + away])
        assert found.percentiles["P10"].standard_error == pytest.approx((high - low) / 2, rel=1e-9)
        assert found.mean == pytest.approx(values.mean(), rel=1e-12)
        assert found.sd == pytest.approx(values.std(ddof=1), rel=1e-9)
        assert found.estimates == costs.attrs["estimates"] == evaluate(scenario).estimates
        result = evaluate(scenario)
        metrics = {"total_usd": result.total_usd, "power_usd": result.components["power"]}
        assert found.point == {**result.metrics, **metrics}[output]


def test_the_histogram_counts_every_sample_once() -> None:
    scenario = run(OWN, **WIDE)
    values = evaluate_frame(pd.DataFrame(drawn(scenario, 50_000)), scenario)["total_usd"].to_numpy()
    found = simulate(scenario, 50_000).histogram
    assert len(found.edges) == len(found.counts) + 1 == 31
    assert (found.edges[0], found.edges[-1]) == pytest.approx(np.quantile(values, [0.001, 0.999]))
    inner, _ = np.histogram(values, found.edges)
    assert found.counts[1:-1] == tuple(inner[1:-1])
    assert sum(found.counts) == 50_000
    assert found.counts[0] == inner[0] + (values < found.edges[0]).sum()


# Reproducible


def test_the_same_seed_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = run(OWN, **WIDE)
    first = simulate(scenario, 30_000, 5).to_dict()
    assert simulate(run(OWN, **WIDE), 30_000, 5).to_dict() == first
    assert simulate(scenario, 30_000, 6).to_dict()["percentiles"] != first["percentiles"]
    for size in (1000, 777, 50_000):
        monkeypatch.setattr(batch, "BLOCK", size)
        assert simulate(scenario, 30_000, 5).to_dict() == first


def test_scenarios_share_the_draws_of_the_ranges_that_they_share() -> None:
    alone = simulate(run(mfu=MFU), 5000, output="wall_hours")
    among = simulate(run(mfu=MFU, rental_usd_per_accelerator_hour=PRICE), 5000, output="wall_hours")
    assert among.percentiles == alone.percentiles
    assert among.mean == alone.mean


def test_fields_are_drawn_independently() -> None:
    values = drawn(run(OWN, **{**WIDE, "correlations": None}), 50_000)
    ranks = stats.spearmanr(np.array(list(values.values())).T).statistic
    assert np.abs(ranks - np.eye(len(values))).max() < 5 / math.sqrt(50_000)


# Shares of the variance


def test_shares_of_a_sum_are_its_variances() -> None:
    """The total is linear in the price of an accelerator and in that of storage."""
    ranges: dict[str, Any] = {
        "rental_usd_per_accelerator_hour": PRICE,
        "storage_usd_per_hour": STORAGE,
    }
    found = simulate(run(**ranges), 400_000)
    rent, storage = (1024 * HOURS) ** 2 * triangle(**PRICE).var(), HOURS**2 * 3000**2 / 12
    shares = found.variance_shares
    assert shares["rental_usd_per_accelerator_hour"] == pytest.approx(
        rent / (rent + storage), abs=0.005
    )
    assert shares["storage_usd_per_hour"] == pytest.approx(storage / (rent + storage), abs=0.005)
    assert found.interactions == pytest.approx(0, abs=0.005)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert found.overlapping == ()


def test_shares_of_a_product_leave_what_the_factors_do_together() -> None:
    """Rent is price times (1 − discount): for A·B, S_A is var(A)·E(B)² over the variance."""
    price = {"distribution": "uniform", "low": 0.5, "high": 5.5}
    discount = {"distribution": "uniform", "low": 0.0, "high": 1.0}
    ranges: dict[str, Any] = {
        "rental_usd_per_accelerator_hour": price,
        "reservation_discount": discount,
    }
    found = simulate(run(**ranges), 400_000)
    var_a, mean_a, var_b, mean_b = 25 / 12, 3.0, 1 / 12, 0.5
    total = var_a * var_b + var_a * mean_b**2 + var_b * mean_a**2
    wanted = {
        "rental_usd_per_accelerator_hour": var_a * mean_b**2 / total,
        "reservation_discount": var_b * mean_a**2 / total,
    }
    assert found.variance_shares == pytest.approx(wanted, abs=0.006)
    assert found.interactions == pytest.approx(var_a * var_b / total, abs=0.006)


def test_a_share_is_not_biased_by_chance() -> None:
    """A field that nothing rests on: in bins of few samples, chance alone would give it a share."""
    scenario = run(
        rental_usd_per_accelerator_hour=PRICE, pue={"low": 1.1, "mode": 1.2, "high": 1.3}
    )
    found = [simulate(scenario, 2000, seed).variance_shares for seed in range(50)]
    assert np.mean([shares["pue"] for shares in found]) < 0.01  # 63/2000 without the correction
    assert all(shares["rental_usd_per_accelerator_hour"] > 0.99 for shares in found)


def test_an_output_that_nothing_moves_has_no_variance() -> None:
    found = simulate(run(mfu=MFU), 1000, output="flops")
    assert found.sd == found.standard_error == 0
    assert found.variance_shares == {"mfu": 0}
    assert found.interactions == 0
    assert {at.value for at in found.percentiles.values()} == {found.point}
    assert found.histogram.counts == (1000,)
    assert simulate(run(mfu=MFU), 1000, output="power_usd").point == 0  # renters pay none


# Correlated


@pytest.mark.parametrize("rank", [-0.9, -0.3, 0.5, 0.99])
def test_correlations_are_those_of_the_ranks(rank: float) -> None:
    scenario = run(OWN, **{**WIDE, "correlations": [["mfu", "waste_share", rank]]})
    values = drawn(scenario, 50_000)
    found = stats.spearmanr(values["mfu"], values["waste_share"]).statistic
    assert found == pytest.approx(rank, abs=5 * (1 - rank**2) / math.sqrt(50_000))
    assert abs(stats.spearmanr(values["mfu"], values["pue"]).statistic) < 5 / math.sqrt(50_000)


def test_correlations_leave_distributions_as_they_are() -> None:
    values = drawn(run(OWN, **WIDE), 50_000)
    shape = 1 + 4 * (0.1 - 0.02) / 0.28
    waste = stats.beta(shape, 6 - shape, loc=0.02, scale=0.28)
    assert stats.kstest(values["mfu"], triangle(**MFU).cdf).pvalue > 0.001
    assert stats.kstest(values["waste_share"], waste.cdf).pvalue > 0.001


def test_the_variance_of_a_correlated_sum() -> None:
    """Two normals of correlation r: var = a² + b² + 2·a·b·r, and each share is a correlation²."""
    rank = 0.5
    r = 2 * math.sin(math.pi * rank / 6)
    ranges: dict[str, Any] = {
        "rental_usd_per_accelerator_hour": {"distribution": "normal", "mean": 2.5, "sd": 0.1},
        "storage_usd_per_hour": {"distribution": "normal", "mean": 1000.0, "sd": 150.0},
        "correlations": [["rental_usd_per_accelerator_hour", "storage_usd_per_hour", rank]],
    }
    found = simulate(run(**ranges), 400_000)
    a, b = 1024 * HOURS * 0.1, HOURS * 150
    variance = a * a + b * b + 2 * a * b * r
    assert found.sd == pytest.approx(math.sqrt(variance), rel=0.01)
    wanted = {
        "rental_usd_per_accelerator_hour": (a + r * b) ** 2 / variance,
        "storage_usd_per_hour": (b + r * a) ** 2 / variance,
    }
    assert found.variance_shares == pytest.approx(wanted, abs=0.01)
    assert sum(found.variance_shares.values()) > 1.2
    assert found.interactions is None
    assert found.overlapping == tuple(wanted)


# What comes out


def test_a_simulation_is_plain_data() -> None:
    found = simulate(run(OWN, **WIDE), 1000, percentiles=[10, 2.5, 50.0])
    data = json.loads(json.dumps(found.to_dict()))
    assert data == found.to_dict()
    assert data["schema"] == "xl-tco/simulation/1"
    assert list(data["percentiles"]) == ["P10", "P2.5", "P50"]
    assert data["ranges"]["mfu"] == {"distribution": "triangular", **MFU}
    assert (data["samples"], data["seed"], data["status"]) == (1000, 0, "estimate")
    table = found.to_frame()
    assert list(table.index) == ["P10", "P2.5", "P50"]
    assert table.loc["P50", "value"] == found.percentiles["P50"].value


def test_what_rests_on_nothing_but_given_figures_is_no_estimate() -> None:
    given = {name: value for name, value in OWN.items() if name != "name"}
    complete = {
        k: v for k, v in evaluate(Scenario(**given)).scenario.values.items() if v is not None
    }
    found = simulate(Scenario(**{**complete, "pue": WIDE["pue"]}), 100)
    assert (found.status, found.estimates) == ("official", ())


def test_a_simulation_loads_no_pandas() -> None:
    """And a scenario with ranges, no SciPy."""
    root = Path(__file__).parents[1]
    code = "\n".join(
        [
            "import sys",
            "from xl_tco.scenario import Scenario",
            f"run = Scenario.from_table({run(OWN, **WIDE).table!r})",
            "print('scipy' in sys.modules)",
            "from xl_tco.analysis.uncertainty import simulate",
            "print('scipy' in sys.modules)",
            "simulate(run, 1000)",
            "print('pandas' in sys.modules)",
        ]
    )
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-W", "error", "-c", code]
    made = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert made.stdout.split() == ["False", "False", "False"], made.stderr


# What is refused

REFUSED: list[tuple[dict[str, Any], str, str, str]] = [
    ({"samples": 99}, "range", "samples", "give a whole number from 100 to 10,000,000"),
    ({"samples": 10_000_001}, "range", "samples", "10000001 is out of range"),
    ({"samples": 1000.5}, "range", "samples", "1,000.5"),
    ({"samples": "many"}, "type", "samples", '"many" is text'),
    ({"samples": True}, "type", "samples", "a yes or no"),
    ({"seed": -1}, "range", "seed", "-1 is out of range"),
    ({"seed": None}, "type", "seed", "an empty cell"),
    ({"output": "total"}, "unknown key", "output", 'did you mean "total_usd"?'),
    ({"output": 3}, "unknown key", "output", "total_usd"),
    ({"percentiles": 50}, "type", "percentiles", "like [10, 50, 90]"),
    ({"percentiles": "50"}, "type", "percentiles", "is text"),
    ({"percentiles": ["P50"]}, "type", "percentiles", '"P50" is text'),
    ({"percentiles": [0]}, "range", "percentiles", "0 is out of range"),
    ({"percentiles": [0.1], "samples": 1000}, "range", "percentiles", "from 0.5 to 99.5"),
    ({"percentiles": [math.nan]}, "range", "percentiles", "nan is out of range"),
]


@pytest.mark.parametrize(("arguments", "kind", "field", "said"), REFUSED)
def test_a_fault_names_the_argument(
    arguments: dict[str, Any], kind: str, field: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        simulate(run(mfu=MFU), **arguments)
    assert [(fault.kind, fault.field) for fault in caught.value.faults] == [(kind, field)]
    assert said in str(caught.value)


def test_a_scenario_without_ranges_says_how_to_give_one() -> None:
    with pytest.raises(InputError, match=r"ranges: .*like mfu = \{low = 0\.35, mode = 0\.40"):
        simulate(run())


def test_samples_that_are_no_scenario_are_named() -> None:
    scenario = run(mfu={"low": 0.3, "mode": 0.6, "high": 0.9}, recompute_share=0.3)
    at = np.flatnonzero(drawn(scenario, 50_000)["mfu"] * 1.3 > 1)[:3] + 1
    with pytest.raises(InputError) as caught:
        simulate(scenario, 50_000)
    [fault] = caught.value.faults
    assert (fault.kind, fault.field) == ("conflict", "mfu")
    assert fault.place == f"as in sample {', '.join(map(str, at))} of the ranges"
    assert str(caught.value).startswith("a run: mfu (as in sample ")


def test_a_point_that_is_no_scenario_is_refused() -> None:
    with pytest.raises(InputError, match="HFU above 1"):
        run(mfu={"low": 0.3, "mode": 0.9, "high": 0.95}, recompute_share=0.3)


def test_an_output_that_rests_on_a_figure_nobody_gave() -> None:
    with pytest.raises(InputError) as caught:
        simulate(run(mfu=MFU), output="memory_needed_gb")
    assert [(f.kind, f.field) for f in caught.value.faults] == [
        ("unknown figure", "memory_needed_gb")
    ]


def test_an_output_that_some_samples_have_not() -> None:
    """The total over next to nothing leaves the range of numbers."""
    price = {"distribution": "lognormal", "p10": 1e-310, "p90": 1e10}
    with pytest.raises(InputError, match=r"total_over_accelerators .*nothing to divide by"):
        simulate(run(OWN, accelerator_price_usd=price), 1000, output="total_over_accelerators")


def test_numbers_of_numpy_are_numbers() -> None:
    scenario = run(mfu=MFU)
    wanted = simulate(scenario, 1000, 3).to_dict()
    percentiles: Sequence[float] = np.array([10, 50, 90])  # type: ignore[assignment]
    assert (
        simulate(scenario, np.int64(1000), np.int32(3), percentiles=percentiles).to_dict() == wanted
    )  # type: ignore[arg-type]

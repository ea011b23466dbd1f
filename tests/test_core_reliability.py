"""Failures against published runs, Daly's own examples, and a simulation of events."""

import formualizer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import reliability
from xl_tco.core.time import wall_hours

MINUTE = 1 / 60
GIBI = 2**30 / 1e9


def test_llama_3_405b_fails_every_three_hours() -> None:
    # Grattafiori et al. 2024, section 3.3.4: 419 unexpected interruptions in 54 days on 16,384.
    of_one = reliability.accelerator_mtbf_hours(16_384, 54 * 24, 419)
    assert of_one == pytest.approx(50_677, abs=1)
    of_all = reliability.cluster_mtbf_hours(of_one, 16_384)
    assert of_all == pytest.approx(3.09, abs=0.005)
    assert reliability.failures(54 * 24, of_all) == pytest.approx(419, rel=1e-12)


def test_checkpoints_of_bloom() -> None:
    # BigScience: 329 GB of 16-bit weights and 2.3 TB with optimizer states, 176,247M parameters,
    # in binary units.
    weights = reliability.checkpoint_gigabytes(176.247e9, 2)
    assert weights / GIBI == pytest.approx(329, rel=0.005)
    whole = reliability.checkpoint_gigabytes(176.247e9)
    assert whole / GIBI / 1024 == pytest.approx(2.3, abs=0.06)
    # At a GB/s a TB takes a thousand seconds.
    assert reliability.checkpoint_write_hours(1000.0, 1.0) == pytest.approx(1000 / 3600, rel=1e-14)


@pytest.mark.parametrize(
    ("mtbf_hours", "minutes"), [(24.0, 117), (6.0, 57), (0.25, 9.1)], ids=["24 h", "6 h", "15 min"]
)
def test_dalys_examples(mtbf_hours: float, minutes: float) -> None:
    # Daly 2006, figures 3 to 5: checkpoints of 5 minutes.
    interval = reliability.daly_interval_hours(5 * MINUTE, mtbf_hours)
    assert interval / MINUTE == pytest.approx(minutes, abs=0.5 if minutes > 10 else 0.05)


def test_youngs_interval() -> None:
    # By hand: 2 · 5 minutes · 24 hours is 120 minutes squared.
    interval = reliability.young_interval_hours(5 * MINUTE, 24.0)
    assert interval / MINUTE == pytest.approx(120, rel=1e-12)


def test_waste_by_hand() -> None:
    # A hundredth for checkpoints, half of a twentieth for lost work, a fiftieth for restarts.
    assert reliability.waste_share(1.0, 0.01, 20.0, 0.4) == pytest.approx(0.055, rel=1e-12)
    assert reliability.waste_share(1.0, 0.01, 20.0, 0.4, 0.03) == pytest.approx(0.085, rel=1e-12)
    assert reliability.goodput(0.085) == pytest.approx(0.915, rel=1e-12)


@pytest.mark.parametrize(
    ("restart_hours", "write_hours", "low", "high"),
    # With an interruption every 3.09 h, Llama 3 reports more than 90% of the time as effective:
    # seconds of checkpoint and a few minutes of restart give it, slow ones do not.
    [(5 * MINUTE, MINUTE / 6, 0.05, 0.10), (20 * MINUTE, 5 * MINUTE, 0.25, 0.35)],
    ids=["fast", "slow"],
)
def test_waste_of_a_large_cluster(
    restart_hours: float, write_hours: float, low: float, high: float
) -> None:
    mtbf = 3.09
    interval = reliability.daly_interval_hours(write_hours, mtbf)
    share = reliability.exponential_waste_share(interval, write_hours, mtbf, restart_hours)
    assert low < share < high


def simulated_waste(
    interval: float, write: float, mtbf: float, restart: float, rng: np.random.Generator
) -> float:
    """Share of the time lost over many segments, event by event; failures at any moment."""
    segments, elapsed = 20_000, 0.0
    for _ in range(segments):
        left = interval + write
        while left > 0:
            failure = rng.exponential(mtbf)
            if failure >= left:
                elapsed += left
                break
            elapsed += failure
            # Restarts until one is not hit by the next failure, then the segment from its start.
            while (failure := rng.exponential(mtbf)) < restart:
                elapsed += failure
            elapsed += restart
            left = interval + write
    return 1 - segments * interval / elapsed


@pytest.mark.parametrize(
    ("mtbf", "restart", "write"),
    [(24.0, 10 * MINUTE, 5 * MINUTE), (6.0, 10 * MINUTE, 5 * MINUTE), (0.25, 0.1, 5 * MINUTE)],
    ids=["24 h", "6 h", "15 min"],
)
def test_waste_is_that_of_a_simulation(mtbf: float, restart: float, write: float) -> None:
    rng = np.random.default_rng(20060201)
    interval = reliability.daly_interval_hours(write, mtbf)
    assert isinstance(interval, float)
    simulated = simulated_waste(interval, write, mtbf, restart, rng)
    exact = reliability.exponential_waste_share(interval, write, mtbf, restart)
    assert exact == pytest.approx(simulated, rel=0.02)
    first_order = reliability.waste_share(interval, write, mtbf, restart)
    # Good to a tenth while a fifth is lost, and of no use where nearly all is.
    assert (first_order == pytest.approx(simulated, rel=0.1)) is (mtbf > 1)


intervals = {"write": st.floats(1e-4, 0.5), "mtbf": st.floats(0.5, 1e4), "off": st.floats(0.2, 5)}


@given(**intervals)
def test_no_other_interval_wastes_less(write: float, mtbf: float, off: float) -> None:
    young = reliability.young_interval_hours(write, mtbf)
    at_best = reliability.waste_share(young, write, mtbf)
    assert at_best == pytest.approx(np.sqrt(2 * write / mtbf), rel=1e-12)
    assert reliability.waste_share(young * off, write, mtbf) >= at_best * (1 - 1e-12)


@given(**intervals)
def test_dalys_interval_is_within_a_hair_of_the_best(write: float, mtbf: float, off: float) -> None:
    daly = reliability.daly_interval_hours(write, mtbf)
    at_daly = reliability.exponential_waste_share(daly, write, mtbf)
    elsewhere = reliability.exponential_waste_share(daly * off, write, mtbf)
    # Daly 2006, figure 2: the error of the higher order is small wherever a run makes progress.
    assert 1 - elsewhere <= (1 - at_daly) * (1 + 2e-3)


def test_dalys_interval_passes_over_to_the_mtbf() -> None:
    writes = np.array([1.0, 1.999999, 2.0, 5.0])
    assert np.asarray(reliability.daly_interval_hours(writes, 1.0)) == pytest.approx(
        [0.8261, 0.8889, 1.0, 1.0], abs=1e-4
    )


@given(**intervals, restart=st.floats(0, 1), straggler=st.floats(0, 0.5))
def test_the_exact_waste_is_a_share(
    write: float, mtbf: float, off: float, restart: float, straggler: float
) -> None:
    share = reliability.exponential_waste_share(off, write, mtbf, restart, straggler)
    assert straggler <= share <= 1
    # With a long MTBF both come down to the checkpoints: one over work, one over work and write.
    rare = reliability.exponential_waste_share(off, write, 1e12)
    assert rare == pytest.approx(write / (off + write), rel=1e-4)
    assert reliability.waste_share(off, write, 1e12) == pytest.approx(write / off, rel=1e-4)


def test_goodput_and_wall_time_agree() -> None:
    waste = reliability.waste_share(1.0, 0.01, 20.0, 0.4)
    assert wall_hours(90.0, waste) * reliability.goodput(waste) == pytest.approx(90, rel=1e-14)


# Spares


@pytest.mark.parametrize("mean", [0.1, 2.5, 7.759, 60.0])
def test_spares_as_the_spreadsheets_poisson_distribution(mean: float) -> None:
    book = formualizer.Workbook()
    book.add_sheet("S")
    for spares in range(12):
        book.set_formula("S", 1 + spares, 1, f"=POISSON.DIST({spares},{mean},TRUE)")
    wanted = [book.evaluate_cell("S", 1 + spares, 1) for spares in range(12)]
    mine = np.asarray(reliability.spares_availability(np.arange(12.0), mean))
    assert mine == pytest.approx(wanted, rel=1e-10)


@given(mean=st.floats(0, 2000), availability=st.floats(0.01, 0.9999))
def test_one_spare_fewer_is_not_enough(mean: float, availability: float) -> None:
    spares = reliability.hot_spares(mean, availability)
    assert reliability.spares_availability(spares, mean) >= availability * (1 - 1e-12)
    if spares > 0:
        fewer = reliability.spares_availability(spares - 1, mean)
        assert fewer < availability * (1 + 1e-12)


def test_spares_of_many_clusters_at_once() -> None:
    means = np.array([[0.0], [1.0], [2000.0]])
    spares = np.asarray(reliability.hot_spares(means, np.array([0.5, 0.99, 1.0])))
    assert spares[:, :2].tolist() == [[0, 0], [1, 4], [2000, 2105]]
    assert np.isinf(spares[:, 2]).all()
    assert spares[1, 1] == reliability.hot_spares(1.0, 0.99)


def test_units_in_repair_of_a_simulation() -> None:
    # 2,048 servers, each failing every 6,334 hours and away for exactly 24: observed at 4,000
    # moments far apart.
    mean = reliability.units_in_repair(2048, 24, 50_677 / 8)
    assert mean == pytest.approx(7.7593, abs=1e-4)
    rng = np.random.default_rng(1938)
    failed_within_24_hours = rng.random((4000, 2048)) < 1 - np.exp(-24 * 8 / 50_677)
    away = failed_within_24_hours.sum(axis=1)
    assert away.mean() == pytest.approx(mean, rel=0.02)
    spares = reliability.hot_spares(mean, 0.99)
    assert (away <= spares).mean() == pytest.approx(0.992, abs=0.005)

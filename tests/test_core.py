"""The formulas of the core against numbers that others published or that are plain by hand.

One table of reference values with their sources, one test over it; then how numbers, lists and
arrays go in and out, and relations that hold between formulas.
"""

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco import core
from xl_tco.core import capital, compute, operations, power, time, total

TOPICS: tuple[ModuleType, ...] = (capital, compute, operations, power, time, total)
DAY = 24.0


class Reference(NamedTuple):
    """A value that somebody else worked out. ``rel`` is what their rounding leaves open."""

    function: Callable[..., Any]
    args: tuple[float, ...]
    expected: float
    rel: float
    source: str


EXACT = 1e-14
PALM = (540.35e9, 1.0, 118, 12288, 2048)  # parameters, a token, layers, heads x size, sequence
PALM_CHIPS = 6144 * 275e12

REFERENCES = [
    # Compute
    Reference(compute.model_flops, (175e9, 300e9), 3.14e23, 0.005, "Brown et al. 2020, table D.1"),
    Reference(compute.model_flops, (70e9, 1.4e12), 5.76e23, 0.03, "Hoffmann et al. 2022, table 3"),
    Reference(compute.model_flops, (405e9, 15.6e12), 3.8e25, 0.005, "Llama 3, section 3.2.1"),
    Reference(compute.model_flops, (180e9, 3.5e12), 43_500 * 8.64e19, 0.01, "Falcon, table 1"),
    # PaLM, section 4.1: 238.3 thousand tokens a second are an MFU of 46.2%, 45.7% without
    # attention: so FLOPs a token are the MFU times the chips' peak over the token rate.
    Reference(compute.model_flops, PALM, 0.462 * PALM_CHIPS / 238.3e3, 0.001, "PaLM, 4.1"),
    Reference(compute.model_flops, PALM[:2], 0.457 * PALM_CHIPS / 238.3e3, 0.001, "PaLM, 4.1"),
    Reference(
        compute.hardware_flops,
        (6 * 175e9 * 300e9, 1 / 3),
        8 * 300e9 * 175e9,
        EXACT,
        "Narayanan et al. 2021, equation 4: 8TP with full recomputation",
    ),
    # Korthikanti et al. 2022, table 5 (MFU and HFU in %), and their equation for selective
    # recomputation: hardware over model FLOPs is 1 + s/(6h), s = 2048.
    *(
        Reference(function, (value, 2048 / (6 * hidden)), wanted, 0.003, "Korthikanti, table 5")
        for hidden, mfu, hfu in [
            (6144, 0.415, 0.437),
            (12288, 0.514, 0.528),
            (20480, 0.560, 0.570),
            (25600, 0.563, 0.570),
        ]
        for function, value, wanted in [
            (compute.hfu_from_mfu, mfu, hfu),
            (compute.mfu_from_hfu, hfu, mfu),
        ]
    ),
    # Time
    Reference(
        time.productive_hours,
        (3.14e23, 10_000, 125, 24.6 / 125),
        14.8 * DAY,
        0.005,
        "Patterson et al. 2021, table 4: GPT-3 on 10,000 V100 at 24.6 TFLOP/s",
    ),
    Reference(
        time.productive_hours,
        (8 * 300e9 * 175e9, 1024, 312, 140 / 312),
        34 * DAY,
        0.01,
        "Narayanan et al. 2021, section 5: 34 days for 175B on 1,024 A100 at 140 TFLOP/s",
    ),
    Reference(
        time.productive_hours,
        (8 * 450e9 * 1e12, 3072, 312, 163 / 312),
        84 * DAY,
        0.015,
        "Narayanan et al. 2021, section 5: 84 days for 1T on 3,072 A100 at 163 TFLOP/s",
    ),
    Reference(
        time.productive_hours, (3.6e18, 1, 1, 1, 0.75), 4000.0, EXACT, "1 PFLOP-hour: by hand"
    ),
    Reference(time.wall_hours, (90.0, 0.1), 100.0, EXACT, "by hand"),
    Reference(
        time.accelerator_hours, (2048, 2_664_000 / 2048), 2.664e6, EXACT, "DeepSeek-V3, table 1"
    ),
    # Power
    Reference(power.accelerator_watts, (700, 575), 10_200 / 8, EXACT, "DGX H100: 10.2 kW"),
    Reference(power.accelerator_watts, (700, 0, 0.89), 624.0, 0.002, "Olmo 3: 624 W a GPU"),
    Reference(power.demand_charge_usd, (1000, 10, 8760), 120_000, EXACT, "ten dollars, 12 months"),
    # 131 MWh of GPUs at a PUE of 1.2 on a grid of 0.332 kg/kWh.
    Reference(power.carbon_tonnes, (131e3 * 1.2, 0.332), 52, 0.005, "OLMo 2, table 19"),
    Reference(power.it_kilowatts, (10_000, 700), 7_000, EXACT, "10,000 H100, chips alone: 7 MW"),
    Reference(power.it_kilowatts, (10_000, 1275), 12_750, EXACT, "10,000 H100 with their hosts"),
    Reference(
        power.it_energy_kwh,
        (1, 1_082_990, 400),
        433_196,
        EXACT,
        "Luccioni et al. 2022: BLOOM's GPU-hours at 400 W are 433,196 kWh",
    ),
    Reference(
        power.facility_energy_kwh,
        (10_000 * 14.8 * DAY * 0.33, 1.1),
        1_287_000,
        0.002,
        "Patterson et al. 2021, table 4: 1,287 MWh of GPT-3 at 330 W and PUE 1.1",
    ),
    Reference(
        power.facility_energy_kwh,
        (1_022_362 * 0.4, 1.1),
        449_000,
        0.002,
        "Touvron et al. 2023, table 15: LLaMA-65B, 449 MWh",
    ),
    Reference(power.power_usd, (1000, 0.08), 80.0, EXACT, "by hand"),
    Reference(power.cooling_usd, (1000, 1.5, 0.08), 40.0, EXACT, "by hand"),
    Reference(power.power_cost_usd, (10, 100, 1000, 1.5, 0.08, 0.5), 60.0, EXACT, "by hand"),
    # Capital
    Reference(capital.cluster_capex_usd, (80.0, 0.15, 0.05), 100.0, EXACT, "by hand"),
    Reference(
        capital.facility_capex_usd,
        (11_700, 1000),
        11.7e6,
        EXACT,
        "Cushman & Wakefield 2025: 11.7 million USD a MW",
    ),
    Reference(
        capital.amortization_usd,
        (30_000, 8760, 10, 1.0, 7_500 / 30_000),
        2_250,
        EXACT,
        "Excel's documentation of SLN: SLN(30000, 7500, 10) = 2250",
    ),
    Reference(
        capital.rental_usd, (1, 2.788e6, 2.0), 5.576e6, EXACT, "DeepSeek-V3, table 1: 5.576M USD"
    ),
    Reference(capital.rental_usd, (2, 10, 5.0, 0.25), 75.0, EXACT, "by hand"),
    # Operations: half a year is 4,380 hours
    Reference(operations.staff_usd, (10, 200_000, 4380), 1e6, EXACT, "by hand"),
    Reference(operations.software_usd, (16, 4500, 4380), 36_000, EXACT, "by hand"),
    Reference(operations.storage_service_usd, (50, 100), 5_000, EXACT, "by hand"),
    Reference(operations.facility_operation_usd, (480, 1000, 4380), 240_000, EXACT, "by hand"),
    Reference(operations.upkeep_usd, (2e6, 0.05, 4380), 50_000, EXACT, "by hand"),
    # Total
    Reference(total.waste_usd, (90.0, 0.1), 10.0, EXACT, "by hand: 100 in all, a tenth is waste"),
    Reference(
        total.usd_per_pflop_day,
        (3640.0, 3.14e23),
        1.0,
        0.003,
        "Brown et al. 2020, table D.1: 3.14e23 FLOPs are 3,640 PFLOP/s-days",
    ),
    Reference(total.usd_per_effective_tflop_hour, (7.0, 3.6e15), 7.0, EXACT, "by hand"),
    Reference(
        total.usd_per_million_tokens, (5.576e6, 14.8e12), 0.3768, 0.0002, "DeepSeek-V3: by hand"
    ),
]


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: f"{case.function.__name__}")
def test_reference_value(case: Reference) -> None:
    assert case.function(*case.args) == pytest.approx(case.expected, rel=case.rel), case.source


def public_functions() -> set[str]:
    return {name for topic in TOPICS for name in topic.__all__ if name.islower()}


def test_every_public_function_has_a_reference_value() -> None:
    assert {topic.__name__.rpartition(".")[2] for topic in TOPICS} == set(core.__all__)
    assert {case.function.__name__ for case in REFERENCES} == public_functions()


def test_constants() -> None:
    assert capital.HOURS_PER_YEAR == 365 * 24
    assert total.FLOP_PER_PFLOP_DAY == 1e15 * 86_400
    assert total.FLOP_PER_TFLOP_HOUR == 1e12 * 3_600


# How values go in and out


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: f"{case.function.__name__}")
def test_scalars_give_a_float_and_a_column_the_same_numbers(case: Reference) -> None:
    alone = case.function(*case.args)
    assert type(alone) is float
    first, *others = case.args
    column = case.function(np.full((3, 1), first), *others)
    assert column.shape == (3, 1)
    assert column.dtype == np.float64
    assert (column == alone).all()


def test_lists_go_in() -> None:
    assert compute.model_flops([1, 2], [10, 20]).tolist() == [60.0, 240.0]  # type: ignore[union-attr]


def test_rows_and_columns_broadcast() -> None:
    grid = time.accelerator_hours(np.array([[1.0], [2.0]]), np.array([10.0, 20.0, 30.0]))
    assert np.asarray(grid).tolist() == [[10, 20, 30], [20, 40, 60]]


def test_arguments_can_be_named() -> None:
    assert compute.model_flops(parameters=1e9, tokens=[1, 2]).tolist() == [6e9, 12e9]  # type: ignore[union-attr]


@pytest.mark.parametrize("tokens", [15_600_000_000_000, np.int64(15_600_000_000_000)])
def test_integers_do_not_overflow(tokens: Any) -> None:
    # 6·N·D of Llama 3.1 405B is four million times what an int64 holds.
    assert compute.model_flops(405_000_000_000, tokens) == pytest.approx(3.79e25, rel=1e-3)
    column = compute.model_flops(np.array([405_000_000_000]), np.array([tokens]))
    assert np.asarray(column)[0] == pytest.approx(3.79e25, rel=1e-3)


def test_an_integer_beyond_int64_goes_in() -> None:
    assert compute.model_flops(10**20, 1) == 6e20


def test_arguments_are_left_as_they_were() -> None:
    hours = np.array([1.0, 2.0])
    time.wall_hours(hours, 0.5)
    assert hours.tolist() == [1.0, 2.0]


# Relations

shares = st.floats(0, 0.9)
positive = st.floats(1e-3, 1e6)


@given(mfu=st.floats(0.01, 1), recompute=st.floats(0, 1), flops=st.floats(1e18, 1e27))
def test_hfu_and_mfu_are_two_ways_to_one_time(mfu: float, recompute: float, flops: float) -> None:
    hfu = compute.hfu_from_mfu(mfu, recompute)
    by_mfu = time.productive_hours(flops, 1000, 312, mfu)
    by_hfu = time.productive_hours(compute.hardware_flops(flops, recompute), 1000, 312, hfu)
    back = time.productive_hours(flops, 1000, 312, compute.mfu_from_hfu(hfu, recompute))
    assert by_hfu == pytest.approx(by_mfu, rel=1e-14)
    assert back == pytest.approx(by_mfu, rel=1e-14)
    # The mixture is off by 1 + r.
    mixture = time.productive_hours(compute.hardware_flops(flops, recompute), 1000, 312, mfu)
    assert mixture == pytest.approx((1 + recompute) * np.asarray(by_mfu), rel=1e-14)


@given(energy=positive, pue=st.floats(1, 5), price=st.floats(0, 1))
def test_power_and_cooling_are_the_whole_bill(energy: float, pue: float, price: float) -> None:
    parts = power.power_usd(energy, price) + power.cooling_usd(energy, pue, price)
    assert power.power_cost_usd(1, energy, 1000, pue, price) == pytest.approx(parts, rel=1e-12)
    assert power.facility_energy_kwh(energy, pue) * price == pytest.approx(parts, rel=1e-12)


@given(capex=positive, years=st.integers(1, 40), residual=shares)
def test_a_year_of_depreciation_is_a_payment_without_interest(
    capex: float, years: int, residual: float
) -> None:
    payment = -npf.pmt(0.0, years, capex, -capex * residual)
    year = capital.amortization_usd(capex, 8760, years, residual_share=residual)
    assert year == pytest.approx(float(payment), rel=1e-12)


@given(capex=positive, years=st.floats(0.5, 40), residual=shares, use=st.floats(0.01, 1))
def test_a_life_of_useful_hours_is_charged_the_whole_price(
    capex: float, years: float, residual: float, use: float
) -> None:
    charged = capital.amortization_usd(capex, years * 8760 * use, years, use, residual)
    assert charged == pytest.approx(capex * (1 - residual), rel=1e-12)


@given(servers=positive, network=st.floats(0, 0.45), storage=st.floats(0, 0.45))
def test_a_cluster_is_its_servers_network_and_storage(
    servers: float, network: float, storage: float
) -> None:
    cluster = capital.cluster_capex_usd(servers, network, storage)
    assert servers + cluster * network + cluster * storage == pytest.approx(cluster, rel=1e-12)


@given(productive=positive, waste=shares)
def test_waste_is_its_share_of_the_whole(productive: float, waste: float) -> None:
    wasted = total.waste_usd(productive, waste)
    assert wasted == pytest.approx(waste * (productive + np.asarray(wasted)), rel=1e-12)
    wall = time.wall_hours(productive, waste)
    assert productive + np.asarray(wasted) == pytest.approx(wall, rel=1e-12)


def test_prices_of_compute_agree() -> None:
    # A PFLOP-day is 24,000 TFLOP-hours.
    flops = float(Fraction(10) ** 24)
    day, hour = total.usd_per_pflop_day(1e6, flops), total.usd_per_effective_tflop_hour(1e6, flops)
    assert day == pytest.approx(24_000 * np.asarray(hour), rel=1e-14)

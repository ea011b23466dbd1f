"""The cost as a whole: parts and total, what moves it which way, and numbers worked by hand.

The oracle is `by_hand`: the formulas of the model once more, written down naively in exact
fractions, knowing nothing of the package's code.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import fsum, isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import OPTIONAL, SIZES, number, tables
from xl_tco import Result, Scenario, evaluate
from xl_tco.core import capital, operations, power
from xl_tco.outputs import COMPONENTS, METRICS, OWN_COMPONENTS, RENT_COMPONENTS

REL = 1e-12


SHARES: dict[str, Any] = {"network_price_usd": None, "storage_price_usd": None}


def linear(*args: str, **fixed: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Draw scenarios whose cost is in proportion to their time: no sums, nothing charged by age."""
    return tables(*args, plain=True, software_fixed_usd=None, depreciation_method=None, **fixed)


def cost(**table: Any) -> Result:
    return evaluate(Scenario(**table))


def by_hand(values: Mapping[str, Any]) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """Components and metrics of a complete table of inputs, in exact fractions."""
    v = {name: Fraction(value) for name, value in values.items() if isinstance(value, int | float)}
    n, w, r = v["accelerators"], v["waste_share"], v["recompute_share"]
    fleet = n + v["hot_spares"]

    # Sections 1 and 2: how much, how long
    attention = Fraction(0)
    if "layers" in v:
        attention = 12 * v["layers"] * v["hidden_size"] * v["sequence_length"]
    if values["attention"] == "causal":
        attention /= 2
    flops = (6 * v["parameters"] + attention) * v["tokens"]
    project = flops * v["experiment_multiplier"]
    mfu = v["mfu"] if "mfu" in v else v["hfu"] / (1 + r)
    rate = n * v["peak_tflops"] * 10**12 * mfu * (1 - v["communication_share"])
    hours = project / rate / 3600
    wall = hours / (1 - w)

    parts: dict[str, Fraction] = {}
    m: dict[str, Fraction] = {}
    parts["storage"] = v["storage_usd_per_hour"] * hours
    parts["staff"] = v["staff_fte"] * v["staff_usd_per_fte_year"] * hours / 8760
    by_the_year = fleet * v["software_usd_per_accelerator_year"] * hours / 8760
    parts["software"] = by_the_year + v["software_fixed_usd"]
    if values["procurement"] == "rent":
        discount = 1 - v["reservation_discount"]
        parts["rental"] = hours * fleet * v["rental_usd_per_accelerator_hour"] * discount
        capex = dict.fromkeys(
            ("accelerators", "hosts", "network", "storage", "cluster", "facility"), Fraction(0)
        )
    else:
        # Section 3
        nameplate_kw = fleet * (v["tdp_watts"] + v["host_watts_per_accelerator"]) / 1000
        servers = [
            fleet * v["accelerator_price_usd"],
            fleet * v["host_price_usd_per_accelerator"],
        ]
        sums = [v.get("network_price_usd", Fraction(0)), v.get("storage_price_usd", Fraction(0))]
        shares = [v.get("network_share", Fraction(0)), v.get("storage_share", Fraction(0))]
        cluster = (sum(servers) + sum(sums)) / (1 - sum(shares))
        capex = {
            "accelerators": servers[0],
            "hosts": servers[1],
            "network": sums[0] + cluster * shares[0],
            "storage": sums[1] + cluster * shares[1],
            "cluster": cluster,
            "facility": v["facility_usd_per_kw"] * nameplate_kw,
        }
        life = v["depreciation_years"] * 8760 * v["utilization"]
        charge = (1 - v["residual_share"]) / life * hours
        for name in ("accelerators", "hosts", "network"):
            parts[name] = capex[name] * charge
        parts["network"] += capex["network"] * v["network_upkeep_share"] * hours / 8760
        parts["storage"] += capex["storage"] * charge
        parts["storage"] += capex["storage"] * v["storage_upkeep_share"] * hours / 8760
        building = v["facility_life_years"] * 8760 * v["utilization"]
        upkeep = v["facility_om_usd_per_kw_year"] * nameplate_kw * hours / 8760
        parts["facility"] = capex["facility"] / building * hours + upkeep
        # Section 4
        energy = fleet * draw_of(v) / 1000 * hours
        demand = nameplate_kw * v["demand_usd_per_kw_month"] * hours / 730
        parts["power"] = energy * v["electricity_usd_per_kwh"] + demand
        cooling = energy * v["electricity_usd_per_kwh"] + demand
        parts["cooling"] = cooling * (v["pue"] - 1)
        tonnes = energy * v["pue"] * v["carbon_kg_per_kwh"] / 1000
        parts["carbon"] = tonnes * v["carbon_usd_per_tonne"]
    # Section 5
    parts["waste"] = (sum(parts.values(), Fraction(0)) - v["software_fixed_usd"]) * w / (1 - w)
    total = sum(parts.values(), Fraction(0))

    if {"tdp_watts", "host_watts_per_accelerator"} <= set(v):
        m["it_energy_gwh"] = fleet * draw_of(v) * wall / 10**9
        m["energy_gwh"] = m["it_energy_gwh"] * v["pue"]
        m["carbon_tonnes"] = m["energy_gwh"] * 1000 * v["carbon_kg_per_kwh"]
        m["peak_it_mw"] = fleet * (v["tdp_watts"] + v["host_watts_per_accelerator"]) / 10**6
        m["peak_facility_mw"] = m["peak_it_mw"] * v["pue"]
    if parts.get("accelerators"):
        m["total_over_accelerators"] = total / parts["accelerators"]
    m |= {
        "flops": flops,
        "project_flops": project,
        "hardware_flops": project * (1 + r),
        "achieved_mfu": mfu,
        "achieved_hfu": mfu * (1 + r),
        "productive_hours": hours,
        "wall_hours": wall,
        "wall_days": wall / 24,
        "goodput": 1 - w,
        "accelerator_hours": n * wall,
        **{f"{name}_capex_usd": usd for name, usd in capex.items()},
        "usd_per_million_tokens": total / v["tokens"] * 10**6,
        "usd_per_parameter": total / v["parameters"],
        "usd_per_accelerator_hour": total / (n * wall),
        "usd_per_effective_tflop_hour": total / project * 10**12 * 3600,
        "usd_per_pflop_day": total / project * 10**15 * 86_400,
    }
    return parts, m | {"total_usd": total}


def draw_of(v: Mapping[str, Fraction]) -> Fraction:
    """Watts an accelerator on average, its share of the host included."""
    host = v["host_watts_per_accelerator"] * v["host_draw_share"]
    return v["tdp_watts"] * v["power_draw_share"] + host


def assert_as_by_hand(result: Result) -> None:
    parts, metrics = by_hand(result.scenario.values)
    assert result.components == {
        name: pytest.approx(float(usd), rel=REL, abs=1e-300) for name, usd in parts.items()
    }
    assert result.total_usd == pytest.approx(float(metrics.pop("total_usd")), rel=REL)
    given_metrics = {name: value for name, value in result.metrics.items() if value is not None}
    assert given_metrics == {
        name: pytest.approx(float(value), rel=REL, abs=1e-300) for name, value in metrics.items()
    }


# Every input given, each a number of its own: no two figures can be taken for each other.
OWN: dict[str, Any] = {
    "name": "by hand",
    "parameters": 13e9,
    "tokens": 1.7e12,
    "layers": 40,
    "hidden_size": 5120,
    "sequence_length": 4096,
    "attention": "causal",
    "recompute_share": 0.3,
    "experiment_multiplier": 1.9,
    "accelerator": "custom",
    "accelerators": 768,
    "hot_spares": 16,
    "precision": "bf16",
    "peak_tflops": 411.0,
    "hfu": 0.47,
    "communication_share": 0.07,
    "waste_share": 0.11,
    "procurement": "own",
    "accelerator_price_usd": 17_001.0,
    "host_price_usd_per_accelerator": 2_903.0,
    "network_share": 0.17,
    "storage_share": 0.05,
    "network_upkeep_share": 0.043,
    "storage_upkeep_share": 0.037,
    "residual_share": 0.13,
    "depreciation_years": 4.5,
    "utilization": 0.83,
    "facility_usd_per_kw": 10_300.0,
    "facility_life_years": 19.0,
    "facility_om_usd_per_kw_year": 405.0,
    "tdp_watts": 610.0,
    "power_draw_share": 0.79,
    "host_watts_per_accelerator": 290.0,
    "host_draw_share": 0.61,
    "pue": 1.23,
    "electricity_usd_per_kwh": 0.097,
    "demand_usd_per_kw_month": 7.3,
    "carbon_kg_per_kwh": 0.41,
    "carbon_usd_per_tonne": 53.0,
    "staff_fte": 23.0,
    "staff_usd_per_fte_year": 251_000.0,
    "software_usd_per_accelerator_year": 1_510.0,
    "software_fixed_usd": 77_003.0,
    "storage_usd_per_hour": 31.0,
}
RENT: dict[str, Any] = {
    **OWN,
    "procurement": "rent",
    "rental_usd_per_accelerator_hour": 2.71,
    "reservation_discount": 0.19,
}
H100: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "staff_fte": 0,
}


@pytest.mark.parametrize("table", [OWN, RENT], ids=["own", "rent"])
def test_every_component_and_metric_by_hand(table: dict[str, Any]) -> None:
    assert_as_by_hand(cost(**table))


def test_the_oracle_itself_on_the_back_of_an_envelope() -> None:
    # 6e21 FLOP on 100 machines of 100 TFLOP/s at 50%: 1.2e6 s = 333.3 h, and 370.4 on the clock.
    result = cost(
        parameters=1e9,
        tokens=1e12,
        accelerator="custom",
        accelerators=100,
        peak_tflops=100,
        mfu=0.5,
        waste_share=0.1,
        procurement="rent",
        rental_usd_per_accelerator_hour=3,
        staff_fte=0,
        storage_usd_per_hour=0,
    )
    assert result.metrics["productive_hours"] == pytest.approx(1000 / 3)
    assert result.components["rental"] == pytest.approx(100_000)
    assert result.components["waste"] == pytest.approx(100_000 / 9)
    assert_as_by_hand(result)


# Any scenario


@given(tables(plain=True, depreciation_method=None))
def test_any_scenario_is_as_by_hand(table: dict[str, Any]) -> None:
    assert_as_by_hand(cost(**table))


@given(tables())
def test_parts_add_up_to_the_total(table: dict[str, Any]) -> None:
    result = cost(**table)
    assert fsum(result.components.values()) == pytest.approx(result.total_usd, rel=REL)
    assert all(isfinite(usd) and usd >= 0 for usd in result.components.values())


@given(tables())
def test_components_and_metrics_are_those_of_the_contract(table: dict[str, Any]) -> None:
    result = cost(**table)
    paid = OWN_COMPONENTS if table["procurement"] == "own" else RENT_COMPONENTS
    assert list(result.components) == [name for name in COMPONENTS if name in paid]
    assert list(result.metrics) == list(METRICS)
    assert all(value is None or isfinite(value) for value in result.metrics.values())
    shares = result.to_frame()["share"].sum()
    assert shares == pytest.approx(1 if result.total_usd else 0, rel=1e-9)


@given(tables(plain=True, depreciation_method=None))
def test_everything_over_the_wall_time_is_the_same_total(table: dict[str, Any]) -> None:
    """Productive hours plus waste, or the hours on the clock: one cost, counted once."""
    result = cost(**table)
    v, hours = result.scenario.values, result.metrics["wall_hours"]
    n = v["accelerators"] + v["hot_spares"]
    parts = [
        v["software_fixed_usd"],
        operations.staff_usd(v["staff_fte"], v["staff_usd_per_fte_year"], hours),
        operations.software_usd(n, v["software_usd_per_accelerator_year"], hours),
        operations.storage_service_usd(v["storage_usd_per_hour"], hours),
    ]
    if v["procurement"] == "rent":
        price, discount = v["rental_usd_per_accelerator_hour"], v["reservation_discount"]
        parts.append(capital.rental_usd(n, hours, price, discount))
    else:
        capex = result.metrics
        life = v["depreciation_years"], v["utilization"], v["residual_share"]
        parts.append(capital.amortization_usd(capex["cluster_capex_usd"], hours, *life))
        facility = capex["facility_capex_usd"]
        life_of_facility = v["facility_life_years"], v["utilization"]
        parts.append(capital.amortization_usd(facility, hours, *life_of_facility))
        kilowatts = capex["peak_it_mw"] * 1000
        yearly = v["facility_om_usd_per_kw_year"]
        parts.append(operations.facility_operation_usd(yearly, kilowatts, hours))
        for name in ("network", "storage"):
            share = v[f"{name}_upkeep_share"]
            parts.append(operations.upkeep_usd(capex[f"{name}_capex_usd"], share, hours))
        draw = v["power_draw_share"], v["host_draw_share"]
        watts = power.accelerator_watts(v["tdp_watts"], v["host_watts_per_accelerator"], *draw)
        price = v["electricity_usd_per_kwh"]
        parts.append(power.power_cost_usd(n, hours, watts, v["pue"], price))
        load = capex["peak_facility_mw"] * 1000
        parts.append(power.demand_charge_usd(load, v["demand_usd_per_kw_month"], hours))
        parts.append(capex["carbon_tonnes"] * v["carbon_usd_per_tonne"])
    assert fsum(parts) == pytest.approx(result.total_usd, rel=1e-11)


@given(tables(plain=True, waste_share=0.0))
def test_no_waste_no_cost_of_waste(table: dict[str, Any]) -> None:
    result = cost(**table)
    assert result.components["waste"] == 0
    assert result.metrics["wall_hours"] == result.metrics["productive_hours"]


@given(linear(waste_share=0.0), number(0, 0.95))
def test_waste_scales_the_total_by_goodput(table: dict[str, Any], waste: float) -> None:
    clean = cost(**table | {"waste_share": 0.0})
    wasted = cost(**table | {"waste_share": waste})
    assert wasted.total_usd == pytest.approx(clean.total_usd / (1 - waste), rel=REL)


# Which way things move

NEVER_CHEAPER_WITH_MORE = [
    "accelerator_price_usd",
    "host_price_usd_per_accelerator",
    "network_share",
    "storage_share",
    "facility_usd_per_kw",
    "facility_om_usd_per_kw_year",
    "tdp_watts",
    "power_draw_share",
    "host_watts_per_accelerator",
    "pue",
    "electricity_usd_per_kwh",
    "staff_usd_per_fte_year",
    "software_usd_per_accelerator_year",
    "storage_usd_per_hour",
    "rental_usd_per_accelerator_hour",
    "experiment_multiplier",
    "communication_share",
    "waste_share",
]
NEVER_DEARER_WITH_MORE = [
    "residual_share",
    "depreciation_years",
    "utilization",
    "facility_life_years",
    "reservation_discount",
]


def test_every_optional_figure_has_a_direction() -> None:
    directions = {*NEVER_CHEAPER_WITH_MORE, *NEVER_DEARER_WITH_MORE, "recompute_share"}
    assert directions == set(OPTIONAL)


@pytest.mark.parametrize("field", [*NEVER_CHEAPER_WITH_MORE, *NEVER_DEARER_WITH_MORE])
@given(data=st.data())
def test_cost_moves_the_right_way(field: str, data: st.DataObject) -> None:
    low, high = sorted(data.draw(st.tuples(OPTIONAL[field], OPTIONAL[field])))
    table = data.draw(tables(**{field: low}, depreciation_method=None))
    less = cost(**table | {field: low}).total_usd
    more = cost(**table | {field: high}).total_usd
    if field in NEVER_DEARER_WITH_MORE:
        less, more = more, less
    assert more >= less * (1 - REL)


@pytest.mark.parametrize("field", [*NEVER_CHEAPER_WITH_MORE, *NEVER_DEARER_WITH_MORE])
def test_each_figure_reaches_the_total(field: str) -> None:
    """A direction alone would hold for a figure that is read nowhere."""
    rent_only = field in ("rental_usd_per_accelerator_hour", "reservation_discount")
    table = RENT if rent_only else OWN
    base = cost(**table).total_usd
    changed = cost(**table | {field: table[field] * 1.05}).total_usd
    assert changed < base if field in NEVER_DEARER_WITH_MORE else changed > base


@given(linear(mfu=0.2), number(0.2, 0.5))
def test_more_mfu_is_cheaper_in_proportion(table: dict[str, Any], mfu: float) -> None:
    at_20_percent, at_mfu = cost(**table), cost(**table | {"mfu": mfu})
    assert at_mfu.total_usd == pytest.approx(at_20_percent.total_usd * 0.2 / mfu, rel=REL)


@given(linear())
def test_twice_the_tokens_cost_twice(table: dict[str, Any]) -> None:
    once, twice = cost(**table), cost(**table | {"tokens": 2 * table["tokens"]})
    assert twice.metrics["flops"] == pytest.approx(2 * once.metrics["flops"], rel=REL)
    assert twice.total_usd == pytest.approx(2 * once.total_usd, rel=REL)
    for name in ("usd_per_million_tokens", "usd_per_accelerator_hour", "usd_per_pflop_day"):
        assert twice.metrics[name] == pytest.approx(once.metrics[name], rel=1e-11)


@given(linear(staff_fte=0.0, storage_usd_per_hour=0.0, hot_spares=None, **SHARES))
def test_without_what_is_paid_by_the_clock_the_number_of_machines_is_free(
    table: dict[str, Any],
) -> None:
    """Twice the machines take half the time: what is paid by machine-hour stays the same."""
    once, twice = cost(**table), cost(**table | {"accelerators": 2 * table["accelerators"]})
    assert twice.metrics["wall_hours"] == pytest.approx(once.metrics["wall_hours"] / 2, rel=REL)
    assert twice.total_usd == pytest.approx(once.total_usd, rel=REL)


OWN_ONLY = sorted(
    set(OPTIONAL)
    - {
        "recompute_share",
        "experiment_multiplier",
        "communication_share",
        "waste_share",
        "staff_usd_per_fte_year",
        "software_usd_per_accelerator_year",
        "storage_usd_per_hour",
        "rental_usd_per_accelerator_hour",
        "reservation_discount",
    }
)


@given(st.data())
def test_rent_does_not_depend_on_what_only_owners_pay(data: st.DataObject) -> None:
    table = data.draw(tables("rent", **SHARES, network_topology=None, storage_usd_per_tb=None))
    other = {field: data.draw(OPTIONAL[field]) for field in OWN_ONLY}
    assert cost(**table | other).components == cost(**table).components


@given(st.data())
def test_owning_does_not_depend_on_the_rent(data: st.DataObject) -> None:
    table = data.draw(tables("own"))
    fields = ("rental_usd_per_accelerator_hour", "reservation_discount")
    other = {field: data.draw(OPTIONAL[field]) for field in fields}
    assert cost(**table | other).components == cost(**table).components


@given(tables(mfu=0.3), number(0, 1))
def test_recomputation_changes_the_hardware_and_not_the_cost(
    table: dict[str, Any], recompute: float
) -> None:
    without, with_it = (cost(**table | {"recompute_share": r}) for r in (0.0, recompute))
    assert with_it.components == without.components
    assert with_it.metrics["wall_hours"] == without.metrics["wall_hours"]
    for name in ("hardware_flops", "achieved_hfu"):
        assert with_it.metrics[name] == pytest.approx(
            without.metrics[name] * (1 + recompute), rel=REL
        )


@given(linear(hfu=0.4, recompute_share=0.0), number(0, 1))
def test_an_hfu_contains_the_recomputation(table: dict[str, Any], recompute: float) -> None:
    without, with_it = (cost(**table | {"recompute_share": r}) for r in (0.0, recompute))
    assert with_it.metrics["achieved_hfu"] == pytest.approx(0.4, rel=REL)
    assert with_it.total_usd == pytest.approx(without.total_usd * (1 + recompute), rel=REL)


@given(tables(mfu=0.3), number(0, 1))
def test_mfu_and_the_hfu_that_goes_with_it_cost_the_same(
    table: dict[str, Any], recompute: float
) -> None:
    by_mfu = cost(**table | {"recompute_share": recompute})
    hfu = {**table, "recompute_share": recompute, "hfu": 0.3 * (1 + recompute)}
    del hfu["mfu"]
    assert cost(**hfu).total_usd == pytest.approx(by_mfu.total_usd, rel=REL)


def test_attention_adds_its_flops() -> None:
    plain = {name: value for name, value in OWN.items() if name not in SIZES}
    attention = 6 * 40 * 5120 * 4096 / (6 * 13e9)  # causal: half of it
    assert attention > 0.05
    without, with_it = (cost(**t).total_usd - OWN["software_fixed_usd"] for t in (plain, OWN))
    assert with_it == pytest.approx(without * (1 + attention))
    full = cost(**OWN | {"attention": "full"}).total_usd - OWN["software_fixed_usd"]
    assert full == pytest.approx(without * (1 + 2 * attention))


# The traps of the trade, with their numbers (section 8 of the model)


@pytest.mark.parametrize(
    ("low", "high", "per_dollar"), [(0.3, 0.4, 1 / 3), (0.4, 0.5, 0.25), (0.5, 0.6, 0.2)]
)
@pytest.mark.parametrize("procurement", ["own", "rent"])
def test_ten_points_of_mfu(low: float, high: float, per_dollar: float, procurement: str) -> None:
    table = {**H100, "procurement": procurement, "storage_usd_per_hour": 0}
    before, after = (cost(**table | {"mfu": mfu}) for mfu in (low, high))
    assert after.total_usd / before.total_usd == pytest.approx(low / high)
    flops_per_dollar = [r.metrics["flops"] / r.total_usd for r in (before, after)]
    assert flops_per_dollar[1] / flops_per_dollar[0] - 1 == pytest.approx(per_dollar)


def test_from_30_to_40_percent_of_mfu_saves_a_quarter_of_the_compute() -> None:
    table = {**H100, "procurement": "rent", "storage_usd_per_hour": 0}
    before, after = (cost(**table | {"mfu": mfu}).components["rental"] for mfu in (0.3, 0.4))
    assert after / before - 1 == pytest.approx(-0.25)


def test_a_sparse_peak_would_halve_every_time() -> None:
    figures = {
        **{name: OWN[name] for name in ("accelerator_price_usd", "tdp_watts")},
        "host_price_usd_per_accelerator": 0,
        "host_watts_per_accelerator": 0,
    }
    table = {**H100, **figures, "accelerator": "custom", "procurement": "own"}
    dense, sparse = (cost(**table | {"peak_tflops": peak}) for peak in (989.4, 1979))
    assert sparse.metrics["wall_hours"] / dense.metrics["wall_hours"] == pytest.approx(
        0.5, rel=1e-3
    )


def test_ten_thousand_h100_are_not_seven_megawatts() -> None:
    table = {**H100, "accelerators": 10_000, "procurement": "own"}
    assert cost(**table).metrics["peak_it_mw"] == pytest.approx(12.75)
    chips = cost(**table | {"host_watts_per_accelerator": 0})
    assert chips.metrics["peak_it_mw"] == pytest.approx(7.0)


def test_pue_from_1_5_to_1_1() -> None:
    before, after = (cost(**{**H100, "procurement": "own", "pue": pue}) for pue in (1.5, 1.1))
    assert after.components["cooling"] / before.components["cooling"] == pytest.approx(0.2)
    bills = [r.components["power"] + r.components["cooling"] for r in (before, after)]
    assert bills[1] / bills[0] == pytest.approx(1.1 / 1.5)
    assert after.components["power"] == before.components["power"]
    assert after.metrics["energy_gwh"] / before.metrics["energy_gwh"] == pytest.approx(1.1 / 1.5)


def test_accelerators_at_50_to_70_percent_are_a_ratio_of_1_43_to_2() -> None:
    # Nothing is paid but accelerators and staff, and the staff makes the share what it is.
    free = dict.fromkeys(
        (
            "host_price_usd_per_accelerator",
            "network_share",
            "storage_share",
            "facility_usd_per_kw",
            "facility_om_usd_per_kw_year",
            "electricity_usd_per_kwh",
            "waste_share",
        ),
        0,
    )
    table = {**H100, **free, "procurement": "own", "staff_fte": 1}
    alone = cost(**table, staff_usd_per_fte_year=0)
    assert alone.metrics["total_over_accelerators"] == pytest.approx(1)
    years = alone.metrics["wall_hours"] / 8760
    for share, ratio in [(0.7, 1.43), (0.5, 2.0)]:
        staff = alone.total_usd * (1 / share - 1) / years
        result = cost(**table, staff_usd_per_fte_year=staff)
        assert result.metrics["total_over_accelerators"] == pytest.approx(ratio, abs=0.002)
        assert result.to_frame().loc["accelerators", "share"] == pytest.approx(share)


@pytest.mark.parametrize(("price", "years"), [(0.08, 3), (0.08, 4), (0.2, 3), (0.2, 4)])
def test_power_and_cooling_are_6_to_28_percent_of_capex(price: float, years: float) -> None:
    """Over the life of the cluster, always in use: not the 30 to 50% that one reads."""
    run = cost(
        **H100,
        procurement="own",
        electricity_usd_per_kwh=price,
        depreciation_years=years,
        utilization=1,
        waste_share=0,
    )
    cluster = sum(run.components[n] for n in ("accelerators", "hosts", "network", "storage"))
    share = (run.components["power"] + run.components["cooling"]) / cluster
    assert 0.05 < share < 0.28  # 6% with the host at nameplate


def test_communication_is_not_counted_unless_asked_for() -> None:
    table = {**H100, "procurement": "rent", "storage_usd_per_hour": 0}
    assert Scenario(**table).values["communication_share"] == 0
    plain, derated = cost(**table), cost(**table | {"communication_share": 0.2})
    assert derated.total_usd == pytest.approx(plain.total_usd / 0.8)


def test_an_mfu_above_1_is_what_a_wrong_total_of_hours_implies() -> None:
    # DeepSeek-V2's 172,800 hours are per trillion tokens; as the total they would be 166%.
    mfu = 6 * 21e9 * 8.1e12 / (172_800 * 3600 * 989.4e12)
    assert mfu == pytest.approx(1.66, abs=0.01)
    with pytest.raises(Exception, match="out of range"):
        cost(**H100 | {"mfu": mfu}, procurement="own")


def test_a_metric_that_rests_on_an_unknown_figure_is_missing() -> None:
    table = {**H100, "accelerator": "tpu-v7", "procurement": "rent", "storage_usd_per_hour": 0}
    metrics = cost(**table, rental_usd_per_accelerator_hour=2).metrics
    assert metrics["peak_it_mw"] is None
    assert metrics["energy_gwh"] is None
    assert metrics["total_over_accelerators"] is None
    assert metrics["wall_hours"] is not None

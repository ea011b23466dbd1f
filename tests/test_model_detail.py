"""The detailed parts of the model: a step, failures, a network, storage, depreciation by age.

Worked by hand from the formulas of the papers, or held against a number that somebody measured.
"""

from math import ceil, sqrt
from typing import Any

import numpy_financial as npf
import pandas as pd
import pytest

from xl_tco import InputError, Result, Scenario, evaluate, evaluate_frame
from xl_tco.core import depreciation, memory

H100: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}
STEP: dict[str, Any] = {
    **{name: value for name, value in H100.items() if name != "mfu"},
    "kernel_efficiency": 0.6,
    "layers": 80,
    "hidden_size": 8192,
    "sequence_length": 4096,
    "heads": 64,
    "batch_tokens": 4096 * 1024,
    "micro_batch": 1,
    "tensor_parallel": 8,
    "pipeline_parallel": 4,
    "zero_stage": 1,
    "recomputation": "full",
    "link_gb_per_s": 450,
    "link_latency_seconds": 1e-6,
    "domain_accelerators": 8,
    "network_gb_per_s": 50,
    "network_latency_seconds": 5e-6,
    "oversubscription": 2,
    "overlap_share": 0.25,
    "storage_gb_per_s": 0.1,
    "token_bytes": 4,
    "memory_gb": 80,
    "memory_other_gb": 2,
}
LLAMA: dict[str, Any] = {
    "parameters": 405e9,
    "tokens": 15.6e12,
    "accelerator": "h100-sxm",
    "accelerators": 16_384,
    "procurement": "own",
    "staff_fte": 0,
}


def cost(**table: Any) -> Result:
    return evaluate(Scenario(**table))


def refusal(**table: Any) -> str:
    with pytest.raises(InputError) as caught:
        cost(**table)
    return str(caught.value)


# A step


def test_a_step_by_hand() -> None:
    metrics = cost(**STEP).metrics
    replicas, micro_batches = 1024 / 32, 1024 / 32
    flops = (6 * 70e9 + 12 * 80 * 8192 * 4096) * 4096 * 1024
    computing = flops * 4 / 3 / (1024 * 989.4e12 * 0.6)
    # Six all-reduces of 4096 · 8192 values of 2 bytes a layer and micro-batch, 20 layers a stage.
    activations = 4096 * 8192 * 2
    tensor = 20 * micro_batches * 6 * 2 * (7 / 8 * activations / 450e9 + 7 * 1e-6)
    network = 50e9 / 2
    stages = micro_batches * 2 * (activations / 8 / network + 5e-6)
    gradients = 2 * (31 / 32 * 70e9 * 2 / 32 / network + 31 * 5e-6) * 0.75
    bubble = (computing + tensor) * 3 / micro_batches
    reading = 4096 * 1024 * 4 / (1024 * 0.1e9)
    step = computing + tensor + stages + gradients + bubble + reading
    assert metrics["data_parallel"] == replicas
    assert metrics["step_seconds"] == pytest.approx(step, rel=1e-12)
    assert metrics["compute_step_share"] == pytest.approx(computing / step, rel=1e-12)
    communication = (tensor + stages + gradients) / step
    assert metrics["communication_step_share"] == pytest.approx(communication, rel=1e-12)
    assert metrics["bubble_step_share"] == pytest.approx(bubble / step, rel=1e-12)
    assert metrics["storage_step_share"] == pytest.approx(reading / step, rel=1e-12)
    mfu = flops / (1024 * 989.4e12 * step)
    assert metrics["achieved_mfu"] == pytest.approx(mfu, rel=1e-12)
    assert metrics["achieved_hfu"] == pytest.approx(mfu * 4 / 3, rel=1e-12)
    steps = 1.4e12 / (4096 * 1024)
    assert metrics["productive_hours"] == pytest.approx(steps * step / 3600, rel=1e-12)


def test_memory_by_hand() -> None:
    metrics = cost(**STEP).metrics
    # ZeRO stage 1: weights 2 and gradients 2 bytes whole, optimizer states over 32 replicas.
    states = 70e9 / 32 * (2 + 2 + 12 / 32)
    # Full recomputation keeps a layer's input, of four micro-batches of 20 layers.
    activations = 2 * 4096 * 8192 * 80
    assert metrics["memory_needed_gb"] == pytest.approx((states + activations) / 1e9 + 2)


def test_the_fullest_stage_must_fit() -> None:
    """80 layers in 6 stages of 14, but for the last: 84/80 of the mean."""
    table = {**STEP, "accelerators": 48 * 8, "tensor_parallel": 8, "zero_stage": 0}
    even = {**table, "pipeline_parallel": 8, "batch_tokens": 4096 * 48 * 64}
    odd = {**even, "pipeline_parallel": 6, "memory_gb": 500, "memory_other_gb": 0}
    needed = cost(**odd).metrics["memory_needed_gb"]
    states = 16 * 70e9 / 48 * 84 / 80
    activations = 2 * 4096 * 8192 * 84
    assert needed == pytest.approx((states + activations) / 1e9)


def test_experts_by_hand() -> None:
    mixture = {
        **STEP,
        "parameters": 20e9,
        "parameters_total": 140e9,
        "experts": 64,
        "active_experts": 4,
        "tensor_parallel": 1,
        "expert_parallel": 16,
        "pipeline_parallel": 4,
        "overlap_share": 0,
    }
    metrics = cost(**mixture).metrics
    # 60 idle experts of 64 are 120e9 parameters: all experts 128e9, and 12e9 of anything else.
    assert metrics["data_parallel"] == 16
    states = 12e9 / 4 * (4 + 12 / 256) + 128e9 / 16 / 4 * (4 + 12 / 16)
    activations = 2 * 4096 * 8192 * 80
    assert metrics["memory_needed_gb"] == pytest.approx((states + activations) / 1e9 + 2)
    micro_batches, network = 1024 / 256, 25e9
    exchange = 6 * (15 / 16 * 4096 * 4 * 8192 * 2 / network + 15 * 5e-6)
    layers = 20 * micro_batches * exchange
    activations = 4096 * 8192 * 2
    stages = micro_batches * 2 * (activations / network + 5e-6)
    gradients = sum(
        2 * ((ranks - 1) / ranks * held * 2 / network + (ranks - 1) * 5e-6)
        for ranks, held in [(256, 12e9 / 4), (16, 128e9 / 16 / 4)]
    )
    wanted = layers + stages + gradients
    share = metrics["communication_step_share"]
    assert share is not None
    assert share * metrics["step_seconds"] == pytest.approx(wanted, rel=1e-12)


def test_a_degree_within_the_domain_takes_the_fast_link() -> None:
    far = cost(**STEP | {"tensor_parallel": 8, "domain_accelerators": 4}).metrics["step_seconds"]
    near = cost(**STEP).metrics["step_seconds"]
    assert far is not None
    assert near is not None
    assert far > near


def test_llama_3_laid_out_as_it_was_comes_near_its_published_mfu() -> None:
    """41% (table 4): tensor 8, pipeline 16 in chunks of about a layer, 16M tokens a step.

    That kernels reach 0.65 of the peak is an assumption. The prediction is above the measurement:
    it knows no imbalance between stages, and no link that is slower than its data sheet.
    """
    metrics = cost(
        **LLAMA,
        kernel_efficiency=0.65,
        layers=126,
        hidden_size=16_384,
        sequence_length=8192,
        heads=128,
        batch_tokens=2**24,
        tensor_parallel=8,
        pipeline_parallel=16,
        pipeline_chunks=7,
        zero_stage=2,
        recomputation="selective",
    ).metrics
    assert metrics["data_parallel"] == 128
    assert 0.41 < metrics["achieved_mfu"] < 0.41 * 1.15


def test_what_does_not_fit_names_the_shortfall() -> None:
    needed = cost(**STEP | {"memory_gb": 200}).metrics["memory_needed_gb"]
    message = refusal(**STEP | {"memory_gb": 10})
    assert f"training needs {needed:,.1f} GB an accelerator" in message
    assert f"{needed - 10:,.1f} GB more than the 10 there are" in message
    assert "tensor_parallel" in message


def test_the_layout_is_that_of_the_papers_function() -> None:
    layer = memory.layer_activation_bytes(1, 4096, 8192, 64, 8, 1, memory.SELECTIVE)
    plain = cost(**STEP | {"memory_gb": 999}).metrics["memory_needed_gb"]
    kept = cost(**STEP | {"recomputation": "selective", "memory_gb": 999}).metrics
    full = 2 * 4096 * 8192
    assert kept["memory_needed_gb"] - plain == pytest.approx((layer - full) * 80 / 1e9)


# Failures


def test_llama_3_fails_every_three_hours() -> None:
    """419 unexpected interruptions of 16,384 accelerators in 54 days: one every 3.09 hours."""
    mtbf = 54 * 24 * 16_384 / 419
    metrics = cost(**LLAMA, mfu=0.41, accelerator_mtbf_hours=mtbf).metrics
    assert metrics["cluster_mtbf_hours"] == pytest.approx(3.09, abs=0.005)
    days = metrics["wall_days"]
    assert metrics["failures"] == pytest.approx(419 / 54 * days)


def test_waste_by_hand() -> None:
    table = H100 | {
        "accelerator_mtbf_hours": 50_000,
        "storage_gb_per_s": 0.01,
        "restart_hours": 0.4,
        "straggler_share": 0.02,
    }
    metrics = cost(**table).metrics
    mtbf = 50_000 / 1024
    write = 70e9 * 14 / 1e9 / (1024 * 0.01) / 3600
    interval = sqrt(2 * write * mtbf)
    waste = write / interval + interval / (2 * mtbf) + 0.4 / mtbf + 0.02
    assert metrics["checkpoint_gb"] == pytest.approx(980)
    assert metrics["checkpoint_write_hours"] == pytest.approx(write)
    assert metrics["interval_hours"] == pytest.approx(interval)
    assert metrics["goodput"] == pytest.approx(1 - waste)
    given = cost(**table, checkpoint_interval_hours=5).metrics
    assert given["interval_hours"] == 5
    assert given["goodput"] < metrics["goodput"]  # Young's is the best
    daly = cost(**table, checkpoint_method="daly").metrics["interval_hours"]
    assert daly == pytest.approx(interval, rel=0.05)
    assert daly != interval


def test_failures_that_leave_no_time_are_refused() -> None:
    assert "makes no progress" in refusal(**H100, accelerator_mtbf_hours=200)


# Network and storage


def test_a_fat_tree_by_hand() -> None:
    # 1,024 endpoints on 64 ports: 32 leaves of 32 down and 32 up, 16 spine switches.
    table = H100 | {
        "network_topology": "fat-tree",
        "switch_usd": 30_000,
        "transceiver_usd": 900,
        "cable_usd": 50,
        "switch_watts": 1_000,
        "transceiver_watts": 14,
    }
    result = cost(**table)
    metrics = result.metrics
    assert metrics["network_switches"] == 48
    assert metrics["network_cables"] == 2 * 1024
    assert metrics["network_transceivers"] == 4 * 1024
    usd = 48 * 30_000 + 4096 * 900 + 2048 * 50
    assert metrics["network_capex_usd"] == pytest.approx(usd)
    assert metrics["network_kw"] == pytest.approx(48 + 4096 * 0.014)
    without = cost(**H100, network_price_usd=usd).metrics
    assert metrics["peak_it_mw"] - without["peak_it_mw"] == pytest.approx(
        (48 + 4096 * 0.014) / 1000
    )
    # Storage is a share of the cluster, which the network in money is part of.
    storage = metrics["storage_capex_usd"] / metrics["cluster_capex_usd"]
    assert storage == pytest.approx(result.scenario.values["storage_share"])


def test_a_dragonfly_has_no_room_for_too_many() -> None:
    message = refusal(**H100, network_topology="dragonfly", switch_radix=8)
    assert "no room for 1,024 endpoints" in message
    big = cost(**H100, network_topology="dragonfly").metrics["network_switches"]
    # p = 16: groups of 32 switches and 512 endpoints.
    assert big == 64


def test_storage_by_hand() -> None:
    metrics = cost(**H100, storage_usd_per_tb=150, epochs=2, checkpoints_kept=5).metrics
    terabytes = 1.4 / 2 * 4 + 5 * 0.98
    assert metrics["storage_tb"] == pytest.approx(terabytes)
    assert metrics["storage_capex_usd"] == pytest.approx(terabytes * 150)


# Depreciation

METHODS = ("straight-line", "annuity", "declining-balance", "sum-of-years", "exponential")


@pytest.mark.parametrize("method", METHODS)
def test_runs_that_fill_the_life_are_charged_the_price_once(method: str) -> None:
    """Of each method that charges by age, runs one after the other, wall time for wall time."""
    table = H100 | {"depreciation_method": method, "discount_rate": 0.08, "utilization": 1}
    years = cost(**table).metrics["wall_hours"] / 8760
    count = 20
    table |= {"depreciation_years": years * count, "residual_share": 0.1}
    charged = []
    for number in range(count):
        result = cost(**table, age_years=years * number)
        charged.append(result.components["accelerators"] / result.metrics["goodput"])
    price = result.metrics["accelerators_capex_usd"]
    wanted = {
        "straight-line": 0.9 * price,
        "sum-of-years": 0.9 * price,
        "annuity": -float(npf.pmt(0.08, years * count, price, -0.1 * price)) * years * count,
        "exponential": price * (1 - 10 ** (-0.14 * years * count)),
        "declining-balance": price
        - float(
            depreciation.declining_balance_value_usd(
                price, years * count, years * count, 0.1, switch=0.0
            )
        ),
    }
    assert sum(charged) == pytest.approx(wanted[method], rel=1e-9)
    if method not in ("straight-line", "annuity"):
        assert charged[0] > charged[-1]


@pytest.mark.parametrize("method", ["declining-balance", "sum-of-years"])
def test_a_run_beyond_the_life_is_refused(method: str) -> None:
    message = refusal(**H100, depreciation_method=method, age_years=3.99)
    assert "beyond its life of 4" in message
    assert method in message


def test_interest_makes_owning_dearer() -> None:
    plain = cost(**H100)
    annuity = cost(**H100, depreciation_method="annuity", discount_rate=0.1)
    for name in ("accelerators", "facility"):
        assert annuity.components[name] > plain.components[name]
    payment = -float(npf.pmt(0.1, 4, annuity.metrics["hosts_capex_usd"]))
    years = annuity.metrics["productive_hours"] / 8760 / annuity.scenario.values["utilization"]
    assert annuity.components["hosts"] == pytest.approx(payment * years)


# Tables


def test_rows_of_every_mode_are_costed_as_single_scenarios() -> None:
    rows = [
        H100,
        STEP,
        H100 | {"accelerator_mtbf_hours": 40_000.0},
        H100 | {"network_topology": "fat-tree", "hot_spares": 16},
        H100 | {"network_topology": "dragonfly"},
        H100 | {"storage_usd_per_tb": 150.0, "attention": "causal", "network_price_usd": 2e6},
        STEP | {"recomputation": "selective", "procurement": "rent", "storage_usd_per_hour": 9},
        H100 | {"depreciation_method": "sum-of-years", "region": "us", "software_fixed_usd": 5e5},
    ]
    table = evaluate_frame(pd.DataFrame(rows))
    for number, row in enumerate(rows):
        result = cost(**row)
        assert table["total_usd"][number] == result.total_usd
        for name, value in result.metrics.items():
            seen = table[name][number]
            assert (pd.isna(seen) and value is None) or seen == value, (number, name)


def test_a_table_names_the_rows_that_are_refused() -> None:
    rows = pd.DataFrame([STEP, STEP | {"memory_gb": 10.0}, STEP | {"memory_gb": 12.0}])
    with pytest.raises(InputError, match=r"memory_gb \(row 1, 2\).*more than the 10"):
        evaluate_frame(rows)


def test_counts_are_whole() -> None:
    leaves = ceil(1000 / 32)
    table = H100 | {"accelerators": 1000, "network_topology": "fat-tree"}
    assert cost(**table).metrics["network_switches"] == leaves + 16

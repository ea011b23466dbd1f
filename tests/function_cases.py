"""Good arguments of every spreadsheet function: all of them, so that each can be spoilt in turn."""

from typing import Any

from strategies import as_range

OWN: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10.0,
}
RENT = {**OWN, "procurement": "rent", "storage_usd_per_hour": 50.0}
STEP = {name: value for name, value in OWN.items() if name != "mfu"} | {
    "kernel_efficiency": 0.6,
    "layers": 80.0,
    "hidden_size": 8192.0,
    "sequence_length": 4096.0,
    "heads": 64.0,
    "batch_tokens": 4096.0 * 1024.0,
    "tensor_parallel": 8.0,
    "pipeline_parallel": 4.0,
    "zero_stage": 1.0,
    "recomputation": "selective",
}
INPUTS = as_range(OWN)
WHAT_IF = [["pue", 1.3]]
RANGES = [
    ["field", "low", "mode", "high"],
    ["mfu", 0.3, 0.4, 0.45],
    ["electricity_usd_per_kwh", 0.05, 0.08, 0.15],
]
ANY_RANGES = [
    ["field", "low or P10", "mode or mean", "high, P90 or sd", "distribution"],
    ["mfu", 0.3, 0.4, 0.45, "pert"],
    ["electricity_usd_per_kwh", 0.05, None, 0.15, "uniform"],
    [None, None, None, None, None],
    ["power_draw_share", None, 0.8, 0.1, "normal"],
    ["staff_fte", 8.0, None, 15.0, "lognormal"],
    ["utilization", 0.6, 0.8, 0.9, None],
    ["host_watts_per_accelerator", None, None, None, "triangular"],
]
CASES = [
    ["field", "value", "base", "low", "high", "own"],
    *([name, None, value, None, None, None] for name, value in OWN.items()),
    [None, None, 1.0, 2.0, 3.0, 4.0],
    ["pue", "passed over", None, 1.1, 1.3, None],
    ["electricity_usd_per_kwh", 0.0, None, "unknown", 0.12, 0.06],
    ["hfu", None, None, None, None, None],
]
CORRELATIONS = [
    ["field", "field", "rank correlation"],
    ["mfu", "electricity_usd_per_kwh", -0.6],
    [None, None, None],
]

GPT = [70e9, 80.0, 8192.0, 64.0, 4096.0]
FABRIC = [1024.0, "fat-tree", 32.0, 4.0, 2.0]
DRAGONFLY = [1024.0, "dragonfly", 32.0, 1.0, 1.0]
ATTENTION = [32.0, 4096.0, 32.0, 14336.0, 32000.0, 8.0, 100.0, 1.0]
MIXTURE = [*ATTENTION, 8.0, 2.0, 1.0, 1024.0, 4.0, 2048.0]
DENSE = [*ATTENTION, 0.0, 0.0, 0.0, *MIXTURE[11:], 1.0, "total", 0.0]
ANNUITY = [1e6, 1000.0, 4.0, "annuity", 0.0, 0.1, 0.9, 0.08]

GOOD: dict[str, list[Any]] = {
    "TCO_ACCELERATORS_FOR_DEADLINE": [5.88e23, 500.0, 989.4, 0.4, 0.1, 0.2],
    "TCO_ALLREDUCE_BYTES": [8.0, 1e9],
    "TCO_ALLREDUCE_TIME": [8.0, 1e9, 50.0, 1e-5, 2.0],
    "TCO_AMORTIZATION": [1e6, 1000.0, 4.0, 0.1, 0.9],
    "TCO_BREAKDOWN": [INPUTS, WHAT_IF],
    "TCO_BREAKEVEN": [INPUTS, WHAT_IF, "months"],
    "TCO_BUBBLE": [8.0, 32.0, 2.0],
    "TCO_CASES": [CASES],
    "TCO_CHECKPOINT_INTERVAL": [0.1, 3.0, "daly"],
    "TCO_CLAIMS": [INPUTS, WHAT_IF],
    "TCO_COMPARE": [INPUTS, WHAT_IF, "total_usd"],
    "TCO_DEPRECIATION": [1e6, 1000.0, 4.0, "sum-of-years", 1.0, 0.1, 0.9, 0.08],
    "TCO_FLOPS": [70e9, 1.4e12, 0.3, 80.0, 8192.0, 4096.0],
    "TCO_HFU": [5.88e23, 1024.0, 989.4, 500.0, 0.3],
    "TCO_HISTOGRAM": [
        *(INPUTS, RANGES, CORRELATIONS[:1]),
        *(WHAT_IF, "power_usd", 7.0, 500.0, 1.0),
    ],
    "TCO_HOT_SPARES": [2048.0, 6334.0, 24.0, 0.999],
    "TCO_LEVERS": [INPUTS, WHAT_IF],
    "TCO_LOSS": [70e9, 1.4e12, "hoffmann-2022"],
    "TCO_MEMORY": [*GPT, 2.0, 8.0, 4.0, 32.0, 1.0, "selective"],
    "TCO_METRIC": [INPUTS, "energy_gwh", WHAT_IF],
    "TCO_MFU": [5.88e23, 1024.0, 989.4, 500.0],
    "TCO_MIN_ACCELERATORS": [8e9, 32.0, 4096.0, 32.0, 1024.0, 40.0, 4.0, 3.0, "selective", 1.0],
    "TCO_MTBF": [16384.0, 50677.0],
    "TCO_NETWORK_COST": [*FABRIC, 2e4, 500.0, 80.0, 2.0, 900.0],
    "TCO_NETWORK_SWITCHES": [*FABRIC, 2.0],
    "TCO_OPTIMAL_PARAMETERS": [5.76e23, "hoffmann-2022"],
    "TCO_OPTIMAL_TOKENS": [5.76e23, "hoffmann-2022"],
    "TCO_PARAMETERS": [*MIXTURE, 1.0, "active", 0.0],
    "TCO_PERCENTILE": [
        *(INPUTS, RANGES, 90.0, CORRELATIONS[:1]),
        *(WHAT_IF, "power_usd", 500.0, 1.0),
    ],
    "TCO_POWER_COST": [1024.0, 100.0, 1275.0, 1.2, 0.08, 0.9],
    "TCO_REGION": ["us", "pue"],
    "TCO_RENTAL_COST": [1024.0, 100.0, 2.95, 0.2],
    "TCO_RUN": ["llama-3.1-405b", "tokens"],
    "TCO_SENSITIVITY": [INPUTS, [["mfu", "pue"]], WHAT_IF, 0.2, RANGES],
    "TCO_SOLVE": [INPUTS, "mfu", 3e6, WHAT_IF],
    "TCO_SPEC": ["h100-sxm", "tdp_watts"],
    "TCO_STEP_TIME": [as_range(STEP), [["micro_batch", 2.0]], "compute"],
    "TCO_STORAGE_COST": [15e12, 405e9, 200.0, 2.0, 2.0, 5.0],
    "TCO_TOKENS_FOR_BUDGET": [INPUTS, 3e6, WHAT_IF],
    "TCO_TOTAL": [INPUTS, WHAT_IF, "power"],
    "TCO_VERSION": [],
    "TCO_WALLTIME": [5.88e23, 1024.0, 989.4, 0.4, 0.1, 0.2],
    "TCO_WASTE": [0.1, 3.0, 0.2, 0.01, 1.0],
}

# An argument that makes no difference among the good ones, or cannot be left out among them.
OTHERWISE: dict[tuple[str, str], list[Any]] = {
    ("TCO_DEPRECIATION", "discount_rate"): ANNUITY,
    ("TCO_NETWORK_COST", "network_topology"): [*DRAGONFLY, 2e4, 500.0, 80.0, 2.0, 900.0],
    ("TCO_NETWORK_SWITCHES", "network_topology"): [*DRAGONFLY, 2.0],
    ("TCO_PARAMETERS", "experts"): [*MIXTURE[:9], *DENSE[9:]],
    ("TCO_PARAMETERS", "bias"): DENSE,
    ("TCO_STEP_TIME", "overrides"): [as_range(STEP), [["micro_batch", 2.0]], "communication"],
}


def good(name: str, argument: str = "") -> list[Any]:
    """Good arguments of a function, with which the argument of that name makes a difference."""
    return list(OTHERWISE.get((name, argument), GOOD[name]))

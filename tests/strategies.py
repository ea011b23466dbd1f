"""Random scenarios: complete tables of valid figures, each drawn from its own plausible range.

They know the catalogue only to find out which figures nobody has published, and so must be given.
What must fit together (a layout, a network, a life) is drawn so that it does, worked out by hand.
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from xl_tco.catalogue import accelerator_keys, find, region_keys

PRECISIONS = ("bf16", "fp16", "fp8")
CATALOGUE_FIELDS = (
    "accelerator_price_usd",
    "host_price_usd_per_accelerator",
    "tdp_watts",
    "host_watts_per_accelerator",
    "rental_usd_per_accelerator_hour",
)
STEP_CATALOGUE_FIELDS = ("link_gb_per_s", "domain_accelerators", "network_gb_per_s")
REGION_FIELDS = ("pue", "electricity_usd_per_kwh", "carbon_kg_per_kwh")
NEEDED = {
    "own": CATALOGUE_FIELDS[:4],
    "rent": ("rental_usd_per_accelerator_hour", "storage_usd_per_hour"),
}


def number(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats of a range, as people write them: nine digits, and no dust next to zero or one.

    A difference such as 1 − 0.9999999999999999 leaves no digits to compare; LibreOffice shows 0.
    """
    floats = st.floats(low, high, allow_nan=False, allow_infinity=False)
    return floats.map(lambda value: 0.0 if low == 0 and value < 1e-9 else float(f"{value:.9g}"))


def whole(low: int, high: int) -> st.SearchStrategy[float]:
    """Whole numbers of a range, as floats."""
    return st.integers(low, high).map(float)


SIZES = {
    "layers": whole(1, 200),
    "hidden_size": whole(64, 50_000),
    "sequence_length": whole(128, 1_000_000),
}
ALWAYS = {
    "parameters": number(1e6, 1e13),
    "tokens": number(1e6, 1e15),
    "accelerators": whole(1, 1_000_000),
    "staff_fte": number(0, 5000),
}
OPTIONAL = {
    "recompute_share": number(0, 1),
    "experiment_multiplier": number(1, 100),
    "communication_share": number(0, 0.9),
    "waste_share": number(0, 0.95),
    "accelerator_price_usd": number(0, 1e6),
    "host_price_usd_per_accelerator": number(0, 1e5),
    "network_share": number(0, 0.45),
    "storage_share": number(0, 0.45),
    "residual_share": number(0, 1),
    "depreciation_years": number(0.5, 30),
    "utilization": number(0.01, 1),
    "facility_usd_per_kw": number(0, 1e5),
    "facility_life_years": number(0.5, 50),
    "facility_om_usd_per_kw_year": number(0, 1e4),
    "tdp_watts": number(1, 5000),
    "power_draw_share": number(0, 1),
    "host_watts_per_accelerator": number(0, 5000),
    "pue": number(1, 3),
    "electricity_usd_per_kwh": number(0, 2),
    "staff_usd_per_fte_year": number(0, 5e6),
    "software_usd_per_accelerator_year": number(0, 1e5),
    "storage_usd_per_hour": number(0, 1e5),
    "rental_usd_per_accelerator_hour": number(0, 100),
    "reservation_discount": number(0, 1),
}
FURTHER: dict[str, st.SearchStrategy[Any]] = {
    # A rate far below these leaves 1 − (1+i)^−n no digits in a spreadsheet.
    "discount_rate": st.just(0.0) | number(0.001, 1),
    "epochs": number(1, 10),
    "attention": st.sampled_from(["full", "causal"]),
    "recomputation": st.sampled_from(["none", "selective", "full"]),
    "hot_spares": whole(0, 10_000),
    "region": st.sampled_from(region_keys()),
    "network_upkeep_share": number(0, 1),
    "storage_upkeep_share": number(0, 1),
    "age_years": number(0, 10),
    "host_draw_share": number(0, 1),
    "demand_usd_per_kw_month": number(0, 100),
    "carbon_kg_per_kwh": number(0, 2),
    "carbon_usd_per_tonne": number(0, 1000),
    "software_fixed_usd": number(0, 1e8),
    "start_date": st.sampled_from(["2024-01", "2026-11", "2031-12"]),
}
"""What else may be left out; of each there is a default, or no need."""

BYTES = number(1, 8)
STEP = {
    "zero_stage": whole(0, 3),
    "overlap_share": number(0, 1),
    "link_gb_per_s": number(1, 2000),
    "link_latency_seconds": number(0, 1e-3),
    "domain_accelerators": whole(1, 128),
    "network_gb_per_s": number(0.1, 400),
    "network_latency_seconds": number(0, 1e-3),
    "oversubscription": number(1, 8),
    "storage_gb_per_s": number(0.01, 10),
    "token_bytes": number(0, 8),
    "memory_other_gb": number(0, 100),
    "weight_bytes": BYTES,
    "gradient_bytes": BYTES,
    "optimizer_bytes": number(0, 16),
}
FABRIC = {
    "oversubscription": number(1, 8),
    "network_rails": whole(1, 8),
    "network_ports": st.sampled_from([0.5, 1.0, 2.0, 8.0]),
    "switch_usd": number(0, 1e6),
    "transceiver_usd": number(0, 1e4),
    "cable_usd": number(0, 1e4),
    "adapter_usd": number(0, 1e4),
    "switch_watts": number(0, 1e4),
    "transceiver_watts": number(0, 100),
}
CAPACITY = {
    "storage_gb_per_s": number(0.01, 10),
    "token_bytes": number(0, 8),
    "weight_bytes": BYTES,
    "optimizer_bytes": number(0, 16),
    "storage_usd_per_gb_per_s": number(0, 1e5),
    "checkpoints_kept": number(0, 1000),
}
FAILURES = {
    "storage_gb_per_s": number(0.01, 10),
    "weight_bytes": BYTES,
    "optimizer_bytes": number(0, 16),
    "checkpoint_method": st.sampled_from(["young", "daly"]),
    "straggler_share": number(0, 0.05),
}
BY_AGE = ("declining-balance", "sum-of-years", "exponential")
METHODS = ("straight-line", "annuity", *BY_AGE)


@st.composite
def tables(
    draw: st.DrawFn,
    procurement: str | None = None,
    accelerator: str | None = None,
    *,
    plain: bool = False,
    **fixed: Any,
) -> dict[str, Any]:
    """Draw what someone might give for one scenario, and that is in order.

    Figures that the catalogue has may be left out; those that it has not are there. ``fixed``
    figures are as said, and None leaves one out. ``plain`` ones have no part from the bottom up:
    no step, failures, topology or capacity.
    """
    pay = procurement or draw(st.sampled_from(["own", "rent"]))
    key = accelerator or draw(st.sampled_from([*accelerator_keys(), "custom"]))
    given: dict[str, Any] = {name: draw(strategy) for name, strategy in ALWAYS.items()}
    given |= {"procurement": pay, "accelerator": key}
    peaks = {
        precision: figure.value
        for precision in PRECISIONS
        if (figure := find(key, f"peak_tflops_{precision}")) and figure.value is not None
    }
    precision = draw(st.sampled_from(sorted(peaks or PRECISIONS)))
    if precision != "bf16" or draw(st.booleans()):
        given["precision"] = precision
    if precision not in peaks or draw(st.booleans()):
        given["peak_tflops"] = draw(number(1.0, float(peaks.get(precision, 5000.0))))
    if draw(st.booleans()):
        given |= {name: draw(strategy) for name, strategy in SIZES.items()}
    chosen = draw(st.sets(st.sampled_from(sorted(OPTIONAL))))
    unknown = {name for name in CATALOGUE_FIELDS if not _known(key, name)}
    chosen |= {
        name
        for name in NEEDED[pay]
        if name in unknown or name == "storage_usd_per_hour"  # nobody's default when rented
    }
    given |= {name: draw(OPTIONAL[name]) for name in sorted(chosen)}
    given |= _some(draw, FURTHER)
    region = given.get("region", "us")
    for name in REGION_FIELDS:
        if not _known(region, name):
            given[name] = draw((OPTIONAL | FURTHER)[name])
    given |= {name: value for name, value in fixed.items() if value is not None}
    for group in (_rate, _network, _storage, _waste, _depreciation):
        group(draw, given, fixed, plain)
    return {name: value for name, value in (given | fixed).items() if value is not None}


def _known(key: str, field: str) -> bool:
    figure = find(key, field)
    return figure is not None and figure.value is not None


def _some(draw: st.DrawFn, figures: Mapping[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    """Draw some of a group of figures."""
    return {name: draw(figures[name]) for name in draw(st.sets(st.sampled_from(sorted(figures))))}


def _way(draw: st.DrawFn, fixed: Mapping[str, Any], *ways: str) -> str:
    """Draw one of several ways to say the same: the one that is fixed, if any is."""
    said = [way for way in ways if fixed.get(way) is not None]
    return said[0] if said else draw(st.sampled_from([w for w in ways if w not in fixed]))


def _rate(draw: st.DrawFn, given: dict[str, Any], fixed: Mapping[str, Any], plain: bool) -> None:
    layout = {"accelerators", "parameters", "communication_share", *SIZES}
    step = ("kernel_efficiency",) if not plain and layout.isdisjoint(fixed) else ()
    way = _way(draw, fixed, "mfu", "hfu", *step)
    if way == "kernel_efficiency":
        _step(draw, given)
    else:
        # An HFU of at most 1.
        given.setdefault(way, draw(number(0.01, 1 if way == "hfu" else 0.5)))
        if not plain and draw(st.booleans()):
            given["parameters_total"] = given["parameters"] * draw(whole(1, 10))


def _step(draw: st.DrawFn, given: dict[str, Any]) -> None:
    """Draw a layout: degrees that divide what they must, a batch that is shared out evenly."""
    given["kernel_efficiency"] = draw(number(0.05, 1))
    given.pop("communication_share", None)  # the step has its own
    tensor, pipeline = (draw(st.sampled_from([1, 2, 4, 8])) for _ in range(2))
    chunks, expert = draw(st.sampled_from([1, 1, 2, 3])), 1
    given["parameters"] = draw(number(1e6, 1e12))
    if draw(st.booleans()):
        expert = draw(st.sampled_from([1, 2, 4, 8]))
        given["experts"] = float(expert * draw(st.integers(2, 32)))
        given["active_experts"] = draw(whole(1, int(given["experts"]) - 1))
        # The active experts' parameters are among those that a token passes through.
        idle_of_active = given["experts"] / given["active_experts"] - 1
        # Never all of them: the rest of the model is more than the dust between two counts.
        share = draw(st.just(0.0) | number(0.01, 0.9))
        idle = given["parameters"] * min(idle_of_active, 9) * share
        given["parameters_total"] = given["parameters"] + idle
    data, micro = draw(st.integers(1, 64)), draw(st.integers(1, 4))
    in_flight, sequence = draw(st.integers(1, 64)), draw(st.integers(128, 8192))
    given |= {
        "accelerators": float(tensor * pipeline * expert * data),
        "layers": float(pipeline * chunks * draw(st.integers(1, 8))),
        "hidden_size": draw(whole(64, 16_384)),
        "sequence_length": float(sequence),
        "heads": float(tensor * draw(st.integers(1, 16))),
        "batch_tokens": float(sequence * data * expert * micro * in_flight),
        "micro_batch": float(micro),
        "memory_gb": 1e6,
        **_some(draw, STEP),
    }
    degrees = (("tensor", tensor), ("pipeline", pipeline), ("expert", expert))
    counts = {f"{name}_parallel": degree for name, degree in degrees} | {"pipeline_chunks": chunks}
    for name, count in counts.items():
        if count > 1 or draw(st.booleans()):
            given[name] = float(count)
    for name in STEP_CATALOGUE_FIELDS:
        if not _known(given["accelerator"], name):
            given.setdefault(name, draw(STEP[name]))


def _network(draw: st.DrawFn, given: dict[str, Any], fixed: Mapping[str, Any], plain: bool) -> None:
    topology = () if plain else ("network_topology",)
    way = _way(draw, fixed, "network_share", "network_price_usd", *topology)
    if way == "network_share":
        return
    given.pop("network_share", None)
    if way == "network_price_usd":
        given.setdefault(way, draw(number(0, 1e10)))
        return
    given.setdefault(way, draw(st.sampled_from(["fat-tree", "dragonfly"])))
    figures = _some(draw, FABRIC)
    given |= {name: value for name, value in figures.items() if name not in given}
    ports = given.get("network_ports", 1.0)
    endpoints = (given["accelerators"] + given.get("hot_spares", 0.0)) * ports
    # Twice the cube root: a fat tree of three tiers has room for about k³/4, a dragonfly for more.
    least = max(16, int(2 * endpoints ** (1 / 3)) + 1)
    given["switch_radix"] = draw(whole(least, least + draw(st.sampled_from([1, 100, 2000]))))


def _storage(draw: st.DrawFn, given: dict[str, Any], fixed: Mapping[str, Any], plain: bool) -> None:
    capacity = () if plain else ("storage_usd_per_tb",)
    way = _way(draw, fixed, "storage_share", "storage_price_usd", *capacity)
    if way == "storage_share":
        return
    given.pop("storage_share", None)
    given.setdefault(way, draw(number(0, 1e10 if way == "storage_price_usd" else 1e4)))
    if way == "storage_usd_per_tb":
        figures = _some(draw, CAPACITY)
        given |= {name: value for name, value in figures.items() if name not in given}


def _waste(draw: st.DrawFn, given: dict[str, Any], fixed: Mapping[str, Any], plain: bool) -> None:
    failures = () if plain else ("accelerator_mtbf_hours",)
    if _way(draw, fixed, "waste_share", *failures) == "waste_share":
        return
    given.pop("waste_share", None)
    figures = _some(draw, FAILURES)
    given |= {name: value for name, value in figures.items() if name not in given}
    # A failure no more often than twenty checkpoints, or ten restarts, take: nine tenths are lost.
    state = given.get("weight_bytes", 2.0) + given.get("optimizer_bytes", 12.0)
    size = given.get("parameters_total", given["parameters"]) * state / 1e9
    write = size / (given["accelerators"] * given.get("storage_gb_per_s", 0.12)) / 3600
    given["restart_hours"] = draw(number(0, 5))
    between = max(draw(number(10, 1e5)), 20 * write, 10 * given["restart_hours"])
    given["accelerator_mtbf_hours"] = between * given["accelerators"]
    if draw(st.booleans()):
        given["checkpoint_interval_hours"] = write * draw(number(2, 10))


def _depreciation(
    draw: st.DrawFn, given: dict[str, Any], fixed: Mapping[str, Any], _: bool
) -> None:
    if "depreciation_method" in fixed or not draw(st.booleans()):
        return
    method = draw(st.sampled_from(METHODS))
    given["depreciation_method"] = method
    if method not in BY_AGE:
        return
    # The run takes up to five years, at most a quarter of which is the next of the life's.
    hours = draw(number(0.01, 5)) * 8760 * given.setdefault("utilization", draw(number(0.2, 1)))
    given["depreciation_years"] = given.get("age_years", 0.0) + draw(number(40, 80))
    tokens = hours * _tokens_per_hour(given)
    usual = {"mfu", "hfu"} & given.keys() and "accelerator_mtbf_hours" not in given
    if usual and "tokens" not in fixed and 1e3 < tokens < 1e17:
        given["tokens"] = float(f"{tokens:.9g}")
    else:
        del given["depreciation_method"]


def _tokens_per_hour(given: Mapping[str, Any]) -> float:
    """About how many tokens a cluster of a given MFU trains in an hour."""
    attention = 12 * given.get("layers", 0) * given.get("hidden_size", 0)
    flops = 6 * given["parameters"] + attention * given.get("sequence_length", 0)
    figure = find(given["accelerator"], f"peak_tflops_{given.get('precision', 'bf16')}")
    peak = given.get("peak_tflops") or (figure and figure.value) or 0.0
    rate = given.get("mfu", given.get("hfu", 0.0)) * (1 - given.get("communication_share", 0.0))
    productive = rate * (1 - given.get("waste_share", 0.1)) * 3.6e15
    return given["accelerators"] * peak * productive / flops / given.get("experiment_multiplier", 1)


def as_range(table: Mapping[str, Any]) -> list[list[Any]]:
    """Lay a table out as a range of cells: field, value."""
    return [[name, value] for name, value in table.items()]


def drawn(count: int, at: int, **options: Any) -> list[dict[str, Any]]:
    """Draw a number of scenarios once, for tests in which each is dear; ``at`` is the seed."""
    found: list[dict[str, Any]] = []

    @seed(at)
    @settings(max_examples=count, phases=[Phase.generate], database=None, deadline=None)
    @given(tables(**options))
    def collect(table: dict[str, Any]) -> None:
        found.append(table)

    collect()
    return found

"""What each spreadsheet function stands for, in plain Python: the other side of `vectors`.

Single numbers only, and nothing of `xl_tco.core`: the arithmetic is done another way, or by a
search that tries everything. Questions of a whole scenario are asked of the Python interface. The
arguments have the names and the defaults that the functions' help says.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from xl_tco import Scenario, __version__, evaluate
from xl_tco.analysis.claims import claims
from xl_tco.analysis.levers import levers
from xl_tco.analysis.ranking import rank_accelerators
from xl_tco.analysis.rent_or_own import rent_or_own
from xl_tco.analysis.solving import solve
from xl_tco.analysis.tornado import tornado
from xl_tco.analysis.uncertainty import Simulation, simulate
from xl_tco.catalogue import find, runs
from xl_tco.outputs import COMPONENTS

__all__ = ["FORMULAS", "Refused"]

YEAR = 8760.0


class Refused(NamedTuple):
    """No value: the kind of the first fault, and the argument or field that it names."""

    kind: str
    argument: str


def figure(key: str, field: str) -> Any:
    """A figure of the catalogue."""
    entry = find(key, field)
    assert entry is not None
    return entry.value


def peak(tflops: Any) -> float:
    return float(figure(tflops, "peak_tflops_bf16") if isinstance(tflops, str) else tflops)


# A run and its time


def flops(
    parameters: Any,
    tokens: Any,
    recompute_share: Any = 0,
    layers: Any = 0,
    hidden_size: Any = 0,
    sequence_length: Any = 0,
) -> Any:
    attention = 12 * layers * hidden_size * sequence_length
    return (6 * parameters + attention) * tokens * (1 + recompute_share)


def wall_time(
    flops: Any,
    accelerators: Any,
    peak_tflops: Any,
    mfu: Any,
    communication_share: Any = 0,
    waste_share: Any = 0,
) -> Any:
    seconds = flops / (accelerators * peak(peak_tflops) * 1e12 * mfu)
    return seconds / 3600 / (1 - communication_share) / (1 - waste_share)


def hfu(
    flops: Any, accelerators: Any, peak_tflops: Any, hours: Any, recompute_share: Any = 0
) -> Any:
    most = accelerators * peak(peak_tflops) * 1e12 * hours * 3600
    return flops * (1 + recompute_share) / most


def fewest_for_deadline(
    flops: Any,
    hours: Any,
    peak_tflops: Any,
    mfu: Any,
    waste_share: Any = 0,
    communication_share: Any = 0,
) -> Any:
    alone = wall_time(flops, 1, peak_tflops, mfu, communication_share, waste_share)
    return math.ceil(alone / hours)


# Models


def parameters(
    layers: Any,
    hidden_size: Any,
    heads: Any,
    feed_forward_size: Any,
    vocabulary: Any,
    kv_heads: Any = 0,
    head_size: Any = 0,
    tied: Any = 0,
    experts: Any = 0,
    active_experts: Any = 0,
    shared_experts: Any = 0,
    expert_size: Any = 0,
    dense_layers: Any = 0,
    positions: Any = 0,
    bias: Any = 0,
    figure: Any = "total",
    gated: Any = 1,
) -> Any:
    if active_experts > experts:
        return Refused("range", "active_experts")
    width = head_size or hidden_size / heads
    queries, keys = heads * width, (kv_heads or heads) * width
    matrices = 3 if gated else 2
    attention = 2 * hidden_size * queries + 2 * hidden_size * keys
    attention += bias * (queries + 2 * keys + hidden_size)
    dense = matrices * hidden_size * feed_forward_size
    dense += bias * ((matrices - 1) * feed_forward_size + hidden_size)
    expert = matrices * hidden_size * (expert_size or feed_forward_size)
    mixture = hidden_size * experts + (experts + shared_experts) * expert
    mixed = layers - dense_layers if experts else 0
    total = vocabulary * hidden_size * (2 - tied) + positions * hidden_size
    total += layers * attention + (layers - mixed) * dense + mixed * mixture
    total += (2 * layers + 1) * hidden_size * (1 + bias)
    idle = experts - (active_experts or experts)
    return total if figure == "total" else total - mixed * idle * expert


LAWS = {
    # E, A, α, B, β as printed: Besiroglu et al. 2024, table 1; Hoffmann et al. 2022, equation 10.
    "besiroglu-2024": (1.8172, 482.01, 0.3478, 2085.43, 0.3658),
    "hoffmann-2022": (1.69, 406.4, 0.34, 410.7, 0.28),
}


def optimal_parameters(flops: Any, fit: Any = "besiroglu-2024") -> Any:
    _, a, alpha, b, beta = LAWS[fit]
    return ((alpha * a) / (beta * b) * (flops / 6) ** beta) ** (1 / (alpha + beta))


def optimal_tokens(flops: Any, fit: Any = "besiroglu-2024") -> Any:
    return flops / 6 / optimal_parameters(flops, fit)


def loss(parameters: Any, tokens: Any, fit: Any = "besiroglu-2024") -> Any:
    e, a, alpha, b, beta = LAWS[fit]
    return e + a / parameters**alpha + b / tokens**beta


# Clusters

# Bytes a parameter that ZeRO leaves on every replica: of 2 of weights, 2 of gradients, 12 more.
UNSHARDED = {0: 16, 1: 4, 2: 2, 3: 0}


def activations(
    layers: Any,
    hidden_size: Any,
    heads: Any,
    sequence_length: Any,
    micro_batch: Any,
    tensor: Any,
    recomputation: Any,
) -> Any:
    """Korthikanti et al. 2022, table 2, in bytes."""
    layer = sequence_length * micro_batch * hidden_size
    scores = 5 * heads * sequence_length / hidden_size
    kept = {"none": (34 + scores) / tensor, "selective": 34 / tensor, "full": 2}
    return layers * layer * kept[recomputation]


def memory(
    parameters: Any,
    layers: Any,
    hidden_size: Any,
    heads: Any,
    sequence_length: Any,
    micro_batch: Any = 1,
    tensor_parallel: Any = 1,
    pipeline_parallel: Any = 1,
    data_parallel: Any = 1,
    zero_stage: Any = 0,
    recomputation: Any = "none",
) -> Any:
    whole = UNSHARDED[zero_stage]
    states = (whole + (16 - whole) / data_parallel) * parameters
    states /= tensor_parallel * pipeline_parallel
    fullest = -(-layers // pipeline_parallel) * pipeline_parallel  # layers as if all were full
    states *= fullest / layers
    sizes = (fullest, hidden_size, heads, sequence_length, micro_batch, tensor_parallel)
    return (states + activations(*sizes, recomputation)) / 1e9


def fewest_that_fit(
    parameters: Any,
    layers: Any,
    hidden_size: Any,
    heads: Any,
    sequence_length: Any,
    memory_gb: Any,
    micro_batch: Any = 1,
    zero_stage: Any = 0,
    recomputation: Any = "none",
    largest_tensor: Any = 8,
) -> Any:
    room = figure(memory_gb, "memory_gb") if isinstance(memory_gb, str) else memory_gb
    whole = UNSHARDED[zero_stage]
    found = []
    for tensor in (2**power for power in range(20)):
        if tensor > largest_tensor or heads % tensor:
            break
        sizes = (layers, hidden_size, heads, sequence_length, micro_batch, tensor)
        free = room * 1e9 - activations(*sizes, recomputation)
        for stages in range(1, int(layers) + 1):
            ranks = tensor * stages
            left = free - whole * parameters / ranks
            if whole == 16 and left >= 0:
                found.append(ranks)
            elif whole < 16 and left > 0:
                found.append(ranks * math.ceil((16 - whole) * parameters / ranks / left))
    return min(found, default=Refused("range", "memory_gb"))


def allreduce_bytes(ranks: Any, message_bytes: Any) -> Any:
    return 2 * (ranks - 1) / ranks * message_bytes


def allreduce_seconds(
    ranks: Any,
    message_bytes: Any,
    gb_per_second: Any,
    latency_seconds: Any = 0,
    oversubscription: Any = 1,
) -> Any:
    sent = allreduce_bytes(ranks, message_bytes) / (gb_per_second * 1e9 / oversubscription)
    return sent + 2 * (ranks - 1) * latency_seconds


def bubble(pipeline_parallel: Any, micro_batches: Any, pipeline_chunks: Any = 1) -> Any:
    waiting = pipeline_parallel - 1
    return waiting / (pipeline_chunks * micro_batches + waiting)


def two_tiers(
    ends: Any, switch_radix: Any, network_rails: Any, oversubscription: Any
) -> tuple[Any, Any]:
    """Switches, and cables between them, of a fat tree of at most two tiers."""
    if ends <= switch_radix:
        return 1, 0
    down = math.floor(switch_radix * oversubscription / (1 + oversubscription))
    up = math.ceil(down / oversubscription)
    leaves = network_rails * math.ceil(math.ceil(ends / network_rails) / down)
    if leaves > switch_radix:
        raise NotImplementedError("this oracle counts the switches of two tiers, no more")
    return leaves + math.ceil(up / (switch_radix // leaves)), leaves * up


def switches(
    accelerators: Any,
    network_topology: Any = "fat-tree",
    switch_radix: Any = None,
    network_rails: Any = 1,
    oversubscription: Any = 1,
    network_ports: Any = 1,
) -> Any:
    radix = switch_radix or figure("default", "switch_radix")
    return two_tiers(accelerators * network_ports, radix, network_rails, oversubscription)[0]


def network_cost(
    accelerators: Any,
    network_topology: Any = "fat-tree",
    switch_radix: Any = None,
    network_rails: Any = 1,
    oversubscription: Any = 1,
    switch_usd: Any = None,
    transceiver_usd: Any = None,
    cable_usd: Any = None,
    network_ports: Any = 1,
    adapter_usd: Any = 0,
) -> Any:
    ends = accelerators * network_ports
    radix = switch_radix or figure("default", "switch_radix")
    count, between = two_tiers(ends, radix, network_rails, oversubscription)
    cables = ends + between
    price = count * (switch_usd or figure("default", "switch_usd"))
    price += 2 * cables * (transceiver_usd or figure("default", "transceiver_usd"))
    price += cables * (cable_usd or figure("default", "cable_usd"))
    return price + ends * adapter_usd


def storage_cost(
    tokens: Any,
    parameters_total: Any,
    storage_usd_per_tb: Any,
    epochs: Any = 1,
    token_bytes: Any = 4,
    checkpoints_kept: Any = None,
) -> Any:
    kept = checkpoints_kept
    kept = figure("default", "checkpoints_kept") if kept is None else kept
    held = tokens / epochs * token_bytes + 14 * parameters_total * kept
    return held / 1e12 * storage_usd_per_tb


# Failures


def mtbf(accelerators: Any, accelerator_mtbf_hours: Any) -> Any:
    return accelerator_mtbf_hours / accelerators


def interval(write_hours: Any, mtbf_hours: Any, checkpoint_method: Any = "young") -> Any:
    young = math.sqrt(2 * write_hours * mtbf_hours)
    if checkpoint_method == "young":
        return young
    # Daly 2006, equation 37.
    half = write_hours / (2 * mtbf_hours)
    return young * (1 + math.sqrt(half) / 3 + half / 9) - write_hours


def waste(
    write_hours: Any,
    mtbf_hours: Any,
    restart_hours: Any = 0,
    straggler_share: Any = 0,
    interval_hours: Any = 0,
) -> Any:
    taken = interval_hours or math.sqrt(2 * write_hours * mtbf_hours)
    return write_hours / taken + (taken / 2 + restart_hours) / mtbf_hours + straggler_share


def hot_spares(
    units: Any, repair_hours: Any, unit_mtbf_hours: Any, availability: Any = 0.99
) -> Any:
    """Count up until Poisson's probabilities add up to enough."""
    broken = units * repair_hours / unit_mtbf_hours
    term, covered, spares = math.exp(-broken), math.exp(-broken), 0
    while covered < availability:
        spares += 1
        term *= broken / spares
        covered += term
    return spares


# What is paid


def power_cost(
    accelerators: Any,
    hours: Any,
    watts: Any,
    pue: Any,
    usd_per_kwh: Any,
    power_draw_share: Any = 1,
) -> Any:
    return accelerators * watts / 1000 * power_draw_share * pue * hours * usd_per_kwh


def rental_cost(
    accelerators: Any, hours: Any, usd_per_accelerator_hour: Any, reservation_discount: Any = 0
) -> Any:
    return accelerators * hours * usd_per_accelerator_hour * (1 - reservation_discount)


def amortization(
    capex_usd: Any,
    hours: Any,
    depreciation_years: Any,
    residual_share: Any = 0,
    utilization: Any = 1,
) -> Any:
    return depreciation(
        capex_usd, hours, depreciation_years, "straight-line", 0, residual_share, utilization
    )


def depreciation(
    capex_usd: Any,
    hours: Any,
    depreciation_years: Any,
    depreciation_method: Any = "straight-line",
    age_years: Any = 0,
    residual_share: Any = 0,
    utilization: Any = 1,
    discount_rate: Any = None,
) -> Any:
    """Of a run within one year of the asset's life."""
    years, life = hours / YEAR / utilization, depreciation_years
    loses = capex_usd * (1 - residual_share)
    if depreciation_method == "annuity":
        rate = figure("default", "discount_rate") if discount_rate is None else discount_rate
        if rate == 0:
            return loses / life * years
        today = capex_usd - capex_usd * residual_share * (1 + rate) ** -life
        return today * rate / (1 - (1 + rate) ** -life) * years
    if depreciation_method == "sum-of-years":
        return loses * (life - math.floor(age_years)) / (life * (life + 1) / 2) * years
    assert depreciation_method == "straight-line"
    return loses / life * years


# The catalogue


def of_entry(key: Any, field: Any) -> Any:
    found = figure(key, field)
    return Refused("unknown figure", field) if found is None else found


def of_run(run: Any, field: Any) -> Any:
    found = runs()[run, field].value
    return Refused("unknown figure", field) if found is None else found


# A whole scenario, by the Python interface


def scenario(inputs: Sequence[Any], overrides: Sequence[Any] | None) -> Scenario:
    def given(rows: Sequence[Any] | None) -> dict[str, Any]:
        named = {row[0]: row[1] for row in rows or () if row[0] not in (None, "field")}
        return {name: value for name, value in named.items() if value is not None}

    return Scenario(**given(inputs) | given(overrides))


def total(inputs: Any, overrides: Any = None, component: Any = "total") -> Any:
    result = evaluate(scenario(inputs, overrides))
    return result.total_usd if component == "total" else result.components.get(component, 0.0)


def breakdown(inputs: Any, overrides: Any = None) -> Any:
    components = evaluate(scenario(inputs, overrides)).components
    return [[name, components.get(name, 0.0)] for name in COMPONENTS]


def metric(inputs: Any, metric: Any, overrides: Any = None) -> Any:
    return evaluate(scenario(inputs, overrides)).metrics[metric]


def step_time(inputs: Any, overrides: Any = None, part: Any = "total") -> Any:
    metrics = evaluate(scenario(inputs, overrides)).metrics
    share = 1.0 if part == "total" else metrics[f"{part}_step_share"]
    seconds = metrics["step_seconds"]
    assert seconds is not None
    assert share is not None
    return seconds * share


def break_even(inputs: Any, overrides: Any = None, figure: Any = "utilization") -> Any:
    found = rent_or_own(scenario(inputs, overrides))
    return {
        "utilization": found.break_even_utilization,
        "months": found.break_even_months,
        "rent": found.break_even_rental_usd_per_accelerator_hour,
        "own": found.own_usd_per_hour,
        "own_fixed": found.own_fixed_usd_per_year,
        "own_running": found.own_running_usd_per_hour,
        "rent_paid": found.rent_usd_per_hour,
        "answer": found.answer,
        "sentence": found.sentence,
    }[figure]


def compare(inputs: Any, overrides: Any = None, by: Any = "usd_per_effective_tflop_hour") -> Any:
    ranking = rank_accelerators(scenario(inputs, overrides), by=by)
    rows: Iterator[list[Any]] = (
        [row.key, row.total_usd, row.usd_per_effective_tflop_hour, row.status]
        for row in ranking.ranked
    )
    return [*rows, *([row.key, "", "", row.reason] for row in ranking.unranked)]


def solved(inputs: Any, field: Any, total_usd: Any, overrides: Any = None) -> Any:
    return solve(scenario(inputs, overrides), field, total_usd=total_usd).value


def tokens_for_budget(inputs: Any, total_usd: Any, overrides: Any = None) -> Any:
    return solve(scenario(inputs, overrides), "tokens", total_usd=total_usd).value


def totals_of_cases(cases: Any) -> Any:
    """Each the cost of a scenario that its column says alone, but for what it leaves to the base.

    For figures that exclude no other.
    """
    totals = []
    for at, name in enumerate(("base", "low", "high", "own")):
        given: dict[str, Any] = {}
        for field, _, base, *laid in cases:
            figures = [figure for figure in (base, *laid[max(at - 1, 0) : at]) if figure]
            if field not in (None, "field") and (known := [f for f in figures if f != "unknown"]):
                given[field] = known[-1]
        totals.append([name, evaluate(Scenario(**given)).total_usd])
    return totals


def sensitivity(
    inputs: Any,
    fields: Any = None,
    overrides: Any = None,
    swing: Any = 0.1,
    ranges: Any = None,
) -> Any:
    run = scenario(inputs, overrides).replace(**said(ranges or ()))
    if fields is not None:
        fields = [name for row in fields for name in row] if isinstance(fields, list) else [fields]
    elif ranges:
        fields = [*said(ranges)]
    bars = tornado(run, fields, swing).bars
    return [[bar.field, bar.output_low, bar.output_high, bar.low, bar.high] for bar in bars]


def pulled_levers(inputs: Any, overrides: Any = None) -> Any:
    table = levers(scenario(inputs, overrides)).to_frame()
    columns = table[["change_usd", "change_share", "step_usd", "cumulative_usd"]]
    return [
        [name, *row] for name, row in zip(table.index, columns.to_numpy().tolist(), strict=True)
    ]


def put_claims(inputs: Any, overrides: Any = None) -> Any:
    found = claims(scenario(inputs, overrides)).to_dict()["claims"]
    told = [[claim[key] for key in ("id", "low", "high", "value", "verdict")] for claim in found]
    return [["" if value is None else value for value in row] for row in told]


GIVEN_BY = {
    "triangular": "low mode high",
    "pert": "low mode high",
    "uniform": "low - high",
    "normal": "- mean sd",
    "lognormal": "p10 - p90",
}
"""What the columns of ranges hold."""


def said(ranges: Any) -> dict[str, Any]:
    """Ranges as a scenario file would say them."""
    uncertain: dict[str, Any] = {}
    for field, *columns in ranges:
        numbers, kind = columns[:3], (columns[3:] or [None])[0] or "triangular"
        if field in (None, "field") or numbers == [None] * 3:
            continue
        named = zip(GIVEN_BY[kind].split(), numbers, strict=True)
        table = {name: number for name, number in named if number is not None}
        uncertain[field] = {"distribution": kind, **table}
    return uncertain


def simulation(
    inputs: Any,
    ranges: Any,
    correlations: Any,
    overrides: Any,
    output: Any,
    samples: Any,
    seed: Any,
    **asked: Any,
) -> Simulation:
    """Of the scenario with its ranges and correlations."""
    pairs = [row for row in correlations or () if row[0] not in (None, "field")]
    drawn = scenario(inputs, overrides).replace(**said(ranges), correlations=pairs)
    return simulate(drawn, int(samples), int(seed), output, **asked)


def percentile(
    inputs: Any,
    ranges: Any,
    percentile: Any,
    correlations: Any = None,
    overrides: Any = None,
    output: Any = "total_usd",
    samples: Any = 10_000,
    seed: Any = 0,
) -> Any:
    asked = {"percentiles": [percentile]}
    drawn = simulation(inputs, ranges, correlations, overrides, output, samples, seed, **asked)
    [value] = drawn.percentiles.values()
    return value.value


def histogram(
    inputs: Any,
    ranges: Any,
    correlations: Any = None,
    overrides: Any = None,
    output: Any = "total_usd",
    bins: Any = None,
    samples: Any = 10_000,
    seed: Any = 0,
) -> Any:
    asked = {} if bins is None else {"bars": int(bins)}
    drawn = simulation(inputs, ranges, correlations, overrides, output, samples, seed, **asked)
    edges, counts = drawn.histogram.edges, drawn.histogram.counts
    return [[edges[n], edges[n + 1], count / samples] for n, count in enumerate(counts)]


FORMULAS: dict[str, Callable[..., Any]] = {
    "TCO_ACCELERATORS_FOR_DEADLINE": fewest_for_deadline,
    "TCO_ALLREDUCE_BYTES": allreduce_bytes,
    "TCO_ALLREDUCE_TIME": allreduce_seconds,
    "TCO_AMORTIZATION": amortization,
    "TCO_BREAKDOWN": breakdown,
    "TCO_BREAKEVEN": break_even,
    "TCO_BUBBLE": bubble,
    "TCO_CASES": totals_of_cases,
    "TCO_CHECKPOINT_INTERVAL": interval,
    "TCO_CLAIMS": put_claims,
    "TCO_COMPARE": compare,
    "TCO_DEPRECIATION": depreciation,
    "TCO_FLOPS": flops,
    "TCO_HFU": hfu,
    "TCO_HISTOGRAM": histogram,
    "TCO_HOT_SPARES": hot_spares,
    "TCO_LEVERS": pulled_levers,
    "TCO_LOSS": loss,
    "TCO_MEMORY": memory,
    "TCO_METRIC": metric,
    "TCO_MFU": hfu,
    "TCO_MIN_ACCELERATORS": fewest_that_fit,
    "TCO_MTBF": mtbf,
    "TCO_NETWORK_COST": network_cost,
    "TCO_NETWORK_SWITCHES": switches,
    "TCO_OPTIMAL_PARAMETERS": optimal_parameters,
    "TCO_OPTIMAL_TOKENS": optimal_tokens,
    "TCO_PARAMETERS": parameters,
    "TCO_PERCENTILE": percentile,
    "TCO_POWER_COST": power_cost,
    "TCO_REGION": lambda region, field: of_entry(region, field),
    "TCO_RENTAL_COST": rental_cost,
    "TCO_RUN": of_run,
    "TCO_SENSITIVITY": sensitivity,
    "TCO_SOLVE": solved,
    "TCO_SPEC": lambda accelerator, field: of_entry(accelerator, field),
    "TCO_STEP_TIME": step_time,
    "TCO_STORAGE_COST": storage_cost,
    "TCO_TOKENS_FOR_BUDGET": tokens_for_budget,
    "TCO_TOTAL": total,
    "TCO_VERSION": lambda: __version__,
    "TCO_WALLTIME": wall_time,
    "TCO_WASTE": waste,
}
"""What each function stands for; arguments by name."""

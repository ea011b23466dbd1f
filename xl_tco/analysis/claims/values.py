"""What the model gives for each claim of how a run goes; of what it costs, `prices`.

A function a claim: it takes a `Case` and returns a `Value`, or raises `DoesNotApplyError`.
"""

from __future__ import annotations

import math

from xl_tco import catalogue
from xl_tco.analysis.claims.case import (
    H100,
    TEN_THOUSAND,
    Case,
    DoesNotApplyError,
    Measures,
    Value,
    quotient,
)
from xl_tco.analysis.variants import variant
from xl_tco.core import compute, storage, time
from xl_tco.fields import FIELDS
from xl_tco.result import evaluate
from xl_tco.scenario import Scenario

__all__ = ["RUN"]

ONE_THOUSAND = 1_000.0
TEN_POINTS = 0.10
WATTS_PER_MEGAWATT = 1e6

NAMEPLATE = ("tdp_watts", "host_watts_per_accelerator")
MFU = ("mfu", "hfu", "recompute_share", "peak_tflops", "communication_share")
STEP, FAILURES, TOPOLOGY = (
    tuple(name for name, field in FIELDS.items() if mode in field.needs)
    for mode in ("step", "failures", "topology")
)

RUN = Measures()
"""Claims of efficiency, failures, power and storage, by id."""


# Efficiency and time


def _mfu(case: Case) -> float:
    """MFU over the productive time, communication that is counted apart included."""
    hours = case.metric("productive_hours")
    alone = time.productive_hours(
        case.metric("project_flops"), case.number("accelerators"), case.number("peak_tflops"), 1.0
    )
    return float(alone) / hours


@RUN.of("mfu-range")
def _mfu_range(case: Case) -> Value:
    return case.value(_mfu(case), *MFU, *case.part("kernel_efficiency", STEP))


@RUN.of("mfu-ten-points")
def _mfu_ten_points(case: Case) -> Value:
    now = _mfu(case)
    then = (now + TEN_POINTS) / (1.0 - case.number("communication_share"))
    if then * (1.0 + case.number("recompute_share")) > 1.0:
        raise DoesNotApplyError(f"There is no room for ten points above an MFU of {now:.1%}.")
    better = evaluate(variant(case.scenario, {"mfu": then}))
    gain = quotient(case.result.total_usd, better.total_usd, "The run costs nothing.") - 1.0
    return case.value_of_total(gain, remark=f"From {now:.1%} to {now + TEN_POINTS:.1%}.")


@RUN.of("communication-over-computation")
def _communication_over_computation(case: Case) -> Value:
    if case.is_given("kernel_efficiency"):
        ratio = case.metric("communication_step_share") / case.metric("compute_step_share")
        return case.value(ratio, *STEP)
    apart = case.number("communication_share")
    if apart == 0.0:
        raise DoesNotApplyError("The MFU is given, and contains the communication already.")
    return case.value(apart / (1.0 - apart), "communication_share")


@RUN.of("communication-counted-twice")
def _communication_counted_twice(case: Case) -> Value:
    if case.is_given("kernel_efficiency"):
        share = case.metric("communication_step_share")
        remark = "Here it is right: the efficiency given is that of kernels alone."
        return case.value(share, *STEP, remark=remark)
    apart = case.number("communication_share")
    if apart == 0.0:
        raise DoesNotApplyError("No communication is taken off the MFU of this scenario.")
    longer = 1.0 / (1.0 - apart) - 1.0
    remark = f"If the MFU given is a published one, the time is {longer:.1%} too long."
    return case.value(apart, "communication_share", remark=remark)


@RUN.of("sparse-peak")
def _sparse_peak(case: Case) -> Value:
    accelerator, precision = (case.scenario.values[n] for n in ("accelerator", "precision"))
    dense, sparse = (
        catalogue.find(accelerator, f"peak_tflops_{precision}{end}") for end in ("", "_sparse")
    )
    if sparse is None or sparse.value is None:
        problem = f"The catalogue has no sparse peak of {accelerator} in {precision}."
        raise DoesNotApplyError(problem)
    claimed = float(sparse.value)
    remark = f"The sparse peak of {accelerator} in {precision} is {claimed:,g} TFLOP/s"
    if dense is not None and dense.value is not None:
        remark += f", the dense one {dense.value:,g}"
    ends = (claimed, claimed)
    return case.value(case.number("peak_tflops"), "peak_tflops", remark=f"{remark}.", ends=ends)


@RUN.of("six-n-d")
def _six_n_d(case: Case) -> Value:
    plain = compute.model_flops(case.number("parameters"), case.number("tokens"))
    return case.value(case.metric("flops") / float(plain))


@RUN.of("wall-time-formula")
def _wall_time_formula(case: Case) -> Value:
    of_final_run = case.metric("productive_hours") / case.number("experiment_multiplier")
    ratio = case.metric("wall_hours") / of_final_run
    return case.value(ratio, "experiment_multiplier", *_waste_names(case))


@RUN.of("activation-checkpointing")
def _activation_checkpointing(case: Case) -> Value:
    share = case.number("recompute_share")
    if share == 0.0:
        raise DoesNotApplyError("No activations are recomputed.")
    return case.value(share, "recompute_share")


# Failures and size


def _waste_names(case: Case) -> tuple[str, ...]:
    return ("waste_share", *case.part("accelerator_mtbf_hours", FAILURES))


@RUN.of("failures-and-retries")
def _failures_and_retries(case: Case) -> Value:
    return case.value(1.0 - case.metric("goodput"), *_waste_names(case))


@RUN.of("waste-at-ten-thousand")
def _waste_at_ten_thousand(case: Case) -> Value:
    if not case.is_given("accelerator_mtbf_hours"):
        return _failures_and_retries(case)
    # What does not touch the waste, and need not fit a cluster of that size, is put aside.
    aside: dict[str, float | str] = {"network_share": 0.0, "depreciation_method": "straight-line"}
    if case.is_given("kernel_efficiency"):
        aside["mfu"] = case.metric("achieved_mfu")
    scenario = _of_size(variant(case.scenario, aside), TEN_THOUSAND)
    larger = Case(scenario, evaluate(scenario))
    return case.value(1.0 - larger.metric("goodput"), *FAILURES)


@RUN.of("scale-economy")
def _scale_economy(case: Case) -> Value:
    parts = ("kernel_efficiency", "accelerator_mtbf_hours", "network_topology")
    if not any(case.is_given(part) for part in parts):
        known = "Efficiency, waste and network are given, and so are the same at any size."
        raise DoesNotApplyError(known)
    degrees = [f"{name}_parallel" for name in ("tensor", "pipeline", "expert")]
    unit = math.prod(float(case.scenario.values[degree] or 1.0) for degree in degrees)
    sizes = [unit * max(1, round(size / unit)) for size in (ONE_THOUSAND, TEN_THOUSAND)]
    small, large = (evaluate(_of_size(case.scenario, size)) for size in sizes)
    ratio = quotient(large.total_usd, small.total_usd, "The run costs nothing.")
    remark = f"For {sizes[1]:,.0f} accelerators over {sizes[0]:,.0f}."
    return case.value_of_total(ratio, small, large, remark=remark)


def _of_size(scenario: Scenario, accelerators: float) -> Scenario:
    """Return the run on so many accelerators; what was a sum for the cluster grows with them."""
    values = scenario.values
    growth = accelerators / values["accelerators"]
    sums = ("hot_spares", "network_price_usd", "storage_price_usd")
    grown = {name: values[name] * growth for name in sums if name in scenario.given}
    return variant(scenario, {"accelerators": accelerators, **grown})


# Power


@RUN.of("pue-range")
@RUN.of("pue-leading")
@RUN.of("pue-ordinary")
def _pue(case: Case) -> Value:
    return case.value(case.number("pue"), "pue")


@RUN.of("power-capacity")
def _power_capacity(case: Case) -> Value:
    megawatts = case.of_ten_thousand(case.metric("peak_facility_mw"))
    return case.value(megawatts, *NAMEPLATE, "pue", *case.part("network_topology", TOPOLOGY))


@RUN.of("it-power-of-ten-thousand")
def _it_power_of_ten_thousand(case: Case) -> Value:
    megawatts = case.of_ten_thousand(case.metric("peak_it_mw"))
    chips = TEN_THOUSAND * case.number("tdp_watts") / WATTS_PER_MEGAWATT
    return case.value(
        megawatts, *NAMEPLATE, *case.part("network_topology", TOPOLOGY), ends=(chips, chips)
    )


@RUN.of("facility-power-of-ten-thousand")
def _facility_power_of_ten_thousand(case: Case) -> Value:
    of_h100 = catalogue.find(H100, "tdp_watts")
    assert of_h100 is not None
    assert of_h100.value is not None
    chips = case.number("tdp_watts") / float(of_h100.value)
    megawatts = case.of_ten_thousand(case.metric("peak_facility_mw"))
    ends = (8.0 * chips, 11.0 * chips)
    return case.value(
        megawatts, *NAMEPLATE, "pue", *case.part("network_topology", TOPOLOGY), ends=ends
    )


# Storage


@RUN.of("checkpoint-size")
def _checkpoint_size(case: Case) -> Value:
    names = ("weight_bytes", "optimizer_bytes")
    parameters = case.scenario.values["parameters_total"] or case.number("parameters")
    size = storage.checkpoint_terabytes(
        parameters, sum(case.number_or_default(name) for name in names)
    )
    return case.value(float(size) * 1000.0, *names)


@RUN.of("dataset-size")
def _dataset_size(case: Case) -> Value:
    size = storage.dataset_terabytes(
        case.number("tokens"), case.number("epochs"), case.number_or_default("token_bytes")
    )
    return case.value(float(size), "epochs", "token_bytes")

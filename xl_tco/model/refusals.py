"""Results that no scenario may have, though each of its inputs is in range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from xl_tco.core import depreciation, memory
from xl_tco.core._arrays import Real
from xl_tco.errors import Fault
from xl_tco.model.values import Inputs, Numbers, numbers

__all__ = ["refusals"]

ROUNDING = 1e-9
BY_AGE = ("declining-balance", "sum-of-years")

Rows = Callable[[Any], str]
"""Names the rows at which a mask is set; nothing for a single scenario."""

Pick = Callable[[Real], float]
Check = tuple[Any, Callable[[Pick], tuple[str, str, str]]]
"""Where a result is not allowed; and of a row that is picked: field, problem, what is allowed."""


def _no_rows(_: Any) -> str:
    return ""


def refusals(inputs: Inputs, outputs: Mapping[str, Real], rows: Rows = _no_rows) -> list[Fault]:
    """Say which results are not allowed, and what would be.

    Parameters
    ----------
    inputs, outputs
        Of `xl_tco.model.cost`.
    rows
        Names the rows where values are columns.
    """
    value, faults = numbers(inputs), []
    for check in (_memory, _waste, _network, _life):
        broken, fault = check(value, inputs, outputs)
        if np.any(broken):
            pick = partial(_at, row=int(np.argmax(np.ravel(broken))))
            field, problem, allowed = fault(pick)
            faults.append(Fault("range", field, problem, allowed, rows(broken)))
    return faults


def _memory(value: Numbers, _: Inputs, outputs: Mapping[str, Real]) -> Check:
    needed, there = outputs["memory_needed_gb"], value["memory_gb"]

    def fault(pick: Pick) -> tuple[str, str, str]:
        short = memory.shortfall_gb(pick(needed), pick(there))
        return (
            "memory_gb",
            f"training needs {pick(needed):,.1f} GB an accelerator, {short:,.1f} GB more than the "
            f"{pick(there):g} there are",
            "raise tensor_parallel, pipeline_parallel, zero_stage or recomputation, or lower "
            "micro_batch",
        )

    return np.greater(needed, np.multiply(there, 1.0 + ROUNDING)), fault


def _waste(_: Numbers, __: Inputs, outputs: Mapping[str, Real]) -> Check:
    goodput = outputs["goodput"]

    def fault(pick: Pick) -> tuple[str, str, str]:
        return (
            "accelerator_mtbf_hours",
            f"failures take {1.0 - pick(goodput):.0%} of the time: a cluster that fails every "
            f"{pick(outputs['cluster_mtbf_hours']):.3g} hours makes no progress",
            "give a longer one, a shorter restart_hours, more storage_gb_per_s, or fewer "
            "accelerators",
        )

    return np.less_equal(goodput, 0.0), fault


def _network(value: Numbers, word: Inputs, outputs: Mapping[str, Real]) -> Check:
    def fault(pick: Pick) -> tuple[str, str, str]:
        ends = pick((value["accelerators"] + value["hot_spares"]) * value["network_ports"])
        return (
            "switch_radix",
            f"a {word['network_topology']} of switches with {pick(value['switch_radix']):g} ports "
            f"has no room for {ends:,.0f} endpoints",
            "give switches of more ports, or fewer rails",
        )

    return np.isinf(outputs["network_switches"]), fault


def _life(value: Numbers, word: Inputs, outputs: Mapping[str, Real]) -> Check:
    if word["procurement"] != "own" or word["depreciation_method"] not in BY_AGE:
        return False, lambda _: ("", "", "")
    end = value["age_years"] + depreciation.run_years(outputs["wall_hours"], value["utilization"])
    life = value["depreciation_years"]

    def fault(pick: Pick) -> tuple[str, str, str]:
        return (
            "depreciation_years",
            f"the run ends when the hardware is {pick(end):.3g} years old, beyond its life of "
            f"{pick(life):g}",
            f"give a longer life, or a method other than {word['depreciation_method']}",
        )

    return np.greater(end, np.multiply(life, 1.0 + ROUNDING)), fault


def _at(figure: Real, *, row: int) -> float:
    return float(np.ravel(figure)[row]) if np.ndim(figure) else float(figure)

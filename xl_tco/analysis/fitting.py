"""Does it fit: what an accelerator must hold, and the fewest accelerators that hold the model.

The scenario says how the model is laid out (``kernel_efficiency`` and what goes with it); whether
the layout fits is the question here, and no error. The fewest are looked for over tensor degrees up
to the fast domain and pipelines of up to a stage a layer, with the scenario's micro-batch, ZeRO
stage and recomputation; experts are then split like all other parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from xl_tco.analysis.variants import status_of
from xl_tco.core import memory
from xl_tco.errors import Fault, InputError
from xl_tco.model.efficiency import RECOMPUTATION, memory_parts
from xl_tco.model.values import numbers
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Fit", "Layout", "fit"]

SCHEMA = "xl-tco/fit/1"

USED = (
    *("memory_gb", "memory_other_gb", "weight_bytes", "gradient_bytes", "optimizer_bytes"),
    *("domain_accelerators", "recomputation"),
)
"""Inputs that the answer rests on beside the layout."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A number of accelerators, and the parallel degrees whose product it is."""

    accelerators: float
    data_parallel: float
    tensor_parallel: float
    pipeline_parallel: float


@dataclass(frozen=True, slots=True)
class Fit:
    """What an accelerator must hold.

    Attributes
    ----------
    parts_gb
        GB by what they are held for: weights, gradients, optimizer, activations, other.
    memory_gb
        What an accelerator has.
    least
        The fewest accelerators that hold the model; None where no layout does.
    estimates
        Inputs that this rests on and that are only estimates.
    """

    parts_gb: Mapping[str, float]
    memory_gb: float
    least: Layout | None
    estimates: tuple[str, ...]

    @property
    def needed_gb(self) -> float:
        """GB that an accelerator must hold."""
        return sum(self.parts_gb.values())

    @property
    def shortfall_gb(self) -> float:
        """GB that it lacks; 0 where the model fits."""
        return float(memory.shortfall_gb(self.needed_gb, self.memory_gb))

    @property
    def sentence(self) -> str:
        """The answer in words."""
        held = f"{self.needed_gb:,.1f} GB of {self.memory_gb:,.0f} an accelerator"
        verdict = f"It lacks {self.shortfall_gb:,.1f} GB" if self.shortfall_gb else "It fits"
        if self.least is None:
            return f"{verdict}: {held}. No number of accelerators holds it at this micro-batch."
        return f"{verdict}: {held}. The fewest that hold it are {self.least.accelerators:,.0f}."

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            "parts_gb": dict(self.parts_gb),
            "needed_gb": self.needed_gb,
            "memory_gb": self.memory_gb,
            "shortfall_gb": self.shortfall_gb,
            "least": asdict(self.least) if self.least else None,
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return what is held as a table by part."""
        import pandas as pd

        index = pd.Index(self.parts_gb, name="part")
        return pd.DataFrame({"gb": list(self.parts_gb.values())}, index=index)


def fit(scenario: Scenario) -> Fit:
    """Say what an accelerator must hold of a run, and how few accelerators would do.

    Raises
    ------
    InputError
        If the scenario does not say how the model is laid out.
    """
    values = scenario.values
    if values["kernel_efficiency"] is None:
        allowed = "give kernel_efficiency, batch_tokens, heads and the sizes of the model"
        problem = "the scenario does not say how the model is laid out"
        raise InputError([Fault("missing", "kernel_efficiency", problem, allowed)], scenario.name)
    value = numbers(values)
    parts = memory_parts(value, values["recomputation"])
    total = values["parameters_total"] or values["parameters"]
    layout = memory.least_layout(
        value["memory_gb"],
        total,
        value["layers"],
        value["hidden_size"],
        value["heads"],
        value["sequence_length"],
        value["micro_batch"],
        value["zero_stage"],
        recompute=RECOMPUTATION[values["recomputation"]],
        largest_tensor=value["domain_accelerators"],
        other_gb=value["memory_other_gb"],
        weight_bytes=value["weight_bytes"],
        gradient_bytes=value["gradient_bytes"],
        optimizer_bytes=value["optimizer_bytes"],
    )
    least = Layout(*(float(number) for number in np.asarray(layout)))
    figures = scenario.figures
    return Fit(
        {name: float(size) for name, size in parts.items()},
        float(values["memory_gb"]),
        least if isfinite(least.accelerators) else None,
        tuple(name for name in USED if figures[name].status == "estimate"),
    )

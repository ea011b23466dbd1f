"""How large a model, and how many tokens: the split of a budget that gives the lowest loss.

The fits are those of `xl_tco.core.scaling`. A money budget is turned into FLOPs on the cluster of a
scenario at its MFU and goodput, with the cost in proportion to the FLOPs; where it is not (storage
counted by the terabyte, depreciation by age), the budget is searched along the best split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from xl_tco.analysis.search import Bracket, look, root
from xl_tco.analysis.variants import amount, status_of, variant
from xl_tco.core import decisions, scaling
from xl_tco.core.compute import FLOPS_PER_PARAMETER_TOKEN
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.fields import Number
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FITS", "SCHEMA", "OptimalSplit", "optimal"]

SCHEMA = "xl-tco/optimal/1"

FITS: Mapping[str, scaling.LossFit] = MappingProxyType(
    {"besiroglu-2024": scaling.BESIROGLU_2024, "hoffmann-2022": scaling.HOFFMANN_2022}
)
"""The fits to choose from (`xl_tco.core.scaling`)."""

MODEL = ("parameters_total", "experts", "active_experts", "expert_parallel", "heads")
SHAPE = ("layers", "hidden_size", "sequence_length", *MODEL)
"""What belongs to a model of one size, and is not carried over to another."""

TOLERANCE = 1e-9
FLOPS = Number(1.0, 1e36)


@dataclass(frozen=True, slots=True)
class OptimalSplit:
    """The best split of a compute budget.

    Attributes
    ----------
    fit
        Name of the fit.
    flops
        Model FLOPs of the one run: ``6·N·D``.
    parameters, tokens
        The split.
    loss
        Lowest loss that the FLOPs buy by this fit, nats a token; for comparison within the fit.
    budget_usd, result
        The budget, and the run costed on the scenario's cluster; None where none was given.
    """

    fit: str
    flops: float
    parameters: float
    tokens: float
    loss: float
    budget_usd: float | None = None
    result: Result | None = None

    @property
    def tokens_per_parameter(self) -> float:
        """Tokens a parameter."""
        return self.tokens / self.parameters

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that the cost rests on and that are only estimates."""
        return self.result.estimates if self.result else ()

    @property
    def status(self) -> str:
        """``estimate`` if the cost rests on one, else ``official``; the fit is a fit."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the split as plain data."""
        return {
            "schema": SCHEMA,
            "fit": self.fit,
            "flops": self.flops,
            "parameters": self.parameters,
            "tokens": self.tokens,
            "tokens_per_parameter": self.tokens_per_parameter,
            "loss": self.loss,
            "budget_usd": self.budget_usd,
            "total_usd": self.result.total_usd if self.result else None,
            "wall_days": self.result.metrics["wall_days"] if self.result else None,
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the split as a table of one row."""
        import pandas as pd

        row = {k: v for k, v in self.to_dict().items() if k not in ("schema", "estimates")}
        return pd.DataFrame([row]).set_index("fit")


def optimal(
    flops: float | None = None,
    budget_usd: float | None = None,
    scenario: Scenario | None = None,
    fit: str = "besiroglu-2024",
) -> OptimalSplit:
    """Split a budget into parameters and tokens so that the loss is lowest.

    Parameters
    ----------
    flops
        Model FLOPs of the run. Give these, or a budget, or a scenario alone: then its own FLOPs.
    budget_usd
        Budget for the whole project (``experiment_multiplier`` included) on the scenario's cluster.
    scenario
        The cluster, and what it costs. Its MFU and goodput stay as they are for a model of any
        size; its layers and experts are left out, so that FLOPs are ``6·N·D``.
    fit
        One of `FITS`.

    Raises
    ------
    InputError
        If it does not say what to split, or the budget does not pay for a run.

    Examples
    --------
    >>> split = optimal(5.76e23)
    >>> f"{split.parameters:.2g} {split.tokens:.2g}"
    '7.2e+10 1.3e+12'
    """
    if fit not in FITS:
        raise InputError([unknown_word(fit, list(FITS), "fit", "fit")])
    for argument, value in (("flops", flops), ("budget_usd", budget_usd)):
        if value is not None and not (isfinite(value) and value > 0.0):
            fault = Fault("range", argument, f"{value} is out of range", "give a number above 0")
            raise InputError([fault])
    if flops is not None and budget_usd is not None:
        problem = "flops and budget_usd are both given"
        raise InputError([Fault("conflict", "flops", problem, "give one of them")])
    if scenario is None:
        if flops is None:
            name = "scenario" if budget_usd is not None else "flops"
            allowed = "give flops, or budget_usd and a scenario"
            raise InputError([Fault("missing", name, "nothing is given", allowed)])
        return OptimalSplit(fit, flops, *_split(flops, fit))
    cluster = _cluster(scenario)
    now = evaluate(cluster)
    spent = flops or cast(float, now.metrics["flops"])
    if budget_usd is not None:
        spent = _flops_for_budget(cluster, now, budget_usd, fit)
    result = evaluate(_sized(cluster, spent, fit))
    return OptimalSplit(fit, spent, *_split(spent, fit), budget_usd, result)


def _split(flops: float, fit: str) -> tuple[float, float, float]:
    """Return parameters, tokens and loss."""
    numbers = FITS[fit]
    return (
        float(scaling.optimal_parameters(flops, *numbers)),
        float(scaling.optimal_tokens(flops, *numbers)),
        float(scaling.optimal_loss(flops, *numbers)),
    )


def _cluster(scenario: Scenario) -> Scenario:
    """Return the scenario without a model's shape, and with what followed from the shape held."""
    metrics, values = evaluate(scenario).metrics, scenario.values
    held: dict[str, float | str] = {}
    if values["kernel_efficiency"] is not None:
        held["mfu"] = cast(float, metrics["achieved_mfu"])
    if values["accelerator_mtbf_hours"] is not None:
        held["waste_share"] = 1.0 - cast(float, metrics["goodput"])
    return variant(scenario, held, without=SHAPE)


def _sized(cluster: Scenario, flops: float, fit: str) -> Scenario:
    parameters, tokens, _ = _split(flops, fit)
    return cluster.replace(parameters=parameters, tokens=tokens)


def _flops_for_budget(cluster: Scenario, now: Result, budget_usd: float, fit: str) -> float:
    """Return the FLOPs of the run that the budget buys."""

    def total(flops: float) -> float:
        return evaluate(_sized(cluster, flops, fit)).total_usd

    flops = cast(float, now.metrics["flops"])
    fixed = float(cluster.values["software_fixed_usd"] or 0.0)
    if now.total_usd > fixed:
        bought = float(decisions.flops_for_budget(budget_usd, flops, now.total_usd, fixed))
        if bought >= FLOPS_PER_PARAMETER_TOKEN:
            try:
                off = total(bought) - budget_usd
            except InputError:
                off = float("inf")
            if abs(off) <= budget_usd * TOLERANCE:
                return bought
    found = look(total, budget_usd, flops, FLOPS)
    if isinstance(found, Bracket):
        return root(total, budget_usd, found)
    least = amount(min((sample.output for sample in found), default=now.total_usd))
    problem = f"{amount(budget_usd)} buys no run on this cluster: the smallest costs {least}"
    raise InputError([Fault("range", "budget_usd", problem, "give more, or another cluster")])

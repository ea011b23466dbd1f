"""What each lever on the cost of training changes in a scenario, or why it changes nothing.

A published MFU contains the communication that is not hidden: `EXPOSED` is taken to be its share
of a step, unless ``communication_share`` or a step from the bottom up says so itself. Recomputation
is dropped at the same HFU, so that MFU rises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from xl_tco import catalogue
from xl_tco.analysis.optimal import FITS
from xl_tco.analysis.ranking import OWN_FIGURES
from xl_tco.core import scaling
from xl_tco.fields import ACCELERATOR_FREE, ALTERNATIVES
from xl_tco.result import evaluate
from xl_tco.scenario import Scenario

__all__ = ["EXPOSED", "NEXT", "SELECTIVE", "TOP_MFU", "Change", "Lever", "On", "Size"]

EXPOSED = 0.1
"""Share of a step in which communication is exposed: the low end of the 10 to 30% often quoted."""

TOP_MFU = 0.55
"""Up to where a better framework is taken to bring a run."""

SELECTIVE = 0.03  # as recomputation = "selective" of the catalogue

NEXT = MappingProxyType(
    {
        "v100-sxm": "a100-sxm-80gb",
        "a100-sxm-40gb": "h100-sxm",
        "a100-sxm-80gb": "h100-sxm",
        "a800-sxm-80gb": "h800-sxm",
        "h100-sxm": "b200-sxm",
        "h100-pcie": "b200-sxm",
        "h200-sxm": "b200-sxm",
        "h800-sxm": "b200-sxm",
        "mi250x": "mi300x",
        "mi300x": "mi355x",
        "mi325x": "mi355x",
        "gaudi2": "gaudi3",
        "tpu-v2": "tpu-v3",
        "tpu-v3": "tpu-v4",
        "tpu-v4": "tpu-v5p",
        "tpu-v5e": "tpu-v6e",
        "tpu-v5p": "tpu-v7",
        "tpu-v6e": "tpu-v7",
        "trainium1": "trainium2",
    }
)
"""The vendor's next generation."""

Size: TypeAlias = float | str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a lever does to a scenario: fields to set, and given fields that no longer hold."""

    fields: Mapping[str, float | str]
    without: tuple[str, ...] = ()


class On(NamedTuple):
    """What a lever is pulled on: a run, its size, and the sizes of those pulled before."""

    scenario: Scenario
    size: Any
    pulled: Mapping[str, Size]


@dataclass(frozen=True, slots=True)
class Lever:
    """One lever.

    Attributes
    ----------
    name, layer, label
        What it is, and where: hardware, software, algorithm or operations.
    help
        What it changes, with the size in it.
    size
        How strong it is unless set otherwise.
    source
        Where the size comes from.
    change
        The change of a run, or the reason why there is none.
    """

    name: str
    layer: str
    label: str
    help: str
    size: Size
    source: str
    change: Callable[[On], Change | str]


def _efficiency(scenario: Scenario) -> str:
    """Which of mfu, hfu and kernel_efficiency the scenario is given by."""
    return next(name for name in ALTERNATIVES[0] if scenario.values[name] is not None)


def _metric(scenario: Scenario, name: str) -> float:
    return cast(float, evaluate(scenario).metrics[name])


def _faster(scenario: Scenario, factor: float) -> dict[str, float | str]:
    """Raise whichever efficiency is given, as far as there is room below the peak."""
    name = _efficiency(scenario)
    room = 1.0 + float(scenario.values["recompute_share"]) if name == "mfu" else 1.0
    return {name: min(float(scenario.values[name]) * factor, 1.0 / room)}


# Hardware


def pull_accelerator(on: On) -> Change | str:
    now = str(on.scenario.values["accelerator"])
    key = NEXT.get(now, now) if on.size == "next" else on.size
    if key == now:
        return f"{now} has no successor in the catalogue" if on.size == "next" else f"{now} it is"
    return Change({"accelerator": key}, OWN_FIGURES)


def pull_interconnect(on: On) -> Change | str:
    if _efficiency(on.scenario) == "kernel_efficiency":
        links = ("link_gb_per_s", "network_gb_per_s")
        return Change({name: float(on.scenario.values[name]) * on.size for name in links})
    return _less_communication(on.scenario, on.size, EXPOSED)


def pull_memory(on: On) -> Change | str:
    change = _less_recomputation(on.scenario, "none", 0.0)
    memory = on.scenario.values["memory_gb"]
    if isinstance(change, str) or _efficiency(on.scenario) != "kernel_efficiency" or memory is None:
        return change
    return Change({**change.fields, "memory_gb": float(memory) * on.size}, change.without)


def pull_packaging(_: On) -> Change | str:
    return "it is in the figures of the accelerator, its memory above all: give fields to change"


def _less_communication(scenario: Scenario, factor: float, exposed: float) -> Change | str:
    """Divide the exposed communication by a factor."""
    share = float(scenario.values["communication_share"])
    if share > 0.0:
        return Change({"communication_share": share / factor / (1.0 - share + share / factor)})
    return Change(_faster(scenario, 1.0 / (1.0 - exposed + exposed / factor)))


def _less_recomputation(scenario: Scenario, word: str, least: float) -> Change | str:
    """Recompute less, at the same HFU."""
    share = float(scenario.values["recompute_share"])
    if share <= least:
        return "no activation is recomputed" if not share else "no more is recomputed as it is"
    fields: dict[str, float | str] = {"recomputation": word, "recompute_share": least}
    if _efficiency(scenario) == "mfu":
        fields["mfu"] = float(scenario.values["mfu"]) * (1.0 + share) / (1.0 + least)
    return Change(fields)


# Software


def pull_framework(on: On) -> Change | str:
    mfu = _metric(on.scenario, "achieved_mfu")
    if mfu >= TOP_MFU:
        return f"an MFU of {mfu:.0%} is as much as has been published"
    return Change(_faster(on.scenario, min(mfu + on.size, TOP_MFU) / mfu))


def pull_precision(on: On) -> Change | str:
    values = on.scenario.values
    key = str(values["accelerator"])
    if values["precision"] == "fp8":
        return "it trains in FP8 as it is"
    if key == ACCELERATOR_FREE:
        return "the FP8 peak of a custom accelerator is not known"
    figure = catalogue.find(key, "peak_tflops_fp8")
    if figure is None or figure.value is None:
        return f"{key} has no FP8 peak ({figure.source if figure else 'not in the catalogue'})"
    gain = float(figure.value) / float(values["peak_tflops"])
    if gain <= 1.0:
        return f"FP8 is no faster than {values['precision']} on {key}"
    fields = _faster(on.scenario, min(on.size, gain) / gain)  # the peak gains more than the speed
    return Change({"precision": "fp8", **fields}, ("peak_tflops",))


def pull_recomputation(on: On) -> Change | str:
    return _less_recomputation(on.scenario, "selective", on.size)


def pull_communication(on: On) -> Change | str:
    if _efficiency(on.scenario) == "kernel_efficiency":
        hidden = float(on.scenario.values["overlap_share"])
        if hidden >= 1.0:
            return "the exchange of gradients is hidden as it is"
        return Change({"overlap_share": hidden + (1.0 - hidden) * on.size})
    factor = float(on.pulled.get("interconnect") or 1.0)  # what a faster network has left of it
    left = EXPOSED / factor / (1.0 - EXPOSED + EXPOSED / factor)
    return _less_communication(on.scenario, 1.0 / (1.0 - on.size), left)


# Algorithm


def pull_scaling(on: On) -> Change | str:
    values, fit = on.scenario.values, FITS[on.size]
    if values["parameters_total"] is not None:
        return "the fits are of dense models"
    if values["layers"] or values["sequence_length"]:
        return "the shape of the model is given: another size has other layers"
    if float(values["epochs"]) > 1.0:
        return "the fits are of tokens seen once"
    now = (float(values["parameters"]), float(values["tokens"]))
    loss = scaling.loss(*now, *fit)
    flops = scaling.optimal_flops(loss, *fit)
    if flops > 0.999 * _metric(on.scenario, "flops"):
        return "the split is the best one as it is"
    return Change(
        {
            "parameters": float(scaling.optimal_parameters(flops, *fit)),
            "tokens": float(scaling.optimal_tokens(flops, *fit)),
        }
    )


def pull_experts(on: On) -> Change | str:
    values = on.scenario.values
    if values["parameters_total"] is not None:
        return "it is a mixture of experts as it is"
    if _efficiency(on.scenario) == "kernel_efficiency":
        return "its experts are not given, from which a step would follow"
    parameters = float(values["parameters"])
    return Change({"parameters": parameters * on.size, "parameters_total": parameters})


def pull_data(on: On) -> Change | str:
    return Change({"tokens": float(on.scenario.values["tokens"]) * (1.0 - on.size)})


# Operations


def pull_failures(on: On) -> Change | str:
    waste = 1.0 - _metric(on.scenario, "goodput")
    if waste <= 0.0:
        return "no time is lost"
    return Change({"waste_share": waste * (1.0 - on.size)})


def pull_siting(on: On) -> Change | str:
    if on.scenario.values["procurement"] == "rent":
        return "power is in the rent"
    now, size = float(on.scenario.values["electricity_usd_per_kwh"]), on.size
    if not isinstance(size, str):
        change = Change({"electricity_usd_per_kwh": size})
        return "it is the price now" if size == now else change
    prices = {
        key: float(figure.value)
        for key in catalogue.region_keys()
        if (figure := catalogue.find(key, "electricity_usd_per_kwh")) and figure.value is not None
    }
    key = min(prices, key=lambda region: prices[region]) if size == "cheapest" else size
    if size == "cheapest" and prices[key] >= now:
        return "electricity is nowhere cheaper in the catalogue"
    if key == on.scenario.values["region"] and prices.get(key) == now:
        return "it stands there as it is"
    return Change({"region": key}, ("electricity_usd_per_kwh", "carbon_kg_per_kwh"))


def pull_scheduling(on: On) -> Change | str:
    if on.scenario.values["procurement"] == "rent":
        return "idle hours are not rented"
    if float(on.scenario.values["utilization"]) >= on.size:
        return f"it is in use {float(on.scenario.values['utilization']):.0%} of the year as it is"
    return Change({"utilization": on.size})

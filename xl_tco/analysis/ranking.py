"""Which accelerator: the same run on each of the catalogue, ranked by what it costs.

The measure that compares accelerators is USD for an effective TFLOP-hour: neither the peak nor the
price alone. Each row says whether it rests on estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xl_tco import catalogue
from xl_tco.analysis.solving import solve
from xl_tco.analysis.variants import amount, estimates_of, output_of, status_of, variant
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.fields import FIELDS
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EQUAL", "MEASURES", "SCHEMA", "Ranked", "Ranking", "Unranked", "rank_accelerators"]

SCHEMA = "xl-tco/ranking/1"

MEASURES = ("usd_per_effective_tflop_hour", "total_usd")
"""What accelerators are ranked by."""

EQUAL = ("accelerators", "deadline")
"""What stays the same from one accelerator to the next: their number, or the wall time."""

OWN_FIGURES = tuple(name for name, field in FIELDS.items() if "{accelerator}" in field.default)
"""Fields that describe one accelerator, and say nothing of another."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The run on one accelerator.

    Attributes
    ----------
    rank
        From 1, the cheapest.
    key, label
        The accelerator in the catalogue.
    difference_usd
        Total less that of the scenario's own accelerator.
    result
        The run, costed.
    """

    rank: int
    key: str
    label: str
    difference_usd: float
    result: Result

    @property
    def total_usd(self) -> float:
        """Training TCO on this accelerator."""
        return self.result.total_usd

    @property
    def usd_per_effective_tflop_hour(self) -> float:
        """USD for an hour of one TFLOP/s of model FLOPs."""
        return cast(float, self.result.metrics["usd_per_effective_tflop_hour"])

    @property
    def wall_days(self) -> float:
        """Wall time, days."""
        return cast(float, self.result.metrics["wall_days"])

    @property
    def accelerators(self) -> float:
        """How many of them."""
        return float(self.result.scenario.values["accelerators"])

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that the total rests on and that are only estimates."""
        return self.result.estimates

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return self.result.status

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "rank": self.rank,
            "key": self.key,
            "label": self.label,
            "accelerators": self.accelerators,
            "total_usd": self.total_usd,
            "usd_per_effective_tflop_hour": self.usd_per_effective_tflop_hour,
            "wall_days": self.wall_days,
            "difference_usd": self.difference_usd,
            "status": self.status,
            "estimates": list(self.estimates),
        }


@dataclass(frozen=True, slots=True)
class Unranked:
    """An accelerator on which the run cannot be costed, and why."""

    key: str
    label: str
    faults: tuple[Fault, ...]

    @property
    def reason(self) -> str:
        """The faults, as a sentence."""
        return "; ".join(f"{fault.field}: {fault.problem}" for fault in self.faults)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {"key": self.key, "label": self.label, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The accelerators from the cheapest on, and those that cannot be costed.

    Attributes
    ----------
    by, equal
        As asked for.
    original
        Key of the scenario's own accelerator.
    ranked, unranked
        The rows.
    """

    by: str
    equal: str
    original: str
    ranked: tuple[Ranked, ...]
    unranked: tuple[Unranked, ...]

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that any of the rows rests on and that are only estimates."""
        return estimates_of(row.result for row in self.ranked)

    @property
    def status(self) -> str:
        """``estimate`` if any row rests on one, else ``official``."""
        return status_of(self.estimates)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.ranked:
            return "The run can be costed on none of these accelerators."
        first = self.ranked[0]
        cost = f"{first.usd_per_effective_tflop_hour:.3g} USD an effective TFLOP-hour"
        text = f"{first.label} is the cheapest: {cost}, {amount(first.total_usd)} USD in total"
        away = f", {amount(abs(first.difference_usd))} USD "
        if first.key != self.original and first.difference_usd:
            text += (
                away + ("less" if first.difference_usd < 0 else "more") + f" than {self.original}"
            )
        return f"{text}."

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {
            "schema": SCHEMA,
            "by": self.by,
            "equal": self.equal,
            "original": self.original,
            "sentence": self.sentence,
            "ranked": [row.to_dict() for row in self.ranked],
            "unranked": [row.to_dict() for row in self.unranked],
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table by accelerator; those without a rank come last."""
        import pandas as pd

        rows = [{**row.to_dict(), "reason": ""} for row in self.ranked]
        rows += [{**row.to_dict(), "status": "unknown"} for row in self.unranked]
        columns = ("rank", "key", "label", "accelerators", *MEASURES, "wall_days")
        more = ("difference_usd", "status", "reason")
        return pd.DataFrame(rows, columns=[*columns, *more]).set_index("key")


def rank_accelerators(
    scenario: Scenario,
    by: str = "usd_per_effective_tflop_hour",
    accelerators: Sequence[str] | None = None,
    equal: str = "accelerators",
) -> Ranking:
    """Cost the same run on each accelerator, and rank them.

    What was given of the scenario's own accelerator (price, power, peak, links, rent) holds for it
    alone: for the others the catalogue's figures stand in. All else stays as it is, the MFU above
    all: an accelerator with immature software reaches less, and only a measurement says how much.

    Parameters
    ----------
    scenario
        The run.
    by
        One of `MEASURES`. Both give the same order, since every row computes the same.
    accelerators
        Keys of the catalogue; all of them if None. The scenario's own is always among them.
    equal
        ``accelerators``: their number stays as it is, and a faster one finishes earlier.
        ``deadline``: the number that finishes in the wall time of the scenario.

    Raises
    ------
    InputError
        If a key or a word is not known.
    """
    for word, known, argument in ((by, MEASURES, "by"), (equal, EQUAL, "equal")):
        if word not in known:
            raise InputError([unknown_word(word, known, argument, "way to rank")])
    keys = catalogue.accelerator_keys()
    named = tuple(dict.fromkeys(keys if accelerators is None else accelerators))
    if unknown := [
        key for key in named if key not in keys and key != scenario.values["accelerator"]
    ]:
        raise InputError(
            [unknown_word(key, keys, "accelerators", "accelerator") for key in unknown]
        )
    original = str(scenario.values["accelerator"])
    base = evaluate(scenario)
    if original not in named:
        named = (original, *named)
    results: dict[str, Result] = {}
    unranked: list[Unranked] = []
    for key in named:
        try:
            results[key] = base if key == original else _on(base, key, equal)
        except InputError as error:
            unranked.append(Unranked(key, _label(key), error.faults))
    order = sorted(results, key=lambda key: output_of(results[key], by))
    ranked = tuple(
        Ranked(rank, key, _label(key), results[key].total_usd - base.total_usd, results[key])
        for rank, key in enumerate(order, start=1)
    )
    return Ranking(by, equal, original, ranked, tuple(unranked))


def _on(base: Result, key: str, equal: str) -> Result:
    """Cost the run on another accelerator."""
    other = variant(base.scenario, {"accelerator": key}, without=OWN_FIGURES)
    if equal == "accelerators":
        return evaluate(other)
    return solve(other, "accelerators", wall_hours=cast(float, base.metrics["wall_hours"])).result


def _label(key: str) -> str:
    figure = catalogue.find(key, "label")
    return str(figure.value) if figure else key

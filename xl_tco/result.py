"""The cost of one scenario, and how it is handed out: Python, JSON, a table.

`evaluate` is what a cell, a report and a script all come down to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xl_tco.cases import BASE, CASE
from xl_tco.catalogue import Figure
from xl_tco.errors import Fault, InputError
from xl_tco.model import cost, refusals
from xl_tco.outputs import COMPONENTS, METRICS, OWN_COMPONENTS, RENT_COMPONENTS, TOTAL
from xl_tco.resolve import in_use
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Result", "evaluate"]

SCHEMA = "xl-tco/result/1"


@dataclass(frozen=True, slots=True)
class Result:
    """What a training run costs.

    Attributes
    ----------
    scenario
        What was costed.
    components
        USD by component; only those that this way of procurement pays. They add up to the total.
    total_usd
        Training TCO.
    metrics
        Figures beside the total, by name; None for one that rests on a figure nobody has given.
    """

    scenario: Scenario
    components: Mapping[str, float]
    total_usd: float
    metrics: Mapping[str, float | None]

    def __reduce__(self) -> tuple[Any, ...]:
        return evaluate, (self.scenario,)

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that the total rests on and that are only estimates."""
        return estimated(self.scenario.figures, self.scenario.values)

    @property
    def status(self) -> str:
        """``estimate`` if any input that was not given is one, else ``official``."""
        return "estimate" if self.estimates else "official"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data: the JSON of ``xl-tco evaluate --json``.

        ``case`` names the case in force, unless it is the base; the inputs are those of the case.
        """
        ranges: dict[str, Any] = {
            name: values.to_dict() for name, values in self.scenario.ranges.items()
        }
        if self.scenario.correlations:
            ranges["correlations"] = [list(pair) for pair in self.scenario.correlations]
        return {
            "schema": SCHEMA,
            **({CASE: self.scenario.case} if self.scenario.case != BASE else {}),
            "inputs": {k: v for k, v in self.scenario.values.items() if v is not None},
            **({"ranges": ranges} if ranges else {}),
            "components": dict(self.components),
            "total_usd": self.total_usd,
            "metrics": dict(self.metrics),
            "status": self.status,
            "provenance": {
                name: {
                    **({} if figure.value is None else {"value": figure.value}),
                    "status": figure.status,
                    "source": figure.source,
                    "date": figure.date,
                }
                for name, figure in self.scenario.figures.items()
            },
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the components as a table: label, USD and share of the total, by component."""
        import pandas as pd

        return pd.DataFrame(
            {
                "label": [COMPONENTS[name].label for name in self.components],
                "usd": list(self.components.values()),
                "share": [_share(usd, self.total_usd) for usd in self.components.values()],
            },
            index=pd.Index(self.components, name="component"),
        )


def evaluate(scenario: Scenario) -> Result:
    """Cost a scenario.

    Raises
    ------
    InputError
        If the figures, each in its range, together leave the range of numbers, or ask for what
        cannot be: more memory than there is, more failures than hours.
    """
    computed = cost(scenario.values)
    faults = refusals(scenario.values, computed)
    if faults:
        raise InputError(faults, scenario.name)
    outputs = {name: float(value) for name, value in computed.items()}
    total_usd = outputs[TOTAL.name]
    if not math.isfinite(total_usd):
        raise InputError([too_large()], scenario.name)
    paid = OWN_COMPONENTS if scenario.values["procurement"] == "own" else RENT_COMPONENTS
    return Result(
        scenario,
        MappingProxyType({name: outputs[f"{name}_usd"] for name in COMPONENTS if name in paid}),
        total_usd,
        MappingProxyType({name: _known(outputs[name]) for name in METRICS}),
    )


def estimated(figures: Mapping[str, Figure], values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the inputs that a total rests on and that are only estimates."""
    return tuple(
        name
        for name, figure in figures.items()
        if figure.status == "estimate" and in_use(name, values)
    )


def too_large(place: str = "") -> Fault:
    """Make the fault of figures that are each in range, and together are not."""
    problem = "the figures together give a cost beyond any number"
    return Fault("range", "total_usd", problem, "check those that are very large or small", place)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0

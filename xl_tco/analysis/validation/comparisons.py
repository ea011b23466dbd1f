"""What a validation hands out: comparisons with published figures, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from xl_tco.analysis.variants import status_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Comparison", "Summary", "Validation", "Verdict"]

SCHEMA = "xl-tco/validation/1"

Verdict = Literal["test", "circular", "left out"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of one run: the model's and the published one.

    Attributes
    ----------
    run, label
        Key and name of the run.
    quantity, unit
        Key of `xl_tco.analysis.validation.QUANTITIES`, and its unit.
    modelled, stated
        The model's figure and the published one; None where it is left out.
    residual
        Modelled over stated, less 1.
    basis
        What the model's figure was computed from.
    verdict
        ``test``, ``circular`` or ``left out``.
    why
        What explains the residual, what makes it circular, or what was not published.
    source
        Where the published figure stands.
    estimates
        Rows of the run and of the catalogue that are only estimates.
    """

    run: str
    label: str
    quantity: str
    unit: str
    modelled: float | None
    stated: float | None
    residual: float | None
    basis: str
    verdict: Verdict
    why: str
    source: str
    estimates: tuple[str, ...]

    @property
    def status(self) -> str:
        """``estimate`` if either figure rests on one, else ``official``."""
        return status_of(self.estimates)


@dataclass(frozen=True, slots=True)
class Summary:
    """The tests of one quantity: how many, and how large their residuals are.

    Attributes
    ----------
    tests, circular, left_out
        Number of comparisons by verdict.
    median_abs_residual, largest_abs_residual
        Of the tests alone; None where there is none.
    largest_run
        Run of the largest; empty where there is none.
    """

    tests: int
    circular: int
    left_out: int
    median_abs_residual: float | None
    largest_abs_residual: float | None
    largest_run: str


@dataclass(frozen=True, slots=True)
class Validation:
    """Every comparison, run by run."""

    comparisons: tuple[Comparison, ...]

    @property
    def summary(self) -> Mapping[str, Summary]:
        """What came of each quantity."""
        names = dict.fromkeys(row.quantity for row in self.comparisons)
        return MappingProxyType({name: _summary(self._of(name)) for name in names})

    @property
    def estimates(self) -> tuple[str, ...]:
        """Figures that any test rests on and that are only estimates."""
        names = (
            name for row in self.comparisons if row.verdict == "test" for name in row.estimates
        )
        return tuple(dict.fromkeys(names))

    @property
    def status(self) -> str:
        """``estimate`` if any test rests on one, else ``official``."""
        return status_of(self.estimates)

    def find(self, run: str, quantity: str) -> Comparison:
        """Return one comparison; KeyError where that quantity has no place in that run."""
        for row in self.comparisons:
            if (row.run, row.quantity) == (run, quantity):
                return row
        raise KeyError((run, quantity))

    def _of(self, quantity: str) -> list[Comparison]:
        return [row for row in self.comparisons if row.quantity == quantity]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparisons as plain data: the JSON of ``xl-tco validate --json``."""
        return {
            "schema": SCHEMA,
            "comparisons": [
                asdict(row) | {"status": row.status, "estimates": list(row.estimates)}
                for row in self.comparisons
            ],
            "summary": {name: asdict(summary) for name, summary in self.summary.items()},
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons as a table, one a row."""
        import pandas as pd

        rows = [
            asdict(row) | {"status": row.status, "estimates": ", ".join(row.estimates)}
            for row in self.comparisons
        ]
        columns = [*Comparison.__dataclass_fields__, "status"]
        return pd.DataFrame(rows, columns=columns)


def _summary(rows: list[Comparison]) -> Summary:
    verdicts = [row.verdict for row in rows]
    tests = {
        row.run: abs(row.residual)
        for row in rows
        if row.verdict == "test" and row.residual is not None
    }
    largest = max(tests, key=lambda run: tests[run], default="")
    return Summary(
        verdicts.count("test"),
        verdicts.count("circular"),
        verdicts.count("left out"),
        median(tests.values()) if tests else None,
        tests[largest] if tests else None,
        largest,
    )

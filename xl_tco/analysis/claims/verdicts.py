"""Claims and key figures: what is said of training costs, against what this run comes to.

The claims are those of a text on training TCO (in Chinese), its table of key indicators first: each
with its range, what the model gives for one scenario, whether that is inside, and why the claim
holds or does not. Wording, ranges and evidence stand in ``xl_tco/catalogue/claims.csv``; how each
value is worked out, in `xl_tco.analysis.claims.values` and `xl_tco.analysis.claims.prices`.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xl_tco import catalogue
from xl_tco.analysis.claims.case import Case, DoesNotApplyError
from xl_tco.analysis.claims.prices import PRICES
from xl_tco.analysis.claims.values import RUN
from xl_tco.analysis.variants import status_of
from xl_tco.errors import InputError
from xl_tco.fields import FIELDS
from xl_tco.result import evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ABOUT", "ROUNDING", "SCHEMA", "VERDICTS", "Claim", "Claims", "claims", "statements"]

SCHEMA = "xl-tco/claims/1"

INSIDE, OUTSIDE, NO_RANGE, DOES_NOT_APPLY = "inside", "outside", "no range", "does not apply"
VERDICTS = (INSIDE, OUTSIDE, NO_RANGE, DOES_NOT_APPLY)

MEASURES = RUN | PRICES

ABOUT = 0.05
"""How far from a single figure of the text, relatively, still agrees with it."""

ROUNDING = 1e-9
"""How far beyond the end of a range, relatively, is rounding: 1 − 0.9 is not quite 0.1."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, and what the model gives for a scenario.

    Attributes
    ----------
    id
        Short name that stays.
    kind
        ``indicator``, a row of the text's table of key indicators, or ``claim``.
    text, text_zh
        What the text says: our sentence, and its own words.
    low, high, unit
        The range that it gives, of this unit; the same twice for a single figure; None where an
        end is open. Both are None where it gives none.
    value
        What the model gives for this scenario; None where the claim does not apply.
    verdict
        "inside", "outside", "no range" or "does not apply".
    basis
        What the value was worked out from.
    why
        Why the claim does not apply; then what speaks for it or against it.
    estimates
        Inputs that the value rests on and that are only estimates.
    """

    id: str
    kind: str
    text: str
    text_zh: str
    low: float | None
    high: float | None
    unit: str
    value: float | None
    verdict: str
    basis: str
    why: str
    estimates: tuple[str, ...]

    @property
    def status(self) -> str:
        """``estimate`` if the value rests on one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain data."""
        return {**asdict(self), "estimates": list(self.estimates), "status": self.status}


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims for one scenario.

    Attributes
    ----------
    scenario
        What they were put to.
    claims
        By id: the indicators, then the claims, each in the text's order.
    """

    scenario: Scenario
    claims: Mapping[str, Claim]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many claims have each verdict."""
        found = Counter(claim.verdict for claim in self.claims.values())
        return MappingProxyType({verdict: found[verdict] for verdict in VERDICTS})

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that any of the values rests on and that are only estimates."""
        found = {name for claim in self.claims.values() for name in claim.estimates}
        return tuple(name for name in FIELDS if name in found)

    @property
    def status(self) -> str:
        """``estimate`` if any value rests on one, else ``official``."""
        return status_of(self.estimates)

    def __reduce__(self) -> tuple[Any, ...]:
        return claims, (self.scenario,)

    def to_dict(self) -> dict[str, Any]:
        """Return the claims as plain data: the JSON of ``xl-tco claims --json``."""
        return {
            "schema": SCHEMA,
            "name": self.scenario.name,
            "claims": [claim.to_dict() for claim in self.claims.values()],
            "counts": dict(self.counts),
            "estimates": list(self.estimates),
            "status": self.status,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the claims as a table, a row each, by id."""
        import pandas as pd

        rows = [claim.to_dict() for claim in self.claims.values()]
        table = pd.DataFrame(rows).set_index("id")
        table["estimates"] = [", ".join(names) for names in table["estimates"]]
        return table.astype({"low": float, "high": float, "value": float})


def claims(scenario: Scenario) -> Claims:
    """Put every claim to a scenario.

    Raises
    ------
    InputError
        If the scenario has no cost (see `xl_tco.result.evaluate`).
    """
    case = Case(scenario, evaluate(scenario))
    found = {row["id"]: _claim(row, case) for row in statements()}
    return Claims(scenario, MappingProxyType(found))


def _claim(row: Mapping[str, str], case: Case) -> Claim:
    """Work out one claim."""
    low, high = (float(row[end]) if row[end] else None for end in ("low", "high"))
    value: float | None = None
    names: tuple[str, ...] = ()
    try:
        found = MEASURES[row["id"]](case)
        value, names, remark = found.value, found.names, found.remark
        low, high = found.ends or (low, high)
        verdict = _verdict(value, low, high)
    except DoesNotApplyError as reason:
        verdict, remark = DOES_NOT_APPLY, str(reason)
    except InputError as error:  # a variant of the scenario that nobody could run
        verdict, remark = DOES_NOT_APPLY, f"It cannot be worked out: {error.faults[0]}."
    return Claim(
        id=row["id"],
        kind=row["kind"],
        text=row["text"],
        text_zh=row["text_zh"],
        low=low,
        high=high,
        unit=row["unit"],
        value=value,
        verdict=verdict,
        basis=row["basis"],
        why=f"{remark} {row['why']}".strip(),
        estimates=tuple(name for name in FIELDS if name in names),
    )


def _verdict(value: float, low: float | None, high: float | None) -> str:
    """Say whether a value is in the range of a claim."""
    if low is None and high is None:
        return NO_RANGE
    if low is not None and low == high:
        return INSIDE if math.isclose(value, low, rel_tol=ABOUT) else OUTSIDE
    enough = low is None or value >= low * (1.0 - ROUNDING)
    not_too_much = high is None or value <= high * (1.0 + ROUNDING)
    return INSIDE if enough and not_too_much else OUTSIDE


@cache
def statements() -> tuple[Mapping[str, str], ...]:
    """Return the claims as they stand in the catalogue, before they are put to any run."""
    text = Path(catalogue.__file__).with_name("claims.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))

"""What each lever on the cost would save: one at a time, one after the other, and all together.

Savings alone do not add up: a lever acts on what the others have left. So the second column pulls
them in the order of the table; its steps add up to the change of all together.

The levers stand in four layers: hardware, software, algorithm, operations. How strong each is
stands with its source, or is said to be an assumption; every one can be set. One that does not
apply says why. What each changes is in `xl_tco.analysis.levers.effects`, the
table in `xl_tco.analysis.levers.table`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from xl_tco.analysis.levers.effects import Change, Lever, On, Size
from xl_tco.analysis.levers.table import LEVERS
from xl_tco.analysis.optimal import FITS
from xl_tco.analysis.variants import amount, estimates_of, status_of, variant
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.result import Result, evaluate
from xl_tco.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Levers", "Pull", "levers"]

SCHEMA = "xl-tco/levers/1"

Setting: TypeAlias = Size | Mapping[str, float | str]


@dataclass(frozen=True, slots=True)
class Pull:
    """One lever pulled.

    Attributes
    ----------
    lever
        Which.
    size
        How strong; None where fields were given for it.
    source
        Where the size comes from.
    fields
        What it sets, pulled alone.
    reason
        Why it changes nothing, pulled alone; empty if it does.
    total_usd
        The total with this lever alone.
    change_usd
        That less the total as it is.
    reason_together
        Why it changes nothing after the levers before it; empty if it does.
    cumulative_usd
        The total with this lever and all before it.
    step_usd
        What it adds to the change of those before.
    """

    lever: Lever
    size: Size
    source: str
    fields: Mapping[str, float | str]
    reason: str
    total_usd: float
    change_usd: float
    reason_together: str
    cumulative_usd: float
    step_usd: float

    @property
    def change_share(self) -> float:
        """Change over the total as it is."""
        before = self.total_usd - self.change_usd
        return self.change_usd / before if before else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "name": self.lever.name,
            "layer": self.lever.layer,
            "label": self.lever.label,
            "help": self.lever.help,
            "size": self.size,
            "source": self.source,
            "fields": dict(self.fields),
            "reason": self.reason,
            "total_usd": self.total_usd,
            "change_usd": self.change_usd,
            "change_share": self.change_share,
            "reason_together": self.reason_together,
            "cumulative_usd": self.cumulative_usd,
            "step_usd": self.step_usd,
        }


@dataclass(frozen=True, slots=True)
class Levers:
    """The levers pulled.

    Attributes
    ----------
    before, together
        The run as it is, and with all levers.
    pulls
        One a lever, in the order of `LEVERS`.
    """

    before: Result
    together: Result
    pulls: tuple[Pull, ...]

    @property
    def change_usd(self) -> float:
        """What all of them change: the sum of the steps."""
        return self.together.total_usd - self.before.total_usd

    @property
    def change_share(self) -> float:
        """That over the total as it is."""
        return self.change_usd / self.before.total_usd if self.before.total_usd else 0.0

    @property
    def sentence(self) -> str:
        """The answer in words."""
        pulled = [pull for pull in self.pulls if not pull.reason]
        if not pulled:
            return "No lever applies to this run."
        best = min(pulled, key=lambda pull: pull.change_usd)
        total, way = amount(self.together.total_usd), "less" if self.change_usd < 0 else "more"
        return (
            f"All levers together make it {total} USD, {abs(self.change_share):.0%} {way}; the "
            f"strongest alone is {best.lever.label[:1].lower()}{best.lever.label[1:]}, "
            f"{best.change_share:+.0%}."
        )

    @property
    def estimates(self) -> tuple[str, ...]:
        """Inputs that either total rests on and that are only estimates."""
        return estimates_of((self.before, self.together))

    @property
    def status(self) -> str:
        """``estimate`` if either total rests on one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the levers as plain data."""
        return {
            "schema": SCHEMA,
            "before_usd": self.before.total_usd,
            "together_usd": self.together.total_usd,
            "change_usd": self.change_usd,
            "change_share": self.change_share,
            "sentence": self.sentence,
            "levers": [pull.to_dict() for pull in self.pulls],
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the levers as a table by name, in the order in which they are pulled."""
        import pandas as pd

        rows = [{k: v for k, v in p.to_dict().items() if k != "fields"} for p in self.pulls]
        columns = list(rows[0]) if rows else ["name"]
        return pd.DataFrame(rows, columns=columns).set_index("name")


def levers(scenario: Scenario, changes: Mapping[str, Setting] | None = None) -> Levers:
    """Pull every lever: alone, and one after the other.

    Parameters
    ----------
    scenario
        The run as it is.
    changes
        By the name of a lever, another size of it, or the fields to set in its place; None leaves
        it out: ``{"framework": 0.05, "accelerator": "h200-sxm", "precision": None,
        "packaging": {"host_watts_per_accelerator": 400}}``.

    Raises
    ------
    InputError
        If a lever is not known, or a size that was given makes no scenario. A lever that the run
        has no use for is no error: it says why.
    """
    settings = dict(changes or {})
    if unknown := [name for name in settings if name not in LEVERS]:
        raise InputError([unknown_word(name, list(LEVERS), "changes", "lever") for name in unknown])
    before = evaluate(scenario)
    together, pulled, pulls = before, dict[str, Size](), []
    for lever in LEVERS.values():
        setting = settings.get(lever.name, lever.size)
        if lever.name in settings:
            if setting is None:
                continue
            _check(lever, setting)
        fields, reason, alone = _pull(before, lever, setting, {})
        if reason and lever.name in settings and alone is None:
            raise InputError([Fault("conflict", lever.name, reason, "give another size")])
        _, why, after = _pull(together, lever, setting, pulled)
        alone, after = alone or before, after or together
        if not why:
            pulled[lever.name] = None if isinstance(setting, Mapping) else setting
        pulls.append(
            Pull(
                lever,
                None if isinstance(setting, Mapping) else setting,
                "given" if lever.name in settings else lever.source,
                fields,
                reason,
                alone.total_usd,
                alone.total_usd - before.total_usd,
                why,
                after.total_usd,
                after.total_usd - together.total_usd,
            )
        )
        together = after
    return Levers(before, together, tuple(pulls))


def _pull(
    run: Result, lever: Lever, setting: Setting, pulled: Mapping[str, Size]
) -> tuple[Mapping[str, float | str], str, Result | None]:
    """Pull a lever: what it sets, why it changes nothing, and the run with it.

    The run is None where the change makes no scenario.
    """
    if isinstance(setting, Mapping):
        change: Change | str = Change(dict(setting))
    else:
        change = lever.change(On(run.scenario, setting, pulled))
    if isinstance(change, str):
        return {}, change, run
    try:
        after = evaluate(variant(run.scenario, change.fields, change.without))
    except InputError as error:
        reason = "; ".join(f"{fault.field}: {fault.problem}" for fault in error.faults)
        return {}, reason, None
    return dict(change.fields), "", after


def _check(lever: Lever, setting: float | str | Mapping[str, float | str]) -> None:
    """Refuse a size that the lever cannot be set to."""
    if isinstance(setting, Mapping):
        return
    if isinstance(setting, str):
        if lever.name == "scaling" and setting not in FITS:
            raise InputError([unknown_word(setting, list(FITS), lever.name, "fit")])
        fits = isinstance(lever.size, str)
        problem, allowed = "it is text", "give a number, or fields to set"
    else:
        fits = isinstance(lever.size, float) or lever.name == "siting"
        problem, allowed = "it is a number", "give a key, or fields to set"
        if fits and (isinstance(setting, bool) or not isfinite(setting) or setting < 0.0):
            fits, problem, allowed = False, f"{setting} is out of range", "give a positive number"
        if fits and lever.name in ("data", "communication", "failures") and setting >= 1.0:
            fits, problem, allowed = False, f"{setting} is out of range", "give a share below 1"
        if fits and lever.name in ("interconnect", "precision", "memory") and setting < 1.0:
            fits, problem, allowed = False, f"{setting} is out of range", "give a factor above 1"
    if not fits:
        raise InputError([Fault("type", lever.name, problem, allowed)], "changes")

"""How training grew: the history table of the source text beside what the model gives.

Each period has the text's words as ranges ("dozens" is 10 to 100, "thousands" 1,000 to 10,000) and
a run that stands for it. A run of which enough was published is costed as a preset, at the rent of
its time. Of the others only outside estimates exist: their hours are those of the estimated FLOPs
at the estimated MFU or, without one, the estimated hours themselves, at the same kind of rent.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from xl_tco.analysis.variants import status_of
from xl_tco.core import capital, time
from xl_tco.presets import known, number, preset, wanting, word
from xl_tco.result import evaluate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PERIODS", "SCHEMA", "Entry", "History", "Period", "history"]

SCHEMA = "xl-tco/history/1"

HOURS_PER_DAY = 24.0

Verdict = Literal["inside", "below", "above", "not stated"]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Period:
    """One row of the text's table.

    Attributes
    ----------
    years, scale, hardware, cost, driver
        What the text says, in words: when, which class of models, on what, for how much, and what
        drove the cost or changed.
    accelerators, cost_usd
        The same as ranges of numbers; None where the text gives none.
    runs
        Keys of the published runs that stand for the period, and why each differs from the text.
    """

    years: str
    scale: str
    hardware: str
    cost: str
    driver: str
    accelerators: Range | None
    cost_usd: Range | None
    runs: tuple[tuple[str, str], ...]


PERIODS = (
    Period(
        "2017-2018",
        "BERT class, about 340 million parameters",
        "dozens of V100",
        "tens of thousands of USD",
        "can be reproduced with open source",
        (10, 100),
        (1e4, 1e5),
        (
            (
                "bert-large",
                "It ran on 64 TPU v2, not on V100, for four days: one run costs less than ten "
                "thousand USD at list price. The text's range leaves room for several runs.",
            ),
        ),
    ),
    Period(
        "2019-2020",
        "GPT-3 class, 175 billion parameters",
        "thousands of V100",
        "USD 4 to 12 million, trade estimates",
        "the number of GPUs jumps",
        (1e3, 1e4),
        (4e6, 12e6),
        (
            (
                "gpt-3-175b",
                "10,000 V100 at a fifth of their peak. Estimates near 4 million take a higher "
                "utilization or a rent far below the list's.",
            ),
        ),
    ),
    Period(
        "2021-2022",
        "PaLM class, 540 billion parameters",
        "6,144 TPU v4, within Google",
        "not disclosed",
        "chips of the buyer's own design",
        (6144, 6144),
        None,
        (("palm-540b", "The text gives no cost; this is what a customer would have paid."),),
    ),
    Period(
        "2023-2024",
        "GPT-4 and Gemini class",
        "tens of thousands of H100",
        "USD 100 to 300 million, analysts' estimates, not confirmed",
        "clusters of ten thousand accelerators are common; power and network weigh more",
        (1e4, 1e5),
        (1e8, 3e8),
        (
            (
                "gpt-4",
                "Outside estimates say A100, not H100. OpenAI has published neither the parameters "
                "nor the hardware.",
            ),
            (
                "gemini-1.0-ultra",
                "TPU v4, by outside estimates; at the three-year price of 1.45 USD it would be "
                "inside.",
            ),
            (
                "llama-3.1-405b",
                "The one run of this class on H100 of which hours and accelerators were published.",
            ),
        ),
    ),
    Period(
        "2024-2025",
        "next frontier models",
        "clusters of a hundred thousand accelerators, GB200 NVL72 and the like",
        "not stated",
        "the price of electricity decides the site; TCO becomes what one competes in",
        (1e5, 1e6),
        None,
        (
            (
                "grok-3",
                "An outside estimate, on H100: the text speaks of Blackwell. It implies an MFU of "
                "54%, which is high.",
            ),
        ),
    ),
)
"""The table of the source text, period by period."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One run that stands for a period, and what the model makes of it.

    Attributes
    ----------
    period
        What the text says.
    run, label, accelerator
        Key and name of the run, and key of its accelerator.
    accelerators, days, total_usd
        Accelerators at the same time, wall time in days, and cost at the rent of the time.
    usd_per_accelerator_hour
        That rent.
    basis
        What days and cost were computed from.
    accelerators_verdict, cost_verdict
        Where the text's range has them: ``inside``, ``below``, ``above``; ``not stated`` where the
        text gives none.
    why
        What explains a difference.
    estimates
        Rows of the run, or inputs of the preset, that are only estimates.
    """

    period: Period
    run: str
    label: str
    accelerator: str
    accelerators: float
    days: float
    total_usd: float
    usd_per_accelerator_hour: float
    basis: str
    accelerators_verdict: Verdict
    cost_verdict: Verdict
    why: str
    estimates: tuple[str, ...]

    @property
    def status(self) -> str:
        """``estimate`` if anything it rests on is one, else ``official``."""
        return status_of(self.estimates)


@dataclass(frozen=True, slots=True)
class History:
    """The text's table, each run of each period."""

    entries: tuple[Entry, ...]

    @property
    def estimates(self) -> tuple[str, ...]:
        """Figures that any entry rests on and that are only estimates."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.estimates))

    @property
    def status(self) -> str:
        """``estimate`` if anything it rests on is one, else ``official``."""
        return status_of(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            "schema": SCHEMA,
            "entries": [_plain(entry) for entry in self.entries],
            "status": self.status,
            "estimates": list(self.estimates),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one run a row."""
        import pandas as pd

        rows = []
        for entry in self.entries:
            row = _plain(entry)
            period = row.pop("period")
            (low, high), (least, most) = (
                period.pop(name) or (None, None) for name in ("accelerators", "cost_usd")
            )
            said = {f"said_{name}": text for name, text in period.items() if name != "years"}
            ranges = {
                "said_accelerators_low": low,
                "said_accelerators_high": high,
                "said_usd_low": least,
                "said_usd_high": most,
            }
            row["estimates"] = ", ".join(row["estimates"])
            rows.append({"years": period["years"], **said, **ranges, **row})
        return pd.DataFrame(rows)


def history() -> History:
    """Put the model's figures beside the text's history table.

    Examples
    --------
    >>> for entry in history().entries[:3]:
    ...     print(entry.period.years, entry.run, f"{entry.total_usd:.2g}", entry.cost_verdict)
    2017-2018 bert-large 6.9e+03 below
    2019-2020 gpt-3-175b 1.1e+07 inside
    2021-2022 palm-540b 2.7e+07 not stated
    """
    return History(
        tuple(_entry(period, run, why) for period in PERIODS for run, why in period.runs)
    )


def _entry(period: Period, run: str, why: str) -> Entry:
    accelerators = number(run, "accelerators") or 0.0
    price = number(run, "rental_usd_per_accelerator_hour") or 0.0
    days, total_usd, basis, estimates = _estimated(run) if wanting(run) else _costed(run)
    return Entry(
        period,
        run,
        word(run, "label"),
        word(run, "accelerator"),
        accelerators,
        days,
        total_usd,
        price,
        basis,
        _verdict(accelerators, period.accelerators),
        _verdict(total_usd, period.cost_usd),
        why,
        estimates,
    )


def _costed(run: str) -> tuple[float, float, str, tuple[str, ...]]:
    """Days, cost and their basis of a run that is a preset."""
    result = evaluate(preset(run))
    days = float(result.metrics["wall_days"] or 0.0)
    return days, result.total_usd, f"preset:{run}", result.estimates


def _estimated(run: str) -> tuple[float, float, str, tuple[str, ...]]:
    """Days, cost and their basis of a run of which only the FLOPs or the hours are estimated."""
    names = ["accelerators", "stated_flops", "peak_tflops", "reported_mfu"]
    accelerators, flops, peak, mfu = (number(run, name) or 0.0 for name in names)
    if mfu:
        basis = f"{flops:.3g} FLOP at an MFU of {mfu:g}, no waste"
        hours = float(time.productive_hours(flops, accelerators, peak, mfu))
    else:
        names = ["accelerators", "accelerator_hours"]
        basis = "its accelerator-hours, of which nothing tells an MFU apart"
        hours = (number(run, "accelerator_hours") or 0.0) / accelerators
    price = "rental_usd_per_accelerator_hour"
    total_usd = float(capital.rental_usd(accelerators, hours, number(run, price) or 0.0))
    rows = {name: known(run, name) for name in (*names, price)}
    guessed = tuple(name for name, row in rows.items() if row and row.status == "estimate")
    return hours / HOURS_PER_DAY, total_usd, basis, guessed


def _verdict(value: float, said: Range | None) -> Verdict:
    """Say where a value lies to a range, its ends included."""
    if said is None:
        return "not stated"
    low, high = said
    if value < low:
        return "below"
    return "above" if value > high else "inside"


def _plain(entry: Entry) -> dict[str, Any]:
    """Return an entry as plain data, without what its period says of all its runs."""
    data = asdict(entry) | {"status": entry.status, "estimates": list(entry.estimates)}
    del data["period"]["runs"]
    for name in ("accelerators", "cost_usd"):
        said = data["period"][name]
        data["period"][name] = None if said is None else list(said)
    return data

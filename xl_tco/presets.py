"""Published training runs as scenarios: `preset`, by the key of a run of the catalogue.

A preset is made of the rows of its run (`xl_tco.catalogue.runs`) and of nothing else. The rate is
what was reported: MFU, or HFU where it is said what was recomputed. What the accelerator-hours
lack of it is the waste. Where no rate was reported, the MFU is the one that the accelerator-hours
imply, failures and all, and there is no waste beside it. A preset so takes the published hours.

No run publishes its bill. A preset is costed as if rented at the list price of its time, an
estimate that its figures show as one; staff and storage, which nobody publishes, are not counted.
FLOPs are 6·N·D: the sizes of a model are in the catalogue for other uses.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from xl_tco import catalogue
from xl_tco.catalogue import Figure
from xl_tco.core import compute
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.scenario import Scenario

__all__ = [
    "PREFIX",
    "implied_mfu",
    "known",
    "number",
    "preset",
    "preset_names",
    "run_keys",
    "wanting",
    "word",
]

PREFIX = "preset:"
"""What stands before the name of a preset where a file could be named as well."""

STATED = (
    "parameters",
    "tokens",
    "accelerator",
    "accelerators",
    "precision",
    "recomputation",
    "rental_usd_per_accelerator_hour",
)
"""Rows of a run that are fields of a scenario as they stand."""

NEEDED = ("parameters", "tokens", "accelerator", "accelerators", "precision")

ASSUMED = {
    "procurement": Figure(
        "rent",
        "own | rent",
        "no run publishes its bill: a preset is costed at the rent of its time",
        "2026-11",
        "definition",
    ),
    "staff_fte": Figure(
        0.0, "full-time equivalents", "not published: staff is not counted", "2026-11", "definition"
    ),
    "storage_usd_per_hour": Figure(
        0.0, "USD/hour", "not published: storage is not counted", "2026-11", "definition"
    ),
}
"""What a scenario needs and no run has published, the same for all presets."""


@cache
def run_keys() -> tuple[str, ...]:
    """Keys of the published runs, in the catalogue's order."""
    return tuple(key for key, field in catalogue.runs() if field == "label")


@cache
def preset_names() -> tuple[str, ...]:
    """Names of the runs of which enough was published for a scenario."""
    return tuple(run for run in run_keys() if not wanting(run))


def preset(name: str) -> Scenario:
    """Return a published run as a scenario; its figures carry their source, date and status.

    Parameters
    ----------
    name
        Key of a run, like ``llama-3.1-405b``; all are in `preset_names`.

    Raises
    ------
    InputError
        For a name that is no run's, and for a run of which too little was published: with what.

    Examples
    --------
    >>> run = preset("llama-3.1-405b")
    >>> run.values["accelerators"], run.figures["mfu"].status
    (16384.0, 'official')
    >>> run.figures["rental_usd_per_accelerator_hour"].status
    'estimate'
    """
    if name not in run_keys():
        raise InputError([unknown_word(str(name), preset_names(), "preset", "published run")])
    faults = wanting(name)
    if faults:
        raise InputError(faults, PREFIX + name)
    figures = _figures(name)
    table = {field: figure.value for field, figure in figures.items()}
    return Scenario.from_table(table, PREFIX + name, figures)


def known(run: str, field: str) -> Figure | None:
    """Return the figure of a published run; None where it has none, or one without a value."""
    figure = catalogue.runs().get((run, field))
    return None if figure is None or figure.value is None or figure.value == "" else figure


def number(run: str, field: str) -> float | None:
    """Return a number of a published run, if it is known."""
    figure = known(run, field)
    return None if figure is None else float(figure.value or 0.0)


def word(run: str, field: str) -> str:
    """Return a text of a published run; empty if there is none."""
    figure = known(run, field)
    return "" if figure is None else str(figure.value)


def implied_mfu(run: str) -> float | None:
    """MFU that the accelerator-hours of a run imply by 6·N·D, its failures included."""
    parameters, tokens = number(run, "parameters"), number(run, "tokens")
    hours, peak = number(run, "accelerator_hours"), number(run, "peak_tflops")
    if parameters is None or tokens is None or hours is None or peak is None:
        return None
    return float(compute.model_flops(parameters, tokens)) / (hours * 3600.0 * peak * 1e12)


def wanting(run: str) -> list[Fault]:
    """List what a scenario needs and nobody has published of a run; nothing for a preset."""
    faults = [_unpublished(run, field) for field in NEEDED if known(run, field) is None]
    if not _rate(run):
        problem = f"{word(run, 'label')}: neither a utilization nor accelerator-hours are published"
        faults.append(Fault("unknown figure", "mfu", problem, _ALLOWED))
    return faults


_ALLOWED = "give a scenario with a figure of your own; presets have only what was published"


def _unpublished(run: str, field: str) -> Fault:
    figure = catalogue.runs().get((run, field))
    why = "not published" if figure is None else figure.source
    return Fault("unknown figure", field, f"{word(run, 'label')}: {why}", _ALLOWED)


def _figures(run: str) -> dict[str, Figure]:
    """Every figure of a preset, by field of the scenario."""
    figures = {"name": catalogue.runs()[run, "label"]}
    figures |= {field: figure for field in STATED if (figure := known(run, field))}
    total = known(run, "parameters_total")
    if total is not None and total.value != figures["parameters"].value:
        figures["parameters_total"] = total
    peak, precision = known(run, "peak_tflops"), word(run, "precision")
    usual = catalogue.find(word(run, "accelerator"), f"peak_tflops_{precision}")
    if peak is not None and (usual is None or usual.value != peak.value):
        figures["peak_tflops"] = peak
    return figures | _rate(run) | ASSUMED


def _rate(run: str) -> dict[str, Figure]:
    """Utilization of a run and what goes with it; nothing where neither is published."""
    mfu, hfu = known(run, "reported_mfu"), known(run, "reported_hfu")
    implied = implied_mfu(run)
    if mfu is not None:
        rate = {"mfu": mfu} | _recomputed(mfu, hfu)
        return rate | _waste(implied, float(mfu.value or 0.0), mfu)
    share = _recompute_share(run)
    if hfu is not None and share is not None:
        reached = float(compute.mfu_from_hfu(float(hfu.value or 0.0), share))
        return {"hfu": hfu} | _waste(implied, reached, hfu)
    hours = known(run, "accelerator_hours")
    if implied is None or hours is None:
        return {}
    source = f"6·N·D over the published accelerator-hours at the peak; {hours.source}"
    lost = "what was lost is in the MFU, which is over all accelerator-hours"
    return {
        "mfu": Figure(implied, "share of peak", source, hours.date, "estimate"),
        "waste_share": Figure(0.0, "share of wall time", lost, hours.date, "definition"),
    }


def _recompute_share(run: str) -> float | None:
    """Share that was recomputed, where the run says what was."""
    figure = catalogue.find(word(run, "recomputation"), "recompute_share")
    return None if figure is None else float(figure.value or 0.0)


def _recomputed(mfu: Figure, hfu: Figure | None) -> dict[str, Figure]:
    """Share of recomputation of a run that reports both utilizations."""
    if hfu is None:
        return {}
    share = float(hfu.value or 0.0) / float(mfu.value or 1.0) - 1.0
    source = f"reported HFU over reported MFU, less 1; {hfu.source}"
    return {
        "recompute_share": replace(hfu, value=share, unit="share of model FLOPs", source=source)
    }


def _waste(implied: float | None, reached: float, rate: Figure) -> dict[str, Figure]:
    """Share of the time that the hours lack of the reported rate; nothing without hours."""
    if implied is None:
        return {}
    source = f"1 less the MFU over all accelerator-hours, {implied:.3g}, over that of a step"
    return {
        "waste_share": Figure(
            max(0.0, 1.0 - implied / reached), "share of wall time", source, rate.date, "estimate"
        )
    }

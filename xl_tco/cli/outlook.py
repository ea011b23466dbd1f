"""What may come: the distribution of a cost, and its cash month by month."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xl_tco.cli.app import Json, ScenarioFile, answer, app, scenario_of
from xl_tco.display import answers, evidence

PANEL = "Outlook"

_SAMPLES = typer.Option(metavar="N", help="How many, from 100 to 10 million.")
_SEED = typer.Option(metavar="N", help="The same seed gives the same numbers.")
_WHAT = typer.Option("--output", metavar="NAME", help="total_usd, a component or a metric.")
_RUNS = typer.Argument(metavar="SCENARIO...", help="Runs on one cluster, one after the other.")
_MONTHS = typer.Option(metavar="N", help="Length of the timeline; the hardware's life if left out.")
_START = typer.Option("--start", metavar="YYYY-MM", help="First month.")
_METHOD = typer.Option(metavar="NAME", help="Depreciation method.")


@app.command(rich_help_panel=PANEL)
def simulate(
    scenario: ScenarioFile,
    samples: Annotated[int, _SAMPLES] = 100_000,
    seed: Annotated[int, _SEED] = 0,
    output: Annotated[str, _WHAT] = "total_usd",
    as_json: Json = False,
) -> None:
    """Draw from the ranges of a scenario: percentiles, histogram, what the spread comes from."""
    from xl_tco.analysis.uncertainty import simulate

    found = simulate(scenario_of(scenario), samples=samples, seed=seed, output=output)
    answer(found, answers.distribution, as_json)


@app.command(rich_help_panel=PANEL)
def cash(
    scenarios: Annotated[list[Path], _RUNS],
    months: Annotated[int | None, _MONTHS] = None,
    start: Annotated[str | None, _START] = None,
    method: Annotated[str | None, _METHOD] = None,
    as_json: Json = False,
) -> None:
    """Lay a cluster's cash out month by month: CapEx, OpEx, depreciation, residual, NPV."""
    from xl_tco.analysis.cash import cash_view
    from xl_tco.reading import load_scenarios

    runs = [run for source in scenarios for run in load_scenarios(source)]
    found = cash_view(runs, months=months, start_date=start, method=method)
    answer(found, evidence.timeline, as_json)

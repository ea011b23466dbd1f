"""How far the model can be trusted: published runs, the history of training, claims."""

from __future__ import annotations

from typing import Annotated

import typer

from xl_tco.cli.app import Json, ScenarioFile, answer, app, scenario_of
from xl_tco.display import evidence

PANEL = "Evidence"

_RUNS = typer.Argument(metavar="[RUN]...", help="Published runs, like llama-3.1-405b; all if none.")


@app.command(rich_help_panel=PANEL)
def validate(
    runs: Annotated[list[str] | None, _RUNS] = None,
    as_json: Json = False,
) -> None:
    """Compare the model with published runs: FLOPs, hours, energy, cost, and the residuals."""
    from xl_tco.analysis.validation import validate

    answer(validate(runs or None), evidence.validation, as_json)


@app.command(rich_help_panel=PANEL)
def history(as_json: Json = False) -> None:
    """Put the model's cost beside what is told of each generation of models."""
    from xl_tco.analysis.history import history

    answer(history(), evidence.history, as_json)


@app.command(rich_help_panel=PANEL)
def claims(scenario: ScenarioFile, as_json: Json = False) -> None:
    """Put key indicators and common claims to a scenario: inside, outside, and why."""
    from xl_tco.analysis.claims import claims

    answer(claims(scenario_of(scenario)), evidence.claims, as_json)

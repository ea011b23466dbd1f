"""Questions about a run: which accelerator, rent or own, what it would take, what it turns on."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from xl_tco.cli.app import Json, ScenarioFile, answer, app, scenario_of
from xl_tco.display import answers
from xl_tco.errors import Fault, InputError

PANEL = "Decisions"

By = StrEnum("By", {"effective": "usd_per_effective_tflop_hour", "total": "total_usd"})
Equal = StrEnum("Equal", ["accelerators", "deadline"])
Fit = StrEnum("Fit", {"besiroglu": "besiroglu-2024", "hoffmann": "hoffmann-2022"})

EFFECTIVE, NUMBER, BESIROGLU = By.effective, Equal.accelerators, Fit.besiroglu

_BY = typer.Option(help="What to rank by.")
_EQUAL = typer.Option(help="What stays the same: the number of accelerators, or the deadline.")
_RENT = typer.Option("--rent", metavar="USD", help="An offer, USD an accelerator-hour.")
_FIELD = typer.Argument(metavar="FIELD", help="The input to find, like tokens or mfu.")
_TARGET = typer.Argument(metavar="OUTPUT=VALUE", help="What is wanted, like total_usd=50e6.")
_MAYBE = typer.Argument(metavar="[SCENARIO]", help="The cluster that a budget is spent on.")
_FLOPS = typer.Option(metavar="FLOP", help="Model FLOPs to split.")
_BUDGET = typer.Option("--budget", metavar="USD", help="Money to spend on the scenario's cluster.")
_FIT = typer.Option(help="The fitted scaling law.")
_LEVER = typer.Option(
    "--set", metavar="LEVER=SIZE", help="Another size of a lever; none leaves it out."
)
_FIELDS = typer.Option("--fields", metavar="A,B", help="Inputs to move; all, if left out.")
_SWING = typer.Option(metavar="SHARE", help="How far to move an input of no known range.")
_WHAT = typer.Option("--output", metavar="NAME", help="total_usd or a metric.")


@app.command(rich_help_panel=PANEL)
def compare(
    scenario: ScenarioFile,
    by: Annotated[By, _BY] = EFFECTIVE,
    equal: Annotated[Equal, _EQUAL] = NUMBER,
    as_json: Json = False,
) -> None:
    """Rank the accelerators of the catalogue by what the run costs on them."""
    from xl_tco.analysis.ranking import rank_accelerators

    found = rank_accelerators(scenario_of(scenario), by.value, equal=equal.value)
    answer(found, answers.ranking, as_json)


@app.command(rich_help_panel=PANEL)
def rent_or_own(
    scenario: ScenarioFile,
    rent: Annotated[float | None, _RENT] = None,
    as_json: Json = False,
) -> None:
    """Say whether to rent or to own, and under which condition that turns."""
    from xl_tco.analysis.rent_or_own import rent_or_own

    answer(rent_or_own(scenario_of(scenario), rent), answers.decision, as_json)


@app.command(rich_help_panel=PANEL)
def solve(
    scenario: ScenarioFile,
    field: Annotated[str, _FIELD],
    target: Annotated[str, _TARGET],
    as_json: Json = False,
) -> None:
    """Find what an input would have to be for a budget, a deadline or any output."""
    from xl_tco.analysis.solving import solve

    name, value = _pair(target, "OUTPUT=VALUE", "total_usd=50e6")
    answer(
        solve(scenario_of(scenario), field, **{name: _number(value, name)}),
        answers.solution,
        as_json,
    )


@app.command(rich_help_panel=PANEL)
def optimal(
    scenario: Annotated[Path | None, _MAYBE] = None,
    flops: Annotated[float | None, _FLOPS] = None,
    budget_usd: Annotated[float | None, _BUDGET] = None,
    fit: Annotated[Fit, _FIT] = BESIROGLU,
    as_json: Json = False,
) -> None:
    """Split a budget of compute or money into parameters and tokens for the lowest loss."""
    from xl_tco.analysis.optimal import optimal

    run = None if scenario is None else scenario_of(scenario)
    answer(optimal(flops, budget_usd, run, fit.value), answers.split, as_json)


@app.command(rich_help_panel=PANEL)
def fit(scenario: ScenarioFile, as_json: Json = False) -> None:
    """Say what an accelerator must hold, and how few accelerators would hold the model."""
    from xl_tco.analysis.fitting import fit

    answer(fit(scenario_of(scenario)), answers.holding, as_json)


@app.command(rich_help_panel=PANEL)
def levers(
    scenario: ScenarioFile,
    sizes: Annotated[list[str] | None, _LEVER] = None,
    as_json: Json = False,
) -> None:
    """Pull each lever on the cost: alone, in turn, and all together."""
    from xl_tco.analysis.levers import levers

    changes = dict(_pair(size, "LEVER=SIZE", "framework=0.05") for size in sizes or [])
    found = levers(scenario_of(scenario), {name: _size(text) for name, text in changes.items()})
    answer(found, answers.leverage, as_json)


@app.command(rich_help_panel=PANEL)
def tornado(
    scenario: ScenarioFile,
    fields: Annotated[str | None, _FIELDS] = None,
    swing: Annotated[float, _SWING] = 0.1,
    output: Annotated[str, _WHAT] = "total_usd",
    as_json: Json = False,
) -> None:
    """Move each input to a low and a high value, and see what the cost does."""
    from xl_tco.analysis.tornado import tornado

    names = None if fields is None else [name.strip() for name in fields.split(",")]
    found = tornado(scenario_of(scenario), names, swing, output)
    answer(found, answers.sensitivity, as_json)


def _pair(text: str, form: str, example: str) -> tuple[str, str]:
    """Take apart what was given as NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        problem = f'"{text}" has not the form {form}'
        raise InputError([Fault("shape", form, problem, f"give it like {example}")])
    return name.strip(), value.strip()


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        fault = Fault("type", name, f'"{text}" is text', "give a number, like 50e6")
        raise InputError([fault]) from None


def _size(text: str) -> float | str | None:
    """Return the size of a lever: a number where it is one, a word, or nothing."""
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        return text

"""The command ``xl-tco``: reads files, calls the package, prints.

Data goes to stdout and messages to stderr. Exit codes: 0 fine, 1 failure, 2 bad input, 3 checks
failed. Nothing is computed here, and nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xl_tco._version import __version__
from xl_tco.display import accelerators, clean, comparison, report, show, specifications
from xl_tco.errors import Fault, InputError, TcoError, WorkbookError, unknown_word
from xl_tco.writing import check_target, write_whole

if TYPE_CHECKING:
    from xl_tco.workbook.engine import ErrorCell

__all__ = ["app", "main"]

FAILURE, BAD_INPUT, CHECKS_FAILED = 1, 2, 3
MOST_ERRORS = 10
Formulas = StrEnum("Formulas", ["functions", "native"])
FUNCTIONS = Formulas.functions

app = typer.Typer(
    name="xl-tco",
    help="What it really costs to train a model: the same number in Excel, Python and here.",
    epilog="Exit codes: 0 fine, 1 failure, 2 bad input, 3 checks failed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


_ASIDE = typer.Option("--output", "-o", metavar="FILE", help="Write here, not in place.")
_FORMULAS = typer.Option(help="Calculate with TCO_ functions, or with native formulas alone.")
_KEY = typer.Argument(metavar="[KEY]", help='An accelerator, or "default": what fills the gaps.')
_OUTPUT = typer.Option("--output", "-o", metavar="FILE", help="The workbook to write.")
ScenarioFile = Annotated[Path, typer.Argument(metavar="SCENARIO", help=".toml, .json or .csv")]
WorkbookFile = Annotated[Path, typer.Argument(metavar="FILE", help="A workbook of xl-tco.")]
OutFile = Annotated[Path, _OUTPUT]
FormulaKind = Annotated[Formulas, _FORMULAS]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every figure to the last digit.")]


def main() -> None:
    """Run the command line and exit: the entry point of ``xl-tco``."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # None where it is closed
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            app(prog_name="xl-tco")
        finally:
            print(end="", flush=True)  # a full disk or a closed pipe shows here
    except TcoError as error:
        _complain(str(error))
        sys.exit(BAD_INPUT if isinstance(error, InputError | WorkbookError) else FAILURE)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # whoever closed a pipe has seen enough
            _complain(f"{error.filename or 'output'}: {_reason(error)}")
        if isinstance(sys.stdout, io.TextIOWrapper):  # nothing is left for the interpreter to flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(FAILURE)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"xl-tco {__version__}")
        raise typer.Exit


_VERSION = typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit.")


@app.callback()
def _options(version: Annotated[bool, _VERSION] = False) -> None:
    """Take the options that stand before the command."""


@app.command()
def evaluate(scenario: ScenarioFile, as_json: Json = False) -> None:
    """Cost a scenario, or each row of a .csv file (with --json: a list)."""
    from xl_tco.reading import load_scenarios
    from xl_tco.result import evaluate

    results = [evaluate(run) for run in load_scenarios(scenario)]
    if not results:
        fault = Fault("shape", "rows", "there is none", "give a row for each scenario")
        raise InputError([fault], str(scenario))
    if as_json:
        data = [result.to_dict() for result in results]
        _print_json(data if scenario.suffix.lower() == ".csv" else data[0])
    else:
        show(*(report(results[0], scenario) if len(results) == 1 else comparison(results)))


@app.command()
def build(
    scenario: ScenarioFile, output: OutFile, formulas: FormulaKind = FUNCTIONS, force: Force = False
) -> None:
    """Write the workbook of a scenario, calculated."""
    from xl_tco.reading import load_scenario

    _check_name(output)
    check_target(output, force=force)
    run = load_scenario(scenario)
    from xl_tco.workbook import workbook_bytes

    kind: Any = formulas.value
    write_whole(output, workbook_bytes(run, formulas=kind), force=force)
    typer.echo(f"wrote {output}: {clean(run.name)}", err=True)


@app.command()
def template(output: OutFile, formulas: FormulaKind = FUNCTIONS, force: Force = False) -> None:
    """Write the workbook to fill in."""
    _check_name(output)
    check_target(output, force=force)
    from xl_tco.workbook import template_bytes

    kind: Any = formulas.value
    write_whole(output, template_bytes(formulas=kind), force=force)
    typer.echo(f"wrote {output}", err=True)


@app.command()
def recalc(
    file: WorkbookFile, output: Annotated[Path | None, _ASIDE] = None, force: Force = False
) -> None:
    """Recalculate a workbook whose inputs were edited, in place.

    The values are written even where formulas end in errors; the exit code is then 1.
    """
    if output is not None:
        _check_name(output)
    package = _read(file)
    target, replace = (file, True) if output is None else (output, force)
    check_target(target, force=replace)
    from xl_tco.workbook import recalculated

    package, outcome = recalculated(package, str(file))
    write_whole(target, package, force=replace)
    typer.echo(f"wrote {target}: {outcome.formulas:,} formulas calculated", err=True)
    if outcome.errors:
        _complain_of_cells(outcome.errors)
        raise typer.Exit(FAILURE)


@app.command()
def check(file: WorkbookFile) -> None:
    """Check a workbook against the rules of a careful model, by rule id."""
    _read(file)
    from xl_tco.workbook import check_workbook

    findings = sorted(check_workbook(file), key=lambda finding: finding.rule)
    if findings:
        print(*(clean(str(finding)) for finding in findings), sep="\n")
        raise typer.Exit(CHECKS_FAILED)
    typer.echo("all rules hold", err=True)


@app.command()
def catalogue(key: Annotated[str | None, _KEY] = None, as_json: Json = False) -> None:
    """List the accelerators, or every figure of one with its source."""
    from xl_tco import catalogue as figures

    known = tuple(dict.fromkeys(key for key, _ in figures.entries()))
    if key is not None and key not in known:
        raise InputError([unknown_word(key, known, "KEY", "entry of the catalogue")])
    chosen = figures.accelerator_keys() if key is None else (key,)
    if as_json:
        data = {k: {f: asdict(v) for f, v in figures.specifications(k).items()} for k in chosen}
        _print_json(data if key is None else data[key])
    else:
        show(*(specifications(key) if key else accelerators()))


@app.command()
def schema() -> None:
    """Print the JSON schema of a scenario file."""
    from xl_tco.scenario import json_schema

    _print_json(json_schema())


def _check_name(path: Path) -> None:
    """Refuse to write a workbook under a name that is not one's."""
    if not path.name.lower().endswith(".xlsx"):
        allowed = "give a name that ends in .xlsx"
        raise InputError([Fault("shape", "file", "not the name of a workbook", allowed)], str(path))


def _read(path: Path) -> bytes:
    """Read a workbook that is said to be there."""
    try:
        package = path.read_bytes()
        problem = "" if package.startswith(b"PK") else "not a workbook"
    except OSError as error:
        problem = _reason(error)
    if problem:
        raise InputError([Fault("shape", "file", problem, "give an .xlsx of xl-tco")], str(path))
    return package


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _print_json(data: object) -> None:
    """Print JSON; where the output cannot hold a letter, as its escape."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    print(json.dumps(data, indent=2, ensure_ascii=not unicode, allow_nan=False))


def _complain(message: str) -> None:
    """Print each line of a message as an error."""
    for line in message.splitlines():
        typer.echo(typer.style("error: ", fg="red", bold=True) + clean(line), err=True)


def _complain_of_cells(errors: Sequence[ErrorCell]) -> None:
    """Print each reason once, at the first cell that has it; cells, where no reason is ours."""
    reasons: dict[str, ErrorCell] = {}
    for bad in errors:
        if bad.message.startswith("TCO_"):
            reasons.setdefault(bad.message, bad)
    told = [*(reasons.values() or errors)][:MOST_ERRORS]
    for bad in told:
        _complain(clean(f"{bad.sheet}!{bad.address}: {bad.error} {bad.message}".rstrip()))
    if more := len(errors) - len(told):
        cells = "cell shows" if more == 1 else "cells show"
        typer.echo(f"… and {more:,} more {cells} an error that follows from these", err=True)

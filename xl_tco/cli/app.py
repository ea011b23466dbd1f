"""The command ``xl-tco`` itself: its options, its exit codes, and how it says no.

Data goes to stdout and messages to stderr. Exit codes: 0 fine, 1 failure, 2 bad input, 3 checks
failed.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from xl_tco._version import __version__
from xl_tco.display.tables import clean, show
from xl_tco.errors import InputError, TcoError, WorkbookError

if TYPE_CHECKING:
    from xl_tco.display.tables import Parts
    from xl_tco.scenario import Scenario

__all__ = [
    "CHECKS_FAILED",
    "FAILURE",
    "FUNCTIONS",
    "Answer",
    "Force",
    "Formulas",
    "Json",
    "OutFile",
    "ScenarioFile",
    "WorkbookFile",
    "answer",
    "app",
    "complain",
    "is_unicode",
    "main",
    "print_json",
    "reason",
    "scenario_of",
]

FAILURE, BAD_INPUT, CHECKS_FAILED = 1, 2, 3
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

_FORMULAS = typer.Option(help="Calculate with TCO_ functions, or with native formulas alone.")
_OUTPUT = typer.Option("--output", "-o", metavar="FILE", help="The workbook to write.")
_SCENARIO = typer.Argument(metavar="SCENARIO", help=".toml, .json, .csv, or preset:NAME")
ScenarioFile = Annotated[Path, _SCENARIO]
WorkbookFile = Annotated[Path, typer.Argument(metavar="FILE", help="A workbook of xl-tco.")]
OutFile = Annotated[Path, _OUTPUT]
FormulaKind = Annotated[Formulas, _FORMULAS]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every figure to the last digit.")]


class Answer(Protocol):
    """What a question about scenarios comes to."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""


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
        complain(str(error))
        sys.exit(BAD_INPUT if isinstance(error, InputError | WorkbookError) else FAILURE)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # whoever closed a pipe has seen enough
            complain(f"{error.filename or 'output'}: {reason(error)}")
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


def scenario_of(source: Path) -> Scenario:
    """Read the one scenario of a file, or a preset."""
    from xl_tco.reading import load_scenario

    return load_scenario(source)


def answer(found: Answer, layout: Callable[[Any], Parts], as_json: bool) -> None:
    """Print an answer, for programs or for people."""
    if as_json:
        print_json(found.to_dict())
    else:
        show(*layout(found))


def reason(error: OSError) -> str:
    """Say what the system says of an error."""
    return (error.strerror or str(error)).lower()


def print_json(data: object) -> None:
    """Print JSON; where the output cannot hold a letter, as its escape."""
    ascii_only = not is_unicode(sys.stdout)
    print(json.dumps(data, indent=2, ensure_ascii=ascii_only, allow_nan=False))


def is_unicode(stream: object) -> bool:
    """Whether a stream can hold every letter."""
    return (getattr(stream, "encoding", None) or "").lower().startswith("utf")


def complain(message: str) -> None:
    """Print each line of a message as an error."""
    for line in message.splitlines():
        typer.echo(typer.style("error: ", fg="red", bold=True) + clean(line), err=True)

"""A workbook turned back into a scenario: the command ``read``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from xl_tco.cli.app import Force, Json, WorkbookFile, app, is_unicode, print_json
from xl_tco.errors import Fault, InputError
from xl_tco.writing import check_target, write_whole

TOML, JSON = ".toml", ".json"
_OUT = typer.Option("--output", "-o", metavar="FILE", help="The .toml or .json file to write.")


@app.command()
def read(
    file: WorkbookFile,
    output: Annotated[Path | None, _OUT] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Turn a filled workbook back into its scenario: cases, ranges and correlations included."""
    kind = _kind(output, as_json)
    if output is not None:
        check_target(output, force=force)
    from xl_tco.saving import scenario_json, scenario_table, scenario_toml
    from xl_tco.workbook import read_scenario

    run = read_scenario(file)
    if output is None and kind == JSON:
        print_json(scenario_table(run))
        return
    text = scenario_json(run) if kind == JSON else scenario_toml(run, f"Read from {file.name}")
    if output is None:
        print(text if is_unicode(sys.stdout) else _escaped(text), end="")
    else:
        write_whole(output, text.encode(), force=force)
        typer.echo(f"wrote {output}", err=True)


def _escaped(text: str) -> str:
    """Return TOML in ASCII: other letters stand in strings and comments alone."""
    return "".join(mark if mark.isascii() else f"\\U{ord(mark):08x}" for mark in text)


def _kind(output: Path | None, as_json: bool) -> str:
    """Return which of the two formats is asked for."""
    if output is None:
        return JSON if as_json else TOML
    suffix = output.suffix.lower()
    if suffix not in (TOML, JSON) or (as_json and suffix != JSON):
        allowed = f"end it in {JSON}" if as_json else f"end it in {TOML} or {JSON}"
        problem = "not the name of a scenario" + (" in JSON" if as_json else "")
        raise InputError([Fault("shape", "file", problem, allowed)], str(output))
    return suffix

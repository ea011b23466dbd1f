"""Two scenarios compared, or two workbooks: diff."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xl_tco.cases import BASE
from xl_tco.cli.app import Force, Json, answer, app, scenario_of
from xl_tco.display.bridge import crossing
from xl_tco.display.tables import clean
from xl_tco.errors import Fault, InputError
from xl_tco.writing import check_target, write_whole

if TYPE_CHECKING:
    from xl_tco.analysis.bridge import Bridge
    from xl_tco.display.tables import Parts
    from xl_tco.scenario import Scenario

WORKBOOK, WORKBOOKS = ".xlsx", (".xlsx", ".xlsm")

_SOURCE = "A scenario file, preset:NAME, or a workbook."
_FROM = typer.Argument(metavar="A", help=f"From where. {_SOURCE}")
_TO = typer.Argument(metavar="B", help="To where: likewise.")
_OUTPUT = typer.Option(
    "--output", "-o", metavar="FILE", help="Write the bridge as a waterfall, an .xlsx."
)


@app.command()
def diff(
    first: Annotated[Path, _FROM],
    second: Annotated[Path, _TO],
    as_json: Json = False,
    output: Annotated[Path | None, _OUTPUT] = None,
    force: Force = False,
) -> None:
    """List the inputs and results that differ, and what each change does to the total."""
    if output is not None:
        if output.suffix.lower() != WORKBOOK:
            allowed = f"give a name that ends in {WORKBOOK}"
            fault = Fault("shape", "file", "not the name of a workbook", allowed)
            raise InputError([fault], str(output))
        check_target(output, force=force)
    runs = (_read(first), _read(second))
    before, after = _names((first, second), runs)
    from xl_tco.analysis.bridge import bridge

    found = bridge(*runs)
    if output is not None:
        from xl_tco.workbook.bridge import bridge_bytes

        write_whole(output, bridge_bytes(found, before, after), force=force)
        typer.echo(f"wrote {output}", err=True)

    def layout(found: Bridge) -> Parts:
        return crossing(found, before, after)

    answer(found, layout, as_json)


def _read(source: Path) -> Scenario:
    """Read the scenario of a file, a preset or a workbook."""
    if source.suffix.lower() not in WORKBOOKS:
        return scenario_of(source)
    from xl_tco.workbook import read_scenario

    return read_scenario(source)


def _names(sources: tuple[Path, Path], runs: tuple[Scenario, Scenario]) -> tuple[str, str]:
    """Name the two: as the runs are called and which case is in force, or else by their files."""
    run_names = [run.name if run.case == BASE else f"{run.name} ({run.case})" for run in runs]
    file_names = [source.name for source in sources]
    paths = [str(source) for source in sources]
    found = next((two for two in (run_names, file_names) if two[0] != two[1]), paths)
    return clean(found[0]), clean(found[1])

"""What is known without a scenario: catalogue, regions, published runs, the schema."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from xl_tco.cli.app import Json, app, print_json
from xl_tco.display.figures import accelerators, figures_of, published_runs, specifications
from xl_tco.display.figures import regions as regions_table
from xl_tco.display.tables import show
from xl_tco.errors import InputError, unknown_word

_RUN = typer.Argument(metavar="[KEY]", help="A published run, like llama-3.1-405b.")
_KEY = typer.Argument(metavar="[KEY]", help='An accelerator, a region, or "default".')


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
        print_json(data if key is None else data[key])
    else:
        show(*(specifications(key) if key else accelerators()))


@app.command()
def regions(as_json: Json = False) -> None:
    """List the regions: price and carbon of electricity, PUE."""
    from xl_tco import catalogue as figures

    if as_json:
        keys = figures.region_keys()
        print_json({k: {f: asdict(v) for f, v in figures.specifications(k).items()} for k in keys})
    else:
        show(*regions_table())


@app.command()
def runs(key: Annotated[str | None, _RUN] = None, as_json: Json = False) -> None:
    """List the published runs and presets, or every figure of one with its source."""
    from xl_tco import catalogue as figures
    from xl_tco.presets import preset_names

    keys = tuple(dict.fromkeys(key for key, _ in figures.runs()))
    if key is not None and key not in keys:
        raise InputError([unknown_word(key, keys, "KEY", "published run")])
    data: dict[str, dict[str, object]] = {k: {} for k in keys}
    for (run, field), figure in figures.runs().items():
        data[run][field] = asdict(figure)
    if as_json:
        print_json(data if key is None else data[key])
    elif key is None:
        show(*published_runs(preset_names()))
    else:
        show(*figures_of(key, figures.runs()))


@app.command()
def schema() -> None:
    """Print the JSON schema of a scenario file."""
    from xl_tco.scenario import json_schema

    print_json(json_schema())

"""Getting the functions into a spreadsheet: what each host needs, and help for all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from xl_tco.cli.app import Force, Json, app, print_json
from xl_tco.display.figures import functions as listed
from xl_tco.display.tables import show
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.writing import check_target, write_whole

PANEL = "Spreadsheets"

_NAME = typer.Argument(metavar="[NAME]", help="A function, like TCO_TOTAL.")
_PAGES = typer.Option(metavar="DIR", help="Write a page for each function there, in Markdown.")
_FILE = typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
_FOLDER = typer.Option("--output", "-o", metavar="DIR", help="Where to write main.py and so on.")
_WHEEL = typer.Option(metavar="URL", help="A wheel to install, in place of the release on PyPI.")
OutPath = Annotated[Path, _FILE]


@app.command(rich_help_panel=PANEL)
def functions(
    name: Annotated[str | None, _NAME] = None,
    pages: Annotated[Path | None, _PAGES] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List the spreadsheet functions, or explain one: arguments, units, an example."""
    from xl_tco.functions import FUNCTIONS

    if name is not None and name.upper() not in FUNCTIONS:
        raise InputError([unknown_word(name.upper(), list(FUNCTIONS), "NAME", "function")])
    if pages is not None:
        from xl_tco.hosts.pages import function_pages

        _write(pages, {k: v.encode() for k, v in function_pages().items()}, force)
    elif as_json:
        chosen = FUNCTIONS if name is None else {name.upper(): FUNCTIONS[name.upper()]}
        print_json({key: function.to_dict() for key, function in chosen.items()})
    elif name is None:
        show(*listed())
    else:
        from xl_tco.hosts.pages import function_page

        typer.echo(function_page(name.upper()), nl=False)


@app.command(rich_help_panel=PANEL)
def vba(output: OutPath, force: Force = False) -> None:
    """Write the VBA module that Import Functions would write, with the function wizard's help."""
    from xl_tco.hosts.vba import vba_module

    _write_one(output, ".bas", lambda: vba_module().encode("cp1252"), force)


@app.command(rich_help_panel=PANEL)
def libreoffice(output: OutPath, force: Force = False) -> None:
    """Write the extension that brings the functions to LibreOffice Calc."""
    from xl_tco.hosts.libreoffice import extension_bytes

    _write_one(output, ".oxt", extension_bytes, force)


@app.command(rich_help_panel=PANEL)
def intellisense(output: OutPath, force: Force = False) -> None:
    """Write the help that Excel-DNA's IntelliSense add-in shows while a function is typed."""
    from xl_tco.hosts.intellisense import intellisense_xml

    _write_one(output, ".xml", lambda: intellisense_xml().encode(), force)


@app.command(rich_help_panel=PANEL)
def lite(
    output: Annotated[Path, _FOLDER],
    wheel: Annotated[str, _WHEEL] = "",
    force: Force = False,
) -> None:
    """Write main.py and requirements.txt for xlwings Lite: Excel without Python."""
    from xl_tco.hosts.lite import MAIN, REQUIREMENTS, lite_main, lite_requirements

    files = {MAIN: lite_main().encode(), REQUIREMENTS: lite_requirements(wheel).encode()}
    _write(output, files, force)


def _write_one(path: Path, suffix: str, content: Callable[[], bytes], force: bool) -> None:
    if path.suffix.lower() != suffix:
        fault = Fault("shape", "file", "not the name of such a file", f"end it in {suffix}")
        raise InputError([fault], str(path))
    check_target(path, force=force)
    write_whole(path, content(), force=force)
    typer.echo(f"wrote {path}", err=True)


def _write(folder: Path, files: dict[str, bytes], force: bool) -> None:
    """Write several files into a folder, each whole, none unless all may be written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        check_target(folder / name, force=force)
    for name, content in files.items():
        write_whole(folder / name, content, force=force)
    typer.echo(f"wrote {len(files)} files to {folder}", err=True)

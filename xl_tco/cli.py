"""The command ``xl-tco``: reads files, calls the package, prints.

Data goes to stdout and messages to stderr. Exit codes: 0 fine, 1 failure, 2 bad input, 3 checks
failed. Nothing is computed here, and nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from xl_tco._version import __version__
from xl_tco.errors import Fault, InputError, TcoError, unknown_word
from xl_tco.writing import check_target, write_whole

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from xl_tco.catalogue import Figure
    from xl_tco.result import Result

    Parts: TypeAlias = Iterator[RenderableType]

__all__ = ["app", "main"]

FAILURE, BAD_INPUT, CHECKS_FAILED = 1, 2, 3
INTERRUPTED = 130  # as shells report it
UNKNOWN = "unknown"

_HEADLINES = """wall_days productive_hours accelerator_hours achieved_mfu flops energy_gwh
    peak_facility_mw cluster_capex_usd facility_capex_usd usd_per_million_tokens
    usd_per_accelerator_hour usd_per_pflop_day usd_per_effective_tflop_hour""".split()
_SPECIFICATIONS = {
    "peak_tflops_bf16": ">bf16",
    "peak_tflops_fp16": ">fp16",
    "peak_tflops_fp8": ">fp8",
    "memory_gb": ">GB",
    "tdp_watts": ">W",
    "accelerator_price_usd": ">USD",
    "rental_usd_per_accelerator_hour": ">USD/h",
}
_STYLES = {"estimate": "yellow", "unknown": "dim"}

app = typer.Typer(
    name="xl-tco",
    help="What it really costs to train a model: the same number in Excel, Python and here.",
    epilog="Exit codes: 0 fine, 1 failure, 2 bad input, 3 checks failed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Formulas(StrEnum):
    """What the workbook calculates with."""

    functions = "functions"
    native = "native"


_SCENARIO = typer.Argument(metavar="SCENARIO", help="A scenario: .toml, .json or .csv.")
_WORKBOOK = typer.Argument(metavar="FILE", help="A workbook of xl-tco, .xlsx.")
_OUTPUT = typer.Option("--output", "-o", metavar="FILE", help="The workbook to write.")
_ASIDE = typer.Option("--output", "-o", metavar="FILE", help="Write here; FILE stays as it is.")
_FORMULAS = typer.Option(help="Calculate with TCO_ functions, or with native formulas alone.")
_KEY = typer.Argument(metavar="[KEY]", help="An accelerator, like h100-sxm; or: default.")
ScenarioFile = Annotated[Path, _SCENARIO]
WorkbookFile = Annotated[Path, _WORKBOOK]
OutFile = Annotated[Path, _OUTPUT]
FormulaKind = Annotated[Formulas, _FORMULAS]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every figure to the last digit.")]


def main() -> None:
    """Run the command line and exit: the entry point of ``xl-tco``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None where it is closed
            stream.reconfigure(errors="replace")
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code, whatever happens to it or to its output."""
    try:
        try:
            app(list(arguments), prog_name="xl-tco")
        except SystemExit as end:
            if sys.stdout is not None:
                sys.stdout.flush()
            return end.code if isinstance(end.code, int) else FAILURE
    except InputError as error:
        _complain(str(error))
        return BAD_INPUT
    except TcoError as error:
        _complain(str(error))
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
    except OSError as error:
        _complain(f"{error.filename or 'output'}: {_reason(error)}")
        _drop_output()
    except KeyboardInterrupt:
        _drop_output()
        return INTERRUPTED
    return FAILURE


def _drop_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter ends in peace."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        print(f"xl-tco {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


@app.command()
def evaluate(scenario: ScenarioFile, as_json: Json = False) -> None:
    """Cost a scenario, or each row of a CSV file.

    With --json a .csv file gives a list, other files one object.
    """
    from xl_tco.reading import load_scenarios
    from xl_tco.result import evaluate

    results = [evaluate(run) for run in load_scenarios(scenario)]
    if not results:
        fault = Fault("shape", "rows", "there is no scenario in it", "give a row for each")
        raise InputError([fault], str(scenario))
    if as_json:
        data = [result.to_dict() for result in results]
        _print_json(data if scenario.suffix.lower() == ".csv" else data[0])
    else:
        _show(*(_report(results[0], scenario) if len(results) == 1 else _comparison(results)))


@app.command()
def build(
    scenario: ScenarioFile,
    output: OutFile,
    formulas: FormulaKind = Formulas.functions,
    force: Force = False,
) -> None:
    """Write the workbook of a scenario, calculated."""
    from xl_tco.reading import load_scenario

    check_target(output, force=force)
    run = load_scenario(scenario)
    from xl_tco.workbook import workbook_bytes

    write_whole(output, workbook_bytes(run, formulas=formulas.value), force=force)
    _say(f"wrote {output}: {run.name}")


@app.command()
def template(
    output: OutFile, formulas: FormulaKind = Formulas.functions, force: Force = False
) -> None:
    """Write the workbook to fill in."""
    check_target(output, force=force)
    from xl_tco.workbook import template_bytes

    write_whole(output, template_bytes(formulas=formulas.value), force=force)
    _say(f"wrote {output}")


@app.command()
def recalc(
    file: WorkbookFile, output: Annotated[Path | None, _ASIDE] = None, force: Force = False
) -> None:
    """Recalculate a workbook whose inputs were edited, in place.

    The values are written even where formulas end in errors; the exit code is then 1.
    """
    package = _read(file)
    target, replace = (file, True) if output is None else (output, force)
    check_target(target, force=replace)
    from xl_tco.workbook import recalculated

    package, outcome = recalculated(package)
    write_whole(target, package, force=replace)
    _say(f"wrote {target}: {outcome.formulas:,} formulas calculated")
    if outcome.errors:
        _complain("\n".join(f"{sheet}!{cell}: {text}" for sheet, cell, text in outcome.errors))
        raise typer.Exit(FAILURE)


@app.command()
def check(file: WorkbookFile) -> None:
    """Check a workbook against the rules of a careful model, by rule id."""
    _read(file)
    from xl_tco.workbook import check_workbook

    findings = sorted(check_workbook(file), key=lambda finding: finding.rule)
    for finding in findings:
        print(_clean(str(finding)))
    if findings:
        raise typer.Exit(CHECKS_FAILED)
    _say("all rules hold")


@app.command()
def catalogue(key: Annotated[str | None, _KEY] = None, as_json: Json = False) -> None:
    """List the accelerators, or every figure of one with its source.

    KEY may also be "default": the values that stand in where a scenario gives none.
    """
    from xl_tco.catalogue import accelerator_keys, entries, specifications

    known = tuple(dict.fromkeys(key for key, _ in entries()))
    if key is not None and key not in known:
        raise InputError([unknown_word(key, known, "KEY", "entry of the catalogue")])
    chosen = accelerator_keys() if key is None else (key,)
    if as_json:
        data = {k: {f: asdict(v) for f, v in specifications(k).items()} for k in chosen}
        _print_json(data if key is None else data[key])
    elif key is None:
        _show(*_accelerators())
    else:
        _show(*_specifications(key))


@app.command()
def schema() -> None:
    """Print the JSON schema of a scenario file."""
    from xl_tco.scenario import json_schema

    _print_json(json_schema())


def _read(path: Path) -> bytes:
    """Read a workbook that is said to be there."""
    try:
        return path.read_bytes()
    except OSError as error:
        fault = Fault("shape", "file", _reason(error), "give a workbook, .xlsx")
        raise InputError([fault], str(path)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _report(result: Result, path: Path) -> Parts:
    """Lay out the cost of one scenario: what it is, the parts, the metrics, what it rests on."""
    from rich.bar import Bar

    from xl_tco.outputs import COMPONENTS, METRICS, TOTAL

    values, total = result.scenario.values, result.total_usd
    owned = values["procurement"] == "own"
    yield _text(_clean(result.scenario.name), "bold")
    yield _text(
        f"{_short(values['parameters'])} parameters, {_short(values['tokens'])} tokens; "
        f"{_number(values['accelerators'])} × {values['accelerator']}, {values['precision']}, "
        f"{'owned' if owned else 'rented'}"
    )
    bars = [""] if _is_terminal() and _speaks_unicode() else []
    decimals = 0 if total >= 10_000 else 2
    table = _table("Cost", ">USD", ">Share", *bars)
    for name, usd in result.components.items():
        share = usd / total if total else 0.0
        bar = [Bar(1, 0, share, width=20, color="cyan") for _ in bars]
        table.add_row(COMPONENTS[name].label, f"{usd:,.{decimals}f}", f"{share:.1%}", *bar)
    footers = (TOTAL.label, f"{total:,.{decimals}f}", f"{1 if total else 0:.1%}")
    for column, footer in zip(table.columns, footers, strict=False):
        column.footer = footer
    table.show_footer = True
    yield table
    table = _table("Key figures", ">Value", "Unit")
    for name in _HEADLINES:
        if owned or "_capex_" not in name:
            value, unit = result.metrics[name], METRICS[name].unit
            table.add_row(METRICS[name].label, _measure(value, unit), unit)
    yield table
    yield from _foundations(result, path)


def _foundations(result: Result, path: Path) -> Parts:
    """Say which inputs are only estimates, and what to do about it."""
    from xl_tco.fields import FIELDS

    values, figures, names = result.scenario.values, result.scenario.figures, result.estimates
    if not names:
        yield _text("No input is an estimate: each is given, official or neutral.")
        return
    some = f"these {len(names)} inputs, which are estimates"
    those = some if len(names) > 1 else "this input, which is an estimate"
    yield _text(f"The total is an estimate: it rests on {those}.", "yellow")
    table = _table("Input", ">Value", "Unit", "As of")
    for name in names:
        field = FIELDS[name]
        table.add_row(field.label, _number(values[name]), field.unit, figures[name].date)
    yield table
    keys = (key for key in (values["accelerator"], "default") if key != "custom")
    sources = "".join(f"\n  xl-tco catalogue {key}" for key in keys)
    yield _text(f"Figures given in {_clean(path.name)} take their place. Sources:{sources}")


def _comparison(results: Sequence[Result]) -> Parts:
    """Lay out many scenarios, a line each."""
    columns = ("wall_hours", "usd_per_million_tokens")
    table = _table("name", ">total_usd", *(f">{name}" for name in columns))
    for result in results:
        figures = (result.total_usd, *(result.metrics[name] for name in columns))
        table.add_row(_clean(result.scenario.name), *(_measure(f, "") for f in figures))
    yield table


def _accelerators() -> Parts:
    """Lay out the accelerators of the catalogue, a line each."""
    from xl_tco.catalogue import accelerator_keys, specifications

    wide = not _is_terminal() or get_terminal_size().columns >= 115
    table = _table("Key", *(["Accelerator"] if wide else []), *_SPECIFICATIONS.values())
    for key in accelerator_keys():
        figures = specifications(key)
        shown = (_marked(figures[field]) for field in _SPECIFICATIONS)
        table.add_row(key, *([str(figures["label"].value)] if wide else []), *shown)
    yield table
    yield _text(
        "bf16, fp16, fp8: dense peak in TFLOP/s. GB: memory. W: TDP. USD: price. USD/h: rent.\n"
        "~ estimate. unknown: nobody has published it."
    )


def _specifications(key: str) -> Parts:
    """Lay out every figure of an entry, and the sources once each."""
    from xl_tco.catalogue import specifications

    figures = specifications(key)
    sources: dict[str, int] = {}
    table = _table("Figure", ">Value", "Unit", "Status", "Date", ">Source")
    for name, figure in figures.items():
        number = sources.setdefault(figure.source, len(sources) + 1)
        if name != "label":
            cells = (_number(figure.value), figure.unit, figure.status, figure.date, f"[{number}]")
            table.add_row(name, *cells, style=_STYLES.get(figure.status))
    label = figures.get("label")
    yield _text(f"{key}: {label.value if label else 'where a scenario gives nothing'}", "bold")
    yield table
    listed = _table(">", "")
    listed.show_header = False
    for source, number in sources.items():
        listed.add_row(f"[{number}]", source)
    yield listed


def _marked(figure: Figure) -> str:
    return ("~" if figure.status == "estimate" else "") + _number(figure.value)


def _number(value: float | str | None) -> str:
    """Show a figure as it was entered, thousands apart."""
    return UNKNOWN if value is None else value if isinstance(value, str) else f"{value:,.10g}"


def _measure(value: float | None, unit: str) -> str:
    """Show a computed figure to the digits that a reader can use."""
    if value is None:
        return UNKNOWN
    if unit.startswith("share"):
        return f"{value:.1%}"
    if abs(value) >= 1e15:
        return f"{value:.3e}".replace("e+", "e")
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def _short(value: float) -> str:
    """Show a count as people say it: 405B, 15.6T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= size:
            return f"{value / size:,.4g}{letter}"
    return _number(value)


def _clean(text: str) -> str:
    """Return a text of the user's without line breaks and control codes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _text(text: str, style: str = "dim") -> RenderableType:
    from rich.text import Text

    return Text(text, style=style)


def _table(*headings: str) -> Table:
    """Start a table; a heading with ">" before it stands over numbers."""
    from rich import box
    from rich.table import Table

    rule = box.SIMPLE_HEAD if _is_terminal() else None
    bold = {"header_style": "bold", "footer_style": "bold"}
    table = Table(box=rule, pad_edge=False, padding=(0, 2, 0, 0), **bold)
    for heading in headings:
        side: Literal["left", "right"] = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=side, overflow="fold")
    return table


def _show(*parts: RenderableType) -> None:
    """Print to stdout: with rules and colours on a terminal, else as plain aligned text."""
    from rich.console import Console

    text = io.StringIO()
    plain = Console(file=text, width=10_000, color_system=None, force_terminal=False)
    console = Console() if _is_terminal() else plain
    for part in parts:
        console.print(part, highlight=False)
    print("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def _print_json(data: object) -> None:
    """Print JSON; where the output cannot hold a letter, as its escape."""
    print(json.dumps(data, indent=2, ensure_ascii=not _speaks_unicode(), allow_nan=False))


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _speaks_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")


def _say(message: str) -> None:
    typer.echo(_clean(message), err=True)


def _complain(message: str) -> None:
    """Print each line of a message as an error."""
    for line in message.splitlines():
        typer.echo(typer.style("error: ", fg="red", bold=True) + _clean(line), err=True)


if __name__ == "__main__":
    main()

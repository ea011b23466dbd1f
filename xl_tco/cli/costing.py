"""Costing a scenario, and the workbook of it: evaluate, build, template, recalc, check."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xl_tco.cli.app import (
    CHECKS_FAILED,
    FAILURE,
    FUNCTIONS,
    Force,
    FormulaKind,
    Formulas,
    Json,
    OutFile,
    ScenarioFile,
    WorkbookFile,
    app,
    complain,
    print_json,
    reason,
    scenario_of,
)
from xl_tco.display.costs import comparison, report
from xl_tco.display.tables import clean, show
from xl_tco.errors import Fault, InputError, WorkbookError
from xl_tco.writing import check_target, write_whole

if TYPE_CHECKING:
    from xl_tco.scenario import Scenario
    from xl_tco.workbook.engine import ErrorCell

MOST_ERRORS = 10
WORKBOOK, MACRO = ".xlsx", ".xlsm"
Host = StrEnum("Host", {"excel": "excel", "office_js": "office-js", "libreoffice": "libreoffice"})
EXCEL = Host.excel
_HOST = typer.Option(help="Names of the functions in the file: as Excel has them, or another.")
_MACRO = typer.Option("--macro", help="With the macros of xlwings: an .xlsm.")
ForHost = Annotated[Host, _HOST]
Case = StrEnum("Case", ["base", "low", "high", "own"])
_CASE = typer.Option("--case", help="The case to cost; by default the one that is in force.")
Language = StrEnum("Language", {"en": "en", "zh_TW": "zh-TW"})
_LANGUAGE = typer.Option("--language", help="Language of what people read in the workbook.")
InLanguage = Annotated[Language, _LANGUAGE]
ENGLISH = Language.en
_CURRENCY = typer.Option("--currency", help="Currency of the report, like TWD; needs its rate.")
_RATE = typer.Option("--fx", metavar="RATE", help="Units of the currency for one USD.")
_DAY = typer.Option("--fx-date", metavar="DATE", help="Day of the rate, like 2026-11-30.")
InCurrency = Annotated[str | None, _CURRENCY]
AtRate = Annotated[float | None, _RATE]
OnDay = Annotated[str | None, _DAY]
_ASIDE = typer.Option("--output", "-o", metavar="FILE", help="Write here, not in place.")


@app.command()
def evaluate(
    scenario: ScenarioFile,
    case: Annotated[Case | None, _CASE] = None,
    as_json: Json = False,
) -> None:
    """Cost a scenario, or each row of a .csv file (with --json: a list)."""
    from xl_tco.analysis.cases import in_case
    from xl_tco.reading import load_scenarios
    from xl_tco.result import evaluate

    runs = load_scenarios(scenario)
    results = [evaluate(run if case is None else in_case(run, case.value)) for run in runs]
    if not results:
        fault = Fault("shape", "rows", "there is none", "give a row for each scenario")
        raise InputError([fault], str(scenario))
    if as_json:
        data = [result.to_dict() for result in results]
        print_json(data if scenario.suffix.lower() == ".csv" else data[0])
    else:
        show(*(report(results[0], scenario.name) if len(results) == 1 else comparison(results)))


@app.command()
def build(
    scenario: ScenarioFile,
    output: OutFile,
    formulas: FormulaKind = FUNCTIONS,
    host: ForHost = EXCEL,
    language: InLanguage = ENGLISH,
    currency: InCurrency = None,
    fx: AtRate = None,
    fx_date: OnDay = None,
    force: Force = False,
) -> None:
    """Write the workbook of a scenario, calculated (.xlsm: with macros, for xlwings)."""
    _check_name(output, WORKBOOK, MACRO)
    _check_macros(output, formulas, host)
    check_target(output, force=force)
    run = _in_currency(scenario_of(scenario), currency, fx, fx_date)
    from xl_tco.workbook import workbook_bytes

    kind: Any = formulas.value
    package = _for_host(workbook_bytes(run, kind, language.value), output, host)
    write_whole(output, package, force=force)
    typer.echo(f"wrote {output}: {clean(run.name)}", err=True)


@app.command()
def template(
    output: OutFile,
    formulas: FormulaKind = FUNCTIONS,
    host: ForHost = EXCEL,
    macro: Annotated[bool, _MACRO] = False,
    language: InLanguage = ENGLISH,
    currency: InCurrency = None,
    fx: AtRate = None,
    fx_date: OnDay = None,
    force: Force = False,
) -> None:
    """Write the workbook to fill in (.xlsm: with macros, for xlwings)."""
    _check_name(output, *([] if macro else [WORKBOOK]), MACRO)
    _check_macros(output, formulas, host)
    check_target(output, force=force)
    from xl_tco.workbook import template_scenario, workbook_bytes

    run = _in_currency(template_scenario(), currency, fx, fx_date)
    kind: Any = formulas.value
    package = _for_host(workbook_bytes(run, kind, language.value), output, host)
    write_whole(output, package, force=force)
    typer.echo(f"wrote {output}", err=True)


@app.command()
def recalc(
    file: WorkbookFile, output: Annotated[Path | None, _ASIDE] = None, force: Force = False
) -> None:
    """Recalculate a workbook whose inputs were edited, in place.

    The values are written even where formulas end in errors, or checks do not hold; the exit code
    is then 1, or 3.
    """
    if output is not None:
        _check_name(output, WORKBOOK, MACRO)
    package = _read(file)
    target, replace = (file, True) if output is None else (output, force)
    check_target(target, force=replace)
    from xl_tco.hosts.names import host_of, named_for, plain
    from xl_tco.workbook import recalculated

    host = host_of(package)
    package, outcome = recalculated(plain(package, host), str(file))
    package = named_for(package, host)
    write_whole(target, package, force=replace)
    typer.echo(f"wrote {target}: {outcome.formulas:,} formulas calculated", err=True)
    if outcome.errors or outcome.failing:
        _complain_of_inputs(package, target)
    if outcome.errors:
        _complain_of_cells(outcome.errors)
        raise typer.Exit(FAILURE)
    if outcome.failing:
        what = "check does" if outcome.failing == 1 else "checks do"
        complain(f"{target}: {outcome.failing} {what} not hold: see its sheet Checks")
        raise typer.Exit(CHECKS_FAILED)


@app.command()
def check(file: WorkbookFile) -> None:
    """Check a workbook against the rules of a careful model, by rule id."""
    package = _read(file)
    from xl_tco.hosts.names import host_of, plain
    from xl_tco.workbook import check_package

    found = check_package(plain(package, host_of(package)), str(file))
    findings = sorted(found, key=lambda finding: finding.rule)
    if findings:
        print(*(clean(str(finding)) for finding in findings), sep="\n")
        raise typer.Exit(CHECKS_FAILED)
    typer.echo("all rules hold", err=True)


def _in_currency(
    run: Scenario, currency: str | None, rate: float | None, day: str | None
) -> Scenario:
    """Report in another currency, at a rate of a day."""
    asked = {"currency": currency, "currency_per_usd": rate, "currency_date": day}
    changes = {name: value for name, value in asked.items() if value is not None}
    return run.replace(**changes) if changes else run


def _check_name(path: Path, *known: str) -> None:
    """Refuse to write a workbook under a name that is not one's."""
    if path.suffix.lower() not in known:
        allowed = f"give a name that ends in {' or '.join(known)}"
        raise InputError([Fault("shape", "file", "not the name of a workbook", allowed)], str(path))


def _for_host(package: bytes, path: Path, host: Host) -> bytes:
    """Write the functions as a host has them in its files; add macros where the name says so."""
    from xl_tco.hosts.names import named_for

    package = named_for(package, host.value)
    if path.suffix.lower() == MACRO:
        from xl_tco.hosts.macro import macro_workbook

        package = macro_workbook(package)
    return package


def _check_macros(path: Path, formulas: Formulas, host: Host) -> None:
    """Refuse macros in a workbook that has no use for them: they are VBA's way to the functions."""
    if path.suffix.lower() != MACRO or (host is EXCEL and formulas is FUNCTIONS):
        return
    why = "native formulas" if formulas is not FUNCTIONS else f"the names of {host.value}"
    problem = f"a workbook with {why} needs no macros"
    raise InputError([Fault("conflict", "file", problem, f"end it in {WORKBOOK}")], str(path))


def _read(path: Path) -> bytes:
    """Read a workbook that is said to be there."""
    try:
        package = path.read_bytes()
        problem = "" if package.startswith(b"PK") else "not a workbook"
    except OSError as error:
        problem = reason(error)
    if problem:
        raise InputError([Fault("shape", "file", problem, "give an .xlsx of xl-tco")], str(path))
    return package


def _complain_of_inputs(package: bytes, path: Path) -> None:
    """Name the inputs that make no scenario: errors and failing checks follow from them."""
    from xl_tco.workbook.reader import scenario_in

    try:
        scenario_in(package, str(path))
    except InputError as error:
        complain(str(error))
    except WorkbookError:  # no workbook of ours: nothing is known of its inputs
        return


def _complain_of_cells(errors: Sequence[ErrorCell]) -> None:
    """Print each reason once, at the first cell that has it; cells, where no reason is known."""
    reasons: dict[str, ErrorCell] = {}
    for bad in errors:
        if bad.message:
            reasons.setdefault(bad.message, bad)
    ours = sorted(reasons.values(), key=lambda bad: not bad.message.startswith("TCO_"))
    told = [*(ours or errors)][:MOST_ERRORS]
    for bad in told:
        complain(clean(f"{bad.sheet}!{bad.address}: {bad.error} {bad.message}".rstrip()))
    if more := len(errors) - len(told):
        cells = "cell shows" if more == 1 else "cells show"
        typer.echo(f"… and {more:,} more {cells} an error; most follow from these", err=True)

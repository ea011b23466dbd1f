"""The rules about what a model says: units, labels, sources, checks, conventions, names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from xl_tco.fields import FIELDS
from xl_tco.language import Phrase
from xl_tco.workbook.rules.reading import cell_formula, spilled_cells
from xl_tco.workbook.rules.rulebook import Breach, rule
from xl_tco.workbook.rules.sheets import (
    SETTINGS,
    SHEETS,
    cover_says,
    is_blank,
    language_of,
    worksheet,
)
from xl_tco.workbook.sheets.cover import CONVENTIONS, FINGERPRINTS, MADE_FROM
from xl_tco.workbook.sheets.fingerprint import fingerprint
from xl_tco.workbook.sheets.page import (
    FIRST_ROW,
    HEADING_ROW,
    MASTER_CHECK,
    RESULTS,
)


@rule("M06", "Every line has a unit")
def _units(workbook: Workbook) -> Iterator[Breach]:
    spilled = {sheet.title: spilled_cells(sheet) for sheet in workbook.worksheets}
    for sheet, row in _lines(workbook):
        if is_blank(sheet.cell(row, 2)) and f"B{row}" not in spilled[sheet.title]:
            yield sheet.title, f"B{row}", "the unit is missing"


@rule("M07", "Every line has a label, and no two on a sheet the same")
def _labels(workbook: Workbook) -> Iterator[Breach]:
    seen: set[tuple[str, str]] = set()
    for sheet, row in _lines(workbook):
        cell = sheet.cell(row, 1)
        label = str(cell.value).strip()
        key = sheet.title, label.casefold()
        if is_blank(cell):
            yield sheet.title, f"A{row}", "the label is missing"
        elif key in seen:
            yield sheet.title, f"A{row}", f'the label "{label}" is there twice'
        seen.add(key)


@rule("M10", "Every input has a source, a date and a status; no comment holds what no cell does")
def _provenance(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        for row in sheet.iter_rows():
            texts = " ".join(str(cell.value) for cell in row)
            for cell in row:
                if cell.comment and cell.comment.text.strip() not in texts:
                    yield sheet.title, cell.coordinate, "the comment holds what no cell does"
    inputs = worksheet(workbook, "Inputs")
    if inputs is None:
        return
    columns = {str(cell.value): cell.column for cell in inputs[HEADING_ROW] if not is_blank(cell)}
    for heading in map(language_of(workbook).text, ("Source", "Date", "Status")):
        column = columns.get(heading)
        if column is None:
            yield "Inputs", "", f"the column {heading} is missing"
            continue
        for number in range(FIRST_ROW, inputs.max_row + 1):
            held = [inputs.cell(number, other) for other in (3, 4, 5)]
            cell = inputs.cell(number, column)
            if is_blank(cell) and not all(map(is_blank, held)):
                name = next(cell.value for cell in held if not is_blank(cell))
                yield "Inputs", cell.coordinate, f"{name} has no {heading.lower()}"


@rule("M11", "Every check has a tolerance, and all feed the master check that every sheet shows")
def _master(workbook: Workbook) -> Iterator[Breach]:
    for sheet in workbook.worksheets:
        if sheet.title == SETTINGS:
            continue
        if _frozen_rows(sheet) < HEADING_ROW:
            yield sheet.title, "", "the head is not frozen"
        elif not re.fullmatch(r"[A-Z]+1", sheet.sheet_view.topLeftCell or "A1"):
            yield sheet.title, "", "the head is scrolled out of sight"
        if sheet.title != "Checks" and sheet["A3"].value != f"={MASTER_CHECK}":
            yield sheet.title, "A3", "the master check is not shown"
    checks = worksheet(workbook, "Checks")
    if checks is None:
        yield "Checks", "", "there is no master check"
        return
    master = _target(workbook, MASTER_CHECK)
    if master != ("Checks", "$A$3"):
        yield "Checks", "A3", f"the name {MASTER_CHECK} does not refer to it"
    elif not _feeds(checks, "A3", "checks"):
        yield "Checks", "A3", "the master check does not follow the checks"
    span = re.fullmatch(r"\$F\$(\d+):\$F\$(\d+)", _target(workbook, "checks")[1])
    if span is None or _target(workbook, "checks")[0] != "Checks":
        yield "Checks", "F4", "the name checks does not refer to the results of the checks"
        return
    yield from _checks(checks, int(span[1]), int(span[2]), language_of(workbook).word("yes"))


def _checks(sheet: Worksheet, first: int, last: int, yes: str) -> Iterator[Breach]:
    """Yield what is wrong with the checks, of which the master check takes the given rows."""
    for row in range(FIRST_ROW, sheet.max_row + 1):
        value, equal, tolerance, holds = (sheet.cell(row, column) for column in (3, 4, 5, 6))
        is_check = not is_blank(holds)
        if is_check and not first <= row <= last:
            yield "Checks", holds.coordinate, "the check does not feed the master check"
        if (is_check or (not is_blank(value) and first <= row <= last)) and holds.data_type != "f":
            yield "Checks", holds.coordinate, "the check is no formula"
        if is_check and is_blank(tolerance) and equal.value != yes:
            yield "Checks", tolerance.coordinate, "the tolerance is missing"


@rule("M16", "The sign convention is on the Cover")
def _sign(workbook: Workbook) -> Iterator[Breach]:
    if not cover_says(workbook, CONVENTIONS[0]):
        yield "Cover", "", "the sign convention is missing"


@rule("M17", "Version, fingerprints that hold, contents with links, and a log of changes")
def _version(workbook: Workbook) -> Iterator[Breach]:
    yield from _changed(workbook)
    sheet, cell = _target(workbook, "built_with")
    log, cover = worksheet(workbook, "Log"), worksheet(workbook, "Cover")
    if log is None or sheet != "Log" or is_blank(log[cell.replace("$", "")]):
        yield "Log", "", "the version is missing"
    say = language_of(workbook).text
    if log is not None and not any(row[0].value == say("Changes") for row in log.iter_rows()):
        yield "Log", "", "the log of changes is missing"
    if cover is None:
        return
    given = {row[0].value: row[2].value for row in cover.iter_rows(max_col=3)}
    for what in ("Scenario", "Catalogue"):
        if not re.fullmatch(
            r"[0-9a-f]{16,}", str(given.get(say(Phrase(MADE_FROM, what=what)), ""))
        ):
            yield "Cover", "", f"the fingerprint of the {what.lower()} is missing"
    links = [cell.hyperlink for row in cover.iter_rows() for cell in row if cell.hyperlink]
    places = [str(link.location or link.target or "").lstrip("#") for link in links]
    targets = {place.rpartition("!")[0].strip("'").replace("''", "'") for place in places}
    for name in workbook.sheetnames:
        if name not in targets | {"Cover", SETTINGS}:
            yield "Cover", "", f"the contents have no link to {name}"


def _changed(workbook: Workbook) -> Iterator[Breach]:
    """Yield the sheets whose locked cells are not those of the build."""
    log, place = worksheet(workbook, "Log"), _target(workbook, FINGERPRINTS)
    rows = re.fullmatch(r"\$A\$(\d+):\$C\$(\d+)", place[1]) if place[0] == "Log" else None
    if log is None or rows is None:
        yield "Log", FINGERPRINTS, "the fingerprints of the sheets are missing"
        return
    lines = log.iter_rows(min_row=int(rows[1]), max_row=int(rows[2]), max_col=3, values_only=True)
    built = {str(line[0]).rpartition(" ")[2]: line[2] for line in lines}
    for sheet in workbook.worksheets:
        if sheet.title in (SETTINGS, "Log"):
            continue
        if sheet.title not in built:
            yield "Log", FINGERPRINTS, f"there is none of the sheet {sheet.title}"
        elif built[sheet.title] != fingerprint(sheet, spilled_cells(sheet)):
            yield sheet.title, "", "a locked cell is not as it was built"


@rule("M20", "Every input and every result has its name")
def _names(workbook: Workbook) -> Iterator[Breach]:
    homes = dict.fromkeys(FIELDS, "Inputs") | dict.fromkeys(RESULTS, "Calc")
    for name, home in homes.items():
        if name not in workbook.defined_names:
            yield home, name, f"the name {name} is missing"
        elif not _is_home(workbook, name, home):
            wrong = workbook.defined_names[name].attr_text
            yield home, name, f"the name {name} refers to {wrong}"
    for sheet in workbook.worksheets:
        for name in sheet.defined_names:
            if name in homes:
                yield sheet.title, name, f"the sheet has a name {name} of its own"


def _is_home(workbook: Workbook, name: str, home: str) -> bool:
    """Whether a name leads to its own line: the field's on Inputs, the result's on Calc."""
    title, cell = _target(workbook, name)
    sheet = worksheet(workbook, title)
    place = re.fullmatch(r"\$([A-Z]+)\$(\d+)", cell)
    if title != home or sheet is None or place is None:
        return False
    row = int(place[2])
    if home == "Inputs":
        return place[1] == "D" and str(sheet.cell(row, 3).value) == name
    return place[1] == "C" and str(sheet.cell(row, 1).value) == language_of(workbook).text(
        RESULTS[name].label
    )


def _lines(workbook: Workbook) -> Iterator[tuple[Worksheet, int]]:
    """Yield the rows of the model's sheets that hold a value."""
    for sheet in workbook.worksheets:
        if sheet.title in SHEETS:
            for row in range(FIRST_ROW, sheet.max_row + 1):
                if not (is_blank(sheet.cell(row, 3)) and is_blank(sheet.cell(row, 4))):
                    yield sheet, row


def _frozen_rows(sheet: Worksheet) -> float:
    pane = sheet.sheet_view.pane
    return (pane.ySplit or 0) if pane and pane.state in ("frozen", "frozenSplit") else 0


def _target(workbook: Workbook, name: str) -> tuple[str, str]:
    """Return the sheet and the cells that a name refers to; empty if it refers to none."""
    defined = workbook.defined_names.get(name)
    sheet, _, cells = (defined.attr_text or "" if defined else "").rpartition("!")
    is_cells = re.fullmatch(r"\$[A-Z]+\$\d+(:\$[A-Z]+\$\d+)?", cells)
    return (sheet.strip("'").replace("''", "'"), cells) if is_cells else ("", "")


def _feeds(sheet: Worksheet, cell: str, name: str) -> bool:
    """Whether a name feeds a cell, be it by other cells of the sheet."""
    waiting, seen = [cell], {cell}
    while waiting:
        formula = cell_formula(sheet[waiting.pop()])
        for reference in formula.references if formula else ():
            if reference == name:
                return True
            place = reference.replace("$", "")
            if re.fullmatch(r"[A-Z]{1,3}[1-9]\d*", place) and place not in seen:
                seen.add(place)
                waiting.append(place)
    return False

"""Each rule of the workbook: a good one breaks none, and a broken one is found where it breaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule
from openpyxl.packaging.relationship import Relationship
from openpyxl.styles import Font, Protection
from openpyxl.workbook import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.external_link.external import ExternalBook, ExternalLink
from openpyxl.workbook.protection import WorkbookProtection
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula

import xl_tco
from books import entries, opened, saved, with_entries
from xl_tco.workbook import RULES, check_workbook, recalculated, template_bytes, workbook_bytes
from xl_tco.workbook.rules import Finding
from xl_tco.workbook.rules.values import VALUE_RULES

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
RENT = LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0, hfu=0.5)
FROM_THE_BOTTOM_UP = LLAMA.replace(
    kernel_efficiency=0.6,
    layers=126,
    hidden_size=16_384,
    sequence_length=8192,
    heads=128,
    batch_tokens=8192 * 2048,
    tensor_parallel=8,
    pipeline_parallel=16,
    recomputation="full",
    zero_stage=1,
    accelerator_mtbf_hours=50_000,
    network_topology="fat-tree",
    storage_usd_per_tb=100,
    depreciation_method="sum-of-years",
    currency="TWD",
    currency_per_usd=31.5,
    currency_date="2026-11-30",
)
GOOD = template_bytes()
BOOK = opened(GOOD)


def row(sheet: str, what: str) -> int:
    """The row of a line, by its label or, on Inputs, by its field's name."""
    named = 2 if sheet == "Inputs" else 0
    (found,) = [line[0].row for line in BOOK[sheet].iter_rows() if line[named].value == what]
    return int(found)


SHARE = row("Results", "Training TCO")
LEAF = f"C{SHARE}/C{SHARE}"  # as Results!D…, to which no other cell refers
TOTAL = f"Calc!$C${row('Calc', 'Training TCO')}"
STEP = row("Calc", "Attention, a token")  # a line that is no result
FIELD = row("Inputs", "utilization")
FIRST = row("Inputs", "name")
CHOICE = row("Inputs", "case_in_force")
UNCHECKED = ", ".join(f"M14 Inputs!{column}{FIRST}" for column in "EFGH")  # of every case
EXACT = row("Checks", "Wall time in days: function and native")  # without any tolerance
LAST = row("Checks", "Checks that do not hold")
GOODPUT = row("Results", "Goodput")
WALL_DAYS = row("Calc", "Wall time in days")
STAFF = row("Timeline", "Staff")  # of which there is nothing after the first month
IN_THE_MONTH = row("Timeline", "Part of the run in the month")

Mutation = Callable[[Workbook], object]


def found(package: bytes, folder: Path) -> set[str]:
    """What is found in a package, as "M05 Calc!D8"."""
    path = folder / "checked.xlsx"
    path.write_bytes(package)
    return {brief(finding) for finding in check_workbook(path)}


def brief(finding: Finding) -> str:
    """Rule and place of what was found."""
    return f"{finding.rule} {'!'.join(filter(None, (finding.sheet, finding.cell)))}".strip()


@pytest.mark.parametrize(
    "scenario", [LLAMA, RENT, FROM_THE_BOTTOM_UP], ids=["own", "rent", "from the bottom up"]
)
@pytest.mark.parametrize("formulas", ["functions", "native"])
def test_a_good_workbook_breaks_no_rule(
    scenario: xl_tco.Scenario, formulas: Any, tmp_path: Path
) -> None:
    assert found(workbook_bytes(scenario, formulas), tmp_path) == set()


def test_the_template_breaks_no_rule_nor_does_it_after_it_is_saved_again(tmp_path: Path) -> None:
    assert found(GOOD, tmp_path) == set()
    assert found(recalculated(saved(opened(GOOD)))[0], tmp_path) == set()


def cell(place: str, value: Any) -> Mutation:
    sheet, _, address = place.partition("!")

    def mutate(book: Workbook) -> None:
        book[sheet][address] = value

    return mutate


def leaf(formula: str) -> Mutation:
    return cell(f"Results!D{SHARE}", f"={formula}")


def attribute(path: str, value: Any) -> Mutation:
    """Set an attribute of a sheet, a row, a column or a cell: ``Calc.row_dimensions.20.hidden``."""
    sheet, *steps, last = path.split(".")

    def mutate(book: Workbook) -> None:
        target: Any = book[sheet]
        for step in steps:
            if step.isdigit():
                target = target[int(step)]
            else:
                target = target[step] if step.isupper() or step[0] == "$" else getattr(target, step)
        setattr(target, last, value)

    return mutate


def at(place: str, name: str, value: Any) -> Mutation:
    """Set an attribute of a cell."""
    sheet, _, address = place.partition("!")
    return lambda book: setattr(book[sheet][address], name, value)


def name(name: str, text: str, sheet: str = "", **more: Any) -> Mutation:
    def mutate(book: Workbook) -> None:
        names = book[sheet].defined_names if sheet else book.defined_names
        names[name] = DefinedName(name, attr_text=text, **more)

    return mutate


def column(sheet: str, letter: str, name: str, value: Any) -> Mutation:
    return lambda book: setattr(book[sheet].column_dimensions[letter], name, value)


def removed(sheet: str, address: str) -> Mutation:
    return cell(f"{sheet}!{address}", None)


def cover_without(text: str) -> Mutation:
    def mutate(book: Workbook) -> None:
        for row in book["Cover"].iter_rows():
            for one in row:
                if isinstance(one.value, str) and text in one.value:
                    one.value = "—"

    return mutate


def validated_by(**more: Any) -> Mutation:
    """Validate a locked cell by something of ours."""

    def mutate(book: Workbook) -> None:
        validation = DataValidation(**more)
        validation.add("Z9")
        book["Results"].add_data_validation(validation)

    return mutate


def unvalidated(**changes: Any) -> Mutation:
    """Change the validation of the first input, or take it away."""

    def mutate(book: Workbook) -> None:
        validations = book["Inputs"].data_validations.dataValidation
        (found,) = [one for one in validations if f"E{FIRST}" in one.sqref]
        for key, value in changes.items():
            setattr(found, key, value)
        if not changes:
            validations.remove(found)

    return mutate


def conditional(book: Workbook) -> None:
    book["Results"].conditional_formatting.add("C6:C9", FormulaRule(formula=["C6>offset(C7,5,0)"]))


def filtered(book: Workbook) -> None:
    book["Catalogue"].auto_filter.add_filter_column(5, ["vendor"])


def linked(book: Workbook) -> None:
    link = ExternalLink(externalBook=ExternalBook(id="rId1"))
    link.file_link = Relationship(
        type="externalLinkPath", Target="other.xlsx", TargetMode="External"
    )
    book._external_links.append(link)


def second_axis(book: Workbook) -> None:
    for number in range(6):
        book["Timeline"].cell(8, 4 + number, 2031 + number)


def without_link(book: Workbook) -> None:
    for row in book["Cover"].iter_rows():
        for one in row:
            if one.value == "Checks":
                one.hyperlink = None


def password(book: Workbook) -> None:
    book["Calc"].protection.password = "secret"
    book["Calc"].protection.sheet = True


BLUE, GREEN, RED, BLACK = (Font(color=code) for code in ("0000FF", "00703C", "FF0000", "262626"))
OPEN, SHUT = Protection(locked=False), Protection(locked=True)
UNSEEN = Protection(locked=True, hidden=True)

MUTATIONS: dict[str, tuple[Mutation, str]] = {
    # what is done: how, and all that is found of it, the rule that is meant first
    "missing sheet": (
        lambda book: book.remove(book["Log"]),
        "M01 Log, M17 Log, M17 Log!fingerprints",
    ),
    "extra sheet": (
        lambda book: book.create_sheet("Mine"),
        "M01 Mine, M11 Mine, M11 Mine!A3, M14 Mine, M17 Cover, M17 Log!fingerprints, M19 Mine",
    ),
    "sheets out of order": (lambda book: book.move_sheet("Calc", -1), "M01 Calc"),
    "functions after the checks": (lambda book: book.move_sheet("Functions", 1), "M01 Checks"),
    "changed width": (column("Results", "B", "width", 31), "M02 Results!B"),
    "other heading": (cell("Checks!B4", "Units"), "M02 Checks!B4"),
    "second time axis": (second_axis, "M03 Timeline!D8:I8"),
    "time axis without its lines": (
        attribute("Timeline.freeze_panes", "C5"),
        "M03 Timeline!D4:BK4",
    ),
    "another formula in a month": (
        cell(f"Timeline!H{STAFF}", f"=staff_usd*H{IN_THE_MONTH}/goodput/money"),
        f"M04 Timeline!H{STAFF}",
    ),
    "formula of another month": (
        cell(f"Timeline!H{STAFF}", f"=staff_usd/goodput/money*G{IN_THE_MONTH}"),
        f"M04 Timeline!H{STAFF}",
    ),
    "number in a month": (cell(f"Timeline!H{STAFF}", 0), f"M04 Timeline!H{STAFF}"),
    "nothing in a month": (removed("Timeline", f"H{STAFF}"), f"M04 Timeline!H{STAFF}"),
    "typed number": (leaf(f"{LEAF}*2.5"), f"M05 Results!D{SHARE}"),
    "typed percent": (leaf(f"{LEAF}*1%"), f"M05 Results!D{SHARE}"),
    "typed exponent": (leaf(f"{LEAF}*1E3"), f"M05 Results!D{SHARE}"),
    "typed array": (leaf(f"{LEAF}*SUM({{0,2}})"), f"M05 Results!D{SHARE}"),
    "typed criterion": (leaf('COUNTIF(C6:C16,">=5")'), f"M05 Results!D{SHARE}"),
    "typed text": (leaf(f'{LEAF}*"2"'), f"M05 Results!D{SHARE}"),
    "typed in an array formula": (
        cell(f"Results!D{SHARE}", ArrayFormula(f"D{SHARE}", f"={LEAF}*3")),
        f"M05 Results!D{SHARE}",
    ),
    "constant in a name": (name("growth", "0.05"), "M05 growth"),
    "formula in a name": (name("more", f"{TOTAL}*1.2", "Calc"), "M05 Calc!more"),
    "typed in a validation": (
        validated_by(type="custom", formula1="=C6<total_usd*7"),
        "M05 Results!Z9",
    ),
    "missing unit": (removed("Calc", f"B{STEP}"), f"M06 Calc!B{STEP}"),
    "blank unit": (cell("Catalogue!B20", " "), "M06 Catalogue!B20"),
    "missing label": (removed("Calc", f"A{STEP}"), f"M07 Calc!A{STEP}"),
    "label twice": (
        cell(f"Calc!A{STEP + 1}", "ATTENTION, a token "),
        f"M07 Calc!A{STEP + 1}",
    ),
    "long formula": (leaf(LEAF + f"+0*C{SHARE}" * 16), f"M08 Results!D{SHARE}"),
    "two lines": (leaf(f"C{SHARE}/\ntotal_usd"), f"M08 Results!D{SHARE}"),
    "nested if": (leaf(f"if(C{SHARE}>0,1-IF(C6>0,0,1),0)"), f"M08 Results!D{SHARE}"),
    "if in ifs": (leaf(f"_xlfn.IFS(C{SHARE}>0,IF(C6>0,0,1),TRUE,0)"), f"M08 Results!D{SHARE}"),
    "malformed": (leaf(f"IF(C{SHARE}"), f"M08 Results!D{SHARE}, V03 Results!D{SHARE}"),
    "offset": (leaf(f"OFFSET(C{SHARE},0,0)"), f"M09 Results!D{SHARE}"),
    "npv": (leaf(f"npv(D20,C{SHARE}:C21)"), f"M09 Results!D{SHARE}"),
    "now": (leaf(f"{LEAF}+0*NOW()"), f"M09 Results!D{SHARE}"),
    "random array": (leaf(f"{LEAF}+0*SUM(_xlfn.RANDARRAY(1,1))"), f"M09 Results!D{SHARE}"),
    "indirect in a name": (name("there", f'INDIRECT("{TOTAL}")'), "M09 there"),
    "offset in a conditional format": (conditional, "M05 Results!C6:C9, M09 Results!C6:C9"),
    "missing source": (removed("Inputs", f"O{FIELD}"), f"M10 Inputs!O{FIELD}"),
    "missing date": (removed("Inputs", f"P{FIELD}"), f"M10 Inputs!P{FIELD}"),
    "blank status": (cell(f"Inputs!Q{FIELD}", "  "), f"M10 Inputs!Q{FIELD}"),
    "no column of sources": (cell("Inputs!O4", "Where"), "M10 Inputs"),
    "telling comment": (
        at(f"Inputs!E{FIRST}", "comment", Comment("my guess", "me")),
        f"M10 Inputs!E{FIRST}",
    ),
    "check outside": (name("checks", f"Checks!$F$5:$F${LAST - 2}"), f"M11 Checks!F{LAST - 1}"),
    "checks elsewhere": (name("checks", f"Checks!$E$5:$E${LAST - 1}"), "M11 Checks!F4"),
    "master check not shown": (cell("Results!A3", "All checks hold"), "M11 Results!A3"),
    "master check typed over": (cell("Checks!A3", "All checks hold"), "M11 Checks!A3"),
    "count typed over": (cell(f"Checks!C{LAST}", 0), "M11 Checks!A3"),
    "check typed over": (cell("Checks!F6", "yes"), "M11 Checks!F6"),
    "check cleared": (removed("Checks", "F6"), "M11 Checks!F6"),
    "missing tolerance": (removed("Checks", f"E{EXACT}"), f"M11 Checks!E{EXACT}"),
    "head not frozen": (attribute("Log.freeze_panes", None), "M11 Log"),
    "title alone frozen": (attribute("Log.freeze_panes", "B2"), "M11 Log"),
    "head scrolled away": (attribute("Log.sheet_view.topLeftCell", "A9"), "M11 Log"),
    "hidden row": (attribute("Calc.row_dimensions.20.hidden", True), "M12 Calc!20"),
    "collapsed rows": (
        lambda book: book["Calc"].row_dimensions.group(20, 20, hidden=True),
        "M12 Calc!20",
    ),
    "hidden column": (column("Results", "D", "hidden", True), "M12 Results!D"),
    "collapsed columns": (
        lambda book: book["Results"].column_dimensions.group("D", "E", hidden=True),
        "M12 Results!D:E",
    ),
    "hidden sheet": (attribute("Catalogue.sheet_state", "hidden"), "M12 Catalogue"),
    "very hidden sheet": (attribute("Catalogue.sheet_state", "veryHidden"), "M12 Catalogue"),
    "rows hidden by default": (attribute("Calc.sheet_format.zeroHeight", True), "M12 Calc"),
    "filter": (filtered, f"M12 Catalogue!{BOOK['Catalogue'].auto_filter.ref}"),
    "hidden name": (name("secret", TOTAL, hidden=True), "M12 secret"),
    "hidden formula": (at("Calc!D8", "protection", UNSEEN), "M12 Calc!D8"),
    "invisible number": (at("Calc!D8", "number_format", ";;;"), "M12 Calc!D8"),
    "red input": (at(f"Inputs!E{FIRST}", "font", RED), f"M13 Inputs!E{FIRST}"),
    "blue formula": (at("Calc!D8", "font", BLUE), "M13 Calc!D8"),
    "blue constant": (at("Catalogue!C9", "font", BLUE), "M13 Catalogue!C9"),
    "black link": (at(f"Results!C{GOODPUT}", "font", BLACK), f"M13 Results!C{GOODPUT}"),
    "green formula": (at("Checks!F6", "font", GREEN), "M13 Checks!F6"),
    "check fails": (cell(f"Inputs!D{row('Inputs', 'tolerance')}", -1), "V04 Checks!A3"),
    "example fails": (
        cell(f"Functions!F{row('Functions', 'TCO_MTBF')}", "a lot"),
        f"V03 Functions!C{row('Functions', 'TCO_MTBF')}, V04 Checks!A3",
    ),
    "example says what it lacks": (
        cell(f"Functions!C{row('Functions', 'TCO_MTBF')}", '="MTBF: give "&F5'),
        "V04 Checks!A3",
    ),
    "no legend": (cover_without("Green:"), "M13 Cover"),
    "unprotected": (attribute("Calc.protection.sheet", False), "M14 Calc"),
    "password": (password, "M14 Calc"),
    "password of today's Excel": (attribute("Calc.protection.hashValue", "c2VjcmV0"), "M14 Calc"),
    "password of the workbook": (
        lambda book: setattr(book, "security", WorkbookProtection(workbookPassword="secret")),
        "M14",
    ),
    "open formula": (at("Calc!D8", "protection", OPEN), "M14 Calc!D8"),
    "open column": (column("Calc", "H", "protection", OPEN), "M14 Calc!H"),
    "locked input": (at(f"Inputs!E{FIELD}", "protection", SHUT), f"M14 Inputs!E{FIELD}"),
    "unvalidated input": (unvalidated(), UNCHECKED),
    "validation of nothing": (unvalidated(type="none"), UNCHECKED),
    "validation that lets all pass": (unvalidated(showErrorMessage=False), UNCHECKED),
    "validation that only warns": (unvalidated(errorStyle="warning"), UNCHECKED),
    "validation without a message": (unvalidated(error=None), UNCHECKED),
    "external link": (linked, "M15"),
    "formula of another file": (
        leaf(f"{LEAF}+'[other.xlsx]Sheet1'!A1"),
        f"M15 Results!D{SHARE}, V03 Results!D{SHARE}",
    ),
    "name in another file": (name("theirs", "'C:\\x\\[other.xlsx]Sheet1'!$A$1"), "M15 theirs"),
    "round": (leaf(f"ROUND({LEAF},1)"), f"M15 Results!D{SHARE}"),
    "trunc": (leaf(f"trunc({LEAF})"), f"M15 Results!D{SHARE}"),
    "circular": (leaf(f"D{SHARE}+1"), f"V03 Results!D{SHARE}"),
    "iteration": (lambda book: setattr(book.calculation, "iterate", True), "M15"),
    "precision as shown": (lambda book: setattr(book.calculation, "fullPrecision", False), "M15"),
    "no sign convention": (cover_without("Costs are positive"), "M16 Cover"),
    "no version": (removed("Log", "C6"), "M17 Log"),
    "no log": (cell(f"Log!A{row('Log', 'Changes')}", "Others"), "M17 Log"),
    "no hash": (removed("Cover", f"C{row('Cover', 'Made from: Scenario')}"), "M17 Cover"),
    "figure of the catalogue changed": (cell("Catalogue!C9", 1979), "M17 Catalogue"),
    "default typed over": (cell(f"Inputs!I{FIELD}", 0.5), "M17 Inputs"),
    "headline typed over": (cell("Cover!C6", 12), "M17 Cover"),
    "tolerance typed over": (cell(f"Checks!E{EXACT - 1}", 1e9), "M17 Checks"),
    "no fingerprints": (
        lambda book: book.defined_names.pop("fingerprints"),
        "M17 Log!fingerprints",
    ),
    "no link in the contents": (without_link, "M17 Cover"),
    "closed choice of a case": (
        at(f"Inputs!D{CHOICE}", "protection", SHUT),
        f"M18 Inputs!D{CHOICE}",
    ),
    "number typed over the case": (
        cell(f"Inputs!D{CHOICE + 1}", 1),
        "M18 Inputs!case_number",
    ),
    "another heading of a case": (cell("Inputs!F4", "Best"), "M18 Inputs!F4"),
    "value not picked": (
        cell(f"Inputs!D{FIELD}", f"=E{FIELD}"),
        f"M18 Inputs!D{FIELD}",
    ),
    "column chosen by hand": (
        cell(f"Inputs!N{FIELD}", f"=COUNTA(E{FIELD})"),
        f"M18 Inputs!N{FIELD}",
    ),
    "no print area": (attribute("Log.print_area", None), "M19 Log"),
    "short print area": (attribute("Log.print_area", "A1:C90"), "M19 Log!D4"),
    "no print titles": (attribute("Log._print_rows", None), "M19 Log"),
    "no orientation": (attribute("Log.page_setup.orientation", None), "M19 Log"),
    "not fitted": (attribute("Log.sheet_properties.pageSetUpPr.fitToPage", False), "M19 Log"),
    "months without titles": (attribute("Timeline._print_cols", None), "M19 Timeline"),
    "two pages wide": (attribute("Log.page_setup.fitToWidth", 2), "M19 Log"),
    "missing name": (
        lambda book: book.defined_names.pop("usd_per_parameter"),
        f"M20 Calc!usd_per_parameter, V03 Results!C{row('Results', 'Cost of a parameter')}",
    ),
    "result named wrongly": (name("wall_days", f"Calc!$C${WALL_DAYS - 1}"), "M20 Calc!wall_days"),
    "native line named": (name("wall_days", f"Calc!$D${WALL_DAYS}"), "M20 Calc!wall_days"),
    "field named wrongly": (
        name("layers", f"Inputs!$D${row('Inputs', 'hidden_size')}"),
        "M20 Inputs!layers",
    ),
    "name of a sheet's own": (
        name("mfu", f"Inputs!$D${row('Inputs', 'mfu')}", "Cover"),
        "M20 Cover!mfu",
    ),
    "error": (leaf(f"C{SHARE}/0"), f"V03 Results!D{SHARE}"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_what_breaks_a_rule_is_found_where_it_is(mutation: str, tmp_path: Path) -> None:
    mutate, expected = MUTATIONS[mutation]
    book = opened(GOOD)
    mutate(book)
    breaches = set(expected.split(", "))
    if any(breach.startswith("V") for breach in breaches):
        package, _ = recalculated(saved(book))
        others = {one for one in found(package, tmp_path) if not one.startswith("M17")}
        assert others == breaches  # that a locked cell was changed is found as well
    else:  # the rule alone: all of them, the values, and a file, take a while
        rules = {breach.partition(" ")[0] for breach in breaches}
        assert {
            brief(Finding(number, *breach)) for number in rules for breach in RULES[number][1](book)
        } == breaches


def calc_with(pattern: str, by: str) -> bytes:
    """Change the XML of the sheet Calc."""
    part = "xl/worksheets/sheet4.xml"
    text, count = re.subn(pattern, by, entries(GOOD)[part].decode())
    assert count == 1
    return with_entries(GOOD, **{part: text.encode()})


@pytest.mark.parametrize(
    "cell",
    [f"D{WALL_DAYS}", f"C{row('Calc', 'Spilled: Hosts')}"],
    ids=["formula", "spilled by another cell"],
)
def test_a_stale_value_is_found(cell: str, tmp_path: Path) -> None:
    package = calc_with(rf'(<c r="{cell}" s="\d+">(<f>[^<]*</f>)?<v>)', r"\g<1>1")
    assert found(package, tmp_path) == {f"V02 Calc!{cell}"}


def test_a_row_without_height_is_hidden(tmp_path: Path) -> None:
    package = calc_with('(<row r="20")', r'\1 ht="0" customHeight="1"')
    assert found(package, tmp_path) == {"M12 Calc!20"}


def test_a_workbook_that_openpyxl_saved_carries_no_values(tmp_path: Path) -> None:
    missing = {text for text in found(saved(opened(GOOD)), tmp_path) if text.startswith("V01")}
    formulas = [
        f"V01 {sheet.title}!{one.coordinate}"
        for sheet in opened(GOOD)
        for row in sheet.iter_rows()
        for one in row
        if one.data_type == "f"
    ]
    values = opened(GOOD, values=True)
    empty = {  # what is not given: the value is ""
        text
        for text in formulas
        if values[text[4:].partition("!")[0]][text.partition("!")[2]].value is None
    }
    assert missing == set(formulas) - empty


def test_every_rule_is_broken_by_some_mutation() -> None:
    broken = {expected[:3] for _, expected in MUTATIONS.values()} | {"V01", "V02"}
    assert broken == set(RULES) | set(VALUE_RULES)

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
from xl_tco.workbook.rules.values import VALUE_RULES

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
RENT = LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0, hfu=0.5)
GOOD = template_bytes()
LEAF = "C19/total_usd"  # what Results!D19 holds: no other cell refers to it

Mutation = Callable[[Workbook], object]


def found(package: bytes, folder: Path) -> set[str]:
    """What is found in a package, as "M05 Calc!D8"."""
    path = folder / "checked.xlsx"
    path.write_bytes(package)
    return {
        f"{finding.rule} {'!'.join(filter(None, (finding.sheet, finding.cell)))}".strip()
        for finding in check_workbook(path)
    }


@pytest.mark.parametrize("scenario", [LLAMA, RENT], ids=["own", "rent"])
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
    return cell("Results!D19", f"={formula}")


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
    """Change the validation of Inputs!E7, or take it away."""

    def mutate(book: Workbook) -> None:
        validations = book["Inputs"].data_validations.dataValidation
        (found,) = [one for one in validations if "E7" in one.sqref]
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
    "missing sheet": (lambda book: book.remove(book["Log"]), "M01 Log, M17 Log"),
    "extra sheet": (
        lambda book: book.create_sheet("Mine"),
        "M01 Mine, M11 Mine, M11 Mine!A3, M14 Mine, M17 Cover, M19 Mine",
    ),
    "sheets out of order": (lambda book: book.move_sheet("Calc", -1), "M01 Calc"),
    "changed width": (column("Results", "B", "width", 31), "M02 Results!B"),
    "other heading": (cell("Checks!B4", "Units"), "M02 Checks!B4"),
    "typed number": (leaf(f"{LEAF}*2.5"), "M05 Results!D19"),
    "typed percent": (leaf(f"{LEAF}*1%"), "M05 Results!D19"),
    "typed exponent": (leaf(f"{LEAF}*1E3"), "M05 Results!D19"),
    "typed array": (leaf(f"{LEAF}*SUM({{0,2}})"), "M05 Results!D19"),
    "typed criterion": (leaf('COUNTIF(C6:C16,">=5")'), "M05 Results!D19"),
    "typed text": (leaf(f'{LEAF}*"2"'), "M05 Results!D19"),
    "typed in an array formula": (
        cell("Results!D19", ArrayFormula("D19", f"={LEAF}*3")),
        "M05 Results!D19",
    ),
    "constant in a name": (name("growth", "0.05"), "M05 growth"),
    "formula in a name": (name("more", "Calc!$C$57*1.2", "Calc"), "M05 Calc!more"),
    "typed in a validation": (
        validated_by(type="custom", formula1="=C6<total_usd*7"),
        "M05 Results!Z9",
    ),
    "missing unit": (removed("Calc", "B20"), "M06 Calc!B20"),
    "blank unit": (cell("Catalogue!B20", " "), "M06 Catalogue!B20"),
    "missing label": (removed("Calc", "A20"), "M07 Calc!A20"),
    "label twice": (cell("Calc!A20", "ATTENTION, a token "), "M07 Calc!A20"),
    "long formula": (leaf(LEAF + "+0*C19" * 12), "M08 Results!D19"),
    "two lines": (leaf("C19/\ntotal_usd"), "M08 Results!D19"),
    "nested if": (leaf("if(C19>0,1-IF(D18>0,0,1),0)"), "M08 Results!D19"),
    "if in ifs": (leaf("_xlfn.IFS(C19>0,IF(D18>0,0,1),TRUE,0)"), "M08 Results!D19"),
    "malformed": (leaf("IF(C19"), "M08 Results!D19, V03 Results!D19"),
    "offset": (leaf("OFFSET(C19,0,0)"), "M09 Results!D19"),
    "npv": (leaf("npv(D20,C19:C21)"), "M09 Results!D19"),
    "now": (leaf(f"{LEAF}+0*NOW()"), "M09 Results!D19"),
    "random array": (leaf(f"{LEAF}+0*SUM(_xlfn.RANDARRAY(1,1))"), "M09 Results!D19"),
    "indirect in a name": (name("there", 'INDIRECT("Calc!C57")'), "M09 there"),
    "offset in a conditional format": (conditional, "M05 Results!C6:C9, M09 Results!C6:C9"),
    "missing source": (removed("Inputs", "J50"), "M10 Inputs!J50"),
    "missing date": (removed("Inputs", "K7"), "M10 Inputs!K7"),
    "blank status": (cell("Inputs!L8", "  "), "M10 Inputs!L8"),
    "no column of sources": (cell("Inputs!J4", "Where"), "M10 Inputs"),
    "telling comment": (at("Inputs!E7", "comment", Comment("my guess", "me")), "M10 Inputs!E7"),
    "check outside": (name("checks", "Checks!$F$5:$F$63"), "M11 Checks!F64"),
    "checks elsewhere": (name("checks", "Checks!$E$5:$E$64"), "M11 Checks!F4"),
    "master check not shown": (cell("Results!A3", "All checks hold"), "M11 Results!A3"),
    "master check typed over": (cell("Checks!A3", "All checks hold"), "M11 Checks!A3"),
    "count typed over": (cell("Checks!C65", 0), "M11 Checks!A3"),
    "check typed over": (cell("Checks!F6", "yes"), "M11 Checks!F6"),
    "check cleared": (removed("Checks", "F6"), "M11 Checks!F6"),
    "missing tolerance": (removed("Checks", "E6"), "M11 Checks!E6"),
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
    "filter": (filtered, "M12 Catalogue!A4:H372"),
    "hidden name": (name("secret", "Calc!$C$57", hidden=True), "M12 secret"),
    "hidden formula": (at("Calc!D8", "protection", UNSEEN), "M12 Calc!D8"),
    "invisible number": (at("Calc!D8", "number_format", ";;;"), "M12 Calc!D8"),
    "red input": (at("Inputs!E7", "font", RED), "M13 Inputs!E7"),
    "blue formula": (at("Calc!D8", "font", BLUE), "M13 Calc!D8"),
    "blue constant": (at("Catalogue!C9", "font", BLUE), "M13 Catalogue!C9"),
    "black link": (at("Results!C26", "font", BLACK), "M13 Results!C26"),
    "green formula": (at("Checks!F6", "font", GREEN), "M13 Checks!F6"),
    "check fails": (cell("Inputs!D64", -1), "V04 Checks!A3"),
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
    "locked input": (at("Inputs!E9", "protection", SHUT), "M14 Inputs!E9"),
    "unvalidated input": (unvalidated(), "M14 Inputs!E7"),
    "validation of nothing": (unvalidated(type="none"), "M14 Inputs!E7"),
    "validation that lets all pass": (unvalidated(showErrorMessage=False), "M14 Inputs!E7"),
    "validation that only warns": (unvalidated(errorStyle="warning"), "M14 Inputs!E7"),
    "validation without a message": (unvalidated(error=None), "M14 Inputs!E7"),
    "external link": (linked, "M15"),
    "formula of another file": (
        leaf(f"{LEAF}+'[other.xlsx]Sheet1'!A1"),
        "M15 Results!D19, V03 Results!D19",
    ),
    "name in another file": (name("theirs", "'C:\\x\\[other.xlsx]Sheet1'!$A$1"), "M15 theirs"),
    "round": (leaf(f"ROUND({LEAF},1)"), "M15 Results!D19"),
    "int": (leaf(f"int({LEAF})"), "M15 Results!D19"),
    "circular": (leaf("D19+1"), "V03 Results!D19"),
    "iteration": (lambda book: setattr(book.calculation, "iterate", True), "M15"),
    "precision as shown": (lambda book: setattr(book.calculation, "fullPrecision", False), "M15"),
    "no sign convention": (cover_without("Costs are positive"), "M16 Cover"),
    "no version": (removed("Log", "C6"), "M17 Log"),
    "no log": (cell("Log!A12", "Others"), "M17 Log"),
    "no hash": (removed("Cover", "C31"), "M17 Cover"),
    "no link in the contents": (without_link, "M17 Cover"),
    "no print area": (attribute("Log.print_area", None), "M19 Log"),
    "short print area": (attribute("Log.print_area", "A1:C90"), "M19 Log!D4"),
    "no print titles": (attribute("Log._print_rows", None), "M19 Log"),
    "no orientation": (attribute("Log.page_setup.orientation", None), "M19 Log"),
    "not fitted": (attribute("Log.sheet_properties.pageSetUpPr.fitToPage", False), "M19 Log"),
    "two pages wide": (attribute("Log.page_setup.fitToWidth", 2), "M19 Log"),
    "missing name": (
        lambda book: book.defined_names.pop("usd_per_parameter"),
        "M20 Calc!usd_per_parameter, V03 Results!C47",
    ),
    "result named wrongly": (name("wall_days", "Calc!$C$17"), "M20 Calc!wall_days"),
    "native line named": (name("wall_days", "Calc!$D$16"), "M20 Calc!wall_days"),
    "field named wrongly": (name("layers", "Inputs!$D$10"), "M20 Inputs!layers"),
    "name of a sheet's own": (name("mfu", "Inputs!$D$20", "Cover"), "M20 Cover!mfu"),
    "error": (leaf("C19/0"), "V03 Results!D19"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_what_breaks_a_rule_is_found_where_it_is(mutation: str, tmp_path: Path) -> None:
    mutate, expected = MUTATIONS[mutation]
    book = opened(GOOD)
    mutate(book)
    package, _ = recalculated(saved(book))
    assert found(package, tmp_path) == set(expected.split(", "))


def calc_with(pattern: str, by: str) -> bytes:
    """Change the XML of the sheet Calc."""
    part = "xl/worksheets/sheet4.xml"
    text, count = re.subn(pattern, by, entries(GOOD)[part].decode())
    assert count == 1
    return with_entries(GOOD, **{part: text.encode()})


@pytest.mark.parametrize("cell", ["D17", "C75"], ids=["formula", "spilled by another cell"])
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
    empty = {f"V01 Inputs!D{row}" for row in (9, 10, 11, 20)}  # not given: the value is ""
    assert missing == set(formulas) - empty


def test_every_rule_is_broken_by_some_mutation() -> None:
    broken = {expected[:3] for _, expected in MUTATIONS.values()} | {"V01", "V02"}
    assert broken == set(RULES) | set(VALUE_RULES)

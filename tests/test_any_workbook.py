"""Workbooks that are none of ours are checked and recalculated, without a traceback."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from books import saved
from xl_tco.workbook import check_workbook, recalculate
from xl_tco.workbook.rules.reading import Formula, formulas

Fill = Callable[[Workbook, Worksheet], object]
DEFINED = {
    "rate": "0.05",
    "gone": "#REF!",
    "nothing": "",
    "word": '"a"',
    "nowhere": "Nowhere!$A$1",
    "lost": "#REF!$A$1",
    "three": "S:T!$A$1",
    "two": "S!$A$1,T!$A$1",
    "built_with": "#N/A",
    "checks": "#REF!",
    "master_check": "Checks!$A$3:$B$4",
    "total_usd": "Calc!$C$999999",
    "mfu": "1",
}


def chartsheet(book: Workbook, sheet: Worksheet) -> None:
    for number in range(5):
        sheet.append([number, number * 2])
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=5))
    book.create_chartsheet("Checks").add_chart(chart)


def ordinary(_: Workbook, sheet: Worksheet) -> None:
    for row in (["What", "Amount"], ["pens", 2], ["ink", 3.5], ["sum", "=SUM(B2:B3)"]):
        sheet.append(row)
    sheet["D1"] = "=SUM(Costs[Amount])"
    sheet["D2"] = "=OFFSET(A1,1,0)&SUM({1,2;3,4})"
    sheet["D3"] = ArrayFormula("D3:D4", "=B2:B3*2")
    sheet.add_table(Table(displayName="Costs", ref="A1:B3"))
    sheet.merge_cells("F1:G2")
    sheet["F1"] = "merged"
    sheet.print_area = "A1:B2"
    sheet.freeze_panes = "C7"
    validation = DataValidation("list", formula1='"a,b"')
    validation.add("A2:A3")
    sheet.add_data_validation(validation)
    sheet.conditional_formatting.add("B2:B3", CellIsRule(operator="lessThan", formula=["5"]))
    sheet.conditional_formatting.add(
        "B2:B3", ColorScaleRule("min", None, "FF0000", "max", None, "00FF00")
    )


def names(book: Workbook, sheet: Worksheet) -> None:
    for number, title in enumerate(("S", "T", "Calc"), start=1):
        book.create_sheet(title)["A1"] = number
    for row, formula in enumerate(("rate*2", "gone", "lost", "SUM(S:T!A1)", "A1+", "nowhere"), 1):
        sheet.cell(row, 1).value = f"={formula}"
    for name, text in DEFINED.items():
        book.defined_names[name] = DefinedName(name, attr_text=text)
    sheet.defined_names["rate"] = DefinedName("rate", attr_text="#REF!")


def our_names_and_nothing_else(book: Workbook, sheet: Worksheet) -> None:
    for title in ("Cover", "Inputs", "Catalogue", "Calc", "Results", "Checks", "Log"):
        book.create_sheet(title).merge_cells("A1:D3")
    book.remove(sheet)
    book["Inputs"]["A4"] = dt.date(2026, 1, 1)
    book["Inputs"]["F12"] = "mfu"
    book["Checks"]["F10"] = "yes"
    for name, text in {**DEFINED, "checks": "Checks!$F$10"}.items():
        book.defined_names[name] = DefinedName(name, attr_text=text)


def malformed(_: Workbook, sheet: Worksheet) -> None:
    texts = [
        "IF(A2",
        "1)",
        "}",
        '"a',
        "'x",
        "#BAD!",
        "A1)+(",
        "IF(A1,2,}",
        "1 2",
        "@",
        "[1]!x",
        "!",
    ]
    for row, text in enumerate(texts, start=1):
        sheet.cell(row, 1).value = f"={text}"


def dates(_: Workbook, sheet: Worksheet) -> None:
    sheet["A1"] = dt.datetime(2024, 2, 28, 6)
    for row, shape in enumerate(("yyyy-mm-dd", "hh:mm", "[h]:mm", "General"), start=2):
        sheet.cell(row, 1, "=A$1+1").number_format = shape


def tables_and_circles(_: Workbook, sheet: Worksheet) -> None:
    sheet["A1"] = "=B1"
    sheet["B1"] = "=A1"
    sheet["D1"] = DataTableFormula(ref="D1:D3", r1="A1")


def nothing(*_: object) -> None:
    """Leave the workbook as it is."""


@pytest.mark.parametrize(
    "fill",
    [
        nothing,
        chartsheet,
        ordinary,
        names,
        our_names_and_nothing_else,
        malformed,
        dates,
        tables_and_circles,
    ],
)
def test_any_workbook_is_checked_and_recalculated(fill: Fill, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    fill(book, sheet)
    path = tmp_path / "theirs.xlsx"
    path.write_bytes(saved(book))
    before = check_workbook(path)
    assert {"M13", "M16"} <= {finding.rule for finding in before}
    assert all(str(finding).startswith(f"{finding.rule} ") for finding in before)
    errors = {(error.sheet, error.address) for error in recalculate(path).errors}
    after = check_workbook(path)
    assert not {finding.rule for finding in after} & {"V01", "V02"}
    assert {(f.sheet, f.cell) for f in after if f.rule == "V03"} == errors


def formula(text: str) -> Formula:
    """The formula as a cell holds it."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet["A1"] = text
    (only,) = formulas(book)
    return only


@pytest.mark.parametrize(
    ("text", "external"),
    [
        ("=[1]Sheet1!A1", True),
        ("=[1]!theirs*2", True),
        ("='C:\\x\\[b.xlsx]My sheet'!A1", True),
        ("='[b.xlsx]O''Brien'!A1", True),
        ("=SUM(Costs[Amount])", False),
        ("=Costs[[#This Row],[a!b]]", False),
        ("='My sheet'!A1+Sheet2:Sheet3!B2", False),
        ('="[b.xlsx]Sheet1!A1"', False),
    ],
)
def test_links_to_other_files_are_told_from_columns_of_tables(text: str, external: bool) -> None:
    assert formula(text).is_external == external


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("=A1*2", ["2"]),
        ("=-1*A1+0+1.0", []),
        ("=A1*1%", ["1%"]),
        ("=A1^0.5", ["0.5"]),
        ("=SUM({1,3})", ["3"]),
        ('=COUNTIF(A2:A9,">1,000")', ['">1,000"']),
        ('="a 5 b"&TEXT(A1,"0.0")&"%"', []),
        ("=Sheet2!A5+LOG10(B7)", []),
    ],
)
def test_typed_numbers(text: str, numbers: list[str]) -> None:
    assert list(formula(text).numbers) == numbers


def test_functions_are_known_by_any_spelling() -> None:
    found = formula("=offset(A1,_xlfn.SINGLE(0),0)+_xlfn._xlws.SORT(B1:B2)+_xludf.f(1)").functions
    assert found == {"OFFSET", "SINGLE", "SORT", "F"}

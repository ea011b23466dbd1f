"""What formulas come to, which errors are told, and the whole way from bytes to bytes."""

import datetime as dt
import io
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.workbook import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

from books import (
    FUNCTIONS,
    Function,
    entries,
    formula,
    is_spill,
    opened,
    package,
    saved,
    stored,
    with_entries,
)
from xl_tco.errors import Fault, InputError
from xl_tco.workbook.engine.evaluate import Evaluation, evaluate
from xl_tco.workbook.engine.recalc import calculate
from xl_tco.workbook.package.book import ErrorValue, PackageError

MOMENT = dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC)


def sheet_of(**cells: Any) -> bytes:
    """A workbook with one sheet of these cells."""

    def fill(_: Workbook, sheet: Worksheet) -> None:
        for address, value in cells.items():
            sheet[address] = value

    return package(fill)


def evaluated(*functions: Function, **cells: Any) -> Evaluation:
    return evaluate(sheet_of(**cells), [*FUNCTIONS, *functions], is_spill)


def value(text: Any, *functions: Function, **cells: Any) -> Any:
    return evaluated(*functions, **cells, Z1=text).values["Model", "Z1"]


def message(text: str, *functions: Function, **cells: Any) -> str:
    errors = evaluated(*functions, **cells, Z1=text).errors
    return next(error.message for error in errors if error.address == "Z1")


class TestValues:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("=1+1", 2.0),
            ("=1>2", False),
            ('="a"&1', "a1"),
            ('=""', ""),
            ("=X9", 0.0),
            ("=1E308", 1e308),
            ("=5E-324", 5e-324),
            ("=0.1+0.2", 0.1 + 0.2),
            ("=DATE(2024,1,31)", 45322.0),
            ("=TIME(6,0,0)", 0.25),
            ("=_xlfn.LET(_xlpm.x,2,_xlpm.x*3)", 6.0),
            ("=_xlfn.XLOOKUP(2,{1;2},{5;6})", 6.0),
        ],
    )
    def test_native_formulas(self, text: str, expected: Any) -> None:
        found = value(text)
        assert found == expected
        assert type(found) is type(expected)

    @pytest.mark.parametrize("name", ["TCO_TIMES", "tco_times", "_xldudf_TCO_TIMES"])
    def test_our_functions_by_every_name(self, name: str) -> None:
        assert value(f"={name}(2,3)") == 6.0

    def test_dates_of_a_workbook_that_counts_from_1904(self) -> None:
        def fill(book: Workbook, sheet: Worksheet) -> None:
            book.epoch = CALENDAR_MAC_1904
            sheet["A1"] = dt.datetime(2024, 1, 1)
            sheet["A2"] = "=YEAR(A1)"
            sheet["A3"] = "=DATE(2024,1,1)-A1"

        values = evaluate(package(fill), []).values
        assert (values["Model", "A2"], values["Model", "A3"]) == (2024.0, 0.0)

    def test_what_a_function_gets(self) -> None:
        got: list[tuple[Any, ...]] = []

        def spy(*cells: Any) -> float:
            got.append(cells)
            return 1.0

        value("=TCO_SPY(A1,A1:B2,TRUE,X9)", Function("TCO_SPY", 4, 4, spy), A1=1, B2="b")
        assert got == [(1.0, [[1.0, None], [None, "b"]], True, None)]

    @pytest.mark.parametrize(
        ("returned", "expected"),
        [
            (2, 2.0),
            ("text", "text"),
            (True, True),
            ([1.0, 2.0], [[1.0, 2.0]]),
            ([[1.0], ["b"]], [[1.0], ["b"]]),
            (((1.0,), (None,)), [[1.0], [0.0]]),
            (float("nan"), "#NUM!"),
            ([[1.0], [float("inf")]], "#NUM!"),
            ([], "#VALUE!"),
            ([[1.0], [1.0, 2.0]], "#VALUE!"),
            ("x" * 40_000, "#VALUE!"),
        ],
    )
    def test_what_a_function_may_return(self, returned: Any, expected: Any) -> None:
        name = Function("TCO_TABLE", 0, 0, lambda: returned)
        found = evaluate(sheet_of(Z1="=TCO_TABLE()"), [name], is_spill).values["Model", "Z1"]
        assert found == expected

    def test_numpy_results(self) -> None:
        numpy = pytest.importorskip("numpy")
        array = Function("TCO_TABLE", 0, 0, lambda: numpy.array([[1, 2], [3, 4]]))
        found = evaluate(sheet_of(Z1="=TCO_TABLE()"), [array], is_spill).values["Model", "Z1"]
        assert found == [[1.0, 2.0], [3.0, 4.0]]

    def test_now_can_be_set(self) -> None:
        data = sheet_of(A1="=TODAY()")
        assert evaluate(data, [], moment=MOMENT).values["Model", "A1"] == 45418.0


class TestOneValueOrMany:
    def test_a_plain_formula_shows_the_value_of_its_own_row(self) -> None:
        cells = {f"A{row}": row for row in range(1, 5)}
        found = evaluated(**cells, C2="=A1:A4", C9="=A1:A4", D2="=A1:A4*10", D8="=C2+1").values
        assert found["Model", "C2"] == 2.0
        assert found["Model", "C9"] == "#VALUE!"
        assert found["Model", "D2"] in (10.0, 20.0)  # Excel's older and newer rules differ
        assert found["Model", "D8"] == 3.0

    def test_what_depends_on_a_spill_sees_all_of_it(self) -> None:
        found = evaluated(D1=ArrayFormula("D1:E9", "=TCO_TABLE(3)"), H1="=SUM(D1:E3)").values
        assert found["Model", "D1"] == [["part 1", 1.5], ["part 2", 3.0], ["part 3", 4.5]]
        assert found["Model", "H1"] == 9.0

    def test_a_blocked_spill(self) -> None:
        found = evaluated(D1=ArrayFormula("D1", "=TCO_TABLE(2)"), E2="mine")
        assert found.values["Model", "D1"] == "#SPILL!"
        assert "not empty" in found.errors[0].message

    def test_an_old_array_formula_that_does_not_fit(self) -> None:
        found = evaluated(A1=1, A2=2, C1=ArrayFormula("C1:C3", "=A1:A2*2"), D1="=C1")
        assert found.values["Model", "C1"] == found.values["Model", "D1"] == "#VALUE!"
        assert "2 × 1" in found.errors[0].message


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("=1/0", "#DIV/0!"),
            ("=NA()", "#N/A"),
            ("=SQRT(-1)", "#NUM!"),
            ("=TCO_TIMES(1/0,2)", "#DIV/0!"),
            ("=TCO_TIMES(A1:A2,2)", "#N/A"),
            ("=TCO_REFUSE(1)", "#VALUE!"),
            ("=SUM(TCO_REFUSE(1),1)", "#VALUE!"),
            ("=NO_SUCH_FUNCTION(1)", "#NAME?"),
            ("=no_such_name", "#NAME?"),
            ("='No sheet'!A1", "#REF!"),
            ("='[1]Other file'!A1", "#NAME?"),
            ("=SUM(", "#NAME?"),
            ("=Z1+1", "#REF!"),
        ],
    )
    def test_each_is_shown_and_listed(self, text: str, error: str) -> None:
        found = evaluated(A2="=NA()", Z1=text)
        assert isinstance(found.values["Model", "Z1"], ErrorValue)
        assert found.values["Model", "Z1"] == error
        assert any(cell.address == "Z1" and cell.error == error for cell in found.errors)

    def test_text_that_reads_like_an_error_is_none(self) -> None:
        found = evaluated(Z1='="#N/A"')
        assert not isinstance(found.values["Model", "Z1"], ErrorValue)
        assert not found.errors

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("=TCO_REFUSE(7)", "7.0 is out of range"),
            ("=1+TCO_REFUSE(A2)", "argument 1 is an error (#DIV/0!)"),
            ("=TCO_TIMES(1,A1:A2)", "argument 2 holds an error (#DIV/0!)"),
            ("=TCO_TIMES(1)", "TCO_TIMES takes 2 to 3 arguments, not 1"),
            ("=TCO_TABLE(1,2)", "TCO_TABLE takes 1 arguments, not 2"),
            ("=SUM(", "parenthesis"),
            ("=Z1+1", "circular"),
            ("='[1]Other file'!A1", "[1]Other file"),
        ],
    )
    def test_says_why(self, text: str, says: str) -> None:
        assert says in message(text, A2="=1/0")

    def test_an_input_error_of_ours_is_a_value_error_with_its_words(self) -> None:
        def check(_: Any) -> float:
            raise InputError([Fault("range", "mfu", "1.4 is out of range", "a share up to 1")])

        found = evaluated(Function("TCO_CHECK", 1, 1, check), A1="=TCO_CHECK(1.4)")
        assert found.values["Model", "A1"] == "#VALUE!"
        assert found.errors[0].message == "mfu: 1.4 is out of range; a share up to 1"

    def test_each_cell_has_its_own_message(self) -> None:
        found = evaluated(A1="=TCO_REFUSE(1)", A2="=TCO_REFUSE(2)", A3="=A1+A2")
        assert [error.message for error in found.errors] == [
            "1.0 is out of range",
            "2.0 is out of range",
            "",
        ]
        assert str(found.errors[0]) == "Model!A1: #VALUE! 1.0 is out of range"

    def test_one_formula_that_cannot_be_evaluated_does_not_spoil_the_others(self) -> None:
        found = evaluated(A1="='[1]X'!A1", A2="=A1+1", A3="=IFERROR(A1,3)", A4="=1+1").values
        assert [found["Model", f"A{n}"] for n in range(1, 5)] == ["#NAME?", "#NAME?", 3.0, 2.0]

    def test_an_error_within_a_spill(self) -> None:
        function = Function("TCO_TABLE", 0, 0, lambda: [[1.0], [{"type": "Error", "kind": "Na"}]])
        found = evaluate(sheet_of(A1="=TCO_TABLE()"), [function], is_spill)
        assert found.errors[0].address == "A2"

    def test_what_the_engine_cannot_load(self) -> None:
        with pytest.raises(PackageError):
            evaluate(b"no workbook", [])
        nameless = entries(sheet_of(A1="=1+1"))["xl/workbook.xml"].replace(b"Model", b"")
        with pytest.raises(PackageError):
            evaluate(with_entries(sheet_of(A1="=1+1"), workbook=nameless), [])


def model(book: Workbook, sheet: Worksheet) -> None:
    sheet["A1"] = 3
    sheet["B1"] = "=TCO_TIMES(A1,2)"
    sheet["D1"] = ArrayFormula("D1:E2", "=TCO_TABLE(A1)")
    sheet["G1"] = "=SUM(E1:E9)"
    book.defined_names["rows"] = DefinedName("rows", attr_text="Model!$A$1")
    other = book.create_sheet("It's ümlaut 表")
    other["A1"] = "=rows*Model!B1"


class TestCalculate:
    def test_everyone_reads_the_values(self) -> None:
        data, found = calculate(package(model), FUNCTIONS, is_spill)
        assert not found.errors
        sheet = opened(data, values=True)["Model"]
        assert (sheet["B1"].value, sheet["E3"].value, sheet["G1"].value) == (6, 4.5, 9)
        frame = pd.read_excel(io.BytesIO(data), sheet_name="It's ümlaut 表", header=None)
        assert frame.iloc[0, 0] == 18
        assert formula(data, "D1") == {"t": "array", "ref": "D1:E3", "cm": "1"}

    @pytest.mark.parametrize(("rows", "ref"), [(1, "D1:E1"), (5, "D1:E5")])
    def test_again_after_openpyxl_has_loaded_edited_and_saved(self, rows: int, ref: str) -> None:
        data, _ = calculate(package(model), FUNCTIONS, is_spill)
        book = opened(data)
        book["Model"]["A1"] = rows
        edited = saved(book)
        assert "cm" not in formula(edited, "D1")
        data, found = calculate(edited, FUNCTIONS, is_spill)
        assert not found.errors
        assert formula(data, "D1") == {"t": "array", "ref": ref, "cm": "1"}
        assert found.values["Model", "G1"] == sum(1.5 * n for n in range(1, rows + 1))
        assert stored(data, "D6") == (None, None)

    def test_same_bytes_every_time(self) -> None:
        first, _ = calculate(package(model), FUNCTIONS, is_spill, moment=MOMENT)
        second, _ = calculate(package(model), FUNCTIONS, is_spill, moment=MOMENT)
        again, _ = calculate(first, FUNCTIONS, is_spill, moment=MOMENT)
        assert first == second == again

    def test_build_moment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        data, found = calculate(sheet_of(A1="=TODAY()"), [], is_spill)
        assert found.values["Model", "A1"] == 25569.0
        assert opened(data).properties.modified == dt.datetime(1970, 1, 1)

    def test_merged_cells_in_the_way_are_told(self) -> None:
        def fill(_: Workbook, sheet: Worksheet) -> None:
            sheet["D1"] = ArrayFormula("D1", "=TCO_TABLE(2)")
            sheet.merge_cells("E2:F2")

        _, found = calculate(package(fill), FUNCTIONS, is_spill)
        assert found.values["Model", "D1"] == "#SPILL!"
        assert "merged" in found.errors[0].message

    def test_a_blocked_spill_is_marked_and_spills_once_there_is_room(self) -> None:
        data, found = calculate(sheet_of(D1="=TCO_TABLE(2)", E2="mine"), FUNCTIONS, is_spill)
        assert found.values["Model", "D1"] == "#SPILL!"
        assert formula(data, "D1") == {"t": "array", "ref": "D1", "cm": "1"}
        book = opened(data)
        book["Model"]["E2"] = None
        data, found = calculate(saved(book), FUNCTIONS, is_spill)
        assert formula(data, "D1")["ref"] == "D1:E2"

    def test_a_formula_of_excel_that_spills(self) -> None:
        """As Excel saves it: marked, and with the spilled value carried along."""
        data, _ = calculate(package(model), FUNCTIONS, is_spill)
        sheet = entries(data)["xl/worksheets/sheet1.xml"].replace(b"TCO_TABLE(A1)", b"A1:A2*2")
        data, found = calculate(with_entries(data, sheet1=sheet), FUNCTIONS, is_spill)
        assert found.values["Model", "D1"] == [[6.0], [0.0]]
        assert formula(data, "D1")["ref"] == "D1:D2"
        assert stored(data, "E1") == (None, None)

    def test_shared_formulas(self) -> None:
        sheet = entries(package(model))["xl/worksheets/sheet1.xml"].replace(
            b"</sheetData>",
            b'<row r="20"><c r="A20"><f t="shared" ref="A20:A21" si="0">A1*2</f></c></row>'
            b'<row r="21"><c r="A21"><f t="shared" si="0"/><v>99</v></c></row></sheetData>',
        )
        data, _ = calculate(with_entries(package(model), sheet1=sheet), FUNCTIONS, is_spill)
        assert (stored(data, "A20")[1], stored(data, "A21")[1]) == ("6", "0")

    def test_what_if_tables_keep_their_values_and_are_told(self) -> None:
        sheet = entries(package(model))["xl/worksheets/sheet1.xml"].replace(
            b"</sheetData>",
            b'<row r="20"><c r="B20"><f t="dataTable" ref="B20:B21" r1="A1"/><v>7</v></c></row>'
            b"</sheetData>",
        )
        data, found = calculate(with_entries(package(model), sheet1=sheet), FUNCTIONS, is_spill)
        assert stored(data, "B20") == (None, "7")
        assert "what-if" in found.errors[0].message

    def test_a_stale_value_is_never_kept(self) -> None:
        data, _ = calculate(sheet_of(A1="=1+1"), [], is_spill)
        broken = entries(data)["xl/worksheets/sheet1.xml"].replace(b"1+1", b"NOPE()")
        data, _ = calculate(with_entries(data, sheet1=broken), [], is_spill)
        assert stored(data, "A1") == ("e", "#NAME?")

    def test_empty_workbook(self) -> None:
        data, found = calculate(saved(openpyxl.Workbook()), FUNCTIONS, is_spill)
        assert not found.values
        assert opened(data).sheetnames == ["Sheet"]

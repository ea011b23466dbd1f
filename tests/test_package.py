"""Values, spills and bytes of a package, as openpyxl, pandas, LibreOffice and raw XML see them."""

import datetime as dt
import io
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.utils.escape import unescape
from openpyxl.workbook import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

from books import MAIN, entries, formula, opened, package, raw, saved, stored, with_entries, zipped
from libreoffice import LibreOffice
from xl_tco.errors import TcoError
from xl_tco.workbook.package.archive import parse_xml, to_xml
from xl_tco.workbook.package.book import (
    ErrorValue,
    FormulaCell,
    PackageError,
    Value,
    clear_spills,
    formula_cells,
    normalise,
    write_values,
)

MOMENT = dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC)
NAMESPACE = MAIN.strip("{}")


def never(_: str) -> bool:
    return False


def spills(text: str) -> bool:
    return text.startswith("SPILL")


def rich(book: Workbook, sheet: Worksheet) -> None:
    """Everything that must survive, beside a few formulas."""
    sheet["A1"] = 2
    sheet["A2"] = "=A1*2"
    sheet["A2"].font = Font(bold=True)
    sheet["A2"].number_format = "0.00"
    sheet["A3"] = "=A1=2"
    sheet["A4"] = '="a "&A1'
    sheet["A5"] = "=1/0"
    sheet["A6"] = dt.datetime(2024, 1, 31)
    sheet["A7"] = "=A6+1"
    sheet["A7"].number_format = "yyyy-mm-dd"
    sheet["A1"].comment = Comment("counted by hand", "me")
    sheet.merge_cells("D20:E21")
    sheet.conditional_formatting.add(
        "A1:A5",
        CellIsRule(operator="greaterThan", formula=["3"], fill=PatternFill("solid", "FF0000")),
    )
    validation = DataValidation(type="whole", formula1="1", formula2="9")
    validation.add("A1")
    sheet.add_data_validation(validation)
    book.defined_names["count"] = DefinedName("count", attr_text="Model!$A$1")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=2))
    sheet.add_chart(chart, "G2")
    other = book.create_sheet("O'Brien & ümlaut 表")
    other["B2"] = "=Model!A2"


RICH = package(rich)
RICH_VALUES: dict[tuple[str, str], Any] = {
    ("Model", "A2"): 4.0,
    ("Model", "A3"): True,
    ("Model", "A4"): "a 2",
    ("Model", "A5"): ErrorValue("#DIV/0!"),
    ("Model", "A7"): dt.date(2024, 2, 1),
    ("O'Brien & ümlaut 表", "B2"): 4.0,
}


def grid(ref: str = "D1:E3", text: str = "=SPILL()") -> bytes:
    """An array formula with two columns, as openpyxl writes it."""

    def fill(_: Workbook, sheet: Worksheet) -> None:
        sheet["A1"] = 1
        sheet[ref.partition(":")[0]] = ArrayFormula(ref, text)

    return package(fill)


TWO: list[list[Value]] = [["a", 1.0], ["b", True]]


class TestFormulaCells:
    def test_lists_every_formula_with_its_sheet(self) -> None:
        cells = formula_cells(RICH)
        assert [cell.key for cell in cells] == list(RICH_VALUES)
        assert cells[0] == FormulaCell("Model", "A2", "A1*2", "normal", None, dynamic=False)

    def test_array_formula(self) -> None:
        (cell,) = formula_cells(grid())
        assert (cell.kind, cell.ref, cell.dynamic) == ("array", "D1:E3", False)

    def test_shared_formula_and_cells_left_to_be_counted(self) -> None:
        sheet = f"""<worksheet xmlns="{NAMESPACE}"><sheetData>
            <row><c><v>1</v></c><c><f t="shared" ref="B1:B2" si="0">A1*2</f></c></row>
            <row r="2"><c r="B2"><f t="shared" si="0"/><v>9</v></c></row>
            <row r="3"><c r="B3"><f t="dataTable" ref="B3:B4" r1="A1"/><v>7</v></c></row>
            </sheetData></worksheet>"""
        data = with_entries(RICH, sheet1=sheet.encode())
        found = [cell for cell in formula_cells(data) if cell.sheet == "Model"]
        assert [(c.address, c.formula, c.kind) for c in found] == [
            ("B1", "A1*2", "shared"),
            ("B2", "", "shared"),
            ("B3", "", "dataTable"),
        ]
        written = write_values(data, {("Model", "B1"): 2.0, ("Model", "B2"): 4.0}, never)
        assert stored(written, "B2") == (None, "4")
        assert stored(written, "B3") == (None, "7")


class TestValues:
    def test_openpyxl_reads_them(self) -> None:
        book = opened(write_values(RICH, RICH_VALUES, never), values=True)
        sheet = book["Model"]
        assert [sheet[f"A{row}"].value for row in range(2, 8)] == [
            4,
            True,
            "a 2",
            "#DIV/0!",
            dt.datetime(2024, 1, 31),
            dt.datetime(2024, 2, 1),
        ]
        assert sheet["A5"].data_type == "e"
        assert sheet["A2"].font.bold
        assert book["O'Brien & ümlaut 表"]["B2"].value == 4

    def test_pandas_reads_them(self) -> None:
        data = io.BytesIO(write_values(RICH, RICH_VALUES, never))
        frame = pd.read_excel(data, sheet_name="Model", header=None)
        assert list(frame.iloc[1:4, 0]) == [4, True, "a 2"]

    def test_raw_xml_is_valid(self) -> None:
        data = write_values(RICH, RICH_VALUES, never)
        assert [stored(data, f"A{row}") for row in (2, 3, 4, 5, 7)] == [
            (None, "4"),
            ("b", "1"),
            ("str", "a 2"),
            ("e", "#DIV/0!"),
            (None, "45323"),
        ]
        for cell in raw(data).values():
            tags = [child.tag.removeprefix(MAIN) for child in cell]
            assert tags in ([], ["v"], ["f", "v"])

    def test_an_old_value_is_replaced_and_a_missing_one_is_not_kept(self) -> None:
        data = write_values(RICH, RICH_VALUES, never)
        data = write_values(data, {("Model", "A2"): "now text"}, never)
        assert stored(data, "A2") == ("str", "now text")
        assert stored(data, "A4") == (None, None)

    def test_nothing_is_zero_as_in_excel(self) -> None:
        assert stored(write_values(RICH, {("Model", "A2"): None}, never), "A2") == (None, "0")

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
    def test_what_is_no_number_is_an_error(self, value: float) -> None:
        assert stored(write_values(RICH, {("Model", "A2"): value}, never), "A2") == ("e", "#NUM!")

    @pytest.mark.parametrize("error", ["#SPILL!", "#CALC!", "#FIELD!"])
    def test_errors_unknown_to_the_format_are_stored_as_excel_stores_them(self, error: str) -> None:
        data = write_values(RICH, {("Model", "A2"): ErrorValue(error)}, never)
        assert stored(data, "A2") == ("e", "#VALUE!")

    def test_text_that_reads_like_an_error_stays_text(self) -> None:
        assert stored(write_values(RICH, {("Model", "A2"): "#N/A"}, never), "A2")[0] == "str"

    def test_text_too_long_for_a_cell_is_an_error(self) -> None:
        data = write_values(RICH, {("Model", "A2"): "x" * 32_768}, never)
        assert stored(data, "A2") == ("e", "#VALUE!")

    @pytest.mark.parametrize("epoch1904", [False, True])
    @pytest.mark.parametrize(
        "moment",
        [
            dt.datetime(2024, 2, 29, 18, 30),
            dt.datetime(1904, 1, 2),
            dt.time(6, 0),
            dt.timedelta(hours=30),
        ],
    )
    def test_dates(self, moment: Any, epoch1904: bool) -> None:
        def fill(book: Workbook, sheet: Worksheet) -> None:
            if epoch1904:
                book.epoch = CALENDAR_MAC_1904
            sheet["A1"] = moment
            sheet["A2"] = "=A1"
            sheet["A2"].number_format = sheet["A1"].number_format

        data = write_values(package(fill), {("Model", "A2"): moment}, never)
        assert opened(data, values=True)["Model"]["A2"].value == moment

    @pytest.mark.parametrize(
        ("day", "serial"),
        [(dt.date(1900, 1, 1), "1"), (dt.date(1900, 2, 28), "59"), (dt.date(1900, 3, 1), "61")],
    )
    def test_the_leap_day_that_excel_believes_in(self, day: dt.date, serial: str) -> None:
        assert stored(write_values(RICH, {("Model", "A2"): day}, never), "A2") == (None, serial)

    @given(st.floats(allow_nan=False, allow_infinity=False) | st.booleans())
    def test_numbers_come_back_the_same(self, value: float) -> None:
        data = write_values(RICH, {("Model", "A2"): value}, never)
        assert opened(data, values=True)["Model"]["A2"].value == value

    @pytest.mark.parametrize("value", [1e308, 5e-324, -0.0, 0.1 + 0.2, 2**53 + 1, 1 / 3])
    def test_numbers_at_the_edges(self, value: float) -> None:
        data = write_values(RICH, {("Model", "A2"): value}, never)
        text = stored(data, "A2")[1]
        assert text is not None
        assert float(text) == float(value)
        assert math.copysign(1, float(text)) == math.copysign(1, value)

    @pytest.mark.parametrize("value", ["", " ", "a", 1.0, True])
    def test_what_is_written_is_written_again_the_same(self, value: Any) -> None:
        """Once it has been read: an empty text is <v/> both times."""
        written = entries(write_values(RICH, {("Model", "A2"): value}, never))
        for name, part in written.items():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                assert to_xml(parse_xml(part, name)) == part

    @given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
    def test_texts_come_back_the_same(self, value: str) -> None:
        data = write_values(RICH, {("Model", "A2"): value}, never)
        # openpyxl leaves Excel's codes for what XML cannot hold to the reader.
        read = opened(data, values=True)["Model"]["A2"].value
        assert unescape(read or "") == unescape(value) or "_x" in value
        assert stored(data, "A2")[0] == "str"

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("  lead and trail ", "  lead and trail "),
            ("line\r\nline", "line_x000D_\nline"),
            ("bell\a", "bell_x0007_"),
            ("_x000D_", "_x005F_x000D_"),
            ("_x00_", "_x00_"),
            ("\ud800", "_xD800_"),
            ("\ufffe", "_xFFFE_"),
            ("😀 <&> \"'", "😀 <&> \"'"),
            ("", ""),
        ],
    )
    def test_texts_that_need_care(self, value: str, text: str) -> None:
        data = write_values(RICH, {("Model", "A2"): value}, never)
        assert stored(data, "A2") == ("str", text)
        preserved = b'xml:space="preserve"' in entries(data)["xl/worksheets/sheet1.xml"]
        assert preserved == (text != text.strip())


class TestSpills:
    def test_the_array_is_dynamic_and_all_its_values_are_there(self) -> None:
        data = write_values(grid(), {("Model", "D1"): TWO}, spills)
        assert formula(data, "D1") == {"t": "array", "ref": "D1:E2", "cm": "1"}
        sheet = opened(data, values=True)["Model"]
        assert [[c.value for c in row] for row in sheet["D1:E2"]] == TWO
        assert sheet.dimensions == "A1:E2"
        parts = entries(data)
        assert b"dynamicArrayProperties" in parts["xl/metadata.xml"]
        assert b"/xl/metadata.xml" in parts["[Content_Types].xml"]
        assert b"sheetMetadata" in parts["xl/_rels/workbook.xml.rels"]

    def test_no_metadata_where_nothing_spills(self) -> None:
        assert "xl/metadata.xml" not in entries(write_values(RICH, RICH_VALUES, spills))

    def test_an_old_array_formula_stays_one_and_fills_its_cells(self) -> None:
        values = {("Model", "D1"): [[1.0, 2.0]]}
        data = write_values(grid(text="=A1:B1*2"), values, spills)
        assert formula(data, "D1") == {"t": "array", "ref": "D1:E3"}
        assert [stored(data, cell)[1] for cell in ("D1", "E1", "D3", "E3")] == ["1", "2", "1", "2"]
        data = write_values(data, {("Model", "D1"): [[1.0, 2.0], [3.0, 4.0]]}, spills)
        assert stored(data, "E3") == ("e", "#N/A")

    def test_a_plain_formula_of_ours_spills_too(self) -> None:
        def fill(_: Workbook, sheet: Worksheet) -> None:
            sheet["D1"] = "=SPILL()"

        data = write_values(package(fill), {("Model", "D1"): TWO}, spills)
        assert formula(data, "D1") == {"t": "array", "ref": "D1:E2", "cm": "1"}

    def test_one_cell_cannot_show_an_array(self) -> None:
        data = write_values(RICH, {("Model", "A2"): TWO}, spills)
        assert stored(data, "A2") == ("e", "#VALUE!")
        assert formula(data, "A2") == {}

    def test_shrinking_leaves_nothing_behind_but_the_style(self) -> None:
        data = write_values(grid(), {("Model", "D1"): [*TWO, ["c", 3.0]]}, spills)
        book = opened(data)
        book["Model"]["E3"].font = Font(bold=True)
        data = write_values(saved(book), {("Model", "D1"): TWO[:1]}, spills)
        assert formula(data, "D1")["ref"] == "D1:E1"
        assert stored(data, "D2") == stored(data, "E3") == (None, None)
        assert opened(data)["Model"]["E3"].font.bold

    def test_growing_keeps_the_order_of_rows_and_cells(self) -> None:
        def fill(_: Workbook, sheet: Worksheet) -> None:
            sheet["B2"] = ArrayFormula("B2", "=SPILL()")
            sheet["A3"] = "left"
            sheet["D3"] = "right"
            sheet["A9"] = "below"

        data = write_values(package(fill), {("Model", "B2"): [[1.0, 2.0]] * 5}, spills)
        assert list(raw(data)) == [
            "B2",
            "C2",
            "A3",
            "B3",
            "C3",
            "D3",
            "B4",
            "C4",
            "B5",
            "C5",
            "B6",
            "C6",
            "A9",
        ]

    @pytest.mark.parametrize("obstacle", ["constant", "formula", "merged", "edge"])
    def test_a_blocked_spill_destroys_nothing(self, obstacle: str) -> None:
        at = "XFD1" if obstacle == "edge" else "D1"

        def fill(_: Workbook, sheet: Worksheet) -> None:
            sheet[at] = ArrayFormula(at, "=SPILL()")
            if obstacle == "merged":
                sheet.merge_cells("E2:F2")
            else:
                sheet["E2"] = "mine" if obstacle == "constant" else "=1+1"

        data = write_values(package(fill), {("Model", at): TWO, ("Model", "E2"): 2.0}, spills)
        assert stored(data, at) == ("e", "#VALUE!")  # as Excel stores #SPILL!
        assert formula(data, at)["ref"] == at
        assert opened(data)["Model"]["E2"].value in ("mine", "=1+1", None)

    def test_one_array_grows_into_what_another_leaves(self) -> None:
        def fill(_: Workbook, sheet: Worksheet) -> None:
            sheet["A1"] = ArrayFormula("A1", "=SPILL(1)")
            sheet["A3"] = ArrayFormula("A3:B4", "=SPILL(2)")

        data = write_values(package(fill), {("Model", "A3"): TWO}, spills)
        data = write_values(data, {("Model", "A1"): [[1.0] * 3] * 2, ("Model", "A3"): 5.0}, spills)
        assert stored(data, "C2") == (None, "1")
        assert stored(data, "B4") == (None, None)

    def test_clearing_takes_only_the_spilled_values(self) -> None:
        data = write_values(grid(), {("Model", "D1"): TWO}, spills)
        cleared = clear_spills(saved(opened(data)))
        assert "D2" not in raw(cleared)
        assert opened(cleared)["Model"]["A1"].value == 1
        assert formula(cleared, "D1")["ref"] == "D1:E2"

    def test_metadata_of_rich_values_gains_the_mark(self) -> None:
        other = (
            f'<metadata xmlns="{NAMESPACE}"><metadataTypes count="1"><metadataType '
            'name="XLRICHVALUE"/></metadataTypes><futureMetadata name="XLRICHVALUE" count="0"/>'
            '<valueMetadata count="0"/></metadata>'
        )
        data = write_values(grid(), {("Model", "D1"): TWO}, spills)
        data = with_entries(data, **{"xl/metadata.xml": other.encode()})
        book = with_entries(
            data,
            sheet1=entries(data)["xl/worksheets/sheet1.xml"].replace(b' cm="1"', b""),
        )
        written = write_values(book, {("Model", "D1"): TWO}, spills)
        text = entries(written)["xl/metadata.xml"].decode()
        assert formula(written, "D1")["cm"] == "1"
        assert '<rc t="2" v="0"/>' in text
        order = ["metadataTypes", "XLRICHVALUE", "XLDAPR", "<cellMetadata", "<valueMetadata"]
        assert [text.index(word) for word in order] == sorted(text.index(word) for word in order)
        assert write_values(written, {("Model", "D1"): TWO}, spills) == written

    @pytest.mark.parametrize("rows", [[], [[]], [[1.0], [1.0, 2.0]]])
    def test_a_ragged_array_is_refused(self, rows: Any) -> None:
        with pytest.raises(ValueError, match="rows of one length"):
            write_values(grid(), {("Model", "D1"): rows}, spills)


class TestBytes:
    def test_what_is_not_touched_keeps_its_bytes(self) -> None:
        before, after = entries(RICH), entries(write_values(RICH, RICH_VALUES, never))
        changed = {name for name in before if before[name] != after[name]}
        chart = "xl/charts/chart1.xml"
        assert changed == {"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", chart}
        assert "xl/styles.xml" in before

    def test_a_chart_carries_the_values_of_its_cells_and_nothing_else_of_it_changes(self) -> None:
        part, cache = "xl/charts/chart1.xml", rb"<(?:c:)?numCache>.*?</(?:c:)?numCache>"
        before, after = entries(RICH)[part], entries(write_values(RICH, RICH_VALUES, never))[part]
        bare = [etree.canonicalize(re.sub(cache, b"", chart).decode()) for chart in (before, after)]
        assert bare[0] == bare[1]
        carried = re.findall(rb"<(?:c:)?v>([^<]*)</", after)
        assert [float(value) for value in carried] == [2, RICH_VALUES["Model", "A2"]]

    def test_same_content_same_bytes(self) -> None:
        shuffled = zipped(dict(reversed(entries(RICH).items())))
        assert normalise(shuffled, MOMENT) == normalise(RICH, MOMENT)
        assert normalise(normalise(RICH, MOMENT), MOMENT) == normalise(RICH, MOMENT)
        written = write_values(RICH, RICH_VALUES, never)
        assert write_values(written, RICH_VALUES, never) == written

    def test_order_and_times_of_the_entries(self) -> None:
        with zipfile.ZipFile(io.BytesIO(normalise(RICH))) as archive:
            infos = archive.infolist()
        names = [info.filename for info in infos]
        assert names[:2] == ["[Content_Types].xml", "_rels/.rels"]
        assert names[2:] == sorted(names[2:])
        assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}

    def test_the_moment_of_making(self, monkeypatch: pytest.MonkeyPatch) -> None:
        book = opened(normalise(RICH, MOMENT))
        assert book.properties.created == book.properties.modified == MOMENT.replace(tzinfo=None)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(MOMENT.timestamp())))
        assert normalise(RICH) == normalise(RICH, MOMENT)
        monkeypatch.delenv("SOURCE_DATE_EPOCH")
        assert entries(normalise(RICH)) == entries(RICH)


def with_doctype() -> bytes:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    return with_entries(RICH, workbook=bomb + entries(RICH)["xl/workbook.xml"])


def zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(9):
            archive.writestr(f"{number}", bytes(2**26))
    return buffer.getvalue()


def encrypted_entry() -> bytes:
    data = bytearray(RICH)
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


HOSTILE = {
    "empty": lambda: b"",
    "text": lambda: b"costs;1;2",
    "old or encrypted workbook": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
    "truncated": lambda: RICH[: len(RICH) // 2],
    "damaged": lambda: RICH[:200] + bytes(400) + RICH[600:],
    "no workbook": lambda: zipped({"a.txt": b"a"}),
    "no sheet": lambda: zipped(
        {n: c for n, c in entries(RICH).items() if n != "xl/worksheets/sheet1.xml"}
    ),
    "document type": with_doctype,
    "malformed": lambda: with_entries(RICH, sheet1=b"<worksheet"),
    "no sheet data": lambda: with_entries(RICH, sheet1=b"<worksheet/>"),
    "strict": lambda: with_entries(RICH, workbook=b'<workbook xmlns="http://purl.oclc.org/x"/>'),
    "bomb": zip_bomb,
    "encrypted entry": encrypted_entry,
    "endless array": lambda: grid("D1:XFD1048576"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence(name: str) -> None:
    data = HOSTILE[name]()
    with pytest.raises(PackageError) as refusal:
        clear_spills(data)
    assert isinstance(refusal.value, TcoError)
    assert isinstance(refusal.value, ValueError)
    assert "\n" not in str(refusal.value)


def test_libreoffice_opens_the_finished_file(
    libreoffice_viewer: LibreOffice, tmp_path: Path
) -> None:
    def fill(book: Workbook, sheet: Worksheet) -> None:
        rich(book, sheet)
        # LibreOffice always calculates arrays itself, whatever values they carry.
        sheet["J1"] = ArrayFormula("J1", "=A1:A2*{1,2}")

    def is_native_spill(text: str) -> bool:
        return text.startswith("A1:A2")

    rows = [[2.0, 4.0], [4.0, 8.0]]
    values = {**RICH_VALUES, ("Model", "J1"): rows}
    path = tmp_path / "finished.xlsx"
    path.write_bytes(write_values(package(fill), values, is_native_spill))
    (book,) = libreoffice_viewer.recalculated([path])
    sheet = book["Model"]
    assert [sheet[f"A{row}"].value for row in (2, 3, 4, 5)] == [4, True, "a 2", "#DIV/0!"]
    assert [[cell.value for cell in row] for row in sheet["J1:K2"]] == rows
    assert book["O'Brien & ümlaut 表"]["B2"].value == 4
    (pdf,) = libreoffice_viewer.to_pdf([path], tmp_path / "pdf")
    assert pdf.read_bytes().startswith(b"%PDF")

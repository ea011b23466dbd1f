"""What a workbook keeps when LibreOffice opens it and saves it again as .xlsx, and what it loses.

Each test says one thing that must come through, or names what does not: `docs/libreoffice.md` has
the same as a table. The office is one without the extension, that shows the values a file carries;
with the extension the functions calculate (`test_host_libreoffice`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl.cell import Cell
from openpyxl.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

import xl_tco
from books import entries, opened
from libreoffice import OFFICES, LibreOffice, close, require_libreoffice
from xl_tco.workbook import check_package, recalculated, scenario_in, workbook_bytes

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
RUN = LLAMA.replace(
    mfu={"low": 0.35, "mode": 0.41, "high": 0.45},
    staff_fte={"distribution": "normal", "mean": 50, "sd": 6},
    correlations=[["mfu", "staff_fte", 0.3]],
    currency="TWD",
    currency_per_usd=31.5,
    currency_date="2026-11-30",
)
BOOKS = {"functions": ("functions", "en"), "native": ("native", "en"), "zh-TW": ("native", "zh-TW")}
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
"""openpyxl names the extensions of LibreOffice's own file that it leaves out."""


@dataclass(frozen=True)
class Trip:
    """A workbook, and what an office made of it."""

    kind: str
    sent: bytes
    back: bytes

    @cached_property
    def before(self) -> Workbook:
        return opened(self.sent)

    @cached_property
    def after(self) -> Workbook:
        return opened(self.back)

    @cached_property
    def sheets(self) -> list[tuple[Worksheet, Worksheet]]:
        return [(self.before[name], self.after[name]) for name in self.before.sheetnames]

    @cached_property
    def cells(self) -> list[tuple[Cell, Cell]]:
        """Every cell that holds something, before and after."""
        return [
            (cell, after[cell.coordinate])
            for before, after in self.sheets
            for row in before.iter_rows()
            for cell in row
            if cell.value is not None
        ]

    @property
    def has_functions(self) -> bool:
        return self.kind == "functions"

    @property
    def release(self) -> int:
        """The office's, as a number: 7 of 7.4, 25 of 25.2."""
        said = re.search(rb"LibreOffice/(\d+)\.", entries(self.back)["docProps/app.xml"])
        assert said
        return int(said[1])


@pytest.fixture(scope="module", params=OFFICES)
def trips(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Trip]:
    require_libreoffice()
    made = tmp_path_factory.mktemp("resaved")
    office = LibreOffice(made / "profile", recalculate=False, soffice=OFFICES[request.param])
    sent = {kind: workbook_bytes(RUN, *how) for kind, how in BOOKS.items()}
    paths = [made / f"{kind}.xlsx" for kind in sent]
    for path, package in zip(paths, sent.values(), strict=True):
        path.write_bytes(package)
    back = office.resaved(paths)
    return [Trip(kind, sent[kind], package) for kind, package in zip(sent, back, strict=True)]


@pytest.fixture(params=range(len(BOOKS)), ids=list(BOOKS))
def trip(request: pytest.FixtureRequest, trips: list[Trip]) -> Trip:
    return trips[request.param]


# Values and formulas


def text(cell: Cell) -> str:
    """A formula, of one cell or of an array."""
    return str(getattr(cell.value, "text", cell.value))


def respelt(formula: str) -> str:
    """A formula as LibreOffice writes it.

    A function that it does not know is in small letters, which Excel reads as well; FALSE is a
    function; the sheet of a range is said once.
    """
    formula = re.sub(r"\bTCO_\w+(?=\()", lambda name: name[0].lower(), formula)
    formula = re.sub(r"\bFALSE\b(?!\()", "FALSE()", formula)
    return re.sub(r"(\b\w+!)(\$?[A-Z]+\$?\d+):\1", r"\1\2:", formula)


def test_every_formula_is_kept(trip: Trip) -> None:
    formulas = [(a, b) for a, b in trip.cells if a.data_type == "f"]
    assert len(formulas) > 5000
    for before, after in formulas:
        assert after.data_type == "f", before.coordinate
        assert text(after) == respelt(text(before)), (before.parent.title, before.coordinate)
    count = sum(c.data_type == "f" for s in trip.after for row in s.iter_rows() for c in row)
    assert count == len(formulas)


def test_every_value_is_kept_but_what_libreoffice_calculates_at_once(trip: Trip) -> None:
    """That is an array, and what carries an empty text: it has no function of ours for them."""
    before, after = opened(trip.sent, values=True), opened(trip.back, values=True)
    lost = {}
    for sheet in before:
        for row in sheet.iter_rows():
            for cell in row:
                there = after[sheet.title][cell.coordinate].value
                if not close(cell.value, there, rel=1e-14, absolute=1e-15):
                    lost[sheet.title, cell.coordinate] = (cell.value, there)
    if trip.has_functions:
        (block,) = arrays(trip.before)
        for row in block.parent[block.value.ref]:
            for cell in row:
                assert lost.pop(("Calc", cell.coordinate))[1] == "#NAME?"
        assert {sheet for sheet, _ in lost} == {"Claims"}
        assert {*lost.values()} == {(None, "#NAME?")}
    else:
        assert not lost


def arrays(book: Workbook) -> list[Cell]:
    """Cells with a formula for several."""
    return [
        cell
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, ArrayFormula)
    ]


def test_the_array_that_spills_is_one_of_the_same_cells(trip: Trip) -> None:
    """Lost is that it is a dynamic one: in Excel it then stands in braces, and does not grow."""
    before, after = arrays(trip.before), arrays(trip.after)
    assert len(before) == trip.has_functions
    assert [(c.coordinate, c.value.ref) for c in after] == [
        (c.coordinate, c.value.ref) for c in before
    ]
    assert ("xl/metadata.xml" in entries(trip.sent)) == trip.has_functions
    assert "xl/metadata.xml" not in entries(trip.back)


def test_recalculation_gives_the_values_of_the_functions_back(trip: Trip) -> None:
    package, done = recalculated(trip.back)
    assert not done.errors
    assert done.failing == 0
    before, after = opened(trip.sent, values=True), opened(package, values=True)
    for cell, _ in trip.cells:
        value = before[cell.parent.title][cell.coordinate].value
        again = after[cell.parent.title][cell.coordinate].value
        assert close(value, again, rel=1e-12, absolute=1e-14), (cell.parent.title, cell.coordinate)


def test_it_is_read_as_the_same_scenario(trip: Trip) -> None:
    assert scenario_in(trip.back) == scenario_in(trip.sent)


def test_the_findings_are_those_of_what_is_lost(trip: Trip) -> None:
    found = {finding.rule for finding in check_package(trip.back)}
    panes = {"M03", "M11"} if trip.release < 25 else set()
    assert found == panes | ({"V02"} if trip.has_functions else set())


# Names, validations, links


def test_sheets_and_names_are_kept(trip: Trip) -> None:
    assert trip.after.sheetnames == trip.before.sheetnames
    names = [
        {name: defined.attr_text.replace("'", "") for name, defined in book.defined_names.items()}
        for book in (trip.before, trip.after)
    ]
    assert names[0] == names[1]
    assert all(after.sheet_state == "visible" for _, after in trip.sheets)


def validations(sheet: Worksheet) -> dict[str, Any]:
    """What each cell allows, and what it says; numbers as numbers."""
    found = {}
    for rule in sheet.data_validations.dataValidation:
        ends: list[float | str | None] = []
        for end in (rule.formula1, rule.formula2):
            try:
                ends.append(float(end))
            except (TypeError, ValueError):
                ends.append(end)
        if rule.type in ("list", "textLength"):
            del ends[1]  # LibreOffice writes a 0 that nothing reads
        messages = (rule.promptTitle, rule.prompt, rule.errorTitle, rule.error)
        how = (rule.allow_blank, rule.showInputMessage, rule.showErrorMessage)
        rule_of = (rule.type, rule.operator or "between", *ends, *messages, *how)
        for area in rule.sqref.ranges:
            for row, column in area.cells:
                found[row, column] = (*rule_of, rule.errorStyle or "stop")
    return found


def test_validations_and_their_messages_are_kept(trip: Trip) -> None:
    count = 0
    for before, after in trip.sheets:
        assert validations(after) == validations(before), before.title
        count += len(validations(before))
    assert count > 400


def test_links_are_kept(trip: Trip) -> None:
    count = 0
    for before, after in trip.sheets:
        links = [
            [
                (link.ref, link.location, link.target)
                for row in sheet.iter_rows()
                for cell in row
                if (link := cell.hyperlink)
            ]
            for sheet in (before, after)
        ]
        assert links[0] == links[1]
        count += len(links[0])
    assert count >= len(trip.before.sheetnames) - 1


# What is seen


def colour(cell: Cell) -> str | None:
    return str(cell.font.color.rgb)[-6:] if cell.font.color else None


def fill(cell: Cell) -> str | None:
    return str(cell.fill.fgColor.rgb)[-6:] if cell.fill.fill_type else None


def test_colours_fonts_and_locks_are_kept(trip: Trip) -> None:
    seen = set()
    for before, after in trip.cells:
        where = (before.parent.title, before.coordinate)
        seen.add(colour(before))
        if colour(before) not in (None, "000000"):
            assert colour(after) == colour(before), where
        assert fill(after) == fill(before), where
        assert after.font.b == before.font.b, where
        assert after.font.sz == before.font.sz, where
        assert after.protection.locked == before.protection.locked, where
        assert bool(after.alignment.wrap_text) == bool(before.alignment.wrap_text), where
        sides = [cell.alignment.horizontal or "general" for cell in (before, after)]
        assert sides[0] == sides[1], where
    assert {"0000FF", "00703C"} <= seen


def test_the_font_of_latin_letters_is_kept(trip: Trip) -> None:
    """A Chinese font is kept where it is installed; elsewhere LibreOffice names one of its own."""
    if trip.kind != "zh-TW":
        assert {after.font.name for _, after in trip.cells} == {"Arial"}


def test_cell_styles_are_kept_by_name(trip: Trip) -> None:
    names = [
        {
            style.get("name")
            for style in etree.fromstring(entries(package)["xl/styles.xml"]).iter(
                f"{MAIN}cellStyle"
            )
            if style.get("name").startswith("TCO ")
        }
        for package in (trip.sent, trip.back)
    ]
    assert names[0] == names[1]
    assert "TCO input" in names[0]


def test_number_formats_are_kept(trip: Trip) -> None:
    """LibreOffice writes a literal - or + with a backslash."""
    for before, after in trip.cells:
        shown = re.sub(r"\\([-+])", r"\1", after.number_format)
        assert shown == before.number_format, (before.parent.title, before.coordinate)


def widths(sheet: Worksheet) -> dict[int, float]:
    return {
        number: column.width
        for column in sheet.column_dimensions.values()
        for number in range(column.min or 0, (column.max or 0) + 1)
    }


def test_widths_and_heights_are_kept(trip: Trip) -> None:
    """To half a unit: LibreOffice counts in pixels."""
    for before, after in trip.sheets:
        there = widths(after)
        for number, width in widths(before).items():
            assert there[number] == pytest.approx(width, abs=0.5), (before.title, number)
        heights = {n: row.height for n, row in before.row_dimensions.items() if row.height}
        for number, height in heights.items():
            found = after.row_dimensions[number].height
            assert found == pytest.approx(height, abs=0.6), (before.title, number)


def test_panes_and_grid_lines_are_kept_by_newer_offices(trip: Trip) -> None:
    """LibreOffice 7.4 loses them where it has no window, as here; with one it keeps them."""
    for before, after in trip.sheets:
        views = [
            (sheet.freeze_panes, sheet.sheet_view.showGridLines is not False)
            for sheet in (before, after)
        ]
        assert views[0][0] is not None
        lost = (None, True)
        assert views[1] == (views[0] if trip.release >= 25 else lost), before.title


def test_protection_without_a_password_is_kept(trip: Trip) -> None:
    for before, after in trip.sheets:
        assert before.protection.sheet
        assert after.protection.sheet, before.title
        assert not after.protection.password


def conditions(sheet: Worksheet) -> list[Any]:
    return sorted(
        (str(area.sqref), rule.type, tuple(rule.formula), str(rule.dxf.font.color.rgb)[-6:])
        for area, rules in sheet.conditional_formatting._cf_rules.items()
        for rule in rules
    )


def test_conditional_formats_are_kept(trip: Trip) -> None:
    for before, after in trip.sheets:
        assert conditions(before)
        assert conditions(after) == conditions(before), before.title


def prints(sheet: Worksheet) -> tuple[Any, ...]:
    page, margins, foot = sheet.page_setup, sheet.page_margins, sheet.oddFooter
    return (
        str(sheet.print_area),
        (sheet.print_title_rows, sheet.print_title_cols),
        sheet.sheet_properties.pageSetUpPr.fitToPage,
        (page.fitToWidth, page.fitToHeight, page.orientation, str(page.paperSize)),
        [round(getattr(margins, side), 2) for side in ("left", "right", "top", "bottom")],
        [part.text for part in (foot.left, foot.center, foot.right)],
    )


def test_the_print_set_up_is_kept(trip: Trip) -> None:
    for before, after in trip.sheets:
        assert prints(after) == prints(before), before.title


def test_the_properties_of_the_document_are_kept(trip: Trip) -> None:
    before, after = (book.properties for book in (trip.before, trip.after))
    for name in ("title", "creator", "created"):
        assert getattr(after, name) == getattr(before, name)


# Charts


def charts(package: bytes) -> Iterator[etree._Element]:
    """The charts of a package, in the order of their numbers."""
    parts = {
        int(match[1]): content
        for part, content in entries(package).items()
        if (match := re.fullmatch(r"xl/charts/chart(\d+)\.xml", part))
    }
    for number in sorted(parts):
        yield etree.fromstring(parts[number])


def drawn(chart: etree._Element) -> list[list[str]]:
    """The cells of each series: its name, its categories or places, its values."""
    return [
        [str(cells.text).replace("'", "") for cells in series.iter(f"{CHART}f")]
        for series in chart.iter(f"{CHART}ser")
    ]


def shown(title: etree._Element) -> str:
    """The text of a title, typed in or from a cell."""
    return "".join(
        str(piece.text)
        for piece in title.iter(
            "{http://schemas.openxmlformats.org/drawingml/2006/main}t", f"{CHART}v"
        )
    )


def test_charts_and_the_cells_they_draw_are_kept(trip: Trip) -> None:
    before, after = (list(charts(package)) for package in (trip.sent, trip.back))
    assert len(after) == len(before) >= 9
    assert sorted(map(drawn, after)) == sorted(map(drawn, before))
    for kind in ("barChart", "areaChart", "scatterChart", "lineChart"):
        counts = [sum(len(list(c.iter(CHART + kind))) for c in side) for side in (before, after)]
        assert counts[0] == counts[1]


def titles(package: bytes) -> list[etree._Element]:
    return [title for chart in charts(package) for title in chart.iter(f"{CHART}title")]


def test_titles_of_charts_are_kept_as_texts_and_no_longer_follow_their_cells(trip: Trip) -> None:
    before, after = titles(trip.sent), titles(trip.back)
    assert sorted(map(shown, after)) == sorted(map(shown, before))
    assert all(len(list(title.iter(f"{CHART}f"))) == 1 for title in before)
    assert not any(list(title.iter(f"{CHART}f")) for title in after)

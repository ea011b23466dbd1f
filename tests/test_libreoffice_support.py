"""The oracle itself: that it recalculates, that it can fail, and that pictures are pictures."""

import datetime as dt
import re
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

import libreoffice as support
import pictures
from libreoffice import LibreOffice, LibreOfficeError, close, is_blank

SHEET = "xl/worksheets/sheet1.xml"


def workbook(path: Path, cells: dict[str, object], font: Font | None = None) -> Path:
    book = Workbook()
    for place, value in cells.items():
        cell = book.worksheets[0][place]
        cell.value = value
        if font is not None:
            cell.font = font
    book.save(path)
    return path


def with_planted_value(path: Path, formula: str, value: str) -> Path:
    """Put a carried value beside a formula of a finished package, as a finishing pass would."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    planted, count = re.subn(
        rf"<f>{re.escape(formula)}</f><v\s*/?>(</v>)?",
        f"<f>{formula}</f><v>{value}</v>",
        parts[SHEET].decode(),
    )
    assert count == 1
    parts[SHEET] = planted.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """Carry 3 as the value of =1+1."""
    return with_planted_value(workbook(tmp_path / "wrong.xlsx", {"A1": "=1+1"}), "1+1", "3")


def test_a_wrong_carried_value_is_replaced(libreoffice: LibreOffice, wrong: Path) -> None:
    (book,) = libreoffice.recalculated([wrong])
    assert book.worksheets[0]["A1"].value == 2


def test_trap_a_plain_profile_keeps_the_wrong_value(
    libreoffice: LibreOffice, tmp_path: Path, wrong: Path
) -> None:
    trusting = LibreOffice(tmp_path / "profile with a space", recalculate=False)
    (book,) = trusting.recalculated([wrong])
    assert book.worksheets[0]["A1"].value == 3


def test_many_files_keep_their_order_and_may_share_a_name(
    libreoffice: LibreOffice, tmp_path: Path
) -> None:
    paths = []
    for n in range(12):
        (tmp_path / f"d{n}").mkdir()
        paths.append(workbook(tmp_path / f"d{n}" / "同名 book.xlsx", {"A1": n, "A2": "=A1*10"}))
    books = libreoffice.recalculated(paths)
    assert [book.worksheets[0]["A2"].value for book in books] == [10 * n for n in range(12)]
    assert libreoffice.recalculated([]) == []


def test_values_of_each_kind_come_back(libreoffice: LibreOffice, tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "kinds.xlsx",
        {
            "A1": '="a"&"b"',
            "A2": "=1=1",
            "A3": "=1/0",
            "A4": '="a"*1',
            "A5": '=""',
            "A6": "=1/3",
            "A7": "=TCO_FLOPS(1,2)",
            "A8": dt.datetime(2025, 3, 1),
            "A9": '="abc"=1',
        },
    )
    (book,) = libreoffice.recalculated([path])
    sheet = book.worksheets[0]
    expected = ["ab", True, "#DIV/0!", "#VALUE!", "", 1 / 3, "#NAME?", dt.date(2025, 3, 1), False]
    found = [sheet.cell(row, 1).value for row in range(1, 10)]
    assert [close(a, b) for a, b in zip(found, expected, strict=True)] == [True] * 9, found


def test_a_file_without_a_result_is_named(libreoffice: LibreOffice, tmp_path: Path) -> None:
    good = workbook(tmp_path / "good.xlsx", {"A1": 1})
    bad = tmp_path / "bad.xlsx"
    bad.write_bytes(good.read_bytes()[:400])
    with pytest.raises(
        LibreOfficeError, match=r"no xlsx of .*bad\.xlsx; soffice said:(?s:.*)\(exit"
    ) as e:
        libreoffice.recalculated([bad, good])
    assert "good.xlsx" not in str(e.value)


def test_a_hanging_program_is_ended() -> None:
    with pytest.raises(LibreOfficeError, match=r"did not end in 0\.2 s; it said:\nwaiting"):
        support._run(["sh", "-c", "echo waiting >&2; sleep 60 & wait"], 0.2)


@pytest.mark.parametrize(("required", "outcome"), [("1", "Failed"), ("0", "Skipped")])
@pytest.mark.parametrize(
    ("program", "require"),
    [("SOFFICE", support.require_libreoffice), ("PDFTOPPM", support.require_pdftoppm)],
)
def test_a_missing_program_skips_or_fails(
    monkeypatch: pytest.MonkeyPatch, required: str, outcome: str, program: str, require: object
) -> None:
    monkeypatch.setattr(support, program, None)
    monkeypatch.setenv(support.REQUIRED, required)
    assert callable(require)
    with pytest.raises(BaseException, match="is not installed: apt-get install") as e:
        require()
    assert type(e.value).__name__ == outcome


def test_pictures_are_not_blank(
    libreoffice_viewer: LibreOffice, tmp_path: Path, wrong: Path
) -> None:
    stale = tmp_path / "wrong-page-07.png"
    stale.touch()
    pages = libreoffice_viewer.to_pictures(wrong, tmp_path, dpi=40)
    assert pages == [tmp_path / "wrong-page-01.png"]
    assert pages[0].read_bytes().startswith(b"\x89PNG")
    assert not is_blank(pages[0])
    assert not stale.exists()


def test_a_blank_picture_is_known(libreoffice_viewer: LibreOffice, tmp_path: Path) -> None:
    white = workbook(tmp_path / "white.xlsx", {"A1": "unseen"}, Font(color="FFFFFFFF"))
    (page,) = libreoffice_viewer.to_pictures(white, tmp_path, dpi=40)
    assert is_blank(page)


def test_pages_are_in_order(libreoffice_viewer: LibreOffice, tmp_path: Path) -> None:
    long = workbook(tmp_path / "long.xlsx", {f"A{n}": n for n in range(1, 600, 5)})
    pages = libreoffice_viewer.to_pictures(long, tmp_path / "new" / "pages", dpi=20)
    assert len(pages) > 9
    assert pages == sorted(pages)


def test_pdf_takes_the_workbooks_name(libreoffice: LibreOffice, tmp_path: Path) -> None:
    first, second = (workbook(tmp_path / f"{n}.xlsx", {"A1": n}) for n in ("x", "y"))
    pdfs = libreoffice.to_pdf([first, second], tmp_path / "pdf")
    assert pdfs == [tmp_path / "pdf" / "x.pdf", tmp_path / "pdf" / "y.pdf"]
    assert all(pdf.read_bytes().startswith(b"%PDF") for pdf in pdfs)
    with pytest.raises(ValueError, match="same name"):
        libreoffice.to_pdf([first, first], tmp_path)


def test_the_script_prints_its_pages(
    libreoffice_viewer: LibreOffice,
    tmp_path: Path,
    wrong: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert pictures.main([str(wrong), str(tmp_path / "out"), "--dpi", "20"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'wrong-page-01.png'}\n"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (None, "", True),
        (None, None, True),
        (None, 0, False),
        ("", 0, False),
        (1, 1.0, True),
        (1e-30, 1.0000000001e-30, True),
        (1e-30, 1.00000001e-30, False),
        (0, 1e-18, False),
        ("a", "A", False),
        ("1", 1, False),
        (True, True, True),
        (True, False, False),
        (True, 1, False),
        (0, False, False),
        ("#VALUE!", "#VALUE!", True),
        ("#VALUE!", "#DIV/0!", False),
        ("#VALUE!", 0, False),
        (dt.date(2025, 3, 1), dt.datetime(2025, 3, 1), True),
        (dt.date(2025, 3, 1), 45717, True),
        (dt.date(2025, 3, 1), "2025-03-01", False),
        (float("nan"), float("nan"), False),
    ],
)
def test_close(a: object, b: object, same: bool) -> None:
    assert close(a, b) is same
    assert close(b, a) is same


def test_close_takes_its_tolerances() -> None:
    assert close(100, 101, rel=0.01)
    assert close(0, 1e-18, absolute=1e-15)

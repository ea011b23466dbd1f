"""The commands that bring the functions to a spreadsheet: what they write, and how they refuse."""

import io
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest

import xl_tco
from test_cli import EXAMPLE, edit, fails, listing, run
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.intellisense import intellisense_xml
from xl_tco.hosts.libreoffice import extension_bytes, programmatic_name
from xl_tco.hosts.lite import lite_main, lite_requirements
from xl_tco.hosts.vba import vba_module


def written(process: object, path: Path) -> bytes:
    assert getattr(process, "returncode") == 0, process  # noqa: B009 - any process
    assert f"wrote {path}" in getattr(process, "stderr")  # noqa: B009
    return path.read_bytes()


def test_vba_has_the_line_ends_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "tco.bas"
    content = written(run("vba", "-o", path), path)
    assert content.decode("cp1252") == vba_module()
    assert content.count(b"\n") == content.count(b"\r\n") > 100


def test_libreoffice(tmp_path: Path) -> None:
    path = tmp_path / "xl-tco.oxt"
    assert written(run("libreoffice", "-o", path), path) == extension_bytes()


def test_intellisense(tmp_path: Path) -> None:
    path = tmp_path / "model.intellisense.xml"
    assert written(run("intellisense", "-o", path), path).decode() == intellisense_xml()


def test_lite_writes_two_files_or_none(tmp_path: Path) -> None:
    folder = tmp_path / "lite"
    process = run("lite", "-o", folder)
    assert process.returncode == 0, process.stderr
    assert (folder / "main.py").read_text(encoding="utf-8") == lite_main()
    assert (folder / "requirements.txt").read_text(encoding="utf-8") == lite_requirements()
    (folder / "main.py").write_text("mine", encoding="utf-8")
    (folder / "requirements.txt").unlink()
    fails(run("lite", "-o", folder), 1, "main.py")
    assert listing(folder) == {"main.py"}
    assert (folder / "main.py").read_text(encoding="utf-8") == "mine"
    fails(run("lite", "-o", folder, "--force", "--wheel", "http://x"), 2, "https://")


def test_functions_are_listed_and_explained() -> None:
    text = run("functions").stdout
    assert all(name in text for name in FUNCTIONS)
    page = run("functions", "tco_mtbf").stdout
    assert "=TCO_MTBF(accelerators, accelerator_mtbf_hours)" in page
    told = json.loads(run("functions", "--json").stdout)
    assert list(told) == list(FUNCTIONS)
    assert told["TCO_MTBF"]["arguments"][0]["name"] == "accelerators"
    fails(run("functions", "TCO_MTBV"), 2, 'did you mean "TCO_MTBF"')


@pytest.mark.parametrize("command", [["template", "--macro"], ["build", EXAMPLE]])
def test_a_workbook_with_macros(tmp_path: Path, command: list[object]) -> None:
    path = tmp_path / "model.xlsm"
    content = written(run(*command, "-o", path), path)
    assert "xl/vbaProject.bin" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    book = openpyxl.load_workbook(io.BytesIO(content), keep_vba=True)
    assert book.sheetnames[-1] == "xlwings.conf"
    assert run("check", path).returncode == 0
    assert run("recalc", path).returncode == 0


def test_macros_need_a_name_that_says_so(tmp_path: Path) -> None:
    fails(run("template", "--macro", "-o", tmp_path / "model.xlsx"), 2, "ends in .xlsm")
    fails(run("vba", "-o", tmp_path / "tco.txt"), 2, "end it in .bas")
    assert listing(tmp_path) == set()


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("office-js", "_xldudf_TCO_TOTAL("),
        ("libreoffice", f"{programmatic_name('TCO_TOTAL')}("),
        ("excel", "TCO_TOTAL("),
    ],
)
def test_the_names_of_a_host(tmp_path: Path, host: str, name: str) -> None:
    path = tmp_path / "run.xlsx"
    content = written(run("build", EXAMPLE, "-o", path, "--host", host), path)
    calc = openpyxl.load_workbook(io.BytesIO(content))["Calc"]
    formulas = [str(cell.value) for row in calc.iter_rows() for cell in row]
    assert any(name in formula for formula in formulas)
    if host != "excel":
        assert not any("=TCO_" in formula for formula in formulas)
    edit(path, "mfu", 0.5)
    for command in ("recalc", "check"):  # in the names of the host, and it keeps them
        process = run(command, path)
        assert process.returncode == 0, process.stdout + process.stderr
    book = openpyxl.load_workbook(path)
    assert any(name in str(c.value) for row in book["Calc"].iter_rows() for c in row)
    carried = openpyxl.load_workbook(path, data_only=True)
    total = next(book.defined_names["total_usd"].destinations)[1].replace("$", "")
    wanted = xl_tco.evaluate(xl_tco.load_scenario(EXAMPLE).replace(mfu=0.5)).total_usd
    assert carried["Calc"][total].value == wanted


@pytest.mark.parametrize(
    "options", [["--host", "office-js"], ["--host", "libreoffice"], ["--formulas", "native"]]
)
def test_macros_where_nothing_calls_them_are_refused(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "model.xlsm"
    fails(run("template", "--macro", "-o", path, *options), 2, "needs no macros", "end it in .xlsx")
    fails(run("build", EXAMPLE, "-o", path, *options), 2, "needs no macros")
    assert listing(tmp_path) == set()

"""What people tripped over at the command line, each held to what it says now."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner, Result

import xl_tco
from xl_tco.cli import app
from xl_tco.errors import InputError
from xl_tco.fields import FIELDS
from xl_tco.reading import load_scenarios
from xl_tco.scenario import json_schema
from xl_tco.workbook import workbook_bytes

EXAMPLE = Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml"
RUN: dict[str, object] = {
    "name": "A run",
    "parameters": 7e9,
    "tokens": 2e12,
    "accelerator": "h100-sxm",
    "accelerators": 512,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """The workbook of the example, in a file."""
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook_bytes(xl_tco.load_scenario(EXAMPLE)))
    return path


def errors_after(path: Path, **cells: object) -> tuple[list[str], list[str]]:
    """Give cells of the log and inputs by name, recalculate: the errors told, and the rest."""
    workbook = openpyxl.load_workbook(path)
    for row in workbook["Inputs"].iter_rows(max_col=5):
        if row[2].value in cells:
            row[4].value = cells.pop(row[2].value)
    for address, formula in cells.items():
        workbook["Log"][address] = formula
    workbook.save(path)
    result = invoke("recalc", path)
    assert (result.exit_code, result.stdout) == (1, "")
    lines = result.stderr.splitlines()[1:]  # the first says what was written
    told = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return told, [line for line in lines if not line.startswith("error: ")]


# recalc -------------------------------------------------------------------------------------------


def test_recalc_tells_a_reason_once(book: Path) -> None:
    (fault, *told), rest = errors_after(book, tokens=-5, Z99="=1/0")
    assert "tokens" in fault
    assert "-5 is out of range" in fault
    reasons = [line.split(" ", 2)[2] for line in told]
    assert all(reason.startswith("TCO_") and "-5 is out of range" in reason for reason in reasons)
    assert len(set(reasons)) == len(reasons) <= 10
    values = openpyxl.load_workbook(book, data_only=True)
    cells = (cell for sheet in values for row in sheet for cell in row)
    bad = {f"{cell.parent.title}!{cell.coordinate}" for cell in cells if cell.data_type == "e"}
    assert {line.partition(": ")[0] for line in told} <= bad
    (line,) = rest
    assert line.endswith(" more cells show an error; most follow from these")
    assert int(line.split()[2].replace(",", "")) > 20


def test_recalc_tells_of_ten_cells_where_no_reason_is_ours(book: Path) -> None:
    told, rest = errors_after(book, **{f"Z{row}": "=1/0" for row in range(101, 113)})
    assert len(told) == 10
    assert told[0].startswith("Log!Z101: #DIV/0!")
    assert rest == ["… and 2 more cells show an error; most follow from these"]


def test_recalc_tells_of_every_kind_of_error(book: Path) -> None:
    told, _ = errors_after(book, Z101='=TCO_FLOPS("x",1)', Z102="=TCO_NOPE(1)")
    assert any("TCO_FLOPS" in line for line in told)
    assert any("Log!Z102: #NAME?" in line for line in told)


@pytest.mark.parametrize(("cells", "expected"), [(10, []), (11, ["… and 1 more cell shows"])])
def test_recalc_counts_what_is_left(book: Path, cells: int, expected: Sequence[str]) -> None:
    told, rest = errors_after(book, **{f"Z{row}": "=1/0" for row in range(101, 101 + cells)})
    assert len(told) == 10
    assert [line.partition(" an error")[0] for line in rest] == expected


# The names of workbooks ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out", "out.xls", "out.toml", "out.xlsx.zip", "xlsx"])
@pytest.mark.parametrize("command", ["build", "template", "recalc"])
def test_a_workbook_is_named_so(book: Path, command: str, name: str) -> None:
    sources = {"build": [EXAMPLE], "template": [], "recalc": [book]}
    output = book.parent / name
    output.write_bytes(b"precious")
    result = invoke(command, *sources[command], "-o", output, "--force")
    assert isinstance(result.exception, InputError)  # which `main` turns into an exit code of 2
    assert str(result.exception).endswith("; give a name that ends in .xlsx or .xlsm")
    assert output.read_bytes() == b"precious"


def test_the_case_of_the_ending_does_not_matter(tmp_path: Path) -> None:
    assert invoke("template", "-o", tmp_path / "OUT.XLSX").exit_code == 0


def test_recalc_in_place_takes_any_name(book: Path) -> None:
    other = book.rename(book.with_suffix(".backup"))
    assert invoke("recalc", other).exit_code == 0


# .csv ---------------------------------------------------------------------------------------------


def write_csv(folder: Path, *rows: dict[str, object], mark: str = ",", quote: str = "") -> Path:
    path = folder / "runs.csv"
    lines = [RUN.keys(), *((RUN | row).values() for row in rows)]
    text = "\n".join(mark.join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_comparison_says_what_rests_on_estimates(tmp_path: Path) -> None:
    result = invoke("evaluate", write_csv(tmp_path, {}, {"accelerators": 64}))
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [line[-1] for line in lines] == ["status", "estimate", "estimate"]


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize(("mark", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_one_fault(tmp_path: Path, mark: str, word: str, quote: str) -> None:
    path = write_csv(tmp_path, {"mfu": "0,4"}, {"mfu": "0,4"}, mark=mark, quote=quote)
    with pytest.raises(InputError) as caught:
        load_scenarios(path)
    message = f"its columns are separated by {word}; separate them by commas"
    assert str(caught.value) == f"{path}: file: {message}"


def test_semicolons_within_cells_are_text(tmp_path: Path) -> None:
    (scenario,) = load_scenarios(write_csv(tmp_path, {"name": "a; b\tc"}))
    assert scenario.name == "a; b\tc"


# The schema ---------------------------------------------------------------------------------------


def accepts(table: dict[str, Any]) -> bool:
    """Check a table against the schema by hand, as far as the schema goes."""
    schema = json_schema()
    for name, value in table.items():
        entry = schema["properties"].get(name)
        kind = {"number": int | float, "string": str}[_kinds(entry)[0]] if entry else ()
        if not isinstance(value, kind) or value not in entry.get("enum", [value]):
            return False
    branches = [set(branch["required"]) <= table.keys() for branch in schema["oneOf"]]
    return set(schema["required"]) <= table.keys() and sum(branches) == 1


def _kinds(entry: dict[str, Any]) -> list[str]:
    """What a field may be: a type, or for one that may be a range a type and a reference."""
    return [one.get("type", one.get("$ref")) for one in entry.get("anyOf", [entry])]


def test_the_schema_says_what_must_be_given() -> None:
    needed = ["parameters", "tokens", "accelerator", "accelerators", "procurement", "staff_fte"]
    assert json_schema()["required"] == needed
    assert accepts(RUN)
    assert all(not accepts({k: v for k, v in RUN.items() if k != name}) for name in needed)
    rest = {k: v for k, v in RUN.items() if k != "mfu"}
    assert accepts(rest | {"hfu": 0.5})
    assert not accepts(rest)
    assert not accepts(RUN | {"hfu": 0.5})
    for wrong in ({"mfu": "x"}, {"name": None}, {"tokenz": 1}, {"accelerator": "h100"}):
        assert not accepts(RUN | wrong)


def test_the_schema_says_number_or_range_or_string_under_the_label() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == {*FIELDS, "correlations", "cases", "case", "sources"}
    for name, field in FIELDS.items():
        entry = schema["properties"][name]
        assert _kinds(entry) == (["number", "#/$defs/range"] if field.is_number else ["string"])
        assert entry["title"] == field.label
        assert "default" not in entry
    assert "range" in schema["$defs"]

"""The command ``diff``: two files, presets or workbooks, and the waterfall of their bridge."""

import json
from math import fsum
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

import xl_tco
from test_cli import EXAMPLE, MINIMAL, fails, listing, printed, run
from xl_tco.analysis.bridge import Bridge
from xl_tco.workbook import workbook_bytes
from xl_tco.workbook.bridge import MOST_BARS, bridge_bytes

PRESET = "preset:deepseek-v3"


def write(path: Path, **changes: Any) -> Path:
    """Write a scenario: the minimal one with changes; None leaves a field out."""
    table = {name: v for name, v in {**MINIMAL, **changes}.items() if v is not None}
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in table.items())
    path.write_text("".join(lines), encoding="utf-8")
    return path


def example() -> xl_tco.Scenario:
    return xl_tco.load_scenario(EXAMPLE)


def test_json_is_the_answer_to_the_last_digit() -> None:
    told = json.loads(printed("diff", EXAMPLE, PRESET, "--json"))
    assert told == xl_tco.bridge(example(), xl_tco.preset("deepseek-v3")).to_dict()
    assert told["schema"] == "xl-tco/bridge/1"


def test_a_person_reads_the_way_from_one_to_the_other(tmp_path: Path) -> None:
    a = write(tmp_path / "a.toml")
    b = write(tmp_path / "b.toml", name="B", accelerator="b200-sxm", mfu=None, hfu=0.45)
    text = printed("diff", a, b)
    lines = text.splitlines()
    before, after = (xl_tco.evaluate(xl_tco.load_scenario(path)) for path in (a, b))
    (start,) = (i for i, line in enumerate(lines) if line.startswith("From A small run"))
    (end,) = (i for i, line in enumerate(lines) if line.startswith("To B"))
    assert lines[start].endswith(f"{before.total_usd:,.0f}")
    assert lines[end].endswith(f"{after.total_usd:,.0f}")
    found = xl_tco.bridge(before.scenario, after.scenario)
    between = "\n".join(lines[start + 1 : end])
    for step in found.moving:
        assert f" {step.usd:,.0f}" in between
    for words in ("h100-sxm", "b200-sxm", "  Price of an accelerator", "—", "0.45", "B"):
        assert words in between
    assert "Rent of an accelerator" not in between  # neither rents
    assert "mean over all 2 orders" in text
    for difference in found.results:
        assert difference.output.label in "\n".join(lines[end:])
    assert "…" not in text
    assert "None" not in text


def test_a_sampled_answer_says_so_and_how_sure_it_is(tmp_path: Path) -> None:
    shares = ("communication_share", "power_draw_share", "host_draw_share", "utilization")
    changes = {name: 0.3 for name in shares}
    names = ("depreciation_years", "facility_life_years", "electricity_usd_per_kwh", "pue")
    changes |= dict(zip(names, (4.5, 17, 0.111, 1.44), strict=True))
    b = write(tmp_path / "b.toml", tokens=3e12, mfu=0.35, staff_fte=20, accelerators=600, **changes)
    a = write(tmp_path / "a.toml")
    text = printed("diff", a, b)
    assert "± standard error" in text
    assert "drawn with a fixed seed" in text
    assert printed("diff", a, b) == text


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.toml"), write(tmp_path / "b.toml", tokens=3e12)
    text = printed("diff", a, b)
    assert "From a.toml" in text
    assert "To b.toml" in text
    folder = tmp_path / "new"
    folder.mkdir()
    assert f"To {folder / 'a.toml'}" in printed("diff", a, write(folder / "a.toml", tokens=3e12))


def test_the_same_twice() -> None:
    text = printed("diff", EXAMPLE, EXAMPLE)
    assert text.startswith("Nothing that moves the cost differs")


def test_two_workbooks_are_compared_by_what_is_typed_into_them(tmp_path: Path) -> None:
    changed = example().replace(mfu=0.5, staff_fte=100.0)
    paths = (tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    for path, scenario in zip(paths, (example(), changed), strict=True):
        path.write_bytes(workbook_bytes(scenario, "native"))
    told = json.loads(printed("diff", *paths, "--json"))
    direct = xl_tco.bridge(example(), changed).to_dict()
    assert [step["fields"] for step in told["steps"]] == [["staff_fte"], ["mfu"]] or [
        ["mfu"],
        ["staff_fte"],
    ]
    assert told["steps"] == direct["steps"]
    assert told["change_usd"] == direct["change_usd"]
    mixed = json.loads(printed("diff", EXAMPLE, paths[1], "--json"))
    assert mixed["steps"] == direct["steps"]


def test_the_case_in_force_is_named(tmp_path: Path) -> None:
    a = write(tmp_path / "a.toml")
    b = tmp_path / "b.toml"
    cases = 'case = "low"\n[cases.low]\nmfu = 0.5\n'
    b.write_text(a.read_text(encoding="utf-8") + cases, encoding="utf-8")
    text = printed("diff", a, b)
    assert "To A small run (low)" in text
    assert "Model FLOPs utilization (MFU)" in text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.toml", None, "no such file"),
        ("absent.xlsx", None, "no such file"),
        ("a.xlsx", b"no workbook", "not an .xlsx workbook"),
        ("a.xlsm", b"PK\x03\x04 cut short", "a.xlsm"),
        ("a.txt", b"mfu = 0.4", "no format of scenarios"),
        ("a.toml", b"mfu = 4", "mfu: 4 is out of range"),
        ("preset:nobody", None, "nobody"),
    ],
)
def test_bad_sources(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    path: object = name
    if not name.startswith("preset:"):
        path = tmp_path / name
        if content is not None:
            Path(str(path)).write_bytes(content)
    fails(run("diff", EXAMPLE, path), 2, message)


def test_a_workbook_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.xlsx"
    openpyxl.Workbook().save(path)
    fails(run("diff", path, EXAMPLE), 2, "other.xlsx")


def test_a_file_that_exists_is_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "bridge.xlsx"
    target.write_bytes(b"mine")
    fails(run("diff", EXAMPLE, PRESET, "-o", target), 1, "exists; say --force")
    assert target.read_bytes() == b"mine"
    done = run("diff", EXAMPLE, PRESET, "-o", target, "--force")
    assert (done.returncode, done.stderr) == (0, f"wrote {target}\n")
    assert "From Llama 3.1 405B" in done.stdout
    found = xl_tco.bridge(example(), xl_tco.preset("deepseek-v3"))
    assert target.read_bytes() == bridge_bytes(found, "Llama 3.1 405B", "DeepSeek-V3")
    assert listing(tmp_path) == {"bridge.xlsx"}


def test_the_name_of_no_workbook_is_refused(tmp_path: Path) -> None:
    fails(run("diff", EXAMPLE, PRESET, "-o", tmp_path / "a.csv"), 2, ".xlsx")


# The waterfall.


def sheet_of(tmp_path: Path, found: Bridge, *names: str, values: bool = True) -> Worksheet:
    path = tmp_path / "bridge.xlsx"
    path.write_bytes(bridge_bytes(found, *(names or ("one", "other"))))
    book = openpyxl.load_workbook(path, data_only=values)
    assert book.sheetnames == ["Bridge"]
    return book["Bridge"]


def rows_between(sheet: Worksheet) -> tuple[list[Any], list[list[Any]], list[Any]]:
    """Return the line From, those of the steps, and the line To: cells A to I of each."""
    rows = [[cell.value for cell in row[:9]] for row in sheet.iter_rows(min_row=5)]
    end = next(i for i, row in enumerate(rows) if str(row[0]).startswith("To "))
    return rows[0], rows[1:end], rows[end]


BRIDGES: dict[str, tuple[xl_tco.Scenario, xl_tco.Scenario]] = {
    "example and preset": (example(), xl_tco.preset("deepseek-v3")),
    "the way back": (xl_tco.preset("deepseek-v3"), example()),
    "small": (
        xl_tco.Scenario(**{**MINIMAL, "tokens": 2e10}),
        xl_tco.Scenario(**{**MINIMAL, "tokens": 3e10, "mfu": 0.5}),
    ),
    "the same": (example(), example()),
}
by_bridge = pytest.mark.parametrize("name", BRIDGES)


@by_bridge
def test_bars_float_between_the_sums_before_and_after(name: str, tmp_path: Path) -> None:
    found = xl_tco.bridge(*BRIDGES[name])
    sheet = sheet_of(tmp_path, found)
    start, steps, end = rows_between(sheet)
    scale = 1e6 if start[1] == "USD million" else 1.0
    assert start[:4] == ["From one", start[1], found.before.total_usd / scale, start[2]]
    assert end[0] == "To other"
    assert end[2] == pytest.approx(found.after.total_usd / scale, rel=1e-12)
    assert sorted(row[2] for row in steps) == pytest.approx(
        sorted(step.usd / scale for step in found.moving)
    )
    reached = start[2]
    for _, unit, change, cumulated, share, below, up, down, at_end in steps:
        assert unit == start[1]
        assert cumulated == pytest.approx(reached + change)
        assert share == pytest.approx(change * scale / found.before.total_usd)
        assert [below, below + up + down] == pytest.approx(sorted([reached, cumulated]), abs=1e-9)
        assert below >= 0.0
        assert (up > 0.0) == (change > 0.0)
        assert (down > 0.0) == (change < 0.0)
        assert at_end is None
        reached = cumulated
    assert reached == pytest.approx(end[2])
    for row in range(6, 6 + len(steps)):  # a format with conditions shows no minus
        assert "[" not in sheet[f"C{row}"].number_format
    assert sheet["A3"].value == "All checks hold"


@by_bridge
def test_all_but_the_steps_are_formulas(name: str, tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, xl_tco.bridge(*BRIDGES[name]), values=False)
    _, steps, end = rows_between(sheet)
    for row in (*steps, end):
        assert all(str(value).startswith("=") for value in row[3:9] if value is not None)
    blue = {cell.coordinate for row in sheet for cell in row if cell.style == "TCO input"}
    assert all(isinstance(sheet[place].value, int | float) for place in blue)
    assert {f"C{row}" for row in range(5, 6 + len(steps))} <= blue
    formulas = [str(c.value) for row in sheet for c in row if str(c.value).startswith("=")]
    assert max(len(formula) for formula in formulas) <= 80


def test_the_chart_says_the_largest_step(tmp_path: Path) -> None:
    found = xl_tco.bridge(*BRIDGES["example and preset"])
    sheet = sheet_of(tmp_path, found)
    (chart,) = sheet._charts
    title = chart.title.tx.strRef
    cell = title.f.split("!")[1].replace("$", "")
    largest, million = found.moving[0], 1e6
    says = f"{largest.label}: {largest.usd / million:.1f} of {found.change_usd / million:.1f}"
    assert sheet[cell].value == f"{says} USD million"
    assert title.strCache.pt[0].v == sheet[cell].value
    below, *bars = chart.series
    assert below.graphicalProperties.noFill
    assert len(bars) == 3
    assert (chart.grouping, chart.overlap, chart.type) == ("stacked", 100, "col")


def test_parts_add_up_both_ways(tmp_path: Path) -> None:
    found = xl_tco.bridge(*BRIDGES["example and preset"])
    sheet = sheet_of(tmp_path, found)
    rows = [[cell.value for cell in row[:9]] for row in sheet.iter_rows()]
    top = next(i for i, row in enumerate(rows) if row[8] == "Sum")
    table = rows[top + 1 : top + 1 + len(found.moving)]
    for row, step in zip(table, found.moving, strict=True):
        assert row[0] == step.label
        assert row[8] == pytest.approx(step.usd / 1e6)
        assert row[8] == pytest.approx(fsum(row[2:8]))
    sums = rows[top + 1 + len(found.moving)]
    assert sums[2:] == pytest.approx(
        [fsum(col) for col in zip(*(r[2:] for r in table), strict=True)]
    )
    assert sums[8] == pytest.approx(found.change_usd / 1e6)


def test_every_input_that_differs_is_listed(tmp_path: Path) -> None:
    found = xl_tco.bridge(*BRIDGES["example and preset"])
    sheet = sheet_of(tmp_path, found)
    rows = [[cell.value for cell in row[:5]] for row in sheet.iter_rows()]
    listed = {row[0]: row for row in rows[[row[0] for row in rows].index("Input") :]}
    for change in found.changes:
        assert listed[change.label][2:4] == [change.old or "—", change.new or "—"] or (
            0.0 in (change.old, change.new)
        )
    assert listed["Name of the run"][4] == "moves no cost"


def test_small_steps_are_drawn_together(tmp_path: Path) -> None:
    case = {**MINIMAL, "tokens": 20e12, "waste_share": 0.1}
    other = {"accelerators": 640, "mfu": 0.45, "staff_fte": 9, "tokens": 22e12, "epochs": 1.5}
    other |= {"utilization": 0.8, "depreciation_years": 5, "pue": 1.25, "waste_share": 0.2}
    other |= {"electricity_usd_per_kwh": 0.1, "facility_life_years": 18, "residual_share": 0.05}
    other |= {"facility_usd_per_kw": 9e3, "software_fixed_usd": 1e4, "hot_spares": 8}
    found = xl_tco.bridge(xl_tco.Scenario(**case), xl_tco.Scenario(**{**case, **other}))
    assert len(found.moving) > MOST_BARS
    sheet = sheet_of(tmp_path, found)
    start, steps, end = rows_between(sheet)
    together = [row for row in steps if "smaller" in row[0]]
    assert together
    assert len(steps) == MOST_BARS + len(together)
    rest = found.moving[MOST_BARS:]
    assert start[1] == "USD"
    assert fsum(row[2] for row in together) == pytest.approx(fsum(s.usd for s in rest))
    assert start[2] + fsum(row[2] for row in steps) == pytest.approx(end[2])
    assert sheet["A3"].value == "All checks hold"
    (chart,) = sheet._charts
    assert chart.title.tx.strRef.strCache.pt[0].v.startswith(f"{found.moving[0].label}: ")


def test_names_of_the_users_are_no_formulas(tmp_path: Path) -> None:
    found = xl_tco.bridge(*BRIDGES["small"])
    sheet = sheet_of(tmp_path, found, "=1+1", "{0}\x0b", values=False)
    start, _, end = rows_between(sheet)
    assert (start[0], end[0]) == ("From =1+1", "To {0} ")


def test_the_check_fails_where_a_step_is_typed_over(tmp_path: Path) -> None:
    path = tmp_path / "bridge.xlsx"
    path.write_bytes(bridge_bytes(xl_tco.bridge(*BRIDGES["small"]), "one", "other"))
    book = openpyxl.load_workbook(path)
    book["Bridge"]["C6"] = book["Bridge"]["C6"].value * 1.001
    book.save(path)
    xl_tco.recalculate(path)
    sheet = openpyxl.load_workbook(path, data_only=True)["Bridge"]
    assert sheet["A3"].value == "The steps do not add up"


@by_bridge
def test_it_prints_to_pages_that_can_be_read(name: str, tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, xl_tco.bridge(*BRIDGES[name]))
    assert sheet.print_area.startswith("'Bridge'!$A$1:$I$")
    assert sheet.print_title_rows == "$1:$3"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.page_setup.fitToWidth == 1
    assert sheet.sheet_properties.pageSetUpPr.fitToPage

"""The sheet Claims, and the key indicators on Calc and Results, against Python's claims."""

from __future__ import annotations

from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

import xl_tco
from strategies import drawn
from xl_tco.analysis.claims import Claims, claims, statements
from xl_tco.language import Language
from xl_tco.workbook import check_workbook, workbook_bytes
from xl_tco.workbook.build import calculated
from xl_tco.workbook.sheets.claims import ENDS
from xl_tco.workbook.sheets.lines import KEY_INDICATORS

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
RENT = LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0)
FORMS = ("functions", "native")
WORDS = {
    "inside": "範圍內",
    "outside": "範圍外",
    "no range": "無範圍",
    "does not apply": "不適用",
    "not used": "未使用",
    "current": "相符",
    "stale": "過期",
}


def opened(package: bytes, *, values: bool = True) -> Workbook:
    return openpyxl.load_workbook(BytesIO(package), data_only=values)


def rows_of(book: Workbook) -> dict[str, list[Any]]:
    """The claims of the sheet by id: value, from, to, beyond, verdict."""
    found = {}
    ids = [row["id"] for row in statements()]
    for row in book["Claims"].iter_rows(min_row=5, max_col=10):
        if isinstance(row[9].value, int | float):
            found[ids[int(row[9].value) - 1]] = [cell.value for cell in row[2:7]]
    return found


def are_those(book: Workbook, expected: Claims) -> None:
    rows = rows_of(book)
    assert list(rows) == list(expected.claims)
    for name, claim in expected.claims.items():
        value, low, high, beyond, verdict = rows[name]
        assert verdict == claim.verdict, (name, rows[name], claim)
        if claim.value is None:
            assert value in (None, "not used")
            assert beyond is None
        else:
            assert value == pytest.approx(claim.value, rel=1e-9, abs=0), name
            for end, expected_end in ((low, claim.low), (high, claim.high)):
                assert end == (expected_end and pytest.approx(expected_end, rel=1e-12)), name
            if verdict == "no range":
                assert beyond is None
            elif claim.low == claim.high:
                assert beyond == pytest.approx(
                    abs(value - low) / max(value, low), rel=1e-6, abs=2e-9
                )
            else:
                ends = (low is not None and 1 - value / low, high is not None and value / high - 1)
                assert beyond == pytest.approx(float(max(*ends, 0)), rel=1e-6, abs=2e-9)
                assert (beyond > 0) == (verdict == "outside")


def indicators_are_those(book: Workbook, expected: Claims) -> None:
    labels = {row[0].value: row for row in book["Results"].iter_rows(min_row=5)}
    for name, line in KEY_INDICATORS.items():
        claim = expected.claims[name]
        ((sheet, cell),) = book.defined_names[line.name].destinations
        label, unit, value, _, low, high, verdict = (cell.value for cell in labels[line.label][:7])
        assert sheet == "Calc"
        assert book["Calc"][cell.replace("$", "")].value == value
        assert verdict == claim.verdict, (label, unit)
        assert (low, high) == (claim.low, claim.high)
        if claim.value is None:
            assert value == "not used"
        else:
            assert value == pytest.approx(claim.value, rel=1e-9, abs=0), name


def random_scenarios(count: int, at: int) -> list[xl_tco.Scenario]:
    scenarios = (xl_tco.Scenario(**table) for table in drawn(2 * count, at))
    finite = (s for s in scenarios if (xl_tco.evaluate(s).metrics["wall_hours"] or 0) < 1e11)
    return list(islice(finite, count))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("at", [41, 42, 43])
def test_claims_of_any_scenario_are_those_of_python(form: str, at: int) -> None:
    seen = set()
    for scenario in random_scenarios(8, at):
        book, expected = opened(workbook_bytes(scenario, form)), claims(scenario)
        are_those(book, expected)
        indicators_are_those(book, expected)
        seen |= {claim.verdict for claim in expected.claims.values()}
    assert seen == {"inside", "outside", "no range", "does not apply"}


def test_a_range_that_depends_on_the_run_has_the_ends_that_are_said() -> None:
    found: dict[str, set[tuple[bool, bool, bool]]] = {name: set() for name in ENDS}
    static = {row["id"]: (row["low"], row["high"]) for row in statements()}
    for scenario in (LLAMA, RENT, *random_scenarios(20, 44)):
        for name, claim in claims(scenario).claims.items():
            ends = (claim.low is not None, claim.high is not None, claim.low == claim.high)
            if claim.value is None:
                continue
            if name in ENDS:
                found[name].add(ends)
            else:
                shown = tuple("" if end is None else end for end in (claim.low, claim.high))
                assert shown == tuple(float(end) if end else "" for end in static[name])
    assert found == {name: {ends} for name, ends in ENDS.items()}


@pytest.mark.parametrize(
    "changes",
    [
        {"mfu": 0.55},
        {"mfu": 0.5500001},
        {"mfu": 0.3},
        {"mfu": 0.2999999},
        {"pue": 1.6},
        {"pue": 1.1, "waste_share": 0.3},
        {"waste_share": 0.0999},
        {"utilization": 0.95, "communication_share": 0.0909},
        {"utilization": 0.59, "communication_share": 0.091},
        {"recompute_share": 0.33 * 1.05},
        {"recompute_share": 0.33 / 0.95, "network_share": 0.2000001},
        {"recompute_share": 0.33 * 0.949, "network_share": 0.2},
    ],
    ids=str,
)
def test_verdicts_at_the_ends_of_ranges(changes: dict[str, float]) -> None:
    scenario = LLAMA.replace(**changes)
    book, expected = opened(workbook_bytes(scenario, "native")), claims(scenario)
    are_those(book, expected)
    indicators_are_those(book, expected)


def edited(package: bytes, **inputs: float) -> bytes:
    """The workbook after someone typed into the column Base, calculated."""
    book = opened(package, values=False)
    for name, value in inputs.items():
        ((_, cell),) = book.defined_names[name].destinations
        book["Inputs"][f"E{cell.rpartition('$')[2]}"] = value
    buffer = BytesIO()
    book.save(buffer)
    return calculated(buffer.getvalue())[0]


def test_claims_follow_the_inputs_where_the_functions_are() -> None:
    changes = {"mfu": 0.6, "pue": 1.7, "recompute_share": 0.3, "tdp_watts": 1000.0}
    book = opened(edited(workbook_bytes(LLAMA), **changes))
    are_those(book, claims(LLAMA.replace(**changes)))


def test_without_functions_the_indicators_follow_and_the_rest_is_said_to_be_stale() -> None:
    package = workbook_bytes(LLAMA, "native")
    changes = {"mfu": 0.6, "pue": 1.7}
    built, book = opened(package), opened(edited(package, **changes))
    indicators_are_those(book, claims(LLAMA.replace(**changes)))
    said = {row[0].value: row[2].value for row in book["Claims"].iter_rows(min_row=5)}
    before = {row[0].value: row[2].value for row in built["Claims"].iter_rows(min_row=5)}
    total = xl_tco.evaluate(LLAMA).total_usd
    assert said["Answers below were worked out for a total of"] == pytest.approx(total, rel=1e-15)
    assert before["They are of the total of this workbook"] == "current"
    assert said["They are of the total of this workbook"] == "stale"
    old, new = rows_of(built), rows_of(book)
    others = [name for name in old if name not in KEY_INDICATORS]
    assert [old[name] for name in others] == [new[name] for name in others]


def test_with_functions_no_answer_is_said_to_be_of_the_build() -> None:
    labels = [row[0].value for row in opened(workbook_bytes(LLAMA))["Claims"].iter_rows()]
    assert "They are of the total of this workbook" not in labels


@pytest.mark.parametrize("scenario", [LLAMA, RENT], ids=["own", "rent"])
@pytest.mark.parametrize("form", FORMS)
def test_in_chinese_the_words_of_the_text_and_its_verdicts(
    form: str, scenario: xl_tco.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {("word", word): said for word, said in WORDS.items()}
    chinese = Language("zh-TW", "Arial", texts)
    monkeypatch.setattr("xl_tco.language.language", lambda _: chinese)
    book = opened(workbook_bytes(scenario, form, "zh-TW"))
    expected = claims(scenario)
    rows = rows_of(book)
    for name, claim in expected.claims.items():
        assert rows[name][4] == WORDS[claim.verdict], name
    labels = [row[0].value for row in book["Claims"].iter_rows(min_row=5)]
    assert [
        label for label in labels if label in {c.text_zh for c in expected.claims.values()}
    ] == [claim.text_zh for claim in expected.claims.values()]


@pytest.mark.parametrize("form", FORMS)
def test_every_claim_says_why_and_from_what(form: str) -> None:
    book = opened(workbook_bytes(LLAMA, form))
    said = {
        row[0].value: (row[1].value, row[7].value, row[8].value)
        for row in book["Claims"].iter_rows(min_row=5, max_col=10)
    }
    for row in statements():
        assert said[row["text"]] == (row["unit"], row["why"], row["basis"])


@pytest.mark.parametrize("scenario", [LLAMA, RENT], ids=["own", "rent"])
@pytest.mark.parametrize("form", FORMS)
def test_the_rules_hold_on_claims_runs_and_results(
    form: str, scenario: xl_tco.Scenario, tmp_path: Path
) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook_bytes(scenario, form))
    sheets = {"Claims", "Runs", "Results", "Calc"}
    assert not [finding for finding in check_workbook(path) if finding.sheet in sheets]

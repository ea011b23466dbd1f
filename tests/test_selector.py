"""The choice of a case: the workbook costs what the engine does, whichever column is in force."""

from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import xl_tco
from xl_tco.analysis.cases import in_case
from xl_tco.cases import KNOWN
from xl_tco.workbook import check_package, recalculated, workbook_bytes

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
CASES: dict[str, dict[str, Any]] = {
    "automatic": {},
    "another way to say it": {"own": {"hfu": 0.5, "recompute_share": 0.1}},
    "back to a default": {"low": {"mfu": 0.5}, "high": {"accelerator_mtbf_hours": 50_000.0}},
    "words": {"own": {"accelerator": "a100-sxm-80gb", "procurement": "rent"}},
    "from the bottom up": {
        "own": {
            "kernel_efficiency": 0.6,
            "layers": 126.0,
            "hidden_size": 16_384.0,
            "heads": 128.0,
            "sequence_length": 8192.0,
            "batch_tokens": 8192.0 * 2048,
            "tensor_parallel": 8.0,
            "pipeline_parallel": 16.0,
            "recomputation": "full",
            "zero_stage": 1.0,
        }
    },
}
RENTABLE = LLAMA.replace(storage_usd_per_hour=200.0)
RUNS = {
    name: xl_tco.Scenario.from_table({**RENTABLE.table, "cases": cases})
    for name, cases in CASES.items()
}
FORMS: list[Any] = ["functions", "native"]


def choose(package: bytes, case: str) -> bytes:
    """The workbook after someone chose a case from the list."""
    book = openpyxl.load_workbook(BytesIO(package))
    ((sheet, cell),) = book.defined_names["case_in_force"].destinations
    book[sheet][cell.replace("$", "")] = case.capitalize()
    saved = BytesIO()
    book.save(saved)
    return saved.getvalue()


def value(package: bytes, name: str) -> Any:
    book = openpyxl.load_workbook(BytesIO(package), data_only=True)
    ((sheet, cell),) = book.defined_names[name].destinations
    return book[sheet][cell.replace("$", "")].value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", RUNS)
def test_the_case_in_force_is_costed(name: str, form: Any) -> None:
    package = workbook_bytes(RUNS[name], form)
    for case in KNOWN:
        chosen, outcome = recalculated(choose(package, case))
        assert (outcome.errors, outcome.failing) == ([], 0), case
        expected = xl_tco.evaluate(in_case(RUNS[name], case)).total_usd
        assert value(chosen, "total_usd") == pytest.approx(expected, rel=1e-9), case


def test_a_book_is_built_with_the_case_of_the_scenario_in_force() -> None:
    run = xl_tco.Scenario.from_table({**RUNS["words"].table, "case": "own"})
    package = workbook_bytes(run)
    assert check_package(package) == []
    assert value(package, "case_in_force") == "Own"
    assert value(package, "total_usd") == pytest.approx(xl_tco.evaluate(run).total_usd)


def test_what_the_base_says_otherwise_is_left_out() -> None:
    package, _ = recalculated(choose(workbook_bytes(RUNS["another way to say it"]), "own"))
    assert (value(package, "mfu"), value(package, "hfu")) == (None, 0.5)


def test_only_a_known_case_can_be_chosen() -> None:
    _, outcome = recalculated(choose(workbook_bytes(LLAMA), "lowest"))
    assert outcome.errors or outcome.failing

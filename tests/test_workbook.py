"""The workbook: what its cells hold, and its values against Python.

Other engines calculate its formulas in `test_faithful`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.workbook import Workbook

import xl_tco
from libreoffice import close
from strategies import drawn
from xl_tco.fields import FIELDS, Field, Number
from xl_tco.functions import FUNCTIONS, TOPICS
from xl_tco.outputs import COMPONENTS, METRICS
from xl_tco.resolve import in_use
from xl_tco.scenario import words
from xl_tco.workbook import check_workbook, template_bytes, workbook_bytes
from xl_tco.workbook.build import calculated, draft
from xl_tco.workbook.sheets.lines import LINES
from xl_tco.workbook.sheets.page import ALL_HOLD

ROOT = Path(__file__).parents[1]
LLAMA = xl_tco.load_scenario(ROOT / "examples" / "llama-3.1-405b.toml")
RENT = LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0, hfu=0.5)

STEP: dict[str, Any] = {
    "mfu": None,
    "kernel_efficiency": 0.6,
    "layers": 126,
    "hidden_size": 16_384,
    "sequence_length": 8192,
    "heads": 128,
    "batch_tokens": 8192 * 2048,
    "tensor_parallel": 8,
    "pipeline_parallel": 16,
    "zero_stage": 1,
    "memory_gb": 1e3,
}
FROM_THE_BOTTOM_UP: dict[str, dict[str, Any]] = {
    "step": STEP,
    "step, all recomputed": STEP | {"recomputation": "full", "zero_stage": 3, "overlap_share": 0.5},
    "step, nothing recomputed": STEP
    | {"recomputation": "none", "pipeline_chunks": 2, "micro_batch": 2, "memory_gb": 1e4},
    "step of experts": STEP
    | {
        "parameters_total": 2e12,
        "experts": 64,
        "active_experts": 4,
        "expert_parallel": 8,
        "tensor_parallel": 4,
        "attention": "causal",
        "oversubscription": 2,
        "memory_gb": 1e3,
    },
    "step over the network alone": STEP | {"domain_accelerators": 1},
    "failures": {"waste_share": None, "accelerator_mtbf_hours": 50_000},
    "failures by Daly": {
        "waste_share": None,
        "accelerator_mtbf_hours": 50_000,
        "checkpoint_method": "daly",
        "straggler_share": 0.02,
    },
    "an interval that is given": {
        "waste_share": None,
        "accelerator_mtbf_hours": 50_000,
        "checkpoint_interval_hours": 0.75,
    },
    "one switch": {"network_topology": "fat-tree", "accelerators": 64},
    "two tiers": {"network_topology": "fat-tree", "accelerators": 1500, "network_rails": 8},
    "three tiers": {
        "network_topology": "fat-tree",
        "network_rails": 8,
        "oversubscription": 1.5,
        "hot_spares": 128,
        "adapter_usd": 900,
    },
    "dragonfly": {"network_topology": "dragonfly", "switch_radix": 63, "network_ports": 2},
    "one group": {"network_topology": "dragonfly", "accelerators": 256},
    "capacity": {"storage_usd_per_tb": 100, "storage_usd_per_gb_per_s": 5000, "epochs": 2},
    "sums": {"network_price_usd": 5e7, "storage_price_usd": 1e7, "software_fixed_usd": 2e6},
    "annuity": {"depreciation_method": "annuity", "residual_share": 0.1},
    "annuity without interest": {"depreciation_method": "annuity", "discount_rate": 0},
    "declining balance": {
        "depreciation_method": "declining-balance",
        "age_years": 1.9,
        "depreciation_years": 4.5,
    },
    "declining balance to a residual": {
        "depreciation_method": "declining-balance",
        "age_years": 2.5,
        "depreciation_years": 3.7,
        "residual_share": 0.2,
    },
    "two years of declining balance": {
        "depreciation_method": "declining-balance",
        "age_years": 0.5,
        "depreciation_years": 2,
    },
    "sum of years": {
        "depreciation_method": "sum-of-years",
        "age_years": 3.1,
        "depreciation_years": 4.5,
        "residual_share": 0.1,
    },
    "exponential": {"depreciation_method": "exponential", "age_years": 1.25},
    "demand and carbon": {
        "demand_usd_per_kw_month": 12,
        "carbon_usd_per_tonne": 80,
        "host_draw_share": 0.4,
        "hot_spares": 100,
    },
}
EVERYTHING: dict[str, Any] = {}
for changes in ("step of experts", "failures by Daly", "three tiers", "capacity", "sum of years"):
    EVERYTHING |= FROM_THE_BOTTOM_UP[changes]
FROM_THE_BOTTOM_UP["everything"] = EVERYTHING
FROM_THE_BOTTOM_UP["everything, rented"] = EVERYTHING | {
    "procurement": "rent",
    "storage_usd_per_hour": 50,
    "depreciation_method": None,
}


def named(workbook: Workbook, name: str) -> Any:
    """The cell of that name."""
    ((sheet, cell),) = workbook.defined_names[name].destinations
    return workbook[sheet][cell.replace("$", "")]


def values_of(package: bytes) -> Workbook:
    return openpyxl.load_workbook(BytesIO(package), data_only=True)


def formulas_of(package: bytes) -> Workbook:
    return openpyxl.load_workbook(BytesIO(package))


def formula_cells(package: bytes) -> list[tuple[str, str]]:
    return [
        (sheet.title, cell.coordinate)
        for sheet in formulas_of(package)
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    ]


@pytest.mark.parametrize("scenario", [LLAMA, RENT], ids=["own", "rent"])
@pytest.mark.parametrize("formulas", ["functions", "native"])
def test_named_results_are_those_of_python(scenario: xl_tco.Scenario, formulas: str) -> None:
    book = values_of(workbook_bytes(scenario, formulas))
    result = xl_tco.evaluate(scenario)
    exact = formulas == "functions"
    expected = {f"{name}_usd": result.components.get(name, 0.0) for name in COMPONENTS}
    expected |= {"total_usd": result.total_usd, **result.metrics}
    for name, value in expected.items():
        shown = named(book, name).value
        if value is None:
            assert shown == ("unknown" if _is_unknowable(name) else "not used"), name
        else:
            assert shown == (value if exact else pytest.approx(value, rel=1e-12)), name
    for name, value in scenario.values.items():
        assert named(book, name).value == value, name
    assert json.loads(json.dumps(result.to_dict()))["total_usd"] == result.total_usd


def _is_unknowable(name: str) -> bool:
    """Whether a metric that is missing rests on a figure that nobody has published."""
    return name.endswith(("_gwh", "_mw", "_tonnes")) or name == "total_over_accelerators"


def test_pandas_reads_the_values(tmp_path: Path) -> None:
    path = tmp_path / "model.xlsx"
    xl_tco.build_workbook(LLAMA, path)
    results = pd.read_excel(path, sheet_name="Results", header=3).dropna(subset=["Value"])
    total = results.set_index("Result").loc["Training TCO", ["Unit", "Value"]]
    assert total["Unit"] == "USD million"
    assert total["Value"] == xl_tco.evaluate(LLAMA).total_usd / 1e6


def is_the_model(
    book: Workbook, scenario: xl_tco.Scenario, word: Callable[[str], str] = str
) -> None:
    """Every result on Calc, by functions and by native formulas, is that of Python.

    ``word`` puts a word of a formula into the language of the workbook.
    """
    result = xl_tco.evaluate(scenario)
    expected = {f"{name}_usd": result.components.get(name, 0.0) for name in COMPONENTS}
    expected |= {"total_usd": result.total_usd, **result.metrics}
    twin = "Functions" in book.sheetnames
    for name, value in expected.items():
        cell = named(book, name)
        for column in "CD" if twin else "C":
            shown = book["Calc"][f"{column}{cell.row}"].value
            if value is None:
                assert shown == word("unknown" if _is_unknowable(name) else "not used"), name
            else:
                assert shown == pytest.approx(value, rel=1e-9, abs=0), (name, column)
    if scenario.case in ("base", "own"):
        # An end of the catalogue's counts in the book as the catalogue's, in a table as given.
        assert named(book, "estimates").value == len(result.estimates)


def random_scenarios(count: int, at: int) -> list[xl_tco.Scenario]:
    """Scenarios drawn at random; a function of a single line takes at most 1e12 hours."""
    scenarios = (xl_tco.Scenario(**table) for table in drawn(2 * count, at))
    finite = (s for s in scenarios if (xl_tco.evaluate(s).metrics["wall_hours"] or 0) < 1e11)
    return list(islice(finite, count))


def changed(**changes: Any) -> xl_tco.Scenario:
    """The example with other figures; None takes one out."""
    return xl_tco.Scenario(**(dict(LLAMA.given) | changes))


@pytest.mark.parametrize("at", range(10, 14))
def test_any_scenario_is_the_same_in_the_workbook(at: int) -> None:
    for scenario in random_scenarios(5, at):
        is_the_model(values_of(workbook_bytes(scenario)), scenario)


def test_the_same_scenario_gives_the_same_bytes() -> None:
    assert workbook_bytes(LLAMA) == workbook_bytes(LLAMA)
    assert calculated(workbook_bytes(LLAMA))[0] == workbook_bytes(LLAMA)


def test_the_template_that_is_shipped_is_the_one_that_is_built() -> None:
    shipped = (ROOT / "templates" / "training_tco.xlsx").read_bytes()
    assert shipped == template_bytes()


def test_native_formulas_call_no_function_of_ours() -> None:
    package = workbook_bytes(LLAMA, "native")
    book = formulas_of(package)
    texts = [str(book[sheet][cell].value) for sheet, cell in formula_cells(package)]
    assert not [text for text in texts if "TCO_" in text]


def test_functions_power_the_results() -> None:
    package = workbook_bytes(LLAMA)
    book = formulas_of(package)
    text = " ".join(str(getattr(c.value, "text", c.value)) for c in book["Calc"]["C"]) + " ".join(
        str(getattr(c.value, "text", c.value)) for c in book["Calc"]["B"]
    )
    for name in ("TCO_FLOPS", "TCO_WALLTIME", "TCO_POWER_COST", "TCO_TOTAL", "TCO_BREAKDOWN"):
        assert f"{name}(" in text, name


def edited(package: bytes, **inputs: Any) -> bytes:
    """The workbook after someone typed into its blue cells with openpyxl, and saved it."""
    book = formulas_of(package)
    for name, value in inputs.items():
        cell = named(book, name)
        book["Inputs"][f"E{cell.row}"] = value
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        {"mfu": 0.5},
        {"mfu": None, "hfu": 0.5, "recompute_share": 0.25},
        {"accelerator": "b200-sxm"},
        {"accelerator": "v100-sxm", "precision": "fp16"},
        {"procurement": "rent", "storage_usd_per_hour": 10},
        {"layers": 126, "hidden_size": 16384, "sequence_length": 8192},
        {"waste_share": None, "pue": 1.08},
        {"network_share": 0.2, "storage_share": 0.01},
        *FROM_THE_BOTTOM_UP.values(),
        STEP | {"memory_gb": None, "recomputation": "selective", "zero_stage": 3},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_edited_inputs_are_recalculated(changes: dict[str, Any]) -> None:
    package, evaluation = calculated(edited(workbook_bytes(LLAMA), **changes))
    assert not evaluation.errors
    table = {name: value for name, value in (dict(LLAMA.given) | changes).items()}
    expected = xl_tco.evaluate(xl_tco.Scenario(**table))
    book = values_of(package)
    assert named(book, "total_usd").value == expected.total_usd
    assert named(book, "wall_hours").value == expected.metrics["wall_hours"]
    assert book["Checks"]["A3"].value == ALL_HOLD


def test_a_part_that_is_no_longer_in_use_is_no_longer_counted() -> None:
    everything = changed(**EVERYTHING)
    back = dict.fromkeys(EVERYTHING) | {"mfu": 0.41}
    package, evaluation = calculated(edited(workbook_bytes(everything), **back))
    assert not evaluation.errors
    is_the_model(values_of(package), xl_tco.Scenario(**(dict(everything.given) | back)))


@pytest.mark.parametrize("name", FROM_THE_BOTTOM_UP)
def test_the_workbook_says_which_inputs_are_in_use(name: str) -> None:
    scenario = changed(**FROM_THE_BOTTOM_UP[name])
    book = values_of(workbook_bytes(scenario))
    for field, value in scenario.values.items():
        row = named(book, field).row
        used = value is not None and in_use(field, scenario.values)
        assert book["Inputs"][f"M{row}"].value == ("yes" if used else "no"), field


@pytest.mark.parametrize("formulas", ["functions", "native"])
def test_what_people_read_is_in_the_currency_of_the_report(formulas: Any) -> None:
    foreign = LLAMA.replace(currency="TWD", currency_per_usd=31.5, currency_date="2026-11-30")
    book, result = values_of(workbook_bytes(foreign, formulas)), xl_tco.evaluate(foreign)
    rows = {row[0].value: row for row in book["Cover"].iter_rows()}
    _, unit, amount, _ = (cell.value for cell in rows["Training TCO"])
    assert (unit, amount) == ("TWD million", pytest.approx(result.total_usd * 31.5 / 1e6))
    assert rows["A million tokens"][1].value == "TWD"
    assert rows["Rate of exchange"][2].value == "31.5 TWD per USD, 2026-11-30"
    for row in book["Results"].iter_rows(min_row=6, max_row=5 + len(COMPONENTS)):
        (name,) = [name for name, part in COMPONENTS.items() if part.label == row[0].value]
        assert row[1].value == "TWD million"
        expected = result.components.get(name, 0.0) * 31.5 / 1e6
        assert row[2].value == pytest.approx(expected, rel=1e-12)
    assert named(book, "total_usd").value == pytest.approx(result.total_usd, rel=1e-12)
    assert "TWD million" in named(book, "finding_component").value


def test_results_show_every_figure_once() -> None:
    shown = [cell.value for cell in formulas_of(workbook_bytes(LLAMA))["Results"]["C"]]
    for name in METRICS:
        factor = "*currency_per_usd" if METRICS[name].unit == "USD" else ""
        amount = f"{name}/money" if name.endswith("_capex_usd") else f"{name}{factor}"
        assert shown.count(f"={amount}") == 1, name


def validations(book: Workbook) -> dict[str, Any]:
    """The validation of each field's blue cell, by the field's name."""
    found = {str(v.sqref): v for v in book["Inputs"].data_validations.dataValidation}
    return {name: found["E{0}:H{0}".format(named(book, name).row)] for name in FIELDS}


@pytest.mark.parametrize("field", [f for f in FIELDS.values() if f.is_number], ids=lambda f: f.name)
def test_numbers_are_validated_by_their_range(field: Field) -> None:
    validation, domain = VALIDATIONS[field.name], field.domain
    assert isinstance(domain, Number)
    assert validation.type == ("whole" if domain.whole else "decimal")
    assert (float(validation.formula1), float(validation.formula2)) == (domain.low, domain.high)


@pytest.mark.parametrize("field", [f for f in FIELDS.values() if words(f)], ids=lambda f: f.name)
def test_words_are_chosen_from_a_list(field: Field) -> None:
    validation = VALIDATIONS[field.name]
    assert validation.type == "list"
    ((sheet, cells),) = BOOK.defined_names[validation.formula1].destinations
    offered = [cell.value for (cell,) in BOOK[sheet][cells.replace("$", "")]]
    assert offered == list(words(field))


BOOK = formulas_of(workbook_bytes(LLAMA))
VALIDATIONS = validations(BOOK)


def test_a_value_typed_over_a_named_cell_counts_and_is_found(tmp_path: Path) -> None:
    book = formulas_of(workbook_bytes(LLAMA))
    cell = named(book, "mfu")
    cell.value = 0.5
    buffer = BytesIO()
    book.save(buffer)
    package = calculated(buffer.getvalue())[0]
    expected = xl_tco.evaluate(LLAMA.replace(mfu=0.5)).total_usd
    assert named(values_of(package), "total_usd").value == expected
    (tmp_path / "typed.xlsx").write_bytes(package)
    found = [(f.rule, f.cell) for f in check_workbook(tmp_path / "typed.xlsx")]
    assert ("M05", cell.coordinate) in found


def test_every_digit_of_an_input_is_kept() -> None:
    run = LLAMA.replace(mfu=0.1 + 0.2, pue=1.0000000000000002, parameters=123456789012345.67)
    book = values_of(workbook_bytes(run))
    result = xl_tco.evaluate(run)
    assert named(book, "mfu").value == 0.1 + 0.2
    assert named(book, "total_usd").value == result.total_usd
    assert named(book, "achieved_mfu").value == result.metrics["achieved_mfu"]


@pytest.mark.parametrize("scenario", [LLAMA, RENT], ids=["own", "rent"])
def test_the_workbook_says_on_how_many_estimates_it_rests(scenario: xl_tco.Scenario) -> None:
    book = values_of(workbook_bytes(scenario))
    assert named(book, "estimates").value == len(xl_tco.evaluate(scenario).estimates)
    cover = {row[0].value: row[2].value for row in book["Cover"].iter_rows(min_row=5)}
    assert cover["Inputs that are only estimates"] == named(book, "estimates").value


BAD_INPUTS: list[dict[str, Any]] = [
    {"mfu": 2},
    {"mfu": 45},
    {"mfu": "forty"},
    {"mfu": None},
    {"hfu": 0.4},
    {"accelerators": None},
    {"accelerator": "h1000"},
    {"accelerator": "h200*"},
    {"accelerator": "custom"},
    {"pue": 0.9},
    {"pue": "1.3"},
    {"network_share": 0.97},
    {"peak_tflops": 1979},
    {"precision": "bf61"},
    {"procurement": "rental", "storage_usd_per_hour": 1},
    {"layers": 126},
    {"staff_fte": -5},
    {"recompute_share": 1, "mfu": 0.6},
    {"kernel_efficiency": 0.6},
    {"accelerator_mtbf_hours": 50_000},
    {"network_price_usd": 1e6, "network_share": 0.1},
    {"network_topology": "torus"},
    {"depreciation_method": "by ear"},
    {"region": "atlantis"},
    {"currency": "TWD", "currency_per_usd": 31.5},
    {"currency_per_usd": 31.5},
    {"experts": 8},
    {"parameters_total": 1e9},
    {"zero_stage": 1.5},
    # What no scenario may come to.
    STEP | {"memory_gb": 8},
    STEP | {"tensor_parallel": 3},
    STEP | {"heads": 12},
    STEP | {"pipeline_parallel": 256},
    STEP | {"batch_tokens": 4096},
    STEP | {"parameters_total": 1e12},
    {"waste_share": None, "accelerator_mtbf_hours": 100},
    {"network_topology": "fat-tree", "switch_radix": 16},
    {"network_topology": "dragonfly", "switch_radix": 16},
    {"depreciation_method": "sum-of-years", "age_years": 4, "depreciation_years": 4},
]


@pytest.mark.parametrize("formulas", ["functions", "native"])
@pytest.mark.parametrize("changes", BAD_INPUTS, ids=str)
def test_a_bad_input_turns_the_master_check(changes: dict[str, Any], formulas: Any) -> None:
    package, evaluation = calculated(edited(workbook_bytes(LLAMA, formulas), **changes))
    book = values_of(package)
    for sheet in book:
        assert sheet["A3"].value != ALL_HOLD, sheet.title
    assert book["Cover"]["C6"].value == "see Checks"
    if formulas == "functions":
        assert not isinstance(named(book, "total_usd").value, int | float)
        assert evaluation.errors


def test_recalculation_keeps_what_people_added(tmp_path: Path) -> None:
    book = formulas_of(workbook_bytes(LLAMA))
    book["Inputs"]["E6"].comment = openpyxl.comments.Comment("as published", "me")
    mine = book.create_sheet("Mine")
    mine["A1"] = "=TCO_TOTAL(inputs)*2"
    mine["A1"].font = openpyxl.styles.Font(bold=True, color="FF00FF")
    path = tmp_path / "mine.xlsx"
    book.save(path)
    done = xl_tco.recalculate(path)
    assert not done.errors
    assert done.formulas == len(formula_cells(path.read_bytes()))
    kept = openpyxl.load_workbook(path)
    assert kept["Inputs"]["E6"].comment.text == "as published"
    assert kept["Mine"]["A1"].font.b
    assert len(kept["Results"]._charts) == 2
    assert values_of(path.read_bytes())["Mine"]["A1"].value == 2 * xl_tco.evaluate(LLAMA).total_usd


def test_every_formula_is_evaluated_when_nothing_is_given_but_what_is_needed() -> None:
    bare = xl_tco.Scenario(
        parameters=1e9,
        tokens=1e10,
        accelerator="trainium1",
        accelerators=16,
        mfu=0.3,
        procurement="rent",
        staff_fte=1,
        storage_usd_per_hour=0,
    )
    assert xl_tco.evaluate(bare).metrics["energy_gwh"] is None
    book = values_of(workbook_bytes(bare))
    assert named(book, "energy_gwh").value == "unknown"
    assert book["Checks"]["A3"].value == ALL_HOLD


@pytest.mark.parametrize(
    "name", ["=1+1", "+A1", "@x", "-2", "a\x0bb", "<b>&'\"", "模型 🚀", " two  blanks ", "x" * 200]
)
def test_a_name_is_never_a_formula(name: str) -> None:
    package, evaluation = calculated(workbook_bytes(LLAMA.replace(name=name)))
    assert not evaluation.errors
    shown = named(values_of(package), "name").value
    assert shown == name.replace("\x0b", " ")
    assert values_of(package)["Cover"]["A1"].value == shown


def test_charts_carry_their_values_and_findings() -> None:
    import zipfile

    package = workbook_bytes(LLAMA)
    with zipfile.ZipFile(BytesIO(package)) as parts:
        charts = [parts.read(n).decode() for n in parts.namelist() if n.startswith("xl/charts/")]
    book = values_of(package)
    findings = [name for name in book.defined_names if name.startswith("finding_")]
    assert len(charts) == len(findings) == 9
    for name in findings:
        assert any(named(book, name).value in html.unescape(chart) for chart in charts), name
    total = repr(xl_tco.evaluate(LLAMA).components["accelerators"] / 1e6)
    assert any(total in chart for chart in charts)


def examples(book: Workbook) -> dict[str, Any]:
    """What the sheet Functions shows of each function."""
    rows = book["Functions"].iter_rows(min_row=5, max_col=3, values_only=True)
    return {name: value for name, _, value in rows if name in FUNCTIONS}


def called(formula: str, book: Workbook) -> Any:
    """What an example comes to when Python calls its function with the cells of its formula."""

    def held(reference: str) -> Any:
        if reference == '""':
            return None
        if reference in ("inputs", "cases"):
            ((sheet, cells),) = book.defined_names[reference].destinations
        else:
            sheet, cells = "Functions", reference
        found = book[sheet][cells.replace("$", "")]
        return [[cell.value for cell in row] for row in found] if ":" in cells else found.value

    call = re.search(r"(TCO_\w+)\(([^()]*)\)", formula)
    assert call, formula
    value = FUNCTIONS[call[1]](*(held(cell) for cell in call[2].split(",") if cell))
    if shown := re.search(r"INDEX\(.*\),([$\w]+),([$\w]+)\)", formula):
        row, column = (held(cell) - 1 for cell in shown.groups())
        return value[row][column]
    return value


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"procurement": "rent", "storage_usd_per_hour": 50},
        {"mfu": None, "hfu": 0.5},
        {"accelerator": "trainium1", "procurement": "rent", "storage_usd_per_hour": 50},
        FROM_THE_BOTTOM_UP["step"],
        EVERYTHING,
    ],
    ids=["own", "rent", "hfu", "unknown price", "step", "everything"],
)
def test_every_function_has_a_live_example(changes: dict[str, Any]) -> None:
    package = workbook_bytes(changed(**changes))
    formulas, book = formulas_of(package)["Functions"], values_of(package)
    assert list(examples(book)) == [function.name for _, rows in TOPICS for function in rows]
    silent = {name for name, value in examples(book).items() if value in ("unknown", "not used")}
    assert silent == (set() if "kernel_efficiency" in changes else {"TCO_STEP_TIME"}) | (
        {"TCO_BREAKEVEN"} if changes.get("accelerator") == "trainium1" else set()
    )
    for name, _, value, formula in book["Functions"].iter_rows(min_row=5, max_col=4):
        if name.value not in FUNCTIONS:
            continue
        assert formula.value == formulas[value.coordinate].value
        if name.value in silent:
            with pytest.raises(xl_tco.InputError):
                called(formula.value, book)
        else:
            assert close(value.value, called(formula.value, book)), formula.value


def test_examples_are_those_of_the_table_but_for_a_whole_run() -> None:
    sheet = formulas_of(workbook_bytes(LLAMA))["Functions"]
    whole = {function.name for function in TOPICS[0][1]}
    for row in sheet.iter_rows(min_row=5, values_only=True):
        if row[0] in FUNCTIONS and row[0] not in whole:
            typed = tuple(value for value in row[5:] if value is not None)
            assert typed == FUNCTIONS[row[0]].example, row[0]


def test_examples_follow_the_inputs() -> None:
    package = workbook_bytes(LLAMA)
    before = examples(values_of(package))
    package, evaluation = calculated(edited(package, **STEP, staff_fte=7))
    assert not evaluation.errors
    after = examples(values_of(package))
    whole = {function.name for function in TOPICS[0][1]}
    assert {name for name in FUNCTIONS if before[name] != after[name]} >= whole - {"TCO_BREAKEVEN"}
    assert {name for name in FUNCTIONS if before[name] != after[name]} <= whole
    result = xl_tco.evaluate(changed(**STEP, staff_fte=7))
    assert after["TCO_STEP_TIME"] == result.metrics["step_seconds"]
    assert after["TCO_METRIC"] == result.metrics["wall_hours"]
    assert after["TCO_BREAKDOWN"] == result.components["accelerators"]


def test_native_workbook_has_no_examples() -> None:
    book = formulas_of(workbook_bytes(LLAMA, "native"))
    assert "Functions" not in book.sheetnames
    assert "examples" not in book.defined_names
    assert "Functions" not in {row[0].value for row in book["Cover"].iter_rows()}


def test_fields_stand_on_the_sheet_in_one_contract() -> None:
    book = formulas_of(workbook_bytes(LLAMA))
    listed = [cell.value for cell in book["Inputs"]["C"][4:] if cell.value]
    assert [name for name in listed if name in FIELDS] == list(FIELDS)
    for name in METRICS:
        assert name in book.defined_names


def test_draft_has_no_values_and_the_built_one_has_them_all() -> None:
    bare, full = draft(LLAMA), workbook_bytes(LLAMA)
    cells = formula_cells(full)
    assert cells == formula_cells(bare)
    before, after = values_of(bare), values_of(full)
    come_to = calculated(bare)[1].values
    for sheet, cell in cells:
        assert before[sheet][cell].value is None
        if after[sheet][cell].value is None:  # as an optional field that is not given
            assert come_to[sheet, cell] == "", (sheet, cell)


def test_no_two_lines_have_one_name() -> None:
    names = [line.name for lines in LINES.values() for line in lines]
    assert len(names) == len(set(names))

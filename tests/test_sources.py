"""The sources of a scenario's own figures: checked, kept, written, and shown beside the input."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import tomllib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

import xl_tco
from books import opened, saved
from xl_tco import InputError, Scenario, load_scenario
from xl_tco.fields import FIELDS
from xl_tco.saving import scenario_json, scenario_toml
from xl_tco.scenario import json_schema
from xl_tco.workbook import check_package, scenario_in, workbook_bytes
from xl_tco.workbook.build import calculated
from xl_tco.workbook.sheets import Formulas

FIGURES: dict[str, Any] = {
    "name": "A run",
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "rent",
    "rental_usd_per_accelerator_hour": 2.5,
    "staff_fte": 10,
    "storage_usd_per_hour": 50,
}
CITED: dict[str, Any] = {
    "tokens": {"source": "Hoffmann et al. 2022, arXiv:2203.15556", "date": "2022-03"},
    "accelerator": "=the order, “16 節點”",
    "mfu": "實測，第 4 表",
    "rental_usd_per_accelerator_hour": {"source": "Quote 17/B", "date": "2026-11-30"},
}
LONGEST = "é" * 255
EXAMPLE = Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml"


def run(sources: Any = CITED, **changes: Any) -> Scenario:
    return Scenario.from_table({**FIGURES, **changes, "sources": sources})


def told(scenario: Scenario, field: str) -> tuple[str, str, str]:
    figure = scenario.figures[field]
    return figure.source, figure.date, figure.status


def faults(sources: Any, **changes: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        run(sources, **changes)
    return [str(fault) for fault in caught.value.faults]


# --------------------------------------------------------------------- scenario


def test_a_figure_has_the_source_that_the_user_names() -> None:
    scenario = run()
    assert told(scenario, "mfu") == ("實測，第 4 表", "", "given")
    assert told(scenario, "tokens") == (
        "Hoffmann et al. 2022, arXiv:2203.15556",
        "2022-03",
        "given",
    )
    assert told(scenario, "parameters") == ("given", "", "given")
    assert scenario.figures["pue"] == Scenario(**FIGURES).figures["pue"]


def test_no_cost_rests_on_a_source() -> None:
    costs = [xl_tco.evaluate(scenario).total_usd for scenario in (run(), Scenario(**FIGURES))]
    assert costs[0] == costs[1]


def test_sources_are_part_of_what_a_scenario_is() -> None:
    scenario = run()
    assert scenario.table["sources"] == CITED
    assert Scenario.from_table(scenario.table) == scenario == Scenario(**FIGURES, sources=CITED)
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    assert hash(run()) == hash(scenario)
    assert len({scenario, Scenario(**FIGURES), run({"mfu": "another"})}) == 3
    assert eval(repr(scenario), {"Scenario": Scenario}) == scenario


def test_nothing_typed_is_no_source() -> None:
    empty: list[Any] = [None, {}, {"mfu": None}, {"mfu": " "}, {"mfu": {"source": "", "date": ""}}]
    for sources in empty:
        assert run(sources) == Scenario(**FIGURES), sources
        assert "sources" not in run(sources).table


def test_a_source_is_trimmed_and_may_be_as_long_as_excel_lets_one_type() -> None:
    assert run({"mfu": f"  {LONGEST}\n"}).sources["mfu"].source == LONGEST


def test_a_range_and_a_case_have_sources_too() -> None:
    mfu = {"low": 0.3, "mode": 0.4, "high": 0.5}
    scenario = run({"mfu": "measured", "pue": "the landlord"}, mfu=mfu, cases={"own": {"pue": 1.3}})
    assert told(scenario, "mfu")[0] == "measured"
    assert told(scenario, "pue") == told(Scenario(**FIGURES), "pue")
    assert told(scenario.in_case("own"), "pue") == ("the landlord", "", "given")
    assert scenario.in_case("own").in_case("base") == scenario


def test_a_what_if_keeps_the_sources_of_what_stays() -> None:
    changed = run().replace(mfu=0.5)
    assert told(changed, "mfu") == ("given", "", "given")
    assert dict(changed.sources) == {k: v for k, v in run().sources.items() if k != "mfu"}
    other = run().replace(hfu=0.5, sources={"hfu": "measured", "tokens": None})
    assert set(other.sources) == {"accelerator", "rental_usd_per_accelerator_hour", "hfu"}
    assert told(other, "hfu")[0] == "measured"


def test_a_preset_keeps_its_sources_but_where_the_user_names_one() -> None:
    preset = xl_tco.preset("llama-3.1-405b")
    cited = preset.replace(sources={"mfu": "our own run"})
    assert told(cited, "mfu") == ("our own run", "", "given")
    assert cited.figures["tokens"] == preset.figures["tokens"]
    assert cited.figures["tokens"].status == "official"
    assert "mfu" in preset.published
    assert set(cited.published) == set(preset.published) - {"mfu"}
    assert pickle.loads(pickle.dumps(cited)).figures == cited.figures


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ("Meta", 'sources: "Meta" is text; give a table of fields and texts'),
        ({"mfo": "x"}, 'mfo (sources): no such field; did you mean "mfu"?'),
        ({3: "x"}, "3 (sources): no such field"),
        ({"mfu": 4}, "mfu (sources): its source, 4, is a number; give a text of at most 255"),
        ({"mfu": {"date": "2026"}}, "mfu (sources): its date has no source"),
        ({"mfu": {"source": "x", "day": "y"}}, 'mfu (sources): "day" is no part of a source'),
        ({"mfu": {"source": "x", "date": 2026}}, "mfu (sources): its date, 2026, is a number"),
        ({"mfu": LONGEST + "x"}, "mfu (sources): its source has 256 characters"),
        ({"mfu": "\ud800"}, "mfu (sources): it is no Unicode text"),
        ({"pue": "x"}, "pue (sources): it has no figure of its own; give the figure"),
    ],
)
def test_what_is_no_source_is_refused(sources: Any, said: str) -> None:
    [fault] = faults(sources)
    assert fault.startswith(said)


def test_every_fault_is_told_and_none_twice() -> None:
    found = faults({"mfu": 1, "pue": "x", "tokens": "y"}, tokens="many", staff_fte=-1)
    assert len(found) == 4
    assert not any(fault.startswith("tokens (sources)") for fault in found)


# ------------------------------------------------------------------------ files


def test_files_bring_sources_back(tmp_path: Path) -> None:
    for suffix, write in ((".toml", scenario_toml), (".json", scenario_json)):
        path = tmp_path / f"run{suffix}"
        path.write_text(write(run(cases={"low": {"pue": 1.1}})), encoding="utf-8")
        assert load_scenario(path) == run(cases={"low": {"pue": 1.1}})


def test_sources_are_the_last_table_of_a_file() -> None:
    text = scenario_toml(run(cases={"low": {"pue": 1.1}}, case="low"))
    assert text.endswith(
        "[sources]\n"
        'tokens = {source = "Hoffmann et al. 2022, arXiv:2203.15556", date = "2022-03"}\n'
        'accelerator = "=the order, “16 節點”"\n'
        'mfu = "實測，第 4 表"\n'
        'rental_usd_per_accelerator_hour = {source = "Quote 17/B", date = "2026-11-30"}\n'
    )
    assert [*tomllib.loads(text)][-2:] == ["cases", "sources"]
    assert [*json.loads(scenario_json(run(cases={"low": {"pue": 1.1}})))][-1] == "sources"


def test_a_date_of_toml_is_a_date(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    text = scenario_toml(Scenario(**FIGURES))
    path.write_text(text + '[sources]\nmfu = {source = "x", date = 2026-11-30}\n')
    assert load_scenario(path).sources["mfu"].date == "2026-11-30"


def test_the_result_of_a_run_brings_its_sources_back(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(xl_tco.evaluate(run()).to_dict()))
    again = load_scenario(path)
    assert again.sources == run().sources
    assert again.figures["pue"] == run().figures["pue"]


def test_the_schema_knows_sources() -> None:
    schema = json_schema()["properties"]["sources"]
    assert list(schema["properties"]) == list(FIELDS)
    assert schema["additionalProperties"] is False
    text, table = schema["properties"]["mfu"]["anyOf"]
    assert text == {"type": "string", "maxLength": 255}
    assert table["properties"] == {"source": text, "date": text}
    assert (table["required"], table["additionalProperties"]) == (["source"], False)


def test_the_example_names_its_sources() -> None:
    example = load_scenario(EXAMPLE)
    assert [*tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))][-1] == "sources"
    assert "arXiv:2407.21783" in example.figures["mfu"].source
    assert "assumption" in example.figures["staff_fte"].source


# --------------------------------------------------------------------- workbook


def rows(package: bytes, *, values: bool) -> dict[str, dict[str, Any]]:
    """The cells of Inputs by field and letter of the column."""
    sheet = openpyxl.load_workbook(BytesIO(package), data_only=values)["Inputs"]
    return {
        str(row[2].value): {cell.column_letter: cell for cell in row}
        for row in sheet.iter_rows(min_row=5)
    }


def shown(package: bytes, field: str) -> list[Any]:
    """Source, date, status, and what is typed of source and date."""
    cells = rows(package, values=True)[field]
    return [cells[letter].value for letter in "OPQUV"]


BOOKS: list[tuple[Formulas, str, str, str]] = [
    ("functions", "en", "given in this workbook", "given"),
    ("native", "en", "given in this workbook", "given"),
    ("native", "zh-TW", "本活頁簿輸入", "已填"),
]


@pytest.mark.parametrize(("formulas", "language", "otherwise", "given"), BOOKS)
def test_a_workbook_shows_sources_beside_the_inputs(
    formulas: Formulas, language: str, otherwise: str, given: str
) -> None:
    package = workbook_bytes(run(), formulas, language)
    assert not check_package(package)
    quote = ["Quote 17/B", "2026-11-30"]
    assert shown(package, "rental_usd_per_accelerator_hour") == [*quote, given, *quote]
    assert shown(package, "mfu") == ["實測，第 4 表", "—", given, "實測，第 4 表", None]
    assert shown(package, "accelerator")[0] == "=the order, “16 節點”"
    assert shown(package, "parameters") == [otherwise, "—", given, None, None]
    pue = run().figures["pue"]
    assert shown(package, "pue")[:2] == [pue.source, pue.date]
    assert scenario_in(package) == run()
    assert workbook_bytes(scenario_in(package), formulas, language) == package


@cache
def native() -> bytes:
    return workbook_bytes(run(), "native")


def test_columns_of_sources_are_open_blue_and_checked() -> None:
    package = native()
    sheet = opened(package)["Inputs"]
    assert [sheet["U4"].value, sheet["V4"].value] == ["Your source", "Your date"]
    for cells in [row for name, row in rows(package, values=False).items() if name in FIGURES]:
        for letter in "UV":
            assert not cells[letter].protection.locked
            assert cells[letter].number_format == "@"
            [check] = [
                validation
                for validation in sheet.data_validations.dataValidation
                if cells[letter].coordinate in validation.sqref
            ]
            assert (check.type, check.operator, check.formula1) == (
                "textLength",
                "lessThanOrEqual",
                "255",
            )
    assert sheet.page_setup.fitToWidth == 2
    assert sheet.print_area.endswith(f"$V${sheet.max_row}")


def test_no_formula_of_a_source_is_long_or_nested() -> None:
    cells = rows(native(), values=False).values()
    found = [str(row[letter].value) for row in cells for letter in "OP"]
    formulas = [text for text in found if text.startswith("=")]
    assert len(formulas) == 2 * len(FIELDS)
    assert all(len(text) <= 80 and text.count("IF(") <= 1 for text in formulas)


def typed(changes: dict[str, dict[str, Any]]) -> bytes:
    """A workbook in which somebody typed into columns of fields, and saved."""
    package = native()
    book: Workbook = opened(package)
    for field, columns in changes.items():
        row = rows(package, values=False)[field]["C"].row
        for letter, value in columns.items():
            book["Inputs"][f"{letter}{row}"] = value
    return calculated(saved(book))[0]


def test_what_is_typed_is_read_and_shown() -> None:
    package = typed(
        {
            "parameters": {"U": "  the model card ", "V": dt.datetime(2024, 7, 23)},
            "mfu": {"U": None},
            "staff_fte": {"U": 2026},
            "pue": {"E": 1.3, "U": "the landlord"},
        }
    )
    sources = scenario_in(package).sources
    assert (sources["parameters"].source, sources["parameters"].date) == (
        "the model card",
        "2024-07-23",
    )
    assert "mfu" not in sources
    assert sources["staff_fte"].source == "2026"
    assert shown(package, "pue")[:3] == ["the landlord", "—", "given"]
    assert shown(package, "mfu")[:2] == ["given in this workbook", "—"]
    assert sources["tokens"] == run().sources["tokens"]


def test_a_source_without_a_figure_is_refused_at_its_cell() -> None:
    package = typed({"pue": {"U": "the landlord"}, "tokens": {"U": None}, "mfu": {"U": "x" * 256}})
    row = {name: cells["C"].row for name, cells in rows(package, values=False).items()}
    with pytest.raises(InputError) as caught:
        scenario_in(package, "run.xlsx")
    found = {(fault.field, fault.place): fault.problem for fault in caught.value.faults}
    assert found == {
        ("tokens", f"Inputs!U{row['tokens']}"): "its date has no source",
        ("mfu", f"Inputs!U{row['mfu']}"): "its source has 256 characters",
        ("pue", f"Inputs!U{row['pue']}"): "it has no figure of its own",
    }


def test_an_error_in_a_source_is_refused_at_its_cell() -> None:
    with pytest.raises(InputError, match=r"mfu \(Inputs!U\d+\): #REF! is an error"):
        scenario_in(typed({"mfu": {"U": "#REF!"}}))


def test_a_preset_brings_its_sources_into_the_workbook() -> None:
    preset = xl_tco.preset("gpt-3-175b")
    package = workbook_bytes(preset, "native")
    assert not check_package(package)
    tokens = preset.figures["tokens"]
    assert shown(package, "tokens") == [
        tokens.source,
        tokens.date,
        "given",
        tokens.source,
        tokens.date,
    ]
    rent = preset.figures["rental_usd_per_accelerator_hour"].source
    assert len(rent) > 255
    assert shown(package, "rental_usd_per_accelerator_hour")[0] == f"{rent[:254]}…"
    again = scenario_in(package)
    assert again.given == preset.given
    assert set(again.sources) == set(preset.published)
    assert workbook_bytes(again, "native") == package


def test_a_workbook_without_sources_has_none() -> None:
    package = workbook_bytes(Scenario(**FIGURES), "native")
    assert not scenario_in(package).sources
    book = opened(package)
    del book.defined_names["sources"]  # as of a version before there were any
    assert scenario_in(saved(book)) == Scenario(**FIGURES)

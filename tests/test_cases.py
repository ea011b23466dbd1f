"""Cases of a scenario: low, high and own, laid over its base; and the scenario written as text.

What a case comes to is checked against the scenario of the figures that it lays over, put together
here by hand.
"""

import json
import math
import pickle
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from strategies import drawn, number, tables
from xl_tco import InputError, Scenario, evaluate, load_scenario, load_scenarios
from xl_tco.analysis.cases import cases_of, in_case, ranges_of
from xl_tco.analysis.tornado import tornado
from xl_tco.analysis.uncertainty import simulate
from xl_tco.catalogue import find
from xl_tco.cli import app
from xl_tco.distributions import KINDS
from xl_tco.errors import Fault
from xl_tco.fields import ALTERNATIVES, FIELDS
from xl_tco.presets import preset, preset_names
from xl_tco.resolve import in_use
from xl_tco.saving import scenario_json, scenario_toml, spelt
from xl_tco.scenario import json_schema

RENT: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024.0,
    "mfu": 0.4,
    "procurement": "rent",
    "staff_fte": 10.0,
    "storage_usd_per_hour": 50.0,
}
OWN: dict[str, Any] = {**RENT, "procurement": "own"}
CASES: dict[str, dict[str, Any]] = {
    "low": {"mfu": 0.45, "pue": 1.1},
    "high": {"mfu": 0.35, "region": "taiwan"},
    "own": {"hfu": 0.5},
}
MFU = {"low": 0.35, "mode": 0.4, "high": 0.45}
PRICE = {"distribution": "uniform", "low": 2.0, "high": 3.0}
UNCERTAIN: dict[str, Any] = {
    **RENT,
    "mfu": MFU,
    "rental_usd_per_accelerator_hour": PRICE,
    "staff_fte": {"distribution": "normal", "mean": 10.0, "sd": 2.0},
    "correlations": [
        ["mfu", "staff_fte", 0.3],
        ["staff_fte", "rental_usd_per_accelerator_hour", 0.1],
    ],
}


def faults(table: Mapping[str, object]) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(table)
    return caught.value.faults


def by_hand(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Lay changes over a table; of fields that say the same the last one stays."""
    gone = {name for group in ALTERNATIVES if {*group} & {*changes} for name in group}
    return {name: value for name, value in table.items() if name not in gone} | {**changes}


# A case in force


@pytest.mark.parametrize("base", [RENT, OWN])
@pytest.mark.parametrize("case", ["low", "high", "own"])
def test_a_case_is_the_base_with_its_figures_laid_over(base: dict[str, Any], case: str) -> None:
    run = Scenario(**base, cases=CASES, case=case)
    wanted = Scenario(**by_hand(base, CASES[case]))
    assert dict(run.given) == dict(wanted.given)
    assert dict(run.values) == dict(wanted.values)
    assert dict(run.figures) == dict(wanted.figures)
    assert evaluate(run).total_usd == evaluate(wanted).total_usd
    assert run.case == case
    assert {name: dict(figures) for name, figures in run.cases.items()} == CASES


def test_the_base_is_in_force_unless_a_case_is_named() -> None:
    run = Scenario(**RENT, cases=CASES)
    assert dict(run.given) == RENT
    assert run.case == "base"
    for same in (None, "", "base"):
        assert Scenario(**RENT, cases=CASES, case=same) == run


def test_cases_are_part_of_what_a_scenario_is() -> None:
    runs = [
        Scenario(**RENT),
        Scenario(**RENT, cases={}),
        Scenario(**RENT, cases={"low": {}}),
        Scenario(**RENT, cases=CASES),
        *(Scenario(**RENT, cases=CASES, case=case) for case in CASES),
    ]
    assert len({*runs}) == len(runs) - 1  # no cases are none
    assert runs[0] == runs[1]
    for run in runs:
        for again in (Scenario.from_table(run.table), pickle.loads(pickle.dumps(run))):
            assert again == run
            assert hash(again) == hash(run)
            assert dict(again.values) == dict(run.values)
        assert eval(repr(run), {"Scenario": Scenario}) == run


def test_a_scenario_with_other_figures_in_a_case_is_another() -> None:
    run = Scenario(**RENT, cases=CASES)
    other = Scenario(**RENT, cases={**CASES, "low": {"mfu": 0.46, "pue": 1.1}})
    assert run != other
    assert Scenario(**RENT, cases={**CASES, "low": {"pue": 1.1, "mfu": 0.45}}) == run


def test_in_case_only_changes_which_one_is_in_force() -> None:
    run = Scenario(**RENT, cases=CASES)
    for case in ("base", *CASES):
        assert run.in_case(case) == Scenario(**RENT, cases=CASES, case=case)
        assert run.in_case(case).in_case("base") == run
    for bad in ("best", "Low", ""):
        if bad:
            with pytest.raises(InputError) as caught:
                run.in_case(bad)
            assert caught.value.faults[0].field == "case"


def test_a_case_that_gives_a_figure_takes_its_range_away() -> None:
    run = Scenario(**UNCERTAIN, cases={"low": {"mfu": 0.45}, "high": {"pue": 1.5}})
    assert {*run.ranges} == {"mfu", "rental_usd_per_accelerator_hour", "staff_fte"}
    low, high = run.in_case("low"), run.in_case("high")
    assert {*low.ranges} == {"rental_usd_per_accelerator_hour", "staff_fte"}
    assert low.correlations == (("staff_fte", "rental_usd_per_accelerator_hour", 0.1),)
    assert low.given["mfu"] == 0.45
    assert high.ranges == run.ranges
    assert high.correlations == run.correlations
    assert low.in_case("base").ranges == run.ranges


def test_another_way_to_say_a_thing_takes_its_range_away() -> None:
    run = Scenario(**UNCERTAIN, cases={"own": {"hfu": 0.5}}, case="own")
    assert "mfu" not in run.ranges
    assert "mfu" not in run.given
    assert run.values["hfu"] == 0.5


def test_sources_of_a_preset_stay_with_what_the_case_leaves() -> None:
    run = preset("llama-3.1-405b")
    table = {**run.table, "cases": {"low": {"mfu": 0.45}, "high": {}}, "case": "low"}
    low = Scenario.from_table(table, figures=run.published)
    assert low.figures["mfu"].status == "given"
    assert low.figures["tokens"] == run.figures["tokens"]
    assert low.in_case("high").figures["mfu"] == run.figures["mfu"]
    assert "mfu" not in low.published
    assert low.in_case("base").published == run.published
    again = pickle.loads(pickle.dumps(low))
    assert again.in_case("base").figures == run.figures


def test_a_what_if_is_of_the_case_in_force_alone() -> None:
    run = Scenario(**UNCERTAIN, cases=CASES, case="low")
    changed = run.replace(tokens=2e12)
    wanted = {**by_hand(UNCERTAIN, CASES["low"]), "tokens": 2e12}
    wanted["correlations"] = [["staff_fte", "rental_usd_per_accelerator_hour", 0.1]]
    assert changed == Scenario(**wanted)
    assert changed.case == "base"
    assert not changed.cases
    assert run.replace(mfu=0.3).values["mfu"] == 0.3


def test_a_what_if_may_have_cases_of_its_own() -> None:
    run = Scenario(**RENT, cases=CASES, case="high").replace(
        cases={"low": {"mfu": 0.5}}, case="low"
    )
    assert run == Scenario(**by_hand(RENT, CASES["high"]), cases={"low": {"mfu": 0.5}}, case="low")


# Faults

BAD = [
    # cases, case, kind, field, place, a piece of the problem
    ({"low": {"mfu": 1.4}}, None, "range", "mfu", "case low", "1.4 is out of range"),
    ({"low": {"mfu": "0.4"}}, None, "type", "mfu", "case low", '"0.4" is text'),
    ({"high": {"mfuu": 0.4}}, None, "unknown key", "mfuu", "case high", "did you mean"),
    ({"own": {"mfu": MFU}}, None, "type", "mfu", "case own", "is a table"),
    ({"own": {"procurement": "lease"}}, "own", "unknown key", "procurement", "case own", "lease"),
    ({"low": {"mfu": 0.9, "recompute_share": 0.3}}, None, "conflict", "mfu", "case low", "HFU"),
    ({"low": {"mfu": 0.9, "recompute_share": 0.3}}, "low", "conflict", "mfu", "case low", "HFU"),
    ({"high": {"accelerator": "custom"}}, None, "missing", "peak_tflops", "case high", "nothing"),
    ({"low": {"correlations": []}}, None, "unknown key", "correlations", "case low", "no such"),
    ({"low": {"cases": {}}}, None, "unknown key", "cases", "case low", "no such field"),
    ({"low": {1: 0.4}}, None, "unknown key", "1", "case low", "no such field"),
    ({"low": [0.4]}, None, "type", "cases", "case low", "is a list"),
    ({"base": {"mfu": 0.4}}, None, "unknown key", "cases", "", '"base" is no case'),
    ({"Low": {"mfu": 0.4}}, None, "unknown key", "cases", "", 'did you mean "low"'),
    ({7: {}}, None, "unknown key", "cases", "", "7"),
    ([], None, "type", "cases", "", "is a list"),
    ("low", None, "type", "cases", "", "is text"),
    ({}, "low", "missing", "case", "", "nothing is given for the case low"),
    ({"low": {}}, "high", "missing", "case", "", "nothing is given for the case high"),
    (CASES, "best", "unknown key", "case", "", '"best" is no case'),
    (CASES, 1, "type", "case", "", "1 is a number"),
]  # fmt: skip


@pytest.mark.parametrize(("cases", "case", "kind", "field", "place", "problem"), BAD)
def test_a_fault_of_a_case_names_it(
    cases: Any, case: Any, kind: str, field: str, place: str, problem: str
) -> None:
    found = faults({**RENT, "cases": cases, "case": case})
    assert (found[0].kind, found[0].field, found[0].place) == (kind, field, place)
    assert problem in found[0].problem
    assert {fault.place for fault in found} == {place}


def test_all_faults_of_all_cases_come_at_once_and_those_of_the_base_once() -> None:
    cases = {"low": {"mfu": 1.4}, "high": {"pue": "x", "mfuu": 1}}
    found = faults({**RENT, "tokens": -1, "cases": cases, "case": "worst"})
    assert {(fault.field, fault.place) for fault in found} == {
        ("tokens", ""),
        ("mfu", "case low"),
        ("pue", "case high"),
        ("mfuu", "case high"),
        ("case", ""),
    }
    assert len(found) == 5


@pytest.mark.parametrize("empty", [None, ""])
def test_what_is_empty_in_a_case_is_as_the_base(empty: object) -> None:
    cases = {"low": {"mfu": empty, "pue": 1.1}, "high": empty}
    assert Scenario.from_table({**RENT, "cases": cases}) == Scenario(
        **RENT, cases={"low": {"pue": 1.1}}
    )


# Files


def test_toml_and_json_have_cases(tmp_path: Path) -> None:
    wanted = Scenario(**RENT, cases=CASES, case="low")
    lines = [f"{name} = {value!r}" for name, value in RENT.items()]
    lines.append('case = "low"')
    for case, figures in CASES.items():
        lines += [f"[cases.{case}]", *(f"{name} = {value!r}" for name, value in figures.items())]
    toml, plain = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text("\n".join(lines))
    plain.write_text(json.dumps({**RENT, "cases": CASES, "case": "low"}))
    assert load_scenario(toml) == wanted
    assert load_scenario(plain) == wanted


def test_a_row_of_csv_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for name, value in (("case", "low"), ("cases", "low")):
        path.write_text(
            ",".join([*RENT, name]) + "\n" + ",".join([*map(str, RENT.values()), value])
        )
        with pytest.raises(InputError) as caught:
            load_scenarios(path)
        assert [(f.field, f.place) for f in caught.value.faults] == [(name, "row 2")]


def test_the_json_of_a_result_says_of_which_case_it_is(tmp_path: Path) -> None:
    run = Scenario(**RENT, cases=CASES)
    assert "case" not in evaluate(run).to_dict()
    low = evaluate(run.in_case("low")).to_dict()
    assert low["case"] == "low"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(low))
    again = load_scenario(path)
    assert evaluate(again).total_usd == low["total_usd"] == evaluate(run.in_case("low")).total_usd


def test_the_json_schema_has_cases_of_plain_figures() -> None:
    properties = json_schema()["properties"]
    assert properties["case"]["enum"] == ["base", "low", "high", "own"]
    assert [*properties["cases"]["properties"]] == ["low", "high", "own"]
    assert properties["cases"]["additionalProperties"] is False
    low = properties["cases"]["properties"]["low"]
    assert [*low["properties"]] == [*FIELDS]
    assert low["additionalProperties"] is False
    assert low["properties"]["mfu"]["type"] == "number"
    assert low["properties"]["mfu"]["maximum"] == 1


# Written as text


def both(run: Scenario, tmp_path: Path) -> None:
    """Check that the TOML and the JSON of a scenario are the same scenario, to the last bit."""
    toml, plain = scenario_toml(run, "A run"), scenario_json(run)
    assert Scenario.from_table(tomllib.loads(toml)) == run
    assert Scenario.from_table(json.loads(plain)) == run
    for suffix, text in ((".toml", toml), (".json", plain)):
        path = tmp_path / f"again{suffix}"
        path.write_bytes(text.encode())
        again = load_scenario(path)
        assert again == run
        assert exact(again.table) == exact(run.table)
        assert dict(again.values) == dict(run.values)


def exact(value: Any) -> Any:
    """Return what tells floats apart that are equal: 0 and −0."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mapping):
        return {name: exact(part) for name, part in value.items()}
    return [exact(part) for part in value] if isinstance(value, list | tuple) else value


ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)


@st.composite
def scenarios(draw: st.DrawFn, names: st.SearchStrategy[str] = ANY_TEXT) -> Scenario:
    """Draw scenarios of every sort, with ranges, correlations and cases."""
    table = draw(tables())
    if draw(st.booleans()):
        table["name"] = draw(names)
    wide = [name for name in ("tokens", "staff_fte", "pue") if name in table]
    for name in wide:
        if table[name] > 1.0 and draw(st.booleans()):
            low, high = 1.0 + (table[name] - 1.0) * draw(number(0, 0.9)), table[name]
            kind = draw(st.sampled_from(["triangular", "pert", "uniform", "lognormal"]))
            numbers = {"low": low, "mode": table[name], "high": high, "p10": low, "p90": high}
            table[name] = {"distribution": kind, **{k: numbers[k] for k in KINDS[kind]}}
    ranges = [name for name in wide if isinstance(table[name], dict)]
    if len(ranges) > 1 and draw(st.booleans()):
        table["correlations"] = [[*ranges[:2], draw(st.floats(-0.99, 0.99))]]
    if draw(st.booleans()):
        chosen = sorted(draw(st.sets(st.sampled_from(["low", "high", "own"]), min_size=1)))
        figures = st.fixed_dictionaries(
            {}, optional={"tokens": number(1e6, 1e15), "pue": number(1, 3), "name": st.text("ab")}
        )
        table["cases"] = {name: draw(figures) for name in chosen}
        if draw(st.booleans()):
            table["case"] = draw(st.sampled_from(chosen))
    try:
        return Scenario.from_table(table)
    except InputError:  # ends that are equal, say: what is drawn is drawn again
        from hypothesis import reject

        reject()


@given(run=scenarios())
def test_a_scenario_written_is_the_same_scenario(
    tmp_path_factory: pytest.TempPathFactory, run: Scenario
) -> None:
    both(run, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("name", ['a "b" \\ c', "a\nb\r\n", "七\x7f\x85\u2028", "= 1 # x", "𝄞'''"])
def test_any_name_is_written(tmp_path: Path, name: str) -> None:
    both(Scenario(**{**RENT, "name": name}, cases={"low": {"name": name * 2}}), tmp_path)


def test_what_is_written_reads_like_what_people_write() -> None:
    run = Scenario(**UNCERTAIN, cases=CASES, case="low")
    lines = scenario_toml(run, "Read from a.xlsx\n by us").splitlines()
    assert lines == [
        "# Read from a.xlsx? by us",
        "parameters = 70e9",
        "tokens = 1.4e12",
        'accelerator = "h100-sxm"',
        "accelerators = 1024",
        "mfu = {low = 0.35, mode = 0.4, high = 0.45}",
        'procurement = "rent"',
        'staff_fte = {distribution = "normal", mean = 10, sd = 2}',
        "storage_usd_per_hour = 50",
        'rental_usd_per_accelerator_hour = {distribution = "uniform", low = 2, high = 3}',
        'case = "low"',
        "correlations = [",
        '    ["mfu", "staff_fte", 0.3],',
        '    ["staff_fte", "rental_usd_per_accelerator_hour", 0.1],',
        "]",
        "",
        "[cases.low]",
        "mfu = 0.45",
        "pue = 1.1",
        "",
        "[cases.high]",
        "mfu = 0.35",
        'region = "taiwan"',
        "",
        "[cases.own]",
        "hfu = 0.5",
    ]


SPELT = [
    (405e9, "405e9"),
    (15.6e12, "15.6e12"),
    (1.4e12, "1.4e12"),
    (1e18, "1e18"),
    (1e6, "1e6"),
    (999999.0, "999999"),
    (16384.0, "16384"),
    (1234567.0, "1234567"),
    (1234567.5, "1.2345675e6"),
    (30_840_000.0, "30.84e6"),
    (0.41, "0.41"),
    (2.5, "2.5"),
    (0.0001, "0.0001"),
    (5e-6, "5e-6"),
    (1.5e-5, "15e-6"),
    (0.0, "0"),
    (-0.0, "-0.0"),
    (-0.3, "-0.3"),
    (0.1 + 0.2, "0.30000000000000004"),
]


@pytest.mark.parametrize(("value", "text"), SPELT)
def test_a_number_is_spelt_as_people_do(value: float, text: str) -> None:
    assert spelt(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_spelt_exactly(value: float) -> None:
    assert float(spelt(value)).hex() == value.hex()
    told = tomllib.loads(f"a = {spelt(value)}")["a"]
    assert float(told).hex() == value.hex()


# Cases and ranges that stand in


def test_inputs_of_known_ends_make_the_automatic_cases() -> None:
    """Against the catalogue: the ends of the price stand there."""
    for table, name in ((OWN, "accelerator_price_usd"), (RENT, "rental_usd_per_accelerator_hour")):
        low, high = (find("h100-sxm", f"{name}_{end}") for end in ("low", "high"))
        assert low is not None
        assert high is not None
        assert cases_of(Scenario(**table)) == {
            "low": {name: low.value},
            "high": {name: high.value},
            "own": {},
        }


def test_a_range_of_the_scenario_has_ends_of_its_own() -> None:
    run = Scenario(**UNCERTAIN)
    found = cases_of(run)
    for field, cheap in (
        ("mfu", 0.9),
        ("staff_fte", 0.1),
        ("rental_usd_per_accelerator_hour", 0.1),
    ):
        low, high = run.ranges[field].quantile([0.1, 0.9])
        assert found["low"][field] == (high if cheap == 0.9 else low)
        assert found["high"][field] == (low if cheap == 0.9 else high)
    bars = tornado(run, [*run.ranges])
    assert evaluate(in_case(run, "low")).total_usd == pytest.approx(bars.best, rel=1e-12)
    assert evaluate(in_case(run, "high")).total_usd == pytest.approx(bars.worst, rel=1e-12)


def test_cases_of_the_scenario_win_each_for_itself() -> None:
    automatic = cases_of(Scenario(**OWN))
    run = Scenario(**OWN, cases={"low": {}, "own": {"pue": 1.2}}, case="own")
    assert cases_of(run) == {"low": {}, "high": automatic["high"], "own": {"pue": 1.2}}
    assert cases_of(Scenario(**OWN, cases=CASES)) == CASES


def test_a_case_that_stands_in_can_be_in_force() -> None:
    run = Scenario(**OWN, cases={"own": {"pue": 1.2}})
    low = in_case(run, "low")
    assert low.values["accelerator_price_usd"] == 20_000
    assert {name: dict(case) for name, case in low.cases.items()} == {
        "low": {"accelerator_price_usd": 20_000},
        "own": {"pue": 1.2},
    }
    assert in_case(run, "own") == run.in_case("own")
    assert in_case(run, "base") == run
    named = preset(preset_names()[0])
    assert in_case(named, "low").figures["tokens"] == named.figures["tokens"]


def test_inputs_that_are_not_in_use_are_no_part_of_a_case() -> None:
    run = Scenario(**{**OWN, "rental_usd_per_accelerator_hour": PRICE})
    assert "rental_usd_per_accelerator_hour" not in cases_of(run)["low"]


def test_ends_that_together_make_no_scenario_are_left_out() -> None:
    """Each of the two is fine; the dearer end of one leaves the other no room."""
    run = Scenario(
        **{
            **OWN,
            "network_share": {"distribution": "uniform", "low": 0.1, "high": 0.7},
            "storage_share": {"distribution": "uniform", "low": 0.1, "high": 0.5},
        }
    )
    high = cases_of(run)["high"]
    assert len({"network_share", "storage_share"} & high.keys()) == 1
    assert in_case(run, "high").case == "high"


@pytest.mark.parametrize("table", drawn(40, 5))
def test_low_never_costs_more_and_high_never_less(table: dict[str, Any]) -> None:
    """And every input in them has known ends, at one of which it is."""
    if table["staff_fte"]:
        spread = {"distribution": "uniform", "low": 0.0, "high": table["staff_fte"]}
        table = {**table, "staff_fte": spread}
    run = Scenario.from_table(table)
    found = cases_of(run)
    totals = [evaluate(in_case(run, case)).total_usd for case in ("low", "base", "high")]
    assert totals == sorted(totals)
    for name in {*found["low"], *found["high"]}:
        assert in_use(name, run.values)
        assert name in run.ranges or name not in run.given
        assert found["low"].get(name) != found["high"].get(name)


@pytest.mark.parametrize("table", [OWN, RENT, {**OWN, "waste_share": 0.95}])
def test_ranges_that_stand_in(table: dict[str, Any]) -> None:
    """First the catalogue's, then a tenth to either side of estimates and shares, in bounds."""
    run = Scenario(**table)
    own = table["procurement"] == "own"
    first = "accelerator_price_usd" if own else "rental_usd_per_accelerator_hour"
    found = ranges_of(run)
    ends = [find("h100-sxm", key) for key in (f"{first}_low", first, f"{first}_high")]
    assert next(iter(found)) == first
    assert found[first].parameters == tuple(end.value for end in ends if end is not None)
    assert 2 < len(found) <= 8
    for name, values in found.items():
        value, field = run.values[name], FIELDS[name]
        assert (values.kind, values.point, values.domain) == ("triangular", value, field.domain)
        assert in_use(name, run.values)
        if name != first:
            assert "share" in field.unit or run.figures[name].status == "estimate"
            low, _, high = values.parameters
            assert low == pytest.approx(0.9 * value, rel=1e-9)
            assert high == pytest.approx(min(1.1 * value, 1.0 if "share" in field.unit else 1e9))
    widths = [tornado(run, [name]).bars[0].width for name in [*found][1:]]
    assert widths == sorted(widths, reverse=True)
    assert simulate(run.replace(**found), 1000).sd > 0.0


def test_ranges_of_the_scenario_are_its_own_whatever_case_is_in_force() -> None:
    run = Scenario(**UNCERTAIN, cases=CASES)
    assert ranges_of(run) == dict(run.ranges)
    assert [*ranges_of(run)] == ["mfu", "staff_fte", "rental_usd_per_accelerator_hour"]
    assert ranges_of(run.in_case("low")) == dict(run.ranges)
    assert math.isclose(run.in_case("low").values["mfu"], 0.45)


# The command


def evaluated(path: Path, *options: str) -> Any:
    result = CliRunner().invoke(app, ["evaluate", str(path), "--json", *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_evaluate_costs_the_case_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    run = Scenario(**OWN, cases={"high": {"pue": 1.5}, "own": CASES["own"]}, case="own")
    path.write_text(scenario_toml(run))
    assert evaluated(path)["total_usd"] == evaluate(run).total_usd
    for case in ("base", "high", "own"):
        assert evaluated(path, "--case", case) == evaluate(run.in_case(case)).to_dict()
    low = evaluated(path, "--case", "low")  # as it stands in
    cheap = Scenario(**OWN, accelerator_price_usd=20_000)
    assert (low["case"], low["total_usd"]) == ("low", evaluate(cheap).total_usd)


def test_evaluate_costs_the_case_of_each_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [",".join(map(str, table.values())) for table in (RENT, OWN)]
    path.write_text("\n".join([",".join(RENT), *rows]))
    found = evaluated(path, "--case", "high")
    wanted = [in_case(Scenario(**table), "high") for table in (RENT, OWN)]
    assert found == [evaluate(run).to_dict() for run in wanted]


def test_evaluate_knows_no_other_case(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(RENT))
    result = CliRunner().invoke(app, ["evaluate", str(path), "--case", "best"])
    assert result.exit_code == 2
    assert "best" in result.output

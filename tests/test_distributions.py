"""Ranges: distributions against SciPy's, what is refused, and how a scenario holds them."""

import copy
import json
import math
import pickle
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from xl_tco import InputError, Scenario, correlations, evaluate, load_scenario
from xl_tco.distributions import ANY_NUMBER, KINDS, Distribution
from xl_tco.fields import FIELDS, Number
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
MFU = {"low": 0.35, "mode": 0.40, "high": 0.45}
WASTE = {"distribution": "pert", "low": 0.02, "mode": 0.1, "high": 0.3}
PUE = {"distribution": "uniform", "low": 1.1, "high": 1.5}


def read(name: str, **table: Any) -> Distribution:
    return Distribution.read(table, FIELDS[name])


def pert(low: float, mode: float, high: float) -> Any:
    a = 1 + 4 * (mode - low) / (high - low)
    return stats.beta(a, 6 - a, loc=low, scale=high - low)


def triangular(low: float, mode: float, high: float) -> Any:
    return stats.triang((mode - low) / (high - low), loc=low, scale=high - low)


def normal(mean: float, sd: float, low: float, high: float) -> Any:
    return stats.truncnorm((low - mean) / sd, (high - mean) / sd, loc=mean, scale=sd)


# Each with the same distribution made by SciPy.
SAME = {
    "triangular": (read("mfu", **MFU), triangular(0.35, 0.40, 0.45)),
    "triangular, mode at low": (
        read("mfu", low=0.3, mode=0.3, high=0.5),
        triangular(0.3, 0.3, 0.5),
    ),
    "triangular, mode at high": (read("pue", low=1, mode=2, high=2), triangular(1, 2, 2)),
    "pert": (read("waste_share", **WASTE), pert(0.02, 0.1, 0.3)),
    "pert, mode at low": (
        read("tokens", distribution="pert", low=1e12, mode=1e12, high=2e13),
        pert(1e12, 1e12, 2e13),
    ),
    "pert, mode at high": (
        read("pue", distribution="pert", low=1.05, mode=1.6, high=1.6),
        pert(1.05, 1.6, 1.6),
    ),
    "uniform": (read("pue", **PUE), stats.uniform(1.1, 0.4)),
    "normal": (
        read("accelerator_price_usd", distribution="normal", mean=3e4, sd=3e3),
        stats.norm(3e4, 3e3),
    ),
    "normal, cut off below": (
        read("pue", distribution="normal", mean=1.1, sd=0.2),
        normal(1.1, 0.2, 1, 10),
    ),
    "normal, cut off at both ends": (
        read("power_draw_share", distribution="normal", mean=0.9, sd=0.7),
        normal(0.9, 0.7, 0, 1),
    ),
    "lognormal": (
        read("electricity_usd_per_kwh", distribution="lognormal", p10=0.05, p90=0.12),
        stats.lognorm(math.log(0.12 / 0.05) / 2 / stats.norm.ppf(0.9), scale=math.sqrt(0.006)),
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_quantiles_are_scipys(case: str) -> None:
    ours, theirs = SAME[case]
    tails = 10.0 ** -np.arange(1, 13)
    share = np.concatenate([tails, np.linspace(0.001, 0.999, 999), 1 - tails])
    width = theirs.ppf(0.9) - theirs.ppf(0.1)
    wanted = np.where(share < 0.5, theirs.ppf(share), theirs.isf(1 - share))
    np.testing.assert_allclose(ours.quantile(share), wanted, rtol=1e-9, atol=1e-10 * width)


@pytest.mark.parametrize("case", SAME)
def test_samples_have_the_distribution(case: str) -> None:
    ours, theirs = SAME[case]
    values = ours.sample(np.random.default_rng(7), 20_000)
    assert stats.kstest(values, theirs.cdf).pvalue > 0.001
    assert values.mean() == pytest.approx(theirs.mean(), abs=5 * theirs.std() / math.sqrt(20_000))


def test_a_lognormal_is_cut_off_by_its_inverse() -> None:
    ours = read("power_draw_share", distribution="lognormal", p10=0.5, p90=0.95)
    whole = stats.lognorm(math.log(1.9) / 2 / stats.norm.ppf(0.9), scale=math.sqrt(0.475))
    share = np.linspace(0, 1, 101)
    assert whole.sf(1.0) > 0.05
    np.testing.assert_allclose(whole.cdf(ours.quantile(share)), share * whole.cdf(1.0), atol=1e-12)


def test_pert_has_the_mean_of_its_definition() -> None:
    """(low + 4·mode + high)/6: Malcolm et al. 1959."""
    share = (np.arange(100_000) + 0.5) / 100_000
    mean = read("waste_share", **WASTE).quantile(share).mean()
    assert mean == pytest.approx((0.02 + 4 * 0.1 + 0.3) / 6, rel=1e-7)


@pytest.mark.parametrize("case", SAME)
def test_the_point_is_the_mode_or_the_median(case: str) -> None:
    ours, theirs = SAME[case]
    wanted = ours.parameters[1] if ours.kind in ("triangular", "pert") else theirs.median()
    assert ours.point == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_are_those_given(kind: str) -> None:
    if KINDS[kind][0] == "low":
        ours = Distribution(kind, (0.2, 0.3, 0.7) if "mode" in KINDS[kind] else (0.2, 0.7))
        assert ours.quantile(np.array([0.0, 1.0])).tolist() == [0.2, 0.7]
    else:
        ours = read("mfu", distribution=kind, **dict(zip(KINDS[kind], (0.3, 0.6), strict=True)))
        low, high = ours.quantile(np.array([0.0, 1.0]))
        assert 0 < low < 1e-300  # the domain is open there
        assert high == pytest.approx(1, rel=1e-12)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw a field of numbers and a range that it may have."""
    name = draw(st.sampled_from([field.name for field in FIELDS.values() if field.is_number]))
    domain = cast(Number, FIELDS[name].domain)
    floor = max(domain.low, 1e-9)
    top = min(domain.high, max(1e6, 2 * domain.low)) * (0.999 if domain.high_open else 1)
    kind = draw(st.sampled_from(list(KINDS)))
    names = KINDS[kind]
    whole: Any = st.integers(math.ceil(floor), math.floor(top))
    numbers = whole if domain.whole else st.floats(floor, top)
    values = st.lists(numbers, min_size=3, max_size=3, unique=True)
    ordered = sorted(draw(values))[: len(names)] if kind != "normal" else draw(values)[:2]
    if kind == "normal":
        ordered[1] = abs(ordered[1] - ordered[0])
    return name, {"distribution": kind, **dict(zip(names, ordered, strict=True))}


@example(("mfu", {"distribution": "lognormal", "p10": 1e-9, "p90": 1.0000000000000003e-9}), 0)
@given(ranges(), st.integers(0, 2**32))
def test_no_value_leaves_the_domain(case: tuple[str, dict[str, Any]], seed: int) -> None:
    name, table = case
    made = read(name, **table)
    share = np.concatenate([[0, 1e-300, 1 - 2**-53, 1], np.random.default_rng(seed).random(200)])
    values = np.append(made.quantile(share), made.point)
    assert np.isfinite(values).all()
    assert not cast(Number, FIELDS[name].domain).excludes(values).any()
    ordered = made.quantile(np.sort(share))
    assert (np.diff(ordered) >= -1e-14 * ordered[1:]).all()  # but for rounding


@given(ranges())
def test_a_distribution_is_its_table(case: tuple[str, dict[str, Any]]) -> None:
    name, table = case
    made = read(name, **table)
    assert read(name, **made.to_dict()) == made
    assert hash(read(name, **made.to_dict())) == hash(made)
    assert json.loads(json.dumps(made.to_dict())) == table


@pytest.mark.parametrize("kind", ["uniform", "triangular"])
def test_a_whole_number_is_drawn_by_its_fair_share(kind: str) -> None:
    ends = {"low": 1, "high": 3} | ({"mode": 2} if kind == "triangular" else {})
    share = (np.arange(90_000) + 0.5) / 90_000
    values = read("micro_batch", distribution=kind, **ends).quantile(share)
    counted = [float((values == number).mean()) for number in (1, 2, 3)]
    # A triangle from ½ to 3½ with its tip at 2: the outer thirds have 2/9 of it each.
    wanted = [1 / 3] * 3 if kind == "uniform" else [2 / 9, 5 / 9, 2 / 9]
    assert counted == pytest.approx(wanted, abs=1e-4)


def test_a_distribution_says_what_it_is() -> None:
    assert str(read("mfu", **MFU)) == "triangular, low 0.35, mode 0.4, high 0.45"
    assert str(read("tokens", distribution="uniform", low=1e12, high=2e12)) == (
        "uniform, low 1e+12, high 2e+12"
    )
    assert Distribution("normal", (0.0, 1.0)).domain is ANY_NUMBER


# What is refused

REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("mfu", {"low": 0.5, "mode": 0.4, "high": 0.45}, "range", "low: 0.5 is above mode: 0.4"),
    ("mfu", {"low": 0.3, "mode": 0.5, "high": 0.45}, "range", "mode: 0.5 is above high: 0.45"),
    ("mfu", {"low": 0.4, "mode": 0.4, "high": 0.4}, "range", "low and high are both 0.4"),
    ("mfu", {"low": 0, "mode": 0.4, "high": 0.5}, "range", "low: 0 is out of range"),
    ("mfu", {"low": 0.3, "mode": 0.4, "high": 1.2}, "range", "give a number above 0 and at most 1"),
    ("mfu", {"low": 0.3, "high": 0.4}, "missing", 'another distribution than "triangular"'),
    ("mfu", {"low": 0.3, "mode": None, "high": 0.4}, "missing", "mode is not given"),
    ("mfu", {"low": 0.3, "mod": 0.35, "high": 0.4}, "unknown key", 'did you mean "mode"?'),
    ("mfu", {"low": "a", "mode": 0.35, "high": 0.4}, "type", 'low: "a" is text'),
    ("mfu", {"low": True, "mode": 0.35, "high": 0.4}, "type", "low: True is a yes or no"),
    ("mfu", {"low": math.nan, "mode": 0.35, "high": 0.4}, "range", "low: nan is out of range"),
    ("mfu", {"distribution": "pret", **MFU}, "unknown key", 'did you mean "pert"?'),
    ("mfu", {"distribution": 3, **MFU}, "type", "distribution: 3 is a number"),
    ("mfu", {"distribution": "uniform", **MFU}, "unknown key", 'no "mode"'),
    ("pue", {"distribution": "normal", "mean": 0.9, "sd": 0.1}, "range", "mean: 0.9 is out of"),
    ("pue", {"distribution": "normal", "mean": 1.2, "sd": 0}, "range", "deviation above 0"),
    ("pue", {"distribution": "normal", "mean": 1.2, "sd": 9.1}, "range", "at most 9"),
    ("pue", {"distribution": "lognormal", "p10": 1.3, "p90": 1.2}, "range", "above p90: 1.2"),
    ("staff_fte", {"distribution": "lognormal", "p10": 0, "p90": 9}, "range", "above 0"),
    ("micro_batch", {"low": 1.5, "mode": 2, "high": 3}, "range", "low: 1.5 is out of range"),
    ("mfu", {"value": 0.4}, "type", "is a table"),
    ("mfu", {}, "type", "like {low = …, mode = …, high = …}"),
]


@pytest.mark.parametrize(("field", "table", "kind", "said"), REFUSED)
def test_a_fault_says_field_value_and_what_is_allowed(
    field: str, table: dict[str, Any], kind: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(RENT | {field: table}, "run.toml")
    named = [fault for fault in caught.value.faults if fault.field == field]
    assert kind in {fault.kind for fault in named}
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"run.toml: {field}: ")


def test_a_word_has_no_range() -> None:
    with pytest.raises(InputError, match=r"precision: .* is a table; give one of"):
        Scenario.from_table(RENT | {"precision": {"low": 1, "mode": 2, "high": 3}})


def test_all_faults_of_a_table_come_at_once() -> None:
    bad = {"low": 2, "mode": "a", "top": 1}
    with pytest.raises(InputError) as caught:
        Scenario.from_table(RENT | {"mfu": bad, "pue": {"low": 0.5}, "tokens": -1})
    found = {(fault.kind, fault.field) for fault in caught.value.faults}
    assert found >= {("range", "mfu"), ("type", "mfu"), ("missing", "mfu"), ("unknown key", "mfu")}
    assert found >= {("range", "pue"), ("missing", "pue"), ("range", "tokens")}


numbers = st.one_of(st.floats(), st.integers(), st.none(), st.text(max_size=3), st.booleans())
keys = st.sampled_from(["distribution", "low", "mode", "high", "mean", "sd", "p10", "p90", "x"])
tables = st.dictionaries(keys | st.integers(), numbers | st.sampled_from(list(KINDS)), max_size=5)


@given(st.sampled_from(list(FIELDS)), tables)
def test_any_table_is_a_range_or_an_input_error(field: str, table: dict[Any, Any]) -> None:
    with suppress(InputError):
        made = Scenario.from_table(RENT | {field: table})
        assert made.ranges[field].to_dict().items() >= table.items()


# Correlations

BOTH = {"mfu": MFU, "waste_share": WASTE, "pue": PUE}
REFUSED_PAIRS: list[tuple[Any, str, str]] = [
    (0.5, "type", "0.5 is a number"),
    (["mfu"], "type", '"mfu" is no pair'),
    ([["mfu", "waste_share"]], "type", "is no pair with its correlation"),
    ([["mfu", "waste_share", "a"]], "type", '"a", of'),
    ([["mfu", "waste_share", 1]], "range", "1, of ['mfu', 'waste_share']"),
    ([["mfu", "waste_share", -1.5]], "range", "give a number above -1 and below 1"),
    ([["mfu", "waste_share", math.nan]], "range", "nan, of"),
    ([["mfu", "waste", 0.5]], "unknown key", 'did you mean "waste_share"?'),
    ([["mfu", "tokens", 0.5]], "unknown key", '"tokens" in'),
    ([["mfu", 3, 0.5]], "unknown key", "3 in"),
    ([["mfu", "mfu", 0.5]], "conflict", "is one field twice"),
    ([["mfu", "pue", 0.5], ["pue", "mfu", 0.1]], "conflict", "pue and mfu are there twice"),
    (
        [["mfu", "waste_share", 0.9], ["mfu", "pue", 0.9], ["waste_share", "pue", -0.9]],
        "conflict",
        "cannot be, with the other correlations",
    ),
]


@pytest.mark.parametrize(("value", "kind", "said"), REFUSED_PAIRS)
def test_a_fault_of_correlations_names_the_pair(value: Any, kind: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_table(RENT | BOTH | {"correlations": value})
    assert [(fault.kind, fault.field) for fault in caught.value.faults] == [(kind, "correlations")]
    assert said in str(caught.value)


def test_of_correlations_that_cannot_be_the_one_at_odds_is_named() -> None:
    pairs = [("a", "b", 0.9), ("a", "c", 0.3), ("b", "d", 0.2), ("a", "d", -0.95), ("c", "d", 0.1)]
    with pytest.raises(InputError, match=r"-0\.95 of a and d"):
        correlations.read(pairs, "abcd")
    correlations.read([pair for pair in pairs if pair[2] > 0], "abcd")


def test_pairs_that_only_go_together_are_taken() -> None:
    """Without its third pair, this matrix would not be positive definite."""
    pairs = (("a", "b", 0.8), ("b", "c", 0.8), ("a", "c", 0.7))
    assert correlations.read(pairs, "abc") == pairs


def test_the_factor_makes_normals_of_spearmans_correlation() -> None:
    """Against the closed form of Kruskal 1958, ρ = 6/π·asin(r/2), the other way round."""
    pairs = [("a", "b", -0.3), ("b", "c", 0.6)]
    root = correlations.factor(pairs)
    pearson = root @ root.T
    assert np.allclose(np.diag(pearson), 1)
    spearman = 6 / math.pi * np.arcsin(pearson / 2)
    assert spearman == pytest.approx(np.array([[1, -0.3, 0], [-0.3, 1, 0.6], [0, 0.6, 1]]))


# A scenario with ranges


def uncertain(**more: Any) -> Scenario:
    return Scenario(**RENT | BOTH | {"correlations": [["mfu", "waste_share", -0.3]]} | more)


def test_a_range_changes_nothing_but_for_its_point() -> None:
    made, plain = uncertain(), Scenario(**RENT | {"mfu": 0.4, "waste_share": 0.1, "pue": 1.3})
    assert made.given == plain.given
    assert made.values == plain.values
    assert evaluate(made).components == evaluate(plain).components
    assert list(made.ranges) == ["mfu", "waste_share", "pue"]
    assert made.correlations == (("mfu", "waste_share", -0.3),)
    assert plain.ranges == {}
    assert plain.correlations == ()


def test_scenarios_of_other_ranges_are_others() -> None:
    scenarios = [
        uncertain(),
        uncertain(mfu={**MFU, "high": 0.5}),
        uncertain(pue={**PUE, "distribution": "pert", "mode": 1.3}),
        uncertain(correlations=None),
    ]
    assert len(set(scenarios)) == len(scenarios)
    assert uncertain() == uncertain()
    assert hash(uncertain()) == hash(uncertain())


def test_a_scenario_with_ranges_is_its_repr_and_its_copy() -> None:
    made = uncertain()
    assert eval(repr(made), {"Scenario": Scenario}) == made
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other == made
        assert other.ranges == made.ranges
        assert other.correlations == made.correlations
    with pytest.raises(TypeError):
        made.ranges["mfu"] = None  # type: ignore[index]


def test_a_distribution_is_taken_as_well_as_its_table() -> None:
    made = uncertain()
    assert uncertain(mfu=made.ranges["mfu"]) == made
    with pytest.raises(InputError, match="low: 1 is out of range"):
        uncertain(waste_share=Distribution("uniform", (1.0, 2.0)))


def test_toml_and_json_give_the_same_ranges(tmp_path: Path) -> None:
    made = uncertain()
    as_json, as_toml = tmp_path / "run.json", tmp_path / "run.toml"
    as_json.write_text(json.dumps(made.table))
    lines = [f"{name} = {json.dumps(value)}" for name, value in RENT.items() if name not in BOTH]
    lines += [
        "mfu = {low = 0.35, mode = 0.40, high = 0.45}",
        'waste_share = {distribution = "pert", low = 0.02, mode = 0.1, high = 0.3}',
        'pue = {distribution = "uniform", low = 1.1, high = 1.5}',
        'correlations = [["mfu", "waste_share", -0.3]]',
    ]
    as_toml.write_text("\n".join(lines))
    assert load_scenario(as_json) == load_scenario(as_toml) == made


def without(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in names}


@pytest.mark.parametrize(
    ("changes", "ranges", "pairs"),
    [
        ({}, ["mfu", "waste_share", "pue"], 1),
        ({"mfu": None}, ["mfu", "waste_share", "pue"], 1),
        ({"tokens": 2e12}, ["mfu", "waste_share", "pue"], 1),
        ({"pue": 1.2}, ["mfu", "waste_share"], 1),
        ({"mfu": 0.4}, ["waste_share", "pue"], 0),
        ({"hfu": 0.4}, ["waste_share", "pue"], 0),
        ({"mfu": {**MFU, "low": 0.3}}, ["mfu", "waste_share", "pue"], 1),
        ({"tokens": {"low": 1e12, "mode": 1.4e12, "high": 2e12}}, ["mfu", "waste_share", "pue"], 1),
        ({"correlations": []}, ["mfu", "waste_share", "pue"], 0),
        ({"correlations": [["pue", "mfu", 0.1]]}, ["mfu", "waste_share", "pue"], 1),
    ],
)
def test_a_change_of_a_field_removes_its_range(
    changes: dict[str, Any], ranges: list[str], pairs: int
) -> None:
    changed = uncertain().replace(**changes)
    added = ["tokens"] if isinstance(changes.get("tokens"), dict) else []
    assert sorted(changed.ranges) == sorted([*ranges, *added])
    assert len(changed.correlations) == pairs
    given = {name: value for name, value in changes.items() if value is not None}
    dropped = [name for name in ("mfu", "hfu") if {"mfu", "hfu"} & given.keys()]
    table = without(uncertain().table, *dropped) | given
    if not pairs:
        table.pop("correlations", None)
    assert changed == Scenario.from_table(table)


def test_a_faulty_range_in_a_change_is_refused() -> None:
    with pytest.raises(InputError, match=r"low: 0\.5 is above mode"):
        uncertain().replace(mfu={"low": 0.5, "mode": 0.4, "high": 0.45})
    with pytest.raises(InputError, match="tokens"):
        uncertain().replace(correlations=[["mfu", "tokens", 0.1]])


def test_the_json_schema_knows_ranges() -> None:
    schema = json_schema()
    number, reference = schema["properties"]["mfu"]["anyOf"]
    assert number["type"] == "number"
    assert reference == {"$ref": "#/$defs/range"}
    assert "anyOf" not in schema["properties"]["procurement"]
    kinds = schema["$defs"]["range"]["oneOf"]
    named = {kind["properties"]["distribution"]["const"]: kind["required"] for kind in kinds}
    assert named["triangular"] == ["low", "mode", "high"]
    assert {kind: set(required) - {"distribution"} for kind, required in named.items()} == {
        kind: set(names) for kind, names in KINDS.items()
    }
    assert schema["properties"]["correlations"]["items"]["minItems"] == 3

"""Scenarios at the ends of what is allowed: a book without a finding, or a refusal in words.

Each book is checked against every rule, the values of its formulas included. What is here is a
selection; every accelerator, region and preset was built by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from xl_tco import InputError, Scenario
from xl_tco.fields import FIELDS, Number
from xl_tco.presets import preset
from xl_tco.workbook import check_package, scenario_in, workbook_bytes
from xl_tco.workbook.sheets import Formulas

RENT: dict[str, Any] = {
    "parameters": 70e9,
    "tokens": 1.4e12,
    "accelerator": "h100-sxm",
    "accelerators": 1024,
    "mfu": 0.4,
    "procurement": "rent",
    "staff_fte": 10,
    "storage_usd_per_hour": 50,
}
OWN = RENT | {"procurement": "own"}
FREE = {
    name: 0
    for name, field in FIELDS.items()
    if isinstance(field.domain, Number)
    and not field.domain.excludes(0)
    and "usd" in name
    and not field.needs & {"optional", "topology", "capacity"}
}
"""No price and no pay at all."""


def a_run_of(years: float) -> dict[str, Any]:
    """One accelerator of 989.4 TFLOP/s at an MFU of 0.4, a tenth of whose time is lost."""
    tokens = years * 8760 * 3600 * 989.4e12 * 0.4 * 0.9 / (6 * 1e9)
    return {"accelerators": 1, "parameters": 1e9, "tokens": tokens}


RUNS: dict[str, tuple[dict[str, Any], Formulas, str]] = {
    "nothing has a price": (OWN | FREE | {"staff_fte": 0}, "functions", "en"),
    "nothing has a price, rented": (RENT | FREE | {"staff_fte": 0}, "native", "zh-TW"),
    "one accelerator, one token": (
        OWN | {"accelerators": 1, "parameters": 1, "tokens": 1, "name": "=1+1"},
        "native",
        "en",
    ),
    "eighty years": (OWN | a_run_of(80), "native", "en"),
    "figures next to zero": (
        OWN | {"recompute_share": 1e-300, "staff_fte": 1e-300, "electricity_usd_per_kwh": 1e-300},
        "native",
        "en",
    ),
}


def sound(run: Scenario, formulas: Formulas = "native", language: str = "en") -> bytes:
    """The workbook of a run, in which no rule finds anything."""
    package = workbook_bytes(run, formulas, language)
    assert not check_package(package), run
    return package


@pytest.mark.parametrize("name", RUNS)
def test_a_run_at_the_ends_of_the_domain_makes_a_sound_book(name: str) -> None:
    table, formulas, language = RUNS[name]
    sound(Scenario(**table), formulas, language)


ODD = [
    "🚀 模型 \u202eabc \U0010ffff",
    '=HYPERLINK("#A1") {0} %s $A$1 [1]x &P &D',
    "'\"`<b>&amp;]]> _x000D_ a\rb\r\nc\td\ne",
]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_an_odd_name_makes_a_sound_book_and_comes_back(name: str) -> None:
    package = sound(Scenario(**RENT, name=name))
    assert scenario_in(package).values["name"] == name


def test_a_character_that_xml_cannot_hold_becomes_a_blank() -> None:
    package = sound(Scenario(**RENT, name="a\x00b\x0bc\ufffe"))
    assert scenario_in(package).values["name"].startswith("a b c")


@pytest.mark.parametrize("run", ["bert-large"])
def test_a_published_run_makes_a_sound_book(run: str) -> None:
    sound(preset(run), "functions")


def test_what_cannot_be_costed_is_refused_in_words() -> None:
    """Tokens beyond any run, one that makes no progress, a stage that is nearly whole."""
    refused = [
        OWN | a_run_of(1e7),
        OWN | {"accelerator_mtbf_hours": 1e-9},
        OWN | {"zero_stage": 1e-300},
    ]
    for table in refused:
        with pytest.raises(InputError) as caught:
            workbook_bytes(Scenario(**table))
        assert caught.value.faults

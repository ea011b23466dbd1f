"""Scenarios at the ends of what is allowed: a book without a finding, or a refusal in words.

Each book is checked against every rule, the values of its formulas included. What is here is a
selection; every accelerator, region and preset, and each end of each field, were built by hand.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from books import opened
from strategies import drawn
from xl_tco import InputError, Scenario
from xl_tco.fields import FIELDS, Number
from xl_tco.presets import preset
from xl_tco.workbook import check_package, scenario_in, workbook_bytes

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
    and field.domain.low == 0
    and field.allows(0)
    and "usd" in name
    and not field.needs
}
"""No price and no pay at all."""


def a_run_of(years: float) -> dict[str, Any]:
    """One accelerator of 989.4 TFLOP/s at an MFU of 0.4, a tenth of whose time is lost."""
    tokens = years * 8760 * 3600 * 989.4e12 * 0.4 * 0.9 / (6 * 1e9)
    return {"accelerators": 1, "parameters": 1e9, "tokens": tokens}


RUNS: dict[str, tuple[dict[str, Any], str, str]] = {
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


@pytest.mark.parametrize("name", RUNS)
def test_a_run_at_the_ends_of_the_domain_makes_a_sound_book(name: str) -> None:
    table, formulas, language = RUNS[name]
    assert not check_package(workbook_bytes(Scenario(**table), formulas, language))  # type: ignore[arg-type]

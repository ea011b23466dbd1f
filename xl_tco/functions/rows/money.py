"""What a run is charged: electricity, rent, depreciation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xl_tco.core import capital, depreciation, power
from xl_tco.fields import FIELDS, Number
from xl_tco.functions.arguments import HOURS, catalogued, field, refuse
from xl_tco.functions.function import Argument, Function

__all__ = ["ROWS"]

ROUNDING = 1e-9
BY_AGE = ("declining-balance", "sum-of-years")


def _straight_line(
    capex: Any, hours: Any, _age: Any, years: Any, _rate: Any, use: Any, residual: Any
) -> Any:
    return capital.amortization_usd(capex, hours, years, use, residual)


def _annuity(
    capex: Any, hours: Any, _age: Any, years: Any, rate: Any, use: Any, residual: Any
) -> Any:
    payment = depreciation.annual_payment_usd(capex, years, rate, residual)
    return payment * depreciation.run_years(hours, use)


def _declining_balance(
    capex: Any, hours: Any, age: Any, years: Any, _rate: Any, use: Any, residual: Any
) -> Any:
    return depreciation.declining_balance_usd(capex, hours, age, years, use, residual, switch=0.0)


def _sum_of_years(
    capex: Any, hours: Any, age: Any, years: Any, _rate: Any, use: Any, residual: Any
) -> Any:
    return depreciation.sum_of_years_usd(capex, hours, age, years, use, residual)


def _exponential(
    capex: Any, hours: Any, age: Any, _years: Any, _rate: Any, use: Any, _residual: Any
) -> Any:
    return depreciation.exponential_usd(capex, hours, age, use)


METHODS: dict[str, Callable[..., Any]] = {
    "straight-line": _straight_line,
    "annuity": _annuity,
    "declining-balance": _declining_balance,
    "sum-of-years": _sum_of_years,
    "exponential": _exponential,
}
"""The methods of a scenario, as it charges them."""


def _depreciation(
    capex: Any,
    hours: Any,
    years: Any,
    method: str,
    age: Any,
    residual: Any,
    utilization: Any,
    rate: Any,
) -> Any:
    if method in BY_AGE:
        end = age + depreciation.run_years(hours, utilization)
        refuse(
            end > years * (1.0 + ROUNDING),
            "depreciation_years",
            lambda end, years: (
                f"the hours end when the asset is {end:.3g} years old, beyond its life of {years:g}"
            ),
            f"give a longer life, or a method other than {method}",
            end,
            years,
        )
    return METHODS[method](capex, hours, age, years, rate, utilization, residual)


_CAPEX = Argument("capex_usd", "USD", "Purchase price.", "number", Number(0, 1e15))
_OCCUPIED = Argument("hours", "hours", "Hours that the run occupies it.", "number", HOURS)
_HOURS_OF_RUN = Argument("hours", "hours", "Hours that the cluster runs.", "number", HOURS)
_UTILIZATION = field(
    "utilization", 1.0, help="Share of a year's hours in useful work; 1 if omitted."
)

ROWS = (
    Function(
        "TCO_POWER_COST",
        "Electricity bill of a cluster, cooling and power distribution included; a demand charge "
        "is not in it.",
        "USD",
        (
            field("accelerators"),
            _HOURS_OF_RUN,
            Argument(
                "watts",
                "W",
                "Watts of IT load an accelerator, its share of the host included.",
                "number",
                Number(0, 1e6),
            ),
            field("pue"),
            Argument(
                "usd_per_kwh",
                "USD/kWh",
                FIELDS["electricity_usd_per_kwh"].help,
                "number",
                Number(0, 1e3),
            ),
            field(
                "power_draw_share",
                1.0,
                help="Share of all of watts drawn on average, the host's too; 1 if omitted.",
            ),
        ),
        power.power_cost_usd,
        example=(16_384.0, 1882.0, 1275.0, 1.2, 0.08),
    ),
    Function(
        "TCO_RENTAL_COST",
        "Rent of a cluster by the hour.",
        "USD",
        (
            field("accelerators"),
            _HOURS_OF_RUN,
            Argument(
                "usd_per_accelerator_hour",
                "USD/hour",
                FIELDS["rental_usd_per_accelerator_hour"].help,
                "number",
                Number(0, 1e6),
            ),
            field("reservation_discount", 0.0),
        ),
        capital.rental_usd,
        example=(1024.0, 720.0, 2.95),
    ),
    Function(
        "TCO_AMORTIZATION",
        "Straight-line depreciation of an asset that a number of hours is charged. What lasts "
        "longer than its life is bought again at the same price.",
        "USD",
        (
            _CAPEX,
            _OCCUPIED,
            field("depreciation_years"),
            field("residual_share", 0.0),
            _UTILIZATION,
        ),
        lambda capex_usd, hours, years, residual_share, utilization: capital.amortization_usd(
            capex_usd, hours, years, utilization, residual_share
        ),
        example=(600e6, 1882.0, 4.0, 0.1, 0.9),
    ),
    Function(
        "TCO_DEPRECIATION",
        "Depreciation of an asset that a number of hours is charged, by any method; by annuity "
        "with the interest. The exponential method is a price index: life and residual value do "
        "not count there.",
        "USD",
        (
            _CAPEX,
            _OCCUPIED,
            field("depreciation_years"),
            field(
                "depreciation_method",
                "straight-line",
                help="straight-line, annuity, declining-balance, sum-of-years or exponential.",
            ),
            field("age_years", 0.0, help="Age when the hours begin, for the last three methods."),
            field("residual_share", 0.0),
            _UTILIZATION,
            field(
                "discount_rate",
                catalogued("discount_rate"),
                help="Cost of capital a year, for the annuity; the catalogue's if omitted.",
            ),
        ),
        _depreciation,
        example=(600e6, 1882.0, 4.0, "declining-balance", 1.0, 0.1, 0.9),
    ),
)
"""Functions of what is paid."""

"""Lines of what the productive time is charged of a price, by method of depreciation."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Lines, Sections, flag, when

__all__ = ["DEPRECIATION", "METHODS"]

METHODS = {
    "straight_line": ("straight-line", "the straight line"),
    "annuity": ("annuity", "an annuity"),
    "declining": ("declining-balance", "declining balance"),
    "by_digits": ("sum-of-years", "the sum of years' digits"),
    "exponential": ("exponential", "exponential decay"),
}
"""Line that says whether a method is chosen: the method's word, and its name in a label."""


def _year(name: str, label: str) -> Lines:
    """Say in which year of the hardware an age falls, and how long that is."""
    return (
        Line(
            f"{name}_years",
            f"{label}: full years before",
            "years",
            f"MIN(INT({{{name}_age}}),{{last_year}})",
        ),
        Line(
            f"{name}_length",
            f"{label}: length of the year",
            "years",
            f"MIN(1,depreciation_years-{{{name}_years}})",
        ),
        Line(
            f"{name}_part",
            f"{label}: part of the year that is over",
            "years",
            f"{{{name}_age}}-{{{name}_years}}",
        ),
    )


def _declining(name: str, label: str) -> Lines:
    """Say the value at an age: each year takes the same share of what is left."""
    return (
        # IFERROR: a life of two years or less leaves nothing, and Excel has no 0^0.
        Line(
            f"{name}_book",
            f"{label}: value as the year begins",
            "share of price",
            f"MAX(IFERROR((1-{{declining_rate}})^{{{name}_years}},1),residual_share)",
        ),
        Line(
            f"{name}_year_charge",
            f"{label}: charge of the year",
            "share of price",
            f"MIN({{{name}_book}}*{{declining_rate}}*{{{name}_length}},"
            f"{{{name}_book}}-residual_share)",
        ),
        Line(
            f"{name}_declined",
            f"{label}: value by declining balance",
            "share of price",
            f"{{{name}_book}}-{{{name}_year_charge}}*{{{name}_part}}/{{{name}_length}}",
        ),
    )


def _digits(name: str, label: str) -> Lines:
    """Add up the digits of the years up to an age: the life, one less, and so on."""
    return (
        Line(
            f"{name}_digit",
            f"{label}: digit of the year",
            "years",
            f"depreciation_years-{{{name}_years}}",
        ),
        Line(
            f"{name}_digits",
            f"{label}: sum of the digits",
            "years",
            f"{{{name}_years}}*AVERAGE(depreciation_years,{{{name}_digit}}+1)"
            f"+{{{name}_part}}*{{{name}_digit}}",
        ),
    )


_START, _END, _LIFE = ("start", "Start"), ("end", "End"), ("life", "Life")

DEPRECIATION: Sections = {
    "Depreciation: the method": (
        *(
            flag(name, f"Depreciation is by {what}", f'depreciation_method="{word}"')
            for name, (word, what) in METHODS.items()
        ),
        Line(
            "aged_years",
            "Years of the hardware for the productive time",
            "years",
            "{productive_hours}/(hours_per_year*utilization)",
        ),
        *when(
            "{straight_line}",
            Line(
                "straight_line_charge",
                "Charged by the straight line",
                "share of price",
                "(1-residual_share)*{aged_years}/depreciation_years",
            ),
        ),
        *when(
            "{annuity}",
            Line(
                "annuity_year",
                "Annuity, a year",
                "share of price",
                "PMT(discount_rate,depreciation_years,-1,residual_share)",
            ),
            Line(
                "annuity_charge",
                "Charged by an annuity",
                "share of price",
                "{annuity_year}*{aged_years}",
            ),
        ),
    ),
    "Depreciation: by the age of the hardware": (
        Line("start_age", "Start: age of the hardware", "years", "age_years"),
        Line(
            "end_age",
            "End: age of the hardware",
            "years",
            "{start_age}+{wall_hours}/(hours_per_year*utilization)",
        ),
        Line("life_age", "Life: age of the hardware", "years", "depreciation_years"),
        *when(
            "{exponential}",
            Line(
                "exponential_charge",
                "Charged by exponential decay",
                "share of price",
                "(value_kept_a_year^{start_age}-value_kept_a_year^{end_age})*{goodput}",
            ),
        ),
        Line(
            "has_life",
            "Depreciation goes by years of a life",
            "1 yes, 0 no",
            "{declining}+{by_digits}",
        ),
        *when(
            "{has_life}",
            Line(
                "last_year",
                "Full years before the last",
                "years",
                "-INT(-depreciation_years)-1",
            ),
            *_year(*_START),
            *_year(*_END),
            *_year(*_LIFE),
        ),
        *when(
            "{declining}",
            Line(
                "declining_rate",
                "Share of the value that a year takes",
                "share",
                "MIN(declining_factor/depreciation_years,1)",
            ),
            *_declining(*_START),
            *_declining(*_END),
            Line(
                "declining_charge",
                "Charged by declining balance",
                "share of price",
                "({start_declined}-{end_declined})*{goodput}",
            ),
        ),
        *when(
            "{by_digits}",
            *_digits(*_START),
            *_digits(*_END),
            *_digits(*_LIFE),
            Line(
                "digits_charge",
                "Charged by the sum of years' digits",
                "share of price",
                "(1-residual_share)*({end_digits}-{start_digits})/{life_digits}*{goodput}",
            ),
        ),
    ),
    "Charged to the productive time": (
        Line(
            "hardware_charge",
            "Charged to the run, of the hardware's price",
            "share of price",
            "SUM({straight_line_charge},{annuity_charge},{exponential_charge},"
            "{declining_charge},{digits_charge})",
        ),
        Line(
            "facility_year",
            "Charged a year, of the facility's price",
            "share of price",
            "IF({annuity},PMT(discount_rate,facility_life_years,-1),1/facility_life_years)",
        ),
        Line(
            "facility_charge",
            "Charged to the run, of the facility's price",
            "share of price",
            "{facility_year}*{aged_years}",
        ),
        Line(
            "aged_hours",
            "Productive time, with the idle time that goes with it",
            "hours",
            "{productive_hours}/utilization",
        ),
        Line(
            "straight_line_usd",
            "Accelerators, if by the straight line",
            "USD",
            "{accelerators_capex_usd}*(1-residual_share)*{aged_years}/depreciation_years",
            "IF({accelerators_capex_usd},TCO_AMORTIZATION({accelerators_capex_usd},{aged_hours},"
            "depreciation_years,residual_share),0)",
        ),
    ),
}

"""What the months rest on: the value of hardware and facility, month by month.

The formulas are those of `xl_tco.analysis.cash`. Hardware is a share of its price by a curve: the
payments still to come of a level charge (an annuity, and at no interest the straight line), the
declining balance, the sum of digits, or exponential decay. A facility is built again whenever one
is used up, and is worth the payments still to come of the newest.
"""

from __future__ import annotations

from xl_tco.workbook.sheets.timeline.line import MONEY, Fact, Row

__all__ = ["METHOD", "WORKINGS"]

METHOD: tuple[Fact, ...] = (
    Fact(
        "curve",
        "Curve: 1 level, 2 declining, 3 digits, 4 decay",
        "number",
        "MAX(1,MATCH(1,{Calc.straight_line}:{Calc.exponential},0)-1)",
    ),
    Fact(
        "interest",
        "Interest in the depreciation, an annuity's",
        "a year",
        "{Calc.annuity}*discount_rate",
    ),
    Fact(
        "payment",
        "Level charge of the hardware",
        "share of price a year",
        "PMT({interest},depreciation_years,-1,residual_share)",
    ),
    Fact(
        "facility_payment",
        "Level charge of the facility",
        "share of price a year",
        "{Calc.facility_year}",
    ),
    Fact(
        "rate",
        "Share of the value that a declining year takes",
        "share",
        "MIN(declining_factor/depreciation_years,1)",
    ),
    Fact("whole", "Full years before the last", "years", "-INT(-depreciation_years)-1"),
    Fact(
        "digits",
        "Sum of the digits of the hardware's life",
        "years",
        "depreciation_years*(depreciation_years-{whole})+AVERAGE({whole},{whole}*{whole})",
    ),
    Fact(
        "scrap",
        "Fetched by the hardware at the end of its life",
        "share of price",
        "IF({Calc.exponential},value_kept_a_year^depreciation_years,residual_share)",
    ),
    Fact(
        "write_off",
        "Written off at the end of its life",
        "share of price",
        "IF({Calc.declining},INDEX({declining:},MAX(1,{last}))-residual_share,0)",
    ),
    Fact("hardware", "Hardware, when it is bought", MONEY, "{fits}*cluster_capex_usd/money"),
    Fact("facility", "Facility, each time it is built", MONEY, "{fits}*facility_capex_usd/money"),
    Fact(
        "facility_month",
        "Level charge of the facility, a month",
        MONEY,
        "{facility}*{facility_payment}/months_per_year",
    ),
    Fact(
        "operation",
        "Operation of the facility during the run",
        "USD",
        "facility_om_usd_per_kw_year*{Calc.it_kilowatts}*wall_hours/hours_per_year",
    ),
    Fact(
        "upkeep_year",
        "Upkeep of network and storage, a year",
        "USD",
        "network_capex_usd*network_upkeep_share+storage_capex_usd*storage_upkeep_share",
    ),
)
"""What the value of hardware and facility rests on, in the column of values alone."""

WORKINGS: dict[str, tuple[Row, ...]] = {
    "Hardware: its value by the curve of its depreciation": (
        Row(
            "age",
            "Age, end of the month",
            "years",
            "MIN({elapsed}/months_per_year,depreciation_years)",
            0,
        ),
        Row("years", "Full years before", "years", "MIN(INT({age}),{whole})", None),
        Row("left", "Life left at the end of these", "years", "depreciation_years-{years}", None),
        Row(
            "declining_start",
            "Declining balance: value at the end of these",
            "share of price",
            "MAX(IFERROR((1-{rate})^{years},1),residual_share)",
            None,
        ),
        Row(
            "level",
            "Value by a level charge",
            "share of price",
            "-1*PV({interest},depreciation_years-{age},{payment},residual_share)",
            None,
        ),
        Row(
            "declining",
            "Value by declining balance",
            "share of price",
            "{declining_start}-MIN({declining_start}*{rate},({declining_start}-residual_share)"
            "/MIN(1,{left}))*({age}-{years})",
            None,
        ),
        Row(
            "by_digits",
            "Value by the sum of digits",
            "share of price",
            "1-(1-residual_share)*({age}*{left}+AVERAGE({years},{years}*{years}))/{digits}",
            None,
        ),
        Row("decayed", "Value by decay", "share of price", "value_kept_a_year^{age}", None),
        Row(
            "worth",
            "Value by its curve; in the end, what it fetches",
            "share of price",
            "IF({month}<{last},INDEX({level}:{decayed},{curve}),{scrap})",
            1,
        ),
    ),
    "The run's part of that": (
        Row(
            "run_loss",
            "Part of the value lost in the month, by time",
            "share of price",
            "IF({age}>{age<},({worth<}-{worth}-{write_off}*({month}={last}))*{share}*{run_years}"
            "/({age}-{age<}),0)",
        ),
        Row(
            "run_worth",
            "Value by decay, when the run stands so far",
            "share of price",
            "value_kept_a_year^({begins}/months_per_year+{over}*{run_years})",
            "value_kept_a_year^({begins}/months_per_year)",
        ),
        Row(
            "run_charge",
            "Charged to the run, of the hardware's price",
            "share of price",
            "CHOOSE({curve},{payment}*{share}*{run_years},{run_loss},{run_loss},"
            "{run_worth<}-{run_worth})",
        ),
    ),
    "Facility: built again at the end of its life": (
        Row(
            "built",
            "Facilities built so far",
            "facilities",
            "INT(({elapsed}-tolerance)/{facility_life})+1",
            0,
        ),
        Row(
            "facility_worth",
            "Value of the newest, end of the month",
            "share of price",
            "-1*PV({interest},{built}*facility_life_years-{elapsed}/months_per_year,"
            "{facility_payment})",
            0,
        ),
    ),
}
"""What that comes from: the rows by section."""

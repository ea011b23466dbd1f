"""The lines of the timeline: when the run is, what is found, and the months.

The formulas are those of `xl_tco.analysis.cash`; ``line`` says how they are written.
"""

from __future__ import annotations

from typing import TypeAlias

from xl_tco.workbook.sheets.timeline.line import MONEY, Fact, Row
from xl_tco.workbook.sheets.timeline.workings import METHOD, WORKINGS

__all__ = ["SECOND", "SECTIONS"]

RUN: tuple[Fact, ...] = (
    Fact(
        "life",
        "Life of the hardware, 0 if rented",
        "months",
        "IF(use_own=1,depreciation_years*months_per_year,0)",
    ),
    Fact(
        "aged",
        "Age of the hardware when the run begins",
        "months",
        "IF(use_own=1,age_years*months_per_year,0)",
    ),
    Fact(
        "length",
        "Length of the run, idle time included",
        "months",
        "wall_hours/(hours_per_month*IF(use_own=1,utilization,1))",
    ),
    Fact("run_years", "The same in years", "years", "{length}/months_per_year"),
    Fact(
        "longest",
        "Longest timeline there may be",
        "months",
        "IF(use_own=1,MIN({life},most_months),most_months)",
    ),
    Fact("facility_life", "Life of the facility", "months", "facility_life_years*months_per_year"),
    Fact(
        "fits",
        "The run fits into a timeline",
        "1 yes, 0 no",
        "IF(AND({aged}+{length}<={longest}*(1+tolerance),{facility_life}>=use_own),1,0)",
    ),
    Fact(
        "begins",
        "Beginning of the run, after the purchase",
        "months",
        "IF(use_own=1,MAX(0,MIN({aged},{life}-{length})),0)",
    ),
    Fact(
        "months",
        "Months that the timeline needs",
        "months",
        "{fits}*-INT(-MAX(1,({begins}+{length})*(1-tolerance),{life}-tolerance))",
    ),
    Fact(
        "last",
        "Month at whose end the hardware is sold",
        "months",
        "{fits}*use_own*-INT(tolerance-{life})",
    ),
    Fact(
        "start_year",
        "Year in which the run begins, if given",
        "year",
        'IFERROR(VALUE(LEFT(start_date,FIND("-",start_date)-1)),"")',
    ),
    Fact(
        "start_month",
        "Month of it",
        "month",
        'IFERROR(VALUE(MID(start_date,FIND("-",start_date)+1,LEN(start_date))),"")',
    ),
)
"""When the run is, and whether there is a timeline of it: in the column of values alone."""

FINDINGS: tuple[Fact, ...] = (
    Fact(
        "capex_worth",
        "CapEx, at its worth at the beginning",
        MONEY,
        "SUMPRODUCT({capex:},{factor:<})",
    ),
    Fact(
        "opex_worth",
        "OpEx, at its worth at the beginning",
        MONEY,
        "SUMPRODUCT({opex:},{factor:})",
    ),
    Fact(
        "proceeds_worth",
        "Proceeds, at their worth at the beginning",
        MONEY,
        "SUMPRODUCT({proceeds:},{factor:})",
    ),
    Fact("npv", "Net present value of the cash, as a cost", MONEY, "{present!}"),
    Fact(
        "annual",
        "Level cost a year that is worth as much",
        MONEY,
        "IF({fits}=1,PMT(discount_rate,{months}/months_per_year,-1*{npv}),0)",
    ),
    Fact("peak", "Most cash that is out at a time", MONEY, "MAX({cash_so_far:})"),
    Fact("peak_month", "Month of that", "month", "MATCH({peak},{cash_so_far:},0)"),
    Fact(
        "sentence",
        "In words",
        "text",
        'FIXED({peak},1)&" "&money_unit&" is out by month "&FIXED({peak_month},0)',
    ),
    Fact(
        "finding",
        "Finding",
        "text",
        'IF({fits}=1,{sentence}&"; NPV "&FIXED({npv},1),"No timeline: the run is too long")',
    ),
)
"""What the timeline says, in the column of values alone."""


def _bought(name: str, label: str) -> Row:
    price = f"{name}_capex_usd"
    return Row(f"{name}_capex", label, MONEY, f"{price}/money*{{elapsed}}*({{month}}=1)")


def _paid(name: str, label: str, usd: str) -> Row:
    return Row(f"{name}_opex", label, MONEY, f"{usd}/money*{{share}}")


_OPEX = (  # the kinds of `xl_tco.analysis.cash.RUNNING`
    _paid("rental", "Rent", "rental_usd/goodput"),
    _paid("power", "Electricity: power", "power_usd/goodput"),
    _paid("cooling", "Electricity: cooling", "cooling_usd/goodput"),
    _paid("carbon", "Carbon", "carbon_usd/goodput"),
    _paid("staff", "Staff", "staff_usd/goodput"),
    _paid(
        "software",
        "Software",
        "((software_usd-software_fixed_usd)/goodput+software_fixed_usd)",
    ),
    _paid("storage", "Storage by the hour", "storage_usd_per_hour*wall_hours"),
    _paid("facility_operation", "Operation of the facility", "{operation}"),
    _paid("upkeep", "Upkeep of network and storage", "{upkeep_year}*wall_hours/hours_per_year"),
)
MONTHS: dict[str, tuple[Row, ...]] = {
    "Time": (
        Row("year", "Year of the timeline", "year", "INT(({month}-1)/months_per_year)+1", None),
        Row(
            "date",
            "First day of the month, if there is a date",
            "date",
            'IFERROR(DATE({start_year},{start_month}-INT({begins}+tolerance)+{month}-1,1),"")',
            None,
        ),
        Row("elapsed", "Months that are over", "months", "MIN({month},{months})", 0),
        Row(
            "over",
            "Part of the run that is over",
            "share of the run",
            "MEDIAN(0,1,({elapsed}-{begins})/{length})",
            0,
        ),
        Row("share", "Part of the run in the month", "share of the run", "{over}-{over<}"),
    ),
    "Cash: CapEx, at the beginning of the month": (
        _bought("accelerators", "Accelerators"),
        _bought("hosts", "Hosts"),
        _bought("network", "Network"),
        _bought("storage", "Storage"),
        Row("facility_capex", "Facility, and its renewal", MONEY, "{facility}*({built}-{built<})"),
        Row("capex", "CapEx", MONEY, "SUM({accelerators_capex}:{facility_capex})"),
    ),
    "Cash: OpEx, at the end of the month, waste included": (
        *_OPEX,
        Row("opex", "OpEx", MONEY, "SUM({rental_opex}:{upkeep_opex})"),
    ),
    "Cash: all of it, and its present value": (
        Row(
            "proceeds",
            "Proceeds: residual values, end of the month",
            MONEY,
            "{hardware}*{worth}*({month}={last})+{facility}*{facility_worth}*({month}={months})",
        ),
        Row("cash", "Net cash, as a cost", MONEY, "{capex}+{opex}-{proceeds}"),
        Row("cash_so_far", "Cumulated cash", MONEY, "{cash_so_far<}+{cash}", 0),
        Row(
            "factor",
            "Discount factor, end of the month",
            "ratio",
            "(1+discount_rate)^(-1*{month}/months_per_year)",
            1,
        ),
        Row(
            "present",
            "Present value of the cash; in all: NPV",
            MONEY,
            "{capex}*{factor<}+({opex}-{proceeds})*{factor}",
        ),
    ),
    "Accrual: what it costs by the month": (
        Row(
            "depreciation",
            "Depreciation, write-off included",
            MONEY,
            "{hardware}*({worth<}-{worth})+{facility_capex}"
            "-{facility}*({facility_worth}-{facility_worth<})",
        ),
        Row(
            "interest_cost",
            "Interest in the annuity",
            MONEY,
            "IF({interest}>0,{hardware}*{payment}*({age}-{age<})"
            "+{facility_month}*({elapsed}-{elapsed<})-{depreciation},0)",
        ),
        Row("accrual", "Accrual, with OpEx", MONEY, "{depreciation}+{interest_cost}+{opex}"),
        Row(
            "charged",
            "Charged to the run",
            MONEY,
            "{hardware}*{run_charge}+{facility_month}*{share}*{length}+{opex}",
        ),
        Row(
            "unallocated",
            "Unallocated: life not used",
            MONEY,
            # What is left of rounding alone is nothing.
            "({accrual}-{charged})*(ABS({accrual}-{charged})>tolerance*{accrual})",
        ),
        Row("accrued", "Cumulated accrual", MONEY, "{accrued<}+{accrual}", 0),
        Row(
            "book",
            "Book value, end of the month, before a sale",
            MONEY,
            "{hardware}*{worth}*({month}<={last})+{facility}*{facility_worth}*({month}<={months})",
            0,
        ),
    ),
}
"""What is read month by month: the rows by section."""

Facts: TypeAlias = tuple[Fact, ...]
Rows: TypeAlias = tuple[Row, ...]

SECOND = "What the values rest on"
"""Section at which a new page begins: before it is the result, from it on the workings."""

SECTIONS: dict[str, Facts | Rows] = {
    "The run": RUN,
    "What the timeline says": FINDINGS,
    **MONTHS,
    SECOND: METHOD,
    **WORKINGS,
}
"""All lines by section, in order."""

"""What a line of the timeline is: a single figure, or a row of one formula.

In a formula a bare word is a name of the workbook, ``{line}`` a line of this sheet: of a figure
its cell; of a row the cell of the same month, ``{line<}`` that of the month before, ``{line:}``
those of all months, ``{line:<}`` of all months before, and ``{line!}`` its cell in the column of
values. ``{month}`` is the heading of the column.
``{Calc.line}`` is a line of the sheet Calc, calculated natively.

What a row has before the first month, such as no cash or all of the price, stands in its column of
values; so the first month has the same formula as the others. A row of amounts has its sum there.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MONEY", "SUM", "Fact", "Row"]

SUM = "sum"
MONEY = "=money_unit"
"""Unit of amounts: millions of the report's currency."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure that all months share."""

    name: str
    label: str
    unit: str
    formula: str


@dataclass(frozen=True, slots=True)
class Row:
    """A formula for every month.

    Attributes
    ----------
    name
        How formulas refer to it.
    label, unit
        What people read.
    formula
        That of a month.
    value
        What stands in the column of values: `SUM`, what is before the first month, or nothing.
    """

    name: str
    label: str
    unit: str
    formula: str
    value: str | int | None = SUM

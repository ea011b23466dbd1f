"""The benchmark compares like with like, and its table says what was measured. No timings here."""

from collections.abc import Iterator
from math import inf

import pytest

import tco_udfs
from benchmarks import (
    COLUMN,
    SIZES,
    Row,
    assert_same_costs,
    columns,
    duration,
    flops,
    in_another_process,
    random_frame,
    table,
)
from xl_tco.fields import FIELDS


@pytest.mark.parametrize("mixed", [False, True])
def test_bare_numpy_gives_the_costs_of_the_frame(mixed: bool) -> None:
    assert_same_costs(random_frame(1000, mixed=mixed))


def test_the_frame_has_every_figure_that_an_owner_may_give() -> None:
    numbers, own = columns(random_frame(10))
    figures = {
        name
        for name, field in FIELDS.items()
        if field.is_number and not field.needs.isdisjoint({"always", "own"})
    }
    optional = {"mfu", "layers", "hidden_size", "sequence_length"}
    assert set(numbers) == (figures | optional) - {"currency_per_usd"}  # costs are in USD
    assert own.all()


def test_the_mixed_frame_has_both_ways_of_procurement() -> None:
    _, own = columns(random_frame(1000, mixed=True))
    assert 400 < own.sum() < 600


def test_a_call_and_the_core_give_the_same() -> None:
    assert tco_udfs.TCO_FLOPS(*SIZES) == flops(*SIZES)
    assert tco_udfs.TCO_FLOPS(COLUMN.tolist(), SIZES[1]) == flops(COLUMN, SIZES[1]).tolist()


BEHIND_XLWINGS = """
import com
excel = com.Excel()
import benchmarks
for ours, theirs in benchmarks.sides(excel):
    assert ours() == theirs()
    print(type(ours()).__name__)
"""


def test_both_sides_behind_xlwings_give_the_same() -> None:
    assert in_another_process(BEHIND_XLWINGS).split() == ["float", "float", "list", "list"]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (Row("a", 3.0, 1.0, ratio_allowed=3.0), ["a", "3", "2 s", "ratio 3", "met"]),
        (Row("a", 3.1, 1.0, ratio_allowed=3.0), ["a", "3.1", "2.1 s", "ratio 3", "MISSED"]),
        (Row("a", 12e-6, 4e-6, seconds_allowed=1e-5), ["a", "3", "8 µs", "10 µs", "met"]),
        (Row("a", 16e-6, 4e-6, seconds_allowed=1e-5), ["a", "4", "12 µs", "10 µs", "MISSED"]),
        (Row("a", 1.0, 2.0), ["a", "0.5", "-1 s", "information"]),
        (Row("a", trouble="LibreOffice is not installed"), ["a", "LibreOffice is not installed"]),
    ],
)
def test_a_line_of_the_table(row: Row, shown: list[str]) -> None:
    heading, line = table(iter([row]))
    assert heading.split()[-3:] == ["difference", "allowed", "verdict"]
    assert line.split() == " ".join(shown).split()


def test_lines_come_as_they_are_measured() -> None:
    def rows() -> Iterator[Row]:
        yield Row("first", 1.0, 1.0, inf)
        raise RuntimeError

    lines = table(rows())
    assert next(lines)
    assert next(lines).startswith("first")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(2.5, "2.5 s"), (-0.0031, "-3.1 ms"), (4.2e-6, "4.2 µs"), (0, "0 µs")]
)
def test_a_duration_has_the_unit_that_suits_it(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown

"""The benchmark compares like with like, and its table says what was measured. No timings here."""

import gc
from collections.abc import Iterator
from math import inf

import numpy as np
import pytest

import benchmarks
from benchmark_calls import in_turn, processor_time, sides
from benchmarks import (
    Row,
    assert_same_costs,
    columns,
    duration,
    in_another_process,
    random_frame,
    table,
)
from xl_tco.cells import as_cells
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
    answers = [(ours(), theirs()) for ours, theirs in sides()]
    assert [type(ours).__name__ for ours, _ in answers] == ["float", "float", "list", "list"]
    for ours, theirs in answers:
        assert ours == (theirs if isinstance(theirs, float) else theirs.tolist())


BEHIND_XLWINGS = """
import com
excel = com.Excel()
import benchmark_calls
for ours, theirs in benchmark_calls.sides(excel):
    assert ours() == theirs()
    print(type(ours()).__name__)
"""


def test_both_sides_behind_xlwings_give_the_same() -> None:
    assert in_another_process(BEHIND_XLWINGS).split() == ["float", "float", "list", "list"]


LOADED = """
import sys
import {module}
{then}
print(sorted({{name.partition(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names)))
"""


def test_calls_are_measured_in_a_process_like_a_hosts() -> None:
    """With the functions, and nothing that only the benchmark has loaded."""
    program = LOADED.format(module="benchmark_calls", then="[ours() for ours, _ in a.sides()]")
    program = program.replace("import benchmark_calls", "import benchmark_calls as a")
    there = in_another_process(program)
    host = in_another_process(LOADED.format(module="tco_udfs", then=""))
    assert there.replace("'benchmark_calls', ", "") == host


@pytest.mark.parametrize("on", [True, False])
def test_a_large_result_leaves_garbage_collection_as_it_was(on: bool) -> None:
    was = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        assert as_cells(np.ones((1000, 1))) == [[1.0]] * 1000
        assert gc.isenabled() is on
    finally:
        (gc.enable if was else gc.disable)()


def test_the_clock_counts_what_a_process_calculates_and_not_how_long_it_waits() -> None:
    start = processor_time()
    in_another_process("import time; time.sleep(0.5)")
    waited = processor_time() - start
    in_another_process("import time\nwhile time.process_time() < 0.6: pass")
    assert waited < 0.4
    assert processor_time() - start - waited > 0.5


def test_the_quietest_round_counts() -> None:
    clock = iter([t for seconds in (3, 3, 1, 2, 5, 5) for t in (0, seconds)])
    spans = in_turn(lambda: None, lambda: None, 1, 1, rounds=3, clock=lambda: next(clock))
    assert spans == (1, 2)


def test_a_turn_is_of_many_calls() -> None:
    called = []
    seconds = in_turn(lambda: called.append(1), lambda: None, 2, 4, clock=lambda: 8.0 * len(called))
    assert len(called) == 3 * 4
    assert seconds == (8.0, 0.0)


@pytest.mark.parametrize(("span", "code", "said"), [(2.0, 0, ""), (4.0, 1, "MISSED: slow\n")])
def test_a_missed_limit_ends_with_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    span: float,
    code: int,
    said: str,
) -> None:
    lines = [Row("slow", span, 1.0, ratio_allowed=3.0), Row("x", trouble="it is not there")]
    monkeypatch.setattr(benchmarks, "rows", lambda: iter(lines))
    monkeypatch.setattr(benchmarks.gc, "freeze", lambda: None)
    assert benchmarks.main() == code
    printed = capsys.readouterr()
    assert printed.err == said
    assert ("MISSED" in printed.out) == bool(code)


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

"""What `benchmarks` measures of single calls, in a process that has loaded what a host's has.

So nothing heavier than the functions is imported here. Garbage is collected as Python has it, and a
turn of calls is long enough to have its share of that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import Any, TypeAlias

import numpy as np

import tco_udfs
from xl_tco.core import compute, time

__all__ = [
    "CELLS",
    "COLUMN",
    "SIZES",
    "Call",
    "flops",
    "in_turn",
    "processor_time",
    "sides",
    "spans",
]

CELLS = 10_000
SIZES = (4.05e11, 1.56e13)
COLUMN = np.geomspace(1e9, 1e12, CELLS).reshape(-1, 1)
OTHER = np.geomspace(1e5, 64, CELLS).reshape(-1, 1)
ROUNDS = 5

Call: TypeAlias = Callable[[], object]


def processor_time() -> float:
    """Seconds that this process has calculated, and those that it started and that have ended."""
    if os.name != "posix":
        return process_time()
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    used = (getrusage(whose) for whose in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def in_turn(
    ours: Call,
    theirs: Call,
    times: int,
    calls: int,
    *,
    rounds: int = 1,
    clock: Callable[[], float] | None = None,
) -> tuple[float, float]:
    """Median seconds of a call of each side, in turns of ``calls``, after one that warms up.

    Of several rounds, each of so many ``times``, that in which both together took least. The clock
    is that of the processor, so another process in between is neither's.
    """
    clock, both = clock or processor_time, (ours, theirs)
    for run in both:
        for _ in range(calls):
            run()
    found = []
    for _ in range(rounds):
        spans: tuple[list[float], list[float]] = ([], [])
        for _ in range(times):
            for run, span in zip(both, spans, strict=True):
                start = clock()
                for _ in range(calls):
                    run()
                span.append((clock() - start) / calls)
        found.append((median(spans[0]), median(spans[1])))
    return min(found, key=sum)


def flops(parameters: Any, tokens: Any) -> Any:
    """What TCO_FLOPS stands for."""
    return compute.hardware_flops(compute.model_flops(parameters, tokens))


def _hours(flops: Any, accelerators: Any) -> Any:
    """What TCO_WALLTIME stands for."""
    return time.wall_hours(time.productive_hours(flops, accelerators, 989.4, 0.41))


def sides(excel: Any = None) -> list[tuple[Call, Call]]:
    """Both sides of each line, two of cells and two of ranges; ``excel`` is a `com.Excel`."""
    n, d = SIZES
    if excel is None:
        column, other = COLUMN.tolist(), OTHER.tolist()
        return [
            (partial(tco_udfs.TCO_FLOPS, n, d), partial(flops, n, d)),
            (partial(tco_udfs.TCO_FLOPS, [[n]], [[d]]), partial(flops, n, d)),
            (partial(tco_udfs.TCO_FLOPS, column, d), partial(flops, COLUMN, d)),
            (
                partial(tco_udfs.TCO_WALLTIME, column, other, 989.4, 0.41),
                partial(_hours, COLUMN, OTHER),
            ),
        ]
    left_out = ["(left out)"] * 4
    cells = excel.unpacked([{"range": [[n]]}, {"range": [[d]]}, *left_out])
    rows = excel.unpacked([{"range": COLUMN.tolist()}, {"range": [[d]]}, *left_out])
    ours, ours_rows = (
        partial(excel.call, "TCO_FLOPS", given, "tco_udfs") for given in (cells, rows)
    )
    bare = partial(excel.call, "flops", cells, "bare_udfs")
    bare_rows = partial(excel.call, "flops_of_rows", rows, "bare_udfs")
    return [
        (ours, bare),
        (bare, partial(flops, n, d)),
        (ours_rows, bare_rows),
        (bare_rows, lambda: flops(COLUMN, d).tolist()),
    ]


def spans(excel: Any = None) -> list[tuple[float, float]]:
    """Seconds of a call of both sides of each line, cells and ranges by turns of their lengths."""
    cells, ranges = ((100, 20), (5, 20)) if excel is None else ((60, 5), (3, 8))
    return [
        in_turn(*pair, *length, rounds=ROUNDS, clock=process_time)
        for pair, length in zip(sides(excel), (cells, cells, ranges, ranges), strict=True)
    ]

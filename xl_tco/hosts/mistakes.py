"""What is likely to be wrong with a call of a spreadsheet function: calls to try, for its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xl_tco.functions import Argument, Function
from xl_tco.functions.rows import scenarios

__all__ = ["OWN_MISTAKES", "likely_mistakes", "typed"]

LONGEST_MANTISSA = 6
PLAIN_POWER = 12
"""A number of more digits than that, and not above that power of ten, is written out."""


def likely_mistakes(function: Function) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield what may be wrong, in words, and the arguments of a call in which it is."""
    yield from _spoilt(function)
    yield from OWN_MISTAKES.get(function.name, ())


def _spoilt(function: Function) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Spoil the example, each time in the first argument that can be wrong in that way."""
    seen: set[str] = set()
    for at, argument in enumerate(function.arguments):
        for sort, condition, value in _wrong(argument):
            if sort not in seen:
                seen.add(sort)
                padded = [*function.example, *[None] * len(function.arguments)]
                padded[at] = value
                yield condition, tuple(padded[: max(len(function.example), at + 1)])


def _wrong(argument: Argument) -> Iterator[tuple[str, str, Any]]:
    name = f"`{argument.name}`"
    if argument.kind == "table":
        if not argument.is_optional:
            yield "table", f"{name} has a field that there is not", (("mfuu", 0.4),)
        return
    if argument.kind == "ranges":
        yield "ranges", f"{name} has a low above the high", (("mfu", 0.5, 0.4, 0.3),)
        return
    if not argument.is_optional:
        yield "missing", f"{name} is an empty cell", None
    if argument.words:
        yield "word", f"{name} is misspelt", f"{argument.words[-1]}x"
    if argument.kind == "number" and argument.word is None:
        yield "type", f'{name} is the text "a lot"', "a lot"
    if argument.domain is not None:
        below = -1.0 if argument.domain.low >= 0.0 else 2.0 * argument.domain.low
        yield "range", f"{name} is {typed(below)}", below
        if argument.domain.high == 1.0 and argument.unit.startswith("share"):
            yield "share", f"{name} is 41, meant in percent", 41.0


_HUGE = 1e6
_RUN = scenarios.ROWS[0].example[0]
_MFU = (("mfu", 0.3, 0.4, 0.5),)


def _with_low(field: str, value: float | str) -> tuple[tuple[Any, ...], ...]:
    """Cases of the run, of which that of low cost gives a figure."""
    rows = ((*row, row[1], None, None, None) for row in _RUN if row[0] != field)
    return (*rows, (field, None, dict(_RUN).get(field), value, None, None))


OWN_MISTAKES: dict[str, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    "TCO_BREAKEVEN": (
        ("owning never pays", ((*_RUN, ("rental_usd_per_accelerator_hour", 0.1)), None, "months")),
    ),
    "TCO_CASES": (
        ("a figure of a case is out of range", (_with_low("mfu", 1.4),)),
        ("the accelerator of a case has no price", (_with_low("accelerator", "mi325x"),)),
    ),
    "TCO_HFU": (("the hours are too few", (3.79e25, 16_384.0, "h100-sxm", 100.0)),),
    "TCO_MFU": (("the hours are too few", (3.79e25, 16_384.0, "h100-sxm", 100.0)),),
    "TCO_HISTOGRAM": (("a distribution is misspelt", (_RUN, (("mfu", 0.3, 0.4, 0.5, "prt"),))),),
    "TCO_METRIC": (
        ("the inputs lack what the metric rests on", (_RUN, "cluster_mtbf_hours")),
        ("there is no such metric", (_RUN, "wall_hour")),
    ),
    "TCO_MIN_ACCELERATORS": (
        ("no number of accelerators will do", (70e9, 80.0, 8192.0, 64.0, _HUGE, "h100-sxm")),
    ),
    "TCO_NETWORK_SWITCHES": (("the topology has no room", (_HUGE,)),),
    "TCO_NETWORK_COST": (("the topology has no room", (_HUGE,)),),
    "TCO_PARAMETERS": (
        (
            "there are more key and value heads than heads",
            (32.0, 4096.0, 32.0, 14_336.0, 128_256.0, 64.0),
        ),
    ),
    "TCO_PERCENTILE": (
        ("too few samples lie beyond it", (_RUN, _MFU, 99.9, None, None, None, 1000.0)),
        (
            "a column is filled that the distribution has not",
            (_RUN, (("mfu", 0.3, 0.4, 0.05, "normal"),), 50.0),
        ),
        (
            "a field is correlated that has no range",
            (_RUN, _MFU, 50.0, (("mfu", "pue", -0.5),)),
        ),
    ),
    "TCO_REGION": (("there is no such region", ("usa", "pue")),),
    "TCO_RUN": (("there is no such figure", ("llama-3.1-405b", "token")),),
    "TCO_SENSITIVITY": (("there is no such field", (_RUN, "mfuu")),),
    "TCO_SOLVE": (("no value of the field will do", (_RUN, "mfu", 1e3)),),
    "TCO_SPEC": (("there is no such accelerator", ("h100", "tdp_watts")),),
    "TCO_STEP_TIME": (("the inputs say no kernel_efficiency", (_RUN,)),),
    "TCO_TOKENS_FOR_BUDGET": (("the budget is too small for any run", (_RUN, 0.0)),),
    "TCO_TOTAL": (
        ("there is no such component", (_RUN, None, "powr")),
        ("a field is given that goes with another choice", ((*_RUN, ("hfu", 0.5)),)),
    ),
    "TCO_WALLTIME": (("the peak is no key of the catalogue", (3.79e25, 16_384.0, "h100", 0.41)),),
    "TCO_WASTE": (("the cluster fails too often", (1.0, 0.2, 0.5)),),
}
"""Mistakes that only one function can be asked, by its name."""


def typed(value: float | str) -> str:
    """Return a value as it is typed into a formula."""
    if isinstance(value, str):
        return f'"{value}"'
    number = float(value)
    if 1e6 <= abs(number) < 1e30:
        power = (len(f"{abs(number):.0f}") - 1) // 3 * 3
        mantissa = f"{number / 10.0**power:.12g}"
        if len(mantissa) <= LONGEST_MANTISSA or power > PLAIN_POWER:
            return f"{mantissa}E{power}"
    return f"{number:.12g}"

"""The test vectors of the spreadsheet functions: one table for every host.

A vector is a function, its arguments as cells, and what must come: values, or the kind of error and
the argument that it names. Published and worked values come with their source from
`test_function_values`; ranges, left-out arguments and empty cells are held against `formulas`,
which calculates each function another way; what is to be refused is said here.

What a host imposes stands in a column of its own, ``calc``: LibreOffice Calc hands over 0 for a
single cell that is empty, so that a 0 which could be meant is refused (docs/libreoffice.md), and 1
for TRUE. No other host needs one: formualizer hands over 0 for an argument left out before others,
and no value changes by it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from com import OUT
from formulas import FORMULAS, Refused
from function_cases import ANY_RANGES, CASES, CORRELATIONS, OWN, RENT, STEP
from strategies import as_range
from test_function_values import WORKED
from xl_tco import InputError
from xl_tco.functions import FUNCTIONS, Argument

__all__ = ["EMPTY", "EXACT", "OUT", "VECTORS", "Refused", "Vector"]

EXACT = 1e-12
EMPTY = None
"""An empty cell. `OUT` is an argument that the formula leaves out."""


class Vector(NamedTuple):
    """One call and what it comes to.

    ``cells`` are single cells, or rows of cells for a range. ``expected`` is a value, rows of
    values, or `Refused`; ``calc`` the same in LibreOffice Calc. ``rel`` is what the rounding of the
    source leaves open.
    """

    function: str
    about: str
    cells: tuple[Any, ...]
    expected: Any
    calc: Any
    rel: float = EXACT

    @property
    def id(self) -> str:
        return f"{self.function}: {self.about}"


# Good arguments, and two of them that come as ranges: a column, a row, and both.

INPUTS = [
    ["field", "value", "unit"],
    *([name, value, ""] for name, value in OWN.items()),
    [None, None, None],
    ["pue", None, "empty: the default"],
]
WHAT_IF = [["electricity_usd_per_kwh", 0.1]]
LAID_OUT = as_range(STEP)
RENTED = as_range(RENT)
RUN = (5.88e23, 1024.0, 989.4)
ASSET = (30_000.0, 876.0, 10.0)
MIXTURE = (32.0, 4096.0, 32.0, 14_336.0, 32_000.0, 8.0, 100.0, 1.0, 8.0, 2.0, 1.0, 1024.0, 4.0)

BASE: dict[str, tuple[tuple[Any, ...], dict[int, list[Any]]]] = {
    "TCO_ACCELERATORS_FOR_DEADLINE": (
        (5.88e23, 500.0, 989.4, 0.4, 0.1, 0.2),
        {0: [5e23, 7e23], 1: [100.0, 300.0, 900.0]},
    ),
    "TCO_ALLREDUCE_BYTES": ((8.0, 1e9), {0: [2.0, 8.0], 1: [1e9, 2e9, 3e9]}),
    "TCO_ALLREDUCE_TIME": (
        (8.0, 1e9, 50.0, 1e-5, 2.0),
        {0: [2.0, 8.0], 2: [25.0, 50.0, 450.0]},
    ),
    "TCO_AMORTIZATION": ((*ASSET, 0.25, 0.5), {0: [3e4, 6e4], 2: [4.0, 5.0, 10.0]}),
    "TCO_BREAKDOWN": ((INPUTS, WHAT_IF), {}),
    "TCO_BREAKEVEN": (
        (INPUTS, WHAT_IF, "months"),
        {2: ["utilization", "own_fixed", "rent_paid", "answer", "sentence"]},
    ),
    "TCO_BUBBLE": ((8.0, 32.0, 2.0), {0: [4.0, 8.0], 1: [8.0, 16.0, 32.0]}),
    "TCO_CASES": ((CASES,), {}),
    "TCO_CHECKPOINT_INTERVAL": ((0.1, 24.0, "daly"), {0: [0.05, 0.1], 2: ["young", "daly"]}),
    "TCO_CLAIMS": ((INPUTS, WHAT_IF), {}),
    "TCO_COMPARE": ((INPUTS, WHAT_IF, "total_usd"), {}),
    "TCO_DEPRECIATION": (
        (*ASSET, "annuity", 2.0, 0.25, 0.5, 0.07),
        {0: [3e4, 6e4], 3: ["straight-line", "annuity", "sum-of-years"]},
    ),
    "TCO_FLOPS": (
        (70e9, 1.4e12, 0.25, 80.0, 8192.0, 4096.0),
        {0: [7e9, 70e9], 1: [1e12, 2e12, 15e12]},
    ),
    "TCO_HFU": ((*RUN, 500.0, 0.25), {0: [1e23, 2e23], 3: [300.0, 400.0, 500.0]}),
    "TCO_HISTOGRAM": (
        (INPUTS, ANY_RANGES, CORRELATIONS, WHAT_IF, "power_usd", 7.0, 500.0, 1.0),
        {},
    ),
    "TCO_HOT_SPARES": ((100.0, 100.0, 1.0, 0.999), {0: [100.0, 200.0], 3: [0.9, 0.99, 0.999]}),
    "TCO_LEVERS": ((INPUTS, WHAT_IF), {}),
    "TCO_LOSS": ((70e9, 1.4e12, "hoffmann-2022"), {0: [7e9, 70e9], 1: [1e12, 2e12, 15e12]}),
    "TCO_MEMORY": (
        (22e9, 48.0, 6144.0, 64.0, 2048.0, 4.0, 8.0, 2.0, 4.0, 1.0, "selective"),
        {9: [0.0, 3.0], 10: ["none", "selective", "full"]},
    ),
    "TCO_METRIC": ((INPUTS, "energy_gwh", WHAT_IF), {1: ["wall_hours", "flops", "goodput"]}),
    "TCO_MFU": ((*RUN, 500.0), {0: [1e23, 2e23], 3: [300.0, 400.0, 500.0]}),
    "TCO_MIN_ACCELERATORS": (
        (8e9, 32.0, 4096.0, 32.0, 1024.0, 40.0, 4.0, 3.0, "selective", 4.0),
        {5: [40.0, "h100-sxm"], 7: [0.0, 1.0, 2.0]},
    ),
    "TCO_MTBF": ((16_384.0, 50_677.0), {0: [1024.0, 16_384.0], 1: [1e4, 5e4, 1e5]}),
    "TCO_NETWORK_COST": (
        (96.0, "fat-tree", 64.0, 2.0, 3.0, 2e4, 500.0, 80.0, 2.0, 900.0),
        {0: [64.0, 96.0], 5: [1e4, 2e4, 3e4]},
    ),
    "TCO_NETWORK_SWITCHES": (
        (96.0, "fat-tree", 64.0, 2.0, 3.0, 2.0),
        {0: [32.0, 512.0], 5: [1.0, 2.0, 4.0]},
    ),
    "TCO_OPTIMAL_PARAMETERS": (
        (5.76e23, "hoffmann-2022"),
        {0: [1e22, 1e24], 1: ["besiroglu-2024", "hoffmann-2022"]},
    ),
    "TCO_OPTIMAL_TOKENS": (
        (5.76e23, "hoffmann-2022"),
        {0: [1e22, 1e24], 1: ["besiroglu-2024", "hoffmann-2022"]},
    ),
    "TCO_PARAMETERS": (
        (*MIXTURE, 2048.0, 1.0, "active", 0.0),
        {0: [16.0, 32.0], 15: ["total", "active"]},
    ),
    "TCO_PERCENTILE": (
        (INPUTS, ANY_RANGES, 90.0, CORRELATIONS, WHAT_IF, "power_usd", 500.0, 1.0),
        {5: ["total_usd", "power_usd"], 2: [10.0, 50.0, 90.0]},
    ),
    "TCO_POWER_COST": (
        (1024.0, 100.0, 1275.0, 1.25, 0.08, 0.9),
        {0: [8.0, 1024.0], 4: [0.05, 0.08, 0.1]},
    ),
    "TCO_REGION": (("us", "pue"), {0: ["us", "france"], 1: ["label", "pue", "carbon_kg_per_kwh"]}),
    "TCO_RENTAL_COST": ((1024.0, 100.0, 2.95, 0.2), {0: [8.0, 1024.0], 2: [1.5, 2.0, 2.95]}),
    "TCO_RUN": (
        ("llama-3.1-405b", "tokens"),
        {0: ["gpt-3-175b", "llama-3.1-405b"], 1: ["label", "parameters", "tokens"]},
    ),
    "TCO_SENSITIVITY": ((INPUTS, [["mfu", "pue"]], WHAT_IF, 0.2, ANY_RANGES), {}),
    "TCO_SOLVE": ((INPUTS, "mfu", 3e6, WHAT_IF), {1: ["mfu", "tokens"], 2: [2e6, 3e6, 4e6]}),
    "TCO_SPEC": (
        ("h100-sxm", "tdp_watts"),
        {0: ["a100-sxm-80gb", "h100-sxm"], 1: ["label", "tdp_watts", "memory_gb"]},
    ),
    "TCO_STEP_TIME": ((LAID_OUT, WHAT_IF, "bubble"), {2: ["total", "compute", "communication"]}),
    "TCO_STORAGE_COST": (
        (15e12, 405e9, 200.0, 2.0, 2.0, 5.0),
        {0: [1e12, 15e12], 2: [100.0, 150.0, 200.0]},
    ),
    "TCO_TOKENS_FOR_BUDGET": ((INPUTS, 3e6, WHAT_IF), {1: [2e6, 3e6, 4e6]}),
    "TCO_TOTAL": ((INPUTS, WHAT_IF, "power"), {2: ["total", "power", "waste"]}),
    "TCO_VERSION": ((), {}),
    "TCO_WALLTIME": ((*RUN, 0.4, 0.1, 0.2), {2: [989.4, "h100-sxm"], 3: [0.3, 0.4, 0.5]}),
    "TCO_WASTE": ((0.1, 3.0, 0.2, 0.01, 1.0), {0: [0.01, 0.02], 1: [3.0, 10.0, 24.0]}),
}

# Calls that no rule below makes: what the arguments come to together, and figures nobody knows.

_KWH = "electricity_usd_per_kwh"
_OUT_OF_REACH = [["rental_usd_per_accelerator_hour", 0.01]]
_MISFIT = (1e12, 10.0, 1e3, 8.0, 100.0, 20.0, 1.0, 2.0, "full")

# Function, cells, kind, argument.
REFUSED: list[tuple[str, tuple[Any, ...], str, str]] = [
    ("TCO_BREAKEVEN", (INPUTS, _OUT_OF_REACH), "range", "figure"),
    (
        "TCO_CASES",
        ([[*row[:5], None if row[0] != "mfu" else 1.4] for row in CASES],),
        "range",
        "mfu",
    ),
    ("TCO_DEPRECIATION", (1e6, 1e3, 4.0, "sum-of-years", 3.95), "range", "depreciation_years"),
    ("TCO_HFU", (3.6e15, 1.0, 1.0, 1.0, 0.03), "range", "result"),
    ("TCO_HISTOGRAM", (INPUTS, [["mfu", 0.3, 0.4, 0.5, "normal"]]), "unknown key", "mfu"),
    ("TCO_HISTOGRAM", (INPUTS, [["mfu", 0.5, 0.4, 0.3]]), "range", "mfu"),
    ("TCO_HOT_SPARES", (1e6, 1e3, 1e3), "range", "result"),
    ("TCO_METRIC", (INPUTS, "step_seconds"), "unknown figure", "metric"),
    ("TCO_MFU", (3.7e15, 1.0, 1.0, 1.0), "range", "result"),
    ("TCO_MIN_ACCELERATORS", _MISFIT, "range", "memory_gb"),
    ("TCO_NETWORK_COST", (1e9,), "range", "switch_radix"),
    ("TCO_NETWORK_SWITCHES", (1e9,), "range", "switch_radix"),
    ("TCO_PARAMETERS", (32.0, 4096.0, 32.0, 14_336.0, 32_000.0, 64.0), "range", "kv_heads"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.5, 0.4, 0.3]], 50.0), "range", "mfu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.3, "x", 0.5]], 50.0), "type", "mfu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfuu", 0.3, 0.4, 0.5]], 50.0), "unknown key", "mfuu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.3, 0.4, 0.5]] * 2, 50.0), "conflict", "mfu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.3, 0.4]], 50.0), "shape", "ranges"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.3, 0.4, 0.5, "beta"]], 50.0), "unknown key", "mfu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", 0.3, 0.4, 0.5, 1.0]], 50.0), "type", "mfu"),
    ("TCO_PERCENTILE", (INPUTS, [["mfu", None, 0.4, None, "normal"]], 50.0), "missing", "mfu"),
    ("TCO_REGION", ("australia", _KWH), "unknown figure", _KWH),
    ("TCO_RUN", ("gpt-4", "parameters"), "unknown figure", "parameters"),
    ("TCO_SENSITIVITY", (INPUTS, "mfu", OUT, OUT, [["pue", 0.5, 1.1, 1.3]]), "range", "pue"),
    (
        "TCO_SENSITIVITY",
        (INPUTS, OUT, OUT, OUT, [["procurement", 1.0, 2.0, 3.0]]),
        "type",
        "procurement",
    ),
    ("TCO_SOLVE", (INPUTS, "epochs", 1e6), "conflict", "field"),
    ("TCO_SOLVE", (INPUTS, "pue", 1.0), "range", "total_usd"),
    ("TCO_SPEC", ("v100-sxm", "peak_tflops_bf16"), "unknown figure", "peak_tflops_bf16"),
    ("TCO_STEP_TIME", (INPUTS,), "unknown figure", "part"),
    ("TCO_TOKENS_FOR_BUDGET", (INPUTS, 0.0), "range", "total_usd"),
    ("TCO_WASTE", (1.0, 1.0), "range", "result"),
]

UNKNOWN_PEAK = "v100-sxm"  # it has no bf16 unit
UNPRICED = "mi325x"

OPEN_WORDS = {
    ("TCO_METRIC", "metric"),
    ("TCO_REGION", "field"),
    ("TCO_REGION", "region"),
    ("TCO_RUN", "field"),
    ("TCO_RUN", "run"),
    ("TCO_SENSITIVITY", "fields"),
    ("TCO_SOLVE", "field"),
    ("TCO_SPEC", "accelerator"),
    ("TCO_SPEC", "field"),
    ("TCO_TOTAL", "component"),
}
"""Arguments of words that the row of the table does not list: keys and names of figures."""

IN_ONE = {("TCO_SENSITIVITY", "fields")}
"""Arguments whose range gives no range: one answer for all."""


def expected(name: str, cells: tuple[Any, ...]) -> Any:
    """What single cells come to by `formulas`: what is empty or left out is not given."""
    names = (argument.name for argument in FUNCTIONS[name].arguments)
    given = {key: cell for key, cell in zip(names, cells, strict=False) if cell not in (OUT, EMPTY)}
    try:
        return FORMULAS[name](**given)
    except InputError as error:  # of the Python interface, which has no answer either
        return Refused(error.kind, error.faults[0].field)


def in_calc(name: str, cells: tuple[Any, ...], wanted: Any) -> Any:
    """What comes in Calc, where a single empty cell is 0 and TRUE is 1."""
    given = list(zip(FUNCTIONS[name].arguments, cells, strict=False))
    zeros = [argument for argument, cell in given if cell in (EMPTY, 0.0)]
    for argument in zeros:
        if asks(argument):
            return Refused("missing", argument.name)
    for argument in zeros:
        if not argument.is_optional and argument.kind == "number":
            return Refused("range", argument.name)
        if argument.kind in ("ranges", "cases") and not argument.is_optional:
            return Refused("shape", argument.name)
    if any(cell is True for cell in cells):
        return expected(name, tuple(1.0 if cell is True else cell for cell in cells))
    return wanted


def asks(argument: Argument) -> bool:
    """Whether Calc's 0 could be meant, and an empty cell would be another value or none."""
    if argument.kind != "number" or argument.domain is None or argument.domain.excludes(0.0):
        return False
    return not argument.is_optional or argument.omitted != 0.0


def vector(
    name: str, about: str, cells: tuple[Any, ...], wanted: Any, rel: float = EXACT
) -> Vector:
    return Vector(name, about, cells, wanted, in_calc(name, cells, wanted), rel)


def worked() -> Iterator[Vector]:
    """Published and worked values, with their source."""

    def cell(value: Any) -> Any:
        if isinstance(value, list):
            return value
        return OUT if value is None else float(value) if isinstance(value, int) else value

    for case in WORKED:
        cells = tuple(map(cell, case.args))
        yield vector(case.function, case.source, cells, case.expected, max(case.rel, EXACT))


def spoilt(cells: tuple[Any, ...], changes: Mapping[int, Any]) -> tuple[Any, ...]:
    """Cells with others at some positions."""
    return tuple(changes.get(at, cell) for at, cell in enumerate(cells))


def with_ranges(name: str) -> Iterator[Vector]:
    """A column, a row, and both, which broadcast."""
    cells, axes = BASE[name]

    def one(*changed: tuple[int, Any]) -> Any:
        return expected(name, spoilt(cells, dict(changed)))

    for at, values in axes.items():
        argument = FUNCTIONS[name].arguments[at].name
        column = spoilt(cells, {at: [[value] for value in values]})
        yield vector(name, f"a column of {argument}", column, [[one((at, v))] for v in values])
        row = spoilt(cells, {at: [values]})
        yield vector(name, f"a row of {argument}", row, [[one((at, v)) for v in values]])
    if len(axes) == 2:
        (at, down), (other, across) = axes.items()
        both = {at: [[value] for value in down], other: [across]}
        grid = [[one((at, v), (other, w)) for w in across] for v in down]
        yield vector(name, "a column and a row", spoilt(cells, both), grid)
        uneven = {at: [[down[0]]] * 3, other: [[across[0]]] * 2}
        fault = Refused("shape", "ranges")
        yield vector(name, "ranges that do not fit", spoilt(cells, uneven), fault)


def left_out(name: str) -> Iterator[Vector]:
    """Optional arguments left out, at the end and in the middle; empty cells."""
    cells, _ = BASE[name]
    function = FUNCTIONS[name]
    yield vector(name, "all arguments", cells, expected(name, cells))
    if function.minimum < function.maximum:
        few = cells[: function.minimum]
        yield vector(name, "optional ones left out", few, expected(name, few))
    for at, argument in enumerate(function.arguments):
        what = argument.name
        if argument.is_optional:
            without = spoilt(cells, {at: OUT})
            wanted = expected(name, without)
            if at < function.maximum - 1:
                yield vector(name, f"{what} left out before others", without, wanted)
            yield vector(name, f"{what} empty", spoilt(cells, {at: EMPTY}), wanted)
        else:
            wanted = Refused("missing", "parameters" if argument.kind == "table" else what)
            yield vector(name, f"{what} missing", spoilt(cells, {at: EMPTY}), wanted)
        if in_ranges(name, argument):
            gap = spoilt(cells, {at: [[cells[at], EMPTY]]})
            if argument.is_optional:
                pair = [expected(name, cells), wanted]
                wanted = next((v for v in pair if isinstance(v, Refused)), [pair])
            yield vector(name, f"{what} with an empty cell", gap, wanted)


def in_ranges(name: str, argument: Argument) -> bool:
    """Whether the argument takes a range of what it takes alone."""
    several = argument.kind in ("number", "word") and not argument.single
    return several and (name, argument.name) not in IN_ONE


def refused(name: str) -> Iterator[Vector]:
    """What is of the wrong sort, out of range, unknown, of a wrong shape, there twice."""
    cells, _ = BASE[name]
    for at, argument in enumerate(FUNCTIONS[name].arguments):
        for about, cell, fault in faults(name, argument, cells[at]):
            about = f"{argument.name}: {about}"
            yield vector(name, about, spoilt(cells, {at: cell}), fault)


def faults(name: str, argument: Argument, good: Any) -> Iterator[tuple[str, Any, Refused]]:
    what = argument.name
    if argument.kind == "number":
        sort = "unknown key" if argument.word else "type"
        yield "text", "abc", Refused(sort, what)
        yield "outside", -1.0, Refused("range", what)
        if what == "peak_tflops":
            yield "unknown", UNKNOWN_PEAK, Refused("unknown figure", what)
        if in_ranges(name, argument):
            yield "text in a range", [[good], ["abc"]], Refused(sort, what)
            yield "outside in a range", [[good, -1.0]], Refused("range", what)
        if argument.single:
            yield "a range", [[good], [good]], Refused("shape", what)
    elif argument.kind == "word":
        yield "a number", 5.0, Refused("type", what)
        if argument.words or (name, what) in OPEN_WORDS:
            yield "unknown", "no such word", Refused("unknown key", what)
        if argument.single:
            yield "a range", [[good], [good]], Refused("shape", what)
    else:
        yield "text", "abc", Refused("shape", what)
        yield "too few columns", [["pue"], [1.2]], Refused("shape", what)
    if argument.kind == "ranges":
        yield "no field", [[5.0, 0.3, 0.4, 0.5]], Refused("type", what)
        yield "no number", [["mfu", None, None, None, "pert"]], Refused("missing", what)
        yield "a field twice", [["mfu", 0.3, 0.4, 0.5]] * 2, Refused("conflict", "mfu")
        yield (
            "unknown distribution",
            [["mfu", 0.3, 0.4, 0.5, "beta"]],
            Refused("unknown key", "mfu"),
        )
    if argument.kind == "correlations":
        yield "no number", [["mfu", "staff_fte", "x"]], Refused("type", what)
        yield "beyond 1", [["mfu", "staff_fte", 1.5]], Refused("range", what)
        yield "no range", [["mfu", "pue", 0.5]], Refused("unknown key", what)
        yield "one field", [["mfu", None, 0.5]], Refused("missing", what)
        yield "twice", [["mfu", "staff_fte", 0.5]] * 2, Refused("conflict", what)
    if argument.kind == "cases":
        yield "five columns", [row[:5] for row in good], Refused("shape", what)
        yield "no field", [*good, [5.0] * 6], Refused("type", what)
        yield (
            "a field twice",
            [*good, ["pue", None, 1.2, None, None, None]],
            Refused("conflict", "pue"),
        )
        for at, case in enumerate(("base", "low", "high", "own"), start=2):
            for about, cell, kind in (("text", "x", "type"), ("outside", 1.5, "range")):
                row = spoilt(("waste_share", *[None] * 5), {at: cell})
                yield f"{about} in {case}", [*good, [*row]], Refused(kind, "waste_share")
            row = spoilt(("puee", *[None] * 5), {at: 1.2})
            yield f"unknown field in {case}", [*good, [*row]], Refused("unknown key", "puee")
    if argument.kind == "table":
        rows = [row[:2] for row in good] if what == "inputs" else []
        yield "no field", [[5.0, 1.0]], Refused("type", what)
        yield "text", [*rows, ["pue", "x"]], Refused("type", "pue")
        yield "outside", [*rows, ["pue", 0.5]], Refused("range", "pue")
        yield "unknown field", [*rows, ["puee", 1.2]], Refused("unknown key", "puee")
        yield "a field twice", [*rows, ["pue", 1.2], ["pue", 1.3]], Refused("conflict", "pue")
        if what == "overrides":
            price = Refused("unknown figure", "accelerator_price_usd")
            yield "unknown figure", [["accelerator", UNPRICED]], price


def vectors() -> Iterator[Vector]:
    yield from worked()
    for name in FUNCTIONS:
        yield from left_out(name)
        yield from with_ranges(name)
        yield from refused(name)
    for name, cells, kind, what in REFUSED:
        yield vector(name, f"{kind}, of {what}", cells, Refused(kind, what))
    # What Calc does not tell apart.
    yield vector("TCO_FLOPS", "a truth value", (True, 1e12), Refused("type", "parameters"))
    for name, function in FUNCTIONS.items():
        for at, argument in enumerate(function.arguments):
            if argument.is_optional and asks(argument):
                cells = spoilt(BASE[name][0], {at: 0.0})
                yield vector(name, f"{argument.name} is 0", cells, expected(name, cells))


VECTORS = list(vectors())
"""All of them."""

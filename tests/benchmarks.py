"""How fast xl-tco is, as ratios: ``make bench``.

Both sides of a ratio run in this one process (or as processes that it starts), turn by turn, and
the medians are compared, in seconds of the processor: what else the machine does counts for
neither. Of several rounds the quietest counts. Ends with 1 if a limit is missed.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import inf, nan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import tco_udfs
from benchmark_calls import CELLS, Call, in_turn
from xl_tco import Scenario, evaluate_frame, load_scenario
from xl_tco.analysis.uncertainty import simulate
from xl_tco.batch import OUTPUTS
from xl_tco.model import cost
from xl_tco.workbook.build import calculated, draft

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "llama-3.1-405b.toml"
ROWS = 1_000_000
ROUNDS = 3

Array: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = Mapping[str, Array]

# What is measured, and how it is shown

MISSED = "MISSED"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: median seconds of both sides, or the trouble that prevented them.

    What is allowed is a ratio, or seconds beyond ``theirs``; neither: the line is for information.
    """

    what: str
    ours: float = nan
    theirs: float = nan
    ratio_allowed: float = inf
    seconds_allowed: float = inf
    trouble: str = ""

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """What the table shows: what, ratio, difference, allowed, verdict."""
        if self.trouble:
            return self.what, "", "", "", self.trouble
        ratio, beyond = self.ours / self.theirs, self.ours - self.theirs
        allowed, met = "", "information"
        if self.ratio_allowed < inf:
            allowed = f"ratio {self.ratio_allowed:g}"
            met = "met" if ratio <= self.ratio_allowed else MISSED
        elif self.seconds_allowed < inf:
            allowed = duration(self.seconds_allowed)
            met = "met" if beyond <= self.seconds_allowed else MISSED
        return self.what, f"{ratio:.3g}", duration(beyond), allowed, met

    @property
    def missed(self) -> bool:
        """Whether it was measured, and is beyond what is allowed."""
        return self.cells[-1] == MISSED


def duration(seconds: float) -> str:
    """Write a time span with the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Lay the rows out as lines of text, each as soon as it is measured."""
    form = "{:<62} {:>8} {:>11} {:>10}  {}"
    yield form.format("ours / theirs", "ratio", "difference", "allowed", "verdict")
    for row in rows:
        yield form.format(*row.cells).rstrip()


def compared(
    what: str, ours: Call, theirs: Call, times: int, calls: int = 1, *, by: float = inf
) -> Row:
    """Measure both sides and make a line of it; ``by`` is how many seconds ours may be beyond."""
    return Row(what, *in_turn(ours, theirs, times, calls, rounds=ROUNDS), seconds_allowed=by)


# A table of a million rows, and the same costs in bare NumPy

RANGES = {
    "parameters": (1e9, 1e12),
    "tokens": (1e11, 2e13),
    "epochs": (1, 4),
    "layers": (16, 128),
    "hidden_size": (2048, 16384),
    "sequence_length": (2048, 131072),
    "recompute_share": (0, 0.34),
    "experiment_multiplier": (1, 4),
    "accelerators": (64, 100_000),
    "hot_spares": (0, 500),
    "peak_tflops": (300, 989),
    "mfu": (0.2, 0.6),
    "communication_share": (0, 0.2),
    "waste_share": (0, 0.3),
    "accelerator_price_usd": (15_000, 40_000),
    "host_price_usd_per_accelerator": (2_000, 10_000),
    "network_share": (0.05, 0.25),
    "storage_share": (0.01, 0.1),
    "network_upkeep_share": (0, 0.1),
    "storage_upkeep_share": (0, 0.1),
    "age_years": (0, 3),
    "residual_share": (0, 0.3),
    "depreciation_years": (3, 6),
    "utilization": (0.5, 1),
    "facility_usd_per_kw": (8_000, 15_000),
    "facility_life_years": (10, 20),
    "facility_om_usd_per_kw_year": (100, 500),
    "tdp_watts": (400, 1_200),
    "power_draw_share": (0.5, 1),
    "host_watts_per_accelerator": (200, 600),
    "host_draw_share": (0.4, 1),
    "pue": (1.05, 1.6),
    "electricity_usd_per_kwh": (0.03, 0.2),
    "demand_usd_per_kw_month": (0, 20),
    "carbon_kg_per_kwh": (0, 0.8),
    "carbon_usd_per_tonne": (0, 100),
    "staff_fte": (10, 300),
    "staff_usd_per_fte_year": (100_000, 600_000),
    "software_usd_per_accelerator_year": (0, 5_000),
    "software_fixed_usd": (0, 1e6),
    "storage_usd_per_hour": (0, 1_000),
}
RENT_RANGES = {"rental_usd_per_accelerator_hour": (1.5, 4), "reservation_discount": (0, 0.5)}


def random_frame(rows: int, *, mixed: bool = False) -> pd.DataFrame:
    """Draw scenarios of owned clusters, a row each; ``mixed`` rents a random half of them."""
    rng = np.random.default_rng(2026)
    ranges = RANGES | (RENT_RANGES if mixed else {})
    numbers = {name: rng.uniform(*span, size=rows) for name, span in ranges.items()}
    rented = rng.random(rows) < (0.5 if mixed else 0.0)
    words = {
        "accelerator": pd.Categorical(np.full(rows, "h100-sxm")),
        "precision": pd.Categorical(np.full(rows, "bf16")),
        "procurement": pd.Categorical(np.where(rented, "rent", "own")),
    }
    return pd.DataFrame(numbers | words)


def columns(df: pd.DataFrame) -> tuple[Columns, NDArray[np.bool_]]:
    """Return the columns of numbers as they lie in a table, and which rows own."""
    numbers = {name: df[name].to_numpy() for name in df.columns if df[name].dtype.kind == "f"}
    return numbers, (df["procurement"] == "own").to_numpy()


def bare_numpy(numbers: Columns, own: NDArray[np.bool_]) -> Array:
    """Cost every row as one would by hand: no checks, no defaults, no names; a row an output."""
    if own.all():
        return _bare_numpy(numbers, own=True)
    parts = [
        (rows, _bare_numpy({name: column[rows] for name, column in numbers.items()}, own=owned))
        for rows, owned in ((own, True), (~own, False))
    ]
    outputs = np.empty((len(parts[0][1]), own.size))
    for rows, costs in parts:
        outputs[:, rows] = costs
    return outputs


def _bare_numpy(c: Columns, *, own: bool) -> Array:
    attention = 12.0 * c["layers"] * c["hidden_size"] * c["sequence_length"]
    flops = (6.0 * c["parameters"] + attention) * c["tokens"]
    project = flops * c["experiment_multiplier"]
    speed = c["accelerators"] * c["peak_tflops"] * 3.6e15 * c["mfu"]
    hours = project / (speed * (1.0 - c["communication_share"]))
    goodput = 1.0 - c["waste_share"]
    wall = hours / goodput
    accelerator_hours = c["accelerators"] * wall
    fleet = c["accelerators"] + c["hot_spares"]
    it_kw = fleet * (c["tdp_watts"] + c["host_watts_per_accelerator"]) / 1e3
    host_watts = c["host_watts_per_accelerator"] * c["host_draw_share"]
    kw = fleet * (c["tdp_watts"] * c["power_draw_share"] + host_watts) / 1e3

    zero, unknown = np.zeros_like(flops), np.full_like(flops, nan)
    years = hours / 8760.0
    storage = c["storage_usd_per_hour"] * hours
    staff = c["staff_fte"] * c["staff_usd_per_fte_year"] * years
    software = fleet * c["software_usd_per_accelerator_year"] * years + c["software_fixed_usd"]
    if own:
        chips = fleet * c["accelerator_price_usd"]
        servers = fleet * c["host_price_usd_per_accelerator"]
        cluster = (chips + servers) / (1.0 - c["network_share"] - c["storage_share"])
        network, disks = cluster * c["network_share"], cluster * c["storage_share"]
        building = c["facility_usd_per_kw"] * it_kw
        charge = (1.0 - c["residual_share"]) / (c["depreciation_years"] * c["utilization"]) * years
        built = building / (c["facility_life_years"] * c["utilization"]) * years
        power = kw * hours * c["electricity_usd_per_kwh"]
        power += it_kw * c["demand_usd_per_kw_month"] * hours / 730.0
        carbon = kw * hours * c["pue"] * c["carbon_kg_per_kwh"] / 1e3 * c["carbon_usd_per_tonne"]
        switches = network * (charge + c["network_upkeep_share"] * years)
        storage += disks * (charge + c["storage_upkeep_share"] * years)
        upkeep = c["facility_om_usd_per_kw_year"] * it_kw * years
        energy = [built + upkeep, power, power * (c["pue"] - 1.0), carbon]
        paid = [chips * charge, servers * charge, switches, storage, *energy, zero, staff, software]
        capex = [chips, servers, network, disks, cluster, building]
    else:
        price = c["rental_usd_per_accelerator_hour"] * (1.0 - c["reservation_discount"])
        rental = fleet * hours * price
        paid = [zero, zero, zero, storage, zero, zero, zero, zero, rental, staff, software]
        capex = [zero] * 6
    productive = sum(paid, start=zero)
    waste = (productive - c["software_fixed_usd"]) * c["waste_share"] / goodput
    total = productive + waste
    recompute = 1.0 + c["recompute_share"]
    work = [flops, project, project * recompute, c["mfu"], c["mfu"] * recompute]
    span = [hours, wall, wall / 24.0, goodput, accelerator_hours]
    meter = kw * wall * c["pue"]
    draw = [kw * wall / 1e6, meter / 1e6, meter * c["carbon_kg_per_kwh"] / 1e3]
    draw += [it_kw / 1e3, it_kw * c["pue"] / 1e3]
    unit = [total / c["tokens"] * 1e6, total / c["parameters"], total / accelerator_hours]
    unit += [total / project * 3.6e15, total / project * 8.64e19]
    unit += [total / paid[0] if own else unknown]
    known = [*paid, waste, total, *work, *span, *draw, *capex, *unit]
    return np.stack(known + [unknown] * (len(OUTPUTS) - len(known)))


def assert_same_costs(df: pd.DataFrame) -> None:
    """Raise AssertionError unless both sides give the same costs of a table."""
    costs = evaluate_frame(df).to_numpy().T
    np.testing.assert_allclose(bare_numpy(*columns(df)), costs, rtol=1e-12)


def frames() -> Iterator[Row]:
    """Compare `evaluate_frame` with bare NumPy over the same columns."""
    for what, mixed, allowed in ((" owned", False, 3.0), (", half rented", True, inf)):
        df = random_frame(ROWS, mixed=mixed)
        assert_same_costs(df)
        theirs = partial(bare_numpy, *columns(df))
        name = f"evaluate_frame, {ROWS:,} rows{what} / bare NumPy"
        yield Row(name, *in_turn(partial(evaluate_frame, df), theirs, 3, 1, rounds=ROUNDS), allowed)


# A simulation, and a table of as many rows

UNCERTAIN: Mapping[str, Any] = {
    "mfu": {"low": 0.35, "mode": 0.41, "high": 0.45},
    "waste_share": {"distribution": "pert", "low": 0.02, "mode": 0.1, "high": 0.3},
    "pue": {"distribution": "uniform", "low": 1.05, "high": 1.5},
    "utilization": {"low": 0.5, "mode": 0.8, "high": 0.95},
    "accelerator_price_usd": {"distribution": "normal", "mean": 3e4, "sd": 3e3},
    "electricity_usd_per_kwh": {"distribution": "lognormal", "p10": 0.05, "p90": 0.12},
    "correlations": [["mfu", "waste_share", -0.3]],
}


def uncertain_run() -> tuple[Scenario, pd.DataFrame]:
    """Return the example with six ranges, and a table with as many columns of their values."""
    scenario = load_scenario(EXAMPLE).replace(procurement="own", **UNCERTAIN)
    rng = np.random.default_rng(2026)
    ranges = scenario.ranges.items()
    return scenario, pd.DataFrame({name: drawn.sample(rng, ROWS) for name, drawn in ranges})


def simulations() -> Iterator[Row]:
    """Compare `simulate` with `evaluate_frame` over as many rows and columns that vary."""
    scenario, df = uncertain_run()
    ours, theirs = partial(simulate, scenario, ROWS), partial(evaluate_frame, df, scenario)
    what = f"simulate, {ROWS:,} samples of {len(df.columns)} ranges / evaluate_frame"
    yield Row(what, *in_turn(ours, theirs, 3, 1, rounds=ROUNDS), ratio_allowed=3.0)


# The model workbook


def workbook() -> Iterator[Row]:
    """Compare calculating the example's workbook with LibreOffice converting the same file."""
    what = "model book recalculated, values written / LibreOffice"
    soffice = shutil.which("soffice") or shutil.which("libreoffice")
    if soffice is None:
        yield Row(what, trouble="LibreOffice is not installed")
        return
    package = draft(load_scenario(EXAMPLE))
    with tempfile.TemporaryDirectory() as folder:
        book, made = Path(folder, "model.xlsx"), Path(folder, "made")
        book.write_bytes(package)
        profile = f"-env:UserInstallation={Path(folder, 'profile').as_uri()}"
        options = [profile, "--headless", "--norestore", "--convert-to", "xlsx"]
        command = [soffice, *options, "--outdir", str(made), str(book)]

        def convert() -> None:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)

        ours = partial(calculated, package)
        medians = in_turn(ours, convert, 3, 1, rounds=ROUNDS)
        converted = Path(made, book.name).exists()
    if converted:
        yield Row(what, *medians, ratio_allowed=1 / 20)
    else:
        yield Row(what, trouble="LibreOffice converted nothing")


# The functions


CALLS = """
import json
import benchmark_calls
print(json.dumps(benchmark_calls.spans()))
"""
BEHIND_XLWINGS = """
import com
excel = com.Excel()  # before all that loads xlwings
import json
import benchmark_calls
print(json.dumps(benchmark_calls.spans(excel)))
"""


def calls() -> Iterator[Row]:
    """Compare calls of the spreadsheet functions with the formulas that they stand for.

    In a process that has loaded the functions alone, as a host's, with Python's garbage collection
    as it comes.
    """
    yield from functions(
        CALLS,
        {
            "TCO_FLOPS, numbers / core": 10e-6,
            "TCO_FLOPS, cells as rows / core": 10e-6,
            f"TCO_FLOPS, {CELLS:,} rows / core": 3e-3,
            f"TCO_WALLTIME, two ranges of {CELLS:,} rows / core": 3e-3,
        },
    )


def behind_xlwings() -> Iterator[Row]:
    """Compare TCO_FLOPS with the core behind xlwings, and that with the core alone.

    On Windows with a simulated COM: what xlwings does in Python around a call, and nothing of what
    Excel and COM take. There xlwings loads pandas too.
    """
    yield from functions(
        BEHIND_XLWINGS,
        {
            "behind xlwings (simulated COM): TCO_FLOPS, cells / core": 10e-6,
            "xlwings itself: core behind it, cells / core alone": inf,
            f"behind xlwings (simulated COM): TCO_FLOPS, {CELLS:,} rows / core": 3e-3,
            f"xlwings itself: core behind it, {CELLS:,} rows / core alone": inf,
        },
    )


def functions(program: str, lines: Mapping[str, float]) -> Iterator[Row]:
    """Measure in a process of its own what `benchmark_calls` says: lines and what is allowed."""
    measured = json.loads(in_another_process(program))
    for (what, by), (ours, theirs) in zip(lines.items(), measured, strict=True):
        yield Row(what, ours, theirs, seconds_allowed=by)


def totals() -> Iterator[Row]:
    """Compare `TCO_TOTAL` of a range of inputs with costing checked inputs."""
    scenario = load_scenario(EXAMPLE)
    inputs = [list(pair) for pair in scenario.given.items()]
    tokens = count(10**12)

    def changed() -> object:
        return tco_udfs.TCO_TOTAL(inputs, [["tokens", next(tokens)]])

    def core() -> object:
        return cost(scenario.values)

    yield compared("TCO_TOTAL, new inputs / one costing", changed, core, 5, 50)
    known = partial(tco_udfs.TCO_TOTAL, inputs)
    yield compared("TCO_TOTAL, inputs seen before / one costing", known, core, 5, 50)


# The import


def imports() -> Iterator[Row]:
    """Compare the start of a process that imports the functions with one that imports NumPy."""
    ours, theirs = (
        partial(in_another_process, f"import {module}") for module in ("tco_udfs", "numpy")
    )
    what = "a process that imports tco_udfs / NumPy"
    yield compared(what, ours, theirs, times=8, by=50e-3)


def in_another_process(program: str) -> str:
    """Run a program in an interpreter of its own that finds what this one finds: what it prints."""
    paths = [ROOT, ROOT / "udfs", ROOT / "tests"]
    path = os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path.rstrip(os.pathsep)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return run.stdout


def rows() -> Iterator[Row]:
    """Measure everything, the longest last."""
    for measure in (calls, behind_xlwings, totals, imports, workbook, simulations, frames):
        yield from measure()


def main() -> int:
    """Print the table; 1 if a limit is missed."""
    gc.collect()
    gc.freeze()  # what this process has loaded is not walked whenever a table has made many objects
    seen: list[Row] = []

    def kept() -> Iterator[Row]:
        for row in rows():
            seen.append(row)
            yield row

    for line in table(kept()):
        print(line, flush=True)
    missed = [row.what for row in seen if row.missed]
    if missed:
        print("MISSED: " + "; ".join(missed), file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

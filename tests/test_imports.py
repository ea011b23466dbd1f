"""What is loaded when: a spreadsheet that asks for one cell does not wait for pandas.

Each question is put to a fresh interpreter, which answers with the modules it has.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import xl_tco

ROOT = Path(__file__).parents[1]
HEAVY = {
    "formualizer",
    "lxml",
    "openpyxl",
    "pandas",
    "pydantic",
    "rich",
    "scipy",
    "typer",
    "xlwings",
}
INPUTS = (
    '[["parameters", 70e9], ["tokens", 1.4e12], ["accelerator", "h100-sxm"],'
    ' ["accelerators", 1024], ["mfu", 0.4], ["procurement", "own"], ["staff_fte", 10]]'
)
RENTED = (
    '[["parameters", 70e9], ["tokens", 1.4e12], ["accelerator", "h100-sxm"], ["accelerators", 8],'
    ' ["kernel_efficiency", 0.6], ["procurement", "rent"], ["storage_usd_per_hour", 5],'
    ' ["staff_fte", 1], ["layers", 80], ["hidden_size", 8192], ["sequence_length", 4096],'
    ' ["heads", 64], ["batch_tokens", 4194304], ["memory_gb", 1e5]]'
)
CALLS = {
    "TCO_ACCELERATORS_FOR_DEADLINE": '(1e24, 720, "h100-sxm", 0.4)',
    "TCO_ALLREDUCE_BYTES": "(8, 1e9)",
    "TCO_ALLREDUCE_TIME": "(8, 1e9, 50)",
    "TCO_AMORTIZATION": "(1e6, 1000, 4)",
    "TCO_BREAKDOWN": f"({INPUTS})",
    "TCO_BREAKEVEN": f'({INPUTS}, None, "sentence")',
    "TCO_BUBBLE": "(8, 32)",
    "TCO_CASES": f"([[n, None, v, None, None, None] for n, v in {INPUTS}])",
    "TCO_CHECKPOINT_INTERVAL": "(0.1, 3)",
    "TCO_CLAIMS": f"({INPUTS})",
    "TCO_COMPARE": f"({INPUTS})",
    "TCO_DEPRECIATION": '(1e6, 1000, 4, "annuity")',
    "TCO_FLOPS": "(70e9, [[1e12], [2e12]])",
    "TCO_HFU": "(1e21, 1024, 989.4, 1, 0.1)",
    "TCO_HISTOGRAM": f'({INPUTS}, [["mfu", 0.3, 0.4, 0.5]])',
    "TCO_HOT_SPARES": "(2048, 6334, 24)",
    "TCO_LEVERS": f"({INPUTS})",
    "TCO_LOSS": "(70e9, 1.4e12)",
    "TCO_MEMORY": "(7e9, 32, 4096, 32, 4096)",
    "TCO_METRIC": f'({INPUTS}, "wall_hours")',
    "TCO_MFU": '(1e21, 1024, "h100-sxm", 1)',
    "TCO_MIN_ACCELERATORS": '(7e9, 32, 4096, 32, 4096, "h100-sxm")',
    "TCO_MTBF": "(16384, 50677)",
    "TCO_NETWORK_COST": "(1024)",
    "TCO_NETWORK_SWITCHES": '(1024, "dragonfly")',
    "TCO_OPTIMAL_PARAMETERS": "(1e24)",
    "TCO_OPTIMAL_TOKENS": "(1e24)",
    "TCO_PARAMETERS": "(32, 4096, 32, 14336, 128256, 8)",
    "TCO_PERCENTILE": f'({INPUTS}, [["mfu", 0.3, 0.4, 0.5]], 50)',
    "TCO_POWER_COST": "(1024, 100, 1275, 1.2, 0.08)",
    "TCO_REGION": '("us", "pue")',
    "TCO_RENTAL_COST": "(1024, 100, 2.95)",
    "TCO_RUN": '("gpt-3-175b", "tokens")',
    "TCO_SENSITIVITY": f"({INPUTS})",
    "TCO_SOLVE": f'({INPUTS}, "mfu", 2e6)',
    "TCO_SPEC": '("h100-sxm", "tdp_watts")',
    "TCO_STEP_TIME": f"({RENTED})",
    "TCO_STORAGE_COST": "(15e12, 405e9, 200)",
    "TCO_TOKENS_FOR_BUDGET": f"({INPUTS}, 2e6)",
    "TCO_TOTAL": f"({INPUTS})",
    "TCO_VERSION": "()",
    "TCO_WALLTIME": '(1e24, 1024, "h100-sxm", 0.4)',
    "TCO_WASTE": "(0.1, 3)",
}
NEED_A_SCENARIO = {
    "TCO_BREAKDOWN",
    "TCO_BREAKEVEN",
    "TCO_CASES",
    "TCO_CLAIMS",
    "TCO_COMPARE",
    "TCO_HISTOGRAM",
    "TCO_LEVERS",
    "TCO_METRIC",
    "TCO_PERCENTILE",
    "TCO_SENSITIVITY",
    "TCO_SOLVE",
    "TCO_STEP_TIME",
    "TCO_TOKENS_FOR_BUDGET",
    "TCO_TOTAL",
}


def loaded_by(*statements: str) -> list[set[str]]:
    """Run statements in a fresh interpreter: the modules there after each of them."""
    lines = ["import json, sys", "seen = []"]
    for statement in statements:
        lines += [statement, "seen.append(sorted(sys.modules))"]
    lines.append("print(json.dumps(seen))")
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(lines)],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [set(modules) for modules in json.loads(run.stdout)]


def heavy(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules} & HEAVY


def test_the_heavy_modules_are_seen_where_they_are() -> None:
    [modules] = loaded_by("import " + ", ".join(sorted(HEAVY)))
    assert heavy(modules) == HEAVY


def test_importing_the_functions_loads_nothing_heavy() -> None:
    [modules] = loaded_by("import tco_udfs")
    assert "numpy" in modules
    assert heavy(modules) == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    [modules] = loaded_by("import xl_tco")
    assert heavy(modules) == set()
    assert "numpy" not in modules
    assert {module for module in modules if module.startswith("xl_tco")} == {
        "xl_tco",
        "xl_tco._version",
    }


def test_the_core_loads_nothing_but_numpy() -> None:
    [modules] = loaded_by("import xl_tco.core")
    assert heavy(modules) == set()
    ours = {module for module in modules if module.startswith("xl_tco")}
    assert all(m.startswith("xl_tco.core") or m in ("xl_tco", "xl_tco._version") for m in ours)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_loads_only_what_it_needs(name: str) -> None:
    call = f"tco_udfs.{name}{CALLS[name]}"
    _, first, second = loaded_by("import tco_udfs", call, call)
    assert heavy(first) == ({"pydantic"} if name in NEED_A_SCENARIO else set())
    assert second == first


def test_every_function_is_called_here() -> None:
    import tco_udfs

    assert set(CALLS) == set(tco_udfs.__all__)


def test_the_scenario_and_its_cost_do_without_pandas() -> None:
    run = "xl_tco.evaluate(xl_tco.Scenario(**dict(" + INPUTS + ")))"
    imported, evaluated, tabled = loaded_by("import xl_tco", run, run + ".to_frame()")
    assert heavy(imported) == set()
    assert heavy(evaluated) == {"pydantic"}
    assert heavy(tabled) == {"pydantic", "pandas"}


@pytest.mark.parametrize("name", xl_tco.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(xl_tco, name) is not None
    assert name in dir(xl_tco)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        xl_tco.evaluat  # noqa: B018

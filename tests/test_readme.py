"""What the README shows works as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import xl_tco
from xl_tco.functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks("python")
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert (tmp_path / "run.xlsx").exists()
    rented, sweep = names["rented"], names["sweep"]
    assert isinstance(rented, xl_tco.Scenario)
    assert xl_tco.evaluate(rented).components["rental"] > 0
    assert isinstance(sweep, pd.DataFrame)
    assert sweep["total_usd"].is_monotonic_decreasing


def test_the_scenario_is_one() -> None:
    (text,) = blocks("toml")
    assert xl_tco.evaluate(xl_tco.Scenario.from_table(tomllib.loads(text))).total_usd > 0


def test_the_cases_and_sources_of_the_page_on_the_workbook_are_such() -> None:
    text = (ROOT / "docs" / "workbook.md").read_text(encoding="utf-8")
    cases, sources = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    run = xl_tco.load_scenario(ROOT / "examples" / "llama-3.1-405b.toml")
    both = xl_tco.Scenario.from_table(run.table | tomllib.loads(cases) | tomllib.loads(sources))
    electricity = both.in_case("own").figures["electricity_usd_per_kwh"]
    assert (electricity.source, electricity.date) == ("Contract with the utility", "2026-11")
    own, base = (xl_tco.evaluate(both.in_case(case)).total_usd for case in ("own", "base"))
    assert own < base == xl_tco.evaluate(run).total_usd


def test_the_linux_example_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shims = tmp_path / "bin"
    shims.mkdir()
    for name, words in (
        ("xl-tco", f'{sys.executable} -m xl_tco "$@"'),
        ("python", f'{sys.executable} "$@"'),
    ):
        shim = shims / name
        shim.write_text(f"#!/bin/sh\nexec {words}\n")
        shim.chmod(0o755)
    (session,) = [block for block in blocks("console") if "recalc" in block]
    script = re.sub(r"^\$ ", "", session, flags=re.MULTILINE)
    before = xl_tco.evaluate(xl_tco.load_scenario(ROOT / "examples" / "llama-3.1-405b.toml"))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{shims}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{before.total_usd:,.0f}" in done.stdout
    assert "all rules hold" in done.stderr


def test_it_names_every_function_itself_or_on_the_page_of_functions() -> None:
    page = ROOT / "docs" / "functions.md"
    text = README + (page.read_text(encoding="utf-8") if page.exists() else "")
    # TCO_REASON is Calc's alone: why the last call there was refused.
    assert set(re.findall(r"TCO_[A-Z_]+[A-Z]", text)) == {*FUNCTIONS, "TCO_REASON"}


def test_what_it_says_of_published_runs_is_what_validate_finds() -> None:
    found = xl_tco.validate().summary
    assert f"within {found['parameters'].largest_abs_residual:.1%}" in README
    assert f"within {found['flops'].median_abs_residual:.1%} in the median" in README
    hours = [
        row.residual
        for row in xl_tco.validate().comparisons
        if row.quantity == "accelerator_hours"
        and row.verdict == "test"
        and row.residual is not None
    ]
    assert f"{-max(hours):.0%} to {-min(hours):.0%} below".replace("% to", " to") in README
    assert f"Energy is {found['energy_mwh'].median_abs_residual:.0%} above" in README

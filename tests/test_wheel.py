"""The wheel does the whole job, away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCENARIO = """
parameters = 7e9
tokens = 1e12
accelerator = "h100-sxm"
accelerators = 256
mfu = 0.4
procurement = "own"
staff_fte = 5
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which the wheel alone was unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*pip, *build], check=True, timeout=120, stdin=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    install = ["install", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run([*pip, *install], check=True, timeout=120, stdin=subprocess.DEVNULL)
    return target


def run(installed: Path, cwd: Path, *words: str) -> str:
    """Run Python on the wheel's files, elsewhere than in the checkout."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, *words]
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_carries_the_functions_the_template_and_the_catalogue(
    installed: Path, tmp_path: Path
) -> None:
    said = run(
        installed,
        tmp_path,
        "-c",
        "import xl_tco, tco_udfs; print(xl_tco.__file__); print(tco_udfs.__file__);"
        "print(tco_udfs.TCO_SPEC('h100-sxm', 'tdp_watts'))",
    )
    package, functions, watts = said.split()
    assert Path(package).is_relative_to(installed)
    assert Path(functions) == installed / "tco_udfs.py"
    assert float(watts) == 700
    template = installed / "xl_tco" / "templates" / "training_tco.xlsx"
    assert template.read_bytes() == (ROOT / "templates" / "training_tco.xlsx").read_bytes()


def test_it_does_the_whole_job(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(SCENARIO)
    for words in (
        ["evaluate", "run.toml", "--json"],
        ["build", "run.toml", "-o", "run.xlsx"],
        ["recalc", "run.xlsx"],
        ["check", "run.xlsx"],
        ["template", "-o", "template.xlsx"],
    ):
        run(installed, tmp_path, "-m", "xl_tco", *words)
    shipped = installed / "xl_tco" / "templates" / "training_tco.xlsx"
    assert (tmp_path / "template.xlsx").read_bytes() == shipped.read_bytes()

"""xl-tco: what it really costs to train a model.

The names below are loaded when they are first used, so that a spreadsheet which asks for one cell
does not wait for pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from xl_tco._version import __version__

if TYPE_CHECKING:
    from xl_tco.errors import InputError, TcoError, WorkbookError
    from xl_tco.frame import evaluate_frame
    from xl_tco.reading import load_scenario, load_scenarios
    from xl_tco.result import Result, evaluate
    from xl_tco.scenario import Scenario
    from xl_tco.workbook import build_workbook, recalculate

__all__ = [
    "InputError",
    "Result",
    "Scenario",
    "TcoError",
    "WorkbookError",
    "__version__",
    "build_workbook",
    "evaluate",
    "evaluate_frame",
    "load_scenario",
    "load_scenarios",
    "recalculate",
]

_HOMES = {
    "InputError": "errors",
    "Result": "result",
    "Scenario": "scenario",
    "TcoError": "errors",
    "WorkbookError": "errors",
    "build_workbook": "workbook",
    "evaluate": "result",
    "evaluate_frame": "frame",
    "load_scenario": "reading",
    "load_scenarios": "reading",
    "recalculate": "workbook",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""xl-tco: what it really costs to train a model.

The names below are loaded when they are first used, so that a spreadsheet which asks for one cell
does not wait for pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from xl_tco._version import __version__

if TYPE_CHECKING:
    from xl_tco.analysis.bridge import bridge
    from xl_tco.analysis.cash import cash_view
    from xl_tco.analysis.claims import claims
    from xl_tco.analysis.fitting import fit
    from xl_tco.analysis.history import history
    from xl_tco.analysis.levers import levers
    from xl_tco.analysis.optimal import optimal
    from xl_tco.analysis.ranking import rank_accelerators
    from xl_tco.analysis.rent_or_own import rent_or_own
    from xl_tco.analysis.solving import solve
    from xl_tco.analysis.tornado import tornado
    from xl_tco.analysis.uncertainty import simulate
    from xl_tco.analysis.validation import validate
    from xl_tco.distributions import Distribution
    from xl_tco.errors import InputError, TcoError, WorkbookError
    from xl_tco.frame import evaluate_frame
    from xl_tco.presets import preset, preset_names
    from xl_tco.reading import load_scenario, load_scenarios
    from xl_tco.result import Result, evaluate
    from xl_tco.scenario import Scenario
    from xl_tco.workbook import build_workbook, recalculate

__all__ = [
    "Distribution",
    "InputError",
    "Result",
    "Scenario",
    "TcoError",
    "WorkbookError",
    "__version__",
    "bridge",
    "build_workbook",
    "cash_view",
    "claims",
    "evaluate",
    "evaluate_frame",
    "fit",
    "history",
    "levers",
    "load_scenario",
    "load_scenarios",
    "optimal",
    "preset",
    "preset_names",
    "rank_accelerators",
    "recalculate",
    "rent_or_own",
    "simulate",
    "solve",
    "tornado",
    "validate",
]

_HOMES = {
    "Distribution": "distributions",
    "InputError": "errors",
    "Result": "result",
    "Scenario": "scenario",
    "TcoError": "errors",
    "WorkbookError": "errors",
    "bridge": "analysis.bridge",
    "build_workbook": "workbook",
    "cash_view": "analysis.cash",
    "claims": "analysis.claims",
    "evaluate": "result",
    "evaluate_frame": "frame",
    "fit": "analysis.fitting",
    "history": "analysis.history",
    "levers": "analysis.levers",
    "load_scenario": "reading",
    "load_scenarios": "reading",
    "optimal": "analysis.optimal",
    "preset": "presets",
    "preset_names": "presets",
    "rank_accelerators": "analysis.ranking",
    "recalculate": "workbook",
    "rent_or_own": "analysis.rent_or_own",
    "simulate": "analysis.uncertainty",
    "solve": "analysis.solving",
    "tornado": "analysis.tornado",
    "validate": "analysis.validation",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

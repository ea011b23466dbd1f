"""Calculation without Excel: formualizer with Excel's rules, and the functions it calls.

``calling`` is how it calls ours, ``evaluate`` gives every value of a workbook, ``recalc`` puts them
into the package.
"""

from xl_tco.workbook.engine.calling import HostFunction
from xl_tco.workbook.engine.evaluate import ErrorCell, Evaluation, evaluate
from xl_tco.workbook.engine.recalc import calculate

__all__ = ["ErrorCell", "Evaluation", "HostFunction", "calculate", "evaluate"]

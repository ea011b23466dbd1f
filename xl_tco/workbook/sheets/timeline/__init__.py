"""The sheet Timeline: what a cluster and the run on it cost month by month, in native formulas.

``rows`` and ``workings`` are what is calculated, ``sheet`` writes it. The sheet is the same in the
book with functions and in the native one; `xl_tco.analysis.cash` is the same in Python.
"""

from xl_tco.workbook.sheets.timeline.sheet import NAME, add_timeline

__all__ = ["NAME", "add_timeline"]

"""The spreadsheet functions, as every host gets them.

``function`` says what a function is, ``rows`` hold them by topic and ``table`` lists them;
``arguments`` and ``lookups`` are what rows share; ``costing`` costs the ranges that functions of a
whole scenario are given, and ``questions`` asks about them; ``shell`` makes of each function what a
host calls.
"""

from xl_tco.functions.function import Argument, Function
from xl_tco.functions.table import FUNCTIONS, TOPICS

__all__ = ["FUNCTIONS", "TOPICS", "Argument", "Function"]

"""The spreadsheet functions, as every host gets them.

``function`` says what a function is, ``table`` lists them, ``costing`` costs the ranges that they
are given, ``shell`` makes of each what a host calls.
"""

from xl_tco.functions.function import Argument, Function
from xl_tco.functions.table import FUNCTIONS

__all__ = ["FUNCTIONS", "Argument", "Function"]

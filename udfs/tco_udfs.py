"""The spreadsheet functions of xl-tco, for xlwings.

In Excel, name this module under *UDF Modules* and click *Import Functions*; in xlwings Lite, put
``from tco_udfs import *`` into main.py. What a function takes, gives and says in the function
wizard stands in ``xl_tco.functions.table``.
"""

from xl_tco.functions.shell import shell

__all__ = [
    "TCO_AMORTIZATION",
    "TCO_BREAKDOWN",
    "TCO_FLOPS",
    "TCO_METRIC",
    "TCO_POWER_COST",
    "TCO_RENTAL_COST",
    "TCO_SPEC",
    "TCO_TOTAL",
    "TCO_VERSION",
    "TCO_WALLTIME",
]

TCO_AMORTIZATION = shell("TCO_AMORTIZATION")
TCO_BREAKDOWN = shell("TCO_BREAKDOWN")
TCO_FLOPS = shell("TCO_FLOPS")
TCO_METRIC = shell("TCO_METRIC")
TCO_POWER_COST = shell("TCO_POWER_COST")
TCO_RENTAL_COST = shell("TCO_RENTAL_COST")
TCO_SPEC = shell("TCO_SPEC")
TCO_TOTAL = shell("TCO_TOTAL")
TCO_VERSION = shell("TCO_VERSION")
TCO_WALLTIME = shell("TCO_WALLTIME")

"""The mathematics of training cost: pure functions, arrays in, arrays out.

One module a topic, in the order in which a cost comes about: how much is computed (`compute`), how
long that takes (`time`), what it draws (`power`), what the machines cost (`capital`), what running
them costs (`operations`), and the sum (`total`).

Beside them, for questions that a whole scenario does not ask yet, and loaded only when imported:
`transformer`, `parallel`, `memory`, `network`, `reliability`, `scaling`, `depreciation`,
`decisions` and `cash`.

Every argument is a number or an array; arrays broadcast; all scalars give a float. Money is USD,
time hours, power watts or kW, energy kWh, rates TFLOP/s (1e12 FLOP/s), shares fractions of 1.

These functions do not check their domain: that happens once, at the border where a value enters
(`xl_tco.fields`). NumPy is all that they import.
"""

from xl_tco.core import capital, compute, operations, power, time, total

__all__ = ["capital", "compute", "operations", "power", "time", "total"]

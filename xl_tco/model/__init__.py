"""From a complete set of inputs to the cost: the only place where the formulas are put together.

Each module is a part of the model: ``efficiency`` (the MFU, given or from a step), ``failures``
(the waste, given or from checkpoints), ``purchase`` (what is bought), ``charges`` (what a run pays
of it), and ``cost`` puts them together. ``refusals`` are results that no scenario may have.

Inputs are complete and checked (see `xl_tco.resolve`); numbers may be arrays of one shape, words
are single. What is not needed may be missing (None, NaN): it touches nothing but what rests on it.
"""

from xl_tco.model.cost import cost
from xl_tco.model.refusals import refusals
from xl_tco.model.values import Inputs, Outputs

__all__ = ["Inputs", "Outputs", "cost", "refusals"]

"""A formula of the core behind xlwings without our layer, told to it as ours are.

What `benchmarks` holds ours against, and what xlwings takes by itself: ranges arrive as rows and
error cells as text. The optional arguments are left out there.
"""

from typing import Any

import numpy as np
import xlwings

from xl_tco.core import compute

__all__ = ["flops", "flops_of_rows"]


def told_as_ours(function: Any) -> Any:
    """Register a function with the options of ours."""
    for name in function.__code__.co_varnames[: function.__code__.co_argcount]:
        function = xlwings.arg(name, ndim=2, err_to_str=True)(function)
    return xlwings.func(function)


@told_as_ours
def flops(
    parameters: Any,
    tokens: Any,
    recompute_share: Any = 0.0,
    layers: Any = 0.0,
    hidden_size: Any = 0.0,
    sequence_length: Any = 0.0,
) -> Any:
    """Cells in, one out."""
    n, d = parameters[0][0], tokens[0][0]
    model_flops = compute.model_flops(n, d, layers, hidden_size, sequence_length)
    return compute.hardware_flops(model_flops, recompute_share)


@told_as_ours
def flops_of_rows(
    parameters: Any,
    tokens: Any,
    recompute_share: Any = 0.0,
    layers: Any = 0.0,
    hidden_size: Any = 0.0,
    sequence_length: Any = 0.0,
) -> Any:
    """A range and cells in, a range out."""
    n, d = np.array(parameters), tokens[0][0]
    model_flops = compute.model_flops(n, d, layers, hidden_size, sequence_length)
    return compute.hardware_flops(model_flops, recompute_share).tolist()

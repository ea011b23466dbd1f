"""How a formula written for one number serves arrays as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Real", "elementwise"]

Real = float | NDArray[np.float64]
"""A number or a float64 array of them: what a formula takes, and what it returns."""

P = ParamSpec("P")


def _float64(value: object) -> np.float64 | NDArray[np.float64]:
    # A NumPy number follows the rules of arrays (1/0 is inf) at a third of the cost of an array.
    return np.float64(value) if type(value) is float else np.asarray(value, dtype=np.float64)


def elementwise(formula: Callable[P, Real]) -> Callable[P, Real]:
    """Make every argument float64, a number or an array; give a plain float back for all numbers.

    float64 throughout: Python integers would overflow NumPy's int64 at 6·N·D of a large model.
    """
    on_arrays = cast(Callable[..., Real], formula)

    @wraps(formula)
    def lifted(*args: P.args, **kwargs: P.kwargs) -> Real:
        positional = [_float64(value) for value in args]
        named = {key: _float64(value) for key, value in kwargs.items()}
        result = on_arrays(*positional, **named)
        return result if np.ndim(result) else float(result)

    return lifted

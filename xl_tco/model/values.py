"""How the parts of the model hand figures to each other: numbers by name, a missing one as NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from xl_tco.core._arrays import Real

__all__ = ["Inputs", "Numbers", "Outputs", "any_given", "either", "numbers", "ratio"]

Inputs: TypeAlias = Mapping[str, Real | str | None]
Numbers: TypeAlias = Mapping[str, Real]
Outputs: TypeAlias = dict[str, Real]


def numbers(inputs: Inputs) -> dict[str, Real]:
    """Return the numeric inputs, a missing one as NaN, which touches only what rests on it."""
    return {
        name: np.nan if value is None else value
        for name, value in inputs.items()
        if not isinstance(value, str)
    }


def any_given(value: Real) -> bool:
    """Whether there is a value, for any of the rows."""
    return bool(np.any(~np.isnan(value)))


def either(value: Real, otherwise: Real) -> Real:
    """Return ``value``, and ``otherwise`` where it is missing."""
    missing = np.isnan(value)
    if not np.any(missing):
        return value
    return otherwise if np.all(missing) else np.where(missing, otherwise, value)


def ratio(numerator: Real, denominator: Real) -> Real:
    """Quotient, missing where there is nothing to divide by."""
    divisor = np.where(np.equal(denominator, 0.0), np.nan, denominator)
    quotient = np.divide(numerator, divisor)
    return float(quotient) if quotient.ndim == 0 else quotient

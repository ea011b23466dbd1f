"""Figures that nobody knows exactly: the distribution of a field's values, and how fields go along.

A range is a table of a scenario, ``{low = 0.35, mode = 0.40, high = 0.45}``: triangular, unless it
names its ``distribution``. Every value that a distribution gives lies within the field's domain: a
bounded one is refused when its ends do not, an unbounded one is cut off there, by the inverse of
its cumulative distribution. A field of whole numbers takes the nearest whole number; its bounded
distributions reach half a number beyond their ends, so that the ends have their fair share.

References
----------
.. [1] Malcolm et al. 1959, "Application of a Technique for Research and Development Program
   Evaluation", Operations Research 7(5): PERT's mean (low + 4·mode + high)/6.
.. [2] Vose 2008, "Risk Analysis", 3rd ed.: PERT as the beta distribution of that mean.
.. [3] Devroye 1986, "Non-Uniform Random Variate Generation", ch. II: inversion and truncation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from xl_tco.errors import Fault, InputError, spelling, unknown_word
from xl_tco.fields import Field, Number
from xl_tco.plain import is_empty, shown, sort_of, to_float

__all__ = ["ANY_NUMBER", "KINDS", "Distribution", "range_schema"]

Array = NDArray[np.float64]

KINDS: dict[str, tuple[str, ...]] = {
    "triangular": ("low", "mode", "high"),
    "pert": ("low", "mode", "high"),
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "lognormal": ("p10", "p90"),
}
"""What each kind of distribution is given by, in this order. The first is meant if none is named.

normal's mean and sd, and lognormal's 10th and 90th percentile, are those before it is cut off.
"""

NAME = "distribution"
ANY_NUMBER = Number(-math.inf, math.inf)

_STANDARD = NormalDist()
_Z90 = _STANDARD.inv_cdf(0.9)
_FARTHEST = (
    8.25  # standard normal: beyond, probabilities are less than 1 differs from its neighbour
)
_KNOTS = 2048
_LEAST_SD = 1e-300  # of logarithms: percentiles next to each other may have the same one


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of a number.

    Attributes
    ----------
    kind
        Key of `KINDS`.
    parameters
        What it is given by, in the order of `KINDS`.
    domain
        What the number may be.

    Examples
    --------
    >>> from xl_tco.fields import FIELDS
    >>> mfu = Distribution.read({"low": 0.35, "mode": 0.40, "high": 0.45}, FIELDS["mfu"])
    >>> mfu.kind, mfu.point
    ('triangular', 0.4)
    """

    kind: str
    parameters: tuple[float, ...]
    domain: Number = ANY_NUMBER

    @classmethod
    def read(cls, table: Mapping[Any, object], field: Field) -> Distribution:
        """Make the distribution that a table says, checked against a field of numbers.

        Raises
        ------
        InputError
            With every fault of the table, each by the field's name.
        """
        kind, faults = _kind(table, field)
        if faults:
            raise InputError(faults)
        numbers, faults = _numbers(table, kind, field)
        faults = faults or _disorder(kind, numbers, field)
        if faults:
            raise InputError(faults)
        return cls(kind, tuple(numbers.values()), cast(Number, field.domain))

    @property
    def point(self) -> float:
        """The one value that stands for all: the mode, else the median."""
        if self.kind in ("triangular", "pert"):
            return self.parameters[1]
        if self.kind == "uniform":
            return float(self._within(0.5 * sum(self.parameters)))
        mean, sd, low, high = self._normal()
        whole = NormalDist(mean, sd)
        below = whole.cdf(low) if low > -math.inf else 0.0
        above = whole.cdf(high) if high < math.inf else 1.0
        middle = mean if below + above == 1.0 else whole.inv_cdf(0.5 * (below + above))
        return float(self._within(math.exp(middle) if self.kind == "lognormal" else middle))

    def quantile(self, share: Array) -> Array:
        """Return the values that the given shares of all values, from 0 to 1, lie below.

        The inverse of the cumulative distribution, exact to rounding; PERT's is interpolated, to
        1e-12 of its width.
        """
        share = np.asarray(share, dtype=np.float64)
        if self.kind in ("normal", "lognormal"):
            values = self._normal_quantile(share)
        else:
            low, *mode, high = self._ends()
            if self.kind == "uniform":
                values = low + (high - low) * share
            elif self.kind == "triangular":
                values = _triangular_quantile(share, low, mode[0], high)
            else:
                values = low + (high - low) * _beta_quantile(share, (mode[0] - low) / (high - low))
        return cast(Array, self._within(values))

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Draw independent values."""
        return self.quantile(rng.random(size))

    def to_dict(self) -> dict[str, float | str]:
        """Return the table that `read` makes the distribution of."""
        return {NAME: self.kind, **dict(zip(KINDS[self.kind], self.parameters, strict=True))}

    def __str__(self) -> str:
        named = zip(KINDS[self.kind], self.parameters, strict=True)
        return ", ".join([self.kind, *(f"{name} {value:,.10g}" for name, value in named)])

    def _ends(self) -> tuple[float, ...]:
        """Low, mode (if there is one) and high of the continuous distribution to draw from."""
        low, *mode, high = self.parameters
        beyond = 0.5 if self.domain.whole else 0.0
        return (low - beyond, *mode, high + beyond)

    def _normal(self) -> tuple[float, float, float, float]:
        """Mean, sd and both ends of the normal distribution: of the logarithms, if lognormal."""
        first, second = self.parameters
        if self.kind == "normal":
            return first, second, self.domain.low, self.domain.high
        low, high = math.log(first), math.log(second)
        mean, sd = 0.5 * (low + high), max(0.5 * (high - low) / _Z90, _LEAST_SD)
        least = math.log(self.domain.low) if self.domain.low > 0.0 else -math.inf
        return mean, sd, least, math.log(self.domain.high)

    def _normal_quantile(self, share: Array) -> Array:
        from scipy.special import ndtr, ndtri

        mean, sd, low, high = self._normal()
        below, beyond = ndtr((low - mean) / sd), ndtr((mean - high) / sd)
        if below > 0.0 or beyond > 0.0:
            upper = (share > 0.5).astype(np.intp)
            # From the nearer end: next to 1, probabilities have few digits.
            tail = (1.0 - below - beyond) * np.minimum(share, 1.0 - share)
            tail += np.array([below, beyond])[upper]
            values = mean + np.array([sd, -sd])[upper] * ndtri(tail)
        else:
            values = mean + sd * ndtri(share)
        return cast(Array, np.exp(values) if self.kind == "lognormal" else values)

    def _within(self, values: Any) -> Any:
        """Return values as the domain has them: whole if it is, and between its ends."""
        domain = self.domain
        if domain.whole:
            values = np.rint(values)
        if self.kind in ("normal", "lognormal"):
            low, high = domain.low, domain.high
            low = math.nextafter(low, math.inf) if domain.low_open else low
            high = math.nextafter(high, -math.inf) if domain.high_open else high
        else:
            low, high = self.parameters[0], self.parameters[-1]
        if np.ndim(values):
            return np.clip(values, low, high, out=values)
        return min(max(values, low), high)


def range_schema() -> dict[str, Any]:
    """JSON schema of a range."""
    kinds = []
    for kind, names in KINDS.items():
        properties: dict[str, Any] = {NAME: {"const": kind}}
        properties |= {name: {"type": "number"} for name in names}
        required = [*names] if kind == next(iter(KINDS)) else [NAME, *names]
        entry = {"properties": properties, "required": required, "additionalProperties": False}
        kinds.append({"type": "object", **entry})
    return {"title": "Range", "oneOf": kinds}


# The checks of a table


def _kind(table: Mapping[Any, object], field: Field) -> tuple[str, list[Fault]]:
    """Return which distribution a table means; the fault of one that is no range at all."""
    known = {NAME, *(name for names in KINDS.values() for name in names)}
    if not known.intersection(table):
        allowed = f"{field.allowed}, or a range like {{low = …, mode = …, high = …}}"
        problem = f"{shown(dict(table))} is {sort_of(table)}"
        return "", [Fault("type", field.name, problem, allowed)]
    kind = table.get(NAME, next(iter(KINDS)))
    if not isinstance(kind, str):
        problem = f"{NAME}: {shown(kind)} is {sort_of(kind)}"
        allowed = "give one of: " + ", ".join(KINDS)
        return "", [Fault("type", field.name, problem, allowed)]
    if kind not in KINDS:
        return "", [unknown_word(kind, list(KINDS), field.name, NAME)]
    return kind, []


def _numbers(
    table: Mapping[Any, object], kind: str, field: Field
) -> tuple[dict[str, float], list[Fault]]:
    """Return what a distribution is given by, each number checked alone."""
    names = KINDS[kind]
    allowed = _allowed(kind)
    faults: list[Fault] = []
    for key in table:
        if key not in (NAME, *names):
            near = spelling(key, names) if isinstance(key, str) else ""
            problem = f"a {kind} distribution has no {shown(key)}{near}"
            faults.append(Fault("unknown key", field.name, problem, allowed))
    numbers: dict[str, float] = {}
    for name in names:
        value = table.get(name)
        number = to_float(value)
        if is_empty(value):
            faults.append(Fault("missing", field.name, f"{name} is not given", allowed))
        elif number is None:
            problem = f"{name}: {shown(value)} is {sort_of(value)}"
            faults.append(Fault("type", field.name, problem, "give a number"))
        elif not math.isfinite(number):
            problem, limit = f"{name}: {number:g} is out of range", "give a finite number"
            faults.append(Fault("range", field.name, problem, limit))
        elif name != "sd" and cast(Number, field.domain).excludes(number):
            problem = f"{name}: {number:g} is out of range"
            faults.append(Fault("range", field.name, problem, field.allowed))
        else:
            numbers[name] = number
    return numbers, faults


def _disorder(kind: str, numbers: Mapping[str, float], field: Field) -> list[Fault]:
    """Return what is wrong with numbers that are each right."""
    names = KINDS[kind]
    if kind == "normal":
        domain = cast(Number, field.domain)
        width, sd = domain.high - domain.low, numbers["sd"]
        if 0.0 < sd <= width:
            return []
        problem = f"sd: {sd:g} is out of range"
        allowed = f"give a standard deviation above 0 and at most {width:g}"
        return [Fault("range", field.name, problem, allowed)]
    if kind == "lognormal" and numbers["p10"] <= 0.0:
        problem = f"p10: {numbers['p10']:g} is out of range"
        return [Fault("range", field.name, problem, "give a percentile above 0")]
    for less, more in pairwise(names):
        if numbers[less] > numbers[more]:
            problem = f"{less}: {numbers[less]:g} is above {more}: {numbers[more]:g}"
            return [Fault("range", field.name, problem, _allowed(kind))]
    first, last = names[0], names[-1]
    if numbers[first] == numbers[last]:
        problem = f"{first} and {last} are both {numbers[first]:g}"
        allowed = f"give {first} below {last}, or a number in place of the range"
        return [Fault("range", field.name, problem, allowed)]
    return []


def _allowed(kind: str) -> str:
    """What a distribution is given by, as a phrase."""
    if kind == "normal":
        return "give mean and sd"
    names = KINDS[kind]
    text = f"give {', '.join(names[:-1])} and {names[-1]}, in this order of size"
    return text if kind != "triangular" else f'{text}, or another {NAME} than "{kind}"'


# The inverses


def _triangular_quantile(share: Array, low: float, mode: float, high: float) -> Array:
    """Quantile of the triangular distribution: up to the mode one root, beyond it another.

    Each root stops at the mode. To choose between them instead would cost the processor, which
    cannot foresee the choice, as much again as both.
    """
    width = high - low
    split = (mode - low) / width
    left, right = np.minimum(share, split), 1.0 - np.maximum(share, split)
    left *= width * (mode - low)
    right *= width * (high - mode)
    below, above = np.sqrt(left, out=left), np.sqrt(right, out=right)
    return (low + below) - (above - (high - mode))


def _beta_quantile(share: Array, mode: float) -> Array:
    """Quantile of PERT on 0 to 1: the beta distribution with a = 1 + 4·mode, b = 6 − a.

    Its exact inverse takes SciPy longer than all else that is done with a sample. As a function of
    the standard normal quantile it is smooth to both ends, and so a cubic of it.
    """
    from scipy.special import ndtri

    place = (np.clip(ndtri(share), -_FARTHEST, _FARTHEST) + _FARTHEST) * (0.5 * _KNOTS / _FARTHEST)
    knot = np.minimum(place.astype(np.intp), _KNOTS - 1)
    part = place - knot
    c0, c1, c2, c3 = _beta_cubics(mode)
    value = ((c3[knot] * part + c2[knot]) * part + c1[knot]) * part + c0[knot]
    return cast(Array, np.where((share > 0.0) & (share < 1.0), value, share))


@lru_cache(maxsize=256)
def _beta_cubics(mode: float) -> tuple[Array, Array, Array, Array]:
    """Coefficients of the cubics between the knots (Hermite: exact values and slopes there)."""
    from scipy.special import betaincinv, betaln, ndtr

    a, b = 1.0 + 4.0 * mode, 5.0 - 4.0 * mode
    z = np.linspace(-_FARTHEST, _FARTHEST, _KNOTS + 1)
    value, rest = betaincinv(a, b, ndtr(z)), betaincinv(b, a, ndtr(-z))
    value = np.where(z < 0.0, value, 1.0 - rest)  # each is exact where it is small
    log_density = (a - 1.0) * np.log(value) + (b - 1.0) * np.log(rest) - betaln(a, b)
    slope = np.exp(-0.5 * z * z - log_density) / math.sqrt(2.0 * math.pi) * (z[1] - z[0])
    rise, start, end = np.diff(value), slope[:-1], slope[1:]
    return value[:-1], start, 3.0 * rise - 2.0 * start - end, start + end - 2.0 * rise

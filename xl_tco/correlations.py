"""Which uncertain fields go along with each other: rank correlations of pairs, and their normals.

A correlation is Spearman's, between the ranks of two fields, whatever their distributions are.
Fields are joined by a Gaussian copula, in which Spearman's ρ is Pearson's 2·sin(π·ρ/6) [1]_.

References
----------
.. [1] Kruskal 1958, "Ordinal Measures of Association", Journal of the American Statistical
   Association 53(284): Spearman's ρ of the bivariate normal distribution.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xl_tco.errors import Fault, FaultKind, InputError, spelling
from xl_tco.plain import shown, sort_of, to_float

__all__ = ["CORRELATIONS", "Correlation", "correlated_fields", "factor", "json_schema", "read"]

CORRELATIONS = "correlations"
"""Key of a scenario's table that lists them."""

Correlation = tuple[str, str, float]
"""Two fields, and the correlation of their ranks."""

_ALLOWED = 'give a list of pairs with their rank correlation, like [["mfu", "waste_share", -0.3]]'
_FLAT = 1e-9  # an eigenvalue below it: a matrix that is not positive definite but for rounding


def read(value: object, fields: Collection[str]) -> tuple[Correlation, ...]:
    """Check a list of correlations between ``fields``, which are uncertain.

    Raises
    ------
    InputError
        With every fault of the list, each naming its pair.
    """
    if not isinstance(value, list | tuple):
        problem = f"{shown(value)} is {sort_of(value)}"
        raise InputError([Fault("type", CORRELATIONS, problem, _ALLOWED)])
    pairs: dict[frozenset[str], Correlation] = {}
    faults: list[Fault] = []
    for entry in value:
        pair, fault = _pair(entry, fields)
        if pair and frozenset(pair[:2]) in pairs:
            fault = Fault(
                "conflict", CORRELATIONS, f"{_both(pair)} are there twice", "give it once"
            )
        if fault:
            faults.append(fault)
        elif pair:
            pairs[frozenset(pair[:2])] = pair
    correlations = tuple(pairs.values())
    faults = faults or _contradiction(correlations)
    if faults:
        raise InputError(faults)
    return correlations


def correlated_fields(correlations: Collection[Correlation]) -> tuple[str, ...]:
    """Return the fields that are correlated with any, in the order in which they occur."""
    return tuple(dict.fromkeys(name for pair in correlations for name in pair[:2]))


def factor(correlations: Collection[Correlation]) -> NDArray[np.float64]:
    """Return the L that makes independent standard normals z correlated: ``L @ z``.

    Lower triangular, a row for each of `correlated_fields`.
    """
    return np.asarray(np.linalg.cholesky(_matrix(correlations)), dtype=np.float64)


def json_schema() -> dict[str, Any]:
    """JSON schema of the list of correlations."""
    rank = {"type": "number", "exclusiveMinimum": -1, "exclusiveMaximum": 1}
    pair = [{"type": "string"}, {"type": "string"}, rank]
    entry = {"type": "array", "prefixItems": pair, "minItems": 3, "maxItems": 3}
    title = "Rank correlations of pairs of fields that are given as ranges"
    return {"type": "array", "title": title, "items": entry}


def _matrix(correlations: Collection[Correlation]) -> NDArray[np.float64]:
    """Correlation matrix of the normals that stand for the fields."""
    names = correlated_fields(correlations)
    matrix = np.eye(len(names))
    for first, second, rank in correlations:
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = 2.0 * math.sin(math.pi * rank / 6.0)
    return matrix


def _pair(entry: object, fields: Collection[str]) -> tuple[Correlation | None, Fault | None]:
    """Read one entry of the list."""
    if not isinstance(entry, list | tuple) or len(entry) != 3:
        problem = f"{shown(entry)} is no pair with its correlation"
        return None, Fault("type", CORRELATIONS, problem, _ALLOWED)
    for name in entry[:2]:
        if not isinstance(name, str) or name not in fields:
            near = spelling(name, list(fields)) if isinstance(name, str) else ""
            problem = f"{shown(name)} in {shown(list(entry))} has no range{near}"
            allowed = "name two fields that are given as ranges"
            return None, Fault("unknown key", CORRELATIONS, problem, allowed)
    rank = to_float(entry[2])
    if entry[0] == entry[1]:
        problem = f"{shown(list(entry))} is one field twice"
        return None, Fault("conflict", CORRELATIONS, problem, "name two fields")
    if rank is None or not -1.0 < rank < 1.0:
        kind: FaultKind = "range" if rank is not None else "type"
        problem = f"{shown(entry[2])}, of {shown(list(entry[:2]))}, is no correlation"
        return None, Fault(kind, CORRELATIONS, problem, "give a number above -1 and below 1")
    return (entry[0], entry[1], rank), None


def _contradiction(correlations: Collection[Correlation]) -> list[Fault]:
    """Return the fault of correlations that no joint distribution has, by the pair most at fault.

    Along the eigenvector of an eigenvalue that is not positive, the variance is not either; the
    pair that takes most from it is named.
    """
    if not correlations:
        return []
    names, matrix = correlated_fields(correlations), _matrix(correlations)
    values, vectors = np.linalg.eigh(matrix)
    if values[0] > _FLAT:
        return []
    worst = np.triu(matrix * np.outer(vectors[:, 0], vectors[:, 0]), 1)
    i, j = np.unravel_index(np.argmin(worst), worst.shape)
    pair = next(pair for pair in correlations if {names[i], names[j]} == set(pair[:2]))
    problem = f"{pair[2]:g} of {_both(pair)} cannot be, with the other correlations"
    return [Fault("conflict", CORRELATIONS, problem, "give one nearer to 0, or leave others out")]


def _both(pair: Correlation) -> str:
    return f"{pair[0]} and {pair[1]}"

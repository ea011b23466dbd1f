"""How the loss of a language model falls with parameters and tokens, and the best split of both.

The fitted law is ``L = E + A/N^α + B/D^β`` with ``C = 6·N·D``, N the parameters and D the tokens.
A fit is five numbers; hand another one over by unpacking it:
``loss(70e9, 1.4e12, *HOFFMANN_2022)``.

A fit holds for its own data and tokeniser, and for runs of about its own size: the losses of two
fits are not comparable, and neither is a loss with that of a model outside the fit.

References
----------
.. [1] Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models", arXiv:2203.15556,
   approach 3, equations 4 and 10.
.. [2] Besiroglu et al. 2024, "Chinchilla Scaling: A replication attempt", arXiv:2404.10102, table 1
   (the refit of approach 3, in line with the approaches 1 and 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.compute import FLOPS_PER_PARAMETER_TOKEN

__all__ = [
    "BESIROGLU_2024",
    "HOFFMANN_2022",
    "LossFit",
    "loss",
    "optimal_flops",
    "optimal_loss",
    "optimal_parameters",
    "optimal_tokens",
    "tokens_for_loss",
]


class LossFit(NamedTuple):
    """The five numbers of a fit, in the order in which every function here takes them."""

    irreducible_loss: float
    parameter_coefficient: float
    token_coefficient: float
    parameter_exponent: float
    token_exponent: float


BESIROGLU_2024 = LossFit(1.8172, 482.01, 2085.43, 0.3478, 0.3658)
"""The default [2]_."""

HOFFMANN_2022 = LossFit(1.69, 406.4, 410.7, 0.34, 0.28)
"""As printed, rounded [1]_: it asks for many more tokens than the paper's other approaches."""

E, A, B, ALPHA, BETA = BESIROGLU_2024


@elementwise
def loss(
    parameters: Real,
    tokens: Real,
    irreducible_loss: Real = E,
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Loss after one pass over ``tokens``: ``E + A/N^α + B/D^β`` [1]_, nats a token.

    Parameters
    ----------
    parameters
        Parameters of a dense model, embeddings included.
    tokens
        Tokens seen once.
    irreducible_loss, parameter_coefficient, token_coefficient, parameter_exponent, token_exponent
        The fit: E, A, B, α, β.

    Examples
    --------
    >>> f"{loss(70e9, 1.4e12, *HOFFMANN_2022):.3f}"
    '1.937'
    """
    by_size = parameter_coefficient / parameters**parameter_exponent
    return irreducible_loss + by_size + token_coefficient / tokens**token_exponent


@elementwise
def optimal_parameters(
    flops: Real,
    irreducible_loss: Real = E,  # noqa: ARG001 - a fit is handed over whole; the best split needs no E
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Parameters that give the lowest loss for a budget of ``6·N·D`` FLOPs [1]_.

    ``G·(C/6)^(β/(α+β))`` with ``G = (α·A/(β·B))^(1/(α+β))``.

    Parameters
    ----------
    flops
        Model FLOPs to spend on one run, the attention term left out.
    irreducible_loss, parameter_coefficient, token_coefficient, parameter_exponent, token_exponent
        The fit: E, A, B, α, β.

    Examples
    --------
    >>> f"{optimal_parameters(5.76e23):.2g}"
    '7.2e+10'
    """
    exponents = parameter_exponent + token_exponent
    balance = (parameter_exponent * parameter_coefficient) / (token_exponent * token_coefficient)
    products = flops / FLOPS_PER_PARAMETER_TOKEN
    return balance ** (1.0 / exponents) * products ** (token_exponent / exponents)


@elementwise
def optimal_tokens(
    flops: Real,
    irreducible_loss: Real = E,
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Tokens that go with `optimal_parameters`: ``G^−1·(C/6)^(α/(α+β))`` [1]_."""
    parameters = optimal_parameters(
        flops,
        irreducible_loss,
        parameter_coefficient,
        token_coefficient,
        parameter_exponent,
        token_exponent,
    )
    return flops / FLOPS_PER_PARAMETER_TOKEN / parameters


@elementwise
def optimal_loss(
    flops: Real,
    irreducible_loss: Real = E,
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Lowest loss that a budget of FLOPs buys: `loss` at the best split of it, nats a token."""
    fit = (
        irreducible_loss,
        parameter_coefficient,
        token_coefficient,
        parameter_exponent,
        token_exponent,
    )
    return loss(optimal_parameters(flops, *fit), optimal_tokens(flops, *fit), *fit)


@elementwise
def optimal_flops(
    target_loss: Real,
    irreducible_loss: Real = E,
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Least FLOPs that reach a loss: the inverse of `optimal_loss`.

    At the best split the loss above the irreducible one is the power ``−αβ/(α+β)`` of the FLOPs.

    Returns
    -------
    FLOP; inf where the target is not above the irreducible loss.
    """
    of_six = optimal_loss(
        FLOPS_PER_PARAMETER_TOKEN,
        0.0,
        parameter_coefficient,
        token_coefficient,
        parameter_exponent,
        token_exponent,
    )
    power = parameter_exponent * token_exponent / (parameter_exponent + token_exponent)
    reducible = target_loss - irreducible_loss
    reached = reducible > 0.0
    products = (of_six / np.where(reached, reducible, 1.0)) ** (1.0 / power)
    return np.where(reached, FLOPS_PER_PARAMETER_TOKEN * products, np.inf)


@elementwise
def tokens_for_loss(
    parameters: Real,
    target_loss: Real,
    irreducible_loss: Real = E,
    parameter_coefficient: Real = A,
    token_coefficient: Real = B,
    parameter_exponent: Real = ALPHA,
    token_exponent: Real = BETA,
) -> Real:
    """Tokens that bring a model of given size to a loss: ``(B/(L−E−A/N^α))^(1/β)``.

    Returns
    -------
    Tokens; inf where no number of them is enough for a model of this size.
    """
    left = target_loss - irreducible_loss - parameter_coefficient / parameters**parameter_exponent
    reached = left > 0.0
    tokens = (token_coefficient / np.where(reached, left, 1.0)) ** (1.0 / token_exponent)
    return np.where(reached, tokens, np.inf)

"""Key figures and common claims, each put to a scenario."""

from xl_tco.analysis.claims.case import TEN_THOUSAND
from xl_tco.analysis.claims.verdicts import (
    ABOUT,
    MEASURES,
    ROUNDING,
    SCHEMA,
    VERDICTS,
    Claim,
    Claims,
    claims,
    statements,
)

__all__ = [
    "ABOUT",
    "MEASURES",
    "ROUNDING",
    "SCHEMA",
    "TEN_THOUSAND",
    "VERDICTS",
    "Claim",
    "Claims",
    "claims",
    "statements",
]

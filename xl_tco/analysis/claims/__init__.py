"""Key figures and common claims, each put to a scenario."""

from xl_tco.analysis.claims.verdicts import MEASURES, SCHEMA, VERDICTS, Claim, Claims, claims

__all__ = ["MEASURES", "SCHEMA", "VERDICTS", "Claim", "Claims", "claims"]

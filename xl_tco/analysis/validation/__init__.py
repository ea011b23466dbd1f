"""The model beside training runs that were published."""

from xl_tco.analysis.validation.comparing import QUANTITIES, validate
from xl_tco.analysis.validation.comparisons import SCHEMA, Comparison, Summary, Validation

__all__ = ["QUANTITIES", "SCHEMA", "Comparison", "Summary", "Validation", "validate"]

"""The version, in one place: pyproject.toml, workbooks and TCO_VERSION read it here."""

import datetime as dt

__version__ = "0.1.0"

RELEASED = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
"""When a workbook says it was made, so that the same scenario gives the same bytes."""

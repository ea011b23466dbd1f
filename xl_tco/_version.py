"""The version, in one place: pyproject.toml and TCO_VERSION read it here."""

__version__ = "0.1.0"

"""The command ``xl-tco``: reads files, calls the package, prints.

Nothing is computed here, and nothing heavy is imported before a command needs it.
"""

from xl_tco.cli import comparing, costing, decisions, evidence, hosts, known, outlook, reading
from xl_tco.cli.app import app, main

__all__ = [
    "app",
    "comparing",
    "costing",
    "decisions",
    "evidence",
    "hosts",
    "known",
    "main",
    "outlook",
    "reading",
]

"""What each lever on the cost would save: alone, in turn, and all together."""

from xl_tco.analysis.levers.effects import Lever
from xl_tco.analysis.levers.pulling import SCHEMA, Levers, Pull, levers
from xl_tco.analysis.levers.table import ASSUMPTION, LAYERS, LEVERS

__all__ = ["ASSUMPTION", "LAYERS", "LEVERS", "SCHEMA", "Lever", "Levers", "Pull", "levers"]

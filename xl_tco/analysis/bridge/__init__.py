"""The bridge from one scenario to another: what differs, and what each change does to the total."""

from xl_tco.analysis.bridge.crossing import SCHEMA, Bridge, Difference, Step, bridge
from xl_tco.analysis.bridge.differing import Change

__all__ = ["SCHEMA", "Bridge", "Change", "Difference", "Step", "bridge"]

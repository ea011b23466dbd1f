"""The fields of a scenario: one table, read by everything that takes or shows one.

To add a field, add a row to `xl_tco.fields.basic` or `xl_tco.fields.detail` and use it in
`xl_tco.model`.
"""

from __future__ import annotations

from xl_tco.fields.basic import BASIC
from xl_tco.fields.detail import DETAIL
from xl_tco.fields.field import Field

__all__ = ["ACCELERATOR_FREE", "ALTERNATIVES", "FIELDS", "GROUPS", "MODES"]

ACCELERATOR_FREE = "custom"
"""The accelerator that is in no catalogue: its figures are all given, and none is checked."""

GROUPS = {
    "run": "Training run",
    "cluster": "Cluster and efficiency",
    "step": "Efficiency from the bottom up: in place of an MFU",
    "failures": "Waste from the bottom up: in place of a waste share",
    "own": "Buying: hardware and facility",
    "topology": "Network from the bottom up: in place of its share",
    "capacity": "Storage from the bottom up: in place of its share",
    "energy": "Power and cooling",
    "operations": "Staff, software, storage",
    "rent": "Renting",
    "report": "Reporting",
}

ALTERNATIVES: tuple[tuple[str, ...], ...] = (
    ("mfu", "hfu", "kernel_efficiency"),
    ("waste_share", "accelerator_mtbf_hours"),
    ("network_share", "network_price_usd", "network_topology"),
    ("storage_share", "storage_price_usd", "storage_usd_per_tb"),
)
"""Ways to say the same thing: at most one of each is given; a default stands for no other."""

MODES: dict[str, tuple[str, str]] = {
    "own": ("procurement", "own"),
    "rent": ("procurement", "rent"),
    "annuity": ("depreciation_method", "annuity"),
    "step": ("kernel_efficiency", ""),
    "failures": ("accelerator_mtbf_hours", ""),
    "topology": ("network_topology", ""),
    "capacity": ("storage_usd_per_tb", ""),
}
"""When a part of the model is in use: the field that says so, and its word; none is any value."""

FIELDS: dict[str, Field] = {
    field.name: field for group in GROUPS for field in (*BASIC, *DETAIL) if field.group == group
}
"""Every field of a scenario, by name, in the order in which people fill them in."""

"""The one contract of field names.

A scenario is a flat table of these fields. The same names are TOML keys, CSV columns, names in the
workbook, labels of the ranges given to spreadsheet functions, JSON keys and Python arguments.
Everything that needs a field's unit, range, default or help reads it here; to add a field, add a
row here and use it in `xl_tco.model`.

This module knows no file format, no catalogue values and no formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ACCELERATOR_FREE", "FIELDS", "GROUPS", "Field", "Need", "Number"]

Need = Literal["always", "own", "rent", "optional"]

ACCELERATOR_FREE = "custom"
"""The accelerator that is in no catalogue: its figures are all given, and none is checked."""

GROUPS = {
    "run": "Training run",
    "cluster": "Cluster and efficiency",
    "own": "Buying: hardware and facility",
    "energy": "Power and cooling",
    "operations": "Staff, software, storage",
    "rent": "Renting",
}


@dataclass(frozen=True, slots=True)
class Number:
    """A range of numbers, its ends included unless they are said to be open."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def excludes(self, value: Any) -> Any:
        """Whether a number, or each of an array, lies outside; NaN, an empty cell, does not."""
        below = value <= self.low if self.low_open else value < self.low
        above = value >= self.high if self.high_open else value > self.high
        return below | above

    def __str__(self) -> str:
        low = f"{'above' if self.low_open else 'from'} {_plain(self.low)}"
        join = "and below" if self.high_open else ("and at most" if self.low_open else "to")
        return f"a number {low} {join} {_plain(self.high)}"


def _plain(number: float) -> str:
    """Write a bound as people do: thousands apart, or as a power of ten."""
    return f"{number:,.15g}" if number < 1e12 else f"{number:g}".replace("e+", "e")


SHARE = Number(0, 1)
SHARE_BELOW_1 = Number(0, 1, high_open=True)
UTILIZATION = Number(0, 1, low_open=True)
# Upper bounds only catch slips of the keyboard (and keep every result finite): far above any run.
COUNT = Number(0, 1e18, low_open=True)
USD = Number(0, 1e12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One figure of a scenario.

    Attributes
    ----------
    name
        The name, everywhere. It ends in the unit where there is one.
    label, unit, help
        What people read: a heading, the unit, a sentence.
    group
        Key of `GROUPS`: where it stands on a form.
    hint
        What may be given, where the domain does not say it.
    domain
        `Number`, or a tuple of the words allowed, or None for free text.
    need
        When a scenario cannot do without it: "always", when it "own"s or "rent"s, or "optional".
    default
        Catalogue entry that stands in where nothing is given. Braces hold the name of a field
        whose value completes it: ``{accelerator}.tdp_watts``. Empty: there is no default.
    """

    name: str
    label: str
    unit: str
    group: str
    help: str
    domain: Number | tuple[str, ...] | None
    need: Need = "always"
    default: str = ""
    hint: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the field holds a number, not a word."""
        return isinstance(self.domain, Number)

    @property
    def allowed(self) -> str:
        """What may be given, as a phrase."""
        if self.domain is None:
            return self.hint or "give a text"
        if isinstance(self.domain, Number):
            return f"give {self.domain}"
        return "give one of: " + ", ".join(self.domain)


def _default(name: str) -> str:
    return f"default.{name}"


def _spec(name: str) -> str:
    return f"{{accelerator}}.{name}"


_ROWS = (
    Field(
        name="name",
        label="Name of the run",
        unit="text",
        group="run",
        help="What the run is called in reports.",
        domain=None,
        default=_default("name"),
    ),
    Field(
        name="parameters",
        label="Parameters a token passes through",
        unit="parameters",
        group="run",
        help="Parameters that a token passes through; the active ones for a mixture of experts.",
        domain=COUNT,
    ),
    Field(
        name="tokens",
        label="Training tokens",
        unit="tokens",
        group="run",
        help="Tokens processed, all epochs counted.",
        domain=COUNT,
    ),
    Field(
        name="layers",
        label="Layers",
        unit="layers",
        group="run",
        help="Transformer layers, for the attention term; with hidden_size and sequence_length.",
        domain=Number(0, 1e6),
        need="optional",
    ),
    Field(
        name="hidden_size",
        label="Hidden size",
        unit="elements",
        group="run",
        help="Width of the model (heads × head size), for the attention term.",
        domain=Number(0, 1e7),
        need="optional",
    ),
    Field(
        name="sequence_length",
        label="Sequence length",
        unit="tokens",
        group="run",
        help="Tokens in a training sequence, for the attention term.",
        domain=Number(0, 1e9),
        need="optional",
    ),
    Field(
        name="recompute_share",
        label="Recomputed activations",
        unit="share of model FLOPs",
        group="run",
        help="Extra hardware FLOPs by activation recomputation: 0 none, 0.03 selective, 1/3 full.",
        domain=SHARE,
        default=_default("recompute_share"),
    ),
    Field(
        name="experiment_multiplier",
        label="All compute over the final run's",
        unit="multiple",
        group="run",
        help="All compute of the project over that of the final run, at least 1.",
        domain=Number(1, 1e4),
        default=_default("experiment_multiplier"),
    ),
    Field(
        name="accelerator",
        label="Accelerator",
        unit="catalogue key",
        group="cluster",
        help="Key of the catalogue, like h100-sxm, or custom, with every figure given.",
        domain=None,
        hint="give a key of the catalogue, like h100-sxm (all: xl-tco catalogue), or custom",
    ),
    Field(
        name="accelerators",
        label="Number of accelerators",
        unit="accelerators",
        group="cluster",
        help="Accelerators that train at the same time.",
        domain=Number(1, 1e9),
    ),
    Field(
        name="precision",
        label="Training precision",
        unit="format",
        group="cluster",
        help="Number format of the matrix products: the peak that MFU refers to.",
        domain=("bf16", "fp16", "fp8"),
        default=_default("precision"),
    ),
    Field(
        name="peak_tflops",
        label="Dense peak an accelerator",
        unit="TFLOP/s",
        group="cluster",
        help="Dense peak of one accelerator at the training precision; never the sparse one.",
        domain=Number(0, 1e7, low_open=True),
        default=_spec("peak_tflops_{precision}"),
    ),
    Field(
        name="mfu",
        label="Model FLOPs utilization (MFU)",
        unit="share of peak",
        group="cluster",
        help="Model FLOPs over what the peak would do in the same time. Give mfu or hfu, not both.",
        domain=UTILIZATION,
        need="optional",
    ),
    Field(
        name="hfu",
        label="Hardware FLOPs utilization (HFU)",
        unit="share of peak",
        group="cluster",
        help="Hardware FLOPs, recomputation included, over the peak. Give mfu or hfu, not both.",
        domain=UTILIZATION,
        need="optional",
    ),
    Field(
        name="communication_share",
        label="Communication not in the MFU",
        unit="share of step time",
        group="cluster",
        help="Only for an efficiency of compute alone: a published MFU contains communication.",
        domain=SHARE_BELOW_1,
        default=_default("communication_share"),
    ),
    Field(
        name="waste_share",
        label="Time lost to failures and retries",
        unit="share of wall time",
        group="cluster",
        help="Cluster time lost to failures, restarts, rollbacks, stragglers. Goodput is 1 − it.",
        domain=SHARE_BELOW_1,
        default=_default("waste_share"),
    ),
    Field(
        name="procurement",
        label="Own or rent",
        unit="own | rent",
        group="cluster",
        help="own: buy the cluster and charge its use. rent: pay by the accelerator-hour.",
        domain=("own", "rent"),
    ),
    Field(
        name="accelerator_price_usd",
        label="Price of an accelerator",
        unit="USD",
        group="own",
        help="Purchase price of one accelerator.",
        domain=USD,
        need="own",
        default=_spec("accelerator_price_usd"),
    ),
    Field(
        name="host_price_usd_per_accelerator",
        label="Price of the host, per accelerator",
        unit="USD",
        group="own",
        help="Server without accelerators, over the accelerators in it; 0 if in their price.",
        domain=USD,
        need="own",
        default=_spec("host_price_usd_per_accelerator"),
    ),
    Field(
        name="network_share",
        label="Network",
        unit="share of cluster CapEx",
        group="own",
        help="Switches, optics and cables as a share of the cluster's CapEx.",
        domain=SHARE_BELOW_1,
        need="own",
        default=_default("network_share"),
    ),
    Field(
        name="storage_share",
        label="Storage that is bought",
        unit="share of cluster CapEx",
        group="own",
        help="Storage systems as a share of the cluster's CapEx.",
        domain=SHARE_BELOW_1,
        need="own",
        default=_default("storage_share"),
    ),
    Field(
        name="residual_share",
        label="Residual value of the hardware",
        unit="share of price",
        group="own",
        help="Share of the hardware's price recovered at the end of its life.",
        domain=SHARE,
        need="own",
        default=_default("residual_share"),
    ),
    Field(
        name="depreciation_years",
        label="Life of the hardware",
        unit="years",
        group="own",
        help="Years over which the hardware is written off, straight line.",
        domain=Number(0, 100, low_open=True),
        need="own",
        default=_default("depreciation_years"),
    ),
    Field(
        name="utilization",
        label="Hours of a year in useful work",
        unit="share of the year",
        group="own",
        help="Share of a year's hours in which the cluster does useful work, for any run.",
        domain=UTILIZATION,
        need="own",
        default=_default("utilization"),
    ),
    Field(
        name="facility_usd_per_kw",
        label="Facility CapEx",
        unit="USD/kW of IT load",
        group="own",
        help="Building, power distribution and cooling plant, per kW of IT nameplate load.",
        domain=USD,
        need="own",
        default=_default("facility_usd_per_kw"),
    ),
    Field(
        name="facility_life_years",
        label="Life of the facility",
        unit="years",
        group="own",
        help="Years over which the facility is written off, to nothing.",
        domain=Number(0, 100, low_open=True),
        need="own",
        default=_default("facility_life_years"),
    ),
    Field(
        name="facility_om_usd_per_kw_year",
        label="Facility operation",
        unit="USD/kW/year",
        group="own",
        help="Operation and maintenance of the facility a year, per kW of IT nameplate load.",
        domain=USD,
        need="own",
        default=_default("facility_om_usd_per_kw_year"),
    ),
    Field(
        name="tdp_watts",
        label="Accelerator at nameplate (TDP)",
        unit="W",
        group="energy",
        help="Thermal design power of one accelerator.",
        domain=Number(0, 1e6, low_open=True),
        need="own",
        default=_spec("tdp_watts"),
    ),
    Field(
        name="power_draw_share",
        label="Average draw of the accelerator",
        unit="share of TDP",
        group="energy",
        help="Average draw while training, as a share of TDP.",
        domain=SHARE,
        need="own",
        default=_default("power_draw_share"),
    ),
    Field(
        name="host_watts_per_accelerator",
        label="Power of the host, per accelerator",
        unit="W",
        group="energy",
        help="Server without accelerators, network and storage, over the accelerators.",
        domain=Number(0, 1e6),
        need="own",
        default=_spec("host_watts_per_accelerator"),
    ),
    Field(
        name="pue",
        label="Power usage effectiveness (PUE)",
        unit="facility / IT",
        group="energy",
        help="Facility energy over IT energy: never below 1.",
        domain=Number(1, 10),
        need="own",
        default=_default("pue"),
    ),
    Field(
        name="electricity_usd_per_kwh",
        label="Electricity price",
        unit="USD/kWh",
        group="energy",
        help="All-in price of electricity.",
        domain=Number(0, 1e3),
        need="own",
        default=_default("electricity_usd_per_kwh"),
    ),
    Field(
        name="staff_fte",
        label="Staff",
        unit="full-time equivalents",
        group="operations",
        help="People whose time the run takes, while it runs: research, engineering, operations.",
        domain=Number(0, 1e6),
    ),
    Field(
        name="staff_usd_per_fte_year",
        label="Cost of a full-time equivalent",
        unit="USD/year",
        group="operations",
        help="Salary, benefits and overhead of one person for a year.",
        domain=Number(0, 1e9),
        default=_default("staff_usd_per_fte_year"),
    ),
    Field(
        name="software_usd_per_accelerator_year",
        label="Software licences and support",
        unit="USD/accelerator/year",
        group="operations",
        help="Licences and support, per accelerator and year.",
        domain=Number(0, 1e9),
        default=_default("software_usd_per_accelerator_year"),
    ),
    Field(
        name="storage_usd_per_hour",
        label="Storage billed by the hour",
        unit="USD/hour",
        group="operations",
        help="Storage that is rented, for the whole cluster; beside any that is bought.",
        domain=Number(0, 1e9),
        default="{procurement}.storage_usd_per_hour",
    ),
    Field(
        name="rental_usd_per_accelerator_hour",
        label="Rent of an accelerator",
        unit="USD/hour",
        group="rent",
        help="Price of one accelerator for an hour; host, network, facility and power included.",
        domain=Number(0, 1e6),
        need="rent",
        default=_spec("rental_usd_per_accelerator_hour"),
    ),
    Field(
        name="reservation_discount",
        label="Discount of a reservation",
        unit="share of rent",
        group="rent",
        help="Discount on the hourly price for a commitment.",
        domain=SHARE,
        need="rent",
        default=_default("reservation_discount"),
    ),
)

FIELDS: dict[str, Field] = {field.name: field for field in _ROWS}
"""Every field of a scenario, by name, in the order in which people fill them in."""

"""The spreadsheet functions: one table, read by every host.

A row says what the function is called, what it takes and gives, and which formula it stands for.
Excel through xlwings, the calculation without Excel, and the documentation all read it here; to add
a function, add a row, and a line in ``udfs/tco_udfs.py``.

This module imports nothing heavier than NumPy: a spreadsheet waits for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xl_tco import catalogue
from xl_tco._version import __version__
from xl_tco.core import capital, compute, power, time
from xl_tco.errors import Fault, InputError, unknown_word
from xl_tco.fields import FIELDS, Number
from xl_tco.functions import costing
from xl_tco.functions.function import REQUIRED, Argument, Function

__all__ = ["FUNCTIONS"]


def _field(name: str, default: object = REQUIRED, **changes: Any) -> Argument:
    """Make an argument of the scenario field of that name: its unit, range and help."""
    field = FIELDS[name]
    domain = field.domain if isinstance(field.domain, Number) else None
    return Argument(
        name, field.unit, changes.pop("help", field.help), "number", domain, default, **changes
    )


def _dense_peak(word: str) -> float:
    """Return the dense bf16 peak of a catalogue key, for a peak given as a key."""
    return float(_figure(word, "peak_tflops_bf16"))


def _figure(accelerator: str, field: str) -> Any:
    """Return a figure of the catalogue."""
    keys = catalogue.accelerator_keys()
    if accelerator not in keys:
        raise InputError(
            [unknown_word(accelerator, keys, "accelerator", "accelerator of the catalogue")]
        )
    figures = catalogue.specifications(accelerator)
    if field not in figures:
        raise InputError([unknown_word(field, tuple(figures), "field", "figure of the catalogue")])
    entry = figures[field]
    if entry.value is None:
        problem = f"{field} of {accelerator} is unknown ({entry.source})"
        raise InputError([Fault("unknown figure", field, problem, "supply a figure of your own")])
    return entry.value


def _spec(accelerator: Any, field: Any) -> Any:
    """Return a figure of the catalogue, or of each of a range of keys and fields."""
    if not isinstance(accelerator, np.ndarray) and not isinstance(field, np.ndarray):
        return _figure(accelerator, field)
    keys, fields = np.broadcast_arrays(
        np.asarray(accelerator, dtype=object), np.asarray(field, dtype=object)
    )
    found = [_figure(*pair) for pair in zip(keys.flat, fields.flat, strict=True)]
    return np.array(found, dtype=object).reshape(keys.shape)


_FLOP = Number(0, 1e40)
_HOURS = Number(0, 1e12)

_INPUTS = Argument(
    "inputs",
    "fields and values",
    "Range of two columns: names of fields (mfu, pue …) and values. Empty values take the default.",
    "table",
)
_OVERRIDES = Argument(
    "overrides",
    "fields and values",
    "Range of two columns like inputs: figures that replace those, for a what-if.",
    "table",
    default=None,
)
_HOURS_OF_RUN = Argument("hours", "hours", "Hours that the cluster runs.", "number", _HOURS)

_ROWS = (
    Function(
        "TCO_FLOPS",
        "Floating-point operations of a training run: 6·N·D, with the attention term if layers, "
        "hidden size and sequence length are given, all three.",
        "FLOP",
        (
            _field("parameters"),
            _field("tokens"),
            _field(
                "recompute_share",
                0.0,
                help="Leave it out for the model FLOPs that go with MFU; hardware FLOPs go with "
                "HFU. 0.03 selective, 1/3 full recomputation.",
            ),
            _field("layers", 0.0),
            _field("hidden_size", 0.0),
            _field("sequence_length", 0.0),
        ),
        lambda parameters, tokens, recompute_share, *sizes: compute.hardware_flops(
            compute.model_flops(parameters, tokens, *sizes), recompute_share
        ),
    ),
    Function(
        "TCO_WALLTIME",
        "Hours that a training run takes on a cluster; with a waste share, those on the clock.",
        "hours",
        (
            Argument("flops", "FLOP", "Model FLOPs, as TCO_FLOPS gives them.", "number", _FLOP),
            _field("accelerators"),
            _field(
                "peak_tflops",
                word=_dense_peak,
                help="Dense peak of one accelerator at the training precision, or a catalogue key "
                "like h100-sxm, read at bf16.",
            ),
            _field("mfu", help="Model FLOPs over what the peak would do in the same time."),
            _field("communication_share", 0.0),
            _field("waste_share", 0.0),
        ),
        lambda *args: time.wall_hours(time.productive_hours(*args[:-1]), args[-1]),
    ),
    Function(
        "TCO_POWER_COST",
        "Electricity bill of a cluster, cooling and power distribution included.",
        "USD",
        (
            _field("accelerators"),
            _HOURS_OF_RUN,
            Argument(
                "watts",
                "W",
                "Watts of IT load an accelerator, its share of the host included.",
                "number",
                Number(0, 1e6),
            ),
            _field("pue"),
            Argument(
                "usd_per_kwh",
                "USD/kWh",
                FIELDS["electricity_usd_per_kwh"].help,
                "number",
                Number(0, 1e3),
            ),
            _field(
                "power_draw_share",
                1.0,
                help="Share of all of watts drawn on average, the host's too; 1 if omitted.",
            ),
        ),
        power.power_cost_usd,
    ),
    Function(
        "TCO_TOTAL",
        "Total cost of ownership of a training run described by a range of fields and values, or "
        "one component of it.",
        "USD",
        (
            _INPUTS,
            _OVERRIDES,
            Argument(
                "component",
                "name",
                "accelerators, hosts, network, storage, facility, power, cooling, rental, staff, "
                "software, waste, or total.",
                "word",
                default="total",
            ),
        ),
        costing.total,
    ),
    Function(
        "TCO_BREAKDOWN",
        "Components of the total, a row each: name and USD. They add up to TCO_TOTAL.",
        "USD",
        (_INPUTS, _OVERRIDES),
        costing.breakdown,
        spills=True,
    ),
    Function(
        "TCO_METRIC",
        "A figure beside the total: wall_hours, energy_gwh, usd_per_million_tokens and others.",
        "that of the metric",
        (
            _INPUTS,
            Argument("metric", "name", "total_usd, flops, wall_hours, energy_gwh …", "word"),
            _OVERRIDES,
        ),
        costing.metric,
    ),
    Function(
        "TCO_SPEC",
        "A figure of the accelerator catalogue, such as peak_tflops_bf16 or tdp_watts.",
        "that of the figure",
        (
            Argument("accelerator", "key", "Key of the catalogue, like h100-sxm.", "word"),
            Argument(
                "field",
                "name",
                "Figure wanted: label, peak_tflops_bf16, tdp_watts, accelerator_price_usd …",
                "word",
            ),
        ),
        _spec,
    ),
    Function(
        "TCO_RENTAL_COST",
        "Rent of a cluster by the hour.",
        "USD",
        (
            _field("accelerators"),
            _HOURS_OF_RUN,
            Argument(
                "usd_per_accelerator_hour",
                "USD/hour",
                FIELDS["rental_usd_per_accelerator_hour"].help,
                "number",
                Number(0, 1e6),
            ),
            _field("reservation_discount", 0.0),
        ),
        capital.rental_usd,
    ),
    Function(
        "TCO_AMORTIZATION",
        "Straight-line depreciation of an asset that a number of hours is charged.",
        "USD",
        (
            Argument("capex_usd", "USD", "Purchase price.", "number", Number(0, 1e15)),
            Argument("hours", "hours", "Hours that the run occupies it.", "number", _HOURS),
            _field("depreciation_years"),
            _field("residual_share", 0.0),
            _field(
                "utilization", 1.0, help="Share of a year's hours in useful work; 1 if omitted."
            ),
        ),
        lambda capex_usd, hours, years, residual_share, utilization: capital.amortization_usd(
            capex_usd, hours, years, utilization, residual_share
        ),
    ),
    Function("TCO_VERSION", "Version of xl-tco that calculates.", "text", (), lambda: __version__),
)

FUNCTIONS: dict[str, Function] = {function.name: function for function in _ROWS}
"""Every spreadsheet function, by name."""

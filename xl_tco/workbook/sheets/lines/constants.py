"""Conversions and constants of the formulas: names, so that no number is typed into one."""

from __future__ import annotations

from xl_tco.analysis.claims import ABOUT, ROUNDING, TEN_THOUSAND
from xl_tco.core import (
    capital,
    compute,
    depreciation,
    network,
    parallel,
    power,
    storage,
    time,
    total,
)
from xl_tco.core.cash import MONTHS_PER_YEAR
from xl_tco.model import efficiency
from xl_tco.resolve import PEAK_TOLERANCE

__all__ = ["CONSTANTS"]

_CONVERSION = "Unit conversion"
_RING = "Ring all-reduce: Patarasuk and Yuan 2009"
_LAYERS = "Tensor parallelism: Narayanan et al. 2021, arXiv:2104.04473"
_MEMORY = "Bytes of activations: Korthikanti et al. 2022, arXiv:2205.05198"
_ZERO = "ZeRO: Rajbhandari et al. 2020, arXiv:1910.02054"
_DALY = "Daly 2006: higher order of the best interval"

CONSTANTS: dict[str, tuple[float, str, str]] = {
    "flops_per_parameter_token": (
        compute.FLOPS_PER_PARAMETER_TOKEN,
        "FLOP",
        "Forward 2 and backward 4: Kaplan et al. 2020, arXiv:2001.08361",
    ),
    "attention_flops_factor": (
        compute.ATTENTION_FLOPS_FACTOR,
        "FLOP",
        "Attention of a token: PaLM, arXiv:2204.02311, appendix B",
    ),
    "causal_share": (0.5, "share", "A causal mask leaves half of the attention matrix"),
    "layer_exchanges": (efficiency.EXCHANGES, "exchanges", _LAYERS),
    "layer_exchanges_again": (
        efficiency.WITH_FULL_RECOMPUTATION - efficiency.EXCHANGES,
        "exchanges",
        f"Repeated by full recomputation. {_LAYERS}",
    ),
    "ring_passes": (2.0, "passes", _RING),
    "both_ways": (2.0, "ways", "Activations to the next stage, gradients to the one before"),
    "bytes_per_value": (2.0, "bytes", "16 bits"),
    "gradient_passes": (2.0, "passes", f"One more where weights are sharded. {_ZERO}"),
    "zero_shards_weights": (3.0, "stage", _ZERO),
    "zero_shards_gradients": (2.0, "stage", _ZERO),
    "zero_shards_optimizer": (1.0, "stage", _ZERO),
    "layer_bytes": (34.0, "bytes", f"Of a value, split by tensor parallelism. {_MEMORY}"),
    "score_bytes": (5.0, "bytes", f"Of an attention score. {_MEMORY}"),
    "layer_input_bytes": (2.0, "bytes", f"All that full recomputation keeps. {_MEMORY}"),
    "failures_hit_at": (
        2.0,
        "parts",
        "On average half an interval is lost: Young 1974",
    ),
    "daly_second_order": (3.0, "divisor", _DALY),
    "daly_third_order": (9.0, "divisor", _DALY),
    "halves": (2.0, "parts", "Half of a switch's ports go down, half go up"),
    "ends_of_a_cable": (2.0, "ends", "One at each end of a cable; a pair has one between"),
    "dragonfly_ports": (
        4.0,
        "ports",
        "An endpoint's, of a balanced dragonfly: Kim et al. 2008 (k = 4p - 1)",
    ),
    "dragonfly_group": (2.0, "switches", "A port to endpoints of a switch (a = 2p)"),
    "counting_tolerance": (network.ROUNDING, "ports", "What a quotient may be off a whole number"),
    "declining_factor": (2.0, "multiple", "Double declining balance: the function DDB"),
    "value_kept_a_year": (
        10.0**-depreciation.EPOCH_ORDERS_PER_YEAR,
        "share",
        "10^-0.14 of hardware's value is left after a year: arXiv:2405.21015",
    ),
    "flop_per_tflop": (time.FLOP_PER_TFLOP, "FLOP", _CONVERSION),
    "flop_per_pflop_day": (total.FLOP_PER_PFLOP_DAY, "FLOP", _CONVERSION),
    "seconds_per_hour": (time.SECONDS_PER_HOUR, "s", _CONVERSION),
    "hours_per_day": (24.0, "hours", _CONVERSION),
    "months_per_year": (MONTHS_PER_YEAR, "months", _CONVERSION),
    "most_months": (1200.0, "months", "As long as the longest life that a scenario can have"),
    "hours_per_month": (power.HOURS_PER_MONTH, "hours", "A twelfth of a year of 8,760 hours"),
    "hours_per_year": (capital.HOURS_PER_YEAR, "hours", "Year of 365 days"),
    "watts_per_kilowatt": (power.WATTS_PER_KILOWATT, "W", _CONVERSION),
    "kilowatts_per_megawatt": (1000.0, "kW", _CONVERSION),
    "kwh_per_gwh": (1e6, "kWh", _CONVERSION),
    "kilograms_per_tonne": (power.KILOGRAMS_PER_TONNE, "kg", _CONVERSION),
    "bytes_per_gb": (parallel.BYTES_PER_GB, "bytes", _CONVERSION),
    "bytes_per_tb": (storage.BYTES_PER_TERABYTE, "bytes", _CONVERSION),
    "tokens_per_million": (total.TOKENS_PER_MILLION, "tokens", _CONVERSION),
    "usd_per_million": (1e6, "USD", _CONVERSION),
    "ten_thousand": (TEN_THOUSAND, "accelerators", "The cluster that key indicators speak of"),
    "price_digits": (4.0, "digits", "Of a price below one, in a sentence"),
    "percent": (100.0, "per unit", _CONVERSION),
    "peak_tolerance": (PEAK_TOLERANCE, "share", "Peaks in print differ by their rounding"),
    "claim_about": (ABOUT, "share", "So far from a single figure of a claim still agrees"),
    "claim_rounding": (ROUNDING, "share", "So far beyond the end of a range is rounding"),
    "tolerance": (1e-9, "share", "Two calculations of a line agree to this"),
}
"""Value, unit and source of each constant, by its name in the workbook."""

"""Figures of the catalogue: accelerators, regions, published runs."""

from __future__ import annotations

from xl_tco._version import __version__
from xl_tco.functions.function import Argument, Function
from xl_tco.functions.lookups import of_accelerator, of_region, of_run

__all__ = ["ROWS"]

ROWS = (
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
        of_accelerator,
        example=("h100-sxm", "tdp_watts"),
    ),
    Function(
        "TCO_REGION",
        "A figure of a region: electricity_usd_per_kwh, carbon_kg_per_kwh, pue.",
        "that of the figure",
        (
            Argument("region", "key", "Region of the catalogue, like us.", "word"),
            Argument("field", "name", "Figure wanted: electricity_usd_per_kwh, pue …", "word"),
        ),
        of_region,
        example=("us", "electricity_usd_per_kwh"),
    ),
    Function(
        "TCO_RUN",
        "A figure of a published training run: parameters, tokens, accelerators, reported_mfu, "
        "accelerator_hours and others.",
        "that of the figure",
        (
            Argument("run", "key", "Published run, like llama-3.1-405b.", "word"),
            Argument("field", "name", "Figure wanted: tokens, reported_mfu …", "word"),
        ),
        of_run,
        example=("llama-3.1-405b", "tokens"),
    ),
    Function("TCO_VERSION", "Version of xl-tco that calculates.", "text", (), lambda: __version__),
)
"""Functions that look a figure up."""

"""The functions of a whole scenario: its cost, and questions asked of it."""

from __future__ import annotations

from xl_tco.fields import Number
from xl_tco.fields.field import USD
from xl_tco.functions import costing, questions
from xl_tco.functions.arguments import INPUTS, OVERRIDES
from xl_tco.functions.function import Argument, Function

__all__ = ["ROWS"]

_TOTAL_USD = Argument("total_usd", "USD", "What the run is to cost in total.", "number", USD)

# Llama 3.1 405B, as its authors report it; the staff is ours.
_RUN = (
    ("parameters", 405e9),
    ("tokens", 15.6e12),
    ("accelerator", "h100-sxm"),
    ("accelerators", 16_384.0),
    ("mfu", 0.41),
    ("procurement", "own"),
    ("staff_fte", 150.0),
)
_WHAT_IF = (("pue", 1.3),)
_LAID_OUT = (
    *(row for row in _RUN if row[0] != "mfu"),
    ("kernel_efficiency", 0.6),
    ("layers", 126.0),
    ("hidden_size", 16_384.0),
    ("heads", 128.0),
    ("sequence_length", 8192.0),
    ("batch_tokens", 2048.0 * 8192.0),
    ("tensor_parallel", 8.0),
    ("pipeline_parallel", 16.0),
    ("zero_stage", 2.0),
    ("recomputation", "selective"),
)
_RANGES = (
    ("field", "low", "mode", "high"),
    ("mfu", 0.35, 0.41, 0.43),
    ("electricity_usd_per_kwh", 0.05, 0.08, 0.12),
)

ROWS = (
    Function(
        "TCO_TOTAL",
        "Total cost of ownership of a training run described by a range of fields and values, or "
        "one component of it.",
        "USD",
        (
            INPUTS,
            OVERRIDES,
            Argument(
                "component",
                "name",
                "accelerators, hosts, network, storage, facility, power, cooling, carbon, rental, "
                "staff, software, waste, or total.",
                "word",
                default="total",
            ),
        ),
        costing.total,
        example=(_RUN, _WHAT_IF, "power"),
    ),
    Function(
        "TCO_BREAKDOWN",
        "Components of the total, a row each: name and USD. They add up to TCO_TOTAL.",
        "USD",
        (INPUTS, OVERRIDES),
        costing.breakdown,
        spills=True,
        example=(_RUN,),
    ),
    Function(
        "TCO_METRIC",
        "A figure beside the total: wall_hours, energy_gwh, usd_per_million_tokens and others.",
        "that of the metric",
        (
            INPUTS,
            Argument("metric", "name", "total_usd, flops, wall_hours, energy_gwh …", "word"),
            OVERRIDES,
        ),
        costing.metric,
        example=(_RUN, "wall_hours"),
    ),
    Function(
        "TCO_STEP_TIME",
        "Seconds of a training step, or of a part of it, of a scenario with kernel_efficiency.",
        "s",
        (
            INPUTS,
            OVERRIDES,
            Argument(
                "part",
                "name",
                "total, compute, communication, bubble or storage.",
                "word",
                default=costing.PARTS[0],
                words=costing.PARTS,
            ),
        ),
        costing.step_seconds,
        example=(_LAID_OUT,),
    ),
    Function(
        "TCO_BREAKEVEN",
        "Where rent or own turns: the utilization from which owning is cheaper, the months until "
        "a purchase has paid off, or the rent below which renting is; or the answer.",
        "share, months or USD/hour",
        (
            INPUTS,
            OVERRIDES,
            Argument(
                "figure",
                "name",
                "utilization (above 1: never), months, rent, answer (own or rent), or sentence.",
                "word",
                default=next(iter(questions.TURNS)),
                words=tuple(questions.TURNS),
            ),
        ),
        questions.break_even,
        example=(_RUN,),
    ),
    Function(
        "TCO_COMPARE",
        "The run on every accelerator of the catalogue, best first, a row each: key, total USD, "
        "USD per effective TFLOP-hour, and whether that rests on estimates. Last come those that "
        "cannot be costed, with the reason.",
        "USD",
        (
            INPUTS,
            OVERRIDES,
            Argument(
                "by",
                "name",
                "What ranks them: usd_per_effective_tflop_hour, the default, or total_usd.",
                "word",
                default=questions.MEASURES[0],
                words=questions.MEASURES,
                single=True,
            ),
        ),
        questions.compare,
        spills=True,
        example=(_RUN,),
    ),
    Function(
        "TCO_SOLVE",
        "What a field would have to be for the run to cost so much in total, all else the same.",
        "that of the field",
        (
            INPUTS,
            Argument("field", "name", "A field of a number: mfu, pue, accelerators …", "word"),
            _TOTAL_USD,
            OVERRIDES,
        ),
        questions.solved,
        example=(_RUN, "mfu", 50e6),
    ),
    Function(
        "TCO_TOKENS_FOR_BUDGET",
        "Tokens that the model of the scenario can be trained on for so much in total.",
        "tokens",
        (INPUTS, _TOTAL_USD, OVERRIDES),
        questions.tokens_for_budget,
        example=(_RUN, 50e6),
    ),
    Function(
        "TCO_SENSITIVITY",
        "The total with one field at a time at its low and at its high end, a row each: field, "
        "both totals, the widest apart first. Ends are the catalogue's where it has them, else a "
        "swing to either side.",
        "USD",
        (
            INPUTS,
            Argument(
                "fields",
                "names",
                "Fields to move; if omitted, all that make a difference.",
                "word",
                default=None,
            ),
            OVERRIDES,
            Argument(
                "swing",
                "share",
                "How far to move a field to either side, as a share of it; 0.1 if omitted.",
                "number",
                Number(0, 1, low_open=True),
                0.1,
                single=True,
            ),
        ),
        questions.sensitivity,
        spills=True,
        example=(_RUN, (("mfu", "pue", "electricity_usd_per_kwh"),)),
    ),
    Function(
        "TCO_PERCENTILE",
        "Percentile of the total, or of another output, when fields are uncertain: by simulation "
        "of a triangular distribution of each.",
        "that of the output",
        (
            INPUTS,
            Argument(
                "ranges",
                "fields, low, mode and high",
                "Range of four columns: names of fields, lowest, likeliest and highest value.",
                "ranges",
            ),
            Argument(
                "percentile",
                "%",
                "From 0 to 100, like 10, 50 or 90; five samples must lie beyond it.",
                "number",
                Number(0, 100, low_open=True, high_open=True),
            ),
            OVERRIDES,
            Argument(
                "output",
                "name",
                "total_usd, the default; a component, as power_usd; a metric, as wall_hours.",
                "word",
                default=questions.OUTPUTS[0],
                words=questions.OUTPUTS,
            ),
            Argument(
                "samples",
                "samples",
                "How many draws; 10,000 if omitted.",
                "number",
                Number(100, 1e6, whole=True),
                10_000.0,
                single=True,
            ),
            Argument(
                "seed",
                "whole number",
                "The same seed gives the same numbers; 0 if omitted.",
                "number",
                Number(0, 2**53, whole=True),
                0.0,
                single=True,
            ),
        ),
        questions.percentile,
        example=(_RUN, _RANGES, 90.0),
    ),
)
"""Functions of a whole scenario."""

"""The functions of a whole scenario: its cost, and questions asked of it."""

from __future__ import annotations

from dataclasses import replace

from xl_tco.fields import Number
from xl_tco.fields.field import USD
from xl_tco.functions import costing, questions, simulations
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
_CASES_OF_A_RUN = (
    ("field", "value", "base", "low", "high", "own"),
    *((name, None, value, None, None, None) for name, value in _RUN if name != "mfu"),
    ("mfu", None, 0.41, 0.43, 0.35, None),
    ("electricity_usd_per_kwh", None, None, 0.05, 0.12, 0.06),
)
_RANGES = (
    ("field", "low", "mode", "high", "distribution"),
    ("mfu", 0.35, 0.41, 0.43, "triangular"),
    ("electricity_usd_per_kwh", 0.05, None, 0.12, "uniform"),
)

_RANGES_ARGUMENT = Argument(
    "ranges",
    "fields and their ranges",
    "Columns: field, low (or P10), mode (or mean), high (or P90, or sd), and the distribution: "
    "triangular if empty, pert, uniform, normal or lognormal.",
    "ranges",
)
_OUTPUT = Argument(
    "output",
    "name",
    "total_usd, the default; a component, as power_usd; a metric, as wall_hours.",
    "word",
    default=simulations.OUTPUTS[0],
    words=simulations.OUTPUTS,
)
_SAMPLES = Argument(
    "samples",
    "samples",
    "How many draws; 10,000 if omitted.",
    "number",
    Number(100, 1e6, whole=True),
    10_000.0,
    single=True,
)
_SEED = Argument(
    "seed",
    "whole number",
    "The same seed gives the same numbers; 0 if omitted.",
    "number",
    Number(0, 1e15, whole=True),
    0.0,
    single=True,
)
_CORRELATIONS = Argument(
    "correlations",
    "pairs of fields",
    "Range of three columns: two fields that have ranges, and the correlation of their ranks, "
    "above -1 and below 1. Fields are independent if omitted.",
    "correlations",
    default=None,
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
        example=(_RUN, _WHAT_IF, "cooling"),
    ),
    Function(
        "TCO_BREAKDOWN",
        "Components of the total, a row each: name and USD. They add up to TCO_TOTAL.",
        "USD",
        (INPUTS, OVERRIDES),
        costing.breakdown,
        spills=True,
        columns=("component", "USD"),
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
        "a purchase has paid off, or the rent below which renting is; what either costs for an "
        "accelerator; or the answer.",
        "share, months, USD/hour or USD/year",
        (
            INPUTS,
            OVERRIDES,
            Argument(
                "figure",
                "name",
                "utilization (above 1: never), months, rent; own, the cost of an hour: own_fixed a "
                "year over its hours of use, and own_running an hour; rent_paid, less discount; "
                "answer; or sentence.",
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
                called="measure",
            ),
        ),
        questions.compare,
        spills=True,
        columns=("accelerator", "total USD", "USD/effective TFLOP-hour", "status"),
        example=(_RUN,),
    ),
    Function(
        "TCO_CASES",
        "Total of each case of a scenario, a row each: base, low, high and own, whichever is in "
        "force. An empty figure of a case is as in the base.",
        "USD",
        (
            Argument(
                "cases",
                "fields and cases",
                "Range of six columns, as on the sheet Inputs: field, value (passed over), base, "
                "low, high and own.",
                "cases",
            ),
        ),
        questions.cases,
        spills=True,
        columns=("case", "total USD"),
        example=(_CASES_OF_A_RUN,),
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
        "both totals, both ends, the widest apart first. Ends are the catalogue's where it has "
        "them, else a swing to either side.",
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
            replace(
                _RANGES_ARGUMENT,
                help="Columns as for TCO_PERCENTILE: their 10th and 90th percentile are the ends. "
                "If fields are omitted, only these are moved.",
                default=None,
            ),
        ),
        questions.sensitivity,
        spills=True,
        columns=("field", "USD at the low end", "USD at the high end", "low end", "high end"),
        example=(_RUN, (("mfu", "pue", "electricity_usd_per_kwh"),)),
    ),
    Function(
        "TCO_PERCENTILE",
        "Percentile of the total, or of another output, when fields are uncertain: by simulation "
        "of a distribution of each.",
        "that of the output",
        (
            INPUTS,
            _RANGES_ARGUMENT,
            Argument(
                "percentile",
                "%",
                "From 0 to 100, like 10, 50 or 90; five samples must lie beyond it.",
                "number",
                Number(0, 100, low_open=True, high_open=True),
            ),
            _CORRELATIONS,
            OVERRIDES,
            _OUTPUT,
            _SAMPLES,
            _SEED,
        ),
        simulations.percentile,
        example=(_RUN, _RANGES, 90.0),
    ),
    Function(
        "TCO_HISTOGRAM",
        "How the total, or another output, is distributed when fields are uncertain, a row each "
        "bar: from, to, and the share of samples. The outermost bars hold what lies beyond too; "
        "an output that nothing moves has one bar.",
        "that of the output",
        (
            INPUTS,
            _RANGES_ARGUMENT,
            _CORRELATIONS,
            OVERRIDES,
            replace(_OUTPUT, single=True),
            Argument(
                "bins",
                "bars",
                f"How many bars; {simulations.BINS} if omitted.",
                "number",
                Number(1, simulations.MOST_BINS, whole=True),
                float(simulations.BINS),
                single=True,
            ),
            _SAMPLES,
            _SEED,
        ),
        simulations.histogram,
        spills=True,
        columns=("from", "to", "share of samples"),
        example=(_RUN, _RANGES),
    ),
    Function(
        "TCO_LEVERS",
        "What each lever on the cost changes, a row each: lever, USD alone, that as a share of "
        "the total, USD when pulled after those above it, and the total then left. Savings are "
        "below 0; a lever of no use to the run changes 0.",
        "USD",
        (INPUTS, OVERRIDES),
        questions.levers,
        spills=True,
        columns=("lever", "USD alone", "share alone", "USD in turn", "USD left"),
        example=(_RUN,),
    ),
    Function(
        "TCO_CLAIMS",
        "Key figures and common claims about training cost put to the run, a row each: claim, low "
        "and high end of its range, what the model gives, and inside, outside, no range or does "
        "not apply. What there is not is empty.",
        "figures, in the unit of each claim",
        (INPUTS, OVERRIDES),
        questions.claims,
        spills=True,
        columns=("claim", "low", "high", "of the model", "verdict"),
        example=(_RUN,),
    ),
)
"""Functions of a whole scenario."""

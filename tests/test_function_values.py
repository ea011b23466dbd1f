"""What the spreadsheet functions give, against published figures and arithmetic done by hand."""

import math
import sys
from typing import Any, NamedTuple

import pytest

import tco_udfs
from function_cases import ANY_RANGES, CORRELATIONS, INPUTS, OWN, RANGES, RENT, STEP
from strategies import as_range
from xl_tco import InputError, Scenario, __version__, evaluate
from xl_tco.analysis import uncertainty
from xl_tco.analysis.levers import LEVERS
from xl_tco.analysis.levers.effects import NEXT
from xl_tco.analysis.ranking import MEASURES
from xl_tco.analysis.rent_or_own import rent_or_own
from xl_tco.batch import OUTPUTS
from xl_tco.catalogue import accelerator_keys, find, region_keys, runs
from xl_tco.fields import FIELDS
from xl_tco.functions import FUNCTIONS, questions, simulations
from xl_tco.functions.rows import cluster, failures, money
from xl_tco.outputs import METRICS

EXACT = 1e-12
MINUTE = 1 / 60
YEAR = 8760.0


class Worked(NamedTuple):
    """A call and what it gives. ``rel`` is what the rounding of the source leaves open."""

    function: str
    args: tuple[Any, ...]
    expected: Any
    rel: float
    source: str


def megatron_flops(layers: int, hidden: int, batch: int) -> tuple[float, float]:
    """FLOPs of a step of Korthikanti et al. 2022, equation 7, and the share of attention's scores.

    Sequences of 2,048, a vocabulary of 51,200; selective recomputation repeats the scores forward.
    """
    scores, logits = 2048 / (6 * hidden), 51200 / (12 * layers * hidden)
    whole = 1 + scores + logits
    return 72 * batch * 2048 * layers * hidden**2 * whole, scores / whole


GPT_530B, REDONE_530B = megatron_flops(105, 20480, 280)
GPT_1T, REDONE_1T = megatron_flops(128, 25600, 512)

GPT_2 = (12, 768, 12, 3072, 50257, None, None, 1, None, None, None, None, None, 1024, 1)
GPT_3 = (96, 12288, 96, 49152, 50257, None, None, 1, None, None, None, None, None, 2048, 1)
LLAMA_8B = (32, 4096, 32, 14336, 128_256, 8)
LLAMA_405B = (126, 16384, 128, 53248, 128_256, 8)
MIXTRAL = (32, 4096, 32, 14336, 32_000, 8, None, None, 8, 2)

# A step on one accelerator, which tells nobody anything: 6·N and 12·L·h·s a token.
ALONE = {name: value for name, value in STEP.items() if "parallel" not in name} | {
    "parameters": 1e9,
    "accelerators": 1.0,
    "layers": 10.0,
    "hidden_size": 2048.0,
    "sequence_length": 1024.0,
    "heads": 16.0,
    "batch_tokens": 1e5 * 1024.0,
    "recomputation": "none",
    "kernel_efficiency": 0.5,
    "storage_gb_per_s": 0.1,
}
ALONE_SECONDS = (6e9 + 12 * 10 * 2048 * 1024) * 1.024e8 / (989.4e12 * 0.5)

WORKED = [
    Worked("TCO_FLOPS", (175e9, 300e9), 3.15e23, EXACT, "Brown et al. 2020, table D.1: 6ND"),
    Worked("TCO_FLOPS", (175e9, 300e9, 1 / 3), 4.2e23, EXACT, "Narayanan 2021, eq. 4: 8ND"),
    Worked(
        "TCO_FLOPS", (1e9, 1e9, 0, 10, 100, 1000), (6e9 + 12e6) * 1e9, EXACT, "PaLM, appendix B"
    ),
    Worked("TCO_WALLTIME", (3.6e18, 1, 1, 1), 1000.0, EXACT, "by hand"),
    Worked("TCO_WALLTIME", (3.6e18, 1, 1, 0.5, 0.2, 0.1), 1000 / 0.5 / 0.8 / 0.9, EXACT, "by hand"),
    Worked("TCO_WALLTIME", (3.6e18, 1, "h100-sxm", 0.4), 1000 / 989.4 / 0.4, EXACT, "by hand"),
    Worked(
        "TCO_MFU", (GPT_530B, 280, 312, 37.83 / 3600), 0.560, 1e-3, "Korthikanti, table 5: 530B"
    ),
    Worked("TCO_MFU", (GPT_1T, 512, 312, 71.49 / 3600), 0.563, 1e-3, "Korthikanti, table 5: 1T"),
    Worked("TCO_MFU", (GPT_1T, 512, "a100-sxm-80gb", 71.49 / 3600), 0.563, 1e-3, "the same by key"),
    Worked("TCO_MFU", (3.6e15, 1, 1, 1), 1, EXACT, "by hand: all of the peak"),
    Worked(
        "TCO_HFU",
        (GPT_530B, 280, 312, 37.83 / 3600, REDONE_530B),
        0.570,
        1e-3,
        "Korthikanti, table 5",
    ),
    Worked(
        "TCO_HFU", (GPT_1T, 512, 312, 71.49 / 3600, REDONE_1T), 0.570, 1e-3, "Korthikanti, table 5"
    ),
    Worked("TCO_ACCELERATORS_FOR_DEADLINE", (3.6e18, 10, 1, 0.5, 0.2), 250, EXACT, "by hand"),
    Worked("TCO_ACCELERATORS_FOR_DEADLINE", (3.6e18, 10, 1, 0.5, 0, 0.2), 250, EXACT, "by hand"),
    Worked("TCO_ACCELERATORS_FOR_DEADLINE", (3.7e18, 10, 1, 0.5, 0.2), 257, EXACT, "rounded up"),
    Worked("TCO_PARAMETERS", (*GPT_2, None, 0), 124_439_808, 0, "gpt2, released checkpoint"),
    Worked("TCO_PARAMETERS", (*GPT_3, None, 0), 174.6e9, 3e-4, "Brown et al. 2020, table D.1"),
    Worked("TCO_PARAMETERS", LLAMA_8B, 8_030_261_248, 0, "Llama 3.1 8B, released checkpoint"),
    Worked("TCO_PARAMETERS", LLAMA_405B, 405_853_388_800, 0, "Llama 3.1 405B, checkpoint"),
    Worked("TCO_PARAMETERS", MIXTRAL, 46_702_792_704, 0, "Mixtral 8x7B, released checkpoint"),
    Worked(
        "TCO_PARAMETERS",
        (*MIXTRAL, None, None, None, None, None, "active"),
        12.9e9,
        4e-3,
        "Jiang et al. 2024: 13B, on their site 12.9B",
    ),
    Worked(
        "TCO_PARAMETERS",
        (*LLAMA_8B, *[None] * 9, "multiplied"),
        8_030_261_248 - 128_256 * 4096 - 65 * 4096,
        0,
        "the checkpoint without the table in which tokens are looked up, and norms",
    ),
    Worked(
        # One layer of attention 4·2·2, an expert of 3·2·3: 4 and 1 shared, and a router of 2·4;
        # one dense layer of 3·2·5; two tables of 10·2, five norms of 2.
        "TCO_PARAMETERS",
        (2, 2, 1, 5, 10, None, None, None, 4, 1, 1, 3, 1),
        2 * 16 + 5 * 18 + 8 + 30 + 40 + 10,
        0,
        "by hand",
    ),
    Worked(
        "TCO_PARAMETERS",
        (2, 2, 1, 5, 10, None, None, None, 4, 1, 1, 3, 1, None, None, "active"),
        2 * 16 + 2 * 18 + 8 + 30 + 40 + 10,
        0,
        "by hand",
    ),
    Worked(
        "TCO_PARAMETERS",
        (2, 2, 1, 5, 10, None, None, None, 4, 1, 1, 3, 1, 7, 1, "multiplied"),
        2 * 16 + 2 * 18 + 8 + 30 + 20,
        0,
        "by hand: no norms, biases or positions, and one table",
    ),
    Worked(
        "TCO_PARAMETERS",
        (*MIXTRAL[:9], *[None] * 6, "active"),
        46_702_792_704,
        0,
        "Mixtral 8x7B, if a token were sent to all experts",
    ),
    Worked("TCO_OPTIMAL_PARAMETERS", (5.76e23,), 70e9, 0.05, "Besiroglu et al. 2024: Chinchilla"),
    Worked("TCO_OPTIMAL_TOKENS", (5.76e23,), 1.4e12, 0.06, "Besiroglu: about 20 tokens each"),
    Worked(
        # 40B and 2.4T before the fit was rounded: the printed figures move the optimum.
        "TCO_OPTIMAL_PARAMETERS",
        (5.76e23, "hoffmann-2022"),
        (0.34 * 406.4 / (0.28 * 410.7)) ** (1 / 0.62) * (0.96e23) ** (0.28 / 0.62),
        EXACT,
        "Hoffmann et al. 2022, equation 4, by hand",
    ),
    Worked("TCO_LOSS", (70e9, 1.4e12, "hoffmann-2022"), 1.936, 8e-4, "Hoffmann: Chinchilla"),
    Worked("TCO_LOSS", (280e9, 300e9, "hoffmann-2022"), 1.993, 8e-4, "Hoffmann: Gopher"),
    # Rajbhandari et al. 2020, table 1; a layer of one token and one value keeps 39 bytes.
    *(
        Worked("TCO_MEMORY", (7.5e9, *[1] * 7, 64, stage), held, 3e-3, "ZeRO, table 1: 7.5B, 64")
        for stage, held in enumerate([120, 31.4, 16.6, 1.88])
    ),
    Worked(
        "TCO_MEMORY",
        (22e9, 48, 6144, 64, 2048, 4, 8, None, None, None, "selective"),
        (16 * 22e9 / 8 + 34 / 8 * 2048 * 4 * 6144 * 48) / 1e9,
        EXACT,
        "Korthikanti, table 2, the 22B model: 34·s·b·h/t a layer",
    ),
    Worked(
        "TCO_MEMORY",
        (22e9, 48, 6144, 64, 2048, 4, 8, None, None, None, "full"),
        (16 * 22e9 / 8 + 2 * 2048 * 4 * 6144 * 48) / 1e9,
        EXACT,
        "Korthikanti, table 2: 2·s·b·h a layer",
    ),
    Worked(
        # 128 GB of states and 18.25 GB of activations: two tensor ranks hold 73.1 each.
        "TCO_MIN_ACCELERATORS",
        (8e9, 32, 4096, 32, 4096, 80, 1, 0, "selective"),
        2,
        0,
        "by hand",
    ),
    Worked(
        "TCO_MIN_ACCELERATORS",
        (8e9, 32, 4096, 32, 4096, "h100-sxm", 1, 0, "selective"),
        2,
        0,
        "by hand: 80 GB",
    ),
    Worked(
        "TCO_MIN_ACCELERATORS",
        (8e9, 32, 4096, 32, 4096, 40, 1, 1, "selective"),
        4,
        0,
        "by hand: tensor degree 4 takes 36.6 GB",
    ),
    Worked("TCO_ALLREDUCE_BYTES", (8, 1e9), 1.75e9, EXACT, "nccl-tests, PERFORMANCE: 1.75"),
    Worked("TCO_ALLREDUCE_BYTES", (1, 1e9), 0, EXACT, "a ring of one tells nobody"),
    Worked("TCO_ALLREDUCE_TIME", (4, 100e9, 25, 0.1), 6.6, EXACT, "by hand: 6 s and 6 messages"),
    Worked("TCO_ALLREDUCE_TIME", (4, 100e9, 25, 0.1, 2), 12.6, EXACT, "by hand: half of 25"),
    Worked("TCO_BUBBLE", (4, 8), 3 / 11, EXACT, "Huang et al. 2019 (GPipe): (p−1)/(m+p−1)"),
    Worked("TCO_BUBBLE", (4, 8, 2), 3 / 19, EXACT, "Narayanan 2021, section 2.2: a v-th"),
    Worked("TCO_NETWORK_SWITCHES", (4096, "fat-tree", 64, 8), 320, 0, "DGX SuperPOD, B200"),
    Worked("TCO_NETWORK_SWITCHES", (2048, "fat-tree", 64, 8), 96, 0, "DGX SuperPOD, B200"),
    Worked("TCO_NETWORK_SWITCHES", (2304, None, 144, 8), 50, 0, "DGX SuperPOD, B300"),
    Worked("TCO_NETWORK_SWITCHES", (27_648, None, 48), 2880, 0, "Al-Fares et al. 2008: 5k²/4"),
    Worked("TCO_NETWORK_SWITCHES", (13_824, None, 48, 1, 1, 2), 2880, 0, "the same, two ports"),
    Worked("TCO_NETWORK_SWITCHES", (72, "dragonfly", 7), 36, 0, "Kim et al. 2008, figure 5: N=72"),
    Worked("TCO_NETWORK_SWITCHES", (64, None, 64), 1, 0, "one switch"),
    # 48 ports of a leaf down and 16 up: 2 leaves, 32 links to a spine switch of 64 ports.
    Worked("TCO_NETWORK_SWITCHES", (96, None, 64, 1, 3), 3, 0, "by hand"),
    Worked(
        "TCO_NETWORK_COST",
        (512, "fat-tree", 64, 8, None, 30_000, 1000, 200),
        24 * 30_000 + 2 * 1024 * 1000 + 1024 * 200,
        EXACT,
        "DGX SuperPOD, B200: 24 switches, 512 cables to accelerators and 512 between",
    ),
    Worked(
        "TCO_NETWORK_COST",
        (256, "fat-tree", 64, 8, None, 30_000, 1000, 200, 2, 500),
        24 * 30_000 + 2 * 1024 * 1000 + 1024 * 200 + 512 * 500,
        EXACT,
        "the same with two ports an accelerator, and their adapters",
    ),
    Worked(
        "TCO_STORAGE_COST",
        (15.6e12, 405e9, 1000, None, None, 10),
        62_400 + 56_700,
        EXACT,
        "by hand: 4 bytes a token of Llama 3.1, 14 a parameter ten times",
    ),
    Worked(
        "TCO_STORAGE_COST", (31.2e12, 405e9, 1000, 2, 2, 0), 31_200, EXACT, "by hand: two epochs"
    ),
    Worked("TCO_MTBF", (16_384, 50_677), 3.09, 2e-3, "Llama 3, section 3.3.4: 419 in 54 days"),
    Worked("TCO_CHECKPOINT_INTERVAL", (5 * MINUTE, 24), 2.0, EXACT, "Young 1974: sqrt(2·δ·M)"),
    Worked("TCO_CHECKPOINT_INTERVAL", (5 * MINUTE, 24, "daly"), 117 * MINUTE, 5e-3, "Daly 2006"),
    Worked("TCO_CHECKPOINT_INTERVAL", (5 * MINUTE, 6, "daly"), 57 * MINUTE, 9e-3, "Daly 2006"),
    Worked("TCO_WASTE", (0.01, 20, 0.4, 0.03, 1), 0.085, EXACT, "by hand: 1/100 + 1/40 + 1/50"),
    Worked("TCO_WASTE", (0.02, 4), 0.1, EXACT, "by hand: an interval of 0.4 hours"),
    # Poisson of mean 1: 0.981 for up to 3, 0.9963 for up to 4, 0.99941 for up to 5.
    Worked("TCO_HOT_SPARES", (100, 100, 1), 4, 0, "table of the Poisson distribution"),
    Worked("TCO_HOT_SPARES", (100, 100, 1, 0.999), 5, 0, "table of the Poisson distribution"),
    Worked("TCO_HOT_SPARES", (100, 100, 1, 0.98), 3, 0, "table of the Poisson distribution"),
    Worked("TCO_POWER_COST", (10_000, 24, 1275, 1.5, 0.08), 12_750 * 24 * 0.12, EXACT, "by hand"),
    Worked("TCO_POWER_COST", (10, 100, 1000, 1.5, 0.08, 0.5), 60.0, EXACT, "by hand"),
    Worked(
        "TCO_RENTAL_COST",
        (2048, 2_788_000 / 2048, 2),
        5.576e6,
        EXACT,
        "DeepSeek-V3, table 1",
    ),
    Worked("TCO_RENTAL_COST", (1, 10, 5, 0.25), 37.5, EXACT, "by hand"),
    Worked("TCO_AMORTIZATION", (30_000, YEAR, 10, 0.25), 2250.0, EXACT, "Microsoft: SLN"),
    Worked("TCO_AMORTIZATION", (30_000, YEAR, 10, 0.25, 0.5), 4500.0, EXACT, "half as much use"),
    Worked(
        "TCO_DEPRECIATION",
        (30_000, YEAR, 10, None, None, 0.25),
        2250.0,
        EXACT,
        "Microsoft: SLN(30000, 7500, 10)",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (30_000, YEAR, 10, "sum-of-years", 0, 0.25),
        4090.91,
        2e-6,
        "Microsoft: SYD(30000, 7500, 10, 1)",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (30_000, YEAR, 10, "sum-of-years", 9, 0.25),
        409.09,
        2e-5,
        "Microsoft: SYD(30000, 7500, 10, 10)",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (2400, YEAR, 10, "declining-balance", 0, 0.125),
        480.0,
        EXACT,
        "Microsoft: DDB(2400, 300, 10, 1, 2)",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (2400, YEAR, 10, "declining-balance", 9, 0.125),
        22.12,
        3e-4,
        "Microsoft: DDB(2400, 300, 10, 10)",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (2400, YEAR, 4, "declining-balance", 3),
        150.0,
        EXACT,
        "by hand: half of 2400, 1200, 600 and 300, to the last year",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (10_000, YEAR, 10, "annuity", None, None, None, 0.08 / 12),
        1037.03,
        1e-5,
        "Microsoft: PMT(8%/12, 10, 10000); its periods are months, ours years",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (1000, YEAR / 2, 4, "exponential", None, None, 0.5),
        1000 * (1 - 10**-0.14),
        EXACT,
        "Cottier et al. 2024: 0.14 orders of magnitude a year",
    ),
    Worked(
        "TCO_DEPRECIATION",
        (1000, YEAR, 4, "exponential", 1),
        1000 * (10**-0.14 - 10**-0.28),
        EXACT,
        "Cottier et al. 2024, the second year",
    ),
    Worked("TCO_STEP_TIME", (as_range(ALONE), None, "compute"), ALONE_SECONDS, EXACT, "by hand"),
    Worked("TCO_STEP_TIME", (as_range(ALONE), None, "storage"), 4.096, EXACT, "by hand: 4 bytes"),
    Worked("TCO_STEP_TIME", (as_range(ALONE), None, "bubble"), 0, EXACT, "no pipeline"),
    Worked("TCO_STEP_TIME", (as_range(ALONE), None, "communication"), 0, EXACT, "nobody to tell"),
    Worked("TCO_STEP_TIME", (as_range(ALONE),), ALONE_SECONDS + 4.096, EXACT, "the sum"),
    Worked("TCO_SPEC", ("h100-sxm", "peak_tflops_bf16"), 989.4, EXACT, "NVIDIA, dense"),
    Worked("TCO_SPEC", ("h100-sxm", "peak_tflops_bf16_sparse"), 1979.0, EXACT, "NVIDIA, sparse"),
    Worked("TCO_SPEC", ("tpu-v4", "vendor"), "Google", 0, "Google"),
    Worked("TCO_REGION", ("us", "label"), "United States", 0, "a name"),
    Worked("TCO_RUN", ("llama-3.1-405b", "accelerator_hours"), 30.84e6, EXACT, "its model card"),
    Worked("TCO_RUN", ("gpt-3-175b", "layers"), 96, EXACT, "Brown et al. 2020, table 2.1"),
    Worked("TCO_VERSION", (), __version__, 0, "the package"),
]

ASKED_OF_A_SCENARIO = {
    "TCO_BREAKDOWN",
    "TCO_BREAKEVEN",
    "TCO_CASES",
    "TCO_CLAIMS",
    "TCO_COMPARE",
    "TCO_HISTOGRAM",
    "TCO_LEVERS",
    "TCO_METRIC",
    "TCO_PERCENTILE",
    "TCO_SENSITIVITY",
    "TCO_SOLVE",
    "TCO_TOKENS_FOR_BUDGET",
    "TCO_TOTAL",
}
"""Functions that have no worked value here: what they give is held against the others' below."""


def call(name: str, *cells: Any) -> Any:
    return getattr(tco_udfs, name)(*cells)


def refusal(name: str, *cells: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        call(name, *cells)
    return caught.value


@pytest.mark.parametrize("worked", WORKED, ids=lambda worked: f"{worked.function}: {worked.source}")
def test_worked_value(worked: Worked) -> None:
    value = call(worked.function, *worked.args)
    if isinstance(worked.expected, str):
        assert value == worked.expected
    else:
        assert value == pytest.approx(worked.expected, rel=worked.rel, abs=0)


def test_every_function_has_a_worked_value() -> None:
    assert {worked.function for worked in WORKED} == set(FUNCTIONS) - ASKED_OF_A_SCENARIO


# Words and defaults that stand elsewhere too


def test_the_words_are_those_of_the_scenario() -> None:
    for words, field in (
        (cluster.RECOMPUTATION, "recomputation"),
        (failures.INTERVALS, "checkpoint_method"),
        (money.METHODS, "depreciation_method"),
    ):
        assert tuple(words) == FIELDS[field].domain
    assert questions.MEASURES == MEASURES
    assert set(simulations.OUTPUTS) == set(OUTPUTS)
    assert simulations.BINS == uncertainty.BARS
    assert simulations.MOST_BINS == uncertainty.MOST_BARS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument_of_a_field_has_its_unit(name: str) -> None:
    for argument in FUNCTIONS[name].arguments:
        if argument.name in FIELDS and argument.kind == "number":
            assert argument.unit == FIELDS[argument.name].unit


def test_prices_of_the_network_are_the_catalogues_if_left_out() -> None:
    names = ("switch_usd", "transceiver_usd", "cable_usd")
    prices = [find("default", name).value for name in names]
    spelled_out = tco_udfs.TCO_NETWORK_COST(512, "fat-tree", 64, 8, 1, *prices, 1, 0)
    assert tco_udfs.TCO_NETWORK_COST(512, None, 64, 8) == spelled_out


def test_figures_of_the_catalogue() -> None:
    pues = [find(key, "pue").value for key in region_keys()]
    assert tco_udfs.TCO_REGION([[key] for key in region_keys()], "pue") == [[p] for p in pues]
    row = [["parameters", "tokens", "accelerator"]]
    wanted = [runs()["gpt-3-175b", field].value for field in row[0]]
    assert tco_udfs.TCO_RUN("gpt-3-175b", row) == [wanted]


@pytest.mark.parametrize(
    ("name", "cells", "field", "meant"),
    [
        ("TCO_RUN", ["gpt-3-175", "tokens"], "run", "gpt-3-175b"),
        ("TCO_RUN", ["gpt-3-175b", "token"], "field", "tokens"),
        ("TCO_REGION", ["uss", "pue"], "region", "us"),
        ("TCO_REGION", ["us", "pues"], "field", "pue"),
        ("TCO_MIN_ACCELERATORS", [1e9, 8, 1024, 8, 1024, "h100-smx"], "memory_gb", "h100-sxm"),
        ("TCO_MFU", [1e24, 8, "h100-smx", 100], "peak_tflops", "h100-sxm"),
        ("TCO_SOLVE", [INPUTS, "mfuu", 1e6], "field", "mfu"),
        ("TCO_SENSITIVITY", [INPUTS, [["mfu", "puee"]]], "fields", "pue"),
        ("TCO_PERCENTILE", [INPUTS, [["mfuu", 0.3, 0.4, 0.5]], 50], "mfuu", "mfu"),
    ],
)
def test_an_unknown_word_is_answered_with_what_was_meant(
    name: str, cells: list[Any], field: str, meant: str
) -> None:
    error = refusal(name, *cells)
    assert ("unknown key", field) in {(fault.kind, fault.field) for fault in error.faults}
    assert f'did you mean "{meant}"?' in str(error)


def test_a_figure_that_nobody_has_published_is_refused() -> None:
    for run, field in (key for key, figure in runs().items() if figure.value is None):
        error = refusal("TCO_RUN", run, field)
        assert error.kind == "unknown figure"
        assert f"{field} of {run}" in str(error)


# What has no answer says what to change


@pytest.mark.parametrize(
    ("name", "cells", "field", "said"),
    [
        ("TCO_MFU", [3.601e15, 1, 1, 1], "result", "of 1.00028 is more than the hardware can do"),
        ("TCO_HFU", [3.6e15, 1, 1, 1, 0.03], "result", "of 1.03 is more than the hardware"),
        ("TCO_PARAMETERS", [32, 4096, 32, 14336, 32000, 64], "kv_heads", "64 are more than the 32"),
        (
            "TCO_PARAMETERS",
            [32, 4096, 32, 14336, 32000, 8, 0, 0, 8, 9],
            "active_experts",
            "9 are more than the 8 experts",
        ),
        (
            "TCO_PARAMETERS",
            [32, 4096, 32, 14336, 32000, 8, 0, 0, 0, 0, 1],
            "shared_experts",
            "no experts",
        ),
        # 2 TB of 16-bit weights in 8 ranks and 10 stages are 25 GB each, the rest is shared by
        # replicas; the inputs of layers take 2·100·1000·10 bytes.
        (
            "TCO_MIN_ACCELERATORS",
            [1e12, 10, 1000, 8, 100, 20, 1, 2, "full"],
            "memory_gb",
            "20 GB are 5.002 GB too few",
        ),
        # Four heads go to four ranks at most: 50 GB each.
        (
            "TCO_MIN_ACCELERATORS",
            [1e12, 10, 1000, 4, 100, 45, 1, 2, "full"],
            "memory_gb",
            "45 GB are 5.002 GB too few",
        ),
        (
            "TCO_NETWORK_SWITCHES",
            [1e6, "fat-tree", 64, 8],
            "switch_radix",
            "a fat-tree of switches with 64 ports in 8 rails has no room for 1,000,000 endpoints",
        ),
        (
            "TCO_NETWORK_COST",
            [100, "dragonfly", 7, 1, 1, 0, 0, 0, 2],
            "switch_radix",
            "a dragonfly of switches with 7 ports has no room for 200 endpoints",
        ),
        ("TCO_WASTE", [1, 1], "result", "fails every 1 hours makes no progress"),
        ("TCO_HOT_SPARES", [1e6, 1000, 1000], "result", "1,000,000 units would be under repair"),
        ("TCO_HOT_SPARES", [100, 100, 1000, 1 - 2**-53], "availability", "too near to 1"),
        (
            "TCO_DEPRECIATION",
            [1e6, 1000, 4, "sum-of-years", 3.95],
            "depreciation_years",
            "beyond its life of 4",
        ),
        ("TCO_SOLVE", [INPUTS, "pue", 1.0], "total_usd", "out of reach"),
        ("TCO_SOLVE", [INPUTS, "epochs", 1e6], "field", "makes no difference"),
        ("TCO_TOKENS_FOR_BUDGET", [INPUTS, 0], "total_usd", "out of reach"),
        ("TCO_PERCENTILE", [INPUTS, RANGES, 0.01], "percentile", "out of range"),
        ("TCO_PERCENTILE", [INPUTS, [["mfu", 0.5, 0.4, 0.3]], 50], "mfu", "above"),
        ("TCO_PERCENTILE", [INPUTS, [["mfu", 0.3, None, 0.5]], 50], "mfu", "mode is not given"),
        ("TCO_PERCENTILE", [INPUTS, [["accelerator", 1, 2, 3]], 50], "accelerator", "holds a word"),
    ],
)
def test_what_has_no_answer_says_what_to_change(
    name: str, cells: list[Any], field: str, said: str
) -> None:
    [fault] = refusal(name, *cells).faults
    assert fault.field == field
    assert said in fault.problem
    assert fault.allowed


def test_the_place_in_a_range_is_named() -> None:
    [fault] = refusal("TCO_NETWORK_SWITCHES", [[64.0], [1e6]], "fat-tree", 64, 8).faults
    assert fault.place == "row 2, column 1"
    assert "1,000,000 endpoints" in fault.problem
    [fault] = refusal("TCO_WASTE", [[0.1, 9.0]], 3.0).faults
    assert fault.place == "row 1, column 2"
    # Cells that agree in a word are calculated together, and their numbers are not those of rows.
    methods, ages = [["annuity"], ["sum-of-years"]], [[5.0], [5.0]]
    [fault] = refusal("TCO_DEPRECIATION", 1e6, 1000, 4, methods, ages).faults
    assert (fault.field, fault.place) == ("depreciation_years", "")


def test_a_model_that_fits_has_no_shortfall() -> None:
    """More than the 5.002 GB that the case above lacks, and it fits; less, and it does not."""
    model, options = [1e12, 10, 1000, 8, 100], [1, 2, "full"]
    # 14 bytes of a 80th of the parameters, 175 GB, over replicas with 8 MB to spare.
    needed = tco_udfs.TCO_MIN_ACCELERATORS(*model, 25.01, *options)
    assert needed == 80 * math.ceil(175 / 0.008)
    assert refusal("TCO_MIN_ACCELERATORS", *model, 25.001, *options).kind == "range"


@pytest.mark.parametrize("metric", [name for name, output in METRICS.items() if output.needs])
def test_a_metric_without_value_names_what_to_give(metric: str) -> None:
    unknown = {
        name: None for name in METRICS[metric].needs if FIELDS[name].default.startswith("{acc")
    }
    table = {**RENT, "accelerator": "custom", "peak_tflops": 989.4}
    table |= {"rental_usd_per_accelerator_hour": 2.0, **unknown}
    scenario = Scenario(**{name: value for name, value in table.items() if value is not None})
    missing = [name for name in METRICS[metric].needs if scenario.values[name] is None]
    if evaluate(scenario).metrics[metric] is None:
        [fault] = refusal("TCO_METRIC", as_range(table), metric).faults
        assert missing
        assert fault.allowed == f"give {' and '.join(missing)} in the inputs"


def test_the_time_of_a_step_asks_for_the_kernel_efficiency() -> None:
    for part in (None, "bubble"):
        [fault] = refusal("TCO_STEP_TIME", INPUTS, None, part).faults
        assert fault.field == "part"
        assert fault.allowed == "give kernel_efficiency in the inputs"


# The parts by single functions, and by the whole

FROM_BELOW = {
    **STEP,
    "waste_share": None,
    "accelerator_mtbf_hours": 50_677.0,
    "storage_gb_per_s": 0.2,
    "storage_usd_per_tb": 150.0,
    "epochs": 2.0,
    "network_topology": "fat-tree",
    "network_rails": 8.0,
    "oversubscription": 2.0,
    "network_ports": 1.0,
    "adapter_usd": 700.0,
    "checkpoint_method": "daly",
}


@pytest.mark.parametrize("topology", ["fat-tree", "dragonfly"])
def test_the_network_is_that_of_the_scenario(topology: str) -> None:
    table = as_range({**FROM_BELOW, "network_topology": topology})
    shape = (1024, topology, None, 8, 2)
    switches = tco_udfs.TCO_NETWORK_SWITCHES(*shape)
    assert switches == tco_udfs.TCO_METRIC(table, "network_switches")
    price = tco_udfs.TCO_NETWORK_COST(*shape, None, None, None, None, 700)
    wanted = tco_udfs.TCO_METRIC(table, "network_capex_usd")
    assert price == pytest.approx(wanted, rel=EXACT)


def test_failures_and_storage_are_those_of_the_scenario() -> None:
    table = {name: value for name, value in FROM_BELOW.items() if value is not None}
    metrics = evaluate(Scenario(**table)).metrics
    mtbf = tco_udfs.TCO_MTBF(1024, 50_677)
    assert mtbf == metrics["cluster_mtbf_hours"]
    write = 14 * 70e9 / (1024 * 0.2e9) / 3600
    interval = tco_udfs.TCO_CHECKPOINT_INTERVAL(write, mtbf, "daly")
    assert interval == pytest.approx(metrics["interval_hours"], rel=EXACT)
    restart = find("default", "restart_hours").value
    waste = tco_udfs.TCO_WASTE(write, mtbf, restart, 0, interval)
    assert waste == pytest.approx(1 - metrics["goodput"], rel=1e-9)
    price = tco_udfs.TCO_STORAGE_COST(OWN["tokens"], 70e9, 150, 2)
    assert price == pytest.approx(metrics["storage_capex_usd"], rel=EXACT)


@pytest.mark.parametrize("recomputation", ["selective", "full"])
@pytest.mark.parametrize("stage", [1.0, 2.0, 3.0])
def test_memory_and_bubble_are_those_of_the_scenario(recomputation: str, stage: float) -> None:
    changes = {"recomputation": recomputation, "zero_stage": stage, "micro_batch": 2.0}
    metrics = evaluate(Scenario(**{**STEP, **changes})).metrics
    sizes = [STEP[name] for name in ("parameters", "layers", "hidden_size", "heads")]
    split = [8, 4, metrics["data_parallel"], stage, recomputation]
    needed = tco_udfs.TCO_MEMORY(*sizes, STEP["sequence_length"], 2, *split)
    assert needed == pytest.approx(metrics["memory_needed_gb"], rel=EXACT)
    # Nothing is exposed between layers where links are endless: the bubble is of compute alone.
    swift = {"link_gb_per_s": 1e6, "link_latency_seconds": 0.0}
    metrics = evaluate(Scenario(**{**STEP, **changes, **swift})).metrics
    busy = metrics["compute_step_share"] + metrics["bubble_step_share"]
    micro_batches = 1024 / metrics["data_parallel"] / 2
    share = tco_udfs.TCO_BUBBLE(4, micro_batches)
    assert metrics["bubble_step_share"] / busy == pytest.approx(share, rel=1e-2)


@pytest.mark.parametrize("method", money.METHODS)
def test_depreciation_is_that_of_the_scenario(method: str) -> None:
    table = {**OWN, "depreciation_method": method, "age_years": 0.5, "residual_share": 0.1}
    result = evaluate(Scenario(**table, waste_share=0.0, utilization=0.7))
    values, metrics = result.scenario.values, result.metrics
    charge = tco_udfs.TCO_DEPRECIATION(
        metrics["hosts_capex_usd"],
        metrics["wall_hours"],
        values["depreciation_years"],
        method,
        0.5,
        0.1,
        0.7,
    )
    assert charge == pytest.approx(result.components["hosts"], rel=EXACT)
    if method == "straight-line":
        same = (metrics["hosts_capex_usd"], metrics["wall_hours"], values["depreciation_years"])
        assert charge == tco_udfs.TCO_AMORTIZATION(*same, 0.1, 0.7)


def test_the_utilization_of_hours_is_the_inverse_of_the_hours() -> None:
    hours = tco_udfs.TCO_WALLTIME(1e24, 1024, "h100-sxm", 0.4)
    assert tco_udfs.TCO_MFU(1e24, 1024, "h100-sxm", hours) == pytest.approx(0.4, rel=EXACT)
    share = tco_udfs.TCO_HFU(1e24, 1024, "h100-sxm", hours, 1 / 3)
    assert share == pytest.approx(0.4 * 4 / 3, rel=EXACT)
    deadline = (1e24, hours, "h100-sxm", 0.4)
    assert tco_udfs.TCO_ACCELERATORS_FOR_DEADLINE(*deadline) == 1024


# Questions of a scenario, held against its cost


def test_parts_of_a_step_add_up() -> None:
    inputs = as_range(STEP)
    parts = [["compute", "communication", "bubble", "storage"]]
    [seconds] = tco_udfs.TCO_STEP_TIME(inputs, None, parts)
    assert all(value > 0 for value in seconds)
    total = tco_udfs.TCO_STEP_TIME(inputs)
    assert math.fsum(seconds) == pytest.approx(total, rel=EXACT)
    assert total == evaluate(Scenario(**STEP)).metrics["step_seconds"]


def test_rent_or_own_turns_at_the_break_even() -> None:
    # With storage by the hour given, nothing that the renter pays rests on the utilization.
    inputs = as_range(RENT)
    use = tco_udfs.TCO_BREAKEVEN(inputs)
    assert 0 < use < 1
    for factor, answer in ((0.999, "rent"), (1.001, "own")):
        assert tco_udfs.TCO_BREAKEVEN(inputs, [["utilization", use * factor]], "answer") == answer
    rent = tco_udfs.TCO_BREAKEVEN(inputs, None, "rent")
    for factor, answer in ((0.999, "rent"), (1.001, "own")):
        offer = [["rental_usd_per_accelerator_hour", rent * factor]]
        assert tco_udfs.TCO_BREAKEVEN(inputs, offer, "answer") == answer
    assert "cheaper" in tco_udfs.TCO_BREAKEVEN(inputs, None, "sentence")


@pytest.mark.parametrize(
    ("figure", "rent", "said"),
    [("utilization", 0.01, "never cheaper"), ("months", 0.01, "never made up for")],
)
def test_a_break_even_that_there_is_not_says_so(figure: str, rent: float, said: str) -> None:
    offer = [["rental_usd_per_accelerator_hour", rent]]
    [fault] = refusal("TCO_BREAKEVEN", INPUTS, offer, figure).faults
    assert (fault.kind, fault.field) == ("range", "figure")
    assert said in fault.problem
    free = [["reservation_discount", 1.0]]
    assert "free" in str(refusal("TCO_BREAKEVEN", as_range(RENT), free, "rent"))


@pytest.mark.parametrize("by", questions.MEASURES)
def test_accelerators_are_compared_by_what_the_run_costs_on_them(by: str) -> None:
    rows = tco_udfs.TCO_COMPARE(INPUTS, None, by)
    assert {key for key, *_ in rows} == set(accelerator_keys())
    costed = [row for row in rows if row[1] != ""]
    assert len(costed) > 5
    at = {"total_usd": 1, "usd_per_effective_tflop_hour": 2}[by]
    assert [row[at] for row in costed] == sorted(row[at] for row in costed)
    for key, total, of_an_hour, status in costed:
        what_if = [["accelerator", key]]
        assert tco_udfs.TCO_TOTAL(INPUTS, what_if) == pytest.approx(total, rel=EXACT)
        metric = tco_udfs.TCO_METRIC(INPUTS, "usd_per_effective_tflop_hour", what_if)
        assert metric == pytest.approx(of_an_hour, rel=EXACT)
        assert status in ("official", "estimate")
    assert rows[: len(costed)] == costed
    for key, total, of_an_hour, reason in rows[len(costed) :]:
        assert (total, of_an_hour) == ("", "")
        error = refusal("TCO_TOTAL", INPUTS, None if key == "h100-sxm" else [["accelerator", key]])
        assert all(fault.field in reason for fault in error.faults)


@pytest.mark.parametrize("field", ["mfu", "hfu", "tokens", "depreciation_years", "utilization"])
def test_a_solved_field_brings_the_total_to_its_target(field: str) -> None:
    totals = [[1e6], [2e6]]
    solved = tco_udfs.TCO_SOLVE(INPUTS, field, totals)
    for [total], [value] in zip(totals, solved, strict=True):
        assert tco_udfs.TCO_TOTAL(INPUTS, [[field, value]]) == pytest.approx(total, rel=1e-6)
    assert tco_udfs.TCO_SOLVE(INPUTS, [[field, "mfu"]], 1e6)[0][0] == solved[0][0]


def test_tokens_for_a_budget() -> None:
    budgets = [[1e6, 3e6]]
    [tokens] = tco_udfs.TCO_TOKENS_FOR_BUDGET(INPUTS, budgets, [["pue", 1.3]])
    for budget, count in zip(budgets[0], tokens, strict=True):
        what_if = [["pue", 1.3], ["tokens", count]]
        assert tco_udfs.TCO_TOTAL(INPUTS, what_if) == pytest.approx(budget, rel=1e-9)


def test_sensitivity_is_the_total_at_both_ends() -> None:
    rows = tco_udfs.TCO_SENSITIVITY(INPUTS, [["staff_fte", "mfu"]], None, 0.2)
    assert [row[0] for row in rows] == ["mfu", "staff_fte"]
    for field, low, high, lowest, highest in rows:
        assert (lowest, highest) == (OWN[field] * 0.8, OWN[field] * 1.2)
        for share, total in ((0.8, low), (1.2, high)):
            wanted = tco_udfs.TCO_TOTAL(INPUTS, [[field, OWN[field] * share]])
            assert total == pytest.approx(wanted, rel=EXACT)
    everything = tco_udfs.TCO_SENSITIVITY(INPUTS)
    widths = [abs(high - low) for _, low, high, _, _ in everything]
    assert widths == sorted(widths, reverse=True)
    assert {"mfu", "tokens", "accelerator_price_usd"} <= {row[0] for row in everything}
    price = next(row for row in everything if row[0] == "accelerator_price_usd")
    ends = [find("h100-sxm", f"accelerator_price_usd_{end}") for end in ("low", "high")]
    assert price[3:] == [end.value for end in ends if end]


@pytest.mark.parametrize(("percentile", "price"), [(10, 2.0 + math.sqrt(0.2)), (50, 3.0)])
def test_percentiles_are_those_of_a_triangle(percentile: float, price: float) -> None:
    """The total is linear in the rent, whose distribution function is (x − 2)²/2 up to 3."""
    name = "rental_usd_per_accelerator_hour"
    got = tco_udfs.TCO_PERCENTILE(as_range(RENT), [[name, 2.0, 3.0, 4.0]], percentile)
    wanted, dearer = (tco_udfs.TCO_TOTAL(as_range(RENT), [[name, p]]) for p in (price, price + 1.0))
    # Five standard errors of a percentile of 10,000 samples: sqrt(p·(1−p)/n) over the density.
    share = percentile / 100
    error = math.sqrt(share * (1 - share) / 10_000) / (price - 2.0)
    assert got == pytest.approx(wanted, abs=5 * error * (dearer - wanted))


def test_percentiles_of_one_simulation() -> None:
    shares = [[10.0, 50.0, 90.0, 50.0]]
    [values] = tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, shares)
    assert values == [tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, share) for share in shares[0]]
    assert values[0] < values[1] < values[2]
    assert tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, 50, None, None, None, None, 1) != values[1]
    mapping = {field: tuple(numbers) for field, *numbers in RANGES[1:]}
    assert tco_udfs.TCO_PERCENTILE(OWN, mapping, 50) == values[1]


@pytest.mark.parametrize(
    ("ranges", "kind", "field"),
    [
        (None, "missing", "ranges"),
        ([["field", "low", "mode", "high"]], "missing", "ranges"),
        ([["mfu", None, None, None]], "missing", "ranges"),
        ([["mfu", 0.3, 0.4]], "shape", "ranges"),
        (0.3, "shape", "ranges"),
        ([[5.0, 0.3, 0.4, 0.5]], "type", "ranges"),
        ([["mfu", 0.3, "x", 0.5]], "type", "mfu"),
        ([["mfu", 0.3, True, 0.5]], "type", "mfu"),
        ([["mfu", 0.3, math.nan, 0.5]], "range", "mfu"),
        ([["mfu", 0.3, 0.4, 1.5]], "range", "mfu"),
        ([["mfu", 0.3, 0.4, 0.5, "a remark"]], "unknown key", "mfu"),
        ([["mfu", 0.3, 0.4, 0.5, 1.0]], "type", "mfu"),
        ([["mfu", 0.3, 0.4, 0.5, "uniform"]], "unknown key", "mfu"),
        ([["mfu", 0.3, None, 0.5]], "missing", "mfu"),
        ([["mfu", None, 0.4, -0.1, "normal"]], "range", "mfu"),
        ({"mfu": 0.4}, "shape", "ranges"),
        ([["mfu", 0.3, 0.4, 0.5], ["mfu", 0.3, 0.4, 0.5]], "conflict", "mfu"),
        ({"type": "Error", "kind": "Div"}, "type", "ranges"),
    ],
)
def test_faulty_ranges_are_refused(ranges: Any, kind: str, field: str) -> None:
    [fault] = refusal("TCO_PERCENTILE", INPUTS, ranges, 50.0).faults
    assert (fault.kind, fault.field) == (kind, field)


def test_faulty_ranges_are_refused_where_they_are() -> None:
    [fault] = refusal("TCO_PERCENTILE", INPUTS, [*RANGES, ["pue", 1.1, "x", 1.3]], 50).faults
    assert fault.place == "row 4"
    [fault] = refusal("TCO_PERCENTILE", INPUTS, [[None] * 4], 50).faults
    assert fault.problem == "no row has a range"


def test_ranges_may_have_blank_rows_and_more_columns() -> None:
    bare = tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, 50)
    wide = [[*row, None, "a remark"] for row in RANGES]
    wide += [[None] * 6, ["pue", None, "", None, "pert", "no number"]]
    assert tco_udfs.TCO_PERCENTILE(INPUTS, wide, 50) == bare


BY_NAME: dict[str, Any] = {
    "mfu": {"distribution": "pert", "low": 0.3, "mode": 0.4, "high": 0.45},
    "electricity_usd_per_kwh": {"distribution": "uniform", "low": 0.05, "high": 0.15},
    "power_draw_share": {"distribution": "normal", "mean": 0.8, "sd": 0.1},
    "staff_fte": {"distribution": "lognormal", "p10": 8.0, "p90": 15.0},
    "utilization": {"low": 0.6, "mode": 0.8, "high": 0.9},
}
"""What ANY_RANGES say, as a scenario file would."""
PAIRS = [["mfu", "electricity_usd_per_kwh", -0.6]]


def test_any_distribution_is_simulated_as_a_scenario_of_it() -> None:
    scenario = Scenario(**{**OWN, **BY_NAME, "correlations": PAIRS})
    found = uncertainty.simulate(scenario, 2000, 3, "power_usd", [10, 50, 90], bars=8)
    asked = (CORRELATIONS, None, "power_usd", 2000, 3)
    shares = [[10, 50, 90]]
    [values] = tco_udfs.TCO_PERCENTILE(INPUTS, ANY_RANGES, shares, *asked)
    assert values == [at.value for at in found.percentiles.values()]
    bars = tco_udfs.TCO_HISTOGRAM(INPUTS, ANY_RANGES, *asked[:3], 8, *asked[3:])
    edges = found.histogram.edges
    assert [bar[:2] for bar in bars] == [[edges[n], edges[n + 1]] for n in range(8)]
    assert [bar[2] * 2000 for bar in bars] == pytest.approx(found.histogram.counts, rel=EXACT)
    assert math.fsum(bar[2] for bar in bars) == pytest.approx(1.0, rel=EXACT)


def test_a_histogram_is_by_default_the_simulations_own() -> None:
    scenario = Scenario(**{**OWN, "mfu": {"low": 0.3, "mode": 0.4, "high": 0.45}})
    found = uncertainty.simulate(scenario, 10_000).histogram
    bars = tco_udfs.TCO_HISTOGRAM(INPUTS, [["mfu", 0.3, 0.4, 0.45]])
    assert len(bars) == simulations.BINS
    assert (*(bar[0] for bar in bars), bars[-1][1]) == found.edges
    assert [round(bar[2] * 10_000) for bar in bars] == list(found.counts)


def test_a_field_may_be_given_as_a_range_alone() -> None:
    without = [row for row in INPUTS if row[0] != "mfu"]
    wanted = tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, 50)
    assert tco_udfs.TCO_PERCENTILE(without, RANGES, 50) == wanted
    by_hfu = [*without, ["hfu", 0.5]]
    assert tco_udfs.TCO_PERCENTILE(by_hfu, RANGES, 50) == wanted


def test_correlations_of_no_row_are_none() -> None:
    bare = tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, 50)
    nothing: list[Any] = [CORRELATIONS[:1], [[None] * 3], [["mfu", "electricity_usd_per_kwh", ""]]]
    for correlations in (None, "", 0.0, *nothing):
        assert tco_udfs.TCO_PERCENTILE(INPUTS, RANGES, 50, correlations) == bare
    wide = [[*row, "a remark"] for row in CORRELATIONS]
    cells = [INPUTS, RANGES, 50]
    assert tco_udfs.TCO_PERCENTILE(*cells, wide) == tco_udfs.TCO_PERCENTILE(*cells, PAIRS) != bare


@pytest.mark.parametrize(
    ("correlations", "kind", "place"),
    [
        ([["mfu", "pue", -0.3]], "unknown key", ""),
        ([["mfu", "mfu", -0.3]], "conflict", ""),
        ([*PAIRS, PAIRS[0]], "conflict", ""),
        ([["mfu", "electricity_usd_per_kwh", 1.0]], "range", ""),
        ([["mfu", "electricity_usd_per_kwh", "x"]], "type", "row 1"),
        ([[None] * 3, ["mfu", None, -0.3]], "missing", "row 2"),
        ([["mfu", 5.0, -0.3]], "type", "row 1"),
        ([["mfu", "electricity_usd_per_kwh"]], "shape", ""),
        ("mfu", "shape", ""),
        ({"type": "Error", "kind": "Div"}, "type", ""),
    ],
)
def test_faulty_correlations_are_refused(correlations: Any, kind: str, place: str) -> None:
    [fault] = refusal("TCO_PERCENTILE", INPUTS, RANGES, 50, correlations).faults
    assert (fault.kind, fault.field, fault.place) == (kind, "correlations", place)


@pytest.mark.parametrize("kind", ["pert", "triangular"])
def test_a_python_without_scipy_is_told_so(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """LibreOffice's own Python has none unless it is installed there."""
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    ranges = [["mfu", 0.31, 0.41, 0.47, kind]]
    if kind == "triangular":
        assert tco_udfs.TCO_PERCENTILE(INPUTS, ranges, 50) > 0
        assert tco_udfs.TCO_SENSITIVITY(INPUTS, None, None, None, ranges)
        return
    cells = (INPUTS, None, None, None, ranges)
    for error in (
        refusal("TCO_PERCENTILE", INPUTS, ranges, 50),
        refusal("TCO_SENSITIVITY", *cells),
    ):
        [fault] = error.faults
        assert (fault.kind, fault.field) == ("conflict", "ranges")
        assert "SciPy" in fault.problem


def test_levers_are_those_of_the_scenario() -> None:
    rows = tco_udfs.TCO_LEVERS(INPUTS, [["pue", 1.3]])
    total = tco_udfs.TCO_TOTAL(INPUTS, [["pue", 1.3]])
    left = total
    for _, alone, share, step, after in rows:
        assert share == pytest.approx(alone / total, rel=EXACT)
        left += step
        assert after == pytest.approx(left, rel=EXACT)
    alone = {row[0]: row[1] for row in rows}
    newer = [["accelerator", NEXT["h100-sxm"]]]
    change = tco_udfs.TCO_TOTAL(INPUTS, [["pue", 1.3], *newer]) - total
    assert alone["accelerator"] == pytest.approx(change, rel=EXACT)
    assert list(alone) == list(LEVERS)


def test_claims_are_put_to_the_run() -> None:
    """Two of them by hand: MFU of 0.4 in 30 to 55%, PUE of 2 not in 1.1 to 1.6."""
    rows = {row[0]: row[1:] for row in tco_udfs.TCO_CLAIMS(INPUTS, [["pue", 2.0]])}
    assert rows["mfu-range"] == [0.3, 0.55, pytest.approx(0.4, rel=EXACT), "inside"]
    assert rows["pue-range"] == [1.1, 1.6, 2.0, "outside"]
    for low, high, value, verdict in rows.values():
        assert (value == "") == (verdict == "does not apply")
        assert verdict != "no range" or (low, high) == ("", "")


def test_both_sides_of_rent_or_own_draw_their_lines() -> None:
    """A line of the owner's cost over utilization meets the rent where the answer turns."""
    words = ["own", "own_fixed", "own_running", "rent_paid", "rent", "utilization"]
    [values] = tco_udfs.TCO_BREAKEVEN(INPUTS, None, [words])
    own, fixed, running, paid, rent, turn = values
    use = rent_or_own(Scenario(**OWN)).utilization
    assert own == pytest.approx(fixed / (YEAR * use) + running, rel=1e-9)
    assert own == pytest.approx(rent, rel=EXACT)
    assert paid == pytest.approx(fixed / (YEAR * turn) + running, rel=1e-9)
    offer = [["rental_usd_per_accelerator_hour", 2.0], ["reservation_discount", 0.25]]
    assert tco_udfs.TCO_BREAKEVEN(as_range(RENT), offer, "rent_paid") == 1.5

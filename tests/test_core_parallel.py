"""Communication, bubble and step time against the papers, and what holds between the formulas."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import parallel
from xl_tco.core.transformer import (
    attention_parameters,
    feed_forward_parameters,
    multiplied_parameters,
    training_flops_per_token,
)

EXACT = 1e-14


class Reference(NamedTuple):
    """A value that somebody else worked out. ``rel`` is what their rounding leaves open."""

    function: Callable[..., Any]
    args: tuple[float, ...]
    expected: float
    rel: float
    source: str


class Run(NamedTuple):
    """An iteration of Korthikanti et al. 2022, tables 3 and 5: on A100, sequences of 2,048."""

    layers: int
    hidden: int
    batch: int
    accelerators: int
    seconds: float
    mfu: float
    hfu: float

    def flops(self) -> Any:
        h = self.hidden
        attention, feed_forward = attention_parameters(h, 1), feed_forward_parameters(h, 4 * h, 0)
        weights = multiplied_parameters(self.layers, h, 51200, attention, feed_forward)
        token = np.asarray(training_flops_per_token(weights, self.layers, h, 2048))
        return self.batch * 2048 * token

    def selective(self) -> float:
        """Extra FLOPs: the attention term's forward pass once more, of their equation 8."""
        attention, logits = 2048 / (6 * self.hidden), 51200 / (12 * self.layers * self.hidden)
        return attention / (1 + attention + logits)


RUNS = [
    Run(48, 6144, 4, 8, 1.10, 0.415, 0.437),
    Run(96, 12288, 64, 64, 13.75, 0.514, 0.528),
    Run(105, 20480, 280, 280, 37.83, 0.560, 0.570),
    Run(128, 25600, 512, 512, 71.49, 0.563, 0.570),
    # Section 6.3: the 530B model with eight replicas, 2,240 GPUs.
    Run(105, 20480, 2240, 2240, 39.15, 0.542, 0.542 * 0.570 / 0.560),
]
MT_NLG = Run(105, 20480, 1920, 2240, 60.1, 0, 0)

REFERENCES = [
    Reference(
        parallel.parallel_accelerators, (128, 8, 16), 16_384, EXACT, "Llama 3, table 4: 405B"
    ),
    Reference(parallel.parallel_accelerators, (8, 8, 35), 2_240, EXACT, "MT-NLG: 280 DGX A100"),
    Reference(parallel.parallel_accelerators, (2, 1, 16, 64), 2_048, EXACT, "DeepSeek-V3, 3.2"),
    Reference(parallel.micro_batches, (1536, 1, 6), 256, EXACT, "by hand"),
    Reference(parallel.micro_batches, (1536, 2, 6, 4), 32, EXACT, "by hand"),
    Reference(parallel.transfer_seconds, (50e9, 25, 10, 0.1), 3.0, EXACT, "by hand"),
    Reference(parallel.allgather_bytes, (4, 100), 75, EXACT, "by hand"),
    Reference(parallel.allgather_seconds, (4, 100e9, 25, 0.1), 3.3, EXACT, "by hand"),
    Reference(
        parallel.allreduce_bytes,
        (8, 1e9),
        1.75e9,
        EXACT,
        "nccl-tests, PERFORMANCE: bus over algorithm bandwidth of 8 ranks is 1.75",
    ),
    Reference(parallel.allreduce_seconds, (4, 100e9, 25, 0.1), 6.6, EXACT, "by hand"),
    Reference(
        # 3/4 of 80 GB twice at 60 GB/s; 2·(3−1)/3 of 20 GB at 10 GB/s and 4 messages.
        parallel.hierarchical_allreduce_seconds,
        (3, 4, 80e9, 60, 10, 0.01, 0.1),
        2 * (1 + 0.03) + 2.0 * 2 / 3 * 2 + 0.4,
        EXACT,
        "by hand",
    ),
    # ZeRO, section 7: 2Ψ for the baseline and stages 1 and 2, 3Ψ for stage 3, here of 2 bytes.
    *(
        Reference(parallel.gradient_bytes, (64, 7.5e9, 1, 1, stage), times * 15e9, 1 / 60, "ZeRO")
        for stage, times in enumerate([2, 2, 2, 3])
    ),
    Reference(parallel.gradient_bytes, (2, 80, 4, 5, 0, 4), 16, EXACT, "by hand"),
    Reference(
        parallel.tensor_parallel_bytes,
        (8, 1, 2048, 12288),
        2 * 8 * 2048 * 12288 * 7 / 8,
        EXACT,
        "Narayanan, section 3.2: 8·b·s·h·(t−1)/t values",
    ),
    Reference(
        parallel.tensor_parallel_bytes, (2, 3, 5, 7, 6, 4), 6 * 3 * 5 * 7 * 4, EXACT, "by hand"
    ),
    Reference(
        parallel.pipeline_bytes,
        (8, 1, 2048, 12288),
        2 * (2 * 2048 * 12288),
        EXACT,
        "Narayanan, section 3.2: b·s·h values in either direction",
    ),
    Reference(
        parallel.pipeline_bytes,
        (8, 1, 2048, 12288, 3, 8),
        3 / 8 * 2 * (2 * 2048 * 12288),
        EXACT,
        "Narayanan, section 4.1: 1/t by scatter/gather; section 2.2: v times by interleaving",
    ),
    Reference(
        parallel.expert_bytes, (4, 10, 100, 2), 4 * 10 * 100 * 2 * 2 * 0.75, EXACT, "by hand"
    ),
    Reference(parallel.pipeline_bubble_share, (4, 8), 3 / 11, EXACT, "Narayanan, figure 3"),
    Reference(parallel.pipeline_bubble_share, (4, 8, 2), 3 / 19, EXACT, "Narayanan, figure 4"),
    Reference(
        parallel.pipeline_bubble_seconds,
        (16, 4, 8),
        16 * 3 / 8,
        EXACT,
        "Narayanan, section 2.2.1: (p−1)/m of the ideal time",
    ),
    Reference(
        parallel.pipeline_bubble_seconds,
        (16, 4, 8, 2),
        16 * 3 / 8 / 2,
        EXACT,
        "Narayanan, section 2.2.2: 1/v of it",
    ),
    Reference(parallel.compute_seconds, (1e18, 10, 1000, 0.5), 200, EXACT, "by hand"),
    Reference(parallel.exposed_seconds, (10, 0.75), 2.5, EXACT, "by hand"),
    Reference(parallel.step_seconds, (10, 3, 0.5, 2), 15.5, EXACT, "by hand"),
    Reference(parallel.step_share, (3, 15), 0.2, EXACT, "by hand"),
    *(
        Reference(function, args, wanted, 0.004, "Korthikanti, table 5: three digits each")
        for run in RUNS
        for common in [(run.flops(), run.accelerators, 312, run.seconds)]
        for function, args, wanted in [
            (parallel.mfu_from_step, common, run.mfu),
            (parallel.hfu_from_step, (*common, run.selective()), run.hfu),
        ]
    ),
    Reference(
        parallel.hfu_from_step,
        (MT_NLG.flops(), 2240, 312, MT_NLG.seconds, 1 / 3),
        126 / 312,
        0.005,
        "Smith et al. 2022: MT-NLG 530B, 60.1 s and 126 TFLOP/s with full recomputation",
    ),
]


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: f"{case.function.__name__}")
def test_reference_value(case: Reference) -> None:
    assert case.function(*case.args) == pytest.approx(case.expected, rel=case.rel), case.source


def test_every_function_has_a_reference_value() -> None:
    functions = {name for name in parallel.__all__ if name.islower()}
    assert {case.function.__name__ for case in REFERENCES} == functions


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: f"{case.function.__name__}")
def test_scalars_give_a_float_and_a_column_the_same_numbers(case: Reference) -> None:
    alone = case.function(*case.args)
    assert type(alone) is float
    for place in range(len(case.args)):
        args = [np.full((3, 1), x) if n == place else x for n, x in enumerate(case.args)]
        column = case.function(*args)
        assert column.shape == (3, 1)
        assert (column == alone).all()


# Limits

sizes = st.floats(0, 1e12)
many = st.integers(1, 100_000)
bandwidths = st.floats(0.1, 1e4)


@given(message=sizes, bandwidth=bandwidths, latency=st.floats(0, 1))
def test_one_rank_has_nobody_to_talk_to(message: float, bandwidth: float, latency: float) -> None:
    assert parallel.allgather_bytes(1, message) == 0
    assert parallel.allreduce_bytes(1, message) == 0
    assert parallel.allreduce_seconds(1, message, bandwidth, latency) == 0
    alone = (1, 1, message, bandwidth, bandwidth, latency, latency)
    assert parallel.hierarchical_allreduce_seconds(*alone) == 0
    assert parallel.gradient_bytes(1, message, 1, 1, 3) == 0
    assert parallel.tensor_parallel_bytes(1, 1, 2048, message) == 0
    assert parallel.pipeline_bytes(1, 1, 2048, message, 4) == 0
    assert parallel.expert_bytes(1, 2048, message, 8) == 0
    assert parallel.pipeline_bubble_share(1, 8) == 0
    assert parallel.pipeline_bubble_seconds(message, 1, 8) == 0


# Relations


@given(ranks=many, message=sizes, bandwidth=bandwidths, latency=st.floats(0, 1))
def test_an_all_reduce_is_its_two_halves(
    ranks: int, message: float, bandwidth: float, latency: float
) -> None:
    sent = np.asarray(parallel.allreduce_bytes(ranks, message))
    assert sent == pytest.approx(2 * np.asarray(parallel.allgather_bytes(ranks, message)))
    assert sent <= 2 * message
    seconds = sent / (bandwidth * 1e9) + 2 * (ranks - 1) * latency
    assert parallel.allreduce_seconds(ranks, message, bandwidth, latency) == pytest.approx(seconds)


@given(
    nodes=st.integers(1, 1000), ranks=st.integers(1, 64), message=sizes, bandwidth=bandwidths
)  # fmt: skip
def test_levels_of_one_speed_send_what_one_ring_sends(
    nodes: int, ranks: int, message: float, bandwidth: float
) -> None:
    # (k−1)/k + (n−1)/(n·k) = (n·k−1)/(n·k), without latency.
    levels = parallel.hierarchical_allreduce_seconds(nodes, ranks, message, bandwidth, bandwidth)
    ring = parallel.allreduce_seconds(nodes * ranks, message, bandwidth)
    assert levels == pytest.approx(ring, rel=1e-9)


def test_a_fast_node_and_few_hops_beat_one_ring() -> None:
    levels = parallel.hierarchical_allreduce_seconds(128, 8, 10e9, 450, 50, 3e-6, 10e-6)
    assert levels < np.asarray(parallel.allreduce_seconds(1024, 10e9, 50, 10e-6))


@given(stages=st.integers(1, 128), batches=st.integers(1, 4096), chunks=st.integers(1, 12))
def test_the_bubble_is_its_share_of_the_pipelines_time(
    stages: int, batches: int, chunks: int
) -> None:
    bubble = np.asarray(parallel.pipeline_bubble_seconds(10.0, stages, batches, chunks))
    share = np.asarray(parallel.pipeline_bubble_share(stages, batches, chunks))
    assert share == pytest.approx(bubble / (10.0 + bubble), rel=1e-12)
    assert 0 <= share < 1
    assert share >= np.asarray(parallel.pipeline_bubble_share(stages, batches + 1, chunks))
    assert share >= np.asarray(parallel.pipeline_bubble_share(stages, batches, chunks + 1))


seconds = st.floats(0, 1e4)


@given(compute=st.floats(1e-3, 1e4), communication=seconds, storage=seconds, bubble=seconds)
def test_the_parts_of_a_step_are_all_of_it(
    compute: float, communication: float, storage: float, bubble: float
) -> None:
    parts = (compute, communication, storage, bubble)
    step = parallel.step_seconds(*parts)
    shares = [np.asarray(parallel.step_share(part, step)) for part in parts]
    assert sum(shares) == pytest.approx(1.0, rel=1e-12)


@given(
    efficiency=st.floats(0.05, 1), recompute=st.floats(0, 1), waiting=st.floats(0, 10),
    accelerators=many,
)  # fmt: skip
def test_utilization_is_kernel_efficiency_less_what_is_waited(
    efficiency: float, recompute: float, waiting: float, accelerators: int
) -> None:
    flops = 1e18
    busy = np.asarray(
        parallel.compute_seconds(flops * (1 + recompute), accelerators, 989, efficiency)
    )
    step = parallel.step_seconds(busy, waiting)
    hfu = parallel.hfu_from_step(flops, accelerators, 989, step, recompute)
    mfu = parallel.mfu_from_step(flops, accelerators, 989, step)
    share = np.asarray(parallel.step_share(busy, step))
    assert hfu == pytest.approx(efficiency * share, rel=1e-12)
    assert mfu == pytest.approx(efficiency * share / (1 + recompute), rel=1e-12)
    assert parallel.exposed_seconds(waiting, 1) == 0
    assert parallel.exposed_seconds(waiting) == waiting

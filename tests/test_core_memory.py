"""Memory against the tables of ZeRO and of Korthikanti et al., and the search for what fits."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import memory
from xl_tco.core.memory import FULL, NONE, SELECTIVE

EXACT = 1e-14


class Reference(NamedTuple):
    """A value that somebody else worked out. ``rel`` is what their rounding leaves open."""

    function: Callable[..., Any]
    args: tuple[float, ...]
    expected: float
    rel: float
    source: str


def states_gb(parameters: float, data: float, stage: float, split: tuple[float, ...] = ()) -> Any:
    tensor, pipeline = split or (1, 1)
    parts = (
        memory.weight_memory_bytes,
        memory.gradient_memory_bytes,
        memory.optimizer_memory_bytes,
    )
    held = [part(parameters, data, tensor, pipeline, stage) for part in parts]
    return memory.memory_gb(*held, activations=0.0)


# Rajbhandari et al. 2020, table 1: GB a device by replicas, for stages 1, 2 and 3; figure 1 has the
# 7.5B model at 64. They print two to four digits, and at times cut them off.
ZERO: dict[float, dict[int, tuple[float, ...]]] = {
    7.5e9: {
        1: (120, 120, 120),
        4: (52.5, 41.3, 30),
        16: (35.6, 21.6, 7.5),
        64: (31.4, 16.6, 1.88),
        256: (30.4, 15.4, 0.47),
        1024: (30.1, 15.1, 0.12),
    },
    128e9: {
        1: (2048, 2048, 2048),
        4: (896, 704, 512),
        16: (608, 368, 128),
        64: (536, 284, 32),
        256: (518, 263, 8),
        1024: (513, 257, 2),
    },
    1e12: {
        1: (16000, 16000, 16000),
        4: (7000, 5500, 4000),
        16: (4750, 2875, 1000),
        64: (4187, 2218, 250),
        256: (4046, 2054, 62.5),
        1024: (4011, 2013, 15.6),
    },
}


@pytest.mark.parametrize("parameters", ZERO)
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_states_are_those_of_the_zero_paper(parameters: float, stage: int) -> None:
    for replicas, published in ZERO[parameters].items():
        wanted = pytest.approx(published[stage - 1], rel=0.003, abs=0.004)
        assert states_gb(parameters, replicas, stage) == wanted
        assert states_gb(parameters, replicas, 0) == pytest.approx(16 * parameters / 1e9)


class Model(NamedTuple):
    """A model of Korthikanti et al. 2022, table 3: tensor degree 8, sequences of 2,048."""

    name: str
    parameters: float
    layers: int
    hidden: int
    heads: int
    pipeline: int
    chunks: int
    micro_batch: int

    def layer(self, sequence_parallel: float, recompute: float) -> Any:
        return memory.layer_activation_bytes(
            self.micro_batch, 2048, self.hidden, self.heads, 8, sequence_parallel, recompute
        )

    def needs_gb(self, sequence_parallel: float, recompute: float) -> Any:
        kept = memory.activation_bytes(
            self.layer(sequence_parallel, recompute), self.layers, self.pipeline, math.inf,
            self.chunks,
        )  # fmt: skip
        states = states_gb(self.parameters, 1, 0, (8, self.pipeline))
        return states + memory.memory_gb(0.0, 0.0, 0.0, kept)


MODELS = [
    Model("22B", 22e9, 48, 6144, 64, 1, 1, 4),
    Model("175B", 175e9, 96, 12288, 96, 8, 3, 1),
    Model("530B", 530e9, 105, 20480, 128, 35, 3, 1),
    Model("1T", 1e12, 128, 25600, 160, 64, 1, 1),
]
by_name = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


@by_name
def test_activations_are_those_of_table_2(model: Model) -> None:
    values, t = 2048 * model.micro_batch * model.hidden, 8
    scores = {"22B": 320 / 3, "175B": 80, "530B": 64, "1T": 64}[model.name]  # 5·a·s/h
    table = {
        (0, NONE): 10 + 24 / t + scores / t,
        (1, NONE): (34 + scores) / t,
        (0, SELECTIVE): 10 + 24 / t,
        (1, SELECTIVE): 34 / t,
        (0, FULL): 2,
        (1, FULL): 2,
    }
    for row, wanted in table.items():
        assert model.layer(*row) == pytest.approx(values * wanted, rel=EXACT)


@by_name
def test_savings_are_those_that_the_paper_names(model: Model) -> None:
    # Section 6.1, figure 7: of the baseline, each by itself about half, both about a fifth, full
    # recomputation a tenth.
    baseline = model.layer(0, NONE)
    assert model.layer(1, NONE) / baseline == pytest.approx(0.6, abs=0.08)
    assert model.layer(0, SELECTIVE) / baseline == pytest.approx(0.56, abs=0.08)
    assert model.layer(1, SELECTIVE) / baseline == pytest.approx(0.18, abs=0.025)
    assert model.layer(1, FULL) / baseline == pytest.approx(0.1, abs=0.025)


@pytest.mark.parametrize(("model", "saved"), [(MODELS[1], 0.70), (MODELS[2], 0.65)])
def test_selective_recomputation_saves_what_section_5_says(model: Model, saved: float) -> None:
    kept = model.layer(1, SELECTIVE) / model.layer(1, NONE)
    assert 1 - kept == pytest.approx(saved, abs=0.005)


@by_name
def test_what_fits_an_a100_is_what_figure_1_shows(model: Model) -> None:
    assert model.needs_gb(0, NONE) > 80
    assert model.needs_gb(1, SELECTIVE) < 80


LAYER = (1.0, 2048.0, 12288.0, 96.0)
SMALL = (80.0, 8e9, 32.0, 4096.0, 32.0, 4096.0)  # an 8B model and accelerators of 80 GB
REFERENCES = [
    Reference(memory.weight_memory_bytes, (100, 5, 2, 4), 25, EXACT, "by hand"),
    Reference(memory.weight_memory_bytes, (100, 5, 2, 4, 3, 4), 10, EXACT, "by hand"),
    Reference(memory.gradient_memory_bytes, (100, 5, 2, 4, 1), 25, EXACT, "by hand"),
    Reference(memory.gradient_memory_bytes, (100, 5, 2, 4, 2, 4), 10, EXACT, "by hand"),
    Reference(memory.optimizer_memory_bytes, (100, 5, 2, 4), 150, EXACT, "by hand"),
    Reference(memory.optimizer_memory_bytes, (100, 5, 2, 4, 1, 8), 20, EXACT, "by hand"),
    Reference(
        memory.layer_activation_bytes, LAYER, 2048 * 12288 * (34 + 80), EXACT, "Korthikanti, eq. 1"
    ),
    Reference(
        # GPT-3 in eight stages of three chunks, activations whole: 1 + 7/24 times 96 layers.
        memory.activation_bytes,
        (1e6, 96, 8, 64, 3),
        96e6 * (1 + 7 / 24),
        EXACT,
        "Korthikanti, section 4.2.3: 1 + (p−1)/(p·m)",
    ),
    Reference(memory.activation_bytes, (1e6, 96, 8), 96e6, EXACT, "Korthikanti, equation 5"),
    Reference(memory.activation_bytes, (1e6, 96, 8, 2), 24e6, EXACT, "two in flight: by hand"),
    Reference(
        # s·b·h·L/t · (p/L + 4/L·(1 + v/h)) of the 22B model.
        memory.outer_activation_bytes,
        (4, 2048, 6144, 51200, 8),
        2048 * 4 * 6144 * 48 / 8 * (1 / 48 + 4 / 48 * (1 + 51200 / 6144)),
        EXACT,
        "Korthikanti, section 4.3",
    ),
    Reference(
        memory.outer_activation_bytes,
        (1, 2048, 12288, 51200, 8, 8),
        2048 * 12288 * 8 / 8,
        EXACT,
        "Korthikanti, section 4.3: only the embedding's dropout",
    ),
    Reference(memory.memory_gb, (2e9, 3e9, 4e9, 5e9, 1e9), 15, EXACT, "by hand"),
    Reference(memory.shortfall_gb, (120, 80), 40, EXACT, "by hand"),
    Reference(memory.shortfall_gb, (79, 80), 0, EXACT, "by hand"),
    Reference(memory.least_data_parallel, (30e9, 100e9, 80), 2, EXACT, "by hand"),
    Reference(memory.least_data_parallel, (79e9, 100e9, 80), 100, EXACT, "by hand"),
    Reference(memory.least_data_parallel, (1e9, 0, 80), 1, EXACT, "by hand"),
    Reference(memory.least_data_parallel, (80e9, 0, 80), 1, EXACT, "by hand: to the last byte"),
    Reference(memory.least_data_parallel, (81e9, 1e9, 80), math.inf, EXACT, "by hand"),
    # 128 GB of states, and 18.25 GB of activations in 34·s·b·h·L: 2 tensor ranks hold 73.1 each.
    Reference(memory.least_accelerators, (*SMALL, 1, 0, 1, SELECTIVE), 2, EXACT, "by hand"),
    # On 40 GB tensor degree 4 takes 36.6; sharding alone has 16 + 112/d + 18.3, so 20 of them.
    Reference(memory.least_accelerators, (40, *SMALL[1:], 1, 0, 1, 1), 4, EXACT, "by hand"),
    # Without tensor parallelism, a stage of 5 of the 32 layers: 20 of states, 7·5/32 of 18.3 kept.
    # Four stages and two replicas, the next best, are eight.
    Reference(memory.least_accelerators, (40, *SMALL[1:], 1, 2, 1, 1, 1), 7, EXACT, "by hand"),
]


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: f"{case.function.__name__}")
def test_reference_value(case: Reference) -> None:
    assert case.function(*case.args) == pytest.approx(case.expected, rel=case.rel), case.source


def test_every_function_has_a_reference_value() -> None:
    functions = {name for name in memory.__all__ if name.islower()} - {"least_layout"}
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


# Properties

degrees = st.integers(1, 64)


@given(parameters=st.floats(1e6, 1e13), data=degrees, tensor=degrees, pipeline=degrees)
def test_each_stage_of_zero_holds_no_more_than_the_one_before(
    parameters: float, data: int, tensor: int, pipeline: int
) -> None:
    held = [states_gb(parameters, data, stage, (tensor, pipeline)) for stage in range(4)]
    assert held == sorted(held, reverse=True)
    whole = 16 * parameters / 1e9 / (tensor * pipeline)
    assert held[0] == pytest.approx(whole, rel=1e-12)
    assert held[3] == pytest.approx(whole / data, rel=1e-12)


@given(
    micro_batch=st.integers(1, 8), sequence=st.integers(1, 100_000), heads=st.integers(1, 256),
    size=st.integers(16, 256), tensor=degrees,
)  # fmt: skip
def test_sequence_parallelism_is_the_whole_layer_over_t(
    micro_batch: int, sequence: int, heads: int, size: int, tensor: int
) -> None:
    shape = (micro_batch, sequence, heads * size, heads)
    for recompute in (NONE, SELECTIVE):
        whole = memory.layer_activation_bytes(*shape, 1, 1, recompute)
        assert memory.layer_activation_bytes(*shape, 1, 0, recompute) == pytest.approx(whole)
        split = memory.layer_activation_bytes(*shape, tensor, 1, recompute)
        assert split == pytest.approx(np.asarray(whole) / tensor)
        assert split <= memory.layer_activation_bytes(*shape, tensor, 0, recompute) * (1 + 1e-12)


@given(pipeline=degrees, batches=st.integers(1, 512), chunks=st.integers(1, 8))
def test_no_more_is_kept_than_there_is(pipeline: int, batches: int, chunks: int) -> None:
    kept = memory.activation_bytes(1.0, 64, pipeline, batches, chunks)
    assert 0 < kept <= min(64 * 2, 64 / pipeline * batches) * (1 + 1e-12)


@given(fixed=st.floats(0, 79e9), sharded=st.floats(0, 1e14))
def test_least_data_parallel_fits_and_one_less_does_not(fixed: float, sharded: float) -> None:
    least = np.asarray(memory.least_data_parallel(fixed, sharded, 80))
    assert fixed + sharded / least <= 80e9 * (1 + 1e-12)
    assert least == 1 or fixed + sharded / (least - 1) > 80e9 * (1 - 1e-12)


def fits(layout: tuple[int, int, int], args: tuple[float, ...]) -> bool:
    """Whether a layout fits, step by step and without the search."""
    capacity, parameters, layers, hidden, heads, sequence, micro_batch, stage, parallel, kept = args
    data, tensor, pipeline = layout
    stage_layers = math.ceil(layers / pipeline)
    on_stage = parameters * stage_layers / layers
    layer = memory.layer_activation_bytes(
        micro_batch, sequence, hidden, heads, tensor, parallel, kept
    )
    needed = states_gb(on_stage, data, stage, (tensor, 1)) + layer * stage_layers * pipeline / 1e9
    return bool(needed <= capacity)


@given(
    capacity=st.sampled_from([16.0, 40.0, 80.0]), parameters=st.floats(1e8, 3e10),
    layers=st.integers(1, 12), heads=st.sampled_from([2, 6, 8]), sequence=st.integers(128, 8192),
    stage=st.integers(0, 3), parallel=st.integers(0, 1), kept=st.integers(0, 2),
)  # fmt: skip
def test_no_smaller_layout_fits(
    capacity: float, parameters: float, layers: int, heads: int, sequence: int, stage: int,
    parallel: int, kept: int,
) -> None:  # fmt: skip
    args = (capacity, parameters, layers, heads * 128, heads, sequence, 1, stage, parallel, kept)
    count, *found = np.asarray(memory.least_layout(*args, 4, 64)).tolist()
    tried = [
        (data, tensor, pipeline)
        for tensor in (1, 2, 4)
        if heads % tensor == 0
        for pipeline in range(1, layers + 1)
        for data in range(1, 65)
        if fits((data, tensor, pipeline), args)
    ]
    assert count == min((math.prod(layout) for layout in tried), default=math.inf)
    assert not tried or tuple(found) in tried


def test_layouts_along_a_new_first_axis() -> None:
    capacity = np.array([[1.0], [40.0], [80.0]])
    parameters, layers = np.array([8e9, 70e9]), np.array([32, 80])
    hidden, heads = np.array([4096, 8192]), np.array([32, 64])
    layouts = np.asarray(memory.least_layout(capacity, parameters, layers, hidden, heads, 4096))
    assert layouts.shape == (4, 3, 2)
    assert np.isinf(layouts[:, 0]).all()
    assert (layouts[0, 1:] == layouts[1:, 1:].prod(axis=0)).all()
    assert (layouts[0, 1] >= layouts[0, 2]).all()
    one = np.asarray(memory.least_layout(80, 70e9, 80, 8192, 64, 4096))
    assert (one == layouts[:, 2, 1]).all()
    named = memory.least_accelerators(
        capacity_gb=80, parameters=70e9, layers=80, hidden_size=8192, heads=64, sequence_length=4096
    )
    assert named == one[0]


def test_what_else_takes_room_is_what_the_accelerator_lacks() -> None:
    args = (70e9, 80, 8192, 64, 4096, 1, 2, 1, SELECTIVE)
    with_other = memory.least_layout(80, *args, other_gb=10)
    assert (np.asarray(with_other) == np.asarray(memory.least_layout(70, *args))).all()

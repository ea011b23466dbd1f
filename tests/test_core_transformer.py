"""Parameters and FLOPs of transformers against the counts that their authors, or others, published.

A checkpoint's count is exact, and so must ours be. A paper's is rounded: what that leaves open is
beside it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import compute, transformer
from xl_tco.core.transformer import (
    active_parameters,
    attention_parameters,
    attention_width,
    feed_forward_parameters,
    forward_flops_per_token,
    latent_attention_parameters,
    mixture_parameters,
    multiplied_parameters,
    total_parameters,
    training_flops_per_token,
)


class Architecture(NamedTuple):
    """A published model: dense, of experts, or with latent attention."""

    layers: int
    hidden: int
    vocabulary: int
    heads: int
    feed_forward: int
    kv_heads: int = 0
    head_size: int = 0
    gated: int = 1
    tied: int = 0
    positions: int = 0
    norms: int = 2
    bias: int = 0
    latent: tuple[int, ...] = ()  # query rank, key and value rank, head, position, value
    mixture_layers: int = 0
    expert_size: int = 0
    experts: int = 0
    active: int = 0
    shared: int = 0
    router_bias: int = 0

    @property
    def expert(self) -> Any:
        return feed_forward_parameters(self.hidden, self.expert_size, self.gated)

    def attention(self, counted: int) -> Any:
        """Parameters of attention, with what multiplies nothing (``counted`` 1) or without."""
        if self.latent:
            return latent_attention_parameters(self.hidden, self.heads, *self.latent, norms=counted)
        return attention_parameters(
            self.hidden, self.heads, self.kv_heads, self.head_size, self.bias * counted
        )

    def total(self) -> Any:
        return total_parameters(
            self.layers,
            self.hidden,
            self.vocabulary,
            self.attention(1),
            feed_forward_parameters(self.hidden, self.feed_forward, self.gated, self.bias),
            self.mixture_layers,
            mixture_parameters(
                self.hidden, self.expert, self.experts, self.shared, 0, self.router_bias
            ),
            self.tied,
            self.positions,
            self.norms,
            self.bias,
        )

    def active_total(self) -> Any:
        return active_parameters(
            self.total(), self.mixture_layers, self.expert, self.experts, self.active
        )

    def weights(self) -> Any:
        idle = self.experts - self.active
        return multiplied_parameters(
            self.layers,
            self.hidden,
            self.vocabulary,
            self.attention(0),
            feed_forward_parameters(self.hidden, self.feed_forward, self.gated),
            self.mixture_layers,
            mixture_parameters(self.hidden, self.expert, self.experts, self.shared, idle),
        )

    def width(self) -> Any:
        if self.latent:
            return attention_width(self.heads, *self.latent[2:])
        return attention_width(self.heads, self.head_size or self.hidden / self.heads)

    def flops(self, sequence: int = 0, causal: int = 0) -> Any:
        return training_flops_per_token(self.weights(), self.layers, self.width(), sequence, causal)


def gpt(layers: int, hidden: int, heads: int, vocabulary: int, positions: int) -> Architecture:
    return Architecture(
        layers, hidden, vocabulary, heads, 4 * hidden,
        gated=0, tied=1, positions=positions, bias=1,
    )  # fmt: skip


def palm(layers: int, hidden: int, heads: int) -> Architecture:
    return Architecture(layers, hidden, 256_000, heads, 4 * hidden, 1, 256, tied=1, norms=1)


def llama(layers: int, hidden: int, heads: int, feed_forward: int) -> Architecture:
    return Architecture(layers, hidden, 128_256, heads, feed_forward, 8)


GPT_2 = gpt(12, 768, 12, 50257, 1024)
GPT_3 = gpt(96, 12288, 96, 50257, 2048)
# Sizes of Korthikanti et al. 2022, table 3; their vocabulary is padded to 51,200.
MEGATRON = {
    "22B": gpt(48, 6144, 64, 51200, 2048),
    "175B": gpt(96, 12288, 96, 51200, 2048),
    "530B": gpt(105, 20480, 128, 51200, 2048),
    "1T": gpt(128, 25600, 160, 51200, 2048),
}
PALM_8B, PALM_62B, PALM_540B = palm(32, 4096, 16), palm(64, 8192, 32), palm(118, 18432, 48)
LLAMA_8B = llama(32, 4096, 32, 14336)
LLAMA_70B = llama(80, 8192, 64, 28672)
LLAMA_405B = llama(126, 16384, 128, 53248)
MIXTRAL = Architecture(
    32, 4096, 32_000, 32, 0, 8, mixture_layers=32, expert_size=14336, experts=8, active=2
)
DEEPSEEK_V2 = Architecture(
    60, 5120, 102_400, 128, 12288, latent=(1536, 512, 128, 64, 128),
    mixture_layers=59, expert_size=1536, experts=160, active=6, shared=2,
)  # fmt: skip
DEEPSEEK_V3 = Architecture(
    61, 7168, 129_280, 128, 18432, latent=(1536, 512, 128, 64, 128),
    mixture_layers=58, expert_size=2048, experts=256, active=8, shared=1, router_bias=1,
)  # fmt: skip

EXACT = 1e-14


@pytest.mark.parametrize(
    ("model", "published", "rel", "source"),
    [
        (GPT_2, 124_439_808, 0, "gpt2, released checkpoint"),
        (GPT_3, 174.6e9, 0.0003, "Brown et al. 2020, table D.1: 174,600 million, four digits"),
        (GPT_3, 175e9, 0.003, "Brown et al. 2020, table 2.1: 175.0B, rounded to whole billions"),
        *(
            (MEGATRON[name], size, 0.03, "Korthikanti, table 3: the name, two or three digits")
            for name, size in [("22B", 22e9), ("175B", 175e9), ("530B", 530e9), ("1T", 1008e9)]
        ),
        (PALM_8B, 8.63e9, 0.0006, "Chowdhery et al. 2022, table 1, three digits"),
        (PALM_62B, 62.50e9, 0.0001, "Chowdhery et al. 2022, table 1, four digits"),
        (PALM_540B, 540.35e9, 0.00002, "Chowdhery et al. 2022, table 1, five digits and norms"),
        (LLAMA_8B, 8_030_261_248, 0, "Llama 3.1 8B, released checkpoint"),
        (LLAMA_70B, 70_553_706_496, 0, "Llama 3.1 70B, released checkpoint"),
        (LLAMA_405B, 405_853_388_800, 0, "Llama 3.1 405B, released checkpoint"),
        (MIXTRAL, 46_702_792_704, 0, "Mixtral 8x7B, released checkpoint"),
        (MIXTRAL, 46.7e9, 0.0011, "Mistral: 46.7B, three digits"),
        (DEEPSEEK_V2, 236e9, 0.0022, "DeepSeek-V2: 236B, three digits"),
        (DEEPSEEK_V3, 671_026_419_200, 0, "DeepSeek-V3, checkpoint without the MTP module"),
        (DEEPSEEK_V3, 671e9, 0.0008, "DeepSeek-V3, section 1: 671B, three digits"),
    ],
)  # fmt: skip
def test_total_parameters(model: Architecture, published: float, rel: float, source: str) -> None:
    assert model.total() == pytest.approx(published, rel=rel, abs=0), source


@pytest.mark.parametrize(
    ("counted", "published", "rel", "source"),
    [
        (MIXTRAL.active_total(), 12.9e9, 0.004, "Jiang et al. 2024: 13B, on their site 12.9B"),
        (DEEPSEEK_V2.active_total(), 21e9, 0.024, "DeepSeek-V2: 21B, two digits"),
        (DEEPSEEK_V3.active_total(), 37e9, 0.016, "DeepSeek-V3: 37B, lookup table not counted"),
        (
            DEEPSEEK_V3.active_total() - 7168 * 129_280,
            36.6e9,
            0.0014,
            "DeepSeek-V3, README_WEIGHTS: 36.6B, with 0.9B of the output head",
        ),
        (LLAMA_8B.active_total(), LLAMA_8B.total(), 0, "dense: all of them"),
    ],
)
def test_active_parameters(counted: float, published: float, rel: float, source: str) -> None:
    assert counted == pytest.approx(published, rel=rel, abs=0), source


@pytest.mark.parametrize(
    ("counted", "published", "rel", "source"),
    [
        (GPT_3.flops() * 300e9, 3.14e23, 0.003, "Brown et al. 2020, table D.1: no attention"),
        # 238.3 thousand tokens a second on 6,144 chips of 275 TFLOP/s are 46.2%, 45.7% without
        # attention: three digits.
        (PALM_540B.flops(2048), 0.462 * 6144 * 275e12 / 238.3e3, 0.0015, "PaLM, section 4.1"),
        (PALM_540B.flops(), 0.457 * 6144 * 275e12 / 238.3e3, 0.0015, "PaLM, section 4.1"),
        (LLAMA_405B.flops() * 15.6e12, 3.8e25, 0.014, "Llama 3, section 3.2.1: 6ND, two digits"),
        # "Insights into DeepSeek-V3", arXiv:2505.09343, table 2: training FLOPs a token at 4,096
        # tokens, three digits; they fit the half that a causal mask leaves. Its 394 of a 72B
        # model is left out: 6N alone is more.
        (DEEPSEEK_V2.flops(4096, 1), 155e9, 0.0033, "Insights into DeepSeek-V3, table 2"),
        (DEEPSEEK_V3.flops(4096, 1), 250e9, 0.002, "Insights into DeepSeek-V3, table 2"),
        (LLAMA_405B.flops(4096, 1), 2448e9, 0.011, "the same; what they left out is not said"),
    ],
)
def test_training_flops(counted: float, published: float, rel: float, source: str) -> None:
    assert counted == pytest.approx(published, rel=rel), source


@pytest.mark.parametrize("model", [GPT_2, GPT_3, *MEGATRON.values()])
@pytest.mark.parametrize("sequence", [1024, 2048, 131_072])
def test_flops_of_a_gpt_are_those_of_the_megatron_papers(
    model: Architecture, sequence: int
) -> None:
    # Korthikanti, equation 7: 72·B·L·s·h²·(1 + s/(6h) + v/(12·L·h)) of a batch, here of a token.
    lay, h, v = model.layers, model.hidden, model.vocabulary
    wanted = 72 * lay * h**2 * (1 + sequence / (6 * h) + v / (12 * lay * h))
    assert model.flops(sequence) == pytest.approx(wanted, rel=EXACT)


def test_every_function_by_hand() -> None:
    # 4 wide, 2 heads of 3 with 1 for keys and values: 4·6 + 2·(4·3) + 6·4, biases 6 + 3 + 3 + 4.
    assert attention_parameters(4, 2, 1, 3) == 72
    assert attention_parameters(4, 2, 1, 3, 1) == 72 + 16
    assert attention_parameters(4, 2) == 4 * 4 * 4
    # Query 4·5 + 5·2·(3+1), keys and values 4·(7+1) + 7·2·(3+2), output 2·2·4, norms 5 + 7.
    assert latent_attention_parameters(4, 2, 5, 7, 3, 1, 2, 0) == 20 + 40 + 32 + 70 + 16
    assert latent_attention_parameters(4, 2, 5, 7, 3, 1, 2) == 178 + 12
    assert latent_attention_parameters(4, 2, 0, 7, 3, 1, 2, 0) == 4 * 2 * 4 + 32 + 70 + 16
    assert attention_width(2, 3) == 6
    assert attention_width(2, 3, 1, 2) == (2 * 4 + 2 * 2) / 2
    assert feed_forward_parameters(4, 10) == 120
    assert feed_forward_parameters(4, 10, 0, 1) == 80 + 14
    assert mixture_parameters(4, 120, 8, 1) == 9 * 120 + 32
    assert mixture_parameters(4, 120, 8, 1, 6, 1) == 3 * 120 + 40
    assert total_parameters(3, 4, 100, 72, 120) == 3 * 192 + 2 * 400 + 7 * 4
    assert total_parameters(3, 4, 100, 72, 120, 1, 500, 1, 16, 1, 1) == (
        3 * 72 + 2 * 120 + 500 + 116 * 4 + 4 * 8
    )
    assert active_parameters(10_000, 2, 120, 8, 2) == 10_000 - 2 * 6 * 120
    assert multiplied_parameters(3, 4, 100, 72, 120, 1, 500) == 3 * 72 + 2 * 120 + 500 + 400
    assert forward_flops_per_token(1000) == 2000
    assert forward_flops_per_token(1000, 2, 6, 50) == 2000 + 4 * 2 * 6 * 50
    assert training_flops_per_token(1000, 2, 6, 50, 1) == 6000 + 12 * 2 * 6 * 50 / 2


FUNCTIONS: list[tuple[Callable[..., Any], int]] = [
    (attention_parameters, 5),
    (latent_attention_parameters, 8),
    (attention_width, 4),
    (feed_forward_parameters, 4),
    (mixture_parameters, 6),
    (total_parameters, 11),
    (active_parameters, 5),
    (multiplied_parameters, 7),
    (forward_flops_per_token, 5),
    (training_flops_per_token, 5),
]


def test_all_functions_are_here() -> None:
    assert {function.__name__ for function, _ in FUNCTIONS} == set(transformer.__all__)


@pytest.mark.parametrize(
    ("function", "count"), FUNCTIONS, ids=lambda case: getattr(case, "__name__", str(case))
)
def test_scalars_give_a_float_and_arrays_broadcast(
    function: Callable[..., Any], count: int
) -> None:
    args = [float(n + 2) for n in range(count)]
    alone = function(*args)
    assert type(alone) is float
    for place in range(count):
        column = [np.full((3, 1), arg) if n == place else arg for n, arg in enumerate(args)]
        result = function(*column)
        assert result.shape == (3, 1)
        assert (result == alone).all()


sizes = st.integers(1, 4096)


@given(layers=sizes, hidden=sizes, vocabulary=sizes, heads=sizes, sequence=sizes)
def test_a_dense_model_costs_what_the_estimate_says(
    layers: int, hidden: int, vocabulary: int, heads: int, sequence: int
) -> None:
    # With a tied embedding all parameters but norms multiply: 6·N + 12·L·h·s is exact.
    model = Architecture(layers, hidden, vocabulary, heads, 4 * hidden, tied=1)
    parameters = model.total() - (2 * layers + 1) * hidden
    wanted = compute.model_flops(parameters, 1, layers, hidden, sequence)
    assert model.flops(sequence) == pytest.approx(wanted, rel=1e-12)
    assert model.flops(sequence) == pytest.approx(
        3 * np.asarray(forward_flops_per_token(model.weights(), layers, hidden, sequence)),
        rel=1e-12,
    )


@given(layers=sizes, hidden=sizes, experts=st.integers(1, 512), data=st.data())
def test_all_experts_active_is_the_whole_model(
    layers: int, hidden: int, experts: int, data: st.DataObject
) -> None:
    active = data.draw(st.integers(1, experts))
    model = Architecture(
        layers, hidden, 1000, 1, 0, mixture_layers=layers, expert_size=64, experts=experts,
        active=active,
    )  # fmt: skip
    assert model.active_total() <= model.total()
    assert model._replace(active=experts).active_total() == model.total()
    # What a token meets is what it is multiplied by, the lookup and the norms.
    rest = hidden * 1000 + (2 * layers + 1) * hidden
    assert model.active_total() == pytest.approx(model.weights() + rest, rel=1e-12)


@given(heads=st.integers(1, 128), size=st.integers(1, 256), hidden=sizes)
def test_fewer_key_and_value_heads_are_fewer_parameters(heads: int, size: int, hidden: int) -> None:
    multi_head = np.asarray(attention_parameters(hidden, heads, heads, size))
    assert multi_head == 4 * hidden * heads * size
    assert attention_parameters(hidden, heads, 1, size) == pytest.approx(
        multi_head - 2 * (heads - 1) * hidden * size
    )

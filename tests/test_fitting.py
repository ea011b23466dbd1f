"""Does it fit: held against the engine's own figure, and against a search by hand."""

from itertools import product
from math import prod
from typing import Any

import pytest

from test_model_detail import H100, STEP
from xl_tco import InputError, Scenario, evaluate, fit


def test_the_parts_are_what_the_engine_needs() -> None:
    found = fit(Scenario(**STEP))
    needed = evaluate(Scenario(**STEP)).metrics["memory_needed_gb"]
    assert found.needed_gb == pytest.approx(needed, rel=1e-12)
    assert list(found.parts_gb) == ["weights", "gradients", "optimizer", "activations", "other"]
    assert found.parts_gb["weights"] == pytest.approx(70e9 * 2 / 32 / 1e9)
    assert found.shortfall_gb == 0
    assert "It fits" in found.sentence
    assert found.to_dict()["needed_gb"] == found.needed_gb
    assert found.to_frame()["gb"].sum() == pytest.approx(found.needed_gb)


def test_what_does_not_fit_is_an_answer_and_no_error() -> None:
    tight = Scenario(**STEP | {"memory_gb": 10})
    with pytest.raises(InputError):
        evaluate(tight)
    found = fit(tight)
    assert found.shortfall_gb == pytest.approx(found.needed_gb - 10)
    assert f"It lacks {found.shortfall_gb:,.1f} GB" in found.sentence


@pytest.mark.parametrize("zero_stage", [0, 1, 3])
def test_the_fewest_accelerators_fit_and_none_fewer(zero_stage: int) -> None:
    """The engine takes it, and refuses every smaller layout of as many layers to each stage."""
    table: dict[str, Any] = {**STEP, "zero_stage": zero_stage, "layers": 8, "heads": 8}
    table |= {"parameters": 10e9, "memory_gb": 40, "batch_tokens": 4096 * 4096}
    least = fit(Scenario(**table)).least
    assert least is not None

    def fits(data: int, tensor: int, pipeline: int) -> bool:
        layout = {"tensor_parallel": tensor, "pipeline_parallel": pipeline}
        layout["batch_tokens"] = 4096 * 64 * data  # the pipeline is full
        try:
            evaluate(Scenario(**table | layout | {"accelerators": data * tensor * pipeline}))
        except InputError:
            return False
        return True

    assert fits(int(least.data_parallel), int(least.tensor_parallel), int(least.pipeline_parallel))
    layouts = product(range(1, 33), (1, 2, 4, 8), (1, 2, 4, 8))
    smaller = [layout for layout in layouts if prod(layout) < least.accelerators]
    assert smaller
    assert not any(fits(*layout) for layout in smaller)


def test_a_layout_must_be_given() -> None:
    with pytest.raises(InputError, match="kernel_efficiency"):
        fit(Scenario(**H100))

"""Storage against datasets and checkpoints whose sizes were published."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import reliability, storage

GIBI = 2**30 / 1e9
sizes = st.floats(1e-3, 1e6)


def test_openwebtext_in_16_bits() -> None:
    # github:karpathy/nanoGPT data/openwebtext/prepare.py: 9,035,582,198 tokens as 16-bit integers
    # make a file of about 17 GB (of 2**30 bytes).
    terabytes = storage.dataset_terabytes(9_035_582_198, 1, 2)
    assert terabytes * 1000 / GIBI == pytest.approx(17, abs=0.5)
    # Twice through the same file takes no more of it.
    assert storage.dataset_terabytes(2 * 9_035_582_198, 2, 2) == pytest.approx(terabytes, rel=1e-15)


def test_dataset_of_llama_3_1() -> None:
    # 15.6 trillion tokens (arXiv:2407.21783), 4 bytes each, by hand.
    assert storage.dataset_terabytes(15.6e12) == pytest.approx(62.4, rel=1e-14)


def test_checkpoints_of_bloom() -> None:
    # BigScience (bigscience.notion.site, "BigScience 176B Model"): 329 GB of bf16 weights, 2.3 TB
    # with optimizer states, 176,247M parameters; in binary units.
    weights = storage.checkpoint_terabytes(176.247e9, 2)
    assert weights * 1000 / GIBI == pytest.approx(329, rel=0.005)
    whole = storage.checkpoint_terabytes(176.247e9)
    assert whole * 1000 / GIBI / 1024 == pytest.approx(2.3, abs=0.06)


def test_checkpoint_of_a_trillion_parameters() -> None:
    # Narayanan et al. 2021, table 1 and section 5.10: a checkpoint of 1,008 billion parameters is
    # 13.8 TB; 1 TB/s reads it, 273 GB/s write it.
    assert storage.checkpoint_terabytes(1008e9) == pytest.approx(13.8, rel=0.03)
    assert storage.read_seconds(13.8e12, 1000) == pytest.approx(13.8, rel=1e-14)
    assert storage.write_gb_per_second_for(13_800, 50.55 / 3600) == pytest.approx(273, rel=1e-4)


def test_checkpoint_of_llama_3_1() -> None:
    # 405 billion weights in 16 bits are the 810 GB that their readers need (Hugging Face).
    assert storage.checkpoint_terabytes(405e9, 2) == pytest.approx(0.81, rel=1e-14)
    assert storage.checkpoint_terabytes(405e9, checkpoints_kept=10) == pytest.approx(
        56.7, rel=1e-14
    )


@given(size=sizes, hours=st.floats(1e-4, 100))
def test_bandwidth_of_a_checkpoint_is_the_inverse(size: float, hours: float) -> None:
    bandwidth = storage.write_gb_per_second_for(size, hours)
    back = reliability.checkpoint_write_hours(size, bandwidth)
    assert back == pytest.approx(hours, rel=1e-12)
    # To write it or to read it takes the same time at the same bandwidth.
    assert storage.read_seconds(size * 1e9, bandwidth) == pytest.approx(hours * 3600, rel=1e-12)


def test_price_by_hand() -> None:
    # 200 TB at 300 USD and 50 GB/s at 2,000 USD.
    assert storage.storage_capex_usd(200, 300) == 60_000
    assert storage.storage_capex_usd(200, 300, 50, 2000) == 160_000


def test_many_at_once() -> None:
    kept = np.array([1.0, 2.0, 10.0])
    sizes = storage.checkpoint_terabytes(1e12, 14, kept)
    assert np.asarray(sizes).tolist() == [14.0, 28.0, 140.0]
    assert isinstance(storage.storage_capex_usd(1, 1), float)

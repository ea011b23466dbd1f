"""Fabrics against published component counts, and against their own ports."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xl_tco.core import network

radices = st.integers(2, 64).map(lambda half: 2.0 * half)
oversubscriptions = st.sampled_from([1.0, 1.5, 2.0, 7 / 3, 3.0, 4.0])
rail_counts = st.sampled_from([1.0, 4.0, 8.0])


@pytest.mark.parametrize(
    ("endpoints", "leaf", "spine", "core"),
    # NVIDIA, DGX SuperPOD reference architecture (B200), larger component counts: switches of 64
    # ports, eight rails.
    [
        (512, 16, 8, 0),
        (1024, 32, 16, 0),
        (2048, 64, 32, 0),
        (4096, 128, 128, 64),
        (8192, 256, 256, 128),
        (16384, 512, 512, 256),
    ],
)
def test_superpod_of_64_ports(endpoints: float, leaf: int, spine: int, core: int) -> None:
    tiers = network.fat_tree_tiers(endpoints, 64, rails=8)
    assert tiers == (3 if core else 2)
    seen = network.fat_tree_tier_switches(np.array([1, 2, 3]), endpoints, 64, tiers, rails=8)
    assert np.asarray(seen).tolist() == [leaf, spine, core]
    assert network.fat_tree_switches(endpoints, 64, tiers, rails=8) == leaf + spine + core
    # As many cables from leaf to spine, and from spine to core, as from nodes to leaves.
    assert network.fat_tree_cables(endpoints, 64, tiers, rails=8) == endpoints * (tiers - 1)


@pytest.mark.parametrize(
    ("endpoints", "leaf", "spine"),
    # The same for B300 with 144 ports. With 32 leaves 16 spine switches have ports enough, but 72
    # uplinks do not go evenly to 16: NVIDIA counts 18, and 36 for 64 leaves.
    [(576, 8, 4), (1152, 16, 8), (2304, 32, 18), (4608, 64, 36), (10368, 144, 72)],
)
def test_superpod_of_144_ports(endpoints: float, leaf: int, spine: int) -> None:
    seen = network.fat_tree_tier_switches(np.array([1, 2, 3]), endpoints, 144, 2, rails=8)
    assert np.asarray(seen).tolist() == [leaf, spine, 0]
    assert network.fat_tree_cables(endpoints, 144, 2, rails=8) == endpoints


@given(radix=radices)
def test_a_full_tree_is_that_of_al_fares(radix: float) -> None:
    hosts = network.fat_tree_capacity(radix, 3)
    assert hosts == radix**3 / 4
    assert network.fat_tree_switches(hosts, radix, 3) == 5 * radix**2 / 4
    core = network.fat_tree_tier_switches(3, hosts, radix, 3)
    assert core == (radix / 2) ** 2
    assert network.fat_tree_cables(hosts, radix, 3) == 2 * hosts
    assert network.fat_tree_capacity(radix, 2) == radix**2 / 2
    assert network.fat_tree_switches(radix**2 / 2, radix, 2) == 3 * radix / 2


def test_al_fares_of_48_ports() -> None:
    # Al-Fares et al. 2008: 27,648 hosts with switches of 48 ports.
    assert network.fat_tree_capacity(48, 3) == 27_648
    assert network.fat_tree_switches(27_648, 48, 3) == 2_880


@pytest.mark.parametrize(
    ("oversubscription", "down", "up"),
    [(1, 32, 32), (2, 42, 21), (3, 48, 16), (7, 56, 8), (7 / 3, 44, 19), (0.5, 21, 42)],
)
def test_ports_of_a_leaf(oversubscription: float, down: int, up: int) -> None:
    assert network.leaf_endpoints(64, oversubscription) == down
    assert network.leaf_uplinks(64, oversubscription) == up


@given(
    filled=st.floats(0.001, 1),
    radix=radices,
    tiers=st.sampled_from([2.0, 3.0]),
    oversubscription=oversubscriptions,
    rails=rail_counts,
)
def test_every_cable_has_a_port(
    filled: float, radix: float, tiers: float, oversubscription: float, rails: float
) -> None:
    room = network.fat_tree_capacity(radix, tiers, oversubscription, rails)
    if room == 0:  # More rails than leaves.
        return
    endpoints = np.ceil(filled * room)
    method = (endpoints, radix, tiers, oversubscription, rails)
    leaf, spine, core = np.asarray(
        network.fat_tree_tier_switches(np.array([1.0, 2.0, 3.0]), *method)
    )
    cables = network.fat_tree_cables(*method)
    step = cables / (tiers - 1)
    assert endpoints + step <= leaf * radix
    assert step <= (spine * radix if tiers == 2 else spine * radix / 2)
    assert step <= core * radix or tiers == 2
    # Oversubscription is kept: a leaf's endpoints over its uplinks.
    down = network.leaf_endpoints(radix, oversubscription)
    up = network.leaf_uplinks(radix, oversubscription)
    assert down / up <= oversubscription * (1 + 1e-9)
    assert down + up <= radix
    assert endpoints / rails <= np.ceil(leaf / rails) * down


@given(endpoints=st.integers(1, 100_000).map(float), radix=radices, rails=rail_counts)
def test_fewest_tiers(endpoints: float, radix: float, rails: float) -> None:
    tiers = network.fat_tree_tiers(endpoints, radix, rails=rails)
    most = network.fat_tree_capacity(radix, min(tiers, 3), rails=rails)
    assert (endpoints <= most) is bool(np.isfinite(tiers))
    assert np.isfinite(network.fat_tree_switches(endpoints, radix, tiers, rails=rails)) == (
        np.isfinite(tiers)
    )
    if np.isfinite(tiers) and tiers > 1:
        assert endpoints > network.fat_tree_capacity(radix, tiers - 1, rails=rails)


def test_one_switch_and_no_room() -> None:
    assert network.fat_tree_switches(64, 64, 1) == 1
    assert network.fat_tree_cables(64, 64, 1) == 0
    for tiers, endpoints in ((1, 65), (2, 2049), (3, 65_537)):
        assert network.fat_tree_switches(endpoints, 64, tiers) == np.inf
        assert network.fat_tree_cables(endpoints, 64, tiers) == np.inf


@given(endpoints=st.integers(65, 2000).map(float))
def test_oversubscription_saves_spine_switches(endpoints: float) -> None:
    plain = network.fat_tree_switches(endpoints, 64, 2)
    assert network.fat_tree_switches(endpoints, 64, 2, 3) <= plain
    assert network.fat_tree_cables(endpoints, 64, 2, 3) < network.fat_tree_cables(endpoints, 64, 2)


# Dragonfly


def test_dragonfly_of_kim() -> None:
    # Kim et al. 2008, figure 5: p = h = 2, a = 4: 72 endpoints in nine groups; and, in section 3,
    # more than 256K endpoints with switches of 64 ports.
    assert network.dragonfly_capacity(7) == 72
    assert network.dragonfly_groups(72, 7) == 9
    assert network.dragonfly_switches(72, 7) == 36
    assert network.dragonfly_local_cables(72, 7) == 9 * 6
    assert network.dragonfly_global_cables(72, 7) == 9 * 8 / 2
    assert network.dragonfly_capacity(64) == 262_656 > 256 * 1024


@given(p=st.integers(1, 32), filled=st.floats(0.001, 1))
def test_every_link_of_a_dragonfly_has_a_port(p: int, filled: float) -> None:
    radix = 4.0 * p - 1
    room = network.dragonfly_capacity(radix)
    a, h = 2 * p, p
    assert room == a * p * (a * h + 1)
    endpoints = np.ceil(filled * room)
    groups = network.dragonfly_groups(endpoints, radix)
    switches = network.dragonfly_switches(endpoints, radix)
    assert switches == groups * a
    assert endpoints <= switches * p
    local = network.dragonfly_local_cables(endpoints, radix)
    assert 2 * local == switches * (a - 1)
    between = network.dragonfly_global_cables(endpoints, radix)
    assert 2 * between <= switches * h
    # Every two groups are connected; in the full network by one cable, on every port.
    assert between >= groups * (groups - 1) / 2
    if endpoints == room:
        assert 2 * between == switches * h


def test_a_single_group_and_no_room() -> None:
    assert network.dragonfly_global_cables(8, 7) == 0
    assert network.dragonfly_switches(73, 7) == np.inf
    assert network.dragonfly_global_cables(73, 7) == np.inf
    assert network.dragonfly_local_cables(73, 7) == np.inf


def test_a_dragonfly_has_fewer_long_cables_than_a_fat_tree() -> None:
    # Kim et al. 2008, section 5: half the cost of a folded Clos at 16K nodes, for its cables.
    tree = network.fat_tree_cables(16_384, 64, 3)
    assert network.dragonfly_global_cables(16_384, 64) < 0.5 * tree


# Cost and power


def test_cost_and_power_by_hand() -> None:
    # 1,024 endpoints: 48 switches, 2,048 cables, of which those to endpoints are copper.
    optics = network.transceivers(1024, 1024, optical_endpoint_share=0)
    assert optics == 2048
    capex = network.network_capex_usd(48, 30_000, optics, 600, 2048, 100, 1024, 1500)
    assert capex == 48 * 30_000 + 2048 * 600 + 2048 * 100 + 1024 * 1500
    assert network.per_accelerator(capex, 1024) == capex / 1024
    assert network.network_watts(48, 750, optics, 8.5, 1024, 25) == 36_000 + 17_408 + 25_600
    assert network.transceivers(1024, 1024) == 4096


# Oversubscription


def test_oversubscription_by_hand() -> None:
    assert network.oversubscribed_bandwidth(50, 1) == 50
    assert network.oversubscribed_bandwidth(50, 4) == 12.5
    # In the order of the wiring one hop in 48 leaves its leaf, and 3:1 does no harm.
    in_order = network.crossing_share_in_order(1024, 48)
    assert in_order == pytest.approx(1 / 48)
    assert network.oversubscribed_bandwidth(50, 3, in_order) == 50
    # At random nearly all do.
    shuffled = network.crossing_share_shuffled(1024, 48)
    assert shuffled == pytest.approx(976 / 1023)
    assert network.oversubscribed_bandwidth(50, 3, shuffled) == pytest.approx(50 / 3 * 1023 / 976)


def test_a_ring_within_a_leaf_never_leaves_it() -> None:
    for share in (network.crossing_share_in_order, network.crossing_share_shuffled):
        assert np.asarray(share(np.array([1, 31, 32]), 32)).tolist() == [0, 0, 0]


def test_random_placement_of_a_simulation() -> None:
    rng = np.random.default_rng(2008)
    leaves = np.arange(256) // 32
    crossed = [
        np.mean(placed != np.roll(placed, 1))
        for placed in (rng.permutation(leaves) for _ in range(400))
    ]
    assert network.crossing_share_shuffled(256, 32) == pytest.approx(np.mean(crossed), abs=3e-3)


@given(oversubscription=st.floats(1, 20), share=st.floats(0, 1), more=st.floats(0, 5))
def test_more_oversubscription_never_helps(
    oversubscription: float, share: float, more: float
) -> None:
    bandwidth = network.oversubscribed_bandwidth(50, oversubscription, share)
    assert 50 / oversubscription * (1 - 1e-12) <= bandwidth <= 50
    assert network.oversubscribed_bandwidth(50, oversubscription + more, share) <= bandwidth


def test_an_array_gives_what_its_numbers_give() -> None:
    endpoints = np.array([[10.0], [700.0], [5000.0]])
    radix = np.array([32.0, 64.0, 144.0])
    tiers = network.fat_tree_tiers(endpoints, radix, 1, 8)
    grid = np.asarray(network.fat_tree_switches(endpoints, radix, tiers, 1, 8))
    alone = [
        [
            network.fat_tree_switches(n, k, network.fat_tree_tiers(n, k, 1, 8), 1, 8)
            for k in radix.tolist()
        ]
        for n in endpoints[:, 0].tolist()
    ]
    assert grid.tolist() == alone
    assert type(alone[0][0]) is float

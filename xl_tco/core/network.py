"""The fabric between accelerators: switches, optics and cables, what they cost and draw.

An *endpoint* is a port of a network adapter: accelerators times ports an accelerator. The *radix*
is the ports of a switch at an endpoint's speed: a switch with 32 cages of two ports has 64. With
*rails* the i-th accelerator of every server goes to a leaf switch of rail i, and the rails meet at
the spine. *Oversubscription* is the bandwidth of a leaf's endpoints over that of its uplinks.

Wiring is regular: every leaf has as many links to one spine switch as to another, for which a few
more switches may be needed than ports ask for. Where there is no room, the counts are inf.

References
----------
.. [1] Al-Fares, Loukissas and Vahdat 2008, "A Scalable, Commodity Data Center Network
   Architecture", SIGCOMM (k-ary fat tree: k³/4 hosts on 5k²/4 switches).
.. [2] NVIDIA, "DGX SuperPOD: Reference Architecture", B200, table "Larger SuperPOD component
   counts" (two and three tiers, eight rails, 64 ports).
.. [3] Kim, Dally, Scott and Abts 2008, "Technology-Driven, Highly-Scalable Dragonfly Topology",
   ISCA (balanced: a = 2p = 2h, N = a·p·(a·h + 1)).
"""

from __future__ import annotations

import numpy as np

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "crossing_share_in_order",
    "crossing_share_shuffled",
    "dragonfly_capacity",
    "dragonfly_global_cables",
    "dragonfly_groups",
    "dragonfly_local_cables",
    "dragonfly_switches",
    "fat_tree_cables",
    "fat_tree_capacity",
    "fat_tree_switches",
    "fat_tree_tier_switches",
    "fat_tree_tiers",
    "leaf_endpoints",
    "leaf_uplinks",
    "network_capex_usd",
    "network_watts",
    "oversubscribed_bandwidth",
    "per_accelerator",
    "transceivers",
]

ROUNDING = 1e-9  # What a quotient may be off a whole number and still count as it.


# Fat tree


@elementwise
def leaf_endpoints(radix: Real, oversubscription: Real = 1.0) -> Real:
    """Ports of a leaf switch that go to endpoints: ``k·o/(1+o)``, rounded down."""
    return np.floor(radix * oversubscription / (1.0 + oversubscription) + ROUNDING)


@elementwise
def leaf_uplinks(radix: Real, oversubscription: Real = 1.0) -> Real:
    """Ports of a leaf switch that go up: the fewest that keep to the oversubscription."""
    return np.ceil(leaf_endpoints(radix, oversubscription) / oversubscription - ROUNDING)


@elementwise
def fat_tree_capacity(
    radix: Real, tiers: Real, oversubscription: Real = 1.0, rails: Real = 1.0
) -> Real:
    """Most endpoints of a fat tree: k on one switch, k²/2 in two tiers, k³/4 in three [1]_."""
    leaves = np.where(tiers == 2.0, radix, radix * np.floor(radix / 2.0))
    in_rails = np.floor(leaves / rails) * rails * leaf_endpoints(radix, oversubscription)
    return np.where(tiers == 1.0, radix, in_rails)


@elementwise
def fat_tree_tiers(
    endpoints: Real, radix: Real, oversubscription: Real = 1.0, rails: Real = 1.0
) -> Real:
    """Fewest tiers that have room for the endpoints: 1, 2 or 3; inf where three have not."""
    tiers: Real = np.asarray(np.inf)
    for number in (3.0, 2.0, 1.0):
        room = fat_tree_capacity(radix, number, oversubscription, rails)
        tiers = np.where(endpoints <= room, number, tiers)
    return tiers


def _fat_tree(
    endpoints: Real, radix: Real, tiers: Real, oversubscription: Real, rails: Real
) -> tuple[Real, Real, Real]:
    """Leaf, spine and core switches."""
    uplinks = leaf_uplinks(radix, oversubscription)
    down = leaf_endpoints(radix, oversubscription)
    leaves = rails * np.ceil(np.ceil(endpoints / rails) / down)

    # Two tiers: as many links from each leaf to each spine switch as its ports allow.
    links = np.maximum(np.floor(radix / leaves), 1.0)
    spines = np.ceil(uplinks / links)

    # Three: pods of up to k/2 leaves, their spine switches half down and half up; the n-th spine
    # switches of all pods share a plane of core switches.
    half = np.floor(radix / 2.0)
    pods = np.ceil(leaves / half)
    leaves_in_pod = np.ceil(leaves / pods)
    pod_links = np.floor(half / leaves_in_pod)
    spines_in_pod = np.ceil(uplinks / pod_links)
    core_links = np.maximum(np.floor(radix / pods), 1.0)
    cores_in_plane = np.ceil(leaves_in_pod * pod_links / core_links)

    one, three = tiers == 1.0, tiers == 3.0
    fits = endpoints <= fat_tree_capacity(radix, tiers, oversubscription, rails)
    counts = (
        np.where(one, 1.0, leaves),
        np.where(one, 0.0, np.where(three, pods * spines_in_pod, spines)),
        np.where(three, spines_in_pod * cores_in_plane, 0.0),
    )
    leaf, spine, core = (np.where(fits, count, np.inf) for count in counts)
    return leaf, spine, core


@elementwise
def fat_tree_switches(
    endpoints: Real, radix: Real, tiers: Real = 2.0, oversubscription: Real = 1.0, rails: Real = 1.0
) -> Real:
    """Switches of all tiers: 5k²/4 for a full tree of three [1]_.

    Parameters
    ----------
    endpoints
        Adapter ports to connect, at least 1.
    radix
        Ports of a switch.
    tiers
        1 (one switch), 2 (leaf, spine) or 3 (leaf, spine, core); `fat_tree_tiers` gives the fewest.
    oversubscription
        Bandwidth of a leaf's endpoints over that of its uplinks; above the leaves nothing blocks.
    rails
        Rails, each with leaf switches of its own: accelerators of a server.

    Examples
    --------
    >>> fat_tree_switches(4096, 64, tiers=3, rails=8)
    320.0
    """
    leaf, spine, core = _fat_tree(endpoints, radix, tiers, oversubscription, rails)
    return leaf + spine + core


@elementwise
def fat_tree_tier_switches(
    tier: Real,
    endpoints: Real,
    radix: Real,
    tiers: Real = 2.0,
    oversubscription: Real = 1.0,
    rails: Real = 1.0,
) -> Real:
    """Switches of one tier: 1 the leaves, 2 the spine, 3 the core; else as `fat_tree_switches`."""
    leaf, spine, core = _fat_tree(endpoints, radix, tiers, oversubscription, rails)
    return np.where(tier == 1.0, leaf, np.where(tier == 2.0, spine, core))


@elementwise
def fat_tree_cables(
    endpoints: Real, radix: Real, tiers: Real = 2.0, oversubscription: Real = 1.0, rails: Real = 1.0
) -> Real:
    """Cables between switches: every leaf's uplinks, once for each tier above [2]_.

    Those from endpoints to leaves, one each, come on top. Arguments as in `fat_tree_switches`.
    """
    leaf = _fat_tree(endpoints, radix, tiers, oversubscription, rails)[0]
    up = leaf_uplinks(radix, oversubscription) * (tiers - 1.0)
    return leaf * np.where(np.isinf(leaf), 1.0, up)


# Dragonfly: p endpoints, a − 1 local and h global links a switch, a = 2p = 2h, so k = 4p − 1


def _endpoints_per_switch(radix: Real) -> Real:
    return np.floor((radix + 1.0) / 4.0)


@elementwise
def dragonfly_capacity(radix: Real) -> Real:
    """Most endpoints of a balanced dragonfly: ``a·p·(a·h+1) = 2p²·(2p²+1)`` [3]_."""
    in_group = 2.0 * _endpoints_per_switch(radix) ** 2.0
    return in_group * (in_group + 1.0)


@elementwise
def dragonfly_groups(endpoints: Real, radix: Real) -> Real:
    """Groups of ``a = 2p`` switches and 2p² endpoints, begun ones counted whole [3]_."""
    in_group = 2.0 * _endpoints_per_switch(radix) ** 2.0
    return np.where(endpoints <= dragonfly_capacity(radix), np.ceil(endpoints / in_group), np.inf)


@elementwise
def dragonfly_switches(endpoints: Real, radix: Real) -> Real:
    """Switches of a balanced dragonfly, of whose ports ``4p − 1`` are used [3]_."""
    return dragonfly_groups(endpoints, radix) * 2.0 * _endpoints_per_switch(radix)


@elementwise
def dragonfly_local_cables(endpoints: Real, radix: Real) -> Real:
    """Cables within groups, short enough for copper: all pairs of a group's switches [3]_."""
    in_group = 2.0 * _endpoints_per_switch(radix)
    return dragonfly_groups(endpoints, radix) * in_group * (in_group - 1.0) / 2.0


@elementwise
def dragonfly_global_cables(endpoints: Real, radix: Real) -> Real:
    """Cables between groups, optical: as many between any two as their 2p² ports allow [3]_."""
    groups = dragonfly_groups(endpoints, radix)
    others = np.where(np.isinf(groups), 1.0, np.maximum(groups - 1.0, 1.0))
    each = np.floor(2.0 * _endpoints_per_switch(radix) ** 2.0 / others)
    return groups * np.maximum(groups - 1.0, 0.0) / 2.0 * each


# Cost and power


@elementwise
def transceivers(
    endpoint_cables: Real,
    switch_cables: Real,
    optical_endpoint_share: Real = 1.0,
    optical_switch_share: Real = 1.0,
) -> Real:
    """Optical transceivers, one at each end of an optical cable; copper needs none.

    Counted by ports: a twin-port transceiver serves two and is counted twice, at half its price.
    The shares are those of the cables that are optical, to endpoints and between switches.
    """
    return 2.0 * (endpoint_cables * optical_endpoint_share + switch_cables * optical_switch_share)


@elementwise
def network_capex_usd(
    switches: Real,
    switch_usd: Real,
    transceivers: Real,
    transceiver_usd: Real,
    cables: Real,
    cable_usd: Real,
    adapters: Real = 0.0,
    adapter_usd: Real = 0.0,
) -> Real:
    """Cost of the fabric, USD; adapters are 0 where the price of a server contains them."""
    optics = transceivers * transceiver_usd + cables * cable_usd
    return switches * switch_usd + optics + adapters * adapter_usd


@elementwise
def network_watts(
    switches: Real,
    switch_watts: Real,
    transceivers: Real,
    transceiver_watts: Real,
    adapters: Real = 0.0,
    adapter_watts: Real = 0.0,
) -> Real:
    """Draw of the fabric, W: switches without their optics, transceivers, adapters."""
    return switches * switch_watts + transceivers * transceiver_watts + adapters * adapter_watts


@elementwise
def per_accelerator(amount: Real, accelerators: Real) -> Real:
    """Switches, USD or watts of the fabric an accelerator."""
    return amount / accelerators


# Oversubscription


@elementwise
def crossing_share_in_order(endpoints: Real, leaf_endpoints: Real) -> Real:
    """Share of a ring's hops that leave a leaf when ranks follow the wiring: ``1/d``."""
    return np.where(endpoints > leaf_endpoints, 1.0 / leaf_endpoints, 0.0)


@elementwise
def crossing_share_shuffled(endpoints: Real, leaf_endpoints: Real) -> Real:
    """Share of a ring's hops that leave a leaf when ranks are placed at random: ``(n−d)/(n−1)``."""
    others = np.maximum(endpoints - 1.0, 1.0)
    return np.maximum(endpoints - leaf_endpoints, 0.0) / others


@elementwise
def oversubscribed_bandwidth(
    bandwidth: Real, oversubscription: Real, crossing_share: Real = 1.0
) -> Real:
    """Bandwidth an endpoint has for an all-reduce: ``B / max(1, o·x)``.

    The uplinks of a leaf carry ``1/o`` of what its endpoints send, and a share x of that must pass
    them, 1 at worst and `crossing_share_in_order` at best; a ring goes at the pace of its slowest
    hop. In the unit of ``bandwidth``, which is one endpoint's.
    """
    return bandwidth / np.maximum(oversubscription * crossing_share, 1.0)

"""What is bought: accelerators, hosts, network and storage of a cluster, and its building.

Network and storage are a share of the cluster's CapEx, a sum, or counted piece by piece.
"""

from __future__ import annotations

from xl_tco.core import capital, network, power, storage
from xl_tco.core._arrays import Real
from xl_tco.model.values import Numbers, Outputs, any_given, either

__all__ = ["CAPEX", "capacity", "fabric", "purchase"]

CAPEX = ("accelerators", "hosts", "network", "storage", "cluster", "facility")


def fabric(value: Numbers, topology: str) -> Outputs:
    """Count the network of a cluster: its metrics, and ``network_price_usd`` as counted."""
    ends = (value["accelerators"] + value["hot_spares"]) * value["network_ports"]
    radix = value["switch_radix"]
    if topology == "fat-tree":
        shape = (value["oversubscription"], value["network_rails"])
        tiers = network.fat_tree_tiers(ends, radix, *shape)
        switches = network.fat_tree_switches(ends, radix, tiers, *shape)
        between = network.fat_tree_cables(ends, radix, tiers, *shape)
        optical = between
    else:
        switches = network.dragonfly_switches(ends, radix)
        optical = network.dragonfly_global_cables(ends, radix)
        between = optical + network.dragonfly_local_cables(ends, radix)
    transceivers = network.transceivers(ends, optical)
    return {
        "network_switches": switches,
        "network_transceivers": transceivers,
        "network_cables": ends + between,
        "network_kw": network.network_watts(
            switches, value["switch_watts"], transceivers, value["transceiver_watts"]
        )
        / power.WATTS_PER_KILOWATT,
        "network_price_usd": network.network_capex_usd(
            switches,
            value["switch_usd"],
            transceivers,
            value["transceiver_usd"],
            ends + between,
            value["cable_usd"],
            ends,
            value["adapter_usd"],
        ),
    }


def capacity(value: Numbers) -> Outputs:
    """Size the storage of a run: ``storage_tb``, and ``storage_price_usd`` as sized."""
    dataset = storage.dataset_terabytes(value["tokens"], value["epochs"], value["token_bytes"])
    checkpoints = storage.checkpoint_terabytes(
        either(value["parameters_total"], value["parameters"]),
        value["weight_bytes"] + value["optimizer_bytes"],
        value["checkpoints_kept"],
    )
    terabytes = dataset + checkpoints
    bandwidth = value["accelerators"] * value["storage_gb_per_s"]
    return {
        "storage_tb": terabytes,
        "storage_price_usd": storage.storage_capex_usd(
            terabytes, value["storage_usd_per_tb"], bandwidth, value["storage_usd_per_gb_per_s"]
        ),
    }


def purchase(value: Numbers, it_kw: Real, own: bool) -> Outputs:
    """Purchase prices, ``<what>_capex_usd``; a rented cluster buys nothing.

    ``network_price_usd`` and ``storage_price_usd`` are sums, given or counted, or missing.
    """
    if not own:
        return {f"{name}_capex_usd": 0.0 for name in CAPEX}
    fleet = value["accelerators"] + value["hot_spares"]
    accelerators = fleet * value["accelerator_price_usd"]
    hosts = fleet * value["host_price_usd_per_accelerator"]
    sums = {name: value[f"{name}_price_usd"] for name in ("network", "storage")}
    shares = {
        name: either(value[f"{name}_share"], 0.0) if any_given(usd) else value[f"{name}_share"]
        for name, usd in sums.items()
    }
    servers = accelerators + hosts + sum(either(usd, 0.0) for usd in sums.values())
    cluster = capital.cluster_capex_usd(servers, shares["network"], shares["storage"])
    bought = {name: either(usd, cluster * shares[name]) for name, usd in sums.items()}
    prices = (
        accelerators,
        hosts,
        bought["network"],
        bought["storage"],
        cluster,
        capital.facility_capex_usd(value["facility_usd_per_kw"], it_kw),
    )
    return {f"{name}_capex_usd": price for name, price in zip(CAPEX, prices, strict=True)}

"""What the machines and the building cost, and how much of that a run is charged.

References
----------
.. [1] Cottier et al. 2024, "The rising costs of training frontier AI models", arXiv:2405.21015
   (amortised hardware CapEx of a run).
.. [2] Barroso, Hölzle and Ranganathan 2018, "The Datacenter as a Computer", 3rd ed., chapter 6
   (facility CapEx in USD a watt, with a life of its own).
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise

__all__ = [
    "HOURS_PER_YEAR",
    "amortization_usd",
    "cluster_capex_usd",
    "facility_capex_usd",
    "rental_usd",
]

HOURS_PER_YEAR = 8760.0


@elementwise
def cluster_capex_usd(servers_usd: Real, network_share: Real, storage_share: Real) -> Real:
    """CapEx of a cluster of which network and storage are given shares: ``S/(1−n−s)``.

    Parameters
    ----------
    servers_usd
        Accelerators and hosts, USD.
    network_share, storage_share
        Shares of the *cluster's* CapEx, together below 1.

    Returns
    -------
    USD. The network is ``network_share`` of it, the storage ``storage_share``.
    """
    return servers_usd / (1.0 - network_share - storage_share)


@elementwise
def facility_capex_usd(facility_usd_per_kw: Real, it_kilowatts: Real) -> Real:
    """CapEx of building, power distribution and cooling plant for an IT nameplate load [2]_."""
    return facility_usd_per_kw * it_kilowatts


@elementwise
def amortization_usd(
    capex_usd: Real,
    hours: Real,
    depreciation_years: Real,
    utilization: Real = 1.0,
    residual_share: Real = 0.0,
) -> Real:
    """Straight-line depreciation charged to ``hours`` of use [1]_.

    Parameters
    ----------
    capex_usd
        Purchase price.
    hours
        Hours that the run occupies the asset.
    depreciation_years
        Life over which the price is written off, years of 8,760 hours.
    utilization
        Share of a year's hours in which the asset does useful work: idle hours are paid by the
        others.
    residual_share
        Share of the price recovered at the end of the life.

    Returns
    -------
    USD.
    """
    useful_hours = depreciation_years * HOURS_PER_YEAR * utilization
    return capex_usd * (1.0 - residual_share) / useful_hours * hours


@elementwise
def rental_usd(
    accelerators: Real,
    hours: Real,
    usd_per_accelerator_hour: Real,
    reservation_discount: Real = 0.0,
) -> Real:
    """Rent of accelerators by the hour, less the discount of a reservation, USD."""
    return hours * accelerators * usd_per_accelerator_hour * (1.0 - reservation_discount)

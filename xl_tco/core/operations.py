"""What running the cluster costs beside electricity: people, licences, storage, upkeep.

Yearly prices are charged by the hour over a year of 8,760 hours.
"""

from __future__ import annotations

from xl_tco.core._arrays import Real, elementwise
from xl_tco.core.capital import HOURS_PER_YEAR

__all__ = [
    "facility_operation_usd",
    "software_usd",
    "staff_usd",
    "storage_service_usd",
    "upkeep_usd",
]


@elementwise
def staff_usd(staff_fte: Real, staff_usd_per_fte_year: Real, hours: Real) -> Real:
    """Pay and overhead of ``staff_fte`` full-time equivalents for ``hours``, USD."""
    return staff_fte * staff_usd_per_fte_year / HOURS_PER_YEAR * hours


@elementwise
def software_usd(accelerators: Real, software_usd_per_accelerator_year: Real, hours: Real) -> Real:
    """Licences and support priced by accelerator and year, USD."""
    return accelerators * software_usd_per_accelerator_year / HOURS_PER_YEAR * hours


@elementwise
def storage_service_usd(storage_usd_per_hour: Real, hours: Real) -> Real:
    """Storage that is billed by the hour, beside any that was bought, USD."""
    return storage_usd_per_hour * hours


@elementwise
def facility_operation_usd(
    facility_om_usd_per_kw_year: Real, it_kilowatts: Real, hours: Real
) -> Real:
    """Operation and maintenance of the facility by IT nameplate load, USD."""
    return facility_om_usd_per_kw_year * it_kilowatts / HOURS_PER_YEAR * hours


@elementwise
def upkeep_usd(capex_usd: Real, upkeep_share: Real, hours: Real) -> Real:
    """Support and spare parts at a share of the purchase price a year, USD."""
    return capex_usd * upkeep_share / HOURS_PER_YEAR * hours

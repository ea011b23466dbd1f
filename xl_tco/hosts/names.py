"""The names that a workbook's file has for our functions: Excel's own, or another host's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xl_tco.hosts import office_js
from xl_tco.hosts.libreoffice import naming

__all__ = ["EXCEL", "HOSTS", "host_of", "named_for", "plain"]

EXCEL, OFFICE_JS, LIBREOFFICE = "excel", "office-js", "libreoffice"

HOSTS: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = MappingProxyType(
    {
        OFFICE_JS: (office_js.office_js_names, office_js.plain_names),
        LIBREOFFICE: (naming.programmatic_names, naming.plain_names),
    }
)
"""How the names of a host other than Excel are given, and taken back."""


def host_of(package: bytes) -> str:
    """Say whose names the formulas of a workbook have."""
    from xl_tco.workbook.package.archive import PackageError, read_entries

    try:
        entries = read_entries(package)
    except PackageError:  # what is no workbook, whoever reads it says
        return EXCEL
    sheets = (
        content.lower() for name, content in entries.items() if name.startswith("xl/worksheets/")
    )
    marks = {
        OFFICE_JS: f"{office_js.PREFIX}TCO_".lower().encode(),
        LIBREOFFICE: f"{naming.IMPLEMENTATION}.tco".lower().encode(),
    }
    for content in sheets:
        for host, mark in marks.items():
            if mark in content:
                return host
    return EXCEL


def named_for(package: bytes, host: str) -> bytes:
    """Return a workbook of plain names with those of a host."""
    return package if host == EXCEL else HOSTS[host][0](package)


def plain(package: bytes, host: str) -> bytes:
    """Return a workbook of a host's names with plain ones."""
    return package if host == EXCEL else HOSTS[host][1](package)

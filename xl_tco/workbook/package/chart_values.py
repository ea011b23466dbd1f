"""The values that a chart carries of the cells it draws.

A chart refers to cells, and keeps a copy of what they hold for whoever shows it without
calculating: a viewer, a mail preview, a converter. This module renews the copies; it knows the XML
of charts and of cells, not what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from xl_tco.workbook.package.cells import IS, MAIN, Area, V, position
from xl_tco.workbook.package.parts import Parts

__all__ = ["renew"]

_CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
_REFERENCE = re.compile(r"(?:'((?:[^']|'')+)'|([^'!]+))!([$A-Z0-9:]+)")
_KINDS = {f"{{{_CHART}}}numRef": "numCache", f"{{{_CHART}}}strRef": "strCache"}


def renew(parts: Parts, sheets: Mapping[str, str], workbook: str) -> None:
    """Copy the values of cells into the charts that draw them.

    Parameters
    ----------
    parts
        The package, its cells calculated.
    sheets
        Part of each sheet, by name.
    workbook
        Part of the workbook.
    """
    charts = parts.of_type(_CHART_TYPE)
    if not charts:
        return
    book = _Values(parts, sheets, workbook)
    for part in charts:
        for reference in parts.root(part).iter(*_KINDS):
            values = book.read(reference.findtext(f"{{{_CHART}}}f") or "")
            if values is not None and _renew(reference, values):
                parts.touch(part)


def _renew(reference: Any, values: list[str | None]) -> bool:
    """Put the values into one reference's cache; whether that changed it."""
    name = f"{{{_CHART}}}{_KINDS[reference.tag]}"
    old = reference.find(name)
    cache = etree.Element(name)
    code = old.find(f"{{{_CHART}}}formatCode") if old is not None else None
    if name.endswith("numCache"):
        values = [value if _is_number(value) else None for value in values]
        text = "General" if code is None else code.text
        etree.SubElement(cache, f"{{{_CHART}}}formatCode").text = text
    etree.SubElement(cache, f"{{{_CHART}}}ptCount", val=str(len(values)))
    for index, value in enumerate(values):
        if value is not None:
            point = etree.SubElement(cache, f"{{{_CHART}}}pt", idx=str(index))
            etree.SubElement(point, f"{{{_CHART}}}v").text = value
    if old is not None and list(old.itertext()) == list(cache.itertext()):
        return False
    if old is None:
        reference.find(f"{{{_CHART}}}f").addnext(cache)
    else:
        reference.replace(old, cache)
    return True


def _is_number(value: str | None) -> bool:
    try:
        float(value or "")
    except ValueError:
        return False
    return True


class _Values:
    """What cells hold, as text."""

    def __init__(self, parts: Parts, sheets: Mapping[str, str], workbook: str) -> None:
        self._parts = parts
        self._sheets = sheets
        self._cells: dict[str, dict[tuple[int, int], Any]] = {}
        strings = parts.related(workbook, "sharedStrings")
        self._strings = list(_texts(parts.root(strings))) if strings else []

    def read(self, formula: str) -> list[str | None] | None:
        """Return the values of a range, row by row; None for what is no range of this workbook."""
        match = _REFERENCE.fullmatch(formula)
        if match is None:
            return None
        name = match[1].replace("''", "'") if match[1] else match[2]
        if name not in self._sheets:
            return None
        cells = self._sheet(name)
        area = Area.parse(match[3].replace("$", ""))
        return [self._text(cells.get(place)) for place in area.positions()]

    def _sheet(self, name: str) -> dict[tuple[int, int], Any]:
        if name not in self._cells:
            root = self._parts.root(self._sheets[name])
            self._cells[name] = {position(c.get("r")): c for c in root.iter(f"{{{MAIN}}}c")}
        return self._cells[name]

    def _text(self, cell: Any) -> str | None:
        if cell is None:
            return None
        if cell.get("t") == "inlineStr":
            return "".join(cell.find(IS).itertext())
        value = cell.findtext(V)
        if value is None or cell.get("t") == "e":
            return None
        return self._strings[int(value)] if cell.get("t") == "s" else value


def _texts(root: Any) -> Iterator[str]:
    for item in root.iterchildren(f"{{{MAIN}}}si"):
        yield "".join(text.text or "" for text in item.iter(f"{{{MAIN}}}t"))

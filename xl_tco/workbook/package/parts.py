"""The parts of an open package: which there are, how they refer to each other, which changed.

Knows content types and relationships; nothing of workbooks and sheets.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from xl_tco.workbook.package.archive import (
    CONTENT_TYPES,
    PackageError,
    parse_xml,
    read_entries,
    to_xml,
    write_entries,
)

__all__ = ["Parts", "Relation"]

_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"


class Relation(NamedTuple):
    """What one part refers to."""

    id: str
    type: str
    target: str


class Parts:
    """The parts of a package; parsed when first asked for, written anew only when changed.

    Parameters
    ----------
    data
        Content of the file.
    """

    def __init__(self, data: bytes) -> None:
        self._entries = read_entries(data)
        self._roots: dict[str, Any] = {}
        self._touched: set[str] = set()

    def __contains__(self, part: object) -> bool:
        return part in self._entries

    def root(self, part: str) -> Any:
        """Root of the part's XML; say `touch` after a change to it."""
        if part not in self._roots:
            if part not in self._entries:
                raise PackageError(f"the package lacks its part {part}")
            self._roots[part] = parse_xml(self._entries[part], part)
        return self._roots[part]

    def touch(self, part: str) -> None:
        """Have the part written from its XML, which was changed."""
        self._touched.add(part)

    def relations(self, part: str) -> Iterator[Relation]:
        """What a part refers to within the package; the package itself for ``""``."""
        rels = _rels(part)
        if rels not in self._entries:
            return
        for element in self.root(rels).iterchildren(f"{{{_RELATIONSHIPS}}}Relationship"):
            if element.get("TargetMode") != "External":
                path = posixpath.join("/", posixpath.dirname(part), element.get("Target", ""))
                target = posixpath.normpath(path).lstrip("/")
                yield Relation(element.get("Id", ""), element.get("Type", ""), target)

    def related(self, part: str, kind: str) -> str | None:
        """The part to which this one has a relation of that kind, the last word of its type."""
        targets = (to for _, type_, to in self.relations(part) if type_.endswith(f"/{kind}"))
        return next(targets, None)

    def of_type(self, content_type: str) -> list[str]:
        """The parts of that content type."""
        overrides = self.root(CONTENT_TYPES).iterchildren(f"{{{_TYPES}}}Override")
        names = [o.get("PartName", "") for o in overrides if o.get("ContentType") == content_type]
        return [name.lstrip("/") for name in names if name.lstrip("/") in self._entries]

    def add(self, part: str, content: bytes, content_type: str, owner: str, relation: str) -> None:
        """Add a part beside its owner, which refers to it by that type of relation."""
        self._entries[part] = content
        types, rels = self.root(CONTENT_TYPES), self.root(_rels(owner))
        etree.SubElement(
            types, f"{{{_TYPES}}}Override", PartName=f"/{part}", ContentType=content_type
        )
        taken = {element.get("Id") for element in rels}
        etree.SubElement(
            rels,
            f"{{{_RELATIONSHIPS}}}Relationship",
            Id=next(name for n in range(1, len(taken) + 2) if (name := f"rId{n}") not in taken),
            Type=relation,
            Target=posixpath.basename(part),
        )
        self._touched |= {CONTENT_TYPES, _rels(owner)}

    def to_bytes(self, *, level: int) -> bytes:
        """The package as a file, compressed with that effort (0 to 9)."""
        changed = {part: to_xml(self._roots[part]) for part in self._touched}
        return write_entries(self._entries | changed, level=level)


def _rels(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")

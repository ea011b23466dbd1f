"""The part ``xl/metadata.xml``, by which Excel knows a dynamic array from an old array formula.

Without the mark, Excel shows ``{=…}`` and an array never grows. Knows that one part only.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from xl_tco.workbook.package.cells import MAIN

__all__ = ["EMPTY", "dynamic_array_index"]

_NAME = "XLDAPR"
_PROPERTIES = "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"
_URI = "{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"
# How the mark behaves when its cell is copied, cleared and so on: what Excel itself writes.
_BEHAVIOUR = [
    "copy",
    "pasteAll",
    "pasteValues",
    "merge",
    "splitFirst",
    "rowColShift",
    "clearFormats",
    "clearComments",
    "assign",
    "coerce",
    "cellMeta",
]
# Children of <metadata> as its schema orders them.
_ORDER = [
    "metadataTypes",
    "metadataStrings",
    "mdxMetadata",
    "futureMetadata",
    "cellMetadata",
    "valueMetadata",
    "extLst",
]

EMPTY = f'<metadata xmlns="{MAIN}" xmlns:xda="{_PROPERTIES}"/>'.encode()
"""A metadata part with nothing in it yet."""


def _main(tag: str) -> str:
    return f"{{{MAIN}}}{tag}"


def dynamic_array_index(root: Any) -> tuple[int, bool]:
    """The number for ``cm="…"`` of a dynamic array's cell, and whether it had to be added.

    Parameters
    ----------
    root
        The ``<metadata>`` element, which gains the entries it lacks.
    """
    types = _section(root, "metadataTypes")
    names = [entry.get("name") for entry in types]
    blocks = _section(root, "cellMetadata")
    if _NAME in names:
        kind = str(names.index(_NAME) + 1)
        for number, block in enumerate(blocks, start=1):
            if any(record.get("t") == kind for record in block):
                return number, False
    else:
        behaviour = dict.fromkeys(_BEHAVIOUR, "1")
        etree.SubElement(
            types, _main("metadataType"), name=_NAME, minSupportedVersion="120000", **behaviour
        )
        kind = str(len(types))
        _add_properties(root)
    block = etree.SubElement(blocks, _main("bk"))
    etree.SubElement(block, _main("rc"), t=kind, v="0")
    for section in (types, blocks):
        section.set("count", str(len(section)))
    return len(blocks), True


def _add_properties(root: Any) -> None:
    future = etree.Element(_main("futureMetadata"), name=_NAME, count="1")
    _insert(root, future)
    extensions = etree.SubElement(etree.SubElement(future, _main("bk")), _main("extLst"))
    extension = etree.SubElement(extensions, _main("ext"), uri=_URI)
    properties = f"{{{_PROPERTIES}}}dynamicArrayProperties"
    etree.SubElement(
        extension, properties, nsmap={"xda": _PROPERTIES}, fDynamic="1", fCollapsed="0"
    )


def _section(root: Any, tag: str) -> Any:
    section = root.find(_main(tag))
    if section is None:
        section = etree.Element(_main(tag))
        _insert(root, section)
    return section


def _insert(root: Any, element: Any) -> None:
    """Put the element where the schema wants it: after its like and all that come before."""
    rank = _ORDER.index(etree.QName(element).localname)
    ranks = (_ORDER.index(etree.QName(child).localname) for child in root)
    root.insert(sum(other <= rank for other in ranks), element)

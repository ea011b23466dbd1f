"""The zip container of a workbook: read with limits, written the same way every time.

Knows zip entries and safe XML parsing; nothing of sheets, cells or what an entry means.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from xl_tco.errors import WorkbookError

__all__ = ["CONTENT_TYPES", "PackageError", "parse_xml", "read_entries", "to_xml", "write_entries"]

CONTENT_TYPES = "[Content_Types].xml"
_FIRST = (CONTENT_TYPES, "_rels/.rels")

# Far above any real workbook, and low enough that a zip bomb costs seconds and not the machine.
MAX_ENTRIES = 20_000
MAX_EXPANDED_BYTES = 512 * 2**20

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1


class PackageError(WorkbookError, ValueError):
    """Bytes that are no .xlsx package, or one that is not safe to read."""


def read_entries(data: bytes) -> dict[str, bytes]:
    """Name and content of every file in the package.

    Raises
    ------
    PackageError
        No zip, truncated, encrypted, or larger than any workbook should be.
    """
    if data.startswith(_OLE):
        raise PackageError(
            "an old .xls or a password-protected workbook: save it as .xlsx without a password"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = dict(_contents(archive))
    # The zip reader reports damage in as many ways as a file can be damaged.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, PackageError):
            raise
        raise PackageError(f"not an .xlsx workbook, or a damaged one ({error})") from error
    return entries


def _contents(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    # A reader never yields more than the size declared, so the declared sizes are the bound.
    if len(infos) > MAX_ENTRIES or sum(info.file_size for info in infos) > MAX_EXPANDED_BYTES:
        raise PackageError("the package unpacks to more than any workbook should hold")
    if len({info.filename for info in infos}) < len(infos):
        raise PackageError("the package holds two files of the same name")
    for info in infos:
        if info.flag_bits & _ENCRYPTED:
            raise PackageError("the package is encrypted: save it without a password")
        yield info.filename, archive.read(info)


def write_entries(entries: Mapping[str, bytes], *, level: int = 6) -> bytes:
    """A zip that depends on the entries alone: fixed order, times and attributes.

    Parameters
    ----------
    entries
        Content by name.
    level
        Effort of compression, 0 (none) to 9. The bytes of one level are the same on every run,
        but another build of zlib may compress differently.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name in sorted(entries, key=lambda name: (_rank(name), name)):
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED if level else zipfile.ZIP_STORED
            info.create_system = 0
            info.external_attr = 0
            archive.writestr(info, entries[name], compresslevel=level)
    return buffer.getvalue()


def _rank(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def parse_xml(content: bytes, name: str) -> Any:
    """Root element of an XML part, with no entity expanded and nothing fetched.

    Raises
    ------
    PackageError
        Malformed XML, or any with a document type, which no workbook has.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,  # nothing is found by its id, and a table of them takes time
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise PackageError(f"{name} is not well-formed XML ({error})") from error
    if root.getroottree().docinfo.doctype:
        raise PackageError(f"{name} declares a document type, which no workbook needs")
    return root


def to_xml(root: Any) -> bytes:
    """Bytes of a part as Office writes them: UTF-8, with its declaration."""
    content: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return content

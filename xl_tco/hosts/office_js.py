"""Workbooks for Office.js hosts (xlwings Lite, xlwings Server): how their formulas name functions.

Excel shows ``=TCO_FLOPS(…)`` for a function of VBA and for one of an Office.js add-in alike, but
stores the second as ``_xldudf_TCO_FLOPS(…)``, and finds none of an add-in under the bare name.
Where the add-in has a namespace, ``=XLWINGS.TCO_FLOPS(…)`` is stored ``_xldudf_XLWINGS_TCO_FLOPS``.

Only calls are renamed: not texts, names of sheets or columns of tables that look like one. Nothing
else in the package changes, the values beside the formulas included.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from xl_tco.functions import FUNCTIONS

__all__ = ["PREFIX", "office_js_names", "plain_names"]

PREFIX = "_xldudf_"
"""Which Excel puts before the stored name of an add-in's function."""

_PARTS = re.compile(r"xl/(workbook\.xml|(worksheets|tables|charts)/[^/]+\.xml)", re.IGNORECASE)

# Elements that hold formulas: of cells and charts, conditional formats, validation, names, tables.
_FORMULA = re.compile(
    r"(<((?:\w+:)?(?:f|formula|formula1|formula2|definedName|calculatedColumnFormula"
    r'|totalsRowFormula))(?:\s(?:[^<>"\']|"[^"]*"|\'[^\']*\')*)?(?<!/)>)([^<]*)(?=</\2\s*>)'
)

_QUOTE = '"|&quot;|&#34;|&#x22;'
_APOSTROPHE = "'|&apos;|&#39;|&#x27;"
_NAME = "|".join(sorted(FUNCTIONS, key=len, reverse=True))


def office_js_names(package: bytes, namespace: str = "") -> bytes:
    """Rename the calls of our functions to what an Office.js host stores.

    Parameters
    ----------
    package
        Content of an .xlsx or .xlsm file.
    namespace
        That of the add-in, if it has one: what stands before the dot in a cell.

    Raises
    ------
    PackageError
        No workbook, or a damaged one.
    """
    prefix = PREFIX + (namespace.replace(".", "_") + "_" if namespace else "")
    return _renamed(package, _calls(""), lambda name: prefix + name)


def plain_names(package: bytes, namespace: str = "") -> bytes:
    """Undo `office_js_names`: back to the names of VBA, formualizer and LibreOffice."""
    prefix = PREFIX + (namespace.replace(".", "_") + "_" if namespace else "")
    return _renamed(package, _calls(prefix), lambda name: name[len(prefix) :])


def _renamed(package: bytes, calls: re.Pattern[str], rename: Callable[[str], str]) -> bytes:
    from xl_tco.workbook.package.archive import PackageError, read_entries, write_entries

    def call(match: re.Match[str]) -> str:
        return rename(match[0]) if match["call"] else match[0]

    def formula(match: re.Match[str]) -> str:
        return match[1] + calls.sub(call, match[3])

    entries = read_entries(package)
    for name, content in entries.items():
        if _PARTS.fullmatch(name):
            try:
                text = content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise PackageError(f"{name} is not UTF-8, as Office writes it") from error
            entries[name] = _FORMULA.sub(formula, text).encode("utf-8")
    return write_entries(entries)


def _calls(prefix: str) -> re.Pattern[str]:
    """Match what must be passed over (texts, names of sheets, columns), and the calls."""
    return re.compile(
        rf"(?:{_QUOTE})(?:(?!{_QUOTE}).)*(?:{_QUOTE})"
        rf"|(?:{_APOSTROPHE})(?:(?!{_APOSTROPHE}).)*(?:{_APOSTROPHE})"
        r"|\[(?:(?:'|&apos;).|[^\[\]])*\]"
        rf"|(?<![\w.!\\])(?P<call>{re.escape(prefix)}(?:{_NAME}))(?=\s*\()",
        re.DOTALL | re.IGNORECASE,
    )

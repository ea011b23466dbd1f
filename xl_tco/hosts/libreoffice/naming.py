"""What Calc calls our functions: the names typed, and the programmatic ones of older releases.

An add-in's function has a name of its service and method, such as
``XLTCO.FUNCTIONS.TCOFLOPS``, beside the name that is shown, ``TCO_FLOPS``. LibreOffice 7.4 knows
only the first when it opens an .xlsx; 25.2 knows both, and saves the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xl_tco.workbook.package.parts import Parts

__all__ = [
    "IMPLEMENTATION",
    "REASON",
    "TEXTS",
    "identifier",
    "plain_names",
    "programmatic_name",
    "programmatic_names",
]

IMPLEMENTATION = "xltco.Functions"
"""The UNO component, which is the first part of a programmatic name."""

REASON = "TCO_REASON"
"""A function that only Calc has: why the last call failed."""

TEXTS = frozenset({"TCO_BREAKEVEN", "TCO_REGION", "TCO_RUN", "TCO_SPEC", "TCO_VERSION"})
"""Functions whose value for single cells may be a text."""

_PREFIX = f"{IMPLEMENTATION.upper()}."
_FORMULA_TAGS = frozenset(
    {
        "f",
        "formula",
        "formula1",
        "formula2",
        "definedName",
        "calculatedColumnFormula",
        "totalsRowFormula",
    }
)
_MAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_CONTENT_TYPES = (
    f"{_MAIN}sheet.main+xml",
    f"{_MAIN}template.main+xml",
    "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    "application/vnd.ms-excel.template.macroEnabled.main+xml",
    f"{_MAIN}worksheet+xml",
    f"{_MAIN}table+xml",
)

# Texts, names of sheets and columns of tables are passed over; only what is called is a call.
_PASSED_OVER = r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|\[(?:'.|[^\[\]])*\]"


def identifier(name: str) -> str:
    """Return a name as UNO takes one, which allows no underscore: ``tcoFlops`` of ``TCO_FLOPS``."""
    first, *others = name.lower().split("_")
    return first + "".join(word.capitalize() for word in others)


def programmatic_name(name: str) -> str:
    """Return the name of a function that every release of LibreOffice knows in a file.

    Examples
    --------
    >>> programmatic_name("TCO_FLOPS")
    'XLTCO.FUNCTIONS.TCOFLOPS'
    """
    return _PREFIX + identifier(name).upper()


def programmatic_names(package: bytes) -> bytes:
    """Name our functions in a workbook's formulas as LibreOffice 7 needs it.

    Values, styles and all else stay; Excel does not know the names.

    Parameters
    ----------
    package
        Content of an .xlsx or .xlsm file.

    Raises
    ------
    PackageError
        No workbook, or a damaged one.
    """
    return _renamed(package, _names())


def plain_names(package: bytes) -> bytes:
    """Undo `programmatic_names`: the names that are typed."""
    return _renamed(package, {known: name for name, known in _names().items()})


def _names() -> dict[str, str]:
    from xl_tco.functions import FUNCTIONS

    return {name: programmatic_name(name) for name in (*FUNCTIONS, REASON)}


def _renamed(package: bytes, names: dict[str, str]) -> bytes:
    """Write the package anew, with calls of functions named otherwise."""
    from xl_tco.workbook.package.parts import Parts

    rename = _renamer(names)
    parts = Parts(package)
    for part in _formula_parts(parts):
        for element in parts.root(part).iter("{*}*"):
            if _local(element.tag) in _FORMULA_TAGS and element.text:
                text = rename(element.text)
                if text != element.text:
                    element.text = text
                    parts.touch(part)
    return parts.to_bytes(level=6)


def _formula_parts(parts: Parts) -> Iterator[str]:
    for content_type in _CONTENT_TYPES:
        yield from parts.of_type(content_type)


def _renamer(names: dict[str, str]) -> Callable[[str], str]:
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"{_PASSED_OVER}|(?<![\w.!\\])({known})(?=\s*\()", re.IGNORECASE)

    def renamed(match: re.Match[str]) -> str:
        return names[match[1].upper()] if match[1] else match[0]

    return lambda formula: pattern.sub(renamed, formula)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]

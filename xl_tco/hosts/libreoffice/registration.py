"""The functions as Calc lists them: names, help and arguments for its function wizard.

The file is configuration data of the schema ``org.openoffice.Office.CalcAddIns``. A function is
found by the name that is shown; its compatibility name is the one in files of Excel.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from xl_tco.functions import FUNCTIONS, Argument, Function
from xl_tco.hosts.libreoffice.naming import IMPLEMENTATION, REASON, identifier

__all__ = ["CATEGORY", "calc_add_ins"]

CATEGORY = "Add-In"
"""Calc has a fixed list of categories; a name of our own would come to this one too."""

_OOR = "http://openoffice.org/2001/registry"
_XML = "http://www.w3.org/XML/1998/namespace"
_REASON_HELP = (
    "Why the TCO_ function failed that was calculated last: =IFERROR(TCO_TOTAL(A1:B9);TCO_REASON())"
)


def calc_add_ins() -> bytes:
    """Describe every function, as the file ``CalcAddIns.xcu``."""
    ET.register_namespace("oor", _OOR)
    root = ET.Element(
        _oor("component-data"),
        {_oor("name"): "CalcAddIns", _oor("package"): "org.openoffice.Office"},
    )
    add_in = _node(_node(root, "AddInInfo", replace=False), IMPLEMENTATION)
    functions = _node(add_in, "AddInFunctions", replace=False)
    for function in FUNCTIONS.values():
        _add_function(functions, function)
    reason = Function(REASON, _REASON_HELP, "text", (), str)
    _add_function(functions, reason)
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    return content + b"\n"


def _add_function(parent: ET.Element, function: Function) -> None:
    node = _node(parent, identifier(function.name))
    _text(node, "DisplayName", function.name)
    _text(node, "Description", f"{function.help} ({function.unit})")
    _property(node, "Category").text = CATEGORY
    _text(node, "CompatibilityName", function.name)
    arguments = _node(node, "Parameters", replace=False)
    for argument in function.arguments:
        entry = _node(arguments, identifier(argument.name))
        _text(entry, "DisplayName", argument.name)
        _text(entry, "Description", _help(argument))


def _help(argument: Argument) -> str:
    """Say what an argument is, and if it is optional: Calc says so of every one of an add-in."""
    optional = "May be left out. " if argument.is_optional else ""
    return f"{optional}{argument.help} ({argument.unit})"


def _node(parent: ET.Element, name: str, *, replace: bool = True) -> ET.Element:
    """Add a node; one of a set, which the extension brings, is said to replace."""
    attributes = {_oor("name"): name} | ({_oor("op"): "replace"} if replace else {})
    return ET.SubElement(parent, "node", attributes)


def _property(parent: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(ET.SubElement(parent, "prop", {_oor("name"): name}), "value")


def _text(parent: ET.Element, name: str, text: str) -> None:
    """Add a text that could be translated; other languages fall back to it."""
    value = _property(parent, name)
    value.set(f"{{{_XML}}}lang", "en")
    value.text = text


def _oor(name: str) -> str:
    return f"{{{_OOR}}}{name}"

"""Help while a function is typed: the file that Excel-DNA's IntelliSense add-in reads.

Excel shows help of that kind for its own functions only. The add-in (MIT) takes that of other
functions from an XML file that has the workbook's name, with ``.intellisense.xml`` in place of its
extension [1]_: the functions of a workbook saved as ``run.xlsm`` from ``run.intellisense.xml``.

References
----------
.. [1] github.com/Excel-DNA/IntelliSense: ``XmlIntelliSenseProvider.cs`` has the names of elements
   and the namespace, ``WorkbookIntelliSenseProvider.cs`` that of the file, and ``VBASamples`` an
   example.
"""

from __future__ import annotations

from xml.etree import ElementTree

from xl_tco.functions import FUNCTIONS, Argument

__all__ = ["NAMESPACE", "SUFFIX", "intellisense_xml"]

NAMESPACE = "http://schemas.excel-dna.net/intellisense/1.0"
"""Which the add-in asks for, to the letter; it passes over a file with another one."""

SUFFIX = ".intellisense.xml"
"""What the file's name has in place of the workbook's extension."""


def intellisense_xml() -> str:
    """Describe every function and argument, as XML to save in UTF-8."""
    root = ElementTree.Element("IntelliSense", xmlns=NAMESPACE)
    functions = ElementTree.SubElement(root, "FunctionInfo")
    for function in FUNCTIONS.values():
        described = {"Name": function.name, "Description": function.help}
        element = ElementTree.SubElement(functions, "Function", described)
        for argument in function.arguments:
            ElementTree.SubElement(element, "Argument", _described(argument))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _described(argument: Argument) -> dict[str, str]:
    """Name and help of an argument; brackets say that it may be left out, as Excel's own do."""
    name = f"[{argument.name}]" if argument.is_optional else argument.name
    return {"Name": name, "Description": f"{argument.help} ({argument.unit})"}

"""The file for Excel-DNA's IntelliSense add-in, against what the add-in reads.

The names of elements and attributes and the namespace are those of its classes ``XmlIntelliSense``
and ``FunctionInfo`` (github.com/Excel-DNA/IntelliSense, commit cedaf76, 2025-07-01). The add-in
itself runs only in Excel for Windows.
"""

from lxml import etree

from xl_tco.functions import FUNCTIONS
from xl_tco.functions.function import HELP_LIMIT
from xl_tco.hosts.intellisense import intellisense_xml

SPACE = "{http://schemas.excel-dna.net/intellisense/1.0}"
ROOT = etree.fromstring(intellisense_xml().encode())


def test_its_elements_and_attributes_are_those_that_the_add_in_knows() -> None:
    assert ROOT.tag == f"{SPACE}IntelliSense"
    assert [child.tag for child in ROOT] == [f"{SPACE}FunctionInfo"]
    known = {f"{SPACE}Function", f"{SPACE}Argument"}
    for element in ROOT[0].iter(etree.Element):
        if element is not ROOT[0]:
            assert element.tag in known
            assert set(element.attrib) == {"Name", "Description"}


def test_it_has_every_function_and_argument_in_order() -> None:
    described = {
        element.get("Name"): [argument.get("Name") for argument in element] for element in ROOT[0]
    }
    assert described == {
        name: [f"[{a.name}]" if a.is_optional else a.name for a in function.arguments]
        for name, function in FUNCTIONS.items()
    }


def test_descriptions_say_what_the_wizard_says_and_are_as_short() -> None:
    for element in ROOT[0]:
        function = FUNCTIONS[element.get("Name")]
        assert element.get("Description") == function.help
        for argument, shown in zip(function.arguments, element, strict=True):
            assert shown.get("Description") == f"{argument.help} ({argument.unit})"
    for element in ROOT[0].iter(f"{SPACE}Function", f"{SPACE}Argument"):
        assert 0 < len(element.get("Description")) <= HELP_LIMIT


def test_its_head_says_utf_8() -> None:
    assert intellisense_xml().startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    assert "·" in intellisense_xml()

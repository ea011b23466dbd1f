"""What Excel insists on in a package, and repairs or refuses where it is missing.

Element orders and limits are those of ECMA-376 (transitional) and of Excel's specifications.

Every part is validated as well, by `openxml-audit`: the rules of Microsoft's Open XML SDK as data
(MIT), read by Python. The SDK itself, compiled for npm (`@ooxml-tools/validate` 0.4.6), said the
same of the same books on 2026-11-30; it takes ten times as long. The XSDs of ECMA-376 are in no
package of PyPI, npm or Debian that was looked into: neither openpyxl nor python-docx ships them.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lxml import etree

import xl_tco
from books import entries, zipped
from xl_tco.workbook import template_bytes, workbook_bytes

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
PACKAGES = {
    "template": template_bytes(),
    "native": workbook_bytes(LLAMA, "native"),
    "rent": workbook_bytes(LLAMA.replace(procurement="rent", storage_usd_per_hour=200.0)),
    "zh-TW": workbook_bytes(LLAMA, "native", "zh-TW"),
}
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMES = {"m": MAIN, "c": CHART, "a": DRAWING, "p": f"{PACKAGE}/relationships"}
ID = f"{{{OFFICE}/relationships}}id"

# Children in the order of the schema, for each element whose order Excel holds a file to.
ORDERS = {
    f"{{{MAIN}}}{tag}": children.split()
    for tag, children in {
        "workbook": "fileVersion fileSharing workbookPr workbookProtection bookViews sheets "
        "functionGroups externalReferences definedNames calcPr oleSize customWorkbookViews "
        "pivotCaches webPublishing fileRecoveryPr webPublishObjects extLst",
        "worksheet": "sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr "
        "sheetProtection protectedRanges scenarios autoFilter sortState dataConsolidate "
        "customSheetViews mergeCells phoneticPr conditionalFormatting dataValidations hyperlinks "
        "printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks customProperties "
        "cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF picture "
        "oleObjects controls webPublishItems tableParts extLst",
        "sheetView": "pane selection pivotSelection extLst",
        "c": "f v is extLst",
        "dataValidation": "formula1 formula2",
        "headerFooter": "oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter",
        "styleSheet": "numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs "
        "tableStyles colors extLst",
        "dxf": "font numFmt fill alignment border protection extLst",
        "border": "start end left right top bottom diagonal vertical horizontal",
        "xf": "alignment protection extLst",
        "metadata": "metadataTypes metadataStrings mdxMetadata futureMetadata cellMetadata "
        "valueMetadata extLst",
    }.items()
}


@pytest.fixture(params=PACKAGES)
def parts(request: pytest.FixtureRequest) -> dict[str, bytes]:
    return entries(PACKAGES[request.param])


def root(parts: dict[str, bytes], part: str) -> etree._Element:
    return etree.fromstring(parts[part])


def roots(parts: dict[str, bytes], folder: str) -> Iterator[tuple[str, etree._Element]]:
    for part in sorted(parts):
        if re.fullmatch(rf"xl/{folder}/[^/]+\.xml", part):
            yield part, root(parts, part)


def local(element: etree._Element) -> str:
    return str(etree.QName(element).localname)


def relations(parts: dict[str, bytes], part: str) -> dict[str, tuple[str, str, str]]:
    """Type, target and mode of each relationship of a part, by id."""
    folder, file = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{file}.rels")
    if rels not in parts:
        return {}
    found = [dict(element.attrib) for element in root(parts, rels)]
    assert len({relation["Id"] for relation in found}) == len(found)
    return {
        r["Id"]: (r["Type"].rpartition("/")[2], r["Target"], r.get("TargetMode", "Internal"))
        for r in found
    }


def test_children_stand_in_the_order_of_the_schema(parts: dict[str, bytes]) -> None:
    for part, content in parts.items():
        for element in etree.fromstring(content).iter(*ORDERS):
            order, tags = ORDERS[element.tag], [local(child) for child in element]
            assert set(tags) <= set(order), (part, element.tag, tags)
            assert tags == sorted(tags, key=order.index), (part, element.tag, tags)


def test_every_part_has_a_content_type_and_every_relationship_a_part(
    parts: dict[str, bytes],
) -> None:
    types = root(parts, "[Content_Types].xml")
    defaults = {e.get("Extension") for e in types if local(e) == "Default"}
    overrides = [e.get("PartName", "") for e in types if local(e) == "Override"]
    assert len(set(overrides)) == len(overrides)
    assert {name.lstrip("/") for name in overrides} <= parts.keys()
    reached = {"[Content_Types].xml"} | {part for part in parts if part.endswith(".rels")}
    for part in ["", *parts]:
        for kind, target, mode in relations(parts, part).values():
            if kind == "hyperlink":
                assert (mode, target[:8]) == ("External", "https://"), (part, target)
                continue
            assert mode == "Internal", (part, kind, target)
            path = posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target))
            assert path.lstrip("/") in parts, (part, target)
            reached.add(path.lstrip("/"))
    assert reached == parts.keys()
    for part in parts:
        assert f"/{part}" in overrides or part.rpartition(".")[2] in defaults, part
        assert part.endswith(".rels") or f"/{part}" in overrides or part == "[Content_Types].xml"


def test_relationships_that_are_used_are_there(parts: dict[str, bytes]) -> None:
    for part in parts:
        if part.endswith(".xml"):
            used = [e.get(ID) for e in root(parts, part).iter() if e.get(ID)]
            assert len(set(used)) == len(used)
            assert set(used) <= relations(parts, part).keys(), part


def test_sheets_and_names(parts: dict[str, bytes]) -> None:
    book = root(parts, "xl/workbook.xml")
    sheets = [dict(sheet.attrib) for sheet in book.iterfind("m:sheets/m:sheet", NAMES)]
    titles = [sheet["name"] for sheet in sheets]
    assert len({title.casefold() for title in titles}) == len(titles)
    assert all(len(title) <= 31 and not re.search(r"[\[\]:*?/\\]", title) for title in titles)
    assert len({sheet["sheetId"] for sheet in sheets}) == len(sheets)
    names = [
        (name.get("name", ""), name.get("localSheetId", ""), name.text or "")
        for name in book.iterfind("m:definedNames/m:definedName", NAMES)
    ]
    keys = Counter((name.casefold(), scope) for name, scope, _ in names)
    assert max(keys.values()) == 1
    for name, scope, text in names:
        if name.startswith("_xlnm."):
            assert text.startswith(f"'{titles[int(scope)]}'!"), name
            continue
        assert re.fullmatch(r"[A-Za-z_\\][\w.\\]{0,254}", name), name
        assert not re.fullmatch(r"[A-Za-z]{1,3}\d+|[Rr]\d*([Cc]\d*)?|[Cc]\d*", name), name
        sheet, _, cells = text.rpartition("!")
        assert sheet in titles, name
        assert re.fullmatch(r"\$[A-Z]+\$\d+(:\$[A-Z]+\$\d+)?", cells), name
    filtered = {
        int(re.sub(r"\D", "", part)) - 1
        for part, sheet in roots(parts, "worksheets")
        if sheet.find("m:autoFilter", NAMES) is not None
    }
    hidden = {int(scope) for name, scope, _ in names if name == "_xlnm._FilterDatabase"}
    assert hidden == filtered


def test_rows_and_cells_ascend_and_hold_what_a_cell_can(parts: dict[str, bytes]) -> None:
    styles = len(root(parts, "xl/styles.xml").find("m:cellXfs", NAMES))
    strings = len(root(parts, "xl/sharedStrings.xml")) if "xl/sharedStrings.xml" in parts else 0
    for part, sheet in roots(parts, "worksheets"):
        rows = [int(row.get("r", "")) for row in sheet.iter(f"{{{MAIN}}}row")]
        assert rows == sorted(set(rows))
        for row in sheet.iter(f"{{{MAIN}}}row"):
            columns = [re.fullmatch(r"([A-Z]+)(\d+)", cell.get("r", "")) for cell in row]
            assert all(match and match[2] == row.get("r") for match in columns)
            letters = [match[1].rjust(3) for match in columns if match]
            assert letters == sorted(set(letters))
        for cell in sheet.iter(f"{{{MAIN}}}c"):
            where, kind = (part, cell.get("r")), cell.get("t", "n")
            assert int(cell.get("s", "0")) < styles, where
            assert kind in ("n", "s", "str", "b", "e", "inlineStr"), where
            value, formula = cell.find("m:v", NAMES), cell.find("m:f", NAMES)
            if formula is not None:
                assert 0 < len(formula.text or "") <= 8192, where
                assert not (formula.text or "").startswith("="), where
                assert value is not None, where
            if value is not None:
                assert kind != "inlineStr", where
                assert len(value.text or "") <= 32767, where
                if kind == "n":
                    assert re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", value.text or ""), where
                if kind == "s":
                    assert int(value.text or "") < strings, where


def test_spaces_at_the_ends_of_texts_are_kept(parts: dict[str, bytes]) -> None:
    space = "{http://www.w3.org/XML/1998/namespace}space"
    for part, sheet in roots(parts, "worksheets"):
        for element in sheet.iter(f"{{{MAIN}}}t", f"{{{MAIN}}}v", f"{{{MAIN}}}f"):
            text = element.text or ""
            assert len(text) <= 32767
            assert text == text.strip() or element.get(space) == "preserve", (part, text)


def test_validations_keep_to_the_limits_of_excel(parts: dict[str, bytes]) -> None:
    limits = {"promptTitle": 32, "errorTitle": 32, "prompt": 255, "error": 225}
    for part, sheet in roots(parts, "worksheets"):
        validations = sheet.find("m:dataValidations", NAMES)
        if validations is None:
            continue
        assert int(validations.get("count", len(validations))) == len(validations)
        for validation in validations:
            for name, limit in limits.items():
                assert len(validation.get(name, "")) <= limit, (part, validation.attrib)
            for formula in validation:
                text = formula.text or ""
                assert 0 < len(text) <= 255
                if validation.get("type") == "decimal":
                    assert re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text)


def test_hyperlinks_lead_into_the_workbook_or_to_a_source(parts: dict[str, bytes]) -> None:
    titles = {
        sheet.get("name") for sheet in root(parts, "xl/workbook.xml").iter(f"{{{MAIN}}}sheet")
    }
    led = Counter()
    for part, sheet in roots(parts, "worksheets"):
        for link in sheet.iterfind("m:hyperlinks/m:hyperlink", NAMES):
            if link.get(ID) is not None:  # a relationship is for what is outside
                kind, target, _ = relations(parts, part)[link.get(ID)]
                assert (kind, target[:8]) == ("hyperlink", "https://")
                continue
            led[link.get("location", "").partition("!")[0].strip("'")] += 1
    assert led.keys() <= titles
    assert titles - led.keys() <= {"Cover"}


def test_styles_point_at_what_there_is(parts: dict[str, bytes]) -> None:
    sheet = root(parts, "xl/styles.xml")
    sizes = {local(section): len(section) for section in sheet}
    for section in sheet:
        if section.get("count") is not None:
            assert int(section.get("count", "")) == len(section), section.tag
    custom = {
        int(e.get("numFmtId", "")): e.get("formatCode", "") for e in sheet.iter(f"{{{MAIN}}}numFmt")
    }
    assert all(number >= 164 for number in custom)
    assert sizes["cellXfs"] < 65_490
    assert sizes["fonts"] < 1024
    for xf in sheet.iter(f"{{{MAIN}}}xf"):
        assert int(xf.get("fontId", "0")) < sizes["fonts"]
        assert int(xf.get("fillId", "0")) < sizes["fills"]
        assert int(xf.get("borderId", "0")) < sizes["borders"]
        assert int(xf.get("xfId", "0")) < sizes["cellStyleXfs"]
        number = int(xf.get("numFmtId", "0"))
        assert number < 50 or number in custom
    names = [style.get("name", "") for style in sheet.iter(f"{{{MAIN}}}cellStyle")]
    assert len({name.casefold() for name in names}) == len(names)
    for code in custom.values():
        assert is_number_format(code), code
    for _, page in roots(parts, "worksheets"):
        for rule in page.iter(f"{{{MAIN}}}cfRule"):
            assert int(rule.get("dxfId", "0")) < sizes["dxfs"]


def is_number_format(code: str) -> bool:
    """Whether Excel takes a format: a month, or at most four sections, two with a condition."""
    if code == "yyyy-mm":
        return True
    sections = code.split(";")
    condition, digits = r"(\[(?:[<>]=?|=|<>)\d+(?:\.\d+)?\])?", r"[#,0]*0(?:\.[0#]+)?,*"
    conditional = sum(section.startswith("[") for section in sections)
    return (
        len(sections) <= 4
        and conditional <= 2
        and all(
            re.fullmatch(rf"{condition}[-+]?{digits}(?:E[+-]0+)?%?", section)
            for section in sections
        )
    )


def test_dynamic_arrays_are_marked_by_the_metadata(parts: dict[str, bytes]) -> None:
    marked = [
        cell
        for _, sheet in roots(parts, "worksheets")
        for cell in sheet.iter(f"{{{MAIN}}}c")
        if cell.get("cm")
    ]
    if not marked:
        assert "xl/metadata.xml" not in parts
        return
    metadata = root(parts, "xl/metadata.xml")
    blocks = metadata.find("m:cellMetadata", NAMES)
    types = metadata.findall("m:metadataTypes/m:metadataType", NAMES)
    for cell in marked:
        formula = cell.find("m:f", NAMES)
        assert formula.get("t") == "array"
        assert formula.get("ref", "").partition(":")[0] == cell.get("r")
        (record,) = blocks[int(cell.get("cm", "")) - 1]
        assert types[int(record.get("t", "")) - 1].get("name") == "XLDAPR"
    for section in metadata:
        assert int(section.get("count", "")) == len(section)


def test_charts_draw_with_their_own_axes(parts: dict[str, bytes]) -> None:
    charts = list(roots(parts, "charts"))
    assert len(charts) == 9
    for part, chart in charts:
        area = chart.find(".//c:plotArea", NAMES)
        used = {
            e.get("val")
            for e in area.iterfind("*/c:axId", NAMES)
            if not local(e.getparent()).endswith("Ax")
        }
        axes = {
            axis.find("c:axId", NAMES).get("val"): axis.find("c:crossAx", NAMES).get("val")
            for axis in area
            if local(axis).endswith("Ax")
        }
        assert used == set(axes) == set(axes.values()), part
        assert all(axis != crossed for axis, crossed in axes.items())
        for number in ("idx", "order"):
            values = [e.get("val") for e in area.iterfind(f".//c:ser/c:{number}", NAMES)]
            assert len(set(values)) == len(values)
        for axis in area.iterfind("c:valAx/c:numFmt", NAMES):
            assert axis.get("sourceLinked") == "0"
        for cache in chart.iter(f"{{{CHART}}}strCache", f"{{{CHART}}}numCache"):
            size = int(cache.find("c:ptCount", NAMES).get("val"))
            places = [int(point.get("idx", "")) for point in cache.iterfind("c:pt", NAMES)]
            assert places == sorted(set(places))
            assert size > 0
            assert max(places) < size


def test_drawings_number_what_they_show(parts: dict[str, bytes]) -> None:
    for part, drawing in roots(parts, "drawings"):
        shown = [e.get("id") for e in drawing.iter() if local(e) == "cNvPr"]
        assert len(set(shown)) == len(shown) > 0, part


def test_the_properties_of_the_document(parts: dict[str, bytes]) -> None:
    core = {local(element): element for element in root(parts, "docProps/core.xml")}
    for name in ("created", "modified"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", core[name].text or "")
    assert core["title"].text
    assert re.fullmatch(r"\d+\.\d+", root(parts, "docProps/app.xml")[1].text or "")


@pytest.fixture(scope="module")
def validate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, bytes]], list[str]]:
    """A function that says what is wrong with the parts of a package."""
    audit = pytest.importorskip("openxml_audit", reason="pip install openxml-audit")
    validator = audit.OpenXmlValidator(audit.FileFormat.MICROSOFT_365, max_errors=0)
    path = tmp_path_factory.mktemp("validated") / "book.xlsx"

    def found(parts: dict[str, bytes]) -> list[str]:
        path.write_bytes(zipped(parts))
        return [str(error) for error in validator.validate(path).errors if error.id not in HARMLESS]

    return found


HARMLESS = {
    # Texts stand in their cells, as ECMA-376 allows: each sheet can be read and compared alone.
    # Excel moves them into a table of its own when it saves.
    "Excel_InlineStrCells",
}
FONT = "b i strike condense extend outline shadow u vertAlign sz color name family charset scheme"


def sorted_fonts(styles: bytes) -> bytes:
    """Styles with the children of each font in the order that the SDK wants.

    openpyxl has another. ECMA-376 allows any (CT_Font is an unbounded choice), and so does Excel.
    """
    sheet = etree.fromstring(styles)
    for font in sheet.iter(f"{{{MAIN}}}font"):
        font[:] = sorted(font, key=lambda child: FONT.split().index(local(child)))
    return etree.tostring(sheet)


STYLES = "xl/styles.xml"


def test_every_part_is_valid_by_the_open_xml_sdk(
    parts: dict[str, bytes], validate: Callable[[dict[str, bytes]], list[str]]
) -> None:
    assert validate(parts | {STYLES: sorted_fonts(parts[STYLES])}) == []


FAULTS = {
    "an order": ("xl/worksheets/sheet1.xml", "m:sheetViews", lambda e: e.getparent().append(e)),
    "a word": ("xl/worksheets/sheet1.xml", ".//m:c", lambda e: e.set("t", "text")),
    "a number": (STYLES, ".//m:sz", lambda e: e.set("val", "large")),
    "what a chart lacks": (
        "xl/charts/chart1.xml",
        ".//c:ser/c:idx",
        lambda e: e.getparent().remove(e),
    ),
    "a chart's order": (
        "xl/charts/chart1.xml",
        ".//c:ser/c:idx",
        lambda e: e.getparent().append(e),
    ),
    "a drawing": (
        "xl/drawings/drawing1.xml",
        ".//{*}cNvPr",
        lambda e: e.attrib.pop("id"),
    ),
    "a sheet without a name": ("xl/workbook.xml", ".//m:sheet", lambda e: e.attrib.pop("name")),
    "a part that is not there": (
        "xl/_rels/workbook.xml.rels",
        "p:Relationship",
        lambda e: e.set("Target", "worksheets/none.xml"),
    ),
}
"""Part, element, and what is done to the first such one.

It does not see an attribute that no schema knows, nor a text that is too long.
"""


@pytest.mark.parametrize("fault", FAULTS)
def test_the_validator_sees_a_fault(
    fault: str, validate: Callable[[dict[str, bytes]], list[str]]
) -> None:
    part, path, spoil = FAULTS[fault]
    parts = entries(PACKAGES["native"])
    parts[STYLES] = sorted_fonts(parts[STYLES])
    tree = root(parts, part)
    spoil(tree.find(path, NAMES))
    assert validate(parts | {part: etree.tostring(tree)}), fault

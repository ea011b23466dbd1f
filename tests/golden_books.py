"""Workbooks as text that people review: each part's XML, one cell a line, without values.

`python tests/golden_books.py` writes tests/golden/workbook again; `tests/test_golden.py` compares.
A cell says its style by name, not by a number that moves with every new style.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from lxml import etree

from books import entries
from xl_tco.workbook import template_scenario
from xl_tco.workbook.build import draft

GOLDEN = Path(__file__).parent / "golden" / "workbook"
BOOKS = ("functions", "native")
"""Forms of the template; of the second, only the parts that differ from the first are kept."""
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LEFT_OUT = re.compile(r"docProps/|theme|_rels/\.rels")
"""Dates, versions, and what openpyxl always writes."""


def golden(name: str) -> dict[str, str]:
    """Return the parts of a workbook as text, by the name of the file that holds each."""
    if name == BOOKS[0]:
        return _texts(name)
    first, found = _texts(BOOKS[0]), _texts(name)
    return {file: text for file, text in found.items() if first.get(file) != text}


def _texts(formulas: Any) -> dict[str, str]:
    parts = entries(draft(template_scenario(), formulas))
    styles = _style_names(parts["xl/styles.xml"])
    titles = _titles(parts)
    found = {}
    for part, data in sorted(parts.items()):
        if LEFT_OUT.search(part):
            continue
        root = etree.fromstring(data)
        for cell in root.iter(f"{MAIN}c"):
            if cell.get("s"):
                cell.set("s", styles[int(cell.get("s"))])
        etree.indent(root, " ")
        file = titles.get(part, part.removeprefix("xl/").replace("/", "."))
        found[file] = _lines(etree.tostring(root, encoding="unicode"))
    return found


def _style_names(data: bytes) -> list[str]:
    root = etree.fromstring(data)
    names = {style.get("xfId"): style.get("name") for style in root.iter(f"{MAIN}cellStyle")}
    formats = {form.get("numFmtId"): form.get("formatCode") for form in root.iter(f"{MAIN}numFmt")}
    cells = root.find(f"{MAIN}cellXfs")
    assert cells is not None
    return [
        f"{names.get(cell.get('xfId'))} {formats.get(cell.get('numFmtId'), cell.get('numFmtId'))}"
        for cell in cells
    ]


def _titles(parts: dict[str, bytes]) -> dict[str, str]:
    """Return the name of the file of each sheet: its own name."""
    root = etree.fromstring(parts["xl/workbook.xml"])
    names = [sheet.get("name") for sheet in root.iter(f"{MAIN}sheet")]
    return {
        f"xl/worksheets/sheet{number}.xml": f"{name}.xml"
        for number, name in enumerate(names, start=1)
    }


def _lines(text: str) -> str:
    """Write a cell on one line: three lines of it are hard to compare."""
    text = re.sub(r">\s*\n\s*(<(?:f|v|is|t)\b)", r">\1", text)
    return re.sub(r"(</(?:f|v|is|t)>|<[fv]/>)\s*\n\s*(?=</(?:c|is)>|<v)", r"\1", text) + "\n"


def write() -> None:
    """Write every golden workbook again."""
    for name in BOOKS:
        folder = GOLDEN / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for file, text in golden(name).items():
            (folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
    print(*sorted(str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*.xml")), sep="\n")
    sys.exit(0)

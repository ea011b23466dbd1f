"""The sheet Catalogue: every published figure that an input can fall back to, one a row."""

from __future__ import annotations

from functools import cache

from xl_tco.catalogue import Figure, accelerator_keys, entries
from xl_tco.cells import UNKNOWN
from xl_tco.fields import ACCELERATOR_FREE, FIELDS, Field
from xl_tco.language import Phrase
from xl_tco.scenario import words
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.page import Column, Page

__all__ = ["SHEET", "add_catalogue", "words_name"]

SHEET = "Catalogue"

COLUMNS = (
    Column("Entry", 46),
    Column("Unit", 20),
    Column("Value", 22, number=True),
    Column("Key", 18),
    Column("Field", 34),
    Column("Status", 11),
    Column("Date", 12),
    Column("Source", 90),
)
ENTRY, UNIT, VALUE, KEY, FIELD, STATUS, DATE, SOURCE = range(1, len(COLUMNS) + 1)


def add_catalogue(book: Book) -> None:
    """Write the sheet, and the names by which the inputs look figures up."""
    page = Page(
        book,
        SHEET,
        "Published figures with source, date and status. Locked: override a figure on Inputs.",
        COLUMNS,
    )
    first = page.row
    figures = {entry: figure for entry, figure in entries().items() if _is_drawn_on(*entry)}
    figures |= _custom()
    figures["other", "figure"] = Figure(None, "any", "in no catalogue: give it", "—", "unknown")
    for (key, field), figure in figures.items():
        row = page.row
        value = UNKNOWN if figure.value is None else figure.value
        page.put_text(row, ENTRY, f"{key}.{field}", "label")
        page.put(row, UNIT, figure.unit, "unit")
        if field == "label":
            value = page.book.language.text(str(value))
        page.put(row, VALUE, value, "formula", figure.unit)
        page.put(row, KEY, key, "text")
        page.put(row, FIELD, field, "text")
        page.word(row, STATUS, figure.status)
        page.put(row, DATE, figure.date, "text")
        page.put(row, SOURCE, figure.source, "text")
        page.fit(row, [(SOURCE, figure.source)])
        page.row += 1
    last = page.row - 1
    for name, column in (
        ("id", "A"),
        ("value", "C"),
        ("status", "F"),
        ("date", "G"),
        ("source", "H"),
    ):
        book.name(f"catalogue_{name}", SHEET, f"${column}${first}:${column}${last}")
    _words(page)
    page.sheet.auto_filter.ref = f"A4:H{last}"
    page.finish()


def _is_drawn_on(key: str, field: str) -> bool:
    """Whether an input can fall back to a figure; its range and label go with it."""
    if key not in accelerator_keys():
        return True
    names = {name for _, name in _custom()}
    return field == "label" or field.removesuffix("_low").removesuffix("_high") in names


@cache
def _custom() -> dict[tuple[str, str], Figure]:
    """Entries of the accelerator that is in no catalogue: all to be given."""
    names = {
        name.replace("{precision}", precision)
        for field in FIELDS.values()
        for precision in ("bf16", "fp16", "fp8")
        if field.default.startswith("{accelerator}")
        for name in [field.default.partition(".")[2]]
    }
    units = {field.name: field.unit for field in FIELDS.values()}
    return {
        (ACCELERATOR_FREE, name): Figure(
            None, units.get(name, "TFLOP/s"), "an accelerator of your own: give it", "—", "unknown"
        )
        for name in sorted(names)
    }


def _words(page: Page) -> None:
    """List the words to choose from below the figures, and name each list."""
    for field in FIELDS.values():
        if not (allowed := words(field)):
            continue
        page.section(Phrase("To choose from: {field}", field=field.label))
        first = page.row
        for word in allowed:
            page.put_text(page.row, ENTRY, f"{field.name}: {word}", "label")
            page.put(page.row, UNIT, "word", "unit")
            page.put(page.row, VALUE, word, "formula")
            page.row += 1
        page.book.name(words_name(field), SHEET, f"$C${first}:$C${page.row - 1}")


def words_name(field: Field) -> str:
    """Return the name of the list of words that a field may hold."""
    return f"{field.name}_keys" if field.domain is None else f"{field.name}_words"

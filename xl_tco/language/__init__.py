"""What people read, in their language: the workbook's labels, headings, notes and messages.

English is the key. A translation is a gettext file of this folder, ``zh_TW.po``, which any tool for
translators opens. Three contexts keep apart what must not be mixed:

- none: a text in a cell of its own, with ``{name}`` where something is put in;
- ``word``: a literal of a formula, as ``"yes"``: the same wherever it is shown or compared;
- ``sentence``: what a formula puts together with ``&``, as people read it, its parts numbered:
  ``A5&": "&FIXED(C8,1)&" of all"`` is ``{1}: {2} of all``. Order may differ, and rows may move.

Names of fields, results, functions and sheets, catalogue keys and sources are never translated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import ceil
from types import MappingProxyType

from xl_tco.errors import Fault, InputError
from xl_tco.language.formulas import said

__all__ = [
    "ENGLISH",
    "FONTS",
    "LANGUAGES",
    "SENTENCE",
    "WORD",
    "Language",
    "Name",
    "Phrase",
    "language",
    "lines_of",
    "numbered",
    "po_file",
]

LANGUAGES = ("en", "zh-TW")
"""Codes of the languages there are; the first is that of the keys."""

WORD, SENTENCE = "word", "sentence"
"""Contexts of what stands in formulas."""

FONTS = {"en": "Arial", "zh-TW": "Microsoft JhengHei"}
"""Font of each: one that comes with Excel, and holds its letters."""

_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
)
"""Letters that take the place of two, as ranges of a regular expression."""
_ENDS = "，。、；：）」／"
_PIECE = re.compile(f"[（「]*(?:[{_WIDE}]|[^ {_WIDE}]+)(?:[{_ENDS}]+[^ {_WIDE}]*)* ?| ")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e\d+)?(?!\w)")


class Name(str):
    """A text that is put into another as it is: a name, a number, a word of the user's."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text with others put in: each is translated, then put in.

    Examples
    --------
    >>> ENGLISH.text(Phrase("{line}: function and native", line="Wall time"))
    'Wall time: function and native'
    """

    message: str
    parts: Mapping[str, str | Phrase]

    def __init__(self, message: str, **parts: str | Phrase) -> None:
        object.__setattr__(self, "message", message)
        object.__setattr__(self, "parts", MappingProxyType(parts))


def numbered(text: str) -> Phrase:
    """Make a phrase of a text, its numbers put in: so it is translated once for all of them.

    Examples
    --------
    >>> numbered("give a number from 0 to 1,000").message
    'give a number from {a} to {b}'
    """
    found = map(Name, _NUMBER.findall(text))
    numbers = dict(zip("abcdefghijklmnopqrstuvwxyz", found, strict=False))
    names = iter(numbers)
    return Phrase(_NUMBER.sub(lambda _: f"{{{next(names)}}}", text), **numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language of the workbook.

    Attributes
    ----------
    code
        As in `LANGUAGES`.
    font
        Font of its cells and charts.
    """

    code: str
    font: str
    _texts: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def text(self, message: str | Phrase) -> str:
        """Return a text in this language; names, and what has no translation, stay."""
        if isinstance(message, Name):
            return message
        if isinstance(message, Phrase):
            parts = {name: self.text(part) for name, part in message.parts.items()}
            return self._texts.get(("", message.message), message.message).format(**parts)
        return self._texts.get(("", message), message)

    def word(self, word: str) -> str:
        """Return a word that formulas show or compare."""
        return self._texts.get((WORD, word), word)

    def formula(self, formula: str) -> str:
        """Return a formula that shows and compares the words of this language."""
        if not self._texts or '"' not in formula:
            return formula
        return said(formula, self.word, lambda text: self._texts.get((SENTENCE, text), ""))


ENGLISH = Language("en", FONTS["en"])


@cache
def language(code: str) -> Language:
    """Return a language by its code.

    Raises
    ------
    InputError
        If there is none of that code.
    """
    if code == ENGLISH.code:
        return ENGLISH
    if code not in LANGUAGES:
        allowed = "give one of: " + ", ".join(LANGUAGES)
        raise InputError([Fault("unknown key", "language", f"there is no {code!r}", allowed)])
    import polib

    texts = files(__name__).joinpath(po_file(code)).read_text(encoding="utf-8")
    entries = [entry for entry in polib.pofile(texts) if not entry.obsolete and entry.msgstr]
    return Language(
        code, FONTS[code], {(entry.msgctxt or "", entry.msgid): entry.msgstr for entry in entries}
    )


def po_file(code: str) -> str:
    """Return the name of the file of a language's translations."""
    return f"{code.replace('-', '_')}.po"


def lines_of(text: str, width: float) -> int:
    """Return how many lines a text takes that wraps at a width, in letters.

    A line breaks after a space and beside a Chinese letter, which takes the place of two.
    """
    lines, used = 1, 0.0
    for piece in _PIECE.findall(text):
        word = piece.rstrip(" ")
        size = len(word) + len(re.findall(f"[{_WIDE}]", word))
        if used and used + size > width:
            lines, used = lines + 1, 0.0
        more = max(ceil(size / width), 1) - 1  # of a word that is wider than a line
        lines, used = lines + more, used + size - more * width + len(piece) - len(word)
    return lines

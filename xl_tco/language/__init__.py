"""What people read, in their language: the workbook's labels, headings, notes and messages.

English is the key. A translation is a gettext file of this folder, ``zh_TW.po``, which any tool for
translators opens. Three contexts keep apart what must not be mixed:

- none: a text in a cell of its own, with ``{name}`` where something is put in;
- ``word``: a literal of a formula, as ``"yes"``: the same wherever it is shown or compared;
- ``formula``: a whole formula that makes a sentence, for word order differs.

Names of fields, results, functions and sheets, catalogue keys and sources are never translated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from xl_tco.errors import Fault, InputError

__all__ = ["ENGLISH", "LANGUAGES", "Language", "Phrase", "language", "text_width"]

LANGUAGES = ("en", "zh-TW")
"""Codes of the languages there are; the first is that of the keys."""

FONTS = {"en": "Arial", "zh-TW": "Microsoft JhengHei"}
"""Font of each: one that comes with Excel, and holds its letters."""

_LITERAL = re.compile(r'"((?:[^"]|"")*)"')


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
        """Return a text in this language; what has no translation stays as it is."""
        if isinstance(message, Phrase):
            parts = {name: self.text(part) for name, part in message.parts.items()}
            return self._find("", message.message).format(**parts)
        return self._find("", message)

    def word(self, word: str) -> str:
        """Return a word that formulas show or compare."""
        return self._find("word", word)

    def formula(self, formula: str) -> str:
        """Return a formula with its words in this language; a sentence as it is said there."""
        formula = self._find("formula", formula)
        return _LITERAL.sub(lambda match: f'"{self.word(match[1])}"', formula)

    def _find(self, context: str, key: str) -> str:
        return self._texts.get((context, key), key)


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

    text = files(__name__).joinpath(f"{code.replace('-', '_')}.po").read_text(encoding="utf-8")
    texts = {(entry.msgctxt or "", entry.msgid): entry.msgstr for entry in polib.pofile(text)}
    return Language(code, FONTS[code], {key: said for key, said in texts.items() if said})


def text_width(text: str) -> int:
    """Return how wide a text is in letters: a Chinese one takes the place of two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)

"""Formulas said in another language: their words, and the sentences that they put together.

A sentence is a chain of ``&``, the whole formula or an argument in it, of whose literals at least
one has a letter, and one a space. As people read it, every other part is a number in braces:
``A5&": "&FIXED(C8,1)&" of all"`` is ``{1}: {2} of all``; its translation may put them in another
order. Any other literal is a word. So ``accelerator&".label"``, a key, is not taken for a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from string import Formatter

__all__ = ["said"]

Say = Callable[[str], str]

_TOKEN = re.compile(
    r"""
    "(?:[^"]|"")*"          # a literal
    | '(?:[^']|'')*'        # the name of a sheet, which may hold anything
    | <> | <= | >= | [=<>]  # comparisons bind less than &
    | [&(){},;]
    | [^"'&(){},;=<>]+
    | .                     # a quote that nothing closes: no formula
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {")", "}"}
_BREAKS = {",", ";", "=", "<", ">", "<>", "<=", ">="}


def said(formula: str, word: Say, sentence: Say) -> str:
    """Return a formula in another language.

    Parameters
    ----------
    formula
        As Excel takes it, with or without the ``=`` in front.
    word
        Gives the translation of a literal that stands for itself.
    sentence
        Gives the translation of a sentence; empty if it has none: then its literals are words.
    """
    tokens = iter(_TOKEN.findall(formula))
    text, closing = _expression(tokens, word, sentence)
    while closing:  # one too many: no formula, and left as it is
        more, again = _expression(tokens, word, sentence)
        text, closing = text + closing + more, again
    return text


def _expression(tokens: Iterator[str], word: Say, sentence: Say) -> tuple[str, str]:
    """Read up to the bracket that closes; return what was read, said, and that bracket."""
    done = ""
    chain: list[list[str]] = [[]]
    for token in tokens:
        if token in _BREAKS:
            done, chain = done + _chained(chain, word, sentence) + token, [[]]
        elif token == "&":
            chain.append([])
        elif token in ("(", "{"):
            inner, closing = _expression(tokens, word, sentence)
            chain[-1].append(token + inner + closing)
        elif token in _CLOSING:
            return done + _chained(chain, word, sentence), token
        else:
            chain[-1].append(token)
    return done + _chained(chain, word, sentence), ""


def _chained(chain: list[list[str]], word: Say, sentence: Say) -> str:
    """Return the parts of a chain joined again, in the order of the language."""
    literals = [_literal(part) for part in chain]
    texts = [text for text in literals if text is not None]
    others = [_worded(part, word) for part in chain if _literal(part) is None]
    has_letter = any(letter.isalpha() for text in texts for letter in text)
    if len(chain) > 1 and has_letter and any(" " in text for text in texts):
        numbers = count(1)
        key = "".join(
            f"{{{next(numbers)}}}" if text is None else _escaped(text) for text in literals
        )
        if translation := sentence(key):
            return "&".join(_parts(translation, others))
    return "&".join(_worded(part, word) for part in chain)


def _parts(sentence: str, others: list[str]) -> Iterator[str]:
    """Yield the parts of a sentence as a formula joins them."""
    literal = ""
    for text, number, _, _ in Formatter().parse(sentence):
        literal += text  # a brace comes as a text of its own
        if number:
            if literal:
                yield _quoted(literal)
            yield others[int(number) - 1].strip()
            literal = ""
    if literal:
        yield _quoted(literal)


def _literal(part: list[str]) -> str | None:
    """Return what a part says if it is a literal alone; None if it is not."""
    tokens = [token for token in part if token.strip()]
    return _text(tokens[0]) if len(tokens) == 1 and _is_literal(tokens[0]) else None


def _worded(part: list[str], word: Say) -> str:
    """Return a part with its literals said as words."""
    return "".join(_quoted(word(_text(token))) if _is_literal(token) else token for token in part)


def _is_literal(token: str) -> bool:
    return len(token) > 1 and token.startswith('"')


def _text(literal: str) -> str:
    return literal[1:-1].replace('""', '"')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")

"""A change to a sheet is seen in review: every part of the template is kept as text."""

import difflib
from itertools import islice

import pytest

from golden_books import BOOKS, GOLDEN, golden

AGAIN = "if that is meant: python tests/golden_books.py, and look at the difference"


@pytest.mark.parametrize("name", BOOKS)
def test_every_part_is_as_it_was_reviewed(name: str) -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in (GOLDEN / name).iterdir()}
    found = golden(name)
    assert sorted(found) == sorted(kept), AGAIN
    for file, text in found.items():
        if text != kept[file]:
            lines = difflib.unified_diff(kept[file].splitlines(), text.splitlines(), n=0)
            shown = "\n".join(islice(lines, 12))
            pytest.fail(f"{name}/{file} changed; {AGAIN}\n{shown}")

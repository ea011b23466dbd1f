"""Every text that a workbook asks to be translated, and the upkeep of the translations.

``python tests/texts.py`` brings ``zh_TW.po`` up to date: what is new stands there without a
translation, in the order in which workbooks ask for it; what none asks for any more is marked
obsolete.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polib

import xl_tco
import xl_tco.language as languages
from xl_tco import Scenario
from xl_tco.catalogue import entries, runs
from xl_tco.fields import FIELDS
from xl_tco.functions import FUNCTIONS
from xl_tco.language import FONTS, SENTENCE, WORD, Language
from xl_tco.outputs import COMPONENTS, METRICS, TOTAL
from xl_tco.workbook.bridge import bridge_bytes
from xl_tco.workbook.build import draft, template_scenario

__all__ = ["BRIDGES", "CODE", "FILE", "NAMES", "SCENARIOS", "asked", "is_translated", "main"]

CODE = "zh-TW"
FILE = Path(languages.__file__).with_name(languages.po_file(CODE))

LLAMA = xl_tco.load_scenario(Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml")
PARTS: dict[str, Any] = {
    "kernel_efficiency": 0.6,
    "layers": 126,
    "hidden_size": 16_384,
    "sequence_length": 8192,
    "heads": 128,
    "batch_tokens": 8192 * 2048,
    "tensor_parallel": 8,
    "pipeline_parallel": 16,
    "recomputation": "full",
    "zero_stage": 1,
    "accelerator_mtbf_hours": 50_000,
    "network_topology": "fat-tree",
    "storage_usd_per_tb": 100,
    "depreciation_method": "sum-of-years",
}
SCENARIOS = {
    "template": template_scenario(),
    "owned": LLAMA.replace(currency="TWD", currency_per_usd=31.5, currency_date="2026-11-30"),
    "rented": LLAMA.replace(
        procurement="rent", storage_usd_per_hour=200.0, hfu=0.5, rental_usd_per_accelerator_hour=2.5
    ),
    "every part": LLAMA.replace(**PARTS),
    "cases and ranges": Scenario.from_table(
        {
            **LLAMA.table,
            "mfu": {"distribution": "triangular", "low": 0.3, "mode": 0.4, "high": 0.5},
            "pue": {"distribution": "uniform", "low": 1.1, "high": 1.4},
            "correlations": [["mfu", "pue", 0.3]],
            "cases": {"low": {"mfu": 0.5}, "high": {"mfu": 0.3}, "own": {"pue": 1.3}},
            "case": "high",
        }
    ),
}
"""Runs whose workbooks say all that a workbook can say."""

BRIDGES = {
    "many inputs": (LLAMA, template_scenario()),
    "one input": (LLAMA, LLAMA.replace(pue=1.5)),
    "none": (LLAMA, LLAMA),
    "several parts": (LLAMA, LLAMA.replace(**PARTS)),
}

_WORDS = {
    word for field in FIELDS.values() if isinstance(field.domain, tuple) for word in field.domain
}
_KEYS = {part for key in entries() for part in key}
_RESULTS = {*COMPONENTS, *METRICS, TOTAL.name, *(f"{name}_usd" for name in COMPONENTS)}
_RUNS = {run for run, _ in runs()}
NAMES = {*FIELDS, *_RESULTS, *_WORDS, *_KEYS, *_RUNS, *FUNCTIONS, "USD", "unknown", "xl-tco"}
"""What functions, formulas and field values know: no language has another word for it."""

_NUMBER = re.compile(r"[\d.,]+(e\d+)?")


def is_translated(context: str, key: str) -> bool:
    """Whether a text is one for people: it has letters, and is no name.

    A name of one word, like ``layers``, may be a unit as well.
    """
    if not any(letter.isalpha() for letter in key) or _NUMBER.fullmatch(key):
        return False
    if context == WORD:
        return not (key in NAMES or "_" in key or key.startswith(".") or key.endswith("."))
    return not (key in NAMES and (key in _WORDS or not key.isalpha()))


class _Asked:
    """Stands for the texts of a language; keeps what it is asked for, which it says as it is."""

    def __init__(self) -> None:
        self.keys: dict[tuple[str, str], None] = {}

    def get(self, key: tuple[str, str], default: str) -> str:
        if is_translated(*key):
            self.keys.setdefault(key)
        return key[1] if key[0] == SENTENCE else default


@cache
def asked() -> tuple[tuple[str, str], ...]:
    """Return context and text of all that workbooks ask for, in order."""
    texts = _Asked()
    # A language asks its texts by `get` alone, which is all that this one has of a mapping.
    recording = Language(CODE, FONTS[CODE], texts)  # type: ignore[arg-type]
    for _ in _written(recording):
        pass
    return tuple(texts.keys)


def _written(recording: Language) -> Iterator[bytes]:
    """Write every workbook in a language."""
    with patch.object(languages, "language", lambda _: recording):
        for scenario in SCENARIOS.values():
            yield draft(scenario, "functions", CODE)
            yield draft(scenario, "native", CODE)
    for before, after in BRIDGES.values():
        yield bridge_bytes(xl_tco.bridge(before, after), "1", "2", recording)


def updated(old: polib.POFile) -> polib.POFile:
    """Return translations brought up to date: all there are kept, the new ones empty."""
    known = {(entry.msgctxt or "", entry.msgid): entry for entry in old}
    made = polib.POFile(wrapwidth=96)
    made.metadata = old.metadata
    made.header = old.header
    for context, key in asked():
        entry = known.pop((context, key), None)
        text = entry.msgstr if entry else ""
        made.append(polib.POEntry(msgctxt=context or None, msgid=key, msgstr=text))
    for (context, key), entry in known.items():
        if entry.msgstr:
            made.append(
                polib.POEntry(
                    msgctxt=context or None, msgid=key, msgstr=entry.msgstr, obsolete=True
                )
            )
    return made


def main() -> int:
    """Rewrite the file; say how many texts it lacks."""
    made = updated(polib.pofile(str(FILE)))
    made.save(str(FILE))
    active = [entry for entry in made if not entry.obsolete]
    lacking = sum(not entry.msgstr for entry in active)
    print(f"{FILE.name}: {len(active)} texts, {lacking} without translation")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())

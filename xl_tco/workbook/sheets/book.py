"""The workbook that is being written: what it is of, in which form, in which language."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName

from xl_tco.language import ENGLISH, Language
from xl_tco.scenario import Scenario
from xl_tco.workbook.sheets.styles import register

__all__ = ["Book", "Formulas"]

Formulas: TypeAlias = Literal["functions", "native"]


def _empty() -> Workbook:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    return workbook


@dataclass(frozen=True, slots=True)
class Book:
    """A workbook that is being written, sheet by sheet.

    Attributes
    ----------
    scenario
        What it costs.
    formulas
        ``functions`` or ``native`` (see `xl_tco.workbook.build_workbook`).
    language
        What people read in it.
    workbook
        Where the sheets go.
    """

    scenario: Scenario
    formulas: Formulas = "functions"
    language: Language = ENGLISH
    workbook: Workbook = field(default_factory=_empty)

    def __post_init__(self) -> None:
        register(self.workbook, self.language.font)

    @property
    def has_functions(self) -> bool:
        """Whether cells call the functions of xl-tco."""
        return self.formulas == "functions"

    def name(self, name: str, sheet: str, cells: str) -> None:
        """Give cells of a sheet a name in the whole workbook; ``cells`` is like ``$D$12``."""
        self.workbook.defined_names[name] = DefinedName(name, attr_text=f"{sheet}!{cells}")

"""The .xlsx package itself, zip and XML: what formulas it has, and the values put beside them.

``archive`` reads and writes the zip, ``parts`` the parts and their relations, ``cells`` the grid of
a sheet, ``metadata`` the mark of dynamic arrays, ``chart_values`` what charts carry; ``book`` is
the whole. Nothing here knows of costs, of openpyxl or of a calculation engine.
"""

from xl_tco.workbook.package.archive import PackageError
from xl_tco.workbook.package.book import (
    Array,
    CellKey,
    ErrorValue,
    FormulaCell,
    IsSpill,
    Package,
    Value,
    build_moment,
    clear_spills,
    formula_cells,
    normalise,
    write_constants,
    write_values,
)

__all__ = [
    "Array",
    "CellKey",
    "ErrorValue",
    "FormulaCell",
    "IsSpill",
    "Package",
    "PackageError",
    "Value",
    "build_moment",
    "clear_spills",
    "formula_cells",
    "normalise",
    "write_constants",
    "write_values",
]

"""The one contract of field names.

A scenario is a flat table of these fields. The same names are TOML keys, CSV columns, names in the
workbook, labels of the ranges given to spreadsheet functions, JSON keys and Python arguments.
Everything that needs a field's unit, range, default or help reads it here.

This package knows no file format, no catalogue values and no formula.
"""

from xl_tco.fields.field import Field, Number
from xl_tco.fields.table import ACCELERATOR_FREE, ALTERNATIVES, FIELDS, GROUPS, MODES

__all__ = ["ACCELERATOR_FREE", "ALTERNATIVES", "FIELDS", "GROUPS", "MODES", "Field", "Number"]

"""The checks of single values, one by one: a pydantic model made from `xl_tco.fields`.

What values must be together, `xl_tco.resolve` checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, create_model
from pydantic import Field as Constraint
from pydantic_core import ErrorDetails

from xl_tco.catalogue import accelerator_keys, region_keys
from xl_tco.errors import Fault, spelling, unknown_word
from xl_tco.fields import ACCELERATOR_FREE, FIELDS, Field, Number
from xl_tco.plain import LONGEST, is_empty, shown, sort_of, to_float

__all__ = ["border", "check", "is_unicode", "shown_name", "words"]


def check(table: Mapping[str, object]) -> tuple[dict[str, float | str], list[Fault]]:
    """Check values one by one: the good ones, as floats and words, and the faults of the others."""
    plain = {name: _plain(value) for name, value in table.items() if not is_empty(value)}
    faults = [fault for name, value in plain.items() if (fault := _unreadable(name, value))]
    odd = {fault.field for fault in faults}
    plain = {name: value for name, value in plain.items() if shown_name(name) not in odd}
    try:
        good = border().model_validate(plain).model_dump(exclude_unset=True)
    except ValidationError as error:
        found = [_fault(detail) for detail in error.errors(include_url=False)]
        bad = {fault.field for fault in found}
        rest = {name: value for name, value in plain.items() if name not in bad}
        good = border().model_validate(rest).model_dump(exclude_unset=True)
        faults += found
    return good, faults


def shown_name(name: object) -> str:
    """Return a field's name as messages show it; what is no text, as what it is."""
    return shown(name).strip("'") if not isinstance(name, str) or len(name) > LONGEST else name


def _unreadable(name: object, value: object) -> Fault | None:
    """Return the fault of a name or a text that is none."""
    if not isinstance(name, str) or not is_unicode(name):
        allowed = "the fields are listed by: xl-tco schema"
        return Fault("unknown key", shown_name(name), "no such field", allowed)
    if isinstance(value, str) and not is_unicode(value):
        return Fault("type", name, "it is no Unicode text", "give a text")
    return None


def is_unicode(text: str) -> bool:
    """Whether a text can be written to a file: no half of a pair of surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _plain(value: object) -> object:
    """Return the plain Python value of a number or a flag of any library."""
    if isinstance(value, np.bool_):
        return bool(value)
    number = to_float(value)
    return value if number is None or (type(value) is int and isfinite(number)) else number


@cache
def border() -> type[BaseModel]:
    """Make the pydantic model of given values, once."""
    columns: dict[str, Any] = {
        field.name: (_annotation(field) | None, _constraint(field)) for field in FIELDS.values()
    }
    config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    return create_model("Scenario", __config__=config, **columns)


def _annotation(field: Field) -> Any:
    if isinstance(field.domain, Number) and field.domain.whole:
        return Annotated[float, AfterValidator(_whole)]
    if field.is_number:
        return float
    return Literal[words(field)] if words(field) else str


def _whole(value: float) -> float:
    """Refuse what is only nearly whole, which ``multiple_of`` lets pass."""
    if value % 1.0:
        raise ValueError("not whole")
    return value


def _constraint(field: Field) -> Any:
    bounds: dict[str, Any] = {}
    if isinstance(field.domain, Number):
        bounds["gt" if field.domain.low_open else "ge"] = field.domain.low
        bounds["lt" if field.domain.high_open else "le"] = field.domain.high
        if field.domain.whole:
            bounds["multiple_of"] = 1.0
    extra: dict[str, Any] = {"unit": field.unit}
    return Constraint(default=None, description=field.help, json_schema_extra=extra, **bounds)


def _fault(detail: ErrorDetails) -> Fault:
    """Say in our words what pydantic found."""
    name, value = str(detail["loc"][0]), detail["input"]
    field = FIELDS.get(name)
    if field is None:
        problem = f"no such field{spelling(name, list(FIELDS))}"
        return Fault("unknown key", name, problem, "the fields are listed by: xl-tco schema")
    if detail["type"] == "literal_error" and isinstance(value, str):
        return unknown_word(value, words(field), name, field.label.lower())
    if isinstance(value, float | int) and not isinstance(value, bool) and field.is_number:
        return Fault("range", name, f"{value:g} is out of range", field.allowed)
    return Fault("type", name, f"{shown(value)} is {sort_of(value)}", field.allowed)


def words(field: Field) -> tuple[str, ...]:
    """Return the words that a field may hold; none where any text will do."""
    if field.name == "accelerator":
        return (*accelerator_keys(), ACCELERATOR_FREE)
    if field.name == "region":
        return region_keys()
    return field.domain if isinstance(field.domain, tuple) else ()

"""What a host calls: a plain Python function for each row of the table.

Hosts read a function's name, arguments and defaults from its signature, so each shell has one. On
xlwings it carries xlwings' own registration as well. That package is loaded only where it is the
host (it has been imported already, or this is Windows or the browser): elsewhere its decorators do
nothing, and it would drag in pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from types import ModuleType
from typing import Any

from xl_tco.errors import TcoError
from xl_tco.functions.function import Function
from xl_tco.functions.table import FUNCTIONS

__all__ = ["CATEGORY", "shell"]

CATEGORY = "Training TCO"


def shell(name: str) -> Callable[..., Any]:
    """Make the function that hosts call of the row of that name."""
    function = FUNCTIONS[name]
    signature = _signature(function)
    xlwings = _xlwings()

    def call(*cells: Any, **named: Any) -> Any:
        if named:
            cells = signature.bind(*cells, **named).args
        try:
            return function(*cells)
        except TcoError as error:
            if xlwings is None:
                raise
            # The one exception whose message xlwings passes on to the cell everywhere.
            raise xlwings.XlwingsError(str(error)) from None

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.help
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call if xlwings is None else _registered(call, function, xlwings)


def _xlwings() -> ModuleType | None:
    if "xlwings" in sys.modules or sys.platform in ("win32", "emscripten"):
        import xlwings

        return xlwings
    return None


def _signature(function: Function) -> Signature:
    return Signature(
        [
            Parameter(
                argument.name,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=None if argument.is_optional else Parameter.empty,
            )
            for argument in function.arguments
        ]
    )


def _registered(call: Any, function: Function, xlwings: ModuleType) -> Any:
    """Register a function with xlwings: ranges always arrive as rows, and help in the wizard."""
    for argument in function.arguments:
        told = f"{argument.help} ({argument.unit})"
        # As text, an error cell is refused; xlwings would else hand it over as an empty one.
        call = xlwings.arg(argument.name, ndim=2, err_to_str=True, doc=told)(call)
    return xlwings.func(category=CATEGORY)(call)

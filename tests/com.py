"""xlwings on Windows with a simulated COM, in an interpreter of its own.

Excel cannot run here. What runs is xlwings' own code for Windows: `_xlwindows.py` cleans what cells
hold, `com_server.py` takes the call, `udfs.py` registers, converts, calls and writes VBA. Stand-ins
are the modules of pywin32 (and the DLLs that xlwings asks ctypes for), and with them Excel itself:
ranges that know their values, and a workbook that remembers what it is told. So this proves what
xlwings does with our functions, and nothing of what Excel does with xlwings.

Run as a program it answers one session over standard input and output: see `session`. `Excel` is
for programs of their own: `benchmarks`.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

__all__ = ["ERRORS", "OUT", "Excel", "error", "over_range", "session"]

ROOT = Path(__file__).parents[1]

OUT = "(left out)"
"""An argument that the formula leaves out."""

MISSING = -2147352572  # how COM hands over an argument that was left out
RANGE_CLASS = "{00020846-0000-0000-C000-000000000046}"

ERRORS = {
    "#DIV/0!": -2146826281,
    "#N/A": -2146826246,
    "#NAME?": -2146826259,
    "#NULL!": -2146826288,
    "#NUM!": -2146826252,
    "#REF!": -2146826265,
    "#VALUE!": -2146826273,
    # Later than xlwings' list: they reach the functions as these numbers.
    "#SPILL!": -2146826243,
    "#CALC!": -2146826238,
}
"""The numbers as which COM hands over error cells (xlErrDiv0 and so on, as SCODE)."""


def error(name: str) -> dict[str, str]:
    """A cell that shows that error."""
    return {"error": name}


def over_range(rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The argument that refers to cells with these values, rather than bringing values along."""
    return {"range": rows}


def session(calls: Sequence[tuple[str, Sequence[Any]]]) -> dict[str, Any]:
    """What xlwings registered, imported and answered.

    Parameters
    ----------
    calls
        Name of each function, and its arguments: `OUT`, numbers, texts, truth values, None for
        empty cells, dates, `Decimal` for cells in a currency format, `error`, rows of these, and
        `over_range` of them.

    Returns
    -------
    ``registered``: what xlwings knows of each function; ``imported``: the text of the module that
    *Import Functions* puts into the workbook; ``described``: what it then tells Excel's function
    wizard, call by call; ``answers``: for each call what VBA gets back, or, where it gets an error,
    ``{"raised": name of the exception, "text": message}``.
    """
    path = os.pathsep.join([str(ROOT), str(ROOT / "udfs"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        input=json.dumps(calls, default=_packed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers: dict[str, Any] = json.loads(run.stdout)
    return answers


def _packed(value: object) -> dict[str, str]:
    """A cell that JSON does not know."""
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, dt.datetime):
        return {"moment": value.isoformat()}
    raise TypeError(f"{value!r} is nothing that a cell holds")


# From here on: the other interpreter.


class _Module(ModuleType):
    """A module of pywin32: whatever is asked of it is a class of exceptions that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


class _Anything:
    """A DLL, or an object of Excel's that nothing is to be learnt from."""

    def __init__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return _Anything()

    def __call__(self, *_: object) -> Any:
        return self


def _install_pywin32() -> None:
    import ctypes

    for name in (
        "pythoncom",
        "pywintypes",
        "win32api",
        "win32con",
        "win32event",
        "win32gui",
        "win32process",
        "win32timezone",
        "win32com",
        "win32com.client",
        "win32com.server",
        "win32com.server.dispatcher",
        "win32com.server.policy",
        "win32com.server.util",
    ):
        sys.modules[name] = module = _Module(name)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    sys.modules["pythoncom"].__dict__.update(
        CoInitialize=lambda: None, TypeIIDs=defaultdict(_Anything), __file__="pythoncom.dll"
    )
    # xlwings compares the type of COM's times and the id of COM's classes with these.
    sys.modules["pywintypes"].__dict__.update(
        TimeType=type("TimeType", (dt.datetime,), {}), IID=str
    )
    sys.modules["win32com.client"].__dict__.update(Dispatch=lambda thing, *_, **__: thing)
    sys.modules["win32timezone"].__dict__.update(TimeZoneInfo=SimpleNamespace(utc=lambda: dt.UTC))
    sys.modules["win32process"].__dict__.update(GetWindowThreadProcessId=lambda _: (1, 1))
    for name in ("windll", "oledll", "PyDLL"):
        setattr(ctypes, name, _Anything())


class _Range:
    """A range of Excel's: it is of the class by which xlwings knows one, and has values."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self.rows = rows
        described = SimpleNamespace(GetTypeAttr=lambda: SimpleNamespace(iid=RANGE_CLASS))
        self._oleobj_ = SimpleNamespace(GetTypeInfo=lambda: described)
        self.Worksheet = _Anything()
        self.Row = self.Column = 1
        self.Rows = SimpleNamespace(Count=len(rows))
        self.Columns = SimpleNamespace(Count=len(rows[0]))

    @property
    def Value(self) -> Any:  # noqa: N802
        """What COM hands over: a single cell bare, more as rows."""
        if len(self.rows) == len(self.rows[0]) == 1:
            return self.rows[0][0]
        return tuple(map(tuple, self.rows))


class _Workbook:
    """A workbook of Excel's that remembers which module it was given and what it was told."""

    Name = "model.xlsm"
    Worksheets = ()

    def __init__(self) -> None:
        self.module = ""
        self.described: list[list[Any]] = []
        self.Application = SimpleNamespace(Version="16.0", MacroOptions=self._macro_options)
        self.VBProject = SimpleNamespace(VBComponents=self)

    def __call__(self, name: str) -> str:
        return name

    def Remove(self, name: str) -> None: ...  # noqa: N802

    def Import(self, path: str) -> None:  # noqa: N802
        self.module = Path(path).read_text(encoding="utf-8")

    def _macro_options(self, name: str, **options: Any) -> None:
        self.described.append([name, options])


def _unpacked(cell: Any) -> Any:
    """An argument as COM hands it over."""
    if isinstance(cell, list):
        return tuple(tuple(map(_unpacked, row)) for row in cell)
    if isinstance(cell, dict):
        ((kind, value),) = cell.items()
        if kind == "range":
            return _Range([[_unpacked(inner) for inner in row] for row in value])
        if kind == "decimal":
            return Decimal(value)
        if kind == "moment":
            moment = dt.datetime.fromisoformat(value)
            return sys.modules["pywintypes"].TimeType(
                *moment.timetuple()[:6],
                tzinfo=dt.UTC,
            )
        return ERRORS[value]
    return MISSING if cell == OUT else cell


class Excel:
    """xlwings as Excel starts it on Windows, in this process, which must not have loaded it yet.

    What looks at the platform is told that it is Windows only while xlwings is loaded.
    """

    def __init__(self) -> None:
        # What looks at the platform itself comes before the platform is another: imported for that
        # alone, and not used here.
        import asyncio  # noqa: F401
        import concurrent.futures.thread  # noqa: F401

        import pandas  # noqa: F401

        assert "xlwings" not in sys.modules
        _install_pywin32()
        real, sys.platform = sys.platform, "win32"
        try:
            import xlwings.com_server
        finally:
            sys.platform = real
        self._server = xlwings.com_server.XLPython()
        self._cell = _Range([[None]])
        self.workbook = _Workbook()

    def call(self, name: str, arguments: tuple[Any, ...], module: str = "tco_udfs") -> Any:
        """Call a function as the VBA in a workbook does, with arguments of `unpacked`."""
        return self._server.CallUDF(module, name, arguments, self.workbook, self._cell)

    @staticmethod
    def unpacked(cells: Sequence[Any]) -> tuple[Any, ...]:
        """Arguments as COM hands them over; `session` says what there may be."""
        return tuple(map(_unpacked, cells))


def _main() -> None:
    excel = Excel()
    import xlwings

    import tco_udfs

    def answer(name: str, cells: list[Any]) -> Any:
        try:
            return excel.call(name, excel.unpacked(cells))
        except Exception as problem:
            return {"raised": type(problem).__name__, "text": str(problem)}

    answers = [answer(name, cells) for name, cells in json.load(sys.stdin)]
    out, sys.stdout = sys.stdout, sys.stderr  # xlwings says what it imported
    xlwings.import_udfs("tco_udfs", excel.workbook)
    registered = {
        name: member.__xlfunc__
        for name, member in vars(tco_udfs).items()
        if hasattr(member, "__xlfunc__")
    }
    json.dump(
        {
            "registered": registered,
            "imported": excel.workbook.module,
            "described": excel.workbook.described,
            "answers": answers,
        },
        out,
        default=repr,
    )


if __name__ == "__main__":
    _main()

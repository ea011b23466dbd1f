"""The functions as UNO knows them: an interface in its language, compiled for the extension.

UNO calls methods of interfaces that it has as a type library. The library is compiled where the
extension is developed, with ``unoidl-write`` of LibreOffice's SDK (Debian: libreoffice-dev), and
kept beside the text that it is compiled from, so that nobody else needs the SDK. After a change of
the table of functions, write both anew::

    python -m xl_tco.hosts.libreoffice

Every argument is an ``any``: a number, a text, a range, or nothing where it is left out. A result
is a block of cells, a single one included: Calc takes a block by no other type, and a method has
but one. Where a single one may be a text it is an ``any`` too: Calc 7 does not find a text in a
block equal to the same text elsewhere.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from xl_tco.functions import FUNCTIONS, Function
from xl_tco.hosts.libreoffice.naming import REASON, TEXTS, identifier

__all__ = ["ADD_IN", "IDL", "RDB", "UnoidlWriteError", "compiled", "interface_idl", "unoidl_write"]

ADD_IN = Path(__file__).with_name("add-in")
"""Directory of what the extension ships as it is."""

IDL = "interface.idl"
RDB = "interface.rdb"

_BLOCK = "sequence< sequence<any> >"
_SDKS = ("/usr/lib/libreoffice/sdk", "/opt/libreoffice/sdk")


class UnoidlWriteError(RuntimeError):
    """The compiler of UNO's interfaces is not there, or refuses the text."""


def interface_idl() -> str:
    """Declare every function, in UNO's interface definition language."""
    methods = "\n".join(f"    {_method(function)}" for function in FUNCTIONS.values())
    return (
        "// Made from the table of functions: python -m xl_tco.hosts.libreoffice\n"
        "module xltco {\n  interface XFunctions {\n"
        f"{methods}\n    string {identifier(REASON)}();\n"
        "  };\n};\n"
    )


def _method(function: Function) -> str:
    arguments = ", ".join(f"[in] any {identifier(a.name)}" for a in function.arguments)
    result = "any" if function.name in TEXTS else _BLOCK
    return f"{result} {identifier(function.name)}({arguments});"


def unoidl_write() -> Path | None:
    """Find the compiler: on the PATH, or where the SDK is usually installed."""
    found = shutil.which("unoidl-write")
    places = [Path(found)] if found else [Path(sdk, "bin", "unoidl-write") for sdk in _SDKS]
    return next((place for place in places if place.is_file()), None)


def compiled(idl: str, compiler: Path) -> bytes:
    """Compile an interface to a type library.

    Parameters
    ----------
    idl
        Its text.
    compiler
        Path of ``unoidl-write``.

    Raises
    ------
    UnoidlWriteError
        If the compiler refuses it; the message is the compiler's.
    """
    office = compiler.resolve().parents[2] / "program"
    with tempfile.TemporaryDirectory(prefix="interface-") as made:
        source, target = Path(made, IDL), Path(made, RDB)
        source.write_text(idl, encoding="ascii")
        command = [compiler, office / "types.rdb", source, target]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode or not target.is_file():
            raise UnoidlWriteError(run.stderr.strip() or "unoidl-write wrote nothing")
        return target.read_bytes()

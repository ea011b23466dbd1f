"""LibreOffice as a second engine: recalculated values, PDF and pictures of workbooks.

LibreOffice trusts the values that a workbook carries unless its profile says otherwise, so each
`LibreOffice` owns a profile that always recalculates. It knows nothing of this project: it gets
paths and gives values or files. It has no TCO_ functions, and some releases lack LET and XLOOKUP,
so it is an oracle for the native formulas only.
"""

import datetime as dt
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import warnings
import zlib
from collections.abc import Iterator, Sequence
from math import isclose
from pathlib import Path
from typing import NoReturn

import openpyxl
import pytest
from openpyxl.utils.datetime import to_excel
from openpyxl.workbook import Workbook

SOFFICE: str | None = shutil.which("soffice") or shutil.which("libreoffice")
PDFTOPPM: str | None = shutil.which("pdftoppm")

NEWER: str | None = os.environ.get("XL_TCO_NEWER_SOFFICE") or None
"""Path of the soffice of a second, newer office; CI unpacks one (``.ci/newer-libreoffice``)."""

OFFICES: dict[str, str | None] = {"installed": SOFFICE} | ({"newer": NEWER} if NEWER else {})
"""Path of each office for the tests that are to run in all that there are."""

REQUIRED = "XL_TCO_REQUIRE_LIBREOFFICE"
"""With this environment variable at 1, a missing program is a failure and not a skip."""

START_SECONDS = 120
FILE_SECONDS = 10

_LOCALE = """\
 <item oor:path="/org.openoffice.Setup/L10N">
  <prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>en-US</value></prop>
 </item>
"""
_ALWAYS_RECALCULATE = """\
 <item oor:path="/org.openoffice.Office.Calc/Formula/Load">
  <prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
 </item>
"""
_REGISTRY = """\
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
{items}</oor:items>
"""


class LibreOfficeError(RuntimeError):
    """LibreOffice, or pdftoppm after it, did not give what was asked for."""


def require_libreoffice() -> str:
    """Path of soffice; without it the test is skipped, or fails where CI requires it."""
    if SOFFICE is None:
        _missing("LibreOffice (soffice) is not installed: apt-get install libreoffice-calc")
    return SOFFICE


def require_pdftoppm() -> str:
    """Path of pdftoppm; without it the test is skipped, or fails where CI requires it."""
    if PDFTOPPM is None:
        _missing("pdftoppm is not installed: apt-get install poppler-utils")
    return PDFTOPPM


def _missing(reason: str) -> NoReturn:
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{reason} ({REQUIRED}=1)", pytrace=False)
    pytest.skip(reason)


class LibreOffice:
    """A headless LibreOffice with a throw-away profile of its own.

    Parameters
    ----------
    profile
        An empty or missing directory that no other LibreOffice uses at the same time.
    recalculate
        False leaves the release's default, which keeps the values that a file carries.
    soffice
        Path of the program; without it, the installed one.
    """

    def __init__(
        self, profile: Path, *, recalculate: bool = True, soffice: str | None = None
    ) -> None:
        self._soffice = soffice or SOFFICE
        self._profile = profile.resolve()
        user = self._profile / "user"
        user.mkdir(parents=True, exist_ok=True)
        items = _LOCALE + (_ALWAYS_RECALCULATE if recalculate else "")
        (user / "registrymodifications.xcu").write_text(
            _REGISTRY.format(items=items), encoding="utf-8"
        )

    def recalculated(self, paths: Sequence[Path]) -> list[Workbook]:
        """Each workbook with the values that LibreOffice calculates, in the order of `paths`.

        One call for many files: a start costs a second or two, a further file a fifth of one.
        """
        with tempfile.TemporaryDirectory(prefix="recalculated-") as made:
            files = self._convert(paths, "xlsx", Path(made))
            with warnings.catch_warnings():
                # openpyxl names the extensions of LibreOffice's own file that it leaves out.
                warnings.filterwarnings("ignore", category=UserWarning, module="openpyxl")
                return [openpyxl.load_workbook(file, data_only=True) for file in files]

    def resaved(self, paths: Sequence[Path]) -> list[bytes]:
        """Each workbook as LibreOffice saves it again, in the order of `paths`."""
        with tempfile.TemporaryDirectory(prefix="resaved-") as made:
            return [file.read_bytes() for file in self._convert(paths, "xlsx", Path(made))]

    def to_pdf(self, paths: Sequence[Path], outdir: Path) -> list[Path]:
        """Print each workbook to `outdir`/<stem>.pdf; hidden and empty sheets give no page."""
        targets = [outdir / f"{path.stem}.pdf" for path in paths]
        if len(set(targets)) < len(targets):
            raise ValueError("two workbooks of the same name would print to the same PDF")
        outdir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="printed-") as made:
            for file, target in zip(self._convert(paths, "pdf", Path(made)), targets, strict=True):
                shutil.move(file, target)
        return targets

    def to_pictures(self, path: Path, outdir: Path, dpi: int = 80) -> list[Path]:
        """Each printed page of a workbook as `outdir`/<stem>-page-NN.png, in page order.

        Pages of an earlier run on the same workbook are removed first.
        """
        if PDFTOPPM is None:
            raise LibreOfficeError("pdftoppm is not installed: apt-get install poppler-utils")
        outdir.mkdir(parents=True, exist_ok=True)
        for stale in outdir.iterdir():
            number = stale.name.removeprefix(f"{path.stem}-page-").removesuffix(".png")
            if number.isdecimal():
                stale.unlink()
        with tempfile.TemporaryDirectory(prefix="pages-") as made:
            (pdf,) = self._convert([path], "pdf", Path(made))
            command = [PDFTOPPM, "-png", "-r", str(dpi), str(pdf), str(Path(made, "page"))]
            said = _run(command, START_SECONDS)
            # pdftoppm pads its numbers only as far as the number of pages asks for.
            pages = {int(png.stem.removeprefix("page-")): png for png in Path(made).glob("*.png")}
            if not pages:
                raise LibreOfficeError(f"no picture of {path}; pdftoppm said:\n{said}")
            return [
                Path(shutil.move(pages[n], outdir / f"{path.stem}-page-{n:02d}.png"))
                for n in sorted(pages)
            ]

    def _convert(self, paths: Sequence[Path], form: str, outdir: Path) -> list[Path]:
        """Convert all `paths` in one call, to numbered files in `outdir`."""
        if not paths:
            return []
        if self._soffice is None:
            raise LibreOfficeError("soffice is not installed: apt-get install libreoffice-calc")
        with tempfile.TemporaryDirectory(prefix="sources-") as sources:
            # Numbered copies: two sources may share a name, and a lock file lies beside each.
            copies = [
                Path(shutil.copyfile(path, Path(sources, f"{n:05d}{path.suffix}")))
                for n, path in enumerate(paths)
            ]
            command = [
                self._soffice,
                f"-env:UserInstallation={self._profile.as_uri()}",
                "--headless",
                "--norestore",
                "--nolockcheck",
                "--convert-to",
                form,
                "--outdir",
                str(outdir),
                *map(str, copies),
            ]
            said = _run(command, START_SECONDS + FILE_SECONDS * len(copies))
            results = [outdir / f"{copy.stem}.{form}" for copy in copies]
            lost = [
                str(path) for path, made in zip(paths, results, strict=True) if not made.exists()
            ]
        if lost:
            # The exit code is 0 even then; only the missing file tells.
            raise LibreOfficeError(f"no {form} of {', '.join(lost)}; soffice said:\n{said}")
        return results


def _run(command: Sequence[str], seconds: float) -> str:
    """Run to the end, give stderr and the exit code as text, and leave no process behind."""
    # soffice is a script around a launcher around the program: end the whole group.
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=os.environ | {"LC_ALL": "C.UTF-8", "SAL_USE_VCLPLUGIN": "svp"},
        start_new_session=True,
    ) as process:
        try:
            _, said = process.communicate(timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                _, said = process.communicate()
                raise LibreOfficeError(
                    f"{command[0]} did not end in {seconds:g} s; it said:\n{said}"
                ) from error
            raise
    return f"{said.strip()}\n(exit code {process.returncode})"


def close(a: object, b: object, rel: float = 1e-9, absolute: float = 0.0) -> bool:
    """Whether two cell values are the same to a spreadsheet's user.

    Numbers agree within `rel` of the larger, or within `absolute` (LibreOffice snaps a difference
    of nearly equal numbers to 0, and writes 15 digits). Dates and times are compared as their
    serial numbers. An empty cell equals "" but not 0. Texts and errors such as "#VALUE!" agree
    only exactly. A truth value agrees with the same one, never with a number: LibreOffice has it
    only while the cell's format is General, and writes 1 or 0 under any other.
    """
    a, b = _plain(a), _plain(b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return isclose(a, b, rel_tol=rel, abs_tol=absolute)
    return type(a) is type(b) and a == b


def _plain(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        serial: float = to_excel(value)  # type: ignore[no-untyped-call]
        return serial
    return value


def is_blank(picture: Path) -> bool:
    """Whether every pixel of a PNG as pdftoppm writes it (8 bits, not interlaced) is white."""
    return all(value == 255 for row in _rows(picture.read_bytes()) for value in row)


def _rows(png: bytes) -> Iterator[bytearray]:
    """Rows of samples of a PNG, with its filters undone."""
    if png[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG")
    width, _, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    if bits != 8 or colour not in (0, 2) or interlaced:
        raise ValueError("only 8-bit grey or RGB pictures without interlace are read")
    step = 3 if colour == 2 else 1
    packed, at = b"", 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + size]
        at += size + 12
    data, length = zlib.decompress(packed), width * step
    above = bytearray(length)
    for start in range(0, len(data), length + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + length])
        for i in range(length if kind else 0):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            row[i] = (row[i] + _predicted(kind, left, above[i], corner)) & 255
        yield row
        above = row


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))

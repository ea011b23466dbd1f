"""LibreOffice with the extension that gives it the functions: what tests start of it.

`libreoffice` is the bare one, which knows nothing of this project.
"""

import contextlib
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from openpyxl.workbook import Workbook

from libreoffice import REQUIRED, LibreOffice, require_libreoffice
from xl_tco.functions import FUNCTIONS
from xl_tco.hosts.libreoffice import extension_bytes, programmatic_name

__all__ = ["PYTHON", "Office", "saved", "unusable", "working_office"]

SITE = Path(np.__file__).parents[1]
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


class Office:
    """LibreOffice with the extension, and a home in which NumPy and pydantic may be.

    The extension lies unpacked among those that the office brings along: `unopkg` refuses to
    install one for root, as whom CI may run.
    """

    def __init__(
        self, directory: Path, *, packages: bool = True, soffice: str | None = None
    ) -> None:
        self.soffice = soffice or require_libreoffice()
        self.bundled = directory / "bundled"
        self._home = directory / "home"
        self.profile = directory / "profile"
        self._libreoffice = LibreOffice(self.profile, soffice=self.soffice)
        with zipfile.ZipFile(io.BytesIO(extension_bytes())) as archive:
            archive.extractall(self.bundled / "xl-tco")
        folder = self._home / ".xl-tco" / PYTHON
        folder.parent.mkdir(parents=True)
        if packages:
            folder.symlink_to(SITE, target_is_directory=True)

    @contextlib.contextmanager
    def environment(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BUNDLED_EXTENSIONS", self.bundled.as_uri())
            patch.setenv("HOME", str(self._home))
            patch.delenv("PYTHONPATH", raising=False)
            yield

    def recalculated(self, *packages: bytes) -> list[Workbook]:
        """What the office calculates of each workbook."""
        with tempfile.TemporaryDirectory() as made, self.environment():
            paths = [Path(made, f"{n}.xlsx") for n in range(len(packages))]
            for path, package in zip(paths, packages, strict=True):
                path.write_bytes(package)
            return self._libreoffice.recalculated(paths)


def saved(book: Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def unusable(reason: str, *, installable: bool) -> None:
    """Skip; fail where CI requires an office, and the machine could have what is missing."""
    if installable and os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{reason} ({REQUIRED}=1)", pytrace=False)
    pytest.skip(reason)


def working_office(directory: Path, soffice: str | None = None) -> Office:
    """An office in which the functions calculate; without one the test is skipped, or fails."""
    made = Office(directory, soffice=soffice)
    asked = Workbook()
    asked.worksheets[0]["A1"] = f"={programmatic_name('TCO_VERSION')}()"
    (book,) = made.recalculated(saved(asked))
    version = book.worksheets[0]["A1"].value
    if version == "#NAME?":
        unusable("LibreOffice lacks Python: apt-get install python3-uno", installable=True)
    if "needs" in str(version):
        unusable(f"the tests run in {PYTHON}: {version}", installable=False)
    assert version == FUNCTIONS["TCO_VERSION"]()
    return made

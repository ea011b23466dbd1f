"""The extension for LibreOffice Calc: one .oxt file, the same for Linux, Mac and Windows.

It carries the functions' own modules, so that only NumPy and pydantic have to be in LibreOffice's
Python. The same version of xl-tco gives the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from xl_tco._version import __version__
from xl_tco.hosts.libreoffice.interface import ADD_IN, RDB
from xl_tco.hosts.libreoffice.registration import calc_add_ins

__all__ = ["FILE_NAME", "IDENTIFIER", "extension_bytes"]

FILE_NAME = "xl-tco.oxt"
"""What the file is usually called."""

IDENTIFIER = "xltco.functions"
"""By which LibreOffice knows that a newer one replaces it."""

_COMPONENT = "component.py"
_DESCRIPTION = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<description xmlns="http://openoffice.org/extensions/description/2006">
  <identifier value="{IDENTIFIER}"/>
  <version value="{{version}}"/>
  <display-name>
    <name lang="en">xl-tco: what it costs to train a model</name>
  </display-name>
  <dependencies xmlns:l="http://libreoffice.org/extensions/description/2011">
    <l:LibreOffice-minimal-version value="7.4" name="LibreOffice 7.4"/>
  </dependencies>
</description>
"""
_MANIFEST = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest">
  <manifest:file-entry manifest:full-path="{RDB}"
    manifest:media-type="application/vnd.sun.star.uno-typelibrary;type=RDB"/>
  <manifest:file-entry manifest:full-path="{_COMPONENT}"
    manifest:media-type="application/vnd.sun.star.uno-component;type=Python"/>
  <manifest:file-entry manifest:full-path="CalcAddIns.xcu"
    manifest:media-type="application/vnd.sun.star.configuration-data"/>
</manifest:manifest>
"""
_EARLIEST = (1980, 1, 1, 0, 0, 0)

_PACKAGE = Path(__file__).parents[2]
_CARRIED = (".py", ".csv", ".toml")
_LEFT_OUT = ("cli", "display", "workbook", "templates", "__main__.py", "hosts/libreoffice/add-in")
"""Parts of the package that no function needs."""


def extension_bytes() -> bytes:
    """Pack the extension: what *Tools ▸ Extension Manager ▸ Add* takes, saved as `FILE_NAME`."""
    entries = {
        "META-INF/manifest.xml": _MANIFEST.encode(),
        "description.xml": _DESCRIPTION.format(version=__version__).encode(),
        "CalcAddIns.xcu": calc_add_ins(),
        **{name: (ADD_IN / name).read_bytes() for name in (RDB, _COMPONENT)},
        **_modules(),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0
            archive.writestr(info, entries[name])
    return buffer.getvalue()


def _modules() -> dict[str, bytes]:
    """Return the modules and tables that the functions need, by their names in the extension."""
    found = {path.relative_to(_PACKAGE): path for path in _PACKAGE.rglob("*")}
    return {
        f"pythonpath/{_PACKAGE.name}/{name.as_posix()}": path.read_bytes()
        for name, path in found.items()
        if path.suffix in _CARRIED and not any(map(name.is_relative_to, _LEFT_OUT))
    }

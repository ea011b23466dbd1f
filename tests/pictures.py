"""Turn each printed page of a workbook into a picture: python tests/pictures.py FILE.xlsx OUTDIR.

For developers, by way of `make pictures`: look at every page before calling a sheet done. The
pictures show the values that the workbook carries: its formulas are left out first, as LibreOffice
calculates arrays anew and knows no TCO_ function.
"""

import argparse
import re
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from libreoffice import LibreOffice, LibreOfficeError, is_blank


def main(arguments: list[str] | None = None) -> int:
    """Write the pictures, print their paths, and say which pages are blank."""
    parser = argparse.ArgumentParser(description="Turn each page of a workbook into a PNG.")
    parser.add_argument("file", type=Path, help="workbook, for instance out/model.xlsx")
    parser.add_argument("outdir", type=Path, help="directory for <name>-page-NN.png")
    parser.add_argument("--dpi", type=int, default=100, help="dots per inch (default: 100)")
    parser.add_argument(
        "--recalculate",
        action="store_true",
        help="show LibreOffice's own values, not those the workbook carries",
    )
    given = parser.parse_args(arguments)
    if not given.file.is_file():
        parser.error(f"no such file: {given.file}")
    with tempfile.TemporaryDirectory(prefix="profile-") as profile:
        office = LibreOffice(Path(profile), recalculate=given.recalculate)
        shown = given.file
        if not given.recalculate:
            shown = Path(profile, given.file.name)
            shown.write_bytes(values_only(given.file.read_bytes()))
        try:
            pages = office.to_pictures(shown, given.outdir, given.dpi)
        except LibreOfficeError as error:
            print(error, file=sys.stderr)
            return 1
    for page in pages:
        print(f"{page} (blank)" if is_blank(page) else page)
    return 0


def values_only(package: bytes) -> bytes:
    """The workbook with the values of its formulas in their place."""
    made = BytesIO()
    with ZipFile(BytesIO(package)) as old, ZipFile(made, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                part = re.sub(rb"<f\b[^>]*?(?:/>|>.*?</f>)", b"", part, flags=re.DOTALL)
            new.writestr(name, part)
    return made.getvalue()


if __name__ == "__main__":
    sys.exit(main())

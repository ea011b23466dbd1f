"""Turn each printed page of a workbook into a picture: python tests/pictures.py FILE.xlsx OUTDIR.

For developers, by way of `make pictures`: look at every page before calling a sheet done.
"""

import argparse
import sys
import tempfile
from pathlib import Path

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
        try:
            pages = office.to_pictures(given.file, given.outdir, given.dpi)
        except LibreOfficeError as error:
            print(error, file=sys.stderr)
            return 1
    for page in pages:
        print(f"{page} (blank)" if is_blank(page) else page)
    return 0


if __name__ == "__main__":
    sys.exit(main())

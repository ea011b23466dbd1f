"""Write the interface and its compiled form anew: ``python -m xl_tco.hosts.libreoffice``."""

import sys

from xl_tco.hosts.libreoffice.interface import (
    ADD_IN,
    IDL,
    RDB,
    UnoidlWriteError,
    compiled,
    interface_idl,
    unoidl_write,
)


def main() -> None:
    """Write both files beside the component, or say what is missing."""
    compiler = unoidl_write()
    if compiler is None:
        sys.exit("unoidl-write is not installed: apt-get install libreoffice-dev")
    idl = interface_idl()
    try:
        library = compiled(idl, compiler)
    except UnoidlWriteError as error:
        sys.exit(str(error))
    (ADD_IN / IDL).write_text(idl, encoding="ascii")
    (ADD_IN / RDB).write_bytes(library)


if __name__ == "__main__":
    main()

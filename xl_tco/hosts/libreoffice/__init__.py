"""LibreOffice Calc: an extension with the functions, and the names that older releases need.

``naming`` says what Calc calls a function, ``interface`` declares the functions to UNO,
``registration`` describes them to Calc, ``extension`` packs the one file that a user installs, and
``calling`` is what runs in Calc when a cell is calculated. ``add-in`` holds what is shipped as it
is: the UNO component, and the interface with its compiled form.
"""

from xl_tco.hosts.libreoffice.extension import FILE_NAME, extension_bytes
from xl_tco.hosts.libreoffice.naming import (
    plain_names,
    programmatic_name,
    programmatic_names,
)

__all__ = [
    "FILE_NAME",
    "extension_bytes",
    "plain_names",
    "programmatic_name",
    "programmatic_names",
]

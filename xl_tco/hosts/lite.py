"""xlwings Lite: Python within Excel for Windows, Mac and web, with none to install [1]_.

Lite runs Pyodide, CPython in WebAssembly (``sys.platform`` is "emscripten"), and keeps two files in
the workbook: ``main.py``, whose functions become Excel's, and ``requirements.txt``, from which it
installs. Its functions have no namespace: they are typed as everywhere else.

Lite also knows plugins, packages whose functions register themselves [2]_. How a package declares
itself one is not settled by what we could read and try, so none is made here.

References
----------
.. [1] https://lite.xlwings.org/quickstart, https://lite.xlwings.org/dependencies
.. [2] https://lite.xlwings.org/plugins
"""

from __future__ import annotations

from xl_tco._version import __version__
from xl_tco.errors import Fault, InputError

__all__ = ["MAIN", "NEEDED", "REQUIREMENTS", "lite_main", "lite_requirements"]

MAIN = "main.py"
REQUIREMENTS = "requirements.txt"

NEEDED = ("numpy", "pydantic", "scipy", "xlwings")
"""What the functions import there. SciPy only when TCO_SOLVE, TCO_TOKENS_FOR_BUDGET or
TCO_BREAKEVEN has to search, and for correlations and all but triangular and uniform ranges."""


def lite_main() -> str:
    """Return what to put into the workbook's main.py."""
    return '''\
"""The functions of xl-tco: type =TCO_TOTAL(...) into a cell."""

from tco_udfs import *  # noqa: F403
'''


def lite_requirements(wheel: str = "") -> str:
    """Return what to put into the workbook's requirements.txt.

    Parameters
    ----------
    wheel
        Address of a wheel of xl-tco to install; without it, this version is taken from PyPI.

    Raises
    ------
    InputError
        If it is no https address of a wheel for any platform.
    """
    ours = f"xl-tco=={__version__}"
    if wheel:
        if not wheel.startswith("https://") or not wheel.endswith("-py3-none-any.whl"):
            problem = "it is no address that a browser can install from"
            allowed = "give one that starts with https:// and ends with -py3-none-any.whl"
            raise InputError([Fault("type", "wheel", problem, allowed)])
        ours = wheel
    # Those that Pyodide brings have the version of the Pyodide at hand: pinning one breaks it.
    return "\n".join([*NEEDED, ours, ""])

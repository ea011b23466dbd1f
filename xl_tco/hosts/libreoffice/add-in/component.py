"""The functions of xl-tco as an add-in of LibreOffice Calc.

LibreOffice loads this file in its own Python. What computes stands in ``pythonpath`` beside it;
NumPy and pydantic must be in that Python, or in a folder of the user's home that is named after its
version, such as ``.xl-tco/python3.11``. Whatever is missing, a cell says so: the add-in itself
runs in any Python that a LibreOffice has had since 7.4, so it is written for 3.8.
"""

# mypy: ignore-errors
# ruff: noqa: N802, N816, UP

import functools
import os
import re
import sys

import unohelper
from com.sun.star.lang import XServiceInfo
from com.sun.star.uno import RuntimeException
from xltco import XFunctions

IMPLEMENTATION = "xltco.Functions"
SERVICES = (IMPLEMENTATION, "com.sun.star.sheet.AddIn")
PYTHON = (3, 11)
NEEDED = {"numpy": "2.0", "pydantic": "2.9"}

_VERSION = "{}.{}".format(*sys.version_info)
_HOME = os.path.join(os.path.expanduser("~"), ".xl-tco", "python" + _VERSION)

# The copy that the extension carries comes first: it is the one that the functions here belong to.
_CARRIED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pythonpath")
sys.path[:] = [_CARRIED, _HOME] + [path for path in sys.path if path not in (_CARRIED, _HOME)]


class Functions(unohelper.Base, XFunctions, XServiceInfo):
    """Every function of the interface as a method: ``tcoFlops`` is TCO_FLOPS."""

    def __init__(self, _context):
        self._reason = "no function has failed"

    def __getattr__(self, method):
        if not re.match("tco[A-Z]", method):
            raise AttributeError(method)
        name = re.sub("(?=[A-Z])", "_", method).upper()
        return functools.partial(self._call, name)

    def _call(self, name, *cells):
        try:
            return _block()(name, cells)
        except ImportError as error:
            # A text in the cell, as there is no error value that says what to install.
            return ((_first_line(error),),)
        except Exception as error:
            self._reason = str(error) or type(error).__name__
            raise RuntimeException(self._reason, self) from None

    def tcoReason(self):
        """Say why the last call failed that did."""
        return self._reason

    def getImplementationName(self):
        """Name of this component."""
        return IMPLEMENTATION

    def supportsService(self, name):
        """Whether it is a service of that name."""
        return name in SERVICES

    def getSupportedServiceNames(self):
        """Names of the services that it is; Calc looks for the second."""
        return SERVICES


@functools.lru_cache(maxsize=1)
def _block():
    """Return what calculates a function; ImportError says what this Python lacks for it."""
    if sys.version_info < PYTHON:
        needed = "xl-tco needs a LibreOffice with Python {}.{} or newer".format(*PYTHON)
        raise ImportError(f"{needed}; this one has {_VERSION}")
    for package, least in NEEDED.items():
        found = _version(package)
        if found is None or _parts(found) < _parts(least):
            raise ImportError(
                f"xl-tco needs {package} {least} or newer in LibreOffice's Python {_VERSION} and "
                f"finds {found or 'none'}. Python {_VERSION} installs it with: "
                f'-m pip install --target "{_HOME}" {" ".join(NEEDED)}'
            )
    from xl_tco.hosts.libreoffice.calling import block

    return block


def _version(package):
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _parts(version):
    return [int(number) for number in re.findall("[0-9]+", version)[:2]]


def _first_line(error):
    return str(error).strip().partition("\n")[0] or type(error).__name__


g_ImplementationHelper = unohelper.ImplementationHelper()
g_ImplementationHelper.addImplementation(Functions, IMPLEMENTATION, SERVICES)

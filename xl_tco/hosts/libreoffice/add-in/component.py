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

import uno
import unohelper
from com.sun.star.lang import XServiceInfo
from com.sun.star.sheet import ResultEvent, XVolatileResult
from com.sun.star.uno import RuntimeException
from xltco import XFunctions

IMPLEMENTATION = "xltco.Functions"
INTERFACE = "xltco.XFunctions"
SERVICES = (IMPLEMENTATION, "com.sun.star.sheet.AddIn")
NO_REASON = "xl-tco has refused nothing: the error is in an argument, or it is that of another cell"
PYTHON = (3, 11)
NEEDED = {"numpy": "2.0", "pydantic": "2.9"}

_VERSION = "{}.{}".format(*sys.version_info)
_HOME = os.path.join(os.path.expanduser("~"), ".xl-tco", "python" + _VERSION)

# The copy that the extension carries comes first: it is the one that the functions here belong to.
_CARRIED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pythonpath")
sys.path[:] = [_CARRIED, _HOME] + [path for path in sys.path if path not in (_CARRIED, _HOME)]


class Functions(unohelper.Base, XFunctions, XServiceInfo):
    """Every function of the interface as a method: ``tcoFlops`` is TCO_FLOPS."""

    def __init__(self, context):
        reflection = "com.sun.star.reflection.CoreReflection"
        create = context.ServiceManager.createInstanceWithContext
        methods = create(reflection, context).forName(INTERFACE).Methods
        self._bare = {method.Name for method in methods if method.ReturnType.Name == "any"}
        self._reason = NO_REASON

    def __getattr__(self, method):
        if not re.match("tco[A-Z]", method):
            raise AttributeError(method)
        name = re.sub("(?=[A-Z])", "_", method).upper()
        call = functools.partial(self._call, name)
        return (lambda *cells: _as_any(call(*cells))) if method in self._bare else call

    def _call(self, name, *cells):
        self._reason = NO_REASON
        try:
            return _block()(name, cells)
        except ImportError as error:
            # A text in the cell, as there is no error value that says what to install.
            return ((_first_line(error),),)
        except Exception as error:
            self._reason = str(error) or type(error).__name__
            raise RuntimeException(self._reason, self) from None

    def tcoReason(self):
        """Say why the last call failed, and forget it: the next to ask has another failure."""
        reason, self._reason = self._reason, NO_REASON
        return reason

    def getImplementationName(self):
        """Name of this component."""
        return IMPLEMENTATION

    def supportsService(self, name):
        """Whether it is a service of that name."""
        return name in SERVICES

    def getSupportedServiceNames(self):
        """Names of the services that it is; Calc looks for the second."""
        return SERVICES


class Rows(unohelper.Base, XVolatileResult):
    """A block of cells where an ``any`` is due, as which Python cannot hand one over.

    Calc listens for such a result, and is told of it at once. It never changes.
    """

    def __init__(self, rows):
        self._told = ResultEvent()
        self._told.Value = uno.Any("[][]any", rows)

    def addResultListener(self, listener):
        """Tell Calc the block."""
        listener.modified(self._told)

    def removeResultListener(self, listener):
        """There is nothing to forget."""


# Calc keeps one listener for each of these until the document is closed: so one for equal blocks.
_rows = functools.lru_cache(maxsize=1000)(Rows)


def _as_any(rows):
    """Return a single value bare, which Calc 7 needs to find a text equal to another."""
    return rows[0][0] if len(rows) == len(rows[0]) == 1 else _rows(rows)


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

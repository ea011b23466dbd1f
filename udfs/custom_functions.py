"""The spreadsheet functions of xl-tco, for xlwings Server.

The server imports a module of this name and offers what is in it. Where a project has a package
``custom_functions`` of its own, the two imports below go into its ``__init__.py``. xlwings Server
is not free for commercial use: see docs/server.md. Nothing else of xl-tco needs it.
"""

import xlwings  # noqa: F401  # first: the functions register with it only if it is there

from tco_udfs import *  # noqa: F403
from tco_udfs import __all__  # noqa: F401

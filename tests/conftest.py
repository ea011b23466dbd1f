"""Fixtures that more than one test module uses."""

import os

import pytest
from hypothesis import settings

from libreoffice import LibreOffice, require_libreoffice, require_pdftoppm

# No deadline: the first example to cost a scenario loads what costing needs. In CI the examples are
# always the same, so that a red run says something of the change; at home they are new each time.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def libreoffice(tmp_path_factory: pytest.TempPathFactory) -> LibreOffice:
    """LibreOffice that recalculates what it opens, with a profile for this worker alone."""
    require_libreoffice()
    return LibreOffice(tmp_path_factory.mktemp("libreoffice"))


@pytest.fixture(scope="session")
def libreoffice_viewer(tmp_path_factory: pytest.TempPathFactory) -> LibreOffice:
    """LibreOffice as a reader meets it: it shows the values a file carries. For pictures.

    The recalculating one would print #NAME? in every cell that calls a TCO_ function.
    """
    require_libreoffice()
    require_pdftoppm()
    return LibreOffice(tmp_path_factory.mktemp("viewer"), recalculate=False)

"""Fixtures that more than one test module uses."""

import pytest
from libreoffice import LibreOffice, require_libreoffice, require_pdftoppm


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

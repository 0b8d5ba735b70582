"""What several contracts share: an export is made once for all of them, by whoever needs it."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")

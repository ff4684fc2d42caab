from __future__ import annotations

import pytest

from vendor_archive import Archive


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "archive")

"""Fixtures: one Spark session for all tests, and the lent data where it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("regesta", deadline=None)  # no test asserts how long something takes
settings.load_profile("regesta")

LENT = Path(os.environ.get("REGESTA_SHARED_DATA", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A local session with Delta and GraphFrames, small enough for tables of a few rows."""
    from regesta.session import start_session

    session = start_session(
        {
            # Tables of a few rows: partitions, generated code and adaptive plans are pure cost.
            "spark.sql.shuffle.partitions": "1",
            "spark.default.parallelism": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.adaptive.enabled": "false",
            "spark.shuffle.compress": "false",
            "spark.driver.memory": "3g",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark-warehouse")),
        },
        master="local[2]",
        name="regesta tests",
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def lent():
    """Return the path of a lent file, or skip the test, saying which file is missing."""

    def find(*parts: str) -> Path:
        path = LENT.joinpath(*parts)
        if not path.exists():
            pytest.skip(f"lent data not found: {'/'.join(parts)}")
        return path

    return find


def pytest_collection_modifyitems(items):
    """Begin with what takes long, so that no process is left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped because the lent data is not there."""
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = sum("lent data not found" in str(report.longrepr) for report in skipped)
    terminalreporter.write_line(f"{wanting} tests were skipped for want of lent data.")

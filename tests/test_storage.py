"""What is said of a full disk and of damaged files."""

from __future__ import annotations

import errno

import pytest

from regesta.errors import StorageError
from regesta.warehouse.damage import told

READING = "Encountered error while reading file file:///w/"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full"),
        (Exception("o1.save.\n: java.io.IOException: No space left on device"), "The disk is full"),
        (
            Exception(f": [FAILED_READ_FILE.NO_HINT] {READING}tables/facts/part-0.parquet.  SQL"),
            "file:///w/tables/facts/part-0.parquet is damaged or missing, so the table facts",
        ),
        (
            Exception(
                "[DELTA_TRUNCATED_TRANSACTION_LOG] "
                "hdfs://h/w/generations/2/tables/facts/_delta_log/00000000000000000000.json: Unable"
            ),
            "/w/generations/2/tables/facts/_delta_log/00000000000000000000.json is damaged or",
        ),
    ],
)
def test_storage_is_told_in_words(error, said):
    assert said in str(told(error))


@pytest.mark.parametrize(
    ("table", "remedy"),
    [("facts", "rebuild --new-generation"), ("episodes", "can't be derived"), ("batches", "can't")],
)
def test_the_remedy_depends_on_what_is_damaged(table, remedy):
    error = Exception(f"[FAILED_READ_FILE.NO_HINT] {READING}tables/{table}/x.parquet.")
    assert isinstance(told(error), StorageError)
    assert remedy in str(told(error))


@pytest.mark.parametrize(
    "text",
    [
        f"[FAILED_READ_FILE.NO_HINT] {READING}archive/tickets.parquet.",
        "tables/facts/part-0.parquet",
        "[UNRESOLVED_COLUMN] no such column",
    ],
)
def test_other_errors_are_not_told_as_storage(text):
    assert told(Exception(text)) is None

"""What Spark, Delta and the operating system say of a full disk or a damaged file, in words."""

from __future__ import annotations

import re
from typing import Final

from regesta import model
from regesta.errors import StorageError

_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded|File too large")
_UNREADABLE: Final = re.compile(r"\[(?:FAILED_READ_FILE|CANNOT_READ_FILE|DELTA_)[A-Z_.]*\]")
_TABLE_FILE: Final = re.compile(r"[a-z0-9]+:/[^\s\]]*/tables/([a-z_]+)/[^\s\]]*[^\s\].,;:]")


def told(error: BaseException) -> StorageError | None:
    """Return what an error says of the warehouse's storage; None where it is about anything else.

    The errors come from Java as texts with their causes, so it is the texts that are looked at.
    """
    text = str(error)
    if full := _FULL.search(text):
        return StorageError(
            f"The disk is full ({full[0]}). Nothing that was complete is lost: free some space, "
            "then start the same command again; it goes on where it stopped."
        )
    found = _TABLE_FILE.search(text) if _UNREADABLE.search(text) else None
    if found is None or found[1] not in model.TABLES:
        return None
    return StorageError(
        f"{found[0]} is damaged or missing, so the table {found[1]} can't be read. The batch is "
        f"not complete; readers keep the one before. {_remedy(found[1])}"
    )


def _remedy(table: str) -> str:
    back = "put the file back from a backup of the warehouse and start the same command again"
    if table in model.DERIVED:
        return (
            f"Either {back}, or derive the tables again from what was recorded: `regesta rebuild "
            "--new-generation`."
        )
    return f"The table can't be derived from others: {back}."

"""Writes the demo archive: python conf/demo/generator

Everything comes from fixed lists, so that every run writes the same bytes. Acme and its neighbours
carry the stories that tests/test_demo.py checks; the rest is variety. A folder holds what arrived
until its date.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from accounts import LATE_FILES, accounts
from contacts import contacts
from contracts import contracts
from messages import messages
from notes import notes
from tickets import tickets

ARCHIVE = Path(__file__).parents[1] / "archive"
NIGHTS = ("2024-04-01", "2024-05-01", "2024-07-01")


def night(name: str) -> str:
    """Return the night on which a file arrives: the first after the month in its name, or later."""
    month = LATE_FILES.get(name) or name.split("/")[1][: len("2024-01")]
    return next(each for each in NIGHTS if month < each[: len(month)])


def main() -> None:
    """Write every file of the archive."""
    shutil.rmtree(ARCHIVE, ignore_errors=True)
    files = {**accounts(), **contacts(), **tickets(), **contracts(), **messages(), **notes()}
    for name, text in files.items():
        path = ARCHIVE / night(name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


if __name__ == "__main__":
    main()

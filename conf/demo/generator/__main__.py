"""Writes the demo archive: python conf/demo/generator

Everything comes from fixed lists, so that every run writes the same bytes. Acme and its neighbours
carry the stories that tests/test_demo.py checks; the rest is variety.
"""

from __future__ import annotations

from pathlib import Path

from accounts import accounts
from contacts import contacts
from contracts import contracts
from tickets import tickets

ARCHIVE = Path(__file__).parents[1] / "archive"


def main() -> None:
    """Write every file of the archive."""
    for name, text in {**accounts(), **contacts(), **tickets(), **contracts()}.items():
        path = ARCHIVE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


if __name__ == "__main__":
    main()

"""What a task has taken up and been answered, kept file by file while it sends.

A run of a step has a folder of its own below the step's; `taken` lists the requests before any of
them is sent, `answers` holds what came back. Files appear whole, so a killed run leaves what it had
written, and the requests taken up without an answer are those that were in flight.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pyarrow import fs

from regesta.query.store import resolve

TAKEN, ANSWERS = "taken", "answers"


class Spool:
    """The files of one attempt at one partition, below `root`: see `query.store.resolve`."""

    def __init__(self, root: str, name: str) -> None:
        self._system, self._root = resolve(root)
        self._name = name
        self._written = 0
        for folder in (TAKEN, ANSWERS):
            self._system.create_dir(f"{self._root}/{folder}", recursive=True)

    def take(self, keys: Iterable[str]) -> None:
        """Write down which requests are sent from now on."""
        self._write(TAKEN, ({"request_key": key} for key in keys))

    def keep(self, answers: Iterable[dict[str, Any]]) -> None:
        """Write down answers; they are safe when this returns."""
        self._write(ANSWERS, answers)

    def answered(self) -> set[str]:
        """Return the requests that earlier attempts at this partition have kept answers to."""
        partition = self._name.split("-", 1)[0]
        chosen = fs.FileSelector(f"{self._root}/{ANSWERS}")
        keys: set[str] = set()
        for each in self._system.get_file_info(chosen):
            if each.base_name.startswith(f"{partition}-"):
                with self._system.open_input_stream(each.path) as stream:
                    lines = stream.read().decode().splitlines()
                keys.update(json.loads(line)["request_key"] for line in lines)
        return keys

    def _write(self, folder: str, rows: Iterable[dict[str, Any]]) -> None:
        # One file name per attempt and turn: two attempts at a partition never share one.
        name = f"{self._name}-{self._written:06d}.json"
        self._written += 1
        hidden, shown = f"{self._root}/{folder}/_{name}", f"{self._root}/{folder}/{name}"
        text = "".join(json.dumps(row) + "\n" for row in rows)
        with self._system.open_output_stream(hidden) as stream:
            stream.write(text.encode())
        self._system.move(hidden, shown)

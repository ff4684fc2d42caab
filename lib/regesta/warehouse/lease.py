"""One run at a time: a lease file with a holder, renewed while it runs, and a fencing number.

A lease is abandoned when its process on this machine is gone, or when it was not renewed for
`ABANDONED_AFTER` seconds, by the time that the file system gives its file. An abandoned lease is
taken over; a run that lost its lease so stops at its next step.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from regesta.errors import BusyError
from regesta.warehouse.files import Files

LEASE: Final = "_lease.json"
FENCE: Final = "_fence.json"
RENEWED_EVERY: Final = 60.0
ABANDONED_AFTER: Final = 15 * 60.0

_held_here: set[str] = set()


@dataclass
class Lease:
    """A lease that this run holds; `abandoned` tells whose it was, if it was taken over."""

    files: Files
    text: str
    abandoned: str | None = None
    failure: Exception | None = None

    def confirm(self) -> None:
        """Make sure that the lease is still this run's.

        Raises:
            BusyError: another run has taken it over.
        """
        if self.failure is not None:
            raise self.failure
        if not self._is_mine():
            raise BusyError(
                f"This run has lost its lease on {self.files.root}: it gave no sign of life for "
                f"{ABANDONED_AFTER / 60:.0f} minutes, and another run took over. Nothing of it is "
                "lost; start again when that run has ended."
            )

    def keep(self, ended: threading.Event) -> None:
        """Renew the lease until `ended`; what goes wrong is told by `confirm`."""
        while not ended.wait(RENEWED_EVERY):
            try:
                if self._is_mine():
                    self.files.write(LEASE, self.text)
            except Exception as error:
                self.failure = error
                return

    def release(self) -> None:
        """Give the lease back, unless another run has it by now."""
        if self._is_mine():
            self.files.delete(LEASE)

    def _is_mine(self) -> bool:
        return self.files.exists(LEASE) and self.files.read(LEASE) == self.text


@contextmanager
def lease(files: Files) -> Iterator[Lease]:
    """Hold the warehouse's lease; its fencing number grows with every lease.

    Raises:
        BusyError: another run holds the lease; the message says which, and when it was renewed.
    """
    held = _acquired(files)
    _held_here.add(held.text)
    ended = threading.Event()
    renewing = threading.Thread(target=held.keep, args=(ended,), daemon=True)
    renewing.start()
    try:
        yield held
    finally:
        ended.set()
        renewing.join()
        _held_here.discard(held.text)
        held.release()


def _acquired(files: Files) -> Lease:
    abandoned = _abandoned(files) if files.exists(LEASE) else None
    number = _last_fence(files) + 1
    mine = {"host": socket.gethostname(), "process": os.getpid(), "fence": number}
    held = Lease(files, json.dumps(mine), abandoned)
    if abandoned is not None:
        files.delete(LEASE)
    if not files.create(LEASE, held.text):
        raise BusyError(f"Another run has just taken {files.root}: start again when it has ended.")
    files.write(FENCE, json.dumps({"fence": number}))
    held.confirm()
    return held


def _last_fence(files: Files) -> int:
    return int(files.read_json(FENCE)["fence"]) if files.exists(FENCE) else 0


def _abandoned(files: Files) -> str:
    """Return whose lease can be taken over, and why; raises BusyError where it can't."""
    text = files.read(LEASE)
    age = max(0.0, time.time() - files.modified_at(LEASE))
    holder = _holder(text)
    told = f"process {holder['process']} on {holder['host']}" if holder else "an unknown process"
    if age >= ABANDONED_AFTER:
        return f"{told}, not renewed for {age / 60:.0f} minutes"
    if holder and _is_gone(holder, text):
        return f"{told}, which is gone"
    raise BusyError(
        f"Another run holds {files.root}: {told}, renewed {age:.0f} seconds ago. Wait for it to "
        "end. A run that died is noticed at once on its own machine, and on any other "
        f"{ABANDONED_AFTER / 60:.0f} minutes after it last renewed its lease."
    )


def _holder(text: str) -> dict[str, Any] | None:
    """Return who holds a lease; None where the file was not written whole."""
    try:
        holder = json.loads(text)
        return {"host": str(holder["host"]), "process": int(holder["process"])}
    except (ValueError, KeyError, TypeError):
        return None


def _is_gone(holder: dict[str, Any], text: str) -> bool:
    if holder["host"] != socket.gethostname():
        return False
    if holder["process"] == os.getpid():
        return text not in _held_here
    try:
        os.kill(holder["process"], 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False

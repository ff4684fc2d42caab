"""One run at a time: a lease file with an expiry, a holder and a fencing number."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from regesta.errors import BusyError
from regesta.warehouse.files import Files

LEASE = "_lease.json"
FENCE = "_fence.json"
LEASE_SECONDS = 12 * 3600


@contextmanager
def lease(files: Files) -> Iterator[int]:
    """Hold the warehouse's lease; give its fencing number, which grows with every lease.

    A lease that has expired, or whose process on this machine is gone, is taken over.

    Raises:
        BusyError: another run holds the lease; the message says which, and until when.
    """
    number = _next_fence(files)
    mine = json.dumps(
        {
            "host": socket.gethostname(),
            "process": os.getpid(),
            "expires": int(time.time()) + LEASE_SECONDS,
            "fence": number,
        }
    )
    if not files.create(LEASE, mine):
        _take_over(files, mine)
    try:
        yield number
    finally:
        if files.exists(LEASE) and json.loads(files.read(LEASE))["fence"] == number:
            files.delete(LEASE)


def _next_fence(files: Files) -> int:
    last = json.loads(files.read(FENCE))["fence"] if files.exists(FENCE) else 0
    files.write(FENCE, json.dumps({"fence": last + 1}))
    return int(last) + 1


def _take_over(files: Files, mine: str) -> None:
    held = json.loads(files.read(LEASE))
    expired = held["expires"] <= time.time()
    if not expired and not _is_gone(held["host"], held["process"]):
        until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(held["expires"]))
        raise BusyError(
            f"Another run holds {files.root}: process {held['process']} on {held['host']}, until "
            f"{until} at the latest. Wait for it to end; a run that died is noticed on its machine."
        )
    files.delete(LEASE)
    if not files.create(LEASE, mine):
        raise BusyError(f"Another run has just taken {files.root}: start again when it has ended.")


def _is_gone(host: str, process: int) -> bool:
    if host != socket.gethostname():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return process == os.getpid()

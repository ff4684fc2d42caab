"""Run a command and measure its seconds and the peak memory of its whole process tree (Linux)."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS_BETWEEN_SAMPLES = 0.5
PROC = Path("/proc")


@dataclass(frozen=True)
class Measured:
    """Wall seconds, and the largest sum of proportional set sizes seen, in bytes."""

    seconds: float
    peak_bytes: int


def measure(command: Sequence[str], *, log: Path, environment: Mapping[str, str]) -> Measured:
    """Run a command to its end, with what it prints added to `log`.

    Raises:
        RuntimeError: it failed; the message has the last lines that it printed.
    """
    begin = time.perf_counter()
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **environment}
        )
        peak = Peak(process.pid)
        code = process.wait()
    seconds = time.perf_counter() - begin
    if code != 0:
        last = "\n".join(log.read_text("utf-8", "replace").splitlines()[-20:])
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{last}")
    return Measured(round(seconds, 1), peak.stop())


class Peak:
    """Samples the memory of a process, by default this one, and its descendants in a thread."""

    def __init__(self, root: int | None = None) -> None:
        self._root = os.getpid() if root is None else root
        self._bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """End the sampling and return the peak."""
        self._ended.set()
        self._thread.join()
        return self._bytes

    def _watch(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_SAMPLES):
            self._bytes = max(self._bytes, sum(map(_proportional_bytes, _tree(self._root))))


def _tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (parent := _parent(int(entry.name))) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found.extend(children.get(process, ()))
    return found


def _parent(process: int) -> int | None:
    try:
        stat = (PROC / str(process) / "stat").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return None
    return int(stat.rpartition(")")[2].split()[1])


def _proportional_bytes(process: int) -> int:
    try:
        rollup = (PROC / str(process) / "smaps_rollup").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    sizes = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
    return int(sizes[0]) * 1024 if sizes else 0

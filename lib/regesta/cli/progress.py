"""Progress of long steps: what runs, how much of it is done, at what rate."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from regesta.context import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY_SECONDS = 2.0


def reporter(spark: SparkSession, *, quiet: bool = False) -> Report:
    """Return a function that prints a step's line on stderr.

    On a terminal a line below it shows the tasks done and left of the Spark stages that run.
    """
    if quiet:
        return lambda text: None  # noqa: ARG005
    ticker = _Ticker(spark) if sys.stderr.isatty() else None

    def report(text: str) -> None:
        if ticker is not None:
            ticker.clear()
            ticker.step = text.removesuffix(" ...")
        if not text.endswith(" ...") or ticker is None:
            print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)  # noqa: T201

    return report


def counting(what: str, total: int) -> Callable[[int], None]:
    """Return a function that takes how many more are done and prints a line on stderr now and then.

    The line says how many of `total` are done, at what rate, and how long the rest will take.
    """
    begun = time.monotonic()
    done, printed = 0, begun

    def report(more: int) -> None:
        """Count `more` as done; print a line now and then, and at the end."""
        nonlocal done, printed
        done += more
        now = time.monotonic()
        if now - printed < EVERY_SECONDS and done < total:
            return
        printed = now
        rate = done / max(now - begun, 1e-3)
        left = f", about {(total - done) / rate:.0f} s left" if done < total else ""
        line = f"{done:,} of {total:,} {what}, {rate:,.0f} a second{left}"
        print(time.strftime("%H:%M:%S"), line, file=sys.stderr, flush=True)  # noqa: T201

    return report


class _Ticker:
    """A thread that redraws one line on the terminal from Spark's status tracker."""

    def __init__(self, spark: SparkSession) -> None:
        self.step = ""
        self._tracker = spark.sparkContext.statusTracker()
        self._begun = time.monotonic()
        self._width = 0
        threading.Thread(target=self._run, daemon=True).start()

    def clear(self) -> None:
        """Remove the line, so that another can be printed there."""
        sys.stderr.write("\r" + " " * self._width + "\r")
        self._begun = time.monotonic()

    def _run(self) -> None:
        while True:
            time.sleep(EVERY_SECONDS)
            line = self._line()
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)

    def _line(self) -> str:
        stages = [self._tracker.getStageInfo(i) for i in self._tracker.getActiveStageIds()]
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        total = sum(stage.numTasks for stage in stages if stage)
        seconds = time.monotonic() - self._begun
        if not total:
            return f"  {self.step}: {seconds:.0f} s"
        left = f", about {seconds / done * (total - done):.0f} s left of this stage" if done else ""
        return f"  {self.step}: {done} of {total} tasks, {seconds:.0f} s{left}"

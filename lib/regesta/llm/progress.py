"""Lines that tell how far the requests of a step are, while they are sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from regesta.context import Report
from regesta.llm.allowance import Allowance

EVERY_SECONDS = 10.0


@contextmanager
def reporting(report: Report, step: str, total: int, allowance: Allowance) -> Iterator[None]:
    """Report every few seconds what was answered and used, until the block ends."""
    ended, begun = threading.Event(), time.monotonic()

    def run() -> None:
        while not ended.wait(EVERY_SECONDS):
            rate = allowance.answers / (time.monotonic() - begun)
            money = f", cost {allowance.money:.4f}" if allowance.money else ""
            report(
                f"{step}: {allowance.answers:,} of {total:,} answered, {rate:.1f} a second, "
                f"{allowance.tokens:,} tokens{money}"
            )

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

"""The nights of a simulated archive: each day's deliveries, given to a run at that day's end."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from regesta.config import load
from regesta.pipeline import Run, open_pipeline


@dataclass(frozen=True)
class Night:
    """A night that was run: what it delivered, at which date, and what each step did."""

    delivered: str
    known_at: str
    seconds: float
    steps: dict[str, Any]


class Deliveries:
    """The archive of a simulation, held back and delivered day by day."""

    def __init__(self, desk: Path) -> None:
        self._archive, self._held = desk / "archive", desk / "held_back"
        if not self._held.exists():
            self._archive.rename(self._held)
        shutil.rmtree(self._archive, ignore_errors=True)
        for source in self._held.iterdir():
            (self._archive / source.name).mkdir(parents=True)
        self.days = sorted({day.name for day in self._held.glob("*/*")})

    def deliver(self, day: str) -> None:
        """Put a day's files where the sources look for them."""
        for source in self._held.iterdir():
            if (source / day).exists():
                shutil.copytree(source / day, self._archive / source.name / day)


def run_nights(spark: Any, desk: Path, order: Sequence[str] | None = None) -> Iterator[Night]:
    """Run a night per day of delivery, each at that day's end.

    With another `order` of the days the nights come after the last day, as if all had been late.
    """
    deliveries = Deliveries(desk)
    ends = [_end(day) for day in deliveries.days]
    if order is not None:
        ends = [ends[-1] + timedelta(days=1 + number) for number in range(len(ends))]
    pipeline = open_pipeline(spark, load(desk / "conf"), lambda _: None)
    for delivered, known_at in zip(order or deliveries.days, ends, strict=True):
        deliveries.deliver(delivered)
        begun = time.monotonic()
        report = pipeline.run(Run(), int(known_at.timestamp()) * 1_000_000)[-1]
        seconds = round(time.monotonic() - begun, 1)
        yield Night(delivered, known_at.isoformat(), seconds, dict(report.steps))


def _end(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC) + timedelta(days=1)

"""A whole simulation: chunks in parallel, each to part files of its own."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from regesta.arrow import as_batch
from regesta.errors import InputError
from regesta.simulate.archive import ArchiveWriter
from regesta.simulate.cell import make_cell
from regesta.simulate.declarations import write_conf
from regesta.simulate.plan import DAY, START, Chunk, Plan, day_text, iso, last_day
from regesta.simulate.truth import TABLES, Rows, truth_rows

SUMMARY: Final = "simulation.json"
_ROWS_HELD: Final = 20_000

Counts = dict[str, Counter[str]]
Progress = Callable[[int], None]
"""Takes the number of episodes written since it was called last."""


def simulate(
    plan: Plan, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Write archive, declarations and truth to an empty or absent folder; return the summary.

    The bytes depend on the plan only, not on `workers` (by default one per core).

    Raises:
        InputError: the folder holds something, or the sizes can't be simulated.
    """
    plan.check()
    _check_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        (folder / "truth" / f"{table}.parquet").mkdir(parents=True)
    write_conf(folder)
    total = _no_counts()
    for counts in _written(plan, folder, workers or len(os.sched_getaffinity(0))):
        for name, counter in counts.items():
            total[name].update(counter)
        if progress is not None:
            progress(counts["sources"].total())
    summary = _summary(plan, total)
    (folder / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n", "utf-8")
    return summary


def _no_counts() -> Counts:
    return {"sources": Counter(), "kinds": Counter(), "truth": Counter()}


def _check_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            f"{folder} is not empty; name a folder that is empty or not there yet, or remove it."
        )


def _written(plan: Plan, folder: Path, workers: int) -> Iterator[Counts]:
    write = partial(write_chunk, plan, folder)
    chunks = plan.chunks()
    if workers == 1 or len(chunks) == 1:
        yield from map(write, chunks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(chunks)), mp_context=context) as pool:
        for done in as_completed([pool.submit(write, chunk) for chunk in chunks]):
            yield done.result()


def write_chunk(plan: Plan, folder: Path, chunk: Chunk) -> Counts:
    """Write the part files of one chunk; return how many rows of which kinds they hold."""
    counts = _no_counts()
    archive = ArchiveWriter(folder / "archive", chunk.name)
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(_TruthWriter(folder, name, schema, chunk.name))
            for name, schema in TABLES.items()
        }
        for number in range(chunk.first, chunk.last):
            desk, questions = make_cell(plan, plan.cell(number))
            archive.write(desk.done.rows)
            counts["sources"].update(source for source, _, _ in desk.done.rows)
            counts["kinds"].update(desk.kinds)
            for name, rows in truth_rows(desk, questions).items():
                writers[name].write(rows)
                counts["truth"][name] += len(rows)
        archive.flush()
    return counts


class _TruthWriter:
    """One part of a table of the truth, written in row groups of a bounded size."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema, part: str) -> None:
        path = folder / "truth" / f"{name}.parquet" / f"{part}.parquet"
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema = schema
        self._held: Rows = []

    def __enter__(self) -> _TruthWriter:
        return self

    def write(self, rows: Rows) -> None:
        self._held += rows
        if len(self._held) >= _ROWS_HELD:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_batch(as_batch(self._held, self._schema))
        self._held = []

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._writer.close()


def _summary(plan: Plan, total: Counts) -> dict[str, Any]:
    return {
        **asdict(plan),
        "first_day": day_text(START // DAY),
        "last_day": last_day(plan.end),
        "known_at": iso(plan.end),
        "rows_by_source": dict(sorted(total["sources"].items())),
        "stories_by_kind_of_event": dict(sorted(total["kinds"].items())),
        "truth_rows": dict(sorted(total["truth"].items())),
    }

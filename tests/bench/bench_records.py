"""Change rows from file to published snapshot, beside a plain Spark job, and a second night.

python tests/bench/bench_records.py 10000 100000 1000000 --json
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from changes import Archive, write_configuration, write_lines
from commands import ENVIRONMENT, REGESTA, batches
from measured import Measured, measure
from rich.console import Console
from rich.table import Table

PLAIN_JOB = Path(__file__).with_name("plain_job.py")
KNOWN_AT = ("2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z")
GIBIBYTE = 2**30


@dataclass(frozen=True)
class Result:
    """The figures of one size; seconds include the start of Python and Spark."""

    rows: int
    first_night: Measured
    plain_job: Measured
    second_night_unpublished: Measured
    second_night_published: Measured
    rows_written: dict[str, int]
    batches: Any

    @property
    def ratio(self) -> float:
        """First night to plain job."""
        return self.first_night.seconds / self.plain_job.seconds


@dataclass(frozen=True)
class Bench:
    """One archive in one folder; the first warehouse is copied for each second night."""

    archive: Archive
    folder: Path

    def run(self) -> Result:
        """Measure every part in turn."""
        warehouse = self.folder / "warehouse"
        file = self.folder / "changes-1.jsonl"
        write_lines(file, self.archive.first_night())
        first = self.night(warehouse, 0)
        written = rows_written(warehouse)
        plain = self.plain_job(file, written)
        write_lines(self.folder / "changes-2.jsonl", self.archive.second_night())
        copy = shutil.copytree(warehouse, self.folder / "unpublished")
        return Result(
            rows=self.archive.rows,
            first_night=first,
            plain_job=plain,
            second_night_unpublished=self.night(copy, 1, "--no-publish"),
            second_night_published=self.night(warehouse, 1),
            rows_written=written,
            batches=batches(write_configuration(self.folder, warehouse)),
        )

    def night(self, warehouse: Path, number: int, *options: str) -> Measured:
        """Measure a nightly run."""
        conf = write_configuration(self.folder, warehouse)
        command = [*REGESTA, "nightly", "--conf", str(conf), "--known-at", KNOWN_AT[number]]
        return self.measured(f"night {number + 1} {' '.join(options)}", [*command, *options])

    def plain_job(self, file: Path, written: dict[str, int]) -> Measured:
        """Measure the plain job over the same file."""
        arguments = [self.folder / "conf", file, self.folder / "plain", json.dumps(written)]
        return self.measured("plain job", [sys.executable, str(PLAIN_JOB), *map(str, arguments)])

    def measured(self, what: str, command: list[str]) -> Measured:
        """Measure a command with the checkout's package, and say what it took."""
        taken = measure(command, log=self.folder / "log.txt", environment=ENVIRONMENT)
        print(f"{self.archive.rows:,} rows, {what}: {taken.seconds} s", file=sys.stderr, flush=True)
        return taken


def rows_written(warehouse: Path) -> dict[str, int]:
    """Return how many rows were written to each table, rewritten ones counted again."""
    written: dict[str, int] = {}
    for log in sorted(warehouse.glob("tables/*/_delta_log/*.json")):
        actions = map(json.loads, log.read_text("utf-8").splitlines())
        added = [json.loads(action["add"]["stats"]) for action in actions if "add" in action]
        table = log.parents[1].name
        written[table] = written.get(table, 0) + sum(stats["numRecords"] for stats in added)
    return {table: rows for table, rows in written.items() if rows}


def as_table(results: list[Result]) -> Table:
    """Return the figures for a terminal."""
    table = Table(title="Change rows from file to published snapshot")
    for heading in (
        *("rows", "regesta s", "plain s", "ratio", "peak GiB", "plain GiB"),
        *("night 2, unpublished s", "published s", "of night 1"),
    ):
        table.add_column(heading, justify="right")
    for result in results:
        first, plain = result.first_night, result.plain_job
        unpublished, published = result.second_night_unpublished, result.second_night_published
        table.add_row(
            f"{result.rows:,}",
            f"{first.seconds:.1f}",
            f"{plain.seconds:.1f}",
            f"{result.ratio:.1f}",
            f"{first.peak_bytes / GIBIBYTE:.1f}",
            f"{plain.peak_bytes / GIBIBYTE:.1f}",
            f"{unpublished.seconds:.1f}",
            f"{published.seconds:.1f}",
            f"{unpublished.seconds / first.seconds:.2f}",
        )
    return table


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rows", nargs="+", type=int, help="numbers of change rows")
    parser.add_argument("--tenants", type=int, default=20, help="how many groups (default 20)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--folder", type=Path, help="where to work; kept, unlike the default")
    return parser.parse_args()


def main() -> None:
    """Run one bench for each size and print the figures."""
    given, console = arguments(), Console()
    results = []
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as scratch:
            folder = (given.folder or Path(scratch)) / f"rows-{rows}"
            folder.mkdir(parents=True)
            results.append(Bench(Archive(rows, given.tenants), folder.resolve()).run())
    if given.json:
        console.print_json(data=[{**asdict(each), "ratio": each.ratio} for each in results])
    else:
        console.print(as_table(results))


if __name__ == "__main__":
    main()

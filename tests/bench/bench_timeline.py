"""Long and short histories: the timeline's first build beside a plain append, then as-of queries.

python tests/bench/bench_timeline.py --statements 1000000 --per-key 5 50 500 --one-key 100000

A shape is so many statements about as many keys as that makes. Its archive is built in one night;
then the rows that the timeline step wrote are read back and appended to new Delta tables with the
same settings. Queries are asked of the last day and of a day in the middle, in Spark over the
warehouse and in DuckDB over the snapshot.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from plain_job import write_table
from rich.console import Console
from rich.table import Table

import regesta
from regesta.config import load
from regesta.pipeline import Run, open_pipeline
from regesta.query.times import to_micros
from regesta.session import start_session
from regesta.sql.duck import connect
from regesta.warehouse.warehouse import Warehouse

KNOWN_AT = "2024-02-01"
MINUTES = 2 * 365 * 24 * 60
STATES = ("new", "open", "in progress", "waiting", "resolved", "closed")
WRITTEN = ("resolved_statements", "facts", "fact_evidence")
TIMES_ASKED = 5
QUERIES = {
    "all now": f"SELECT count(*) FROM facts_as_of('{KNOWN_AT}', '{KNOWN_AT}')",
    "all in 2023": f"SELECT count(*) FROM facts_as_of('2023-01-01', '{KNOWN_AT}')",
    "one in 2023": f"SELECT value FROM facts_as_of('2023-01-01', '{KNOWN_AT}') "
    "WHERE subject = 'K-0000000'",
    "history of one": "SELECT count(*) FROM fact_history('K-0000000')",
}
FILES = {
    "base.yaml": "warehouse: warehouse\nsources: [changes]\n",
    "sources/changes.yaml": """\
source: changes
path: changes.jsonl
format: jsonl
mode: event
group: "'bench'"
source_id: to_string(id)
position: id
reference_time: at
entities:
  thing: {label: Thing, name: key, identifiers: {key: key}}
statements:
  - {subject: thing, relation: HAS_STATE, value: state}
""",
    "ontologies/states.yaml": "relations: {HAS_STATE: {cardinality: one}}\n"
    "identifiers: {key: {joins: true}}\n",
}


@dataclass(frozen=True)
class Built:
    """One shape: seconds of the timeline step, of the plain append, and of each query."""

    statements: int
    per_key: int
    facts: int
    timeline: float
    append: float
    spark: dict[str, float]
    duckdb: dict[str, float]


def rows(statements: int, per_key: int) -> Iterator[str]:
    """Yield changes of state as JSON lines, of two years, in no order of time."""
    chance = random.Random(statements + per_key)
    keys = max(1, statements // per_key)
    for number in range(statements):
        minute = chance.randrange(MINUTES)
        day, rest = divmod(minute, 24 * 60)
        at = time.strftime("%Y-%m-%d", time.gmtime(1_640_995_200 + day * 86_400))
        row = {
            "id": number,
            "key": f"K-{number % keys:07}",
            "at": f"{at}T{rest // 60:02}:{rest % 60:02}:00Z",
            "state": chance.choice(STATES),
        }
        yield json.dumps(row) + "\n"


def built(spark: Any, folder: Path, statements: int, per_key: int) -> Built:
    """Build one shape and ask it."""
    for name, text in FILES.items():
        path = folder / "conf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    with (folder / "changes.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(rows(statements, per_key))
    pipeline = open_pipeline(spark, load(folder / "conf"), lambda _: None)
    report = pipeline.run(Run(), to_micros(KNOWN_AT))[-1]
    warehouse = Warehouse.open(spark, str(folder / "warehouse"))
    regesta.register(spark, str(folder / "warehouse"))
    database = connect(folder / "warehouse" / "snapshots")
    return Built(
        statements=statements,
        per_key=per_key,
        facts=warehouse.current("facts").count(),
        timeline=report.steps["timeline"]["seconds"],
        append=appended(warehouse, folder / "appended"),
        spark=asked(lambda query: spark.sql(query).collect()),
        duckdb=asked(lambda query: database.execute(query).fetchall()),
    )


def appended(warehouse: Warehouse, folder: Path) -> float:
    """Return the seconds that it takes to append what the step wrote to empty tables."""
    begun = time.perf_counter()
    for table in WRITTEN:
        write_table(table, warehouse.current(table), folder)
    return round(time.perf_counter() - begun, 1)


def asked(ask: Callable[[str], Any]) -> dict[str, float]:
    """Return the median milliseconds of each query, after it was asked once."""
    return {name: _median(partial(ask, query)) for name, query in QUERIES.items()}


def _median(ask: Callable[[], Any]) -> float:
    ask()
    taken = []
    for _ in range(TIMES_ASKED):
        begun = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - begun)
    return round(statistics.median(taken) * 1000, 1)


def as_tables(found: list[Built]) -> Iterator[Table]:
    """Return the figures for a terminal: what was built, then what was asked."""
    table = Table(title="First build of the timeline, seconds")
    for heading in ("statements", "per key", "facts", "timeline", "plain append", "ratio"):
        table.add_column(heading, justify="right")
    for each in found:
        counts = (f"{n:,}" for n in (each.statements, each.per_key, each.facts))
        ratio = f"{each.timeline / each.append:.1f}"
        table.add_row(*counts, f"{each.timeline}", f"{each.append}", ratio)
    yield table
    table = Table(title="As-of queries, median milliseconds: Spark / DuckDB")
    for heading in ("statements", "per key", *QUERIES):
        table.add_column(heading, justify="right")
    for each in found:
        times = (f"{each.spark[name]:,} / {each.duckdb[name]:,}" for name in QUERIES)
        table.add_row(f"{each.statements:,}", f"{each.per_key:,}", *times)
    yield table


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--statements", type=int, default=1_000_000)
    parser.add_argument("--per-key", nargs="+", type=int, default=[5, 50, 500])
    parser.add_argument("--one-key", type=int, default=100_000, help="statements about one key")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Build and ask every shape in turn and print the figures."""
    given, console = arguments(), Console()
    shapes = [*((given.statements, size) for size in given.per_key), (given.one_key, given.one_key)]
    spark = start_session(name="bench")
    found: list[Built] = []
    for statements, per_key in shapes:
        with tempfile.TemporaryDirectory() as scratch:
            found.append(built(spark, Path(scratch), statements, per_key))
        print(json.dumps(asdict(found[-1])), file=sys.stderr, flush=True)
    spark.stop()
    if given.json:
        console.print_json(data=[asdict(each) for each in found])
        return
    for table in as_tables(found):
        console.print(table)


if __name__ == "__main__":
    main()

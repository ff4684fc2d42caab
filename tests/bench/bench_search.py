"""Search in one graph of generated facts: opening, and the time of each recipe as of a day.

python tests/bench/bench_search.py 10000 100000 1000000

The snapshot is written by the segment writer itself, without Spark. How many of the ten and of the
hundred nearest the search finds is counted against all vectors compared. Beside it LanceDB, where
it is installed: the ids of the ten nearest among the facts of the same as-of, vector given, exact
and with its index.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import regesta.query
from regesta.embed import static
from regesta.embed.files import models_folder
from regesta.embed.load import load
from regesta.embed.step import as_bytes
from regesta.publish.files import place, place_model, switch, write_manifest
from regesta.publish.segment import SegmentWriter
from regesta.publish.vectors import VECTORS
from regesta.query.group import Group
from regesta.query.layout import SEGMENTS, TABLES
from regesta.query.manifest import Manifest, named, segment_id
from regesta.query.question import ranked
from regesta.query.store import Store
from regesta.query.vectors import cosines
from regesta.timeline.ontology import Ontology

DAY = 86_400_000_000
FIRST = 1_577_836_800_000_000  # 2020
DAYS = 2_000
KNOWN_AT = FIRST + DAYS * DAY
AS_OF = FIRST + 1_500 * DAY
WARM_UP, QUESTIONS, FEW_QUESTIONS, NEAREST, REFINED = 10, 200, 20, 10, 50
RECIPES = ("fact_bm25", "fact_cosine", "fact_hybrid_rrf", "fact_hybrid_mmr")
NAMES = [
    "Ada",
    "Bruno",
    "Carla",
    "Dmitri",
    "Elena",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Kira",
    "Luis",
    "Mona",
    "Nils",
    "Olga",
]
THINGS = [
    "the billing portal",
    "the invoice archive",
    "the mobile app",
    "a renewal of the contract",
    "the firewall",
    "the support plan",
    "the data export",
    "the spring campaign",
    "the warehouse scanner",
    "the login page",
    "the order history",
    "the delivery in Oslo",
    "a discount of ten percent",
    "the security review",
]
DEEDS = [
    "owns",
    "asked about",
    "complained of",
    "is responsible for",
    "was moved to",
    "signed off",
    "cancelled",
    "tested",
    "reported an outage of",
    "is waiting for",
    "praised",
    "wants to replace",
    "pays for",
    "was trained on",
]
ENDS = [
    "because of the merger",
    "before the audit",
    "after the outage",
    "for the northern region",
    "",
]
ASKED = [
    "who takes care of {thing}?",
    "who was unhappy with {thing}",
    "{name} {thing}",
    "payment for {thing}",
    "what did {name} want to change?",
    "problems with {thing} for {name}",
]


def sentence(random: Random, patterns: Sequence[str] | None = None) -> str:
    """Return a fact's text or, with patterns, a question."""
    name = f"{random.choice(NAMES)} {random.choice('ABCDEFGHKLMNPRSTW')}{random.randrange(9999):04}"
    thing = random.choice(THINGS)
    if patterns:
        return random.choice(patterns).format(name=name, thing=thing)
    return f"{name} {random.choice(DEEDS)} {thing} {random.choice(ENDS)}".strip()


def facts(count: int) -> pa.Table:
    """Return facts about one entity, each a day to two years long, all known when they began."""
    random = Random(count)
    starts = [FIRST + random.randrange(DAYS) * DAY for _ in range(count)]
    columns: dict[str, Any] = {
        "row_id": [f"r{n:08}" for n in range(count)],
        "fact_id": [f"f{n:08}" for n in range(count)],
        "group_id": ["g"] * count,
        "subject_id": ["e"] * count,
        "relation": ["TOLD"] * count,
        "value": [str(n) for n in range(count)],
        "text": [sentence(random) for _ in range(count)],
        "kind": ["state"] * count,
        "valid_at": starts,
        "invalid_at": [start + random.randrange(1, 700) * DAY for start in starts],
        "created_at": starts,
        "flags": [[]] * count,
    }
    return _table("facts", columns, count)


def _table(name: str, columns: dict[str, Any], count: int) -> pa.Table:
    schema = TABLES[name]
    values = [pa.array(columns.get(field.name, [None] * count), field.type) for field in schema]
    return pa.Table.from_arrays(values, schema=schema)


def evidence(told: pa.Table) -> pa.Table:
    """Return a citation of the one episode for each fact."""
    columns = {
        "row_id": told["row_id"].to_pylist(),
        "fact_id": told["fact_id"].to_pylist(),
        "group_id": told["group_id"].to_pylist(),
        "period_start": told["valid_at"].to_pylist(),
        "statement_id": told["row_id"].to_pylist(),
        "episode_id": ["m"] * len(told),
        "created_at": told["created_at"].to_pylist(),
    }
    return _table("evidence", columns, len(told))


def write(root: Path, count: int) -> None:
    """Write a snapshot of that many facts, with vectors of the static model."""
    encoder, told = load(static.SPACE), facts(count)
    entity = {"row_id": ["e"], "entity_id": ["e"], "group_id": ["g"], "name": ["Contoso"]}
    episode: dict[str, Any] = {
        "episode_id": ["m"],
        "group_id": ["g"],
        "source": ["log"],
        "source_id": ["1"],
    }
    episode |= {"kind": ["json"], "reference_time": [FIRST], "known_at": [FIRST], "content": ["{}"]}
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        writer = SegmentWriter(Path(folder), Ontology(), KNOWN_AT, static.SPACE)
        writer.add("entities", _table("entities", {**entity, "created_at": [FIRST]}, 1))
        writer.add("episodes", _table("episodes", episode, 1))
        writer.add("facts", told)
        writer.add("evidence", evidence(told))
        texts = sorted({*told["text"].to_pylist(), "Contoso"})
        for start in range(0, len(texts), 10_000):
            part = texts[start : start + 10_000]
            writer.add(VECTORS, pa.table({"text": part, "vector": as_bytes(encoder.encode(part))}))
        files = writer.finish()
        segment = segment_id(files)
        place(Path(folder), str(root), SEGMENTS, files, attempt=0)
    manifest = named(
        Manifest(
            name="",
            known_at=KNOWN_AT,
            batch=1,
            table_versions={},
            code_version="bench",
            bucket_count=1,
            buckets={"0": segment},
            segments={segment: files},
            embedding=static.SPACE,
            model=place_model(models_folder() / static.SPACE.model, str(root)),
        )
    )
    write_manifest(Store(root), manifest)
    switch(Store(root), manifest.name)


def questions() -> list[str]:
    """Return what is asked."""
    random = Random(7)
    return [sentence(random, ASKED) for _ in range(WARM_UP + QUESTIONS)]


def timed(ask: Callable[[str], Any], most: int = QUESTIONS) -> list[str]:
    """Return p50 and p95 in milliseconds, of so many questions."""
    seconds = []
    for text in questions()[: WARM_UP + most]:
        begun = time.perf_counter()
        ask(text)
        seconds.append(time.perf_counter() - begun)
    middle, high = np.percentile(seconds[WARM_UP:], [50, 95]) * 1000
    return [f"{middle:.2f}", f"{high:.2f}"]


OPENING = """
import sys, time
begun = time.perf_counter()
import regesta.query
loaded = time.perf_counter()
graph = regesta.query.open(sys.argv[1]).group("g").as_of(valid=sys.argv[2], known=sys.argv[2])
opened = time.perf_counter()
graph.search("who takes care of the firewall?", recipe="fact_bm25")
by_words = time.perf_counter()
graph.search("who takes care of the firewall?")
times = (begun, loaded, opened, by_words, time.perf_counter())
print(*(f"{(after - before) * 1000:.1f}" for before, after in zip(times, times[1:])))
"""


def opening(root: Path) -> list[str]:
    """Return milliseconds of a new process: import, open, first search by words, first hybrid."""
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(root), regesta.query.show(AS_OF)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def ours(root: Path, count: int) -> Iterator[list[str]]:
    """Yield rows of the table: what, facts, p50 and p95."""
    first = zip(("import", "open", "first, by words", "first hybrid"), opening(root), strict=True)
    yield from ([what, f"{count:,}", each, ""] for what, each in first)
    moment = regesta.query.show(AS_OF)
    graph = regesta.query.open(root).group("g").as_of(valid=moment, known=moment)
    encoder = load(static.SPACE)
    yield ["the question's vector", f"{count:,}", *timed(lambda text: encoder.encode([text]))]
    for recipe in RECIPES:

        def ask(text: str, recipe: str = recipe) -> None:
            graph.as_of(valid=moment, known=moment).search(text, recipe=recipe)

        yield [recipe, f"{count:,}", *timed(ask)]
    yield from recalled(graph, count)


def recalled(graph: regesta.query.Graph, count: int) -> Iterator[list[str]]:
    """Yield the rows with the share of the nearest that are found, in the mean and at least."""
    group, holding = graph.views[0].group, graph.views[0].facts
    ids = group.column("facts", "fact_id")
    for most in (10, 100):
        shares = []
        for text in questions()[WARM_UP:]:
            rows, found = cosines(group, "facts", graph_vector(group, text), holding)
            wanted = {ids[row] for row in ranked(rows, found, most).rows}
            hits = graph.search(text, recipe="fact_cosine", limit=most)
            shares.append(len(wanted.intersection(hit.id for hit in hits)) / most)
        words = f"{np.mean(shares):.3f}, at least {min(shares):.2f}"
        yield [f"of the nearest {most} found", f"{count:,}", words, ""]


def graph_vector(group: Group, text: str) -> Any:
    """Return the vector of a question."""
    assert group.encoder is not None
    return group.encoder.vector(text)


def lance(root: Path, count: int) -> Iterator[list[str]]:
    """Yield the row of LanceDB, filtered before the nearest are looked for."""
    try:
        import lancedb.index
    except ModuleNotFoundError:
        yield ["LanceDB", f"{count:,}", "not installed", ""]
        return
    told, encoder = facts(count), load(static.SPACE)
    vectors = np.concatenate(
        [encoder.encode(told["text"][n : n + 10_000].to_pylist()) for n in range(0, count, 10_000)]
    )
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    times = {name: told[name].cast(pa.int64()) for name in ("valid_at", "invalid_at")}
    table: Any = lancedb.connect(root / "lance").create_table(
        "facts", pa.table({"id": told["fact_id"], "vector": column, **times})
    )
    holds = f"valid_at <= {AS_OF} AND invalid_at > {AS_OF}"

    def nearest(text: str) -> set[str]:
        asked = table.search(encoder.encode([text])[0]).where(holds, prefilter=True)
        found = asked.refine_factor(REFINED)  # it compares so many times as many whole vectors
        kept = found.select(["id", "_distance"]).limit(NEAREST).to_arrow()
        return set(kept["id"].to_pylist())

    yield ["LanceDB, exact", f"{count:,}", *timed(nearest, FEW_QUESTIONS)]
    few = questions()[WARM_UP : WARM_UP + FEW_QUESTIONS]
    wanted = [nearest(text) for text in few]
    table.create_index("vector", config=lancedb.index.IvfPq(distance_type="l2"))
    yield ["LanceDB, its index", f"{count:,}", *timed(nearest)]
    shares = [len(each & nearest(text)) / NEAREST for each, text in zip(wanted, few, strict=True)]
    words = f"{np.mean(shares):.3f}, at least {min(shares):.2f}"
    yield [f"of its nearest {NEAREST} found", f"{count:,}", words, ""]


def main() -> None:
    """Write, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--folder", type=Path, help="Keep the snapshots here.")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    table = Table("what", "facts", "p50 ms", "p95 ms")
    for count in given.counts:
        root = folder / str(count)
        if not root.exists():
            write(root, count)
        for row in (*ours(root, count), *lance(root, count)):
            table.add_row(*row)
    Console().print(table)
    if given.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

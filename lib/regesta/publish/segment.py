"""One bucket's rows to one immutable segment; plain Arrow and numpy, run on the executors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regesta import model
from regesta.audit.bucket import audit, first_rows, keys, with_start
from regesta.audit.findings import AuditError
from regesta.embed.encoder import Space
from regesta.embed.texts import WORDS
from regesta.publish.files import described
from regesta.publish.index import word_index
from regesta.publish.vectors import VECTORS, VectorWriter
from regesta.query.layout import (
    DISPUTED,
    EVENT,
    FOREVER,
    GROUPS,
    ROW_GROUP_ROWS,
    SEARCHED,
    TABLES,
    array_name,
    group_columns,
    table_name,
)
from regesta.query.manifest import File
from regesta.spans import own_words
from regesta.timeline.ontology import Ontology

Array = npt.NDArray[Any]
_SPOOLED: Final = 16 * ROW_GROUP_ROWS
_LONG: Final = ("content", "spans")


class SegmentWriter:
    """Takes one bucket's rows, table after table in their order, and writes the segment's files.

    Rows go to Parquet as they come; only what audits and indexes need is kept in memory.
    `relations` tells which facts are rivals, `known_at` is the snapshot's, in microseconds.
    """

    def __init__(
        self, folder: Path, relations: Ontology, known_at: int, space: Space | None = None
    ) -> None:
        self._folder = folder
        self._known_at = known_at
        self._relations = relations
        self._vectors = VectorWriter(space) if space else None
        self._kept: dict[str, list[pa.Table]] = {table: [] for table in TABLES}
        self._spooled: dict[str, list[pa.Table]] = {table: [] for table in TABLES}
        self._writers = {
            table: pq.ParquetWriter(folder / table_name(table), schema, compression="zstd")
            for table, schema in TABLES.items()
        }

    def add(self, table: str, rows: pa.Table) -> None:
        """Take the next rows of a table, or of the vectors' texts."""
        if table == VECTORS:
            assert self._vectors is not None
            self._vectors.add(rows)
            return
        self._kept[table].append(_slim(table, rows))
        self._spooled[table].append(rows)
        if sum(len(each) for each in self._spooled[table]) >= _SPOOLED:
            self._write(table, last=False)

    def finish(self) -> dict[str, File]:
        """Audit the tables, write the arrays, and return every file's size and checksum.

        Raises AuditError where the audits find something.
        """
        for table, writer in self._writers.items():
            self._write(table, last=True)
            writer.close()
        tables = {name: _joined(name, pieces) for name, pieces in self._kept.items()}
        if findings := audit(tables, self._relations, self._known_at):
            raise AuditError(findings)
        for name, array in _arrays(tables, self._folder, self._vectors).items():
            np.save(self._folder / name, array, allow_pickle=False)
        rows = {table_name(name): len(table) for name, table in tables.items()}
        return {
            path.name: described(path, rows.get(path.name))
            for path in sorted(self._folder.iterdir())
        }

    def _write(self, table: str, *, last: bool) -> None:
        # Row groups are of one size, wherever the batches end: the reader counts on it, and the
        # same rows give the same bytes.
        rows = pa.concat_tables(self._spooled[table]) if self._spooled[table] else None
        if rows is None:
            return
        whole = len(rows) if last else len(rows) - len(rows) % ROW_GROUP_ROWS
        self._writers[table].write_table(rows.slice(0, whole), row_group_size=ROW_GROUP_ROWS)
        self._spooled[table] = [rows.slice(whole)]


def _slim(table: str, rows: pa.Table) -> pa.Table:
    """Return rows without their long texts; of episodes, with the words to be searched."""
    if table != "episodes":
        return rows
    # Records, and what removes something, are not searched: their words are absent.
    searched = pc.and_(pc.not_equal(rows["kind"], "json"), pc.is_null(rows["removed"]))
    found = rows.filter(searched)
    values = zip(found["content"].to_pylist(), found["spans"].to_pylist(), strict=True)
    words = pa.array([own_words(content or "", spans) for content, spans in values], pa.string())
    nothing = pa.nulls(len(rows), pa.string())
    column = pc.replace_with_mask(nothing, searched.combine_chunks(), words)
    return rows.drop_columns(list(_LONG)).append_column(WORDS, column)


def _joined(name: str, pieces: list[pa.Table]) -> pa.Table:
    empty = _slim(name, TABLES[name].empty_table())
    return pa.concat_tables([empty, *pieces]).combine_chunks()


def _arrays(
    tables: Mapping[str, pa.Table], folder: Path, vectors: VectorWriter | None
) -> dict[str, Array]:
    """Return the arrays by file name; also writes the groups' index."""
    names = pc.unique(pa.chunked_array([t["group_id"].combine_chunks() for t in tables.values()]))
    names = names.sort()
    numbers = {name: first_rows(table["group_id"], names) for name, table in tables.items()}
    bounds = {name: _bounds(number, len(names)) for name, number in numbers.items()}
    arrays = {
        array_name(table, name): array
        for table, found in (
            ("facts", _fact_arrays(tables)),
            ("entities", {"times": _times(tables["entities"], "created_at", "expired_at")}),
            ("episodes", _episode_arrays(tables["episodes"], numbers["episodes"])),
            ("evidence", _evidence_arrays(tables)),
            ("communities", {"times": _times(tables["communities"], *_DAY_STAMPS)}),
            ("community_members", _member_arrays(tables)),
        )
        for name, array in found.items()
    }
    for table in SEARCHED:
        words, ends = word_index(_texts(table, tables[table]), numbers[table], len(names))
        bounds[f"{table}_pairs"] = _between(ends)
        arrays |= {array_name(table, name): array for name, array in words.items()}
    for table in SEARCHED:
        found, ends = (
            vectors.arrays(table, tables[table], numbers[table], len(names))
            if vectors
            else ({}, np.zeros(len(names), np.int64))
        )
        bounds[f"{table}_vectors"] = _between(ends)
        arrays |= {array_name(table, name): array for name, array in found.items()}
    _write_groups(folder, names, bounds)
    return arrays


def _bounds(numbers: Array, groups: int) -> tuple[Array, Array]:
    every = np.arange(groups)
    return np.searchsorted(numbers, every), np.searchsorted(numbers, every, side="right")


def _between(ends: Array) -> tuple[Array, Array]:
    """Return where each of the slices that follow one another starts, and where it ends."""
    return np.concatenate([[0], ends[:-1]]), ends


def _write_groups(folder: Path, names: pa.Array, bounds: Mapping[str, tuple[Array, Array]]) -> None:
    ends = [array.astype(np.int64) for pair in bounds.values() for array in pair]
    columns = [f"{name}_{end}" for name in bounds for end in ("start", "stop")]
    assert tuple(columns) == group_columns()
    table = pa.table([names, *ends], names=["group_id", *columns])
    pq.write_table(table, folder / GROUPS, compression="zstd")


_DAY_STAMPS: Final = ("created_at", "expired_at", "valid_on")
_TEXT_COLUMNS: Final = {
    "facts": ("text",),
    "entities": ("name", "aliases", "identifiers", "summary"),
    "communities": ("name", "key_terms", "summary"),
    "episodes": (WORDS,),
}


def _texts(table: str, rows: pa.Table) -> pa.Array:
    columns = [rows[name] for name in _TEXT_COLUMNS[table]]
    lists = [pa.types.is_list(each.type) for each in columns]
    parts = [
        pc.binary_join(each, " ") if listed else each
        for each, listed in zip(columns, lists, strict=True)
    ]
    joined = pc.binary_join_element_wise(*parts, " ", null_handling="replace", null_replacement="")
    return joined.combine_chunks()


def _times(rows: pa.Table, *columns: str) -> Array:
    """Return int64 (columns, rows): microseconds, FOREVER where absent."""
    micros = [pc.fill_null(rows[name].cast(pa.int64()), FOREVER) for name in columns]
    return np.stack([each.to_numpy() for each in micros])


def _episode_arrays(episodes: pa.Table, groups: Array) -> dict[str, Array]:
    times = _times(episodes, "known_at", "superseded_at")
    times[:, pc.is_null(episodes[WORDS]).to_numpy()] = FOREVER
    dates = _times(episodes, "reference_time")[0]
    return {"times": times, "dates": dates, "threads": _threads(episodes, groups)}


def _threads(episodes: pa.Table, groups: Array) -> Array:
    columns = ("thread_id", "reference_time", "position", "episode_id")
    ordered = episodes.select(columns).append_column("group", pa.array(groups))
    by = [(name, "ascending") for name in ("group", *columns)]
    rows = pc.sort_indices(ordered, sort_keys=by).to_numpy()
    numbers = pc.fill_null(episodes["thread_id"].combine_chunks().dictionary_encode().indices, -1)
    return np.stack([rows, numbers.to_numpy()[rows]]).astype(np.int32)


def _fact_arrays(tables: Mapping[str, pa.Table]) -> dict[str, Array]:
    facts, evidence = with_start(tables["facts"]), tables["evidence"]
    times = _times(facts, "start", "invalid_at", "created_at", "expired_at")
    events = pc.equal(facts["kind"], "event").to_numpy()
    times[1, events] = FOREVER  # an event that has happened stays happened
    disputed = np.array(
        [model.DISPUTED in (each or ()) for each in facts["flags"].to_pylist()], bool
    )
    entities = keys(tables["entities"], "entity_id")
    ends = [_rows_of(facts, column, entities) for column in ("subject_id", "object_id")]
    cited = keys(evidence, "fact_id")
    starts = first_rows(keys(facts, "fact_id"), cited)
    lengths = _run_lengths(cited)[starts] if len(cited) else np.zeros(len(facts), np.int64)
    lengths = np.where(starts < 0, 0, lengths)
    return {
        "times": times,
        "flags": (disputed * DISPUTED + events * EVENT).astype(np.uint8),
        "entities": np.stack(ends).astype(np.int32),
        "evidence": np.stack([starts, starts + lengths]).astype(np.int32),
    }


def _rows_of(facts: pa.Table, column: str, entities: pa.Array) -> Array:
    absent = pc.is_null(facts[column]).to_numpy()
    return np.where(absent, -1, first_rows(keys(facts, column), entities))


def _run_lengths(values: pa.Array) -> Array:
    """Return for each value how often it occurs; equal ones are neighbours."""
    encoded = values.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    return np.asarray(np.bincount(encoded)[encoded] if len(encoded) else encoded, np.int64)


def _evidence_arrays(tables: Mapping[str, pa.Table]) -> dict[str, Array]:
    evidence, episodes = tables["evidence"], tables["episodes"]
    rows = first_rows(keys(evidence, "episode_id"), keys(episodes, "episode_id"))
    return {
        "times": _times(evidence, "period_start", "created_at", "expired_at"),
        "episode": rows.astype(np.int32),
    }


def _member_arrays(tables: Mapping[str, pa.Table]) -> dict[str, Array]:
    members = tables["community_members"]
    ends = {
        table: first_rows(keys(members, column), keys(tables[table], column)).astype(np.int32)
        for table, column in (("entities", "entity_id"), ("communities", "community_id"))
    }
    return {"times": _times(members, *_DAY_STAMPS), **ends}

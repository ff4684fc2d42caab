"""Rows of a few tables, such as those of `tiny`, to Arrow, to Spark and to a snapshot."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from publish.tiny import micros
from regesta import model
from regesta.embed.step import as_bytes
from regesta.publish.files import place, place_model, switch, write_manifest
from regesta.publish.segment import SegmentWriter
from regesta.publish.vectors import VECTORS
from regesta.query.layout import ORDER, SEGMENTS, TABLES, WAREHOUSE_NAMES
from regesta.query.manifest import Manifest, named, segment_id
from regesta.query.store import Store
from regesta.timeline.ontology import Ontology, Relation

ONE_OWNER = Ontology.of([Relation("OWNED_BY", cardinality="one")])
KNOWN_AT = datetime(2024, 1, 1, tzinfo=UTC)


def arrow(rows):
    """Return rows as Arrow tables of the warehouse's schemas; dates are ISO texts."""
    return {name: _table(model.TABLES[name], rows[name]) for name in rows}


def _table(schema, rows):
    columns = []
    for field in schema:
        values = [row.get(field.name) for row in rows]
        if pa.types.is_timestamp(field.type):
            values = [micros(value) if isinstance(value, str) else value for value in values]
        columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def frames(spark, rows):
    """Return rows as Spark DataFrames, by the warehouse's names."""
    return {name: spark.createDataFrame(table) for name, table in arrow(rows).items()}


def segment_tables(rows):
    """Return rows as a segment's tables, unsorted."""
    found = arrow({"resolved_verdicts": [], **rows})
    found["episodes"] = _published(rows["episodes"], rows.get("supersessions", ()))
    return {
        name: found[WAREHOUSE_NAMES.get(name, name)].select(TABLES[name].names) for name in TABLES
    }


def _published(episodes, supersessions):
    ends = {row["episode_id"]: row["superseded_at"] for row in supersessions}
    rows = [
        {
            **row,
            "superseded_at": ends.get(row["episode_id"]),
            "spans": dict(row.get("attributes", ())).get("spans"),
        }
        for row in episodes
    ]
    return _table(TABLES["episodes"], rows)


def embedded_texts(rows):
    """Return what is embedded of rows."""
    named = (*rows["entities"], *rows["communities"])
    return {
        *(row["text"] for row in rows["facts"]),
        *(": ".join(filter(None, (row["name"], row.get("summary")))) for row in named),
        *(row["content"] for row in rows["episodes"] if row["kind"] != "json"),
    }


def _with_vectors(rows, encoder):
    texts = sorted(embedded_texts(rows))
    return pa.table({"text": texts, "vector": as_bytes(encoder.encode(texts))})


def write_snapshot(root, rows, *, known_at=KNOWN_AT, batch=1, encoder=None, model=None):
    """Write rows as a snapshot of one bucket without Spark, and make it current.

    With an encoder it has vectors, with the folder of the encoder's files these files too.
    """
    space, published = encoder and encoder.space, int(known_at.timestamp()) * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        writer = SegmentWriter(Path(folder), ONE_OWNER, published, space)
        if encoder:
            writer.add(VECTORS, _with_vectors(rows, encoder))
        for name, table in segment_tables(rows).items():
            keys = [(key, "ascending") for key in ("group_id", *ORDER[name])]
            writer.add(name, table.sort_by(keys))
        files = writer.finish()
        segment = segment_id(files)
        place(Path(folder), str(root), SEGMENTS, files, attempt=0)
    manifest = named(
        Manifest(
            name="",
            known_at=published,
            batch=batch,
            table_versions={},
            code_version="test",
            bucket_count=1,
            buckets={"0": segment},
            segments={segment: files},
            embedding=space,
            model=place_model(model, str(root)) if model else {},
        )
    )
    store = Store(root)
    write_manifest(store, manifest)
    switch(store, manifest.name)
    return manifest

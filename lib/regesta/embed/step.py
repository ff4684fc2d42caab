"""Texts to vectors in Spark: only those that the warehouse has no vector of yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.arrow import Batches
from regesta.context import StepContext
from regesta.embed.encoder import Array, Space
from regesta.embed.load import local_folder
from regesta.embed.sent import SentModel, sent
from regesta.ids import digest_column
from regesta.java import JvmParts

STORED: Final = np.dtype("<f2")
PER_COMMIT: Final = 100_000
"""Texts whose vectors are written at once: what a run that dies loses at most."""
_TOGETHER: Final = 2048
_SCHEMA: Final = "text_hash string, vector binary"
_ARROW: Final = pa.schema([("text_hash", pa.string()), ("vector", pa.binary())])


@dataclass
class Embeddings:
    """The table `embeddings` and the model that fills it; `embedded` counts what it was given."""

    context: StepContext
    space: Space
    parts: JvmParts
    embedded: int = 0

    @cached_property
    def folder(self) -> Path | None:
        """Return the folder of the model's files; None where it is behind an endpoint.

        Raises:
            SetupError: they can't be had.
        """
        return local_folder(self.space, self.parts)

    def vectors(self, texts: DataFrame) -> DataFrame:
        """Return `texts` (bucket, text) without repetitions, each with its vector.

        A vector is float16, little-endian, of the space's dimension. Texts that the warehouse has
        no vector of are embedded and kept, whatever table, group or batch they come from.

        Raises:
            SetupError: the model can't be had.
        """
        hashed = texts.withColumn(
            "text_hash", digest_column(self.context.salt, self.space.name, F.col("text"))
        )
        wanted = self.context.stage("embed", "texts", hashed.dropDuplicates(["bucket", "text"]))
        self._embed_missing(wanted)
        return wanted.join(self._known(), on="text_hash", how="inner").select(
            "bucket", "text", "vector"
        )

    def _known(self) -> DataFrame:
        kept = self.context.warehouse.current("embeddings")
        return kept.where(F.col("model") == self.space.name).select("text_hash", "vector")

    def _embed_missing(self, wanted: DataFrame) -> None:
        known = self._known().select("text_hash")
        lacking = wanted.select("text_hash", "text").dropDuplicates(["text_hash"])
        lacking = lacking.join(known, on="text_hash", how="left_anti")
        # What is lacking was decided against the table as it stood before the first commit.
        count = lacking.count()
        if count == 0:
            return
        self.context.report(f"embedding {count:,} texts with {self.space.name} ...")
        spark = self.context.spark
        embed = partial(_embed, sent(spark, self.space, self.parts))
        cores = spark.sparkContext.defaultParallelism
        rounds = -(-count // PER_COMMIT)
        for number in range(rounds):
            part = lacking.where(F.pmod(F.crc32(F.col("text_hash")), rounds) == number)
            self._append(part.repartition(cores, "text_hash").mapInArrow(embed, _SCHEMA))

    def _append(self, rows: DataFrame) -> None:
        warehouse, batch = self.context.warehouse, self.context.batch.number
        named = rows.withColumns({"model": F.lit(self.space.name), "batch": F.lit(batch)})
        # Rows that an earlier run committed are no longer lacking, so no two writes are the same.
        purpose = f"{self.space.name}/{warehouse.version('embeddings')}"
        self.embedded += warehouse.append_some("embeddings", named, batch=batch, purpose=purpose)


def _embed(model: SentModel, batches: Batches) -> Iterator[pa.RecordBatch]:
    encoder = model.opened()
    for batch in batches:
        for start in range(0, len(batch), _TOGETHER):
            part = batch.slice(start, _TOGETHER)
            vectors = as_bytes(encoder.encode(part.column("text").to_pylist()))
            yield pa.RecordBatch.from_arrays([part.column("text_hash"), vectors], schema=_ARROW)


def as_bytes(vectors: Array) -> pa.Array:
    """Return each of the rows as the bytes of its float16 numbers."""
    stored = np.ascontiguousarray(vectors, STORED)
    width = stored.shape[1] * STORED.itemsize
    kept = pa.Array.from_buffers(pa.binary(width), len(stored), [None, pa.py_buffer(stored)])
    return kept.cast(pa.binary())

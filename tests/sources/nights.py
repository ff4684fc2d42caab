"""Nights of ingestion over files in a folder, with the tables kept as Parquet."""

from __future__ import annotations

from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.context import Batch
from regesta.sources.declaration import Source
from regesta.sources.episodes import ingest
from regesta.sources.listing import new_files
from regesta.sources.stored import Stored

TABLES = ("episodes", "supersessions", "heartbeats", "deliveries", "rejected")
SECOND = 1_000_000


class Nights:
    """A folder with files and tables; `run` is one batch, known at so many seconds."""

    def __init__(self, spark, folder, *sources):
        self.spark, self.folder = spark, folder
        self.files = folder / "files"
        self.files.mkdir()
        base = {"path": str(self.files), "group": "'g'"}
        self.sources = [Source.model_validate(base | source) for source in sources]
        self.number, self.previous = 0, None

    def run(self, known_at=None):
        """Ingest the new files, append to the tables, and return what was ingested."""
        number = self.number + 1
        known = (known_at or 1_600_000_000 + number * 86_400) * SECOND
        stored = Stored(*map(self.table, TABLES[:4]))
        ingested = ingest(
            self.spark,
            self.sources,
            stored,
            new_files(self.spark, self.sources, stored.deliveries),
            batch=Batch(number, known, self.previous),
            salt="salt",
            staging=str(self.folder / f"staging/{number}"),
        )
        for name in TABLES:
            part = str(self.folder / "tables" / name / f"batch={number}")
            getattr(ingested, name).drop("batch").write.parquet(part)
        self.number, self.previous = number, known
        return ingested

    def table(self, name):
        schema = model.TABLES["rejected_rows" if name == "rejected" else name]
        folder = self.folder / "tables" / name
        if not folder.exists():
            return self.spark.createDataFrame([], from_arrow_schema(schema))
        read = self.spark.read.option("basePath", str(folder)).parquet(str(folder))
        return read.withColumn("batch", read["batch"].cast("long")).select(*schema.names)

    def rows(self, name, *columns):
        """Return the rows of a table as sorted tuples."""
        found = self.table(name).select(*columns).collect()
        return sorted(map(tuple, found), key=lambda row: [str(value) for value in row])

    def write(self, **files):
        for name, content in files.items():
            path = self.files / name.replace("__", ".")
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

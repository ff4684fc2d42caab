"""The manifest: what a snapshot consists of, and the proof that it is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from regesta.embed.encoder import Space
from regesta.errors import SnapshotError
from regesta.query.layout import MODELS, SCHEMA_VERSION, SEGMENTS


@dataclass(frozen=True)
class File:
    """One file of a segment; `rows` is absent for arrays."""

    bytes: int
    sha256: str
    rows: int | None = None


@dataclass(frozen=True)
class Manifest:
    """A snapshot: its known time in microseconds, its origin, and bucket -> segment -> files.

    `embedding` is where its vectors belong, absent where it has none; `model` lists the files of
    the model that made them, unless that is asked at an endpoint. `generation` counts how often the
    warehouse's derived tables had been built anew.
    """

    name: str
    known_at: int
    batch: int
    table_versions: Mapping[str, int]
    code_version: str
    bucket_count: int
    buckets: Mapping[str, str]
    segments: Mapping[str, Mapping[str, File]]
    embedding: Space | None = None
    model: Mapping[str, File] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION
    generation: int = 1

    @property
    def folders(self) -> dict[str, Mapping[str, File]]:
        """Return the folders of the snapshot's files, from the root."""
        segments = {f"{SEGMENTS}/{each}": files for each, files in self.segments.items()}
        return {**segments, f"{MODELS}/{segment_id(self.model)}": self.model}

    @property
    def rows(self) -> dict[str, int]:
        """Rows per table, over all segments."""
        totals: dict[str, int] = {}
        files = [entry for files in self.segments.values() for entry in files.items()]
        for name, file in files:
            if file.rows is not None:
                table = name.removesuffix(".parquet")
                totals[table] = totals.get(table, 0) + file.rows
        return totals


def segment_id(files: Mapping[str, File]) -> str:
    """Return the id of a segment or a model: a digest of its files' names and checksums."""
    listing = "".join(f"{name} {files[name].sha256}\n" for name in sorted(files))
    return hashlib.sha256(listing.encode()).hexdigest()[:32]


def named(manifest: Manifest) -> Manifest:
    """Return the manifest with the name that its content gives: batch number and digest."""
    body = {**asdict(manifest), "name": ""}
    return Manifest(**{**_shallow(manifest), "name": f"{manifest.batch:08d}-{_digest(body)[:12]}"})


def _shallow(manifest: Manifest) -> dict[str, Any]:
    return {key: getattr(manifest, key) for key in manifest.__dataclass_fields__}


def to_json(manifest: Manifest) -> str:
    """Return the manifest as JSON, closed by a checksum of itself."""
    body = asdict(manifest)
    return json.dumps({**body, "checksum": _digest(body)}, indent=1, sort_keys=True) + "\n"


def from_json(text: str, *, path: str) -> Manifest:
    """Read a manifest; raises SnapshotError naming `path` where it is damaged or too new."""
    try:
        body = json.loads(text)
        checksum = body.pop("checksum")
        whole = checksum == _digest(body)
    except (ValueError, KeyError, AttributeError, TypeError):
        whole = False
    if not whole:
        raise SnapshotError(f"The snapshot's {path} is damaged; publish again or roll back.")
    if body["schema_version"] != SCHEMA_VERSION:
        raise SnapshotError(
            f"{path} has schema version {body['schema_version']}, this release reads "
            f"{SCHEMA_VERSION}; publish again with this release."
        )
    return _from_body(body)


def _from_body(body: dict[str, Any]) -> Manifest:
    segments = {segment: _files(files) for segment, files in body["segments"].items()}
    embedding = body["embedding"] and Space(**body["embedding"])
    model = _files(body["model"])
    return Manifest(**{**body, "segments": segments, "embedding": embedding, "model": model})


def _files(listing: Mapping[str, Any]) -> dict[str, File]:
    return {name: File(**file) for name, file in listing.items()}


def _digest(body: Mapping[str, Any]) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

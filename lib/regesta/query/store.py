"""The files under a snapshot root, local or on an object store."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from regesta.errors import ConfigurationError, SnapshotError


class Store:
    """Reads files under `root`: see `resolve`."""

    def __init__(self, root: str | Path) -> None:
        self.root = str(root)
        self.filesystem, self.base = resolve(root)
        self.local = isinstance(self.filesystem, pafs.LocalFileSystem)

    def path(self, *parts: str) -> str:
        """Return the path of a file as the file system knows it."""
        return "/".join((self.base, *parts))

    def exists(self, *parts: str) -> bool:
        """Tell whether a file is there."""
        info = self.filesystem.get_file_info(self.path(*parts))
        return bool(info.type != pafs.FileType.NotFound)

    def read(self, *parts: str) -> bytes:
        """Return a file's bytes; raises SnapshotError where it is missing."""
        try:
            with self.filesystem.open_input_stream(self.path(*parts)) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            raise missing(self.root, *parts) from None

    def sizes(self, *parts: str) -> dict[str, int]:
        """Return path below the folder -> bytes, for every file below it."""
        folder = self.path(*parts)
        selector = pafs.FileSelector(folder, recursive=True, allow_not_found=True)
        infos = self.filesystem.get_file_info(selector)
        return {info.path[len(folder) + 1 :]: info.size for info in infos if info.is_file}

    def sha256(self, *parts: str) -> str:
        """Return a file's checksum."""
        digest = hashlib.sha256()
        with self.filesystem.open_input_stream(self.path(*parts)) as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
        return digest.hexdigest()

    def array(self, *parts: str) -> np.ndarray[Any, Any]:
        """Return an array: memory-mapped when local, else read whole."""
        try:
            if self.local:
                return np.asarray(np.load(self.path(*parts), mmap_mode="r", allow_pickle=False))
            return np.asarray(np.load(io.BytesIO(self.read(*parts)), allow_pickle=False))
        except FileNotFoundError:
            raise missing(self.root, *parts) from None
        except ValueError as error:
            raise SnapshotError(f"{'/'.join(parts)} in {self.root} is damaged: {error}.") from error

    def parquet(self, *parts: str) -> pq.ParquetFile:
        """Return an open Parquet file, of which nothing but the footer is read yet."""
        try:
            return pq.ParquetFile(
                self.filesystem.open_input_file(self.path(*parts)), memory_map=self.local
            )
        except FileNotFoundError:
            raise missing(self.root, *parts) from None
        except (OSError, ValueError) as error:
            raise SnapshotError(f"{'/'.join(parts)} in {self.root} is damaged: {error}.") from error


def resolve(root: str | Path) -> tuple[pafs.FileSystem, str]:
    """Return the file system of `root` and the path on it, without a slash at the end.

    `root` is a local path or any URI that pyarrow.fs understands; s3a:// is Spark's name for s3://.

    Raises:
        ConfigurationError: there is no such file system.
    """
    text = str(root)
    if "://" not in text and not text.startswith("file:"):
        text = str(Path(text).absolute())
        return pafs.LocalFileSystem(), text
    try:
        filesystem, path = pafs.FileSystem.from_uri(text.replace("s3a://", "s3://", 1))
    except pa.ArrowInvalid as error:
        raise ConfigurationError(
            f"{text} can't be opened ({error}): give a folder that all machines see, or an address "
            "that begins with s3a://, gs://, abfss:// or hdfs://."
        ) from error
    return filesystem, path.rstrip("/")


def missing(root: str, *parts: str) -> SnapshotError:
    """Return the error for a file that should be there."""
    return SnapshotError(f"{'/'.join(parts)} is missing in {root}; publish again or roll back.")

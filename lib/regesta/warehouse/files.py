"""Small files beside the tables, on any file system that Hadoop knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from regesta.errors import StorageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Files:
    """Small text files and folders under one root, through Hadoop's FileSystem."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        session: Any = spark._jsparkSession
        configuration = session.sessionState().newHadoopConf()
        path = self._path(root)
        self._system: Any = path.getFileSystem(configuration)
        # SQL takes no relative paths of tables; local ones stay without a scheme.
        if not path.isAbsolute():
            whole = self._system.makeQualified(path)
            is_local = self._system.getScheme() == "file"
            root = str(whole.toUri().getPath() if is_local else whole.toString())
        self.root = root.rstrip("/")
        if self._system.getScheme() == "file":
            # A checksum beside each file would not change in the same instant as the file.
            self._system = self._system.getRawFileSystem()

    def _at(self, name: str) -> Any:
        return self._path(f"{self.root}/{name}" if name else self.root)

    def exists(self, name: str) -> bool:
        """Return whether the file or folder is there."""
        return bool(self._system.exists(self._at(name)))

    def names(self, folder: str) -> list[str]:
        """Return the sorted names in a folder; none where there is no such folder."""
        if not self.exists(folder):
            return []
        return sorted(
            status.getPath().getName() for status in self._system.listStatus(self._at(folder))
        )

    def read(self, name: str) -> str:
        """Return the text of a file."""
        stream = self._system.open(self._at(name))
        try:
            return str(
                self._jvm.org.apache.commons.io.IOUtils.toString(
                    stream, self._jvm.java.nio.charset.StandardCharsets.UTF_8
                )
            )
        finally:
            stream.close()

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file; raises StorageError where it is none."""
        try:
            return json.loads(self.read(name))
        except ValueError as error:
            raise StorageError(
                f"{self.root}/{name} is damaged ({error}): put it back from a backup of the "
                "warehouse, then start the same command again."
            ) from error

    def write(self, name: str, text: str) -> None:
        """Write a file whole: a local reader sees the old text or the new one.

        Raises:
            OSError: the file could not be put in its place.
        """
        temporary, target = self._at(f"{name}.writing"), self._at(name)
        self._fill(self._system.create(temporary, True), text)
        if self._system.rename(temporary, target):
            return
        self._system.delete(target, False)  # elsewhere a rename replaces nothing
        if not self._system.rename(temporary, target):
            raise OSError(f"{target.toString()} could not be put in its place.")

    def create(self, name: str, text: str) -> bool:
        """Write a file that must not exist; return whether this call made it."""
        try:
            stream = self._system.create(self._at(name), False)
        except Py4JJavaError as error:
            if "FileAlreadyExistsException" in str(error.java_exception.toString()):
                return False
            raise
        try:
            self._fill(stream, text)
        except Py4JJavaError:
            self.delete(name)  # a full disk leaves a file without its text
            raise
        return True

    def modified_at(self, name: str) -> float:
        """Return when a file was last written, in seconds since 1970."""
        return float(self._system.getFileStatus(self._at(name)).getModificationTime()) / 1000

    def delete(self, name: str) -> None:
        """Remove a file or a folder with all that is in it."""
        self._system.delete(self._at(name), True)

    def _fill(self, stream: Any, text: str) -> None:
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()

"""Small files beside the tables, on any file system that Hadoop knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Files:
    """Small text files and folders under one root, through Hadoop's FileSystem."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        self.root = root.rstrip("/")
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        session: Any = spark._jsparkSession
        configuration = session.sessionState().newHadoopConf()
        self._system: Any = self._path(self.root).getFileSystem(configuration)

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

    def write(self, name: str, text: str) -> None:
        """Write a file whole: a reader sees the old text or the new one."""
        temporary = self._at(f"{name}.writing")
        self._put(temporary, text, overwrite=True)
        self._system.delete(self._at(name), False)
        self._system.rename(temporary, self._at(name))

    def create(self, name: str, text: str) -> bool:
        """Write a file that must not exist; return whether this call made it."""
        try:
            self._put(self._at(name), text, overwrite=False)
        except Py4JJavaError as error:
            if "FileAlreadyExistsException" in str(error.java_exception.toString()):
                return False
            raise
        return True

    def delete(self, name: str) -> None:
        """Remove a file or a folder with all that is in it."""
        self._system.delete(self._at(name), True)

    def _put(self, path: Any, text: str, *, overwrite: bool) -> None:
        stream = self._system.create(path, overwrite)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()

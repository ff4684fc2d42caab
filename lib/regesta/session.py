"""One builder of Spark sessions, with Delta and GraphFrames, for local use and for clusters."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from regesta.errors import SetupError
from regesta.java import LOCAL_FILES, JvmParts, check_java, jar, jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REQUIRED = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    # A night adds files to every table that it writes; Delta puts small ones together after a
    # write once there are so many, so that night after night costs the same.
    "spark.databricks.delta.autoCompact.enabled": "true",
    "spark.databricks.delta.autoCompact.minNumFiles": "24",
}
# Absolute, since a worker may import the package from a place relative to its own.
LOGGING = Path(__file__).absolute().with_name("log4j2.properties")
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.default.parallelism": "8",
    "spark.databricks.delta.snapshotPartitions": "2",
    # Noting the Python line of every expression takes longer than making the expression.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
    "spark.driver.memory": "6g",
    "spark.driver.extraJavaOptions": (
        "-Duser.timezone=UTC -XX:+UseParallelGC -Xms1g -XX:NewSize=600m -XX:MetaspaceSize=256m "
        f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"
    ),
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    # No checksum file beside each file of a Delta log.
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
SMALL_ARCHIVE = 32 * 2**20
"""Bytes of archive files up to which queries take longer to compile than to run."""

FOR_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.leafNodeDefaultParallelism": "2",
}
TINY_ARCHIVE = 2 * 2**20
"""Bytes up to which a second partition costs more than it saves."""
FOR_TINY = {
    **FOR_SMALL,
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
}
NEEDED_CLASSES = ("io.delta.tables.DeltaTable", "org.graphframes.GraphFrame")


def start_session(
    settings: Mapping[str, str] | None = None,
    *,
    master: str = "local[*]",
    parts: JvmParts | None = None,
    name: str = "regesta",
) -> SparkSession:
    """Start Spark, or take the session that spark-submit or a notebook has set up.

    Under spark-submit the cluster's master, jars and settings are taken unchanged; only what Delta
    needs and what is absent is added. Locally the JVM parts are resolved once and started from
    their folder.

    Raises:
        SetupError: Java or a JVM part is missing; the message says what to do.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415

    if (running := SparkSession.getActiveSession()) is not None:
        _check_classes(running)
        return running
    check_java()
    wanted = {**REQUIRED, **(settings or {})}
    builder = SparkSession.builder.appName(name)
    if _under_spark_submit():
        wanted = _only_absent(wanted)
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.master(master)
        wanted = {**LOCAL, **wanted, **_class_paths(parts or JvmParts(), wanted)}
    for key, value in wanted.items():
        builder = builder.config(key, value)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    session = builder.getOrCreate()
    _check_classes(session)
    return session


def suit(session: SparkSession, archive_bytes: int) -> None:
    """Let a local session interpret its queries while the archive is small, and compile after.

    What was set when the session was started stays, and so does everything on a cluster.
    """
    given = session.sparkContext.getConf()
    if not given.get("spark.master", "").startswith("local"):
        return
    suits = FOR_TINY if archive_bytes <= TINY_ARCHIVE else FOR_SMALL
    for key, value in suits.items():
        if given.get(key, LOCAL.get(key)) != LOCAL.get(key):
            continue
        if archive_bytes <= SMALL_ARCHIVE:
            session.conf.set(key, value)
        else:
            session.conf.unset(key)


def beside(session: SparkSession) -> SparkSession:
    """Return another session with the same suits; what is set in it concerns no other."""
    other = session.newSession()
    for key in FOR_SMALL:
        if (value := session.conf.get(key, None)) is not None:
            other.conf.set(key, value)
    return other


def _under_spark_submit() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _only_absent(wanted: Mapping[str, str]) -> dict[str, str]:
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    SparkContext._ensure_initialized()
    given = SparkConf()
    return {key: value for key, value in wanted.items() if not given.contains(key)}


def _class_paths(parts: JvmParts, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return where the JVM parts are; that of local files is needed before Spark loads the rest."""
    given = wanted.get("spark.driver.extraClassPath")
    at_start = [str(jar(LOCAL_FILES, parts)), *([given] if given else [])]
    return {
        "spark.jars": ",".join(path.as_uri() for path in jars(parts)),
        "spark.driver.extraClassPath": os.pathsep.join(at_start),
    }


def _check_classes(session: SparkSession) -> None:
    loader = session._jvm.org.apache.spark.util.Utils  # type: ignore[union-attr]
    for needed in NEEDED_CLASSES:
        if not loader.classIsLoadable(needed):
            raise SetupError(
                f"The Spark session has no {needed}: start it with --packages "
                f"{','.join((JvmParts().delta, JvmParts().graphframes[0]))}."
            )

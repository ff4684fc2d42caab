"""The jobs under spark-submit on a standalone cluster, with the package shipped to its workers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from little_company import NIGHTS, write_configuration, write_night
from regesta.model import STEPS
from test_nightly import blurred, run_night, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.long]

ROOT = Path(__file__).parents[1]
WORKERS = 2
PATIENCE = 60


@contextmanager
def daemon(kind: str, *arguments: str, log: Path) -> Iterator[None]:
    """A master or worker of Spark's standalone cluster, for as long as the block lasts."""
    import pyspark

    command = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with log.open("w") as told:
        running = subprocess.Popen(
            [str(command), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", *arguments],
            env=environment,
            stdout=told,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
        finally:
            running.terminate()
            running.wait(PATIENCE)


def told(log: Path, pattern: str, *, times: int = 1) -> str:
    """Wait until a log says something so often; return the first group of its first match."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if len(found := re.findall(pattern, log.read_text())) >= times:
            return str(found[0])
        time.sleep(0.2)
    raise AssertionError(f"{log.name} never told {pattern!r}:\n{log.read_text()}")


@pytest.fixture
def master(tmp_path) -> Iterator[str]:
    """The address of a cluster with two workers of one core each."""
    log = tmp_path / "master.log"
    with ExitStack() as running:
        ports = ("--port", "0", "--webui-port", "0")
        running.enter_context(daemon("master.Master", *ports, log=log))
        address = told(log, r"Starting Spark master at (spark://\S+)")
        for number in range(WORKERS):
            given = ("--cores", "1", "--memory", "2g", "--work-dir", str(tmp_path / f"w{number}"))
            worker = daemon(
                *("worker.Worker", *given, "--webui-port", "0", address),
                log=tmp_path / f"worker{number}.log",
            )
            running.enter_context(worker)
        told(log, r"Registering worker (\S+)", times=WORKERS)
        yield address


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The package as an archive for --py-files."""
    archive = tmp_path_factory.mktemp("package") / "regesta"
    return Path(shutil.make_archive(str(archive), "zip", ROOT / "lib", "regesta"))


def submit(master: str, package: Path, program: Path, *arguments: str, cwd: Path) -> str:
    """Run a program by spark-submit; return what it printed."""
    import pyspark

    from regesta.java import JvmParts, jars

    home = Path(pyspark.__file__).parent
    settings = {
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Compiling queries for a few rows would take most of the time.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    answer = subprocess.run(
        [
            *(str(home / "bin" / "spark-submit"), "--master", master),
            *("--py-files", str(package), "--jars", ",".join(map(str, jars(JvmParts())))),
            *(part for each in settings.items() for part in ("--conf", "=".join(each))),
            *(str(program), *arguments),
        ],
        # Outside of the project, and with nothing but the shipped package before site-packages.
        cwd=cwd,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


WHERE = """
from pyspark.sql import SparkSession
from regesta.session import start_session

def place(batches):
    import pyarrow as pa
    import regesta
    for batch in batches:
        yield pa.RecordBatch.from_pylist([{"place": regesta.__file__}])

spark = start_session({"spark.executor.memory": "9g"}, master="local[1]")
assert spark is SparkSession.getActiveSession()
places = spark.range(4, numPartitions=4).mapInArrow(place, "place string").distinct().collect()
print(spark.sparkContext.master, spark.conf.get("spark.executor.memory"), *places, sep="\\n")
"""


def test_a_cluster_keeps_its_master_and_settings_and_is_sent_the_package(master, package, tmp_path):
    program = tmp_path / "where.py"
    program.write_text(WHERE)
    told_master, memory, *places = submit(master, package, program, cwd=tmp_path).split("\n")[:3]
    assert told_master == master
    assert memory == "1g"
    assert all(package.name in place for place in places)


def test_each_job_gives_what_a_local_run_gives(spark, master, package, tmp_path):
    projects = {name: tmp_path / name for name in ("local", "cluster")}
    for project in projects.values():
        project.mkdir()
        write_configuration(project)

    def job(name: str, *arguments: str) -> str:
        conf = str(projects["cluster"] / "conf")
        program = ROOT / "jobs" / f"{name}.py"
        return submit(master, package, program, "--conf", conf, *arguments, cwd=tmp_path)

    write_night(projects["cluster"], 0)
    for step in STEPS:
        job(step, *(("--known-at", NIGHTS[0]) if step == "ingest" else ()))
    write_night(projects["cluster"], 1)
    assert '"complete": true' in job("nightly", "--known-at", NIGHTS[1])
    for night in range(2):
        write_night(projects["local"], night)
        run_night(spark, projects["local"] / "conf", NIGHTS[night])
    expected, found = (tables_of(spark, each / "warehouse") for each in projects.values())
    assert blurred(found) == blurred(expected)

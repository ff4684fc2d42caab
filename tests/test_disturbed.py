"""Two runs at once, a reader during a batch, a full disk: nothing is lost, the next run goes on."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from little_company import NIGHTS, write_configuration, write_night
from projects import run_night
from test_kills import COMMAND, finish, start
from test_nightly import beliefs, blurred, open_pipeline, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.long]


@pytest.fixture
def project(tmp_path):
    """A project to which the first night's files have come."""
    write_configuration(tmp_path)
    write_night(tmp_path, 0)
    return tmp_path


def test_of_two_runs_at_once_one_is_refused(project):
    first = start(project / "conf")
    for line in first.stderr:
        if " ingest: " in line:
            break
    second = start(project / "conf")
    _, refused = second.communicate(timeout=300)
    assert second.returncode == 5, refused
    assert f"Another run holds {project / 'warehouse'}: process {first.pid} on" in refused
    assert "Wait for it to end." in refused
    _, told = first.communicate(timeout=600)
    assert first.returncode == 0, told
    assert "is complete" in finish(project / "conf")


def test_readers_keep_what_they_opened_while_a_batch_is_written(spark, project):
    from regesta import query
    from regesta.model import STEPS
    from regesta.pipeline import Run
    from regesta.query.times import to_micros
    from regesta.sql.spark import register

    run_night(spark, project / "conf", NIGHTS[0])
    register(spark, str(project / "warehouse"))
    snapshot = query.open(project / "warehouse" / "snapshots")

    def read():
        rows = spark.sql("SELECT row_id, expired_at FROM all_facts ORDER BY row_id").collect()
        graph = snapshot.group("north").as_of()
        return rows, graph.facts(), graph.search("who owns Acme?").context()

    before = read()
    write_night(project, 1)
    pipeline = open_pipeline(spark, project / "conf")
    pipeline.run(Run(steps=STEPS[:1]), to_micros(NIGHTS[1]))
    for step in STEPS[1:]:
        assert read() == before
        fresh = query.open(project / "warehouse" / "snapshots")
        assert fresh.manifest == snapshot.manifest
        pipeline.continue_with(step)
    assert read() == before
    assert ("Acme", "OWNED_BY", "bob") in beliefs(project, NIGHTS[1], NIGHTS[1])


def can_mount() -> bool:
    """Tell whether this user may mount a small disk in a namespace of its own."""
    if shutil.which("unshare") is None:
        return False
    made = ("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    return subprocess.run(made, capture_output=True, check=False).returncode == 0


SIZES = ("48k", "400k", "900k")  # too small to begin, for what a night derives, for its snapshot
SCRIPT = """
mount -t tmpfs -o size=64k tmpfs "$WAREHOUSE" || exit 99
for size in $SIZES 64m; do
    mount -o remount,size=$size "$WAREHOUSE"
    "$@" 2>&1
    echo "== $size ended with $?"
done
cp -a "$WAREHOUSE" "$COPY"
"""


@pytest.mark.skipif(not can_mount(), reason="no disk can be mounted here")
def test_a_full_disk_stops_a_night_clearly_and_the_next_run_goes_on(spark, project):
    warehouse, copy = project / "warehouse", project / "copy"
    warehouse.mkdir()
    nightly = (*COMMAND, "--conf", str(project / "conf"), "--known-at", NIGHTS[0])
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SCRIPT, "sh", *nightly],
        env={
            **os.environ,
            "REGESTA_SPARK__MASTER": "local[2]",
            "WAREHOUSE": str(warehouse),
            "COPY": str(copy),
            "SIZES": " ".join(SIZES),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for size in SIZES:
        told, _, rest = done.stdout.partition(f"== {size} ended with ")
        assert rest.startswith("9"), done.stdout
        assert "The disk is full" in told, done.stdout
        done.stdout = rest
    assert "ended with 0" in done.stdout
    undisturbed = project / "undisturbed"
    shutil.copytree(project / "conf", undisturbed / "conf")
    shutil.copytree(project / "archive", undisturbed / "archive")
    run_night(spark, undisturbed / "conf", NIGHTS[0])
    expected = tables_of(spark, undisturbed / "warehouse")
    assert blurred(tables_of(spark, copy)) == blurred(expected)

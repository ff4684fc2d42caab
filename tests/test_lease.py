"""One run at a time: who holds the lease, who is refused, and which leases are abandoned."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from regesta.errors import BusyError

pytestmark = pytest.mark.spark


@pytest.fixture
def files(spark, tmp_path):
    from regesta.warehouse.files import Files

    return Files(spark, str(tmp_path))


def held_by(folder, process, *, seconds_ago=0.0, host=None):
    """Leave the lease of another run."""
    lease = folder / "_lease.json"
    holder = {"host": host or socket.gethostname(), "process": process, "fence": 7}
    lease.write_text(json.dumps(holder))
    renewed = time.time() - seconds_ago
    os.utime(lease, (renewed, renewed))


def refused(files, told):
    from regesta.warehouse.lease import lease

    with pytest.raises(BusyError, match=told), lease(files):
        pass


@pytest.fixture
def alive():
    """Another process that lives."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.communicate(b"\n")


def test_a_second_run_is_refused_while_the_first_one_lasts(files):
    from regesta.warehouse.lease import lease

    with lease(files) as first:
        refused(files, rf"process {os.getpid()} on .*, renewed 0 seconds ago")
        first.confirm()
    with lease(files) as second:
        assert second.abandoned is None
    assert not files.exists("_lease.json")


def test_a_living_process_keeps_its_lease(files, tmp_path, alive):
    held_by(tmp_path, alive.pid, seconds_ago=800)
    refused(files, rf"process {alive.pid} .* Wait for it to end")
    assert json.loads((tmp_path / "_lease.json").read_text())["process"] == alive.pid


def test_the_lease_of_a_dead_process_is_taken_over(files, tmp_path):
    from regesta.warehouse.lease import lease

    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    held_by(tmp_path, dead.pid)
    with lease(files) as held:
        assert held.abandoned == f"process {dead.pid} on {socket.gethostname()}, which is gone"
        held.confirm()


@pytest.mark.parametrize("text", [None, "", '{"host": "el'])
def test_a_lease_without_sign_of_life_is_taken_over_after_a_quarter_of_an_hour(
    files, tmp_path, text
):
    from regesta.warehouse.lease import lease

    for seconds_ago in (890, 910):
        held_by(tmp_path, 1, seconds_ago=seconds_ago, host="elsewhere")
        if text is not None:  # as a run leaves it that dies while it writes
            renewed = (tmp_path / "_lease.json").stat().st_mtime
            (tmp_path / "_lease.json").write_text(text)
            os.utime(tmp_path / "_lease.json", (renewed, renewed))
        if seconds_ago < 900:
            refused(files, r"renewed 89\d seconds ago")
        else:
            with lease(files) as held:
                assert "not renewed for 15 minutes" in held.abandoned


def test_a_lease_is_renewed_while_its_run_lasts(files, tmp_path, monkeypatch):
    from regesta.warehouse import lease as module

    monkeypatch.setattr(module, "RENEWED_EVERY", 0.01)
    with module.lease(files) as held:
        os.utime(tmp_path / "_lease.json", (0, 0))
        while files.modified_at("_lease.json") == 0:
            time.sleep(0.01)
        held.confirm()
        assert held.failure is None
    assert not files.exists("_lease.json")


def test_a_run_that_lost_its_lease_stops_and_leaves_the_other_alone(files, tmp_path, alive):
    from regesta.warehouse.lease import lease

    with lease(files) as held:
        held_by(tmp_path, alive.pid)
        with pytest.raises(BusyError, match="lost its lease"):
            held.confirm()
    assert json.loads((tmp_path / "_lease.json").read_text())["process"] == alive.pid


def test_fencing_numbers_grow(files, tmp_path):
    from regesta.warehouse.lease import lease

    fences = []
    for _ in range(3):
        with lease(files):
            fences.append(json.loads((tmp_path / "_lease.json").read_text())["fence"])
    assert fences == [1, 2, 3]

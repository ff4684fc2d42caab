"""Real kills while requests are in flight: what was answered is not asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from model_project import COUNT, deliver_many, project_of, run, tables
from reader import read_faithfully

from chat_server import ChatServer

pytestmark = [pytest.mark.spark, pytest.mark.long]

COMMAND = "from regesta.cli.main import main; main()"
IN_FLIGHT = 2
TASKS = 2


def start(conf, step):
    known = ["--known-at", "2024-01-10"] if step == "ingest" else []
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, step, "--conf", str(conf), *known],
        env={**os.environ, "REGESTA_SPARK__MASTER": f"local[{TASKS}]"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_a_kill_sends_again_what_was_in_flight_and_nothing_else(spark, tmp_path):
    for name in ("good", "killed"):
        (tmp_path / name).mkdir()
    with ChatServer(read_faithfully) as server:
        conf = project_of(tmp_path / "good", server, in_flight=IN_FLIGHT)
        deliver_many(tmp_path / "good")
        run(spark, conf)
    with ChatServer(read_faithfully, seconds=0.7) as server:
        conf = project_of(tmp_path / "killed", server, in_flight=IN_FLIGHT)
        deliver_many(tmp_path / "killed")
        assert start(conf, "ingest").wait() == 0
        nightly = start(conf, "nightly")
        deadline = time.monotonic() + 300
        while len(server.received) < COUNT // 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(nightly.pid, signal.SIGKILL)
        nightly.wait()
        time.sleep(1)
        before = len(server.received)
        assert COUNT // 2 <= before < COUNT
        found = run(spark, conf)
        sent = Counter(server.texts())
    twice = sum(count > 1 for count in sent.values())
    # Under way, or answered and not yet kept: twice as many as each task holds in flight.
    assert twice <= 2 * IN_FLIGHT * TASKS
    assert max(sent.values()) <= 2
    # Taken up without an answer that was kept: these, and the rest of a slice.
    assert twice <= found["model"]["combined"]["sent_again"] <= 3 * IN_FLIGHT * TASKS
    assert found["model"]["combined"]["requests"] == len(sent) == COUNT
    assert tables(spark, tmp_path / "killed") == tables(spark, tmp_path / "good")

"""Real kills: a nightly run that is killed, twice, and started again equals an undisturbed one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from little_company import NIGHTS, write_configuration, write_night
from test_nightly import blurred, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.long]

COMMAND = (sys.executable, "-c", "from regesta.cli.main import main; main()", "nightly")


def start(conf: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--conf", str(conf), "--known-at", NIGHTS[0], "--json"],
        env={**os.environ, "REGESTA_SPARK__MASTER": "local[2]"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill_when(conf: Path, step: str) -> None:
    """Kill the run, with its JVM and its workers, once it says that the step has ended."""
    run = start(conf)
    for line in run.stderr:
        if f" {step}: " in line:
            break
    else:
        pytest.fail(f"the run ended before {step} did")
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    run.stderr.close()


def finish(conf: Path) -> str:
    run = start(conf)
    _, told = run.communicate(timeout=600)
    assert run.returncode == 0, told
    return told


def test_two_kills_leave_no_trace(spark, tmp_path):
    projects = [tmp_path / "undisturbed", tmp_path / "killed"]
    for project in projects:
        project.mkdir()
        write_configuration(project)
        write_night(project, 0)
    finish(projects[0] / "conf")
    kill_when(projects[1] / "conf", "ingest")
    kill_when(projects[1] / "conf", "resolve")
    told = finish(projects[1] / "conf")
    assert "the lease was taken over from process" in told
    assert "taking it up again" in told
    expected, found = (tables_of(spark, project / "warehouse") for project in projects)
    assert blurred(found) == blurred(expected)

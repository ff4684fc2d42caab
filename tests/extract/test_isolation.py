"""A crash, a hang and a mistake cost one item; a fault of the program ends the work."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from regesta.extract.isolation import Failure, Isolated


def make():
    made_in = os.getpid()

    def work(item):
        if item == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "hang":
            time.sleep(60)
        if item == "mistake":
            raise ValueError("no possible text")
        if item == "fault":
            raise KeyError("item")
        return item, made_in

    return work


@pytest.fixture
def isolated():
    worker = Isolated(make, seconds=2.0)
    yield worker
    worker.close()


def test_what_kills_or_hangs_the_process_costs_one_item(isolated):
    results = list(isolated.each(["a", "crash", "b", "hang", "c", "mistake", "d"]))
    reasons = [one.reason for one in results if isinstance(one, Failure)]
    assert [one[0] for one in results if not isinstance(one, Failure)] == ["a", "b", "c", "d"]
    assert reasons == [
        "reading it ended the process",
        "reading it took longer than 2 s",
        "no possible text",
    ]


def test_one_process_serves_many_items(isolated):
    results = [*isolated.each(["a", "b"]), *isolated.each(["c"])]
    assert len({process for _, process in results}) == 1
    assert os.getpid() not in {process for _, process in results}


def test_the_process_ends_with_the_one_that_began_it():
    reading, writing = os.pipe()
    began = os.fork()
    if not began:
        [(_, process)] = Isolated(make, seconds=2.0).each(["a"])
        os.write(writing, str(process).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(began, 0)
    process = int(os.read(reading, 20))
    assert has_ended(process), "the worker outlived its owner"


def has_ended(process):
    """Wait for a process to end, five seconds at most, and tell whether it has."""
    for _ in range(100):
        if not is_running(process):
            return True
        time.sleep(0.05)
    return False


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_fault_of_the_program_is_raised(isolated):
    with pytest.raises(KeyError):
        list(isolated.each(["fault"]))

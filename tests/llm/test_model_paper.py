"""The paper's steps, as waves over all episodes: they come to what one request comes to."""

from __future__ import annotations

import pytest
from model_project import deliver, project_of, refuses_one, run, tables
from reader import read_faithfully

from chat_server import ChatServer

pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_step_by_step_is_as_in_one(spark, tmp_path):
    found, kept = {}, {}
    for profile in ("combined", "paper"):
        folder = tmp_path / profile
        folder.mkdir()
        with ChatServer(read_faithfully, refuses_one) as server:
            conf = project_of(folder, server, profile=profile)
            deliver(folder, 0)
            found[profile] = run(spark, conf)
        kept[profile] = [
            row.replace("/combined/", "/paper/") for row in tables(spark, folder)["statements"]
        ]
    told = {step: counts["requests"] for step, counts in found["paper"]["model"].items()}
    # One message is refused at once; one names nothing, so that nothing is asked about facts.
    assert told == {"entities": 4, "reflexion": 3, "facts": 2, "dates": 2}
    counts = ("read", "out", "empty", "failed", "mentions", "statements", "aside")
    assert {name: found["paper"][name] for name in counts} == {
        name: found["combined"][name] for name in counts
    }
    assert kept["paper"] == kept["combined"]
    earlier = [body["messages"][1]["content"] for body in server.received][:4]
    assert sum("Dee: Acme is owned by Bob Stone." in text for text in earlier) == 2

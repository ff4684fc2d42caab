"""A night that is stopped by its budget, by its endpoint and by faults, and started again."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from model_project import COUNT, deliver_many, opened, project_of, run, tables
from reader import read_faithfully

from chat_server import ChatServer, Fault
from regesta.errors import ModelError

pytestmark = pytest.mark.spark


def test_stops_and_faults_leave_what_a_faultless_run_does(spark, tmp_path):
    dice, trouble = random.Random(3), []

    def fault(number, body):
        if "off" in trouble:
            return Fault(401)
        kind = dice.choice([None, None, 429, 500, "drop"]) if "storm" in trouble else None
        return Fault(kind, {"Retry-After": "0"}) if kind else None

    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    with ChatServer(read_faithfully) as server:
        conf = project_of(tmp_path / "good", server)
        deliver_many(tmp_path / "good")
        faultless = run(spark, conf)
    with ChatServer(read_faithfully, fault) as server:
        conf = project_of(tmp_path / "bad", server, attempts=30)
        deliver_many(tmp_path / "bad")
        with pytest.raises(ModelError, match="the budget is used up"):
            run(spark, conf, budget="20k tokens")
        sent_within_budget = len(server.received)
        assert 4 <= sent_within_budget < COUNT

        trouble.append("off")
        with pytest.raises(ModelError, match="refuses: 401"):
            run(spark, conf)
        refused = len(server.received) - sent_within_budget
        assert refused <= 2 * 4  # as many tasks as cores, each with four in flight

        trouble[:] = ["storm"]
        found = run(spark, conf)
        sent = Counter(server.texts()[:sent_within_budget])
        sent.update(server.texts()[sent_within_budget + refused :])
    assert (found["read"], found["out"], found["failed"]) == (COUNT, COUNT, 0)
    assert found["model"]["combined"]["requests"] == COUNT
    assert {sent[text] for text in server.texts()[:sent_within_budget]} == {1}
    assert {name: faultless[name] for name in ("out", "empty", "mentions", "statements")} == {
        name: found[name] for name in ("out", "empty", "mentions", "statements")
    }
    assert tables(spark, tmp_path / "bad") == tables(spark, tmp_path / "good")


def test_the_estimate_is_what_is_then_used(spark, tmp_path):
    """Some messages are answered first: from these the estimate knows how long answers are."""
    with ChatServer(read_faithfully) as server:
        conf = project_of(tmp_path, server)
        (conf / "prices.yaml").write_text("tiny: {prompt: 2.0, completion: 8.0, batch: 0.5}\n")
        deliver_many(tmp_path)
        with pytest.raises(ModelError, match="the budget is used up"):
            run(spark, conf, budget="0.06")
        first = len(server.received)
        (told,) = opened(spark, conf).estimate()
        assert (told.episodes, told.requests, told.cached) == (COUNT, COUNT - first, first)
        found = run(spark, conf)
    rest = [len_of(body) for body in server.received[first:]]
    assert told.prompt_tokens == pytest.approx(sum(rest), rel=0.02)
    used = found["model"]["combined"]
    prompt, completion = used["prompt_tokens"], used["completion_tokens"]
    assert used["cost"] == pytest.approx(prompt * 2e-6 + completion * 8e-6)
    assert told.money == pytest.approx(used["cost"] * (COUNT - first) / COUNT, rel=0.05)
    assert told.batch_money == told.money / 2


def len_of(body):
    """Tokens of a prompt as the server counts them."""
    return sum(len(message["content"]) for message in body["messages"]) // 4

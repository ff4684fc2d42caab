"""`regesta review`: what is shown of a pair, and what an answer says."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from regesta.cli import identity
from regesta.cli.main import app
from regesta.resolve import steward
from regesta.resolve.steward import Bearer, Waiting


def bearer(number):
    return Bearer(
        profile_id=f"{number:032}",
        entity_id=f"entity-{number}",
        name=f"Ann {number}",
        label="Person",
        identifiers=[f"crm:{number}"],
        attributes={"town": "York"},
        said_in=f"crm {number}",
    )


PAIRS = [
    Waiting("emea", bearer(place), bearer(place + 1), 0.0, ["name: alike"]) for place in (1, 3, 5)
]


@pytest.fixture
def said(monkeypatch):
    """What is said to the next batch; three pairs wait."""
    kept = []

    class Warehouse:
        @contextmanager
        def next_batch(self, now):
            yield "context"

    def say(context, said, speaker):
        kept.extend((one, speaker.author, speaker.reason) for one in said)
        return {"said": len(said)}

    monkeypatch.setattr(identity, "opened", lambda conf: Warehouse())
    monkeypatch.setattr(steward, "waiting", lambda context, group, limit: PAIRS[:limit])
    monkeypatch.setattr(steward, "say", say)
    return kept


@pytest.mark.parametrize(
    ("typed", "verdicts"),
    [
        ("s\nn\nk\n", ["same", "not the same"]),
        ("k\nsame\nnot the same\n", ["same", "not the same"]),
        ("s\nq\n", ["same"]),
        ("\n", []),
    ],
)
def test_each_answer_is_kept_for_its_pair_until_something_else_is_given(said, typed, verdicts):
    result = CliRunner().invoke(app, ["review", "--author", "eve", "--reason", "why"], input=typed)
    assert result.exit_code == 0, result.output
    assert [one.verdict for one, *_ in said] == verdicts
    first = 1 if typed.startswith("k") else 0
    expected = [(pair.left.profile_id, pair.right.profile_id) for pair in PAIRS[first:]]
    assert [(one.left, one.right) for one, *_ in said] == expected[: len(said)]
    assert {(one.group, author, reason) for one, author, reason in said} <= {("emea", "eve", "why")}
    assert "50% likely one entity; name: alike" in result.output


def test_pairs_are_listed_for_programs_and_nothing_is_asked(said):
    result = CliRunner().invoke(app, ["review", "--json", "--limit", "2"])
    pairs = json.loads(result.output)
    assert [pair["left"]["name"] for pair in pairs] == ["Ann 1", "Ann 3"]
    assert pairs[0]["probability"] == 0.5
    assert said == []

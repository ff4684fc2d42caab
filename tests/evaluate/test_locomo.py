"""LoCoMo's shape read, its turns published, its questions scored: a conversation made by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import regesta.query
from publish import tiny, writing
from regesta.cli.main import app
from regesta.config import load
from regesta.errors import InputError
from regesta.evaluate import retrieval
from regesta.evaluate.locomo import KNOWN_AT, Asked, read_locomo, write_project
from regesta.evaluate.recall import estimates, recall
from regesta.evaluate.retrieval import score_locomo
from regesta.query import Recipe, ScopeRecipe


def turn(number, speaker, text, **more):
    return {"dia_id": number, "speaker": speaker, "text": text, **more}


def asked(question, category, *evidence):
    return {"question": question, "category": category, "answer": "x", "evidence": [*evidence]}


def conversation(name):
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_2_date_time": "9:00 am on 1 June, 2023",
            "session_2": [turn("D2:1", "Bo", "The hen sleeps")],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn("D1:1", "Ann", "I saw a fox", blip_caption="a red fox"),
                turn("D1:2", "Bo", "Where was it?"),
            ],
            "session_3_date_time": "9:00 am on 2 June, 2023",
        },
        "qa": [
            asked("Who saw the fox, and where?", 4, "D1:1"),
            asked("Which animals?", 1, "D1:1; D2:01", "D:2:1"),
            asked("Nothing?", 5),
            asked("Lost?", 2, "D9:9"),
        ],
    }


@pytest.fixture
def folder(tmp_path):
    items = [conversation(f"c{number}") for number in range(4)]
    (tmp_path / "locomo10.json").write_text(json.dumps(items))
    return tmp_path


def test_turns_and_questions(folder):
    read = read_locomo(folder)
    assert read.conversations == ["c0", "c1", "c2", "c3"]
    first, second, third = read.turns[:3]
    assert first == {
        "conversation": "c0",
        "session": "session_1",
        "turn": "D1:1",
        "position": 1,
        "at": "2023-05-08T13:56:00+00:00",
        "speaker": "Ann",
        "text": "I saw a fox [shares a red fox]",
    }
    assert (second["position"], third["session"]) == (2, "session_2")
    assert read.questions[:2] == (
        Asked("c0", "single hop", "Who saw the fox, and where?", frozenset({"c0/D1:1"})),
        Asked("c0", "multi-hop", "Which animals?", frozenset({"c0/D1:1", "c0/D2:1"})),
    )
    assert len(read.questions) == 8  # what has no evidence, or none that is there, is left out


@pytest.mark.parametrize("content", ["[", "{}", '[{"sample_id": "x"}]', "[1]"])
def test_files_of_another_shape(tmp_path, content):
    with pytest.raises(InputError, match=r"locomo10\.json is missing"):
        read_locomo(tmp_path)
    (tmp_path / "locomo10.json").write_text(content)
    if content == "{}":
        assert read_locomo(tmp_path).turns == ()
    else:
        with pytest.raises(InputError, match="is not LoCoMo's"):
            read_locomo(tmp_path)


def test_a_declared_source_takes_the_turns_in(folder, tmp_path):
    """As `regesta sources check` shows them: group, thread, author and words."""
    conf = write_project(read_locomo(folder), tmp_path / "project", "bge-small-en-v1.5")
    args = ["sources", "check", "locomo", "--conf", str(conf), "--json", "--known-at", KNOWN_AT]
    done = CliRunner().invoke(app, args)
    assert done.exception is None
    first = json.loads(done.stdout)[0]["episode"]
    assert first["content"] == "Ann: I saw a fox [shares a red fox]"
    assert (first["group"], first["source_id"]) == ("c0", "c0/D1:1")
    assert (first["thread"], first["author"]) == ("c0/session_1", "Ann")
    assert not [row for row in json.loads(done.stdout) if row["reason"]]
    load(conf)  # the whole configuration holds


def test_recall_by_hand():
    wanted = frozenset({"a", "b", "c", "d"})
    assert recall(wanted, ["x", "a", "b", "y", "c"], (1, 3, 50)) == [0, 0.5, 0.75]


def test_an_interval_of_confidence():
    """Four conversations of mean 0, 1, 1, 0: the mean of draws is binomial, from 0 to 1."""
    shares = np.repeat([[0.0], [1.0], [1.0], [0.0]], 5, axis=0)
    (found,) = estimates(shares, np.repeat(np.arange(4), 5))
    assert (found.mean, found.low, found.high) == (0.5, 0.0, 1.0)
    (alike,) = estimates(np.full((8, 1), 0.25), np.repeat([0, 1], 4))
    assert (alike.mean, alike.low, alike.high) == (0.25, 0.25, 0.25)


def test_scores_by_recipe_part_and_category(folder, tmp_path, monkeypatch):
    read = read_locomo(folder)
    episodes = [
        tiny.episode(f"{row['conversation']}-{n}", row["text"], group=row["conversation"])
        | {"source_id": f"{row['conversation']}/{row['turn']}", "position": row["position"]}
        for n, row in enumerate(read.turns)
    ]
    root = tmp_path / "snapshots"
    writing.write_snapshot(root, {name: [] for name in tiny.tables()} | {"episodes": episodes})
    words = Recipe("words", {"episodes": ScopeRecipe(("bm25",))})
    snapshot, told = regesta.query.open(root), []
    assert not any("meaning" in name for name in retrieval.scored(snapshot))  # it has no vectors
    monkeypatch.setattr(retrieval, "scored", lambda _: {"words": words})
    found = score_locomo(read, snapshot, told.append)
    assert len(told) == 8
    assert {(each.part, each.category, each.questions): each.at[5].mean for each in found} == {
        # "animals" is in no turn; the fox is found by its word.
        ("tuned on", "all", 6): 0.5,
        ("tuned on", "multi-hop", 3): 0.0,
        ("tuned on", "single hop", 3): 1.0,
        ("held out", "all", 2): 0.5,
        ("held out", "multi-hop", 1): 0.0,
        ("held out", "single hop", 1): 1.0,
    }

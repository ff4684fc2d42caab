"""What an extractor makes of a batch of episodes, as the rows that the step appends."""

from __future__ import annotations

import pyarrow as pa
from mapped import BASE, PERSONAL, micros

from regesta.extract.identity import MentionMaker
from regesta.extract.rows import Episode
from regesta.extract.staged import STAGED, StagedRows
from regesta.extract.step import _task
from regesta.sources.declaration import Source


def episode(number, content="{}"):
    said = micros("2024-05-01")
    return Episode(f"e{number}", "g", f"s{number}", "s", None, None, content, 10, said, said)


def kinds(batches):
    rows = pa.Table.from_batches(batches, STAGED).to_pylist()
    return [(row["row_kind"], row["episode_id"], row["reason"], row["raw"]) for row in rows]


def test_every_row_tells_its_kind_its_episode_and_its_extractor():
    named, silent, broken = episode(1), episode(2), episode(3)
    mention = MentionMaker(PERSONAL, "salt").made(
        named, ("x",), name="Ann", label="Person", quote=(0, 0)
    )
    rows = StagedRows()
    rows.add(named, [mention], [])
    rows.add(silent, [], [])
    rows.fail(broken, "no number")
    rows.put_aside(named, "no quote", "{}")
    batches = list(rows.batches("by hand"))
    assert kinds(batches) == [
        ("mention", "e1", None, None),
        ("empty", "e2", None, None),
        ("failed", "e3", "no number", None),
        ("aside", "e1", "no quote", "{}"),
    ]
    extractors = pa.Table.from_batches(batches)["extractor"].to_pylist()
    assert extractors == ["by hand"] * 4


def test_a_record_that_fails_leaves_the_others_of_its_batch():
    source = Source.model_validate(
        {
            **BASE,
            "mode": "event",
            "reference_time": "at",
            "entities": {"person": {"label": "Person", "name": "name"}},
            "statements": [
                {
                    "subject": "person",
                    "relation": "HAS_SIZE",
                    "value": "size",
                    "valid_at": {"path": "since"},
                }
            ],
        }
    )
    episodes = [
        episode(1, '{"name": "Ann Lee", "size": 3}'),
        episode(2, '{"size": 3}'),
        episode(3, '{"name": "Bob Ray", "size": 3, "since": "some day"}'),
    ]
    columns = dict(zip(Episode._fields, map(list, zip(*episodes, strict=True)), strict=True))
    found = kinds(
        list(_task({"s": source}, PERSONAL, "salt")([pa.RecordBatch.from_pydict(columns)]))
    )
    assert [(kind, of) for kind, of, _, _ in found] == [
        ("mention", "e1"),
        ("statement", "e1"),
        ("empty", "e2"),
        ("failed", "e3"),
    ]
    assert "some day" in found[-1][2]

"""The tables of the truth: their schemas, and the rows that a cell adds to them.

Times are UTC timestamps with microseconds, an absent end means "still". `subject` and `object` are
identifiers of records as the warehouse holds them (kind:value), `kind_of_event` names what makes a
row worth looking at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pyarrow as pa

from regesta.arrow import Row
from regesta.model import FLAG, NUMBER, TEXT, TEXTS, TIME
from regesta.simulate.desk import Desk
from regesta.simulate.questions import Question

ENTITIES: Final = pa.schema(
    [
        ("group_id", TEXT),
        ("entity", TEXT),  # key of the real thing
        ("label", TEXT),
        ("name", TEXT),  # the last one
        ("names", TEXTS),  # in order, other spellings included
        ("records", TEXTS),  # identifiers of its records
        ("kind_of_event", TEXT),  # plain, duplicate, namesake, shared_mailbox, renamed, ...
    ]
)
FACTS: Final = pa.schema(  # what the records make one believe: rectangles of valid x known time
    [
        ("group_id", TEXT),
        ("subject", TEXT),
        ("relation", TEXT),
        ("object", TEXT),  # null for a literal
        ("value", TEXT),  # null for an object
        ("valid_at", TIME),
        ("invalid_at", TIME),
        ("created_at", TIME),
        ("expired_at", TIME),
        ("kind_of_event", TEXT),
        ("source", TEXT),
    ]
)
WORLD: Final = pa.schema(  # what really was so, also what only messages tell
    [
        ("group_id", TEXT),
        ("subject", TEXT),
        ("relation", TEXT),
        ("object", TEXT),
        ("value", TEXT),
        ("valid_at", TIME),
        ("invalid_at", TIME),
        ("kind_of_event", TEXT),
        ("told_in", TEXTS),  # source ids of messages and notes
    ]
)
QUESTIONS: Final = pa.schema(
    [
        ("group_id", TEXT),
        ("subject", TEXT),
        ("relation", TEXT),
        ("valid", TIME),
        ("known", TIME),
        ("answers", TEXTS),  # objects and values believed, sorted; none: nothing is believed
        ("kind_of_event", TEXT),
        ("axis", TEXT),  # which time is not the latest: valid, known or both
    ]
)
MESSAGES: Final = pa.schema(  # a row for each sentence that tells something
    [
        ("group_id", TEXT),
        ("source_id", TEXT),
        ("kind", TEXT),  # message or text
        ("thread", TEXT),  # null for notes
        ("span_start", NUMBER),  # characters into the content
        ("span_end", NUMBER),
        ("event", TEXT),
        ("phrasing", TEXT),
        ("split", TEXT),  # seen or held_out
        ("subject", TEXT),
        ("relation", TEXT),
        ("object", TEXT),
        ("value", TEXT),
        ("valid_at", TIME),
        ("invalid_at", TIME),
        ("is_true", FLAG),  # false: it contradicts the record
    ]
)
TABLES: Final = {
    "entities": ENTITIES,
    "facts": FACTS,
    "world": WORLD,
    "questions": QUESTIONS,
    "messages": MESSAGES,
}

Rows = list[Row]


def truth_rows(desk: Desk, questions: Iterable[Question]) -> dict[str, Rows]:
    """Return the rows of each table that a finished cell adds; times are microseconds."""
    group, done = desk.group, desk.done
    return {
        "entities": [
            (group, one.key, one.label, one.names[-1], one.names, sorted(one.records), one.kind)
            for one in desk.entities()
        ],
        "facts": [
            (
                *(group, one.subject, one.relation, *row.target),
                *map(_micros, (row.start, row.end, row.created, row.expired)),
                *(one.kind, one.source),
            )
            for one in done.series
            for row in one.rectangles
        ],
        "world": [
            (
                *(group, one.subject, one.relation, *one.target),
                *(_micros(one.start), _micros(one.end), one.kind, one.told_in),
            )
            for one in done.world
        ],
        "questions": [
            (
                *(group, one.subject, one.relation, _micros(one.valid), _micros(one.known)),
                *(one.answers, one.kind, one.axis),
            )
            for one in questions
        ],
        "messages": [
            (
                *(group, one.source_id, one.kind, one.thread or None, one.start, one.stop),
                *(one.happening.event, one.phrasing, one.split),
                *(one.happening.fact.subject, one.happening.fact.relation),
                *one.happening.fact.target,
                _micros(one.happening.fact.start),
                _micros(one.happening.fact.end),
                one.happening.true,
            )
            for one in done.tellings
        ],
    }


def _micros(second: int | None) -> int | None:
    return None if second is None else second * 1_000_000

"""How a statement without a start is read, by relation."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from timeline_writing import ONTOLOGY, statement, statements

from regesta.timeline.ontology import Ontology
from regesta.timeline.rules import believed

SAID = Ontology.of(
    [
        *(replace(one, missing_start="said") for one in ONTOLOGY.relations.values()),
        replace(ONTOLOGY.relation("KNOWS"), missing_start="said"),
    ]
)


def starts(*said, ontology=SAID):
    return [(p.start, p.start_known, p.end) for p in believed(said, ontology)]


def test_it_began_when_it_was_said():
    undated = statement("a", "ann", "KNOWS", "bob", reference_time=5)
    assert starts(undated) == [(5, True, None)]
    assert starts(undated, ontology=ONTOLOGY) == [(5, False, None)]


def test_of_an_event_too():
    bought = statement("a", "ann", "BOUGHT", "pro", reference_time=5)
    assert starts(bought) == [(5, True, 5)]
    assert starts(bought, ontology=ONTOLOGY) == [(5, False, 5)]


def test_what_was_over_when_it_was_said_still_gives_its_end():
    since = statement("a", "ann", "KNOWS", "bob", valid_at=1)
    over = statement("b", "ann", "KNOWS", "bob", reference_time=9, invalid_at=5)
    assert starts(since, over) == [(1, True, 5)]


@settings(max_examples=200, deadline=None)
@given(statements())
def test_nothing_but_what_is_known_of_starts_differs(given_statements):
    def rest(period):
        return period._replace(start_known=True, start_by="", valid_precision=None)

    read, unread = believed(given_statements, SAID), believed(given_statements, ONTOLOGY)
    assert list(map(rest, read)) == list(map(rest, unread))
    assert all(p.start_known for p, other in zip(read, unread, strict=True) if other.start_known)

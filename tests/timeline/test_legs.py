"""The legs of a fact over more than two entities live and end together."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from timeline_writing import HORIZON, ONTOLOGY, Table, holds, statements, triple
from told import ends, spans, takes_back, works

from regesta.timeline.claims import counted
from regesta.timeline.components import components
from regesta.timeline.rules import believed


def likes(what, start, end=None, **given):
    """Alice likes something, which excludes that she dislikes it."""
    return works(what, start, end, **given)._replace(relation="LIKES")


def legs(*told, of="talks"):
    return [one._replace(hyperedge=of) for one in told]


def test_the_end_of_one_leg_is_the_end_of_all():
    one, other = legs(works("acme", 10), works("globex", 10))
    end = ends(one, said=30)
    assert spans(one, other, end) == [("acme", 10, 30), ("globex", 10, 30)]
    reasons = {(p.end_reason, p.end_by) for p in believed([one, other, end], ONTOLOGY)}
    assert reasons == {("ended", end.id)}


def test_a_leg_taken_back_takes_all_back():
    one, other = legs(works("acme", 10), works("globex", 10))
    assert spans(one, other, takes_back(one, said=30)) == []
    assert spans(one, other, takes_back(one._replace(valid_at=20), said=30, valid_at=20)) == [
        ("acme", 10, None),
        ("globex", 10, None),
    ]


def test_what_is_said_of_a_leg_alone_goes_on_without_the_others():
    one, other = legs(works("acme", 10), works("globex", 10))
    alone = works("globex", 20)
    assert spans(one, other, alone, ends(one, said=30)) == [
        ("acme", 10, 30),
        ("globex", 10, None),
    ]


def test_a_rival_of_one_leg_ends_or_covers_all():
    one, other = legs(likes("tea", 10), likes("milk", 10))
    rival = likes("tea", 40)._replace(relation="DISLIKES")
    assert spans(one, other, rival) == [("milk", 10, 40), ("tea", 10, 40), ("tea", 40, None)]
    passing = rival._replace(invalid_at=50, temporary=True)
    assert [span for span in spans(one, other, passing) if span[0] == "milk"] == [
        ("milk", 10, 40),
        ("milk", 50, None),
    ]


def test_a_disputed_leg_is_disputed_with_all_others():
    records = likes("tea", 0)._replace(relation="DISLIKES", authority=10)
    one, other = legs(likes("tea", 10), likes("milk", 10))
    assert spans(records, one, other) == [("tea", 0, None)]
    assert spans(records, one, other, disputed=True) == [("milk", 10, None), ("tea", 10, None)]


def test_legs_are_computed_together():
    one, other = legs(works("acme", 10), works("globex", 10))
    apart = works("initech", 10)
    parts = [{s.id for s in part} for part in components([one, apart, other], ONTOLOGY)]
    assert sorted(map(len, parts)) == [1, 2]


@st.composite
def with_legs(draw, *, known=False):
    """Statements some of which are legs of one or two facts."""
    told = draw(statements(known=known))
    return [
        one._replace(hyperedge=draw(st.sampled_from([None, "h", "h", "i"])))
        if one.polarity == "asserts"
        else one
        for one in told
    ]


@settings(max_examples=150, deadline=None)
@given(with_legs(known=True), st.sets(st.integers(1, 7)))
def test_nights_and_one_rebuild_write_the_same_rows(told, nights):
    nightly, rebuilt = Table(), Table()
    for until in sorted(nights | {8}):
        nightly.night(told, until)
    rebuilt.night(told, 8)
    assert nightly.rectangles() == rebuilt.rectangles()


@settings(max_examples=150, deadline=None)
@given(with_legs(), st.randoms(use_true_random=False))
def test_order_and_split_are_irrelevant(told, random):
    expected = sorted(believed(told, ONTOLOGY), key=repr)
    shuffled = random.sample(told, len(told))
    assert sorted(believed(shuffled, ONTOLOGY), key=repr) == expected
    apart = [p for part in components(told, ONTOLOGY) for p in believed(part, ONTOLOGY)]
    assert sorted(apart, key=repr) == expected


def _instants(periods, name):
    mine = [p for p in periods if triple(p) == name and not p.disputed]
    return {v for v in range(HORIZON + 1) if any(holds(p, v) for p in mine)}


@settings(max_examples=400, deadline=None)
@given(statements())
def test_two_legs_hold_when_each_of_them_would(told):
    asserted = Counter(triple(s) for s in told if s.polarity == "asserts")
    counting = {s.id for s in counted(told)}
    lone = [s for s in told if asserted[triple(s)] == 1 and s.polarity == "asserts"]
    chosen = [s for s in lone if s.id in counting and s.relation != "BOUGHT"][:2]
    assume(len(chosen) == 2)
    alone = believed(told, ONTOLOGY)
    names = [triple(s) for s in chosen]
    assume(not any(p.disputed for p in alone if triple(p) in names))
    ids = {s.id for s in chosen}
    together = believed([s._replace(hyperedge="h") if s.id in ids else s for s in told], ONTOLOGY)
    both = _instants(alone, names[0]) & _instants(alone, names[1])
    assert [_instants(together, name) for name in names] == [both, both]
    others = [p for p in alone if triple(p) not in names]
    assert [p for p in together if triple(p) not in names] == others

"""Verdicts on pairs of facts: which stand, which are set aside, what they make of the facts."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from timeline_oracle import Oracle
from timeline_writing import HORIZON, ONTOLOGY, Table, as_known, named, statement, statements

from regesta.timeline.causes import Rivalry
from regesta.timeline.rules import believed
from regesta.timeline.verdicts import Verdict, standing_verdicts, verdict_changes

OSLO, ROME = ("ann", "LIVES_IN", "oslo"), ("ann", "WORKS_AT", "rome")
EVERY_VALID = range(HORIZON + 1)


def fact(name, start, **given):
    return statement("".join(name), *name, valid_at=start, **given)


def verdict(left, right, id_="v", *, contradicts=True, by_person=False, at=0, since=1, until=None):
    return Verdict(id_, left, right, contradicts, by_person, at, since, until)


def rows(verdicts, most=99, nights=(99,)):
    """(pair, verdict, contradicts, set aside, created, expired) after nights, one by one."""
    written, after = [], None
    for until in nights:
        found = verdict_changes(
            [as_known(v, until) for v in verdicts if v.known_from <= until],
            [replace(row, payload=number) for number, row in open_rows(written)],
            most=most,
            after=after,
        )
        for row in found.closed:
            written[row.payload].expired_at = row.expired_at
        written += found.opened
        after = until
    found = [(r.pair, *r.said, r.created_at, r.expired_at) for r in written]
    return sorted(found, key=str)


def open_rows(written):
    return [(number, row) for number, row in enumerate(written) if row.expired_at is None]


class TestWhichVerdictStands:
    def test_a_person_before_a_model_then_the_one_last_said(self):
        said = [
            verdict(OSLO, ROME, "model", at=9),
            verdict(ROME, OSLO, "old", contradicts=False, by_person=True, at=1),
            verdict(OSLO, ROME, "new", by_person=True, at=2),
        ]
        assert [v.id for v in standing_verdicts(said).values()] == ["new"]
        assert [v.id for v in standing_verdicts(said[:2]).values()] == ["old"]

    def test_none_on_a_fact_and_itself(self):
        assert standing_verdicts([verdict(OSLO, OSLO)]) == {}

    def test_from_its_known_time_on_until_another_stands(self):
        said = [
            verdict(OSLO, ROME, "yes", at=1, since=3),
            verdict(OSLO, ROME, "no", contradicts=False, at=2, since=5),
        ]
        assert rows(said) == [
            ((OSLO, ROME), "no", False, False, 5, None),
            ((OSLO, ROME), "yes", True, False, 3, 5),
        ]

    def test_a_group_that_is_too_large_is_set_aside_and_comes_back(self):
        a, b, c = (("ann", "LIKES", x) for x in "abc")
        said = [
            verdict(a, b, "ab", since=1),
            verdict(b, c, "bc", since=2),
            verdict(b, c, "no", contradicts=False, by_person=True, since=3),
        ]
        assert rows(said, most=2) == [
            ((a, b), "ab", True, False, 1, 2),
            ((a, b), "ab", True, False, 3, None),
            ((a, b), "ab", True, True, 2, 3),
            ((b, c), "bc", True, True, 2, 3),
            ((b, c), "no", False, False, 3, None),
        ]


class TestWhatTheyMakeOfFacts:
    RIVALS = ONTOLOGY.with_rivals([(OSLO, ROME)])

    def test_the_later_start_ends_the_earlier_and_nothing_else(self):
        paris = ("ann", "LIVES_IN", "paris")
        said = [fact(OSLO, 1), fact(ROME, 5), fact(paris, 3)]
        found = [(p.object, p.start, p.end, p.end_by) for p in believed(said, self.RIVALS)]
        assert found == [
            ("oslo", 1, 5, "".join(ROME)),
            ("paris", 3, None, None),
            ("rome", 5, None, None),
        ]

    def test_higher_authority_disputes(self):
        said = [fact(OSLO, 1, authority=1), fact(ROME, 5)]
        assert [p.object for p in believed(said, self.RIVALS) if p.disputed] == ["rome"]

    def test_a_belief_that_a_verdict_ended_names_it(self):
        table = Table()
        said = [fact(OSLO, 1), fact(ROME, 5)]
        table.night(said, 9, [Rivalry((OSLO, ROME), "v", 4, 7)])
        closed = [
            (row.period.object, row.created_at, row.expired_at, row.expiry_reason, named(row.cause))
            for row in table.facts.values()
            if row.expired_at is not None
        ]
        assert closed == [
            ("oslo", 0, 4, "superseded", ("v", True)),
            ("oslo", 4, 7, "extended", ("v", False)),
        ]


NAMES = st.tuples(
    st.sampled_from("ab"),
    st.sampled_from(["OWNED_BY", "WORKS_AT", "LIKES", "BOUGHT"]),
    st.sampled_from("xyz"),
)


@st.composite
def verdicts(draw):
    """Up to six verdicts on few triples, dense enough to stand against each other."""
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    found = []
    for number in range(draw(st.integers(0, 6))):
        since = draw(st.integers(1, 6))
        found.append(
            verdict(
                draw(st.sampled_from(names)),
                draw(st.sampled_from(names)),
                f"v{number}",
                contradicts=draw(st.integers(0, 3)) > 0,
                by_person=draw(st.booleans()),
                at=draw(st.integers(0, 3)),
                since=since,
                until=draw(st.one_of(st.none(), st.integers(since, 7))),
            )
        )
    return found


def rivalries(found):
    """The verdicts that count, as the timeline takes them."""
    return [
        Rivalry(pair, id_, created, expired)
        for pair, id_, contradicts, aside, created, expired in found
        if contradicts and not aside
    ]


def judged(said, known, most):
    """The pairs that contradict each other at a known time, by the text of the rules."""
    standing = {}
    for v in said:
        if v.known_from <= known and (v.known_until is None or known < v.known_until):
            standing.setdefault(frozenset((v.left, v.right)), []).append(v)
    last = {
        pair: max(each, key=lambda v: (v.by_person, v.stated_at, v.id))
        for pair, each in standing.items()
        if len(pair) > 1
    }
    pairs = [pair for pair, v in last.items() if v.contradicts]
    return [pair for pair in pairs if len(reached(pair, pairs)) <= most]


def reached(names, pairs):
    while more := {n for pair in pairs if pair & names for n in pair} - names:
        names = names | more
    return names


@settings(max_examples=200, deadline=None)
@given(verdicts(), st.integers(2, 4))
def test_which_pairs_are_rivals_at_every_known_time(said, most):
    spans = rivalries(rows(said, most))
    for known in range(9):
        counting = {
            frozenset(r.pair)
            for r in spans
            if r.known_from <= known and (r.known_until is None or known < r.known_until)
        }
        assert counting == set(judged(said, known, most))


@settings(max_examples=200, deadline=None)
@given(verdicts(), st.integers(2, 4), st.sets(st.integers(1, 7)), st.randoms(use_true_random=False))
def test_verdicts_of_nights_and_of_one_rebuild_are_the_same_in_any_order(
    said, most, nights, random
):
    shuffled = random.sample(said, len(said))
    assert rows(shuffled, most, sorted(nights | {8})) == rows(said, most, (8,))


@st.composite
def judged_statements(draw):
    """Statements of one or two families with verdicts about their triples and others."""
    said = draw(statements(known=True))
    more = [s._replace(id=f"m{s.id}") for s in draw(statements(known=True))]
    said += more
    named_ones = sorted({s[1:4] for s in said if s.object is not None})
    if len(named_ones) < 2:
        return said, []
    pairs = st.lists(st.sampled_from(named_ones), min_size=2, max_size=2, unique=True)
    found = [
        verdict(*draw(pairs), f"v{number}", since=since, until=draw(st.sampled_from([None, 6])))
        for number in range(draw(st.integers(1, 4)))
        for since in [draw(st.integers(1, 5))]
    ]
    return said, found


@settings(max_examples=200, deadline=None)
@given(judged_statements())
def test_facts_under_verdicts_at_every_point_of_both_axes(given_both):
    said, found = given_both
    table = Table()
    table.night(said, 8, rivalries(rows(found, 4)))
    for known in range(9):
        oracle = Oracle(said, ONTOLOGY, known, judged(found, known, 4))
        for valid in EVERY_VALID:
            events = {name for name, _ in oracle.happened(valid)}
            assert table.as_of(valid, known) == sorted(oracle.support(valid).keys() | events)


@settings(max_examples=150, deadline=None)
@given(judged_statements(), st.sets(st.integers(1, 7)), st.randoms(use_true_random=False))
def test_facts_of_nights_and_of_one_rebuild_are_the_same_in_any_order(given_both, nights, random):
    said, found = given_both
    nightly, rebuilt = Table(), Table()
    shuffled = random.sample(said, len(said))
    spans = rivalries(rows(found, 4))
    for until in sorted(nights | {8}):
        nightly.night(shuffled, until, spans)
    rebuilt.night(said, 8, list(reversed(spans)))
    assert nightly.rectangles() == rebuilt.rectangles()


@settings(max_examples=150, deadline=None)
@given(judged_statements())
def test_every_belief_given_up_names_news_of_that_time(given_both):
    said, found = given_both
    table = Table()
    table.night(said, 8, rivalries(rows(found, 4)))
    for row in table.facts.values():
        if row.expired_at is not None:
            told = getattr(row.cause, "rivalry", None) or row.cause.statement
            assert row.expired_at == (told.known_from if row.cause.arrived else told.known_until)

"""Succession, dispute, precedence, periods, events (rules 4 to 8), by hand-worked examples.

Times are plain numbers, 0 to 99.
"""

from __future__ import annotations

from timeline_writing import ONTOLOGY, statement, triple
from told import ends, owner, spans, takes_back, works

from regesta.timeline.ontology import Ontology, Relation
from regesta.timeline.rules import believed


class TestRule4Succession:
    def test_a_later_start_ends_the_rival_for_good_though_it_is_ended_itself(self):
        bob = owner("bob", 5)
        assert spans(owner("alice", 1), bob, ends(bob, 8)) == [("alice", 1, 5), ("bob", 5, 8)]

    def test_the_successor_is_named_with_the_precision_of_its_start(self):
        bob = owner("bob", 5, id="bob", valid_precision="day")
        alice, _ = believed([owner("alice", 1), bob], ONTOLOGY)
        assert (alice.end_reason, alice.end_by, alice.invalid_precision) == (
            "superseded",
            "bob",
            "day",
        )

    def test_of_two_successors_in_one_instant_the_one_that_prevails_is_named(self):
        bob, carol = owner("bob", 5, id="b", position=2), owner("carol", 5, id="c", position=1)
        alice, *_ = believed([owner("alice", 1), bob, carol], ONTOLOGY)
        assert alice.end_by == "b"

    def test_a_successor_emptied_in_its_first_instant_still_succeeds(self):
        bob = owner("bob", 5)
        emptied = ends(bob, 5, position=1)
        assert spans(owner("alice", 1), bob, emptied) == [("alice", 1, 5)]

    def test_a_stand_in_announced_ahead_only_covers(self):
        said = (owner("alice", 1), owner("bob", 5, 7, reference_time=5))
        assert spans(*said) == [("alice", 1, 5), ("bob", 5, 7), ("alice", 7, None)]

    def test_what_resumes_has_its_start_and_precision_from_the_end_of_the_cover(self):
        locum = owner("bob", 5, 7, id="locum", invalid_precision="day")
        before, after = (
            p for p in believed([owner("alice", 1, id="a"), locum], ONTOLOGY) if p.object == "alice"
        )
        assert (before.end_reason, before.end_by) == ("covered", "locum")
        assert (after.start, after.start_known, after.start_by) == (7, True, "locum")
        assert after.valid_precision == "day"
        assert before.evidence == after.evidence == ("a",)

    def test_told_after_the_fact_it_ends_for_good_unless_temporary(self):
        bob = owner("bob", 5, 7, reference_time=9)
        assert spans(owner("alice", 1), bob) == [("alice", 1, 5), ("bob", 5, 7)]
        temporary = bob._replace(temporary=True)
        assert spans(owner("alice", 1), temporary)[-1] == ("alice", 7, None)

    def test_temporary_without_an_end_succeeds_like_any_open_claim(self):
        said = (owner("alice", 1), owner("bob", 5, temporary=True))
        assert spans(*said) == [("alice", 1, 5), ("bob", 5, None)]

    def test_a_bounded_claim_is_superseded_too(self):
        assert spans(owner("alice", 1, 9), owner("bob", 5)) == [("alice", 1, 5), ("bob", 5, None)]

    def test_higher_authority_is_not_ended(self):
        record = owner("bob", 3, authority=1)
        assert spans(record, owner("alice", 1), owner("carol", 9)) == [
            ("alice", 1, 3),
            ("bob", 3, None),
        ]

    def test_one_subject_per_object(self):
        heads = [
            statement("a", "alice", "HEADS", "acme", valid_at=1),
            statement("b", "bob", "HEADS", "acme", valid_at=5),
            statement("c", "alice", "HEADS", "bolt", valid_at=7),
        ]
        found = {(triple(p), p.start, p.end) for p in believed(heads, ONTOLOGY)}
        assert found == {
            (("alice", "HEADS", "acme"), 1, 5),
            (("bob", "HEADS", "acme"), 5, None),
            (("alice", "HEADS", "bolt"), 7, None),
        }

    def test_one_to_one_frees_both_sides(self):
        married = [
            statement("a", "alice", "MARRIED_TO", "bob", valid_at=1),
            statement("b", "alice", "MARRIED_TO", "carol", valid_at=5),
            statement("c", "dora", "MARRIED_TO", "bob", valid_at=7),
        ]
        found = [(p.subject, p.object, p.start, p.end) for p in believed(married, ONTOLOGY)]
        assert found == [
            ("alice", "bob", 1, 5),
            ("alice", "carol", 5, None),
            ("dora", "bob", 7, None),
        ]

    def test_excluding_relations_share_subject_and_object(self):
        said = [
            statement("a", "alice", "LIKES", "tea", valid_at=1),
            statement("b", "alice", "DISLIKES", "tea", valid_at=5),
            statement("c", "alice", "DISLIKES", "coffee", valid_at=1),
        ]
        found = [(p.relation, p.object, p.start, p.end) for p in believed(said, ONTOLOGY)]
        assert found == [
            ("DISLIKES", "coffee", 1, None),
            ("DISLIKES", "tea", 5, None),
            ("LIKES", "tea", 1, 5),
        ]


class TestRule5Dispute:
    def test_what_starts_while_a_higher_rival_holds_is_kept_but_not_believed(self):
        said = (owner("bob", 1, authority=1), owner("alice", 5))
        assert spans(*said) == [("bob", 1, None)]
        assert spans(*said, disputed=True) == [("alice", 5, None)]

    def test_it_does_not_come_back_when_the_higher_ends(self):
        bob = owner("bob", 1, authority=1)
        given = (bob, owner("alice", 5), ends(bob, 8, authority=1))
        assert spans(*given) == [("bob", 1, 8)]
        assert spans(*given, disputed=True) == [("alice", 5, None)]

    def test_after_the_end_of_the_higher_nothing_is_disputed(self):
        bob = owner("bob", 1, authority=1)
        given = (bob, ends(bob, 4, authority=1), owner("alice", 5))
        assert spans(*given) == [("bob", 1, 4), ("alice", 5, None)]

    def test_a_disputed_claim_ends_nobody(self):
        record = owner("bob", 3, 6, authority=1)
        given = (owner("alice", 1), record, owner("carol", 4))
        assert spans(*given) == [("alice", 1, 3), ("bob", 3, 6), ("alice", 6, None)]

    def test_a_disputed_claim_disputes_nobody(self):
        pair = [
            statement("a", "alice", "MARRIED_TO", "bob", valid_at=1, authority=2),
            statement("b", "alice", "MARRIED_TO", "carol", valid_at=3, authority=1),
            statement("c", "dora", "MARRIED_TO", "carol", valid_at=5),
        ]
        found = [(p.subject, p.object, p.disputed) for p in believed(pair, ONTOLOGY)]
        assert found == [
            ("alice", "bob", False),
            ("alice", "carol", True),
            ("dora", "carol", False),
        ]

    def test_a_disputed_claim_is_superseded_and_stops_where_it_is_believed(self):
        bob, alice = owner("bob", 1, authority=1), owner("alice", 3)
        carol = owner("carol", 6, authority=1)
        assert spans(bob, alice, carol, disputed=True) == [("alice", 3, 6)]
        confirmed = owner("alice", 6, authority=1, id="confirmed")
        periods = believed([bob, alice, confirmed], ONTOLOGY)
        assert [(p.object, p.start, p.end, p.end_reason, p.disputed) for p in periods] == [
            ("alice", 3, 6, "believed", True),
            ("alice", 6, None, None, False),
            ("bob", 1, 6, "superseded", False),
        ]


class TestRule6Precedence:
    def test_of_two_in_one_instant_the_later_said_then_the_later_position_then_the_id(self):
        at = {"reference_time": 5}
        assert spans(owner("x", 5, **at), owner("y", 5, reference_time=6))[0][0] == "y"
        assert spans(owner("x", 5, position=1), owner("y", 5))[0][0] == "x"
        assert spans(owner("x", 5, id="b"), owner("y", 5, id="a"))[0][0] == "x"

    def test_of_two_claims_made_afresh_the_later_stated_start(self):
        export = (
            owner("alice", 1, reference_time=9, position=1),
            owner("bob", 5, reference_time=9),
        )
        assert spans(*export) == [("alice", 1, 5), ("bob", 5, None)]

    def test_stand_ins_that_overlap_give_way_to_the_one_that_starts_later(self):
        given = (owner("alice", 1), owner("bob", 3, 9), owner("carol", 5, 7))
        assert spans(*given) == [
            ("alice", 1, 3),
            ("bob", 3, 5),
            ("carol", 5, 7),
            ("bob", 7, 9),
            ("alice", 9, None),
        ]

    def test_higher_authority_covers_though_it_starts_earlier(self):
        given = (owner("bob", 3, 7, authority=1), owner("alice", 2, 9))
        assert spans(*given) == [("alice", 2, 3), ("bob", 3, 7), ("alice", 7, 9)]

    def test_what_covers_the_cover_frees_the_covered(self):
        pair = [
            statement("a", "alice", "MARRIED_TO", "bob", valid_at=1),
            statement("b", "alice", "MARRIED_TO", "carol", valid_at=3, invalid_at=9),
            statement("c", "dora", "MARRIED_TO", "carol", valid_at=5, invalid_at=7),
        ]
        found = [(p.subject, p.object, p.start, p.end) for p in believed(pair, ONTOLOGY)]
        assert found == [
            ("alice", "bob", 1, 3),
            ("alice", "bob", 5, 7),
            ("alice", "bob", 9, None),
            ("alice", "carol", 3, 5),
            ("alice", "carol", 7, 9),
            ("dora", "carol", 5, 7),
        ]


class TestRule7Periods:
    def test_adjacent_spans_join_and_all_supporters_are_evidence(self):
        said = [works("acme", 1, 5, id="b"), works("acme", 5, 9, id="a"), works("acme", 3, id="c")]
        (period,) = believed([*said, ends(said[0], 8, at=9)], ONTOLOGY)
        assert (period.start, period.end, period.evidence) == (1, 9, ("a", "b", "c"))

    def test_a_gap_makes_two_periods_with_their_own_evidence(self):
        first, again = works("acme", 1, id="first"), works("acme", 8, id="again")
        periods = believed([first, ends(first, 5), again], ONTOLOGY)
        assert [(p.start, p.end, p.evidence) for p in periods] == [
            (1, 5, ("first",)),
            (8, None, ("again",)),
        ]

    def test_a_stated_end_names_the_first_statement_of_the_highest_authority(self):
        said = [works("acme", 1, 9, id=i, reference_time=t) for i, t in (("a", 5), ("b", 3))]
        (period,) = believed(said, ONTOLOGY)
        assert (period.end_reason, period.end_by) == ("stated", "b")

    def test_a_later_citation_changes_nothing_but_the_evidence(self):
        said = [works("acme", 1, id="z"), works("acme", 1, reference_time=7, id="a")]
        one, two = believed(said[:1], ONTOLOGY), believed(said, ONTOLOGY)
        assert [p._replace(evidence=()) for p in two] == [p._replace(evidence=()) for p in one]


class TestRule8Events:
    def bought(self, id_, start, end=None, **given):
        return statement(id_, "alice", "BOUGHT", "pro", valid_at=start, invalid_at=end, **given)

    def test_events_stand_side_by_side_and_nothing_ends_them(self):
        first, second = self.bought("a", 1), self.bought("b", 5)
        periods = believed([first, second, ends(first, 3)], ONTOLOGY)
        assert [(p.kind, p.start, p.end, p.evidence) for p in periods] == [
            ("event", 1, 1, ("a",)),
            ("event", 5, 5, ("b",)),
        ]

    def test_two_tellings_of_one_start_are_one_event(self):
        told = [self.bought("a", 5), self.bought("b", None, reference_time=5)]
        (period,) = believed(told, ONTOLOGY)
        assert (period.start, period.start_known, period.evidence) == (5, True, ("a", "b"))

    def test_a_stated_span_is_kept(self):
        told = [self.bought("a", 5), self.bought("b", 5, 7, invalid_precision="day")]
        (period,) = believed(told, ONTOLOGY)
        assert (period.end, period.end_reason, period.end_by) == (7, "stated", "b")
        assert period.invalid_precision == "day"

    def test_one_of_two_is_retracted(self):
        first = self.bought("a", 1)
        periods = believed([first, self.bought("b", 5), takes_back(first, 9, valid_at=1)], ONTOLOGY)
        assert [p.start for p in periods] == [5]

    def test_a_span_of_no_length_is_a_moment_an_inverted_one_is_none(self):
        assert [p.end for p in believed([self.bought("a", 5, 5)], ONTOLOGY)] == [5]
        assert believed([self.bought("a", 5, 3)], ONTOLOGY) == []


class TestSymmetricRelations:
    """Either side has one at a time, wherever it stands in the triple."""

    MARRIED = Ontology.of([Relation("MARRIED_TO", cardinality="one", symmetric=True)])

    def married(self, one, other, start):
        said = statement(f"{one}{other}", one, "MARRIED_TO", f"entity:{other}", valid_at=start)
        return said._replace(reference_time=start)

    def told(self, *statements):
        periods = believed(statements, self.MARRIED)
        return [(p.subject, p.object[len("entity:") :], p.start, p.end) for p in periods]

    def test_a_new_partner_of_either_side_ends_the_marriage(self):
        first = self.married("ann", "bob", 1)
        assert self.told(first, self.married("ann", "carl", 5)) == [
            ("ann", "bob", 1, 5), ("ann", "carl", 5, None),
        ]  # fmt: skip
        assert self.told(first, self.married("bob", "dora", 5)) == [
            ("ann", "bob", 1, 5), ("bob", "dora", 5, None),
        ]  # fmt: skip
        assert self.told(first, self.married("aron", "bob", 5)) == [
            ("ann", "bob", 1, 5), ("aron", "bob", 5, None),
        ]  # fmt: skip

    def test_other_pairs_are_left_alone(self):
        pair = (self.married("ann", "bob", 1), self.married("carl", "dora", 5))
        assert self.told(*pair) == [("ann", "bob", 1, None), ("carl", "dora", 5, None)]

    def test_its_conflicts_travel_over_both_sides(self):
        assert self.MARRIED.scope("MARRIED_TO") == "linked"

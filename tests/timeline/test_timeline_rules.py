"""What counts, what is claimed, what ends (rules 1 to 3), by hand-worked examples.

Times are plain numbers, 0 to 99.
"""

from __future__ import annotations

import pytest
from timeline_writing import ONTOLOGY
from told import ends, owner, spans, takes_back, works

from regesta.timeline.rules import believed


class TestRule1WhatCounts:
    def test_a_retraction_takes_back_what_was_said_before(self):
        said = works("acme", 1)
        assert spans(said, takes_back(said, 5)) == []

    def test_what_is_said_after_a_retraction_counts(self):
        said = works("acme", 1)
        assert spans(said, takes_back(said, 5), works("acme", 7)) == [("acme", 7, None)]

    def test_in_one_instant_a_retraction_takes_back_whatever_the_position(self):
        said = works("acme", 5, position=3)
        assert spans(said, takes_back(said, 5, position=0)) == []

    def test_lower_authority_takes_nothing_back(self):
        said = works("acme", 1, authority=1)
        assert spans(said, takes_back(said, 5, authority=0)) == [("acme", 1, None)]

    def test_a_dated_retraction_takes_back_one_occurrence(self):
        first, second = works("acme", 1, 3), works("acme", 5)
        assert spans(first, second, takes_back(first, 9, valid_at=1)) == [("acme", 5, None)]

    def test_an_end_that_is_taken_back_ends_nothing(self):
        said = works("acme", 1)
        end = ends(said, 5)
        assert spans(said, end, takes_back(said, 6, "ends")) == [("acme", 1, None)]

    def test_a_dated_retraction_takes_back_one_end(self):
        said = works("acme", 1)
        given = (said, ends(said, 5), ends(said, 7))
        assert spans(*given, takes_back(said, 9, "ends", invalid_at=5)) == [("acme", 1, 7)]

    def test_another_triple_is_not_taken_back(self):
        said = works("acme", 1)
        assert spans(said, takes_back(works("bolt", 1), 5)) == [("acme", 1, None)]


class TestRule2Claims:
    def test_a_stated_start_is_known(self):
        (period,) = believed([works("acme", 1, valid_precision="year")], ONTOLOGY)
        assert (period.start, period.start_known, period.valid_precision) == (1, True, "year")

    def test_an_unknown_start_is_seen_from_the_earliest_reference_time(self):
        said = [works("acme", None, reference_time=t) for t in (7, 4)]
        (period,) = believed(said, ONTOLOGY)
        assert (period.start, period.start_known) == (4, False)

    def test_one_stated_start_is_enough_where_others_are_silent(self):
        silent = works("acme", None, reference_time=4, id="a")
        (period,) = believed([silent, works("acme", 4, id="b")], ONTOLOGY)
        assert (period.start_known, period.start_by) == (True, "b")

    def test_the_newest_testimony_about_an_old_start_counts_from_when_it_is_said(self):
        said = (owner("alice", 1), owner("bob", 5), owner("alice", 1, reference_time=9))
        assert spans(*said) == [("alice", 1, 5), ("bob", 5, 9), ("alice", 9, None)]

    def test_the_start_of_a_claim_made_afresh_is_nobodys_statement(self):
        said = (owner("alice", 1), owner("bob", 5), owner("alice", 1, reference_time=9))
        last = max(believed(said, ONTOLOGY), key=lambda period: period.start)
        assert (last.object, last.start, last.start_known) == ("alice", 9, False)

    def test_old_testimony_that_arrives_late_changes_only_its_own_time(self):
        said = (owner("bob", 5), owner("alice", 1, reference_time=3))
        assert spans(*said) == [("alice", 1, 5), ("bob", 5, None)]

    def test_without_a_start_a_past_end_claims_nothing_but_ends(self):
        said = works("acme", None, 5, reference_time=8)
        assert spans(said) == []
        assert spans(works("acme", 1), said) == [("acme", 1, 5)]

    def test_without_a_start_a_coming_end_claims_from_the_reference_time(self):
        assert spans(works("acme", None, 9, reference_time=5)) == [("acme", 5, 9)]

    @pytest.mark.parametrize("end", [3, 5])
    def test_a_span_that_does_not_end_after_its_start_does_nothing(self, end):
        assert spans(owner("bob", 1), owner("alice", 5, end)) == [("bob", 1, None)]
        assert spans(works("acme", 1), works("acme", 5, end)) == [("acme", 1, None)]


class TestRule3Ends:
    def test_the_first_later_end_ends_an_open_claim(self):
        said = works("acme", 3)
        given = (said, ends(said, 9), ends(said, 8, at=7), ends(said, 9, at=1))
        assert spans(*given) == [("acme", 3, 7)]

    def test_the_end_names_its_statement_and_precision(self):
        said = works("acme", 3)
        end = ends(said, 9, at=7, id="end", invalid_precision="month")
        (period,) = believed([said, end], ONTOLOGY)
        assert (period.end_reason, period.end_by) == ("ended", "end")
        assert period.invalid_precision == "month"

    def test_an_end_without_an_object_is_given_for_every_object(self):
        said = works("acme", 1)
        for_all = ends(said, 5)._replace(object=None)
        assert spans(said, works("bolt", 2), for_all) == [("acme", 1, 5), ("bolt", 2, 5)]

    def test_the_same_start_told_again_with_its_end(self):
        assert spans(works("acme", 1), works("acme", 1, 9, reference_time=4)) == [("acme", 1, 9)]

    def test_the_end_for_the_stated_start_ends_what_was_claimed_afresh(self):
        told = works("acme", 1, reference_time=3)
        assert spans(told, works("acme", 1, 9, reference_time=4)) == [("acme", 1, 9)]

    def test_a_bounded_remark_about_another_start_does_not_end(self):
        said = (works("acme", 1), works("acme", 3, 5, reference_time=3))
        assert spans(*said) == [("acme", 1, None)]

    def test_told_after_the_fact_it_does(self):
        said = (works("acme", 1), works("acme", 3, 5, reference_time=5))
        assert spans(*said) == [("acme", 1, 5)]

    def test_a_remark_during_a_contract_does_not_outlive_it(self):
        contract = works("acme", 1, 9, authority=1)
        assert spans(contract, works("acme", 5)) == [("acme", 1, 9)]

    def test_a_remark_at_the_end_of_a_contract_does(self):
        contract = works("acme", 1, 9, authority=1, reference_time=9, position=1)
        announced = contract._replace(reference_time=1)
        assert spans(announced, works("acme", 9)) == [("acme", 1, None)]

    def test_a_bounded_claim_is_cut_only_by_an_end_said_later(self):
        term = owner("alice", 3, 9)
        assert spans(term, ends(term, 1, at=5)) == [("alice", 3, 9)]
        assert spans(term, ends(term, 4, at=5)) == [("alice", 3, 5)]
        told = owner("alice", None, 5, reference_time=6)
        assert spans(term, told) == [("alice", 3, 9)]

    def test_an_end_in_the_instant_of_the_start_said_later_leaves_nothing(self):
        said = works("acme", 3, position=1)
        assert spans(said, ends(said, 3, position=2)) == []
        assert spans(said, ends(said, 3, position=0)) == [("acme", 3, None)]
        assert spans(said, ends(said, 3, position=1)) == [("acme", 3, None)]

    def test_a_span_that_ends_where_another_begins_does_not_empty_it(self):
        """Buyer until 5, director since 5, at one employer, as one record tells it on day 9."""
        buyer = works("acme", 1, 5, reference_time=9, position=1)
        director = works("acme", 5, reference_time=5)
        assert spans(buyer, director) == [("acme", 1, None)]
        told = works("acme", None, 5, reference_time=9)
        assert spans(director, told) == []

    def test_an_end_never_comes_from_lower_authority(self):
        said = works("acme", 3, authority=1)
        assert spans(said, ends(said, 5)) == [("acme", 3, None)]
        assert spans(said, works("acme", 3, 9)) == [("acme", 3, None)]
        assert spans(said, ends(said, 5, authority=1)) == [("acme", 3, 5)]

    def test_called_off_before_it_starts_is_not_an_end(self):
        said = works("acme", 9, reference_time=1)
        assert spans(said, ends(said, 5)) == [("acme", 9, None)]

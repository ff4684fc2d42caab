"""Errors seeded one by one into a snapshot that is right: each shows in its own figures alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evaluate import desk
from publish import tiny
from regesta.errors import InputError
from regesta.evaluate.evaluation import NO_KIND, evaluate
from regesta.evaluate.published import read_published
from regesta.evaluate.truth import known_by, read_truth

EVERY = {"right": 5, "wrong": 0, "missed": 0}
SIX = {"right": 6, "wrong": 0, "missed": 0}


@pytest.fixture
def scored_only(tmp_path):
    """Score a snapshot of entities and facts."""

    def score(*, entities, facts, known_at=desk.KNOWN_AT):
        root = tmp_path / "snapshots"
        desk.write_truth(tmp_path)
        desk.write_snapshot(root, entities=entities, facts=facts, known_at=known_at)
        return evaluate(read_truth(tmp_path), read_published(str(root)), most=3, progress=quiet)

    return score


@pytest.fixture
def scored(scored_only):
    """Score a snapshot, given what differs from the right one."""

    def score(*, entities=None, facts=None):
        return scored_only(
            entities=desk.entities() | (entities or {}), facts=desk.facts() | (facts or {})
        )

    return score


def quiet(total):
    return lambda more: None


def counts(score):
    return {"right": score.right, "wrong": score.wrong, "missed": score.missed}


def wrong_answers(found):
    return [each.about for each in found.worst if each.sort == "answer"]


def kind(found, name):
    return next(each for each in found.entities.kinds if each.kind_of_event == name)


def of_entities(found):
    """Return the figures of entities: pairs, B-cubed F1, and how many records are right."""
    right = sum(each.right for each in found.entities.kinds)
    return counts(found.entities.pairwise), found.entities.b_cubed_f1, right


def of_facts(found):
    """Return the figures of facts: triples, rectangles, the shares of exact and of shared time."""
    every = found.facts.every
    return counts(every.triples), counts(every.rectangles), every.exact, every.overlap


RIGHT_ENTITIES = ({"right": 1, "wrong": 0, "missed": 0}, 1, 5)
RIGHT_FACTS = (EVERY, SIX, 1, 1)


def test_a_snapshot_that_holds_the_truth_is_right_in_every_figure(scored):
    found = scored()
    assert of_entities(found) == RIGHT_ENTITIES
    assert of_facts(found) == RIGHT_FACTS
    assert (found.answers.every.asked, found.answers.every.right) == (8, 8)
    assert {each.name: each.asked for each in found.answers.axes} == {
        "both": 2,
        "known": 2,
        "valid": 4,
    }
    assert (found.entities.records, found.entities.records_not_found) == (6, 0)
    assert found.worst == []


def test_a_merged_namesake_is_a_wrong_pair_and_answers_for_both(scored):
    both = desk.entity("e-p", "Jane Doe", ["contact_no:c1", "contact_no:c2"])
    other = desk.entity("e-q", "Jane Doe", [])
    planner = desk.fact("e-p", "HAS_TITLE", "=Planner", "03-03", known=("03-04", None))
    found = scored(entities={"e-p": both, "e-q": other}, facts={"planner": planner})
    assert counts(found.entities.pairwise) == {"right": 1, "wrong": 1, "missed": 0}
    # Of six records the two have half a stranger's entity each: 5 of 6.
    assert found.entities.b_cubed_precision == pytest.approx(5 / 6)
    assert found.entities.b_cubed_recall == 1
    assert (kind(found, "namesake").wrong_merges, kind(found, "namesake").right) == (2, 0)
    assert kind(found, "duplicate").right == 1
    assert of_facts(found) == RIGHT_FACTS
    titles = next(each for each in found.answers.kinds if each.name == "title")
    assert (titles.asked, titles.right) == (4, 1)  # before Planner began Buyer is the one answer
    assert (found.answers.every.asked, found.answers.every.right) == (8, 5)
    (mistake,) = [each for each in found.worst if each.sort == "wrong_merge"]
    assert mistake.expected == ("Jane Doe: contact_no:c1", "Jane Doe: contact_no:c2")
    assert mistake.published == ("Jane Doe (contact_no:c1, contact_no:c2)",)
    assert {each.excerpt for each in mistake.episodes} == {
        "It says: e-p HAS_TITLE =Buyer.",
        "It says: e-p HAS_TITLE =Planner.",
    }


def test_a_wrong_merge_cites_what_was_told_of_each(scored):
    both = desk.entity("e-p", "Jane Doe", ["contact_no:c1", "contact_no:c2"])
    planner = desk.fact("e-p", "HAS_TITLE", "=Planner", "03-03", known=("03-04", None))
    buyers = {
        f"buyer {day}": desk.fact("e-p", "HAS_TITLE", "=Buyer", f"02-0{day}", f"02-0{day + 1}")
        for day in (1, 3, 5, 7)
    }
    found = scored(
        entities={"e-p": both, "e-q": desk.entity("e-q", "Jane Doe", [])},
        facts={"planner": planner, **buyers},
    )
    cited = next(each for each in found.worst if each.sort == "wrong_merge").episodes
    assert "It says: e-p HAS_TITLE =Planner." in {each.excerpt for each in cited}


def test_a_missed_duplicate_is_a_missed_pair_and_its_facts_count_once(scored):
    found = scored(
        entities={
            "e-a": desk.entity("e-a", "Acme", ["account_no:a1"]),
            "e-b": desk.entity("e-b", "Acme Ltd.", ["account_no:a2"]),
        },
        facts={"plan, too": desk.fact("e-b", "HAS_PLAN", "=basic", "03-01")},
    )
    assert counts(found.entities.pairwise) == {"right": 0, "wrong": 0, "missed": 1}
    assert found.entities.b_cubed_recall == pytest.approx(5 / 6)
    assert found.entities.b_cubed_precision == 1
    assert (kind(found, "duplicate").missed_merges, kind(found, "duplicate").right) == (1, 0)
    assert kind(found, "duplicate").wrong_merges == 0
    assert of_facts(found) == RIGHT_FACTS
    assert wrong_answers(found) == []
    (mistake,) = found.worst
    assert (mistake.sort, mistake.size) == ("missed_merge", 2)
    assert mistake.published == ("Acme (account_no:a1)", "Acme Ltd. (account_no:a2)")
    assert "It says: e-b HAS_PLAN =basic." in {each.excerpt for each in mistake.episodes}


def test_a_shifted_interval_is_a_wrong_and_a_missed_rectangle_and_shares_less_time(scored):
    found = scored(facts={"buyer": desk.fact("e-p", "HAS_TITLE", "=Buyer", "03-02")})
    assert of_entities(found) == RIGHT_ENTITIES
    assert counts(found.facts.every.triples) == EVERY
    assert counts(found.facts.every.rectangles) == {"right": 5, "wrong": 1, "missed": 1}
    assert found.facts.every.exact == 4 / 5
    # An open end counts until the day after the snapshot, 2 April: 31 days of 32 are shared.
    assert found.facts.every.overlap == pytest.approx((4 + 31 / 32) / 5)
    assert counts(found.facts.relations["OWNED_BY"].rectangles)["wrong"] == 0
    assert counts(found.facts.kinds["title"].rectangles) == {"right": 1, "wrong": 1, "missed": 1}
    asked = "contact_no:c1 HAS_TITLE as of valid 2024-03-01 12:00:00, known 2024-03-20"
    assert wrong_answers(found) == [asked]
    facts = next(each for each in found.worst if each.sort == "facts")
    assert (facts.about, facts.size) == ("contact_no:c1 HAS_TITLE", 2)
    assert facts.expected == ("Buyer  valid since 2024-03-01  known since 2024-03-02",)
    assert facts.published == ("Buyer  valid since 2024-03-02  known since 2024-03-02",)
    assert [each.excerpt for each in facts.episodes] == ["It says: e-p HAS_TITLE =Buyer."]


def test_a_wrong_known_time_is_a_wrong_rectangle_and_shares_all_time(scored):
    late = desk.fact("e-q", "HAS_TITLE", "=Planner", "03-03", known=("03-06", None))
    found = scored(facts={"planner": late})
    assert of_entities(found) == RIGHT_ENTITIES
    assert counts(found.facts.every.triples) == EVERY
    assert counts(found.facts.every.rectangles) == {"right": 5, "wrong": 1, "missed": 1}
    assert (found.facts.every.exact, found.facts.every.overlap) == (4 / 5, 1)
    asked = "contact_no:c2 HAS_TITLE as of valid 2024-03-05, known 2024-03-05"
    assert wrong_answers(found) == [asked]
    assert [each.right for each in found.answers.axes] == [2, 1, 4]


def test_an_extra_fact_is_wrong_and_of_no_kind_of_event(scored):
    found = scored(facts={"boss": desk.fact("e-x", "HAS_TITLE", "=Boss", "03-01")})
    assert of_entities(found) == RIGHT_ENTITIES
    assert counts(found.facts.every.triples) == {"right": 5, "wrong": 1, "missed": 0}
    assert counts(found.facts.every.rectangles) == {"right": 6, "wrong": 1, "missed": 0}
    assert found.facts.every.triples.precision == 5 / 6
    assert (found.facts.every.exact, found.facts.every.overlap) == (1, 1)
    assert counts(found.facts.kinds[NO_KIND].triples) == {"right": 0, "wrong": 1, "missed": 0}
    assert counts(found.facts.kinds["title"].triples)["wrong"] == 0
    assert counts(found.facts.relations["HAS_TITLE"].triples)["wrong"] == 1
    assert wrong_answers(found) == []
    (mistake,) = found.worst
    assert (mistake.about, mistake.expected) == ("Xi (agent_no:x) HAS_TITLE", ())


def test_a_period_too_many_makes_a_triple_inexact(scored):
    before = desk.fact("e-p", "HAS_TITLE", "=Buyer", "02-01", "02-05")
    found = scored(facts={"buyer before": before})
    assert counts(found.facts.every.triples) == EVERY
    assert counts(found.facts.every.rectangles) == {"right": 6, "wrong": 1, "missed": 0}
    assert found.facts.every.exact == 4 / 5
    # 32 days from 1 March to 2 April are shared of 36.
    assert found.facts.every.overlap == pytest.approx((4 + 32 / 36) / 5)
    assert counts(found.facts.kinds["title"].rectangles)["wrong"] == 1


def test_a_fact_of_another_value_is_wrong_and_missed(scored):
    found = scored(facts={"plan": desk.fact("e-a", "HAS_PLAN", "=pro", "03-01")})
    assert counts(found.facts.every.triples) == {"right": 4, "wrong": 1, "missed": 1}
    assert counts(found.facts.kinds["plan"].rectangles) == {"right": 0, "wrong": 1, "missed": 1}
    assert found.facts.kinds["plan"].exact is None
    asked = "account_no:a2 HAS_PLAN as of valid 2024-03-05, known 2024-03-20"
    assert wrong_answers(found) == [asked]


def test_a_fact_towards_the_wrong_entity_is_wrong_and_missed(scored):
    found = scored(
        facts={"yo": desk.fact("e-a", "OWNED_BY", "e-p", "03-09", known=("03-10", None))}
    )
    assert counts(found.facts.relations["OWNED_BY"].triples) == {
        "right": 1,
        "wrong": 1,
        "missed": 1,
    }


def test_what_is_disputed_or_of_other_relations_does_not_count(scored):
    found = scored(
        facts={
            "disputed": desk.fact("e-x", "HAS_TITLE", "=Boss", "03-01", flags=["disputed"]),
            "other": desk.fact("e-x", "KNOWS", "e-y", "03-01"),
        }
    )
    assert of_facts(found) == RIGHT_FACTS


def test_rows_that_meet_in_known_time_are_one_rectangle(scored):
    first = desk.fact("e-p", "HAS_TITLE", "=Buyer", "03-01", known=("03-02", "03-07"))
    second = desk.fact("e-p", "HAS_TITLE", "=Buyer", "03-01", known=("03-07", None))
    found = scored(facts={"buyer": first, "buyer again": second})
    assert of_facts(found) == RIGHT_FACTS


def test_what_an_entity_told_before_it_was_merged_counts_for_its_records(scored):
    old = desk.entity("e-old", "Acme Ltd.", ["account_no:a2"], expired="03-06")
    before = desk.fact("e-old", "HAS_PLAN", "=basic", "03-01", known=("03-02", "03-06"))
    after = desk.fact("e-a", "HAS_PLAN", "=basic", "03-01", known=("03-06", None))
    found = scored(entities={"e-old": old}, facts={"old": before, "plan": after})
    assert of_entities(found) == RIGHT_ENTITIES
    assert of_facts(found) == RIGHT_FACTS
    assert found.entities.records_in_several == 0


def test_a_record_that_two_entities_bear_is_counted(scored):
    found = scored(entities={"e-b": desk.entity("e-b", "Acme Ltd.", ["account_no:a2"])})
    assert found.entities.records_in_several == 1


def test_records_that_nobody_bears_are_missed(scored):
    found = scored(entities={"e-y": desk.entity("e-y", "Yo", [])})
    assert (found.entities.records_not_found, kind(found, "plain").records_not_found) == (1, 1)
    assert found.entities.b_cubed_recall == pytest.approx(5 / 6)
    assert counts(found.facts.every.triples) == {"right": 4, "wrong": 1, "missed": 1}


def test_the_truth_counts_as_far_as_it_was_told_by_the_snapshots_known_time(scored_only):
    facts = desk.facts() | {"xi": desk.fact("e-a", "OWNED_BY", "e-x", "03-01")}
    entities = {key: row for key, row in desk.entities().items() if key != "e-y"}
    found = scored_only(
        entities=entities,  # Yo is first heard of on 10 March
        facts={key: facts[key] for key in ("xi", "plan", "buyer", "planner")},
        known_at=datetime(2024, 3, 5, tzinfo=UTC),
    )
    assert (found.entities.records, found.entities.records_not_found) == (5, 0)
    assert counts(found.facts.every.triples) == {"right": 4, "wrong": 0, "missed": 0}
    assert counts(found.facts.every.rectangles) == {"right": 4, "wrong": 0, "missed": 0}
    assert (found.facts.every.exact, found.facts.every.overlap) == (1, 1)
    assert (found.answers.every.right, found.answers.every.asked) == (4, 4)
    assert found.answers.not_asked == 4


def test_records_that_no_fact_ever_names_are_expected(tmp_path):
    desk.write_truth(tmp_path, facts=desk.FACTS[:-1])
    assert len(known_by(read_truth(tmp_path), tiny.micros("2024-04-01")).records) == 6


def test_another_archives_snapshot_is_refused(scored_only):
    strangers = {"e-a": desk.entity("e-a", "Acme", []) | {"group_id": "other"}}
    with pytest.raises(InputError, match="none of the groups"):
        scored_only(entities=strangers, facts={})

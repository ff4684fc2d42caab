"""What the tiny warehouse answers, by hand, on both axes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import regesta.query
from publish import tiny, writing
from regesta.query import QueryError


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    root = tmp_path_factory.mktemp("snapshot")
    writing.write_snapshot(root, tiny.tables())
    return regesta.query.open(root)


@pytest.fixture(scope="module")
def acme(snapshot):
    return snapshot.group("acme")


def ids(facts):
    return [fact.fact_id for fact in facts]


def test_groups_and_known_time(snapshot):
    assert snapshot.groups() == ["acme", "globex"]
    assert snapshot.known_at == datetime(2024, 1, 1, tzinfo=UTC)
    snapshot.verify()


@pytest.mark.parametrize(
    ("valid", "known", "wanted"),
    [
        (None, None, ["f-bob", "f-met", "f-priority"]),
        ("2021-06", None, ["f-jane"]),
        ("2021", None, ["f-jane"]),
        ("2020-12-31", None, []),
        ("2022-06-30T23:59:59", None, ["f-jane", "f-met", "f-priority"]),
        ("2022-07-01", None, ["f-bob", "f-met", "f-priority"]),
        ("2022-05-04", None, ["f-jane", "f-priority"]),  # the event is still to come
        ("2022-03-05T10:29", None, ["f-jane"]),  # the priority is seen a minute later
        ("2022-03-05T10:30", None, ["f-jane", "f-priority"]),
        ("2022-10", "2022-10", ["f-jane", "f-met", "f-priority"]),  # not yet corrected
        ("2022-10", "2023-01-09", ["f-jane", "f-met", "f-priority"]),
        ("2022-10", "2023-01-10", ["f-bob", "f-met", "f-priority"]),
        (None, "2022-02", ["f-jane"]),  # valid is by default what known is
        (None, "2022-01-09", []),
        (datetime(2021, 6, 1, tzinfo=UTC), tiny.micros("2022-02-01"), ["f-jane"]),
    ],
)
def test_facts_as_of(acme, valid, known, wanted):
    assert ids(acme.as_of(valid=valid, known=known).facts()) == wanted


def test_a_disputed_fact_is_told_on_request_only(acme):
    assert "f-stone" in ids(acme.facts(disputed=True))
    assert "f-stone" not in ids(acme.as_of(valid="2022-08").facts(disputed=True))
    assert [fact.disputed for fact in acme.facts(relation="owned_by", disputed=True)] == [
        False,
        True,
    ]
    assert "f-stone" not in [hit.fact.fact_id for hit in acme.search("Bob Stone", limit=50)]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ({"subject": "acme corp"}, ["f-bob", "f-priority"]),
        ({"subject": "Jane Doe"}, ["f-met"]),
        ({"subject": "Acme", "relation": "owned_by"}, ["f-bob"]),
        ({"object": "e-bob"}, ["f-bob", "f-met"]),
        ({"object": "p1"}, ["f-priority"]),
        ({"object": "P2"}, []),
        ({"relation": "MET", "subject": "e-jane", "object": "bob muller"}, ["f-met"]),
    ],
)
def test_facts_by_subject_relation_object(acme, question, wanted):
    assert ids(acme.facts(**question)) == wanted


def test_names_are_those_known_then(acme):
    now = acme.facts(relation="OWNED_BY")[0]
    then = acme.as_of(known="2022-02").facts(relation="OWNED_BY")[0]
    assert (now.subject, now.object) == ("Acme Corp", "Bob Müller")
    assert (then.subject, then.object) == ("Acme", "Jane Doe")


def test_what_was_learnt_later_is_not_told(acme):
    then = acme.as_of(known="2022-02").facts()[0]
    assert (then.invalid_at, then.expired_at, then.expiry_reason) == (None, None, None)
    assert acme.as_of(known="2022-02").entity("Acme").expired_at is None


def test_history_by_start_as_believed_then(acme):
    periods = [(fact.object, fact.dates) for fact in acme.history("Acme", "OWNED_BY")]
    assert periods == [("Jane Doe", "2021 to 2022-06"), ("Bob Müller", "since 2022-07")]
    before = [(f.object, f.dates) for f in acme.as_of(known="2022-02").history("Acme", "OWNED_BY")]
    assert before == [("Jane Doe", "since 2021")]


def test_history_of_beliefs(acme):
    told = [
        (fact.object, fact.dates, fact.expiry_reason)
        for fact in acme.history("Acme", "OWNED_BY", all_beliefs=True)
    ]
    assert told == [
        ("Jane Doe", "since 2021", "superseded"),
        ("Jane Doe", "2021 to 2022-06", None),
        ("Bob Müller", "since 2022-07", None),
    ]


def test_dates_of_events_and_unknown_starts(acme):
    dates = {fact.fact_id: fact.dates for fact in acme.facts()}
    assert dates["f-met"] == "on 2022-05-05"
    assert dates["f-priority"] == "seen from 2022-03-05 10:30:00"


def test_why_quotes_the_episode_and_names_the_end(acme):
    (told,) = acme.why("f-jane")
    (cited,) = told.evidence
    assert cited.quote == "Jane owns Acme since 2021."
    assert (cited.source, cited.source_id, cited.author) == ("mail", "M1", "jane@acme.com")
    assert cited.reference_time == cited.known_at == tiny.micros(tiny.EARLY)
    assert told.ended.words == (
        "ended 2022-06: followed by Acme Corp OWNED_BY Bob Müller (fact f-bob), "
        "stated in mail M2, 2023-01-10"
    )
    assert (told.ended.kind, told.ended.fact.fact_id) == ("superseded", "f-bob")
    assert told.ended.quote == tiny.NEWS
    assert told.expired is None


def test_why_of_a_row_given_up_since(acme):
    (told,) = acme.why("f-jane@2021-01-01@2022-01-10")
    assert told.fact.expiry_reason == "superseded"
    assert [each.statement_id for each in told.evidence] == ["s-jane"]
    assert told.ended is None
    assert told.expired.words == (
        "no longer believed since 2023-01-10: it was followed by Acme Corp OWNED_BY Bob Müller "
        "(fact f-bob), see mail M2, 2023-01-10"
    )
    assert acme.why(told.fact) == [told]


def test_what_ended_a_belief_later_is_not_told(acme):
    then = acme.as_of(known="2022-02")
    (told,) = then.why("f-jane@2021-01-01@2022-01-10")
    assert (told.ended, told.expired, told.fact.expired_by_fact) == (None, None, None)


def test_why_of_what_was_not_known_then(acme):
    with pytest.raises(QueryError, match="Nothing is known"):
        acme.as_of(known="2022-02").why("f-bob")


@pytest.mark.parametrize(
    "name", ["e-acme", "acme corp", "ACME", "crm:17", "17", "e-old", " Acme  Corp "]
)
def test_an_entity_by_any_of_its_names(acme, name):
    assert acme.entity(name).entity_id == "e-acme"


@pytest.mark.parametrize(("name", "wanted"), [("JANE@acme.com", "e-jane"), ("Bob MULLER", "e-bob")])
def test_case_and_accents_do_not_matter(acme, name, wanted):
    assert acme.entity(name).entity_id == wanted


def test_before_the_merge_the_old_id_is_its_own_entity(acme):
    assert acme.as_of(known="2023-05-31").entity("e-old").name == "ACME Incorporated"
    assert acme.as_of(known="2023-06-01").entity("e-old").name == "Acme Corp"


def test_all_entities_that_a_name_means(acme):
    meant = [[each.entity_id for each in acme.matching(name)] for name in ("Bob", "crm:17", "Ann")]
    assert [sorted(each) for each in meant] == [["e-bob", "e-stone"], ["e-acme"], []]
    assert acme.as_of(known=tiny.EARLY).matching("crm:17") == []


def test_a_subjects_facts_are_those_of_all_facts_that_are_about_it(acme):
    for valid in ("2020", "2021-06", "2022-07-01", "2022-10"):
        for known in ("2022-02", "2022-05-10", "2023-01-09", "2023-01-10"):
            graph = acme.as_of(valid=valid, known=known)
            for disputed in (False, True):
                every = graph.facts(disputed=disputed)
                about = [each for each in every if each.subject_id == "e-acme"]
                assert graph.facts("e-acme", disputed=disputed) == about


def test_an_ambiguous_name_lists_the_candidates(acme):
    with pytest.raises(QueryError, match=r"2 entities.*\n.*e-bob.*\n.*e-stone"):
        acme.entity("Bob")


def test_unknown_names_suggest_known_ones(snapshot, acme):
    with pytest.raises(QueryError, match="Did you mean 'Jane Doe'"):
        acme.entity("Jane Do")
    with pytest.raises(QueryError, match="Did you mean 'acme'"):
        snapshot.group("Acmee")
    with pytest.raises(QueryError, match="Did you mean 'OWNED_BY'"):
        acme.history("Acme", "OWNEDBY")


def test_suggestions_know_nothing_of_the_future(acme):
    with pytest.raises(QueryError) as error:
        acme.as_of(known="2022-02").history("Acme", "PRIORITIES")
    assert "PRIORITY" not in str(error.value)


def test_knowledge_after_the_snapshot_is_refused(acme):
    with pytest.raises(QueryError, match="knows nothing after 2024-01-01"):
        acme.as_of(known="2024-01-02")
    assert ids(acme.as_of(valid="2030").facts()) == ids(acme.facts())


def test_communities(acme):
    assert [each.name for each in acme.communities()] == ["Owners of Acme"]
    assert acme.community_of("Acme").community_id == "c1"
    assert acme.community_of("Jane Doe") is None
    assert acme.as_of(known="2022-02").communities() == []
    assert acme.as_of(known="2022-02").community_of("Acme") is None


def test_a_group_sees_nothing_of_another(snapshot, acme):
    globex = snapshot.group("globex")
    assert globex.entity("Acme").entity_id == "e-other"
    assert ids(globex.facts()) == ["f-globex"]
    assert not acme.search("Zoë")
    with pytest.raises(QueryError):
        acme.entity("Zoë")


def test_context(acme):
    assert acme.as_of(valid="2022-06").search("who owned Acme?", limit=2).context() == (
        "As of 2022-06-01, as known on 2024-01-01.\n"
        "<FACTS>\n"
        "Facts, each with the dates between which it holds; an event with when it took place.\n"
        "- Acme is owned by Jane Doe (2021 to 2022-06) [1]\n"
        "- Acme has priority P1 (seen from 2022-03-05 10:30:00) [2]\n"
        "</FACTS>\n"
        "<ENTITIES>\n"
        "- Acme Corp (Company): A maker of anvils\n"
        "- Jane Doe (Person)\n"
        "</ENTITIES>\n"
        "<SOURCES>\n"
        "[1] mail M1, jane@acme.com, 2022-01-10\n"
        "[2] mail M4, 2022-03-05 10:30:00\n"
        "</SOURCES>"
    )


def test_hits_as_arrow(acme):
    table = acme.search("owned met").to_arrow()
    assert table["id"].to_pylist() == ["f-bob", "f-met"]  # four words, five words
    assert table["episode_ids"].to_pylist() == [["m2"], ["m4"]]
    assert table["valid_at"].to_pylist()[1] == datetime(2022, 5, 5, tzinfo=UTC)
    entities = acme.search("anvil", scope="entities")
    assert [hit.entity.name for hit in entities] == ["Acme Corp"]
    assert entities.to_arrow()["kind"].to_pylist() == ["entity"]


def test_mistaken_arguments(acme):
    with pytest.raises(QueryError, match="scope"):
        acme.search("x", scope="nodes")
    with pytest.raises(QueryError, match="limit"):
        acme.search("x", limit=0)

"""What a declared mapping makes of one record, worked out by hand."""

from __future__ import annotations

import json

import pytest

from extract.mapped import BASE, PERSONAL, extract, micros
from regesta.extract.mapping import RecordMapper
from regesta.ontology import Ontology
from regesta.sources.declaration import Source
from regesta.sources.records import canonical_json

ACCOUNT = {"account": {"label": "Account", "name": "name"}}
OWNER = {**ACCOUNT, "owner": {"label": "Person", "name": "owner.name"}}


def test_an_event_says_what_is_so_from_its_time_on():
    _, _, (said,) = extract(
        {"name": "Acme", "plan": "pro"},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": "HAS_PLAN", "value": "plan"}],
    )
    assert (said.value, said.polarity, said.valid_at, said.invalid_at) == (
        "pro", "asserts", micros("2024-05-01"), None,
    )  # fmt: skip
    assert said.text == "Acme has plan pro"


def test_a_message_is_no_record():
    source = Source.model_validate(
        {**BASE, "mode": "event", "reference_time": "at", "kind": "message", "content": "text"}
    )
    episode, _, _ = extract({})
    said = episode._replace(content="Acme is on pro now.")
    assert RecordMapper(source, PERSONAL, "salt").extract(said) == ([], [])


def test_a_statement_between_entities_joins_their_profiles_and_quotes_the_words():
    episode, mentions, (said,) = extract(
        {"name": "Acme", "owner": {"name": "Ann Lee", "since": 3}},
        entities=OWNER,
        statements=[{"subject": "account", "relation": "OWNED_BY", "object": "owner"}],
    )
    by_name = {mention.name: mention.profile_id for mention in mentions}
    assert (said.subject, said.object) == (by_name["Acme"], by_name["Ann Lee"])
    assert said.text == "Acme is owned by Ann Lee"
    assert episode.content[said.quote_start : said.quote_end] == '"name": "Ann Lee"'


@pytest.mark.parametrize(
    ("value", "empty", "expected"),
    [
        (None, "unknown", []),
        ("", "unknown", []),
        (None, "ended", ["ends"]),
        (" ", "ended", ["ends"]),
        ("?", "ended", []),
        ("pro", "ended", ["asserts"]),
    ],
)
def test_empty_means_what_the_field_declares_and_unknown_says_nothing(value, empty, expected):
    _, _, statements = extract(
        {"name": "Acme", "plan": value},
        unknown_values=["?"],
        entities=ACCOUNT,
        statements=[
            {"subject": "account", "relation": "HAS_PLAN", "value": "plan", "empty": empty}
        ],
    )
    assert [said.polarity for said in statements] == expected


def test_a_field_that_a_row_lacks_has_not_ended():
    _, _, statements = extract(
        {"name": "Acme"},
        entities=ACCOUNT,
        statements=[
            {"subject": "account", "relation": "HAS_PLAN", "value": "plan", "empty": "ended"}
        ],
    )
    assert statements == []


def test_values_of_a_list_are_statements_each_and_false_is_a_value():
    _, _, statements = extract(
        {"name": "Acme", "tags": ["a", 2, False]},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": "HAS_TAG", "value": "tags"}],
    )
    assert [said.value for said in statements] == ["a", "2", "false"]
    assert len({said.statement_id for said in statements}) == 3


def test_a_fact_over_several_objects_is_statements_that_know_of_each_other():
    entities = {
        "one": {"label": "Team", "name": "one"},
        "two": {"label": "Team", "name": "two"},
        "three": {"label": "Team", "name": "three"},
    }
    joined = {"subject": "one", "relation": "MEETS", "objects": ["two", "three"]}
    told = {"entities": entities, "statements": [joined]}
    _, _, both = extract({"one": "red", "two": "blue", "three": "grey"}, **told)
    assert [said.text for said in both] == ["red meets blue", "red meets grey"]
    assert len({said.hyperedge_id for said in both}) == 1 != len({s.statement_id for s in both})
    assert both[0].hyperedge_id is not None
    _, _, [alone] = extract({"one": "red", "two": "blue"}, **told)
    assert alone.hyperedge_id is None
    ending = {**joined, "polarity": "ends"}
    _, _, ends = extract(
        {"one": "red", "two": "blue", "three": "grey"}, entities=entities, statements=[ending]
    )
    assert [said.hyperedge_id for said in ends] == [None, None]


@pytest.mark.parametrize(("closed", "made"), [("2024-05-01", 1), ("2024-05-02", 0), (None, 0)])
def test_a_backfilled_field_is_not_told_before_it_happened(closed, made):
    _, _, statements = extract(
        {"name": "Acme", "closed": closed, "code": "x"},
        entities=ACCOUNT,
        statements=[
            {
                "subject": "account",
                "relation": "CLOSED_WITH",
                "value": "code",
                "valid_at": "closed",
                "backfilled": True,
            }
        ],
    )
    assert len(statements) == made


TERM = {
    "subject": "account",
    "relation": "HAS_PLAN",
    "value": "plan",
    "valid_at": "begins",
}


@pytest.mark.parametrize(
    ("ends", "inclusive", "expected"),
    [
        ("2024-12-31", True, "2025-01-01"),
        ("2024-12", True, "2025-01-01"),
        ("2024", True, "2025-01-01"),
        ("2024-12-31", False, "2024-12-31"),
        ("2024-12-31T10:00:00", True, "2024-12-31T10:00:00"),
    ],
)
def test_a_coarse_end_reaches_to_its_last_instant_unless_it_is_exclusive(ends, inclusive, expected):
    _, _, (said,) = extract(
        {"name": "Acme", "plan": "pro", "begins": "2024", "ends": ends},
        mode="interval",
        entities=ACCOUNT,
        statements=[{**TERM, "invalid_at": {"path": "ends", "inclusive": inclusive}}],
    )
    assert said.invalid_at == micros(expected)
    assert (said.valid_at, said.valid_precision) == (micros("2024-01-01"), "year")


def test_the_end_of_the_world_is_unknown():
    _, _, (said,) = extract(
        {"name": "Acme", "plan": "pro", "begins": "1900-01-01", "ends": "9999-12-31"},
        mode="interval",
        entities=ACCOUNT,
        statements=[{**TERM, "invalid_at": "ends"}],
    )
    assert (said.valid_at, said.invalid_at) == (None, None)


@pytest.mark.parametrize(
    ("begins", "ends", "said_at"),
    [
        ("2020-01-01", None, "2020-01-01"),  # touching a record is no testimony
        ("2030-01-01", None, "2024-05-01"),
        ("2020-01-01", "2021-01-01", "2024-05-01"),
        (None, None, "2024-05-01"),
    ],
)
def test_an_open_interval_counts_as_said_at_its_start(begins, ends, said_at):
    _, _, (said,) = extract(
        {"name": "Acme", "plan": "pro", "begins": begins, "ends": ends},
        mode="interval",
        entities=ACCOUNT,
        statements=[{**TERM, "invalid_at": "ends"}],
    )
    assert said.reference_time == micros(said_at)


def test_elements_of_a_list_are_seen_beside_the_record():
    episode, mentions, statements = extract(
        {"name": "Ann", "jobs": [{"at": "Acme", "pay": 1}, {"at": "Bolt", "pay": 1}]},
        entities={"person": {"label": "Person", "name": "name"}},
        for_each=[
            {
                "as": "job",
                "in": "jobs",
                "entities": {"employer": {"label": "Account", "name": "job.at"}},
                "statements": [
                    {"subject": "person", "relation": "WORKS_AT", "object": "employer"},
                    {"subject": "person", "relation": "EARNS", "value": "job.pay"},
                ],
            }
        ],
    )
    assert [m.name for m in mentions] == ["Ann", "Acme", "Bolt"]
    assert [s.text for s in statements] == [
        "Ann works at Acme", "Ann earns 1", "Ann works at Bolt", "Ann earns 1",
    ]  # fmt: skip
    assert len({s.statement_id for s in statements}) == 4
    second = statements[3]
    assert episode.content[: second.quote_start].endswith('{"at": "Bolt", ')
    assert statements[0].position < statements[2].position


def test_the_position_of_the_record_comes_before_that_in_its_list():
    def position(record_position):
        _, _, statements = extract(
            {"name": "Acme", "tags": "a"},
            position=record_position,
            entities=ACCOUNT,
            statements=[{"subject": "account", "relation": "HAS_TAG", "value": "tags"}],
        )
        return statements[0].position

    assert position(None) == position(0) < position(1) < position(2)


def profile(record, **declared):
    entity = {"label": "Person", "name": "name", "identifiers": {"email": "mail"}}
    _, (mention,), _ = extract(record, entities={"p": {**entity, **declared}}, thread="t")
    return mention


def test_people_with_an_address_are_one_profile_wherever_they_are_named():
    one = profile({"name": "Ann Lee", "mail": "ANN@x.example "})
    other = profile({"name": "ann  lee", "mail": "ann@x.example"}, context="'elsewhere'")
    assert one.identifiers == ["email:ann@x.example"]
    assert one.profile_id == other.profile_id


def test_bare_personal_names_are_kept_apart_by_their_context():
    here = profile({"name": "Ann Lee", "at": "Acme"}, context="at")
    there = profile({"name": "Ann Lee", "at": "Bolt"}, context="at")
    thread = profile({"name": "Ann Lee"})
    assert len({here.profile_id, there.profile_id, thread.profile_id}) == 3
    assert thread.context == ["thread:s:t"]


def test_an_identifier_that_does_not_join_leaves_the_context_decisive():
    shirts = {"identifiers": {"shirt": "number"}}
    here = profile({"name": "Ann Lee", "number": 7}, context="'here'", **shirts)
    there = profile({"name": "Ann Lee", "number": 7}, context="'there'", **shirts)
    assert here.profile_id != there.profile_id


def test_an_expression_that_meets_the_wrong_type_is_named():
    with pytest.raises(ValueError, match="join"):
        extract(
            {"name": None},
            entities={"account": {"label": "Account", "name": "join(' ', [name, 'x'])"}},
        )


def test_an_impossible_time_is_named():
    with pytest.raises(ValueError, match="2024-02-30"):
        extract(
            {"name": "Acme", "plan": "pro", "begins": "2024-02-30"},
            mode="interval",
            entities=ACCOUNT,
            statements=[TERM],
        )


def test_what_stands_in_an_episode_is_data_and_never_code():
    _, _, (said,) = extract(
        {"name": "join(' ', [x])", "plan": "`1`"},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": "HAS_PLAN", "value": "plan"}],
    )
    assert said.text == "join(' ', [x]) has plan `1`"
    assert json.loads(canonical_json({"a": "`1`"})) == {"a": "`1`"}


@pytest.mark.parametrize(
    ("field", "relation", "text"),
    [
        ("Owner", "OWNED_BY", "Acme is owned by x"),
        ("StageName", "HAS_FIELD_STAGE_NAME", "Acme has field stage name x"),
        ("story points", "HAS_FIELD_STORY_POINTS", "Acme has field story points x"),
        ("ISOCode__c", "HAS_FIELD_ISO_CODE_C", "Acme has field iso code c x"),
        ("360012345", "HAS_FIELD_360012345", "Acme has field 360012345 x"),
        ("Priorität", "HAS_FIELD_PRIORITÄT", "Acme has field priorität x"),
    ],
)
def test_a_record_may_name_the_relation(field, relation, text):
    _, _, (said,) = extract(
        {"name": "Acme", "field": field, "new": "x"},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": BY_FIELD, "value": "new"}],
    )
    assert (said.relation, said.text) == (relation, text)


BY_FIELD = {"path": "field", "names": {"Owner": "OWNED_BY"}, "prefix": "HAS_FIELD_"}


@pytest.mark.parametrize(
    ("field", "relation"),
    [
        (None, BY_FIELD),
        ("", BY_FIELD),
        ("Stage", {"path": "field", "names": {"Owner": "OWNED_BY"}}),
    ],
)
def test_without_a_named_relation_nothing_is_stated(field, relation):
    _, _, statements = extract(
        {"name": "Acme", "field": field, "new": "x"},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": relation, "value": "new"}],
    )
    assert statements == []


def test_a_field_without_letters_names_no_relation():
    with pytest.raises(ValueError, match="no relation can be named '--'"):
        extract(
            {"name": "Acme", "field": "--", "new": "x"},
            entities=ACCOUNT,
            statements=[{"subject": "account", "relation": BY_FIELD, "value": "new"}],
        )


@pytest.mark.parametrize(
    ("kind", "names", "polarity"),
    [("user", ["Acme", "Ann"], "asserts"), ("queue", ["Acme"], "ends"), (None, ["Acme"], "ends")],
)
def test_an_entity_may_depend_on_the_record(kind, names, polarity):
    _, mentions, (said,) = extract(
        {"name": "Acme", "owner": {"name": "Ann", "kind": kind}},
        entities={**OWNER, "owner": {**OWNER["owner"], "when": "owner.kind == 'user'"}},
        statements=[
            {"subject": "account", "relation": "OWNED_BY", "object": "owner", "empty": "ended"}
        ],
    )
    assert [one.name for one in mentions] == names
    assert said.polarity == polarity


def test_an_end_without_object_is_for_all_that_the_relation_holds():
    _, _, (said,) = extract(
        {"name": "Acme", "tags": None},
        entities=ACCOUNT,
        statements=[{"subject": "account", "relation": "HAS_TAG", "polarity": "ends"}],
    )
    assert (said.polarity, said.object, said.value) == ("ends", None, None)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"plan": {"name": "pro"}}, ["asserts"]),
        ({"plan": {"name": None}}, ["ends"]),
        ({"plan": None}, ["ends"]),
        ({"plan": {}}, []),
        ({}, []),
        ({"plan": "pro"}, []),
    ],
)
def test_a_field_within_an_object_that_is_null_is_empty(record, expected):
    _, _, statements = extract(
        {"name": "Acme", **record},
        entities=ACCOUNT,
        statements=[
            {
                "subject": "account",
                "relation": "HAS_PLAN",
                "value": "plan.name",
                "empty": "ended",
            }
        ],
    )
    assert [said.polarity for said in statements] == expected


def test_what_is_compared_belongs_to_the_profile_and_nothing_else_of_the_attributes_does():
    matched = Ontology.model_validate(
        {"labels": {"Person": {"match": {"attributes": {"name": "name", "born": "date"}}}}}
    )
    declared = {"label": "Person", "name": "n", "attributes": {"born": "born", "mood": "mood"}}

    def made(ontology, **record):
        _, (mention,), _ = extract(record, entities={"one": declared}, ontology=ontology)
        return mention.profile_id

    ann = {"n": "Ann", "born": "1990-01-02"}
    assert made(matched, **ann) == made(matched, **ann, mood="bad")
    assert made(matched, **ann) != made(matched, n="Ann", born="1990-01-03")
    assert made(matched, **ann) != made(matched, n="Ann")
    assert made(Ontology(), **ann) == made(Ontology(), n="Ann")

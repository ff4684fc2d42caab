"""Each violation planted in a bucket is found by its audit, and by no other."""

from __future__ import annotations

import pytest

from publish import tiny, writing
from regesta.audit import findings
from regesta.audit.bucket import audit

PUBLISHED = tiny.micros("2024-01-01")


def found(rows):
    """Return what the audits find in rows of the warehouse's tables."""
    return audit(writing.segment_tables(rows), writing.ONE_OWNER, PUBLISHED)


def test_nothing_is_found_in_the_tiny_warehouse():
    assert found(tiny.tables()) == []


def test_a_version_that_comes_after_a_higher_one_is_nothing_wrong():
    rows = tiny.tables()
    late = rows["episodes"][0]["episode_id"]
    rows["supersessions"].append({"episode_id": late, "superseded_at": "2000-01-01"})
    assert found(rows) == []


def row(rows, table, row_id):
    return next(each for each in rows[table] if each["row_id"] == row_id)


JANE, BOB = "f-jane@2021-01-01@2023-01-10", "f-bob@2022-07-01@2023-01-10"


def subject(rows):
    row(rows, "facts", BOB)["subject_id"] = "e-none"


def other_group(rows):
    row(rows, "facts", BOB)["object_id"] = "e-zoe"


def believed_entity(rows):
    row(rows, "facts", BOB)["object_id"] = "e-old"


def cited_fact(rows):
    rows["fact_evidence"].append(tiny.evidence("f-none", "2021-01-01", "s", "m1"))


def cited_episode(rows):
    rows["fact_evidence"].append(tiny.evidence("f-jane", "2021-01-01", "s", "m0"))


def member(rows):
    rows["community_members"][0]["entity_id"] = "e-none"


def community(rows):
    rows["community_members"][0]["community_id"] = "c2"


def no_evidence(rows):
    rows["fact_evidence"] = [each for each in rows["fact_evidence"] if each["fact_id"] != "f-bob"]


def evidence_of_other_period(rows):
    row(rows, "fact_evidence", "f-bob@s-bob@2023-01-10")["period_start"] = "2022-08-01"


def evidence_given_up(rows):
    row(rows, "fact_evidence", "f-bob@s-bob@2023-01-10")["expired_at"] = "2023-05-01"


def two_rows(rows):
    rows["facts"].append({**row(rows, "facts", BOB)})


def two_open(rows):
    rows["facts"].append({**row(rows, "facts", BOB), "row_id": "again"})


def two_rivals(rows):
    row(rows, "facts", JANE)["invalid_at"] = "2022-07-02"  # Bob owns it since the first


def two_episodes(rows):
    rows["episodes"].append({**rows["episodes"][0]})


def redirect_to_none(rows):
    rows["entity_redirects"][0]["entity_id"] = "e-none"


def redirect_of_none(rows):
    rows["entity_redirects"][0]["old_entity_id"] = "e-none"


def redirect_to_expired(rows):
    rows["entity_redirects"][0].update(old_entity_id="e-bob", entity_id="e-old")


def known_tomorrow(rows):
    rows["facts"][-1]["created_at"] = "2024-01-02"


def given_up_tomorrow(rows):
    rows["community_members"].clear()
    rows["communities"][0]["expired_at"] = "2024-01-02"


def given_up_before(rows):
    row(rows, "entities", "e-old@2022-01-10")["expired_at"] = "2022-01-10"


def episode_of_tomorrow(rows):
    rows["episodes"][0]["known_at"] = "2024-01-02"


@pytest.mark.parametrize(
    ("damage", "audit", "told"),
    [
        (subject, findings.RESOLVES, f"facts row '{BOB}' has subject_id 'e-none', but entities"),
        (
            other_group,
            findings.RESOLVES,
            "has object_id 'e-zoe', but entities has no such entity_id in group 'acme'",
        ),
        (
            believed_entity,
            findings.STANDS,
            "has object_id 'e-old', but entities has no such entity_id that is believed in group",
        ),
        (
            cited_fact,
            findings.RESOLVES,
            "evidence row 'f-none@s@2022-01-10' has fact_id 'f-none', but facts",
        ),
        (cited_episode, findings.RESOLVES, "has episode_id 'm0', but episodes"),
        (
            member,
            findings.RESOLVES,
            "community_members row 'c1@e-acme' has entity_id 'e-none', but entities",
        ),
        (community, findings.RESOLVES, "has community_id 'c2', but communities"),
        (redirect_to_none, findings.RESOLVES, "redirects row 'r1' has entity_id 'e-none', but"),
        (redirect_of_none, findings.RESOLVES, "redirects row 'r1' has old_entity_id 'e-none', but"),
        (redirect_to_expired, findings.STANDS, "redirects row 'r1' has entity_id 'e-old', but"),
        (no_evidence, findings.EVIDENCE, f"facts row '{BOB}' is believed, but evidence has no"),
        (evidence_of_other_period, findings.EVIDENCE, f"facts row '{BOB}' is believed, but"),
        (evidence_given_up, findings.EVIDENCE, f"facts row '{BOB}' is believed, but evidence"),
        (two_rivals, findings.RIVALS, f"facts rows '{JANE}' and '{BOB}' are rivals (OWNED_BY of"),
        (two_episodes, findings.UNIQUE, "episodes row 'm1' stands 2 times"),
        (two_open, findings.ONE_PERIOD, "facts fact 'f-bob' has 2 open rows with one start"),
        (known_tomorrow, findings.KNOWN_TIME, "facts row 'f-globex@2020-01-01@2022-01-10' is kn"),
        (given_up_tomorrow, findings.KNOWN_TIME, "communities row 'c1@1' is known after its snap"),
        (given_up_before, findings.KNOWN_TIME, "entities row 'e-old@2022-01-10' ends before it"),
        (episode_of_tomorrow, findings.KNOWN_TIME, "episodes row 'm1' is known after its snapsh"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_planted_violation_is_found(damage, audit, told):
    rows = tiny.tables()
    damage(rows)
    assert {each.audit for each in found(rows)} == {audit}
    assert told in str(found(rows)[0])


def test_a_row_that_stands_twice_breaks_two_audits():
    rows = tiny.tables()
    two_rows(rows)
    assert {(one.audit, one.key) for one in found(rows)} == {
        (findings.UNIQUE, f"row '{BOB}'"),
        (findings.ONE_PERIOD, "fact 'f-bob'"),
    }


def test_what_is_found_often_is_counted():
    rows = tiny.tables()
    for number in range(5):
        rows["fact_evidence"].append(tiny.evidence("f-none", "2021-01-01", f"s{number}", "m1"))
    assert [one.others for one in found(rows)] == [0, 0, 2]


def test_the_error_tells_all_with_a_remedy():
    rows = tiny.tables()
    subject(rows)
    member(rows)
    text = str(findings.AuditError(found(rows)))
    assert "every id resolves: facts row" in text
    assert "every id resolves: community_members row" in text
    assert "regesta rebuild" in text


def test_a_disputed_row_needs_no_evidence():
    rows = tiny.tables()
    rows["fact_evidence"] = [each for each in rows["fact_evidence"] if each["fact_id"] != "f-stone"]
    assert found(rows) == []

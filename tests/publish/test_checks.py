"""Each kind of incoherence is named with its table and an example."""

from __future__ import annotations

import pytest

from publish import tiny
from regesta.errors import SnapshotError
from regesta.publish.checks import check


def judge(rows):
    check(tiny.segment_tables(rows), tiny.ONE_OWNER)


def complaint(rows):
    """Return what is said of incoherent rows; None of coherent ones."""
    try:
        judge(rows)
    except SnapshotError as error:
        return str(error)
    return None


def test_the_tiny_warehouse_is_coherent():
    assert complaint(tiny.tables()) is None


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


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (subject, f"facts row '{BOB}' has subject_id 'e-none', but entities"),
        (other_group, "has object_id 'e-zoe', but entities has no such entity_id in group 'acme'"),
        (believed_entity, "has object_id 'e-old', but entities has no such entity_id that is bel"),
        (cited_fact, "evidence row 'f-none@s@2022-01-10' has fact_id 'f-none', but facts"),
        (cited_episode, "has episode_id 'm0', but episodes"),
        (member, "community_members row 'c1@e-acme' has entity_id 'e-none', but entities"),
        (community, "has community_id 'c2', but communities"),
        (no_evidence, f"facts row '{BOB}' is believed, but evidence has no open row"),
        (evidence_of_other_period, f"facts row '{BOB}' is believed, but evidence"),
        (evidence_given_up, f"facts row '{BOB}' is believed, but evidence"),
        (two_rows, f"facts has 2 rows with row_id '{BOB}'"),
        (two_open, "facts has 2 open rows of fact 'f-bob'"),
        (two_rivals, f"facts rows '{JANE}' and '{BOB}' are rivals (OWNED_BY of e-acme)"),
        (two_episodes, "episodes has 2 rows with episode_id 'm1'"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_incoherence_is_named(damage, message):
    rows = tiny.tables()
    damage(rows)
    with pytest.raises(SnapshotError) as error:
        judge(rows)
    assert message in str(error.value)


def test_a_disputed_row_needs_no_evidence():
    rows = tiny.tables()
    rows["fact_evidence"] = [each for each in rows["fact_evidence"] if each["fact_id"] != "f-stone"]
    assert complaint(rows) is None

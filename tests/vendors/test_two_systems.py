"""Salesforce and Zendesk of one company, taken in as they are: one graph of the same customers."""

from __future__ import annotations

import shutil

import pytest

from regesta import query
from vendor_archive import CONF, Archive

pytestmark = [pytest.mark.spark, pytest.mark.long]

ACME, ANN = "001Hs00001AAAAAIA4", "003Hs00001CCCCCIA4"
JANE, JOHN = "005Hs00001EEEEEIA4", "005Hs00001FFFFFIA4"
SOURCES = (
    *("salesforce_accounts", "salesforce_contacts", "salesforce_users", "salesforce_history"),
    *("zendesk_tickets", "zendesk_audits", "zendesk_comments", "zendesk_users"),
    *("zendesk_organizations", "zendesk_groups"),
)


def salesforce(archive):
    account = {
        "Id": ACME, "IsDeleted": "false", "Name": "Acme", "AccountNumber": "A-17",
        "Website": "www.acme.example", "Industry": "Energy", "OwnerId": JANE,
        "SystemModstamp": "2024-02-01T00:00:00.000Z",
    }  # fmt: skip
    later = {"OwnerId": JOHN, "Industry": "Media", "SystemModstamp": "2024-03-11T00:00:00.000Z"}
    archive.write("salesforce/Account/2024-02.csv", [account])
    archive.write("salesforce/Account/2024-03.csv", [account | later])
    archive.write(
        "salesforce/AccountHistory/1.csv",
        [
            {"Id": "017A", "IsDeleted": "false", "AccountId": ACME, "CreatedById": JANE,
             "CreatedDate": "2024-03-10T09:00:00.000Z", "Field": "Owner",
             "OldValue": old, "NewValue": new} | {"Id": number}
            for number, old, new in (("017A", "Jane Doe", "John Roe"), ("017B", JANE, JOHN))
        ],
    )  # fmt: skip
    for kind in ("ContactHistory", "OpportunityFieldHistory", "CaseHistory"):
        archive.write(f"salesforce/{kind}/none.csv", "Id,Field\n")
    archive.write(
        "salesforce/Contact/1.csv",
        [{"Id": ANN, "IsDeleted": "false", "Name": "Ann Lee", "Email": "ann@acme.example",
          "AccountId": ACME, "Title": "CTO", "SystemModstamp": "2024-02-01T00:00:00.000Z"}],
    )  # fmt: skip
    archive.write(
        "salesforce/User/1.csv",
        [
            {"Id": number, "Name": name, "Email": email, "SystemModstamp": "2024-01-01T00:00:00Z"}
            for number, name, email in (
                (JANE, "Jane Doe", "jane@us.example"),
                (JOHN, "John Roe", "john@us.example"),
            )
        ],
    )


def audit(number, day, *events, author=601):
    return {
        "id": number, "ticket_id": 47, "created_at": f"2024-03-{day:02}T08:00:00Z",
        "author_id": author, "events": list(events),
    }  # fmt: skip


def zendesk(archive):
    def changed(field, value, kind="Change"):
        return {"type": kind, "field_name": field, "value": value, "previous_value": None}

    archive.write(
        "zendesk/audits/47.json",
        {"audits": [
            audit(1, 1, {"id": 9, "type": "Comment", "body": "No power since noon!"},
                  changed("status", "new", "Create"), changed("requester_id", "501", "Create"),
                  changed("organization_id", "77", "Create"),
                  changed("tags", ["vip", "eu"], "Create"), author=501),
            audit(2, 2, changed("status", "open"), changed("assignee_id", "601"),
                  changed("tags", ["vip"])),
            audit(3, 4, changed("assignee_id", "602")),
            audit(4, 5, changed("status", "solved"), author=602),
        ]},
    )  # fmt: skip
    archive.write(
        "zendesk/tickets/1.json",
        {"tickets": [
            {"id": 47, "subject": "No power", "status": "solved", "priority": None, "type": None,
             "requester_id": 501, "submitter_id": 501, "assignee_id": 602, "group_id": 9,
             "organization_id": 77, "problem_id": None, "tags": ["vip"], "custom_fields": [],
             "updated_at": "2024-03-05T08:00:00Z", "generated_timestamp": 1709625600},
        ], "end_of_stream": True},
    )  # fmt: skip
    people = ((501, "Ann Lee", "ann@acme.example", 77), (601, "Jane Doe", "jane@us.example", None),
              (602, "J. Roe", "john@us.example", None))  # fmt: skip
    archive.write(
        "zendesk/users/1.json",
        {"users": [
            {"id": number, "name": name, "email": email, "organization_id": organization,
             "phone": None, "active": True, "updated_at": "2023-12-01T00:00:00Z"}
            for number, name, email, organization in people
        ]},
    )  # fmt: skip
    archive.write(
        "zendesk/organizations/1.json",
        {"organizations": [
            {"id": 77, "name": "Acme Inc", "domain_names": ["acme.example"], "tags": [],
             "external_id": "A-17", "updated_at": "2023-12-01T00:00:00Z"},
        ]},
    )  # fmt: skip
    archive.write(
        "zendesk/groups/1.json",
        {"groups": [{"id": 9, "name": "Tier 1", "deleted": False,
                     "updated_at": "2023-12-01T00:00:00Z"}]},
    )  # fmt: skip


@pytest.fixture(scope="module")
def snapshots(spark, tmp_path_factory):
    """The snapshots after one night over both archives, with the project's own declarations."""
    from regesta.config import load
    from regesta.pipeline import Run, open_pipeline
    from regesta.query.times import to_micros

    project = tmp_path_factory.mktemp("company")
    conf = project / "conf"
    (conf / "sources").mkdir(parents=True)
    shutil.copytree(CONF / "ontologies", conf / "ontologies")
    for name in SOURCES:
        shutil.copy(CONF / "sources" / f"{name}.yaml", conf / "sources")
    (conf / "base.yaml").write_text(f"salt: two\nsources: [{', '.join(SOURCES)}]\n")
    archive = Archive(project / "archive")
    salesforce(archive)
    zendesk(archive)
    pipeline = open_pipeline(spark, load(conf), lambda _: None)
    (report,) = pipeline.run(Run(), to_micros("2024-04-01"))
    assert report.complete
    return project / "warehouse" / "snapshots"


def facts(snapshots, valid, known):
    graph = query.open(snapshots).group("company").as_of(valid=valid, known=known)
    return {(one.subject, one.relation, one.object or one.value) for one in graph.facts()}


def test_people_and_accounts_of_both_systems_are_one(snapshots):
    graph = query.open(snapshots).group("company").as_of()
    account, ann, jane = graph.entity("A-17"), graph.entity("ann@acme.example"), graph.entity(JANE)
    assert set(account.identifiers) == {
        f"salesforce_id:{ACME.lower()}", "account_number:a-17", "domain:acme.example",
        "zendesk_organization:77",
    }  # fmt: skip
    assert {f"salesforce_id:{ANN.lower()}", "zendesk_user:501"} < set(ann.identifiers)
    assert {"email:jane@us.example", "zendesk_user:601"} < set(jane.identifiers)
    assert (account.name, ann.name, jane.name) == ("Acme", "Ann Lee", "Jane Doe")


def test_what_held_on_one_day_in_both_systems(snapshots):
    assert facts(snapshots, "2024-03-03", "2024-04-01") >= {
        ("Ticket 47", "HAS_STATUS", "open"),
        ("Ticket 47", "HAS_TAG", "vip"),
        ("Ticket 47", "REPORTED_BY", "Ann Lee"),
        ("Ticket 47", "ASSIGNED_TO", "Jane Doe"),
        ("Ticket 47", "FOR_ACCOUNT", "Acme"),
        ("Ann Lee", "WORKS_AT", "Acme"),
        ("Ann Lee", "HAS_TITLE", "CTO"),
        ("Acme", "OWNED_BY", "Jane Doe"),
        ("Acme", "HAS_INDUSTRY", "Energy"),
    }
    later = facts(snapshots, "2024-03-12", "2024-04-01")
    assert later >= {
        ("Ticket 47", "HAS_STATUS", "solved"),
        ("Ticket 47", "ASSIGNED_TO", "John Roe"),
        ("Ticket 47", "ASSIGNED_TO_GROUP", "Tier 1"),
        ("Ticket 47", "HAS_SUBJECT", "No power"),
        ("Acme", "OWNED_BY", "John Roe"),
        ("Acme", "HAS_INDUSTRY", "Media"),
    }
    assert ("Ticket 47", "HAS_TAG", "eu") in facts(snapshots, "2024-03-01T12:00", "2024-04-01")
    assert ("Ticket 47", "HAS_TAG", "eu") not in later


def test_the_owner_changed_when_the_history_says_not_when_the_extract_came(snapshots):
    for day, owner in (("2024-03-09", "Jane Doe"), ("2024-03-10T12:00", "John Roe")):
        owners = {one for one in facts(snapshots, day, "2024-04-01") if one[1] == "OWNED_BY"}
        assert owners == {("Acme", "OWNED_BY", owner)}


def test_what_was_known_before(snapshots):
    known = facts(snapshots, "2024-03-12", "2024-03-03")
    assert ("Ticket 47", "HAS_STATUS", "open") in known
    assert ("Ticket 47", "ASSIGNED_TO", "Jane Doe") in known
    assert ("Acme", "OWNED_BY", "Jane Doe") in known
    assert not {one for one in known if "John Roe" in one and one[1] != "HAS_EMAIL"}


def test_the_words_of_a_ticket_are_kept(snapshots):
    graph = query.open(snapshots).group("company").as_of(valid="2024-03-01T12:00")
    hits = graph.search("commented ticket 47", limit=20)
    assert "Ann Lee commented on Ticket 47" in " ".join(
        f"{hit.fact.subject} commented on {hit.fact.object}"
        for hit in hits
        if hit.fact.relation == "COMMENTED_ON"
    )

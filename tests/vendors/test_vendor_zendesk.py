"""Zendesk: the incremental exports and ticket audits, as the pages of its API hold them."""

from __future__ import annotations

from vendor_archive import entities, episode, said


def ticket(**fields):
    return {
        "id": 47, "subject": "No power", "status": "open", "priority": None, "type": "incident",
        "requester_id": 501, "submitter_id": 501, "assignee_id": None, "group_id": 9,
        "organization_id": 77, "problem_id": None, "tags": ["vip", "eu"],
        "custom_fields": [{"id": 3601, "value": "red"}, {"id": 3602, "value": None}],
        "via": {"channel": "email"}, "created_at": "2024-03-01T08:00:00Z",
        "updated_at": "2024-03-01T08:00:00Z", "generated_timestamp": 1709280001,
        **fields,
    }  # fmt: skip


def test_a_ticket_comes_again_and_is_deleted(archive):
    later = {"updated_at": "2024-03-05T09:00:00Z", "generated_timestamp": 1709629200}
    deleted = {
        "status": "deleted", "subject": "SCRUBBED", "updated_at": "2024-04-01T00:00:00Z",
        "generated_timestamp": 1711929600,
    }  # fmt: skip
    archive.write(
        "zendesk/tickets/1.json",
        {"tickets": [ticket()], "after_cursor": "MTcw", "end_of_stream": False},
    )
    archive.write(
        "zendesk/tickets/2.json",
        {
            "tickets": [
                ticket(status="solved", assignee_id=601, tags=[], priority="high", **later),
                ticket(**deleted),
            ],
            "end_of_stream": True,
        },
    )
    first, second, third = archive.rows("zendesk_tickets")
    assert episode(first) == (
        "47", "1709280001", "2024-03-01 08:00:00", "2024-03-01 08:00:01", None,
    )  # fmt: skip
    assert said(first) == {
        ("Ticket 47", "HAS_SUBJECT", "No power"),
        ("Ticket 47", "HAS_STATUS", "open"),
        ("ends", "Ticket 47", "HAS_PRIORITY"),
        ("Ticket 47", "HAS_TYPE", "incident"),
        ("Ticket 47", "HAS_TAG", "vip"),
        ("Ticket 47", "HAS_TAG", "eu"),
        ("Ticket 47", "REPORTED_BY", "501"),
        ("ends", "Ticket 47", "ASSIGNED_TO"),
        ("Ticket 47", "ASSIGNED_TO_GROUP", "9"),
        ("Ticket 47", "FOR_ACCOUNT", "77"),
        ("ends", "Ticket 47", "PART_OF"),
        ("Ticket 47", "HAS_FIELD_3601", "red"),
    }
    assert entities(first) == {
        ("Ticket", "Ticket 47", ("zendesk_ticket:47",)),
        ("Person", "501", ("zendesk_user:501",)),
        ("Group", "9", ("zendesk_group:9",)),
        ("Account", "77", ("zendesk_organization:77",)),
    }
    assert said(second) - said(first) == {
        ("Ticket 47", "HAS_STATUS", "solved"),
        ("Ticket 47", "HAS_PRIORITY", "high"),
        ("ends", "Ticket 47", "HAS_TAG"),
        ("Ticket 47", "ASSIGNED_TO", "601"),
    }
    assert episode(third)[4] == "ended"
    assert third.statements == ()


def audit(number, at, *events, author=501):
    return {
        "id": number, "ticket_id": 47, "created_at": at, "author_id": author,
        "metadata": {"system": {}}, "via": {"channel": "web"}, "events": list(events),
    }  # fmt: skip


AUDITS = {
    "audits": [
        audit(
            35436, "2024-03-01T08:00:00Z",
            {"id": 1, "type": "Comment", "author_id": 501, "body": "No power!",
             "html_body": "<p>No power!</p>", "plain_body": "No power!", "public": True,
             "attachments": []},
            {"id": 2, "type": "Create", "field_name": "status", "value": "new"},
            {"id": 3, "type": "Create", "field_name": "subject", "value": "No power"},
            {"id": 4, "type": "Create", "field_name": "requester_id", "value": "501"},
            {"id": 5, "type": "Create", "field_name": "tags", "value": ["vip", "eu"]},
            {"id": 6, "type": "Create", "field_name": "priority", "value": None},
            {"id": 7, "type": "Notification", "subject": "Received", "body": "We have it"},
        ),
        audit(
            35437, "2024-03-02T08:00:00Z",
            {"id": 8, "type": "Change", "field_name": "status", "value": "open",
             "previous_value": "new"},
            {"id": 9, "type": "Change", "field_name": "assignee_id", "value": "601",
             "previous_value": None},
            {"id": 10, "type": "Change", "field_name": "tags", "value": ["vip"],
             "previous_value": ["vip", "eu"]},
            {"id": 11, "type": "Change", "field_name": "3601", "value": "red",
             "previous_value": None},
            {"id": 12, "type": "Change", "field_name": "first_reply_time",
             "value": {"minutes": 60, "in_business_hours": False}, "previous_value": None},
            author=-1,
        ),
        audit(
            35438, "2024-03-03T08:00:00Z",
            {"id": 13, "type": "Change", "field_name": "assignee_id", "value": None,
             "previous_value": "601"},
            {"id": 14, "type": "Change", "field_name": "organization_id", "value": "77",
             "previous_value": None},
            {"id": 15, "type": "Change", "field_name": "group_id", "value": "9",
             "previous_value": "8"},
            author=601,
        ),
    ],
    "next_page": None, "previous_page": None, "count": 3,
}  # fmt: skip


def test_audits_say_which_fields_changed(archive):
    archive.write("zendesk/audits/47.json", AUDITS)
    created, changed, taken_off = archive.rows("zendesk_audits")
    assert episode(created) == (
        "35436", None, "2024-03-01 08:00:00", "2024-03-01 08:00:00", None,
    )  # fmt: skip
    assert (created.episode.thread, created.episode.author) == ("47", "501")
    assert said(created) == {
        ("501", "COMMENTED_ON", "Ticket 47"),
        ("Ticket 47", "HAS_STATUS", "new"),
        ("Ticket 47", "HAS_SUBJECT", "No power"),
        ("Ticket 47", "REPORTED_BY", "501"),
        ("ends", "Ticket 47", "HAS_TAG"),
        ("Ticket 47", "HAS_TAG", "vip"),
        ("Ticket 47", "HAS_TAG", "eu"),
        ("ends", "Ticket 47", "HAS_PRIORITY"),
    }
    assert said(changed) == {
        ("Ticket 47", "HAS_STATUS", "open"),
        ("Ticket 47", "ASSIGNED_TO", "601"),
        ("ends", "Ticket 47", "HAS_TAG"),
        ("Ticket 47", "HAS_TAG", "vip"),
        ("Ticket 47", "HAS_FIELD_3601", "red"),
    }
    assert {name for _, name, _ in entities(changed)} == {"Ticket 47", "601"}  # no author -1
    assert said(taken_off) == {
        ("ends", "Ticket 47", "ASSIGNED_TO"),
        ("Ticket 47", "FOR_ACCOUNT", "77"),
        ("Ticket 47", "ASSIGNED_TO_GROUP", "9"),
    }


def test_comments_are_messages(archive):
    archive.write("zendesk/audits/47.json", AUDITS)
    (comment,) = archive.rows("zendesk_comments")
    assert episode(comment)[:3] == ("1", None, "2024-03-01 08:00:00")
    assert (comment.episode.thread, comment.episode.author) == ("47", "501")
    assert comment.episode.content == "No power!"


def test_who_the_ids_are(archive):
    archive.write(
        "zendesk/users/1.json",
        {"users": [
            {"id": 501, "name": "Ann Lee", "email": "ann@acme.example", "role": "end-user",
             "phone": None, "organization_id": 77, "active": True,
             "updated_at": "2024-01-05T00:00:00Z"},
            {"id": 502, "name": "Old", "email": None, "active": False,
             "updated_at": "2024-01-06T00:00:00Z"},
        ]},
    )  # fmt: skip
    archive.write(
        "zendesk/organizations/1.json",
        {"organizations": [
            {"id": 77, "name": "Acme Inc", "domain_names": ["acme.example", "acme.test"],
             "external_id": "A-17", "tags": [], "updated_at": "2024-01-05T00:00:00Z",
             "organization_fields": {"Plan": "pro", "region": None}},
        ]},
    )  # fmt: skip
    archive.write(
        "zendesk/groups/1.json",
        {"groups": [{"id": 9, "name": "Tier 1", "deleted": False,
                     "updated_at": "2024-01-05T00:00:00Z"}]},
    )  # fmt: skip
    ann, old = archive.rows("zendesk_users")
    assert said(ann) == {
        ("Ann Lee", "WORKS_AT", "77"),
        ("Ann Lee", "HAS_EMAIL", "ann@acme.example"),
        ("ends", "Ann Lee", "HAS_PHONE"),
    }
    assert ("Person", "Ann Lee", ("email:ann@acme.example", "zendesk_user:501")) in entities(ann)
    assert episode(old)[4] == "ended"
    (organization,) = archive.rows("zendesk_organizations")
    assert entities(organization) == {
        ("Account", "Acme Inc", ("account_number:a-17", "domain:acme.example", "domain:acme.test",
                                 "zendesk_organization:77")),
    }  # fmt: skip
    assert said(organization) == {
        ("Acme Inc", "HAS_DOMAIN", "acme.example"),
        ("Acme Inc", "HAS_DOMAIN", "acme.test"),
        ("ends", "Acme Inc", "HAS_TAG"),
        ("Acme Inc", "HAS_FIELD_PLAN", "pro"),
    }
    (group,) = archive.rows("zendesk_groups")
    assert entities(group) == {("Group", "Tier 1", ("zendesk_group:9",))}

"""Intercom: conversations and their parts, as the API gives them."""

from __future__ import annotations

import pytest

from vendor_archive import entities, episode, said

ANN = {"type": "user", "id": "5ba6", "name": "Ann Lee", "email": "ann@acme.example"}
JANE = {"type": "admin", "id": "274", "name": "Jane Doe", "email": "jane@us.example"}
MARCH_1, MARCH_2, MARCH_3 = 1709287200, 1709373600, 1709460000  # at 10:00


def part(number, kind, at, author=JANE, **fields):
    return {
        "type": "conversation_part", "id": str(number), "part_type": kind, "body": None,
        "created_at": at, "updated_at": at, "notified_at": at, "assigned_to": None,
        "author": author, "attachments": [], "external_id": None, "redacted": False, **fields,
    }  # fmt: skip


def conversation(*parts, **fields):
    return {
        "type": "conversation", "id": "1911", "created_at": MARCH_1, "updated_at": MARCH_2,
        "title": None, "state": "open", "open": True, "read": True, "priority": "not_priority",
        "admin_assignee_id": 274, "team_assignee_id": "0",
        "tags": {"type": "tag.list", "tags": [{"id": "1", "name": "vip"}]},
        "contacts": {"type": "contact.list", "contacts": [{"type": "contact", "id": "5ba6"}]},
        "source": {"type": "conversation", "id": "403918", "delivered_as": "customer_initiated",
                   "subject": "Power", "body": "<p>No power</p>", "author": ANN,
                   "attachments": [], "redacted": False},
        "custom_attributes": {"Plan": "pro"},
        "conversation_parts": {"type": "conversation_part.list",
                               "conversation_parts": list(parts), "total_count": len(parts)},
        **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda one: one,
        lambda one: [one],
        lambda one: {"type": "conversation.list", "pages": {}, "conversations": [one]},
    ],
)
def test_a_conversation_as_it_is(archive, wrapped):
    archive.write("intercom/conversations/1.json", wrapped(conversation()))
    (row,) = archive.rows("intercom_conversations")
    assert episode(row) == ("1911", None, "2024-03-02 10:00:00", "2024-03-02 10:00:00", None)
    assert said(row) == {
        ("Conversation 1911", "REPORTED_BY", "Ann Lee"),
        ("Conversation 1911", "HAS_SUBJECT", "Power"),
        ("Conversation 1911", "HAS_STATE", "open"),
        ("Conversation 1911", "HAS_PRIORITY", "not_priority"),
        ("Conversation 1911", "HAS_TAG", "vip"),
        ("Conversation 1911", "ASSIGNED_TO", "274"),
        ("ends", "Conversation 1911", "ASSIGNED_TO_GROUP"),
        ("Conversation 1911", "HAS_FIELD_PLAN", "pro"),
    }
    assert entities(row) == {
        ("Ticket", "Conversation 1911", ("intercom_conversation:1911",)),
        ("Person", "Ann Lee", ("email:ann@acme.example", "intercom_contact:5ba6")),
        ("Person", "274", ("intercom_admin:274",)),
    }


def test_parts(archive):
    archive.write(
        "intercom/conversations/1911.json",
        conversation(
            part(1, "assignment", MARCH_1 + 60, assigned_to={"type": "admin", "id": "274"}),
            part(2, "comment", MARCH_1 + 120, body="<p>Is the plug in?</p>"),
            part(3, "comment", MARCH_1 + 180, ANN, body="<p>secret</p>", redacted=True),
            part(4, "close", MARCH_2, body="<p>Bye</p>"),
            part(5, "open", MARCH_3, ANN),
            part(6, "assignment", MARCH_3, {"type": "bot", "id": "9", "name": "Operator"},
                 assigned_to={"type": "team", "id": "88"}),
            part(7, "snoozed", MARCH_3 + 60),
            part(8, "timer_unsnooze", MARCH_3 + 120),
        ),
    )  # fmt: skip
    rows = archive.rows("intercom_parts")
    name = "Conversation 1911"
    assert [(row.episode.source_id, said(row)) for row in rows] == [
        ("1911/source/403918", {("Ann Lee", "COMMENTED_ON", name), (name, "HAS_STATE", "open")}),
        ("1911/assignment/1", {(name, "ASSIGNED_TO", "274")}),
        ("1911/comment/2", {("Jane Doe", "COMMENTED_ON", name)}),
        ("1911/comment/3", set()),
        (
            "1911/close/4",
            {
                ("Jane Doe", "COMMENTED_ON", name),
                (name, "HAS_STATE", "closed"),
                (name, "RESOLVED_BY", "Jane Doe"),
            },
        ),
        ("1911/open/5", {(name, "HAS_STATE", "open")}),
        ("1911/assignment/6", {(name, "ASSIGNED_TO_GROUP", "Intercom team 88")}),
        ("1911/snoozed/7", {(name, "HAS_STATE", "snoozed")}),
        ("1911/timer_unsnooze/8", {(name, "HAS_STATE", "open")}),
    ]
    assert [row.episode.source_id for row in rows if episode(row)[4]] == ["1911/comment/3"]
    assert episode(rows[3])[4] == "withdrawn"
    assert episode(rows[2])[1:4] == ("1709287320", "2024-03-01 10:02:00", "2024-03-01 10:02:00")
    assert ("Person", "Jane Doe", ("email:jane@us.example", "intercom_admin:274")) in (
        entities(rows[2])
    )


def test_an_edited_part_is_a_later_version(archive):
    edited = part(2, "comment", MARCH_1 + 120, body="<p>Is it in?</p>", updated_at=MARCH_3)
    archive.write("intercom/conversations/1911.json", conversation(edited))
    _, row = archive.rows("intercom_parts")
    assert episode(row)[:4] == (
        "1911/comment/2", "1709460000", "2024-03-01 10:02:00", "2024-03-03 10:00:00",
    )  # fmt: skip


def test_a_listed_conversation_without_parts_still_has_its_beginning(archive):
    one = conversation()
    del one["conversation_parts"]
    archive.write("intercom/conversations/page.json", {"conversations": [one]})
    (row,) = archive.rows("intercom_parts")
    assert row.episode.source_id == "1911/source/403918"


def test_words_are_messages(archive):
    archive.write(
        "intercom/conversations/1911.json",
        conversation(
            part(1, "assignment", MARCH_1 + 60, assigned_to={"type": "admin", "id": "274"}),
            part(2, "comment", MARCH_1 + 120, body="<p>Is it <b>in</b>?</p><p>Jane</p>"),
            part(3, "comment", MARCH_1 + 180, ANN, body="<p>removed</p>", redacted=True),
        ),
    )
    asked, answered, redacted = archive.rows("intercom_messages")
    assert (asked.episode.content, asked.episode.author) == ("No power", "ann@acme.example")
    assert answered.episode.content == "Is it in?\n\nJane"
    assert answered.episode.thread == "1911"
    assert episode(redacted)[4] == "withdrawn"

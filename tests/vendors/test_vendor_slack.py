"""Slack: an unpacked export, with threads, edits, deletions and bots."""

from __future__ import annotations

import pytest

from vendor_archive import entities, episode, said

# 1709287200 is the first of March 2024, 10:00.
DAY = [
    {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1709287200.000100",
     "text": "<@U1> has joined the channel"},
    {"type": "message", "user": "U1", "ts": "1709287260.000200", "text": "Who knows Acme?",
     "thread_ts": "1709287260.000200", "reply_count": 1, "client_msg_id": "x",
     "user_profile": {"real_name": "Ann Lee", "name": "ann"}},
    {"type": "message", "user": "U2", "ts": "1709287320.000300", "text": "I do, since May",
     "thread_ts": "1709287260.000200", "parent_user_id": "U1",
     "edited": {"user": "U2", "ts": "1709290800.000000"}},
    {"type": "message", "subtype": "bot_message", "bot_id": "B7", "username": "deploys",
     "ts": "1709287380.000400", "text": "Deployed"},
    {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "hidden": True,
     "ts": "1709287440.000500", "text": "This message was deleted."},
    {"type": "message", "subtype": "channel_topic", "user": "U2", "ts": "1709287500.000600",
     "text": "set the topic", "topic": "Customers"},
    {"type": "message", "subtype": "channel_leave", "user": "U1", "ts": "1709287560.000700",
     "text": "<@U1> has left the channel"},
]  # fmt: skip
LOGGED = [
    {"type": "message", "subtype": "message_changed", "hidden": True, "ts": "1709291000.000000",
     "message": {"type": "message", "user": "U1", "text": "Who knows Acme Inc?",
                 "ts": "1709287260.000200", "edited": {"user": "U1", "ts": "1709291000.000000"}},
     "previous_message": {"type": "message", "user": "U1", "text": "Who knows Acme?",
                          "ts": "1709287260.000200"}},
    {"type": "message", "subtype": "message_deleted", "hidden": True, "ts": "1709292000.000000",
     "deleted_ts": "1709287320.000300",
     "previous_message": {"user": "U2", "text": "I do", "ts": "1709287320.000300",
                          "thread_ts": "1709287260.000200"}},
]  # fmt: skip


@pytest.fixture
def export(archive):
    archive.write("slack/sales/2024-03-01.json", DAY)
    archive.write("slack/channels.json", [{"id": "C1", "name": "sales"}])
    return archive


def test_messages(export):
    rows = export.rows("slack_messages")
    assert [(row.episode.source_id, row.episode.author) for row in rows] == [
        ("sales/1709287200.000100", "U1"),
        ("sales/1709287260.000200", "U1"),
        ("sales/1709287320.000300", "U2"),
        ("sales/1709287380.000400", "B7"),
        ("sales/1709287440.000500", "USLACKBOT"),
        ("sales/1709287500.000600", "U2"),
        ("sales/1709287560.000700", "U1"),
    ]
    asked, answered, deleted = rows[1], rows[2], rows[4]
    assert asked.episode.content == "Who knows Acme?"
    assert asked.episode.thread == answered.episode.thread == "sales/1709287260.000200"
    assert episode(answered) == (
        "sales/1709287320.000300", "1709290800.000000", "2024-03-01 10:02:00.000300",
        "2024-03-01 11:00:00", None,
    )  # fmt: skip
    assert episode(deleted)[4] == "withdrawn"


def test_logged_edits_and_deletions_are_versions_of_their_message(export):
    export.write("slack/sales/2024-03-02.json", LOGGED)
    *_, changed, deleted = export.rows("slack_messages")
    assert episode(changed) == (
        "sales/1709287260.000200", "1709291000.000000", "2024-03-01 10:01:00.000200",
        "2024-03-01 11:03:20", None,
    )  # fmt: skip
    assert changed.episode.content == "Who knows Acme Inc?"
    assert episode(deleted) == (
        "sales/1709287320.000300", "1709292000.000000", "2024-03-01 10:02:00.000300",
        "2024-03-01 11:20:00", "withdrawn",
    )  # fmt: skip
    assert deleted.episode.thread == "sales/1709287260.000200"


def test_what_else_happened(export):
    export.write("slack/sales/2024-03-02.json", LOGGED)
    rows = export.rows("slack_activity")
    assert [said(row) for row in rows] == [
        {("U1", "MEMBER_OF", "sales")},
        {("U1", "POSTED_IN", "sales")},
        {("U2", "POSTED_IN", "sales")},
        {("deploys", "POSTED_IN", "sales")},
        {("sales", "HAS_SUBJECT", "Customers")},
        {("ends", "U1", "MEMBER_OF", "sales")},
    ]
    assert entities(rows[3]) == {
        ("Channel", "sales", ("slack_channel:sales",)),
        ("Bot", "deploys", ("slack_bot:b7",)),
    }


def test_users(archive):
    archive.write(
        "slack/users.json",
        [
            {"id": "U1", "name": "ann", "deleted": False, "real_name": "Ann Lee",
             "updated": 1704067200, "is_bot": False,
             "profile": {"real_name": "Ann Lee", "email": "ann@us.example", "title": ""}},
            {"id": "U3", "name": "old", "deleted": True, "updated": 1704067200, "is_bot": False,
             "profile": {"real_name": "Old Hand"}},
            {"id": "U9", "name": "deploys", "updated": 1704067200, "is_bot": True, "profile": {}},
            {"id": "USLACKBOT", "name": "slackbot", "is_bot": False, "profile": {}},
        ],
    )  # fmt: skip
    ann, old = archive.rows("slack_users")
    assert entities(ann) == {("Person", "Ann Lee", ("email:ann@us.example", "slack_user:u1"))}
    assert said(ann) == {
        ("Ann Lee", "HAS_EMAIL", "ann@us.example"),
        ("ends", "Ann Lee", "HAS_TITLE"),
    }
    assert episode(old)[4] == "ended"

"""Jira: pages of the search with expand=changelog, of Cloud and of Data Center."""

from __future__ import annotations

from vendor_archive import entities, episode, said

ANN = {"accountId": "5b10a2", "displayName": "Ann Lee", "emailAddress": "ann@us.example"}
BEN = {"name": "ben", "key": "ben", "displayName": "Ben Ito"}


def history(number, at, *items, author=ANN):
    return {"id": str(number), "author": author, "created": at, "items": list(items)}


def item(field, before, after, **ids):
    return {
        "field": field, "fieldtype": "jira", "from": ids.get("old"), "fromString": before,
        "to": ids.get("new"), "toString": after,
    }  # fmt: skip


ISSUE = {
    "expand": "changelog", "id": "10002", "self": "https://us.example/rest/api/2/issue/10002",
    "key": "PLAT-2",
    "fields": {
        "summary": "Power is out", "issuetype": {"name": "Bug"}, "status": {"name": "Done"},
        "priority": {"name": "High"}, "resolution": {"name": "Fixed"}, "labels": ["eu"],
        "components": [{"name": "grid"}], "fixVersions": [], "project": {"key": "PLAT",
        "name": "Platform"}, "creator": ANN, "reporter": ANN, "assignee": BEN,
        "created": "2024-03-01T10:00:00.000+0100", "updated": "2024-03-05T10:00:00.000+0100",
    },
    "changelog": {"startAt": 0, "maxResults": 2, "total": 2, "histories": [
        # Cloud gives the newest first.
        history(
            5002, "2024-03-05T10:00:00.000+0100",
            item("status", "In Progress", "Done", old="3", new="5"),
            item("resolution", None, "Fixed", new="1"),
            item("Fix Version", "1.0", None, old="10"),
            item("assignee", "Ben Ito", None, old="ben"),
        ),
        history(
            5001, "2024-03-02T10:00:00.000+0100",
            item("status", "To Do", "In Progress", old="1", new="3"),
            item("assignee", None, "Ben Ito", new="ben"),
            item("labels", "eu vip", "eu"),
            item("Component", None, "grid", new="7"),
            item("Story Points", "3", "5"),
            item("description", "long", "longer"),
            author=BEN,
        ),
    ]},
}  # fmt: skip
PLAIN = {
    "id": "10003", "key": "PLAT-3",
    "fields": {
        "summary": "No change yet", "issuetype": {"name": "Task"}, "status": {"name": "To Do"},
        "priority": None, "resolution": None, "labels": [], "components": [], "fixVersions": [],
        "project": {"key": "PLAT", "name": "Platform"}, "creator": ANN, "reporter": BEN,
        "assignee": None, "parent": {"id": "10002", "key": "PLAT-2"},
        "created": "2024-03-04T10:00:00.000+0100", "updated": "2024-03-04T10:00:00.000+0100",
    },
}  # fmt: skip
PAGE = {"startAt": 0, "maxResults": 50, "total": 2, "issues": [ISSUE, PLAIN]}
ID = ("Ticket", "PLAT-2", ("jira_id:10002", "jira_key:plat-2"))


def test_issues_as_they_are(archive):
    archive.write("jira/page1.json", PAGE)
    done, new = archive.rows("jira_issues")
    assert episode(done) == ("10002", None, "2024-03-05 09:00:00", "2024-03-05 09:00:00", None)
    assert said(done) == {
        ("PLAT-2", "IN_PROJECT", "Platform"),
        ("ends", "PLAT-2", "PART_OF"),
        ("PLAT-2", "HAS_SUBJECT", "Power is out"),
        ("PLAT-2", "HAS_TYPE", "Bug"),
        ("PLAT-2", "HAS_STATUS", "Done"),
        ("PLAT-2", "HAS_PRIORITY", "High"),
        ("PLAT-2", "HAS_RESOLUTION", "Fixed"),
        ("PLAT-2", "HAS_TAG", "eu"),
        ("PLAT-2", "HAS_COMPONENT", "grid"),
        ("ends", "PLAT-2", "FIXED_IN"),
        ("PLAT-2", "REPORTED_BY", "Ann Lee"),
        ("PLAT-2", "ASSIGNED_TO", "Ben Ito"),
    }
    assert entities(done) == {
        ID,
        ("Project", "Platform", ("jira_project:plat",)),
        ("Person", "Ann Lee", ("email:ann@us.example", "jira_account:5b10a2")),
        ("Person", "Ben Ito", ("jira_account:ben",)),
    }
    assert {("PLAT-3", "PART_OF", "PLAT-2"), ("ends", "PLAT-3", "ASSIGNED_TO")} <= said(new)
    assert ID in entities(new)


def test_each_entry_of_the_changelog_is_an_episode(archive):
    archive.write("jira/page1.json", PAGE)
    later, first = archive.rows("jira_changelog")
    assert episode(first) == (
        "10002/5001", None, "2024-03-02 09:00:00", "2024-03-02 09:00:00", None,
    )  # fmt: skip
    assert (first.episode.thread, first.episode.author) == ("PLAT-2", "Ben Ito")
    assert said(first) == {
        ("PLAT-2", "HAS_STATUS", "In Progress"),
        ("PLAT-2", "ASSIGNED_TO", "Ben Ito"),
        ("ends", "PLAT-2", "HAS_TAG"),
        ("PLAT-2", "HAS_TAG", "eu"),
        ("PLAT-2", "HAS_COMPONENT", "grid"),
        ("PLAT-2", "HAS_FIELD_STORY_POINTS", "5"),
    }
    assert entities(first) == {ID, ("Person", "Ben Ito", ("jira_account:ben",))}
    assert said(later) == {
        ("PLAT-2", "HAS_STATUS", "Done"),
        ("PLAT-2", "HAS_RESOLUTION", "Fixed"),
        ("ends", "PLAT-2", "FIXED_IN", "1.0"),
        ("ends", "PLAT-2", "ASSIGNED_TO"),
    }


def test_how_an_issue_began_is_what_its_first_change_left(archive):
    archive.write("jira/page1.json", PAGE)
    changed, unchanged = archive.rows("jira_created")
    assert episode(changed)[:4] == ("10002", None, "2024-03-01 09:00:00", "2024-03-01 09:00:00")
    assert said(changed) == {
        ("PLAT-2", "REPORTED_BY", "Ann Lee"),
        ("PLAT-2", "HAS_STATUS", "To Do"),
        ("PLAT-2", "HAS_PRIORITY", "High"),
        ("PLAT-2", "HAS_TYPE", "Bug"),
        ("PLAT-2", "HAS_SUBJECT", "Power is out"),
    }
    assert said(unchanged) == {
        ("PLAT-3", "REPORTED_BY", "Ben Ito"),
        ("PLAT-3", "HAS_STATUS", "To Do"),
        ("PLAT-3", "HAS_TYPE", "Task"),
        ("PLAT-3", "HAS_SUBJECT", "No change yet"),
    }
    before = changed.episode.content
    grown = ISSUE["changelog"] | {
        "histories": [
            history(5003, "2024-03-09T10:00:00.000+0100", item("priority", "High", "Low")),
            *ISSUE["changelog"]["histories"],
        ]
    }
    fields = ISSUE["fields"] | {"priority": {"name": "Low"}}
    archive.write("jira/page1.json", {"issues": [ISSUE | {"fields": fields, "changelog": grown}]})
    (again,) = archive.rows("jira_created")
    assert again.episode.content == before


def test_comments_are_messages(archive):
    comment = {
        "id": "900", "author": ANN, "body": "Works again", "updateAuthor": ANN,
        "created": "2024-03-06T10:00:00.000+0100", "updated": "2024-03-07T10:00:00.000+0100",
    }  # fmt: skip
    document = comment | {"id": "901", "body": {"type": "doc", "version": 1, "content": []}}
    fields = ISSUE["fields"] | {"comment": {"comments": [comment, document], "total": 2}}
    archive.write("jira/page1.json", {"issues": [ISSUE | {"fields": fields}, PLAIN]})
    (row,) = archive.rows("jira_comments")
    assert episode(row) == (
        "10002/900", "2024-03-07T10:00:00.000+0100", "2024-03-06 09:00:00",
        "2024-03-07 09:00:00", None,
    )  # fmt: skip
    assert (row.episode.content, row.episode.thread) == ("Works again", "PLAT-2")
    assert row.episode.author == "ann@us.example"

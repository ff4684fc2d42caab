"""GitHub: issues and their timelines, as the REST API gives them."""

from __future__ import annotations

from vendor_archive import entities, episode, said

REPOSITORY = "https://api.github.com/repos/octo/hello"


def user(login):
    return {"login": login, "id": len(login), "type": "User"}


def issue(**fields):
    return {
        "id": 9001, "number": 47, "repository_url": REPOSITORY, "title": "Found a bug",
        "state": "open", "user": user("ann"), "labels": [{"id": 1, "name": "bug"}],
        "assignee": user("ben"), "assignees": [user("ben"), user("cem")],
        "milestone": {"title": "v1.0", "number": 1}, "locked": False, "comments": 0,
        "created_at": "2024-03-01T10:00:00Z", "updated_at": "2024-03-02T10:00:00Z",
        "closed_at": None, "state_reason": None, **fields,
    }  # fmt: skip


def test_issues_as_they_are(archive):
    closed = {
        "state": "closed", "assignees": [], "milestone": None, "labels": [],
        "updated_at": "2024-03-09T10:00:00Z",
    }  # fmt: skip
    archive.write("github/issues/1.json", [issue()])
    archive.write("github/issues/2.json", [issue(**closed)])
    first, second = archive.rows("github_issues")
    assert episode(first) == ("9001", None, "2024-03-02 10:00:00", "2024-03-02 10:00:00", None)
    assert first.episode.thread == "octo/hello#47"
    assert said(first) == {
        ("octo/hello#47", "IN_PROJECT", "octo/hello"),
        ("octo/hello#47", "REPORTED_BY", "ann"),
        ("octo/hello#47", "HAS_SUBJECT", "Found a bug"),
        ("octo/hello#47", "HAS_STATE", "open"),
        ("octo/hello#47", "HAS_MILESTONE", "v1.0"),
        ("octo/hello#47", "HAS_TAG", "bug"),
        ("octo/hello#47", "HAS_ASSIGNEE", "ben"),
        ("octo/hello#47", "HAS_ASSIGNEE", "cem"),
    }
    assert ("Ticket", "octo/hello#47", ("github_issue:octo/hello#47",)) in entities(first)
    assert said(second) - said(first) == {
        ("octo/hello#47", "HAS_STATE", "closed"),
        ("ends", "octo/hello#47", "HAS_MILESTONE"),
        ("ends", "octo/hello#47", "HAS_TAG"),
    }


def event(number, kind, day, **fields):
    return {
        "id": number, "node_id": f"n{number}", "url": f"{REPOSITORY}/issues/events/{number}",
        "actor": user("ann"), "event": kind, "commit_id": None, "commit_url": None,
        "created_at": f"2024-03-{day:02}T10:00:00Z", "performed_via_github_app": None, **fields,
    }  # fmt: skip


def comment(body, updated):
    return event(
        700, "commented", 4, user=user("ben"), actor=user("ben"), body=body,
        updated_at=updated, issue_url=f"{REPOSITORY}/issues/47", author_association="MEMBER",
    )  # fmt: skip


def test_a_timeline(archive):
    source = {"type": "issue", "issue": {"number": 50, "repository_url": REPOSITORY}}
    commit = {
        "event": "committed", "sha": "7638417db6", "message": "Mend it",
        "author": {"name": "Ann L", "email": "a@x.example", "date": "2024-03-07T10:00:00Z"},
        "committer": {"name": "Ann L", "email": "a@x.example", "date": "2024-03-07T10:00:00Z"},
    }  # fmt: skip
    archive.write(
        "github/timelines/octo/hello/47.json",
        [
            event(1, "labeled", 1, label={"name": "bug", "color": "f29513"}),
            event(2, "assigned", 2, assignee=user("ben")),
            event(3, "renamed", 3, rename={"from": "Found a bug", "to": "No power"}),
            comment("Me too", "2024-03-04T10:00:00Z"),
            {"event": "cross-referenced", "actor": user("cem"), "source": source,
             "created_at": "2024-03-05T10:00:00Z", "updated_at": "2024-03-05T10:00:00Z"},
            event(4, "milestoned", 6, milestone={"title": "v1.0"}),
            commit,
            event(5, "closed", 8, state_reason="completed"),
        ],
    )  # fmt: skip
    archive.write(
        "github/timelines/octo/hello/47.2.json",
        [
            event(6, "reopened", 9, actor=user("cem")),
            event(7, "unassigned", 10, assignee=user("ben")),
            event(8, "unlabeled", 11, label={"name": "bug"}),
            event(9, "demilestoned", 12, milestone={"title": "v1.0"}),
            event(10, "subscribed", 13),
        ],
    )
    rows = {row.episode.source_id.split("/")[3]: row for row in archive.rows("github_timeline")}
    name = "octo/hello#47"
    assert {kind: said(row) for kind, row in rows.items()} == {
        "labeled": {(name, "HAS_TAG", "bug")},
        "assigned": {(name, "HAS_ASSIGNEE", "ben")},
        "renamed": {(name, "HAS_SUBJECT", "No power")},
        "commented": {("ben", "COMMENTED_ON", name)},
        "cross-referenced": {("octo/hello#50", "LINKED_TO", name)},
        "milestoned": {(name, "HAS_MILESTONE", "v1.0")},
        "committed": set(),
        "closed": {(name, "HAS_STATE", "closed"), (name, "RESOLVED_BY", "ann")},
        "reopened": {(name, "HAS_STATE", "open"), (name, "REOPENED_BY", "cem")},
        "unassigned": {("ends", name, "HAS_ASSIGNEE", "ben")},
        "unlabeled": {("ends", name, "HAS_TAG", "bug")},
        "demilestoned": {("ends", name, "HAS_MILESTONE", "v1.0")},
        "subscribed": set(),
    }
    assert episode(rows["closed"])[:4] == (
        "octo/hello/47/closed/5", "2024-03-08T10:00:00Z",
        "2024-03-08 10:00:00", "2024-03-08 10:00:00",
    )  # fmt: skip
    assert rows["committed"].episode.source_id == "octo/hello/47/committed/7638417db6"
    assert entities(rows["committed"]) == {("Ticket", name, (f"github_issue:{name}",))}
    assert rows["committed"].episode.author == "Ann L"
    assert {row.episode.thread for row in rows.values()} == {name}


def test_an_edited_comment_is_a_later_version(archive):
    archive.write(
        "github/timelines/octo/hello/47.json", [comment("Me too", "2024-03-04T10:00:00Z")]
    )
    (before,) = archive.rows("github_timeline")
    archive.write(
        "github/timelines/octo/hello/47.json", [comment("Not me", "2024-03-06T10:00:00Z")]
    )
    (after,) = archive.rows("github_timeline")
    assert episode(before)[0] == episode(after)[0] == "octo/hello/47/commented/700"
    assert (episode(before)[1], episode(after)[1]) == (
        "2024-03-04T10:00:00Z", "2024-03-06T10:00:00Z",
    )  # fmt: skip
    assert (episode(after)[2:4]) == ("2024-03-04 10:00:00", "2024-03-06 10:00:00")


def test_comments_are_messages(archive):
    review = {
        "id": 80, "event": "reviewed", "user": user("cem"), "body": "Looks good",
        "state": "approved", "submitted_at": "2024-03-07T10:00:00Z",
    }  # fmt: skip
    events = [
        event(1, "labeled", 1, label={"name": "bug"}),
        comment("Me too", "2024-03-05T10:00:00Z"),
        review,
        review | {"id": 81, "body": None},
    ]
    archive.write("github/timelines/octo/hello/47.json", events)
    commented, reviewed = archive.rows("github_comments")
    assert episode(commented) == (
        "octo/hello/47/commented/700", "2024-03-05T10:00:00Z",
        "2024-03-04 10:00:00", "2024-03-05 10:00:00", None,
    )  # fmt: skip
    assert (commented.episode.content, commented.episode.author) == ("Me too", "ben")
    assert (reviewed.episode.content, reviewed.episode.thread) == ("Looks good", "octo/hello#47")

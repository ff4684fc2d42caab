"""Folders of mailboxes and documents, night by night."""

from __future__ import annotations

import gzip
import json
import mailbox

import pytest
from nights import Nights
from test_mailboxes import message

from regesta.spans import own_words

pytestmark = pytest.mark.spark

MAIL = {
    "source": "mail",
    "format": "mbox",
    "mode": "interval",
    "kind": "message",
    "source_id": "message_id",
    "thread": "thread",
    "author": "from.address",
    "content": "body",
    "reference_time": "date",
    "removed": {"path": "deleted", "means": "withdrawn"},
    "max_rejected_share": 1,
}
DOCUMENTS = {
    "mode": "interval",
    "kind": "text",
    "file": "file",
    "source_id": "join('#', [path, section])",
    "thread": "path",
    "author": "file.folder",
    "content": "text",
    "max_rejected_share": 1,
}
GUIDE = "# Guide\n\nAsk first.\n\n## Refunds\n\nWithin 30 days.\n\n## Returns\n\nBy post.\n"


def counts(ingested, source):
    found = ingested.counts[source]
    return {k: n for k, n in found.items() if n and k not in ("backdated", "restamped")}


def box(path, *messages):
    path.unlink(missing_ok=True)
    written = mailbox.mbox(path)
    for each in messages:
        written.add(each)
    written.close()


def test_mailboxes_and_documents_night_by_night(spark, tmp_path):
    archive = tmp_path / "files"
    documents = [
        DOCUMENTS | {"source": form, "format": form, "path": f"{archive}/docs/**/*.{ending}"}
        for form, ending in (("markdown", "md"), ("html", "html"), ("text", "txt"))
    ]
    nights = Nights(spark, tmp_path, MAIL | {"path": f"{archive}/*.mbox"}, *documents)
    (archive / "docs/help").mkdir(parents=True)
    (archive / "docs/help/guide.md").write_text(GUIDE)
    (archive / "docs/help/page.html").write_text("<h1>Hours</h1><p>Nine to five</p>")
    (archive / "docs/help/note.txt").write_bytes(b"caf\xe9")
    answer = "Yes.\n\nOn Monday, Ann wrote:\n> Is it paid?\n"
    first = message(1, "Is it paid?\n")
    box(archive / "a.mbox", first, message(2, answer, In_Reply_To="<1@acme.example>"))
    ingested = nights.run(1_800_000_000)
    assert {name: counts(ingested, name) for name in ingested.counts} == {
        "mail": {"read": 2, "new": 2},
        "markdown": {"read": 3, "new": 3},
        "html": {"read": 1, "new": 1},
        "text": {"read": 1, "rejected": 1},
    }
    mails = nights.table("episodes").where("source = 'mail'").collect()
    assert {(row["source_id"][0], row["thread_id"][0], row["author"]) for row in mails} == {
        ("1", "1", "ann@acme.example"),
        ("2", "1", "ann@acme.example"),
    }
    told = {own_words(row["content"], row["attributes"]["spans"]) for row in mails}
    assert told == {"Is it paid?", "Yes."}
    assert nights.rows("episodes", "author")[0] == ("ann@acme.example",)

    (archive / "docs/help/guide.md").write_text(GUIDE.replace("30", "14").split("## Returns")[0])
    deleted = message(1, "Is it paid?\n", X_Mozilla_Status="0008")
    box(archive / "b.mbox", deleted, message(2, "No.\n", In_Reply_To="<1@acme.example>"))
    ingested = nights.run(1_800_100_000)
    assert {name: counts(ingested, name) for name in ingested.counts} == {
        "mail": {"read": 2, "new": 2},
        "markdown": {"read": 2, "new": 1, "unchanged": 1, "ended": 1},
    }
    assert standing(nights) == {
        ("mail", "1@acme.example", "withdrawn", "Is it paid?\n"),
        ("mail", "2@acme.example", None, "No.\n"),
        ("markdown", "guide.md#Guide#1", None, "# Guide\n\nAsk first."),
        ("markdown", "guide.md#Guide/Refunds#1", None, "## Refunds\n\nWithin 14 days."),
        ("markdown", "guide.md#Guide/Returns#1", "withdrawn", "{}"),
        ("html", "page.html#Hours#1", None, "Hours\n\nNine to five"),
    }

    (archive / "docs/help/guide.md").write_text(GUIDE)
    assert counts(nights.run(1_800_200_000), "markdown") == {"read": 3, "new": 2, "unchanged": 1}
    assert ("markdown", "guide.md#Guide/Returns#1", None, "## Returns\n\nBy post.") in (
        standing(nights)
    )


def standing(nights):
    """Return source, id without folders, removal and content of what counts now."""
    current = nights.table("episodes").join(
        nights.table("supersessions").select("episode_id"), on="episode_id", how="left_anti"
    )
    return {
        (row["source"], row["source_id"].rpartition("help/")[2], row["removed"], row["content"])
        for row in current.collect()
    }


def test_edited_and_deleted_messages_are_versions(spark, tmp_path):
    chat = {
        "source": "chat",
        "format": "jsonl",
        "mode": "event",
        "kind": "message",
        "source_id": "id",
        "version": "edited",
        "reference_time": "at",
        "content": "text",
        "removed": {"path": "deleted", "means": "withdrawn"},
    }
    nights = Nights(spark, tmp_path, chat)

    def written(edited, text=None, **more):
        return json.dumps({"id": 1, "edited": edited, "at": "2020-01-01", "text": text} | more)

    nights.write(a__jsonl="\n".join([written(2, "Hi all"), written(1, "Hi\n> quoted")]))
    nights.run()
    nights.write(b__jsonl="\n".join([written(3, deleted=True), written(2, "Hi all")]))
    assert counts(nights.run(), "chat") == {"read": 2, "new": 1, "unchanged": 1}
    rows = nights.table("episodes").orderBy("version").collect()
    assert [(row["version"], row["removed"], row["content"]) for row in rows] == [
        ("1", None, "Hi\n> quoted"),
        ("2", None, "Hi all"),
        ("3", "withdrawn", "{}"),
    ]
    assert own_words(rows[0]["content"], rows[0]["attributes"]["spans"]) == "Hi"
    ids = [row["episode_id"] for row in rows]
    told = nights.rows("supersessions", "episode_id", "superseded_by")
    assert set(told) == {(ids[0], ids[1]), (ids[1], ids[2])}


def test_a_damaged_file_is_one_rejected_row(spark, tmp_path):
    events = {"mode": "event", "source_id": "id", "reference_time": "'2020'"}
    lines = "".join(json.dumps({"id": n, "x": "word " * (n % 7)}) + "\n" for n in range(5_000))
    paths = {form: str(tmp_path / f"files/*.{form}.gz") for form in ("jsonl", "csv")}
    nights = Nights(
        spark,
        tmp_path,
        *(
            events | {"source": form, "format": form, "path": path, "max_rejected_share": 0.01}
            for form, path in paths.items()
        ),
    )
    whole = gzip.compress(lines.encode())
    table = gzip.compress(b"id\n" + "".join(f"{n}\n" for n in range(5_000)).encode())
    nights.write(
        bad__jsonl__gz=whole[: len(whole) // 2],
        good__jsonl__gz=gzip.compress(b'{"id": "good"}\n\n'),
        bad__csv__gz=table[:-100],
    )
    ingested = nights.run()
    rejected = nights.rows("rejected", "source", "path", "row_number", "reason")
    assert [(row[0], row[1].rpartition("/")[2]) for row in rejected] == [
        ("csv", "bad.csv.gz"),
        ("jsonl", "bad.jsonl.gz"),
    ]
    assert all(row[3].startswith("broken gzip: it ends early, after ") for row in rejected)
    new = ingested.counts["jsonl"]["new"]
    assert 1_000 < new < 4_000
    assert rejected[1][2] == new  # the row after the last of the damaged file; one is another's
    assert 1_000 < ingested.counts["csv"]["new"] < 5_000

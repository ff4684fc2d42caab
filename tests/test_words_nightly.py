"""Mails and pages from their files to the command that finds them, over two nights."""

from __future__ import annotations

import json
import mailbox
from email.message import EmailMessage

import pytest
import yaml
from typer.testing import CliRunner

from projects import run_night

pytestmark = [pytest.mark.spark, pytest.mark.long]

SOURCES = {
    "mail": {
        "path": "archive/*.mbox",
        "format": "mbox",
        "mode": "interval",
        "kind": "message",
        "group": "'desk'",
        "source_id": "message_id",
        "thread": "thread",
        "author": "from.address",
        "content": "body",
        "reference_time": "date",
        "removed": {"path": "deleted", "means": "withdrawn"},
    },
    "handbook": {
        "path": "archive/handbook",
        "format": "markdown",
        "mode": "interval",
        "kind": "text",
        "group": "'desk'",
        "source_id": "join('#', [path, section])",
        "thread": "path",
        "content": "text",
        "reference_time": "date",
    },
}
PAGE = "---\ndate: 2024-01-05\n---\n# Refunds\n\nWithin thirty days.\n\n# Returns\n\nBy post.\n"


def mail(number, body, **headers):
    made = EmailMessage()
    made["Message-ID"] = f"<{number}@desk.example>"
    made["From"] = "Zoë <zoe@desk.example>"
    made["Date"] = f"Mon, 0{number} Jan 2024 10:00:00 +0000"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return made


def write_box(path, *messages):
    box = mailbox.mbox(path)
    for each in messages:
        box.add(each)
    box.close()


def found(project, words, known=None):
    from regesta import query

    graph = query.open(project / "warehouse" / "snapshots").group("desk").as_of(known=known)
    return sorted(hit.episode.source_id for hit in graph.search(words, recipe="episode_bm25"))


def test_mails_and_pages_are_found_as_they_were_known(spark, tmp_path):
    conf, archive = tmp_path / "conf", tmp_path / "archive"
    (conf / "sources").mkdir(parents=True)
    (archive / "handbook").mkdir(parents=True)
    for name, keys in SOURCES.items():
        source = yaml.safe_dump({"source": name} | keys, allow_unicode=True)
        (conf / "sources" / f"{name}.yaml").write_text(source)
    settings = {"warehouse": "warehouse", "salt": "pepper", "sources": list(SOURCES)}
    (conf / "base.yaml").write_text(yaml.safe_dump(settings))
    (archive / "handbook/refunds.md").write_text(PAGE)
    reply = "A courier has it.\n\nOn Monday, Ann wrote:\n> Where is my parcel?\n"
    write_box(archive / "1.mbox", mail(1, "Is the parcel lost?"), mail(2, reply))
    steps = run_night(spark, conf, "2024-01-10").steps
    assert (steps["extract"]["read"], steps["extract"]["empty"]) == (4, 4)
    assert found(tmp_path, "parcel") == ["1@desk.example"]
    assert found(tmp_path, "courier") == ["2@desk.example"]
    assert found(tmp_path, "refunds") == ["refunds.md#Refunds#1"]

    edited = PAGE.replace("thirty", "fourteen").split("# Returns")[0]
    (archive / "handbook/refunds.md").write_text(edited)
    deleted = mail(1, "Is the parcel lost?", X_Mozilla_Status="0008")
    write_box(archive / "2.mbox", deleted, mail(3, "The parcel has come by post."))
    run_night(spark, conf, "2024-02-10")
    assert found(tmp_path, "parcel") == ["3@desk.example"]
    assert found(tmp_path, "thirty") == []
    assert found(tmp_path, "fourteen") == ["refunds.md#Refunds#1"]
    assert found(tmp_path, "post") == ["3@desk.example"]
    before = "2024-01-31"
    assert found(tmp_path, "parcel", before) == ["1@desk.example"]
    assert found(tmp_path, "thirty", before) == ["refunds.md#Refunds#1"]
    assert found(tmp_path, "post", before) == ["refunds.md#Returns#1"]

    from regesta.cli.main import app

    told = ["search", "parcel", "--conf", str(conf), "--recipe", "episode_bm25", "--json"]
    (hit,) = json.loads(CliRunner().invoke(app, told).stdout)
    assert hit["own_words"] == "The parcel has come by post."
    assert (hit["source"], hit["author"]) == ("mail", "zoe@desk.example")
    assert (hit["reference_time"], hit["known_at"]) == ("2024-01-03 10:00:00", "2024-02-10")
    shown = CliRunner().invoke(app, told[:-1], env={"COLUMNS": "160"}).stdout
    assert "2024-01-03 10:00:00" in shown
    assert "3@desk.example" in shown

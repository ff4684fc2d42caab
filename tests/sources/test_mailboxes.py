"""Messages that Python's `email` wrote into boxes that its `mailbox` wrote."""

from __future__ import annotations

import gzip
import json
import mailbox
from email.header import Header
from email.message import EmailMessage
from email.mime.text import MIMEText

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from regesta.sources.declaration import Source
from regesta.sources.formats import file_rows
from regesta.sources.records import episode_mapper

SOURCE = Source.model_validate(
    {
        "source": "mail",
        "path": "x",
        "format": "mbox",
        "mode": "event",
        "kind": "message",
        "group": "'g'",
        "source_id": "message_id",
        "thread": "thread",
        "author": "from.address",
        "content": "body",
        "reference_time": "date",
        "removed": {"path": "deleted", "means": "withdrawn"},
    }
)


def message(number, body="Hello", *, subject="Hi", **headers):
    made = EmailMessage()
    made["Message-ID"] = f"<{number}@acme.example>"
    made["From"] = "Ann Lee <Ann@Acme.example>"
    made["To"] = "bo@acme.example"
    made["Date"] = "Tue, 05 Mar 2024 10:00:00 +0100"
    made["Subject"] = subject
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return made


def box(tmp_path, *messages):
    path = tmp_path / "x.mbox"
    written = mailbox.mbox(path)
    for each in messages:
        written.add(each)
    written.close()
    return path.read_bytes()


def rows(content):
    return list(file_rows(content, SOURCE, "/x/x.mbox"))


def records(content):
    found = rows(content)
    assert [row.reason for row in found] == [None] * len(found)
    return [row.record for row in found]


def test_a_message(tmp_path):
    text = "Dear Bo,\n\nFrom here on all is well.\n"
    made = message(1, text, Cc="Zoë Ö <zoe@x.example>, c@x.example")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="über.pdf")
    made.add_attachment(b"1", maintype="application", subtype="zip")
    (record,) = records(box(tmp_path, made))
    assert record == {
        "message_id": "1@acme.example",
        "in_reply_to": None,
        "references": [],
        "thread": "1@acme.example",
        "subject": "Hi",
        "date": "2024-03-05T10:00:00+01:00",
        "from": {"name": "Ann Lee", "address": "ann@acme.example"},
        "sender": None,
        "to": [{"name": None, "address": "bo@acme.example"}],
        "cc": [
            {"name": "Zoë Ö", "address": "zoe@x.example"},
            {"name": None, "address": "c@x.example"},
        ],
        "bcc": [],
        "body": text,
        "attachments": ["über.pdf", "application/zip"],
        "deleted": False,
    }
    fields = episode_mapper(SOURCE, run_known_at=2_000_000_000_000_000)(record)
    assert fields.source_id == fields.thread_id == "1@acme.example"
    assert fields.reference_time == 1_709_629_200_000_000
    assert fields.author == "ann@acme.example"


@pytest.mark.parametrize("encoding", ["7bit", "8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
def test_encodings(tmp_path, charset, encoding):
    text = "Grüße an Zoë" if encoding != "7bit" else "Plain"
    made = message(1, subject="Über “alles”")
    made.set_content(text, charset=charset, cte=encoding)
    (record,) = records(box(tmp_path, made))
    assert (record["body"].strip(), record["subject"]) == (text, "Über “alles”")


def test_names_as_old_programs_encode_them(tmp_path):
    old = MIMEText("Grüße", "plain", "iso-8859-15")
    old["Message-ID"] = "<old@x>"
    old["From"] = f"{Header('Jürgen Groß', 'iso-8859-1').encode()} <j@x.example>"
    old["Subject"] = Header("Ärger " * 20, "utf-8")
    (record,) = records(box(tmp_path, old))
    assert record["from"] == {"name": "Jürgen Groß", "address": "j@x.example"}
    assert record["subject"] == ("Ärger " * 20).strip()
    assert (record["body"].strip(), record["date"]) == ("Grüße", None)


def test_html_is_read_where_there_is_no_plain_text(tmp_path):
    html = message(1)
    html.set_content("<p>Paid.</p><blockquote>Is it?</blockquote>", subtype="html")
    both = message(2, "plain")
    both.add_alternative("<p>html</p>", subtype="html")
    empty = message(3)
    empty.set_content(b"x", maintype="image", subtype="png")
    bodies = [record["body"].strip() for record in records(box(tmp_path, html, both, empty))]
    assert bodies == ["Paid.\n\n> Is it?", "plain", ""]


def test_threads(tmp_path):
    content = box(
        tmp_path,
        message(3, In_Reply_To="<2@acme.example>"),
        message(1),
        message(2, In_Reply_To="<1@acme.example>"),
        message(4, References="<0@far> <2@acme.example>", In_Reply_To="<2@acme.example>"),
        message(5, In_Reply_To="<4@acme.example>"),
        message(6, In_Reply_To="<gone@far>"),
        message(8, In_Reply_To="<9@acme.example>"),
        message(9, In_Reply_To="<8@acme.example>"),
    )
    threads = {record["message_id"][0]: record["thread"] for record in records(content)}
    assert threads == {
        **dict.fromkeys("123", "1@acme.example"),
        **dict.fromkeys("45", "0@far"),
        "6": "gone@far",
        **dict.fromkeys("89", "8@acme.example"),
    }


def test_messages_marked_as_deleted(tmp_path):
    marked = mailbox.mboxMessage(message(1))
    marked.add_flag("D")
    mozilla = message(2, X_Mozilla_Status="0009")
    read = mailbox.mboxMessage(message(3, X_Mozilla_Status="0001"))
    read.add_flag("RO")
    found = records(box(tmp_path, marked, mozilla, read))
    assert [record["deleted"] for record in found] == [True, True, False]


def test_lines_that_begin_like_a_message(tmp_path):
    text = "From the start\n\nFrom here\n> From there\n"
    (record,) = records(box(tmp_path, message(1, text)))
    assert record["body"] == text


def test_broken_messages_leave_the_others(tmp_path):
    raw = (
        b"From a@x Tue Mar  5 10:00:00 2024\n%s\n\n"
        % b"\n\nFrom a@x Tue Mar  5 10:00:00 2024\n".join(
            [
                b"Message-ID: <a@x>\nDate: Tue, 5 Mar 2024 10:00:00 -0000\n\nfine",
                b"this is no message at all",
                b'Message-ID: <b@x>\nContent-Type: multipart/mixed; boundary="b"\n\nno part',
                b"Message-ID: <c@x>\nContent-Type: text/plain; charset=utf-8\n\n\xff\xfe",
                b"Message-ID: <d@x>\nContent-Transfer-Encoding: base64\n\n!!!=",
                b"Message-ID: <e@x>\nContent-Type: text/plain; charset=no-such\n\n\xc3\xa9",
                b"Message-ID: <f@x>\nDate: soon\nFrom: =?x?q?=C3?= <\xff@x.example>, ,\n\nok",
            ]
        )
    )
    found = rows(raw)
    assert [(row.number, row.reason) for row in found if row.reason] == [
        (2, "broken message: it has no headers"),
        (3, "broken message: StartBoundaryNotFoundDefect"),
        (4, "wrong encoding: neither utf-8 nor utf-8 at byte 1 of the body"),
        (5, "broken message: InvalidBase64CharactersDefect"),
    ]
    kept = [
        (row.number, row.record["body"].strip(), row.record["date"]) for row in found if row.record
    ]
    assert kept == [(1, "fine", "2024-03-05T10:00:00+00:00"), (6, "é", None), (7, "ok", "soon")]
    assert found[1].raw.strip() == "this is no message at all"


def test_empty_files_and_files_that_are_no_boxes():
    assert rows(b"") == rows(b"\n\n") == rows(gzip.compress(b"")) == []
    ((number, _, raw, reason),) = rows(b"Dear Bo,\nthis is a letter.\n")
    assert (number, raw[:8]) == (1, "Dear Bo,")
    assert reason == "not an mbox: no line begins a message with 'From '"


def test_a_compressed_box_that_ends_early(tmp_path):
    messages = [message(number, f"{number * 7919 % 10007} " * 300) for number in range(200)]
    whole = gzip.compress(box(tmp_path, *messages))
    assert len(records(whole)) == 200
    *read, damage = rows(whole[: len(whole) // 2])
    assert 50 < len(read) < 150
    assert [row.record["body"].strip() for row in read] == [
        m.get_content().strip() for m in messages[: len(read)]
    ]
    assert damage.number == len(read) + 1
    assert damage.reason.startswith("broken gzip: it ends early, after ")


def whole_box():
    made = message(1, "Grüße an Zoë", References="<0@far>", Cc="Zoë <zoe@x.example>, b@x")
    made.add_alternative("<p>Grüße</p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="über.pdf")
    return b"From a@x Tue Mar  5 10:00:00 2024\n" + bytes(made) + b"\n"


WHOLE = whole_box()
CHANGES = st.lists(
    st.tuples(
        st.integers(0, len(WHOLE)),
        st.sampled_from([b"\n", b"\n\n", b":", b"=?utf-8?q?=C3?=", b"<", b'"', b";", b"--"])
        | st.binary(max_size=3),
        st.integers(0, 40),
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(CHANGES)
def test_whatever_is_broken_a_box_is_read_to_its_end(changes):
    content = WHOLE
    for place, inserted, dropped in changes:
        content = content[:place] + inserted + content[place + dropped :]
    assume(not content.startswith(b"\x1f\x8b"))  # what begins so is read as gzip
    found = rows(content + WHOLE)
    assert [row.number for row in found] == list(range(1, len(found) + 1))
    assert (found[-1].reason is None) or not content.endswith(b"\n\n")
    for row in found:
        assert (row.record is None) is (row.reason is not None)
        json.dumps(row.record, ensure_ascii=False).encode()
        row.raw.encode()

"""Mailboxes, written by Python's own mailbox and email packages."""

from __future__ import annotations

import mailbox
from email.message import EmailMessage

from vendor_archive import entities, episode, said


def message(number, date, sender, to, body, **headers):
    one = EmailMessage()
    one["Message-ID"], one["Date"], one["Subject"] = f"<{number}@x.example>", date, "Power"
    one["From"], one["To"] = sender, to
    for name, value in headers.items():
        one[name.replace("_", "-")] = value
    one.set_content(body)
    return one


def test_a_thread_with_a_deleted_message(archive):
    folder = archive.folder / "mail"
    folder.mkdir(parents=True)
    box = mailbox.mbox(folder / "support.mbox")
    ann, jane = "Ann Lee <Ann@acme.example>", "Jane Doe <jane@us.example>"
    box.add(message(1, "Fri, 01 Mar 2024 10:00:00 +0100", ann, jane, "No power!\n"))
    box.add(
        message(
            2, "Fri, 01 Mar 2024 11:00:00 +0100", jane, ann, "Is it in?\n",
            Cc="tier1@us.example", In_Reply_To="<1@x.example>", References="<1@x.example>",
        )
    )  # fmt: skip
    deleted = mailbox.mboxMessage(message(3, "Fri, 01 Mar 2024 12:00:00 +0100", ann, jane, "x\n"))
    deleted.set_flags("D")
    box.add(deleted)
    box.close()
    asked, answered, gone = archive.rows("mbox_messages")
    assert episode(asked) == (
        "1@x.example", None, "2024-03-01 09:00:00", "2024-03-01 09:00:00", None,
    )  # fmt: skip
    assert asked.episode.content.strip() == "No power!"
    assert asked.episode.thread == answered.episode.thread == "1@x.example"
    assert episode(gone)[4] == "withdrawn"
    asked, answered, gone = archive.rows("mbox_people")
    assert said(asked) == {("Ann Lee", "WROTE_TO", "Jane Doe")}
    assert said(answered) == {
        ("Jane Doe", "WROTE_TO", "Ann Lee"),
        ("Jane Doe", "WROTE_TO", "tier1@us.example"),
    }
    assert entities(answered) == {
        ("Person", "Jane Doe", ("email:jane@us.example",)),
        ("Person", "Ann Lee", ("email:ann@acme.example",)),
        ("Person", "tier1@us.example", ("email:tier1@us.example",)),
    }
    assert gone.statements == ()

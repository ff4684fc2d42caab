"""An mbox becomes one record per message, read with Python's `mailbox` and `email`.

    message_id    without angle brackets, or null
    in_reply_to   the id of the message answered, or null
    references    ids of the conversation, oldest first
    thread        the id of the conversation's first message, as far as the file tells
    subject       text, or null
    date          of the Date header, ISO 8601 with its zone; the header itself where it is no date
    from, sender  {name, address}, or null
    to, cc, bcc   lists of {name, address}
    body          text/plain if there is one, else the text of text/html
    attachments   file names, media types where they have none
    deleted       true where the program that kept the mailbox marked it so

A declaration, conf/sources/mail.yaml:

    source: mail
    path: archive/*.mbox              # also .mbox.gz
    format: mbox
    kind: message                     # quotes and signatures are told apart (own_words)
    mode: interval                    # a message is an item; a later delivery may change it
    group: "'support'"
    source_id: message_id             # a message without one is rejected
    thread: thread
    author: from.address
    content: body
    reference_time: date
    removed: {path: deleted, means: withdrawn}
"""

from __future__ import annotations

import mailbox
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from pathlib import Path
from typing import Any, Final

from regesta.sources.html import read_html
from regesta.sources.parsed import LONGEST_RAW, BrokenTextError, ParsedRow, lenient_text

_ID: Final = re.compile(r"<([^<>\s]+)>")
_ESCAPED_FROM: Final = re.compile(rb"(?m)^>(>*From )")
_HEAD_BYTES: Final = 262_144
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_MOZILLA_DELETED: Final = 0x0008

_PARSER: Final = BytesParser(policy=policy.default)


def mailbox_rows(path: str, *, whole: bool) -> Iterator[ParsedRow]:
    """Return the messages of the mbox file at `path`, numbered from 1, broken ones with a reason.

    Two passes: the ids of all messages are known before the first is given. The last message is
    left out of a file that is not `whole`.
    """
    box = mailbox.mbox(path, create=False)
    try:
        keys = box.keys() if whole else box.keys()[:-1]
        if not keys and whole and (begin := _beginning(path)):
            yield ParsedRow(1, None, begin, "not an mbox: no line begins a message with 'From '")
        root_of = _roots(head for key in keys if (head := _head(box.get_bytes(key))))
        for number, key in enumerate(keys, start=1):
            yield _row(number, box.get_bytes(key), root_of)
    finally:
        box.close()


def _beginning(path: str) -> str:
    with Path(path).open("rb") as file:
        return lenient_text(file.read(LONGEST_RAW), "utf-8").strip()


def _row(number: int, raw: bytes, root_of: Callable[[Mapping[str, Any]], str | None]) -> ParsedRow:
    shown = lenient_text(raw, "utf-8")
    try:
        record = _record(_ESCAPED_FROM.sub(rb"\1", raw))
    except BrokenTextError as error:
        return ParsedRow(number, None, shown, str(error))
    except Exception as error:  # the parser's own slips over broken headers
        return ParsedRow(number, None, shown, f"broken message: {type(error).__name__}: {error}")
    return ParsedRow(number, record | {"thread": root_of(record)}, shown)


def _record(raw: bytes) -> dict[str, Any]:
    message = _PARSER.parsebytes(raw)
    if not message.keys():
        raise BrokenTextError("broken message: it has no headers")
    return {
        **_references(message),
        "subject": _text(message, "subject"),
        "date": _date(message),
        **{key: next(iter(_people(message, key)), None) for key in ("from", "sender")},
        **{key: _people(message, key) for key in ("to", "cc", "bcc")},
        "body": _body(message),
        "attachments": [
            part.get_filename() or part.get_content_type() for part in _attachments(message)
        ],
        "deleted": _is_deleted(message),
    }


def _head(raw: bytes) -> dict[str, Any] | None:
    """Return only what conversations are told by; a message that has no id begins none."""
    found = _END_OF_HEAD.search(raw, 0, _HEAD_BYTES)
    try:
        head = _references(_PARSER.parsebytes(raw[: found.end() if found else 0]))
    except Exception:  # told when the message itself is read
        return None
    return head if head["message_id"] else None


def _references(message: EmailMessage) -> dict[str, Any]:
    answered = _ids(message, "in-reply-to")
    return {
        "message_id": next(iter(_ids(message, "message-id")), None),
        "in_reply_to": answered[0] if answered else None,
        "references": _ids(message, "references"),
    }


def _roots(heads: Iterator[dict[str, Any]]) -> Callable[[Mapping[str, Any]], str | None]:
    """Return the function from a message to the id of the first message of its conversation."""
    parents = {head["message_id"]: _parent(head) for head in heads}
    known: dict[str, str] = {}

    def root_of(record: Mapping[str, Any]) -> str | None:
        """Return the id of a conversation's first message, as far as the file tells."""
        found: str | None = _parent(record) or record["message_id"]
        path: dict[str, None] = {}
        while found is not None and found not in known and found not in path:
            path[found] = None
            found = parents.get(found) or found
        if found is None:
            return None
        root = known.get(found) or (min(path) if parents.get(found) else found)
        known.update(dict.fromkeys(path, root))
        return root

    return root_of


def _parent(record: Mapping[str, Any]) -> str | None:
    named = [*record["references"][:1], record["in_reply_to"]]
    return next((each for each in named if each and each != record["message_id"]), None)


def _text(message: EmailMessage, name: str) -> str | None:
    value = message.get(name)
    return None if value is None else " ".join(str(value).split())


def _ids(message: EmailMessage, name: str) -> list[str]:
    text = _text(message, name) or ""
    return _ID.findall(text) or ([text] if text and " " not in text else [])


def _date(message: EmailMessage) -> str | None:
    header = message.get("date")
    if header is None:
        return None
    moment = getattr(header, "datetime", None)
    if moment is None:
        return _text(message, "date")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000": UTC, place unknown
    return str(aware.isoformat())


def _people(message: EmailMessage, name: str) -> list[dict[str, str | None]]:
    return [
        {
            "name": _readable(address.display_name) or None,
            "address": _readable(address.addr_spec).lower(),
        }
        for header in message.get_all(name) or ()
        for address in header.addresses
        if address.addr_spec not in ("", "<>")
    ]


def _readable(text: str) -> str:
    """Return a header's text in which bytes that no header may hold are taken for UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _body(message: EmailMessage) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        if message.is_multipart() or not message.defects:
            return ""
        raise BrokenTextError(f"broken message: {type(message.defects[0]).__name__}")
    text = _decoded(part)
    return read_html(text).text if part.get_content_type() == "text/html" else text


def _decoded(part: MIMEPart) -> str:
    """Return a part's text in its declared charset or, where that can't be, in UTF-8."""
    payload = part.get_payload(decode=True)
    broken = [defect for defect in part.defects if "Base64" in type(defect).__name__]
    if broken or not isinstance(payload, bytes):
        raise BrokenTextError(
            f"broken message: {type(broken[0]).__name__ if broken else 'no body'}"
        )
    charset = part.get_content_charset("us-ascii")
    try:
        text = payload.decode(charset)
    except (LookupError, UnicodeDecodeError):
        try:
            text = payload.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BrokenTextError(
                f"wrong encoding: neither {charset} nor utf-8 at byte {error.start + 1} of the body"
            ) from error
    return text.replace("\r\n", "\n")


def _attachments(message: EmailMessage) -> Iterator[EmailMessage]:
    for part in message.walk():
        if part.is_attachment() or (part is not message and part.get_filename()):
            yield part


def _is_deleted(message: EmailMessage) -> bool:
    mozilla = (_text(message, "x-mozilla-status") or "0").split(" ")[0]
    marked = re.fullmatch(r"[0-9A-Fa-f]{1,8}", mozilla)
    status = _text(message, "x-status") or ""
    return "D" in status or bool(marked and int(mozilla, 16) & _MOZILLA_DELETED)

"""Messages: the chat of the help desk, one JSON line a saved version of a message."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from company import ACCOUNTS, AGENTS, PRODUCTS, Row, lines

ASKED = (
    "Hello, our {product} has shown nothing since this morning. Can you look into it?",
    "The {product} on the second floor keeps losing its connection at night.",
    "We were invoiced for more {product} units than we have. Who can correct that?",
)
ANSWERED = (
    "Thank you, I have taken the ticket and will call you before noon.",
    "Please restart it once and tell me what the lamp shows.",
    "That was our mistake; a corrected invoice follows this week.",
)
Told = tuple[int, int, str, str, str]
ACME: tuple[Told, ...] = (
    # number, version, sent, author, text
    (1, 1, "2024-03-05T08:02:00", "Petra Novak", "Our gateway is dead since the firmware update!"),
    (1, 2, "2024-03-05T08:02:00", "Petra Novak", "The gateway is offline since the update."),
    (2, 1, "2024-03-05T09:10:00", "Jonas Weber", "I see it. Which lamp is lit, Petra?"),
    (3, 1, "2024-03-05T09:31:00", "Petra Novak", "The red one. The whole plant is without data."),
    (4, 1, "2024-03-06T13:05:00", "Jonas Weber", "Then this is a P1. I will say so in the log."),
    (5, 1, "2024-03-08T16:20:00", "Petra Novak", "It works again. My mobile is 0170 555 0134."),
    (6, 1, "2024-03-08T16:25:00", "Petra Novak", "I report to Elsa Ito since 4 March, by the way."),
)
SAVED_LATER = {(1, 2): "2024-03-05T08:04:00"}
REMOVED = {5: "2024-04-22T10:00:00"}
"""Petra asked for the message with her number to be taken out."""


def messages() -> dict[str, str]:
    """Return the versions of all messages by month of saving."""
    months: dict[str, list[Row]] = {}
    for row in sorted([*acme(), *others()], key=lambda row: (row["saved_at"], row["message_no"])):
        months.setdefault(row["saved_at"][:7], []).append(row)
    return {f"messages/{month}.jsonl": lines(rows) for month, rows in months.items()}


def acme() -> Iterator[Row]:
    """Yield what was said about Acme's ticket: one message was edited, one removed."""
    for number, version, sent, author, text in ACME:
        key = ("north", "T-1001", number)
        row = message(key, sent, author, text, version=version)
        yield {**row, "saved_at": SAVED_LATER.get((number, version), sent) + "Z"}
        if number in REMOVED:
            yield {**row, "version": 2, "saved_at": REMOVED[number] + "Z", "deleted": True}


def others() -> Iterator[Row]:
    """Yield a question and an answer for every third of the tickets without a story."""
    for number in range(3, 60, 3):
        unit = "south" if number % 5 in (1, 3) else "north"
        opened = datetime(2024, 1, 9, 8, 15) + timedelta(days=2 * number, minutes=37 * number % 480)
        asked = ASKED[number // 3 % 3].format(product=PRODUCTS[number % 5])
        account = ACCOUNTS[unit][number * 7 % len(ACCOUNTS[unit])]
        agent = AGENTS[unit][number % len(AGENTS[unit])]
        said = ((account, asked), (agent, ANSWERED[number // 3 % 3]))
        for place, (author, text) in enumerate(said, start=1):
            sent = (opened + timedelta(minutes=20 * place)).isoformat()
            yield message((unit, f"T-{1001 + number}", place), sent, author, text)


def message(
    key: tuple[str, str, int], sent: str, author: str, text: str, *, version: int = 1
) -> dict[str, Any]:
    """Return one version of a message; `key` is unit, ticket and number in the ticket."""
    unit, ticket_no, number = key
    return {
        "message_no": f"{ticket_no}/{number}",
        "version": version,
        "unit": unit,
        "ticket_no": ticket_no,
        "sent_at": f"{sent}Z",
        "saved_at": f"{sent}Z",
        "author": author,
        "text": text,
    }

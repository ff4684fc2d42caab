"""Tickets: an audit log, one JSON line a change, with nothing in it but what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from company import (
    ACCOUNTS,
    AGENTS,
    PRODUCTS,
    SUBJECTS,
    Row,
    account_no,
    by_month,
    lines,
    staff_email,
)

BERLIN = ZoneInfo("Europe/Berlin")


def tickets() -> dict[str, str]:
    """Return the log by month of recording; each file repeats the last lines of the one before."""
    changes = [*told_ticket(), *(row for number in range(1, 60) for row in ticket(number))]
    changes.sort(key=lambda row: (row["recorded_at"], row["ticket_no"], row["seq"]))
    months = by_month(changes, "recorded_at")
    files, repeated = {}, list[Row]()
    for month, rows in months.items():
        files[f"tickets/{month}.jsonl"] = lines([*repeated, *rows])
        repeated = rows[-3:]
    files["tickets/2024-04.jsonl"] += broken_changes()
    return files


def broken_changes() -> str:
    """Return three lines that can't be taken in: cut off, an impossible day, a key given twice."""
    head = '{"unit": "north", "ticket_no": "T-1004", "seq"'
    tail = '"recorded_at": "2024-04-30T10:00:00Z"'
    return (
        f'{head}: 97, "at": "2024-04-3\n'
        f'{head}: 98, "at": "2024-04-31 10:00:00", "status": "closed", {tail}}}\n'
        f'{head}: 99, "at": "2024-04-30 10:00:00", "status": "open", "status": "closed", {tail}}}\n'
    )


def told_ticket() -> list[Row]:
    """Return Acme's ticket, whose rise to P1 was recorded a fortnight late."""
    number = "T-1001"
    jonas = {"assignee": "Jonas Weber", "assignee_email": staff_email("Jonas Weber")}
    opened = {
        "account_no": "N-101",
        "account": "Acme",
        "subject": "Gateway Plus is offline after the firmware update",
        "status": "open",
        "priority": "P3",
    }
    return [
        change("north", number, 1, "2024-03-05 09:00:00", opened),
        change("north", number, 2, "2024-03-05 10:00:00", jonas),
        change("north", number, 3, "2024-03-05 10:00:00", {"status": "in progress"}),
        change("north", number, 4, "2024-03-06 14:00:00", {"priority": "P1"}, days_late=14),
        change("north", number, 5, "2024-03-08 17:30:00", {"status": "resolved"}),
        change("north", number, 6, "2024-03-22 08:00:00", {"status": "closed"}),
        change("north", number, 7, "2024-03-22 08:00:00", {"assignee": "", "assignee_email": ""}),
    ]


def ticket(number: int) -> Iterator[Row]:
    """Yield the changes of a ticket without a story."""
    unit = "south" if number % 5 in (1, 3) else "north"
    names, people = ACCOUNTS[unit], AGENTS[unit]
    name, agent = names[number * 7 % len(names)], people[number % len(people)]
    opened = datetime(2024, 1, 9, 8, 15) + timedelta(days=2 * number, minutes=37 * number % 480)
    opening = {
        "account_no": account_no(unit, name),
        "account": name.upper() if number % 4 == 0 else name,
        "subject": SUBJECTS[number % 6].format(PRODUCTS[number % 5]),
        "status": "open",
        "priority": f"P{2 + number % 3}",
    }
    steps = [(0, opening), *later_steps(number, agent, people[(number + 1) % len(people)])]
    for seq, (hours, values) in enumerate(steps, start=1):
        at = (opened + timedelta(hours=hours)).isoformat(" ")
        late = 20 if number % 17 == 3 and seq == 3 else 0
        yield change(unit, f"T-{1001 + number}", seq, at, values, days_late=late)


def later_steps(number: int, agent: str, other: str) -> Iterator[tuple[int, Row]]:
    """Yield (hours after the opening, what changes)."""
    yield 1, {"assignee": agent, "assignee_email": staff_email(agent)}
    yield 1, {"status": "in progress"}
    if number % 4 == 1:
        yield 26, {"assignee": other, "assignee_email": staff_email(other)}
    if number % 7 == 2:
        yield 30, {"priority": "P1"}
    yield 50 + number % 90, {"status": "resolved"}
    if number % 6 == 5:
        yield 170, {"status": "reopened"}
        yield 200, {"status": "resolved"}
    if number < 50:
        yield 360, {"status": "closed"}


def change(
    unit: str, ticket_no: str, seq: int, at: str, values: Mapping[str, str], *, days_late: int = 0
) -> Row:
    """Return one line of the log: `at` is Berlin's wall clock, `recorded_at` is UTC."""
    moment = datetime.fromisoformat(at).replace(tzinfo=BERLIN).astimezone(UTC)
    recorded = moment + timedelta(minutes=5, days=days_late)
    return {
        "unit": unit,
        "ticket_no": ticket_no,
        "seq": seq,
        "at": at,
        "recorded_at": recorded.replace(tzinfo=None).isoformat() + "Z",
        **values,
    }

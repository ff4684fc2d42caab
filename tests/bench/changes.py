"""Generated change rows of tickets, and the folder of configuration that declares them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from commands import write_files

CHANGES_PER_TICKET = 10
CHANGES_PER_AGENT = 500
CHANGES_PER_ACCOUNT = 200
BEGIN = datetime(2022, 1, 1, tzinfo=UTC)
END = datetime(2024, 1, 1, tzinfo=UTC)
MINUTES = (END - BEGIN) // timedelta(minutes=1)
STATUSES = ("new", "open", "in progress", "waiting", "resolved", "closed")
PRIORITIES = ("P1", "P2", "P3", "P4")
FIELDS = ("status", "priority", "assignee", "account")
WEIGHTS = (5, 2, 2, 1)

ONTOLOGY = """\
relations:
  HAS_STATUS: {cardinality: one, phrase: has the status}
  HAS_PRIORITY: {cardinality: one, phrase: has the priority}
  ASSIGNED_TO: {cardinality: one, phrase: is assigned to}
  RAISED_BY: {cardinality: one, phrase: was raised by}
identifiers:
  ticket: {joins: true}
  agent: {joins: true}
  account: {joins: true}
"""
SOURCE = """\
source: changes
path: %(folder)s/changes-*.jsonl
format: jsonl
mode: event
group: tenant
source_id: change
position: sequence
reference_time: changed_at
entities:
  ticket: {label: Ticket, name: ticket, identifiers: {ticket: ticket}}
  agent: {label: Agent, name: assignee, identifiers: {agent: assignee}}
  account: {label: Account, name: account, identifiers: {account: account}}
statements:
  - {subject: ticket, relation: HAS_STATUS, value: status}
  - {subject: ticket, relation: HAS_PRIORITY, value: priority}
  - {subject: ticket, relation: ASSIGNED_TO, object: agent}
  - {subject: ticket, relation: RAISED_BY, object: account}
"""


@dataclass(frozen=True)
class Archive:
    """How much is generated: `rows` changes over `tenants` groups; equal numbers, equal bytes."""

    rows: int
    tenants: int

    @property
    def tickets(self) -> int:
        """How many tickets there are."""
        return max(1, self.rows // CHANGES_PER_TICKET)

    def first_night(self) -> Iterator[str]:
        """Yield the changes of two years as JSON lines, in order of time."""
        chance = random.Random(self.rows)
        times = sorted(chance.randrange(MINUTES) for _ in range(self.rows))
        return self._lines(chance, [BEGIN + timedelta(minutes=time) for time in times], first=0)

    def second_night(self) -> Iterator[str]:
        """Yield a hundredth as many changes of the same tickets, on the day after."""
        chance = random.Random(self.rows + 1)
        count = max(1, self.rows // 100)
        times = [END + timedelta(seconds=n * 86_400 // count) for n in range(count)]
        return self._lines(chance, times, first=self.rows)

    def _lines(self, chance: random.Random, times: list[datetime], *, first: int) -> Iterator[str]:
        for number, time in enumerate(times, start=first):
            ticket = chance.randrange(self.tickets)
            tenant = ticket % self.tenants
            [field] = chance.choices(FIELDS, WEIGHTS)
            change = {
                "change": f"c{number:08}",
                "tenant": f"tenant-{tenant:03}",
                "ticket": f"T-{ticket:07}",
                "sequence": number,
                "changed_at": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                field: self._value(field, tenant, chance),
            }
            yield json.dumps(change) + "\n"

    def _value(self, field: str, tenant: int, chance: random.Random) -> str:
        if field == "status":
            return chance.choice(STATUSES)
        if field == "priority":
            return chance.choice(PRIORITIES)
        changes = CHANGES_PER_AGENT if field == "assignee" else CHANGES_PER_ACCOUNT
        number = chance.randrange(max(1, self.rows // changes // self.tenants))
        return f"{'Agent' if field == 'assignee' else 'Account'} {tenant:03}-{number:05}"


def write_lines(path: Path, lines: Iterator[str]) -> None:
    """Write a file of JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def write_configuration(folder: Path, warehouse: Path) -> Path:
    """Write base.yaml, the source and the ontology; return the folder for --conf."""
    files = {
        "base.yaml": f"warehouse: {warehouse}\nsources: [changes]\n",
        "sources/changes.yaml": SOURCE % {"folder": folder},
        "ontologies/tickets.yaml": ONTOLOGY,
    }
    return write_files(folder / "conf", files)

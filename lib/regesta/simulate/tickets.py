"""Tickets: an audit log, one row a change, with nothing in it but what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from regesta.simulate.beliefs import NOTHING, Target
from regesta.simulate.desk import (
    Account,
    Agent,
    Contact,
    Desk,
    Draft,
    Entity,
    Happening,
    Row,
    WorldFact,
    record,
)
from regesta.simulate.logs import Says, final_facts, log_series, script, twist_of
from regesta.simulate.plan import iso

KINDS: Final = (
    "ticket_reopened",
    "priority_changed",
    "ticket_late",
    "ticket_reassigned",
    "ticket_out_of_order",
    "contradicted",
    "ticket_corrected",
    "ticket_plain",
    "ticket_unassigned",
    "ticket_withdrawn",
    "ticket_moved",
)
PRIORITIES: Final = ("P1", "P2", "P3", "P4")
SUBJECTS: Final = (
    "{} is offline after the update",
    "Wrong readings from {}",
    "{} alarm won't stop",
    "Second key for {}",
    "Invoice for {} shows the old address",
    "{} battery is empty again",
    "Export from {} is missing days",
)
_SOURCE: Final = "tickets"


def tell_ticket(
    desk: Desk, kind: str, account: Account, contact: Contact, product: str
) -> tuple[Draft, str, Agent]:
    """Return a ticket's audit log, its number and the agent who took it first."""
    draft = Draft()
    no = desk.number("T")
    subject = desk.random.choice(SUBJECTS).format(product)
    draft.entities.append(
        Entity(f"{desk.group}/{no}", "Ticket", [no], [record("ticket_no", no)], "plain")
    )
    agent = desk.agent()
    other = desk.agent(agent)
    user_no = _user_no(desk, draft, contact)
    values = _changes(desk, kind, agent, other)
    opening = {"FOR_ACCOUNT": account.target, "REPORTED_BY": (record("user_no", user_no), None)}
    values[0] = {**opening, **values[0]}
    wrong = {**values[1], "ASSIGNED_TO": other.target}
    moments = desk.moments(len(values), *_share(desk))
    steps = script(desk, moments, values, twist_of(kind), wrong)
    people = {one.target: one for one in (agent, other)}
    for step in steps:
        row: Row = {
            "unit": desk.group,
            "event_no": step.item,
            "revision": step.revision,
            "ticket_no": no,
            **_columns(step.says, people),
            "changed_at": iso(step.at),
        }
        if "FOR_ACCOUNT" in step.says:
            row |= {
                "subject": subject,
                "account_no": account.no,
                "account_name": account.name,
                "requester_no": user_no,
                "requester": contact.name,
                "requester_email": contact.emails[0],
            }
        if step.action == "removed":
            row["deleted"] = True
        draft.row(_SOURCE, step.known, row)
    series = log_series(steps, record("ticket_no", no), _SOURCE, kind)
    draft.series += series
    for fact in final_facts(draft, series):
        _happens(draft, fact, no, people, moments[0])
    return draft, no, agent


def _share(desk: Desk) -> tuple[float, float]:
    """Return the part of the whole time that a ticket takes."""
    first = desk.random.random() * 0.75
    return first, first + 0.08 + 0.17 * desk.random.random()


def _user_no(desk: Desk, draft: Draft, contact: Contact) -> str:
    """Return the number of the contact as a user of the help desk; a record of its own."""
    if contact.user_no is None:
        contact.user_no = desk.number("U")
    identifier = record("user_no", contact.user_no)
    if identifier not in contact.entity.records:
        draft.recorded.append((contact.entity, identifier, contact.name))
    return contact.user_no


def _changes(desk: Desk, kind: str, agent: Agent, other: Agent) -> list[Says]:
    """Return what each row of the log says; the second one always that the agent took it."""
    high, low = sorted(desk.random.sample(PRIORITIES, 2))
    status = "HAS_STATUS"
    opened: Says = {status: (None, "open"), "HAS_PRIORITY": (None, low)}
    taken: Says = {"ASSIGNED_TO": agent.target, status: (None, "in progress")}
    raised: Says = {"HAS_PRIORITY": (None, high)}
    solved: Says = {status: (None, "solved")}
    closed: Says = {status: (None, "closed")}
    if kind == "ticket_reopened":
        return [opened, taken, solved, {status: (None, "reopened")}, solved]
    if kind in ("priority_changed", "contradicted"):
        return [opened, taken, raised, solved]
    if kind == "ticket_reassigned":
        return [opened, taken, {"ASSIGNED_TO": other.target}, solved]
    if kind == "ticket_unassigned":
        return [opened, taken, {"ASSIGNED_TO": NOTHING}, closed]
    return [opened, taken, solved, closed]


def _columns(says: Says, people: Mapping[Target, Agent]) -> Row:
    row: Row = {}
    if "HAS_STATUS" in says:
        row["status"] = says["HAS_STATUS"][1]
    if "HAS_PRIORITY" in says:
        row["priority"] = says["HAS_PRIORITY"][1]
    if "ASSIGNED_TO" in says:
        assignee = people.get(says["ASSIGNED_TO"])
        row["assignee_no"] = assignee.no if assignee else ""
        row["assignee"] = assignee.name if assignee else ""
    return row


def _happens(
    draft: Draft,
    fact: WorldFact,
    no: str,
    people: Mapping[Target, Agent],
    opened_at: int,
) -> None:
    words = {"ticket": no, "value": fact.target[1] or ""}
    if fact.relation == "HAS_PRIORITY" and fact.start > opened_at:
        draft.happenings.append(Happening("priority_changed", fact.start, words, fact))
    elif fact.relation == "HAS_STATUS" and fact.target[1] in ("solved", "reopened", "closed"):
        draft.happenings.append(Happening(f"ticket_{fact.target[1]}", fact.start, words, fact))
    elif fact.relation == "ASSIGNED_TO":
        words["person"] = people[fact.target].name
        draft.happenings.append(Happening("ticket_assigned", fact.start, words, fact))

"""Contacts: their titles and phones as a log of changes, their employments as records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from regesta.simulate import names
from regesta.simulate.beliefs import NOTHING, Record, Target, record_beliefs
from regesta.simulate.desk import (
    Account,
    Contact,
    Desk,
    Draft,
    Entity,
    Happening,
    Series,
    WorldFact,
    record,
)
from regesta.simulate.logs import (
    Says,
    Step,
    Twist,
    final_facts,
    history_row,
    log_series,
    script,
    twist_of,
)
from regesta.simulate.plan import DAY, HOUR, START, day_text, last_day

KINDS: Final = (
    "turnover",
    "title_changed",
    "rehired",
    "duplicate_contact_with_email",
    "title_late",
    "employment_corrected",
    "namesake",
    "title_out_of_order",
    "shared_mailbox",
    "title_retracted",
    "contact_plain",
    "employment_withdrawn",
    "title_corrected",
    "duplicate_contact",
    "phone_changed",
    "title_withdrawn",
    "title_moved",
    "phone_removed",
    "employment_out_of_order",
    "contact_hired",
)
TITLES: Final = (
    *("Buyer", "Facility Manager", "Head of Operations", "IT Coordinator", "Office Manager"),
    *("Plant Manager", "Procurement Lead", "Site Engineer", "Head of IT", "Controller"),
    *("Technical Director", "Maintenance Planner", "Service Manager", "Project Lead"),
)
_MAILBOXES: Final = ("support", "info", "office", "service", "facilities")
_SHARING: Final = 6
"""Contacts that share a mailbox: more names than the declared ontology lets an address join."""

_HISTORY: Final = "crm_history"
_EMPLOYMENTS: Final = "employments"


def tell_contacts(
    desk: Desk, kind: str, account: Account, other: Account | None
) -> tuple[Draft, list[Contact]]:
    """Return the contacts of one story; `other` is another account, for those who move."""
    draft = Draft()
    if kind in ("turnover", "namesake") and other is None:
        kind = "contact_plain"
    contacts = _new_contacts(desk, kind, account)
    draft.entities += [contact.entity for contact in contacts]
    imported = None
    if kind == "shared_mailbox":  # in the first night: none sees the address borne by few
        (imported,) = desk.moments(1, 0.0, 0.99 / desk.plan.nights)
    for number, contact in enumerate(contacts):
        place = other if kind == "namesake" and number and other else account
        _titles(desk, draft, contact, kind, imported)
        if kind.startswith("phone") or desk.random.random() < 0.3:
            _phones(desk, draft, contact, kind)
        _employments(desk, draft, contact, kind, account=place, other=other)
    return draft, contacts


def _new_contacts(desk: Desk, kind: str, account: Account) -> list[Contact]:
    if kind == "shared_mailbox":
        box = f"{desk.random.choice(_MAILBOXES)}.{account.no.lower()}@{account.domain}"
        return [_contact(desk, kind, desk.person_name(), box) for _ in range(_SHARING)]
    name = desk.person_name()
    address = f"{names.address_part(name)}@{account.domain}"
    if kind == "namesake":
        return [_contact(desk, kind, name, f"{place}{address}") for place in ("", "2.")]
    return [_contact(desk, kind, name, address)]


def _contact(desk: Desk, kind: str, name: str, email: str) -> Contact:
    spellings, emails = [name], [email]
    if kind.startswith("duplicate_contact"):
        spellings.append(names.person_spelled_otherwise(name, desk.random))
        emails.append(email if kind.endswith("with_email") else "")
    nos = [desk.number("C") for _ in spellings]
    interest = kind if kind in ("namesake", "shared_mailbox") else "plain"
    entity = Entity(
        key=f"{desk.group}/{nos[0]}",
        label="Contact",
        names=list(spellings),
        records=[record("contact_no", no) for no in nos],
        kind="duplicate" if len(nos) > 1 else interest,
    )
    return Contact(entity, nos, spellings, emails)


def _titles(desk: Desk, draft: Draft, contact: Contact, kind: str, imported: int | None) -> None:
    twist: Twist = "plain"
    count = 1
    if kind.startswith("title_"):
        count = 3
        twist = twist_of(kind)
    elif kind in ("duplicate_contact", "duplicate_contact_with_email", "namesake"):
        count = 2
    titles = desk.random.sample(TITLES, count + 1)
    values: list[Says] = [{"HAS_TITLE": (None, title)} for title in titles[:count]]
    moments = desk.moments(count, 0.0, 0.9)
    if imported is not None:
        moments[0] = imported + desk.random.randrange(600)
    steps = script(desk, moments, values, twist, {"HAS_TITLE": (None, titles[count])})
    facts = _log(desk, draft, contact, steps, field="Title", kind=kind)
    for fact in facts:
        words = {"person": contact.name, "value": fact.target[1] or ""}
        if fact.start > moments[0]:
            draft.happenings.append(Happening("title_changed", fact.start, words, fact))


def _phones(desk: Desk, draft: Draft, contact: Contact, kind: str) -> None:
    count = 2 if kind.startswith("phone") else 1
    moments = desk.moments(count, 0.0, 0.9)
    values: list[Says] = [{"HAS_PHONE": (None, _phone(desk))} for _ in range(count)]
    if kind == "phone_removed":
        values[1] = {"HAS_PHONE": NOTHING}
    steps = script(desk, moments, values, "plain", None)
    facts = _log(desk, draft, contact, steps, field="Phone", kind=kind)
    if kind == "phone_changed":
        words = {"person": contact.name, "value": facts[-1].target[1] or ""}
        draft.happenings.append(Happening("phone_changed", facts[-1].start, words, facts[-1]))


def _phone(desk: Desk) -> str:
    return f"+49 30 {desk.random.randrange(10_000_000, 99_999_999)}"


def _log(
    desk: Desk, draft: Draft, contact: Contact, steps: Sequence[Step], *, field: str, kind: str
) -> list[WorldFact]:
    """Write the steps for each record of a contact; return what really was so for the first."""
    found: list[WorldFact] = []
    for no, name, email in zip(contact.nos, contact.spellings, contact.emails, strict=True):
        head = {"contact_no": no, "contact_name": name, "contact_email": email}
        own = steps if no == contact.nos[0] else _renumbered(desk, steps)
        for step in own:
            ((_, target),) = step.says.items()
            key = "old_value" if step.action == "retracts" else "new_value"
            fields = {**head, "field": field, key: target[1] or ""}
            draft.row(_HISTORY, step.known, history_row(desk, step, fields))
        series = log_series(own, record("contact_no", no), _HISTORY, kind)
        draft.series += series
        facts = final_facts(draft, series)
        found = found or facts
    return found


def _renumbered(desk: Desk, steps: Sequence[Step]) -> list[Step]:
    own: dict[str, str] = {}
    for step in steps:
        if step.item not in own:
            own[step.item] = desk.number("E")
    return [step._replace(item=own[step.item]) for step in steps]


def _employments(
    desk: Desk,
    draft: Draft,
    contact: Contact,
    kind: str,
    *,
    account: Account,
    other: Account | None,
) -> None:
    """Write the employment records of a contact, each with its versions."""
    versions = _VERSIONS.get(kind, _employed)(desk, account, other)
    places = {account.target: account}
    if other is not None:
        places[other.target] = other
    first = len(draft.world)
    for no, name, email in zip(contact.nos, contact.spellings, contact.emails, strict=True):
        items = {row.item: desk.number("M") for row in versions}
        for row in versions:
            employer = places[row.target]
            fields = {
                "unit": desk.group,
                "employment_no": items[row.item],
                "revision": row.revision,
                "contact_no": no,
                "contact_name": name,
                "contact_email": email,
                "account_no": employer.no,
                "account_name": employer.name,
                "since": day_text(row.start // DAY),
                "until": last_day(row.end),
                "state": "void" if row.removed else "active",
            }
            draft.row(_EMPLOYMENTS, row.known, fields)
        series = Series(
            record("contact_no", no), "WORKS_AT", _EMPLOYMENTS, kind, record_beliefs(versions)
        )
        draft.series.append(series)
        final_facts(draft, [series])
    _tell_moves(draft, contact, draft.world[first:], places)


def _tell_moves(
    draft: Draft, contact: Contact, facts: Sequence[WorldFact], places: dict[Target, Account]
) -> None:
    for fact in facts:
        if fact.subject != contact.identifier:
            continue
        words = {"person": contact.name, "account": places[fact.target].name}
        if fact.start >= START:
            draft.happenings.append(Happening("joined", fact.start, words, fact))
        if fact.end is not None and fact.end >= START:
            draft.happenings.append(Happening("left", fact.end, words, fact))


def _employed(desk: Desk, account: Account, _: Account | None) -> list[Record]:
    (at,) = desk.moments(1, 0.0, 0.6)
    start = desk.past_day()
    return [Record("1", 1, desk.delivered(at), account.target, start)]


def _hired(desk: Desk, account: Account, _: Account | None) -> list[Record]:
    (at,) = desk.moments(1, 0.0, 0.6)
    return [Record("1", 1, desk.delivered(at), account.target, desk.day(at))]


def _turnover(desk: Desk, account: Account, other: Account | None) -> list[Record]:
    assert other is not None
    first, at = desk.moments(2)
    start, end = desk.past_day(), desk.day(at)
    known = desk.delivered(first)
    left = desk.delivered(at, after=known)
    return [
        Record("1", 1, known, account.target, start),
        Record("1", 2, left, account.target, start, end),
        Record("2", 1, desk.delivered(at, after=left), other.target, end + 2 * DAY),
    ]


def _rehired(desk: Desk, account: Account, _: Account | None) -> list[Record]:
    first, gone, back = desk.moments(3)
    start, end = desk.past_day(), desk.day(gone)
    known = desk.delivered(first)
    left = desk.delivered(gone, after=known)
    again = max(desk.day(back), end + DAY)
    return [
        Record("1", 1, known, account.target, start),
        Record("1", 2, left, account.target, start, end),
        Record("2", 1, desk.delivered(back, after=left), account.target, again),
    ]


def _corrected(desk: Desk, account: Account, _: Account | None) -> list[Record]:
    first, at = desk.moments(2)
    start = desk.past_day()
    known = desk.delivered(first)
    moved = start + desk.random.choice((-20, -9, 8, 25)) * DAY
    return [
        Record("1", 1, known, account.target, start),
        Record("1", 2, desk.delivered(at, after=known), account.target, moved),
    ]


def _withdrawn(desk: Desk, account: Account, other: Account | None) -> list[Record]:
    (first,) = _employed(desk, account, other)
    (at,) = desk.moments(1, 0.7, 1.0)
    known = desk.delivered(at, after=first.known)
    return [first, first._replace(revision=2, known=known, removed=True)]


def _out_of_order(desk: Desk, account: Account, other: Account | None) -> list[Record]:
    """Three versions of which the second is delivered after the third."""
    first, second = _corrected(desk, account, other)
    end = desk.day(desk.moments(1, 0.5, 0.9)[0])
    third = second._replace(revision=3, end=end)
    known = desk.delivered(desk.day(third.known) + 12 * HOUR, 2, after=third.known)
    return [first, third, second._replace(known=known)]


_VERSIONS: Final[dict[str, Callable[[Desk, Account, Account | None], list[Record]]]] = {
    "contact_hired": _hired,
    "turnover": _turnover,
    "rehired": _rehired,
    "employment_corrected": _corrected,
    "employment_withdrawn": _withdrawn,
    "employment_out_of_order": _out_of_order,
}

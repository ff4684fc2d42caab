"""Messages in ticket threads and notes on accounts: what people say of what happened.

Nothing of it is mapped: messages are raw episodes. Some tell what no record does, some contradict
the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regesta.simulate.desk import (
    PRODUCTS,
    Account,
    Agent,
    Contact,
    Desk,
    Draft,
    Happening,
    Telling,
    record,
)
from regesta.simulate.phrases import tell
from regesta.simulate.plan import DAY, iso
from regesta.simulate.tickets import PRIORITIES

_GREETINGS: Final = (
    *("Hi,", "Hello,", "Hi there,", "Good morning,", "Dear team,", "Hey,", "Hello everybody,"),
    *("", "", "", "", ""),
)
_FILLERS: Final = (
    "Thanks for the quick answer.",
    "Could you have a look at this?",
    "I tried to restart it twice, no change.",
    "The light is blinking red.",
    "Let me know if you need anything else.",
    "Sorry for the delay on our side.",
    "I'll get back to you with the log files.",
    "That did not help, I'm afraid.",
    "We are a bit under pressure here.",
    "Please keep me posted.",
    "Can we talk about it on the phone?",
    "Works fine on the second floor, by the way.",
    "Nothing new from here.",
    "I attached a screenshot.",
)
_SIGNATURES: Final = ("Best regards, {}", "Thanks, {}", "Cheers, {}", "-- \n{}", "Kind regards\n{}")
_PER_THREAD: Final = (2, 5)


def tell_thread(
    desk: Desk,
    ticket: str,
    account: Account,
    contact: Contact,
    agent: Agent,
    own: Sequence[Happening],
    *,
    contradicts: bool,
) -> Draft:
    """Return the messages of a ticket: about its own events, now and then about the account's."""
    draft = Draft()
    others = account.happenings
    topics = list(own)
    if others and desk.random.random() < 0.6:
        topics.append(desk.random.choice(others))
    desk.random.shuffle(topics)
    topics = topics[: desk.random.randrange(*_PER_THREAD)]
    if contradicts:
        topics = [_contradiction(desk, draft, own), *topics]
    if desk.random.random() < 0.2:
        topics.append(_only_told(desk, draft, account, contact))
    for number, happening in enumerate(topics):
        by_agent = desk.random.random() < 0.5
        author = agent.name if by_agent else contact.name
        source_id = desk.number("X")
        moment = _after(desk, happening.at)
        known = desk.delivered(moment)
        text = _compose(desk, draft, source_id, ticket, "message", happening, moment, author)
        row = {
            "unit": desk.group,
            "message_no": source_id,
            "ticket_no": ticket,
            "author": author,
            "sent_at": iso(moment),
            "text": text,
        }
        draft.row("messages", known, row)
        if number == 0 and desk.random.random() < 0.4:
            _small_talk(desk, draft, ticket, agent.name, moment)
    return draft


def tell_note(desk: Desk, account: Account) -> Draft:
    """Return a note on an account: one happening, or one that only notes tell."""
    draft = Draft()
    if account.happenings and desk.random.random() < 0.7:
        happening = desk.random.choice(account.happenings)
    else:
        contact = desk.random.choice(account.contacts) if account.contacts else None
        happening = _only_told(desk, draft, account, contact)
    moment = _after(desk, happening.at)
    author = desk.random.choice(desk.agents).name
    source_id = desk.number("N")
    body = _compose(desk, draft, source_id, "", "text", happening, moment, author)
    _note(desk, draft, source_id, account.no, author, moment, body)
    return draft


def tell_filler(desk: Desk) -> Draft:
    """Return a note that tells nothing."""
    draft = Draft()
    (moment,) = desk.moments(1)
    author = desk.random.choice(desk.agents).name
    body = " ".join(desk.random.sample(_FILLERS, 2))
    _note(desk, draft, desk.number("N"), "", author, moment, body)
    return draft


def _note(
    desk: Desk, draft: Draft, source_id: str, account: str, author: str, moment: int, body: str
) -> None:
    row = {
        "unit": desk.group,
        "note_no": source_id,
        "account_no": account,
        "author": author,
        "written_at": iso(moment),
        "body": body,
    }
    draft.row("notes", desk.delivered(moment), row)


def _after(desk: Desk, at: int) -> int:
    """Return a moment of the simulated time soon after an event, or at any time where it is past."""
    (moment,) = desk.moments(1)
    near = at - at % DAY + moment % DAY + desk.random.choice((0, 0, 1, 2, 4)) * DAY
    first, last = desk.moments(1, 0.0, 0.0)[0], desk.moments(1, 1.0 - 1e-9, 1.0 - 1e-9)[0]
    return near if max(first, at) <= near <= last else moment


def _small_talk(desk: Desk, draft: Draft, ticket: str, author: str, moment: int) -> None:
    moment += desk.random.randrange(60, 1800)
    row = {
        "unit": desk.group,
        "message_no": desk.number("X"),
        "ticket_no": ticket,
        "author": author,
        "sent_at": iso(moment),
        "text": desk.random.choice(_FILLERS),
    }
    draft.row("messages", desk.delivered(moment), row)


def _compose(
    desk: Desk,
    draft: Draft,
    source_id: str,
    thread: str,
    kind: str,
    happening: Happening,
    moment: int,
    author: str,
) -> str:
    """Return a message around a sentence that tells a happening, and note where it stands."""
    pick = desk.random.choice
    fact = happening.fact
    sentence = tell(
        desk.random, happening.event, happening.words, _date(happening), fact.end, moment
    )
    before = pick(_GREETINGS) if kind == "message" else ""
    if desk.random.random() < 0.4:
        before = f"{before} {pick(_FILLERS)}".lstrip()
    begin = f"{before}{pick((' ', chr(10))) if before else ''}"
    text = begin + sentence.text
    if desk.random.random() < 0.3:
        text += f" {pick(_FILLERS)}"
    if kind == "message" and desk.random.random() < 0.4:
        text += "\n" + pick(_SIGNATURES).format(author)
    stretch = (len(begin), len(begin) + len(sentence.text))
    phrasing = sentence.phrasing
    draft.tellings.append(
        Telling(source_id, thread, kind, *stretch, happening, phrasing.id, phrasing.split)
    )
    if happening.true:
        draft.told.append((fact, source_id))
    return text


def _date(happening: Happening) -> int:
    """Return the date that the sentence gives: for an end that of the end, else of the start."""
    fact = happening.fact
    return fact.end if happening.event == "left" and fact.end is not None else fact.start


def _contradiction(desk: Desk, draft: Draft, own: Sequence[Happening]) -> Happening:
    """Return a wrong priority; the record wins."""
    true = next(one for one in own if one.event == "priority_changed")
    wrong = desk.random.choice([one for one in PRIORITIES if one != true.words["value"]])
    fact = true.fact
    false = type(fact)(fact.subject, fact.relation, (None, wrong), fact.start, None, "contradicted")
    return Happening("priority_changed", true.at, true.words | {"value": wrong}, false, true=False)


def _only_told(desk: Desk, draft: Draft, account: Account, contact: Contact | None) -> Happening:
    """Return what no record tells: interest in a product, a superior, an absence."""
    (at,) = desk.moments(1, 0.0, 0.8)
    day = at - at % DAY
    kind = "only_told"
    subject = record("account_no", account.no)
    if contact is None or desk.random.random() < 0.3:
        no, name = desk.random.choice(PRODUCTS)
        target = (record("product_no", no), None)
        fact = draft.fact(subject, "INTERESTED_IN", target, day, kind=kind)
        return Happening("interested_in", at, {"account": account.name, "product": name}, fact)
    person = record("contact_no", contact.nos[0])
    others = [one for one in account.contacts if one is not contact]
    if others and desk.random.random() < 0.5:
        boss = desk.random.choice(others)
        target = (record("contact_no", boss.nos[0]), None)
        fact = draft.fact(person, "REPORTS_TO", target, day, kind=kind)
        words = {"person": contact.name, "other": boss.name}
        return Happening("reports_to", at, words, fact)
    end = day + desk.random.randrange(3, 40) * DAY
    fact = draft.fact(person, "HAS_ABSENCE", (None, "away"), day, end, kind=kind)
    return Happening("absent", at, {"person": contact.name}, fact)

"""Messages in ticket threads and notes on accounts: what people say of what happened.

Nothing of it is mapped: messages are raw episodes. Some tell what no record does, some contradict
the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from regesta.simulate.accounts import PLANS
from regesta.simulate.beliefs import Target
from regesta.simulate.desk import (
    PRODUCTS,
    Account,
    Agent,
    Contact,
    Desk,
    Draft,
    Happening,
    Telling,
    WorldFact,
    record,
)
from regesta.simulate.people import TITLES
from regesta.simulate.phrases import tell
from regesta.simulate.plan import DAY, START, iso
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
_VALUES: Final = {"priority_changed": PRIORITIES, "plan_changed": PLANS, "title_changed": TITLES}
_CONTRADICTED: Final = (*_VALUES, "owner_changed", "manager_changed", "ticket_assigned")
"""Events of which people sometimes say something else than the record."""

_SHARE_OF_CONTRADICTIONS: Final = 0.08
_PER_THREAD: Final = (1, 4)


def tell_thread(
    desk: Desk,
    account: Account,
    contact: Contact,
    *,
    ticket: str,
    agent: Agent,
    own: Sequence[Happening],
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
        about = [one for one in own if one.event in _CONTRADICTED]
        topics = [_contradiction(desk, desk.random.choice(about)), *topics]
    if desk.random.random() < 0.2:
        topics.append(_only_told(desk, draft, account, contact))
    for number, happening in enumerate(topics):
        author = agent.name if desk.random.random() < 0.5 else contact.name
        moment = _after(desk, happening.at)
        post = _Post(desk.number("X"), "message", ticket, author, moment)
        _message(desk, draft, post, _compose(desk, draft, post, happening))
        if number == 0 and desk.random.random() < 0.4:
            later = moment + desk.random.randrange(60, 1800)
            reply = _Post(desk.number("X"), "message", ticket, agent.name, later)
            _message(desk, draft, reply, desk.random.choice(_FILLERS))
    return draft


def tell_note(desk: Desk, account: Account) -> Draft:
    """Return a note on an account: what nobody told yet, what was told, what only messages tell."""
    draft = Draft()
    untold = [one for one in account.happenings if not one.fact.told_in]
    told = untold if untold and desk.random.random() < 0.8 else account.happenings
    if told and desk.random.random() < 0.8:
        happening = desk.random.choice(told)
        if happening.event in _CONTRADICTED and desk.random.random() < _SHARE_OF_CONTRADICTIONS:
            happening = _contradiction(desk, happening)
    else:
        contact = desk.random.choice(account.contacts) if account.contacts else None
        happening = _only_told(desk, draft, account, contact)
    post = _Post(
        desk.number("N"),
        "text",
        "",
        desk.random.choice(desk.agents).name,
        _after(desk, happening.at),
    )
    _note(desk, draft, post, account.no, _compose(desk, draft, post, happening))
    return draft


def tell_filler(desk: Desk) -> Draft:
    """Return a note that tells nothing."""
    draft = Draft()
    (moment,) = desk.moments(1)
    post = _Post(desk.number("N"), "text", "", desk.random.choice(desk.agents).name, moment)
    _note(desk, draft, post, "", " ".join(desk.random.sample(_FILLERS, 2)))
    return draft


class _Post(NamedTuple):
    source_id: str
    kind: str
    thread: str
    author: str
    moment: int


def _message(desk: Desk, draft: Draft, post: _Post, text: str) -> None:
    row = {
        "unit": desk.group,
        "message_no": post.source_id,
        "ticket_no": post.thread,
        "author": post.author,
        "sent_at": iso(post.moment),
        "text": text,
    }
    draft.row("messages", desk.delivered(post.moment), row)


def _note(desk: Desk, draft: Draft, post: _Post, account: str, body: str) -> None:
    row = {
        "unit": desk.group,
        "note_no": post.source_id,
        "account_no": account,
        "author": post.author,
        "written_at": iso(post.moment),
        "body": body,
    }
    draft.row("notes", desk.delivered(post.moment), row)


def _after(desk: Desk, at: int) -> int:
    """Return a moment of the simulated time after an event, most often soon after it."""
    (moment,) = desk.moments(1)
    if at < START:
        return moment
    near = desk.day(at) + moment % DAY + desk.random.choice((0, 0, 1, 2, 4)) * DAY
    return near if at <= near < desk.plan.end else at + (desk.last_moment - at) // 2


def _compose(desk: Desk, draft: Draft, post: _Post, happening: Happening) -> str:
    """Return a message around a sentence that tells a happening, and note where it stands."""
    pick = desk.random.choice
    fact = happening.fact
    at, since = fact.start, fact.start
    if happening.event == "left" and fact.end is not None:
        at, since = fact.end - DAY, fact.end  # the last day, and the first one without
    sentence = tell(
        desk.random,
        happening.event,
        happening.words,
        at=at,
        since=since,
        end=fact.end,
        told_at=post.moment,
    )
    before = pick(_GREETINGS) if post.kind == "message" else ""
    if desk.random.random() < 0.4:
        before = f"{before} {pick(_FILLERS)}".lstrip()
    begin = before + pick((" ", "\n")) if before else ""
    text = begin + sentence.text
    if desk.random.random() < 0.3:
        text += f" {pick(_FILLERS)}"
    if post.kind == "message" and desk.random.random() < 0.4:
        text += "\n" + pick(_SIGNATURES).format(post.author)
    draft.tellings.append(
        Telling(
            source_id=post.source_id,
            thread=post.thread,
            kind=post.kind,
            start=len(begin),
            stop=len(begin) + len(sentence.text),
            happening=happening,
            phrasing=sentence.phrasing.id,
            split=sentence.phrasing.split,
        )
    )
    if happening.true:
        draft.told.append((fact, post.source_id))
    return text


def _contradiction(desk: Desk, true: Happening) -> Happening:
    """Return what somebody wrongly says instead; the record wins."""
    words, target = true.words, true.fact.target
    if true.event in _VALUES:
        others = [one for one in _VALUES[true.event] if one != target[1]]
        wrong = desk.random.choice(others)
        words, target = words | {"value": wrong}, (None, wrong)
    else:
        agent = desk.random.choice([one for one in desk.agents if one.target != target])
        words, target = words | {"person": agent.name}, agent.target
    fact = true.fact
    false = WorldFact(fact.subject, fact.relation, target, fact.start, None, "contradicted")
    return Happening(true.event, true.at, words, false, true=False)


def _only_told(desk: Desk, draft: Draft, account: Account, contact: Contact | None) -> Happening:
    """Return what no record tells: interest in a product, a superior, an absence.

    What was told of somebody before is told again.
    """
    (at,) = desk.moments(1, 0.0, 0.8)
    day = desk.day(at)
    boss = account.contacts[0] if account.contacts else None
    target: Target
    end = None
    if contact is None or desk.random.random() < 0.3:
        no, name = desk.random.choice(PRODUCTS)
        event, subject, words = "interested_in", account.identifier, {"account": account.name}
        relation, target = "INTERESTED_IN", (record("product_no", no), None)
        words["product"] = name
    elif boss is not None and boss is not contact and desk.random.random() < 0.5:
        event, subject, words = "reports_to", contact.identifier, {"person": contact.name}
        relation, target = "REPORTS_TO", (boss.identifier, None)
        words["other"] = boss.name
    else:
        event, subject, words = "absent", contact.identifier, {"person": contact.name}
        relation, target = "HAS_ABSENCE", (None, "away")
        end = day + desk.random.randrange(3, 40) * DAY
    for told in account.happenings:
        if (told.fact.subject, told.fact.relation, told.fact.target) == (subject, relation, target):
            return told
    fact = draft.fact(subject, relation, target, day, end, kind="only_told")
    happening = Happening(event, at, words, fact)
    draft.happenings.append(happening)
    return happening

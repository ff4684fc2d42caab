"""Accounts as nightly extracts show them: owners, plans, renames, mergers, splits, duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

from regesta.simulate import names
from regesta.simulate.beliefs import NOTHING, UNKNOWN, Shown, Target, extract_beliefs
from regesta.simulate.desk import (
    Account,
    Agent,
    Desk,
    Draft,
    Entity,
    Happening,
    Series,
    WorldFact,
    record,
)
from regesta.simulate.logs import Step, history_row, log_series
from regesta.simulate.plan import Extract, iso

KINDS: Final = (
    "owner_changed",
    "plan_changed",
    "account_renamed",
    "account_merged",
    "owner_removed",
    "plan_unknown",
    "account_split",
    "duplicate_account_with_website",
    "account_vanished",
    "duplicate_account",
    "plan_changed",
    "account_plain",
)
PLANS: Final = ("basic", "team", "pro", "enterprise")
_SOURCE: Final = "crm_accounts"
_ENDING: Final = ("account_merged", "account_vanished")
_WITH_PARTNER: Final = ("account_merged", "account_split")
T = TypeVar("T")
_KINDS_OF_ENTITY: Final = {
    "account_renamed": "renamed",
    "account_merged": "merged",
    "account_split": "split",
    "duplicate_account": "duplicate",
    "duplicate_account_with_website": "duplicate",
}

Timeline = list[tuple[int, Target]]


def tell_account(
    desk: Desk, kind: str, partner: Account | None, most_rows: int
) -> tuple[Draft, Account]:
    """Return an account with its rows in at most about `most_rows` extracts.

    `partner` is the account that this one is merged into or split from; without one, and where
    there are too few extracts for a story, nothing happens.
    """
    draft = Draft()
    change = desk.moments(1, 0.15, 0.85)[0]
    records = 2 if kind.startswith("duplicate") else 1
    extracts = desk.plan.extracts()[-max(1, most_rows // records) :]
    if kind in _ENDING and extracts[0].reference > change:
        kind = "account_plain"
    if kind in _WITH_PARTNER and partner is None:
        kind = "account_plain"
    account = _new_account(desk, kind)
    draft.entities.append(account.entity)
    since = desk.past_day()
    if kind == "account_split":
        extracts = [one for one in extracts if one.reference > change] or extracts[-1:]
        since = min(change, extracts[0].reference - 60)
    if kind in _ENDING:
        account.last = change
    story = _Story(
        kind=kind,
        owners=_owners(desk, draft, account, kind, since=since, change=change),
        plans=_plans(desk, draft, account, kind, since=since, change=change),
        spellings=_spellings(desk, draft, account, kind, since=since, change=change),
        city=desk.random.choice(names.CITIES),
    )
    _facts(desk, draft, account, "LOCATED_IN", [(since, (None, story.city))], kind=kind)
    for place in range(len(account.nos)):
        _show(desk, draft, account, story, place=place, extracts=extracts)
    if kind in _WITH_PARTNER and partner is not None:
        _link(desk, draft, account, partner, kind=kind, change=change)
    return draft, account


class _Story(NamedTuple):
    kind: str
    owners: list[tuple[int, Agent | None]]
    plans: Timeline
    spellings: list[tuple[int, list[str]]]
    city: str


def _new_account(desk: Desk, kind: str) -> Account:
    name = desk.firm_name()
    spellings = [name]
    if kind.startswith("duplicate"):
        spellings.append(names.firm_spelled_otherwise(name, desk.random))
    nos = [desk.number("A") for _ in spellings]
    entity = Entity(
        key=f"{desk.group}/{nos[0]}",
        label="Account",
        names=list(spellings),
        records=[record("account_no", no) for no in nos],
        kind=_KINDS_OF_ENTITY.get(kind, "plain"),
    )
    domain = f"{names.address_part(name).replace('.', '-')}.example"
    return Account(entity, nos, spellings, domain, desk.agent(), desk.plan.end)


def _facts(
    desk: Desk,
    draft: Draft,
    account: Account,
    relation: str,
    timeline: Timeline,
    *,
    kind: str,
) -> list[WorldFact]:
    """Add what really was so, record by record of the account, and return it."""
    last = account.last if account.last < desk.plan.end else None
    ends = [*(at for at, _ in timeline[1:]), last]
    return [
        draft.fact(record("account_no", no), relation, target, start, end, kind=kind)
        for no in account.nos
        for (start, target), end in zip(timeline, ends, strict=True)
        if target != NOTHING
    ]


def _owners(
    desk: Desk, draft: Draft, account: Account, kind: str, *, since: int, change: int
) -> list[tuple[int, Agent | None]]:
    timeline: list[tuple[int, Agent | None]] = [(since, account.owner)]
    new = desk.agent(account.owner) if kind == "owner_changed" else None
    if kind in ("owner_changed", "owner_removed"):
        timeline.append((change, new))
    targets = [(at, NOTHING if one is None else one.target) for at, one in timeline]
    facts = _facts(desk, draft, account, "OWNED_BY", targets, kind=kind)
    if new is not None:
        words = {"account": account.name, "person": new.name, "old": account.owner.name}
        draft.happenings.append(Happening("owner_changed", change, words, facts[1]))
    return timeline


def _plans(
    desk: Desk, draft: Draft, account: Account, kind: str, *, since: int, change: int
) -> Timeline:
    old, new = desk.random.sample(PLANS, 2)
    timeline: Timeline = [(since, (None, old))]
    if kind in ("plan_changed", "duplicate_account", "duplicate_account_with_website"):
        timeline.append((change, (None, new)))
    facts = _facts(desk, draft, account, "HAS_PLAN", timeline, kind=kind)
    if len(timeline) > 1:
        words = {"account": account.name, "value": new, "old": old}
        draft.happenings.append(Happening("plan_changed", change, words, facts[1]))
    return timeline


def _spellings(
    desk: Desk, draft: Draft, account: Account, kind: str, *, since: int, change: int
) -> list[tuple[int, list[str]]]:
    timeline = [(since, list(account.spellings))]
    if kind == "account_renamed":
        name = desk.firm_name()
        account.entity.names.append(name)
        timeline.append((change, [name]))
        fact = draft.fact(account.identifier, "HAS_NAME", (None, name), change, kind=kind)
        words = {"account": account.name, "value": name}
        draft.happenings.append(Happening("account_renamed", change, words, fact))
    return timeline


def _show(
    desk: Desk,
    draft: Draft,
    account: Account,
    story: _Story,
    *,
    place: int,
    extracts: Sequence[Extract],
) -> None:
    """Add one record's rows in the extracts, and what they make one believe."""
    no = account.nos[place]
    seen: dict[str, list[Shown]] = {"OWNED_BY": [], "HAS_PLAN": [], "LOCATED_IN": []}
    for number, (reference, known) in enumerate(extracts):
        if reference >= account.last:
            for rows in seen.values():
                rows.append(Shown(reference, known, NOTHING))
            continue
        owner = _at(story.owners, reference)
        hidden = story.kind == "plan_unknown" and number in (1, 2)
        plan = UNKNOWN if hidden else _at(story.plans, reference)
        seen["OWNED_BY"].append(Shown(reference, known, owner.target if owner else NOTHING))
        seen["HAS_PLAN"].append(Shown(reference, known, plan))
        seen["LOCATED_IN"].append(Shown(reference, known, (None, story.city)))
        row = {
            "unit": desk.group,
            "account_no": no,
            "name": _at(story.spellings, reference)[place],
            "website": _website(account, story.kind, place),
            "owner_no": owner.no if owner else "",
            "owner": owner.name if owner else "",
            "plan": plan[1] or "n/a",
            "city": story.city,
            "extracted_at": iso(reference),
        }
        draft.row(_SOURCE, known, row)
    for relation, rows in seen.items():
        rectangles = extract_beliefs(rows)
        subject = record("account_no", no)
        draft.series.append(Series(subject, relation, _SOURCE, story.kind, rectangles))


def _website(account: Account, kind: str, place: int) -> str:
    apart = kind == "duplicate_account" and place > 0
    return f"{'shop' if apart else 'www'}.{account.domain}"


def _at(timeline: Sequence[tuple[int, T]], moment: int) -> T:
    found = timeline[0][1]
    for at, value in timeline:
        if at <= moment:
            found = value
    return found


def _link(
    desk: Desk, draft: Draft, account: Account, partner: Account, *, kind: str, change: int
) -> None:
    """Tell in the CRM's history that one account became part of another, or came out of it."""
    status = "merged" if kind == "account_merged" else "spun off"
    known = desk.delivered(change)
    head = {"account_no": account.no, "account_name": account.name}
    parent = {"parent_no": partner.no, "parent_name": partner.name}
    for field, relation, target, more in (
        ("Status", "HAS_STATUS", (None, status), {"new_value": status}),
        ("Parent", "PART_OF", partner.target, parent),
    ):
        step = Step(desk.number("H"), 1, change, known, {relation: target})
        draft.row("crm_history", known, history_row(desk, step, {**head, "field": field, **more}))
        draft.series += log_series([step], account.identifier, "crm_history", kind)
        fact = draft.fact(account.identifier, relation, target, change, kind=kind)
    words = {"account": account.name, "other": partner.name}
    draft.happenings.append(Happening(kind, change, words, fact))

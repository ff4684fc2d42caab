"""Contracts of accounts and who manages them: records with starts and ends, and their versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from regesta.simulate.beliefs import Record, Target, post_beliefs, record_beliefs
from regesta.simulate.desk import PRODUCTS, Account, Agent, Desk, Draft, Happening, Series, record
from regesta.simulate.logs import final_facts
from regesta.simulate.plan import DAY, HOUR, START, day_text, last_day

CONTRACT_KINDS: Final = (
    "contract_cancelled",
    "contract_corrected",
    "contract_plain",
    "contract_removed",
    "contract_renewed",
    "contract_out_of_order",
    "contract_late",
)
MANAGER_KINDS: Final = (
    "stand_in",
    "manager_changed",
    "stand_in_called_off",
    "manager_late",
    "manager_plain",
    "stand_in_extended",
    "manager_corrected",
    "manager_removed",
)
_CONTRACTS: Final = "contracts"
_ASSIGNMENTS: Final = "assignments"


def tell_contract(desk: Desk, kind: str, account: Account, product: int) -> Draft:
    """Return a contract on a product (its place in PRODUCTS) with all its versions."""
    draft = Draft()
    product_no, product_name = PRODUCTS[product]
    target: Target = (record("product_no", product_no), None)
    versions = _CONTRACT_VERSIONS[kind](desk, target)
    items = {row.item: desk.number("K") for row in versions}
    for row in versions:
        fields = {
            "unit": desk.group,
            "contract_no": items[row.item],
            "revision": row.revision,
            "account_no": account.no,
            "account_name": account.name,
            "product_no": product_no,
            "product": product_name,
            "starts": day_text(row.start // DAY),
            "ends": last_day(row.end),
            "state": "void" if row.removed else "signed",
        }
        draft.row(_CONTRACTS, row.known, fields)
    series = Series(account.identifier, "SUBSCRIBED_TO", _CONTRACTS, kind, record_beliefs(versions))
    draft.series.append(series)
    facts = final_facts(draft, [series])
    words = {"account": account.name, "product": product_name}
    for fact in facts:
        if fact.end is not None:
            event = "contract_cancelled" if kind == "contract_cancelled" else "contract_ends"
            draft.happenings.append(Happening(event, versions[-1].known, words, fact))
        else:
            draft.happenings.append(Happening("contract_runs", versions[0].known, words, fact))
    return draft


def _plain(desk: Desk, target: Target) -> list[Record]:
    (at,) = desk.moments(1, 0.0, 0.4)
    start = desk.past_day()
    years = 1 + (START - start) // (365 * DAY) + desk.random.randrange(2)
    end = start + years * 365 * DAY if desk.random.random() < 0.7 else None
    return [Record("1", 1, desk.delivered(at), target, start, end)]


def _cancelled(desk: Desk, target: Target) -> list[Record]:
    (first,) = _plain(desk, target)
    (at,) = desk.moments(1, 0.45, 0.95)
    known = desk.delivered(at, after=first.known)
    end = desk.day(at) + desk.random.choice((-4, 1, 12, 27)) * DAY
    return [first, first._replace(revision=2, known=known, end=end)]


def _corrected(desk: Desk, target: Target) -> list[Record]:
    (first,) = _plain(desk, target)
    (at,) = desk.moments(1, 0.45, 0.95)
    start = first.start + desk.random.choice((-30, -7, 9, 20)) * DAY
    known = desk.delivered(at, after=first.known)
    return [first, first._replace(revision=2, known=known, start=start)]


def _removed(desk: Desk, target: Target) -> list[Record]:
    (first,) = _plain(desk, target)
    (at,) = desk.moments(1, 0.45, 0.95)
    known = desk.delivered(at, after=first.known)
    return [first, first._replace(revision=2, known=known, removed=True)]


def _renewed(desk: Desk, target: Target) -> list[Record]:
    """A second contract begins on the day after the last one of the first, or some days later."""
    (first,) = _plain(desk, target)
    at, again = desk.moments(2, 0.3, 0.95)
    end = desk.day(at)
    start = end + desk.random.choice((0, 0, 6)) * DAY
    first = first._replace(end=end)
    known = desk.delivered(again, after=first.known)
    return [first, Record("2", 1, known, target, start, start + 365 * DAY)]


def _out_of_order(desk: Desk, target: Target) -> list[Record]:
    first, second = _corrected(desk, target)
    third = second._replace(revision=3, end=second.start + 800 * DAY)
    known = desk.delivered(desk.day(third.known) + 12 * HOUR, 2, after=third.known)
    return [first, third, second._replace(known=known)]


def _late(desk: Desk, target: Target) -> list[Record]:
    (at,) = desk.moments(1, 0.1, 0.6)
    known = desk.delivered(at, desk.random.randrange(3, 9))
    return [Record("1", 1, known, target, desk.day(at))]


_CONTRACT_VERSIONS: Final[dict[str, Callable[[Desk, Target], list[Record]]]] = {
    "contract_plain": _plain,
    "contract_cancelled": _cancelled,
    "contract_corrected": _corrected,
    "contract_removed": _removed,
    "contract_renewed": _renewed,
    "contract_out_of_order": _out_of_order,
    "contract_late": _late,
}


def tell_managers(desk: Desk, kind: str, account: Account) -> Draft:
    """Return who manages an account, with successors and stand-ins."""
    draft = Draft()
    first = desk.agent()
    second = desk.agent(first)
    agents = {"1": first, "2": second}
    versions = _managed(desk, kind, first, second)
    items = {row.item: desk.number("G") for row in versions}
    for row in versions:
        agent = agents[row.item]
        fields = {
            "unit": desk.group,
            "assignment_no": items[row.item],
            "revision": row.revision,
            "account_no": account.no,
            "account_name": account.name,
            "manager_no": agent.no,
            "manager": agent.name,
            "from": day_text(row.start // DAY),
            "to": last_day(row.end),
            "stand_in": row.temporary,
            "state": "void" if row.removed else "active",
        }
        draft.row(_ASSIGNMENTS, row.known, fields)
    series = Series(account.identifier, "MANAGED_BY", _ASSIGNMENTS, kind, post_beliefs(versions))
    draft.series.append(series)
    for fact in final_facts(draft, [series]):
        standing_in = fact.target == second.target and kind.startswith("stand_in")
        holder = second if fact.target == second.target else first
        words = {"account": account.name, "person": holder.name, "old": first.name}
        if standing_in:
            draft.happenings.append(Happening("stand_in", versions[1].known, words, fact))
        elif fact.start >= START and holder is second:
            draft.happenings.append(Happening("manager_changed", fact.start, words, fact))
    return draft


def _managed(desk: Desk, kind: str, first: Agent, second: Agent) -> list[Record]:
    """Return the versions of the assignments; item 1 is the first manager's."""
    opening, at, later = desk.moments(3, 0.0, 0.8)
    known = desk.delivered(opening)
    posted = Record("1", 1, known, first.target, desk.past_day())
    if kind == "manager_plain":
        return [posted]
    late = desk.random.randrange(3, 9) if kind == "manager_late" else 0
    told = desk.delivered(at, late, after=known)
    ahead = 0 if late else desk.random.randrange(-2, 6)
    start = desk.day(at) + ahead * DAY
    follows = Record("2", 1, told, second.target, start)
    if kind.startswith("stand_in"):
        end = start + desk.random.randrange(3, 15) * DAY
        follows = follows._replace(end=end, temporary=True)
    again = desk.delivered(later, after=told)
    if kind in ("manager_removed", "stand_in_called_off"):
        return [posted, follows, follows._replace(revision=2, known=again, removed=True)]
    if kind == "manager_corrected":
        moved = follows._replace(revision=2, known=again, start=start + 4 * DAY)
        return [posted, follows, moved]
    if kind == "stand_in_extended":
        longer = (follows.end or start) + 5 * DAY
        return [posted, follows, follows._replace(revision=2, known=again, end=longer)]
    return [posted, follows]

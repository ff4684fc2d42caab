"""A whole cell: account by account, story by story, until the rows asked for are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regesta.simulate import accounts, chat, contracts, people, tickets
from regesta.simulate.desk import PRODUCTS, Account, Desk
from regesta.simulate.plan import CellPlan, Plan
from regesta.simulate.questions import Question, draw

_CONTACT_STORIES: Final = 3
_TICKETS: Final = 2
_NOTES: Final = 4
_LEAST_OF_CONTACT: Final = 2
_LEAST_OF_TICKET: Final = 4
"""Rows without which a story need not be tried."""

_SHARE_OF_EXTRACTS: Final = 3
"""An account's extracts take about a third of a small group's rows at most."""

_RECENT: Final = 8
"""How many of the latest accounts another may be merged with, come from or share people with."""


def make_cell(plan: Plan, cell: CellPlan) -> tuple[Desk, list[Question]]:
    """Return a finished cell with exactly the rows asked for, and questions about it."""
    desk = Desk(plan, cell)
    known: list[Account] = []
    turn = 5 * cell.group + 7 * cell.block
    while (account := _account(desk, turn, known)) is not None:
        known.append(account)
        _around(desk, turn, account, known)
        turn += 1
    while desk.left:
        about = desk.random.choice(known) if known else None
        desk.keep(chat.tell_note(desk, about) if about else chat.tell_filler(desk), about)
    first = min((row[1] for row in desk.done.rows), default=plan.end)
    questions = draw(desk.random, desk.done.series, cell.questions, first, plan.end - 1)
    return desk, questions


def _turn(kinds: Sequence[str], number: int) -> str:
    return kinds[number % len(kinds)]


def _account(desk: Desk, turn: int, known: list[Account]) -> Account | None:
    """Return a new account with its extracts, or None where its rows no longer fit."""
    if not desk.left:
        return None
    kind = _turn(accounts.KINDS, turn)
    partners = [one for one in known[-_RECENT:] if one.last == desk.plan.end]
    partner = desk.random.choice(partners) if partners else None
    most = max(2, desk.cell.episodes // _SHARE_OF_EXTRACTS)
    draft, account = accounts.tell_account(desk, kind, partner, most)
    if not desk.keep(draft, account):
        return None
    return account


def _around(desk: Desk, turn: int, account: Account, known: list[Account]) -> None:
    """Add what goes on around an account; where little fits, each group begins elsewhere."""
    areas = [_managers, _contracts, _people]
    start = desk.cell.group % len(areas)
    for area in (*areas[start:], *areas[:start]):
        if desk.left:
            area(desk, turn, account, known)
    for _ in range(min(desk.left, _NOTES)):
        desk.keep(chat.tell_note(desk, account), account)


def _managers(desk: Desk, turn: int, account: Account, _: list[Account]) -> None:
    kind = _turn(contracts.MANAGER_KINDS, turn)
    desk.keep(contracts.tell_managers(desk, kind, account), account)


def _contracts(desk: Desk, turn: int, account: Account, _: list[Account]) -> None:
    for number, product in enumerate(desk.random.sample(range(len(PRODUCTS)), 1 + turn % 2)):
        kind = _turn(contracts.CONTRACT_KINDS, turn + 3 * number)
        desk.keep(contracts.tell_contract(desk, kind, account, product), account)


def _people(desk: Desk, turn: int, account: Account, known: list[Account]) -> None:
    others = [one for one in known[-_RECENT:] if one is not account]
    for number in range(_CONTACT_STORIES):
        if desk.left < _LEAST_OF_CONTACT:
            break
        kind = _turn(people.KINDS, _CONTACT_STORIES * turn + number)
        other = desk.random.choice(others) if others else None
        draft, contacts = people.tell_contacts(desk, kind, account, other)
        if desk.keep(draft, account):
            account.contacts += contacts
    for number in range(_TICKETS):
        _ticket(desk, _turn(tickets.KINDS, _TICKETS * turn + number), account)


def _ticket(desk: Desk, kind: str, account: Account) -> None:
    if desk.left < _LEAST_OF_TICKET or not account.contacts:
        return
    contact = desk.random.choice(account.contacts)
    product = desk.random.choice(PRODUCTS)[1]
    draft, ticket, agent = tickets.tell_ticket(desk, kind, account, contact, product)
    if not desk.keep(draft):
        return
    thread = chat.tell_thread(
        desk,
        account,
        contact,
        ticket=ticket,
        agent=agent,
        own=draft.happenings,
        contradicts=kind == "contradicted",
    )
    desk.keep(thread, account)

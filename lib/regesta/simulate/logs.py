"""Logs of changes: what is told step by step, and the ways in which the telling goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from regesta.simulate.beliefs import Action, Target, Told, log_beliefs
from regesta.simulate.desk import Desk, Draft, Row, Series, WorldFact
from regesta.simulate.plan import iso

Says = Mapping[str, Target]
"""What a row says, by relation; NOTHING ends what held."""

Twist = Literal["plain", "late", "out_of_order", "corrected", "moved", "withdrawn", "retracted"]
_TWISTS: Final[tuple[Twist, ...]] = (
    "late", "out_of_order", "corrected", "moved", "withdrawn", "retracted",
)  # fmt: skip


class Step(NamedTuple):
    """A row of a log: a revision of an item, what it says from `at` on, when it was delivered."""

    item: str
    revision: int
    at: int
    known: int
    says: Says
    action: Action = "says"


def twist_of(kind: str) -> Twist:
    """Return the twist that a kind of event is named by ("ticket_late": late), else plain."""
    _, _, name = kind.partition("_")
    return next((twist for twist in _TWISTS if twist == name), "plain")


def script(
    desk: Desk, moments: Sequence[int], values: Sequence[Says], twist: Twist, wrong: Says | None
) -> list[Step]:
    """Return the steps that tell `values` one after another; the twist concerns the second.

    late: delivered on a later day; out_of_order: after the third; corrected: says `wrong` at first;
    moved: at another time at first; withdrawn, retracted: it was a mistake, taken back as an item
    or by a row of its own.
    """
    steps = [
        Step(desk.number("E"), 1, at, desk.delivered(at), says)
        for at, says in zip(moments, values, strict=True)
    ]
    if twist == "plain" or len(steps) < 2:
        return steps
    second = steps[1]
    late = desk.random.randrange(2, 7)
    if twist == "late":
        steps[1] = second._replace(known=desk.delivered(second.at, late))
    elif twist == "out_of_order":
        steps[1] = second._replace(known=desk.delivered(steps[-1].at, 1, after=steps[-1].known))
    elif twist == "corrected":
        assert wrong is not None
        steps[1] = second._replace(says=wrong)
        steps.append(_revised(desk, second, late))
    elif twist == "moved":
        steps[1] = second._replace(at=(steps[0].at + second.at) // 2)
        steps.append(_revised(desk, second, late))
    elif twist == "withdrawn":
        steps.append(_revised(desk, second, late)._replace(action="removed"))
    else:
        at = desk.moments(1, 0.95, 1.0)[0]
        known = desk.delivered(at, after=second.known)
        steps.append(Step(desk.number("E"), 1, at, known, second.says, "retracts"))
    return steps


def _revised(desk: Desk, step: Step, late: int) -> Step:
    return step._replace(revision=2, known=desk.delivered(step.at, late, after=step.known))


def log_series(steps: Sequence[Step], subject: str, source: str, kind: str) -> list[Series]:
    """Return what the steps make one believe, a series for each relation."""
    relations = dict.fromkeys(relation for step in steps for relation in step.says)
    found = []
    for relation in relations:
        rows = [
            Told(step.item, step.revision, step.known, step.at, step.says[relation], step.action)
            for step in steps
            if relation in step.says
        ]
        found.append(Series(subject, relation, source, kind, log_beliefs(rows)))
    return found


def final_facts(draft: Draft, series: Sequence[Series]) -> list[WorldFact]:
    """Add what the records say in the end as what really was so."""
    return [
        draft.fact(one.subject, one.relation, row.target, row.start, row.end, kind=one.kind)
        for one in series
        for row in one.rectangles
        if row.expired is None
    ]


def history_row(desk: Desk, step: Step, fields: Row) -> Row:
    """Return a row of the CRM's history of changes."""
    row: Row = {"unit": desk.group, "id": step.item, "revision": step.revision}
    row["action"] = "retract" if step.action == "retracts" else "change"
    row.update(fields)
    row["changed_at"] = iso(step.at)
    if step.action == "removed":
        row["deleted"] = True
    return row

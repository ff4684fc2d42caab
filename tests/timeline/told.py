"""Statements of the rules' examples, written short. Times are plain numbers, 0 to 99."""

from __future__ import annotations

from itertools import count

from timeline_writing import ONTOLOGY, statement

from regesta.timeline.rules import believed

NUMBERS = count()


def owner(who, start, end=None, **given):
    """Acme is owned by somebody (one owner at a time)."""
    given.setdefault("reference_time", 0 if start is None else start)
    id_ = given.pop("id", f"s{next(NUMBERS)}")
    return statement(id_, "acme", "OWNED_BY", who, valid_at=start, invalid_at=end, **given)


def works(where, start, end=None, **given):
    """Alice works somewhere (of which many stand side by side)."""
    return owner(where, start, end, **given)._replace(subject="alice", relation="WORKS_AT")


def ends(of, said, at=None, **given):
    """The end of what another statement says, said at a time."""
    id_ = given.pop("id", f"s{next(NUMBERS)}")
    return of._replace(
        id=id_,
        polarity="ends",
        valid_at=None,
        invalid_at=at,
        reference_time=said,
        **{"authority": 0, "position": 0, **given},
    )


def takes_back(of, said, what="asserts", **given):
    return of._replace(
        id=f"s{next(NUMBERS)}",
        polarity="retracts",
        retracts=what,
        reference_time=said,
        **{"valid_at": None, "invalid_at": None, **given},
    )


def spans(*statements, disputed=False):
    """(object, start, end) of the periods."""
    return [
        (p.object, p.start, p.end)
        for p in sorted(believed(statements, ONTOLOGY), key=lambda p: p.start)
        if p.disputed == disputed
    ]

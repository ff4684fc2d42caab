"""Why a fact's valid time ended and why a belief in it did, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from regesta.query.answers import Episode, Fact, Life, Reason, Verdict
from regesta.query.group import View
from regesta.query.read import quoted_span, read_episode, read_fact, read_verdict
from regesta.query.times import show, show_last

ENDS: Final = {
    "stated": "as stated with it",
    "ended": "as told",
    "superseded": "followed by {fact}",
    "covered": "interrupted by {fact}",
    "believed": "from then on it is believed",
}
"""`end_reason` -> words; {fact} is the fact that ended it."""

EXPIRIES: Final = {
    "ended": "its end became known",
    "superseded": "it was followed by {fact}",
    "extended": "it turned out to hold longer",
    "corrected": "its dates were corrected",
    "disputed": "higher authority tells {fact}",
    "confirmed": "it is no longer disputed",
    "overruled": "{fact} prevails over it",
    "retracted": "it was taken back",
    "revised": "the record was corrected",
    "withdrawn": "the record was withdrawn",
    "moved": "its entity turned out to be another one",
}
"""`expiry_reason` -> words."""


def life_of(view: View, fact: Fact) -> Life:
    """Return a fact with the reasons for its end and for the end of the belief, as known then."""
    return Life(fact=fact, ended=_ended(view, fact), expired=_expired(view, fact))


def _ended(view: View, fact: Fact) -> Reason | None:
    if fact.end_reason is None or fact.invalid_at is None:
        return None
    due = _Due(fact.end_reason, fact.end_by, fact.end_by_fact, fact.end_by_episode)
    opening = f"ended {show_last(fact.invalid_at, fact.invalid_precision)}"
    return _reason(view, fact, due, ENDS, opening=opening, cited="stated in")


def _expired(view: View, fact: Fact) -> Reason | None:
    if fact.expiry_reason is None or fact.expired_at is None:
        return None
    due = _Due(fact.expiry_reason, fact.expired_by, fact.expired_by_fact, fact.expired_by_episode)
    opening = f"no longer believed since {show(fact.expired_at)}"
    return _reason(view, fact, due, EXPIRIES, opening=opening, cited="see")


class _Due(NamedTuple):
    """The kind of an end, and by their ids the statement, fact and episode that it is due to."""

    kind: str
    statement: str | None
    fact: str | None
    episode: str | None


def _reason(
    view: View, fact: Fact, due: _Due, words: Mapping[str, str], *, opening: str, cited: str
) -> Reason:
    other = _other(view, fact, due.fact)
    episode = _episode(view, due.episode)
    verdict = _verdict(view, fact, due.fact)
    told = f", {cited} {episode.label}" if episode else ""
    return Reason(
        kind=due.kind,
        words=f"{opening}: {_words(words, due.kind, other)}{told}{_judged(verdict)}",
        fact=other,
        episode=episode,
        quote=_quote(view, due),
        verdict=verdict,
    )


def _words(told: Mapping[str, str], reason: str, other: Fact | None) -> str:
    words = told.get(reason, reason)
    if "{fact}" in words:
        return words.format(fact="another fact" if other is None else _named(other))
    return f"{words}; now {_named(other)}" if reason == "moved" and other else words


def _verdict(view: View, fact: Fact, other: str | None) -> Verdict | None:
    """Return the verdict that stood then for two facts."""
    ids = {fact.fact_id, other}
    rows = (row for each in ids - {None} for row in view.standing("verdicts", str(each)))
    pair = (row for row in rows if {row["left_fact"], row["right_fact"]} == ids)
    return next(map(read_verdict, pair), None)


def _judged(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return f"; {verdict.author} judged that it {verdict.verdict}: {verdict.reason}"


def _named(fact: Fact) -> str:
    return f"{fact.subject} {fact.relation} {fact.object or fact.value} (fact {fact.fact_id})"


def _other(view: View, fact: Fact, fact_id: str | None) -> Fact | None:
    """Return the newest telling of another fact that had been written then."""
    if fact_id is None or fact_id == fact.fact_id:
        return None
    found = [read_fact(view, row) for row in _told_rows(view, fact_id)]
    return max(found, key=lambda each: (each.created_at, each.row_id), default=None)


def _told_rows(view: View, fact_id: str) -> Iterator[int]:
    start = view.group.slice("facts").start
    rows = view.group.run("facts", "fact_id", fact_id)
    return (row for row in rows if view.told[row - start])


def _episode(view: View, episode_id: str | None) -> Episode | None:
    rows = view.group.run("episodes", "episode_id", episode_id) if episode_id else iter(())
    row = next(rows, None)
    return None if row is None else read_episode(view, row)


def _quote(view: View, due: _Due) -> str | None:
    """Return the words of the episode that state the fact."""
    if due.fact is None or due.statement is None:
        return None
    for row in view.group.run("evidence", "fact_id", due.fact):
        cited = view.group.segment.row("evidence", row)
        if (cited["statement_id"], cited["episode_id"]) == (due.statement, due.episode):
            return quoted_span(view, row)
    return None

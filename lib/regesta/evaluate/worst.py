"""The worst errors of each sort, with the episodes that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any, Final, Literal

import numpy as np

from regesta.evaluate.answers import Answered
from regesta.evaluate.coded import Claims, Coded
from regesta.evaluate.coding import Array, row_at, shared_codes
from regesta.evaluate.entities import Clusters, merged, parts
from regesta.evaluate.episodes import EPISODES, Episode, cited, excerpt, start_of
from regesta.evaluate.facts import Compared, in_real_names
from regesta.evaluate.published import Published
from regesta.evaluate.truth import Truth
from regesta.query import show
from regesta.query.times import to_micros

Sort = Literal["wrong_merge", "missed_merge", "facts", "answer"]
_LINES: Final = 8


@dataclass(frozen=True)
class Mistake:
    """One error: how much is wrong, what the truth says, what the snapshot says, and why."""

    sort: Sort
    group: str
    kind_of_event: str
    about: str
    size: int
    expected: tuple[str, ...]
    published: tuple[str, ...]
    episodes: tuple[Episode, ...]


@dataclass(frozen=True)
class Material:
    """All that errors are told from."""

    truth: Truth
    published: Published
    both: Coded
    clusters: Clusters
    facts: Compared
    answers: Sequence[Answered]

    def real(self, row: int) -> dict[str, Any]:
        """Return an entity of the truth."""
        return row_at(self.truth.entities, row)

    def entity(self, code: int) -> dict[str, Any]:
        """Return a version of an entity of the snapshot, the open one where there is one."""
        return row_at(self.published.entities, int(self.both.entity_rows[code]))

    def true(self, row: int) -> dict[str, Any]:
        """Return a fact of the truth."""
        return row_at(self.truth.facts, row)

    def believed(self, row: int) -> dict[str, Any]:
        """Return a fact of the snapshot."""
        return row_at(self.published.facts, int(self.both.believed_rows[row]))


def worst(material: Material, most: int) -> list[Mistake]:
    """Return up to `most` errors of each sort, the largest first."""
    sorts = (wrong_merges, missed_merges, wrong_facts, wrong_answers)
    found = [mistake for sort in sorts for mistake in islice(sort(material), most)]
    return _with_excerpts(material.published, found)


def wrong_merges(material: Material) -> Iterator[Mistake]:
    """Give entities of the snapshot with records of several real ones; size: how many."""
    found = material.clusters
    wrong = merged(found)
    pairs = np.unique(np.stack([found.predicted[wrong], found.gold[wrong]]), axis=1)
    for entity, count in _largest(pairs[0]):
        golds = pairs[1][pairs[0] == entity][:_LINES]
        real = [material.real(int(row)) for row in golds]
        about = material.entity(entity)
        yield Mistake(
            sort="wrong_merge",
            group=about["group_id"],
            kind_of_event=", ".join(sorted({each["kind_of_event"] for each in real})),
            about=about["name"],
            size=count,
            expected=tuple(f"{each['name']}: {', '.join(each['records'])}" for each in real),
            published=(_described(about),),
            episodes=_episodes(material, _facts_of_each(material, entity, golds)),
        )


def missed_merges(material: Material) -> Iterator[Mistake]:
    """Give real entities that are spread over several of the snapshot; size: over how many."""
    found = material.clusters
    spread = parts(found, len(material.truth.entities))
    for row, count in _largest(np.repeat(np.arange(len(spread)), np.where(spread > 1, spread, 0))):
        real = material.real(row)
        entities = np.unique(found.predicted[(found.gold == row) & (found.predicted >= 0)])
        yield Mistake(
            sort="missed_merge",
            group=real["group_id"],
            kind_of_event=real["kind_of_event"],
            about=real["name"],
            size=count,
            expected=(f"{' / '.join(real['names'])}: {', '.join(real['records'])}",),
            published=tuple(_described(material.entity(int(e))) for e in entities[:_LINES]),
            episodes=_episodes(material, _facts_of(material.both.believed, entities.tolist())),
        )


def wrong_facts(material: Material) -> Iterator[Mistake]:
    """Give subjects and relations with rectangles that only one side has; size: how many."""
    facts = material.facts
    real, owned = in_real_names(material.both)
    told, believed = shared_codes((real.subject, real.relation), (owned.subject, owned.relation))
    missed, wrong = facts.true_row[~facts.true_found], facts.wrong_row
    for code, count in _largest(np.concatenate([told[missed], believed[wrong]])):
        true_rows, rows = np.flatnonzero(told == code), np.flatnonzero(believed == code)
        some = material.true(int(true_rows[0])) if len(true_rows) else None
        about = some or material.believed(int(rows[0]))
        subject = about["subject"] if some else _called(material, rows[0])
        yield Mistake(
            sort="facts",
            group=about["group_id"],
            kind_of_event=some["kind_of_event"] if some else "",
            about=f"{subject} {about['relation']}",
            size=count,
            expected=_lines(material.true(int(row)) for row in _in_order(real, true_rows)),
            published=_lines(_with_name(material, row) for row in _in_order(owned, rows)),
            episodes=_episodes(material, wrong[believed[wrong] == code].tolist() or rows.tolist()),
        )


def wrong_answers(material: Material) -> Iterator[Mistake]:
    """Give questions answered wrongly, one of each kind of event before a second one."""
    by_kind: dict[str, list[Answered]] = {}
    for each in material.answers:
        if not each.right:
            by_kind.setdefault(each.question["kind_of_event"], []).append(each)
    ordered = sorted(by_kind.values(), key=len, reverse=True)
    for turn in zip_longest(*ordered):
        for each in turn:
            if each is not None:
                yield _wrong_answer(material, each)


def _wrong_answer(material: Material, wrong: Answered) -> Mistake:
    asked = wrong.question
    times = f"valid {show(asked['valid'])}, known {show(asked['known'])}"
    periods = [(fact.fact_id, start_of(fact), fact.created_at) for fact in wrong.facts[:_LINES]]
    return Mistake(
        sort="answer",
        group=asked["group_id"],
        kind_of_event=asked["kind_of_event"],
        about=f"{asked['subject']} {asked['relation']} as of {times}",
        size=1,
        expected=tuple(asked["answers"]) or ("nothing",),
        published=tuple(fact.text for fact in wrong.facts[:_LINES]) or (_nothing(wrong),),
        episodes=cited(material.published, asked["group_id"], periods),
    )


def _nothing(wrong: Answered) -> str:
    return "nothing" if wrong.entities else f"{wrong.question['subject']} is not there"


def _largest(codes: Array) -> Iterator[tuple[int, int]]:
    """Give the codes with how often they occur, the most frequent first."""
    values, counts = np.unique(codes, return_counts=True)
    for place in np.lexsort((values, -counts)):
        yield int(values[place]), int(counts[place])


def _facts_of(believed: Claims, entities: Iterable[int]) -> list[int]:
    """Return rows of facts about entities, in turn: one of each, then a second of each, ..."""
    return _in_turn(
        np.flatnonzero((believed.subject == entity) | (believed.target == entity))
        for entity in entities
    )


def _facts_of_each(material: Material, entity: int, golds: Array) -> list[int]:
    """Return rows of facts about a merged entity, in turn those told of each real one in it."""
    believed, like = material.both.believed, material.facts.like
    rows = np.flatnonzero((believed.subject == entity) & (like >= 0))
    told_of = material.both.gold[material.both.truth.subject[like[rows]]]
    return _in_turn(rows[told_of == gold] for gold in golds)


def _in_turn(groups: Iterable[Array]) -> list[int]:
    turns = zip_longest(*(rows[:EPISODES].tolist() for rows in groups))
    return [row for turn in turns for row in turn if row is not None]


def _in_order(claims: Claims, rows: Array) -> Array:
    return rows[np.lexsort((claims.created[rows], claims.start[rows]))]


def _lines(facts: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    lines = [_line(fact) for fact in islice(facts, _LINES + 1)]
    return (*lines[:_LINES], "...") if len(lines) > _LINES else tuple(lines)


def _line(fact: dict[str, Any]) -> str:
    target = fact.get("object") or fact["value"]
    valid = _span(fact["valid_at"], fact["invalid_at"])
    known = _span(fact["created_at"], fact["expired_at"])
    return f"{target}  valid {valid}  known {known}"


def _span(start: datetime, end: datetime | None) -> str:
    since = show(to_micros(start))
    return f"{since} to {show(to_micros(end))}" if end else f"since {since}"


def _with_name(material: Material, row: int) -> dict[str, Any]:
    target = int(material.both.believed.target[row])
    fact = material.believed(row)
    return fact if target < 0 else fact | {"object": _described(material.entity(target))}


def _called(material: Material, row: int) -> str:
    return _described(material.entity(int(material.both.believed.subject[row])))


def _described(entity: dict[str, Any]) -> str:
    return f"{entity['name']} ({', '.join(entity['identifiers'] or ())})"


def _episodes(material: Material, rows: Iterable[int]) -> tuple[Episode, ...]:
    some, believed = list(islice(rows, 2 * EPISODES)), material.both.believed
    if not some:
        return ()
    facts = [material.believed(row) for row in some]
    periods = [
        (fact["fact_id"], int(believed.start[row]), int(believed.created[row]))
        for fact, row in zip(facts, some, strict=True)
    ]
    return cited(material.published, facts[0]["group_id"], periods)


def _with_excerpts(published: Published, mistakes: list[Mistake]) -> list[Mistake]:
    ids = [episode.episode_id for mistake in mistakes for episode in mistake.episodes]
    contents = published.contents(ids) if ids else {}
    return [
        replace(
            mistake,
            episodes=tuple(
                replace(each, excerpt=excerpt(contents.get(each.episode_id) or "", each.quote))
                for each in mistake.episodes
            ),
        )
        for mistake in mistakes
    ]

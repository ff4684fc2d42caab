"""As-of questions, put to the snapshot as a user would: by the record's identifier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from regesta.evaluate.measures import share
from regesta.query import Fact, Graph, Snapshot


@dataclass(frozen=True)
class Answered:
    """A question (a row of truth/questions, times in microseconds) and what the snapshot says."""

    question: Mapping[str, Any]
    facts: tuple[Fact, ...]
    answers: tuple[tuple[str, ...], ...]  # of each fact what it names: a value, or identifiers
    entities: int  # how many the subject's identifier means

    @property
    def right(self) -> bool:
        """Tell whether each fact is an answer expected, and each answer expected a fact."""
        expected = set(self.question["answers"])
        named = {each for names in self.answers for each in names}
        return expected <= named and all(expected & set(names) for names in self.answers)


@dataclass(frozen=True)
class Share:
    """Questions asked and answered rightly."""

    name: str
    asked: int
    right: int
    share: float | None


@dataclass(frozen=True)
class AnswerScores:
    """Answers to all questions that the snapshot's known time allows."""

    every: Share
    not_asked: int  # they are about a known time after the snapshot's
    axes: list[Share]
    kinds: list[Share]


def ask(
    snapshot: Snapshot,
    questions: Iterable[Mapping[str, Any]],
    progress: Callable[[int], None],
) -> list[Answered]:
    """Ask questions; a group that isn't there says nothing.

    `progress` takes how many more are done.
    """
    known, groups = set(snapshot.groups()), {}
    found = []
    for question in questions:
        name = question["group_id"]
        if name in known and name not in groups:
            groups[name] = snapshot.group(name)
        found.append(_answer(groups.get(name), question))
        progress(1)
    return found


def _answer(group: Graph | None, question: Mapping[str, Any]) -> Answered:
    if group is None:
        return Answered(question, (), (), 0)
    graph = group.as_of(valid=question["valid"], known=question["known"])
    entities = graph.matching(question["subject"])
    facts = tuple(
        fact
        for entity in entities
        for fact in graph.facts(entity.entity_id)
        if fact.relation == question["relation"]
    )
    return Answered(question, facts, tuple(_named(graph, fact) for fact in facts), len(entities))


def _named(graph: Graph, fact: Fact) -> tuple[str, ...]:
    if fact.object_id is None:
        return (fact.value or "",)
    return graph.entity(fact.object_id).identifiers


def score_answers(found: list[Answered], not_asked: int) -> AnswerScores:
    """Return the shares answered rightly: of all, by axis and by kind of event."""
    return AnswerScores(
        every=_share("all", found),
        not_asked=not_asked,
        axes=_by("axis", found),
        kinds=_by("kind_of_event", found),
    )


def _by(column: str, found: list[Answered]) -> list[Share]:
    groups: dict[str, list[Answered]] = {}
    for each in found:
        groups.setdefault(each.question[column], []).append(each)
    return [_share(name, groups[name]) for name in sorted(groups)]


def _share(name: str, found: list[Answered]) -> Share:
    right = sum(each.right for each in found)
    return Share(name, len(found), right, share(right, len(found)))

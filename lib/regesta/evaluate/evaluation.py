"""The whole evaluation: a truth beside what a warehouse published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from regesta.evaluate.answers import AnswerScores, ask, score_answers
from regesta.evaluate.coded import Coded, coded
from regesta.evaluate.coding import texts
from regesta.evaluate.entities import EntityScores, clusters, score_entities
from regesta.evaluate.facts import Compared, FactScores, compare, horizon_of, score_facts
from regesta.evaluate.published import Published
from regesta.evaluate.truth import Truth, known_by
from regesta.evaluate.worst import Material, Mistake, worst
from regesta.query import show

NO_KIND = "(not in the truth)"
"""The kind of event of beliefs about a subject and relation of which the truth tells nothing."""


@dataclass(frozen=True)
class FactTable:
    """Scores of all facts, by relation and by kind of event."""

    every: FactScores
    relations: dict[str, FactScores]
    kinds: dict[str, FactScores]


@dataclass(frozen=True)
class Evaluation:
    """All scores of a snapshot, and its known time."""

    snapshot: str
    known_at: str
    entities: EntityScores
    facts: FactTable
    answers: AnswerScores
    worst: list[Mistake]


def evaluate(
    whole: Truth,
    published: Published,
    *,
    most: int,
    progress: Callable[[int], Callable[[int], None]],
) -> Evaluation:
    """Score a snapshot against a truth, as far as that was told by the snapshot's known time.

    `most` is how many of the worst errors of each sort to tell; `progress` takes how many questions
    will be asked, and gives what takes how many more are. Raises InputError where the snapshot is
    of other groups.
    """
    truth = known_by(whole, published.known_at)
    both = coded(truth, published)
    together = clusters(both)
    compared = compare(both, horizon_of(both, published.known_at))
    questions = _questions(truth)
    answered = ask(published.snapshot, questions, progress(len(questions)))
    material = Material(truth, published, both, together, compared, answered)
    return Evaluation(
        snapshot=published.snapshot.manifest.name,
        known_at=show(published.known_at),
        entities=score_entities(together, texts(truth.entities["kind_of_event"])),
        facts=fact_table(both, compared, truth),
        answers=score_answers(answered, len(whole.questions) - len(questions)),
        worst=worst(material, most),
    )


def fact_table(both: Coded, compared: Compared, truth: Truth) -> FactTable:
    """Score facts as a whole, by relation and by kind of event."""
    every = (np.ones(len(both.truth.subject), bool), np.ones(len(both.believed.subject), bool))
    relations = {
        name: score_facts(compared, both.truth.relation == code, both.believed.relation == code)
        for code, name in sorted(enumerate(both.relations), key=lambda each: each[1])
    }
    names, kind = np.unique(texts(truth.facts["kind_of_event"]), return_inverse=True)
    like = np.where(compared.like < 0, len(names), np.append(kind, len(names))[compared.like])
    kinds = {
        name: score_facts(compared, kind == code, like == code)
        for code, name in enumerate([*names.tolist(), NO_KIND])
        if code < len(names) or (like == code).any()
    }
    return FactTable(score_facts(compared, *every), relations, kinds)


def _questions(truth: Truth) -> list[dict[str, Any]]:
    """Return the questions with times as microseconds, those about one group together."""
    table = truth.questions.sort_by([(name, "ascending") for name in ("group_id", "known")])
    for name in ("valid", "known"):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, pc.cast(table[name], "int64"))
    return list(table.to_pylist())

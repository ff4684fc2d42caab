"""The methods of a search by name: each gives a ranked list of candidates."""

from __future__ import annotations

from typing import Final

import numpy as np

from regesta.query.analysis import terms
from regesta.query.bm25 import scores
from regesta.query.question import Method, Question, Ranked, ranked
from regesta.query.segment import numbers
from regesta.query.vectors import cosine
from regesta.query.walks import breadth_first, page_rank, recent_episodes


def bm25(question: Question) -> Ranked:
    """Rank by the words of the question; the statistics are those of the rows asked about."""
    group = question.view.group
    found = group.postings(question.scope, question.asked.terms)
    lengths = group.array(question.scope, "lengths")
    total = scores(question.asked.terms, found, lengths, question.mask)
    rows = np.flatnonzero(total > 0)
    return ranked(rows, total[rows], question.limit)


def author(question: Question) -> Ranked:
    """Return all episodes whose author the question names, as equals; of other scopes nothing.

    Named is an author of whose name all words occur, of an address those before the @.
    """
    if question.scope != "episodes":
        return Ranked(np.empty(0, np.int64), np.empty(0))
    names = question.view.group.values("episodes", "author").dictionary_encode()
    words = set(question.asked.terms)
    asked = (set(terms(each.partition("@")[0])) for each in names.dictionary.to_pylist())
    named = np.array([*(bool(each) and each <= words for each in asked), False])
    rows = np.flatnonzero(question.mask & named[numbers(names.indices)])
    return Ranked(rows, np.ones(len(rows)))


METHODS: Final[dict[str, Method]] = {
    "bm25": bm25,
    "author": author,
    "cosine": cosine,
    "breadth_first": breadth_first,
    "recent_episodes": recent_episodes,
    "page_rank": page_rank,
}

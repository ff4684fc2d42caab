"""The methods of a search by name: each gives a ranked list of candidates."""

from __future__ import annotations

from typing import Final

import numpy as np

from regesta.query.bm25 import scores
from regesta.query.question import Method, Question, Ranked, ranked
from regesta.query.walks import breadth_first, page_rank, recent_episodes


def bm25(question: Question) -> Ranked:
    """Rank by the words of the question; the statistics are those of the rows asked about."""
    group = question.view.group
    found = group.postings(question.scope, question.asked.terms)
    lengths = group.array(question.scope, "lengths")
    total = scores(question.asked.terms, found, lengths, question.mask)
    rows = np.flatnonzero(total > 0)
    return ranked(rows, total[rows], question.limit)


METHODS: Final[dict[str, Method]] = {
    "bm25": bm25,
    "breadth_first": breadth_first,
    "recent_episodes": recent_episodes,
    "page_rank": page_rank,
}

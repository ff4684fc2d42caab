"""The methods of a search by name: each gives a ranked list of candidates."""

from __future__ import annotations

from typing import Final

import numpy as np

from regesta.query.analysis import terms
from regesta.query.bm25 import scores
from regesta.query.named_times import named_times
from regesta.query.question import Method, Question, Ranked, ranked
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
    names, places = question.view.group.authors
    words = set(question.asked.terms)
    asked = (set(terms(each.partition("@")[0])) for each in names)
    named = np.array([*(bool(each) and each <= words for each in asked), False])
    rows = np.flatnonzero(question.mask & named[places])
    return Ranked(rows, np.ones(len(rows)))


def date(question: Question) -> Ranked:
    """Return all episodes dated in a time that the question names, as equals.

    Of other scopes it returns nothing: for them a time is asked about by the as-of.
    """
    times = named_times(question.asked.text) if question.scope == "episodes" else []
    if not times:
        return Ranked(np.empty(0, np.int64), np.empty(0))
    dates = question.view.group.array("episodes", "dates")
    dated = np.any([each.holds(dates) for each in times], axis=0)
    rows = np.flatnonzero(question.mask & dated)
    return Ranked(rows, np.ones(len(rows)))


METHODS: Final[dict[str, Method]] = {
    "bm25": bm25,
    "author": author,
    "date": date,
    "cosine": cosine,
    "breadth_first": breadth_first,
    "recent_episodes": recent_episodes,
    "page_rank": page_rank,
}

OF_EPISODES: Final = ("author", "date")
"""Methods that only episodes are searched by."""

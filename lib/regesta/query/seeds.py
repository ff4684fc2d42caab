"""Which entities a question names."""

from __future__ import annotations

import numpy as np

from regesta.query.analysis import terms
from regesta.query.bm25 import scores
from regesta.query.group import View
from regesta.query.names import called
from regesta.query.network import Array
from regesta.query.question import Asked, ranked

_CANDIDATES = 100
_LIKELY = 5


def named_entities(view: View, asked: Asked) -> tuple[Array, Array]:
    """Return the first rows of the entities that a question names, and their weights.

    Named is an entity of which all words of a name, alias or identifier occur. Where there is none,
    the best few by BM25 stand in, weighted by their scores.
    """
    found = view.group.postings("entities", asked.terms)
    lengths = view.group.array("entities", "lengths")
    total = scores(asked.terms, found, lengths, view.entities)
    rows = np.flatnonzero(total > 0)
    likely = ranked(rows, total[rows], _CANDIDATES)
    words, start = set(asked.terms), view.group.slice("entities").start
    named = [row for row in likely.rows if _is_named(view, start + int(row), words)]
    if named:
        return view.entity_nodes[named], np.ones(len(named))
    return view.entity_nodes[likely.rows[:_LIKELY]], likely.scores[:_LIKELY]


def _is_named(view: View, row: int, words: set[str]) -> bool:
    names = (set(terms(name)) for name in called(view, row))
    return any(name and name <= words for name in names)

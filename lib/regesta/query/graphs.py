"""Several groups' graphs as known at one time about another, searched as one."""

from __future__ import annotations

from collections.abc import Sequence

from regesta.query.asking import Searchable
from regesta.query.errors import QueryError
from regesta.query.graph import Graph
from regesta.query.group import View
from regesta.query.times import Instant


class Graphs(Searchable):
    """Graphs of different groups; nothing leads from one to another.

    Every group is ranked by its own statistics; then the groups' lists are joined by score.
    """

    def __init__(self, graphs: Sequence[Graph]) -> None:
        names = [graph.name for graph in graphs]
        if not names or len(set(names)) < len(names):
            raise QueryError(f"Name one group or more, each once; named were {names}.")
        self._graphs = tuple(graphs)

    def __repr__(self) -> str:
        return f"Graphs({list(self._graphs)!r})"

    @property
    def views(self) -> list[View]:
        """Return what of each group the as-of lets through."""
        return [view for graph in self._graphs for view in graph.views]

    def as_of(self, valid: Instant | None = None, known: Instant | None = None) -> Graphs:
        """Return the graphs as known at `known` about `valid`, see `Graph.as_of`."""
        return Graphs([graph.as_of(valid=valid, known=known) for graph in self._graphs])

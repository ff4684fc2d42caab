"""The tools that agents call: what each takes and tells is in its docstring and its types."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from regesta.query import Explanation, Fact, Filters, Graph
from regesta.query.question import Scope
from regesta.serve.answers import Facts, Found, Named, as_of, entity, explained, hit
from regesta.serve.served import Served

CITATIONS: Final = 3
"""Of each fact in a list; `why` tells up to `ALL_CITATIONS`."""
ALL_CITATIONS: Final = 50

_Query = Annotated[str, Field(description="What is asked, in words.")]
_Entity = Annotated[str, Field(description="A name, an alias, an identifier or an entity id.")]
_Relation = Annotated[
    str | None, Field(description="Only this relation, as OWNED_BY; all of them without it.")
]
_Valid = Annotated[
    str | None,
    Field(description="True in the world on this day (UTC): 2024, 2024-03, 2024-03-05T10:30."),
]
_Known = Annotated[
    str | None,
    Field(description="As known on this day (UTC); by default all that is known by now."),
]
_Group = Annotated[
    str | None, Field(description="Which graph, where several are served; see the instructions.")
]
_Names = Annotated[Sequence[str], Field(description="Only these; any without a name.")]
_FewHits = Annotated[int, Field(ge=1, le=50, description="How many hits at most.")]
_SomeFacts = Annotated[int, Field(ge=1, le=500, description="How many facts at most.")]
_AllTimes = Annotated[bool, Field(description="Also facts that held at other times.")]
_AllBeliefs = Annotated[
    bool, Field(description="Also what was believed before and has been corrected since.")
]


class Tools:
    """Questions to the graphs served. Each answer comes from one snapshot."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def search(
        self,
        query: _Query,
        *,
        scope: Scope = "facts",
        limit: _FewHits = 10,
        valid: _Valid = None,
        known: _Known = None,
        labels: _Names = (),
        relations: _Names = (),
        sources: _Names = (),
        all_times: _AllTimes = False,
        group: _Group = None,
    ) -> Found:
        """Search facts, entities, communities or episodes (messages and texts), best hits first.

        By default only what holds now, as it is known now. Facts come with their dates and with
        citations of the words that state them.
        """
        graphs = self._served.graphs(group).as_of(valid=valid, known=known)
        filters = Filters(labels, relations, sources, all_times=all_times)
        with warnings.catch_warnings(record=True, action="always", category=UserWarning) as told:
            hits = graphs.search(query, scope=scope, limit=limit, filters=filters)
        found: Found = {"as_of": as_of(hits.valid, hits.known), "hits": [hit(h) for h in hits]}
        if told:
            found["note"] = " ".join(str(each.message) for each in told)
        return found

    def facts_as_of(
        self,
        entity: _Entity,
        *,
        relation: _Relation = None,
        valid: _Valid = None,
        known: _Known = None,
        limit: _SomeFacts = 50,
        group: _Group = None,
    ) -> Facts:
        """Tell what was true of an entity on one day, as known on another, with citations.

        Facts with the entity as subject or as object. Both days are now by default.
        """
        graph = self._served.graph(group).as_of(valid=valid, known=known)
        meant = graph.entity(entity).entity_id
        about = [*graph.facts(meant, relation), *graph.facts(relation=relation, object=meant)]
        facts = list({each.row_id: each for each in about}.values())
        return _told(graph, facts[:limit], left_out=len(facts) - limit)

    def history(
        self,
        entity: _Entity,
        *,
        relation: _Relation = None,
        known: _Known = None,
        all_beliefs: _AllBeliefs = False,
        limit: _SomeFacts = 100,
        group: _Group = None,
    ) -> Facts:
        """Tell all periods of an entity's facts in order of time, and why each ended.

        Where there are more than the limit, the latest are told.
        """
        graph = self._served.graph(group).as_of(known=known)
        facts = graph.history(entity, relation, all_beliefs=all_beliefs)
        return _told(graph, facts[-limit:], left_out=len(facts) - limit)

    def why(
        self,
        fact_id: Annotated[str, Field(description="A fact's id, from another tool.")],
        known: _Known = None,
        group: _Group = None,
    ) -> Facts:
        """Tell what a fact rests on: every period with the words quoted, and why it ended."""
        graph = self._served.graph(group).as_of(known=known)
        return _explained(graph, graph.why(fact_id), most=ALL_CITATIONS, left_out=0)

    def entity(self, name: _Entity, known: _Known = None, group: _Group = None) -> Named:
        """Resolve a name, an alias, an identifier or an old id to the entity that it means.

        A name that several entities have is refused with their ids.
        """
        graph = self._served.graph(group).as_of(known=known)
        found = entity(graph.entity(name))
        return {"group": graph.name, "as_of": as_of(graph.valid, graph.known), "entity": found}


def _told(graph: Graph, facts: Sequence[Fact], *, left_out: int) -> Facts:
    found = [each for fact in facts for each in graph.why(fact)]
    return _explained(graph, found, most=CITATIONS, left_out=left_out)


def _explained(graph: Graph, found: Sequence[Explanation], *, most: int, left_out: int) -> Facts:
    return {
        "group": graph.name,
        "as_of": as_of(graph.valid, graph.known),
        "facts": [explained(each, most=most) for each in found],
        "left_out": max(left_out, 0),
    }

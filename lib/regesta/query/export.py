"""A view as a graph of networkx, for other programs to draw and to reckon with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regesta.query.answers import Community, Entity, Fact
from regesta.query.errors import QueryError
from regesta.query.times import show

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from regesta.query.graph import Graph


def to_networkx(graph: Graph) -> MultiDiGraph:
    """Return the entities and the facts that join two of them; all attributes are texts or numbers.

    Nodes are entity ids with label (the entity's name), type, summary, community and
    community_name; edges have the fact's id as key, and label (the relation), text, valid_at,
    invalid_at and kind. An attribute of which nothing is known is absent.

    Raises QueryError where networkx is not installed.
    """
    try:
        from networkx import MultiDiGraph  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise QueryError(
            "Exporting needs networkx, which isn't installed: pip install 'regesta[graph]'."
        ) from error
    made = MultiDiGraph(name=graph.name)
    communities = {each.community_id: each for each in graph.communities()}
    joined = {
        entity.entity_id: each
        for each in communities.values()
        if each.level == 0
        for entity in graph.members(each.community_id)
    }
    for entity in graph.entities():
        made.add_node(entity.entity_id, **_node(entity, joined.get(entity.entity_id)))
    for fact in graph.facts():
        if fact.object_id is not None:
            made.add_edge(fact.subject_id, fact.object_id, key=fact.row_id, **_edge(fact))
    return made


def _node(entity: Entity, community: Community | None) -> dict[str, Any]:
    return _known(
        label=entity.name,
        type=entity.label,
        summary=entity.summary,
        community=community and community.community_id,
        community_name=community and community.name,
    )


def _edge(fact: Fact) -> dict[str, Any]:
    return _known(
        label=fact.relation,
        text=fact.text,
        kind=fact.kind,
        fact_id=fact.fact_id,
        valid_at=None if fact.valid_at is None else show(fact.valid_at),
        invalid_at=None if fact.invalid_at is None else show(fact.invalid_at),
    )


def _known(**attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}

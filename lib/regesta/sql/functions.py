"""The table functions, once for both dialects: names, parameters and what they select.

They read the tables of all versions (`all_facts`, ...). A parameter stands in the text as {name};
both dialects have the functions used here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["time", "text"]
TABLES: Final = {
    "facts": "all_facts",
    "evidence": "all_evidence",
    "entities": "all_entities",
    "episodes": "all_episodes",
    "communities": "all_communities",
    "community_members": "all_community_members",
    "verdicts": "all_verdicts",
}
"""Table of a snapshot -> the relation that holds all its versions."""


@dataclass(frozen=True)
class TableFunction:
    """A function that returns rows; `select` has its parameters in braces."""

    name: str
    parameters: dict[str, Kind]
    select: str

    def written(self, parameter: Callable[[str, Kind], str]) -> str:
        """Return the query with each parameter as a dialect writes it."""
        texts = {name: parameter(name, kind) for name, kind in self.parameters.items()}
        return self.select.format(**texts)


def _stands(table: str) -> str:
    return (
        f"{table}.created_at <= {{known}} "
        f"AND ({table}.expired_at IS NULL OR {{known}} < {table}.expired_at)"
    )


_START = "COALESCE(f.valid_at, f.seen_from)"
_BELIEVED = f"{_stands('f')} AND NOT COALESCE(array_contains(f.flags, 'disputed'), FALSE)"
_NAMED = f"""
FROM all_facts f
LEFT JOIN all_entities s ON s.group_id = f.group_id AND s.entity_id = f.subject_id
 AND {_stands("s")}
LEFT JOIN all_entities o ON o.group_id = f.group_id AND o.entity_id = f.object_id
 AND {_stands("o")}
"""
_FACT = """f.group_id, f.fact_id, f.row_id, f.subject_id, s.name AS subject, f.relation,
 f.object_id, o.name AS object, f.value, f.text, f.kind, f.valid_at, f.seen_from, f.invalid_at,
 f.valid_precision, f.invalid_precision, f.end_reason, f.end_by, f.end_by_fact, f.end_by_episode,
 f.hyperedge_id, f.created_at"""

_COMMUNITIES = f"""SELECT c.group_id, c.community_id, c.row_id, c.level, c.parent, c.name,
 c.summary, c.key_terms, c.size, c.created_at FROM all_communities c WHERE {_stands("c")}"""
_MEMBERS = f"""SELECT m.group_id, m.community_id, m.entity_id, e.name, e.label
FROM all_community_members m
LEFT JOIN all_entities e ON e.group_id = m.group_id AND e.entity_id = m.entity_id
 AND {_stands("e")}
WHERE {_stands("m")}"""

FUNCTIONS: Final = (
    TableFunction(
        "facts_as_of",
        {"valid": "time", "known": "time"},
        f"SELECT {_FACT} {_NAMED} WHERE {_BELIEVED} AND {_START} <= {{valid}} "
        "AND (f.kind = 'event' OR f.invalid_at IS NULL OR {valid} < f.invalid_at)",
    ),
    TableFunction(
        "facts_between",
        {"first": "time", "last": "time", "known": "time"},
        f"SELECT {_FACT} {_NAMED} WHERE {_BELIEVED} AND {_START} < {{last}} "
        f"AND (f.invalid_at IS NULL OR {{first}} < f.invalid_at) "
        f"AND (f.kind <> 'event' OR {{first}} <= {_START})",
    ),
    TableFunction(
        "fact_history",
        {"entity": "text"},
        """SELECT f.group_id, f.fact_id, f.row_id, f.subject_id, f.relation, f.object_id, f.value,
 f.text, f.kind, f.valid_at, f.seen_from, f.invalid_at, f.end_reason, f.end_by, f.end_by_fact,
 f.end_by_episode, f.created_at, f.expired_at, f.expiry_reason, f.expired_by, f.expired_by_fact,
 f.expired_by_episode, f.flags
FROM all_facts f
SEMI JOIN all_entities e ON e.group_id = f.group_id AND e.entity_id = f.subject_id
 AND (e.entity_id = {entity} OR LOWER(e.name) = LOWER({entity})
  OR array_contains(e.identifiers, {entity}))""",
    ),
    TableFunction(
        "entities_as_of",
        {"known": "time"},
        f"""SELECT e.group_id, e.entity_id, e.row_id, e.name, e.aliases, e.label, e.identifiers,
 e.summary, e.created_at FROM all_entities e WHERE {_stands("e")}""",
    ),
    TableFunction(
        "communities_as_of",
        {"known": "time"},
        f"{_COMMUNITIES} AND c.valid_on IS NULL",
    ),
    TableFunction(
        "communities_of_day",
        {"valid": "time", "known": "time"},
        f"{_COMMUNITIES} AND c.valid_on = {{valid}}",
    ),
    TableFunction(
        "members_as_of",
        {"known": "time"},
        f"{_MEMBERS} AND m.valid_on IS NULL",
    ),
    TableFunction(
        "members_of_day",
        {"valid": "time", "known": "time"},
        f"{_MEMBERS} AND m.valid_on = {{valid}}",
    ),
)

PRESENT: Final = {
    "facts": "facts_as_of({now}, {now})",
    "entities": "entities_as_of({now})",
    "communities": "communities_as_of({now})",
    "members": "members_as_of({now})",
}
"""View -> what it selects: what is believed and valid at the last known time."""

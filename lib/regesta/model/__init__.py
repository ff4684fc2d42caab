"""The tables and the vocabulary: one place, no logic.

Schemas are Arrow schemas, so that readers without Spark share them. Times are UTC timestamps with
microseconds; an absent end means "still". Lists of columns follow the design: the same names in the
warehouse, in staged effects and in snapshots.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from regesta.model.columns import BYTES, FLAG, NUMBER, TEXT, TEXT_MAP, TEXTS, TIME
from regesta.model.derived import (
    COMMUNITIES,
    COMMUNITY_MEMBERS,
    ENTITIES,
    ENTITY_MEMBERS,
    ENTITY_REDIRECTS,
    FACT_EVIDENCE,
    FACTS,
    MATCH_DECISIONS,
    MATCH_PROFILES,
    MENTIONS,
    REJECTED_EPISODES,
    RESOLVED_STATEMENTS,
    RESOLVED_VERDICTS,
    STATEMENTS,
)
from regesta.model.recorded import (
    BATCHES,
    DELIVERIES,
    EMBEDDINGS,
    EPISODES,
    FACT_VERDICTS,
    HEARTBEATS,
    IDENTITY_OVERRIDES,
    LLM_RESPONSES,
    MATCH_WEIGHTS,
    REJECTED_ROWS,
    SUPERSESSIONS,
)
from regesta.model.vocabulary import (
    BREAKS_SIGNATURE,
    CONTRADICTS,
    DISPUTED,
    DOES_NOT_CONTRADICT,
    LOCAL,
    MODEL,
    NO_WORD,
    NOT_THE_SAME,
    PERSON,
    SAME,
    SET_ASIDE,
    STEPS,
    Cardinality,
    FactKind,
    MissingStart,
    Mode,
    Polarity,
    Precision,
    RemovalMeaning,
)

__all__ = [
    "BATCHES",
    "BREAKS_SIGNATURE",
    "BYTES",
    "COMMUNITIES",
    "COMMUNITY_MEMBERS",
    "CONTRADICTS",
    "DELIVERIES",
    "DERIVED",
    "DISPUTED",
    "DOES_NOT_CONTRADICT",
    "EMBEDDINGS",
    "ENTITIES",
    "ENTITY_MEMBERS",
    "ENTITY_REDIRECTS",
    "EPISODES",
    "FACTS",
    "FACT_EVIDENCE",
    "FACT_VERDICTS",
    "FLAG",
    "HEARTBEATS",
    "IDENTITY_OVERRIDES",
    "LLM_RESPONSES",
    "LOCAL",
    "MATCH_DECISIONS",
    "MATCH_PROFILES",
    "MATCH_WEIGHTS",
    "MENTIONS",
    "MODEL",
    "NOT_THE_SAME",
    "NO_WORD",
    "NUMBER",
    "PERSON",
    "RECORDED",
    "REJECTED_EPISODES",
    "REJECTED_ROWS",
    "RESOLVED_STATEMENTS",
    "RESOLVED_VERDICTS",
    "SAME",
    "SET_ASIDE",
    "STATEMENTS",
    "STATISTICS_COLUMNS",
    "STEPS",
    "SUPERSESSIONS",
    "TABLES",
    "TEXT",
    "TEXTS",
    "TEXT_MAP",
    "TIME",
    "Cardinality",
    "FactKind",
    "MissingStart",
    "Mode",
    "Polarity",
    "Precision",
    "RemovalMeaning",
]

TABLES: Final[dict[str, pa.Schema]] = {
    "episodes": EPISODES,
    "supersessions": SUPERSESSIONS,
    "heartbeats": HEARTBEATS,
    "deliveries": DELIVERIES,
    "rejected_rows": REJECTED_ROWS,
    "batches": BATCHES,
    "rejected_episodes": REJECTED_EPISODES,
    "mentions": MENTIONS,
    "statements": STATEMENTS,
    "llm_responses": LLM_RESPONSES,
    "match_weights": MATCH_WEIGHTS,
    "identity_overrides": IDENTITY_OVERRIDES,
    "match_profiles": MATCH_PROFILES,
    "match_decisions": MATCH_DECISIONS,
    "entity_members": ENTITY_MEMBERS,
    "entity_redirects": ENTITY_REDIRECTS,
    "entities": ENTITIES,
    "resolved_statements": RESOLVED_STATEMENTS,
    "facts": FACTS,
    "fact_evidence": FACT_EVIDENCE,
    "fact_verdicts": FACT_VERDICTS,
    "resolved_verdicts": RESOLVED_VERDICTS,
    "communities": COMMUNITIES,
    "community_members": COMMUNITY_MEMBERS,
    "embeddings": EMBEDDINGS,
}

RECORDED: Final = (
    *("episodes", "supersessions", "heartbeats", "deliveries", "rejected_rows"),
    *("llm_responses", "fact_verdicts", "identity_overrides", "match_weights", "embeddings"),
)
"""What arrived, was answered, judged, learned, embedded; other tables but `batches` are derived."""

DERIVED: Final = tuple(name for name in TABLES if name not in (*RECORDED, "batches"))

STATISTICS_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(
        column.name
        for column in schema
        if column.name == "batch" or column.name.endswith(("_id", "_key", "_at"))
    )
    for name, schema in TABLES.items()
}
"""Columns whose minimum and maximum Delta may write into its log: ids and times, no content."""

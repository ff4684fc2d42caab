"""The tables and the vocabulary: one place, no logic.

Schemas are Arrow schemas, so that readers without Spark share them. Times are UTC timestamps with
microseconds; an absent end means "still". Lists of columns follow the design: the same names in the
warehouse, in staged effects and in snapshots.
"""

from __future__ import annotations

from typing import Final, Literal

import pyarrow as pa

TIME: Final = pa.timestamp("us", tz="UTC")
TEXT: Final = pa.string()
NUMBER: Final = pa.int64()
FLAG: Final = pa.bool_()
BYTES: Final = pa.binary()
TEXTS: Final = pa.list_(pa.string())
TEXT_MAP: Final = pa.map_(pa.string(), pa.string())

Mode = Literal["event", "interval", "snapshot"]
RemovalMeaning = Literal["withdrawn", "ended", "no_information"]
Polarity = Literal["asserts", "ends", "retracts"]
Precision = Literal["year", "month", "day", "minute", "second", "microsecond"]
Cardinality = Literal["one", "one_subject", "one_to_one", "many"]
FactKind = Literal["state", "event"]
MissingStart = Literal["unknown", "said"]

DISPUTED: Final = "disputed"
BREAKS_SIGNATURE: Final = "breaks signature"
"""Flags of facts: told but not believed; between labels that the ontology does not name."""

CONTRADICTS: Final = "contradicts"
DOES_NOT_CONTRADICT: Final = "does not contradict"
SET_ASIDE: Final = "set aside"
"""Verdicts on two facts; the flag of one that does not count, being of too large a group."""

STEPS: Final = ("ingest", "extract", "resolve", "timeline", "communities", "publish")


def _schema(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema(list(columns))


EPISODES: Final = _schema(
    ("episode_id", TEXT),
    ("group_id", TEXT),
    ("kind", TEXT),  # message, text or json
    ("source", TEXT),
    ("source_id", TEXT),
    ("item_id", TEXT),  # digest of source, source_id and, in snapshot mode, the reference time
    ("series_id", TEXT),  # digest of source and source_id
    ("mode", TEXT),
    ("version", TEXT),  # as the source gives it
    ("place", TEXT),  # sorts as the versions of one item do
    ("removed", TEXT),  # null, or what the removal means (RemovalMeaning)
    ("thread_id", TEXT),
    ("position", NUMBER),  # order among rows of one instant
    ("author", TEXT),
    ("content", TEXT),  # canonical JSON for records
    ("authority", NUMBER),
    ("reference_time", TIME),
    ("known_at", TIME),
    ("batch", NUMBER),
    ("content_hash", TEXT),
    ("attributes", TEXT_MAP),  # path, row, source_known_at; of messages spans: their parts, as JSON
)

HEARTBEATS: Final = _schema(
    ("source", TEXT),
    ("group_id", TEXT),
    ("series_id", TEXT),
    ("item_id", TEXT),
    ("episode_id", TEXT),  # the episode whose content this night repeats
    ("reference_time", TIME),
    ("known_at", TIME),
    ("batch", NUMBER),
)

SUPERSESSIONS: Final = _schema(  # when an episode stopped counting; an episode has one at most
    ("episode_id", TEXT),
    ("superseded_at", TIME),
    ("superseded_by", TEXT),
    ("removal", TEXT),  # where a removal superseded it: what that means (RemovalMeaning)
    ("batch", NUMBER),
)

DELIVERIES: Final = _schema(  # one file read in one batch
    ("source", TEXT),
    ("path", TEXT),
    ("size", NUMBER),
    ("modified_at", TIME),
    ("declaration_hash", TEXT),
    ("batch", NUMBER),
)

REJECTED_ROWS: Final = _schema(
    ("batch", NUMBER),
    ("source", TEXT),
    ("path", TEXT),
    ("row_number", NUMBER),
    ("raw", TEXT),
    ("reason", TEXT),
)

REJECTED_EPISODES: Final = _schema(  # an episode, or a part of what was read from it
    ("episode_id", TEXT),
    ("group_id", TEXT),
    ("source", TEXT),
    ("raw", TEXT),
    ("reason", TEXT),
    ("batch", NUMBER),
)

BATCHES: Final = _schema(
    ("batch", NUMBER),
    ("known_at", TIME),
    ("status", TEXT),
    ("steps", TEXT),  # JSON: step -> seconds and counts
    ("counts", TEXT),  # JSON: read, new, unchanged, heartbeats, rejected
    ("config", TEXT),  # JSON: the whole configuration of the run
    ("code_version", TEXT),
    ("tokens", NUMBER),
    ("cost", pa.float64()),
    ("table_versions", pa.map_(pa.string(), pa.int64())),
)

MENTIONS: Final = _schema(
    ("mention_id", TEXT),
    ("episode_id", TEXT),
    ("group_id", TEXT),
    ("profile_id", TEXT),  # digest of all that identity is decided by: see extract.profile
    ("name", TEXT),
    ("normalised_name", TEXT),
    ("label", TEXT),
    ("identifiers", TEXTS),  # kind:value, normalised, sorted
    ("context", TEXTS),  # what a bare personal name must share to join, sorted
    ("attributes", TEXT_MAP),
    ("authority", NUMBER),
    ("reference_time", TIME),
    ("quote_start", NUMBER),  # characters into the episode's content
    ("quote_end", NUMBER),
    ("extractor", TEXT),
    ("known_at", TIME),
    ("batch", NUMBER),
)

STATEMENTS: Final = _schema(
    ("statement_id", TEXT),
    ("episode_id", TEXT),
    ("group_id", TEXT),
    ("subject", TEXT),  # profile_id of a mention of the same episode
    ("relation", TEXT),
    ("object", TEXT),  # profile_id, or null for a literal
    ("value", TEXT),
    ("text", TEXT),
    ("polarity", TEXT),  # asserts, ends, retracts; of snapshots also unknown: nothing is said
    ("retracts", TEXT),  # what a retraction takes back: asserts or ends
    ("position", NUMBER),
    ("reference_time", TIME),
    ("valid_at", TIME),
    ("invalid_at", TIME),
    ("valid_precision", TEXT),  # null: an instant
    ("invalid_precision", TEXT),
    ("temporary", FLAG),
    ("authority", NUMBER),
    ("confidence", pa.float64()),
    ("quote_start", NUMBER),
    ("quote_end", NUMBER),
    ("hyperedge_id", TEXT),
    ("breaks_signature", FLAG),  # the relation does not join labels like those of its mentions
    ("extractor", TEXT),
    ("known_at", TIME),
    ("batch", NUMBER),
)

LLM_RESPONSES: Final = _schema(  # what a language model was asked and answered, once for a content
    ("request_key", TEXT),  # digest of step, prompt version, model, parameters and messages
    ("episode_id", TEXT),  # the first episode that asked it
    ("group_id", TEXT),
    ("step", TEXT),
    ("prompt_version", TEXT),
    ("model", TEXT),
    ("status", TEXT),  # answered; refused, truncated, invalid or failed ones are asked again
    ("response", TEXT),
    ("reason", TEXT),  # why there is no answer
    ("estimated_tokens", NUMBER),  # of the prompt
    ("prompt_tokens", NUMBER),  # as the endpoint counted, over all sendings
    ("completion_tokens", NUMBER),
    ("sendings", NUMBER),
    ("cost", pa.float64()),  # null without a price
    ("known_at", TIME),
    ("batch", NUMBER),
)

MATCH_DECISIONS: Final = _schema(
    ("group_id", TEXT),
    ("left", TEXT),  # profile ids
    ("right", TEXT),
    ("verdict", TEXT),  # join, separate or review
    ("score", pa.float64()),
    ("features", TEXT),
    ("decided_by", TEXT),
    ("reason", TEXT),
    ("known_at", TIME),
    ("batch", NUMBER),
)

ENTITY_MEMBERS: Final = _schema(
    ("row_id", TEXT),
    ("profile_id", TEXT),
    ("entity_id", TEXT),
    ("group_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
)

ENTITY_REDIRECTS: Final = _schema(
    ("row_id", TEXT),
    ("old_entity_id", TEXT),
    ("entity_id", TEXT),
    ("group_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
)

ENTITIES: Final = _schema(
    ("row_id", TEXT),
    ("entity_id", TEXT),
    ("group_id", TEXT),
    ("name", TEXT),
    ("aliases", TEXTS),
    ("label", TEXT),
    ("identifiers", TEXTS),
    ("summary", TEXT),
    ("attributes", TEXT_MAP),
    ("created_at", TIME),
    ("expired_at", TIME),
)

RESOLVED_STATEMENTS: Final = _schema(  # the timeline's input: statements between entities
    ("row_id", TEXT),
    ("conflict_key", TEXT),  # what can conflict shares it
    ("group_id", TEXT),
    ("statement_id", TEXT),
    ("episode_id", TEXT),
    ("subject_id", TEXT),
    ("relation", TEXT),
    ("object_id", TEXT),
    ("value", TEXT),
    ("text", TEXT),
    ("polarity", TEXT),
    ("retracts", TEXT),
    ("position", NUMBER),
    ("reference_time", TIME),
    ("valid_at", TIME),
    ("invalid_at", TIME),
    ("valid_precision", TEXT),
    ("invalid_precision", TEXT),
    ("temporary", FLAG),
    ("authority", NUMBER),
    ("quote_start", NUMBER),
    ("quote_end", NUMBER),
    ("hyperedge_id", TEXT),
    ("breaks_signature", FLAG),
    ("created_at", TIME),  # counts from this known time
    ("expired_at", TIME),  # and until this one
    ("expiry_reason", TEXT),  # why it no longer counts: LapseReason
    ("expired_by_episode", TEXT),  # that of the newer version, the removal, the other snapshot
    ("expired_by_fact", TEXT),  # of moved ones: the fact that they support now
)

FACTS: Final = _schema(
    ("row_id", TEXT),
    ("conflict_key", TEXT),
    ("fact_id", TEXT),
    ("group_id", TEXT),
    ("subject_id", TEXT),
    ("relation", TEXT),
    ("object_id", TEXT),
    ("value", TEXT),
    ("text", TEXT),
    ("kind", TEXT),  # state or event
    ("valid_at", TIME),
    ("seen_from", TIME),  # the earliest reference time, where the start is unknown
    ("invalid_at", TIME),
    ("valid_precision", TEXT),
    ("invalid_precision", TEXT),
    ("hyperedge_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
    ("end_reason", TEXT),  # why valid time ended
    ("end_by", TEXT),  # the statement that ended it
    ("end_by_fact", TEXT),  # the fact which that asserts, perhaps this one
    ("end_by_episode", TEXT),
    ("expiry_reason", TEXT),  # why the belief ended
    ("expired_by", TEXT),  # the statement that ended it, by beginning to count or ceasing to
    ("expired_by_fact", TEXT),  # the fact which that asserts, or that it supports now
    ("expired_by_episode", TEXT),  # where that is told, or why it no longer counts
    ("flags", TEXTS),  # DISPUTED, BREAKS_SIGNATURE
)

FACT_EVIDENCE: Final = _schema(
    ("row_id", TEXT),
    ("conflict_key", TEXT),
    ("fact_id", TEXT),
    ("group_id", TEXT),
    ("period_start", TIME),  # valid_at of the period, else seen_from
    ("statement_id", TEXT),
    ("episode_id", TEXT),
    ("quote_start", NUMBER),
    ("quote_end", NUMBER),
    ("created_at", TIME),
    ("expired_at", TIME),
)

FACT_VERDICTS: Final = _schema(  # what a person or a model said of two facts
    ("verdict_id", TEXT),
    ("group_id", TEXT),
    ("left", TEXT),  # statement ids: the facts are what they state, whatever their entities become
    ("right", TEXT),
    ("verdict", TEXT),  # CONTRADICTS or DOES_NOT_CONTRADICT
    ("reason", TEXT),
    ("author", TEXT),
    ("decided_by", TEXT),  # person or model
    ("stated_at", TIME),
    ("batch", NUMBER),  # the one that takes it in
)

RESOLVED_VERDICTS: Final = _schema(  # the verdict that stands for two facts
    *((name, TEXT) for name in ("row_id", "group_id", "verdict_id", "left_fact", "right_fact")),
    *((name, TEXT) for name in ("left_key", "right_key")),  # their conflict keys
    *((name, TEXTS) for name in ("left_triple", "right_triple")),  # subject, relation, object key
    *((name, TEXT) for name in ("verdict", "reason", "author", "decided_by")),
    ("stated_at", TIME),
    ("flags", TEXTS),  # SET_ASIDE
    ("created_at", TIME),
    ("expired_at", TIME),
)

COMMUNITIES: Final = _schema(
    ("row_id", TEXT),
    ("community_id", TEXT),
    ("group_id", TEXT),
    ("level", NUMBER),
    ("parent", TEXT),
    ("name", TEXT),
    ("summary", TEXT),
    ("key_terms", TEXTS),
    ("size", NUMBER),
    ("created_at", TIME),
    ("expired_at", TIME),
)

COMMUNITY_MEMBERS: Final = _schema(
    ("row_id", TEXT),
    ("entity_id", TEXT),
    ("community_id", TEXT),
    ("group_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
)

EMBEDDINGS: Final = _schema(  # vectors by content, whatever group or batch first needed them
    ("text_hash", TEXT),  # digest of the model and the text
    ("model", TEXT),
    ("vector", BYTES),  # float16, little-endian
    ("batch", NUMBER),
)

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
    *("llm_responses", "fact_verdicts", "embeddings"),
)
"""Tables of what arrived, was answered, judged, embedded; all others but `batches` are derived."""

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

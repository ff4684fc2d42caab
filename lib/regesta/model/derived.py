"""Tables that a rebuild computes again from the recorded ones."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from regesta.model.columns import FLAG, NUMBER, TEXT, TEXT_MAP, TEXTS, TIME, schema

REJECTED_EPISODES: Final = schema(  # an episode, or a part of what was read from it
    ("episode_id", TEXT),
    ("group_id", TEXT),
    ("source", TEXT),
    ("raw", TEXT),
    ("reason", TEXT),
    ("batch", NUMBER),
)

MENTIONS: Final = schema(
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

STATEMENTS: Final = schema(
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

MATCH_PROFILES: Final = schema(  # what is compared of a profile: see match.blocking.PREPARED
    ("profile_id", TEXT),
    ("group_id", TEXT),
    ("label", TEXT),
    ("declaration", TEXT),  # digest of what the ontology compares
    ("forms", TEXTS),
    ("finer", TEXT),
    ("keys", pa.list_(pa.struct([("rule", pa.int32()), ("key", TEXT)]))),
)

MATCH_DECISIONS: Final = schema(
    ("group_id", TEXT),
    ("left", TEXT),  # profile ids
    ("right", TEXT),
    ("verdict", TEXT),  # join, separate or review
    ("score", pa.float64()),
    ("features", TEXT),
    ("decided_by", TEXT),  # rule, score or person
    ("reason", TEXT),
    ("known_at", TIME),
    ("batch", NUMBER),
)

ENTITY_MEMBERS: Final = schema(
    ("row_id", TEXT),
    ("profile_id", TEXT),
    ("entity_id", TEXT),
    ("group_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
)

ENTITY_REDIRECTS: Final = schema(
    ("row_id", TEXT),
    ("old_entity_id", TEXT),
    ("entity_id", TEXT),
    ("group_id", TEXT),
    ("created_at", TIME),
    ("expired_at", TIME),
)

ENTITIES: Final = schema(
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

RESOLVED_STATEMENTS: Final = schema(  # the timeline's input: statements between entities
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

FACTS: Final = schema(
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

FACT_EVIDENCE: Final = schema(
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

RESOLVED_VERDICTS: Final = schema(  # the verdict that stands for two facts
    *((name, TEXT) for name in ("row_id", "group_id", "verdict_id", "left_fact", "right_fact")),
    *((name, TEXT) for name in ("left_key", "right_key")),  # their conflict keys
    *((name, TEXTS) for name in ("left_triple", "right_triple")),  # subject, relation, object key
    *((name, TEXT) for name in ("verdict", "reason", "author", "decided_by")),
    ("stated_at", TIME),
    ("flags", TEXTS),  # SET_ASIDE
    ("created_at", TIME),
    ("expired_at", TIME),
)

COMMUNITIES: Final = schema(
    ("row_id", TEXT),
    ("community_id", TEXT),
    ("group_id", TEXT),
    ("level", NUMBER),
    ("parent", TEXT),
    ("name", TEXT),
    ("summary", TEXT),
    ("key_terms", TEXTS),
    ("size", NUMBER),
    ("valid_on", TIME),
    ("created_at", TIME),
    ("expired_at", TIME),
)

COMMUNITY_MEMBERS: Final = schema(
    ("row_id", TEXT),
    ("entity_id", TEXT),
    ("community_id", TEXT),
    ("group_id", TEXT),
    ("valid_on", TIME),
    ("created_at", TIME),
    ("expired_at", TIME),
)

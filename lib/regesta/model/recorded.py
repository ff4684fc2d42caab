"""Tables of what arrived, was answered, judged and embedded, and of the batches that took it in."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from regesta.model.columns import BYTES, NUMBER, TEXT, TEXT_MAP, TIME, schema

EPISODES: Final = schema(
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

HEARTBEATS: Final = schema(
    ("source", TEXT),
    ("group_id", TEXT),
    ("series_id", TEXT),
    ("item_id", TEXT),
    ("episode_id", TEXT),  # the episode whose content this night repeats
    ("reference_time", TIME),
    ("known_at", TIME),
    ("batch", NUMBER),
)

SUPERSESSIONS: Final = schema(  # when an episode stopped counting; an episode has one at most
    ("episode_id", TEXT),
    ("superseded_at", TIME),
    ("superseded_by", TEXT),
    ("removal", TEXT),  # where a removal superseded it: what that means (RemovalMeaning)
    ("batch", NUMBER),
)

DELIVERIES: Final = schema(  # one file read in one batch
    ("source", TEXT),
    ("path", TEXT),
    ("size", NUMBER),
    ("modified_at", TIME),
    ("declaration_hash", TEXT),
    ("batch", NUMBER),
)

REJECTED_ROWS: Final = schema(
    ("batch", NUMBER),
    ("source", TEXT),
    ("path", TEXT),
    ("row_number", NUMBER),
    ("raw", TEXT),
    ("reason", TEXT),
)

LLM_RESPONSES: Final = schema(  # what a language model was asked and answered, once for a content
    ("request_key", TEXT),  # digest of step, prompt version, model, parameters and messages
    ("about", TEXT),  # what asked it first: an episode, a pair of profiles, a community
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

FACT_VERDICTS: Final = schema(  # what a person or a model said of two facts
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

IDENTITY_OVERRIDES: Final = schema(  # what a person or a model said of two profiles
    ("override_id", TEXT),
    ("group_id", TEXT),
    ("left", TEXT),
    ("right", TEXT),
    ("verdict", TEXT),  # SAME, NOT_THE_SAME or NO_WORD; the last word on a pair counts
    ("reason", TEXT),
    ("author", TEXT),
    ("decided_by", TEXT),  # person or model
    ("stated_at", TIME),
    ("batch", NUMBER),  # the one that takes it in
)

MATCH_WEIGHTS: Final = schema(  # learned once, then kept: see match.weights
    ("version", TEXT),
    ("label", TEXT),
    ("declaration", TEXT),  # digest of what the ontology compares
    ("document", TEXT),  # JSON
    ("profiles", NUMBER),  # learned from so many
    ("batch", NUMBER),
)

EMBEDDINGS: Final = schema(  # vectors by content, whatever group or batch first needed them
    ("text_hash", TEXT),  # digest of the model and the text
    ("model", TEXT),
    ("vector", BYTES),  # float16, little-endian
    ("batch", NUMBER),
)

BATCHES: Final = schema(
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

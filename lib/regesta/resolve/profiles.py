"""Profiles: all that identity is decided by, aggregated from the mentions in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.model import LOCAL
from regesta.ontology import IdentifierDeclaration, Ontology

IDENTIFIER, CONTEXT, NAME, LINK = "1", "2", "3", "4"
"""Kinds of keys; they begin the key, so that keys sort by strength. A LINK joins what
only texts name to the one entity of the name that records know."""
_BETWEEN = "\x1f"


def with_ends(context: StepContext) -> DataFrame:
    """Return all mentions with ended_at and ended_batch, null while their episode counts."""
    ends = context.warehouse.current("supersessions").select(
        "episode_id",
        F.col("superseded_at").alias("ended_at"),
        F.col("batch").alias("ended_batch"),
    )
    return context.warehouse.current("mentions").join(ends, on="episode_id", how="left")


def content_number() -> Column:
    """Return a number for what a mention says of its entity: equal contents, equal numbers."""
    return F.xxhash64("name", "label", "identifiers", F.map_entries("attributes"))


def catalogue(context: StepContext) -> DataFrame:
    """Return one row per profile: what it says, since when, and what this batch changed in it.

    Columns: profile_id, group_id, label, normalised_name, identifiers, contexts, founded_at,
    counts (some mention counts), counted_before, ended_at (null while it counts), has_ends (some
    mention ended), is_link (only texts name it, and records must know it), is_seed (identity must
    be decided again), is_told (a mention came or ended in this batch), low_content and high_content
    (equal where all mentions say the same) and first_mention (the hash of the id of one of its
    mentions).
    """
    batch = F.lit(context.batch.number)
    counted_before = (F.col("batch") < batch) & (
        F.col("ended_batch").isNull() | (F.col("ended_batch") == batch)
    )
    # Only numbers and times are aggregated: texts among them would turn the hash aggregation into
    # a sort of all mentions.
    said = (
        with_ends(context)
        .groupBy(
            "profile_id",
            "group_id",
            F.coalesce("label", F.lit("")).alias("label"),
            F.coalesce("normalised_name", F.lit("")).alias("normalised_name"),
            F.coalesce("identifiers", _none()).alias("identifiers"),
            _personal_context(context.ontology).alias("context"),
        )
        .agg(
            F.min("known_at").alias("founded_at"),
            F.max(F.col("ended_at").isNull()).alias("counts"),
            F.max(counted_before).alias("counted_before"),
            F.min(is_link(context.ontology)).alias("is_link"),
            F.max("ended_at").alias("last_end"),
            F.max("batch").alias("last_batch"),
            F.max("ended_batch").alias("last_end_batch"),
            F.min(content_number()).alias("low_content"),
            F.max(content_number()).alias("high_content"),
            F.min(F.xxhash64("mention_id")).alias("first_mention"),
        )
    )
    return context.stage("resolve", "catalogue", _by_profile(said, batch))


def _none() -> Column:
    return F.array().cast("array<string>")


def is_link(ontology: Ontology) -> Column:
    """Return whether a mention is of a text and its label one that records must name."""
    is_told = F.col("extractor").eqNullSafe(LOCAL)
    return is_told & F.coalesce("label", F.lit("")).isin(*ontology.labels_from_records)


def _personal_context(ontology: Ontology) -> Column:
    """Context says nothing about what bears no personal name: there it would only make rows."""
    return F.when(is_personal(ontology), F.col("context"))


def _by_profile(said: DataFrame, batch: Column) -> DataFrame:
    """Bring the contexts in which one profile was named into one row."""
    ended_now = F.coalesce(F.col("last_end_batch") == batch, F.lit(False))
    came_and_went = ~F.col("counts") & (F.col("last_batch") == batch)
    counting = F.collect_list(F.when(F.col("counts"), F.col("context")))
    contexts = F.when(F.max("counts"), counting).otherwise(F.collect_list("context"))
    return said.groupBy("profile_id", "group_id", "label", "normalised_name", "identifiers").agg(
        F.array_sort(F.array_distinct(F.flatten(contexts))).alias("contexts"),
        F.min("founded_at").alias("founded_at"),
        F.max("counts").alias("counts"),
        F.max("counted_before").alias("counted_before"),
        F.min("is_link").alias("is_link"),
        F.when(~F.max("counts"), F.max("last_end")).alias("ended_at"),
        F.max("last_end").isNotNull().alias("has_ends"),
        F.max((F.col("counts") != F.col("counted_before")) | came_and_went).alias("is_seed"),
        F.max((F.col("last_batch") == batch) | ended_now).alias("is_told"),
        F.min("low_content").alias("low_content"),
        F.max("high_content").alias("high_content"),
        F.min("first_mention").alias("first_mention"),
    )


@dataclass(frozen=True)
class Gained:
    """What a batch brought: seeds, among them new bare personal names; and links of any batch."""

    seeds: int
    bare: int
    links: int
    all_are_seeds: bool


def gained(profiles: DataFrame, ontology: Ontology) -> Gained:
    """Count what has to be decided, so that a quiet night skips what it can't change."""
    bare = is_new_bare_name(ontology)
    numbers = (F.count("*"), F.count_if("is_seed"), F.count_if(bare), F.count_if("is_link"))
    total, seeds, names, links = profiles.agg(*numbers).first() or (0, 0, 0, 0)
    return Gained(seeds, names, links, all_are_seeds=total == seeds)


def is_personal(ontology: Ontology) -> Column:
    """Return whether the label bears personal names."""
    personal = sorted(label for label in ontology.labels if ontology.is_personal(label))
    return F.col("label").isin(personal)


def is_new_bare_name(ontology: Ontology) -> Column:
    """Return whether records have a new personal name without any identifier that joins."""
    no_joins = _kinds(ontology, lambda declared: not declared.joins)
    bare = F.forall("identifiers", lambda one: _kind(one).isin(no_joins))
    is_new = F.col("is_seed") & ~F.col("counted_before") & F.col("counts") & ~F.col("is_link")
    return is_new & bare & is_personal(ontology) & (F.col("normalised_name") != "")


def keys(profiles: DataFrame, ontology: Ontology) -> DataFrame:
    """Return profile_id and key for all that may join profiles, less what only one profile has.

    A key is its kind, the group and what must be equal; empty names and contexts are none. `usable`
    tells whether the key joins now, `was_usable` whether it did before the batch: a value that more
    names share than its kind allows joins nobody.
    """
    held = profiles.select(
        "profile_id",
        "normalised_name",
        "counts",
        "counted_before",
        "is_link",
        F.explode(_keys(ontology)).alias("key"),
    )
    by_name = held.groupBy("key", "normalised_name").agg(
        F.count(F.lit(1)).alias("profiles"),
        # What texts call a bearer of an identifier makes it no weaker.
        F.max(F.col("counts") & ~F.col("is_link")).alias("counts"),
        F.max(F.col("counted_before") & ~F.col("is_link")).alias("counted_before"),
        F.max("is_link").alias("is_link"),
    )
    named = F.col("normalised_name") != ""
    limit = _weak_above(ontology)
    shared = (
        by_name.groupBy("key")
        .agg(
            F.sum("profiles").alias("profiles"),
            (F.count_if(named & F.col("counts")) <= limit).alias("usable"),
            (F.count_if(named & F.col("counted_before")) <= limit).alias("was_usable"),
            F.max("is_link").alias("is_link"),
        )
        .where((F.col("profiles") > 1) & (F.col("usable") | F.col("was_usable")))
        .where(F.col("is_link") | ~F.startswith("key", F.lit(LINK)))
        .drop("profiles", "is_link")
    )
    return held.select("profile_id", "key").join(shared, on="key", how="inner")


def pair_keys(pairs: DataFrame, kind: str) -> DataFrame:
    """Return the rows that `keys` gives, of pairs (left, right) that only lead to each other."""
    ends = F.explode(F.array("left", "right")).alias("profile_id")
    key = F.concat_ws(_BETWEEN, F.lit(kind), "left", "right").alias("key")
    return pairs.select(ends, key, F.lit(True).alias("usable"), F.lit(True).alias("was_usable"))


def exclusive_identifiers(ontology: Ontology) -> Column:
    """Return the identifiers of those kinds of which an entity has one."""
    kinds = _kinds(ontology, lambda declared: declared.excludes)
    return F.filter("identifiers", lambda one: _kind(one).isin(kinds))


def _keys(ontology: Ontology) -> Column:
    no_joins = _kinds(ontology, lambda declared: not declared.joins)
    joining = F.filter("identifiers", lambda one: ~_kind(one).isin(no_joins))
    named = F.col("normalised_name") != ""
    shared_contexts = F.transform(
        "contexts", lambda one: _key(CONTEXT, F.col("label"), F.col("normalised_name"), one)
    )
    names = F.array(_key(NAME, F.col("label"), F.col("normalised_name")))
    links = F.array(_key(LINK, F.col("label"), F.col("normalised_name")))
    linking = named & F.col("label").isin(*ontology.labels_from_records)
    return F.concat(
        F.transform(joining, lambda one: _key(IDENTIFIER, one)),
        F.when(named & is_personal(ontology), shared_contexts)
        .when(named, names)
        .otherwise(_none()),
        F.when(linking, links).otherwise(_none()),
    )


def _key(kind: str, *parts: Column) -> Column:
    return F.concat_ws(_BETWEEN, F.lit(kind), F.col("group_id"), *parts)


def _kind(identifier: Column) -> Column:
    return F.substring_index(identifier, ":", 1)


def _kinds(ontology: Ontology, is_so: Callable[[IdentifierDeclaration], bool]) -> list[str]:
    return sorted(kind for kind, declared in ontology.identifiers.items() if is_so(declared))


def _weak_above(ontology: Ontology) -> Column:
    parts = F.split("key", _BETWEEN)
    kind = _kind(F.element_at(parts, 3))
    limit = F.lit(IdentifierDeclaration().weak_above)
    for name, declared in sorted(ontology.identifiers.items()):
        limit = F.when(kind == name, F.lit(declared.weak_above)).otherwise(limit)
    return F.when(F.element_at(parts, 1) == IDENTIFIER, limit).otherwise(F.lit(2**31 - 1))

"""What a person does about identity: see the pairs that wait, join two entities, part one, undo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from regesta import model
from regesta.arrow import as_frame
from regesta.context import StepContext
from regesta.errors import InputError
from regesta.ids import digest
from regesta.match.levels import meaning
from regesta.ontology import Ontology
from regesta.resolve import words
from regesta.resolve.matching import SCORE
from regesta.resolve.membership import newest_entities
from regesta.resolve.profiles import is_link

MOST_PARTED: Final = 10_000
"""Pairs that one `split` may part."""
_MOST_NAMED: Final = 10
_PAIR: Final = ("left", "right")


@dataclass(frozen=True)
class Speaker:
    """Who says something of two profiles, why, and when (microseconds)."""

    author: str
    reason: str
    at: int


@dataclass(frozen=True)
class Bearer:
    """A profile as its newest mention gives it; `said_in`: the source and its id of the record."""

    profile_id: str
    entity_id: str
    name: str
    label: str
    identifiers: Sequence[str]
    attributes: dict[str, str]
    said_in: str


@dataclass(frozen=True)
class Waiting:
    """A pair that a person may decide. `score`: log-odds that it is one; None without a score."""

    group: str
    left: Bearer
    right: Bearer
    score: float | None
    evidence: Sequence[str]


class Entity(NamedTuple):
    """An entity of today and its counting profiles but names in texts, the oldest first."""

    group: str
    entity_id: str
    name: str
    profiles: Sequence[str]


class Said(NamedTuple):
    """A verdict (model.SAME, NOT_THE_SAME, NO_WORD) on two profiles of a group."""

    group: str
    left: str
    right: str
    verdict: str


def waiting(context: StepContext, group: str | None, limit: int) -> list[Waiting]:
    """Return the pairs that wait for a person, the likeliest first: of two entities, no word said.

    Both profiles count. `group`: only of this one.
    """
    rows = _undecided(context, group)
    order = (F.desc_nulls_last("score"), "left", "right")
    pairs = context.stage("review", "pairs", rows.orderBy(*order).limit(limit))
    return described(context, pairs.orderBy(*order))


def described(context: StepContext, pairs: DataFrame) -> list[Waiting]:
    """Return a few pairs (group_id, left, right, score, features) with what is known of them."""
    told = words.ends(pairs.select(*_PAIR))
    bearers = {one.profile_id: one for one in _bearers(context, told)}
    return [
        Waiting(
            row["group_id"],
            bearers[row["left"]],
            bearers[row["right"]],
            row["score"],
            _told(context.ontology, bearers[row["left"]].label, row),
        )
        for row in pairs.collect()
    ]


def with_entities(pairs: DataFrame, members: DataFrame) -> DataFrame:
    """Add left_entity and right_entity; `members`: profile_id and entity_id, one row for each."""
    for end in _PAIR:
        named = {"profile_id": end, "entity_id": f"{end}_entity"}
        pairs = pairs.join(members.withColumnsRenamed(named), on=end, how="inner")
    return pairs


def entity(context: StepContext, group: str, name: str) -> Entity:
    """Return the entity of a group by its id, an identifier (kind:value), its name or an alias.

    Raises:
        InputError: there is none, or there are several.
    """
    wanted = F.lit(name.casefold())
    same = (
        (F.col("entity_id") == name)
        | (F.lower("name") == wanted)
        | F.exists("aliases", lambda one: F.lower(one) == wanted)
        | F.array_contains("identifiers", F.lit(name.casefold()))
    )
    found = context.warehouse.open_now("entities").where((F.col("group_id") == group) & same)
    rows = found.select("entity_id", "name", "label").orderBy("entity_id").limit(_MOST_NAMED + 1)
    named = rows.collect()
    if not named:
        raise InputError(
            f"Group {group!r} has no entity {name!r} now: give a name, an id or kind:value."
        )
    if len(named) > 1:
        several = "; ".join(f"{row['entity_id']} ({row['label'] or 'no label'})" for row in named)
        raise InputError(f"Group {group!r} has several entities {name!r}; give an id: {several}")
    [(entity_id, entity_name, _)] = named
    members = context.warehouse.open_now("entity_members").where(F.col("entity_id") == entity_id)
    # Names in texts are put with an entity and found none: a word on one would not be heard.
    telling = context.warehouse.current("mentions").where(~is_link(context.ontology))
    members = members.join(telling, on="profile_id", how="left_semi")
    oldest = members.orderBy("created_at", "profile_id").select("profile_id").collect()
    return Entity(group, entity_id, entity_name, [row["profile_id"] for row in oldest])


def members(context: StepContext, one: Entity) -> list[Bearer]:
    """Return the counting profiles of an entity, the oldest first."""
    rows = [(profile_id,) for profile_id in one.profiles]
    ids = as_frame(context.spark, rows, pa.schema([("profile_id", model.TEXT)]))
    found = {each.profile_id: each for each in _bearers(context, ids)}
    return [found[profile_id] for profile_id in one.profiles]


def merge(context: StepContext, one: Entity, other: Entity, speaker: Speaker) -> dict[str, int]:
    """Say that two entities are one.

    Raises:
        InputError: they are one already.
    """
    if one.entity_id == other.entity_id:
        raise InputError(f"{one.name!r} and {other.name!r} are one entity already.")
    said = Said(one.group, one.profiles[0], other.profiles[0], model.SAME)
    return say(context, [said], speaker)


def split(
    context: StepContext, one: Entity, parted: Sequence[str], speaker: Speaker
) -> dict[str, int]:
    """Say that profiles of an entity are not the rest of it; `parted` may be beginnings of ids.

    Raises:
        InputError: a beginning is that of none or of several profiles, or nothing would be left.
    """
    away = {_meant(one, beginning) for beginning in parted}
    rest = [profile_id for profile_id in one.profiles if profile_id not in away]
    if not rest:
        raise InputError(f"Nothing of {one.name!r} would be left: name some of its profiles only.")
    pairs = [
        Said(one.group, left, right, model.NOT_THE_SAME) for left in sorted(away) for right in rest
    ]
    if len(pairs) > MOST_PARTED:
        raise InputError(
            f"That would part {len(pairs):,} pairs of profiles, more than {MOST_PARTED:,}: name "
            "fewer profiles at once."
        )
    return say(context, pairs, speaker)


def undo(context: StepContext, entities: Sequence[Entity], speaker: Speaker) -> dict[str, int]:
    """Take back what was said of an entity's profiles, or between those of two.

    Raises:
        InputError: nothing was said.
    """
    ours = [one.entity_id for one in entities]
    newest = newest_entities(context.warehouse.current("entity_members"), "entity_id")
    theirs = newest.where(F.col("entity_id").isin(*ours)).select("profile_id")
    rows = words.standing(context)
    for end in _PAIR:
        rows = rows.join(theirs.withColumnRenamed("profile_id", end), on=end, how="left_semi")
    pairs = [
        Said(row["group_id"], row["left"], row["right"], model.NO_WORD) for row in rows.collect()
    ]
    if not pairs:
        named = " and ".join(repr(one.name) for one in entities)
        raise InputError(f"Nothing that was said of {named} stands.")
    return say(context, pairs, speaker)


def say(context: StepContext, said: Iterable[Said], speaker: Speaker) -> dict[str, int]:
    """Keep verdicts on pairs of profiles for the context's batch; return how many."""
    common = (speaker.reason, speaker.author, model.PERSON, speaker.at)
    rows = [
        (
            digest(context.salt, "override", *one, *common),
            *(*one, *common, context.batch.number),
        )
        for one in said
    ]
    purpose = digest(context.salt, *(row[0] for row in rows))
    frame = as_frame(context.spark, rows, model.IDENTITY_OVERRIDES)
    added = context.warehouse.append(
        "identity_overrides", frame, batch=context.batch.number, purpose=purpose
    )
    return {"said": added}


def _undecided(context: StepContext, group: str | None) -> DataFrame:
    """Return group_id, left, right, score and features of pairs of two entities without a word."""
    decided = context.warehouse.current("match_decisions")
    if group is not None:
        decided = decided.where(F.col("group_id") == group)
    asked = decided.where((F.col("verdict") == "review") | (F.col("decided_by") == SCORE))
    newest = F.max_by(F.struct("score", "features"), "batch").alias("newest")
    pairs = asked.groupBy("group_id", *_PAIR).agg(newest).select("group_id", *_PAIR, "newest.*")
    now = context.warehouse.open_now("entity_members").select("profile_id", "entity_id")
    apart = with_entities(pairs, now).where(F.col("left_entity") != F.col("right_entity"))
    smaller, greater = F.least(*_PAIR), F.greatest(*_PAIR)
    said = words.heard(context).withColumnsRenamed({end: f"said_{end}" for end in _PAIR})
    same = (smaller == F.col("said_left")) & (greater == F.col("said_right"))
    return apart.join(said, on=same, how="left_anti")


def _bearers(context: StepContext, profiles: DataFrame) -> list[Bearer]:
    """Describe profiles (profile_id) by their newest mention; only a few are asked for."""
    newest = F.max_by(
        F.struct("episode_id", "name", "label", "identifiers", "attributes"),
        F.struct("known_at", "mention_id"),
    ).alias("newest")
    told = (
        context.warehouse.current("mentions")
        .join(profiles, on="profile_id", how="left_semi")
        .groupBy("profile_id")
        .agg(newest)
        .select("profile_id", "newest.*")
    )
    episodes = context.warehouse.current("episodes").select(
        "episode_id", F.concat_ws(" ", "source", "source_id").alias("said_in")
    )
    now = context.warehouse.open_now("entity_members").select("profile_id", "entity_id")
    rows = told.join(episodes, on="episode_id", how="left").join(now, on="profile_id", how="inner")
    return [
        Bearer(
            profile_id=row["profile_id"],
            entity_id=row["entity_id"],
            name=row["name"],
            label=row["label"] or "",
            identifiers=list(row["identifiers"] or ()),
            attributes=dict(row["attributes"] or {}),
            said_in=row["said_in"] or "",
        )
        for row in rows.collect()
    ]


def _told(ontology: Ontology, label: str, row: Row) -> list[str]:
    """Return in words how the values of a scored pair agree; other pairs say it themselves."""
    features = row["features"]
    compared = ontology.matched.get(label)
    if row["score"] is None or compared is None:
        return [features]
    levels = json.loads(features)["levels"]
    return [
        f"{name}: {meaning(kind, level)}"
        for (name, kind), level in zip(compared.attributes.items(), levels, strict=True)
    ]


def _meant(one: Entity, beginning: str) -> str:
    found = [profile_id for profile_id in one.profiles if profile_id.startswith(beginning)]
    if len(found) != 1:
        many = "several profiles" if found else "no profile"
        raise InputError(f"{beginning!r} begins the id of {many} of {one.name!r}.")
    return found[0]

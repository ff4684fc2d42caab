"""The resolve step: the mentions of a batch into entities, their members, redirects, versions."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.context import Changes, StepContext
from regesta.java import JvmParts
from regesta.llm.prompts import Prompted
from regesta.resolve import matching, words
from regesta.resolve.adjudication import adjudicate
from regesta.resolve.components import founders, touched
from regesta.resolve.entities import entity_changes
from regesta.resolve.links import NOWHERE
from regesta.resolve.matching import Matched, matched
from regesta.resolve.membership import (
    entity_id,
    member_changes,
    no_changes,
    redirect_changes,
)
from regesta.resolve.profiles import Gained, catalogue, gained, keys
from regesta.resolve.review import MOST_PER_NAME, decisions, links, undecided


def resolve(
    context: StepContext, parts: JvmParts | None = None, prompted: Prompted | None = None
) -> dict[str, Any]:
    """Decide which mentions are one entity and write what changed.

    `parts` leads to the model that embeds names of labels that are matched, by default the usual;
    `prompted` is the language model that decides what neither rules nor scores do.

    A function of the mentions and supersessions as they stand and of its own tables as they stood
    before the batch, so that it computes the same when it is run again. Returns counts of rows
    opened and closed per table, of profiles decided, and of pairs sent to and left out of review.

    Raises:
        ModelError: see `ledger.ask`.
        SetupError: the model that embeds names can't be had.
    """
    is_asked = matching.is_asked_to_learn(context) or not words.new(context).isEmpty()
    nothing_came = context.new("mentions").isEmpty() and context.new("supersessions").isEmpty()
    if nothing_came and not is_asked:
        return {}
    profiles = catalogue(context)
    found = gained(profiles, context.ontology)
    counts, members = _identity(
        context, profiles, found, _Models(parts or JvmParts(), prompted), is_asked=is_asked
    )
    if found.bare:
        counts |= _review(context, profiles, members)
    named = profiles.where(~F.col("is_link"))  # what is put with an entity tells nothing of it
    return counts | context.write({"entities": entity_changes(context, named, members)})


class _Models(NamedTuple):
    """What leads to the model that embeds names, and the language model, if there is one."""

    parts: JvmParts
    prompted: Prompted | None


def _identity(
    context: StepContext, profiles: DataFrame, found: Gained, models: _Models, *, is_asked: bool
) -> tuple[dict[str, Any], Changes]:
    """Decide identity where a profile came, ended or returned, or somebody asked for it."""
    if not found.seeds and not is_asked:
        return {"profiles_decided": 0}, no_changes(context)
    compared = matched(context, profiles, models.parts)
    asked: dict[str, Any] = {}
    if compared and models.prompted is not None:
        pairs = matching.undecided(context, compared, keys(profiles, context.ontology))
        asked = adjudicate(context, models.prompted, pairs)
    assigned = _assigned(context, profiles, found, compared)
    members = member_changes(context, assigned)
    changes = {"entity_members": members}
    # An id leads elsewhere only if a profile moved, or one that no longer counts changed sides.
    if not (members.closing.isEmpty() and assigned.where("has_ends").isEmpty()):
        changes["entity_redirects"] = redirect_changes(context, assigned)
    counts = {"profiles_decided": assigned.count(), **asked, **context.write(changes)}
    if compared:
        counts |= _record(context, compared)
    if found.links:
        rows = links(context, assigned, members.opening)
        counts["links"] = context.warehouse.append(
            "match_decisions", rows, batch=context.batch.number, purpose="links"
        )
    return counts, members


def _record(context: StepContext, compared: list[Matched]) -> dict[str, int]:
    """Write down what was scored; tell how many pairs, and how many a cap left uncompared."""
    rows = matching.decisions(context, compared)
    written = context.warehouse.append(
        "match_decisions", rows, batch=context.batch.number, purpose="scores"
    )
    return {
        "pairs_scored": sum(one.scored.count() for one in compared),
        "pairs_skipped": sum(one.skipped for one in compared),
        "scores_recorded": written,
    }


def _assigned(
    context: StepContext, profiles: DataFrame, found: Gained, compared: list[Matched]
) -> DataFrame:
    """Return the touched profiles with the entity each belongs to."""
    said = words.standing(context)
    every = keys(profiles, context.ontology)
    every = every.unionByName(matching.keys(context, compared)).unionByName(words.keys(said))
    held = context.stage("resolve", "keys", every)
    reached, reached_keys = profiles, held
    if not found.all_are_seeds:
        seeds = [profiles.where("is_seed").select("profile_id"), words.ends(words.new(context))]
        seeds += [one.deciding for one in compared]
        reached = touched(context, profiles, held, reduce(DataFrame.union, seeds).distinct())
        reached_keys = held.join(reached, on="profile_id", how="left_semi")
    scored = matching.evidence(context, compared, reached)
    found_by = founders(context, reached, reached_keys, scored=scored, words=said)
    decided = reached.join(found_by, on="profile_id", how="left")
    alone = F.when(F.col("is_link"), F.lit(NOWHERE)).otherwise(F.col("profile_id"))
    founder = F.coalesce("founder", alone)
    # `greatest` passes over the null of those that are no links.
    since = F.greatest("founded_at", F.timestamp_micros("linked_at")).alias("founded_at")
    rows = decided.select(
        *("profile_id", "group_id", since, "counts", "ended_at", "has_ends"),
        *("is_link", founder.alias("founder")),
        entity_id(context.salt, founder).alias("entity_id"),
    )
    return context.stage("resolve", "assigned", rows)


def _review(context: StepContext, profiles: DataFrame, members: Changes) -> dict[str, int]:
    before = context.warehouse.open_before("entity_members")
    unchanged = before.join(members.closing, on="row_id", how="left_anti")
    opened = members.opening.where(F.col("expired_at").isNull())
    columns = ("profile_id", "entity_id")
    entities = unchanged.select(*columns).union(opened.select(*columns))
    pairs = context.stage("resolve", "undecided", undecided(context, profiles, entities))
    written = context.warehouse.append(
        "match_decisions", decisions(context, pairs), batch=context.batch.number
    )
    return {
        "reviews": written,
        "reviews_skipped": pairs.where(F.col("place") > MOST_PER_NAME).count(),
    }

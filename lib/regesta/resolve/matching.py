"""Scored pairs of a batch, of labels of which the ontology says what is compared.

A pair's score depends on the two profiles and on frozen weights alone; whether it is compared, on
the blocks as they stand. So a batch scores what its new profiles, and blocks that it made too big,
can change, and afterwards what else hangs together with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import log
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.arrow import as_frame
from regesta.context import StepContext
from regesta.embed.sent import SentModel, sent
from regesta.embed.static import SPACE as NAMES
from regesta.errors import InputError
from regesta.java import JvmParts
from regesta.match import blocking, scoring
from regesta.match.blocking import MOST_IN_BLOCK
from regesta.match.declaration import Compared
from regesta.match.keys import rules as blocking_rules
from regesta.match.linkage import LINKED, MOST
from regesta.match.weights import Weights, read
from regesta.ontology import NAME
from regesta.resolve import words
from regesta.resolve.clusters import LINKING, SCORED
from regesta.resolve.profiles import pair_keys

FEWEST: Final = 500
"""Profiles of a label from which its weights are learned: the patterns of fewer are chance."""
REVIEWED: Final = -log(9)
"""Log-odds (one in ten) above which a pair that is not accepted waits for a person."""
SCORE: Final = "score"
"""What decided, in match_decisions."""
_ENDS: Final = ("left", "right")
_DECLARATION_CHARACTERS: Final = 16
_SCORES: Final = pa.schema([("left", model.TEXT), ("right", model.TEXT), ("score", pa.float64())])


@dataclass(frozen=True)
class Matched:
    """The profiles of one label that are compared, by which weights, and what was scored.

    `prepared`: profiles with their forms and keys, and whether they count and did before; `near`:
    the profiles of which every pair was scored, None for all; `scored`: left, right, levels, score.
    """

    label: str
    compared: Compared
    weights: Weights
    prepared: DataFrame
    near: DataFrame | None
    scored: DataFrame
    skipped: int

    @property
    def deciding(self) -> DataFrame:
        """The profiles (profile_id) whose clusters must be decided again."""
        return self.prepared.select("profile_id") if self.near is None else self.near


def matched(context: StepContext, profiles: DataFrame, parts: JvmParts) -> list[Matched]:
    """Score the pairs of every compared label that what came or went can change.

    `profiles`: `profiles.catalogue`; `parts` leads to the model that embeds names. A label waits
    for FEWEST profiles before anything is scored.

    Raises:
        SetupError: the model can't be had.
    """
    found = (
        _matched(context, label, compared, profiles, parts)
        for label, compared in context.ontology.matched.items()
    )
    return [one for one in found if one is not None]


def keys(context: StepContext, matched: Sequence[Matched]) -> DataFrame:
    """Return the rows that `profiles.keys` gives, of pairs that were above LINKED now or ever.

    So are those that a model took for one entity.

    One that is so no longer leads to a few profiles more than needed.
    """
    if not matched:
        return pair_keys(as_frame(context.spark, [], _SCORES), SCORED)
    before = context.warehouse.before("match_decisions").where(
        (F.col("decided_by") == SCORE) & (F.col("verdict") == "join")
    )
    judged = words.judged(context).where("is_same")
    pairs = [each.select("left", "right") for each in (before, judged)]
    pairs += [one.scored.where(F.col("score") > LINKED).select("left", "right") for one in matched]
    return pair_keys(reduce(DataFrame.union, pairs).distinct(), SCORED)


def evidence(context: StepContext, matched: Sequence[Matched], reached: DataFrame) -> DataFrame:
    """Return left, right and score of all compared pairs among `reached` (profile_id).

    What a model said of a pair is the surest score there is.
    """
    if not matched:
        return as_frame(context.spark, [], _SCORES)
    parts = [part for one in matched for part in _evidence(context, one, reached)]
    scored = reduce(DataFrame.unionByName, parts)
    surest = F.when(F.col("is_same"), MOST).otherwise(-MOST).alias("judged")
    judged = _among(words.judged(context), reached).select("left", "right", surest)
    heard = scored.join(judged, on=["left", "right"], how="full").select(
        "left", "right", F.coalesce("judged", "score").alias("score")
    )
    return context.stage("resolve", "evidence", heard)


def undecided(context: StepContext, matched: Sequence[Matched], held: DataFrame) -> DataFrame:
    """Return group_id, left and right of the pairs that are likely enough to ask, and no more.

    `held`: `profiles.keys`; what shares one that joins is decided by it.
    """
    rows = reduce(DataFrame.unionByName, (_decided(context, one) for one in matched))
    asked = rows.where(F.col("verdict") == "review").select("group_id", "left", "right")
    joining = held.where(F.col("usable") & ~F.startswith("key", F.lit(LINKING)))
    left, right = (joining.select(F.col("profile_id").alias(end), "key") for end in _ENDS)
    sharing = asked.join(left, on="left", how="inner").join(right, on=["right", "key"], how="inner")
    return asked.join(sharing, on=["left", "right"], how="left_anti")


def decisions(context: StepContext, matched: Sequence[Matched]) -> DataFrame:
    """Return the rows of match_decisions for what was scored above REVIEWED, each pair once ever.

    A pair is recorded again only by other weights.
    """
    parts = [_decided(context, one) for one in matched]
    known = context.warehouse.before("match_decisions").select("left", "right", "features")
    rows = reduce(DataFrame.unionByName, parts)
    return rows.join(known, on=["left", "right", "features"], how="left_anti")


def _matched(
    context: StepContext, label: str, compared: Compared, profiles: DataFrame, parts: JvmParts
) -> Matched | None:
    ours = profiles.where(
        (F.col("label") == label) & ~F.col("is_link") & (F.col("counts") | F.col("counted_before"))
    ).select("profile_id", "group_id", "counts", "counted_before", "is_seed")
    weights, is_new = _standing(context, label, compared)
    if not is_new and ours.where("is_seed").isEmpty():
        return _unchanged(context, label, compared, ours, weights) if weights else None
    step = _step(label)
    model = sent(context.spark, NAMES, parts)
    prepared = context.stage(step, "prepared", _prepared(context, label, compared, ours, model))
    counting = prepared.where("counts")
    number = 0 if weights else counting.count()
    if weights is None:
        _tell_missing(context, label, compared, counting)
    if weights is None and number < FEWEST:
        context.report(f"{label}: {number:,} of {FEWEST:,} profiles that weights are learned from")
        return None
    near = _near(context, step, prepared) if weights and not is_new else None
    blocks = context.stage(
        step, "blocks", blocking.blocks(blocking.held(counting, near), MOST_IN_BLOCK)
    )
    pairs = _with_an_end_in(blocking.candidates(blocks, MOST_IN_BLOCK), near)
    rarity = weights.rarity if weights else scoring.rarity(counting, compared)
    levelled = scoring.levelled(pairs, counting, compared, rarity)
    levelled = context.stage(step, "levelled", levelled)
    if weights is None:
        weights = scoring.learned(levelled, counting, compared, rarity)
        _keep(context, weights, label, number)
    scored = context.stage(step, "scored", scoring.scored(levelled, weights))
    skipped = blocking.proposed(blocks, compared, MOST_IN_BLOCK).agg(F.sum("skipped")).first()
    return Matched(
        *(label, compared, weights, prepared, near, scored),
        skipped=int(skipped[0] or 0) if skipped else 0,
    )


def _unchanged(
    context: StepContext, label: str, compared: Compared, ours: DataFrame, weights: Weights
) -> Matched:
    """Of a label to which nothing came no pair is scored, unless others lead to it."""
    prepared = stored(context, label, compared).join(ours, on="profile_id", how="inner")
    nobody = as_frame(context.spark, [], pa.schema([("profile_id", model.TEXT)]))
    nothing = as_frame(context.spark, [], scoring.SCORED)
    return Matched(label, compared, weights, prepared, nobody, nothing, skipped=0)


def _tell_missing(
    context: StepContext, label: str, compared: Compared, counting: DataFrame
) -> None:
    """Report what nobody has a value of: more likely a wrong name than something unknown."""
    numbers = enumerate(compared.names)
    given = [F.count_if(F.get("forms", F.lit(place)) != "").alias(name) for place, name in numbers]
    found = counting.agg(*given).first()
    for name in compared.names:
        if found is not None and not found[name]:
            context.report(f"{label}: no profile has a value of {name}, which `match` compares")


def declared(compared: Compared) -> str:
    """Return the digest of a declaration and of the rules that block it.

    What was prepared or learned by another is not used.
    """
    rules = [rule.name for rule in blocking_rules(compared)]
    text = json.dumps([compared.model_dump(mode="json"), NAMES.name, rules])
    return hashlib.sha256(text.encode()).hexdigest()[:_DECLARATION_CHARACTERS]


def _step(label: str) -> str:
    """Labels may hold any characters; folders may not."""
    digest = hashlib.sha256(label.encode()).hexdigest()[:_DECLARATION_CHARACTERS]
    return f"resolve/{digest}"


def stored(context: StepContext, label: str, compared: Compared) -> DataFrame:
    """Return profile_id, forms, finer and keys of what is prepared."""
    rows = context.warehouse.current("match_profiles").where(_is_of(label, compared))
    return rows.select("profile_id", "forms", "finer", "keys")


def _is_of(label: str, compared: Compared) -> Column:
    return (F.col("label") == label) & (F.col("declaration") == declared(compared))


def _prepared(
    context: StepContext, label: str, compared: Compared, ours: DataFrame, model: SentModel
) -> DataFrame:
    """Prepare the profiles that are new, keep them, and return all with whether they count."""
    before = context.warehouse.before("match_profiles").where(_is_of(label, compared))
    new = ours.select("profile_id").join(before, on="profile_id", how="left_anti")
    made = blocking.prepared(_values(context, compared, new), compared, model)
    named = {"label": F.lit(label), "declaration": F.lit(declared(compared))}
    context.warehouse.append(
        "match_profiles",
        context.stage(_step(label), "new", made.withColumns(named)),
        batch=context.batch.number,
        purpose=f"{_step(label)}/{declared(compared)}",
    )
    return stored(context, label, compared).join(ours, on="profile_id", how="inner")


def _values(context: StepContext, compared: Compared, new: DataFrame) -> DataFrame:
    """Return profile_id, group_id and the compared values; all mentions of a profile have them."""
    mentions = context.warehouse.current("mentions").join(new, on="profile_id", how="left_semi")
    values = [_value(context, name).alias(name) for name in compared.names]
    told = mentions.groupBy("profile_id", "group_id").agg(F.min(F.struct(*values)).alias("told"))
    return told.select("profile_id", "group_id", "told.*")


def _value(context: StepContext, name: str) -> Column:
    if name == NAME:
        return F.col("normalised_name")
    if name in context.ontology.identifiers:
        first = F.array_min(F.filter("identifiers", lambda one: one.startswith(f"{name}:")))
        return F.substring(first, len(name) + 2, 2**31 - 1)
    return F.col("attributes")[name]


def _standing(context: StepContext, label: str, compared: Compared) -> tuple[Weights | None, bool]:
    """Return the newest weights, and whether this batch begins with them, or is to learn them."""
    rows = context.warehouse.current("match_weights").where(_is_of(label, compared))
    order = (F.desc("batch"), F.asc(F.col("document").isNull()))
    newest = rows.orderBy(*order).select("document", "batch").first()
    if newest is None:
        return None, False
    document, is_new = newest["document"], newest["batch"] == context.batch.number
    return read(json.loads(document)) if document else None, is_new


def standing_weights(context: StepContext, label: str, compared: Compared) -> Weights | None:
    """Return the newest weights of a label that the context's batch or an earlier one learned."""
    return _standing(context, label, compared)[0]


def ask_to_learn(context: StepContext, label: str) -> dict[str, int]:
    """Let the context's batch learn a label's weights again; a row without a document says so.

    Raises:
        InputError: the ontology does not say how the label is matched.
    """
    compared = compared_of(context, label)
    row = (None, label, declared(compared), None, None, context.batch.number)
    asked = context.warehouse.append(
        "match_weights",
        as_frame(context.spark, [row], model.MATCH_WEIGHTS),
        batch=context.batch.number,
        purpose=f"{_step(label)}/asked",
    )
    return {"labels_to_learn": asked}


def is_asked_to_learn(context: StepContext) -> bool:
    """Return whether the batch is to learn the weights of some label again."""
    rows = context.warehouse.current("match_weights")
    return not rows.where(F.col("batch") == context.batch.number).isEmpty()


def compared_of(context: StepContext, label: str) -> Compared:
    """Return what is compared of a label.

    Raises:
        InputError: the ontology does not say how the label is matched.
    """
    compared = context.ontology.matched.get(label)
    if compared is None:
        known = ", ".join(context.ontology.matched) or "none"
        raise InputError(f"{label!r} has no `match` in the ontology; labels that have: {known}.")
    return compared


def _keep(context: StepContext, weights: Weights, label: str, number: int) -> None:
    document = json.dumps(weights.document(), ensure_ascii=False)
    declaration = declared(weights.compared)
    row = (weights.version, label, declaration, document, number, context.batch.number)
    context.report(f"{label}: weights {weights.version} learned from {number:,} profiles")
    context.warehouse.append(
        "match_weights",
        as_frame(context.spark, [row], model.MATCH_WEIGHTS),
        batch=context.batch.number,
        purpose=f"{_step(label)}/{declaration}",
    )


def _near(context: StepContext, step: str, prepared: DataFrame) -> DataFrame:
    """Return the profiles of which all pairs are scored: what came, and whose blocks were cut."""
    seeds = prepared.where("is_seed").select("profile_id")
    held = blocking.held(prepared.drop("is_seed"), seeds)
    cut = blocking.recut(held, MOST_IN_BLOCK)
    return context.stage(step, "near", seeds.union(cut).distinct())


def _with_an_end_in(pairs: DataFrame, near: DataFrame | None) -> DataFrame:
    if near is None:
        return pairs
    seen = pairs
    for end in _ENDS:
        mark = near.select(F.col("profile_id").alias(end), F.lit(True).alias(f"{end}_is_near"))
        seen = seen.join(mark, on=end, how="left")
    is_near = F.coalesce("left_is_near", "right_is_near", F.lit(False))
    return seen.where(is_near).select(*pairs.columns)


def _evidence(context: StepContext, one: Matched, reached: DataFrame) -> list[DataFrame]:
    """What was scored, and the pairs of profiles of which nothing changed but those around them."""
    columns = ("left", "right", "score")
    if one.near is None:
        return [one.scored.select(*columns)]
    counting = one.prepared.where("counts")
    rest = counting.join(reached, on="profile_id", how="left_semi")
    rest = rest.join(one.near, on="profile_id", how="left_anti").select("profile_id")
    rest = context.stage(_step(one.label), "unchanged", rest)
    blocks = blocking.blocks(blocking.held(counting, rest), MOST_IN_BLOCK)
    pairs = _among(blocking.candidates(blocks, MOST_IN_BLOCK), rest)
    levelled = scoring.levelled(pairs, counting, one.compared, one.weights.rarity)
    again = scoring.scored(levelled, one.weights)
    return [_among(one.scored, reached).select(*columns), again.select(*columns)]


def _among(pairs: DataFrame, profiles: DataFrame) -> DataFrame:
    for end in _ENDS:
        ids = profiles.select(F.col("profile_id").alias(end))
        pairs = pairs.join(ids, on=end, how="left_semi")
    return pairs


def _decided(context: StepContext, one: Matched) -> DataFrame:
    linked = F.col("score") > LINKED
    features = F.to_json(F.struct(F.lit(one.weights.version).alias("weights"), "levels"))
    groups = one.prepared.select(F.col("profile_id").alias("left"), "group_id")
    rows = one.scored.where(F.col("score") > REVIEWED).join(groups, on="left", how="inner")
    return rows.select(
        *("group_id", "left", "right"),
        F.when(linked, "join").otherwise("review").alias("verdict"),
        F.col("score"),
        features.alias("features"),
        F.lit(SCORE).alias("decided_by"),
        F.when(linked, "likely one").otherwise("likely enough to ask").alias("reason"),
        context.batch.known_at_column.alias("known_at"),
        F.lit(context.batch.number).alias("batch"),
    )

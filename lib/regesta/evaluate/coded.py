"""Truth and snapshot as integers: who bears which record, who states what of whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regesta.errors import InputError
from regesta.evaluate.coding import Array, Links, firsts, micros, row_at, shared_codes
from regesta.evaluate.published import Published
from regesta.evaluate.truth import Truth
from regesta.query.layout import FOREVER


@dataclass(frozen=True)
class Claims:
    """Rectangles of facts, int (rows,) each.

    Subjects are codes, targets too, or negative numbers for literal values; times are microseconds,
    FOREVER where absent.
    """

    subject: Array
    relation: Array
    target: Array
    start: Array
    end: Array
    created: Array
    expired: Array


@dataclass(frozen=True)
class Coded:
    """What is compared.

    Records, real entities ("gold", the row in truth.entities) and the snapshot's entities are
    codes. `bearers` leads from a record to the entities that ever bore it, `open_bearers` to those
    that bear it now. `truth` is about records, `believed` about the snapshot's entities.
    """

    gold: Array  # by record; -1: a record that nobody is expected to know
    bearers: Links
    open_bearers: Links
    entity_rows: Array  # by entity: a row of published.entities, the open one where there is one
    truth: Claims
    believed: Claims
    believed_rows: Array  # the row of published.facts
    relations: list[str]

    @property
    def canonical(self) -> Array:
        """Return by entity its real entity, or a number above all real ones where it has none."""
        size = len(self.entity_rows)
        golds = self.gold[self.bearers.left]
        some = golds >= 0
        real = firsts(self.bearers.right[some], golds[some], size)
        return np.where(real < 0, int(self.gold.max(initial=-1)) + 1 + np.arange(size), real)


def coded(truth: Truth, published: Published) -> Coded:
    """Code truth and snapshot. Raises InputError where they are not about the same groups."""
    entities, facts = published.entities, truth.facts
    borne = _borne(entities)
    _check_groups(truth, published)
    told = pc.is_in(published.facts["relation"], value_set=pc.unique(facts["relation"]))
    rows = np.flatnonzero(told.to_numpy())
    beliefs = published.facts.take(pa.array(rows))
    record, subject, target, bears = shared_codes(
        (truth.records["group_id"], truth.records["record"]),
        (facts["group_id"], facts["subject"]),
        (facts["group_id"], facts["object"]),
        (borne["group_id"], borne["identifier"]),
    )
    entity, borne_by, about, towards = shared_codes(
        (entities["group_id"], entities["entity_id"]),
        (borne["group_id"], borne["entity_id"]),
        (beliefs["group_id"], beliefs["subject_id"]),
        (beliefs["group_id"], beliefs["object_id"]),
    )
    gold = np.full(1 + max(int(c.max(initial=-1)) for c in (record, subject, target, bears)), -1)
    gold[record] = truth.records["row"].to_numpy()
    _check_owned(facts, gold, subject, target)
    known, still = gold[bears] >= 0, borne["open"].to_numpy()
    literal, stated = shared_codes((facts["value"],), (beliefs["value"],))
    relation, believed = shared_codes((facts["relation"],), (beliefs["relation"],))
    is_open = pc.is_null(entities["expired_at"]).to_numpy()
    open_first = np.argsort(~is_open, kind="stable")
    return Coded(
        gold=gold,
        bearers=Links(bears[known], borne_by[known]),
        open_bearers=Links(bears[known & still], borne_by[known & still]),
        entity_rows=firsts(entity[open_first], open_first, 1 + int(entity.max(initial=-1))),
        truth=_claims(facts, (subject, relation, _targets(facts["object"], target, literal))),
        believed=_claims(
            beliefs, (about, believed, _targets(beliefs["object_id"], towards, stated))
        ),
        believed_rows=rows,
        relations=_names(relation, facts["relation"]),
    )


def _borne(entities: pa.Table) -> pa.Table:
    """Return a row for each identifier of each version of an entity."""
    lists = entities["identifiers"].combine_chunks()
    rows = pc.list_parent_indices(lists)
    versions = entities.select(["group_id", "entity_id"]).take(rows)
    still = pc.is_null(entities["expired_at"]).combine_chunks().take(rows)
    return versions.append_column("identifier", pc.list_flatten(lists)).append_column("open", still)


def _claims(facts: pa.Table, triple: tuple[Array, Array, Array]) -> Claims:
    subject, relation, target = triple
    return Claims(
        subject=subject,
        relation=relation,
        target=target,
        start=micros(facts["valid_at"], -FOREVER),
        end=micros(facts["invalid_at"], FOREVER),
        created=micros(facts["created_at"], -FOREVER),
        expired=micros(facts["expired_at"], FOREVER),
    )


def _targets(objects: Any, codes: Array, literals: Array) -> Array:
    return np.where(pc.is_null(objects).to_numpy(), -1 - literals, codes)


def _names(codes: Array, texts: Any) -> list[str]:
    places = firsts(codes, np.arange(len(codes)), 1 + int(codes.max(initial=-1)))
    return [str(texts[int(place)].as_py()) for place in places]


def _check_groups(truth: Truth, published: Published) -> None:
    groups = pc.unique(truth.entities["group_id"])
    if not pc.any(pc.is_in(published.entities["group_id"], value_set=groups)).as_py():
        raise InputError(
            f"The snapshot {published.snapshot.manifest.name} holds none of the groups of the "
            f"truth ({', '.join(groups.to_pylist()[:3])}, ...); name the snapshots of the "
            "warehouse that was built from this archive with --snapshots."
        )


def _check_owned(facts: pa.Table, gold: Array, subject: Array, target: Array) -> None:
    named = pc.is_valid(facts["object"]).to_numpy()
    for end, missing in (("subject", gold[subject] < 0), ("object", named & (gold[target] < 0))):
        if missing.any():
            row = row_at(facts, int(missing.argmax()))
            raise InputError(
                f"truth/facts tells of {row[end]} in group {row['group_id']}, which "
                "truth/entities doesn't list; simulate the archive again."
            )

"""Arrow around the timeline function: one conflict key's rows in, rows to open and close out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from regesta import model
from regesta.arrow import Batches, Row, as_batches, groups
from regesta.ids import digester
from regesta.timeline.causes import Judgement, Rivalry, counts
from regesta.timeline.history import Changes, EvidenceRow, FactRow, OpenRows, history
from regesta.timeline.ontology import Ontology, target_key
from regesta.timeline.statement import Period, Statement

INPUT_COLUMNS = (
    "conflict_key",
    "row_kind",
    "row_id",
    "group_id",
    "subject_id",
    "relation",
    "object_id",
    "value",
    "created_at",
    "expired_at",
    "valid_at",
    "invalid_at",
    "valid_precision",
    "invalid_precision",
    "statement_id",
    "episode_id",
    "quote_start",
    "quote_end",
    "text",
    "hyperedge_id",
    "breaks_signature",
    "polarity",
    "retracts",
    "position",
    "reference_time",
    "temporary",
    "authority",
    "changed_at",  # of statements: the earliest known time at which this batch changes them
    "expiry_reason",  # of statements: why they no longer count, and by what
    "expired_by_episode",
    "expired_by_fact",
    "kind",
    "seen_from",
    "end_reason",
    "end_by",
    "is_disputed",
    "fact_id",
    "period_start",
)
"""What the task reads, from three tables; a column that a kind of row lacks is null in it."""

_AT = {name: place for place, name in enumerate(INPUT_COLUMNS)}
_OUTPUT = {
    **{name: model.FACTS.field(name).type for name in model.FACTS.names},
    **{name: model.FACT_EVIDENCE.field(name).type for name in model.FACT_EVIDENCE.names},
}
OUTPUT = pa.schema([("row_kind", model.TEXT), *_OUTPUT.items()])
"""Rows to open and to close of both tables; row_kind is open_fact, close_fact, ..."""


def timeline_task(ontology: Ontology, salt: str) -> Callable[[Batches], Batches]:
    """Return the function for mapInArrow over rows sorted by conflict key."""

    def run(batches: Batches) -> Batches:
        glue = _Glue(ontology, salt)
        made = (row for rows in groups(batches, lambda row: row[0]) for row in glue.changes(rows))
        return as_batches(made, OUTPUT)

    return run


class _Glue:
    def __init__(self, ontology: Ontology, salt: str) -> None:
        self._ontology = ontology
        self._digest = digester(salt)

    def changes(self, rows: list[Row]) -> Iterator[Row]:
        """Give the rows of `OUTPUT` that one conflict key's history opens and closes."""
        kind = _AT["row_kind"]
        statements = [_statement(row) for row in rows if row[kind] == "statement"]
        open_rows = OpenRows(
            facts=[_fact_row(row) for row in rows if row[kind] == "fact"],
            evidence=[_evidence_row(row) for row in rows if row[kind] == "evidence"],
        )
        changed = [row[_AT["changed_at"]] for row in rows if row[_AT["changed_at"]] is not None]
        if not changed:
            return
        rivals = [_rivalry(row) for row in rows if row[kind] == "rivals"]
        made = history(
            statements, self._ontology, open_rows, after=min(changed) - 1, rivalries=rivals
        )
        group = rows[0][_AT["group_id"]]
        key = None if rivals else rows[0][_AT["conflict_key"]]
        yield from self._rows(made, _Told(statements), key, group)

    def _rows(self, made: Changes, statements: _Told, key: str | None, group: str) -> Iterator[Row]:
        """Rows of one conflict key, or of several (None) that verdicts joined."""
        for fact in made.opened_facts:
            own = key or self._conflict_key(group, *fact.key[:2])
            yield self._opened_fact(fact, statements, own, group)
        for evidence in made.opened_evidence:
            own = key or self._conflict_key(group, *evidence.key[:2])
            yield self._opened_evidence(evidence, statements, own, group)
        for closed in made.closed_facts:
            yield _output(
                row_kind="close_fact",
                row_id=closed.payload,
                expired_at=closed.expired_at,
                **self._expiry(closed, group),
            )
        for ended in made.closed_evidence:
            yield _output(
                row_kind="close_evidence", row_id=ended.payload, expired_at=ended.expired_at
            )

    def _conflict_key(self, group: str, subject: str, relation: str) -> str:
        """The same as `keys.conflict_key`."""
        family = self._ontology.family(relation)
        whose = None if self._ontology.scope(family) == "linked" else subject
        return self._digest("key", group, family, whose)

    def _fact_id(self, group: str, subject: str, relation: str, target: str) -> str:
        return self._digest("fact", group, subject, relation, target)

    def _spoken_of(self, statement: Statement, group: str) -> str | None:
        """The fact that a statement asserts."""
        _, subject, relation, target, polarity, *_ = statement
        if polarity != "asserts" or target is None:
            return None
        return self._fact_id(group, subject, relation, target)

    def _expiry(self, row: FactRow, group: str) -> dict[str, str | None]:
        """Why a belief ended, and by what; empty while it is believed."""
        if row.cause is None:
            return {"expiry_reason": row.expiry_reason}
        if isinstance(row.cause, Judgement):
            return self._judged_expiry(row, row.cause, group)
        said, arrived = row.cause
        told: Row = said.payload
        return {
            "expiry_reason": row.expiry_reason,
            "expired_by": said.id,
            "expired_by_fact": self._spoken_of(said, group)
            if arrived or told[_AT["expired_by_fact"]] is None
            else told[_AT["expired_by_fact"]],
            "expired_by_episode": told[_AT["episode_id" if arrived else "expired_by_episode"]],
        }

    def _judged_expiry(
        self, row: FactRow, judgement: Judgement, group: str
    ) -> dict[str, str | None]:
        pair = judgement.rivalry.pair
        other = pair[0] if pair[1] == row.period[:3] else pair[1]
        return {
            "expiry_reason": row.expiry_reason,
            "expired_by": judgement.rivalry.verdict,
            "expired_by_fact": self._fact_id(group, *other),
        }

    def _opened_fact(self, row: FactRow, statements: _Told, key: str, group: str) -> Row:
        period = row.period
        fact_id = self._fact_id(group, period.subject, period.relation, period.object)
        first = min(
            (statements.at(name, row.created_at) for name in period.evidence),
            key=lambda s: (s.known_from, s.id),
        )
        end = statements.at(period.end_by, row.created_at) if period.end_by else None
        entity, value = _target(period.object)
        told: Row = first.payload
        return _output(
            row_kind="open_fact",
            row_id=self._digest("fact row", fact_id, period.start, row.created_at),
            conflict_key=key,
            fact_id=fact_id,
            group_id=group,
            subject_id=period.subject,
            relation=period.relation,
            object_id=entity,
            value=value,
            text=told[_AT["text"]],
            kind=period.kind,
            valid_at=period.start if period.start_known else None,
            seen_from=None if period.start_known else period.start,
            invalid_at=period.end,
            valid_precision=period.valid_precision,
            invalid_precision=period.invalid_precision,
            hyperedge_id=told[_AT["hyperedge_id"]],
            created_at=row.created_at,
            expired_at=row.expired_at,
            end_reason=period.end_reason,
            end_by=period.end_by,
            end_by_fact=None if end is None else self._spoken_of(end, group),
            end_by_episode=None if end is None else end.payload[_AT["episode_id"]],
            **self._expiry(row, group),
            flags=_flags(disputed=period.disputed, breaks=told[_AT["breaks_signature"]]),
        )

    def _opened_evidence(self, row: EvidenceRow, statements: _Told, key: str, group: str) -> Row:
        fact_id = self._fact_id(group, row.subject, row.relation, row.object)
        told: Row = statements.at(row.statement_id, row.created_at).payload
        return _output(
            row_kind="open_evidence",
            row_id=self._digest("evidence", fact_id, row.start, row.statement_id, row.created_at),
            conflict_key=key,
            fact_id=fact_id,
            group_id=group,
            period_start=row.start,
            statement_id=row.statement_id,
            episode_id=told[_AT["episode_id"]],
            quote_start=told[_AT["quote_start"]],
            quote_end=told[_AT["quote_end"]],
            created_at=row.created_at,
            expired_at=row.expired_at,
        )


class _Told:
    """Statements by id; one whose entity moved is told twice, one telling after the other."""

    def __init__(self, statements: list[Statement]) -> None:
        self._by_id: dict[str, list[Statement]] = {}
        for statement in statements:
            self._by_id.setdefault(statement.id, []).append(statement)

    def at(self, name: str, known: int) -> Statement:
        """The telling that counts at a known time."""
        return next(s for s in self._by_id[name] if counts(s, known))


def _flags(*, disputed: bool, breaks: bool | None) -> list[str]:
    flags = {model.DISPUTED: disputed, model.BREAKS_SIGNATURE: breaks}
    return [flag for flag, is_set in flags.items() if is_set]


def _output(**values: Any) -> Row:
    return tuple(values.get(name) for name in OUTPUT.names)


def _target_key(entity: str | None, value: str | None) -> str | None:
    return None if entity is None and value is None else target_key(entity, value)


def _target(key: str) -> tuple[str | None, str | None]:
    sort, _, text = key.partition(":")
    return (text, None) if sort == "entity" else (None, text)


def _statement(row: Row) -> Statement:
    return Statement(
        id=row[_AT["statement_id"]],
        subject=row[_AT["subject_id"]],
        relation=row[_AT["relation"]],
        object=_target_key(row[_AT["object_id"]], row[_AT["value"]]),
        polarity=row[_AT["polarity"]],
        retracts=row[_AT["retracts"]] or "asserts",
        reference_time=row[_AT["reference_time"]],
        position=row[_AT["position"]],
        authority=row[_AT["authority"]],
        valid_at=row[_AT["valid_at"]],
        invalid_at=row[_AT["invalid_at"]],
        temporary=row[_AT["temporary"]],
        known_from=row[_AT["created_at"]],
        known_until=row[_AT["expired_at"]],
        valid_precision=row[_AT["valid_precision"]],
        invalid_precision=row[_AT["invalid_precision"]],
        lapse=row[_AT["expiry_reason"]] or "withdrawn",
        payload=row,
        hyperedge=row[_AT["hyperedge_id"]],
    )


def _rivalry(row: Row) -> Rivalry:
    left, right = (json.loads(row[_AT[name]]) for name in ("subject_id", "object_id"))
    return Rivalry(
        pair=(tuple(left), tuple(right)),
        verdict=row[_AT["statement_id"]],
        known_from=row[_AT["created_at"]],
        known_until=row[_AT["expired_at"]],
    )


def _fact_row(row: Row) -> FactRow:
    start_known = row[_AT["valid_at"]] is not None
    return FactRow(
        period=Period(
            subject=row[_AT["subject_id"]],
            relation=row[_AT["relation"]],
            object=_target_key(row[_AT["object_id"]], row[_AT["value"]]) or "",
            kind=row[_AT["kind"]],
            start=row[_AT["valid_at"]] if start_known else row[_AT["seen_from"]],
            start_known=start_known,
            end=row[_AT["invalid_at"]],
            evidence=(),
            start_by="",
            end_reason=row[_AT["end_reason"]],
            end_by=row[_AT["end_by"]],
            disputed=row[_AT["is_disputed"]],
            valid_precision=row[_AT["valid_precision"]],
            invalid_precision=row[_AT["invalid_precision"]],
        ),
        created_at=row[_AT["created_at"]],
        payload=row[_AT["row_id"]],
    )


def _evidence_row(row: Row) -> EvidenceRow:
    return EvidenceRow(
        subject=row[_AT["subject_id"]],
        relation=row[_AT["relation"]],
        object=_target_key(row[_AT["object_id"]], row[_AT["value"]]) or "",
        start=row[_AT["period_start"]],
        statement_id=row[_AT["statement_id"]],
        created_at=row[_AT["created_at"]],
        payload=row[_AT["row_id"]],
    )

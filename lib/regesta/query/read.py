"""Rows of a view to answers."""

from __future__ import annotations

from collections.abc import Iterator

from regesta import model
from regesta.query.answers import Community, Entity, Episode, Evidence, Fact, Verdict
from regesta.query.group import View
from regesta.query.segment import Row
from regesta.spans import own_words


def read_fact(view: View, row: int) -> Fact:
    """Return the fact at a row; its names are those known then."""
    segment = view.group.segment
    values = segment.row("facts", row)
    subject, target = segment.array("facts", "entities")[:, row]
    expired = _told(view, values["expired_at"])
    fields = {name: values[name] for name in _FACT_FIELDS}
    expiry: Row = {name: values[name] if expired is not None else None for name in _EXPIRY_FIELDS}
    return Fact(
        **fields,
        subject=entity_name(view, int(subject)) or values["subject_id"],
        object=entity_name(view, int(target)) or values["object_id"],
        expired_at=expired,
        **expiry,
        disputed=model.DISPUTED in (values["flags"] or ()),
        breaks_signature=model.BREAKS_SIGNATURE in (values["flags"] or ()),
    )


_EXPIRY_FIELDS = ("expiry_reason", "expired_by", "expired_by_fact", "expired_by_episode")
_DERIVED = ("subject", "object", "expired_at", "disputed", "breaks_signature")
_FACT_FIELDS = tuple(
    name for name in Fact.__dataclass_fields__ if name not in (*_DERIVED, *_EXPIRY_FIELDS)
)


def entity_name(view: View, first: int) -> str | None:
    """Return the name known then of the entity whose versions begin at a row, None for -1."""
    if first < 0:
        return None
    name: str | None = view.group.segment.cell("entities", "name", view.version(first))
    return name


def read_entity(view: View, row: int) -> Entity:
    """Return the entity version at a row."""
    values = view.group.segment.row("entities", row)
    return Entity(
        entity_id=values["entity_id"],
        row_id=values["row_id"],
        name=values["name"],
        aliases=tuple(values["aliases"] or ()),
        label=values["label"],
        identifiers=tuple(values["identifiers"] or ()),
        summary=values["summary"],
        attributes=dict(values["attributes"] or ()),
        created_at=values["created_at"],
        expired_at=_told(view, values["expired_at"]),
    )


def read_episode(view: View, row: int) -> Episode:
    """Return the episode at a row."""
    segment = view.group.segment
    values = segment.row("episodes", row)
    content = segment.cell("episodes", "content", row)
    fields = {name: values[name] for name in ("episode_id", *_EPISODE_FIELDS)}
    return Episode(**fields, content=content, own_words=own_words(content, values["spans"]))


def read_community(row: Row) -> Community:
    """Return the community version in a row."""
    fields = {name: row[name] for name in Community.__dataclass_fields__ if name != "key_terms"}
    return Community(**fields, key_terms=tuple(row["key_terms"] or ()))


def passage(view: View, scope: str, row: int) -> str:
    """Return the text of a row, counted from the group's first, for models and likeness."""
    place = view.group.slice(scope).start + row
    if scope == "facts":
        return str(view.group.segment.cell("facts", "text", place))
    if scope == "episodes":
        return read_episode(view, place).own_words
    name, summary = (view.group.segment.cell(scope, each, place) for each in ("name", "summary"))
    return f"{name}: {summary}" if summary else str(name)


def read_verdict(row: Row) -> Verdict:
    """Return the verdict in a row."""
    fields = {name: row[name] for name in Verdict.__dataclass_fields__ if name != "set_aside"}
    return Verdict(**fields, set_aside=model.SET_ASIDE in row["flags"])


def evidence_rows(view: View, row: int) -> Iterator[int]:
    """Yield the rows of the evidence for the period at a fact row, earliest known first.

    It is the evidence that stood at the known time or, for a belief given up by then, to its end.
    """
    segment = view.group.segment
    start, stop = (int(each) for each in segment.array("facts", "evidence")[:, row])
    period, _, _, expired = (int(each) for each in segment.array("facts", "times")[:, row])
    moment = min(view.known, expired - 1)
    starts, created, ends = segment.array("evidence", "times")[:, start:stop]
    stands = (starts == period) & (created <= moment) & (moment < ends)
    rows = [start + int(each) for each in stands.nonzero()[0]]
    yield from sorted(rows, key=lambda each: (int(created[each - start]), each))


def read_evidence(view: View, row: int, *, quoted: bool) -> Evidence:
    """Return the citation at an evidence row, with its words if `quoted`."""
    segment = view.group.segment
    values = segment.row("evidence", row)
    place = int(segment.array("evidence", "episode")[row])
    values |= {name: segment.cell("episodes", name, place) for name in _EPISODE_FIELDS}
    quote = quoted_span(view, row) if quoted else None
    fields = {name: values[name] for name in Evidence.__dataclass_fields__ if name != "quote"}
    return Evidence(**fields, quote=quote)


_EPISODE_FIELDS = (
    "source",
    "source_id",
    "kind",
    "author",
    "thread_id",
    "reference_time",
    "known_at",
)


def quoted_span(view: View, row: int) -> str | None:
    """Return the words cited at an evidence row."""
    segment = view.group.segment
    content: str | None = segment.cell(
        "episodes", "content", int(segment.array("evidence", "episode")[row])
    )
    start, end = (segment.cell("evidence", f"quote_{each}", row) for each in ("start", "end"))
    return content if content is None or start is None else content[start:end]


def _told(view: View, moment: int | None) -> int | None:
    return moment if moment is not None and moment <= view.known else None

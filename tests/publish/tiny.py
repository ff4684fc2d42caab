"""A hand-made warehouse of two groups, small enough to answer by hand.

What the group "acme" tells, in order of known time:

2022-01-10  Acme is owned by Jane Doe since 2021 (f-jane).
2022-03-06  It has priority P1, start unknown, seen from 2022-03-05 10:30 (f-priority).
2022-05-10  Jane met Bob on 2022-05-05 (f-met).
2023-01-10  Corrected: Jane's ownership ended with June 2022, Bob Müller owns it since July (f-bob).
            A lesser source says that Bob Stone does since September 2022: disputed (f-stone).
2023-06-01  the entity e-old (ACME Incorporated) turns out to be Acme Corp.
"""

from __future__ import annotations

from datetime import UTC, datetime

EARLY, CORRECTED, MERGED = "2022-01-10", "2023-01-10", "2023-06-01"


def micros(text):
    """Return microseconds of an ISO date, None of None."""
    if text is None:
        return None
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def entity(entity_id, name, *, group="acme", created=EARLY, expired=None, **more):
    return {
        "row_id": f"{entity_id}@{created}",
        "entity_id": entity_id,
        "group_id": group,
        "name": name,
        "aliases": [],
        "label": "Person",
        "identifiers": [],
        "attributes": [],
        "created_at": created,
        "expired_at": expired,
        **more,
    }


def fact(fact_id, subject, relation, target, text, *, group="acme", created=EARLY, **more):
    start = more.get("valid_at") or more.get("seen_from")
    return {
        "row_id": f"{fact_id}@{start}@{created}",
        "conflict_key": f"{group}/{relation}",
        "fact_id": fact_id,
        "group_id": group,
        "subject_id": subject,
        "relation": relation,
        "object_id": target,
        "text": text,
        "kind": "state",
        "created_at": created,
        "flags": [],
        **more,
    }


def evidence(fact_id, start, statement, episode, *, group="acme", created=EARLY, **more):
    return {
        "row_id": f"{fact_id}@{statement}@{created}",
        "conflict_key": f"{group}/{fact_id}",
        "fact_id": fact_id,
        "group_id": group,
        "period_start": start,
        "statement_id": statement,
        "episode_id": episode,
        "created_at": created,
        **more,
    }


def episode(episode_id, content, *, group="acme", at=EARLY, author=None):
    return {
        "episode_id": episode_id,
        "group_id": group,
        "source": "mail",
        "source_id": episode_id.upper(),
        "kind": "message",
        "author": author,
        "thread_id": "t1",
        "reference_time": at,
        "known_at": at,
        "content": content,
        "batch": 1,
    }


MAIL = "Jane owns Acme since 2021. Best regards"
NEWS = "Bob Müller took Acme over in July 2022."


def tables():
    """Return the rows of every table, by the warehouse's names."""
    return {
        "entities": _entities(),
        "entity_redirects": _redirects(),
        "facts": [*_owners(), *_other_facts()],
        "fact_evidence": _evidence(),
        "episodes": _episodes(),
        "supersessions": [],
        "communities": _communities(),
        "community_members": _members(),
        "resolved_verdicts": [],
    }


def _entities():
    """Acme under its names, who owned it, and another group's Acme."""
    return [
        entity("e-acme", "Acme", expired=CORRECTED, label="Company"),
        entity(
            "e-acme",
            "Acme Corp",
            created=CORRECTED,
            label="Company",
            aliases=["Acme"],
            identifiers=["crm:17"],
            summary="A maker of anvils",
        ),
        entity("e-old", "ACME Incorporated", expired=MERGED, label="Company"),
        entity("e-jane", "Jane Doe", identifiers=["email:jane@acme.com"]),
        entity("e-bob", "Bob Müller", aliases=["Bob"]),
        entity("e-stone", "Bob Stone", aliases=["Bob"]),
        entity("e-other", "Acme", group="globex", label="Company"),
        entity("e-zoe", "Zoë", group="globex"),
    ]


def _redirects():
    """What a merged entity became."""
    return [
        {
            "row_id": "r1",
            "old_entity_id": "e-old",
            "entity_id": "e-acme",
            "group_id": "acme",
            "created_at": MERGED,
        }
    ]


def _owners():
    """Who owned Acme, as told first and as corrected."""
    return [
        fact(
            "f-jane",
            "e-acme",
            "OWNED_BY",
            "e-jane",
            "Acme is owned by Jane Doe",
            valid_at="2021-01-01",
            valid_precision="year",
            expired_at=CORRECTED,
            expiry_reason="superseded",
            expired_by="s-bob",
            expired_by_fact="f-bob",
            expired_by_episode="m2",
        ),
        fact(
            "f-jane",
            "e-acme",
            "OWNED_BY",
            "e-jane",
            "Acme is owned by Jane Doe",
            created=CORRECTED,
            valid_at="2021-01-01",
            valid_precision="year",
            invalid_at="2022-07-01",
            invalid_precision="month",
            end_reason="superseded",
            end_by="s-bob",
            end_by_fact="f-bob",
            end_by_episode="m2",
        ),
        fact(
            "f-bob",
            "e-acme",
            "OWNED_BY",
            "e-bob",
            "Acme is owned by Bob Müller",
            created=CORRECTED,
            valid_at="2022-07-01",
            valid_precision="month",
        ),
        fact(
            "f-stone",
            "e-acme",
            "OWNED_BY",
            "e-stone",
            "Acme is owned by Bob Stone",
            created=CORRECTED,
            valid_at="2022-09-01",
            valid_precision="month",
            flags=["disputed"],
        ),
    ]


def _other_facts():
    """A literal without a start, an event, and what another group believes."""
    return [
        fact(
            "f-priority",
            "e-acme",
            "PRIORITY",
            None,
            "Acme has priority P1",
            created="2022-03-06",
            value="P1",
            seen_from="2022-03-05T10:30",
        ),
        fact(
            "f-met",
            "e-jane",
            "MET",
            "e-bob",
            "Jane Doe met Bob Müller",
            created="2022-05-10",
            kind="event",
            valid_at="2022-05-05",
            valid_precision="day",
            invalid_at="2022-05-06",
            invalid_precision="day",
        ),
        fact(
            "f-globex",
            "e-other",
            "OWNED_BY",
            "e-zoe",
            "Acme is owned by Zoë",
            group="globex",
            valid_at="2020-01-01",
            valid_precision="year",
        ),
    ]


def _evidence():
    """A citation for each period."""
    return [
        evidence("f-jane", "2021-01-01", "s-jane", "m1", quote_start=0, quote_end=26),
        evidence("f-bob", "2022-07-01", "s-bob", "m2", created=CORRECTED),
        evidence("f-stone", "2022-09-01", "s-stone", "m3", created=CORRECTED),
        evidence("f-priority", "2022-03-05T10:30", "s-p1", "m4", created="2022-03-06"),
        evidence("f-met", "2022-05-05", "s-met", "m4", created="2022-05-10"),
        evidence("f-globex", "2020-01-01", "s-g", "g1", group="globex"),
    ]


def _episodes():
    """Mails that tell it."""
    return [
        episode("m1", MAIL, author="jane@acme.com"),
        episode("m2", NEWS, at=CORRECTED),
        episode("m3", "They say Bob Stone owns Acme", at=CORRECTED),
        episode("m4", "P1! And Jane met Bob.", at="2022-03-05T10:30"),
        episode("g1", "Zoë owns Acme", group="globex"),
    ]


def _communities():
    """One community of Acme's group."""
    return [
        {
            "row_id": "c1@1",
            "community_id": "c1",
            "group_id": "acme",
            "level": 0,
            "name": "Owners of Acme",
            "summary": "Acme and who owned it",
            "key_terms": ["acme", "owner"],
            "size": 2,
            "created_at": CORRECTED,
        }
    ]


def _members():
    """Who belongs to it."""
    return [
        {
            "row_id": f"c1@{each}",
            "entity_id": each,
            "community_id": "c1",
            "group_id": "acme",
            "created_at": CORRECTED,
        }
        for each in ("e-acme", "e-bob")
    ]

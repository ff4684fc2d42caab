"""Versions of one record, written short, and what stands once they are judged."""

from __future__ import annotations

from dataclasses import replace

from regesta.sources.versions import (
    ARRIVAL,
    BY_ARRIVAL,
    EPISODE,
    HEARTBEAT,
    LOWEST_PLACE,
    Delivery,
    Night,
    Version,
)


def night(known_at=100, previous=None, deliveries=()):
    def name(version):
        own = version.known_at if version.own_known_at is None else version.own_known_at
        parts = (version.item_id, version.place, *version.said, version.known_at, own)
        return "/".join(map(str, parts))

    return Night(known_at, previous, name, ended_hash="ended", deliveries=deliveries)


def arrival(content, row=1, *, place="p", known=100, own=None, time=0, **fields):
    made = Version(
        kind=ARRIVAL,
        item_id=str(time),
        reference_time=time,
        place=place,
        known_at=known,
        own_known_at=own,
        content_hash=content,
        group_id="g",
        removed=None,
        arrival=(0, row),
    )
    return replace(made, **fields)


def by_arrival(contents, *, batch=1, first=1):
    return [
        arrival(content, row, place=f"{BY_ARRIVAL}{batch:03d}/{row:03d}")
        for row, content in enumerate(contents, start=first)
    ]


def after(versions, verdicts):
    """Return the table of episodes and heartbeats of a series after a batch, by the verdicts."""
    told = {v.version.arrival: v for v in verdicts if v.version.arrival and v.kind != "superseded"}
    stored = [version for version in versions if version.kind in (EPISODE, HEARTBEAT)]
    for version in versions:
        verdict = told.get(version.arrival)
        if version.kind != ARRIVAL or (verdict and verdict.kind == "unchanged"):
            continue
        new = verdict.version if verdict else version
        kind = HEARTBEAT if verdict and verdict.kind == "heartbeat" else EPISODE
        own = new.known_at if new.own_known_at is None else new.own_known_at
        place = LOWEST_PLACE if kind == HEARTBEAT else new.place
        stored.append(replace(new, kind=kind, own_known_at=own, arrival=None, place=place))
    stored += [replace(v.version, kind=EPISODE, arrival=None) for v in verdicts if v.kind == "gone"]
    names = night().name
    superseded = {v.version.episode_id for v in verdicts if v.kind == "superseded"}
    named = [one if one.episode_id else replace(one, episode_id=names(one)) for one in stored]
    return [
        replace(one, published=True, superseded=one.superseded or one.episode_id in superseded)
        for one in named
    ]


def run(judge, stored, arrived, at):
    versions = [*stored, *arrived]
    verdicts = list(judge(versions, at))
    return verdicts, after(versions, verdicts)


def contents(versions):
    return [one.content_hash for one in sorted(versions, key=lambda version: version.rank)]


def kinds(verdicts):
    return [(verdict.kind, verdict.version.content_hash) for verdict in verdicts]


def nights(*deliveries, known=100, **more):
    """Return arrivals from (time, content) pairs."""
    return [
        arrival(content, row, time=time, place=str(time), known=known, **more)
        for row, (time, content) in enumerate(deliveries, start=1)
    ]


def complete(*times, new=()):
    return [Delivery(time, 100, time in new) for time in times]

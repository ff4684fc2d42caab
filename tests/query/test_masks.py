"""No hit outside the as-of, ever: every recipe and scope, whatever the rows, beside another group.

The wanted rows are computed from the drawn rows by the design's predicates, not by the module.
"""

from __future__ import annotations

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

import regesta.query
from publish import tiny, writing
from query import world
from query.words import Words
from regesta.query import RECIPES, Filters

LAST = 9
DAYS = st.integers(0, LAST)
NAMES = ("ann", "bob", "cy")
GROUPS = ("g", "h")


def day(number):
    return None if number is None else f"2020-01-{number + 1:02d}"


def ends(draw, start):
    return draw(st.none() | st.integers(start + 1, LAST + 1))


@st.composite
def drawn_fact(draw):
    start, created = draw(DAYS), draw(DAYS)
    return {
        "subject": draw(st.sampled_from(NAMES)),
        "object": draw(st.none() | st.sampled_from(NAMES)),
        "start": start,
        "end": ends(draw, start),
        "created": created,
        "expired": ends(draw, created),
        "disputed": draw(st.booleans()),
        "relation": draw(st.sampled_from(["KNOWS", "LIKES"])),
    }


@st.composite
def drawn_version(draw):
    created = draw(DAYS)
    return {"created": created, "expired": ends(draw, created)}


@st.composite
def worlds(draw):
    renamed = st.fixed_dictionaries(dict.fromkeys(NAMES, st.integers(1, LAST)))
    communities = numbered(draw(st.lists(drawn_version(), max_size=2)))
    numbers = st.integers(0, max(len(communities) - 1, 0))
    return {
        "facts": numbered(draw(st.lists(drawn_fact(), max_size=6))),
        "renamed": draw(renamed),
        "communities": communities,
        "members": draw(st.lists(st.tuples(st.sampled_from(NAMES), numbers), max_size=3))
        if communities
        else [],
        "episodes": numbered(draw(st.lists(drawn_version(), max_size=3))),
    }


def numbered(rows):
    """Give rows the numbers that their ids are made of: they keep them when others are left out."""
    return [{**row, "n": n} for n, row in enumerate(rows)]


def tables(drawn):
    """Return rows of all tables for the worlds of both groups."""
    found = {name: [] for name in tiny.tables()}
    for group, world_ in drawn.items():
        for name, rows in one_group(group, world_).items():
            found[name] += rows
    return found


def stamps(row):
    return {"created_at": day(row["created"]), "expired_at": day(row["expired"])}


def one_group(group, drawn):
    base = tiny.episode(f"{group}-base", "ann knows bob", group=group, at=day(0))
    facts = [fact_row(group, row) for row in drawn["facts"]]
    communities = [
        world.community(f"{group}-c{row['n']}", "ann and bob", group) | stamps(row)
        for row in drawn["communities"]
    ]
    return {
        "entities": [
            version
            for name, moment in drawn["renamed"].items()
            for version in versions(group, name, moment)
        ],
        "facts": facts,
        "fact_evidence": [cited(group, row) for row in drawn["facts"]],
        "episodes": [
            base,
            *(
                tiny.episode(
                    f"{group}-e{row['n']}", "ann likes cy", group=group, at=day(row["created"])
                )
                for row in drawn["episodes"]
            ),
        ],
        "supersessions": [
            {"episode_id": f"{group}-e{row['n']}", "superseded_at": day(row["expired"])}
            for row in drawn["episodes"]
            if row["expired"] is not None
        ],
        "communities": communities,
        "community_members": [
            world.member(name, f"{group}-c{number}", group)
            | {"entity_id": f"{group}-{name}", "row_id": f"{group}-m{n}"}
            | stamps(next(row for row in drawn["communities"] if row["n"] == number))
            for n, (name, number) in enumerate(drawn["members"])
        ],
    }


def versions(group, name, moment):
    """An entity is called ann fox at first, then ann bob."""
    entity_id = f"{group}-{name}"
    first = {"created": day(0), "expired": day(moment)}
    return [
        tiny.entity(entity_id, f"{name} fox", group=group, **first),
        tiny.entity(entity_id, f"{name} bob", group=group, created=day(moment)),
    ]


def fact_row(group, row):
    target = row["object"] and f"{group}-{row['object']}"
    text = f"{row['subject']} {row['relation'].lower()} {row['object'] or 'fox'}"
    subject = f"{group}-{row['subject']}"
    told = (f"{group}-f{row['n']}", subject, row["relation"], target, text)
    more = {"value": None if target else "fox", "valid_at": day(row["start"])}
    flags = ["disputed"] if row["disputed"] else []
    return tiny.fact(*told, group=group, flags=flags, invalid_at=day(row["end"]), **more) | stamps(
        row
    )


def cited(group, row):
    citation = (f"{group}-f{row['n']}", day(row["start"]), f"{group}-s{row['n']}", f"{group}-base")
    return tiny.evidence(*citation, group=group) | stamps(row)


def stands(row, known):
    return row["created"] <= known and (row["expired"] is None or known < row["expired"])


def visible(group, drawn, valid, known):
    """Return the ids of what the as-of lets through, by scope."""
    facts = {
        f"{group}-f{row['n']}"
        for row in drawn["facts"]
        if stands(row, known)
        and not row["disputed"]
        and row["start"] <= valid
        and (row["end"] is None or valid < row["end"])
    }
    return {
        "facts": facts,
        "entities": {f"{group}-{name}" for name in NAMES},
        "communities": {
            f"{group}-c{row['n']}" for row in drawn["communities"] if stands(row, known)
        },
        "episodes": {f"{group}-base"}
        | {f"{group}-e{row['n']}" for row in drawn["episodes"] if stands(row, known)},
    }


WORDS = st.sampled_from(["ann knows bob", "cy", "likes fox", "nothing here", ""])
SEARCHES = st.sampled_from([each for each in sorted(RECIPES) if "cross_encoder" not in each])
NOUNS = {"fact": "facts", "entity": "entities", "community": "communities", "episode": "episodes"}


@settings(max_examples=60, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(GROUPS, worlds())), DAYS, DAYS, WORDS, SEARCHES)
def test_no_hit_outside_the_as_of_nor_of_another_group(drawn, valid, known, words, recipe):
    with tempfile.TemporaryDirectory() as root:
        writing.write_snapshot(root, tables(drawn), encoder=Words())
        snapshot = regesta.query.open(root, encoder=Words())
        asked = {"valid": day(valid), "known": day(known)}
        wanted = {group: visible(group, drawn[group], valid, known) for group in GROUPS}
        for graphs in (snapshot.group("g"), snapshot.graphs()):
            hits = graphs.as_of(**asked).search(words, recipe=recipe, limit=50, center="g-ann")
            for hit in hits:
                assert hit.id in wanted[hit.group][NOUNS[hit.kind]], recipe
            assert len({(hit.kind, hit.id) for hit in hits}) == len(hits)
            shown = [each for hit in hits for each in hit.entities]
            assert all(each.created_at <= tiny.micros(day(known)) for each in shown)


@settings(max_examples=30, deadline=None)
@given(worlds(), DAYS, DAYS, st.sampled_from(["KNOWS", "LIKES"]), DAYS)
def test_filters_let_through_what_the_predicate_says(drawn, valid, known, relation, since):
    """Every fact has a word of the question, so a search finds all that pass."""
    with tempfile.TemporaryDirectory() as root:
        writing.write_snapshot(root, tables({"g": drawn}), encoder=Words())
        graph = (
            regesta.query.open(root, encoder=Words())
            .group("g")
            .as_of(valid=day(valid), known=day(known))
        )
        told = {row["relation"] for row in drawn["facts"] if row["created"] <= known}
        named = [relation] if relation in told else []
        filters = Filters(
            relations=named,
            all_times=True,
            disputed="include",
            dates=f"valid_at >= {day(since)} or invalid_at is not empty",
        )
        wanted = {
            f"g-f{row['n']}"
            for row in drawn["facts"]
            if stands(row, known)
            and (not named or row["relation"] == relation)
            and (row["start"] >= since or row["end"] is not None)
        }
        words = "knows likes ann bob cy"
        hits = graph.search(words, recipe="fact_bm25", limit=50, filters=filters)
        assert {hit.id for hit in hits} == wanted


@settings(max_examples=25, deadline=None)
@given(worlds(), DAYS, WORDS, SEARCHES.filter(lambda name: "node_distance" not in name))
def test_the_past_is_answered_as_before_what_came_later(drawn, known, words, recipe):
    """Byte by byte: from a snapshot without the later rows comes the same text."""
    kept = {row["n"] for row in drawn["communities"] if row["created"] <= known}
    members = [(name, number) for name, number in drawn["members"] if number in kept]
    early = {
        "facts": before(drawn["facts"], known),
        "renamed": {n: at if at <= known else LAST + 1 for n, at in drawn["renamed"].items()},
        "communities": before(drawn["communities"], known),
        "members": members,
        "episodes": before(drawn["episodes"], known),
    }
    answers = []
    for each in (drawn, early):
        with tempfile.TemporaryDirectory() as root:
            writing.write_snapshot(root, tables({"g": each}), encoder=Words())
            graph = regesta.query.open(root, encoder=Words()).group("g").as_of(known=day(known))
            hits = graph.search(words, recipe=recipe, limit=50)
            answers.append(
                (hits.context(), [(hit.text, hit.score, dict(hit.ranks)) for hit in hits])
            )
    assert answers[0] == answers[1]


def unended(row, known):
    over = row["expired"] is not None and row["expired"] <= known
    return {**row, "expired": row["expired"] if over else None}


def before(rows, known):
    return [unended(row, known) for row in rows if row["created"] <= known]

"""Versions of an entity: the incremental fold against one that starts afresh at every time."""

from __future__ import annotations

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from regesta.resolve.versions import CountedMention, versions

mention = st.builds(
    lambda number, authority, reference, since, lasts, name, label, city: CountedMention(
        rank=(authority, reference, since, f"{number:03}"),
        since=since,
        until=None if lasts is None else since + lasts,
        name=name,
        label=label,
        identifiers=(f"row:{number % 3}",),
        attributes=(("city", city),) if city else (),
    ),
    number=st.integers(0, 999),
    authority=st.integers(0, 1),
    reference=st.integers(0, 3),
    since=st.integers(0, 6),
    lasts=st.none() | st.integers(0, 4),
    name=st.sampled_from(["A", "B", "0", "1"]),
    label=st.sampled_from(["", "Person"]),
    city=st.sampled_from(["", "Rome", "Oslo"]),
)
mentions = st.lists(mention, max_size=8, unique_by=lambda one: one.rank[3])


def afresh(said, when):
    """What holds at one known time, by the definition."""
    counting = [m for m in said if m.since <= when and (m.until is None or when < m.until)]
    if not counting:
        return None
    ranked = sorted(counting, key=lambda m: m.rank)
    attributes = {key: value for m in ranked for key, value in m.attributes}
    proper = [m.name for m in ranked if f"row:{m.name}" not in m.identifiers]
    name = proper[-1] if proper else ranked[-1].name
    return (
        name,
        tuple(sorted({m.name for m in counting} - {name})),
        ([""] + [m.label for m in ranked if m.label])[-1],
        tuple(sorted({text for m in counting for text in m.identifiers})),
        attributes,
    )


def seen(found, when, content=None):
    for version in found:
        if version.since <= when:
            content = version.content
    if content is None:
        return None
    return (*content[:4], dict(content.attributes))


@given(mentions)
def test_every_known_time_is_as_if_computed_afresh(said):
    found = versions(said, after=None)
    for when in range(-1, 12):
        assert seen(found, when) == afresh(said, when)
    assert all(one.content != other.content for one, other in itertools.pairwise(found))


@given(mentions, st.integers(0, 6))
def test_a_later_batch_finds_the_rest_of_the_same_versions(said, after):
    whole = versions(said, after=None)
    assert versions(said, after=after) == [one for one in whole if one.since > after]


def test_cost_grows_with_the_mentions():
    """Ten thousand mentions at as many known times, each with a city of its own."""

    def said(number):
        city = (("city", f"{number}"),)
        return CountedMention((1, number, number, ""), number, None, "A", "", (), city)

    start = time.process_time()
    found = versions(map(said, range(10_000)), after=None)
    assert len(found) == 10_000
    assert time.process_time() - start < 5  # a quadratic fold takes minutes

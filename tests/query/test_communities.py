"""Communities on two levels, and how they changed from one known time to the next."""

from __future__ import annotations

import pytest

from query import world
from regesta.query import Filters, QueryError

FIRST, SECOND, THIRD = (world.DAY % day for day in (1, 10, 20))
PEOPLE = ("ann", "bob", "cy", "dan")


def town():
    """ann, bob and cy, dan are two circles under one district; on the 10th bob moves to the other.

    On the 20th the first circle is gone: ann joined the second one.
    """
    rows = world.rows()

    def circle(name, size, **more):
        return world.community(name, name, "g", size=size, parent="town", **more)

    district = world.community("town", "town", "g", level=1, size=4)
    lone = world.community("lone", "x", "g")
    member = world.member
    rows["communities"] = [
        circle("one", 2, expired_at=SECOND),
        circle("one", 1, row_id="one@2", created_at=SECOND, expired_at=THIRD),
        circle("two", 2, expired_at=SECOND),
        circle("two", 3, row_id="two@2", created_at=SECOND, expired_at=THIRD),
        circle("two", 4, row_id="two@3", created_at=THIRD),
        district,
        lone,
    ]
    rows["community_members"] = [
        member("ann", "one", "g", expired_at=THIRD),
        member("ann", "two", "g", created_at=THIRD),
        member("bob", "one", "g", expired_at=SECOND),
        member("bob", "two", "g", created_at=SECOND),
        member("cy", "two", "g"),
        member("dan", "two", "g"),
        member("eve", "lone", "g"),
    ]
    return rows


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return world.opened(tmp_path_factory.mktemp("town"), town()).group("g").as_of(known="2022-02")


def names(found):
    return [each.name for each in found]


def test_a_search_goes_down_the_levels_while_that_helps(tmp_path):
    rows = town()
    for row in rows["communities"]:
        told = {"town": "harbour, sailing", "two": "sailing sailing school", "lone": "chess"}
        row["summary"] = told.get(row["community_id"], "sailing")
    graph = world.opened(tmp_path, rows).group("g").as_of(known="2022-02")

    def found(words):
        hits = graph.search(words, recipe="community_hybrid_descent")
        return [hit.id for hit in hits]

    # What only the district tells is answered by it, what a circle tells better by the circle.
    assert found("harbour") == ["town"]
    assert found("sailing school") == ["two"]
    assert found("chess") == ["lone"]
    both = graph.search("sailing school", recipe="community_hybrid_rrf")
    assert [hit.id for hit in both] == ["two", "town"]


def test_from_the_whole_to_a_detail_and_back(graph):
    assert graph.community("town").level == 1
    assert names(graph.parts("town")) == ["two"]
    assert names(graph.as_of(known=FIRST).parts("town")) == ["one", "two"]
    assert graph.parts("two") == []
    assert graph.community_of("ann").parent == "town"


def test_members_on_every_level(graph):
    assert names(graph.members("town")) == sorted(PEOPLE)
    assert names(graph.members("two")) == sorted(PEOPLE)
    before = graph.as_of(known=FIRST)
    assert names(before.members("one")) == ["ann", "bob"]
    assert names(before.members("town")) == sorted(PEOPLE)


def test_what_became_of_a_community(graph):
    one = [(each.size, each.joined, each.left) for each in graph.community_history("one")]
    assert one == [
        (2, ((None, 2),), ()),
        (1, (), (("two", 1),)),
        (0, (), (("two", 1),)),
    ]
    born, _, gone = graph.community_history("one")
    assert born.is_birth
    assert not born.is_end
    assert gone.is_end
    two = [(each.size, each.joined, each.left) for each in graph.community_history("two")]
    assert two == [(2, ((None, 2),), ()), (3, (("one", 1),), ()), (4, (("one", 1),), ())]
    whole = [(each.size, each.joined, each.left) for each in graph.community_history("town")]
    assert whole == [(4, ((None, 4),), ())]


def test_where_who_joins_was_last(tmp_path):
    """Eve goes from one circle to another, in which the second has no part, and then to that."""
    rows = town()
    rows["communities"].append(world.community("other", "x", "g"))
    *others, _ = rows["community_members"]
    rows["community_members"] = [
        *others,
        world.member("eve", "lone", "g", expired_at=SECOND),
        world.member("eve", "other", "g", created_at=SECOND, expired_at=THIRD),
        world.member("eve", "two", "g", created_at=THIRD),
    ]
    graph = world.opened(tmp_path, rows).group("g").as_of(known="2022-02")
    *_, last = graph.community_history("two")
    assert (last.size, last.joined) == (5, (("one", 1), ("other", 1)))
    whole = [(each.size, each.joined) for each in graph.community_history("town")]
    assert whole == [(4, ((None, 4),)), (5, ((None, 1),))]


def test_how_every_community_grew(graph):
    """Sizes at the end of each day on which one changed; those of a row that repeats one once."""
    assert graph.community_sizes() == {"one": [2, 1], "two": [2, 3, 4], "town": [4], "lone": [1]}
    assert graph.as_of(known=FIRST).community_sizes()["two"] == [2]


def test_history_ends_at_the_known_time(graph):
    assert len(graph.as_of(known=SECOND).community_history("one")) == 2


def test_a_community_that_is_not_there(graph):
    with pytest.raises(QueryError, match="no community 'nowhere'"):
        graph.community("nowhere")
    with pytest.raises(QueryError, match="no community 'one'"):
        graph.members("one")
    with pytest.raises(QueryError, match="nowhere"):
        graph.community_history("nowhere")


def test_a_label_filter_finds_upper_communities(graph):
    hits = graph.search("town", recipe="community_bm25", filters=Filters(labels=["Robot"]))
    assert [hit.id for hit in hits] == ["town"]

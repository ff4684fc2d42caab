"""What changed between two times: by hand on the tiny warehouse, and on drawn periods."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import regesta.query
from publish import tiny, writing
from regesta.query import Fact, QueryError
from regesta.query.changes import changed_beliefs

DAY = 86_400_000_000


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    root = tmp_path_factory.mktemp("snapshot")
    writing.write_snapshot(root, tiny.tables())
    return regesta.query.open(root).group("acme")


def told(changes):
    return [
        (change.kind, fact.fact_id if (fact := change.after or change.before) else change.text)
        for change in changes
    ]


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("2022-01-01", "2022-02-01", [("begun", "f-jane")]),
        ("2022-02-01", "2022-06-01", [("begun", "f-priority"), ("begun", "f-met")]),
        (
            *("2022-06-01", "2023-02-01"),
            [("disputed", "f-stone"), ("ended", "f-jane"), ("begun", "f-bob")],
        ),
        ("2023-02-01", "2023-12-01", [("merged", "ACME Incorporated is one with Acme Corp")]),
        ("2023-07-01", "2023-12-01", []),
    ],
)
def test_what_was_believed_anew_between_two_known_times(acme, before, after, wanted):
    assert told(acme.as_of().diff(known=(before, after))) == wanted


def test_what_concerns_an_entity(acme):
    span = ("2022-06-01", "2023-12-01")
    assert told(acme.as_of().diff(known=span, about="Jane Doe")) == [("ended", "f-jane")]
    kinds = Counter(change.kind for change in acme.as_of().diff(known=span, about="Acme Corp"))
    assert kinds == {"merged": 1, "disputed": 1, "ended": 1, "begun": 1}


def test_an_end_tells_both_dates(acme):
    changes = acme.as_of().diff(known=("2022-06-01", "2023-02-01"))
    [ended] = [change for change in changes if change.kind == "ended"]
    assert ended.before.dates == "since 2021"
    assert ended.after.dates == "2021 to 2022-06"


def test_what_happened_between_two_valid_times_as_known_last(acme):
    changes = acme.as_of().diff(valid=("2021-06-01", "2022-10-01"))
    begun = {each for kind, each in told(changes) if kind == "begun"}
    assert begun == {"f-bob", "f-met", "f-priority"}
    assert [each for kind, each in told(changes) if kind == "ended"] == ["f-jane"]


@pytest.mark.parametrize("axis", ["known", "valid"])
def test_the_earlier_time_comes_first(acme, axis):
    with pytest.raises(QueryError, match="give the earlier first"):
        acme.as_of().diff(**{axis: ("2022-06-01", "2022-06-01")})


def test_one_axis_is_asked_about(acme):
    for spans in ({}, {"known": ("2021", "2022"), "valid": ("2021", "2022")}):
        with pytest.raises(QueryError, match="not both"):
            acme.as_of().diff(**spans)
    with pytest.raises(QueryError, match="knows nothing after"):
        acme.as_of().diff(known=("2022", "2030"))


def period(start, end, *, subject="s", disputed=False):
    values = dict.fromkeys(Fact.__dataclass_fields__)
    return Fact(
        **{
            **values,
            "fact_id": "f",
            "row_id": f"{subject}/{start}/{end}/{disputed}",
            "subject": subject,
            "subject_id": subject,
            "relation": "R",
            "object_id": "o",
            "text": "s R o",
            "kind": "state",
            "valid_at": start * DAY,
            "invalid_at": None if end is None else end * DAY,
            "disputed": disputed,
        }
    )


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ([(1, None)], [(1, 5)], ["ended"]),
        ([(1, 5)], [(1, 7)], ["corrected"]),
        ([(1, 5)], [(1, None)], ["corrected"]),
        ([(1, None)], [(3, None)], ["corrected"]),
        ([(1, 5)], [], ["retracted"]),
        ([], [(1, 5)], ["begun"]),
        ([(1, 5)], [(1, 5), (8, None)], ["begun"]),
        ([(1, 5)], [(6, 9)], ["retracted", "begun"]),
        ([(1, None)], [(1, 5), (8, None)], ["ended", "begun"]),
        ([(1, None, True)], [(1, None)], ["begun"]),
        ([(1, None)], [(1, None, True)], ["disputed"]),
    ],
)
def test_periods_of_one_fact(before, after, wanted):
    def periods(spans):
        return [period(*span[:2], disputed=len(span) > 2) for span in spans]

    assert [c.kind for c in changed_beliefs(periods(before), periods(after), {})] == wanted


def test_a_merge_is_told_by_the_names_that_both_had_before(tmp_path):
    """Whatever the one is called afterwards: here as the other one was."""
    rows = tiny.tables()
    [kept] = [row for row in rows["entities"] if row["name"] == "Acme Corp"]
    [redirect] = [row for row in rows["entity_redirects"] if row["entity_id"] == "e-acme"]
    merged_at = redirect["created_at"]
    renamed = {**kept, "row_id": "later", "name": "ACME Incorporated", "created_at": merged_at}
    kept["expired_at"] = merged_at
    rows["entities"].append(renamed)
    writing.write_snapshot(tmp_path, rows)
    graph = regesta.query.open(tmp_path).group("acme")
    texts = [c.text for c in graph.diff(known=("2023-02-01", "2023-12-01")) if c.kind == "merged"]
    assert texts == ["ACME Incorporated is one with Acme Corp"]


def test_a_fact_is_the_same_when_its_subject_was_merged_into_another():
    before, after = [period(1, None, subject="old")], [period(1, 5, subject="kept")]
    assert [c.kind for c in changed_beliefs(before, after, {"old": "kept"})] == ["ended"]
    apart = [c.kind for c in changed_beliefs(before, after, {})]
    assert apart == ["retracted", "begun"]


@st.composite
def apart(draw):
    """Draw periods of one fact that do not overlap, as a table believes them."""
    bounds = draw(st.lists(st.integers(0, 20), unique=True, max_size=8).map(sorted))
    spans = list(zip(bounds[::2], bounds[1::2], strict=False))
    if len(bounds) % 2:
        spans.append((bounds[-1], None))
    return [period(*span) for span in spans]


@given(apart(), apart())
def test_the_changes_lead_from_the_one_to_the_other(before, after):
    def spans(facts):
        return Counter((fact.valid_at, fact.invalid_at) for fact in facts if fact is not None)

    changes = changed_beliefs(before, after, {})
    left = spans(before) - spans(c.before for c in changes) + spans(c.after for c in changes)
    assert left == spans(after)
    assert all(c.before is None or c.after is None or c.before != c.after for c in changes)

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.declaration import Source
from regesta.sources.records import (
    RejectedRecordError,
    canonical_json,
    episode_mapper,
    known_value,
)

RUN = 1_700_000_000_000_000  # 2023-11-14T22:13:20Z
BASE = {
    "source": "s",
    "path": "x",
    "format": "jsonl",
    "mode": "event",
    "group": "group",
    "source_id": "id",
    "reference_time": "at",
    "unknown_values": ["?", 0],
}
RECORD = {"group": "g", "id": 7, "at": "2020-01-01"}


def mapped(record, **keys):
    return episode_mapper(Source.model_validate(BASE | keys), run_known_at=RUN)(record)


def reason(record, **keys):
    with pytest.raises(RejectedRecordError) as caught:
        mapped(record, **keys)
    return str(caught.value)


def test_a_whole_record():
    record = RECORD | {"w": "é", "a": "me", "t": 3, "p": "12", "v": "2", "k": 1_600_000_000}
    fields = mapped(
        record,
        version={"path": "v"},
        thread="t",
        author="a",
        position="p",
        known_at="k",
        content="{w: w, a: a}",
    )
    assert fields == (
        *("g", "7", "2", "1000000000000000002", None, "3", 12, "me"),
        *('{"a": "me", "w": "é"}', None, 1_577_836_800_000_000, 1_600_000_000_000_000, None),
    )


def test_messages_are_told_apart_into_their_parts():
    keys = {"kind": "message", "content": "text"}
    assert mapped(RECORD | {"text": "Yes.\n> Paid?"}, **keys).spans == (
        '{"own":[[0,5]],"quoted":[[5,12]],"signature":[]}'
    )


def test_the_whole_record_is_the_content_by_default():
    assert json.loads(mapped(RECORD).content) == RECORD
    assert mapped(RECORD, content="group").content == "g"


@pytest.mark.parametrize(
    ("change", "keys", "expected"),
    [
        ({"id": None}, {}, "missing source_id: id gives nothing"),
        ({"id": "?"}, {}, "missing source_id: id gives nothing"),
        ({"id": 0}, {}, "missing source_id: id gives nothing"),
        ({"id": [1]}, {}, "wrong source_id: expected a text or a number, not [1]"),
        ({"id": False}, {}, "wrong source_id: expected a text or a number, not False"),
        ({"group": ""}, {}, "missing group: group gives nothing"),
        ({"at": "?"}, {}, "missing reference_time: at gives nothing"),
        ({"at": "9999-12-31"}, {}, "missing reference_time: at gives nothing"),
        (
            {"at": "2020-02-30"},
            {},
            "impossible date in reference_time: no possible time: '2020-02-30'",
        ),
        ({"k": None}, {"known_at": "k"}, "missing known_at: k gives nothing"),
        (
            {"k": "2023-11-14T22:13:21Z"},
            {"known_at": "k"},
            "known later than the run: 2023-11-14T22:13:21Z is after 2023-11-14T22:13:20Z",
        ),
        ({}, {"version": "v"}, "missing version: v gives nothing"),
        ({"v": "x"}, {"version": "v"}, "wrong version: expected an integer, not 'x'"),
        (
            {"v": "soon"},
            {"version": {"path": "v", "type": "time"}},
            "impossible date in version: no",
        ),
        ({"p": "1.5"}, {"position": "p"}, "wrong position: expected an integer, not '1.5'"),
        ({"p": 2**63}, {"position": "p"}, "wrong position: 9223372036854775808 is beyond 64 bits"),
        ({}, {"content": "text"}, "missing content: text gives nothing"),
        ({"x": 1e999}, {}, "wrong value: Out of range float values are not JSON compliant"),
        (
            {},
            {"source_id": "join('/', [id, at])"},
            "wrong value: expression \"join('/', [id, at])\" f",
        ),
    ],
)
def test_why_a_record_is_rejected(change, keys, expected):
    assert reason(RECORD | change, **keys).startswith(expected)


@pytest.mark.parametrize("value", [[], "text", 3, None])
def test_what_is_no_object(value):
    assert reason(value).startswith("not an object: ")


def test_known_at_the_instant_of_the_run():
    assert mapped(RECORD | {"k": RUN}, known_at="k").known_at == RUN


def test_removals():
    keys = {
        "removed": {"path": "gone", "values": [True, "yes"], "means": "withdrawn"},
        "known_at": "k",
    }
    gone = {"group": "g", "id": 7, "gone": True, "k": "2021-01-01"}
    fields = mapped(gone, **keys)
    assert (fields.removed, fields.reference_time) == ("withdrawn", fields.known_at)
    assert mapped(gone | {"gone": "yes"}, **keys).removed == "withdrawn"
    assert mapped(RECORD | {"gone": 1, "k": "2021"}, **keys).removed is None
    assert reason(gone, **keys | {"mode": "snapshot"}) == "missing reference_time: at gives nothing"
    assert mapped(gone, **keys, content="record").content == "{}"


def test_reference_time_of_intervals_is_when_the_source_knew():
    keys = {"mode": "interval", "reference_time": None}
    assert mapped(RECORD, **keys).reference_time == RUN
    assert mapped(RECORD, **keys).place is None
    known = mapped(RECORD | {"k": "2020"}, **keys, known_at="k")
    assert known.reference_time == known.known_at == 1_577_836_800_000_000
    assert known.place == "1001577836800000000"


def place(value, kind):
    return mapped(RECORD | {"v": value}, version={"path": "v", "type": kind}).place


@given(st.integers(-(10**18), 10**18), st.integers(-(10**18), 10**18))
def test_places_sort_as_integers_do(left, right):
    if 0 in (left, right):
        return  # unknown in this source
    assert (place(left, "integer") < place(right, "integer")) == (left < right)


def test_places_of_times_and_texts():
    assert place("1969-01-01", "time") < place("1970-01-01", "time") < place("2020", "time")
    assert place("a", "text") < place("b", "text")
    assert reason(RECORD | {"v": 10**30}, version="v").startswith("wrong version: 1000000")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON)
def test_canonical_json_keeps_values_and_forgets_order(value):
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text
    if isinstance(value, dict):
        assert canonical_json(dict(reversed(value.items()))) == text


def test_unknown_values_keep_their_type():
    known = known_value(Source.model_validate(BASE))
    assert [known(value) for value in ("?", 0, False, "0", [], "x")] == [
        None, None, False, "0", [], "x",
    ]  # fmt: skip


def test_the_time_of_a_snapshot_is_no_change_of_its_content():
    record = RECORD | {"day": "2024-01-01", "w": "x"}
    times = {"mode": "snapshot", "reference_time": "day"}
    assert (
        mapped(record, **times).compared == mapped(record | {"day": "2024-01-02"}, **times).compared
    )
    assert mapped(record, **times).compared != mapped(record | {"w": "y"}, **times).compared
    assert '"day": "2024-01-01"' in mapped(record, **times).content

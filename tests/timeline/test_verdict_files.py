"""Files of verdicts: what is read, and what is said of lines that are wrong."""

from __future__ import annotations

import json

import pytest

from regesta.errors import InputError
from regesta.timeline.verdict_intake import read_verdicts

LINE = {
    "group": "town",
    "left": "f1",
    "right": "f2",
    "verdict": "contradicts",
    "reason": "both at once cannot be",
    "author": "eve",
    "by": "person",
}


def read(tmp_path, *lines, now=5):
    file = tmp_path / "verdicts.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return read_verdicts(file, now)


def test_times_are_their_own_or_the_runs(tmp_path):
    (_, first), (line, second) = read(tmp_path, LINE, "", LINE | {"at": "1970-01-02"})
    assert (first.at, line, second.at) == (5, 3, 86_400_000_000)


def test_candidates_that_nobody_judged_are_left_out(tmp_path):
    assert read(tmp_path, LINE | {"verdict": None, "reason": None, "author": None}) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{broken", r"verdicts.jsonl:2: Invalid JSON"),
        (LINE | {"verdict": "maybe"}, r"verdicts.jsonl:2: verdict: .*'does not contradict'"),
        (LINE | {"by": "a friend"}, r":2: by: .*'person' or 'model'"),
        (LINE | {"reason": ""}, r":2: reason: "),
        (LINE | {"at": "yesterday"}, r":2: at: .*yesterday"),
        ({"group": "town"}, r":2: left: Field required"),
    ],
)
def test_wrong_lines_are_named_with_what_was_expected(tmp_path, line, told):
    with pytest.raises(InputError, match=told):
        read(tmp_path, LINE, line)


def test_of_many_mistakes_ten_are_listed(tmp_path):
    with pytest.raises(InputError, match=r"\.\.\. and 5 more"):
        read(tmp_path, *["{broken"] * 15)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="is no file"):
        read_verdicts(tmp_path / "none.jsonl", 0)

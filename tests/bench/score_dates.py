"""Dates in text scored on the Recognizers-Text development cases, beside Duckling alone.

    python tests/bench/score_dates.py [--cases .../recognizers/cases_dev.jsonl] [--missed]

Of the results with values of `English/DateTimeModel.json` (or `--file`), by type: the share whose
start (single dates, date-times) or start and end (ranges; open ones their one bound) equal any
listed reading, and the reading in the past where that is asked for. The expression must overlap the
one in the case. "From 2014 to 2018" ends with the beginning of 2018 there, so the bounds compared
are those that the words name. Parts of the day are read by conventions and stand apart.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from regesta.extract.dates import native
from regesta.extract.dates.expression import Expression
from regesta.extract.dates.finding import DateFinder

LENT = Path(os.environ.get("REGESTA_SHARED_DATA", Path(__file__).parents[3] / "shared"))
CASES = LENT / "data" / "recognizers" / "cases_dev.jsonl"
TYPES = ("date", "datetime", "daterange", "datetimerange")
Bounds = tuple[str | None, str | None]


class Answer(NamedTuple):
    """What a reader says about an expression: its characters, its start and its bounds."""

    begin: int
    stop: int
    start: str | None
    bounds: Bounds


class Score(NamedTuple):
    """How many results of one type there are, and how many are right."""

    cases: int
    any_reading: int
    past_reading: int


Reader = Callable[[str, datetime, bool], Sequence[Answer]]


def ours(day_first: bool) -> Reader:
    """Return the reader of this project."""
    finder = DateFinder(day_first=day_first)

    def read(text: str, said: datetime, past: bool) -> list[Answer]:
        found = finder.find(text, said, direction="past" if past else None)
        return [_answer(one) for one in found]

    return read


def _answer(one: Expression) -> Answer:
    return Answer(one.begin, one.stop, _text(one.start), (_text(one.named[0]), _text(one.named[1])))


def duckling(text: str, said: datetime, past: bool) -> list[Answer]:
    """Return what Duckling alone says; it knows no reading in the past."""
    return [
        Answer(one.begin, one.stop, _text(one.start), (_text(one.start), _text(one.end)))
        for one in native.all_atoms(text, said)
    ]


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%d %H:%M:%S")


def cases(path: Path, file: str) -> list[dict[str, Any]]:
    """Return the cases of one source file that have a reference time."""
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return [row for row in rows if row["source_file"] == file and row["reference"]]


def score(
    rows: Sequence[dict[str, Any]], read: Reader, *, missed: list[str] | None = None
) -> dict[str, Score]:
    """Return the scores by type; what any reading misses is added to `missed`."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        said = datetime.fromisoformat(row["reference"][:19])
        answers = {past: read(row["input"], said, past) for past in (False, True)}
        for result, values in _results(row):
            kind = result["type"]
            right = {past: _right(answers[past], result, values) for past in answers}
            counts[kind, "cases"] += 1
            counts[kind, "any"] += any(right[False])
            counts[kind, "past"] += bool(right[True] and right[True][0])
            if missed is not None and not any(right[False]):
                missed.append(f"{kind:14}{result['text']!r} in {row['input']!r} ({said})")
    return {
        kind: Score(*(counts[kind, name] for name in ("cases", "any", "past")))
        for kind in TYPES
        if counts[kind, "cases"]
    }


def _results(row: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    for result in row["results"]:
        values = [one for one in result["values"] or () if one.get("value") != "not resolved"]
        if result["type"] in TYPES and values:
            yield result, values


def _right(
    answers: Sequence[Answer], result: dict[str, Any], values: Sequence[dict[str, Any]]
) -> list[bool]:
    begin, stop = result["start"], result["end"] + 1

    def shared(one: Answer) -> int:
        return int(min(one.stop, stop) - max(one.begin, begin))

    best = max(answers, key=shared, default=None)
    if best is None or shared(best) <= 0:
        return []
    return [_equals(best, value) for value in values]


def _equals(answer: Answer, value: dict[str, Any]) -> bool:
    if "value" in value:
        return answer.start == _moment(value["value"])
    return answer.bounds == (_moment(value.get("start")), _moment(value.get("end")))


def _moment(text: str | None) -> str | None:
    return text if text is None or len(text) > 10 else f"{text} 00:00:00"


def main() -> None:
    """Print the scores of both readers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--file", default="English/DateTimeModel.json")
    parser.add_argument("--missed", action="store_true")
    asked = parser.parse_args()
    rows = cases(asked.cases, asked.file)
    missed: list[str] = []
    day_first = "Others" in asked.file  # EnglishOthers: English outside the United States
    readers: dict[str, Reader] = {"ours": ours(day_first), "duckling": duckling}
    for name, read in readers.items():
        found = score(rows, read, missed=missed if name == "ours" else None)
        for kind, one in found.items():
            sys.stdout.write(
                f"{name:10}{kind:15}{one.cases:5} cases"
                f"  any reading {one.any_reading / one.cases:.3f}"
                f"  past {one.past_reading / one.cases:.3f}\n"
            )
    if asked.missed:
        sys.stdout.write("\n".join(missed) + "\n")


if __name__ == "__main__":
    main()

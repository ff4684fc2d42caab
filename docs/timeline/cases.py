"""Timeline cases as what is told and believed, panel by panel, read from YAML or JSON.

Two forms are read: that of `cases.yaml` beside this file, which gives what is believed as periods,
and one that gives it as the triples that hold at points (`asof`) of both axes of time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

import yaml

Triple = tuple[str, str, str]
Data = Mapping[str, Any]
ANYTHING: Final = "*"
"""The object of an end that is given for whatever holds."""


@dataclass(frozen=True)
class Telling:
    """A statement as it arrives; `text` is what the picture says of it, `triple` what it is about.

    A withdrawn version is a telling without a triple.
    """

    text: str
    triple: Triple | None
    polarity: Literal["asserts", "ends", "retracts"]
    said: date
    start: date | None
    end: date | None
    is_event: bool = False


@dataclass(frozen=True)
class Belief:
    """A period that is believed, or disputed; an absent end is "still". An event has no length."""

    triple: Triple
    start: date
    end: date | None
    is_disputed: bool = False


@dataclass(frozen=True)
class Panel:
    """What arrives at a known time, and what is believed from then on."""

    known: date
    tellings: tuple[Telling, ...]
    beliefs: tuple[Belief, ...]


@dataclass(frozen=True)
class Case:
    """A named case; `about` and `says` are empty where the data says nothing of the kind."""

    name: str
    about: str
    says: str
    panels: tuple[Panel, ...]

    def triples(self) -> list[Triple]:
        """Return the triples it is about, sorted; an end of whatever holds names none."""
        told = {each.triple for panel in self.panels for each in panel.tellings}
        held = {each.triple for panel in self.panels for each in panel.beliefs}
        found = [triple for triple in told | held if triple and triple[2] != ANYTHING]
        return sorted(found)

    def labels(self) -> dict[Triple, str]:
        """Return what to call each triple: those of its three parts in which the triples differ."""
        triples = self.triples()
        differing = [part for part in range(3) if len({triple[part] for triple in triples}) > 1]
        return {t: " ".join(t[part] for part in differing or [2]) for t in triples}

    def common(self) -> str:
        """Return the parts that all triples have in common, with dots for the others."""
        parts = [set(part) for part in zip(*self.triples(), strict=True)]
        if all(len(part) == 1 for part in parts):
            parts[2] = set()
        return " ".join(next(iter(part)) if len(part) == 1 else "…" for part in parts)


def read_cases(path: Path) -> list[Case]:
    """Return the named cases of a file; cases named "random ..." have nothing to show."""
    text = path.read_text("utf-8")
    data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    named = (case for case in data["cases"] if not case["name"].startswith("random"))
    return [_case(case, data["ontology"]) for case in named]


def _case(given: Data, ontology: Mapping[str, Data]) -> Case:
    known = sorted({_day(version["known_at"]) for version in given["versions"]})
    beliefs = _from_points if "asof" in given else _from_periods
    panels = tuple(
        Panel(
            time,
            tuple(_tellings(given, time, ontology)),
            tuple(beliefs(given, time, ontology)),
        )
        for time in known
    )
    return Case(given["name"], given.get("about", ""), given.get("says", ""), panels)


def _tellings(case: Data, known: date, ontology: Mapping[str, Data]) -> Iterator[Telling]:
    for version in case["versions"]:
        if _day(version["known_at"]) != known:
            continue
        number = version.get("version", 1)
        note = f"version {number}: " if number > 1 else ""
        if version.get("removed") or not version.get("statements"):
            what = "withdrawn" if version.get("removed") else "says nothing"
            yield Telling(f"{note}{what}", None, "asserts", known, None, None)
            continue
        for told in version["statements"]:
            plain = _telling({**case, **told}, known, note)
            kind = ontology[plain.triple[1]].get("kind") if plain.triple else None
            yield replace(plain, is_event=kind == "event")


def _telling(told: Data, known: date, note: str) -> Telling:
    triple = (told["subject"], told["relation"], told.get("object") or ANYTHING)
    start, end = _day(told.get("valid_at")), _day(told.get("invalid_at"))
    return Telling(
        text=note + "{}" + _remarks(told),
        triple=triple,
        polarity=told.get("polarity", "asserts"),
        said=_day(told.get("reference_time")) or start or known,
        start=start,
        end=end,
    )


def _remarks(told: Data) -> str:
    ended = ", its end" if told.get("of") == "ends" else ""
    authority = f", authority {told['authority']}" if told.get("authority") else ""
    temporary = ", temporary" if told.get("temporary") else ""
    return f"{ended}{authority}{temporary}"


def _from_periods(case: Data, known: date, _: Mapping[str, Data]) -> Iterator[Belief]:
    for state in ("believed", "disputed"):
        for *triple, start, end in case_periods(case, state, known):
            yield Belief((triple[0], triple[1], triple[2]), start, end, state == "disputed")


def case_periods(case: Data, state: str, known: date) -> list[tuple[Any, ...]]:
    """Return (subject, relation, object, start, end) of the periods given for a known time."""
    found = []
    for period in case.get(state, {}).get(known, ()):
        names = [each for each in period if isinstance(each, str)]
        dates = [each for each in period if not isinstance(each, str)]
        subject = case["subject"] if len(names) == 1 else names[0]
        end = dates[1] if len(dates) == 2 else None
        found.append((subject, case["relation"], names[-1], dates[0], end))
    return found


def _from_points(case: Data, known: date, ontology: Mapping[str, Data]) -> Iterator[Belief]:
    """Join the points at which a triple holds; there are some on and after every bound.

    An event holds from its first time on: when it happened again, points can't tell.
    """
    held: dict[date, set[Triple]] = {}
    for point in case["asof"]:
        if _day(point["known"]) == known:
            held[_day(point["valid"])] = {(s, r, o) for s, r, o in point["facts"]}
    for triple in sorted(set().union(*held.values())):
        is_event = ontology[triple[1]].get("kind") == "event"
        for start, end in _runs(held, triple):
            yield Belief(triple, start, start if is_event else end)


def _runs(held: Mapping[date, set[Triple]], triple: Triple) -> Iterator[tuple[date, date | None]]:
    start = None
    for valid in sorted(held):
        if triple in held[valid]:
            start = start or valid
        elif start is not None:
            yield start, valid
            start = None
    if start is not None:
        yield start, None


def dates_of(panels: Iterable[Panel]) -> list[date]:
    """Return every date of valid time that a picture has to show, in order."""
    found: set[date | None] = set()
    for panel in panels:
        for told in panel.tellings:
            found |= {told.start, told.end} | ({told.said} if told.triple else set())
        for belief in panel.beliefs:
            found |= {belief.start, belief.end}
    return sorted(each for each in found if each is not None)


def _day(given: Any) -> Any:
    return date.fromisoformat(given) if isinstance(given, str) else given

"""A random archive whose items come late, again, corrected, emptied, moved, removed and restated.

It is cut into scenarios of a few items each, which can interfere with one another. Times are small
numbers: a valid one is a day of January 2024, a known one a day of March.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from timeline_writing import FAMILIES, HORIZON, ONTOLOGY, statement

from projects import write_project

GROUPS = ("east", "west")
AUTHORITIES = {"chat": 0, "tickets": 1, "records": 2}
KINDS = ("asserts",) * 7 + ("ends", "ends", "ends_all", "retracts", "retracts_end")


def valid_time(day: int | None) -> str | None:
    return None if day is None else f"2024-01-{day:02}T00:00:00Z"


def known_time(day: int) -> str:
    return f"2024-03-{day:02}T00:00:00Z"


@dataclass(frozen=True)
class Version:
    """A row of the archive: when it says it was delivered, and in which night it arrives."""

    scenario: int
    source: str
    item: str
    number: int
    group: str
    night: int
    delivered: int
    known: int
    removed: bool
    said: int
    position: int
    tells: tuple[dict[str, Any], ...]

    def row(self) -> dict[str, Any]:
        return {
            "id": self.item,
            "version": self.number,
            "group": self.group,
            "gone": self.removed,
            "said": valid_time(self.said),
            "position": self.position,
            "delivered": known_time(self.delivered),
            "tells": [
                tell | {name: valid_time(tell[name]) for name in ("start", "end")}
                for tell in self.tells
            ],
        }


class Archive:
    """Scenarios over nights that end on the given known days; the first one is a first load.

    Of a published group, what says that it was delivered before the last night is known from the
    night in which it arrives. Both groups have rows in the first night.
    """

    def __init__(self, seed: int, *, scenarios: int, nights: tuple[int, ...]) -> None:
        self.nights = nights
        self._random = Random(seed)
        self._places = 0
        self.versions = [
            version for number in range(scenarios) for version in self._scenario(number)
        ]

    def _scenario(self, number: int) -> Iterator[Version]:
        family = self._random.choice(FAMILIES)
        group = GROUPS[number % len(GROUPS)]
        for item in range(self._random.randint(2, 6)):
            source = self._random.choice(list(AUTHORITIES))
            name = f"{number}-{item}"
            count = self._random.choice((1, 1, 2, 3))
            arrivals = [self._arrival(first=item == 0 and n == 0) for n in range(count)]
            for version, (night, delivered) in enumerate(arrivals, start=1):
                yield self._version(number, family, source, name, version, group, night, delivered)

    def _arrival(self, *, first: bool) -> tuple[int, int]:
        night = 0 if first else self._random.randrange(len(self.nights))
        return night, self._random.randint(1, self.nights[night])

    def _version(self, scenario, family, source, item, number, group, night, delivered) -> Version:
        pick = self._random
        last = self.nights[night - 1] if night else 0
        self._places += 1
        return Version(
            scenario=scenario,
            source=source,
            item=item,
            number=number,
            group=pick.choice(GROUPS) if number > 1 and pick.random() < 0.2 else group,
            night=night,
            delivered=delivered,
            known=delivered if delivered > last else self.nights[night],
            removed=number > 1 and pick.random() < 0.3,
            said=pick.randint(1, HORIZON - 2),
            position=self._places,
            tells=tuple(
                self._tell(scenario, family) for _ in range(pick.choice((0, 1, 1, 1, 1, 2)))
            ),
        )

    def _tell(self, scenario, family) -> dict[str, Any]:
        pick = self._random
        kind = pick.choice(KINDS)
        start = pick.choice((None, *range(1, HORIZON - 1)))
        end = pick.choice((None,) * 8 + tuple(range(1, HORIZON - 1)))
        retracts = kind.startswith("retracts")
        return {
            "kind": kind,
            "subject": f"{scenario}{pick.choice('ab')}",
            "relation": pick.choice(family),
            "object": None if kind == "ends_all" else f"{scenario}{pick.choice('xyz')}",
            "start": start if kind == "asserts" or (retracts and pick.random() < 0.3) else None,
            "end": None if retracts else end,
            "temporary": pick.random() < 0.25,
        }

    def write_conf(self, folder: Path) -> Path:
        """Write the declarations, without anything to read yet."""
        sources = {name: source(name, level) for name, level in AUTHORITIES.items()}
        for name in sources:
            (folder / name).mkdir()
        return write_project(folder, sources, vocabulary())

    def deliver(self, folder: Path, night: int) -> None:
        """Write a night's rows in no order, some of them twice, some of the last night again."""
        new = [version for version in self.versions if version.night == night]
        old = [version for version in self.versions if version.night == night - 1]
        rows = [*new, *new[::5], *old[::3]]
        self._random.shuffle(rows)
        for name in AUTHORITIES:
            lines = [json.dumps(each.row()) for each in rows if each.source == name]
            (folder / name / f"night{night}.jsonl").write_text("\n".join(lines))

    def statements(self, scenario: int) -> list[Any]:
        """What the scenario's items say, known as long as their version is the highest known."""
        found = []
        versions = [version for version in self.versions if version.scenario == scenario]
        for version in versions:
            until = min(
                (
                    other.known
                    for other in versions
                    if other.item == version.item and other.number > version.number
                ),
                default=None,
            )
            if not version.removed and (until is None or until > version.known):
                found += _statements(version, until)
        return found


def _statements(version: Version, until: int | None) -> Iterator[Any]:
    for number, tell in enumerate(version.tells):
        yield statement(
            f"{version.item}-{version.number}-{number}",
            f"{version.group}/{tell['subject']}",
            tell["relation"],
            tell["object"] and f"{version.group}/{tell['object']}",
            polarity={"ends_all": "ends", "retracts_end": "retracts"}.get(
                tell["kind"], tell["kind"]
            ),
            retracts="ends" if tell["kind"] == "retracts_end" else "asserts",
            reference_time=version.said,
            position=(version.position, number),
            authority=AUTHORITIES[version.source],
            valid_at=tell["start"],
            invalid_at=tell["end"],
            temporary=tell["temporary"] and tell["kind"] == "asserts",
            known_from=version.known,
            known_until=until,
        )


def source(name: str, authority: int) -> dict[str, Any]:
    """Return the declaration of one of the sources; they differ in their authority."""
    names = {relation: relation for family in FAMILIES for relation in family}
    told: dict[str, Any] = {
        "subject": "subject",
        "object": "object",
        "relation": {"path": "t.relation", "names": names},
    }
    dates = {"valid_at": "t.start", "invalid_at": {"path": "t.end", "inclusive": False}}
    takes_back = {"polarity": "retracts", "valid_at": "t.start"}
    return {
        "path": name,
        "format": "jsonl",
        "mode": "event",
        "authority": authority,
        "group": "group",
        "source_id": "id",
        "version": "version",
        "reference_time": "said",
        "known_at": "delivered",
        "position": "position",
        "removed": {"path": "gone", "means": "withdrawn"},
        "for_each": [
            {
                "as": "t",
                "in": "tells",
                "entities": {
                    end: {"label": "Thing", "name": f"t.{end}", "identifiers": {"no": f"t.{end}"}}
                    for end in ("subject", "object")
                },
                "statements": [
                    {**told, **dates, "temporary": "t.temporary", **_when("asserts")},
                    {
                        **told,
                        "invalid_at": dates["invalid_at"],
                        "polarity": "ends",
                        **_when("ends"),
                    },
                    {
                        **{key: told[key] for key in ("subject", "relation")},
                        "invalid_at": dates["invalid_at"],
                        "polarity": "ends",
                        **_when("ends_all"),
                    },
                    {**told, **takes_back, **_when("retracts")},
                    {**told, **takes_back, "retracts": "ends", **_when("retracts_end")},
                ],
            }
        ],
    }


def _when(kind: str) -> dict[str, str]:
    return {"when": f"t.kind == '{kind}'"}


def vocabulary() -> dict[str, Any]:
    """Return the ontology of the tests on the pure functions, as it is declared."""
    return {
        "labels": {"Thing": {}},
        "identifiers": {"no": {"joins": True}},
        "relations": {
            name: {
                "cardinality": relation.cardinality,
                "kind": relation.kind,
                "excludes": sorted(relation.excludes),
            }
            for name, relation in ONTOLOGY.relations.items()
        },
    }

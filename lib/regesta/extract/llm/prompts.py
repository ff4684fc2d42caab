"""The prompts about episodes, and what is filled in from an episode and the ontology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from regesta.extract.llm.waves import PROFILES
from regesta.llm.prompts import Prompt, Shipped, filled
from regesta.llm.requests import Message
from regesta.ontology import LITERAL, Ontology

KINDS: Final = ("message", "text", "json")
STEPS: Final = tuple(wave.name for waves in PROFILES.values() for wave in waves)
_USUAL_LABELS: Final = ("Person", "Organisation", "Product", "Place", "Thing")
_KNOWN: Final = frozenset(
    {
        *("labels", "relations", "author", "date", "mark", "text"),
        *("earlier", "entities", "facts"),
    }
)
_NEEDED: Final = frozenset({"mark", "text"})
PROMPTS: Final = tuple(
    Shipped(f"{step}/{kind}", "regesta.extract.llm", _KNOWN, _NEEDED)
    for step in STEPS
    for kind in KINDS
)


class Shown(NamedTuple):
    """What of an episode a prompt shows; the time in microseconds.

    `earlier` are author and text of the messages before it, `told` what was read out of it so far.
    """

    text: str
    author: str | None
    reference_time: int
    earlier: Sequence[tuple[str, str]] = ()
    told: Mapping[str, str] = {}


@dataclass(frozen=True)
class Vocabulary:
    """The labels and relations that prompts name, from the ontology and the sources' mappings."""

    labels: tuple[str, ...]
    described: str
    relations: str

    @classmethod
    def of(cls, ontology: Ontology, labels: Sequence[str] = ()) -> Vocabulary:
        """Return the vocabulary of an ontology and of further labels."""
        joined = {
            label
            for declared in ontology.relations.values()
            for label in (*declared.subjects, *declared.objects)
        }
        excluded = {name for name, declared in ontology.labels.items() if declared.excluded}
        named = sorted({*labels, *ontology.labels, *joined} - excluded - {LITERAL})
        offered = tuple(named) or _USUAL_LABELS
        return cls(offered, _labels(ontology, offered), _relations(ontology))


def rendered(prompt: Prompt, vocabulary: Vocabulary, shown: Shown) -> list[Message]:
    """Return the messages that ask about an episode."""
    earlier = "\n".join(f"{author}: {text}" for author, text in shown.earlier)
    values = {
        "labels": vocabulary.described,
        "relations": vocabulary.relations,
        "author": shown.author or "unknown",
        "date": _date(shown.reference_time),
        "text": shown.text,
        "earlier": earlier or "(none)",
        **shown.told,
    }
    return filled(prompt, values, f"{shown.text}\n{earlier}")


def _labels(ontology: Ontology, offered: Sequence[str]) -> str:
    told = []
    for label in offered:
        declared = ontology.labels.get(label)
        described = declared.description if declared else None
        told.append(f"{label} ({described})" if described else label)
    return ", ".join(told)


def _relations(ontology: Ontology) -> str:
    lines = []
    for name, declared in sorted(ontology.relations.items()):
        if "*" in name:
            continue
        subject, target = _end(declared.subjects, "subject"), _end(declared.objects, "object")
        lines.append(f"  {name}: {subject} {ontology.phrase(name)} {target}")
    return "\n".join(lines) or "  (none is declared)"


def _end(labels: Sequence[str], otherwise: str) -> str:
    named = " or ".join("a value" if label == LITERAL else label for label in labels)
    return f"<{named or otherwise}>"


def _date(micros: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return f"{moment:%Y-%m-%d %H:%M} ({moment:%A})"

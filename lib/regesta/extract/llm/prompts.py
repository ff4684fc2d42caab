"""Prompts: files with placeholders, whose version is a digest of their text.

Those that come with the package may be replaced by files of the same name in conf/prompts. A file
has two parts, `# system` and `# user`; `$name` is filled in from the episode and the ontology.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final, NamedTuple

from regesta.errors import ConfigurationError
from regesta.extract.llm.waves import PROFILES
from regesta.llm.requests import Message
from regesta.ontology import LITERAL, Ontology

KINDS: Final = ("message", "text", "json")
STEPS: Final = tuple(wave.name for waves in PROFILES.values() for wave in waves)
_USUAL_LABELS: Final = ("Person", "Organisation", "Product", "Place", "Thing")
_PARTS: Final = re.compile(r"# system\n(.*?)\n# user\n(.*)", re.DOTALL)
_KNOWN: Final = frozenset(
    {
        *("labels", "relations", "author", "date", "mark", "text"),
        *("earlier", "entities", "facts"),
    }
)
_KINDS: Final = {
    "string": '"..."',
    "integer": "a number",
    "boolean": "true or false",
    "null": "null",
}
_NEEDED: Final = frozenset({"mark", "text"})


class Prompt(NamedTuple):
    """The two parts of a prompt, and the version that stands for exactly this text."""

    system: Template
    user: Template
    version: str


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


def load_prompts(overrides: Path) -> dict[str, str]:
    """Return the text of every prompt by name ("combined/message"); a file of conf/prompts counts.

    Raises:
        ConfigurationError: a file there has no use, lacks a part, or has a wrong placeholder.
    """
    shipped = resources.files("regesta.extract.llm") / "prompts"
    names = [f"{step}/{kind}" for step in STEPS for kind in KINDS]
    texts = {name: (shipped / f"{name}.md").read_text("utf-8") for name in names}
    mistakes = []
    for path in sorted(overrides.rglob("*.md")):
        name = path.relative_to(overrides).with_suffix("").as_posix()
        if name not in texts:
            mistakes.append(f"{path}: expected one of {', '.join(names)} and .md")
            continue
        texts[name] = path.read_text("utf-8")
        mistakes += [f"{path}: {mistake}" for mistake in _mistakes(texts[name])]
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return texts


def compiled(text: str) -> Prompt:
    """Return a prompt ready to be filled in."""
    found = _PARTS.match(text)
    assert found is not None, "prompts are checked when they are loaded"
    version = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(Template(found[1]), Template(found[2].rstrip("\n")), version)


def rendered(prompt: Prompt, vocabulary: Vocabulary, shown: Shown) -> list[Message]:
    """Return the messages that ask about an episode.

    The mark around the texts is a digest of them, so none of them can hold it and end early.
    """
    earlier = "\n".join(f"{author}: {text}" for author, text in shown.earlier)
    texts = f"{shown.text}\n{earlier}".encode("utf-8", "replace")
    filling = {
        "labels": vocabulary.described,
        "relations": vocabulary.relations,
        "author": shown.author or "unknown",
        "date": _date(shown.reference_time),
        "mark": hashlib.sha256(texts).hexdigest()[:8],
        "text": shown.text,
        "earlier": earlier or "(none)",
        **shown.told,
    }
    return [
        Message(role="system", content=prompt.system.substitute(filling)),
        Message(role="user", content=prompt.user.substitute(filling)),
    ]


def form_of(schema: Mapping[str, Any]) -> str:
    """Return what is added to a prompt where the endpoint does not enforce the schema."""
    parts = ", ".join(f'"{name}": [{_example(schema, name)}]' for name in schema["required"])
    return f"Answer with one JSON object alone, in this form:\n{{{parts}}}"


def _example(schema: Mapping[str, Any], name: str) -> str:
    item = schema["properties"][name]["items"]
    if "$ref" not in item:
        return _kind(item)
    fields = schema["$defs"][item["$ref"].rsplit("/", 1)[-1]]["properties"]
    return "{" + ", ".join(f'"{field}": {_kind(told)}' for field, told in fields.items()) + "}"


def _kind(told: Mapping[str, Any]) -> str:
    if "enum" in told:
        return " or ".join(f'"{each}"' for each in told["enum"])
    if "anyOf" in told:
        return " or ".join(_kind(each) for each in told["anyOf"])
    return _KINDS[told["type"]]


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


def _mistakes(text: str) -> list[str]:
    found = _PARTS.match(text)
    if found is None:
        return ["expected a part `# system` and a part `# user`, in this order"]
    parts = [Template(found[1]), Template(found[2])]
    if not all(part.is_valid() for part in parts):
        return ["expected $name for what is filled in, and $$ for the sign"]
    given = {name for part in parts for name in part.get_identifiers()}
    unknown, missing = sorted(given - _KNOWN), sorted(_NEEDED - given)
    return [f"${name} is not one of {', '.join(sorted(_KNOWN))}" for name in unknown] + [
        f"${name} is missing" for name in missing
    ]

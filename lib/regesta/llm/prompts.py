"""Prompts: files with placeholders, whose version is a digest of their text.

Those that come with the package may be replaced by files of the same name in conf/prompts. A file
has two parts, `# system` and `# user`; `$name` is filled in.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final, NamedTuple

from regesta.errors import ConfigurationError
from regesta.llm.prices import LanguageModel
from regesta.llm.requests import Message, Request, messages_text, request_key
from regesta.llm.tokens import counter

_PARTS: Final = re.compile(r"# system\n(.*?)\n# user\n(.*)", re.DOTALL)
_KINDS: Final = {
    "string": '"..."',
    "integer": "a number",
    "boolean": "true or false",
    "null": "null",
}


class Prompt(NamedTuple):
    """The two parts of a prompt, and the version that stands for exactly this text."""

    system: Template
    user: Template
    version: str


class Shipped(NamedTuple):
    """A prompt that a package ships: what may be filled in, and what must be."""

    name: str
    package: str
    known: frozenset[str]
    needed: frozenset[str]


@dataclass(frozen=True)
class Prompted:
    """A language model and the prompts, by name, that it is asked with."""

    language_model: LanguageModel
    prompts: Mapping[str, str]


class Requests:
    """Makes the requests of a step to a language model; `salt` is the run's."""

    def __init__(self, language_model: LanguageModel, step: str, salt: str) -> None:
        self._settings = language_model.settings
        self._step, self._salt = step, salt
        self._count = counter()

    def of(self, about: str, group_id: str, prompt: Prompt, messages: Sequence[Message]) -> Request:
        """Return the request that puts the messages of a filled prompt about something."""
        return Request(
            request_key=request_key(
                self._salt, self._step, prompt.version, messages, self._settings
            ),
            about=about,
            group_id=group_id,
            prompt_version=prompt.version,
            messages=messages_text(messages),
            tokens=sum(self._count(message["content"]) for message in messages),
        )


def load(shipped: Sequence[Shipped], overrides: Path) -> dict[str, str]:
    """Return the text of every prompt by name; a file of `overrides` counts.

    Raises:
        ConfigurationError: a file there has no use, lacks a part, or has a wrong placeholder.
    """
    declared = {one.name: one for one in shipped}
    texts = {one.name: _shipped_text(one) for one in shipped}
    mistakes = []
    for path in sorted(overrides.rglob("*.md")):
        name = path.relative_to(overrides).with_suffix("").as_posix()
        if name not in texts:
            mistakes.append(f"{path}: expected one of {', '.join(texts)} and .md")
            continue
        texts[name] = path.read_text("utf-8")
        mistakes += [f"{path}: {mistake}" for mistake in _mistakes(texts[name], declared[name])]
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return texts


def _shipped_text(one: Shipped) -> str:
    return (resources.files(one.package) / "prompts" / f"{one.name}.md").read_text("utf-8")


def compiled(text: str) -> Prompt:
    """Return a prompt ready to be filled in."""
    found = _PARTS.match(text)
    assert found is not None, "prompts are checked when they are loaded"
    version = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(Template(found[1]), Template(found[2].rstrip("\n")), version)


def filled(prompt: Prompt, values: Mapping[str, str], foreign: str) -> list[Message]:
    """Return a prompt's messages; `foreign` is all of the values that others wrote.

    The mark around these is a digest of them, so none of them can hold it and end early.
    """
    digest = hashlib.sha256(foreign.encode("utf-8", "replace")).hexdigest()
    filling = {**values, "mark": digest[:8]}
    return [
        Message(role="system", content=prompt.system.substitute(filling)),
        Message(role="user", content=prompt.user.substitute(filling)),
    ]


def form_of(schema: Mapping[str, Any]) -> str:
    """Return what is added to a prompt where the endpoint does not enforce the schema."""
    parts = ", ".join(f'"{name}": {_example(schema, name)}' for name in schema["required"])
    return f"Answer with one JSON object alone, in this form:\n{{{parts}}}"


def _example(schema: Mapping[str, Any], name: str) -> str:
    told = schema["properties"][name]
    if "items" not in told:
        return _kind(told)
    item = told["items"]
    if "$ref" not in item:
        return _kind(told)
    fields = schema["$defs"][item["$ref"].rsplit("/", 1)[-1]]["properties"]
    return "[{" + ", ".join(f'"{field}": {_kind(told)}' for field, told in fields.items()) + "}]"


def _kind(told: Mapping[str, Any]) -> str:
    if "enum" in told:
        return " or ".join(f'"{each}"' for each in told["enum"])
    if "anyOf" in told:
        return " or ".join(_kind(each) for each in told["anyOf"])
    if "items" in told:
        return f"[{_kind(told['items'])}]"
    return _KINDS[told["type"]]


def _mistakes(text: str, one: Shipped) -> list[str]:
    found = _PARTS.match(text)
    if found is None:
        return ["expected a part `# system` and a part `# user`, in this order"]
    parts = [Template(found[1]), Template(found[2])]
    if not all(part.is_valid() for part in parts):
        return ["expected $name for what is filled in, and $$ for the sign"]
    given = {name for part in parts for name in part.get_identifiers()}
    unknown, missing = sorted(given - one.known), sorted(one.needed - given)
    return [f"${name} is not one of {', '.join(sorted(one.known))}" for name in unknown] + [
        f"${name} is missing" for name in missing
    ]

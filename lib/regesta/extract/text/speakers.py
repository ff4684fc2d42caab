"""Who is meant by "I", "she", "they" or "it" in a message, where that is safe to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from regesta.extract.text.names import Name

_FIRST: Final = frozenset({"i", "me"})
_PERSON: Final = frozenset({"he", "she"})
_NO_PERSON: Final = frozenset({"it"})


class Persons:
    """The names that an episode has mentioned so far; `author`, a name or an address, wrote it."""

    def __init__(self, author: str | None) -> None:
        self._author = author
        self._heard: dict[str, Name] = {}
        self._labels: dict[str, dict[str, Name]] = {}

    def hear(self, names: Sequence[Name]) -> None:
        """Note the names of a sentence."""
        self._heard |= {name.text: name for name in names if name.identifier is None}

    def call(self, name: Name, label: str) -> None:
        """Note that something was told of a name as one of a label."""
        self._labels.setdefault(label, {})[name.text] = name

    def meant(self, pronoun: str, label: str, *, is_person: bool) -> Name | None:
        """Return the name that a pronoun stands for in a place of a label, None where unsure.

        That is the only one of which something was told under the label, else, of he and she, the
        only name that the sentences before have mentioned at all.
        """
        if pronoun in _FIRST:
            return self._speaker() if is_person else None
        if (pronoun in _PERSON and not is_person) or (pronoun in _NO_PERSON and is_person):
            return None
        candidates = self._labels.get(label) or (self._heard if pronoun in _PERSON else {})
        return next(iter(candidates.values())) if len(candidates) == 1 else None

    def _speaker(self) -> Name | None:
        if not self._author:
            return None
        kind = "email" if "@" in self._author else None
        return Name(self._author, 0, 0, identifier=kind)

    def standing_alone(self, text: str, places: tuple[str, str | None], name: str) -> str:
        """Return a sentence that tells who is meant.

        `places` are its subject and object, marks of names or pronouns, `name` is the subject's:
        it stands for "she", and before what one says of oneself.
        """
        word, other = places
        if word in _FIRST or other in _FIRST:
            return f"{self._author}: {text}"
        if word.startswith("<n"):
            return text
        return re.sub(rf"\b{re.escape(word)}\b", lambda _: name, text, count=1, flags=re.IGNORECASE)

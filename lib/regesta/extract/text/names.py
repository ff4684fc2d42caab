"""Names in a sentence, by their form: capitalised words, and identifiers as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from regesta.extract.text.words import words

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019.&-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_CONTRACTION: Final = re.compile(r"['\u2019](?:s|m|d|re|ve|ll)$")
_NEGATED: Final = re.compile(r"n['\u2019]t$", re.IGNORECASE)
_JOINS: Final = frozenset(
    {"of", "de", "van", "von", "der", "den", "la", "le", "du", "da", "del", "di", "&", "for", "and"}
)
_ONLY_WITHIN: Final = frozenset(
    {"of", "de", "van", "von", "der", "den", "la", "le", "du", "da", "del", "di", "&"}
)
_LONGEST: Final = 6
_NO_NAME: Final = words("no_names") | words("hedges")


class Name(NamedTuple):
    """A name in a sentence: its characters there, and what its form tells of it."""

    text: str
    begin: int
    stop: int
    label: str | None = None
    identifier: str | None = None


def find_names(
    text: str, written: Mapping[str, tuple[re.Pattern[str], str]], taken: Iterable[tuple[int, int]]
) -> list[Name]:
    """Return the names in order of their places; they don't overlap, nor with what is taken.

    `written` gives for each kind of identifier the form of its values, and the label of what bears
    them.
    """
    found = [
        Name(match[0], match.start(), match.end(), label, kind)
        for kind, (form, label) in written.items()
        for match in form.finditer(text)
    ]
    places = [*taken, *((name.begin, name.stop) for name in found)]
    return sorted([*found, *_capitalised(text, places)], key=lambda name: name.begin)


def _capitalised(text: str, taken: Sequence[tuple[int, int]]) -> list[Name]:
    names: list[Name] = []
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if any(begin < word.end() and word.start() < stop for begin, stop in taken):
            names += _ended(text, run)
            run = []
            continue
        joined = bool(run) and text[run[-1].end() : word.start()] in (" ", "  ", " & ")
        if run and (not joined or _POSSESSIVE.search(run[-1][0])):
            names += _ended(text, run)
            run = []
        if _may_stand_in_name(word, starts=not run):
            run.append(word)
        else:
            names += _ended(text, run)
            run = []
    return [*names, *_ended(text, run)]


def _may_stand_in_name(word: re.Match[str], *, starts: bool) -> bool:
    token = _CONTRACTION.sub("", word[0])
    if _NEGATED.search(token):
        return False
    if token.lower() in _NO_NAME and not (len(token) > 1 and token.isupper()):
        return not starts and token.lower() in _ONLY_WITHIN
    if token[0].isupper():
        return True
    if token[0].isdigit():
        return not starts and len(token) < 6
    return not starts and token in _ONLY_WITHIN


def _ended(text: str, run: list[re.Match[str]]) -> list[Name]:
    while run and (
        run[-1][0].lower() in _JOINS
        or (not run[-1][0][0].isupper() and not run[-1][0][0].isdigit())
    ):
        run = run[:-1]
    if not run or len(run) > _LONGEST:
        return []
    begin, stop = run[0].start(), run[-1].end()
    stop -= len(found[0]) if (found := _POSSESSIVE.search(text[begin:stop])) else 0
    if stop - begin < 2:
        return []
    return [Name(text[begin:stop], begin, stop)]

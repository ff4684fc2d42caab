"""Blocking keys: profiles that share one are compared. Pure rules.

Which rules there are follows from the kinds of the compared attributes. An empty part makes no key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Final, Literal, NamedTuple

from jellyfish import metaphone

from regesta.match.declaration import Compared
from regesta.match.forms import tokens
from regesta.match.nicknames import full_names

MOST_WORDS: Final = 8
"""Words of a name that make keys: pairs of them grow with the square."""
_YEAR: Final = 4
_FEWEST_LETTERS: Final = 5
"""Of a word that makes keys without one of its letters: shorter ones would resemble too many."""
_BETWEEN: Final = "\x1f"
Way = Literal[
    "whole", "year", "half", "word", "words", "sound", "initials", "letter left out", "meaning"
]


class Part(NamedTuple):
    """What of an attribute must be equal."""

    attribute: str
    way: Way


class Rule(NamedTuple):
    """A blocking rule: all its parts must be equal."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The rule in words, as in "full_name (sound), dob (year)"."""
        return ", ".join(f"{part.attribute} ({part.way})" for part in self.parts)


def rules(compared: Compared) -> tuple[Rule, ...]:
    """Return the blocking rules of what is compared.

    Whole values (but categories and texts, which many share), words of names alone and in pairs,
    the last and the longest word of a name with any letter left out (so that a typing error costs
    none but one of the keys), bands of a name's embedding, how words of names sound together with a
    less exact value of another attribute, initials together with a whole value, and two other
    attributes that tell of different things, one of them less exact.
    """
    others = compared.of_kind("date", "code", "text")
    found = [Rule((Part(one, "whole"),)) for one in compared.of_kind("name", "date", "code")]
    for name in compared.of_kind("name"):
        ways: tuple[Way, ...] = ("word", "words", "letter left out", "meaning")
        found += [Rule((Part(name, way),)) for way in ways]
        for other in others:
            found.append(Rule((Part(name, "sound"), _less_exact(compared, other))))
            found.append(Rule((Part(name, "initials"), Part(other, "whole"))))
    for one, other in permutations(others, 2):
        if not any({one, other} <= set(factor) for factor in compared.factors):
            found.append(Rule((Part(one, "whole"), _less_exact(compared, other))))
    return tuple(found)


def keys(
    rules: Sequence[Rule],
    compared: Compared,
    forms: Sequence[str],
    meanings: Mapping[str, Sequence[str]],
) -> Iterator[tuple[int, str]]:
    """Give the number of the rule and the key, each once, of a profile's forms.

    `meanings`: the bands of the embedding of each name, by attribute.
    """
    by_name = dict(zip(compared.names, forms, strict=True))
    for number, rule in enumerate(rules):
        parts = [
            meanings[part.attribute]
            if part.way == "meaning"
            else _WAYS[part.way](by_name[part.attribute])
            for part in rule.parts
        ]
        for key in dict.fromkeys(product(*parts)):
            yield number, _BETWEEN.join(key)


def finer(compared: Compared, forms: Sequence[str]) -> str:
    """Return by what a block over the cap is cut: how the names sound, in any order of words."""
    by_name = dict(zip(compared.names, forms, strict=True))
    names = compared.of_kind("name")
    return _BETWEEN.join(" ".join(sorted(map(_sound, _words(by_name[name])))) for name in names)


def _less_exact(compared: Compared, attribute: str) -> Part:
    ways: Mapping[str, Way] = {"date": "year", "code": "half"}
    return Part(attribute, ways.get(compared.attributes[attribute], "whole"))


def _whole(form: str) -> Sequence[str]:
    return (form,) if form else ()


def _year(form: str) -> Sequence[str]:
    return _whole(form[:_YEAR])


def _half(form: str) -> Sequence[str]:
    """The first half: the town or area of most codes."""
    return _whole(form[: (len(form) + 1) // 2])


def _words(form: str) -> Sequence[str]:
    """Words of more than one letter; initials alone are shared by far too many."""
    return [word for word in tokens(form) if len(word) > 1][:MOST_WORDS]


def _pairs(form: str) -> Sequence[str]:
    return [" ".join(pair) for pair in combinations(sorted(_words(form)), 2)]


@lru_cache(maxsize=1 << 16)
def _sounds(form: str) -> Sequence[str]:
    """How each word sounds; a nickname also sounds as the full names that it may stand for."""
    meant = (each for word in _words(form) for each in (word, *sorted(full_names(word))))
    return list(dict.fromkeys(map(_sound, meant)))


def _sound(word: str) -> str:
    return metaphone(word) or word


def _without_a_letter(form: str) -> Sequence[str]:
    """The last and the longest word, whole and without each of their letters; short ones don't.

    Two words that are a letter's change, gap or swap apart share one of these.
    """
    long = [word for word in _words(form) if len(word) >= _FEWEST_LETTERS]
    if not long:
        return ()
    chosen = dict.fromkeys((long[-1], max(long, key=len)))
    return [
        key
        for word in chosen
        for key in (word, *(word[:at] + word[at + 1 :] for at in range(len(word))))
    ]


def _initials(form: str) -> Sequence[str]:
    return _whole("".join(sorted(word[0] for word in tokens(form))))


_WAYS: Final[Mapping[Way, Callable[[str], Sequence[str]]]] = {
    "whole": _whole,
    "year": _year,
    "half": _half,
    "word": _words,
    "words": _pairs,
    "sound": _sounds,
    "initials": _initials,
    "letter left out": _without_a_letter,
}

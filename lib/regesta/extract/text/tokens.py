"""A sentence in the form that phrasings are compared with: names and dates stand for themselves.

    "Anna Berg doesn't work at Acme any more since Friday."
    <n0> do not work at <n1> anymore <d0> .

Words are in lower case; those in which two letters were swapped are put right where only one word
of the phrasings is meant.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from regesta.extract.dates.expression import Expression
from regesta.extract.text.names import Name
from regesta.extract.text.words import words

_TOKEN: Final = re.compile(
    r"(?P<not>n['\u2019]t\b)|(?P<s>['\u2019](?:s|re|ve|ll|d|m)\b|['\u2019](?=\s))"
    r"|[^\W_]+?(?=n['\u2019]t\b)"
    r"|[^\W_]+(?:[./&+-][^\W_]+)*|[+]?\d[\d\s()/-]*\d|[^\w\s]",
    re.IGNORECASE,
)
_LONG: Final = 5
SKIPPED: Final = "\x01"
NEGATION: Final = "\x02"
"""Marks before tokens that a phrasing passes over, and before those that turn its meaning."""
NEGATIONS: Final = frozenset({"not", "never", "anymore"})
PASSED_OVER: Final = words("passed_over") | {","}
_PHRASES: Final = re.compile(
    r"(?<= )(?:(?:(?:on|in|at|as of|by|from|of|this) )?<[du]\d+>|as well|since then"
    r"|for the time being|for now|\( [^()]{0,60} \))(?= )"
)
_NEGATING: Final = re.compile(r"(?<= )(?:no longer|no more|any more|any longer)(?= )")
_CONTRACTED: Final = {"wo": "will", "ca": "can", "sha": "shall"}


class Token(NamedTuple):
    """A token's form for comparison, and its characters in the sentence."""

    form: str
    begin: int
    stop: int


class Masked(NamedTuple):
    """The tokens of a sentence, joined by single blanks, with a blank at either end."""

    text: str
    tokens: Sequence[Token]
    starts: Sequence[int]

    def at(self, place: int) -> int:
        """Return which token stands at a place of the joined text."""
        return max(0, bisect_right(self.starts, place) - 1)

    def original(self, begin: int, stop: int) -> tuple[int, int]:
        """Return the characters of the sentence that a part of the joined text stands for."""
        return self.tokens[self.at(begin)].begin, self.tokens[self.at(stop - 1)].stop


def masked(
    text: str, names: Sequence[Name], dates: Sequence[Expression], mended: Mapping[str, str]
) -> Masked:
    """Return a sentence as tokens; `mended` gives a word for its misspelt form's anagram key."""
    marks = [(name.begin, name.stop, f"<n{n}>") for n, name in enumerate(names)]
    marks += [(date.begin, date.stop, f"<{_bound(date)}{n}>") for n, date in enumerate(dates)]
    tokens: list[Token] = []
    at = 0
    for begin, stop, mark in sorted(marks):
        tokens += _words(text, at, begin, mended)
        tokens.append(Token(mark, begin, stop))
        at = stop
    tokens += _words(text, at, len(text), mended)
    tokens = _marked(tokens)
    starts = _starts(tokens)
    return Masked(f" {' '.join(token.form for token in tokens)} ", tokens, starts)


def _starts(tokens: Sequence[Token]) -> list[int]:
    """Return where tokens stand when they are joined with a blank before each."""
    return [*accumulate((len(token.form) + 1 for token in tokens[:-1]), initial=1)]


def _marked(tokens: Sequence[Token]) -> list[Token]:
    """Mark what phrasings pass over, and what negates."""
    marks = dict.fromkeys((n for n, one in enumerate(tokens) if one.form in PASSED_OVER), SKIPPED)
    marks |= dict.fromkeys((n for n, one in enumerate(tokens) if one.form in NEGATIONS), NEGATION)
    joined, starts = f" {' '.join(token.form for token in tokens)} ", _starts(tokens)
    for form, mark in ((_PHRASES, SKIPPED), (_NEGATING, NEGATION)):
        for found in form.finditer(joined):
            first = bisect_right(starts, found.start()) - 1
            last = bisect_right(starts, found.end() - 1) - 1
            marks |= dict.fromkeys(range(first, last + 1), mark)
    return [
        token._replace(form=marks[n] + token.form) if n in marks else token
        for n, token in enumerate(tokens)
    ]


def plain(text: str) -> str:
    """Return joined tokens without marks."""
    return text.replace(SKIPPED, "").replace(NEGATION, "")


def _bound(date: Expression) -> str:
    return "u" if date.bound in ("until", "before", "between") else "d"


def _words(text: str, at: int, stop: int, mended: Mapping[str, str]) -> list[Token]:
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text, at, stop):
        form = found[0].lower().replace("\u2019", "'")
        if found["not"]:
            form = "not"
            if tokens and tokens[-1].form in _CONTRACTED:
                tokens[-1] = tokens[-1]._replace(form=_CONTRACTED[tokens[-1].form])
        elif len(form) >= _LONG:
            form = mended.get(form) or mended.get(anagram(form), form)
        tokens.append(Token(form, found.start(), found.end()))
    return tokens


def anagram(word: str) -> str:
    """Return what a word shares with those in which inner letters were swapped."""
    return f"{word[0]}*{''.join(sorted(word[1:-1]))}*{word[-1]}"

"""Phrasings of relations: patterns over the tokens of a sentence.

    "{subject} <be> promoted to {value}"         "{object} (~own|~manage) {subject}"

`{subject}`, `{object}` and `{value}` stand for what the statement is about, `{other}` for a name
that is not. `a|b` are alternatives, `(a b|c)` of several words, `[words]` may be absent, `*` is up
to five words without a name. `~own` is every form of a verb, `^own` the past ones, which ask for
nothing ("please close T-1"), `<be>` every form of "to be", "will be" and "got" included, `<have>`
of "to have", `<until>` a date up to which something holds. Between words there may be dates,
commas, auxiliaries, adverbs like "now", and negations, which decide what the statement becomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from regesta.extract.text.tokens import NEGATION, NEGATIONS, PASSED_OVER, SKIPPED, anagram

NAME: Final = r"<n\d+>"
PRONOUN: Final = r"he|she|they|it|i|me"
_MARK: Final = rf"[{SKIPPED}{NEGATION}]?"
_GAP: Final = rf" (?:[{SKIPPED}{NEGATION}][^ ]+ )*"
_BE: Final = (
    "is|are|was|were|am|'s|'re|has been|have been|had been|'ve been|will be|'ll be|shall be|gets"
    "|get|got|has gotten|have gotten|is going to be"
)
_HAVE: Final = "has|have|had|'s|'ve"
_MODIFIER: Final = (
    r"(?:(?:the )?(?:people|folks|guys|colleagues|team) (?:at|from|of) )?(?:(?:the|our|their"
    r"|your|my|his|her|a|an|customer|client|colleague|account|ticket|contact|product|case"
    r"|company|mr|mr\.|ms|ms\.|mrs|dr|dr\.) ){0,2}"
)
_AFTER_NAME: Final = (
    r"(?: (?:account|team|ticket|contract|subscription|licence|license|company|people|folks))?"
)
_VALUE_WORDS: Final = (
    r"(?:(?!(?:the|a|an|not|no|never|now|he|she|they|it|we|you|i|to|as|off|out|up|away|in"
    r"|on|back|down|over|at) )[a-z][\w&/-]*"
    r"(?: (?!at |for |since |on |in |with |and |but |from |now |effective |as |who |which "
    r"|because |so |until |the |is |was )"
    r"(?:of (?:the )?)?(?:<n\d+>|[\w&/-]+)){0,3})"
)
_PART: Final = re.compile(r"\{(\w+)\}|<(\w+)>|([~^][a-z]+)|\*|[^\s{}<>~^*]+")
_IRREGULAR: Final = {
    forms.split()[0]: forms.split()
    for forms in [
        "be is are was were been being",
        "become becomes became becoming",
        "begin begins began begun beginning",
        "bring brings brought bringing",
        "buy buys bought buying",
        "choose chooses chose chosen choosing",
        "come comes came coming",
        "do does did done doing",
        "fall falls fell fallen falling",
        "find finds found finding",
        "get gets got gotten getting",
        "give gives gave given giving",
        "go goes went gone going",
        "grow grows grew grown growing",
        "have has had having",
        "hold holds held holding",
        "keep keeps kept keeping",
        "lead leads led leading",
        "leave leaves left leaving",
        "let lets letting",
        "lose loses lost losing",
        "make makes made making",
        "meet meets met meeting",
        "pay pays paid paying",
        "put puts putting",
        "quit quits quitting",
        "rise rises rose risen rising",
        "run runs ran running",
        "see sees saw seen seeing",
        "sell sells sold selling",
        "send sends sent sending",
        "set sets setting",
        "show shows showed shown showing",
        "shut shuts shutting",
        "sit sits sat sitting",
        "speak speaks spoke spoken speaking",
        "split splits splitting",
        "stand stands stood standing",
        "take takes took taken taking",
        "tell tells told telling",
        "think thinks thought thinking",
        "undergo undergoes underwent undergone undergoing",
        "write writes wrote written writing",
        "oversee oversees oversaw overseen overseeing",
    ]
}
_CONTRACTION: Final = re.compile(r"(?<=[a-z])'(?=(?:s|re|ve|ll)\b)")
_LETTERS: Final = re.compile(r"[a-z']+")


@dataclass(frozen=True)
class Phrasing:
    """A way to tell a relation: its regular expression and what a match of it means."""

    relation: str
    form: str
    anchors: frozenset[str]
    words: frozenset[str]
    value: str | None = None
    values: re.Pattern[str] | None = None
    ends: bool = False
    temporary: bool = False

    @property
    def has_comma(self) -> bool:
        """Whether it holds a comma itself, beside those that it passes over."""
        return f"{_MARK}," in self.form

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when a sentence first holds a word of it."""
        return re.compile(self.form)


class PatternError(ValueError):
    """A pattern that can't be read; the message tells what was expected."""


def compile_phrasing(
    relation: str,
    says: str,
    *,
    values: str | None = None,
    value: str | None = None,
    ends: bool = False,
    temporary: bool = False,
) -> Phrasing:
    """Compile a pattern. `values` is the form of `{value}`; `value` what it means without one.

    Raises PatternError with what is wrong.
    """
    if "{subject}" not in says:
        raise PatternError(f"{says!r}: expected {{subject}}")
    text = _sequence(_CONTRACTION.sub(" '", says.strip().replace("won't", "will not")), values)
    return Phrasing(
        relation,
        rf"(?<= ){text}(?= )",
        _anchors(says),
        _literals(says),
        value,
        None if values is None else re.compile(values, re.IGNORECASE),
        ends=ends,
        temporary=temporary,
    )


def _sequence(says: str, values: str | None) -> str:
    """Compile words, groups and optional parts that follow each other."""
    text, has_begun = "", False
    for element in _split(says, " "):
        if element == "*":
            text += rf"(?: (?:(?![{NEGATION}]|no )[^<> ]+|{_MARK}<[du]\d+>)){{0,5}}?"
            continue
        if element.startswith("["):
            inner = _group(element[1:-1], values)
            text += f"(?:{_GAP}{inner})?" if has_begun else f"(?:{inner}{_GAP})?"
            continue
        text += _GAP if has_begun else ""
        has_begun = True
        text += _group(element[1:-1] if element[0] == "(" else element, values)
    return text


def _group(says: str, values: str | None) -> str:
    """Compile alternatives, each of one word or several."""
    ways = _split(says, "|")
    if len(ways) > 1 or " " in says:
        return f"(?:{'|'.join(_sequence(way.strip(), values) for way in ways)})"
    return _word(says, values)


def _split(says: str, separator: str) -> list[str]:
    """Split where no bracket is open."""
    parts, depth = [""], 0
    for character in says:
        depth += (character in "([") - (character in ")]")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise PatternError(f"{says!r}: expected as many closing brackets as opening ones")
    return [part for part in parts if part]


def _word(says: str, values: str | None) -> str:
    found = _PART.fullmatch(says)
    if found is None:
        raise PatternError(f"{says!r}: expected a word, {{slot}}, <macro>, ~verb or ^verb")
    slot, macro, verb = found.groups()
    if slot:
        return _slot(slot, values)
    if macro:
        if macro not in _MACROS:
            raise PatternError(f"<{macro}>: expected <be>, <have> or <until>")
        return _MACROS[macro]
    return _any_of(_verb(verb)) if verb else _literal(says.lower())


def _literal(word: str) -> str:
    """A word may be one that is passed over elsewhere."""
    return (
        f"{_MARK}{re.escape(word)}" if word in PASSED_OVER or word in NEGATIONS else re.escape(word)
    )


def _any_of(ways: Iterable[str]) -> str:
    return f"(?:{'|'.join(_GAP.join(map(_literal, way.split())) for way in ways)})"


_MACROS: Final = {
    "be": _any_of(_BE.split("|")),
    "have": _any_of(_HAVE.split("|")),
    "until": rf"{_MARK}<u\d+>",
}


def _slot(slot: str, values: str | None) -> str:
    if slot == "value":
        form = rf"{NAME}|{values or _VALUE_WORDS}"
        return rf"(?:(?:the|a|an|our|their|its|new) ){{0,2}}(?P<value>{form})"
    if slot == "other":
        return rf"{_MODIFIER}(?:{NAME}|[a-z]+){_AFTER_NAME}"
    if slot not in ("subject", "object"):
        raise PatternError(f"{{{slot}}}: expected {{subject}}, {{object}}, {{value}} or {{other}}")
    return rf"{_MODIFIER}(?P<{slot}>{NAME}|{PRONOUN}){_AFTER_NAME}"


def _verb(says: str) -> list[str]:
    """Return the forms that `~verb` or `^verb` stands for."""
    found = forms(says[1:])
    if says[0] == "~":
        return found
    return [form for form in found[2:] if not form.endswith("ing")] or found[:1]


def forms(verb: str) -> list[str]:
    """Return the forms of a verb: cancel, cancels, cancelled, canceled, cancelling ..."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return [verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"]
    third = f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"
    found = [verb, third, f"{verb}ed", f"{verb}ing"]
    if re.search(r"[^aeiou][aeiou][bdglmnprt]$", verb):
        found += [f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"]
    return found


def _spelled(says: str) -> str:
    verbs = re.sub(r"[~^][a-z]+", lambda verb: "|".join(_verb(verb[0])), says.lower())
    return re.sub(r"\{\w+\}|<\w+>", " ", verbs)


def _literals(says: str) -> frozenset[str]:
    return frozenset(_LETTERS.findall(_spelled(says)))


def _anchors(says: str) -> frozenset[str]:
    """Return words of which a match holds one: those of the longest part that must be there."""
    without = re.sub(r"\[[^\]]*\]", " ", _spelled(says))
    parts = re.findall(r"\([^()]*\)|\S+", without)
    choices = [_choice(part) for part in parts]
    choices = [choice for choice in choices if choice]
    if not choices:
        return frozenset()
    return frozenset(max(choices, key=lambda words: min(len(word) for word in words)))


def _choice(part: str) -> list[str]:
    """Of every alternative its longest word."""
    found = [_LETTERS.findall(way) for way in part.strip("()").split("|")]
    return [max(words, key=len) for words in found] if all(found) else []


class Phrasebook:
    """All phrasings, found by the words that a sentence holds."""

    def __init__(self, phrasings: Sequence[Phrasing]) -> None:
        self._by_word: dict[str, list[int]] = {}
        self._all = phrasings
        for number, phrasing in enumerate(phrasings):
            for word in phrasing.anchors:
                self._by_word.setdefault(word, []).append(number)
        self._always = [n for n, one in enumerate(phrasings) if not one.anchors]
        self.mended: Mapping[str, str] = _mended(
            {word for one in phrasings for word in one.words if len(word) >= 5}
        )

    def told_by(self, forms_of_words: Iterable[str]) -> list[Phrasing]:
        """Return the phrasings that a sentence of these words may hold, in their order."""
        found = {n for form in forms_of_words for n in self._by_word.get(form, ())}
        return [self._all[number] for number in sorted(found.union(self._always))]


def _mended(words: set[str]) -> dict[str, str]:
    """Map each word to itself and its anagram key to it, where only one word has the key."""
    keys: dict[str, set[str]] = {}
    for word in words:
        keys.setdefault(anagram(word), set()).add(word)
    alone = {key: found.pop() for key, found in keys.items() if len(found) == 1}
    return {**{word: word for word in words}, **alone}

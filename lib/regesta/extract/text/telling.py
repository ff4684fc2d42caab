"""How a sentence tells what it tells: as so, as ended, as never so, or not at all."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from regesta.extract.text.words import words

Told = Literal["asserts", "ends", "retracts"]

_HEDGES: Final = words("hedges")
_HEDGING_PHRASES: Final = re.compile(
    r" (?:not sure|in case|as if|as though|seems? to|appears? to|want(?:s|ed)? to|plan(?:s"
    r"|ning)? to|like to|about to"
    r"|going to (?!be)|try(?:ing)? to|tried to|have to|has to|need(?:s)? to|used to be"
    r" asked|in theory|let me know|no idea"
    r"|can(?: \w+)? be|can not|every time|as soon as|is it true|i heard|we heard|they say"
    r"|ask(?:s|ed|ing)? (?:\S+ )?to|word has it|sounds like|looks like|on the verge|for example"
    r"|for instance) "
)
_NEGATION: Final = re.compile(
    r"(?<= )(?:not|never|no longer|no more|anymore|any more|any longer|nobody|none|neither"
    r"|nor)(?= )"
)
_PENDING: Final = re.compile(r" (?:once|when|until|till|before|so that|to) $")
_FUTURE: Final = re.compile(r" (?:will|'ll|shall|going to be) ")
_GOES_ON: Final = re.compile(r"\S+ , ")
_FORMER: Final = re.compile(r" (?:before|earlier|previously) ")
_ASKS: Final = re.compile(
    r" *(?:is|are|was|were|does|did|has|had|can|could|will|would|should|may(?! \d)|shall|why|how) ",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(r" *(?:set|put|shut) ")
_DONE_BY: Final = re.compile(r" (?:i|we|he|she|they|who|has|have|had|'ve|'s|<n\d+>) (?:\w+ly )?$")
_ENDED: Final = frozenset({"no longer", "no more", "anymore", "any more", "any longer"})
_ENDED_AFTER: Final = re.compile(r" (?:anymore|any more|any longer)(?= )")


def is_hedged(sentence: str, own_words: Collection[str]) -> bool:
    """Tell whether a sentence (as joined tokens) leaves open whether something is so.

    `own_words` are those of the phrasing, whose own "would like to" hedges nothing.
    """
    if any(word in _HEDGES and word not in own_words for word in sentence.split()):
        return True
    found = _HEDGING_PHRASES.search(sentence)
    return found is not None and not set(found[0].split()) <= set(own_words)


def is_question(text: str) -> bool:
    """Tell whether a sentence asks; not everybody writes the mark."""
    return _ASKS.match(text) is not None or text.rstrip(" \"'\u201d\u2019)*_").endswith(("?", "?!"))


def is_denied(before: str, within: str, *, has_comma: bool) -> bool:
    """Tell whether what stands before a match (both joined tokens) makes it not so.

    A negation does, back to a comma. "Until Acme has paid", "once it is fixed", "to join Acme"
    leave open whether it is so; "Ann, who knows Ben, joined Acme" and "Ann met Ben, then joined
    Acme" are not told of Ben, unless the phrasing `has_comma` itself; "set T-1 to P1" asks for it.
    """
    clause = re.split(r" [,;:.!()-] ", before)[-1]
    if _NEGATION.search(f" {clause} ") or _PENDING.search(before):
        return True
    if _GOES_ON.match(within) and not has_comma and clause.strip():
        return True
    return _ORDER.match(within) is not None and not _DONE_BY.search(before)


def is_promised(within: str) -> bool:
    """Tell whether a match (joined tokens) speaks of what will be."""
    return _FUTURE.search(f" {within} ") is not None


def told_as(within: str, after: str, *, ends: bool, own_words: Collection[str]) -> Told | None:
    """Return what the negations in a match, and right after it, make of a statement.

    Both are joined tokens; `own_words` are those of the phrasing. "No longer" ends, "never" takes
    back, a plain "not" states nothing.
    """
    said = {
        found
        for found in _NEGATION.findall(f" {within} ")
        if not set(found.split()) <= set(own_words)
    }
    if _FORMER.match(after):
        return None
    if _ENDED_AFTER.match(after):
        said.add("anymore")
    if not said:
        return "ends" if ends else "asserts"
    if ends:
        return None
    if said & _ENDED:
        return "ends"
    return "retracts" if said == {"never"} else None

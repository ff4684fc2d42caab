"""Normal forms of names and identifiers: equal forms are candidates for one entity."""

from __future__ import annotations

import unicodedata


def normalise_name(text: str) -> str:
    """Return a name without case, accents and punctuation, words separated by one space.

    A name of nothing but punctuation gives the empty string, which joins nobody.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    spelled = unicodedata.normalize("NFKD", folded)
    kept = [
        character if character.isalnum() else " "
        for character in spelled
        if not unicodedata.combining(character)
    ]
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def normalise_identifier(kind: str, value: str) -> str:
    """Return `kind:value` with both stripped and casefolded; an empty value gives "".

    The parts are joined by the first colon, so a kind holds none.
    """
    folded = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    return f"{kind.strip().casefold()}:{folded}" if folded else ""

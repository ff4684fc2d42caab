"""Normal forms of names and identifiers: equal forms are candidates for one entity."""

from __future__ import annotations

import re
import unicodedata

# Accents of Latin, Greek and Cyrillic letters; marks of other scripts are letters' own parts.
_ACCENTS = re.compile("[\u0300-\u036f]")
# "C", "C++" and "C#" are three names.
_SUFFIX_SIGNS = re.compile(r"(?<=[^\W_])[+#]+(?=\s|$)")


def normalise_name(text: str) -> str:
    """Return a name without case, accents and punctuation, its words separated by one space.

    A name of nothing but punctuation gives the empty string, which joins nobody.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
    signs = {place for found in _SUFFIX_SIGNS.finditer(bare) for place in range(*found.span())}
    kept = (
        character if place in signs or unicodedata.category(character)[0] in "LNM" else " "
        for place, character in enumerate(bare)
    )
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def normalise_identifier(kind: str, value: str) -> str:
    """Return `kind:value`, the value casefolded with its spaces collapsed; "" without a value.

    The first colon ends the kind, so a kind holds none.
    """
    folded = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    return f"{kind}:{folded}" if folded else ""

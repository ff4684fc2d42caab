"""Ids: keyed digests of content, the same in Python and in Spark expressions.

Each part is written as its length in characters, a colon and its text, and an absent part as `~`,
so that different lists of parts never give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

DIGEST_CHARACTERS = 32
"""128 bits as hexadecimal digits: no collision expected below 10**18 ids."""


def digest(salt: str, *parts: str | int | None) -> str:
    """Return the keyed digest of `parts`: 32 hexadecimal digits.

    `salt` is the warehouse's own secret, so that the digest of an e-mail address tells nothing.
    """
    return hashlib.sha256(_encode(salt, *parts).encode("utf-8", "surrogatepass")).hexdigest()[
        :DIGEST_CHARACTERS
    ]


def digester(salt: str, *first: str) -> Callable[..., str]:
    """Return `digest` with the salt and perhaps first parts applied, for inner loops."""
    begun = hashlib.sha256(_encode(salt, *first).encode())

    def made(*parts: str | int | None) -> str:
        whole = begun.copy()
        whole.update(_encode(*parts).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()[:DIGEST_CHARACTERS]

    return made


def digest_column(salt: str, *parts: Column | str | int) -> Column:
    """Return the Spark expression that equals `digest`; a plain `str` or `int` is a literal.

    Columns must be strings or integers; nulls are absent parts.
    """
    from pyspark.sql import functions as F  # noqa: PLC0415

    encoded = [
        F.lit(_encode(part))
        if isinstance(part, str | int)
        else F.coalesce(
            F.concat(F.length(part.cast("string")).cast("string"), F.lit(":"), part.cast("string")),
            F.lit("~"),
        )
        for part in (salt, *parts)
    ]
    return F.substring(F.sha2(F.concat(*encoded), 256), 1, DIGEST_CHARACTERS)


def _encode(*parts: str | int | None) -> str:
    # A list, not a generator: ids are made by the million.
    return "".join(["~" if part is None else f"{len(text := str(part))}:{text}" for part in parts])

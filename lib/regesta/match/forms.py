"""Values as they are compared: Latin letters of any script, without case, accents and signs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from anyascii import anyascii

from regesta.match.declaration import Compared, Kind
from regesta.match.markers import canonical
from regesta.names import normalise_name

_NOT_WORD = re.compile(r"[^0-9a-z]+")
_ROLE = re.compile(
    r"(?:info|support|sales|office|contact|admin|help|helpdesk|hello|service|team|mail|billing|"
    r"accounts|accounting|enquiries|inquiries|kontakt|no-?reply|postmaster|webmaster)@.*"
)
"""Mailboxes of a role, which say nothing of who writes."""
_NOT_DIGIT = re.compile(r"[^0-9]+")


def form(kind: Kind, value: str | None) -> str:
    """Return the compared form of a value; "" for none, which agrees and disagrees with nothing."""
    if not value:
        return ""
    if kind == "code" and "@" in value:
        return _mailbox(value)
    words = _NOT_WORD.sub(" ", anyascii(normalise_name(value)).casefold()).strip()
    if kind == "date":
        return _NOT_DIGIT.sub("", words)
    if kind == "name":
        return " ".join(map(canonical, words.split()))
    return words.replace(" ", "") if kind == "code" else words


def _mailbox(value: str) -> str:
    address = anyascii(value).casefold().strip()
    if _ROLE.fullmatch(address):
        return ""
    local, _, domain = address.partition("@")
    return f"{_NOT_WORD.sub('', local)}@{_NOT_WORD.sub('', domain)}"


def forms(compared: Compared, values: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the forms of a profile's values, in the order of the compared attributes."""
    return tuple(form(kind, values.get(name)) for name, kind in compared.attributes.items())


@lru_cache(maxsize=1 << 17)
def tokens(words: str) -> tuple[str, ...]:
    """Return the words of a form, each once, in order."""
    return tuple(dict.fromkeys(words.split()))

"""Mistakes in a question put to a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regesta.errors import RegestaError


class QueryError(RegestaError):
    """A question names what the graph does not hold, or says it ambiguously."""

    exit_code = 7


def unknown(what: str, name: str, known: Iterable[str]) -> QueryError:
    """Return the error for an unknown `name`, with the known names nearest to it."""
    from difflib import get_close_matches  # noqa: PLC0415

    folded: dict[str, str] = {}
    for each in known:
        folded.setdefault(each.casefold(), each)
    keys = get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.5)
    near = [folded[key] for key in keys]
    hint = f" Did you mean {' or '.join(repr(each) for each in near)}?" if near else ""
    return QueryError(f"There is no {what} {name!r}.{hint}")


def ambiguous(name: str, candidates: Sequence[str]) -> QueryError:
    """Return the error for a `name` that several entities have; each candidate is one line."""
    lines = "\n".join(f"  - {each}" for each in candidates)
    return QueryError(f"{name!r} names {len(candidates)} entities; give an id instead:\n{lines}")

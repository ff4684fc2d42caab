"""The text to put before a model: what was found, in the form of the Zep paper (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from regesta.query.answers import Community, Entity, Episode, Fact
from regesta.query.errors import QueryError
from regesta.query.times import show

if TYPE_CHECKING:
    from regesta.query.hits import Hit, Hits

CountTokens = Callable[[str], int]
_FACTS = "Facts, each with the dates between which it holds; an event with when it took place."


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model makes of a text: one for every three bytes of UTF-8.

    English has four or more to a token, so it errs on the safe side.
    """
    return -(-len(text.encode()) // 3)


def write_context(hits: Hits, *, tokens: int | None, count_tokens: CountTokens) -> str:
    """Return the text of the best hits that fit together into `tokens`, all without a budget.

    A hit that no longer fits is left out whole and the next one is tried. Raises QueryError where
    not even the heading fits.
    """
    heading = f"As of {show(hits.valid)}, as known on {show(hits.known)}."
    if tokens is None:
        return _written(heading, hits)
    if count_tokens(heading) > tokens:
        raise QueryError(f"{tokens} tokens do not hold the heading; allow more.")
    chosen: list[Hit] = []
    for hit in hits:
        if count_tokens(_written(heading, [*chosen, hit])) <= tokens:
            chosen.append(hit)
    return _written(heading, chosen)


def _written(heading: str, hits: Iterable[Hit]) -> str:
    hits = list(hits)
    sources = list(dict.fromkeys(each.label for hit in hits for each in hit.sources))
    numbers = {label: number for number, label in enumerate(sources, 1)}
    facts = [_fact(hit.fact, _marks(hit, numbers)) for hit in hits if hit.fact]
    sections = {
        "FACTS": [_FACTS, *facts] if facts else [],
        "ENTITIES": _distinct(_entity(each) for hit in hits for each in hit.entities),
        "COMMUNITIES": _distinct(_community(hit.community) for hit in hits if hit.community),
        "EPISODES": [_episode(hit.episode, numbers) for hit in hits if hit.episode],
        "SOURCES": [f"[{number}] {_line(label)}" for label, number in numbers.items()],
    }
    written = [_section(name, lines) for name, lines in sections.items() if lines]
    return "\n".join([heading, *written])


def _marks(hit: Hit, numbers: dict[str, int]) -> str:
    return "".join(f"[{numbers[each.label]}]" for each in hit.citations)


def _fact(fact: Fact, marks: str) -> str:
    kind = "event " if fact.kind == "event" else ""
    disputed = ", disputed" if fact.disputed else ""
    return f"- {_line(fact.text)} ({kind}{fact.dates}{disputed}) {marks}".rstrip()


def _entity(entity: Entity) -> str:
    label = f" ({entity.label})" if entity.label else ""
    return f"- {_line(entity.name)}{label}{_summary(entity.summary)}"


def _community(community: Community) -> str:
    return f"- {_line(community.name)}{_summary(community.summary)}"


def _episode(episode: Episode, numbers: dict[str, int]) -> str:
    return f"- {_line(episode.own_words)} [{numbers[episode.label]}]"


def _summary(text: str | None) -> str:
    return f": {_line(text)}" if text else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _distinct(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(lines))


def _section(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])

"""What of a model's answer the episode bears out: mentions and statements; the rest stands aside.

A name must stand in what the model was shown of the episode, be the writer's, or stand in the
messages before it where the model was shown these; a quote must stand in the episode, and hold the
fact's value or the name of one of its ends; both ends must be entities that the answer lists; a
date must parse, and the words that are said to give it must stand in the episode and give it, as
the local reader of dates has it (`dating`). So an answer, whatever it was talked into, can only say
what words of this episode say, at its authority.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from regesta.extract.identity import MentionMaker, StatementMaker, Target, Times
from regesta.extract.llm.answers import NamedEntity, StatedFact
from regesta.extract.llm.dating import SaidDates, reaching_out
from regesta.extract.llm.places import Place, place_of
from regesta.extract.llm.waves import Told
from regesta.extract.relations import in_capitals
from regesta.extract.rows import Episode, Mention, Statement
from regesta.names import normalise_identifier, normalise_name
from regesta.ontology import LITERAL, Ontology
from regesta.sources.times import Instant, parse_time
from regesta.spans import own_words, own_words_in_place

_ADDRESS_SIGN: Final = "@"
_NO_WORDS: Final[Place] = (0, 0)
_Part = NamedEntity | StatedFact


class Words(NamedTuple):
    """An episode of words: what a mapping reads, its kind, its writer, and its parts as JSON.

    `earlier` are author and own words of the messages before it that a model was shown.
    """

    episode: Episode
    kind: str
    author: str | None
    spans: str | None
    earlier: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The text that a model is shown: of a message the writer's own words."""
        return own_words(self.episode.content, self.spans)


class Aside(NamedTuple):
    """A part of an answer that the episode does not bear out, as JSON, and why."""

    reason: str
    raw: str


@dataclass
class Grounded:
    """What an episode states according to a model, and what it does not bear out."""

    mentions: list[Mention] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)


@dataclass(frozen=True)
class _IsoTime:
    format: tuple[str, ...] = ()
    zone: str = "UTC"


_ISO: Final = _IsoTime()


class _NotBorneOutError(Exception):
    """A part of an answer that the episode does not bear out; the message says why."""


class Grounding:
    """Grounds answers; `ground` is a pure function of the episode and the answer."""

    def __init__(self, ontology: Ontology, salt: str) -> None:
        self.ontology = ontology
        self.mentions = MentionMaker(ontology, salt)
        self.statements = StatementMaker(ontology, salt)

    def ground(self, words: Words, told: Told) -> Grounded:
        """Return what the episode bears out of what a model was told by it."""
        reading = _Reading(self, words)
        for number, entity in enumerate(told.entities):
            reading.attempt(reading.name, number, entity)
        for number, fact in enumerate(told.facts):
            reading.attempt(reading.state, number, fact)
        stray = (Aside("dates a fact that it does not state", each) for each in told.stray)
        reading.found.aside.extend(stray)
        return reading.found


class _Reading:
    """One answer about one episode, part by part."""

    def __init__(self, rules: Grounding, words: Words) -> None:
        self._rules = rules
        self._words = words
        self._episode = words.episode
        self._visible = own_words_in_place(words.episode.content, words.spans)
        self._named: dict[str, Mention] = {}
        self.found = Grounded()

    def attempt(self, take: Callable[[int, Any], None], number: int, part: _Part) -> None:
        """Take a part of the answer, or put it aside with the reason."""
        try:
            take(number, part)
        except _NotBorneOutError as error:
            self._put_aside(str(error), part)

    def name(self, number: int, entity: NamedEntity) -> None:
        """Add the mention of an entity; one named before adds nothing."""
        key = normalise_name(entity.name)
        if key in self._named:
            return
        author = self._words.author
        is_writer = author is not None and bool(key) and key == normalise_name(author)
        place, name = (_NO_WORDS, author or "") if is_writer else self._named_in(entity.name)
        mention = self._rules.mentions.made(
            self._episode,
            ("model", number),
            name=name,
            label=entity.label,
            quote=place,
            identifiers=_identifiers(author) if is_writer else (),
            context=self._rules.mentions.context(self._episode, entity.label),
        )
        self.found.mentions.append(mention)
        self._named[key] = self._named[mention.normalised_name] = mention

    def state(self, number: int, fact: StatedFact) -> None:
        """Add the statement that a fact is."""
        subject = self._entity(fact.subject, "subject")
        targets = self._targets(fact)
        if any(target.item == subject.profile_id for target in targets):
            raise _NotBorneOutError("its subject is its object")
        quote = self._place(fact.quote, "quotes")
        for target in targets:
            self._check_quote(quote, subject, target)
        times = self._times(fact)
        relation = _relation(fact)
        phrase = self._rules.ontology.phrase(relation)
        asserts = fact.polarity == "asserts"
        is_one = len(targets) > 1 and asserts and self._rules.ontology.holds_several(relation)
        for place, target in enumerate(targets):
            statement = self._rules.statements.made(
                self._episode,
                ("model", number, place) if place else ("model", number),
                subject=subject,
                relation=relation,
                target=target,
                text=" ".join(fact.sentence.split())
                or f"{subject.name} {phrase} {target.words}".rstrip(),
                number=number,
                times=times,
                said_at=self._episode.reference_time,
                quote=quote,
                temporary=fact.temporary,
                retracts="asserts",
                fact=("model", number) if is_one else None,
            )
            self.found.statements.append(statement)

    def _named_in(self, name: str) -> tuple[Place, str]:
        """Return where an entity is named, and how; of one that earlier messages name, nowhere."""
        place = place_of(name, self._visible)
        if place is not None:
            return place, self._words_at(place)
        for author, text in self._words.earlier:
            for earlier in (author, text):
                if place := place_of(name, earlier):
                    return _NO_WORDS, " ".join(earlier[slice(*place)].split())
        raise _NotBorneOutError("names what is not in the text")

    def _check_quote(self, quote: Place, subject: Mention, target: Target) -> None:
        """Refuse a quote that holds neither end of the fact, or not its value."""
        quoted = self._visible[slice(*quote)]
        if target.value is not None:
            named = [target.words]
        else:
            # The writer's part is told by the writing: "I have moved to Acme".
            named = [subject.name, target.words][subject.quote_end == 0 :]
        if not any(place_of(name, quoted) for name in named if name):
            raise _NotBorneOutError("its quote does not name what it is about")

    def _entity(self, name: str, part: str) -> Mention:
        mention = self._named.get(normalise_name(name))
        if mention is None:
            raise _NotBorneOutError(f"its {part} is none of the entities")
        return mention

    def _targets(self, fact: StatedFact) -> list[Target]:
        """Return what the fact joins to its subject, each entity once."""
        others = [self._named_target(name, fact.polarity) for name in fact.others]
        return list({one.item or "": one for one in (self._target(fact), *others)}.values())

    def _named_target(self, name: str, polarity: str) -> Target:
        mention = self._entity(name, "object")
        return Target(polarity, item=mention.profile_id, label=mention.label, words=mention.name)

    def _target(self, fact: StatedFact) -> Target:
        if fact.object:
            return self._named_target(fact.object, fact.polarity)
        if fact.value:
            value = self._words_at(self._place(fact.value, "gives as a value"))
            return Target(fact.polarity, value=value, label=LITERAL, words=value)
        if fact.polarity != "ends":
            raise _NotBorneOutError("it has no object")
        return Target(fact.polarity)

    def _times(self, fact: StatedFact) -> Times:
        """Return the fact's times; what is not borne out is unknown, and put aside."""
        if not fact.valid_from and not fact.valid_until:
            return Times()
        place = place_of(fact.dated_by or "", self._visible)
        if place is None:
            self._put_aside("dated by words that are not in the text", fact)
            return Times()
        begins, ends = self._time(fact.valid_from, fact), self._time(fact.valid_until, fact)
        is_end = fact.polarity == "ends"
        said = SaidDates(self._visible, place, self._episode.reference_time, ends=is_end)
        start = begins and self._dated(fact, said.start(begins), begins)
        end = ends and self._dated(fact, said.end(ends), ends, reaching_out(ends))
        if start is not None and end is not None and end[0] <= start[0]:
            self._put_aside("ends before it begins", fact)
            return Times()
        return Times.of(start, end)

    def _dated(self, fact: StatedFact, said: Instant | None, *meant: Instant) -> Instant | None:
        """Return what the words give; another date than was meant is put aside."""
        if said is None or said[0] not in {instant for instant, _ in meant}:
            self._put_aside("a date that its words do not give", fact)
        return said

    def _time(self, text: str | None, fact: StatedFact) -> Instant | None:
        try:
            return parse_time(text, _ISO)
        except ValueError:
            self._put_aside("a date that can't be read", fact)
            return None

    def _place(self, words: str, what: str) -> Place:
        place = place_of(words, self._visible)
        if place is None:
            raise _NotBorneOutError(f"{what} what is not in the text")
        return place

    def _words_at(self, place: Place) -> str:
        return " ".join(self._visible[slice(*place)].split())

    def _put_aside(self, reason: str, part: _Part) -> None:
        self.found.aside.append(
            Aside(reason, json.dumps(part.model_dump(mode="json"), ensure_ascii=False))
        )


def _relation(fact: StatedFact) -> str:
    try:
        return in_capitals(fact.relation)
    except ValueError as error:
        raise _NotBorneOutError("its relation has no name") from error


def _identifiers(author: str | None) -> list[str]:
    if author is None or _ADDRESS_SIGN not in author:
        return []
    return [normalise_identifier("email", author)]

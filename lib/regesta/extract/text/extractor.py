"""Messages and texts to mentions and statements: a pure function of the episode.

Every reading of a sentence that fits a phrasing becomes a statement, with the labels that the
relation's signature names. Where a label's entities come from records, identity decides which
readings count: a name that no record of the group bears under that label leads nowhere. So what is
found does not depend on which names were known when a text was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from regesta.extract.dates.expression import Expression
from regesta.extract.dates.finding import DateFinder
from regesta.extract.identity import MentionMaker, StatementMaker, Target
from regesta.extract.rows import Episode, Mention, Statement
from regesta.extract.text.names import Name, find_names
from regesta.extract.text.patterns import Phrasebook, Phrasing
from regesta.extract.text.sentences import Sentence, sentences
from regesta.extract.text.speakers import Persons
from regesta.extract.text.telling import (
    Told,
    is_denied,
    is_hedged,
    is_promised,
    is_question,
    told_as,
)
from regesta.extract.text.times import Clock
from regesta.extract.text.tokens import Masked, masked, plain
from regesta.extract.text.words import words
from regesta.names import normalise_identifier
from regesta.ontology import LITERAL, Ontology
from regesta.sources.declaration import Source
from regesta.spans import own_parts

TEXT_CONTEXT: Final = "text"
"""Of a name that records must know; it keeps its profile apart from those that records make."""
MOST_STATEMENTS: Final = 50
"""Of one episode; a text that tells more is a table in disguise."""
_NOT_IT: Final = (" from ", " not ", " from the ", " not the ")
"""What stands before a value that is over, or is not so."""
_OF: Final = frozenset({"'s", "'", "that", "about", "how", "why", "what", "whether", "if"})
_MAY_FOLLOW: Final = words("no_names") | words("passed_over") | words("may_follow")


class Reading(NamedTuple):
    """One way to understand a sentence: what takes the phrasing's places, and what it becomes."""

    phrasing: Phrasing
    subject: str
    object: str | None
    value: str | None
    told: Told
    place: tuple[int, int]

    def places(self) -> tuple[str, str | None]:
        """Return what stands in the places of subject and object: marks of names, or pronouns."""
        return self.subject, self.object


class _Parsed(NamedTuple):
    """A sentence with what was found in it; `number` counts the sentences of its episode."""

    sentence: Sentence
    number: int
    names: Sequence[Name]
    dates: Sequence[Expression]
    tokens: Masked


class _Heard:
    """What an episode has told so far."""

    def __init__(self, episode: Episode, author: str | None) -> None:
        self.episode = episode
        self.persons = Persons(author)
        self.mentions: dict[str, Mention] = {}
        self.statements: dict[str, Statement] = {}

    def result(self) -> tuple[list[Mention], list[Statement]]:
        """Return the statements, and the mentions that they are between."""
        said = list(self.statements.values())
        used = {end for one in said for end in (one.subject, one.object)}
        return [one for one in self.mentions.values() if one.profile_id in used], said


class TextExtractor:
    """Reads the messages and texts of one source; `book` are the ontology's phrasings."""

    def __init__(self, source: Source, ontology: Ontology, book: Phrasebook, salt: str) -> None:
        self._ontology = ontology
        self._mentions = MentionMaker(ontology, salt)
        self._statements = StatementMaker(ontology, salt)
        self._book = book
        self._dates = DateFinder()
        self._clock = Clock(source.reference_time.zone if source.reference_time else "UTC")
        self._written = {
            kind: (re.compile(rf"(?<!\w){declared.written}(?!\w)"), declared.bearer)
            for kind, declared in ontology.identifiers.items()
            if declared.written is not None and declared.bearer is not None
        }
        self._from_records = frozenset(ontology.labels_from_records)
        self._numbered = {bearer for _, bearer in self._written.values()}

    def extract(
        self, episode: Episode, author: str | None, spans: str | None
    ) -> tuple[list[Mention], list[Statement]]:
        """Return what the author's own words state, in order of the words.

        `spans` are the parts of a message (`regesta.spans`), None where all is the author's.
        """
        heard = _Heard(episode, author)
        for number, sentence in enumerate(_sentences(episode.content, spans)):
            parsed = self._parsed(episode, sentence, number)
            for reading in self._readings(parsed):
                one = self._statement(heard, parsed, reading)
                if one is not None:
                    heard.statements.setdefault(one.statement_id, one)
                if len(heard.statements) >= MOST_STATEMENTS:
                    return heard.result()
            heard.persons.hear(parsed.names)
        return heard.result()

    def _parsed(self, episode: Episode, sentence: Sentence, number: int) -> _Parsed:
        dates: list[Expression] = []
        if not is_question(sentence.text):
            dates = self._dates.find(sentence.text, self._clock.local(episode.reference_time))
        taken = [(date.begin, date.stop) for date in dates]
        names = find_names(sentence.text, self._written, taken)
        tokens = masked(sentence.text, names, dates, self._book.mended)
        return _Parsed(sentence, number, names, dates, tokens)

    def _readings(self, parsed: _Parsed) -> list[Reading]:
        if is_question(parsed.sentence.text):
            return []
        said = plain(parsed.tokens.text)
        found = [
            reading
            for phrasing in self._book.told_by(set(said.split()))
            if not is_hedged(said, phrasing.words)
            for match in phrasing.pattern.finditer(parsed.tokens.text)
            if (reading := _reading(phrasing, match, parsed)) is not None
        ]
        return sorted(found, key=lambda one: (one.place[0], -one.place[1]))

    def _statement(self, heard: _Heard, parsed: _Parsed, reading: Reading) -> Statement | None:
        relation, told = reading.phrasing.relation, reading.told
        declared = self._ontology.relations[relation]
        subject = self._mention(heard, parsed, reading.subject, declared.subjects)
        if subject is None:
            return None
        target = Target(told, value=reading.value, label=LITERAL)
        if reading.object is not None:
            named = self._mention(heard, parsed, reading.object, declared.objects)
            if named is None or named.normalised_name == subject.normalised_name:
                return None
            target = Target(told, item=named.profile_id, label=named.label)
        episode, sentence = heard.episode, parsed.sentence
        times = self._clock.bounds(parsed.dates, episode.reference_time, ends=told == "ends")
        return self._statements.made(
            episode,
            # Said again in one text it is the same: the first words are quoted.
            (relation, subject.profile_id, *_named(target), told, *map(str, times)),
            subject=subject,
            relation=relation,
            target=target,
            text=heard.persons.standing_alone(sentence.text, reading.places(), subject.name),
            number=parsed.number,
            times=times,
            said_at=episode.reference_time,
            quote=(sentence.begin, sentence.begin + len(sentence.text)),
            temporary=reading.phrasing.temporary,
            retracts="asserts",
        )

    def _label(self, name: Name | None, labels: Sequence[str]) -> str | None:
        """Return the label that a place gives a name, None where the name is of another one."""
        if name is not None and name.label is not None:
            return name.label if not labels or name.label in labels else None
        return next((label for label in labels if label not in self._numbered), None)

    def _context(self, episode: Episode, label: str) -> list[str]:
        if label in self._from_records:
            return [TEXT_CONTEXT]
        return self._mentions.context(episode, label)

    def _mention(
        self, heard: _Heard, parsed: _Parsed, word: str, labels: Sequence[str]
    ) -> Mention | None:
        """Return the mention of a name, or of the one that a pronoun stands for, with its label."""
        is_name = word.startswith("<n")
        name = parsed.names[int(word[2:-1])] if is_name else None
        label = self._label(name, labels)
        if label is None:
            return None
        if name is None:
            name = heard.persons.meant(word, label, is_person=self._ontology.is_personal(label))
        if name is None:
            return None
        if is_name:
            heard.persons.call(name, label)
        identifiers = [normalise_identifier(name.identifier, name.text)] if name.identifier else []
        begin, stop = (name.begin, name.stop) if is_name else (0, len(parsed.sentence.text))
        made = self._mentions.made(
            heard.episode,
            ("text", label, name.text),
            name=name.text,
            label=label,
            quote=(parsed.sentence.begin + begin, parsed.sentence.begin + stop),
            identifiers=identifiers,
            context=[] if identifiers else self._context(heard.episode, label),
        )
        return heard.mentions.setdefault(made.mention_id, made)


def _named(target: Target) -> tuple[str, str]:
    return (target.item or "", "" if target.value is None else target.value)


def _sentences(content: str, spans: str | None) -> Iterator[Sentence]:
    for begin, end in own_parts(content, spans):
        yield from sentences(content, begin, end)


def _reading(phrasing: Phrasing, match: re.Match[str], parsed: _Parsed) -> Reading | None:
    groups, text = match.groupdict(), parsed.tokens.text
    told = None
    if not _is_left_open(phrasing, match, parsed):
        after = plain(text[match.end() :])
        told = told_as(plain(match[0]), after, ends=phrasing.ends, own_words=phrasing.words)
    value = _value(match, parsed) if groups.get("value") else phrasing.value
    is_such = phrasing.values is None or value is None or phrasing.values.fullmatch(value)
    if told is None or not is_such or (value is None and not groups.get("object")):
        return None
    return Reading(phrasing, groups["subject"], groups.get("object"), value, told, match.span())


def _is_left_open(phrasing: Phrasing, match: re.Match[str], parsed: _Parsed) -> bool:
    """Tell whether the words around a match, or its own, make it a promise or not so."""
    said, text = plain(match[0]), parsed.tokens.text
    if is_denied(plain(text[: match.start()]), said, has_comma=phrasing.has_comma):
        return True
    ends_with_value = bool(match.groupdict().get("value")) and match.end() == match.end("value")
    if (ends_with_value or said.endswith(">")) and _is_of_something(plain(text[match.end() :])):
        return True
    return is_promised(said) and not parsed.dates


def _value(match: re.Match[str], parsed: _Parsed) -> str | None:
    tokens = parsed.tokens
    if plain(tokens.text[: match.start("value")]).endswith(_NOT_IT):
        return None
    begin, stop = tokens.original(*match.span("value"))
    return parsed.sentence.text[begin:stop].strip()


def _is_of_something(after: str) -> bool:
    """Tell by what follows whether a name or a value goes on, so that another thing is meant.

    "Ann handles Acme" is not told by "Ann handles Acme's invoice" or "Ann handles Acme invoices",
    nor "Ann reports to Ben" by "Ann reports to Ben that it works".
    """
    word = next(iter(after.split(maxsplit=1)), "")
    return word in _OF or (word[:1].isalpha() and word not in _MAY_FOLLOW)

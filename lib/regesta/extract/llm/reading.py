"""How episodes are read with a model: what is asked about each, as pure functions of its state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow as pa

from regesta import model
from regesta.extract.llm.answers import schema
from regesta.extract.llm.grounding import Words
from regesta.extract.llm.prompts import Shown, Vocabulary, rendered
from regesta.extract.llm.waves import PROFILES, Told, Wave
from regesta.extract.rows import Episode
from regesta.llm.prompts import Prompted, Requests, compiled, form_of
from regesta.llm.requests import Message, Request
from regesta.llm.sending import Step
from regesta.ontology import Ontology
from regesta.sources.declaration import Source
from regesta.spans import own_words

WORDS_COLUMNS: Final = (*Episode._fields, "kind", "author", "spans")
STATE_COLUMNS: Final = (*WORDS_COLUMNS, "earlier", "told", "why")
"""An episode; author, content and spans of the messages before it, and what was read out of it so
far, as JSON; why it can't be read."""

EARLIER_MESSAGES: Final = 4
"""Messages of the thread that a request shows as context (the paper's n)."""

_NUMBERS: Final = frozenset({"position", "authority", "reference_time", "known_at"})
STATE: Final = pa.schema(
    [(name, model.NUMBER if name in _NUMBERS else model.TEXT) for name in STATE_COLUMNS]
)


@dataclass(frozen=True)
class ModelReading(Prompted):
    """A language model and the prompts, by name, that episodes are read with."""

    @property
    def extractor(self) -> str:
        """The name under which rows say who made them."""
        settings = self.language_model.settings
        return f"model/{settings.profile}/{settings.name}"

    @property
    def waves(self) -> tuple[Wave, ...]:
        """What is asked, in this order."""
        return PROFILES[self.language_model.settings.profile]


class State(NamedTuple):
    """An episode and how far it is read: a row of STATE_COLUMNS."""

    words: Words
    told: Told
    why: str | None


def as_state(row: Sequence[Any]) -> State:
    """Return the state in a row of STATE_COLUMNS."""
    size = len(Episode._fields)
    kind, author, spans, earlier, told, why = row[size:]
    shown = tuple(
        (each.get("author") or "unknown", own_words(each["content"], each.get("spans")))
        for each in json.loads(earlier or "[]")
    )
    words = Words(Episode._make(row[:size]), kind, author, spans, shown)
    return State(words, Told.model_validate_json(told) if told else Told(), why)


def vocabulary_of(ontology: Ontology, sources: Sequence[Source]) -> Vocabulary:
    """Return the words that prompts offer: the ontology's and those of the sources' mappings."""
    declared = [source.entities for source in sources]
    declared += [part.entities for source in sources for part in source.for_each]
    return Vocabulary.of(ontology, [one.label for each in declared for one in each.values()])


def step_of(wave: Wave, vocabulary: Vocabulary) -> Step:
    """Return what the requests of a wave share."""
    form = schema(wave.form, vocabulary.labels)
    return Step(wave.name, form, form_of(form), wave.check)


class Asking:
    """Makes the requests of a wave."""

    def __init__(
        self, reading: ModelReading, wave: Wave, vocabulary: Vocabulary, salt: str
    ) -> None:
        self._requests = Requests(reading.language_model, wave.name, salt)
        self._wave = wave
        self._vocabulary = vocabulary
        prefix = f"{wave.name}/"
        self._prompts = {
            name.removeprefix(prefix): compiled(text)
            for name, text in reading.prompts.items()
            if name.startswith(prefix)
        }

    def messages(self, state: State) -> list[Message]:
        """Return what is sent about an episode."""
        words, told = state.words, state.told.filling
        episode = words.episode
        shown = Shown(words.shown, words.author, episode.reference_time, words.earlier, told)
        return rendered(self._prompts[words.kind], self._vocabulary, shown)

    def request(self, state: State) -> Request | None:
        """Return the request about an episode, if anything is left to ask."""
        words = state.words
        asks = words.shown.strip() and state.why is None and self._wave.wanted(state.told)
        if not asks:
            return None
        episode = words.episode
        return self._requests.of(
            episode.episode_id, episode.group_id, self._prompts[words.kind], self.messages(state)
        )

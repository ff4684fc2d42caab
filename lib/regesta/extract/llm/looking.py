"""What a model would be asked, and what that would cost, before anything is sent."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.errors import ConfigurationError, InputError
from regesta.extract.llm.reading import (
    STATE_COLUMNS,
    Asking,
    ModelReading,
    State,
    as_state,
    vocabulary_of,
)
from regesta.extract.llm.step import is_read_by_model, requests_of, unread, words_of
from regesta.extract.llm.waves import Wave, always
from regesta.llm.ledger import experience, remaining, settled_now
from regesta.llm.requests import ANSWERED, Message
from regesta.sources.declaration import Source

_ASSUMED_COMPLETION: Final = 200
"""Tokens of an answer, where this model has given none yet: about two facts."""


@dataclass(frozen=True)
class Estimate:
    """What a step would send of a batch's episodes, and use.

    `cached` requests are answered by the ledger or were in this batch. Money is None without a
    price; `batch_money` is that of the offline endpoint. `basis` says what the tokens rest on.
    """

    step: str
    model: str
    episodes: int
    requests: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    batch_money: float | None
    basis: str


def estimate(
    context: StepContext, reading: ModelReading, sources: Sequence[Source]
) -> list[Estimate]:
    """Return what the new episodes of a batch would use, step by step.

    Of the first step tokens are those of the very requests, less those answered. Later ones ask
    about what the first ones find: they count a request for each episode that they have not asked
    about yet, with a prompt that lists nothing. How the endpoint counts tokens, and how long its
    answers are, is known from what it answered before.
    """
    new = words_of(context.new("episodes").where(F.col("removed").isNull()))
    states = unread(context, reading, new.where(is_read_by_model(sources)))
    vocabulary = vocabulary_of(context.ontology, sources)
    found = []
    for number, wave in enumerate(reading.waves):
        every = dataclasses.replace(wave, wanted=always)
        made = requests_of(reading, every, vocabulary, context.salt, states)
        requests = context.stage("llm", f"estimate-{wave.name}", made)
        asked = _left(context, reading, wave, requests, is_first=number == 0)
        found.append(_estimated(context, reading, wave, asked))
    return found


class _Asked(NamedTuple):
    """Episodes and distinct requests of a wave, those left to send, and their estimated tokens."""

    episodes: int
    requests: int
    left: int
    tokens: float


def _left(
    context: StepContext, reading: ModelReading, wave: Wave, requests: DataFrame, *, is_first: bool
) -> _Asked:
    totals = (F.count(F.lit(1)), F.countDistinct("request_key"), F.sum("tokens"))
    all_of_them = requests.agg(*totals).first()
    assert all_of_them is not None
    episodes, distinct, tokens = all_of_them[0], all_of_them[1], all_of_them[2] or 0
    language_model = reading.language_model
    if is_first:
        row = remaining(context, language_model, wave.name, requests).agg(*totals).first()
        assert row is not None
        return _Asked(episodes, distinct, row[0], row[2] or 0)
    left = max(0, distinct - settled_now(context, language_model, wave.name))
    return _Asked(episodes, distinct, left, tokens * left / distinct if distinct else 0)


def _estimated(context: StepContext, reading: ModelReading, wave: Wave, asked: _Asked) -> Estimate:
    ratio, completion, basis = _experience(context, reading, wave)
    prompt_tokens, completion_tokens = round(asked.tokens * ratio), round(asked.left * completion)
    price = reading.language_model.price
    money = None if price is None else price.per_token().of(prompt_tokens, completion_tokens)
    return Estimate(
        step=wave.name,
        model=reading.language_model.settings.name,
        episodes=asked.episodes,
        requests=asked.left,
        cached=asked.requests - asked.left,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        money=money,
        batch_money=None if price is None or money is None else money * price.batch,
        basis=basis,
    )


def _experience(
    context: StepContext, reading: ModelReading, wave: Wave
) -> tuple[float, float, str]:
    """Return real tokens per estimated one, tokens of an answer, and what this rests on."""
    once = (F.col("status") == ANSWERED) & (F.col("sendings") == 1)
    known = experience(context, reading.language_model, wave.name).where(once)
    row = known.agg(
        F.count(F.lit(1)),
        F.sum("prompt_tokens") / F.sum("estimated_tokens"),
        F.avg("completion_tokens"),
    ).first()
    if row is None or not row[0] or not row[1]:
        return 1.0, _ASSUMED_COMPLETION, "a tokenizer, answers assumed"
    return row[1], row[2], f"{row[0]:,} answers of this model"


def messages_about(
    context: StepContext,
    reading: ModelReading,
    sources: Sequence[Source],
    step: str,
    episode_id: str,
) -> list[Message]:
    """Return what a step would send about an episode of the warehouse.

    Raises:
        ConfigurationError: the profile has no such step.
        InputError: there is no such episode, or an earlier step has no answer about it yet.
    """
    names = [wave.name for wave in reading.waves]
    if step not in names:
        profile = reading.language_model.settings.profile
        raise ConfigurationError(
            f"The profile {profile} has no step {step}: expected one of {', '.join(names)}."
        )
    vocabulary = vocabulary_of(context.ontology, sources)
    state = _state(context, reading, episode_id)
    for wave in reading.waves[: names.index(step)]:
        state = _answered(context, Asking(reading, wave, vocabulary, context.salt), wave, state)
    wave = reading.waves[names.index(step)]
    return Asking(reading, wave, vocabulary, context.salt).messages(state)


def _state(context: StepContext, reading: ModelReading, episode_id: str) -> State:
    episodes = context.warehouse.current("episodes").where(F.col("episode_id") == episode_id)
    row = unread(context, reading, words_of(episodes)).first()
    if row is None:
        raise InputError(
            f"There is no episode {episode_id}: take an id from `regesta search --scope episodes "
            "--json`."
        )
    return as_state([row[name] for name in STATE_COLUMNS])


def _answered(context: StepContext, asking: Asking, wave: Wave, state: State) -> State:
    request = asking.request(state)
    if request is None:
        return state
    ledger = context.warehouse.current("llm_responses")
    asked = (F.col("request_key") == request.request_key) & (F.col("status") == ANSWERED)
    row = ledger.where(asked).select("response").first()
    if row is None:
        raise InputError(
            f"What the next steps would send depends on the answer to {wave.name}, which the "
            "ledger does not hold: run `regesta nightly` first."
        )
    return state._replace(told=wave.merged(state.told, wave.check(row["response"])))

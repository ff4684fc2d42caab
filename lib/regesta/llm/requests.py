"""Requests to a model, keyed by their content, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypedDict

from regesta.ids import digest
from regesta.llm.settings import LanguageModelSettings

Status = Literal["answered", "refused", "truncated", "invalid", "failed"]
ANSWERED: Final = "answered"
SETTLED: Final[tuple[Status, ...]] = ("answered", "refused", "truncated", "invalid")
"""What sending again within a batch would not change; `failed` is the endpoint's own trouble."""


class Message(TypedDict):
    """One turn of the conversation that a request is."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(NamedTuple):
    """A row of the requests of a step; `messages` is JSON, `tokens` their estimated number.

    `about` is the id of what is asked about: an episode, or whatever else a step tells of.
    """

    request_key: str
    about: str
    group_id: str
    prompt_version: str
    messages: str
    tokens: int


class Answer(NamedTuple):
    """What one request came to: a row of `llm_responses` without what a whole step shares.

    Tokens are those of all sendings together; `sendings` counts these.
    """

    request_key: str
    about: str
    group_id: str
    prompt_version: str
    model: str
    status: Status
    response: str | None
    reason: str | None
    estimated_tokens: int
    prompt_tokens: int
    completion_tokens: int
    sendings: int
    cost: float | None


def request_key(
    salt: str,
    step: str,
    prompt_version: str,
    messages: Sequence[Message],
    settings: LanguageModelSettings,
) -> str:
    """Return the key of a request: equal where step, prompt, model, parameters and text are."""
    return digest(
        salt, "request", step, prompt_version, settings.parameters, messages_text(messages)
    )


def messages_text(messages: Sequence[Message]) -> str:
    """Return messages as JSON, always the same for the same."""
    return json.dumps(messages, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

"""What one sending can come to: a reply, a refusal, or trouble that may pass."""

from __future__ import annotations

from typing import NamedTuple

from regesta.llm.allowance import Usage


class Reply(NamedTuple):
    """What the model wrote; `is_whole` is False where it was cut off."""

    text: str
    is_whole: bool
    used: Usage


class Refusal(NamedTuple):
    """The endpoint or the model will not answer this request, whenever it is sent."""

    reason: str
    used: Usage


class Trouble(NamedTuple):
    """The endpoint failed; `retry_after` is in seconds, `fatal` where no request would be answered.

    `form_refused`: the endpoint does not offer the structure that was asked for.
    """

    reason: str
    overloaded: bool = False
    retry_after: float = 0.0
    fatal: bool = False
    form_refused: bool = False

"""Many requests of one task in flight at once: paced, retried, checked, and kept as they come."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from regesta.llm.allowance import Prices, Usage
from regesta.llm.gate import Gate
from regesta.llm.outcomes import Refusal, Reply, Trouble
from regesta.llm.requests import Answer, Message, Request, Status, messages_text
from regesta.llm.settings import LanguageModelSettings
from regesta.llm.spool import Spool

if TYPE_CHECKING:
    from regesta.llm.client import Client  # which imports `openai`

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_KEEP_AFTER_SECONDS: Final = 1.0
_PATIENCE_WHEN_TOLD: Final = 10
_CHECKS: Final = 2
"""How often an answer is asked for: once, and once more with what was wrong with it."""


class AnswerError(ValueError):
    """An answer that is not in the form that was asked for; the message says what is wrong."""


@dataclass(frozen=True)
class Step:
    """What the requests of one step share.

    `check` raises AnswerError for an answer that can't be used; `form` is what is added to the
    first message where the endpoint enforces no schema.
    """

    name: str
    schema: Mapping[str, Any]
    form: str
    check: Callable[[str], object]


@dataclass
class _Course:
    """What the sendings of one request have come to so far."""

    request: Request
    model: str
    prices: Prices | None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    sendings: int = 0

    def add(self, used: Usage) -> None:
        """Count the tokens of one sending."""
        self.prompt_tokens += used.prompt_tokens
        self.completion_tokens += used.completion_tokens

    def ended(self, status: Status, reason: str | None, response: str | None = None) -> Answer:
        """Return what the request came to, with all that its sendings used."""
        return Answer(
            request_key=self.request.request_key,
            about=self.request.about,
            group_id=self.request.group_id,
            prompt_version=self.request.prompt_version,
            model=self.model,
            status=status,
            response=response,
            reason=reason,
            estimated_tokens=self.request.tokens,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            sendings=self.sendings,
            cost=None
            if self.prices is None
            else self.prices.of(self.prompt_tokens, self.completion_tokens),
        )


@dataclass
class _Tries:
    """How often a request has met trouble; being told to wait wears patience down more slowly."""

    allowed: int
    failed: int = 0
    overloaded: int = 0

    def count(self, trouble: Trouble) -> None:
        """Count one trouble met."""
        if trouble.overloaded:
            self.overloaded += 1
        elif not trouble.form_refused:  # at most once for each form
            self.failed += 1

    @property
    def exhausted(self) -> bool:
        """Whether the request is given up."""
        return self.failed >= self.allowed or self.overloaded >= self.allowed * _PATIENCE_WHEN_TOLD


@dataclass
class Sender:
    """Sends the requests of one task and keeps what they come to."""

    step: Step
    settings: LanguageModelSettings
    client: Client
    gate: Gate
    spool: Spool
    prices: Prices | None = None
    _unkept: list[dict[str, Any]] = field(default_factory=list, init=False)
    _kept_at: float = field(default_factory=time.monotonic, init=False)

    async def send_all(self, requests: Iterable[Request]) -> int:
        """Send what the gate lets through; return how many requests were taken up.

        Not more than twice `in_flight` requests are under way or answered and not yet kept.
        """
        try:
            return await self._send_slices(requests)
        finally:
            self._keep()  # what was answered is paid for, whatever went wrong

    async def _send_slices(self, requests: Iterable[Request]) -> int:
        running: set[asyncio.Task[None]] = set()
        taken = 0
        for few in _slices(iter(requests), self.settings.in_flight):
            if self.gate.stopped:
                break
            self.spool.take(request.request_key for request in few)
            taken += len(few)
            for request in few:
                while running and len(running) >= self._allowed():
                    running = await self._some_end(running)
                running.add(asyncio.create_task(self._follow(request)))
        while running:
            running = await self._some_end(running)
        return taken

    def _allowed(self) -> int:
        return max(1, round(self.settings.in_flight * self.gate.share))

    async def _some_end(self, running: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
        ended, running = await asyncio.wait(
            running, return_when=asyncio.FIRST_COMPLETED, timeout=_KEEP_AFTER_SECONDS
        )
        for each in ended:
            each.result()
        late = time.monotonic() - self._kept_at > _KEEP_AFTER_SECONDS
        if late or len(self._unkept) >= self.settings.in_flight:
            self._keep()
        return running

    def _keep(self) -> None:
        if self._unkept:
            self.spool.keep(self._unkept)
        self._unkept, self._kept_at = [], time.monotonic()

    async def _follow(self, request: Request) -> None:
        answer = await self._answer(request)
        if answer is not None:
            self._unkept.append(answer._asdict())

    async def _answer(self, request: Request) -> Answer | None:
        course = _Course(request, self.settings.name, self.prices)
        messages: list[Message] = json.loads(request.messages)
        most = self.settings.max_output_tokens
        status: Status = "invalid"
        reason, text = "", None
        for _ in range(_CHECKS):
            reply = await self._reply(course, messages, most)
            if reply is None:
                return None
            if isinstance(reply, Refusal):
                return course.ended("refused", reply.reason)
            if isinstance(reply, Trouble):
                return course.ended("failed", reply.reason)
            text = reply.text
            if not reply.is_whole:
                status, reason, most = "truncated", f"cut off after {most} tokens", most * 2
                continue
            try:
                self.step.check(text)
            except AnswerError as error:
                status, reason = "invalid", str(error)
                messages = [*messages, *_objection(text, reason)]
                continue
            return course.ended("answered", None, text)
        return course.ended(status, reason, text)

    async def _reply(
        self, course: _Course, messages: list[Message], most: int
    ) -> Reply | Refusal | Trouble | None:
        """Send until there is a reply; Trouble when given up, None when nothing may be sent."""
        tries = _Tries(self.settings.attempts)
        while True:
            reply = await self._send(course, messages, most, tries)
            if not isinstance(reply, Trouble):
                return reply
            if reply.fatal:
                await self.gate.stop(f"the endpoint refuses: {reply.reason}")
                return None
            if tries.exhausted:
                return reply
            if not reply.overloaded and not reply.form_refused:
                await asyncio.sleep(_pause(tries.failed))

    async def _send(
        self, course: _Course, messages: list[Message], most: int, tries: _Tries
    ) -> Reply | Refusal | Trouble | None:
        sent = self._formed(messages)
        bound = Usage(len(messages_text(sent).encode()), most)
        granted_at = await self.gate.permit(bound, course.request.tokens)
        if granted_at is None:
            return None
        course.sendings += 1
        reply = await self.client.send(sent, most)
        used = Usage(0, 0) if isinstance(reply, Trouble) else reply.used
        course.add(used)
        trouble = reply if isinstance(reply, Trouble) else None
        pause = 0.0
        if trouble:
            tries.count(trouble)
            if trouble.overloaded:
                pause = trouble.retry_after or _pause(tries.overloaded)
        await self.gate.settle(
            most=bound,
            expected=course.request.tokens,
            used=used,
            answered=trouble is None,
            given_up=trouble is not None and tries.exhausted,
            overloaded_since=granted_at if trouble and trouble.overloaded else None,
            retry_after=pause,
        )
        return reply

    def _formed(self, messages: list[Message]) -> list[Message]:
        if self.client.structure == "schema":
            return messages
        first = Message(
            role=messages[0]["role"], content=f"{messages[0]['content']}\n\n{self.step.form}"
        )
        return [first, *messages[1:]]


def _objection(text: str, reason: str) -> list[Message]:
    return [
        Message(role="assistant", content=text),
        Message(
            role="user",
            content=f"That can't be used: {reason}\nWrite the whole answer again, as JSON alone.",
        ),
    ]


def _pause(attempt: int) -> float:
    """Full jitter over a doubling pause, so that many tasks don't come back at once."""
    return random.uniform(0.5, 1.0) * min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt)


def _slices(requests: Iterator[Request], size: int) -> Iterator[list[Request]]:
    while few := list(islice(requests, size)):
        yield few

"""How much may be sent, and when: one allowance for all that send. Pure; time is an argument.

Requests and tokens are paced evenly (the generic cell rate algorithm, ITU-T I.371, without a burst
beyond a second's worth). When the endpoint says that it is overloaded, all pause as long as it asks
and the share of the limits that is used halves; it grows back with what is answered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

SMALLEST_SHARE: Final = 1 / 64
_REGROWTH: Final = 1 / 64
"""What one answer gives back of the share: about 32 answers after a halving it is whole again."""
_BURST_SECONDS: Final = 1.0
FAILURES_IN_A_ROW: Final = 10
"""Requests that failed for good, with no answer between, after which the endpoint counts as down;
more where so many may fail (`LanguageModelSettings.largest_failed_share`)."""


class Prices(NamedTuple):
    """Money per token."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what so many tokens cost."""
        return self.prompt * prompt_tokens + self.completion * completion_tokens


FREE: Final = Prices(0.0, 0.0)


class Limits(NamedTuple):
    """What all tasks together may use; None is without a limit. Money is in the prices' unit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_money: float | None = None
    budget_tokens: int | None = None


class Usage(NamedTuple):
    """Tokens that a sending used, or can use at most."""

    prompt_tokens: int
    completion_tokens: int


class Permit(NamedTuple):
    """Whether a request may be sent, after how many seconds, and how much of the limits is used.

    `granted_at` goes back with the outcome. Not granted: ask again after `wait`, unless `stop` says
    why nothing more is sent.
    """

    granted: bool
    wait: float
    share: float
    granted_at: float
    stop: str | None = None


@dataclass
class Allowance:
    """Who asks `permit` before each sending and tells `settle` after it stays within the limits."""

    limits: Limits
    prices: Prices = FREE
    failures_in_a_row: int = FAILURES_IN_A_ROW
    share: float = 1.0
    stopped: str | None = None
    out_of_budget: bool = False
    sendings: int = 0
    answers: int = 0
    given_up: int = 0
    tokens: int = 0
    money: float = 0.0
    _held: Usage = field(default=Usage(0, 0))
    _next_request: float = 0.0
    _next_token: float = 0.0
    _paused_until: float = 0.0
    _halved_at: float = -1.0
    _failures: int = 0

    def permit(self, now: float, most: Usage, expected: int) -> Permit:
        """Return whether and when a request may be sent that uses `most` tokens at most.

        The pace is set by the tokens `expected`, and put right when it is told what was used.
        """
        if self.stopped is None and not self._fits(most):
            if self._held != Usage(0, 0):
                return Permit(False, 0.2, self.share, now)  # what is under way may cost less
            self.out_of_budget = True
            self.stopped = "the budget is used up"
        if self.stopped is not None:
            return Permit(False, 0.0, self.share, now, self.stopped)
        self._hold(most, 1)
        at = max(now, self._paused_until, self._paced(now, expected))
        self.sendings += 1
        return Permit(True, at - now, self.share, at)

    def settle(
        self,
        now: float,
        most: Usage,
        expected: int,
        used: Usage,
        *,
        answered: bool,
        given_up: bool = False,
        overloaded_since: float | None = None,
        retry_after: float = 0.0,
    ) -> None:
        """Count what a sending used; `overloaded_since` is the `granted_at` of one refused so."""
        self._hold(most, -1)
        self._next_token += self._seconds(sum(used) - expected)
        self.tokens += sum(used)
        self.money += self.prices.of(*used)
        if answered:
            self.answers += 1
            self._failures = 0
            self.share = min(1.0, self.share + _REGROWTH)
        if given_up:
            self.given_up += 1
            self._failures += 1
            if self._failures >= self.failures_in_a_row:
                self.stop(f"the endpoint failed {self._failures} requests in a row")
        if overloaded_since is not None:
            self._overloaded(now, overloaded_since, retry_after)

    def stop(self, reason: str) -> None:
        """Let nothing more be sent; the first reason stays."""
        self.stopped = self.stopped or reason

    def _overloaded(self, now: float, granted_at: float, retry_after: float) -> None:
        self._paused_until = max(self._paused_until, now + retry_after)
        if granted_at <= self._halved_at:
            return  # sent before the last halving: the same storm
        self._halved_at = now
        self.share = max(SMALLEST_SHARE, self.share / 2)

    def _paced(self, now: float, tokens: int) -> float:
        at = now
        if per_minute := self.limits.requests_per_minute:
            at = max(at, self._next_request - _BURST_SECONDS)
            self._next_request = max(self._next_request, now) + 60 / (per_minute * self.share)
        if self.limits.tokens_per_minute:
            at = max(at, self._next_token - _BURST_SECONDS)
            self._next_token = max(self._next_token, now) + self._seconds(tokens)
        return at

    def _seconds(self, tokens: int) -> float:
        per_minute = self.limits.tokens_per_minute
        return 60 * tokens / (per_minute * self.share) if per_minute else 0.0

    def _fits(self, most: Usage) -> bool:
        prompt, completion = (a + b for a, b in zip(self._held, most, strict=True))
        money, tokens = self.limits.budget_money, self.limits.budget_tokens
        return (money is None or self.money + self.prices.of(prompt, completion) <= money) and (
            tokens is None or self.tokens + prompt + completion <= tokens
        )

    def _hold(self, most: Usage, sign: int) -> None:
        self._held = Usage(*(a + sign * b for a, b in zip(self._held, most, strict=True)))

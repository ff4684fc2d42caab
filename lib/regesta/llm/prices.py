"""What a model's tokens cost (conf/prices.yaml), and how much may be spent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from regesta.errors import ConfigurationError
from regesta.llm.allowance import Limits, Prices
from regesta.llm.settings import LanguageModelSettings

_TOKENS = re.compile(r"(\d+)([kM]?) ?tokens")
_FACTORS = {"": 1, "k": 1_000, "M": 1_000_000}


class Price(BaseModel):
    """Money per million tokens; `batch` is what the offline endpoint asks of it, as a share."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    batch: float = Field(default=0.5, ge=0, le=1)

    def per_token(self) -> Prices:
        """Return the price of single tokens."""
        return Prices(self.prompt / 1e6, self.completion / 1e6)


@dataclass
class Budget:
    """The most that one command may use, over all its steps; None is without a limit.

    `spend` tells it what was used, and less is left.
    """

    money: float | None = None
    tokens: int | None = None

    def spend(self, money: float, tokens: int) -> None:
        """Count what a step has used."""
        if self.money is not None:
            self.money -= money
        if self.tokens is not None:
            self.tokens -= tokens

    @classmethod
    def told(cls, text: str) -> Budget:
        """Read a budget: "12.50" in the prices' unit, or "200k tokens".

        Raises:
            ConfigurationError: it is neither.
        """
        if found := _TOKENS.fullmatch(text.strip()):
            return cls(tokens=int(found[1]) * _FACTORS[found[2]])
        try:
            return cls(money=float(text))
        except ValueError as error:
            raise ConfigurationError(
                f"--budget: expected money like 12.50 or tokens like '200k tokens', not {text!r}"
            ) from error


WITHOUT_LIMIT: Final = Budget()


@dataclass(frozen=True)
class LanguageModel:
    """A model behind an endpoint, what its tokens cost, and how much may be used."""

    settings: LanguageModelSettings
    prices: Mapping[str, Price] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)

    @property
    def price(self) -> Price | None:
        """The model's price, where the price file knows it."""
        return self.prices.get(self.settings.name)

    def limits(self) -> Limits:
        """Return what all tasks together may use.

        Raises:
            ConfigurationError: a budget in money for a model without a price.
        """
        if self.budget.money is not None and self.price is None:
            raise ConfigurationError(
                f"--budget: conf/prices.yaml has no price of {self.settings.name}: add one, or "
                "give the budget in tokens."
            )
        return Limits(
            requests_per_minute=self.settings.requests_per_minute,
            tokens_per_minute=self.settings.tokens_per_minute,
            budget_money=self.budget.money,
            budget_tokens=self.budget.tokens,
        )

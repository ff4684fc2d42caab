"""How a language model is reached, and how much of it may be used."""

from __future__ import annotations

import json
import os
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from regesta.errors import ConfigurationError

Structure = Literal["schema", "json", "text"]
Profile = Literal["combined", "paper"]


class LanguageModelSettings(BaseModel):
    """An endpoint that speaks OpenAI's protocol, a model behind it, and limits.

    `key_variable` names the environment variable that holds the key, on the machines that send (on
    a cluster: `spark.executorEnv.NAME`). `structure` is the most that the endpoint offers to keep
    an answer in form; where it refuses that, less is asked for. `in_flight` counts requests per
    task, the limits per minute are of all tasks together. `attempts` is how often a request is sent
    before an endpoint that fails is given up on, `largest_failed_share` the share of requests
    without an answer above which a batch stops instead of setting them aside.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    base_url: str
    name: str
    key_variable: str | None = None
    profile: Profile = "combined"
    structure: Structure = "schema"
    temperature: float = Field(default=0.0, ge=0)
    max_output_tokens: int = Field(default=2048, ge=1)
    timeout_seconds: float = Field(default=120, gt=0)
    in_flight: int = Field(default=16, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    attempts: int = Field(default=6, ge=1)
    largest_failed_share: float = Field(default=0.01, ge=0, le=1)

    @field_validator("base_url")
    @classmethod
    def _holds_no_key(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("expected an address like https://api.openai.com/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError("expected an address without a key; name a variable in key_variable")
        return url

    @property
    def parameters(self) -> str:
        """What answers depend on besides the messages, as JSON."""
        told = self.model_dump(include={"name", "temperature", "max_output_tokens"})
        return json.dumps(told, sort_keys=True)

    def key(self) -> str:
        """Return the key from the environment; endpoints without one are sent a word.

        Raises:
            ConfigurationError: the variable is not set.
        """
        if self.key_variable is None:
            return "none"
        if not (key := os.environ.get(self.key_variable)):
            raise ConfigurationError(
                f"language_model.key_variable: {self.key_variable} is not set in the environment; "
                "set it to the endpoint's key (on a cluster also spark.executorEnv."
                f"{self.key_variable}), or remove language_model from base.yaml."
            )
        return key

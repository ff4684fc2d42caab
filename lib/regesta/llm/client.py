"""One sending to an endpoint, through the `openai` client.

The key stands in no text that leaves this module.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import openai
from openai import AsyncOpenAI

from regesta.llm.allowance import Usage
from regesta.llm.outcomes import Refusal, Reply, Trouble
from regesta.llm.requests import Message
from regesta.llm.settings import LanguageModelSettings, Structure

_WEAKER: Final[Mapping[Structure, Structure]] = {"schema": "json", "json": "text"}
_ABOUT_FORM: Final = ("response_format", "json_schema", "json_object", "structured output")
_OVERLOADED: Final = frozenset({429, 503, 529})
_PASSING: Final = frozenset({408, 409, 425, 429})
_LONGEST_RETRY_AFTER: Final = 300.0


class Client:
    """Sends messages to one endpoint, with as much structure as that offers."""

    def __init__(self, settings: LanguageModelSettings, schema: Mapping[str, Any]) -> None:
        self._settings = settings
        self._schema = schema
        self._key = settings.key()
        self.structure: Structure = settings.structure
        self._client = AsyncOpenAI(
            api_key=self._key,
            base_url=settings.base_url,
            timeout=settings.timeout_seconds,
            max_retries=0,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def send(
        self, messages: Sequence[Message], max_output_tokens: int
    ) -> Reply | Refusal | Trouble:
        """Send once and tell what came of it; nothing of the endpoint's doing is raised."""
        structure = self.structure
        try:
            completion = await self._client.chat.completions.create(
                model=self._settings.name,
                messages=list(messages),  # type: ignore[arg-type]
                max_tokens=max_output_tokens,
                temperature=self._settings.temperature,
                **self._form(structure),
            )
        except openai.APITimeoutError:
            return Trouble(f"no answer within {self._settings.timeout_seconds:g} s")
        except openai.APIStatusError as error:
            return self._status(error, structure)
        except (openai.APIConnectionError, openai.APIResponseValidationError) as error:
            cause = error.__cause__ or error
            return Trouble(self._told(f"{type(cause).__name__}: {cause}"))
        except ValueError as error:  # an answer that is no JSON
            return Trouble(self._told(f"unreadable answer: {error}"))
        return self._read(completion)

    def _form(self, structure: Structure) -> dict[str, Any]:
        if structure == "text":
            return {}
        if structure == "json":
            return {"response_format": {"type": "json_object"}}
        described = {"name": "answer", "strict": True, "schema": self._schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}

    def _read(self, completion: Any) -> Reply | Refusal | Trouble:
        told = getattr(completion, "usage", None)
        used = Usage(told.prompt_tokens, told.completion_tokens) if told else Usage(0, 0)
        choices = getattr(completion, "choices", None)
        if not choices:
            return Trouble("an answer without choices")
        choice = choices[0]
        if choice.finish_reason == "content_filter":
            return Refusal("content_filter", used)
        if refusal := getattr(choice.message, "refusal", None):
            return Refusal(self._told(f"the model declined: {refusal}"), used)
        return Reply(choice.message.content or "", choice.finish_reason != "length", used)

    def _status(self, error: openai.APIStatusError, structure: Structure) -> Refusal | Trouble:
        status = error.status_code
        reason = self._told(f"{status}: {error.message}")
        if status in (401, 403, 404) or error.code == "insufficient_quota":
            # What such answers say may hold part of the key.
            return Trouble(f"{status} {error.code or type(error).__name__}", fatal=True)
        if status in _PASSING or status >= 500:
            return Trouble(
                reason, overloaded=status in _OVERLOADED, retry_after=_retry_after(error)
            )
        if structure != "text" and any(word in error.message for word in _ABOUT_FORM):
            if self.structure == structure:
                self.structure = _WEAKER[structure]
            return Trouble(reason, form_refused=True)
        return Refusal(reason, Usage(0, 0))

    def _told(self, text: str) -> str:
        return text.replace(self._key, "***")[:500]


def _retry_after(error: openai.APIStatusError) -> float:
    told = error.response.headers.get("retry-after", "")
    try:
        seconds = float(told)
    except ValueError:
        moment = email.utils.parsedate_tz(told)
        seconds = email.utils.mktime_tz(moment) - time.time() if moment else 0.0
    return min(max(seconds, 0.0), _LONGEST_RETRY_AFTER)

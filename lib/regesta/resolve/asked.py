"""What a language model is asked about pairs of profiles, and the form of its answer. Pure."""

from __future__ import annotations

from typing import Final, Literal

from regesta.llm.forms import Form
from regesta.llm.prompts import Shipped

PAIR: Final = "adjudication/pair"
_FILLED: Final = frozenset({"mark", "label", "first", "second"})
PROMPTS: Final = (
    Shipped(PAIR, "regesta.resolve", _FILLED, frozenset({"mark", "first", "second"})),
)


class Adjudicated(Form):
    """The answer to `adjudication`."""

    verdict: Literal["same", "different", "unsure"]
    reason: str

"""What a language model is asked about communities, and the forms of its answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from regesta.llm.forms import Form
from regesta.llm.prompts import Shipped

PART, WHOLE = "community/part", "community/whole"
LONGEST_NAME: Final = 80
_FILLED: Final = frozenset({"mark", "central", "size", "facts"})
PROMPTS: Final = tuple(
    Shipped(name, "regesta.communities", _FILLED, frozenset({"mark", "facts"}))
    for name in (PART, WHOLE)
)


class PartTold(Form):
    """The answer about some of a community's facts."""

    summary: str = Field(min_length=1)


class CommunityTold(Form):
    """The answer about a community."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    summary: str = Field(min_length=1)
    key_terms: tuple[str, ...]


FORMS: Final[Mapping[str, type[Form]]] = {PART: PartTold, WHOLE: CommunityTold}

"""What is compared and how: declared by attribute, never known to the code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["name", "date", "code", "text", "category"]
MOST_LEVELS: Final = 4096
"""Of one factor: joint levels beyond this could not be learned from any real number of pairs."""


class Compared(BaseModel):
    """The compared attributes and their kinds, in the order of their levels.

    Kinds: `name` (of persons or organisations, all parts in one text), `date` (biggest unit first),
    `code` (post codes, numbers, addresses of e-mail: what begins alike is near), `text` (places,
    streets) and `category` (equal or not).

    `together` lists attributes that tell of one and the same thing, as a town and its post code do.
    Their levels are learned jointly, because the model takes all others for independent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    attributes: Mapping[str, Kind] = Field(min_length=1)
    together: tuple[tuple[str, ...], ...] = ()

    @model_validator(mode="after")
    def _is_one_factor_each(self) -> Compared:
        named = [attribute for group in self.together for attribute in group]
        for attribute in named:
            if attribute not in self.attributes:
                raise ValueError(f"together: {attribute} is not among the compared attributes")
            if named.count(attribute) > 1:
                raise ValueError(f"together: {attribute} stands more than once; expected once")
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return tuple(self.attributes)

    @cached_property
    def factors(self) -> tuple[tuple[str, ...], ...]:
        """Groups of attributes of which levels are learned jointly; most are of one attribute."""
        grouped = {attribute for group in self.together for attribute in group}
        return self.together + tuple((one,) for one in self.names if one not in grouped)

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """Return the attributes of these kinds, in order."""
        return tuple(name for name, kind in self.attributes.items() if kind in kinds)

"""Weights of agreement after Fellegi and Sunter (1969): frozen, printable, with a version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from regesta.match import levels
from regesta.match.declaration import Compared
from regesta.match.rarity import Rarity

Levels = npt.NDArray[np.int16]
Codes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
_VERSION_CHARACTERS: Final = 12
_DIGITS: Final = 12


@dataclass(frozen=True)
class Weights:
    """What is compared, how common values are, and what each level adds to the log-odds.

    `matching` and `others`, by factor and code: the share of matching and of other pairs, of those
    with a value, that are at this level. `added`: the weight of each code, a natural logarithm.
    `prior`: log-odds that two profiles drawn at random match.
    """

    compared: Compared
    rarity: Rarity
    prior: float
    matching: tuple[Sequence[float], ...]
    others: tuple[Sequence[float], ...]
    added: tuple[Sequence[float], ...]

    def scores(self, compared_levels: Levels) -> Numbers:
        """Return the log-odds (natural) that pairs match; levels: (pairs, attributes)."""
        total = np.full(len(compared_levels), self.prior)
        for code, added in zip(codes(self.compared, compared_levels), self.added, strict=True):
            total += np.asarray(added)[code]
        return np.round(total, _DIGITS)

    @cached_property
    def version(self) -> str:
        """Digest of all that scores depend on."""
        text = json.dumps(self._content(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_VERSION_CHARACTERS]

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON; `read` takes it back."""
        return {"version": self.version, **self._content()}

    def _content(self) -> dict[str, Any]:
        return {
            "compared": self.compared.model_dump(mode="json"),
            "prior": self.prior,
            "factors": [self._factor(number) for number in range(len(self.compared.factors))],
            "words": self.rarity.words,
            "values": self.rarity.values,
        }

    def _factor(self, number: int) -> dict[str, Any]:
        factor = self.compared.factors[number]
        columns = zip(self.matching[number], self.others[number], self.added[number], strict=True)
        rows = [
            {"level": meaning(self.compared, factor, code), "m": m, "u": u, "weight": weight}
            for code, (m, u, weight) in enumerate(columns)
        ]
        return {"attributes": list(factor), "levels": rows}


def read(document: Mapping[str, Any]) -> Weights:
    """Return the weights of a document; what it says of levels in words is for people only.

    Raises:
        ValueError: the document was changed after its version was written.
    """
    factors = [factor["levels"] for factor in document["factors"]]
    weights = Weights(
        compared=Compared.model_validate(document["compared"]),
        rarity=Rarity(words=document["words"], values=document["values"]),
        prior=document["prior"],
        matching=tuple([level["m"] for level in factor] for factor in factors),
        others=tuple([level["u"] for level in factor] for factor in factors),
        added=tuple([level["weight"] for level in factor] for factor in factors),
    )
    if weights.version != document["version"]:
        raise ValueError(
            f"version {document['version']} is not that of the content ({weights.version}); "
            "restore the weights, or learn them again"
        )
    return weights


def code_count(compared: Compared, factor: Sequence[str]) -> int:
    """Return the number of joint codes of a factor; code 0 says that all of it is missing."""
    sizes = [levels.count(compared.attributes[name]) + 1 for name in factor]
    return int(np.prod(sizes))


def codes(compared: Compared, compared_levels: Levels) -> list[Codes]:
    """Return the joint code of every pair, by factor."""
    found = []
    for factor in compared.factors:
        code: Codes = np.zeros(len(compared_levels), np.int64)
        for name in factor:
            code *= levels.count(compared.attributes[name]) + 1
            code += compared_levels[:, compared.names.index(name)]
        found.append(code)
    return found


def meaning(compared: Compared, factor: Sequence[str], code: int) -> str:
    """Return what a joint code says, in words."""
    told = []
    for name in reversed(factor):
        kind = compared.attributes[name]
        code, level = divmod(code, levels.count(kind) + 1)
        told.append(f"{name}: {levels.meaning(kind, level)}")
    return "; ".join(reversed(told))


def log_odds(share: float) -> float:
    """Return the natural log-odds of a share, rounded as scores are."""
    return round(log(share / (1 - share)), _DIGITS)

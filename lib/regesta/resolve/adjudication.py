"""Pairs that neither rules nor scores decide, put to a language model.

The adjudication of the Zep paper (arXiv 2501.13956, section 2.2.1), which sees only what the pair's
own mentions say. An answer counts as the surest score either way (`matching`): it joins nothing
that is separated, parts nothing that keys join, and yields to a person's word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, as_batch, as_rows
from regesta.context import StepContext
from regesta.ids import digest
from regesta.llm.asking import Question, put
from regesta.llm.forms import read
from regesta.llm.prompts import Prompted
from regesta.resolve import words
from regesta.resolve.asked import PAIR, Adjudicated

STEP: Final = "adjudication"
MOST_MENTIONS: Final = 3
"""Mentions of a profile that are shown, the newest first."""
AROUND: Final = 200
"""Characters of an episode that are shown on either side of the name."""
_VERDICTS: Final[Mapping[str, str]] = {"same": model.SAME, "different": model.NOT_THE_SAME}
_PAIR: Final = ("group_id", "left", "right")
_SAID: Final = pa.schema(
    [(name, pa.string()) for name in ("override_id", *_PAIR, "verdict", "reason", "author")]
)


def adjudicate(context: StepContext, prompted: Prompted, pairs: DataFrame) -> dict[str, Any]:
    """Ask about pairs of profiles (group_id, left, right) and keep the answers as a model's words.

    A pair of which somebody said something is not asked about; one of which the model is not sure
    waits for a person. Returns the counts of asking, see `ledger.ask`, and how many are said.

    Raises:
        ModelError: see `ledger.ask`.
    """
    unsaid = pairs.join(words.heard(context), on=["left", "right"], how="left_anti")
    unsaid = context.stage("adjudication", "pairs", unsaid)
    question = Question(STEP, PAIR, Adjudicated)
    answers, counts = put(context, prompted, question, _described(context, unsaid), _values)
    author = f"model {prompted.language_model.settings.name}"
    say = partial(_said, salt=context.salt, author=author)
    rows = answers.mapInArrow(say, from_arrow_schema(_SAID)).select(
        "*",
        F.lit(model.MODEL).alias("decided_by"),
        context.batch.known_at_column.alias("stated_at"),
        F.lit(context.batch.number).alias("batch"),
    )
    written = context.warehouse.append(
        "identity_overrides",
        context.stage("adjudication", "said", rows),
        batch=context.batch.number,
        purpose=STEP,
    )
    return {"model": {STEP: counts} if counts else {}, "adjudicated": written}


def _described(context: StepContext, pairs: DataFrame) -> DataFrame:
    """Return about (a pair of ids as JSON), group_id, label, left_shown and right_shown."""
    told = _told(context, words.ends(pairs))
    for end in ("left", "right"):
        named = {"profile_id": end, "label": f"{end}_label", "shown": f"{end}_shown"}
        pairs = pairs.join(told.withColumnsRenamed(named), on=end, how="inner")
    about = F.to_json(F.array("left", "right")).alias("about")
    return pairs.select(about, "group_id", "left_label", "left_shown", "right_shown")


def _told(context: StepContext, profiles: DataFrame) -> DataFrame:
    """Return profile_id, label and shown: the newest mentions of profiles, with words around."""
    columns = ("name", "label", "identifiers", "attributes", "reference_time", "content")
    mentions = context.warehouse.current("mentions").join(profiles, "profile_id", "left_semi")
    episodes = context.warehouse.current("episodes").select("episode_id", "content")
    rows = mentions.join(episodes, "episode_id", "left").withColumn(
        "reference_time", F.date_format("reference_time", "yyyy-MM-dd")
    )
    as_json = F.to_json(F.struct(*columns)).alias("mention")
    newest = F.struct("reference_time", "mention_id", as_json)
    found = rows.groupBy("profile_id").agg(
        F.slice(F.sort_array(F.collect_list(newest), asc=False), 1, MOST_MENTIONS).alias("newest"),
        F.max("label").alias("label"),
    )
    listed = F.array_join(F.transform("newest", lambda one: one["mention"]), ",")
    shown = F.concat(F.lit("["), listed, F.lit("]"))
    return found.select("profile_id", "label", shown.alias("shown"))


def _values(label: str | None, first: str, second: str) -> dict[str, str]:
    shown_first, shown_second = (shown(json.loads(each)) for each in (first, second))
    return {"label": label or "thing", "first": shown_first, "second": shown_second}


def shown(mentions: Sequence[Mapping[str, Any]]) -> str:
    """Return what a request shows of a profile: its own values, then words around its name."""
    newest = mentions[0]
    told = [f"name: {newest['name']}"]
    if newest.get("label"):
        told.append(f"kind: {newest['label']}")
    told += [f"identifier: {each}" for each in newest.get("identifiers") or ()]
    told += [f"{key}: {value}" for key, value in sorted((newest.get("attributes") or {}).items())]
    for mention in mentions:
        if mention.get("content"):
            told.append(f"mentioned {mention['reference_time']}: {_around(mention)}")
    return "\n".join(told)


def _around(mention: Mapping[str, Any]) -> str:
    """Return the words of an episode around the name, on one line."""
    content, name = str(mention["content"]), str(mention["name"])
    at = max(content.casefold().find(name.casefold()), 0)
    part = content[max(at - AROUND, 0) : at + len(name) + AROUND]
    return " ".join(part.split())


def _said(batches: Batches, salt: str, author: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield as_batch(list(_words(as_rows([batch]), salt, author)), _SAID)


def _words(
    rows: Iterable[Sequence[Any]], salt: str, author: str
) -> Iterator[tuple[str | None, ...]]:
    for about, group_id, response in rows:
        answer = read(Adjudicated, response)
        if (verdict := _VERDICTS.get(answer.verdict)) is not None:
            pair = (group_id, *json.loads(about))
            override_id = digest(salt, "override", *pair, verdict, author)
            yield (override_id, *pair, verdict, answer.reason, author)

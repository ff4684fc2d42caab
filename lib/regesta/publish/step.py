"""The publish step: the warehouse as the batch left it, as a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta import __version__
from regesta.audit.findings import AuditError
from regesta.audit.tables import audit
from regesta.context import StepContext
from regesta.embed.step import Embeddings
from regesta.ontology import Ontology
from regesta.publish.snapshot import publish as publish_tables
from regesta.publish.snapshot import standing
from regesta.query.manifest import Manifest
from regesta.query.store import Store
from regesta.timeline.ontology import Ontology as Relations

SNAPSHOTS = "snapshots"
_STAMPED = (
    "facts",
    "fact_evidence",
    "entities",
    "entity_redirects",
    "communities",
    "community_members",
    "resolved_verdicts",
)
_ARRIVED = ("episodes", "supersessions")


def publish(
    context: StepContext, embeddings: Embeddings | None, steps: Mapping[str, Any] | None = None
) -> dict[str, int]:
    """Audit the tables as they stand, and publish them; only changed groups are written again.

    `steps` tells the counts of the batch while its row in `batches` is not written.

    Raises:
        AuditError: an audit found something in what the current snapshot lacks.
    """
    warehouse = context.warehouse
    tables = {name: warehouse.current(name) for name in (*_STAMPED, *_ARRIVED)}
    root = f"{warehouse.root}/{SNAPSHOTS}"
    before = standing(Store(root), context.report)
    if before is not None and before.generation != warehouse.generation:
        before = None
    _audit(context, steps, before)
    changed = None if before is None else _changed(tables, before.known_at, before.batch)
    versions = warehouse.versions()
    for name in ("batches", "embeddings"):  # which say nothing that is published
        versions.pop(name, None)
    manifest = publish_tables(
        tables,
        root=root,
        known_at=context.batch.known_at,
        batch=context.batch.number,
        table_versions=versions,
        code_version=__version__,
        generation=warehouse.generation,
        relations=_rivalling(context),
        changed_groups=changed,
        embeddings=embeddings,
        progress=context.report,
    )
    counts = {"rows": sum(manifest.rows.values()), "segments": len(manifest.buckets)}
    return counts if embeddings is None else {**counts, "embedded": embeddings.embedded}


def _audit(context: StepContext, steps: Mapping[str, Any] | None, before: Manifest | None) -> None:
    """Audit what the current snapshot lacks; of a group's first load also what was known before."""
    if before is None:
        found = audit(context, steps)
    elif before.batch < context.batch.number:
        is_next = before.batch == context.batch.number - 1
        all_later = is_next and steps is not None and not steps["ingest"].get("backdated")
        known_since = before.known_at if all_later else None
        found = audit(context, steps, since=before.batch, known_since=known_since)
    else:
        return
    if found:
        raise AuditError(found)


def _rivalling(context: StepContext) -> Relations:
    """Return which facts are rivals; none where the batches had different vocabularies.

    A relation that was declared otherwise leaves facts behind that were no rivals then.
    """
    relations = context.ontology.for_timeline()
    recorded = context.warehouse.current("batches").select(
        F.get_json_object("config", "$.ontology").alias("ontology")
    )
    before = (row["ontology"] for row in recorded.distinct().collect())
    if all(Ontology.model_validate_json(each).for_timeline() == relations for each in before):
        return relations
    context.report("the relations were declared otherwise before: rivals are not looked for")
    return Relations()


def _changed(tables: dict[str, DataFrame], known_at: int, batch: int) -> DataFrame:
    """Groups with a row that began or ended after a snapshot was made."""
    episodes = tables["episodes"]
    superseded = tables["supersessions"].where(F.col("batch") > batch).select("episode_id")
    made = F.timestamp_micros(F.lit(known_at))
    stamped = [
        tables[name].where((F.col("created_at") > made) | (F.col("expired_at") > made))
        for name in _STAMPED
    ]
    parts = [
        *stamped,
        episodes.where(F.col("batch") > batch),
        episodes.join(superseded, on="episode_id", how="left_semi"),
    ]
    return reduce(DataFrame.unionByName, (part.select("group_id") for part in parts)).distinct()

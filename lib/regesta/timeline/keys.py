"""By what the timeline knows statements, as expressions over resolved ones."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from regesta.ids import digest_column
from regesta.timeline.ontology import ENTITY, VALUE, Ontology


def conflict_key(relations: Ontology, salt: str) -> Column:
    """What can conflict, and every end without an object, shares the key.

    Where all conflicts stay with a subject it is group, family and subject; where they travel over
    shared objects it is group and family, and the timeline function takes the components apart.
    """
    family = _renamed("relation", relations.families)
    linked = [n for n, family in relations.families.items() if relations.scope(family) == "linked"]
    subject = F.when(~F.col("relation").isin(linked), F.col("subject_id"))
    return digest_column(salt, "key", F.col("group_id"), family, subject)


def _renamed(column: str, names: Mapping[str, str]) -> Column:
    changed = {name: other for name, other in names.items() if name != other}
    if not changed:
        return F.col(column)
    pairs = [F.lit(text) for pair in changed.items() for text in pair]
    return F.coalesce(F.create_map(*pairs)[F.col(column)], F.col(column))


def target_column() -> Column:
    """Return what the timeline knows an object by; null where a statement names none."""
    return F.coalesce(F.concat(F.lit(ENTITY), "object_id"), F.concat(F.lit(VALUE), "value"))


def fact_id(salt: str) -> Column:
    """Return the id of the fact that a statement speaks of, as `apply` gives it; null: of none."""
    target = target_column()
    names = (F.col("group_id"), F.col("subject_id"), F.col("relation"), target)
    return F.when(target.isNotNull(), digest_column(salt, "fact", *names))

"""Search a published snapshot without a server: no Spark, no pandas, no model.

graph = regesta.open("warehouse/snapshots").group("acme").as_of(valid="2024-03-01")
print(graph.search("who owns the account?").context())
"""

from regesta.query.answers import (
    Community,
    Entity,
    Episode,
    Evidence,
    Explanation,
    Fact,
    Life,
    Reason,
    Verdict,
)
from regesta.query.changes import Change
from regesta.query.communities import CommunityChange
from regesta.query.crossencoder import OpenAICrossEncoder
from regesta.query.errors import QueryError
from regesta.query.filters import Filters
from regesta.query.graph import Graph
from regesta.query.hits import Hit, Hits
from regesta.query.pool import CrossEncoder
from regesta.query.recipes import RECIPES, Recipe, ScopeRecipe, read_recipes
from regesta.query.snapshot import Snapshot
from regesta.query.snapshot import open_snapshot as open  # noqa: A004
from regesta.query.times import show, show_last

__all__ = [
    "RECIPES",
    "Change",
    "Community",
    "CommunityChange",
    "CrossEncoder",
    "Entity",
    "Episode",
    "Evidence",
    "Explanation",
    "Fact",
    "Filters",
    "Graph",
    "Hit",
    "Hits",
    "Life",
    "OpenAICrossEncoder",
    "QueryError",
    "Reason",
    "Recipe",
    "ScopeRecipe",
    "Snapshot",
    "Verdict",
    "open",
    "read_recipes",
    "show",
    "show_last",
]

"""Recipes: which scopes a search asks, by which methods, how their lists become one order.

Every scope has the same ones, `<scope>_<what>`, with scope fact, entity, community or episode:

    fact_bm25, fact_cosine, fact_breadth_first, fact_recent_episodes, fact_page_rank   one method
    fact_hybrid_<reranker>  words, and meaning (cosine) where the snapshot has vectors
    fact_graph_<reranker>   the same, the walk from their best hits, and PageRank
    combined_hybrid_<reranker>, combined_graph_<reranker>   all four scopes
    episode_hybrid_thread   words, meaning, the author and the time that the question names, summed
                            by score; each episode is lent of its neighbours' score in the thread
    community_hybrid_descent, community_graph_descent   of all levels the one that fits best

with reranker rrf, mmr, episode_mentions, node_distance or cross_encoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, get_args

from regesta.errors import ConfigurationError
from regesta.query.errors import unknown
from regesta.query.methods import METHODS, OF_EPISODES
from regesta.query.question import Scope

Fusion = Literal["rrf", "scores"]
Reranker = Literal["mmr", "episode_mentions", "node_distance", "cross_encoder", "descent"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
RERANKERS: Final[tuple[Reranker, ...]] = get_args(Reranker)
OF_COMMUNITIES: Final = "descent"
"""The reranker that only communities are ordered by."""
RRF_CONSTANT: Final = 60


@dataclass(frozen=True)
class ScopeRecipe:
    """How one scope is searched.

    methods       names of `methods.METHODS`, in the order in which they are asked
    fusion        rrf: reciprocal rank fusion; scores: the sum of the scores, each method's divided
                  by their standard deviation
    reranker      what orders the fused list afresh
    candidates    how many rows each method gives, and how many of the fused list are reranked
    hops          how far a walk goes
    constant      of reciprocal rank fusion
    diversity     of maximal marginal relevance: 0 looks at the question only, 1 at the hits before
    weights       of methods, by which their part in the fusion is multiplied; 1 where none is given
    thread_share  of episodes: the share of its best neighbour's fused score in the thread that each
                  one is lent, and its square of the best one's beyond
    """

    methods: Sequence[str]
    fusion: Fusion = "rrf"
    reranker: Reranker | None = None
    candidates: int = 100
    hops: int = 2
    constant: float = RRF_CONSTANT
    diversity: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)
    thread_share: float = 0.0


@dataclass(frozen=True)
class Recipe:
    """What is searched how, by scope; hits come in the order of the scopes."""

    name: str
    scopes: Mapping[Scope, ScopeRecipe]


_NOUNS: Final[Mapping[Scope, str]] = {
    "facts": "fact",
    "entities": "entity",
    "communities": "community",
    "episodes": "episode",
}
_CROSS_ENCODED: Final = 20  # each costs a call
_OF_THREADS: Final[Mapping[str, Any]] = {
    # Chosen by three of LoCoMo's conversations, see `regesta evaluate locomo`.
    "fusion": "scores",
    "weights": {"cosine": 2.0},
    "thread_share": 0.5,
    "candidates": 1000,
}


def _scope_recipe(methods: Sequence[str], reranker: Reranker | None) -> ScopeRecipe:
    candidates = _CROSS_ENCODED if reranker == "cross_encoder" else ScopeRecipe.candidates
    return ScopeRecipe(methods, reranker=reranker, candidates=candidates)


def _named(hybrid: Sequence[str]) -> dict[str, Recipe]:
    mixes = {"hybrid": hybrid, "graph": (*hybrid, "breadth_first", "page_rank")}
    found: dict[str, Mapping[Scope, ScopeRecipe]] = {}
    for scope, noun in _NOUNS.items():
        for method in METHODS:
            if method not in OF_EPISODES or scope == "episodes":
                found[f"{noun}_{method}"] = {scope: ScopeRecipe((method,))}
    for mix, methods in mixes.items():
        found[f"community_{mix}_descent"] = {"communities": _scope_recipe(methods, OF_COMMUNITIES)}
        for reranker in (None, *(each for each in RERANKERS if each != OF_COMMUNITIES)):
            each = _scope_recipe(methods, reranker)
            for scope, noun in _NOUNS.items():
                found[f"{noun}_{mix}_{reranker or 'rrf'}"] = {scope: each}
            found[f"combined_{mix}_{reranker or 'rrf'}"] = dict.fromkeys(SCOPES, each)
    of_threads = ScopeRecipe((*hybrid, *OF_EPISODES), **_OF_THREADS)
    found["episode_hybrid_thread"] = {"episodes": of_threads}
    return {name: Recipe(name, scopes) for name, scopes in found.items()}


RECIPES: Final[Mapping[str, Recipe]] = _named(("bm25", "cosine"))
_WITHOUT_VECTORS: Final = _named(("bm25",))


def recipe_for(recipe: str | Recipe | None, scope: Scope | None, *, has_vectors: bool) -> Recipe:
    """Return the recipe meant; without one the hybrid of the scope, by default facts.

    It is fused by RRF, that of episodes by score and thread. Where the snapshot has no vectors,
    mixes are without their cosine. Raises QueryError with the nearest names.
    """
    if isinstance(recipe, Recipe):
        return recipe
    order = "thread" if scope == "episodes" else "rrf"
    name = recipe or f"{_NOUNS[scope or 'facts']}_hybrid_{order}"
    if name not in RECIPES:
        raise unknown("recipe", name, RECIPES)
    return (RECIPES if has_vectors else _WITHOUT_VECTORS)[name]


def read_recipes(declared: Mapping[str, Any], *, where: str) -> dict[str, Recipe]:
    """Return recipes declared as name -> scope -> settings of `ScopeRecipe`.

    Raises ConfigurationError with every mistake, each with `where`, key and what was expected.
    """
    mistakes: list[str] = []
    found = {}
    for name, scopes in declared.items():
        key = f"{where}: {name}"
        if name in RECIPES:
            mistakes.append(f"{key}: this name is taken by a recipe that is always there")
        parts = _read_scopes(key, scopes, mistakes)
        found[name] = Recipe(name, parts)
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return found


def _read_scopes(key: str, scopes: Any, mistakes: list[str]) -> dict[Scope, ScopeRecipe]:
    if not isinstance(scopes, Mapping) or not scopes:
        mistakes.append(f"{key}: expected one or more of {', '.join(SCOPES)}")
        return {}
    others = [scope for scope in scopes if scope not in SCOPES]
    mistakes += [f"{key}: {each}: expected one of {', '.join(SCOPES)}" for each in others]
    return {
        scope: _read_scope(f"{key}: {scope}", scope, scopes[scope], mistakes)
        for scope in SCOPES
        if scope in scopes
    }


def _read_scope(key: str, scope: Scope, settings: Any, mistakes: list[str]) -> ScopeRecipe:
    before = len(mistakes)
    if not isinstance(settings, Mapping) or "methods" not in settings:
        mistakes.append(f"{key}: expected a mapping with methods")
        return ScopeRecipe(())
    for name, value in settings.items():
        expected = _EXPECTED.get(str(name))
        if expected is None:
            mistakes.append(f"{key}: {name}: expected one of {', '.join(_EXPECTED)}")
        elif not expected[1](value):
            mistakes.append(f"{key}: {name}: expected {expected[0]}, found {value!r}")
    if scope != "episodes" and settings.get("thread_share"):
        mistakes.append(f"{key}: thread_share: only episodes have a thread")
    if scope != "communities" and settings.get("reranker") == OF_COMMUNITIES:
        mistakes.append(f"{key}: reranker: only communities have levels to go down")
    if scope != "episodes" and _some_methods(settings["methods"]):
        others = [each for each in settings["methods"] if each in OF_EPISODES]
        mistakes += [f"{key}: methods: only episodes are searched by {each}" for each in others]
    return ScopeRecipe(()) if len(mistakes) > before else ScopeRecipe(**settings)


def _number(least: float, most: float) -> Any:
    def check(value: Any) -> bool:
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and (least <= value <= most)
        )

    return check


def _whole(least: int) -> Any:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _some_methods(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(each in METHODS for each in value)


def _weights(value: Any) -> bool:
    positive = _number(0, float("inf"))
    return isinstance(value, Mapping) and all(
        name in METHODS and positive(weight) for name, weight in value.items()
    )


_EXPECTED: Final = {
    "methods": (f"a list of {', '.join(METHODS)}", _some_methods),
    "fusion": (f"one of {', '.join(get_args(Fusion))}", get_args(Fusion).__contains__),
    "reranker": (f"one of {', '.join(RERANKERS)}", RERANKERS.__contains__),
    "candidates": ("a whole number above 0", _whole(1)),
    "hops": ("a whole number", _whole(0)),
    "constant": ("a number from 0", _number(0, float("inf"))),
    "diversity": ("a number from 0 to 1", _number(0, 1)),
    "weights": ("numbers from 0 by method", _weights),
    "thread_share": ("a number from 0 to 1", _number(0, 1)),
}
assert set(_EXPECTED) == {each.name for each in fields(ScopeRecipe)}

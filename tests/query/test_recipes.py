"""Named recipes, recipes of one's own, and what is told of mistakes in them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from query import world
from regesta.cli.main import app
from regesta.config import load_recipes
from regesta.errors import ConfigurationError
from regesta.query import RECIPES, QueryError, ScopeRecipe, read_recipes

OWN = """
who_near:
  entities: {methods: [bm25, breadth_first], hops: 1, fusion: scores, candidates: 5}
  facts: {methods: [page_rank], reranker: mmr, diversity: 0.7}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("world")
    world.opened(root)
    return root


def test_the_obvious_names():
    for noun in ("fact", "entity", "community", "episode", "combined"):
        for reranker in ("rrf", "mmr", "episode_mentions", "node_distance", "cross_encoder"):
            assert f"{noun}_hybrid_{reranker}" in RECIPES
            assert f"{noun}_graph_{reranker}" in RECIPES
    assert RECIPES["fact_hybrid_rrf"].scopes["facts"].constant == 60
    assert list(RECIPES["combined_hybrid_rrf"].scopes) == [
        *("facts", "entities", "communities", "episodes"),
    ]


def test_a_combined_recipe_finds_in_every_scope(root):
    graph = world.regesta.query.open(root).group("g")
    hits = graph.search("ann writes friends", recipe="combined_hybrid_rrf", limit=2)
    assert [(hit.kind, hit.id) for hit in hits] == [
        *(("fact", "f-ann"), ("fact", "l-ann"), ("entity", "e-ann"), ("community", "chain")),
        *(("episode", "m1"), ("episode", "m2")),
    ]


def test_a_mix_tells_the_rank_of_each_method(root):
    graph = world.regesta.query.open(root).group("g")
    best = graph.search("ann", recipe="fact_graph_rrf")[0]
    assert best.id == "f-ann"
    assert best.ranks["bm25"] == best.ranks["breadth_first"] == 1
    wanted = sum(1 / (60 + rank) for rank in best.ranks.values())
    assert best.score == round(wanted, 6)


def test_recipes_of_ones_own(tmp_path, root):
    (tmp_path / "recipes.yaml").write_text(OWN)
    recipe = load_recipes(tmp_path)["who_near"]
    assert list(recipe.scopes) == ["facts", "entities"]  # hits come in this order
    assert recipe.scopes["entities"] == ScopeRecipe(
        methods=["bm25", "breadth_first"], hops=1, fusion="scores", candidates=5
    )
    args = ["search", "ann", "--recipe", "who_near", "--conf", str(tmp_path), "--json"]
    done = CliRunner().invoke(app, [*args, "--snapshots", str(root)])
    found = json.loads(done.stdout)
    assert {each["found"] for each in found} == {"fact", "entity"}
    assert [e["entity_id"] for e in found if e["found"] == "entity"] == ["e-ann", "e-bob"]
    assert load_recipes(tmp_path / "nowhere") == {}


@pytest.mark.parametrize(
    ("declared", "mistakes"),
    [
        ({"x": []}, ["x: expected one or more of facts, entities, communities, episodes"]),
        ({"x": {"nodes": {}}}, ["x: nodes: expected one of facts"]),
        ({"x": {"facts": {"hops": 1}}}, ["x: facts: expected a mapping with methods"]),
        (
            {"x": {"facts": {"methods": ["bm26"], "hop": 1, "reranker": "rrf", "diversity": 2}}},
            [
                "x: facts: methods: expected a list of bm25",
                "x: facts: hop: expected one of methods, fusion",
                "x: facts: reranker: expected one of mmr",
                "x: facts: diversity: expected a number from 0 to 1, found 2",
            ],
        ),
        (
            {"x": {"facts": {"methods": ["bm25"], "thread_share": 0.5, "candidates": True}}},
            ["candidates: expected a whole number above 0, found True", "only episodes"],
        ),
        ({"x": {"facts": {"methods": 5}}}, ["x: facts: methods: expected a list of bm25"]),
        ({"x": {"facts": {"methods": ["author"]}}}, ["only episodes are searched by author"]),
        (
            {"fact_bm25": {"facts": {"methods": ["bm25"]}}},
            ["fact_bm25: this name is taken by a recipe that is always there"],
        ),
    ],
)
def test_every_mistake_is_told(declared, mistakes):
    with pytest.raises(ConfigurationError) as told:
        read_recipes(declared, where="recipes.yaml")
    assert len(told.value.mistakes) == len(mistakes)
    for one in mistakes:
        assert any(f"recipes.yaml: {next(iter(declared))}" in each for each in told.value.mistakes)
        assert any(one in each for each in told.value.mistakes)


def test_a_file_that_is_no_mapping(tmp_path):
    (tmp_path / "recipes.yaml").write_text("- a\n")
    with pytest.raises(ConfigurationError, match="mapping"):
        load_recipes(tmp_path)


def test_the_command_takes_filters(root):
    def told(*args):
        done = CliRunner().invoke(app, ["search", *args, "--snapshots", str(root), "--json"])
        assert done.exception is None, done.exception
        return [hit["fact_id"] for hit in json.loads(done.stdout)]

    both = ("--relation", "LIKES", "--relation", "knows")
    assert told("ann knows likes", *both, "--limit", "2") == ["l-ann", "f-ann"]
    assert told("ann knows likes", "--relation", "LIKES") == ["l-ann", "l-eve"]
    assert told("knows likes", "--label", "Robot") == ["f-cy"]
    assert told("knows likes", "--dates", "valid_at > 2022-01-04", "--source", "mail") == ["l-eve"]
    assert told("knows", "--recipe", "fact_hybrid_node_distance", "--center", "dan")[0] == "f-cy"
    assert told("", "--recipe", "fact_breadth_first", "--origin", "m5") == ["l-eve"]
    assert told("knows", "--episode", "m3", "--group", "g") == ["f-bob"]
    assert told("ann", "--all-times", "--valid", "2021") == ["f-ann", "l-ann"]
    assert told("ann", "--disputed", "only") == []


def test_the_command_prints_tables_and_contexts(root):
    def printed(*args):
        done = CliRunner().invoke(app, ["search", *args, "--snapshots", str(root)])
        assert done.exception is None, done.exception
        return done.stdout

    shown = printed("ann writes friends", "--recipe", "combined_hybrid_rrf")
    for heading in ("fact id", "entity id", "community id", "episode id"):
        assert heading in shown.replace("\n", " ")
    assert printed("nobody") == "nothing found\n"
    assert printed("ann", "--context", "60").startswith("As of 2024-01-01")


def test_the_command_tells_of_mistakes(root):
    for args, message in (
        (("--recipe", "mine"), "no recipe 'mine'"),
        (("--dates", "soon"), "no condition"),
        (("--disputed", "yes"), "exclude, include or only"),
        (("--group", "x"), "no group 'x'"),
    ):
        done = CliRunner().invoke(app, ["search", "a", *args, "--snapshots", str(root)])
        assert isinstance(done.exception, QueryError)
        assert message in str(done.exception)

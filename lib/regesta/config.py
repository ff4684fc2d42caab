"""Settings: conf/base.yaml, overridden by variables REGESTA_*, by flags; validated first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from regesta import java
from regesta.embed.encoder import Space
from regesta.embed.load import LOCAL
from regesta.errors import ConfigurationError
from regesta.llm.prices import Price
from regesta.llm.settings import LanguageModelSettings
from regesta.ontology import Ontology, merged
from regesta.prompts import load_prompts
from regesta.query.recipes import Recipe, read_recipes
from regesta.session import start_session
from regesta.sources.declaration import Source, StatementMapping
from regesta.sources.loading import load_sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkSettings(BaseModel):
    """How Spark is started locally, and where its JVM parts come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    master: str = "local[*]"
    settings: Mapping[str, str] = Field(default_factory=dict)
    delta: str = java.DELTA
    graphframes: Sequence[str] = java.GRAPHFRAMES_ALTERNATIVES
    repositories: Sequence[str] = ()

    def jvm_parts(self) -> java.JvmParts:
        """Return the coordinates in the form that `regesta.java` takes."""
        return java.JvmParts(
            delta=self.delta, graphframes=self.graphframes, repositories=self.repositories
        )

    def session(self) -> SparkSession:
        """Start Spark as set, or take the session that is there; see `start_session`."""
        return start_session(self.settings, master=self.master, parts=self.jvm_parts())


class CommunitySettings(BaseModel):
    """When all communities are computed again, and for how long an event joins entities.

    `refresh_after_days` is in days of known time; `refresh_at_drift` the share of members that have
    drifted from what stood, from which on the next batch refreshes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    refresh_after_days: int = Field(default=28, ge=1)
    refresh_at_drift: float = Field(default=0.1, gt=0, le=1)
    event_days: int = Field(default=365, ge=1)


class EmbeddingSettings(BaseModel):
    """The model that embeds, none by default; `dimension` and what follows are of an endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    model: str | None = None
    dimension: int | None = Field(default=None, ge=1)
    base_url: str | None = None
    query_prefix: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        local = self.model is None or self.model in LOCAL
        if local and (self.dimension, self.base_url, self.query_prefix) != (None, None, ""):
            raise ValueError(
                "dimension, base_url and query_prefix belong to a model behind an endpoint, not to "
                f"{self.model or 'no model'}"
            )
        if not local and self.dimension is None:
            raise ValueError(
                f"{self.model} is none of {', '.join(LOCAL)}: for a model behind an endpoint give "
                "its dimension too"
            )
        return self

    def space(self) -> Space | None:
        """Return where the vectors belong; None where nothing is embedded."""
        if self.model is None or self.model in LOCAL:
            return LOCAL.get(self.model or "")
        assert self.dimension is not None
        return Space(self.model, self.dimension, self.query_prefix, self.base_url)


class TimelineSettings(BaseModel):
    """How many facts contradictions may link, directly or over others, before they are set aside.

    What they link is computed at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    most_judged: int = Field(default=200, ge=2)


class Settings(BaseSettings):
    """The settings of a run. Environment: REGESTA_WAREHOUSE, REGESTA_SPARK__MASTER, ..."""

    model_config = SettingsConfigDict(
        env_prefix="REGESTA_", env_nested_delimiter="__", extra="forbid", frozen=True
    )
    warehouse: str = "warehouse"
    salt: str | None = None
    sources: tuple[str, ...] = ()
    spark: SparkSettings = SparkSettings()
    communities: CommunitySettings = CommunitySettings()
    language_model: LanguageModelSettings | None = None
    embeddings: EmbeddingSettings = EmbeddingSettings()
    timeline: TimelineSettings = TimelineSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment overrides the file, whose content comes in as arguments."""
        assert isinstance(init_settings, InitSettingsSource)
        return env_settings, init_settings


@dataclass(frozen=True)
class Configuration:
    """All that a run is told: the settings, the declared sources, the vocabulary and the prompts.

    `prompts` (name to text) is empty where no language model is set; `prices` are by model.
    """

    settings: Settings
    sources: Sequence[Source]
    ontology: Ontology
    prompts: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)

    def recorded(self) -> dict[str, Any]:
        """Return the whole as JSON values, to be kept with the batch; without the salt."""
        return {
            "settings": self.settings.model_dump(mode="json", exclude={"salt"}),
            "sources": [
                s.model_dump(mode="json", by_alias=True, exclude_unset=True) for s in self.sources
            ],
            "ontology": self.ontology.model_dump(mode="json"),
            **({"prompts": dict(self.prompts)} if self.prompts else {}),
        }


def from_record(recorded: Mapping[str, Any], today: Configuration) -> Configuration:
    """Return what a batch was told when it began, under today's settings and prices."""
    return replace(
        today,
        sources=[Source.model_validate(entry) for entry in recorded["sources"]],
        ontology=Ontology.model_validate(recorded["ontology"]),
        prompts=recorded.get("prompts") or today.prompts,
    )


def load(folder: Path, *, sources: Sequence[str] | None = ()) -> Configuration:
    """Read a folder with base.yaml, sources/*.yaml and ontologies/*.yaml.

    With a language model also prompts/**/*.md and prices.yaml, both of which may be absent.
    `sources` names those to run instead of the ones that base.yaml lists; with None there are none,
    for commands that read no archive.

    Raises:
        ConfigurationError: every mistake, each with file, key and what was expected.
    """
    path = _base(folder)
    mistakes: list[str] = []
    settings = _settings(path, mistakes)
    ontology = _ontology(sorted((folder / "ontologies").glob("*.yaml")), mistakes)
    declared: list[Source] = []
    if sources is not None:
        chosen = tuple(sources) or (settings.sources if settings else ())
        declared = _sources(folder / "sources", chosen, mistakes)
    with_model = settings is not None and settings.language_model is not None
    prompts = _prompts(folder / "prompts", mistakes) if with_model else {}
    prices = _prices(folder / "prices.yaml", mistakes) if with_model else {}
    if ontology is not None:
        for source in declared:
            mistakes.extend(_ends_of_nobody(source, ontology))
            mistakes.extend(_legs_apart(source, ontology))
    if mistakes or settings is None or ontology is None:
        raise ConfigurationError.from_mistakes(mistakes)
    return Configuration(settings, declared, ontology, prompts, prices)


def _statements_of(source: Source) -> Iterator[StatementMapping]:
    yield from source.statements
    for each in source.for_each:
        yield from each.statements


def _legs_apart(source: Source, ontology: Ontology) -> Iterator[str]:
    """Tell which facts over several objects can't be one: their legs would conflict or part."""
    for one in _statements_of(source):
        if (
            one.objects
            and isinstance(one.relation, str)
            and not ontology.holds_several(one.relation)
        ):
            yield (
                f"{source.source}: statements: {one.relation}: objects: expected a relation that "
                "holds several objects at a time, told from its subject's side and not symmetric; "
                "declare its cardinality many, or one `object` for each statement"
            )


def _ends_of_nobody(source: Source, ontology: Ontology) -> Iterator[str]:
    """Tell which ends name no object, told from the object's side, and so find no subject.

    Where conflicts stay with a subject, what an object is told of is not at hand.
    """
    relations = ontology.for_timeline()
    for one in _statements_of(source):
        names_one = one.object is not None or one.objects or one.value is not None
        nameless = one.empty == "ended" or not names_one
        if not nameless or not isinstance(one.relation, str):
            continue
        meant = ontology.told_by(one.relation)
        told = relations.told_of_object(one.relation if meant.reversed else meant.relation, "")
        if told is not None and relations.scope(relations.family(told[0])) != "linked":
            yield (
                f"{source.source}: statements: {one.relation}: an end that names no object is told "
                f"of every subject of {told[0]}, which is many-valued on that side; expected "
                f"the other side named, `empty: unknown`, or a cardinality of {told[0]} that "
                "limits its objects (one_subject, one_to_one; one, if it is symmetric)"
            )


def load_settings(folder: Path) -> Settings:
    """Read base.yaml alone, for commands that need no sources.

    Raises:
        ConfigurationError: every mistake in it.
    """
    mistakes: list[str] = []
    settings = _settings(_base(folder), mistakes)
    if settings is None:
        raise ConfigurationError.from_mistakes(mistakes)
    return settings


def load_ontology(folder: Path) -> Ontology:
    """Read ontologies/*.yaml alone, for commands that look at one source.

    Raises:
        ConfigurationError: every mistake in them.
    """
    mistakes: list[str] = []
    ontology = _ontology(sorted((folder / "ontologies").glob("*.yaml")), mistakes)
    if ontology is None:
        raise ConfigurationError.from_mistakes(mistakes)
    return ontology


def load_recipes(folder: Path) -> dict[str, Recipe]:
    """Read recipes.yaml, the recipes of one's own; there may be none.

    Raises:
        ConfigurationError: every mistake in it.
    """
    path = folder / "recipes.yaml"
    mistakes: list[str] = []
    declared = _yaml(path, mistakes) if path.exists() else {}
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return read_recipes(declared, where=str(path))


def _base(folder: Path) -> Path:
    path = folder / "base.yaml"
    if not path.is_file():
        raise ConfigurationError(
            f"{path} is missing: name a folder that holds base.yaml, sources/ and ontologies/ with "
            "--conf."
        )
    return path


def _settings(path: Path, mistakes: list[str]) -> Settings | None:
    content = _yaml(path, mistakes)
    try:
        settings = Settings(**content)
    except ValidationError as error:
        mistakes.extend(_told(path, error))
        return None
    return settings.model_copy(update={"warehouse": _from_root(path, settings.warehouse)})


def _from_root(path: Path, warehouse: str) -> str:
    """A relative folder counts from the project root, which holds the conf folder."""
    return (
        warehouse if "://" in warehouse else os.path.normpath(path.resolve().parents[1] / warehouse)
    )


def _ontology(paths: Iterable[Path], mistakes: list[str]) -> Ontology | None:
    parts = {path: _yaml(path, mistakes) for path in paths}
    for path, part in parts.items():
        try:
            Ontology.model_validate(part)
        except ValidationError as error:
            mistakes.extend(_told(path, error))
    return None if mistakes else Ontology.model_validate(merged(list(parts.values())))


def _sources(folder: Path, names: Sequence[str], mistakes: list[str]) -> list[Source]:
    if not names:
        mistakes.append(
            f"{folder.parent / 'base.yaml'}: sources: expected a list of names of files in "
            f"{folder}, without .yaml"
        )
        return []
    try:
        return list(load_sources(folder, names=names))
    except ConfigurationError as error:
        mistakes.extend(error.mistakes)
        return []


def _prompts(folder: Path, mistakes: list[str]) -> dict[str, str]:
    try:
        return load_prompts(folder)
    except ConfigurationError as error:
        mistakes.extend(error.mistakes)
        return {}


def _prices(path: Path, mistakes: list[str]) -> dict[str, Price]:
    prices = {}
    for name, entry in (_yaml(path, mistakes) if path.is_file() else {}).items():
        try:
            prices[name] = Price.model_validate(entry)
        except ValidationError as error:
            mistakes.extend(_told(path, error))
    return prices


def _yaml(path: Path, mistakes: list[str]) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text("utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mistakes.append(f"{path}: expected YAML: {error}")
        return {}
    if not isinstance(content, dict):
        mistakes.append(f"{path}: expected a mapping at the top")
        return {}
    return content


def _told(path: Path, error: ValidationError) -> list[str]:
    return [
        f"{path}: {'.'.join(map(str, detail['loc'])) or 'top level'}: {detail['msg']}"
        for detail in error.errors()
    ]

"""Source files (conf/sources/*.yaml) become checked declarations; every mistake is listed."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from regesta.errors import ConfigurationError
from regesta.sources import declaration as models
from regesta.sources.declaration import Source

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_LONGEST_INPUT: Final = 60


def load_sources(
    folder: Path,
    *,
    names: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[Source]:
    """Return the sources declared in `folder` (conf/sources), in order of their names.

    `names` chooses some of them; only their paths need their environment variables. Paths come
    back expanded: `${VAR}` and `${VAR:-default}` from `environment` (the process's own if None),
    relative ones made absolute from the project root, the folder that holds conf/.

    Raises ConfigurationError that lists every mistake of every file.
    """
    mistakes: list[str] = []
    declared = [(file, read_source(file, mistakes)) for file in _source_files(folder)]
    sources = {source.source: (file, source) for file, source in declared if source is not None}
    mistakes += _name_mistakes(declared)
    if not mistakes:
        mistakes += _choice_mistakes(folder, sources, names)
    chosen = sorted(sources if names is None else set(names) & set(sources))
    root = folder.resolve().parent.parent
    expanded = [
        _with_paths(*sources[name], root=root, environment=environment, mistakes=mistakes)
        for name in chosen
    ]
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return expanded


def declared_sources(folder: Path) -> list[Source]:
    """Return the sources declared in `folder` as they are written, by name; paths unexpanded.

    Raises ConfigurationError that lists every mistake of every file.
    """
    mistakes: list[str] = []
    declared = [read_source(file, mistakes) for file in _source_files(folder)]
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return sorted(
        (source for source in declared if source is not None), key=lambda source: source.source
    )


def load_source(file: Path, *, environment: Mapping[str, str] | None = None) -> Source:
    """Return the source declared in one file of conf/sources, its paths expanded.

    Raises ConfigurationError that lists every mistake in it.
    """
    mistakes: list[str] = []
    if not file.is_file():
        raise ConfigurationError(f"{file}: there is no such file; expected a source file")
    source, root = read_source(file, mistakes), file.resolve().parents[2]
    if source is not None:
        source = _with_paths(file, source, root=root, environment=environment, mistakes=mistakes)
    if source is None or mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return source


def _source_files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])


def read_source(file: Path, mistakes: list[str]) -> Source | None:
    """Return the declaration in one YAML file; what is wrong in it is added to `mistakes`."""
    try:
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=_UniqueKeys)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mistakes.append(f"{file}: expected YAML: {' '.join(str(error).split())}")
        return None
    if not isinstance(data, Mapping):
        mistakes.append(f"{file}: expected a mapping with the keys of a source, not {_shown(data)}")
        return None
    try:
        return Source.model_validate(data)
    except ValidationError as error:
        mistakes.extend(f"{file}: {_sentence(detail)}" for detail in error.errors())
        return None


class _UniqueKeys(yaml.SafeLoader):
    """Safe YAML in which a key that occurs twice is a mistake."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        """Return a mapping; raises ConstructorError for a key that occurs twice."""
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} occurs twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _name_mistakes(declared: Sequence[tuple[Path, Source | None]]) -> Iterator[str]:
    first: dict[str, Path] = {}
    for file, source in declared:
        if source is not None and first.setdefault(source.source, file) != file:
            name = source.source
            yield f"{file}: source: {name!r} is also the name of {first[name]}; expected another"


def _choice_mistakes(
    folder: Path, sources: Mapping[str, object], names: Sequence[str] | None
) -> Iterator[str]:
    for name in names or ():
        if name not in sources:
            yield f"{folder}: no source is named {name!r}{_did_you_mean(name, sources)}"


def _with_paths(
    file: Path,
    source: Source,
    *,
    root: Path,
    environment: Mapping[str, str] | None,
    mistakes: list[str],
) -> Source:
    variables = os.environ if environment is None else environment
    paths = []
    for number, path in enumerate(source.path):
        text = _VARIABLE.sub(lambda found: variables.get(found[1], found[2] or ""), path)
        missing = [
            n for n, default in _VARIABLE.findall(path) if n not in variables and not default
        ]
        mistakes.extend(
            f"{file}: path[{number}]: the environment variable {name} is not set; set it, "
            f"give a default (${{{name}:-folder}}), or choose other sources"
            for name in missing
        )
        paths.append(text if _SCHEME.match(text) else str(root / text))
    return source.model_copy(update={"path": tuple(paths)})


def _sentence(detail: ErrorDetails) -> str:
    """Name the key of a mistake, what was expected there, and what was found."""
    place, kind, text = detail["loc"], detail["type"], detail["msg"]
    if kind == "unknown_key":
        known = _known_keys(place[:-1])
        expected = ", ".join(known)
        hint = _did_you_mean(str(place[-1]), known)
        return f"{_key_path(place)}: unknown key{hint}; expected one of {expected}"
    if kind == "combination":
        return f"{_key_path(place)}: {text}"
    if kind == "missing":
        return f"{_key_path(place)}: is missing{_expected(place)}"
    return f"{_key_path(place)}: {text}, not {_shown(detail['input'])}"


def _key_path(place: Sequence[str | int]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.lstrip(".") or "(the whole file)"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_INPUT else text[: _LONGEST_INPUT - 3] + "..."


def _did_you_mean(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


_EXPECTED: Final = {
    "source": "the name of the source",
    "path": "a file, folder or glob, or a list of them",
    "format": "jsonl, json, csv, parquet, mbox, text, markdown or html",
    "mode": "event, interval or snapshot",
    "group": "an expression for the group, e.g. \"'all'\"",
    "source_id": "an expression for the id of a record",
    "label": "the label of the entity",
    "name": "an expression for the name of the entity",
    "subject": "the name of a declared entity",
    "relation": "a name like WORKS_FOR, or a mapping with path",
    "means": "withdrawn, ended or no_information",
    "as": "the name under which an element is seen",
    "in": "an expression for the list",
}


def _expected(place: Sequence[str | int]) -> str:
    if place[-1] == "path" and len(place) > 1:
        return "; expected an expression"
    words = _EXPECTED.get(str(place[-1]))
    return f"; expected {words}" if words else ""


_NESTED: Final[dict[str, type[BaseModel]]] = {
    "entities": models.EntityMapping,
    "statements": models.StatementMapping,
    "relation": models.ComputedRelation,
    "for_each": models.ForEach,
    "version": models.VersionDeclaration,
    "removed": models.RemovalDeclaration,
    "reference_time": models.TimeDeclaration,
    "known_at": models.TimeDeclaration,
    "valid_at": models.TimeDeclaration,
    "invalid_at": models.TimeDeclaration,
}


def _known_keys(place: Sequence[str | int]) -> list[str]:
    """Return the keys allowed at a place of the file."""
    nested = [_NESTED[part] for part in place if isinstance(part, str) and part in _NESTED]
    model = nested[-1] if nested else Source
    return [field.alias or name for name, field in model.model_fields.items()]

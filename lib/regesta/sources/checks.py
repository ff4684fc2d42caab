"""Mistakes that no single key of a source file shows: keys that don't go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

DOCUMENT_FORMATS: Final = ("text", "markdown", "html")
"""A file is a document; what it says no more is withdrawn when it comes again."""

_ONLY_FOR_FORMAT = {
    "delimiter": ("csv",),
    "records": ("json",),
    "encoding": ("jsonl", "json", "csv", *DOCUMENT_FORMATS),
}
AS_TEXT, AS_MAPPING = "(text)", "(mapping)"
"""The two forms in which a key may be written; pydantic names them in the place of a mistake."""

_Place = tuple[str | int, ...]
_Mistake = tuple[_Place, str]


def combination_mistakes(data: Mapping[Any, Any]) -> list[InitErrorDetails]:
    """Return the mistakes among several keys of one source, whatever else is wrong in it."""
    found = [
        *(*_format_mistakes(data), *_kind_mistakes(data)),
        *(*_mode_mistakes(data), *_scopes(data)),
    ]
    return [_detail(place, data, text) for place, text in found]


def as_detail(error: ErrorDetails) -> InitErrorDetails:
    """Return a mistake found by pydantic in the form in which it can be raised with others."""
    kind = "unknown_key" if error["type"] == "extra_forbidden" else error["type"]
    message = error["msg"].removeprefix("Value error, ")
    return {
        "type": PydanticCustomError(kind, "{text}", {"text": message}),
        "loc": tuple(part for part in error["loc"] if part not in (AS_TEXT, AS_MAPPING)),
        "input": error["input"],
    }


def _detail(place: _Place, data: Any, text: str) -> InitErrorDetails:
    return {
        "type": PydanticCustomError("combination", "{text}", {"text": text}),
        "loc": place,
        "input": data,
    }


def _format_mistakes(data: Mapping[Any, Any]) -> Iterator[_Mistake]:
    for key, formats in _ONLY_FOR_FORMAT.items():
        if key in data and isinstance(data.get("format"), str) and data["format"] not in formats:
            yield (key,), f"is only for format {' or '.join(formats)}"


def _kind_mistakes(data: Mapping[Any, Any]) -> Iterator[_Mistake]:
    kind, form = data.get("kind"), data.get("format")
    if form in DOCUMENT_FORMATS and "thread" not in data:
        text = (
            f"is missing: format {form} needs an expression for a section's document (path, mostly)"
        )
        yield ("thread",), text
    if kind not in ("message", "text"):
        if data.get("extractor"):
            yield ("extractor",), "is only for kind message or text"
        return
    if "content" not in data:
        yield ("content",), f"is missing: kind {kind} needs an expression for its text"
    for key in ("entities", "statements", "for_each"):
        if data.get(key):
            text = (
                "is only for kind json: what fields say comes from a record; declare another "
                "source of kind json over the same files"
            )
            yield (key,), text


def _mode_mistakes(data: Mapping[Any, Any]) -> Iterator[_Mistake]:
    mode = data.get("mode")
    if mode in ("event", "snapshot") and "reference_time" not in data:
        yield ("reference_time",), f"is missing: mode {mode} needs the time at which a row was true"
    if mode != "snapshot":
        for key in ("complete", "largest_drop"):
            if data.get(key):
                yield (key,), "is only for mode snapshot"
    elif data.get("largest_drop") is not None and data.get("complete") is not True:
        yield ("largest_drop",), "needs complete: true"
    for key in ("reference_time", "known_at"):
        yield from _inclusive(data.get(key), (key,))


def _scopes(data: Mapping[Any, Any]) -> Iterator[_Mistake]:
    entities = _keys(data.get("entities"))
    if data.get("mode") == "snapshot":
        yield from _legs_of_snapshots(data)
    yield from _statements(data.get("statements"), ("statements",), entities)
    for number, loop in enumerate(_listed(data.get("for_each"))):
        if not isinstance(loop, Mapping):
            continue
        own = _keys(loop.get("entities"))
        for name in sorted(own & entities):
            place = ("for_each", number, "entities", name)
            yield place, "is the name of an entity of the whole record; expected another name"
        nested = ("for_each", number, "statements")
        yield from _statements(loop.get("statements"), nested, entities | own)


def _legs_of_snapshots(data: Mapping[Any, Any]) -> Iterator[_Mistake]:
    loops = [loop for loop in _listed(data.get("for_each")) if isinstance(loop, Mapping)]
    for part in (data, *loops):
        for statement in _listed(part.get("statements")):
            if isinstance(statement, Mapping) and "objects" in statement:
                text = (
                    "objects is not for mode snapshot, where each object is compared from night to "
                    "night by itself; expected `object`, or mode event or interval"
                )
                yield ("statements",), text


def _statements(statements: Any, place: _Place, entities: set[str]) -> Iterator[_Mistake]:
    for number, statement in enumerate(_listed(statements)):
        if isinstance(statement, Mapping):
            yield from _statement(statement, (*place, number), entities)


def _statement(data: Mapping[Any, Any], place: _Place, entities: set[str]) -> Iterator[_Mistake]:
    named = [(key, data.get(key)) for key in ("subject", "object")]
    named += [("objects", name) for name in _listed(data.get("objects"))]
    for key, name in named:
        if isinstance(name, str) and name not in entities:
            expected = f"expected one of {', '.join(sorted(entities)) or 'none: none is declared'}"
            yield (*place, key), f"is no declared entity: {name!r}; {expected}"
    given = [key for key in ("object", "objects", "value") if key in data]
    if len(given) > 1:
        yield place, f"has {' and '.join(given)}; expected one of them"
    if not given and data.get("polarity") != "ends":
        yield place, "has neither object nor objects nor value; expected one of them"
    if "objects" in data:
        yield from _legs(data, place)
    if isinstance(relation := data.get("relation"), Mapping) and not (
        relation.get("names") or relation.get("prefix")
    ):
        yield (*place, "relation"), "has neither names nor prefix; expected one of them or both"
    if "retracts" in data and data.get("polarity") != "retracts":
        yield (*place, "retracts"), "is only for polarity: retracts"
    if data.get("backfilled") is True and "valid_at" not in data:
        yield (*place, "backfilled"), "needs valid_at"
    yield from _inclusive(data.get("valid_at"), (*place, "valid_at"))


def _legs(data: Mapping[Any, Any], place: _Place) -> Iterator[_Mistake]:
    if len(set(map(str, _listed(data["objects"])))) < 2:
        yield (*place, "objects"), "expected two entities or more; one is an `object`"
    if isinstance(data.get("relation"), Mapping):
        yield (*place, "objects"), "needs a relation by name"
    if data.get("empty") == "ended":
        yield (*place, "empty"), "is only for one object or value"


def _inclusive(time: Any, place: _Place) -> Iterator[_Mistake]:
    if isinstance(time, Mapping) and time.get("inclusive"):
        yield (*place, "inclusive"), "is only for invalid_at"


def _keys(mapping: Any) -> set[str]:
    return (
        {key for key in mapping if isinstance(key, str)} if isinstance(mapping, Mapping) else set()
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

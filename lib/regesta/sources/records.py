"""One parsed record becomes the fields of an episode, or a reason why it can't."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from regesta.sources.declaration import (
    RemovalDeclaration,
    Source,
    TimeDeclaration,
    VersionDeclaration,
)
from regesta.sources.expressions import Evaluate, compile_content, compile_expression
from regesta.sources.own_words import message_spans
from regesta.sources.times import iso_text, parse_time
from regesta.spans import spans_text

_PLACE_OFFSET: Final = 10**18
"""Added to a number in a place, so that negative ones sort before positive ones as texts."""

_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]{1,4000})(?:\.0+)?\s*")

_encode = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(", ", ": "), allow_nan=False
).encode


class RejectedRecordError(Exception):
    """A record can't become an episode; its text is the reason: what is wrong, a colon, details."""

    def __init__(self, reason: str, known: EpisodeFields | None = None) -> None:
        super().__init__(reason)
        self.known = known


class EpisodeFields(NamedTuple):
    """What a record says about its episode; times are microseconds since 1970 in UTC.

    `place` sorts as the versions of an item do; None where only the order of arrival tells.
    `known_at` is None where it is the run's. `compared` is what tells whether the content changed,
    None where that is the content itself. `spans` are the parts of a message
    (`spans.spans_text`).
    """

    group_id: str | None
    source_id: str | None
    version: str | None = None
    place: str | None = None
    removed: str | None = None
    thread_id: str | None = None
    position: int | None = None
    author: str | None = None
    content: str | None = None
    compared: str | None = None
    reference_time: int | None = None
    known_at: int | None = None
    spans: str | None = None


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no escapes but the necessary ones.

    Raises ValueError for numbers that JSON does not know.
    """
    return _encode(value)


def known_value(source: Source) -> Callable[[Any], Any]:
    """Return a function that turns the values which mean "unknown" in `source` into None.

    The rule of fields and statements alike: types count ("0" is not 0), blanks around texts don't.
    """
    texts = frozenset(value.strip() for value in source.unknown_values if isinstance(value, str))
    others = [value for value in source.unknown_values if not isinstance(value, str)]

    def known(value: Any) -> Any:
        if isinstance(value, str):
            return None if value.strip() in texts else value
        return None if _among(value, others) else value

    return known


def episode_mapper(source: Source, *, run_known_at: int) -> Callable[[Any], EpisodeFields]:
    """Return the function from a record of `source` to the fields of its episode.

    `run_known_at` is the run's own time: what a record can't be known after. The function raises
    RejectedRecordError.
    """
    return _Mapper(source, run_known_at).fields


class _Mapper:
    """The expressions of a source, compiled once for all of its records."""

    def __init__(self, source: Source, run_known_at: int) -> None:
        self._source = source
        self._run_known_at = run_known_at
        self._known = known_value(source)
        self._texts = {
            key: compile_expression(expression)
            for key in ("group", "source_id", "thread", "author")
            if (expression := getattr(source, key)) is not None
        }
        self._position = _optional(source.position)
        self._content = None if source.content is None else compile_content(source.content)
        self._removed = _path_of(source.removed)
        self._version = _path_of(source.version)
        self._reference = _path_of(source.reference_time)
        self._known_at = _path_of(source.known_at)
        self._not_compared = _not_compared(source)

    def fields(self, record: Any) -> EpisodeFields:
        """Return the fields of a record's episode; raises RejectedRecordError with the reason."""
        if not isinstance(record, dict):
            raise RejectedRecordError(f"not an object: {type(record).__name__}")
        try:
            return self._fields(record)
        except RejectedRecordError as error:
            raise RejectedRecordError(str(error), self._listed(record)) from error
        except ValueError as error:
            raise RejectedRecordError(f"wrong value: {error}", self._listed(record)) from error
        except RecursionError as error:
            raise RejectedRecordError("nested too deeply") from error

    def _fields(self, record: Mapping[str, Any]) -> EpisodeFields:
        removed = self._removal(record)
        known_at = self._known_time(record)
        reference = self._reference_time(record, removed=removed, known_at=known_at)
        version, place = self._place(record)
        if place is None and not (self._reference is None and self._known_at is None):
            place = _number_place(reference)
        content = self._content_text(record, removed=removed)
        is_message = self._source.kind == "message"
        return EpisodeFields(
            group_id=self._required(record, "group"),
            source_id=self._required(record, "source_id"),
            version=version,
            place=place,
            removed=removed,
            thread_id=self._text(record, "thread"),
            position=self._integer(record),
            author=self._text(record, "author"),
            content=content,
            compared=self._compared(record),
            reference_time=reference,
            known_at=known_at,
            spans=spans_text(message_spans(content)) if is_message else None,
        )

    def _listed(self, record: Mapping[str, Any]) -> EpisodeFields | None:
        """Return what a rejected record of a complete delivery still tells: that it is listed."""
        if not self._source.complete:
            return None
        try:
            return EpisodeFields(
                group_id=None,
                source_id=self._required(record, "source_id"),
                reference_time=self._reference_time(record, removed=None, known_at=None),
            )
        except (ValueError, RejectedRecordError):
            return None

    def _required(self, record: Mapping[str, Any], key: str) -> str:
        text = self._text(record, key)
        if text is None:
            raise RejectedRecordError(f"missing {key}: {getattr(self._source, key)} gives nothing")
        return text

    def _text(self, record: Mapping[str, Any], key: str) -> str | None:
        evaluate = self._texts.get(key)
        value = None if evaluate is None else self._known(evaluate(record))
        if value is None or value == "":
            return None
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RejectedRecordError(f"wrong {key}: expected a text or a number, not {value!r}")
        return str(value)

    def _integer(self, record: Mapping[str, Any]) -> int | None:
        value = None if self._position is None else self._known(self._position(record))
        if value is None or value == "":
            return None
        number = _as_integer(value, "position")
        if not -(2**63) <= number < 2**63:
            raise RejectedRecordError(f"wrong position: {number} is beyond 64 bits")
        return number

    def _removal(self, record: Mapping[str, Any]) -> str | None:
        declared = self._source.removed
        if declared is None or self._removed is None:
            return None
        return declared.means if _among(self._removed(record), declared.values) else None

    def _content_text(self, record: Mapping[str, Any], *, removed: str | None) -> str:
        value = record if self._content is None else self._content(record)
        if value is None and removed is None:
            raise RejectedRecordError(f"missing content: {self._source.content} gives nothing")
        return value if isinstance(value, str) else canonical_json({} if value is None else value)

    def _compared(self, record: Mapping[str, Any]) -> str | None:
        """Leave out the file, and when a snapshot was taken: they differ and change nothing."""
        if self._not_compared.isdisjoint(record):
            return None
        kept = {key: value for key, value in record.items() if key not in self._not_compared}
        return canonical_json(kept)

    def _time(
        self, record: Mapping[str, Any], evaluate: Evaluate, form: TimeDeclaration, key: str
    ) -> int | None:
        try:
            instant = parse_time(self._known(evaluate(record)), form)
        except ValueError as error:
            raise RejectedRecordError(f"impossible date in {key}: {error}") from error
        return None if instant is None else instant[0]

    def _known_time(self, record: Mapping[str, Any]) -> int | None:
        if self._known_at is None or self._source.known_at is None:
            return None
        known_at = self._time(record, self._known_at, self._source.known_at, "known_at")
        if known_at is None:
            raise RejectedRecordError(
                f"missing known_at: {self._source.known_at.path} gives nothing"
            )
        if known_at > self._run_known_at:
            raise RejectedRecordError(
                f"known later than the run: {iso_text(known_at)} is after "
                f"{iso_text(self._run_known_at)}"
            )
        return known_at

    def _reference_time(
        self, record: Mapping[str, Any], *, removed: str | None, known_at: int | None
    ) -> int:
        declared = self._source.reference_time
        default = self._run_known_at if known_at is None else known_at
        if declared is None or self._reference is None:
            return default
        reference = self._time(record, self._reference, declared, "reference_time")
        if reference is None and removed is not None and self._source.mode != "snapshot":
            return default
        if reference is None:
            raise RejectedRecordError(f"missing reference_time: {declared.path} gives nothing")
        return reference

    def _place(self, record: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return the version as the source gives it and the place that it takes."""
        declared = self._source.version
        if declared is None or self._version is None:
            return None, None
        value = self._known(self._version(record))
        if value is None or value == "":
            raise RejectedRecordError(f"missing version: {declared.path} gives nothing")
        return str(value), _version_place(value, declared)


def _version_place(value: Any, declared: VersionDeclaration) -> str:
    if declared.type == "text":
        return f"={value}"  # no text is taken for a place by arrival
    if declared.type == "integer":
        return _number_place(_as_integer(value, "version"))
    try:
        instant = parse_time(value, declared)
    except ValueError as error:
        raise RejectedRecordError(f"impossible date in version: {error}") from error
    if instant is None:
        raise RejectedRecordError(f"missing version: {value!r} tells no time")
    return _number_place(instant[0])


def _number_place(number: int) -> str:
    if not -_PLACE_OFFSET <= number < 9 * _PLACE_OFFSET:
        raise RejectedRecordError(f"wrong version: {number} is out of range")
    return f"{number + _PLACE_OFFSET:019d}"


def _as_integer(value: Any, key: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and (found := _INTEGER.fullmatch(value)):
        return int(found[1])
    raise RejectedRecordError(f"wrong {key}: expected an integer, not {value!r}")


def _among(value: Any, values: Any) -> bool:
    """Tell whether a JSON value is one of `values`; true is not 1."""
    return any(value == other and type(value) is type(other) for other in values)


def _path_of(
    declared: TimeDeclaration | VersionDeclaration | RemovalDeclaration | None,
) -> Evaluate | None:
    return None if declared is None else compile_expression(declared.path)


def _optional(expression: str | None) -> Evaluate | None:
    return None if expression is None else compile_expression(expression)


def _not_compared(source: Source) -> frozenset[str]:
    """Return the keys whose values are no change of a record; a declared content is kept whole."""
    if source.content is not None:
        return frozenset()
    times = (source.reference_time, source.known_at) if source.mode == "snapshot" else ()
    paths = [time.path for time in times if time is not None]
    return frozenset(paths if source.file is None else [*paths, source.file])

"""Work on items in a process of its own: what kills or hangs it costs one item."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """Why an item has no result."""

    reason: str


class Isolated(Generic[Item, Result]):
    """A worker process that is begun anew after a crash or a hang.

    `make` runs in the process and gives the function for items; it and what items and results hold
    must be fit for pickling. An item that takes longer than `seconds` is given up. A ValueError of
    the function is the item's own failure; any other error ends the work.
    """

    def __init__(self, make: Callable[[], Callable[[Item], Result]], *, seconds: float) -> None:
        self._make, self._seconds = make, seconds
        self._process: Any = None
        self._pipe: Connection | None = None

    def each(self, items: Iterable[Item]) -> Iterator[Result | Failure]:
        """Yield the result of each item, in order."""
        for item in items:
            pipe = self._running()
            pipe.send(item)
            yield self._answer(pipe)

    def close(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _answer(self, pipe: Connection) -> Result | Failure:
        try:
            if not pipe.poll(self._seconds):
                self.close()
                return Failure(f"reading it took longer than {self._seconds:g} s")
            error, result = pipe.recv()
        except EOFError:
            self.close()
            return Failure("reading it ended the process")
        if error is not None and not isinstance(error, ValueError):
            raise error
        return result if error is None else Failure(str(error))

    def _running(self) -> Connection:
        if self._pipe is None:
            # Forked, not spawned: the worker of a task has no main module to import again.
            context = multiprocessing.get_context("fork")
            self._pipe, other = context.Pipe()
            ends = (other, self._pipe)
            self._process = context.Process(target=_serve, args=(self._make, *ends), daemon=True)
            self._process.start()
            other.close()
        return self._pipe


def _serve(
    make: Callable[[], Callable[[Any], Any]], pipe: Connection, inherited: Connection
) -> None:
    """Answer items until the other side is gone; its end was copied by the fork."""
    inherited.close()
    work: Callable[[Any], Any] | None = None
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        answer: tuple[Exception | None, Any]
        try:
            work = work or make()
            answer = (None, work(item))
        except Exception as error:
            answer = (error, None)
        pipe.send(answer)

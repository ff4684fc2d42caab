"""The graphs that an operator serves: no caller reads another one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from regesta.query.errors import QueryError, unknown
from regesta.query.graph import Graph
from regesta.query.graphs import Graphs
from regesta.query.snapshot import Snapshot, current_name, open_snapshot
from regesta.query.store import Store


class Served:
    """Named groups of the snapshot that is current when something is asked.

    A night's new snapshot is opened at the next question: retention removes the files of old ones,
    and a server runs for longer than they are kept. One question is answered from one snapshot.
    """

    def __init__(self, root: str | Path, groups: Sequence[str]) -> None:
        """Open the current snapshot; raises QueryError where a group isn't in it."""
        self._root, self._store = root, Store(root)
        self._snapshot = open_snapshot(root)
        self._snapshot.graphs(groups)
        self.groups = tuple(groups)

    def graphs(self, group: str | None) -> Graphs:
        """Return the graph named, all that are served without a name.

        Raises QueryError where the group isn't served; whether there is one is not told.
        """
        if group is not None and group not in self.groups:
            raise unknown("group", group, self.groups)
        return self._current().graphs(self.groups if group is None else [group])

    def graph(self, group: str | None) -> Graph:
        """Return the graph named; raises QueryError without a name where several are served."""
        if group is None and len(self.groups) > 1:
            raise QueryError(f"Say which group is meant: {', '.join(self.groups)}.")
        name = self.groups[0] if group is None else group
        if name not in self.groups:
            raise unknown("group", name, self.groups)
        return self._current().group(name)

    def _current(self) -> Snapshot:
        name = current_name(self._store)
        if name != self._snapshot.manifest.name:
            self._snapshot = open_snapshot(self._root, name=name)
        return self._snapshot

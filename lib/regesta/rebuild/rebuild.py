"""A rebuild: recorded batches replayed into a new generation of tables, compared, swapped in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from regesta import model
from regesta.batches import DERIVING, published
from regesta.config import Configuration, Settings
from regesta.context import Batch, Report, StepContext
from regesta.errors import ConfigurationError, RegestaError
from regesta.ontology import Ontology
from regesta.rebuild.compare import Compared, compare
from regesta.rebuild.replay import RecordedBatch, Replayed, recorded_batches, replay
from regesta.warehouse.lease import lease
from regesta.warehouse.warehouse import Warehouse, generation_folder, swapped_in


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild did: the generation it made of how many batches, and how it compares.

    Where it differs and no new generation was asked for it is not swapped in. `differences` is the
    folder that lists them all.
    """

    generation: int
    batches: int
    tables: Sequence[Compared]
    differences: str
    is_swapped_in: bool


class DifferencesError(RegestaError):
    """A rebuild by the recorded configuration gave other rows than the batches had."""

    exit_code = 10

    def __init__(self, found: Rebuilt) -> None:
        tables = ", ".join(each.table for each in found.tables if each.counts)
        super().__init__(
            f"The rebuild differs in {tables}; the old tables stay. All differences are listed "
            f"under {found.differences}. If the rules have changed since, ask for a new generation "
            "with --new-generation; if not, a batch was computed wrongly: please report it."
        )


def rebuild(
    warehouse: Warehouse, configuration: Configuration, report: Report, *, new_generation: bool
) -> Rebuilt:
    """Derive every table but the recorded ones again, compare, publish, and swap in.

    The batches are replayed with their recorded configuration, for a new generation with today's
    vocabulary and today's declarations of the sources that are turned on. A batch that broke off
    is not replayed: its next run derives it in the new generation. Readers keep what they have
    open: the generation before stays until the next rebuild.

    Raises:
        BusyError: another run holds the warehouse.
        ConfigurationError: there is no whole batch.
        SnapshotError: an audit found something; nothing is swapped in.
    """
    with lease(warehouse.files) as held:
        warehouse = warehouse.newest()
        recorded = recorded_batches(warehouse)
        if not recorded:
            raise ConfigurationError(
                f"{warehouse.root} holds no batch yet: run `regesta nightly` first."
            )
        chosen = recorded
        if new_generation:
            chosen = [_renewed(each, configuration) for each in recorded]
        generation, settings = warehouse.generation + 1, configuration.settings
        _begin(warehouse, chosen, generation, report)
        replay(
            warehouse,
            chosen,
            generation=generation,
            today=configuration,
            report=report,
            confirm=held.confirm,
        )
        held.confirm()
        return _finish(warehouse, chosen, settings, report, keep_differences=new_generation)


def _renewed(batch: RecordedBatch, configuration: Configuration) -> RecordedBatch:
    """Return the batch as if today's vocabulary and declarations had been used for it."""
    today = configuration.recorded()
    names = {entry["source"] for entry in today["sources"]}
    gone = [entry for entry in batch.config["sources"] if entry["source"] not in names]
    settings = {**batch.config["settings"], "timeline": today["settings"]["timeline"]}
    renewed = {
        "settings": settings,
        "ontology": today["ontology"],
        "sources": [*today["sources"], *gone],
    }
    return replace(batch, config={**batch.config, **renewed})


def _begin(
    warehouse: Warehouse, batches: Sequence[RecordedBatch], generation: int, report: Report
) -> None:
    """Keep what an earlier run built of the same batches by the same code; remove anything else."""
    folder = generation_folder(generation)
    plan = {"code": _code(), "configurations": [_digest(each.config) for each in batches]}
    files, name = warehouse.files, f"{folder}/plan.json"
    earlier = files.read_json(name) if files.exists(name) else {"code": None, "configurations": []}
    built = earlier["configurations"]
    if earlier["code"] == plan["code"] and built == plan["configurations"][: len(built)]:
        report("going on with what an earlier rebuild has left")
    else:
        files.delete(folder)
    files.write(name, json.dumps(plan))


def _digest(config: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


def _code() -> str:
    """Return a digest of the package: what another code built is not gone on with."""
    digest = hashlib.sha256()
    for name, content in sorted(_modules(resources.files("regesta"))):
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def _modules(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _modules(entry, name)
        elif name.endswith(".py"):
            yield name, entry.read_bytes()


def _finish(
    warehouse: Warehouse,
    batches: Sequence[RecordedBatch],
    settings: Settings,
    report: Report,
    *,
    keep_differences: bool,
) -> Rebuilt:
    last, generation = batches[-1], warehouse.generation + 1
    built = Replayed.over(warehouse, generation=generation, until=last.number)
    folder = f"{warehouse.root}/{generation_folder(generation)}/differences"
    report("comparing ...")
    tables = compare(
        replace(warehouse, pinned=last.table_versions),
        replace(built, pinned=built.versions()),
        folder=folder,
        tolerant=keep_differences,
    )
    differs = any(table.counts for table in tables)
    report(f"comparing: {'there are differences' if differs else 'every row is the same'}")
    if not differs or keep_differences:
        published(_context(built, last, report), settings)
        _swap_in(warehouse, generation, last)
        report(f"generation {generation} is swapped in")
    return Rebuilt(
        generation, len(batches), tables, folder, is_swapped_in=not differs or keep_differences
    )


def _context(built: Replayed, last: RecordedBatch, report: Report) -> StepContext:
    ontology = Ontology.model_validate(last.config["ontology"])
    return StepContext(built, Batch(last.number, last.known_at), ontology, report)


def _swap_in(warehouse: Warehouse, generation: int, last: RecordedBatch) -> None:
    """Let a generation be the one to read, and remove those before the one that was.

    A batch under way keeps what it took in and is derived again, in this generation.
    """
    files = warehouse.files
    for step in (*DERIVING, "publish"):
        files.delete(f"batches/{last.number + 1}/{step}.json")
    told: dict[str, Any] = {"until": last.number, "known_at": last.known_at}
    files.create(swapped_in(generation), json.dumps(told))
    for name in files.names("generations"):
        if int(name) < generation - 1:
            files.delete(f"generations/{name}")
    if generation > 2:
        for table in (*model.DERIVED, "batches"):
            files.delete(f"tables/{table}")

"""Sending to a model's endpoint: share of a stated limit, overhead per request, memory.

    python tests/bench/bench_model.py 1200 --seconds 1 --per-minute 1200 --in-flight 32
    python tests/bench/bench_model.py 20000 --seconds 0

Two processes send as two tasks do, under one allowance, to a server on loopback in a third. With
answers that take no time the figure is what Regesta, the client and the server take together.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from chat_server import ChatServer
from regesta.llm.allowance import Allowance, Limits
from regesta.llm.client import Client
from regesta.llm.gate import Address, Gate, GateServer
from regesta.llm.requests import Request
from regesta.llm.sending import Sender, Step
from regesta.llm.settings import LanguageModelSettings
from regesta.llm.spool import Spool

TASKS = 2
MEGABYTE = 2**20
PROC = Path("/proc")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
"""An answer may be any object: what is measured is the sending."""


def requests(first: int, count: int) -> Iterator[Request]:
    """Give requests with a text of about four hundred words each."""
    for number in range(first, first + count):
        text = f"---- m ----\n{number} {'word ' * 400}\n---- m ----"
        messages = [{"role": "system", "content": "Read."}, {"role": "user", "content": text}]
        yield Request(f"k{number}", f"e{number}", "g", "v1", json.dumps(messages), 400)


async def _send(
    settings: LanguageModelSettings, address: Address, root: str, task: int, count: int
) -> None:
    gate = await Gate.opened(address, task)
    client = Client(settings, SCHEMA)
    spool = Spool(root, f"{task:05d}-0")
    step = Step("bench", SCHEMA, "", json.loads)
    await Sender(step, settings, client, gate, spool).send_all(requests(task * count, count))
    await client.close()
    gate.close()


def send(
    settings: LanguageModelSettings, address: Address, root: str, task: int, count: int
) -> None:
    """Be one task."""
    asyncio.run(_send(settings, address, root, task, count))


def serve(seconds: float, told: Any) -> None:
    """Be the server until killed."""
    with ChatServer(lambda body: '{"entities": [], "facts": []}', seconds=seconds) as server:
        server.received = _Forgetting()
        told.put(server.url)
        time.sleep(24 * 3600)


class _Forgetting(list[Any]):
    """Holds no bodies: the server's memory is not what is measured."""

    def append(self, body: Any) -> None:
        """Let it go."""


def watched(processes: list[Any]) -> tuple[float, list[int]]:
    """Return the seconds until all have ended, and the largest task's memory as it went."""
    begun, sizes = time.monotonic(), []
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        time.sleep(0.5)
        sizes.append(max(map(resident, processes)))
    return time.monotonic() - begun, [size for size in sizes if size]


def resident(process: Any) -> int:
    """Return the bytes of memory that a process holds; 0 once it has ended."""
    try:
        pages = (PROC / str(process.pid) / "statm").read_text().split()[1]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(pages) * resource.getpagesize()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", type=int)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--per-minute", type=int)
    parser.add_argument("--in-flight", type=int, default=32)
    options = parser.parse_args()
    told: Any = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(options.seconds, told), daemon=True)
    server.start()
    settings = LanguageModelSettings(
        base_url=told.get(), name="bench", in_flight=options.in_flight, structure="text"
    )
    allowance = Allowance(Limits(requests_per_minute=options.per_minute))
    with (
        tempfile.TemporaryDirectory() as root,
        GateServer(allowance, listen="127.0.0.1", host="127.0.0.1") as gate,
    ):
        arguments = settings, gate.address, root
        count = options.requests // TASKS
        seconds, sizes = watched(
            [
                multiprocessing.Process(target=send, args=(*arguments, task, count))
                for task in range(TASKS)
            ]
        )
    server.terminate()
    rate = allowance.answers / seconds
    print(f"{allowance.answers:,} answers in {seconds:.1f} s: {rate:.1f} a second", end="")
    if options.per_minute:
        print(f", {60 * rate / options.per_minute:.1%} of the limit", end="")
    else:
        print(f"; a task spends {1000 * TASKS / rate:.2f} ms on each", end="")
    print()
    quarter = sizes[: max(1, len(sizes) // 4)]
    print(
        f"memory of a task: {max(quarter) / MEGABYTE:.0f} MiB in the first quarter, "
        f"{max(sizes) / MEGABYTE:.0f} MiB at most"
    )


if __name__ == "__main__":
    main()

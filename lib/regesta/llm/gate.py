"""The one allowance of all tasks: kept by the driver, asked by executors over a connection.

A task claims its partition with its first line and holds it until the connection closes, so a
speculative copy of it waits, and then finds everything answered. Lines are JSON objects; the
connection begins with a secret that travels to the tasks with their code.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socketserver
import threading
import time
from collections import defaultdict
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple

from regesta.llm.allowance import Allowance, Permit, Usage


class Address(NamedTuple):
    """Where the driver's gate is found, and the word that opens it."""

    host: str
    port: int
    secret: str


class GateServer:
    """Serves one allowance while a step sends; a context manager.

    It listens at `listen` and is found by the tasks at `host`.
    """

    def __init__(self, allowance: Allowance, *, listen: str, host: str) -> None:
        self.allowance = allowance
        self.lock = threading.Lock()
        self.claims: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)
        self._server = _Server((listen, 0), _Handler)
        self._server.gate = self
        self.address = Address(host, self._server.server_address[1], secrets.token_hex(16))

    def __enter__(self) -> GateServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def told(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return what the allowance says to one line."""
        now = time.monotonic()
        with self.lock:
            if asked["what"] == "permit":
                return self.allowance.permit(
                    now, Usage(*asked["most"]), asked["expected"]
                )._asdict()
            if asked["what"] == "stop":
                self.allowance.stop(asked["reason"])
            else:
                told = asked["outcome"]
                told["most"], told["used"] = Usage(*told["most"]), Usage(*told["used"])
                self.allowance.settle(now, **told)
            return {"share": self.allowance.share}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    gate: GateServer


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Serve one task from its secret and its claim to the end of the connection."""
        gate = self.server.gate
        with suppress(ConnectionError):  # a task that was killed
            if not hmac.compare_digest(self.rfile.readline().strip(), gate.address.secret.encode()):
                return
            with gate.claims[int(self.rfile.readline())]:
                self._put({"share": gate.allowance.share})
                for line in self.rfile:
                    self._put(gate.told(json.loads(line)))

    def _put(self, told: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(told).encode() + b"\n")


class Gate:
    """A task's side of the gate; use `opened`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._lock = asyncio.Lock()
        self.share = 1.0
        self.stopped = False

    @classmethod
    async def opened(cls, address: Address, partition: int) -> Gate:
        """Connect and claim a partition; waits while another attempt at it is at work."""
        reader, writer = await asyncio.open_connection(address.host, address.port)
        gate = cls(reader, writer)
        writer.write(f"{address.secret}\n{partition}\n".encode())
        await gate._read()
        return gate

    def close(self) -> None:
        """Give the partition back."""
        self._writer.close()

    async def permit(self, most: Usage, expected: int) -> float | None:
        """Wait until a request may be sent; return when that was granted, None if it may not be."""
        while not self.stopped:
            told = await self._call({"what": "permit", "most": most, "expected": expected})
            permit = Permit(**told)
            self.stopped = permit.stop is not None
            await asyncio.sleep(permit.wait)
            if permit.granted:
                return permit.granted_at
        return None

    async def settle(self, **outcome: Any) -> None:
        """Tell what became of a sending: the arguments of `Allowance.settle`."""
        await self._call({"what": "settle", "outcome": outcome})

    async def stop(self, reason: str) -> None:
        """Let no task send anything more."""
        self.stopped = True
        await self._call({"what": "stop", "reason": reason})

    async def _call(self, asked: dict[str, Any]) -> dict[str, Any]:
        async with self._lock:
            self._writer.write(json.dumps(asked).encode() + b"\n")
            return await self._read()

    async def _read(self) -> dict[str, Any]:
        line = await self._reader.readline()
        if not line:
            raise ConnectionError("the driver has closed the gate of the model requests")
        told: dict[str, Any] = json.loads(line)
        self.share = told["share"]
        return told

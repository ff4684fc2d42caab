"""A server on loopback that speaks OpenAI's chat completions, with scripted faults."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TEXT = re.compile(r"---- (\w+) ----\n(.*?)\n---- \1 ----", re.DOTALL)


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request: a status, or the name of a fault in `_Handler`."""

    kind: str | int
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "scripted"
    code: str | None = None


def shown_text(body: dict[str, Any]) -> str:
    """The episode's text in a request: the last of the texts between marks."""
    first = next(message for message in body["messages"] if message["role"] == "user")
    return str(TEXT.findall(first["content"])[-1][1])


class ChatServer:
    """Answers with what `answer` makes of the body, unless `fault` (of number and body) says not.

    `received` holds the bodies in order, `keys` the keys they came with; answers take `seconds`.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str],
        fault: Callable[[int, dict[str, Any]], Fault | None] = lambda number, body: None,
        seconds: float = 0.0,
    ) -> None:
        self.answer, self.fault, self.seconds = answer, fault, seconds
        self.received: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.most_at_once = self.at_once = 0
        self.lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.chat = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def texts(self) -> list[str]:
        """The episodes' texts in the order in which they were asked about."""
        return [shown_text(body) for body in self.received]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    chat: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that are killed drop their connections


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with chat.lock:
            number = len(chat.received)
            chat.received.append(body)
            chat.keys.append(self.headers["Authorization"])
            chat.times.append(time.monotonic())
            chat.at_once += 1
            chat.most_at_once = max(chat.most_at_once, chat.at_once)
        try:
            time.sleep(chat.seconds)
            self._answer(body, chat.fault(number, body))
        finally:
            with chat.lock:
                chat.at_once -= 1

    def _answer(self, body: dict[str, Any], fault: Fault | None) -> None:
        kind = fault.kind if fault else None
        if fault and isinstance(kind, int):
            error = {"message": fault.message, "code": fault.code, "type": "scripted"}
            self._send(kind, {"error": error}, fault.headers)
        elif kind == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif kind == "hang":
            time.sleep(3)
            self.close_connection = True
        elif kind == "no json":
            self._write(200, b"<html>gateway</html>", {})
        else:
            self._send(200, self._completion(body, kind), {})

    def _completion(self, body: dict[str, Any], kind: str | int | None) -> dict[str, Any]:
        text = self.server.chat.answer(body)
        finish = "stop"
        if kind == "truncated":
            text, finish = text[: len(text) // 2], "length"
        elif kind == "broken":
            text = text[:-2]
        elif kind == "wrong form":
            text = '{"entities": [{"title": "x"}], "facts": []}'
        elif kind == "filtered":
            finish = "content_filter"
        prompt = sum(len(message["content"]) for message in body["messages"]) // 4
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": len(text) // 4,
                "total_tokens": prompt + len(text) // 4,
            },
        }

    def _send(self, status: int, content: dict[str, Any], headers: dict[str, str]) -> None:
        self._write(status, json.dumps(content).encode(), headers)

    def _write(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

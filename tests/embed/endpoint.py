"""An endpoint for embeddings on this machine, which keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from regesta.embed.encoder import Space

DIMENSION = 8


def letters(text: str) -> list[float]:
    """Return how often the letters of a text occur, by their number modulo 8."""
    codes = [ord(letter) % DIMENSION for letter in text.lower() if letter.isalpha()]
    return np.bincount(codes, minlength=DIMENSION).astype(float).tolist()


def unit_letters(text: str) -> np.ndarray:
    """Return the same, of length one."""
    vector = np.array(letters(text), np.float32)
    return vector / np.linalg.norm(vector)


@dataclass
class Endpoint:
    """Where it listens, and the texts of all requests in turn."""

    base_url: str
    texts: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    def space(self, **changes: object) -> Space:
        """Return the space of its model."""
        told = {"model": "letters", "dimension": DIMENSION, "base_url": self.base_url}
        return Space(**{**told, **changes})


@contextmanager
def listening() -> Iterator[Endpoint]:
    """Answer on a free port until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked["model"] != "letters":
                self.answer(404, {"error": {"message": f"no model {asked['model']}"}})
                return
            endpoint.texts += asked["input"]
            endpoint.keys.add(self.headers["Authorization"])
            # The order of an answer is that of its indices, not that of its lines.
            rows = [
                {"object": "embedding", "index": place, "embedding": letters(text)}
                for place, text in enumerate(asked["input"])
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            told = {"object": "list", "model": "letters", "data": rows[::-1], "usage": usage}
            self.answer(200, told)

        def answer(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()

"""The cross-encoder for OpenAI's interface against a server on the loopback that speaks it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from query import world
from regesta.errors import SetupError
from regesta.query import OpenAICrossEncoder, QueryError

openai = pytest.importorskip("openai")


class Model(BaseHTTPRequestHandler):
    """Says True with the probability that the server's table has for a passage."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        self.server.asked.append((self.path, body))
        passage = text.split("<PASSAGE>\n")[1].split("\n</PASSAGE>")[0]
        status, answer = self.server.answer(passage)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


def completion(probabilities):
    top = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in probabilities]
    first = {**top[0], "top_logprobs": top} if top else None
    choice = {
        "index": 0,
        "finish_reason": "length",
        "message": {"role": "assistant", "content": "True"},
        "logprobs": {"content": [first]} if top else None,
    }
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    served = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    served.asked = []
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def encoder(server):
    return OpenAICrossEncoder("m", base_url=f"http://127.0.0.1:{server.server_port}/v1")


def test_passages_are_ordered_by_the_probability_of_true(server, tmp_path):
    said = {
        "ann knows bob": [("True", 0.3), (" true", 0.1), ("False", 0.4), ("Maybe", 0.2)],
        "ann likes fox": [("False", 0.9), ("True", 0.1)],
        "bob knows cy": [("True", 0.99), ("False", 0.01)],
        "cy knows dan": [("No", 1.0)],
    }
    server.answer = lambda passage: (200, completion(said[passage]))
    graph = world.opened(tmp_path).group("g")
    recipe = {"recipe": "fact_hybrid_cross_encoder", "cross_encoder": encoder(server)}
    hits = graph.search("ann knows", **recipe)
    assert [(hit.id, hit.score) for hit in hits] == [
        *(("f-bob", 0.99), ("f-ann", 0.5), ("l-ann", 0.1), ("f-cy", 0.0)),
    ]
    path, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert (body["model"], body["logprobs"], body["max_tokens"]) == ("m", True, 1)


def test_equal_passages_are_asked_once_and_all_scored(server):
    server.answer = lambda passage: (200, completion([("True", 0.25 if passage == "a" else 0.5)]))
    found = encoder(server)("q", ["a", "b", "a"])
    assert found == pytest.approx([1, 1, 1])
    assert len(server.asked) == 2


def test_a_model_without_log_probabilities(server):
    server.answer = lambda _: (200, completion([]))
    with pytest.raises(QueryError, match="no log probabilities"):
        encoder(server)("q", ["a"])


def test_an_endpoint_that_refuses(server):
    server.answer = lambda _: (401, {"error": {"message": "bad key"}})
    with pytest.raises(QueryError, match=r"127\.0\.0\.1.*bad key"):
        encoder(server)("q", ["a"])


def test_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        OpenAICrossEncoder("m")("q", ["a"])


def test_openai_is_imported_at_the_first_question():
    program = (
        "import sys, regesta.query as q; q.OpenAICrossEncoder('m'); print('openai' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"

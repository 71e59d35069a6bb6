"""A server that speaks OpenAI's chat completions, on this machine, with faults to order.

with FakeOpenAIServer() as server:
    server.faults = ["429", "500"]      # the first two requests; the rest are answered
    server.reply = lambda body: "B"
    ... server.url, server.requests
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = (
    "429",
    "quota",
    "500",
    "slow",
    "drip",
    "drop",
    "cut",
    "invalid_json",
    "no_choices",
    "error_200",
    "choices_object",
    "content_number",
    "odd_counts",
    "400",
    "401",
    "403",
    "404",
    "503",
)
ANSWERS = ("refusal", "refusal_field", "empty", "null", "parts", "length", "content_filter")


class FakeOpenAIServer:
    """Records every request in `requests` ({"path", "headers", "body", "raw"}) and answers it.

    `top_logprobs`: {token: logprob} told to who asks for it.
    `faults`: one of FAULTS or ANSWERS a request, used up from the front; None = no fault. `fault`: the same for
    every request. `reply`: body -> text. `slow_s`: how long "slow" waits. `retry_after`: the header of a 429.
    """

    def __init__(self):
        self.requests = []
        self.faults = []
        self.fault = None
        self.reply = lambda body: "B"
        self.delay_s = 0.0
        self.slow_s = 5.0
        self.retry_after = "0"
        self.close_after_reply = False
        self.top_logprobs = None
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections = 0
        self.lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self, seconds):
        self._stopping.wait(seconds)

    def take(self, path, headers, raw):
        body = json.loads(raw)
        with self.lock:
            self.requests.append({"path": path, "headers": headers, "body": body, "raw": raw})
            return body, self.faults.pop(0) if self.faults else self.fault


def completion(text, finish_reason="stop", **message):
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "fake",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 64}},
    }


def _answer(fault, body, server):
    """Status, headers and content of the reply."""
    if fault in ("429", "quota"):
        error = {"message": "Too many requests", "code": "insufficient_quota" if fault == "quota" else "rate_limit"}
        return 429, {"Retry-After": server.retry_after}, {"error": error}
    if fault in ("400", "401", "403", "404", "503"):
        return int(fault), {}, {"error": {"message": f"Nothing here for {body['model']}:\n key sk-very-secret"}}
    if fault == "500":
        return 500, {}, "the worker died"
    if fault == "invalid_json":
        return 200, {}, '{"choices": [{"mess'
    if fault == "no_choices":
        return 200, {}, {"choices": []}
    if fault == "choices_object":
        return 200, {}, {"choices": {"message": {"content": "B"}}}
    if fault == "content_number":
        return 200, {}, completion(5)
    if fault == "odd_counts":
        return 200, {}, {**completion("B"), "usage": {"prompt_tokens": "many"}}
    if fault == "error_200":
        return 200, {}, {"error": {"message": "upstream is away"}}
    text = {
        "refusal": "I'm sorry, I cannot help with that.",
        "empty": "",
        "null": None,
        "refusal_field": None,
        "parts": [{"type": "text", "text": "The answer "}, {"type": "text", "text": "is C"}],
        "length": "Let me think about",
        "content_filter": "",
    }.get(fault, "")
    more = {"refusal": "I will not."} if fault == "refusal_field" else {}
    if fault not in ANSWERS:
        text = server.reply(body)
    told = completion(text, fault if fault in ("length", "content_filter") else "stop", **more)
    if body.get("logprobs") and server.top_logprobs:
        likeliest = [{"token": token, "logprob": value} for token, value in server.top_logprobs.items()]
        told["choices"][0]["logprobs"] = {"content": [{**likeliest[0], "top_logprobs": likeliest}]}
    return 200, {}, told


def _handler(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            with server.lock:
                server.connections += 1

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            body, fault = server.take(self.path, dict(self.headers), raw)
            with server.lock:
                server.in_flight += 1
                server.most_in_flight = max(server.most_in_flight, server.in_flight)
            try:
                self._reply(body, fault)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                with server.lock:
                    server.in_flight -= 1

        def _reply(self, body, fault):
            if server.delay_s:
                time.sleep(server.delay_s)
            if fault == "slow":
                server.wait(server.slow_s)
            if fault == "drop":
                self.close_connection = True
                self.connection.close()
                return
            status, headers, content = _answer(fault, body, server)
            sent = (content if isinstance(content, str) else json.dumps(content)).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            if fault == "cut":
                self.wfile.write(sent[:20])
                self.close_connection = True
            elif fault == "drip":
                for byte in sent:
                    self.wfile.write(bytes([byte]))
                    server.wait(0.05)
            else:
                self.wfile.write(sent)
            if server.close_after_reply:
                self.close_connection = True

        def log_message(self, *_):
            """Stay quiet."""

    return Handler

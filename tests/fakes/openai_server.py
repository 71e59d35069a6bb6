"""A server that speaks OpenAI's chat completions, on this machine, with faults to order.

with FakeOpenAIServer() as server:
    server.faults = ["429", "500"]      # the first two requests; the rest are answered
    server.reply = lambda body: "B"
    ... server.url, server.requests
    server.media = MediaModel(keeps_pictures=8)     # decodes what it was sent, counts its tokens, reads it
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fakes.openai_media import Unacceptable

FAULTS = (
    "429",
    "quota",
    "500",
    "slow",
    "hang",
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
    "301",
    "abort",
    "withheld",
    "no_logprobs",
)
ANSWERS = (
    "refusal",
    "refusal_field",
    "empty",
    "null",
    "parts",
    "length",
    "content_filter",
    "tool_call",
    "reasoning",
    "think",
    "reasoning_length",
    "function_call",
    "no_usage",
)
TOOL_CALL = {"id": "call-1", "type": "function", "function": {"name": "search", "arguments": '{"q": "who sings"}'}}
REASONING = "It is a violin, so B."


class FakeOpenAIServer:
    """Records every request in `requests` ({"path", "headers", "body", "raw"}) and answers it.

    `top_logprobs`: {token: logprob} told to who asks for it. `usage`: counts of tokens told in place of the usual.
    `faults`: one of FAULTS or ANSWERS a request, used up from the front; None = no fault; "refuses NAME NAME" refuses
    settings. `fault`: the same for every request. `reply`: body -> text.
    `slow_s`: how long "slow" waits; "hang" waits until the server ends.
    `retry_after`: the header of a 429.
    `media`: a MediaModel that answers what is asked about the media and counts all tokens; `reply` answers the rest.
    `models`: what GET /models lists; None = there is no such address. `key`: asked for in every request where given.
    `seconds_per_token`: for every prompt token that is in no cache, where `media` is given.
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
        self.usage = None
        self.media = None
        self.models = [{"id": "fake", "object": "model", "owned_by": "vllm", "max_model_len": 32768}]
        self.key = None
        self.seconds_per_token = 0.0
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
    try:
        return _reply_to(fault, body, server)
    except Unacceptable as problem:
        return 400, {}, {"error": {"message": str(problem)}}


def _reply_to(fault, body, server):
    if fault in ("429", "quota"):
        error = {"message": "Too many requests", "code": "insufficient_quota" if fault == "quota" else "rate_limit"}
        return 429, {"Retry-After": server.retry_after}, {"error": error}
    if fault == "withheld":
        return 400, {}, {"error": {"message": "The prompt was filtered", "code": "content_filter"}}
    refused = fault.removeprefix("refuses ").split() if fault and fault.startswith("refuses ") else ()
    for name in (each for each in refused if each in body):
        told = f"Unsupported parameter: '{name}' is not supported with this model."
        return 400, {}, {"error": {"message": told, "param": name, "code": "unsupported_parameter"}}
    if fault == "no_logprobs" and "logprobs" in body:
        return 400, {}, {"error": {"message": "logprobs are not supported with this model"}}
    if fault and fault.isdigit() and fault not in ("429", "500"):
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
    return 200, {}, _answered(fault, body, server)


def _answered(fault, body, server):
    """A completion, as odd as the fault orders."""
    text = {
        "refusal": "I'm sorry, I cannot help with that.",
        "empty": "",
        "null": None,
        "refusal_field": None,
        "parts": [{"type": "text", "text": "The answer "}, {"type": "text", "text": "is C"}],
        "length": "Let me think about",
        "content_filter": "",
        "think": f"<think>{REASONING}</think>B",
        "reasoning_length": "",
    }.get(fault, "")
    more = {
        "refusal_field": {"refusal": "I will not."},
        "tool_call": {"tool_calls": [TOOL_CALL]},
        "function_call": {"function_call": TOOL_CALL["function"]},
        "reasoning": {"reasoning_content": REASONING},
        "reasoning_length": {"reasoning_content": REASONING},
    }.get(fault, {})
    read, usage, likely, fresh = server.media.answer(body) if server.media else (None, None, server.top_logprobs, 0)
    if fault not in ANSWERS or fault in ("reasoning", "no_usage"):
        text = server.reply(body) if read is None else read
    ends = {"reasoning_length": "length", "tool_call": "tool_calls", "function_call": "function_call", "abort": "abort"}
    end = fault if fault in ("length", "content_filter") else ends.get(fault, "stop")
    told = completion(text, end, **more)
    if fault == "no_usage":
        del told["usage"]
    if server.usage:
        told["usage"] = server.usage
    if server.media:
        told["usage"] = usage
        server.wait(server.seconds_per_token * fresh)
    if body.get("logprobs") and likely:
        likeliest = [{"token": token, "logprob": value} for token, value in likely.items()]
        told["choices"][0]["logprobs"] = {"content": [{**likeliest[0], "top_logprobs": likeliest}]}
    return told


def _handler(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self):
            super().setup()
            with server.lock:
                server.connections += 1

        def do_GET(self):
            if not self._is_allowed():
                return
            if server.models is None or not self.path.endswith("/models"):
                self._send(404, {}, {"detail": "Not Found"})
            else:
                self._send(200, {}, {"object": "list", "data": server.models})

        def _is_allowed(self):
            allowed = server.key is None or self.headers.get("Authorization") == f"Bearer {server.key}"
            if not allowed:
                self._send(401, {}, {"error": "Unauthorized"})
            return allowed

        def _send(self, status, headers, content, write=None):
            sent = (content if isinstance(content, str) else json.dumps(content)).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            (write or self.wfile.write)(sent)

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if not self._is_allowed():
                return
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
            if fault == "hang":
                server.wait(None)
            if fault == "drop":
                self.close_connection = True
                self.connection.close()
                return
            self._send(*_answer(fault, body, server), write=self._writer(fault))
            if server.close_after_reply:
                self.close_connection = True

        def _writer(self, fault):
            def cut(sent):
                self.wfile.write(sent[:20])
                self.close_connection = True

            def drip(sent):
                for byte in sent:
                    self.wfile.write(bytes([byte]))
                    server.wait(0.05)

            return {"cut": cut, "drip": drip}.get(fault)

        def log_message(self, *_):
            """Stay quiet."""

    return Handler

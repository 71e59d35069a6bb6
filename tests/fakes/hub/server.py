"""A Hugging Face Hub on this machine, for tests: the calls that huggingface_hub, datasets and evaluate make.

with FakeHub() as hub:
    hub.create("datasets", "ORG/name", {"README.md": b"..."})
    ... HfApi(endpoint=hub.url, token=WRITER)
    hub.faults.order("commit", status=412)         # the next commit
    hub.requests                                   # everything that was asked
    hub.repository("datasets", "ORG/name").files   # what lies there now
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from fakes.hub import answers
from fakes.hub.faults import Faults
from fakes.hub.store import Refused, Store, User

WRITER = "hf_writerwriterwriterwriterwriterwri"
READER = "hf_readerreaderreaderreaderreaderrea"
STRANGER = "hf_strangerstrangerstrangerstranger"
USERS = {
    WRITER: User("writer", ("ORG",)),
    READER: User("reader", ("ORG",), role="read"),
    STRANGER: User("stranger"),
}
REPOSITORY = r"/api/(?P<type>models|datasets|spaces)/(?P<id>[^/]+/[^/]+)"
PAGE = r"/(?:(?P<type>datasets|spaces)/)?(?P<id>[^/]+/[^/]+)"
ROUTES = tuple(
    (name, method.split("|"), re.compile(pattern))
    for name, method, pattern in (
        ("whoami", "GET", r"/api/whoami-v2"),
        ("harnesses", "GET", r"/api/agent-harnesses"),
        ("create", "POST", r"/api/repos/create"),
        ("delete", "DELETE", r"/api/repos/delete"),
        ("validate_yaml", "POST", r"/api/validate-yaml"),
        ("preupload", "POST", REPOSITORY + r"/preupload/(?P<revision>[^/]+)"),
        ("commit", "POST", REPOSITORY + r"/commit/(?P<revision>[^/]+)"),
        ("tree", "GET", REPOSITORY + r"/tree/(?P<revision>[^/]+)(?:/(?P<path>.+))?"),
        ("paths_info", "POST", REPOSITORY + r"/paths-info/(?P<revision>[^/]+)"),
        ("revision", "GET", REPOSITORY + r"/revision/(?P<revision>[^/]+)"),
        ("refs", "GET", REPOSITORY + r"/refs"),
        ("commits", "GET", REPOSITORY + r"/commits/(?P<revision>[^/]+)"),
        ("discussions", "GET", REPOSITORY + r"/discussions"),
        ("discussion", "GET", REPOSITORY + r"/discussions/(?P<number>\d+)"),
        ("status", "POST", REPOSITORY + r"/discussions/(?P<number>\d+)/status"),
        ("merge", "POST", REPOSITORY + r"/discussions/(?P<number>\d+)/merge"),
        ("auth_check", "GET", REPOSITORY + r"/auth-check"),
        ("info", "GET", REPOSITORY),
        ("lfs_batch", "POST", PAGE + r"\.git/info/lfs/objects/batch"),
        ("resolve", "GET|HEAD", PAGE + r"/resolve/(?P<revision>[^/]+)/(?P<path>.+)"),
        ("lfs_upload", "PUT", r"/lfs/(?P<sha256>[0-9a-f]{64})"),
        ("lfs_download", "GET|HEAD", r"/lfs/(?P<sha256>[0-9a-f]{64})"),
    )
)


class Request(NamedTuple):
    """What was asked."""

    method: str
    path: str
    route: str
    headers: dict
    query: dict
    body: bytes
    port: int

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        """The body of a commit."""
        return [json.loads(line) for line in self.body.splitlines() if line.strip()]


class Answer(NamedTuple):
    """What is said; `content` None = nothing, as for HEAD, with the length that it would have."""

    status: int = 200
    content: bytes = b""
    headers: dict = {}  # noqa: RUF012


class FakeHub:
    """One Hub; `redirects`: large files are fetched from a second port, as from a CDN.

    `ignores_parents`: a commit whose parent is no longer the head is taken all the same.
    """

    def __init__(self, *, redirects=False):
        self.store = Store()
        self.store.users = dict(USERS)
        self.faults = Faults()
        self.requests = []
        self.redirects = redirects
        self.ignores_parents = False
        self.lock = threading.RLock()
        self._servers = [self._server(), self._server()]

    def _server(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        server.hub = self
        return server

    def __enter__(self):
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._servers[0].server_port}"

    @property
    def cdn_url(self):
        return f"http://127.0.0.1:{self._servers[1].server_port}"

    def create(self, kind, name, files=None, **settings):
        """A repository with `files` {path: bytes} in one commit."""
        with self.lock:
            made = self.store.create(kind, name, **settings)
            if files:
                self.commit(kind, name, files, title="files of the test")
            return made

    def commit(self, kind, name, files, *, removed=(), title="by another client"):
        """A commit that somebody else makes."""
        with self.lock:
            blobs = {path: self.store.blob(path, content) for path, content in files.items()}
            return self.store.repository(kind, name).add_commit("main", title, "", "another", blobs, removed)

    def repository(self, kind, name):
        return self.store.repository(kind, name)

    def asked(self, route):
        """The requests of a route so far."""
        return [each for each in self.requests if each.route == route]

    def environment(self, folder, token=WRITER):
        """Variables for a process that is to see this Hub and nothing else."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(folder / "hf"),
            "HF_TOKEN": token or "",
            "HF_HUB_OFFLINE": "0",
            "HF_DATASETS_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._serve()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def _serve(self):
        hub = self.server.hub
        body = self._body()
        split = urlsplit(self.path)
        route, named = self._route(split.path)
        request = Request(
            self.command, split.path, route, dict(self.headers), parse_qs(split.query), body, self.server.server_port
        )
        fault = None
        with hub.lock:
            hub.requests.append(request)
            fault = hub.faults.next(route, split.path)
        if fault is not None and fault.do is not None:
            fault.do()
        kind = fault.kind if fault is not None else "none"
        if kind == "drop":
            self.close_connection = True
            return
        try:
            if kind == "status":
                raise Refused(fault.status, fault.words, fault.code, fault.headers)
            with hub.lock:
                answer = self._answer(request, named, ignore_range=kind == "no_range")
            if kind == "after":
                raise Refused(fault.status, fault.words, fault.code, fault.headers)
        except Refused as refusal:
            answer = refused(refusal)
        self._send(answer, kind)

    def _answer(self, request, named, *, ignore_range):
        if request.route == "":
            raise Refused(404, f"no such address: {request.path}")
        if ignore_range:
            request = request._replace(headers={k: v for k, v in request.headers.items() if k.lower() != "range"})
        caller = answers.Caller(self.server.hub, request, named)
        made = getattr(answers, request.route)(caller)
        if isinstance(made, Answer):
            return made
        if isinstance(made, tuple):
            return Answer(*made)
        return Answer(200, json.dumps(made).encode(), {"Content-Type": "application/json"})

    def _route(self, path):
        for name, methods, pattern in ROUTES:
            match = pattern.fullmatch(path)
            if match and self.command in methods:
                return name, {key: unquote(value) for key, value in match.groupdict().items() if value is not None}
        return "", {}

    def _body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _send(self, answer, kind):
        content = answer.content
        if kind == "garble" and content:
            middle = len(content) // 2
            content = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in answer.headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if kind == "cut":
            content = content[: len(content) // 2]
            self.close_connection = True
        try:
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True


def refused(refusal):
    """The answer to what cannot be had, with the headers by which huggingface_hub tells the causes apart."""
    headers = {"Content-Type": "application/json", "X-Error-Message": refusal.words, **refusal.headers}
    if refusal.code:
        headers["X-Error-Code"] = refusal.code
    return Answer(refusal.status, json.dumps({"error": refusal.words}).encode(), headers)

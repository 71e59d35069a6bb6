"""What the fake Hub keeps: repositories with commits, references, pull requests and large files."""

import hashlib
from dataclasses import dataclass, field

ZERO = "0" * 40
LARGE = (".parquet", ".bin", ".npz", ".safetensors", ".zip", ".wav", ".mp4", ".flac")
TYPES = ("models", "datasets", "spaces")


class Refused(Exception):
    """An answer that is no success: status, code (`X-Error-Code`), words, further headers."""

    def __init__(self, status, words, code=None, headers=None):
        super().__init__(words)
        self.status, self.words, self.code, self.headers = status, words, code, headers or {}


@dataclass(frozen=True)
class Blob:
    """A file in a commit."""

    content: bytes
    large: bool

    @property
    def sha256(self):
        return hashlib.sha256(self.content).hexdigest()

    @property
    def git_oid(self):
        text = self.content
        if self.large:
            text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(text)}\n".encode()
        return hashlib.sha1(f"blob {len(text)}\0".encode() + text).hexdigest()

    @property
    def etag(self):
        return self.sha256 if self.large else self.git_oid


@dataclass(frozen=True)
class Commit:
    """One state of a repository."""

    oid: str
    parent: str | None
    title: str
    description: str
    author: str
    files: dict


@dataclass
class Discussion:
    """A pull request."""

    number: int
    title: str
    description: str
    author: str
    status: str = "open"
    comments: list = field(default_factory=list)


@dataclass
class Repository:
    """One model, dataset or Space."""

    type: str
    id: str
    private: bool = False
    gated: bool = False
    sdk: str | None = None
    commits: dict = field(default_factory=dict)
    order: list = field(default_factory=list)
    references: dict = field(default_factory=dict)
    discussions: list = field(default_factory=list)

    def __post_init__(self):
        self.add_commit("main", "initial commit", "", "system", {}, ())

    @property
    def owner(self):
        return self.id.partition("/")[0]

    @property
    def head(self):
        return self.references["main"]

    @property
    def files(self):
        """Paths and contents at the head of main."""
        return {path: blob.content for path, blob in self.commits[self.head].files.items()}

    def files_at(self, revision):
        return {path: blob.content for path, blob in self.commit(revision).files.items()}

    def commit(self, revision):
        oid = self.references.get(revision, revision)
        if oid not in self.commits:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def add_commit(self, reference, title, description, author, changed, removed, parent=None):
        """A commit on `reference`: `changed` {path: Blob}, `removed` paths; a path with / at its end is a folder."""
        parent = self.references.get(reference) if parent is None else parent
        files = dict(self.commits[parent].files) if parent else {}
        for path in removed:
            gone = [each for each in files if each == path or (path.endswith("/") and each.startswith(path))]
            for each in gone:
                del files[each]
        files.update(changed)
        seed = f"{self.type}/{self.id} {reference} {parent} {title} {len(self.commits)}"
        oid = hashlib.sha1(seed.encode()).hexdigest()
        self.commits[oid] = Commit(oid, parent, title, description, author, files)
        self.order.append(oid)
        self.references[reference] = oid
        return oid

    def open_pull_request(self, title, description, author):
        number = len(self.discussions) + 1
        self.discussions.append(Discussion(number, title, description, author))
        self.references[f"refs/pr/{number}"] = self.head
        return number

    def merge(self, number):
        """Merge a pull request into main."""
        proposed = self.commit(f"refs/pr/{number}")
        before = self.commits[proposed.parent].files if proposed.parent else {}
        changed = {path: blob for path, blob in proposed.files.items() if before.get(path) != blob}
        removed = [path for path in before if path not in proposed.files]
        self.discussions[number - 1].status = "merged"
        return self.add_commit("main", proposed.title, proposed.description, proposed.author, changed, removed)

    def history(self, revision):
        found, oid = [], self.commit(revision).oid
        while oid:
            found.append(self.commits[oid])
            oid = self.commits[oid].parent
        return found


@dataclass(frozen=True)
class User:
    """Who a token belongs to. `role`: read or write."""

    name: str
    organisations: tuple = ()
    role: str = "write"

    def may_write(self, owner):
        return self.role == "write" and owner in (self.name, *self.organisations)

    def may_read(self, owner):
        return owner in (self.name, *self.organisations)


class Store:
    """All repositories, tokens and large files."""

    def __init__(self):
        self.repositories = {}
        self.large_files = {}
        self.users = {}

    def repository(self, kind, name):
        found = self.repositories.get((kind, name))
        if found is None:
            raise Refused(404, "Repository not found", "RepoNotFound")
        return found

    def create(self, kind, name, **settings):
        if (kind, name) in self.repositories:
            raise Refused(409, "You already created this repo")
        made = self.repositories[kind, name] = Repository(kind, name, **settings)
        return made

    def blob(self, path, content):
        return Blob(content, path.endswith(LARGE))

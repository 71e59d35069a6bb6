"""What the fake Hub answers, one function a route."""

import base64
import json
import re
from urllib.parse import parse_qs, quote

import yaml
from fakes.hub.store import Blob, Refused

DATE = "2026-01-02T03:04:05.000Z"


class Caller:
    """A request with who asks and what it is about."""

    def __init__(self, hub, request, named):
        self.hub, self.request, self.named = hub, request, named
        self.type = named.get("type", "models")

    @property
    def user(self):
        header = next((v for k, v in self.request.headers.items() if k.lower() == "authorization"), "")
        token = header.removeprefix("Bearer ").strip()
        if not token:
            return None
        if token not in self.hub.store.users:
            raise Refused(401, "Invalid credentials in Authorization header")
        return self.hub.store.users[token]

    def signed_in(self):
        if self.user is None:
            raise Refused(401, "Invalid username or password.")
        return self.user

    @property
    def repository(self):
        """The repository; who may not see it is told that there is none."""
        found = self.hub.store.repositories.get((self.type, self.named["id"]))
        user = self.user
        if found is None or (found.private and (user is None or not user.may_read(found.owner))):
            raise Refused(401 if user is None else 404, "Repository not found", "RepoNotFound")
        return found

    def opened(self):
        """The repository, whose files may be read."""
        found, user = self.repository, self.user
        if found.gated and (user is None or not user.may_read(found.owner)):
            raise Refused(401 if user is None else 403, f"Access to {found.id} is restricted.", "GatedRepo")
        return found

    def flag(self, name):
        return self.request.query.get(name, [""])[0] in ("1", "true", "True")

    def written(self):
        """The repository and the user, who may write to it, or propose a change to it."""
        user, found = self.signed_in(), self.repository
        if user.role != "write" or not (self.flag("create_pr") or user.may_write(found.owner)):
            words = "Forbidden: you must use a write token to upload to a repository."
            raise Refused(403, words)
        return found, user


def whoami(caller):
    user = caller.signed_in()
    token = {"role": user.role, "displayName": "a token of the tests"}
    organisations = [{"type": "org", "name": name} for name in user.organisations]
    return {"type": "user", "name": user.name, "orgs": organisations, "auth": {"accessToken": token}}


def harnesses(_):
    raise Refused(404, "not here")


def create(caller):
    user, asked = caller.signed_in(), caller.request.json
    owner = asked.get("organization") or user.name
    if not user.may_write(owner):
        raise Refused(403, f"You don't have the rights to create a repository under the namespace {owner}")
    name, kind = f"{owner}/{asked['name']}", f"{asked.get('type') or 'model'}s"
    url = caller.hub.url + ("" if kind == "models" else f"/{kind}") + f"/{name}"
    if (kind, name) in caller.hub.store.repositories:
        body = b'{"error": "You already created this repo", "url": "%s"}' % url.encode()
        return 409, body, {"Content-Type": "application/json"}
    private = asked.get("visibility") == "private" or asked.get("private") is True
    caller.hub.store.create(kind, name, private=private, sdk=asked.get("sdk"))
    return {"url": url, "name": name, "id": name}


def delete(caller):
    user, asked = caller.signed_in(), caller.request.json
    owner = asked.get("organization") or user.name
    if not user.may_write(owner):
        raise Refused(403, "You don't have the rights to delete this repository")
    caller.hub.store.repositories.pop((f"{asked.get('type') or 'model'}s", f"{owner}/{asked['name']}"), None)
    return {}


def validate_yaml(caller):
    """Only what every card must obey: a YAML head that can be read."""
    asked = caller.request.json
    head = re.match(r"---\n(.*?)\n---\n", asked["content"], re.DOTALL)
    try:
        data = (yaml.safe_load(head.group(1)) if head else {}) or {}
        wrong = "" if isinstance(data, dict) else "the metadata are no mapping"
    except yaml.YAMLError as problem:
        data, wrong = {}, str(problem)
    if asked.get("repoType") == "space" and not wrong and "sdk" not in data:
        wrong = '"sdk" is required'
    told = {"errors": [{"message": wrong}] if wrong else [], "warnings": []}
    return 400 if wrong else 200, json.dumps(told).encode(), {"Content-Type": "application/json"}


def preupload(caller):
    found, _ = caller.written()
    files = found.commit(caller.named["revision"]).files
    told = []
    for each in caller.request.json["files"]:
        blob = caller.hub.store.blob(each["path"], b"x" * min(each["size"], 1))
        large = blob.large and each["size"] > 0
        now = files.get(each["path"])
        mode = "lfs" if large else "regular"
        told.append({"path": each["path"], "uploadMode": mode, "shouldIgnore": False, "oid": now.etag if now else None})
    return {"files": told}


def lfs_batch(caller):
    if caller.signed_in().role != "write":
        raise Refused(403, "Forbidden: a write token is needed")
    _ = caller.repository
    objects = []
    for each in caller.request.json["objects"]:
        entry = {"oid": each["oid"], "size": each["size"]}
        if each["oid"] not in caller.hub.store.large_files:
            entry["actions"] = {"upload": {"href": f"{caller.hub.url}/lfs/{each['oid']}", "header": {}}}
        objects.append(entry)
    return {"transfer": "basic", "objects": objects}


def lfs_upload(caller):
    blob = Blob(caller.request.body, True)
    if blob.sha256 != caller.named["sha256"]:
        raise Refused(400, "the content has another hash")
    caller.hub.store.large_files[blob.sha256] = blob.content
    return {}


def commit(caller):
    found, user = caller.written()
    header, *rest = caller.request.lines
    title, description = header["value"]["summary"], header["value"].get("description", "")
    changed, removed = _changes(caller, rest)
    revision, parent = caller.named["revision"], header["value"].get("parentCommit")
    if caller.flag("create_pr"):
        number = found.open_pull_request(title, description, user.name)
        oid = found.add_commit(f"refs/pr/{number}", title, description, user.name, changed, removed)
    else:
        number, now = None, found.commit(revision).oid
        if parent is not None and parent != now and not caller.hub.ignores_parents:
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        oid = found.add_commit(revision, title, description, user.name, changed, removed)
    page = _page(caller, found)
    told = {"success": True, "commitOid": oid, "commitUrl": f"{page}/commit/{oid}", "hookOutput": ""}
    return told | ({"pullRequestUrl": f"{page}/discussions/{number}"} if number else {})


def _changes(caller, lines):
    changed, removed = {}, []
    for line in lines:
        value = line["value"]
        if line["key"] == "file":
            changed[value["path"]] = Blob(base64.b64decode(value["content"]), False)
        elif line["key"] == "lfsFile":
            content = caller.hub.store.large_files.get(value["oid"])
            if content is None:
                raise Refused(400, f"the large file {value['path']} was never uploaded")
            changed[value["path"]] = Blob(content, True)
        elif line["key"] == "deletedFile":
            removed.append(value["path"])
        elif line["key"] == "deletedFolder":
            removed.append(value["path"].rstrip("/") + "/")
        else:
            raise Refused(400, f"unknown operation {line['key']}")
    return changed, removed


def _page(caller, found):
    return caller.hub.url + ("" if found.type == "models" else f"/{found.type}") + f"/{found.id}"


def info(caller, revision="main"):
    found = caller.repository
    state = found.commit(revision)
    siblings = [{"rfilename": path} for path in sorted(state.files)]
    if caller.flag("blobs"):
        for each in siblings:
            blob = state.files[each["rfilename"]]
            each.update({"size": len(blob.content), "blobId": blob.git_oid})
            if blob.large:
                each["lfs"] = {"sha256": blob.sha256, "size": len(blob.content), "pointerSize": 134}
    told = {
        "_id": "0" * 24,
        "id": found.id,
        "author": found.owner,
        "sha": state.oid,
        "private": found.private,
        "gated": "auto" if found.gated else False,
        "disabled": False,
        "tags": [],
        "downloads": 0,
        "likes": 0,
        "lastModified": DATE,
        "createdAt": DATE,
        "siblings": siblings,
    }
    return told | ({"modelId": found.id} if found.type == "models" else {})


def revision(caller):
    return info(caller, caller.named["revision"])


def _entry(path, blob):
    told = {"type": "file", "oid": blob.git_oid, "size": len(blob.content), "path": path}
    large = {"oid": blob.sha256, "size": len(blob.content), "pointerSize": 134}
    return told | ({"lfs": large} if blob.large else {})


def _folder(path):
    return {"type": "directory", "oid": "1" * 40, "size": 0, "path": path}


def _folders(files):
    parents = ("/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1))
    return sorted(set(parents))


def tree(caller):
    state = caller.opened().commit(caller.named["revision"])
    below = caller.named.get("path", "")
    start = f"{below}/" if below else ""
    files = {path: blob for path, blob in state.files.items() if path.startswith(start)}
    if below and not files:
        raise Refused(404, f"{below} does not exist", "EntryNotFound", {"X-Repo-Commit": state.oid})
    deep = caller.flag("recursive")
    entries = [_entry(path, blob) for path, blob in files.items() if deep or "/" not in path[len(start) :]]
    folders = [path for path in _folders(files) if path.startswith(start)]
    entries += [_folder(path) for path in folders if deep or "/" not in path[len(start) :]]
    return sorted(entries, key=lambda entry: entry["path"])


def paths_info(caller):
    state = caller.opened().commit(caller.named["revision"])
    if "json" in caller.request.headers.get("Content-Type", caller.request.headers.get("content-type", "")):
        paths = caller.request.json["paths"]
    else:
        paths = parse_qs(caller.request.body.decode()).get("paths", [])
    folders = set(_folders(state.files))
    found = []
    for path in paths:
        if path in state.files:
            found.append(_entry(path, state.files[path]))
        elif path in folders:
            found.append(_folder(path))
    return found


def refs(caller):
    found = caller.repository

    def each(name, reference):
        return {"name": name, "ref": reference, "targetCommit": found.references[name]}

    pulls = [name for name in found.references if name.startswith("refs/pr/")]
    told = {"branches": [each("main", "refs/heads/main")], "tags": [], "converts": []}
    return told | ({"pullRequests": [each(name, name) for name in pulls]} if caller.flag("include_prs") else {})


def commits(caller):
    return [
        {"id": each.oid, "title": each.title, "message": each.description, "date": DATE,
         "authors": [{"user": each.author}]}
        for each in caller.repository.history(caller.named["revision"])
    ]  # fmt: skip


def _discussion(found, each):
    return {
        "num": each.number,
        "title": each.title,
        "status": each.status,
        "isPullRequest": True,
        "author": {"name": each.author},
        "createdAt": DATE,
        "repo": {"name": found.id, "type": found.type.removesuffix("s")},
    }


def discussions(caller):
    found = caller.repository
    author, status = (caller.request.query.get(key, [""])[0] for key in ("author", "status"))
    chosen = [each for each in reversed(found.discussions) if not author or each.author == author]
    if status in ("open", "closed"):
        chosen = [each for each in chosen if (each.status == "open") == (status == "open")]
    entries = [_discussion(found, each) for each in chosen]
    return {"discussions": entries, "count": len(entries), "start": 0, "numClosedDiscussions": 0}


def discussion(caller):
    found = caller.repository
    number = int(caller.named["number"])
    if not 1 <= number <= len(found.discussions):
        raise Refused(404, "no such discussion")
    each = found.discussions[number - 1]
    comment = {"id": "1", "type": "comment", "createdAt": DATE, "author": {"name": each.author},
               "data": {"edited": False, "hidden": False, "latest": {"raw": each.description}}}  # fmt: skip
    more = {"events": [comment], "diffUrl": "", "filesWithConflicts": [], "changes": {"base": "refs/heads/main"}}
    return _discussion(found, each) | more


def status(caller):
    """Who opened a discussion, or may write to the repository, opens or closes it."""
    found, user = caller.repository, caller.signed_in()
    each = found.discussions[int(caller.named["number"]) - 1]
    if each.author != user.name and not user.may_write(found.owner):
        raise Refused(403, "Forbidden")
    each.status = caller.request.json["status"]
    each.comments.append(caller.request.json.get("comment", ""))
    told = {"id": "2", "type": "status-change", "createdAt": DATE, "author": {"name": user.name}}
    return {"newStatus": told | {"data": {"status": each.status}}}


def merge(caller):
    found, user = caller.written()
    if not user.may_write(found.owner):
        raise Refused(403, "Forbidden")
    found.merge(int(caller.named["number"]))
    return {}


def auth_check(caller):
    caller.opened()
    return {}


def resolve(caller):
    state = caller.opened().commit(caller.named["revision"])
    head = {"X-Repo-Commit": state.oid}
    blob = state.files.get(caller.named["path"])
    if blob is None:
        raise Refused(404, "Entry not found", "EntryNotFound", head)
    name = quote(caller.named["path"].rpartition("/")[2])
    head |= {"ETag": f'"{blob.etag}"', "Accept-Ranges": "bytes", "Content-Disposition": f'inline; filename="{name}"'}
    if blob.large:
        head |= {"X-Linked-Size": str(len(blob.content)), "X-Linked-ETag": f'"{blob.sha256}"'}
        if caller.hub.redirects:
            caller.hub.store.large_files[blob.sha256] = blob.content
            return 302, b"", head | {"Location": f"{caller.hub.cdn_url}/lfs/{blob.sha256}"}
    return _ranged(caller, blob.content, head)


def lfs_download(caller):
    content = caller.hub.store.large_files.get(caller.named["sha256"])
    if content is None:
        raise Refused(404, "no such file")
    return _ranged(caller, content, {"Accept-Ranges": "bytes"})


def _ranged(caller, content, head):
    asked = next((v for k, v in caller.request.headers.items() if k.lower() == "range"), None)
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", asked or "")
    if match is None:
        return 200, content, head | {"Content-Length": str(len(content))}
    first, last = match.groups()
    start = int(first) if first else max(0, len(content) - int(last))
    end = min(int(last), len(content) - 1) if first and last else len(content) - 1
    if start >= len(content):
        raise Refused(416, "beyond the end", None, {"Content-Range": f"bytes */{len(content)}"})
    part = content[start : end + 1]
    return 206, part, head | {"Content-Range": f"bytes {start}-{end}/{len(content)}", "Content-Length": str(len(part))}

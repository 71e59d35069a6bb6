"""Reads a page with html.parser: a tree to look things up in, and a list of what no page may do."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "img", "br", "hr", "input", "link", "line", "rect", "wbr"})
LOADS = ("src", "srcset", "poster", "data", "action", "formaction", "background", "xlink:href")


@dataclass
class Node:
    tag: str
    attributes: dict
    children: list = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find_all(self, tag, **wanted):
        wanted = {name.rstrip("_"): value for name, value in wanted.items()}
        return [
            node
            for node in self.walk()
            if node.tag == tag
            and all(value in (node.attributes.get(name) or "").split() for name, value in wanted.items())
        ]

    def find(self, tag, **wanted):
        return self.find_all(tag, **wanted)[0]

    @property
    def text(self):
        return "".join(each if isinstance(each, str) else each.text for each in self.children)


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Node("root", {})
        self.open = [self.root]
        self.faults = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.faults.append(f"<{tag}> has an attribute twice: {names}")
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self.open[-1].tag != tag:
            self.faults.append(f"</{tag}> closes <{self.open[-1].tag}>")
            return
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read_page(text):
    """The tree of a page; AssertionError where tags are not balanced."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert not reader.faults, reader.faults[:5]
    assert [node.tag for node in reader.open] == ["root"]
    return reader.root


def faults(root):
    """What makes a page unsafe, unreachable or unreadable to some; empty for a good one."""
    found = []
    ids = [node.attributes["id"] for node in root.walk() if "id" in node.attributes]
    found += [f"id twice: {each}" for each in {each for each in ids if ids.count(each) > 1}]
    for node in root.walk():
        found += [f"{node.tag} {fault}" for fault in _node_faults(node, set(ids))]
    return found


def _node_faults(node, ids):
    at = node.attributes
    yield from (f"handler {name}" for name in at if name.startswith("on"))
    yield from (f"inline {name}" for name in at if name == "style")
    for name in LOADS:
        if re.match(r"(?!data:image/(jpeg|png);base64,)\s*([a-z]+:|//)", at.get(name) or "", re.IGNORECASE):
            yield f"loads {at[name][:60]}"
    href = at.get("href", "")
    if href.startswith("#") and href[1:] not in ids:
        yield f"leads nowhere: {href}"
    if not href.startswith(("#", "http://", "https://", "media/", "tables/", "figures/")) and "href" in at:
        yield f"leads to {href[:60]}"
    plays_well = at.get("preload") == "none" and "controls" in at and "autoplay" not in at and at.get("aria-label")
    if node.tag in ("video", "audio") and not plays_well:
        yield f"plays wrongly: {at}"
    if node.tag == "img" and not at.get("alt"):
        yield "without alt"
    if node.tag == "th" and "scope" not in at:
        yield "without scope"
    if node.tag == "svg" and at.get("role") == "img" and not at.get("aria-label"):
        yield "without label"
    if node.tag == "details" and (not node.children or _first_tag(node) != "summary"):
        yield "without summary"
    if node.tag in ("iframe", "object", "embed", "form", "link", "base"):
        yield "does not belong here"


def _first_tag(node):
    return next((child.tag for child in node.children if isinstance(child, Node)), None)

"""docs/media.md and docs/data_check.md name every code, flag, argument and tag."""

import re

from musebench_tasks.assembly.media_findings import ADVICE, MEANING
from musebench_tasks.assembly.rules import TAGS
from musebench_tasks.cli import make_parser


def spans(root, page="docs/media.md"):
    words = re.sub(r"^```.*?^```$", "", (root / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    return " ".join(re.findall(r"`([^`\n]+)`", words)).replace(",", " ").split()


def test_every_code_and_flag_is_named(root):
    assert not {*ADVICE, *MEANING} - set(spans(root))


def test_every_argument_of_data_check_is_explained(root):
    data = make_parser()._subparsers._group_actions[0].choices["data"]
    check = data._subparsers._group_actions[0].choices["check"]
    flags = [flag for action in check._actions for flag in action.option_strings if flag not in ("-h", "--help")]
    assert not set(flags) - set(spans(root)) - set(spans(root, "docs/data_check.md"))


def test_every_tag_is_described_as_it_is(root):
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| ([A-Z]+) \| (.+) \| (.+) \|$", (root / "docs/data_check.md").read_text(), re.M
    )
    assert rows == [(name, tag.severity.name, *tag.texts) for name, tag in TAGS.items()]

"""Rules on rows of a data set: what each finds has a tag, a severity, a place and a remedy (MB-34)."""

from musebench_tasks.assembly.rules.check import EVERY_ITEM, check_configs, check_items, check_questions
from musebench_tasks.assembly.rules.findings import Findings, TagCount
from musebench_tasks.assembly.rules.tags import AUDIT_TAGS, TAGS, Tag

__all__ = [
    "AUDIT_TAGS",
    "EVERY_ITEM",
    "TAGS",
    "Findings",
    "Tag",
    "TagCount",
    "check_configs",
    "check_items",
    "check_questions",
]

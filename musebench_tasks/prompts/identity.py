"""What tells two prompts apart in run.yaml: the template's name and a hash over every word of it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from musebench_tasks.base.records import TaskConfig, canonical_json
from musebench_tasks.prompts.environment import sources
from musebench_tasks.prompts.rendering import template_path


class PromptIdentity(NamedTuple):
    """`id` is the template's name without its ending, `sha256` covers template, included parts and system text."""

    id: str
    sha256: str


def prompt_identity(task: TaskConfig) -> PromptIdentity:
    """Which prompt `task` uses; the folder a user's own template lies in plays no part."""
    path = template_path(task)
    content = canonical_json({"system": task.system, "template": path.name, "texts": sources(path)})
    return PromptIdentity(id=path.name.removesuffix(".jinja"), sha256=hashlib.sha256(content.encode()).hexdigest())

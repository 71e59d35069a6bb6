"""The words put to a model after the media: templates, rendering, identity."""

from musebench_tasks.prompts.environment import list_templates
from musebench_tasks.prompts.rendering import (
    PromptIdentity,
    RenderedPrompt,
    has_label_like_options,
    is_own_template,
    prompt_identity,
    render_prompt,
)

__all__ = [
    "PromptIdentity",
    "RenderedPrompt",
    "has_label_like_options",
    "is_own_template",
    "list_templates",
    "prompt_identity",
    "render_prompt",
]

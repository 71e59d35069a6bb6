"""Systems that answer requests."""

from musebench_tasks.models.cards import ModelCard
from musebench_tasks.models.protocol import Model, answered, failed
from musebench_tasks.models.registry import ModelEntry, list_models, load_model, model_slug, system_block

__all__ = [
    "Model",
    "ModelCard",
    "ModelEntry",
    "answered",
    "failed",
    "list_models",
    "load_model",
    "model_slug",
    "system_block",
]

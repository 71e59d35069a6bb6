"""The model spec `transformers:ID_OR_DIR`: a multimodal checkpoint, run in this process."""

from musebench_tasks.models.transformers_chat.model import TransformersChat, load

__all__ = ["TransformersChat", "load"]

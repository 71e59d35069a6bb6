"""Multimodal models of few random weights, built from configurations: real code paths without a download."""

from musebench_tasks.models.tiny.build import TINY_FAMILIES, build_tiny
from musebench_tasks.models.tiny.words import Sizes

__all__ = ["TINY_FAMILIES", "Sizes", "build_tiny"]

"""The model spec `openai:MODEL@URL[,URL…]`: asks servers that speak OpenAI's chat completions."""

from musebench_tasks.models.openai_chat.bodies import RequestWriter
from musebench_tasks.models.openai_chat.loading import load, parse_addresses, parse_argument
from musebench_tasks.models.openai_chat.model import PATIENCE_S, OpenAIChatModel
from musebench_tasks.models.openai_chat.replicas import route
from musebench_tasks.models.openai_chat.traits import ServerTraits, read_traits, server_files

__all__ = [
    "PATIENCE_S",
    "OpenAIChatModel",
    "RequestWriter",
    "ServerTraits",
    "load",
    "parse_addresses",
    "parse_argument",
    "read_traits",
    "route",
    "server_files",
]

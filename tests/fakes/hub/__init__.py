"""A Hugging Face Hub on this machine, for tests."""

from fakes.hub.server import READER, STRANGER, WRITER, FakeHub, Request

__all__ = ["READER", "STRANGER", "WRITER", "FakeHub", "Request"]

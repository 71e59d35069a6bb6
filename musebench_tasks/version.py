"""The package's version; stands apart so that every room can name it without importing the front door."""

__version__ = "0.1.0"

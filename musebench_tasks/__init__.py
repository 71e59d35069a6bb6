"""musebench-tasks: measure whether multimodal models understand film, painting, stage, games and music."""

__version__ = "0.1.0"

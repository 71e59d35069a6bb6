"""What really arrives at a chat-completions server: a probe clip, questions about it, and what follows from both."""

"""The nouns that pass between rooms, errors and problems for people, files and resources: what every room may use."""

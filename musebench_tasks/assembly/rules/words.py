"""The words of a text, as rules compare them."""

import string

_PUNCTUATION = string.punctuation.replace("&", "")


def plain_words(text: str) -> list[str]:
    """The words of a text, lower case, without ASCII punctuation (an ampersand is a word)."""
    folded = text.casefold()
    if folded.replace(" ", "").isalnum():
        return folded.split()
    # Faster than a table or a pattern: most of these stand in few texts.
    for character in _PUNCTUATION:
        if character in folded:
            folded = folded.replace(character, "")
    return folded.split()

"""Characters before meaning (P6): NFKC, invisible marks, quotes and dashes. No confusables are mapped."""

import re
import unicodedata

_INVISIBLE = dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xFDD0, 0xFDF0),
    )
)
_QUOTES = {ord(each): '"' for each in "“”„‟«»"} | {ord(each): "'" for each in "‘’‚‛ʼ`´"}
_DASHES = {ord(each): "-" for each in "‐‑‒−"} | {ord(each): " - " for each in "—―"}
_LINES = {ord(each): "\n" for each in "\u2028\u2029\x0b\x0c\x85\r"}
_MAP: dict[int, str | None] = {**_INVISIBLE, **_QUOTES, **_DASHES, **_LINES}
_MAPPED = re.compile(f"[{re.escape(''.join(map(chr, _MAP)))}]")
_EN_DASH_BETWEEN = re.compile(r"(?<=\w)–(?=\w)")
_ARABIC_LETTER = re.compile("(?<![\u0600-\u06ff])([أابجد])(?![\u0600-\u06ff])")
_LATIN_FOR_ARABIC = {"أ": "A", "ا": "A", "ب": "B", "ج": "C", "د": "D"}
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(text: str) -> str:
    """`text` in NFKC without invisible marks, with plain quotes, dashes and line ends."""
    if text.isascii():
        return text.replace("\r\n", "\n").replace("\r", "\n")
    text = _LONE_SURROGATE.sub("\ufffd", text)
    text = unicodedata.normalize("NFKC", text.replace("\r\n", "\n"))
    text = _MAPPED.sub(lambda match: _MAP[ord(match[0])] or "", text)
    return _EN_DASH_BETWEEN.sub("-", text).replace("–", " - ")


def localised_labels(text: str) -> str:
    """`text` with free-standing Arabic option letters أ ب ج د written as A B C D."""
    if text.isascii():
        return text
    return _ARABIC_LETTER.sub(lambda match: _LATIN_FOR_ARABIC[match[1]], text)


def without_pictures(text: str) -> str:
    """`text` with emoji as blanks, but for ticks and crosses, which are verdicts."""
    return text if text.isascii() else _PICTURE.sub(" ", text)


_PICTURE = re.compile("(?![✓✔✅☑❌✗✘☐✖✕🗵🗹])[\u2600-\u2668\u2670-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")


def fold(text: str) -> str:
    """Lower case of the same length, so that positions in the two agree."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def is_word(character: str) -> bool:
    """Whether a letter or digit joins a Latin letter into one word; scripts written without blanks do not."""
    if character.isascii():
        return character.isalnum()
    return character.isalnum() and not _is_unspaced(character)


def _is_unspaced(character: str) -> bool:
    """Thai, Hangul, kana and Chinese characters."""
    return (
        "\u0e00" <= character <= "\u0eff"
        or "\u1100" <= character <= "\u11ff"
        or "\u2e80" <= character <= "\ua4cf"
        or "\uac00" <= character <= "\ud7ff"
        or character >= "\U00020000"
    )

"""Names of keys, metres and tempi of other languages, written as English writes them, so that one reader reads all.

Chinese 升f小调, Japanese 嬰ヘ短調, Korean 올림바단조 become `F# minor`; 四三拍, 4分の3拍子 and Dreivierteltakt become
`3/4`; 每分钟120拍 becomes `120 BPM`. Only what names a whole value is translated; a tonic alone stays what it is.
"""

import re

_UNSPACED = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7ff"
_HAS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_JOINT = re.compile(rf"(?<=[{_UNSPACED}])(?=[A-Za-z0-9~≈♩(])|(?<=[A-Za-z0-9#♯♭%)])(?=[{_UNSPACED}])")
_BLANKS = re.compile(r" {2,}")

# Keys.
_EASTERN_LETTERS = dict(zip("ハニホヘトイロ", "CDEFGAB", strict=True)) | dict(
    zip("다라마바사가나", "CDEFGAB", strict=True)
)
_MAJOR = "大调|大調|長調|メジャー|장조|메이저"
_MINOR = "小调|小調|短調|マイナー|단조|마이너"
_EASTERN_KEY = re.compile(
    rf"(?:(?<![A-Za-z0-9])(?P<before>升|降|嬰|変|變|올림|내림|#|♯|b|♭)? ?(?P<west>[A-Ga-g])"
    rf" ?(?P<after>#|♯|♭|b|-?sharp|-?flat|シャープ|フラット|샵|플랫|升|降)? ?"
    rf"|(?:(?P<shift>嬰|変|變|올림|내림)|(?<![{_UNSPACED}])|(?<=[는은이の는은はがもを、]))(?P<east>[{''.join(_EASTERN_LETTERS)}]))"
    rf"(?:自然|和声|旋律|자연|화성)? ?(?:(?P<major>{_MAJOR})|(?:{_MINOR}))"
)
_FLATS = ("降", "変", "變", "내림", "♭", "b", "フラット", "플랫", "flat", "-flat")
_RUSSIAN_LETTERS = {"до": "C", "ре": "D", "ми": "E", "фа": "F", "соль": "G", "ля": "A", "си": "B"}
_PORTUGUESE_LETTERS = {"dó": "C", "ré": "D", "mi": "E", "fá": "F", "sol": "G", "lá": "A", "si": "B"}
_SYLLABLES = _RUSSIAN_LETTERS | _PORTUGUESE_LETTERS
_SYLLABLE_KEY = re.compile(
    rf"(?<!\w)(?P<syllable>{'|'.join(_SYLLABLES)})(?:[ -](?P<mark>диез|бемоль|sustenido|bemol))?"
    r"[ -](?:(?P<major>мажор\w{0,2}|maior)|минор\w{0,2}|menor)(?!\w)",
    re.IGNORECASE,
)
_LETTER_KEY = re.compile(
    r"(?<![\w#])(?P<letter>[A-G])(?P<mark>#|b| (?:sostenido|bemol|dièse|diese|bémol|diesis|bemolle|sustenido))?"
    r" (?:(?P<major>majeur|maggiore|mayor|maior)|(?:mineur|minore|menor))(?!\w)"
)

# Time signatures.
_DIGITS = dict(zip("一二三四五六七八九", range(1, 10), strict=True)) | {"十": 10, "十二": 12, "十六": 16}
_DIGIT = r"十二|十六|\d{1,2}|[一二三四五六七八九]"
_EASTERN_FRACTION = re.compile(rf"(?P<bottom>{_DIGIT}) ?(?:分の|分之|분의) ?(?P<top>{_DIGIT}) ?(?:拍子?|박자?)")
_CHINESE_FRACTION = re.compile(
    r"(?<![一二三四五六七八九十])(?P<bottom>十六|[二四八])(?P<top>十二|[二三四五六七九])拍(?!子)"
)
_GERMAN = {"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zwölf": 12}
_GERMAN_BOTTOMS = {"halbe": 2, "viertel": 4, "achtel": 8}
_GERMAN_FRACTION = re.compile(
    rf"\b(?P<top>{'|'.join(_GERMAN)})(?P<bottom>{'|'.join(_GERMAN_BOTTOMS)})[- ]?takt(?:e?s)?\b", re.IGNORECASE
)
_IBERIAN = {"dos": 2, "dois": 2, "tres": 3, "três": 3, "cuatro": 4, "quatro": 4, "seis": 6, "ocho": 8, "oito": 8}
_IBERIAN_FRACTION = re.compile(
    rf"\b(?P<top>{'|'.join(_IBERIAN)}) por (?P<bottom>{'|'.join(_IBERIAN)})\b", re.IGNORECASE
)

# Tempi and the words that name a field.
_RATE = r"(?P<rate>\d{1,4}(?:\.\d{1,6})?(?: ?(?:-|~|到|至) ?\d{1,4}(?:\.\d{1,6})?)?)"
_PER_MINUTE = (
    re.compile(
        rf"(?:每分钟|每分鐘|毎分|1分間に|분당) ?(?:约为?|約|大约|大約|大概|약)? ?{_RATE}"
        r" ?(?:个|個)? ?(?:节拍|節拍|拍(?!子)|下|次|ビート|비트|박(?!자)|회)"
    ),
    re.compile(rf"{_RATE} ?(?:拍|节拍|ビート|비트) ?(?:/|每|毎) ?(?:分钟|分鐘|分|분)"),
)
_WORDS = {
    **dict.fromkeys(("速度", "拍速", "曲速", "テンポ", "템포", "빠르기"), "tempo"),
    **dict.fromkeys(("调性", "調性", "主调", "主調", "キー", "조성"), "key"),
    **dict.fromkeys(("拍号", "拍號", "拍子记号", "拍子記号", "박자표"), "time signature"),
    **dict.fromkeys(("和弦", "和音", "コード", "코드", "화음"), "chord"),
    **dict.fromkeys(("关系大调", "關係大調", "平行調", "関係調", "关系小调"), "relative key"),
    **dict.fromkeys(("大约", "大約", "大概", "约", "約", "およそ", "약"), "about"),
    **dict.fromkeys(("或者", "或是", "或", "または", "もしくは", "또는"), "or"),
    **dict.fromkeys(("到", "至", "から"), "to"),
}
_WORD = re.compile(
    "(?P<word>"
    + "|".join(sorted(_WORDS, key=len, reverse=True))
    + ")(?P<is> ?(?:应该|應該|可能)?(?:是|为|為|在|は|은|는))?"
)
_NAMED = re.compile(r"(?:是|为|為|は|은|는) ?(?=(?:about )?[~≈]?\d)")


def in_english(text: str) -> str:
    """`text` (single blanks) with the musical values of other languages named as in English."""
    text = _LETTER_KEY.sub(_letter_key, text)
    if " por " in text:
        text = _IBERIAN_FRACTION.sub(lambda found: _fraction(_IBERIAN, found, _IBERIAN), text)
    if "akt" in text:
        text = _GERMAN_FRACTION.sub(lambda found: _fraction(_GERMAN, found, _GERMAN_BOTTOMS), text)
    if text.isascii() and " maior" not in text:
        return text
    text = _SYLLABLE_KEY.sub(_syllable_key, text)
    return _from_unspaced(text) if _HAS_UNSPACED.search(text) else text


def _from_unspaced(text: str) -> str:
    text = _EASTERN_KEY.sub(_eastern_key, text)
    for pattern in (_EASTERN_FRACTION, _CHINESE_FRACTION):
        text = pattern.sub(lambda found: f" {_fraction(_DIGITS, found, _DIGITS)} ", text)
    for pattern in _PER_MINUTE:
        text = pattern.sub(r" \g<rate> BPM ", text)
    text = _WORD.sub(lambda found: f" {_WORDS[found['word']]}{' is' if found['is'] else ''} ", text)
    text = _NAMED.sub(" is ", _JOINT.sub(" ", text))
    return _BLANKS.sub(" ", text).replace(" :", ":").strip(" ")


def _letter_key(found: re.Match[str]) -> str:
    mark = (found["mark"] or "").strip().lower()
    sign = "" if not mark else "b" if mark.startswith(("b", "bé")) else "#"
    return f"{found['letter']}{sign} {'major' if found['major'] else 'minor'}"


def _syllable_key(found: re.Match[str]) -> str:
    mark = (found["mark"] or "").lower()
    sign = "" if not mark else "b" if mark.startswith(("b", "б")) else "#"
    return f"{_SYLLABLES[found['syllable'].lower()]}{sign} {'major' if found['major'] else 'minor'}"


def _eastern_key(found: re.Match[str]) -> str:
    letter = found["west"].upper() if found["west"] else _EASTERN_LETTERS[found["east"]]
    mark = found["before"] or found["after"] or found["shift"]
    sign = "" if not mark else "b" if mark in _FLATS else "#"
    return f" {letter}{sign} {'major' if found['major'] else 'minor'} "


def _fraction(tops: dict[str, int], found: re.Match[str], bottoms: dict[str, int]) -> str:
    top, bottom = found["top"].lower(), found["bottom"].lower()
    return f"{tops.get(top, top)}/{bottoms.get(bottom, bottom)}"

"""Is what is named also claimed? Negated, questioned and listed mentions (answers.md 3.1)."""

import re

from musebench_tasks.answers.finder import Finder

_REACH = 64
"""Characters before a mention in which a negation of it may stand."""

_NEGATED_BEFORE = Finder(
    r"""(?:
        \b(?:not|no|never|nor|neither|except(?:\s+for)?|excluding|rather\s+than|instead\s+of|unlike|without|pas|non|não|не|ليست?
          |eliminat(?:e|es|ed|ing)|rul(?:e|es|ed|ing)\s+out|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?|exclud(?:e|es|ed)
          |cannot|doubt|kein(?:e|en|er)?|nicht|bukan|ni)
      | n't
      | 不是|不选|不選|不可能是|并非|而非|没有|沒有|排除|不
    )
    (?:[ ]+(?:the|a|an|to|be|is|it|it's|option|options|choice|answer|answers|letter|letters|either|both|really|likely
             |quite|exactly|simply|necessarily|think|say|believe|choose|pick|select|hear|there|just|only|of|as|that
             |der|die|das|den|ein|eine|einen|el|la|le|les|il|lo|un|una|une|uma|um|o|es|est|ist|é|è|это)\b)*
    (?:是|选项|選項|选|選)?[ ]*[(\[{"']*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_COPULA = (
    r"(?:is|are|was|were|be|being|seems?|sounds?|looks?|appears?|would\s+be|can\s+be|could\s+be|must\s+be|should\s+be)"
)
_NEGATED_AFTER = re.compile(
    rf"""[ ]?[(\[](?:incorrect|wrong|false|rejected|eliminated|excluded|(?:an?[ ])?distractor|ruled[ ]out|unlikely
          |not[ ](?:correct|right|the[ ]answer|present|heard|audible))\b[^()\n]{{0,40}}[)\]]
    | [ ]?[:=-][ ]?(?:incorrect|wrong|false|rejected|eliminated|excluded|not[ ]correct)(?=[ ]?(?:[.,;!)\]\n]|\Z))
    | (?:[ ]?\([^()\n]{{0,60}}\))?[ ,]*(?:
        (?:(?:which|that|who|but)\s+)?{_COPULA}\s+
            (?:(?:both|all|clearly|also|definitely|probably|simply|obviously|therefore|thus|to|be|just|only|then)\s+){{0,3}}
            (?:not\b(?![ ](?:wrong|incorrect|false)\b)|wrong\b|incorrect|false\b
              |(?:the[ ])?(?:least|less|worst|weakest|poorest)\b
              |(?:an?\s+|the\s+)?(?:\w+\s+)?distractors?\b|out\b|eliminated|ruled\s+out
              |excluded|unlikely|impossible|implausible|incompatible|inconsistent|absent|missing|too\s)
      | (?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't|can't|won't|cannot)\b
      | (?:does|do|did|can|could|would|should)\s+not\b
      | never\b | fails?\b | contradicts?\b | lacks?\b
      | (?:wrong|incorrect|false|salah|falsch|faux|incorrect[ao]s?)\b
      | (?:ist|sind|est|sont|es|son|é|são|è|sono)\s+(?:falsch|nicht|pas|fausses?|faux|incorrect[ao]s?
          |errad[ao]s?|sbagliat[aeio])
      | (?:n'est|ne\s+sont)\s+pas | no\s+(?:es|son)\b
      | (?:选项|選項)?(?:都|均|是|也)*(?:不对|不對|不正确|不正確
          |不是(?!\s?[(\[]?[A-Ha-h](?![a-z]))|不符|错|錯|没有|沒有)
      | (?:では|じゃ)(?:ありません|ない) | (?:은|는|이|가)?\s?(?:아니|틀)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SINGULAR = re.compile(r"[ ,]*(?:is|isn't|was|wasn't|does|doesn't|fails|never|lacks|contradicts)\b", re.IGNORECASE)
_CLOSERS = re.compile(r"[)\]}\"']{0,8}(?:</[a-z_]{1,16}>)?")
_QUESTIONED = re.compile(r"[)\]}\"'.]* ?\?")
_IN_A_QUESTION = re.compile(r"[^.!?;\n。]{0,120}\?")
_IN_BRACKETS = re.compile(
    r"(?:\b(?:not|never|nor|neither|unlike|rather than|instead of|without)|n't)"
    r"(?: (?!(?:but|only|sure|certain|so|because|and|or)\b)[\w'-]{1,20}){1,4} ?[(\[] ?(?:option |choice )?\Z",
    re.IGNORECASE,
)


def is_negated_before(text: str, start: int) -> bool:
    """Whether what starts at `start` is denied by the words just before it."""
    before = text[max(0, start - 12) : start].rstrip("([{\"' ")
    if "(" in text[max(0, start - 12) : start] and _IN_BRACKETS.search(text, max(0, start - _REACH), start):
        return True
    if before and not before[-1].isalnum():
        return False
    return _NEGATED_BEFORE.search(text, max(0, start - _REACH), start) is not None


def is_negated_after(text: str, end: int) -> bool:
    """Whether what ends at `end` is denied by the words just after it."""
    closers = _CLOSERS.match(text, end)
    return _NEGATED_AFTER.match(text, closers.end() if closers else end) is not None


def denies_one(text: str, end: int) -> bool:
    """Whether a denial after `end` is in the singular, so that of a list with commas it means the last only."""
    closers = _CLOSERS.match(text, end)
    return _SINGULAR.match(text, closers.end() if closers else end) is not None


def is_in_a_question(text: str, end: int) -> bool:
    """Whether the sentence that goes on at `end` is a question ("Is it a cello or a violin?")."""
    return _IN_A_QUESTION.match(text, end) is not None


def is_questioned(text: str, end: int) -> bool:
    """Whether a question mark follows directly."""
    return _QUESTIONED.match(text, end) is not None

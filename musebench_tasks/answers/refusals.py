"""Refusals: the model says that it cannot or will not answer. A closed list, part of the parser's version.

A refusal is looked for only where no answer was found: an explicit guess after it counts (answers.md 1).
"""

import re

from musebench_tasks.answers.finder import Finder

_REFUSAL = Finder(
    r"""
    (?:can(?:\s?no|')t | can\s+not | cannot | could\s+not | couldn't | am\s+unable\s+to | i'm\s+unable\s+to
      | unable\s+to | not\s+able\s+to | impossible\s+to )
    \s+(?:(?:directly|actually|currently|really|reliably|confidently|accurately)\s+)?
    (?:listen|hear|process|access|watch|view|see\s+(?:the|any|this)|play|open|determine|be\s+determined|identify|answer
      |analy[sz]e|detect|assist|help|provide|know|make\s+out|comply|perceive|interpret)
  | \b(?:do\s+not|don't|dont|didn't|did\s+not)\s+(?:know|have\s+(?:access|the\s+ability|the\s+audio|enough|any\s+audio))
  | \bno\s+idea\b | \bi'm\s+not\s+sure\b | \bi\s+am\s+not\s+sure\b
  | \b(?:as\s+an?|i'm\s+an?|i\s+am\s+an?)\s+(?:ai\b|(?:\w+\s+)?language\s+model|text-based)
  | \b(?:insufficient|not\s+enough)\s+(?:information|data|context|evidence)
  | \bno\s+(?:audio|video|file|clip|recording|media)\s+(?:file\s+)?(?:was|is|has\s+been)?\s*
      (?:provided|attached|uploaded)
  | \bi\s+(?:must\s+|have\s+to\s+)?(?:refuse|decline)\b
  | 无法|無法|不能确定|不能確定|不知道|不确定|不確定|抱歉|对不起|對不起
  | わかりません|分かりません|判断できません|できません
  | 모르겠|수\s?없
  | \bno\s+(?:lo\s+)?(?:s[eé]|puedo)\b | \bje\s+ne\s+(?:sais|peux)\b
  | \bich\s+(?:weiß|weiss|kann)\b[^.\n]{0,40}\bnicht\b
  | \btidak\s+(?:tahu|dapat|bisa)\b | \bn[aã]o\s+(?:sei|posso|consigo)\b | \bnon\s+(?:so|posso)\b
  | не\s+(?:знаю|могу) | नहीं\s+(?:सुन|कर|पता|जान|बता) | لا\s+(?:أعرف|أستطيع|يمكنني)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_refusal(text: str) -> bool:
    """Whether `text` (plain quotes, NFKC) holds a phrase of the refusal list."""
    return _REFUSAL.search(text) is not None

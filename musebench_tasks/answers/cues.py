"""Cues: the words that announce an answer, strong and weak, in several languages (answers.md 3.2).

A closed list, part of the parser's version. All patterns expect single blanks.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from musebench_tasks.answers.finder import Finder
from musebench_tasks.answers.rivals import ranks_behind
from musebench_tasks.answers.uncertainty import doubted_stretches, is_within

_IS = (
    r"(?:[ ]?[\"']?[ ]?(?::|=>|->|→|=|-(?=[ ]))"
    r"|[ ](?:is|are|was|would[ ]be|should[ ]be|must[ ]be|will[ ]be|has[ ]to[ ]be|seems[ ]to[ ]be|appears[ ]to[ ]be"
    r"|would[ ](?:likely|probably|therefore|thus)[ ]be|must[ ]therefore[ ]be|to[ ]be)(?!n't)\b[ ]?:?)"
)
_ANSWER_STRONG = rf"""
    \banswers?(?:\(s\))?
      (?:[ ](?:option|choice|letter|key)s?)?
      (?:[ ](?:to|for|here|in|of|that|from|based[ ]on|i(?:'d|[ ]would)?[ ](?:choose|pick|select|give))\b
        [^.:!?\n]{{0,80}}?)??
      {_IS}
  | \bans\.?{_IS} | \[(?:final[ ])?answer\][ ]?:?
  | (?:(?<=\n)|\A)(?:(?:the|my|final|correct|best)[ ]){{0,2}}(?:answers?|choice)(?=\n)
  | \b(?:correct|best|right|selected|chosen|true|most[ ](?:suitable|appropriate|accurate|likely|plausible|probable
      |reasonable|fitting|logical))[ ](?:options?|choices?|letters?|statements?|ones?|responses?){_IS}
  | \bfinal(?:[ ](?:choice|decision|selection|verdict|guess))?[ ]?:
  | \bguess(?:[ ]?:|[ ](?:is|would[ ]be)\b[ ]?:?)
"""
_FOREIGN_STRONG = r"""
    (?:正确|正確)的?(?:选项|選項)[ ]?(?:应该|應該|应|應)?(?:是|为|為)?[ ]?:?
  | (?:答案|解答|正解)[】\])"']?[ ]?(?:应该|應該|应|應|就|只能)?[ ]?(?:是|为|為|选|選|は|が)?[ ]?[:=]?
  | (?:정답|답)(?:은|는|이)?[ ]?[:=]?
  | (?:答え|こたえ|回答)(?:は|が)?[ ]?[:=]?
  | (?:الإجابة|الاجابة|الجواب)(?:[ ](?:الصحيحة?|النهائية?))?(?:[ ]هي|[ ]هو)?[ ]?[:=]?
  | \b(?:respuesta|r[ée]ponse|antwort|jawaban(?:nya)?|resposta|risposta)
      (?:[ ](?:correcta|final|correcte|finale|richtige|yang[ ]benar|yang[ ]tepat|akhir|correta|corretta
         |certa|giusta|exacta|exacte|bonne|es|est|ist|adalah|é|è|lautet)\b)*[ ]?[:=]?
  | \b(?:alternativa|opci[oó]n|op[cç]ão|opzione|option|pilihan|opsi|lettre|letra|lettera)
      [ ](?:correcta|correta|corretta|correcte|yang[ ]benar|yang[ ]tepat)[ ](?:es|é|è|est|adalah)\b
  | (?:सही[ ])?(?:उत्तर|जवाब)(?:[ ]?[:=]|[ ]है[ ]?[:-]?)?
  | \b(?:bonne|richtige|korrekte)[ ](?:r[ée]ponse|antwort)[ ](?:est|ist)
  | (?:ответ|отве́т)(?:[ ](?:это|есть))?[ ]?(?:[:=]|-[ ])?
"""
_CHOOSE = (
    r"(?:pick|choose|select|go[ ]with|going[ ]with|opt[ ]for|lean(?:ing)?[ ]towards?|settle[ ]on|vote[ ]for|answer|say"
    r"|guess)"
)
_WEAK = rf"""
    \b(?:i|we)(?:'d|'ll|'m|[ ](?:would|will|am|shall|should|must|can))?
      (?:[ ](?:therefore|thus|just|still|also|probably|definitely))?[ ]{_CHOOSE}\b
      (?:[ ](?:that[ ])?it(?:'s|[ ](?:is|must[ ]be)))?[ ]?:?
  | \b(?:i|we)(?:'m|[ ]am)?[ ](?:think|believe|guess|suspect|conclude|suppose|feel|am[ ]sure|fairly[ ]sure)
      (?:[ ]that)?(?:[ ](?:it(?:'s|[ ](?:is|must[ ]be|would[ ]be))|the[ ]\w{{1,20}}[ ]is))?[ ]?:?
  | \b(?:it(?:'s|[ ](?:is|must[ ]be|has[ ]to[ ]be|should[ ]be|would[ ]be|can[ ]only[ ]be)))\b[ ]?:?
  | \b(?:must|has[ ]to)[ ]be\b
  | \b(?:not|cannot)[ ]be[ ]anything[ ](?:but|other[ ]than)\b | \b(?:none|nothing)[ ](?:but|other[ ]than)\b
  | \b(?:leaves|leaving|left[ ]with)(?:[ ](?:us|me|you|only|just|with)){{0,3}}
  | \bonly[ ](?:options?|choices?|one)[ ](?:that|which)[ ][^.:!?\n]{{1,40}}?[ ]is\b
  | الخيار(?:[ ](?:الصحيح|هو))*
  | (?:(?:looks|sounds|seems)[ ]like|\b(?:consistent|compatible)[ ]with)
      (?=[ ](?:option[ ])?[(\[]?(?-i:[B-Z]|A(?![ ][a-z]))\b)
  | (?:(?<=[.!?:\n][ ])|(?<=\n)|\A)(?:choose|pick|select|go[ ]with)\b
  | \b(?:my|the)[ ](?:solution|prediction|verdict)[ ]is\b[ ]?:?
  | \breturn[ ](?=["']) | \bprint\((?=["'])
  | \b(?:je[ ]choisis | ich[ ](?:wähle|nehme|tippe[ ]auf) | (?:yo[ ])?(?:elijo|escojo) | (?:eu[ ])?escolho | scelgo
      | saya[ ](?:memilih|pilih) | выбираю)\b
  | \bmy[ ](?:choice|pick|selection|vote|conclusion|decision)(?:[ ]is\b)?[ ]?:?
  | \b(?:options?|choices?|selection|selected|answer)\b[ ]?[:=]?(?=[ ]?[(\[{{"'<]{{0,2}}[ ]?[A-Za-z]\b)
  | \b(?:so|therefore|thus|hence|consequently|accordingly|conclusion)\b[ ]?[,:]?
  | \b(?:most[ ]likely|probably|definitely|certainly|clearly)\b[ ]?[,:]?
  | (?:我|应|應|故|就|因此|所以)?(?:选择|選擇|选|選|猜)(?:是)?(?!项|項|択)[ ]?:?
  | (?:觉得|覺得|认为|認為|判断|推测)(?:应该|應該)?(?:是|为|為|选|選)
  | (?:选项|選項|選択肢)[ ]?(?:是|为|為|は|が)?[ ]?:?
  | (?:所以|因此|故)(?:是|为|為)?[ ]?[,:]?
"""
_TAGGED = r"<(?P<tag>answer|final_answer|choice|option)>|\[(?P<square>answer)\](?=[^\n]{0,200}\[/answer\])"
_CUE = Finder(
    rf"(?P<tagged>{_TAGGED})|(?P<boxed>\\(?:boxed|fbox)[ ]?\{{)"
    rf"|(?P<strong>{_ANSWER_STRONG}|{_FOREIGN_STRONG})|(?P<weak>{_WEAK})",
    re.IGNORECASE | re.VERBOSE,
)
_REVERSED = re.compile(
    r"""[)\]}"'.]{0,3}[ ]?(?:
        (?:is|was|would[ ]be|must[ ]be|seems[ ]to[ ]be)[ ]
          (?:clearly[ ]|definitely[ ]|most[ ]likely[ ]|probably[ ])?(?:the[ ]|my[ ])?
          (?:(?:most[ ](?:likely|accurate|appropriate|plausible|suitable)|best|correct|right|only|final)[ ])*
          (?:answer|choice|option|fit|match|one|correct|right)\b(?![ ](?:to[ ]reject|to[ ]eliminate))
      | are[ ](?:all[ ]|both[ ])?(?:the[ ])?(?:correct|right)\b
      | it[ ]is(?=[.!]|\n|$)
      | (?:es[ ]la|est[ ]la|ist(?:[ ]die)?|é[ ]a|è[ ](?:la|quella)|adalah)[ ]
          (?:respuesta|réponse|antwort|resposta|risposta|jawaban|opción|option|opção|opzione|yang|[ ])*
          (?:correcta|bonne|correcte|richtige?|korrekte?|correta|certa|corretta|giusta|benar|tepat)\b
      | (?:가|이|은|는)?[ ]?(?:정답|맞) | 번(?:이|은)?[ ]?정답 | applies(?=[.!,]|\n|$) | [がは](?:正解|正しい|答え)
      | (?:best[ ])?(?:fits?|matches)(?:[ ](?:best|the[ ]\w{1,20}|better)\b)
      | (?:选项|選項|项|項)?(?:是|最|才)*(?:正确|正確|对的|對的|符合|合适|合適|答案)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_HYPOTHETICAL = Finder(
    r"(?:\b(?:if|whether|unless|assuming|suppose|supposing|unclear|not sure|unsure)(?: that| if| whether)?"
    r"|\b(?:don't|do not|doesn't|didn't|cannot|can't|wouldn't|would not|never)(?: really)?"
    r" (?:think|believe|say|agree|know|see)"
    r"(?: that| why| how)?"
    r"|\b(?:one|you|some|many|people|someone|they|others) [a-z' ]{0,24}"
    r"\b(?:think|say|believe|argue|expect|assume|guess)(?: that)?)"
    r"(?: the| my| our)?(?: (?:correct|final|right|best))?\Z",
    re.IGNORECASE,
)


_IF = r"\b(?:if|unless|assuming|supposing|provided|si|wenn|falls|se|jika|если)\b"
_MERE_MANNER = (
    r"(?! (?:i|we|you|one|forced|pressed|pushed|asked|required|needed|anything|so|not|necessary|possible"
    r"|ich|wir|je|tuviera|tengo|debo|dovessi|devo|tivesse|saya|harus|мне)\b)"
)
"""What makes "if I had to guess" an answer and no condition of one."""
_CONDITION = Finder(
    rf"(?:\A|[.;:!?\n,] ?|\b(?:and|but|or|only) ){_IF}{_MERE_MANNER}[^.;!?\n]{{0,160}}\Z"
    r"|(?:如果|假如|假设|若是)(?!我|一定|必须)[^。;!?\n]{0,80}\Z|(?:もし|만약)[^。.;!?\n]{0,80}\Z",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(rf"[)\]}}\"' ,]{{1,4}}(?:only )?{_IF}{_MERE_MANNER}", re.IGNORECASE)
_MERELY_NAMED = Finder(
    r"\b(?:(?:about|regarding|concerning|than|between|against)(?: the)?|(?:trap|mistake|distractor|decoy|red herring"
    r"|error)s?(?: here| answer| option| choice)? (?:is|are|would be)"
    r"|(?:less|least|not|hardly|never|inconsistent|incompatible)(?: [a-z]+){0,2} (?:with|to|by|for|like)) ?\Z",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(r"\b(?:would|could|might|may|can|to) ?\Z", re.IGNORECASE)
"""Before the verb "answer": "many people would answer A"."""
_DENIED = Finder(
    r"(?:\b(?:incorrect|wrong|false|rejected|eliminated|excluded|unlikely|unselected|hardly|trap|distractor"
    r"|decoy|worst|weakest|poorest"
    r"|other|previous|earlier|another|(?:second|next)[- ]best|falsche[rns]?|mauvaise|fausse"
    r"|(?:less|least)(?: (?:likely|plausible|probable|suitable|fitting|appropriate|convincing|accurate|logical))?)"
    r"|(?:\bnot|n't)(?: (?:the|an?|my|your))?(?: (?:correct|right|best|final|likely|suitable|valid))*)\Z"
    r"|(?:错误|錯誤|不正确|不正確|排除)的?\Z",
    re.IGNORECASE,
)


_EXAMPLE = Finder(
    r"\b(?:for (?:example|instance)[,:]?(?: [\"'(\[])?|e\.g\.,?(?: [\"'(\[])?|(?:such as|like):? [\"'(\[]) ?\Z",
    re.IGNORECASE,
)
_PREPOSITIONS = tuple(f" {each} " for each in ("of", "to", "in", "from", "with", "about", "on", "after", "before"))
"""Before "it is" they make it no announcement: "the relative major of it is C"."""


class Cue(NamedTuple):
    """Where a declaration may start: strength 2 (strong) or 1 (weak), and the kind of cue."""

    start: int
    end: int
    strength: int
    kind: str
    """tagged, boxed, strong, weak or option (the bare word "option", "choice" or "answer" before a letter)."""


def find_cues(text: str) -> Iterator[Cue]:
    """All cues of `text`, in order, without those that only suppose an answer."""
    doubted = doubted_stretches(text)
    for match in _CUE.finditer(text):
        kind, start = str(match.lastgroup), match.start()
        before = start - 1 if start and text[start - 1] == " " else start
        if _DENIED.search(text, max(0, start - 32), before) or ranks_behind(text, start, match.end()):
            continue
        if doubted and kind in ("strong", "weak") and is_within(doubted, start):
            continue
        if kind == "strong" and _EXAMPLE.search(text, max(0, start - 24), start):
            continue
        if match[0][:2].lower() == "it" and text[max(0, start - 7) : start].lower().endswith(_PREPOSITIONS):
            continue
        if kind in ("strong", "weak") and _HYPOTHETICAL.search(text, max(0, start - 48), before):
            continue
        if kind in ("strong", "weak") and _CONDITION.search(text, _clause(text, start), start):
            continue
        if kind == "weak" and match[0].lower().rstrip(" :=s") in _BARE:
            kind = "option"
            stretch = (text, max(0, start - 40), start)
            if _MERELY_NAMED.search(*stretch) or (match[0][:6].lower() == "answer" and _OF_OTHERS.search(*stretch)):
                continue
        yield Cue(start, match.end(), 1 if kind in ("weak", "option") else 2, kind)


_BARE = frozenset({"option", "choice", "answer", "选项", "選項", "選択肢"})


def is_reversed_declaration(text: str, end: int) -> bool:
    """Whether the label or text that ends at `end` is called the answer there ("B is correct")."""
    called = _REVERSED.match(text, end)
    return called is not None and not is_conditional(text, called.end())


def is_conditional(text: str, end: int) -> bool:
    """Whether a condition follows ("B if the sound is bowed"), but for "if I had to guess" and the like."""
    return _CONDITION_AFTER.match(text, end) is not None


def under_condition(text: str, start: int) -> bool:
    """Whether the words before `start` in its sentence make a condition of it ("if it is bowed, …")."""
    return _CONDITION.search(text, max(0, start - 170), start) is not None


def called_the_answer(text: str) -> Iterator[int]:
    """The places where words follow that call what ends there the answer ("… is the best match")."""
    for match in _CALLED.finditer(text):
        if not is_conditional(text, match.end()):
            yield match.start()


_CALLED = Finder(
    r" (?:(?:is|was|would be|must be|seems to be) (?:clearly |definitely |most likely |probably )?(?:the |my )?"
    r"(?:(?:most (?:likely|accurate|appropriate|plausible|suitable)|best|correct|right|only|final) )+"
    r"(?:answer|choice|option|fit|match|one)\b(?! to (?:reject|eliminate))"
    r"|(?:is|was) (?:clearly )?correct\b|(?:fits|matches)(?: best)?(?=[.!\n]|$))",
    re.IGNORECASE,
)


def _clause(text: str, end: int) -> int:
    """Where a condition of what stands at `end` can begin: at the last stop before it, at most 170 characters away."""
    start = max(0, end - 170)
    stops = ".;!?\n" if text[start:end].isascii() else ";!?\n"
    for stop in stops:
        start = max(start, text.rfind(stop, start, end))
    return start

"""Rules on what a question of musebench speaks of, for a person to judge (MB-36): alignment, evidence, intent."""

from collections.abc import Iterator

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.question import Question
from musebench_tasks.assembly.rules.words import plain_words
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown

_SEEN = """
angle backdrop background blue bright brightness brown camera canvas closeup color colour composition contrast costume
cut dark darkness dissolve edit editing face figure focus foreground frame framing gaze gesture glance glow green grey
hand image lens light lighting lit look montage move movement orange pale pan picture pose posture purple red scene
screen see seen set shade shadow shape shot silhouette stage tilt violet visible visual watch white window yellow zoom
"""
_HEARD = """
accent accompaniment audible bass beat bell chord choir drum echo hear heard hum instrument key listen loud melody music
musical noise note orchestra percussion phrase pitch piano quiet rhythm ring score sing singer singing song sound
soundtrack speech string tempo tone tune voice whisper
"""
SEEN, HEARD = frozenset(_SEEN.split()), frozenset(_HEARD.split())
_SHORTEST = 4
_STEM = 5
"""Words are told apart by their first five letters: `isolate` and `isolation` are one."""


def evidence_flaws(question: Question, alignment: str, intent: str) -> Iterator[Problem]:
    """An alignment that the question does not bear out, and an intent that it does not pursue."""
    doubt = _doubt(alignment, question.stem) if alignment != "audiovisual" else ""
    if doubt:
        found = f"{shown(alignment)}, but the question speaks of {doubt}."
        yield flaw("ALIGNMENT_DOUBTFUL", "alignment", found, "Correct it, or name the evidence.")
    meant = [word[:_STEM] for word in plain_words(intent) if len(word) >= _SHORTEST]
    said = " ".join((question.stem, *question.options)).casefold()
    if meant and not any(word in said for word in meant):
        found = f"none of its words stands in question or options ({shown(intent)})."
        yield flaw("INTENT_APART", "core_intent", found, "Ask for what is meant, or correct the intent.")


def _doubt(alignment: str, stem: str) -> str:
    """What a question speaks of against its alignment; empty where nothing speaks against it."""
    words = set(plain_words(stem))
    words |= {word[:-1] for word in words if word.endswith("s")}
    seen, heard = words & SEEN, words & HEARD
    if alignment == "visual" and heard and not seen:
        return f"what is heard ({', '.join(sorted(heard)[:3])}) alone"
    if alignment == "audio" and seen and not heard:
        return f"what is seen ({', '.join(sorted(seen)[:3])}) alone"
    if alignment == "text" and (seen or heard):
        return f"what is seen or heard ({', '.join(sorted(seen | heard)[:3])})"
    return ""

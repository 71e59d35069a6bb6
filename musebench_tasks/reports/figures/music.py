"""Figures of recordings: tempo errors by metrical level, keys on the circle of fifths, segments over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median_low

from musebench_tasks.evaluation.cases import Case
from musebench_tasks.measures import match_intervals, tempo_factor
from musebench_tasks.measures.segments import cleaned_prediction
from musebench_tasks.pages.figures import (
    Circle,
    Figure,
    Recording,
    Role,
    Stack,
    Stacks,
    Stretch,
    Track,
    Words,
    clean,
    draw_circles,
    draw_stacks,
    draw_timelines,
)
from musebench_tasks.pages.figures.look import BLUE, GREEN, ORANGE, SKY, VERMILION
from musebench_tasks.reports.figures.material import Material, System, listed, sentence
from musebench_tasks.values import PitchKey, parse_key_name, relative

TEMPO_CLASSES = ("hit", "double", "half", "triple", "third", "other", "no answer")
_TONES = (GREEN, ORANGE, SKY, VERMILION, BLUE, "#b5b5b5", "#e6e6e6")
_FACTORS = {(1, 1): "hit", (2, 1): "double", (1, 2): "half", (3, 1): "triple", (1, 3): "third"}
KEY_CLASSES = ("same", "fifth up", "fifth down", "relative", "parallel", "other", "no answer")
_MICROS = 1e6
_TRACKS = 3
"""Systems under a recording's reference."""


def tempo_figure(material: Material) -> Iterator[Figure]:
    """Tempo answers by the metrical level they hit (MU-09)."""
    counted = [(system, tempo_classes(material.cases(system))) for system in material.shown]
    counted = [(system, found) for system, found in counted if sum(found.values())]
    if not counted or all(found["no answer"] == sum(found.values()) for _, found in counted):
        return
    rows = tuple(Stack(system.name, tuple(found[each] for each in TEMPO_CLASSES)) for system, found in counted)
    prior = _prior(material, "mub.tempo.acc1")
    stacks = Stacks(TEMPO_CLASSES, rows, _TONES, prior, "hits of the constant prior" if prior is not None else "")
    words = Words(
        "tempo-errors",
        _tempo_title(rows),
        _stack_description(stacks, "tempo"),
        "Within 4 % of the reference tempo (hit), or of twice, half, three times or a third of it."
        + material.left_out(),
    )
    yield draw_stacks(stacks, words, material.prefix("tempo"))


def tempo_classes(cases: Sequence[Case]) -> Counter[str]:
    """How many tempi fall into each of `TEMPO_CLASSES`, over recordings with a reference tempo."""
    found: Counter[str] = Counter()
    for case in cases:
        reference = case.reference.music.tempo_bpm if case.reference.music else None
        if reference is None:
            continue
        answer = case.values.get("tempo")
        factor = tempo_factor(reference=reference, prediction=answer)
        found["no answer" if answer is None else _FACTORS[factor] if factor else "other"] += 1
    return found


def _prior(material: Material, metric: str) -> float | None:
    rows = material.systems[0].card.baselines
    return next((row.value for row in rows if (row.metric, row.system) == (metric, "prior:constant")), None)


def _tempo_title(rows: Sequence[Stack]) -> str:
    off = [(row.counts[1] + row.counts[2], sum(row.counts), row.name) for row in rows]
    most, total, name = max(off, key=lambda each: each[0] / each[1])
    if not most:
        return f"{rows[0].name} is never an octave off" if len(rows) == 1 else "No system is an octave off"
    return f"{name} is an octave off in {most} of {total}"


def _stack_description(stacks: Stacks, what: str) -> str:
    parts = []
    for row in stacks.rows:
        counts = [f"{count} {name}" for name, count in zip(stacks.classes, row.counts, strict=True) if count]
        parts.append(f"{row.name}, {what} of {sum(row.counts)}: {', '.join(counts)}.")
    mark = (
        [f"{sentence(stacks.mark_name).removesuffix('.')}: {100 * stacks.mark:.0f} %."]
        if stacks.mark is not None
        else []
    )
    return " ".join([*parts, *mark])


def key_figure(material: Material) -> Iterator[Figure]:
    """Keys answered, around the right ones on the circle of fifths (MU-10)."""
    circles, numbers, titles = [], [], []
    for system in material.shown:
        answers = key_answers(material.cases(system))
        if not any(answer for _, answer in answers):
            continue
        found = Counter(key_relation(reference, answer) for reference, answer in answers)
        circles.append(_circle(system.name, answers, found))
        numbers.append(
            f"{system.name}, of {len(answers)}: " + ", ".join(f"{found[each]} {each}" for each in KEY_CLASSES)
        )
        titles.append((found["same"], system.name, len(answers), found))
    if not circles:
        return
    words = Words(
        "key-circle",
        _key_title(*max(titles, key=lambda each: each[0])[1:]),
        sentence("; ".join(numbers)),
        "Every recording is turned so that its right key stands at the top. Outer ring: keys of the same mode, a step "
        "a fifth. Inner ring: keys of the other mode, the relative at the top, the parallel three steps from it."
        + material.left_out(),
    )
    yield draw_circles(tuple(circles), words, material.prefix("keys"))


def key_answers(cases: Sequence[Case]) -> list[tuple[PitchKey, PitchKey | None]]:
    """Reference and answered key of the recordings that have a reference key."""
    pairs = []
    for case in cases:
        reference = parse_key_name(case.reference.music.key) if case.reference.music else None
        if reference is not None:
            pairs.append((reference, parse_key_name(case.values.get("key"))))
    return pairs


def key_relation(reference: PitchKey, answer: PitchKey | None) -> str:
    """Which of `KEY_CLASSES` an answer is."""
    if answer is None:
        return "no answer"
    if answer == relative(reference):
        return "relative"
    distance = (answer.pitch_class - reference.pitch_class) % 12
    if answer.mode != reference.mode:
        return "parallel" if distance == 0 else "other"
    return {0: "same", 7: "fifth up", 5: "fifth down"}.get(distance, "other")


def fifths_step(reference: PitchKey, answer: PitchKey) -> int:
    """Steps clockwise on the circle of fifths: by tonic in the same mode, from the relative in the other."""
    start = reference if answer.mode == reference.mode else relative(reference)
    return 7 * (answer.pitch_class - start.pitch_class) % 12


def _circle(name: str, answers: Sequence[tuple[PitchKey, PitchKey | None]], found: Counter[str]) -> Circle:
    steps = Counter((a.mode == r.mode, fifths_step(r, a)) for r, a in answers if a is not None)
    fifths = found["fifth up"] + found["fifth down"]
    return Circle(
        name=name,
        same_mode=tuple(steps[True, step] for step in range(12)),
        other_mode=tuple(steps[False, step] for step in range(12)),
        summary=(
            f"fifth {fifths} · relative {found['relative']} · parallel {found['parallel']}",
            f"other {found['other']} · no answer {found['no answer']} · n {len(answers)}",
        ),
    )


def _key_title(name: str, n: int, found: Counter[str]) -> str:
    related = sum(found[each] for each in KEY_CLASSES[1:5])
    wrong = related + found["other"]
    start = f"{name} names the right key in {found['same']} of {n}"
    if wrong == 1:
        return f"{start}; its one wrong key is {'a' if related else 'no'} close relation"
    return f"{start}; {related} of its {wrong} wrong keys are close relations" if wrong else start


def segment_figure(material: Material) -> Iterator[Figure]:
    """Reference and answers over time: the best, the median and the worst recording of the first system (MU-11)."""
    systems = [(system, _with_segments(material.cases(system))) for system in material.shown]
    answering = [(s, cases) for s, cases in systems if any(case.values.get("segments") for case in cases.values())]
    if not answering:
        return
    first, cases = answering[0]
    scored = sorted((_f1(case), item_id) for item_id, case in cases.items())
    best, middle, worst = scored[-1], median_low(scored), scored[0]
    ranks = {worst[1]: "worst", middle[1]: "median", best[1]: "best"} if len(scored) > 1 else {best[1]: "only"}
    recordings = tuple(
        _recording(item_id, ranks[item_id], [(system, found) for system, found in answering if item_id in found])
        for item_id in dict.fromkeys((best[1], middle[1], worst[1]))
    )
    names = listed([system.name for system, _ in answering[:_TRACKS]])
    words = Words(
        "segments",
        _segment_title(first.name, worst[0], middle[0], best[0]),
        " ".join(_recording_words(each) for each in recordings),
        f"The best, the median and the worst recording of {first.name}; at the right the F1 of segments at an "
        f"intersection over union of one half. Colours are the labels of the reference. Shown: {names}.",
    )
    yield draw_timelines(recordings, words, material.prefix("segments"))


def _segment_title(name: str, worst: float, middle: float, best: float) -> str:
    if worst == best:
        return f"{name} finds segments with an F1 of {best:.2f} in every recording"
    return f"{name} finds segments with an F1 of {worst:.2f} to {best:.2f}, {middle:.2f} in the median recording"


def _with_segments(cases: Sequence[Case]) -> dict[str, Case]:
    """The first run of each recording whose segments are annotated."""
    found: dict[str, Case] = {}
    for case in cases:
        if case.reference.music is not None and case.reference.music.segments:
            found.setdefault(case.item.id, case)
    return found


def _f1(case: Case) -> float:
    segments = case.reference.music.segments if case.reference.music else None
    answer = case.values.get("segments")
    return match_intervals(reference=segments or (), prediction=answer, duration_s=case.item.window_s).f1


def _recording(item_id: str, rank: str, answering: Sequence[tuple[System, dict[str, Case]]]) -> Recording:
    case = answering[0][1][item_id]
    truth = case.reference.music.segments if case.reference.music else None
    stretches = tuple(Stretch(each.start_s, each.end_s, clean(each.label)) for each in truth or ())
    tracks = [Track("reference", stretches, "F1", Role.REFERENCE)]
    for system, found in answering[:_TRACKS]:
        intervals, _ = cleaned_prediction(found[item_id].values.get("segments"), case.item.window_s)
        parts = tuple(Stretch(each.start / _MICROS, each.end / _MICROS, clean(each.label)) for each in intervals or ())
        tracks.append(Track(system.name, parts, f"{_f1(found[item_id]):.2f}"))
    length = max([case.item.window_s or 0.0, *(each.end_s for each in stretches)]) or 1.0
    return Recording(f"{rank}: {clean(item_id)}", length, tuple(tracks))


def _recording_words(recording: Recording) -> str:
    parts = []
    for track in recording.tracks:
        note = f" (F1 {track.note})" if track.role is Role.SYSTEM else ""
        stretches = [f"{each.label or 'no label'} {each.start_s:.1f} to {each.end_s:.1f} s" for each in track.stretches]
        parts.append(f"{track.name}{note}: {', '.join(stretches) or 'no answer'}")
    return f"{sentence(recording.heading).removesuffix('.')}. {'; '.join(parts)}."

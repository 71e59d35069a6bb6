"""A page of made-up items, answers and media, of any length and as hostile as asked."""

import io
import wave

import numpy as np

from musebench_tasks.assembly.video import ClipEncoding, encode_clip
from musebench_tasks.base.records import (
    Audio,
    Condition,
    FieldAnswer,
    Frames,
    Item,
    Kind,
    MusicTruth,
    Option,
    Prediction,
    Reference,
    Segment,
    Status,
    make_options,
)
from musebench_tasks.pages import GivenAnswer, Medium, make_card, make_facets, page_environment, write_page

PAGE = """{% extends "page.html.jinja" %}
{% block title %}{{ title }}{% endblock %}
{% from "contents.html.jinja" import contents %}
{% block contents %}{{ contents(listed) }}{% endblock %}
{% block content %}
<header><h1>{{ title }}</h1><p class="lead">Made-up systems on made-up items.</p></header>
{% for anchor, name, facets, cards in sections %}
<section aria-labelledby="{{ anchor }}">
<h2 id="{{ anchor }}">{{ name }}</h2>
<section aria-labelledby="{{ anchor }}-items">
<h3 id="{{ anchor }}-items">Items</h3>
{% with task = name %}{% include "browser.html.jinja" %}{% endwith %}
</section>
</section>
{% endfor %}
{% endblock %}
"""
SYSTEMS = ("an-organisation/Omni-7B-Instruct", "random", "listener")
CATEGORIES = {"Cinematic": ("Animation", "Film"), "Stage": ("Theatre", "Dance"), "Game": ("Platform",)}
QUESTION = "As the beam narrows on the dancer and the strings thin out, why does the stage designer {} the light?"
OPTIONS = (
    "To hold every eye on one gesture while the music leaves room for it",
    "To hide the change of the set behind her from the balcony",
    "To prepare the entrance of the chorus from the other side",
    "To let the warm colour of the floor answer the strings",
)
RAW = "The light narrows while the strings thin out, which draws all attention to the gesture.\n\nAnswer: {}"
CLIP_S, RATE = 8, 12
VERBS = ("narrow", "dim", "colour", "hold")


def write_media(folder):
    """A film of eight seconds whose grey tells the second, and as long a tone; their addresses beside the page."""
    media = folder / "media"
    media.mkdir(parents=True, exist_ok=True)
    times = np.arange(CLIP_S * 16_000) / 16_000
    tone = (0.2 * np.sin(2 * np.pi * 330 * times)).astype(np.float32)
    encoding = ClipEncoding(width=320, height=176, crf=30, preset="ultrafast", key_frame_every=RATE)
    (media / "film.mp4").write_bytes(encode_clip(map(_frame, range(CLIP_S * RATE)), RATE, tone, 16_000, encoding))
    with io.BytesIO() as held:
        with wave.open(held, "wb") as file:
            file.setparams((1, 2, 16_000, 0, "NONE", ""))
            file.writeframes((tone * 32767).astype("<i2").tobytes())
        (media / "tone.wav").write_bytes(held.getvalue())
    return {"film": "media/film.mp4", "sound": "media/tone.wav"}


def _frame(number):
    pixels = np.full((176, 320, 3), (40, 44, 60), dtype=np.uint8)
    column = 20 + 280 * number // (CLIP_S * RATE)
    pixels[60:150, column - 14 : column + 14] = (236, 196, 120)
    pixels[150:] = (24, 26, 36)
    return pixels


def film_item(number, **changes):
    """A question about the film."""
    category = list(CATEGORIES)[number % len(CATEGORIES)]
    places = CATEGORIES[category]
    name = f"demo-{number:04d}"
    return Item(
        **{
            "id": name,
            "benchmark": "b",
            "kind": Kind.MULTI if number % 4 == 3 else Kind.SINGLE,
            "start_s": 2.0,
            "end_s": 6.0,
            "question": QUESTION.format(VERBS[number % len(VERBS)]) + f" (view {number})",
            "options": make_options(name, [f"{text}, seen from row {number % 17}" for text in OPTIONS]),
            "cluster_id": name,
            "category": category,
            "subdomain": places[number // 3 % len(places)],
            "difficulty": ("Low", "Medium", "High")[number % 3],
            "license": "CC-BY-4.0",
            "attribution": "Made for a test, https://example.org/made-up",
            **changes,
        }
    )


def gold_of(item, number):
    """The first option, or the first and third where several are right, moved by the item's number."""
    ids = item.option_ids
    right = [ids[number % len(ids)], *([ids[(number + 2) % len(ids)]] if item.kind is Kind.MULTI else [])]
    return Reference(item_id=item.id, answer=tuple(each for each in ids if each in right))


def film_answers(item, number, systems=SYSTEMS):
    """One answer a system: the first is mostly right, the second seldom, the third now and then refuses."""
    gold = gold_of(item, number).answer
    for place, system in enumerate(systems):
        refuses = place == 2 and number % 5 == 4
        is_right = (number + place) % (place + 2) != 0
        chosen = gold if is_right else (item.option_ids[(number + 1 + place) % len(item.option_ids)],)
        letters = ", ".join("ABCDEFGH"[item.option_ids.index(each)] for each in chosen)
        prediction = Prediction(
            item_id=item.id,
            run=0,
            condition=Condition.FULL,
            option_order=item.option_ids,
            raw="I cannot help with that." if refuses else RAW.format(letters),
            parsed=None if refuses else tuple(sorted(chosen)),
            rule=None if refuses else "answer_line",
            status=Status.REFUSED if refuses else Status.OK,
            frames=Frames(available=8, used=8 if place != 1 else 4, policy="uniform" if place == 1 else "2 fps"),
            audio=Audio(route="native", seconds=4.0),
        )
        yield GivenAnswer(system, "", prediction, fps=2.0)


def film_cards(count, prefix="t1", window="#t=2,6", film="media/film.mp4", systems=SYSTEMS):
    """Cards of `count` questions."""
    for number in range(count):
        item = film_item(number)
        medium = Medium(element="video", address=film, window=window, label="film, 2 s to 6 s")
        given = list(film_answers(item, number, systems))
        yield make_card(item, gold_of(item, number), given, medium, anchor=f"{prefix}-{number + 1}")


def tune_cards(count, prefix="t2", sound="media/tone.wav"):
    """Cards of `count` recordings."""
    for number in range(count):
        item = Item(id=f"tune-{number:02d}", benchmark="b", kind=Kind.MUSIC, duration_s=8.0, cluster_id=str(number))
        parts = ((0, 3, "A"), (3, 6, "B"), (6, 8, "A"))
        segments = tuple(Segment(start_s=start, end_s=end, label=label) for start, end, label in parts)
        truth = MusicTruth(tempo_bpm=96.0, key="Eb major", time_signature="6/8", segments=segments)
        given = [_tune_answer(item, system, place) for place, system in enumerate(SYSTEMS)]
        medium = Medium(element="audio", address=sound, label="sound, 8 s")
        yield make_card(item, Reference(item_id=item.id, music=truth), given, medium, anchor=f"{prefix}-{number + 1}")


def _tune_answer(item, system, place):
    segments = [{"start_s": 0, "end_s": 3 + place, "label": "A"}, {"start_s": 3 + place, "end_s": 8, "label": "B"}]
    values = {"tempo": 96.0 / (place + 1), "key": ("Eb major", "C minor", "D major")[place], "segments": segments}
    fields = {name: FieldAnswer(value=value, status=Status.OK, rule="json") for name, value in values.items()}
    prediction = Prediction(
        item_id=item.id,
        run=0,
        condition=Condition.FULL,
        raw="{}",
        parsed=fields,
        status=Status.OK,
        audio=Audio(route="native", seconds=8.0 if place else 5.0),
    )
    return GivenAnswer(system, "", prediction)


def hostile_cards(texts, prefix="t1"):
    """Cards in which every text that a model, an author or a run's user writes is one of `texts`."""
    for number, text in enumerate(texts):
        options = (Option(id="aaaaaaaa", text=text), Option(id="bbbbbbbb", text=text[::-1]))
        item = Item(
            id=text,
            benchmark="b",
            kind=Kind.SINGLE,
            start_s=2.0,
            end_s=6.0,
            question=text,
            options=options,
            cluster_id="c",
            category=text,
            subdomain=text,
            difficulty=text,
            license=text,
            attribution=text,
        )
        prediction = Prediction(
            item_id=text,
            run=0,
            condition=Condition.FULL,
            option_order=item.option_ids,
            raw=text,
            parsed=("aaaaaaaa",),
            rule=text[:99],
            flags=(text[:99],),
            finish_reason=text,
            status=Status.OK,
            frames=Frames(available=8, used=3, policy="uniform"),
            audio=Audio(route=text, seconds=1.0),
        )
        failed = prediction.model_copy(update={"parsed": None, "raw": None, "status": Status.BACKEND_ERROR})
        given = [GivenAnswer(text, text, prediction), GivenAnswer(f"{text} 2", text, failed, error=text)]
        medium = Medium(element="video", address="media/film.mp4", window="#t=2,6", label=text[:200])
        reference = Reference(item_id=text, answer=("aaaaaaaa",))
        yield make_card(item, reference, given, medium, anchor=f"{prefix}-{number + 1}")


def write_items(path, sections, title="Synthetic items", systems=SYSTEMS):
    """A page whose sections are (name, cards, items)."""
    template = page_environment().from_string(PAGE)
    shown = [
        (f"t{place}", name, make_facets(items, systems, [Status.OK, Status.REFUSED]), cards)
        for place, (name, cards, items) in enumerate(sections, start=1)
    ]
    write_page(path, template.generate(title=title, sections=shown, listed=[each[:2] for each in shown]))
    return path

"""What a guard finds in texts, bodies and files, and what it leaves alone."""

import base64
import json
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.errors import LeakError
from musebench_tasks.base.records import Kind, Request, make_options
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.prompts.leak_guard import LeakGuard
from musebench_tasks.prompts.readable_bytes import readable_text
from musebench_tasks.prompts.word_grams import LONGEST_GRAM, grams, whole_grams, words

TITLE = "Blue Harbour Waltz"
CAPTION = "a tall woman in a red coat walks slowly towards the burning house at night"


def guard_for(*texts, own=None):
    table = {}
    for text in texts:
        n, hashes = whole_grams(words(text))
        table.setdefault(n, {}).update(dict.fromkeys(hashes, 0))
    return LeakGuard("a_task", ('a title ("song_name")',), table, own or {})


def request(prompt="Which instrument leads?", options=("Violin", "Oboe"), item="i1", system=None, question=None):
    return Request(
        item_id=item,
        run=0,
        condition="full",
        kind=Kind.SINGLE,
        options=make_options(item, options),
        question=question or "Which instrument leads?",
        prompt=prompt,
        system=system,
        key="k",
    )


@pytest.mark.parametrize(
    "text", ["Blue Harbour Waltz", "the BLUE  harbour\nwaltz!", "Ｂｌｕｅ Harbour-Waltz", "x_blue_harbour_waltz"]
)
def test_a_name_is_found_however_it_is_written(text):
    with pytest.raises(
        LeakError, match=r'^a_task, item i1, condition full: the prompt, line 2, holds a title \("song_'
    ):
        guard_for(TITLE).check_requests(
            [request(f"Listen.\nThis is {text if chr(10) not in text else text.replace(chr(10), ' ')}.")]
        )


@pytest.mark.parametrize("text", ["Blue harbour", "waltz harbour blue", "Blue grey harbour waltz", "blueharbourwaltz"])
def test_other_words_are_left_alone(text):
    guard_for(TITLE).check_requests([request(text)])


def test_the_message_never_says_what_it_found():
    with pytest.raises(LeakError) as caught:
        guard_for(TITLE).check_requests([request("Blue Harbour Waltz")])
    assert not {"blue", "harbour", "waltz"} & set(words(str(caught.value)))


@pytest.mark.parametrize("place", range(len(words(CAPTION)) - LONGEST_GRAM + 1))
def test_any_eight_words_of_a_caption_are_found(place):
    eight = " ".join(words(CAPTION)[place : place + 8])
    with pytest.raises(LeakError):
        guard_for(CAPTION).check_requests([request(f"He sees {eight} again")])
    guard_for(CAPTION).check_requests([request(" ".join(words(CAPTION)[place : place + 7]))])


def test_system_texts_are_looked_at():
    with pytest.raises(LeakError, match="the system text, line 1,"):
        guard_for(TITLE).check_requests([request(system=f"You hear {TITLE}.")])


OPTIONS = ("Blue Harbour Waltz", "Another Waltz")
SHOWN = "A. Blue Harbour Waltz\nB. Another Waltz"


@pytest.mark.parametrize(
    "prompt",
    [
        f"Which is it?\n{SHOWN}",
        f"Which is it?\n{SHOWN}\nOnce more:\n{SHOWN}",
        "Which is it?\na) blue harbour WALTZ  b) another waltz",
    ],
)
def test_options_are_meant_to_be_sent(prompt):
    guard_for(TITLE).check_requests([request(prompt, OPTIONS, question="Which is it?")])


@pytest.mark.parametrize(
    "prompt",
    [
        f"This is Blue Harbour Waltz. Which is it?\n{SHOWN}",
        f"Which is it?\n{SHOWN}\nBlue Harbour Waltz",
        "Blue Harbour Waltz: which is it?",
    ],
)
def test_an_option_excuses_no_more_than_itself(prompt):
    guard = guard_for(TITLE)
    guard.check_requests([request(f"Which is it?\n{SHOWN}", OPTIONS, question="Which is it?")])
    with pytest.raises(LeakError):
        guard.check_requests([request(prompt, OPTIONS, question="Which is it?")])


def test_a_title_that_starts_with_a_letter_of_an_option_raises_no_alarm():
    guard_for("B Minor Mass").check_requests([request("Which?\nA. Aria\nB. Minor mass", ("Aria", "Minor mass"))])


def test_another_items_options_excuse_nothing():
    guard = guard_for(TITLE)
    guard.check_requests([request(f"Which is it?\n{SHOWN}", OPTIONS)])
    with pytest.raises(LeakError):
        guard.check_requests([request(f"Which is it?\n{SHOWN}", item="i2")])


def test_the_own_transcript_may_say_what_it_says():
    own = {"i1": frozenset(whole_grams(words(TITLE))[1])}
    guard = guard_for(TITLE, own=own)
    guard.check_requests([request(f"Transcript: {TITLE}")] * 2)
    with pytest.raises(LeakError, match="item i2"):
        guard.check_requests([request(f"Transcript: {TITLE}", item="i2")])


def test_a_guard_travels_without_texts_and_without_what_it_found_clean():
    guard = guard_for(TITLE, CAPTION)
    guard.check_requests([request()])
    sent = pickle.dumps(guard)
    assert not any(word.encode() in sent.lower() for word in (*words(TITLE), "burning", "which", "violin"))
    with pytest.raises(LeakError):
        pickle.loads(sent).check_requests([request(TITLE)])


def body(**parts):
    whole = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "Which?"}]}], **parts}
    return [json.dumps(whole, ensure_ascii=False).encode()]


def data_url(content, kind="image/jpeg"):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def test_a_body_is_looked_at_whole():
    guard = guard_for(TITLE)
    guard.check_json(request(), body(temperature=0, seed=3))
    with pytest.raises(LeakError, match="the body of the request"):
        guard.check_json(request(), body(metadata={"what": 'the "Blue\nHarbour\tWaltz"'}))


def test_names_of_fields_are_no_leaks():
    guard = guard_for("temperature", "reasoning effort")
    guard.check_json(request(), body(temperature=0, reasoning_effort="low"))
    with pytest.raises(LeakError):
        guard.check_json(request(), body(user="temperature"))


def jpeg(comment=b""):
    plain = encode_jpeg(np.random.default_rng(0).integers(0, 255, (160, 160, 3), dtype=np.uint8))
    return plain[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + plain[2:] if comment else plain


def wav(chunk=b"", after=b"", samples=30_000):
    plain = encode_wav(np.random.default_rng(0).uniform(-1, 1, samples), 16_000)
    put = b"LIST" + struct.pack("<I", len(chunk)) + chunk
    return plain[:12] + put + plain[12:] + (b"LIST" + struct.pack("<I", len(after)) + after if after else b"")


@pytest.mark.parametrize(
    "content",
    [
        jpeg(b"Blue Harbour Waltz"),
        wav(b"INFOINAM\x14\0\0\0Blue Harbour Waltz\0\0"),
        wav(after=b"INFOINAM\x14\0\0\0Blue Harbour Waltz\0\0"),
        b"\x01\x02ID3" + bytes(300) + "Blue Harbour Waltz".encode("utf-16-le") + bytes(300),
    ],
    ids=["jpeg comment", "wav chunk", "wav chunk after the samples", "utf-16 tag"],
)
def test_media_in_a_body_are_decoded_and_read(content, tmp_path):
    clean = body(media=data_url(jpeg()), sound=base64.b64encode(wav()).decode())
    guard = guard_for(TITLE)
    guard.check_json(request(), clean)
    with pytest.raises(LeakError, match="the media in the body"):
        guard.check_json(request(), body(media=data_url(content), other=data_url(jpeg())))
    joined = f"{data_url(jpeg(), 'video/jpeg')},{base64.b64encode(content).decode()}"
    with pytest.raises(LeakError, match="the media in the body"):
        guard.check_json(request(), body(media=joined))
    file = tmp_path / "clip.bin"
    file.write_bytes(content)
    with pytest.raises(LeakError, match=r"the file clip\.bin holds"):
        guard.check_file(request(), file)


def test_names_in_other_scripts_are_found_in_files(tmp_path):
    file = tmp_path / "clip.mp4"
    for title in ("月亮代表我的心", "Ночь на Лысой горе", "Les Pêcheurs de perles"):
        file.write_bytes(bytes(range(256)) * 20 + title.encode() + bytes(range(256)) * 20)
        with pytest.raises(LeakError):
            guard_for(title).check_file(request(), file)


def test_a_file_must_not_be_named_so(tmp_path):
    file = tmp_path / "blue-harbour_waltz.wav"
    file.write_bytes(b"RIFF")
    with pytest.raises(LeakError, match="the name of the file"):
        guard_for(TITLE).check_file(request(), file)


def test_samples_and_pictures_are_not_read_as_text():
    assert len(readable_text(jpeg())) < 400
    assert len(readable_text(wav(samples=200_000))) < 100


def test_the_words_of_a_command_are_looked_at():
    guard_for(TITLE).check_command(request(), ["sh", "-c", "cat"])
    with pytest.raises(LeakError, match="argument 2 of the command"):
        guard_for(TITLE).check_command(request(), ["sh", "-c", "play 'Blue Harbour Waltz'"])


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text):
    guard_for(TITLE).check_requests([request(text or "x", question=text or "x", system=text or None)])


@given(st.lists(st.sampled_from(["ab", "cd", "ef"]), min_size=1, max_size=12))
def test_runs_of_words_have_equal_hashes_only_if_they_are_equal(found):
    for n, hashes in grams(found):
        runs = [tuple(found[place : place + n]) for place in range(len(found) - n + 1)]
        assert [hashes.index(each) for each in hashes] == [runs.index(run) for run in runs]

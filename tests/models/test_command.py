"""A program of the user's as a model."""

import shlex
import sys
import time
import wave

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.records import Kind, Modality, Status
from musebench_tasks.models import load_model


@pytest.fixture
def program(tmp_path):
    """A spec that runs Python code with arguments."""

    def program(code, arguments="", **options):
        path = tmp_path / "my program.py"
        path.write_text(code)
        return load_model(f"command:{sys.executable} {shlex.quote(str(path))} {arguments}", **options)

    return program


def test_what_the_program_prints_is_the_answer(program, make_group, make_request):
    first, second = program("import sys; print(sys.stdin.read()[:5])").answer(
        make_group(make_request(prompt="Hello you"), make_request(item_id="item-2", prompt="Adieu"))
    )
    assert (first.raw, second.raw) == ("Hello", "Adieu")
    assert first.finish_reason == "stop"
    assert first.latency_s > 0


def test_audio_is_a_masked_wav_file(program, make_group, make_request):
    model = program(
        "import sys, shutil; print(sys.argv[1]); shutil.copy(sys.argv[1], sys.argv[2])", "{audio} " + "/dev/null"
    )
    group = make_group(make_request())
    (response,) = model.answer(group)
    assert response.raw.endswith("/audio.wav")
    assert "secret" not in response.raw
    assert "item" not in response.raw
    assert group.decoded == ["audio"]


def test_the_wav_holds_the_samples(program, make_group, make_request, tmp_path):
    kept = tmp_path / "kept.wav"
    model = program("import sys, shutil; shutil.copy(sys.argv[1], sys.argv[2])", f"{{audio}} {kept}")
    list(model.answer(make_group(make_request())))
    with wave.open(str(kept)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth(), file.getnframes()) == (
            16_000,
            1,
            2,
            8000,
        )


def test_video_prompt_and_prompt_file_are_filled_in(program, make_group, make_request):
    code = (
        "import sys; from pathlib import Path; _, video, prompt, file, other = sys.argv;"
        "print(Path(video).read_text(), prompt, Path(file).read_text(encoding='utf-8'), other, sep='|')"
    )
    model = program(code, "{video} '{prompt}' {prompt_file} 'a{{b}}'")
    (response,) = model.answer(make_group(make_request(prompt='Größe {audio} "x"; $HOME `id`')))
    told = 'Größe {audio} "x"; $HOME `id`'
    assert response.raw == f"masked clip|{told}|{told}|a{{b}}"
    assert model.limits.modalities == frozenset(Modality)


@pytest.mark.parametrize(
    ("arguments", "takes"), [("", set()), ("{audio}", {Modality.AUDIO}), ("{video}", set(Modality))]
)
def test_what_a_program_takes_follows_from_its_placeholders(program, arguments, takes):
    assert program("", arguments).limits.modalities == takes


def test_a_failing_program_is_a_backend_error_with_its_last_line(program, make_group, make_request):
    model = program("import sys; print('first', file=sys.stderr); sys.exit('no model found')")
    (response,) = model.answer(make_group(make_request()))
    assert response.failure is Status.BACKEND_ERROR
    assert response.error.endswith("exit 1: no model found")


def test_a_slow_program_is_a_timeout_and_ended_with_its_children(program, make_group, make_request, tmp_path):
    marker = tmp_path / "alive"
    child = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(marker)!r}).touch()"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    started = time.monotonic()
    (response,) = program(code, timeout_s=0.7).answer(make_group(make_request()))
    assert response.failure is Status.TIMEOUT
    assert response.error.endswith("no answer within 0.7 s")
    assert time.monotonic() - started < 5
    time.sleep(1.2)
    assert not marker.exists()


def test_what_a_program_leaves_behind_is_not_waited_for(program, make_group, make_request):
    code = (
        "import subprocess, sys; print('B', flush=True);"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'], start_new_session=%s)"
    )
    for own_session in (True, False):
        started = time.monotonic()
        (response,) = program(code % own_session, timeout_s=15).answer(make_group(make_request()))
        assert (response.raw, response.failure) == ("B", None)
        assert time.monotonic() - started < 10


def test_past_the_time_nobody_waits_for_who_left_the_session(program, make_group, make_request):
    code = (
        "import subprocess, sys, time;"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'], start_new_session=True);"
        "time.sleep(20)"
    )
    started = time.monotonic()
    (response,) = program(code, timeout_s=0.7).answer(make_group(make_request()))
    assert response.failure is Status.TIMEOUT
    assert time.monotonic() - started < 10


def test_long_texts_pass_in_both_directions(program, make_group, make_request):
    prompt = "Größe\r\n" * 100_000
    code = "import sys; sys.stderr.write('x' * 300_000); sys.stdout.buffer.write(sys.stdin.buffer.read() + b'.')"
    (response,) = program(code).answer(make_group(make_request(prompt=prompt)))
    assert response.raw == prompt.replace("\r\n", "\n") + "."


@pytest.mark.parametrize(
    ("arguments", "needs"),
    [
        ("", set()),
        ("{audio} {prompt}", {Modality.AUDIO}),
        ("{video}", {Modality.VIDEO}),
        ("{audio}{video}", set(Modality)),
    ],
)
def test_what_a_program_cannot_do_without_is_known(program, arguments, needs):
    assert program("", arguments).requires == needs


def test_a_condition_without_the_medium_is_an_error_that_says_so(program, make_group, make_request):
    request = make_request(condition=CONDITIONS["text_only"])
    (response,) = program("", "{audio}").answer(make_group(request, modalities=frozenset()))
    assert response.error == "the command wants {audio}, and condition text_only gives none"


def test_errors_of_the_medium_pass_through(program, make_group, make_request):
    with pytest.raises(MediaError):
        list(program("", "{audio}").answer(make_group(make_request(), error=MediaError("E1", "broken"))))


def test_no_shell_reads_the_command(program, make_group, make_request, tmp_path):
    (response,) = program("import sys; print(sys.argv[1:])", f"'; touch {tmp_path}/x'").answer(
        make_group(make_request())
    )
    assert response.raw == f"['; touch {tmp_path}/x']"
    assert not (tmp_path / "x").exists()


def test_a_command_quoted_as_a_whole_is_read(make_group, make_request):
    model = load_model('command:"cat {prompt_file}"')
    assert next(model.answer(make_group(make_request(prompt="B")))).raw == "B"
    assert model.kinds == frozenset(Kind)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cat {adio}", r"nothing is known as \{adio\} \(nearest: audio\)"),
        ("no-such-program {audio}", r'no program "no-such-program"'),
        ("cat 'x", r"No closing quotation"),
    ],
)
def test_a_faulty_command_is_a_clear_error(command, told):
    with pytest.raises(InputError, match=told):
        load_model(f"command:{command}")


def test_the_revision_follows_the_program(program):
    assert program("print(1)").revision != program("print(2)").revision

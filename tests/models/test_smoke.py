"""Trying checkpoints: what is wrong is found and said, and one family's trouble is not another's."""

import io
import re
from types import SimpleNamespace

import pytest
from fakes.media_group import make_request
from rich.console import Console

from musebench_tasks.base.records import Limits, Received, Status
from musebench_tasks.cli import main
from musebench_tasks.cli.smoke_report import print_trials
from musebench_tasks.models import answered, failed
from musebench_tasks.models.smoke import CHECKS, Check, Trial, trial, try_family
from musebench_tasks.models.tiny import TINY_FAMILIES


@pytest.fixture(scope="module")
def fine(torch):
    return try_family("qwen2_5_omni_thinker")


def printed(trials, width=80):
    stream = io.StringIO()
    print_trials(trials, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def test_a_family_that_sees_and_hears_passes_every_check(fine):
    assert fine.problems == []
    assert tuple(fine.checks) == CHECKS
    assert (fine.checks["seen"].told, fine.checks["heard"].told) == ("8", "8.0 s")


def test_the_table_fits_a_narrow_terminal(fine):
    lines = printed([fine, Trial("musicflamingo", {"text": Check("ok")})]).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[3].startswith("qwen2_5_omni_thinker")
    assert lines[4].count("–") == len(CHECKS) - 1
    assert lines[-1].startswith("2 of 2 ok")


def test_what_is_wrong_stands_below_the_table():
    bad = Trial("deaf", {"heard": Check("2.0 s", "2.0 of 8.0 s of sound arrive")})
    told = printed([bad, Trial("broken", problem="its weights cannot be loaded")])
    assert re.search(r"^deaf\s.*2\.0 s.*no$", told, re.MULTILINE)
    assert "deaf  heard: 2.0 of 8.0 s of sound arrive" in told
    assert "broken  its weights cannot be loaded" in told
    assert told.rstrip().splitlines()[-1].startswith("0 of 2 ok")


def response(shares, raw=None, **details):
    return answered(make_request(), raw, option_probabilities=shares, **details)


def test_media_that_change_nothing_are_found_out():
    asked = SimpleNamespace(plain=[response({"a": 0.5, "b": 0.5})], again=[response({"a": 0.5, "b": 0.5})])
    check = trial._moves(asked, [response({"a": 0.5, "b": 0.5})], "sound")
    assert check.problem == "no probability moves with other sound"
    moved = trial._moves(asked, [response({"a": 0.4, "b": 0.6})], "sound")
    assert (moved.told, moved.problem) == ("0.1000", None)


@pytest.mark.parametrize(
    ("check", "received", "told"),
    [
        ("_sound", {"audio_s": 2.0}, "2.0 of 8.0 s of sound arrive"),
        ("_sound", {"audio_s": 7.95}, None),
        ("_frames", {"frames_used": 3}, "3 of 8 frames arrive"),
        ("_frames", {"frames_used": 8}, None),
    ],
)
def test_what_does_not_arrive_is_found_out(check, received, told):
    model = SimpleNamespace(limits=Limits(max_frames=32, max_audio_s=30))
    asked = SimpleNamespace(plain=[response({}, "text", received=Received(**received))], model=model)
    assert getattr(trial, check)(asked).problem == told


def test_what_ends_all_questions_is_the_family_s_only_line():
    request = make_request()
    asked = SimpleNamespace(plain=[failed(request, Status.BACKEND_ERROR, "out of memory")])
    found = Trial("broken")
    trial._fill(found, asked)
    assert (found.problems, found.checks, found.is_fine) == (["out of memory"], {}, False)


def test_the_command_says_what_it_does_not_know(capsys):
    assert main(["models", "smoke", "qwen4"]) == 2
    assert 'no tiny model of "qwen4"' in capsys.readouterr().err
    assert main(["models", "smoke", "--model", "dsp"]) == 2
    assert "for a server there is `musebench ping`" in capsys.readouterr().err


@pytest.mark.slow
def test_every_tiny_family_passes(torch, capsys):
    assert main(["models", "smoke"]) == 0
    assert f"{len(TINY_FAMILIES)} of {len(TINY_FAMILIES)} ok" in capsys.readouterr().out

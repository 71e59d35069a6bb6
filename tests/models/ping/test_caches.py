"""The canary, the prefix cache, letters and replies, each asked alone."""

import pytest

from musebench_tasks.models.ping import State
from musebench_tasks.models.ping.arrival import make_probe
from musebench_tasks.models.ping.ladders import FRAMES, ROOM, SOUND, climb
from musebench_tasks.models.ping.server_checks import check_canary, check_clip, check_letters, check_replies
from musebench_tasks.models.ping.wire import ALL_NUMBERS, LETTER, Media

SEED, LARGEST = 3, 4


@pytest.fixture
def canary(wire):
    def canary(way=FRAMES, server="vllm", **settings):
        asked = wire(**settings)
        text = asked.ask(Media(), ALL_NUMBERS)
        return check_canary(asked, way, SEED, (), text_tokens=text.prompt_tokens, server=server)

    return canary


@pytest.fixture
def clip(wire):
    """Findings about one clip with two questions, by topic."""

    def clip(server="vllm", flag=None, **settings):
        asked, probe = wire(**settings), make_probe(SEED + 1, LARGEST, LARGEST)
        taken = {"pictures": (FRAMES, climb(asked, FRAMES, probe, LARGEST)[0])}
        taken["sound"] = (SOUND, climb(asked, SOUND, probe, LARGEST)[0])
        return {each.topic: each for each in check_clip(asked, taken, SEED, server=server, flag=flag)}

    return clip


@pytest.mark.parametrize("way", [FRAMES, SOUND], ids=["pictures", "sound"])
def test_two_clips_are_told_apart(canary, way):
    finding = canary(way)
    assert (finding.state, finding.advice) == (State.OK, None)
    assert finding.told == "told apart under the same text, with the server's caches and without"


@pytest.mark.parametrize("way", [FRAMES, SOUND], ids=["pictures", "sound"])
def test_wrong_media_are_told_with_the_cache_that_is_to_blame(canary, way):
    finding = canary(way, mixes_up="prefix")
    assert finding.state is State.WARN
    assert finding.told == (
        "WRONG MEDIA: asked about one clip, the model told what another one holds, where the prefix is cached; not "
        "where it is new"
    )
    assert "--no-enable-prefix-caching" in finding.advice
    assert "--disable-radix-cache" in canary(way, "sglang", mixes_up="prefix").advice
    finding = canary(way, mixes_up="processor")
    assert finding.told.endswith("even where no prefix is cached")
    assert "--mm-processor-cache-gb 0" in finding.advice


def test_where_nothing_is_read_cached_tokens_and_probabilities_tell(canary):
    finding = canary(mixes_up="prefix", can_read=False)
    assert finding.told == "WRONG MEDIA: of a clip never sent before, 799 of 800 tokens were cached"
    assert canary(can_read=False).told == "told apart by the probabilities; not read well"
    finding = canary(can_read=False, is_constant=True, caches=False)
    assert (finding.state, finding.told) == (
        State.WARN,
        "not told apart: the same answer with the same probabilities to two different clips",
    )
    finding = canary(can_read=False, has_logprobs=False)
    assert (finding.state, finding.told) == (
        State.NOTE,
        "it cannot be told: both were answered alike, and not read",
    )


def test_the_second_question_finds_the_clip(clip):
    findings = clip()
    assert findings["together"].told == "4 pictures and 4 s of sound in one request: 868 tokens, as counted apart"
    assert findings["prefix cache"].told.startswith("the second question finds the clip: 864 of 879 tokens were cached")
    assert {finding.state for finding in findings.values()} == {State.OK}


def test_what_is_left_out_beside_something_else_is_warned_of(clip):
    finding = clip(drops_sound_beside_pictures=True)["together"]
    assert finding.state is State.WARN
    assert finding.told.endswith("768 tokens where 868 were counted apart: something is left out")


def test_a_cache_that_finds_nothing_costs_time_and_is_told(clip):
    finding = clip(caches=False)["prefix cache"]
    assert finding.told.startswith("the second question does not find the clip: 0 of 879 tokens")
    assert (finding.state, "--enable-prefix-caching" in finding.advice) == (State.NOTE, True)
    finding = clip(sightings=2)["prefix cache"]
    assert finding.told.startswith("only the third question finds the clip: 864 of 879 tokens")
    assert (finding.state, finding.advice) == (State.NOTE, None)


@pytest.mark.parametrize(
    ("kind", "flag", "advised"),
    [
        ("vllm", None, "Start vLLM with --enable-prompt-tokens-details to be told."),
        ("sglang", None, "Start SGLang with --enable-cache-report to be told."),
        (None, "--tell-all", "Start the server with --tell-all."),
        (None, None, "Let the server tell prompt_tokens_details.cached_tokens."),
    ],
)
def test_a_cache_that_is_not_told_of_needs_a_flag(clip, kind, flag, advised):
    finding = clip(kind, flag, tells_cached=False)["prefix cache"]
    assert finding.told.startswith("the server does not tell what was cached")
    assert (finding.state, finding.advice) == (State.NOTE, advised)


def test_letters_are_needed_where_a_card_asks_for_them(wire):
    assert check_letters(wire(), is_used=True, server="vllm").state is State.OK
    finding = check_letters(wire(has_logprobs=False), is_used=True, server="vllm")
    assert (finding.state, "--max-logprobs 20" in finding.advice) == (State.WARN, True)
    assert check_letters(wire(has_logprobs=False), is_used=False, server="vllm").state is State.NOTE


def test_unasked_tools_and_thoughts_are_warned_of(server, wire):
    server.faults = [None, "tool_call", "reasoning"]
    asked = wire()
    for _ in range(3):
        asked.ask(Media(), LETTER, max_tokens=ROOM)
    assert check_replies(asked.roomy[:1], may_reason=False, server=None) == []
    tools, reasoning = check_replies(asked.roomy, may_reason=False, server=None)
    assert (tools.topic, tools.state, reasoning.topic, reasoning.state) == (
        "tools", State.WARN, "reasoning", State.WARN,
    )  # fmt: skip
    assert "reasoning_tokens" in reasoning.advice
    (_, allowed) = check_replies(asked.roomy, may_reason=True, server=None)
    assert (allowed.state, allowed.advice) == (State.OK, None)

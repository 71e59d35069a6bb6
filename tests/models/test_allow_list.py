"""From an item full of secrets to what a model sees: question, options and transcript, nothing else (MU-04)."""

import re

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import (
    Condition,
    Item,
    Kind,
    MediaSource,
    MetricConfig,
    Modality,
    Protocol,
    TaskConfig,
    TaskMetadata,
    make_options,
)
from musebench_tasks.models import load_model
from musebench_tasks.prompts import list_templates, render_prompt

ITEM_ID = "secret-id-7"
SECRET = re.compile("secret|5ec4e7|8101|8131")
NAMES = tuple(name for name in list_templates() if "json" not in name)


@pytest.fixture
def item():
    return Item(
        id=ITEM_ID,
        benchmark="secret-benchmark",
        kind=Kind.SINGLE,
        media=MediaSource(path="/secret/title.mp4", row=3, column="secret", sha256="5ec4e7" * 10 + "beef"),
        start_s=8101.5,
        end_s=8131.5,
        duration_s=30.0,
        question="Which instrument leads?",
        options=make_options(ITEM_ID, ("Violin", "Trumpet", "Oboe", "Harp")),
        transcript="Good evening.",
        alignment="secret-alignment",
        cluster_id="secret-cluster",
        category="secret-category",
        subdomain="secret-subdomain",
        difficulty="secret-difficulty",
        tags=("secret-tag",),
        license="secret-license",
        attribution="secret-artist",
    )


@pytest.fixture
def request_of(item, make_request):
    def request_of(template, condition, audio_route):
        task = TaskConfig(
            task="secret_task",
            dataset_path="secret/data",
            protocol=Protocol(media=tuple(Modality)),
            doc_to_text=template,
            metric_list=(MetricConfig(metric="accuracy"),),
            metadata=TaskMetadata(headline="accuracy"),
        )
        rendered = render_prompt(task, item, item.options, condition=condition, audio_route=audio_route)
        return make_request(
            item_id=ITEM_ID, prompt=rendered.text, system=rendered.system, condition=condition, audio_route=audio_route
        )

    return request_of


@pytest.mark.parametrize("template", NAMES)
@pytest.mark.parametrize(
    ("condition", "audio_route"),
    [
        (Condition.FULL, "native"),
        (Condition.FULL, "transcript"),
        (CONDITIONS["noise"], "native"),
        (CONDITIONS["text_only"], "none"),
    ],
)
def test_a_server_sees_no_secret(server, make_group, request_of, template, condition, audio_route):
    list(load_model(f"openai:m@{server.url}").answer(make_group(request_of(template, condition, audio_route))))
    sent = server.requests[0]["raw"].decode()
    assert "Which instrument leads?" in sent
    assert ("Good evening." in sent) == (audio_route == "transcript")
    assert not SECRET.search(sent)
    assert "noise" not in sent


def test_a_program_sees_no_secret(make_group, request_of):
    request = request_of("video_choice.jinja", Condition.FULL, "native")
    (response,) = load_model('command:sh -c \'echo "$0" "$1"; env; cat "$2"\' {audio} {video} {prompt_file}').answer(
        make_group(request)
    )
    assert "Which instrument leads?" in response.raw
    assert not any(word in response.raw for word in ("secret-", "5ec4e7", request.key, ITEM_ID))

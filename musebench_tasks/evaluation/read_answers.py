"""From responses to predictions: the text is read, letters become option ids, failures keep their status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from musebench_tasks.answers import PARSER_VERSION, parse_choice, parse_music
from musebench_tasks.base.records import (
    LETTERS,
    Audio,
    FieldAnswer,
    Frames,
    Kind,
    Parser,
    Prediction,
    Received,
    Request,
    Response,
    Status,
)
from musebench_tasks.evaluation.counts import status_of_fields

RULES = Parser(method="rules", version=PARSER_VERSION)
LETTER_PROBABILITIES = Parser(method="letters", version="1")
LETTER_RULE = "letter_probability"
"""The rule of an option that is read from the probabilities of letters."""
REFUSAL = "refusal"
"""Finish reason of an answer that its server marks as a refusal, and the rule of what is none."""
TOOL_CALL = "tool_call"
"""The violation of calling a tool, which none was offered, and the rule of an answer that is nothing else."""
VIOLATION = "protocol_violation"
"""Flag of an answer that broke the protocol (`Response.violation`)."""


def read_answers(requests: Iterable[Request], responses: Mapping[str, Response]) -> list[Prediction]:
    """One prediction for each request that has a response, sorted by (item_id, run, condition)."""
    read = [read_answer(request, responses[request.key]) for request in requests if request.key in responses]
    return sorted(read, key=lambda each: (each.item_id, each.run, each.condition))


def read_answer(request: Request, response: Response) -> Prediction:
    """The prediction that `response` makes for `request`."""
    prediction = _read(request, response)
    if response.violation is None:
        return prediction
    return prediction.model_copy(update={"flags": (*prediction.flags, VIOLATION)})


def _read(request: Request, response: Response) -> Prediction:
    shown = {
        "item_id": request.item_id,
        "run": request.run,
        "condition": request.condition,
        "option_order": request.option_order,
        "raw": response.raw,
        "option_probabilities": response.option_probabilities,
        "finish_reason": response.finish_reason,
        **_disclosed(response.received),
    }
    if response.failure is not None:
        return Prediction(**shown, status=response.failure)
    if request.kind is Kind.MUSIC:
        prediction = _music(request, response, shown)
    elif response.option_probabilities:
        prediction = _most_probable(response.option_probabilities, shown)
    else:
        prediction = _choice(request, response, shown)
    return _as_the_server_says(prediction, response)


def _as_the_server_says(prediction: Prediction, response: Response) -> Prediction:
    """Where nothing was read: a refusal that the server marks as one, or a tool call that stands beside the text."""
    if prediction.status is not Status.UNPARSED:
        return prediction
    if response.finish_reason == REFUSAL:
        told = {"status": Status.REFUSED, "rule": REFUSAL}
    elif response.violation == TOOL_CALL and not response.raw:
        told = {"status": Status.UNPARSED, "rule": TOOL_CALL}
    else:
        return prediction
    if not isinstance(prediction.parsed, dict):
        return prediction.model_copy(update=told)
    fields = {name: answer.model_copy(update=told) for name, answer in prediction.parsed.items()}
    return prediction.model_copy(update={"parsed": fields, "status": told["status"]})


def _choice(request: Request, response: Response, shown: dict[str, object]) -> Prediction:
    answer = parse_choice(
        response.raw or "",
        [option.text for option in request.options],
        multi=request.kind is Kind.MULTI,
        finish_reason=response.finish_reason,
    )
    ids = sorted(request.options[LETTERS.index(label)].id for label in answer.labels)
    return Prediction(
        **shown,
        parsed=tuple(ids) if answer.status is Status.OK else None,
        parser=RULES,
        rule=answer.rule,
        flags=answer.flags,
        status=answer.status,
    )


def _most_probable(probabilities: Mapping[str, float], shown: dict[str, object]) -> Prediction:
    """The option a model gives the highest probability; a tie is no answer."""
    highest = max(probabilities.values())
    best = [option for option, probability in probabilities.items() if probability == highest]
    clear = len(best) == 1
    return Prediction(
        **shown,
        parsed=(best[0],) if clear else None,
        parser=LETTER_PROBABILITIES,
        rule=LETTER_RULE if clear else "ambiguous",
        status=Status.OK if clear else Status.UNPARSED,
    )


def _music(request: Request, response: Response, shown: dict[str, object]) -> Prediction:
    fields = parse_music(
        response.raw or "",
        request.fields,
        duration_s=request.media_s or None,
        finish_reason=response.finish_reason,
    )
    status = line_status(fields)
    return Prediction(**shown, parsed=fields if status.is_answer else None, parser=RULES, status=status)


def line_status(fields: Mapping[str, FieldAnswer]) -> Status:
    """The status of a music line from those of its fields."""
    return status_of_fields({answer.status for answer in fields.values()}, Status.BACKEND_ERROR)


def _disclosed(received: Received | None) -> dict[str, object]:
    """Frames and audio that reached the model, in the form predictions carry."""
    if received is None:
        return {"frames": None, "audio": None}
    frames = None
    if received.frames_used is not None:
        frames = Frames(
            available=received.frames_available or received.frames_used,
            used=received.frames_used,
            policy=received.frame_policy or "uniform",
        )
    audio = None
    if received.audio_route is not None:
        audio = Audio(route=received.audio_route, seconds=received.audio_s)
    return {"frames": frames, "audio": audio}
